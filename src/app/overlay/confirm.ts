import {type DurationMs, type MonotonicMs, monotonicMs, SECOND_MS} from '../../domain/time.ts';
import {KEYS} from '../../actions/keys.ts';
import {PASTED_WITHIN_MS} from '../../terminal/input.ts';
import type {OpenQuestion} from './overlay.ts';

/** A dialog accepts no answer before a person could have seen it. */
const ARMING_DELAY_MS: DurationMs = 400;
/** Shown instead of the confirm key until then. */
export const NOT_ARMED = 'keys are accepted in a moment …';
/** A key this close to the previous one was typed ahead or repeated, and not meant as an answer. */
const SETTLE_MS: DurationMs = 150;
/** A key that is held repeats after up to this long. */
const REPEAT_DELAY_MS: DurationMs = 1 * SECOND_MS;
/**
 * Money and risk in a question are as old as the question, and a terminal that no longer updates looks like one that
 * does: after this time the question must be asked again.
 */
export const ANSWER_LIMIT_MS: DurationMs = 60 * SECOND_MS;
/** The remaining time is shown from here on. */
const COUNTDOWN_MS: DurationMs = 15 * SECOND_MS;

/** What one chunk of input means to an open question. */
export type ConfirmKey = {
  readonly key: string;
  readonly at: MonotonicMs;
  /** Alone in its chunk: keys that arrived together, or as a paste, never confirm. */
  readonly isAlone: boolean;
  /** The whole question is on screen, or was, page by page; otherwise it cannot be confirmed. */
  readonly isWhollyRead: boolean;
};

export function isArmed(open: Pick<OpenQuestion, 'shownAt'>, now: MonotonicMs): boolean {
  return now - open.shownAt >= ARMING_DELAY_MS;
}

/**
 * What an answer that came too early makes of a question: the key may be held down, and its repetitions are no answer
 * either.
 */
export function answeredEarly<Open extends Pick<OpenQuestion, 'shownAt'>>(open: Open, at: MonotonicMs): Open {
  return {...open, shownAt: monotonicMs(at + REPEAT_DELAY_MS - ARMING_DELAY_MS)};
}

type Unanswered = Pick<OpenQuestion, 'shownAt'> & Partial<Pick<OpenQuestion, 'lastKeyAt'>>;

export function isExpired(open: Unanswered, now: MonotonicMs): boolean {
  return leftMs(open, now) <= 0;
}

/** Whole seconds until it closes without an answer, once few are left. */
export function closingSeconds(open: Unanswered, now: MonotonicMs): number | undefined {
  const left = leftMs(open, now);
  return left > COUNTDOWN_MS ? undefined : Math.max(0, Math.ceil(left / SECOND_MS));
}

/** The top of a question: how to cancel, and near its end how long it stays open. */
export function wayOut(open: Unanswered, now: MonotonicMs, usual: string): string {
  const seconds = closingSeconds(open, now);
  return seconds === undefined ? usual : `closes in ${seconds} s`;
}

function leftMs({shownAt, lastKeyAt = shownAt}: Unanswered, now: MonotonicMs): DurationMs {
  return Math.max(shownAt, lastKeyAt) + ANSWER_LIMIT_MS - now;
}

/** A single `y`, alone and after the dialog could be read, for questions that need only yes or no. */
export function isPlainYes(
  {shownAt}: Pick<OpenQuestion, 'shownAt'>,
  {key, at, isAlone}: Pick<ConfirmKey, 'key' | 'at' | 'isAlone'>,
): boolean {
  return key === KEYS.confirm && isAlone && isArmed({shownAt}, at) && !isExpired({shownAt}, at);
}

/** Whether this key completes a deliberate yes. Everything else is a no, or nothing. */
export function isConfirmation(open: OpenQuestion, pressed: ConfirmKey): boolean {
  if (!pressed.isAlone || !pressed.isWhollyRead || !isArmed(open, pressed.at)) return false;
  if (isExpired(open, pressed.at) || open.outdated?.isOver === true || open.isAway === true) return false;
  const {answer} = open.question;
  const sinceKeyMs = open.lastKeyAt === undefined ? Number.POSITIVE_INFINITY : pressed.at - open.lastKeyAt;
  // A typed name is deliberate by itself; a single letter needs a pause before it.
  if (answer.kind === 'key') return pressed.key === KEYS.confirm && sinceKeyMs >= SETTLE_MS;
  return (
    pressed.key === 'enter' &&
    sinceKeyMs >= PASTED_WITHIN_MS &&
    answer.expected !== '' &&
    open.input.text === answer.expected
  );
}
