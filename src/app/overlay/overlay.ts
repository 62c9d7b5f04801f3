import {KEYS} from '../../actions/keys.ts';
import type {Outdated} from '../../actions/question/question-for.ts';
import type {Form} from '../../actions/forms/form.ts';
import type {Question} from '../../actions/question/question.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {MonotonicMs} from '../../domain/time.ts';
import type {CommandResult} from '../../panes/command.ts';
import type {Plan} from '../../state/operations/plan.ts';
import type {FormState} from '../../ui/form.ts';
import type {Picker} from '../../ui/picker.ts';
import {emptyInput, type TextInput} from '../../ui/text-input.ts';
import type {Tone} from '../../ui/theme.ts';
import type {GpuWatch} from './gpu-watch.ts';
import type {OneTimeSecret} from './one-time-secret.ts';

/** What lies above the pane and takes the keys. */
export type Overlay =
  | {readonly kind: 'help'; readonly input: TextInput; readonly offset: number}
  | {readonly kind: 'palette'; readonly input: TextInput; readonly cursorIndex: number}
  /** Escape restores the pane as it was, including the cursor. */
  | {readonly kind: 'filter'; readonly input: TextInput; readonly restore: () => void}
  /** The same in a detail that fills the pane: each key restarts the search from where it began. */
  | {readonly kind: 'search'; readonly input: TextInput; readonly restore: () => void}
  /** Its letters act at once; enter runs the line under the cursor. */
  | {readonly kind: 'menu'; readonly menuId: string; readonly cursorIndex: number}
  | OpenForm
  /** Quitting while something is under way; like the next two, it accepts `y` only after it could have been read. */
  | {readonly kind: 'leave'; readonly shownAt: MonotonicMs}
  /** Another program that takes the terminal: what will run. */
  | (Extract<CommandResult, {kind: 'ssh'}> & {readonly shownAt: MonotonicMs})
  /** The GPUs of a machine as reported on it, while the box is open. */
  | {readonly kind: 'gpus'; readonly watch: GpuWatch}
  /** Allowing writes in a read-only session. */
  | {readonly kind: 'unlock'; readonly shownAt: MonotonicMs}
  /** In a dry run: what a yes would have sent. */
  | {readonly kind: 'calls'; readonly steps: Question['steps']}
  /** The progress of a batch. */
  | {readonly kind: 'plan'; readonly plan: Plan; readonly title: SafeText}
  | OpenSecret
  | OpenQuestion;

/** Overlays that ask for an answer. */
export type AskingOverlay = Extract<Overlay, {readonly shownAt: MonotonicMs}>;

/** What was not done because what asked was not answered with yes. */
export function notDoneWords(overlay: AskingOverlay): SafeText {
  return overlay.kind === 'question' ? say`${overlay.question.title}: not sent` : NOT_DONE[overlay.kind];
}

/** What an overlay asks, in a few words. */
export function askedWords(overlay: AskingOverlay): SafeText {
  return overlay.kind === 'question' ? overlay.question.title : ASKED[overlay.kind];
}

const ASKED: Readonly<Record<Exclude<AskingOverlay['kind'], 'question'>, SafeText>> = {
  ssh: say`run ssh`,
  unlock: say`allow writes`,
  leave: say`quit`,
};

const NOT_DONE: Readonly<Record<Exclude<AskingOverlay['kind'], 'question'>, SafeText>> = {
  ssh: say`ssh was not started`,
  unlock: say`still read-only`,
  leave: say`skydeck stays open`,
};

/** The keys of boxes whose keys are always the same, as the box and the key line name them. */
export const BOX_KEYS = {
  unlock: [
    {key: KEYS.confirm, label: 'allow writes'},
    {key: KEYS.back, label: 'stay read-only'},
  ],
  leave: [
    {key: KEYS.confirm, label: 'quit'},
    {key: KEYS.back, label: 'stay'},
  ],
  ssh: [
    {key: KEYS.confirm, label: 'run'},
    {key: KEYS.copy, label: 'copy'},
    {key: KEYS.back, label: 'no'},
  ],
  calls: [
    {key: KEYS.copy, label: 'copy as commands'},
    {key: KEYS.copyCurl, label: 'copy as curl, without the key'},
    {key: say`${KEYS.back}, ${KEYS.quit}, ${KEYS.open}`, label: 'close'},
  ],
  help: [
    {key: 'type', label: 'search'},
    {key: 'up down', label: 'scroll'},
    {key: KEYS.back, label: 'close'},
  ],
  palette: [
    {key: 'type', label: 'search'},
    {key: 'up down', label: 'choose'},
    {key: KEYS.open, label: 'run'},
    {key: KEYS.back, label: 'close'},
  ],
  menu: [
    {key: say`key, ${KEYS.open}`, label: 'choose'},
    {key: 'up down', label: 'move'},
    {key: KEYS.back, label: 'close'},
  ],
  picker: [
    {key: 'type', label: 'filter'},
    {key: 'up down', label: 'move'},
    {key: KEYS.open, label: 'choose', tone: 'strong'},
    {key: KEYS.back, label: 'back'},
  ],
  gpus: [{key: KEYS.back, label: 'close'}],
  log: [
    {key: 'up down', label: 'scroll'},
    {key: KEYS.back, label: 'close'},
  ],
} as const satisfies Readonly<Record<string, readonly BoxKey[]>>;

export type BoxKey = {readonly key: string; readonly label: string; readonly tone?: Tone};

/** A secret from an operation's answer, shown until it is closed and then forgotten. */
export type OpenSecret = {
  readonly kind: 'secret';
  readonly secret: OneTimeSecret;
  readonly openedAt: MonotonicMs;
  /** How many lines of a log are below the visible part, the newest being shown first; of a secret, how many are above. */
  readonly offset: number;
  readonly isCopied: boolean;
  /** The person was told what closing loses, so the next escape closes. */
  readonly isWarned: boolean;
};

export type OpenForm = {
  readonly kind: 'form';
  readonly form: Form;
  readonly state: FormState;
  /** The choices of the current field as a list, if that is open. */
  readonly picker?: Picker | undefined;
};

export type OpenQuestion = {
  readonly kind: 'question';
  readonly question: Question;
  /** The form it was asked from, as it was filled in. */
  readonly form?: OpenForm;
  readonly shownAt: MonotonicMs;
  readonly input: TextInput;
  readonly reading: PagesSeen;
  /** The last key of any kind: a `y` right after another key was not meant as an answer. */
  readonly lastKeyAt: MonotonicMs | undefined;
  /** What somebody else has changed since it was asked. */
  readonly outdated?: Outdated | undefined;
  /** The service does not answer, so nothing can be sent, and what the question says may have changed. */
  readonly isAway?: boolean;
};

/** The visible page, and how many from the first have been visible: a question longer than the terminal has several. */
export type PagesSeen = {readonly pageIndex: number; readonly seenPages: number};

export const READING_START: PagesSeen = {pageIndex: 0, seenPages: 1};

/** A question as first asked: nothing typed, and not armed yet. */
export function openQuestion(question: Question, shownAt: MonotonicMs): OpenQuestion {
  return {kind: 'question', question, shownAt, input: emptyInput, reading: READING_START, lastKeyAt: undefined};
}
