import {Command, CommanderError, InvalidArgumentError, Option} from 'commander';
import {helpItems} from './command-io.ts';
import {type AskedOptions, type ConnectionFlags, OPTIONS, type OptionRecord, readFlags} from '../config/options.ts';
import {PROVIDER_BASE_URL} from '../config/profiles.ts';
import type {EnvironmentVariables} from '../domain/environment-variables.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../domain/time.ts';

export type ParsedOptions =
  | {readonly kind: 'options'; readonly options: AskedOptions}
  /** Help or version, already printed. */
  | {readonly kind: 'printed'; readonly text: string}
  | {readonly kind: 'mistake'; readonly mistake: SafeText};

/** What `--version` and `--help` print of the program; the commands only if help is asked for. */
type About = {readonly version: string; readonly commands: readonly (readonly [word: string, text: string])[]};

/** Parses the arguments of the deck. Subcommands parse their own. */
export function parseDeckOptions(
  argv: readonly string[],
  environment: EnvironmentVariables,
  about: About,
): ParsedOptions {
  let printed = '';
  const command = deckCommand(about)
    .exitOverride()
    .configureOutput({
      writeOut: text => {
        printed += text;
      },
      writeErr: () => {},
    });
  try {
    command.parse([...argv], {from: 'user'});
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return {kind: 'printed', text: printed};
    const mistake = mistakeOf(error);
    return {kind: 'mistake', mistake: OF_SIMULATOR.test(mistake) ? say`${mistake}; ${SIMULATOR_WAY}` : mistake};
  }
  const asked = readFlags(command.opts<ConnectionFlags>(), environment);
  return asked.ok ? {kind: 'options', options: asked.options} : {kind: 'mistake', mistake: asked.mistake};
}

/** Options that people try here but that belong to the simulator. */
const OF_SIMULATOR = /^unknown option "--(?:scenario|vms|seed|speed|fault)"/;
const SIMULATOR_WAY = say`it belongs to skydeck simulator, which prints the SKYDECK_BASE_URL and SKYDECK_API_KEY for a deck`;

/**
 * One line in the style of every other message, without what follows the `=` of an unknown option, which may be a key.
 */
export function mistakeOf({code, message}: CommanderError): SafeText {
  const line = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const own = code === 'commander.unknownOption' ? line.replace(UNKNOWN_OPTION, "$1'") : line;
  return safeText(
    own
      .replaceAll(QUOTED, '$1"$2"')
      .replace(/ \(Did you mean (.*)\?\)$/, '; did you mean $1?')
      .replace(SECOND_SENTENCE, (_, first, second) => `${first}; ${second.charAt(0).toLowerCase()}${second.slice(1)}`),
  );
}

/** In the library's messages; an apostrophe within a word is none. */
const QUOTED = /(^|\s)'(.*?)'(?=[\s,.]|$)/g;
/** What is accepted instead: `… is invalid. Use a duration such as 15s.` */
const SECOND_SENTENCE = /( is invalid(?: for argument "[^"]*")?| arguments(?: for "[^"]*")?)\. (.*?)\.?$/;

const UNKNOWN_OPTION = /('--[\w-]+|'-\w).*'/;

/** In the words of all other options. */
export const HELP_OPTION = ['-h, --help', 'print this help'] as const;
const MORE_HELP = 'skydeck COMMAND --help prints the options of a command.';

function deckCommand(about: About): Command {
  const command = new Command('skydeck');
  command
    .description(
      'A terminal deck for a GPU/CPU cloud. Without an account it opens on a built-in simulator, and says SIMULATED.',
    )
    .usage('[options] [command]')
    .version(about.version, '-V, --version', 'print the version')
    .helpOption(...HELP_OPTION)
    .addHelpText('after', () => `\nCommands:\n${helpItems(command, about.commands)}\n\n${MORE_HELP}`)
    .allowExcessArguments(false);
  return addConnectionOptions(command);
}

/** The options common to the deck and every command, except those the command defines itself. */
export function addConnectionOptions(command: Command, own: readonly OptionRecord[] = []): Command {
  for (const option of Object.values(OPTIONS)) if (!own.includes(option)) command.addOption(connectionOption(option));
  return command;
}

/** Those of them that a profile stores. */
export function addProfileOptions(command: Command): Command {
  const {baseUrl, keyFile, keyCommand, readOnly, color} = OPTIONS;
  // Not a default of the option's own: a profile that is replaced keeps its base URL.
  command.option(flagsOf(baseUrl), `${baseUrl.meaning} (default: "${PROVIDER_BASE_URL}")`);
  for (const option of [keyFile, keyCommand, readOnly, color]) command.option(flagsOf(option), option.meaning);
  return command;
}

/** One of them, with the environment variable that sets it too. */
export function connectionOption(record: OptionRecord): Option {
  const {meaning, variable} = record;
  const option = new Option(flagsOf(record), variable === undefined ? meaning : `${meaning} (${variable})`);
  return record === OPTIONS.timeout ? option.argParser(parseDuration) : option;
}

/** An option in commander's notation: `-o, --output <format>`. */
export function flagsOf({flag, short, value}: OptionRecord): string {
  return `${short === undefined ? '' : `${short}, `}${flag}${value === undefined ? '' : ` <${value}>`}`;
}

/** A timer set for more than a few weeks would fire at once, and nobody waits longer than this. */
const MAX_DURATION_MS: DurationMs = DAY_MS;

/** `15s`, `2m`, `500ms`; a bare number means seconds. */
export function parseDuration(text: string): DurationMs {
  const duration = durationOf(text);
  if (duration === undefined) throw new InvalidArgumentError('Use a duration such as 15s or 2m, at most 24h.');
  return duration;
}

/** The same; undefined if it is none, or longer than anybody waits. */
export function durationOf(text: string): DurationMs | undefined {
  const match = /^(\d{1,6})(ms|s|m|h)?$/.exec(text);
  const units: Readonly<Record<string, DurationMs>> = {ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS};
  const duration = Number(match?.[1] ?? 0) * (units[match?.[2] ?? 's'] ?? 0);
  return duration <= 0 || duration > MAX_DURATION_MS ? undefined : duration;
}
