import {Command, CommanderError, InvalidArgumentError} from 'commander';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS, parseTimestamp, SECOND_MS} from '../domain/time.ts';
import type {Environment} from './early-options.ts';
import type {KeySource} from './key-source.ts';

/** What the deck and every command go by, once a profile has filled in what was not asked for. */
export type ConnectionOptions = {
  readonly baseUrl: string | undefined;
  readonly keySource: KeySource | undefined;
  readonly isReadOnly: boolean;
  readonly readTimeoutMs: DurationMs | undefined;
  readonly hasColour: boolean;
  readonly isAscii: boolean;
  readonly logPath: string | undefined;
  /** A clock that stands still, for pictures and tests. */
  readonly fixedNow: EpochMs | undefined;
};

/** What was asked for on the command line and in the environment; an option beats the environment. */
export type AskedOptions = Omit<ConnectionOptions, 'isReadOnly'> & {
  /** Undefined where nobody said anything: then the profile decides. */
  readonly isReadOnly: boolean | undefined;
  readonly profileName: string | undefined;
};

export type ParsedOptions =
  | {readonly kind: 'options'; readonly options: AskedOptions}
  /** Help or version: printed, and that is all. */
  | {readonly kind: 'printed'; readonly text: string}
  | {readonly kind: 'mistake'; readonly mistake: SafeText};

/** Reads the arguments of the deck. The subcommands read their own. */
export function parseDeckOptions(
  argv: readonly string[],
  environment: Environment,
  about: {readonly version: string; readonly subcommands: readonly string[]},
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
    return {kind: 'mistake', mistake: mistakeOf(error)};
  }
  const asked = readFlags(command.opts<ConnectionFlags>(), environment);
  return asked.ok ? {kind: 'options', options: asked.options} : {kind: 'mistake', mistake: asked.mistake};
}

/** One line, without what stands behind the `=` of an option that does not exist: it may be a key. */
export function mistakeOf({code, message}: CommanderError): SafeText {
  const line = message.replace(/^error: /, '').replaceAll('\n', ' ');
  return safeText(code === 'commander.unknownOption' ? line.replace(UNKNOWN_OPTION, "$1'") : line);
}

const UNKNOWN_OPTION = /('--[\w-]+|'-\w)[^']*'/;

/** The common options as commander hands them over. */
export type ConnectionFlags = {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly keyFile?: string;
  readonly keyCommand?: string;
  readonly readOnly?: boolean;
  readonly timeout?: DurationMs;
  readonly color: boolean;
  readonly ascii?: boolean;
  readonly log?: string;
};

function deckCommand(about: {readonly version: string; readonly subcommands: readonly string[]}): Command {
  const command = new Command('skydeck')
    .description(
      'A terminal deck for a GPU/CPU cloud. Without an account it opens on a small cloud of its own, and says SIMULATED.',
    )
    .version(about.version)
    .addHelpText('after', `\nCommands:\n${about.subcommands.map(line => `  ${line}\n`).join('')}`)
    .allowExcessArguments(false);
  return addConnectionOptions(command);
}

/** The options that the deck and every command understand. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--profile <name>', 'the account to use, as `skydeck profile` knows it (SKYDECK_PROFILE)')
    .option('--base-url <url>', 'the service, version included, e.g. https://…/v1 (SKYDECK_BASE_URL)')
    .option('--key-file <file>', 'a file of mode 0600 that holds the API key (SKYDECK_API_KEY holds the key itself)')
    .option('--key-command <command>', "a program that prints the key, e.g. 'pass show cloud'")
    .option('--read-only', 'operations do not exist in this session (SKYDECK_READ_ONLY=1)')
    .option('--timeout <duration>', 'longest wait for a read, e.g. 15s', parseDuration)
    .option('--no-color', 'shapes and words without colours (NO_COLOR)')
    .option('--ascii', 'plain characters only')
    .option('--log <file>', 'writes every request, without the key, to a file of mode 0600');
}

export type ReadFlags =
  | {readonly ok: true; readonly options: AskedOptions}
  | {readonly ok: false; readonly mistake: SafeText};

/** What the options and the environment ask for together. */
export function readFlags(flags: ConnectionFlags, environment: Environment): ReadFlags {
  const fixedNow = nonEmpty(environment.SKYDECK_NOW);
  const parsedNow = fixedNow === undefined ? undefined : parseTimestamp(fixedNow);
  if (fixedNow !== undefined && parsedNow === undefined) {
    return {ok: false, mistake: say`SKYDECK_NOW must be an ISO 8601 moment such as 2026-11-20T20:58:12Z`};
  }
  if (flags.keyFile !== undefined && flags.keyCommand !== undefined) {
    return {ok: false, mistake: say`--key-file and --key-command exclude each other`};
  }
  return {
    ok: true,
    options: {
      profileName: flags.profile ?? nonEmpty(environment.SKYDECK_PROFILE),
      baseUrl: flags.baseUrl ?? nonEmpty(environment.SKYDECK_BASE_URL),
      keySource: keySource(flags, environment),
      isReadOnly: flags.readOnly ?? switchOf(environment.SKYDECK_READ_ONLY),
      readTimeoutMs: flags.timeout,
      hasColour: flags.color,
      isAscii: flags.ascii ?? false,
      logPath: flags.log,
      fixedNow: parsedNow,
    },
  };
}

function keySource(flags: ConnectionFlags, environment: Environment): KeySource | undefined {
  if (flags.keyFile !== undefined) return {kind: 'file', path: flags.keyFile};
  if (flags.keyCommand !== undefined) {
    return {kind: 'command', words: commandWords(flags.keyCommand)};
  }
  const text = nonEmpty(environment.SKYDECK_API_KEY);
  return text === undefined ? undefined : {kind: 'environment', text};
}

/** The words of a key command: no shell is to see it, so there is nothing to quote. */
export function commandWords(text: string): readonly string[] {
  return text.split(/\s+/).filter(word => word !== '');
}

/** Beyond some weeks a timer would fire at once; nobody waits longer than this. */
const MAX_DURATION_MS: DurationMs = HOUR_MS;

/** `15s`, `2m`, `500ms`; a bare number means seconds. */
export function parseDuration(text: string): DurationMs {
  const match = /^(\d{1,6})(ms|s|m|h)?$/.exec(text);
  const units: Readonly<Record<string, DurationMs>> = {ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS};
  const duration = Number(match?.[1] ?? 0) * (units[match?.[2] ?? 's'] ?? 0);
  if (duration <= 0 || duration > MAX_DURATION_MS) {
    throw new InvalidArgumentError('A duration such as 15s or 2m is needed, at most 1h.');
  }
  return duration;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}

function switchOf(text: string | undefined): boolean | undefined {
  return nonEmpty(text) === undefined ? undefined : !['0', 'false', 'no'].includes(text?.toLowerCase() ?? '');
}
