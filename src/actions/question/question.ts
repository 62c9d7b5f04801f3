import {nameInWords, nameRemarks, type SafeText, say} from '../../domain/safe-text.ts';
import type {Line} from '../../ui/text.ts';
import type {Plan, PlanMode, PlanStep} from '../../state/operations/plan.ts';

/** A question before anything is sent: what will happen, what it costs, and what to type. */
export type Question = {
  readonly title: SafeText;
  readonly facts: readonly Fact[];
  /** The same in ever fewer lines: the first form that fits the terminal is shown. */
  readonly shorterFacts?: readonly (readonly Fact[])[];
  readonly answer: Confirmation;
  /** Another action on its own key, for example a cheaper one. */
  readonly alternatives: readonly {readonly key: string; readonly title: SafeText; readonly question: Question}[];
  /**
   * The actions in order, each with the state in which it was shown; the next begins when the previous one was
   * confirmed.
   */
  readonly steps: readonly [PlanStep, ...PlanStep[]];
  readonly purpose: Purpose;
};

/** What confirming does with the steps. They are sent exactly as the question has them, with what it showed of each. */
type Purpose =
  | {readonly kind: 'begin'; readonly mode: PlanMode}
  /** Undoes or redoes these operations, if they are still the next ones in the session's record of what was done. */
  | {
      readonly kind: 'reverse';
      readonly way: 'undo' | 'redo';
      readonly mode: PlanMode;
      readonly operationIds: readonly string[];
    }
  /** The steps are the rest of a batch, which then continues. */
  | {readonly kind: 'resume'; readonly plan: Plan};

export function modeOf({purpose}: Pick<Question, 'purpose'>): PlanMode {
  return purpose.kind === 'resume' ? purpose.plan.mode : purpose.mode;
}

/** One part of a question, under its label. */
export type Fact = {readonly kind: FactKind; readonly label: string; readonly lines: readonly Line[]};

const FACT_LABELS = {
  away: 'Service',
  changed: 'Changed',
  happens: 'What happens',
  unchanged: 'Stays unchanged',
  costs: 'What it costs',
  warnings: 'Warnings',
  now: 'Right now',
  calls: 'Calls',
  undo: 'Undo',
} as const;

export type FactKind = keyof typeof FACT_LABELS;

export function fact(kind: FactKind, lines: readonly Line[]): Fact {
  return {kind, label: FACT_LABELS[kind], lines};
}

/** The fact, unless there is nothing to say. */
export function factIfAny(kind: FactKind, lines: readonly Line[]): readonly Fact[] {
  return lines.length === 0 ? [] : [fact(kind, lines)];
}

/** What a careful reader would ask about: the warnings, then what is merely so, such as the stock. */
export function warningFacts(lines: readonly Line[]): readonly Fact[] {
  return [
    ...factIfAny('warnings', lines.filter(isLoud)),
    ...factIfAny(
      'now',
      lines.filter(line => !isLoud(line)),
    ),
  ];
}

/** What the question says of this kind; nothing if it has no such fact. */
export function linesOf({facts}: Pick<Question, 'facts'>, wanted: FactKind): readonly Line[] {
  return facts.flatMap(({kind, lines}) => (kind === wanted ? lines : []));
}

export function isLoud(line: Line): boolean {
  return line.some(({tone}) => tone === 'danger' || tone === 'warning');
}

/** The weight of the confirmation: one key for what can be undone, the full name for what cannot. */
export type Confirmation =
  | {readonly kind: 'key'}
  | {readonly kind: 'text'; readonly what: 'name' | 'id' | 'name and id' | 'words'; readonly expected: SafeText};

/** The full name is typed, with the id if it could be typed by mistake; the id alone if a keyboard cannot type it. */
export function typedAnswer(name: SafeText, id: number): Confirmation {
  if (!isTypable(name)) return typedId(id);
  return isUnmistakable(name)
    ? {kind: 'text', what: 'name', expected: name}
    : {kind: 'text', what: 'name and id', expected: say`${name} #${id}`};
}

/** A number of one or two digits is no deliberate answer. */
export function typedId(id: number): Confirmation {
  return id < 100
    ? {kind: 'text', what: 'words', expected: say`id ${id}`}
    : {kind: 'text', what: 'id', expected: say`${id}`};
}

/** A bucket has no id: `bucket y`, or fixed words if a keyboard cannot type the name. */
export function typedBucket(name: SafeText): Confirmation {
  if (!isTypable(name)) return {kind: 'text', what: 'words', expected: say`delete bucket`};
  return isUnmistakable(name)
    ? {kind: 'text', what: 'name', expected: name}
    : {kind: 'text', what: 'words', expected: say`bucket ${name}`};
}

/** What a person types without reading the question. */
const REFLEXES: ReadonlySet<string> = new Set(['yes', 'no']);
const MIN_NAME_LENGTH = 3;

/** What is typed for a thing without a name that can be typed, for a short one, for a bucket, or for many machines. */
const OF_OTHERS = /^\d+$| #\d+$|^bucket |^id \d+$|^[a-z]+(?:[ -][a-z]+)* \d+$/i;

/** Neither typed by reflex, nor what stands for another thing whose name is. */
function isUnmistakable(name: SafeText): boolean {
  const typed = name.trim().toLowerCase();
  return typed.length >= MIN_NAME_LENGTH && !REFLEXES.has(typed) && !OF_OTHERS.test(name);
}

/** Whether a keyboard can type the whole name. */
export function isTypable(name: SafeText): boolean {
  return /^[\x20-\x7e]+$/.test(name);
}

/** What is odd about a name, so that a question shows the id beside it. */
export function nameLines(name: SafeText): readonly Line[] {
  return nameRemarks(name).map(text => [{text, tone: 'warning'} as const]);
}

/** The description that something new gets, in the words of who creates it. */
export function descriptionLines({description}: {readonly description?: SafeText}): readonly Line[] {
  return description === undefined ? [] : [[{text: `Description: ${description}`}]];
}

/** A question has room for this many; the rest is counted. */
const MAX_NAMES = 4;
const MAX_CELLS = 60;

/** For example `gpu-1, gpu-2 and 7 more`: as many names as fit a line or two, at least one. */
export function someNames(named: readonly {readonly name: SafeText}[], maxCells = MAX_CELLS): string {
  const shown: string[] = [];
  let cells = 0;
  for (const {name} of named.slice(0, MAX_NAMES)) {
    const words = nameInWords(name);
    cells += words.length + 2;
    if (shown.length > 0 && cells > maxCells) break;
    shown.push(words);
  }
  const more = named.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}
