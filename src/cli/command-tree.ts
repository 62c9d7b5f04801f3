import type {Command} from 'commander';

/** A command as completion sees it: its arguments and options, and nothing that runs. */
export type TreeCommand = {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly TreeOption[];
  readonly arguments: readonly {readonly name: string; readonly isVariadic: boolean}[];
  readonly commands: readonly TreeCommand[];
};

export type TreeOption = {
  /** `--output`, and `-o` if there is a short form. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly takesFile?: boolean;
};

export const HELP_OPTION: TreeOption = {names: ['--help', '-h'], summary: 'help', takesValue: false, choices: []};

/** The tree below a command, including what commander adds. */
export function closedTree(command: Command): TreeCommand {
  const options = command.options.map(({short, long, flags, description, required, optional, argChoices}) => ({
    names: [long, short].filter(each => each !== undefined),
    summary: description,
    takesValue: required || optional,
    choices: argChoices ?? [],
    takesFile: flags.endsWith('<file>'),
  }));
  return {
    name: command.name(),
    summary: command.summary() || command.description(),
    options: [...options, HELP_OPTION],
    arguments: command.registeredArguments.map(each => ({name: each.name(), isVariadic: each.variadic})),
    commands: command.commands.map(closedTree),
  };
}
