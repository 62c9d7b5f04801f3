import type {Command} from 'commander';
import {RESOURCES} from '../resources/resources.ts';

/** A command as completion sees it: its words and options, and nothing that runs. */
export type TreeCommand = {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly TreeOption[];
  /** What the first argument can be, where that is one of a few words. */
  readonly words: readonly string[];
  readonly commands: readonly TreeCommand[];
};

export type TreeOption = {
  /** `--output`, and `-o` where there is a short form. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
};

/** Commands whose first argument names a kind of record. */
const TAKES_RESOURCE: ReadonlySet<string> = new Set(['get', 'describe']);
const SHELLS = ['bash', 'zsh', 'fish'];

/** The tree below a command, with what commander adds by itself. */
export function closedTree(
  command: Command,
  {name, summary}: {readonly name: string; readonly summary: string},
): TreeCommand {
  const options = command.options.map(({short, long, description, required, optional, argChoices}) => ({
    names: [long, short].filter(each => each !== undefined),
    summary: description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  }));
  return {
    name,
    summary,
    options: [...options, {names: ['--help', '-h'], summary: 'help', takesValue: false, choices: []}],
    words: wordsOf(name),
    commands: command.commands.map(child => closedTree(child, {name: child.name(), summary: child.description()})),
  };
}

function wordsOf(name: string): readonly string[] {
  if (TAKES_RESOURCE.has(name)) return RESOURCES.map(({names}) => names[0]);
  return name === 'completion' ? SHELLS : [];
}
