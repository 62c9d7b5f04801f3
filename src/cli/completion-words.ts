import type {Command} from 'commander';
import {DIRECTIONS, ETHER_TYPES} from '../domain/check-rule.ts';
import {DOCUMENTED_PROTOCOLS, RULE_PRESETS} from '../domain/security-rule.ts';
import {resourceNamed} from '../resources/resources.ts';

/** A possible word at the cursor, and its description. */
export type Completion = {readonly word: string; readonly summary?: string};

/** What completion knows besides the commands. None of it needs a request. */
export type Sources = {
  readonly commands: readonly Completion[];
  /** The options allowed before a command. */
  readonly commonOptions: readonly TreeOption[];
  readonly load: (name: string) => Promise<TreeCommand | undefined>;
  readonly resources: readonly Completion[];
  readonly profiles: () => Promise<readonly string[]>;
  readonly scenarios: () => Promise<readonly string[]>;
  /** Names listed last, by the plural of the resource. */
  readonly names: (kind: string, given: GivenOptions) => Promise<readonly string[]>;
};

/** The values of the options typed so far, by the option's long name. */
export type GivenOptions = ReadonlyMap<string, string>;

/** The possible words for the last word, which is being typed. `words` does not include the program's name. */
export async function candidatesFor(typed: readonly string[], sources: Sources): Promise<readonly Completion[]> {
  const {words, cut} = whole(typed.map(unquoted));
  const found = await candidatesOfWhole(words, sources);
  return cut === '' ? found : found.flatMap(each => (each.word.startsWith(cut) ? withoutHead(each, cut) : []));
}

