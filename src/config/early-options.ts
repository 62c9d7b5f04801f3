import {unreachable} from '../domain/assert.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import type {KeySource} from './key-source.ts';
import {
  CHART_CHOICES,
  type ConnectionFlags,
  GLYPH_CHOICES,
  OPTIONS,
  type OptionRecord,
  readFlags,
  THEME_NAME,
} from './options.ts';
import {readOwnFile, readSettingsFile} from './own-files.ts';
import {resolveOptions} from './profiles.ts';
import type {Profile, Settings} from './settings.ts';

/** What the first frame needs to know, before the libraries are loaded that parse arguments and settings thoroughly. */
export type EarlyOptions = {
  /** Undefined for the built-in simulator. The key only serves to tell accounts apart here. */
  readonly account: {readonly baseUrl: string; readonly key: string} | undefined;
  readonly isReadOnly: boolean;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
} & Pick<Settings, 'glyphs' | 'charts' | 'theme'>;

const MAX_KEY_BYTES = 4096;

/**
 * Undefined for all but the plainest ways to open the deck: not with a subcommand, a mistake, or a key command (which
 * may ask questions on the terminal). Then there is no early frame, and nothing else differs.
 */
export function readEarlyOptions(argv: readonly string[], environment: EnvironmentVariables): EarlyOptions | undefined {
  const flags = flagsIn(argv);
  const asked = flags === undefined ? undefined : readFlags(flags, environment);
  const settings = readEarlySettings(environment);
  if (asked?.ok !== true || settings === undefined) return undefined;
  const resolved = resolveOptions(asked.options, settings);
  if (!resolved.ok) return undefined;
  const {baseUrl, keySource, isReadOnly, hasColour, isAscii} = resolved.options;
  const key = keySource === undefined ? undefined : readKey(keySource);
  // A key command, or a mistake that is reported later.
  if (keySource !== undefined && key === undefined) return undefined;
  if ((key === undefined) !== (baseUrl === undefined)) return undefined;
  const account = key === undefined || baseUrl === undefined ? undefined : {baseUrl, key};
  const {glyphs, charts, theme} = settings;
  return {account, isReadOnly, hasColour, isAscii, glyphs, charts, theme};
}

/** The flags with their values, each one listed; undefined if one is unknown, abbreviated or lacks its value. */
function flagsIn(argv: readonly string[]): Required<ConnectionFlags> | undefined {
  const given = new Map<string, string>();
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    const equals = word.indexOf('=');
    const flag = equals === -1 ? word : word.slice(0, equals);
    const option = RECORDS.find(record => record.flag === flag);
    if (option === undefined) return undefined;
    if (option.value === undefined) {
      if (equals !== -1) return undefined;
      given.set(flag, '');
    } else {
      if (equals === -1) index += 1;
      const value = equals === -1 ? argv[index] : word.slice(equals + 1);
      if (value === undefined || value === '') return undefined;
      given.set(flag, value);
    }
  }
  return {
    profile: given.get(OPTIONS.profile.flag),
    baseUrl: given.get(OPTIONS.baseUrl.flag),
    keyFile: given.get(OPTIONS.keyFile.flag),
    keyCommand: given.get(OPTIONS.keyCommand.flag),
    readOnly: given.has(OPTIONS.readOnly.flag) ? true : undefined,
    color: !given.has(OPTIONS.color.flag),
    ascii: given.has(OPTIONS.ascii.flag),
    log: given.get(OPTIONS.log.flag),
    // Nothing is read for the first frame.
    timeout: undefined,
  };
}

const RECORDS: readonly OptionRecord[] = Object.values(OPTIONS);

function readKey(source: KeySource): string | undefined {
  switch (source.kind) {
    case 'environment':
      return source.text;
    case 'file':
      return readKeyFile(source.path);
    case 'command':
      return undefined;
    default:
      return unreachable(source);
  }
}

/** Why a file may not be used for a key is reported later. */
function readKeyFile(path: string): string | undefined {
  try {
    return readOwnFile(path, {maxBytes: MAX_KEY_BYTES, isPrivate: true}).trim() || undefined;
  } catch {
    return undefined;
  }
}

type EarlySettings = Pick<Settings, 'glyphs' | 'charts' | 'theme' | 'profile' | 'profiles'>;

/** The settings that matter for the first frame; undefined if one is invalid. */
function readEarlySettings(environment: EnvironmentVariables): EarlySettings | undefined {
  try {
    const file = readSettingsFile(environment);
    const stored = fieldsOf(file === undefined ? {} : file);
    const glyphs = GLYPH_CHOICES.find(name => name === (stored?.get('glyphs') ?? 'auto'));
    const charts = CHART_CHOICES.find(name => name === (stored?.get('charts') ?? 'auto'));
    const theme = stored?.get('theme') ?? 'auto';
    const profile = stored?.get('profile');
    const profiles = readProfiles(stored?.get('profiles') ?? {});
    if (stored === undefined || glyphs === undefined || charts === undefined || profiles === undefined)
      return undefined;
    if (typeof theme !== 'string' || !THEME_NAME.test(theme)) return undefined;
    if (profile !== undefined && typeof profile !== 'string') return undefined;
    return {glyphs, charts, theme, profile, profiles};
  } catch {
    return undefined;
  }
}

function readProfiles(stored: unknown): Record<string, Profile> | undefined {
  const profiles: Record<string, Profile> = {};
  for (const [name, value] of fieldsOf(stored) ?? []) {
    const fields = fieldsOf(value);
    const [baseUrl, keyFile] = [fields?.get('baseUrl'), fields?.get('keyFile')];
    const [readOnly, color] = [fields?.get('readOnly') ?? false, fields?.get('color') ?? true];
    if (typeof baseUrl !== 'string' || typeof readOnly !== 'boolean' || typeof color !== 'boolean') return undefined;
    if (keyFile !== undefined && typeof keyFile !== 'string') return undefined;
    const keyCommand = fields?.has('keyCommand') === true ? [''] : undefined;
    profiles[name] = {baseUrl, keyFile, keyCommand, readOnly, color};
  }
  return fieldsOf(stored) === undefined ? undefined : profiles;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? new Map<string, unknown>(Object.entries(value)) : undefined;
}
