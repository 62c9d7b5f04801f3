import {type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {KEYS} from '../actions/keys.ts';
import type {OpenQuestion} from './overlay.ts';

/** A dialog takes no answer before a person could have seen it. */
const ARMING_DELAY_MS: DurationMs = 400;
/** What stands in place of the key for a yes until then. */
export const NOT_ARMED = 'keys are accepted in a moment …';
/** A key this close behind another was typed ahead or repeated, not meant as an answer. */
const SETTLE_MS: DurationMs = 150;
/**
 * What a question says of money and risk is as old as the question, and a terminal that shows nothing new cannot be told
 * from one that is read: after this it has to be asked again.
 */
export const ANSWER_LIMIT_MS: DurationMs = 60 * SECOND_MS;
/** The time left is shown from here on. */
const COUNTDOWN_MS: DurationMs = 15 * SECOND_MS;

/** What one chunk of input means to an open question. */
export type ConfirmKey = {
  readonly key: string;
  readonly at: MonotonicMs;
  /** Alone in its chunk: keys that came together, or as a paste, never confirm. */
  readonly isAlone: boolean;
  /** All of the question is on the screen, or was, page by page; otherwise it cannot be confirmed. */
  readonly isWhollyRead: boolean;
};

export function isArmed(open: Pick<OpenQuestion, 'shownAt'>, now: MonotonicMs): boolean {
  return now - open.shownAt >= ARMING_DELAY_MS;
}

type Unanswered = Pick<OpenQuestion, 'shownAt'> & Partial<Pick<OpenQuestion, 'lastKeyAt'>>;

export function isExpired(open: Unanswered, now: MonotonicMs): boolean {
  return leftMs(open, now) <= 0;
}

/** Whole seconds until it closes without an answer, as soon as few are left. */
export function closingSeconds(open: Unanswered, now: MonotonicMs): number | undefined {
  const left = leftMs(open, now);
  return left > COUNTDOWN_MS ? undefined : Math.max(0, Math.ceil(left / SECOND_MS));
}

/** What stands at the top of a question: how to get out of it, and near its end how long it is still open. */
export function wayOut(open: Unanswered, now: MonotonicMs, usual: string): string {
  const seconds = closingSeconds(open, now);
  return seconds === undefined ? usual : `closes in ${seconds} s`;
}

function leftMs({shownAt, lastKeyAt = shownAt}: Unanswered, now: MonotonicMs): DurationMs {
  return Math.max(shownAt, lastKeyAt) + ANSWER_LIMIT_MS - now;
}

/** A single `y`, alone and after the dialog could be read, where there is nothing to weigh but yes or no. */
export function isPlainYes(
  {shownAt}: Pick<OpenQuestion, 'shownAt'>,
  {key, at, isAlone}: Pick<ConfirmKey, 'key' | 'at' | 'isAlone'>,
): boolean {
  return key === KEYS.confirm && isAlone && isArmed({shownAt}, at) && !isExpired({shownAt}, at);
}

/** Whether this key is the complete, deliberate yes. Everything else is a no, or nothing. */
export function isConfirmation(open: OpenQuestion, pressed: ConfirmKey): boolean {
  if (!pressed.isAlone || !pressed.isWhollyRead || !isArmed(open, pressed.at)) return false;
  if (isExpired(open, pressed.at) || open.outdated?.isOver === true) return false;
  const {answer} = open.question;
  const isHasty = open.lastKeyAt !== undefined && pressed.at - open.lastKeyAt < SETTLE_MS;
  // A typed name is deliberate by itself; a single letter needs a pause before it.
  if (answer.kind === 'key') return pressed.key === KEYS.confirm && !isHasty;
  return pressed.key === 'enter' && answer.expected !== '' && open.input.text === answer.expected;
}
