import {parseTimestamp} from '../domain/time.ts';
import {readOwnFile, readSettingsFile} from './own-files.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the first frame needs to know, before the libraries are loaded that read arguments and settings with care. */
export type EarlyOptions = {
  /** Undefined for the small cloud of our own. The key serves to tell accounts apart, and nothing else here. */
  readonly account: {readonly baseUrl: string; readonly key: string} | undefined;
  readonly isReadOnly: boolean;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
  readonly glyphs: 'auto' | 'unicode' | 'narrow-safe' | 'ascii';
  readonly background: 'auto' | 'dark' | 'light';
};

const SWITCHES = ['--read-only', '--no-color', '--ascii'];
const VALUED = ['--base-url', '--key-file', '--timeout', '--log'];
const MAX_KEY_BYTES = 4096;
const GLYPHS = ['auto', 'unicode', 'narrow-safe', 'ascii'] as const;
const BACKGROUNDS = ['auto', 'dark', 'light'] as const;

/**
 * Undefined for everything but the plainest ways to open the deck: a subcommand, a mistake, a key command (which may
 * ask its own questions on the terminal). Then there is no early frame, and nothing else is different.
 */
export function readEarlyOptions(argv: readonly string[], environment: Environment): EarlyOptions | undefined {
  const flags = readFlags(argv);
  if (flags === undefined || isOddMoment(environment.SKYDECK_NOW)) return undefined;
  // What stands in a profile is read by those who can tell what is wrong with it.
  if (nonEmpty(environment.SKYDECK_PROFILE) !== undefined) return undefined;
  const preferences = readPreferences(environment);
  if (preferences === undefined) return undefined;
  const baseUrl = flags.get('--base-url') ?? nonEmpty(environment.SKYDECK_BASE_URL);
  const keyFile = flags.get('--key-file');
  const key = keyFile === undefined ? nonEmpty(environment.SKYDECK_API_KEY) : readKeyFile(keyFile);
  if ((key === undefined) !== (baseUrl === undefined)) return undefined;
  return {
    account: key === undefined || baseUrl === undefined ? undefined : {baseUrl, key},
    isReadOnly: flags.has('--read-only') || isSwitchedOn(environment.SKYDECK_READ_ONLY),
    hasColour: !flags.has('--no-color'),
    isAscii: flags.has('--ascii'),
    ...preferences,
  };
}

/** The flags with their values; undefined where one is unknown, abbreviated or without its value. */
function readFlags(argv: readonly string[]): ReadonlyMap<string, string> | undefined {
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const equals = word.indexOf('=');
    const name = equals === -1 ? word : word.slice(0, equals);
    if (SWITCHES.includes(word)) flags.set(word, '');
    else if (!VALUED.includes(name)) return undefined;
    else {
      if (equals === -1) index += 1;
      const value = equals === -1 ? argv[index] : word.slice(equals + 1);
      if (value === undefined || value === '') return undefined;
      flags.set(name, value);
    }
  }
  return flags;
}

/** Why a file may not hold a key is told later, with words. */
function readKeyFile(path: string): string | undefined {
  try {
    return nonEmpty(readOwnFile(path, {maxBytes: MAX_KEY_BYTES, isPrivate: true}).trim());
  } catch {
    return undefined;
  }
}

/** The settings where they are as they should be; any mistake in them is told later, by those who know its words. */
function readPreferences(environment: Environment): Pick<EarlyOptions, 'glyphs' | 'background'> | undefined {
  try {
    const settings = readSettingsFile(environment);
    if (settings === undefined) return {glyphs: 'auto', background: 'auto'};
    if (typeof settings !== 'object' || settings === null) return undefined;
    const named = new Map(Object.entries(settings));
    const glyphs = GLYPHS.find(name => name === (named.get('glyphs') ?? 'auto'));
    const background = BACKGROUNDS.find(name => name === (named.get('background') ?? 'auto'));
    named.delete('glyphs');
    named.delete('background');
    return glyphs === undefined || background === undefined || named.size > 0 ? undefined : {glyphs, background};
  } catch {
    return undefined;
  }
}

function isOddMoment(text: string | undefined): boolean {
  return text !== undefined && text !== '' && parseTimestamp(text) === undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function isSwitchedOn(text: string | undefined): boolean {
  return text !== undefined && !['', '0', 'false', 'no'].includes(text.toLowerCase());
}
