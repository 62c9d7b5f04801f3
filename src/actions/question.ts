import {type SafeText, say} from '../domain/safe-text.ts';
import type {Plan, PlanMode, PlanStep} from '../state/plan.ts';
import type {Line} from '../ui/text.ts';

/** What is asked before anything is sent: what will happen, what it costs, and what has to be typed. */
export type Question = {
  readonly title: SafeText;
  readonly facts: readonly Fact[];
  /** The same in fewer and fewer lines: the first that the terminal has room for stands in place of the whole. */
  readonly shorterFacts?: readonly (readonly Fact[])[];
  readonly answer: Confirmation;
  /** Another action on its own key, for example the cheaper one. */
  readonly alternatives: readonly {readonly key: string; readonly title: SafeText; readonly question: Question}[];
  /** The actions in their order, each with the state in which it was shown; the next begins when the one before is confirmed. */
  readonly steps: readonly [PlanStep, ...PlanStep[]];
  /** `batch`: the same done to many, with a list of what became of each; `chain` where absent. */
  readonly mode?: PlanMode;
  /** The question takes something back, or does it again, by the session's own memory of what was done. */
  readonly reverses?: 'undo' | 'redo';
  /** The question is about what is left of a batch, which then goes on. */
  readonly resumes?: Plan;
};

export type Fact = {readonly label: string; readonly lines: readonly Line[]};

const WARNINGS = 'Warnings';

/** What a careful reader would ask about; one warning among it marks the whole. Absent where there is nothing to say. */
export function warningFacts(lines: readonly Line[]): readonly Fact[] {
  return lines.length === 0 ? [] : [{label: lines.some(isLoud) ? WARNINGS : 'Right now', lines}];
}

/** The warnings alone, for where nothing is asked: without a confirmation, and in a dry run. */
export function warningsIn({facts}: Pick<Question, 'facts'>): readonly Line[] {
  return facts.flatMap(({label, lines}) => (label === WARNINGS ? lines.filter(isLoud) : []));
}

export function isLoud(line: Line): boolean {
  return line.some(({tone}) => tone === 'danger' || tone === 'warning');
}

/** The weight of the confirmation: one key for what can be undone, the full name for what cannot. */
export type Confirmation =
  | {readonly kind: 'key'}
  | {readonly kind: 'text'; readonly what: 'name' | 'id' | 'words'; readonly expected: SafeText};

/** The full name is typed, or the id where a keyboard has no keys for the name, or there is none. */
export function typedAnswer(name: SafeText, id: number): Confirmation {
  return isTypable(name)
    ? {kind: 'text', what: 'name', expected: name}
    : {kind: 'text', what: 'id', expected: say`${id}`};
}

/** Whether a keyboard has keys for all of the name. */
export function isTypable(name: SafeText): boolean {
  return /^[\x20-\x7e]+$/.test(name);
}
