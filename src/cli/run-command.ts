import {type Command, CommanderError, InvalidArgumentError, Option} from 'commander';
import {type ConnectionFlags, OUTPUT_OPTION} from '../config/options.ts';
import {type BuildCommand, type CommandIo, complain, print} from './command-io.ts';
import {addConnectionOptions, durationOf, flagsOf, HELP_OPTION, mistakeOf} from './connection-options.ts';
import {CHECK_EXIT, EXIT, type ExitCode} from '../domain/exit-codes.ts';

const OUTPUT_FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The options of every command that uses an account. */
export type CommonFlags = ConnectionFlags & {readonly output: OutputFormat};

/**
 * Runs one command of the tree and returns its exit code: its own, 0 for help, 2 for wrong usage with one line on
 * stderr.
 *
 * The tree is in `program.tsx`, with a file for each subcommand in `commands/`. The larger parts of some are in a folder
 * of their name: `cost/`, `describe/`, `doctor/`, `get/`. All commands that change something are made in `operations/`:
 * what is planned, asked and sent. `print/` turns values into the output formats. The files beside this one are what
 * commands take from outside (`command-io`), their options and arguments (`connection-options`, `option-values`,
 * `given-text`), the account they open (`account`), and what several of them read (`machine-activity`,
 * `triage-reading`).
 */
export async function runCommand(build: BuildCommand, argv: readonly string[], io: CommandIo): Promise<number> {
  let exitCode: number = EXIT.done;
  const command = build(io, code => {
    exitCode = code;
  });
  let help = '';
  prepare(command.name(`skydeck ${command.name()}`), text => {
    help += text;
  });
  try {
    await command.parseAsync(withWaitValue(argv), {from: 'user'});
    return exitCode === EXIT.done ? codeOfRead(io) : exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) {
      await print(io, help);
      return codeOfRead(io);
    }
    const mistake = usageMistake(command, error);
    if (argv.includes('--check') && command.options.some(({long}) => long === '--check')) {
      return unknownCheck(io, mistake);
    }
    complain(io, mistake);
    return EXIT.usage;
  }
}

/** The one line of a check that could not be made: the code 2, as elsewhere, would mean CRITICAL. */
export async function unknownCheck(io: CommandIo, reason: string): Promise<number> {
  await print(io, `SKYDECK UNKNOWN - ${reason.replaceAll('|', '/')}\n`);
  return CHECK_EXIT.unknown;
}

/** The exit code of a command that read something, once it was printed. */
export function codeOfRead(io: Pick<CommandIo, 'stdout' | 'stderr'>): ExitCode {
  const lost = io.stdout.lost?.();
  if (lost === undefined) return EXIT.done;
  complain(io, `the result could not be written: ${lost}`);
  return EXIT.noAnswer;
}

/**
 * The exit code of a command that sent something, once its outcome was printed. If a result was only in the output,
 * such as a secret that is shown once, it is lost if the output could not be written.
 */
export function codeOfSent(io: CommandIo, exitCode: ExitCode): ExitCode {
  const lost = io.stdout.lost?.();
  if (lost === undefined) return exitCode;
  complain(io, `what was sent is in the journal; the result could not be written: ${lost}`);
  return exitCode === EXIT.done ? EXIT.unknownOutcome : exitCode;
}

/** The library's own error texts are caught and printed on one line; its exit codes are not ours. */
function prepare(command: Command, writeHelp: (text: string) => void): void {
  for (const option of command.options) if (option.mandatory) option.description += ' (required)';
  command
    .helpOption(...HELP_OPTION)
    .configureHelp({minWidthToWrap: NARROWEST_HELP_COLUMN})
    .exitOverride(error => {
      throw error.code === MISSING_OPTION ? allMissing(command, error) : error;
    })
    .configureOutput({writeOut: writeHelp, writeErr: () => {}})
    .allowExcessArguments(false);
  for (const child of command.commands) prepare(child, writeHelp);
}

/** Beside long terms the library would rather exceed the terminal's width than wrap texts to fewer than 40 columns. */
const NARROWEST_HELP_COLUMN = 20;

const MISSING_OPTION = 'commander.missingMandatoryOptionValue';

/** The library names only the first of the required options that are missing. */
function allMissing(command: Command, {exitCode, code}: CommanderError): CommanderError {
  const missing = command.options.filter(
    option => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const flags = missing.map(option => `'${option.flags}'`).join(', ');
  return new CommanderError(exitCode, code, `required option${missing.length === 1 ? '' : 's'} ${flags} not specified`);
}

/** `--wait` takes a value only after its `=`, so that it cannot swallow the name of a machine. */
function withWaitValue(argv: readonly string[]): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, index) => {
    if (word !== '--wait' || index >= end) return word;
    const next = argv[index + 1] ?? '';
    if (/^\d+(?:ms|s|m|h)$/.test(next)) throw new InvalidArgumentError(`write ${waitFor(next)}`);
    // Taken for the id of a machine, it could end the wrong one.
    if (/^\d+$/.test(next)) throw new InvalidArgumentError(`write ${waitFor(`${next}s`)}, or an id before --wait`);
    return '--wait=10m';
  });
}

/** Only what is accepted then. */
function waitFor(duration: string): string {
  return durationOf(duration) === undefined ? '--wait=10m, at most 24h' : `--wait=${duration}`;
}

function usageMistake(command: Command, error: CommanderError): string {
  switch (error.code) {
    case 'commander.help':
      return missingCommand(command);
    case 'commander.unknownCommand':
      return `${mistakeOf(error)} (${command.name()} --help lists them)`;
    case 'commander.excessArguments': {
      const names = childrenOf(command);
      // A word that is not repeated here: it may be a key.
      return names === '' ? mistakeOf(error) : `${mistakeOf(error)}; the commands of ${command.name()} are ${names}`;
    }
    default: {
      const mistake = mistakeOf(error);
      return OF_OUTPUT.test(mistake) ? `${mistake}; this command has one output format only` : mistake;
    }
  }
}

/** Most commands have the option, so it is missed where there is nothing to choose. */
const OF_OUTPUT = /^unknown option "(?:-o|--output)"/;

function missingCommand(command: Command): string {
  return `${command.name()} needs a command: ${childrenOf(command)}; see ${command.name()} --help`;
}

function childrenOf(command: Command): string {
  const names = command.commands.map(child => child.name()).filter(name => name !== 'help');
  return names.join(', ');
}

/** Adds the common options, after the command's own. */
export function addCommonOptions(
  command: Command,
  formats: readonly (OutputFormat | 'focus')[] = OUTPUT_FORMATS,
): Command {
  command.optionsGroup('Common options:').addOption(outputOption(formats));
  return addConnectionOptions(command);
}

/** The output format: the first of the formats by default. */
export function outputOption(formats: readonly (OutputFormat | 'focus')[]): Option {
  const output = new Option(flagsOf(OUTPUT_OPTION), OUTPUT_OPTION.meaning).choices(formats);
  const parse = output.parseArg;
  const hasOneTable = formats.includes('table') && !formats.includes('wide');
  output.argParser((text, before) => {
    // Both names are in use for one record per line.
    if (text === 'jsonl') return parse?.('ndjson', before);
    return parse?.(text === 'wide' && hasOneTable ? 'table' : text, before);
  });
  return output.default(formats[0]);
}
