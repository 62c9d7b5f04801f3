import type {Outdated} from '../actions/ask.ts';
import type {Form} from '../actions/form.ts';
import type {Question} from '../actions/question.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {MonotonicMs} from '../domain/time.ts';
import type {Plan} from '../state/plan.ts';
import type {FormState} from '../ui/form.ts';
import type {Picker} from '../ui/picker.ts';
import {emptyInput, type TextInput} from '../ui/text-input.ts';
import type {GpuWatch} from './gpu-watch.ts';
import type {OneTimeSecret} from './one-time-secret.ts';

/** What lies above the pane and takes the keys. */
export type Overlay =
  | {readonly kind: 'help'; readonly input: TextInput; readonly offset: number}
  | {readonly kind: 'palette'; readonly input: TextInput; readonly cursorIndex: number}
  /** Escape puts the pane back as it was, cursor and all. */
  | {readonly kind: 'filter'; readonly input: TextInput; readonly restore: () => void}
  /** The same in a detail that fills the pane: the search begins anew with each key from where it was begun. */
  | {readonly kind: 'search'; readonly input: TextInput; readonly restore: () => void}
  /** Its letters act at once; enter does what the line under the cursor says. */
  | {readonly kind: 'menu'; readonly menuId: string; readonly cursorIndex: number}
  | OpenForm
  /** Leaving while something is under way; like the two below it takes a `y` only after it could have been read. */
  | {readonly kind: 'leave'; readonly shownAt: MonotonicMs}
  /** Another program that takes the terminal: what will run. */
  | {
      readonly kind: 'ssh';
      readonly name: SafeText;
      readonly words: readonly string[];
      readonly shows: 'terminal' | 'gpus';
      readonly warnings: readonly SafeText[];
      readonly shownAt: MonotonicMs;
    }
  /** What a machine tells of its GPUs, for as long as it is open. */
  | {readonly kind: 'gpus'; readonly watch: GpuWatch}
  /** Allowing writes in a read-only session. */
  | {readonly kind: 'unlock'; readonly shownAt: MonotonicMs}
  /** What a yes would have sent, in a dry run. */
  | {readonly kind: 'calls'; readonly steps: Question['steps']}
  /** Many actions on their way, one after the other. */
  | {readonly kind: 'plan'; readonly plan: Plan; readonly title: SafeText}
  | OpenSecret
  | OpenQuestion;

/** What an operation's answer has brought, shown until it is closed and then known no more. */
export type OpenSecret = {
  readonly kind: 'secret';
  readonly secret: OneTimeSecret;
  readonly openedAt: MonotonicMs;
  /** Lines of a log below the first one in sight; the newest are in sight first. */
  readonly offset: number;
  readonly isCopied: boolean;
  /** What is lost by closing was said, so the next escape closes. */
  readonly isWarned: boolean;
};

export type OpenForm = {
  readonly kind: 'form';
  readonly form: Form;
  readonly state: FormState;
  /** The choices of the present field as a list, where that is open. */
  readonly picker?: Picker | undefined;
};

export type OpenQuestion = {
  readonly kind: 'question';
  readonly question: Question;
  /** The form that it was asked from, as it was filled in. */
  readonly form?: OpenForm;
  readonly shownAt: MonotonicMs;
  readonly input: TextInput;
  readonly reading: Reading;
  /** The last key of any kind: a `y` right behind another key was not meant as an answer. */
  readonly lastKeyAt: MonotonicMs | undefined;
  /** What somebody else has changed since it was put. */
  readonly outdated?: Outdated | undefined;
};

/** The page in sight, and how many from the first were: a question that is longer than the terminal has several. */
export type Reading = {readonly pageIndex: number; readonly seenPages: number};

export const READING_START: Reading = {pageIndex: 0, seenPages: 1};

/** A question as it is first put: nothing typed, and not armed yet. */
export function openQuestion(question: Question, shownAt: MonotonicMs): OpenQuestion {
  return {kind: 'question', question, shownAt, input: emptyInput, reading: READING_START, lastKeyAt: undefined};
}