/** A word as it was meant: shells pass what is being typed with its quotes and backslashes. */
function unquoted(word: string): string {
  return word.replace(/^["']/, '').replaceAll('\\ ', ' ');
}

function withoutHead(candidate: Completion, head: string): Completion {
  return {...candidate, word: candidate.word.slice(head.length)};
}

/** Completed by the shell itself: file names. */
const FILES: Completion = {word: '', summary: 'files'};

/**
 * The words as they were meant. bash splits `--output=json` at the `=` and `cost:desc` at the `:`, and replaces only
 * what follows the last of them: `cut` is what it keeps.
 */
function whole(typed: readonly string[]): {readonly words: readonly string[]; readonly cut: string} {
  const words: string[] = [];
  let cut = '';
  let isJoining = false;
  for (const word of typed) {
    const before = words.at(-1);
    const isSign = (word === '=' || word === ':') && before !== undefined;
    // In every other shell an option and its value are two words.
    if (isSign && word === '=' && before.startsWith('-')) {
      words.push('');
      isJoining = true;
      cut = '';
    } else if (isSign) {
      words[words.length - 1] = `${before}${word}`;
      cut = words.at(-1) ?? '';
      isJoining = true;
    } else if (isJoining) {
      words[words.length - 1] = `${before ?? ''}${word}`;
      isJoining = false;
    } else {
      words.push(word);
      cut = '';
    }
  }
  return {words, cut};
}

async function candidatesOfWhole(typed: readonly string[], sources: Sources): Promise<readonly Completion[]> {
  // `skydeck help vm stop` means the same place.
  const words = typed.length > 1 && typed[0] === 'help' ? typed.slice(1) : typed;
  const current = words.at(-1) ?? '';
  const place = await placeOf(words.slice(0, -1), sources);
  const [flag, value] = splitOption(current);
  if (value !== undefined) {
    const found = matching(await valuesOf(place, optionNamed(place, flag), sources, value), value);
    return found.map(each => (each === FILES ? each : {word: `${flag}=${each.word}`}));
  }
  if (place.pending !== undefined) {
    return matching(await valuesOf(place, place.pending, sources, current), current);
  }
  if (place.isClosed) return [];
  const found = current.startsWith('-') ? place.options.flatMap(optionWords) : await argumentsOf(place, sources);
  return matching(found, current);
}

/** The position of the next word: its command, the arguments so far, and the options. */
type WordPosition = {
  readonly command: TreeCommand | undefined;
  readonly options: readonly TreeOption[];
  readonly before: readonly string[];
  readonly given: GivenOptions;
  /** The option whose value comes next. */
  readonly pending: TreeOption | undefined;
  /** After `--`, where everything belongs to another program. */
  readonly isClosed: boolean;
};

async function placeOf(words: readonly string[], {load, commonOptions}: Sources): Promise<WordPosition> {
  const given = new Map<string, string>();
  const before: string[] = [];
  let command: TreeCommand | undefined;
  let pending: TreeOption | undefined;
  let isClosed = false;
  for (const word of words) {
    const options = command?.options ?? [...commonOptions, HELP_OPTION];
    const [flag, value] = splitOption(word);
    const option = pending === undefined ? optionNamed({options}, flag) : pending;
    if (pending !== undefined) {
      given.set(pending.names[0] ?? '', word);
      pending = undefined;
    } else if (word === '--') isClosed = true;
    else if (word.startsWith('-')) {
      if (option?.takesValue === true && value === undefined) pending = option;
      if (value !== undefined) given.set(flag, value);
    } else {
      const below = command === undefined ? await load(word) : command.commands.find(({name}) => name === word);
      if (below !== undefined && before.length === 0) command = below;
      else before.push(word);
    }
  }
  const options = command?.options ?? [...commonOptions, HELP_OPTION, VERSION_OPTION];
  return {command, options, before, given, pending, isClosed};
}

const VERSION_OPTION: TreeOption = {names: ['--version'], summary: 'the version', takesValue: false, choices: []};

/** `--output=js` as `--output` and `js`; anything else is one part. */
function splitOption(word: string): readonly [string, string?] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function optionNamed({options}: Pick<WordPosition, 'options'>, flag: string): TreeOption | undefined {
  return options.find(({names}) => names.includes(flag));
}

function optionWords({names, summary}: TreeOption): readonly Completion[] {
  return names.map(word => ({word, summary}));
}

/** The possible values of an option, according to its name. */
async function valuesOf(
  {before, given}: WordPosition,
  option: TreeOption | undefined,
  sources: Sources,
  current: string,
): Promise<readonly Completion[]> {
  if (option === undefined) return [];
  if (option.takesFile === true) return [FILES];
  if (option.choices.length > 0) return plain(option.choices);
  const name = option.names[0]?.slice(2) ?? '';
  if (name === 'sort' && current.includes(':')) return orders(columnsOf(before[0]));
  if (name === 'for') return plain(statesOf(before[0]));
  if (TAKES_COLUMNS.has(name)) return columnsOf(before[0]);
  return plain(await valuesCalled(name, given, sources));
}

const TAKES_COLUMNS: ReadonlySet<string> = new Set(['sort', 'columns', 'filter']);

function columnsOf(kind = ''): readonly Completion[] {
  return resourceNamed(kind)?.columns.map(({key, title}) => ({word: key, summary: title})) ?? [];
}

function orders(columns: readonly Completion[]): readonly Completion[] {
  return columns.flatMap(({word}) => [{word: `${word}:asc`}, {word: `${word}:desc`}]);
}

function statesOf(kind = ''): readonly string[] {
  return resourceNamed(kind)?.states?.map(state => `state=${state}`) ?? [];
}

/** Options and arguments that take one of a few words. */
const WORDS_OF: Readonly<Record<string, readonly string[]>> = {
  day: ['yesterday', 'today'],
  direction: DIRECTIONS,
  ethertype: ETHER_TYPES,
  mode: ['full', 'standard'],
};

/** Those whose values are the names of a kind that they are not called after. */
const KINDS_OF: Readonly<Record<string, readonly string[]>> = {
  object: ['vm', 'cluster', 'firewall', 'volume'],
  'kubernetes-version': ['versions'],
  'node-flavor': ['flavor'],
};

async function valuesCalled(name: string, given: GivenOptions, sources: Sources): Promise<readonly string[]> {
  if (name === 'profile') return sources.profiles();
  if (name === 'scenario') return sources.scenarios();
  const kinds = (KINDS_OF[name] ?? [name]).flatMap(kind => resourceNamed(kind)?.names[0] ?? []);
  const names = (await Promise.all(kinds.map(kind => sources.names(kind, given)))).flat();
  if (name === 'protocol' && names.length === 0) return DOCUMENTED_PROTOCOLS;
  return WORDS_OF[name] ?? [...new Set(names)];
}

/** The possible next argument: a command, or values according to the argument's name. */
async function argumentsOf({command, before, given}: WordPosition, sources: Sources): Promise<readonly Completion[]> {
  if (command === undefined) return before.length === 0 ? sources.commands : [];
  if (command.commands.length > 0) return command.commands.map(({name, summary}) => ({word: name, summary}));
  const last = command.arguments.at(-1);
  const {name = ''} = command.arguments[before.length] ?? (last?.isVariadic === true ? last : {});
  if (name === 'resource') return sources.resources;
  if (name.includes('|')) return plain(name.split('|'));
  if (name === 'preset') return plain(RULE_PRESETS.map(preset => preset.name));
  const found = await valuesCalled(name === 'id-or-name' ? (before[0] ?? '') : name, given, sources);
  return plain(found.filter(word => !before.includes(word)));
}

function plain(words: readonly string[]): readonly Completion[] {
  return words.map(word => ({word}));
}

/** Those that begin with what was typed; in a comma-separated list, with its last part. */
function matching(candidates: readonly Completion[], current: string): readonly Completion[] {
  const at = current.lastIndexOf(',') + 1;
  const [head, part] = [current.slice(0, at), current.slice(at)];
  return candidates
    .filter(each => each === FILES || (each.word.startsWith(part) && !head.split(',').includes(each.word)))
    .map(each => (each === FILES || head === '' ? each : {...each, word: `${head}${each.word}`}));
}

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

const HELP_OPTION: TreeOption = {names: ['--help', '-h'], summary: 'help', takesValue: false, choices: []};

/** The tree below a command, including what commander adds. */
export function closedTree(command: Command): TreeCommand {
  const options = command.options.map(({short, long, flags, description, required, argChoices}) => ({
    names: [long, short].filter(each => each !== undefined),
    summary: description,
    // An optional value follows its `=` in the same word.
    takesValue: required,
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
