import {KEYS} from '../../actions/keys.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {type DurationMs, type MonotonicMs, monotonicMs, SECOND_MS} from '../../domain/time.ts';
import {PASTED_WITHIN_MS, type TerminalInput} from '../../terminal/input.ts';
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

/** How the chunk arrived that a key was in: keys that arrived together, or as a paste, never confirm. */
export type Arrival = Pick<Extract<TerminalInput, {kind: 'keys'}>, 'isAlone' | 'aloneInMs'>;

export type PressedKey = Arrival & {readonly key: string; readonly at: MonotonicMs};

/** What one key means to an open question. */
export type ConfirmKey = PressedKey & {
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

/** The key that answers yes: for a text, after it was typed. */
export function answerKey({question}: Pick<OpenQuestion, 'question'>): string {
  return question.answer.kind === 'key' ? KEYS.confirm : KEYS.open;
}

/** A single `y`, alone and after the dialog could be read, for questions that need only yes or no. */
export function isPlainYes(open: Unanswered, pressed: PressedKey): boolean {
  return pressed.key === KEYS.confirm && whyNotTaken(open, pressed) === undefined;
}

/** Whether this key completes a deliberate yes. Everything else is a no, or nothing. */
export function isConfirmation(open: OpenQuestion, pressed: ConfirmKey): boolean {
  return pressed.key === answerKey(open) && whyNotConfirmed(open, pressed) === undefined;
}

/** Why the key that answers a question does not answer it now, and what to do; undefined if it does. */
export function whyNotConfirmed(open: OpenQuestion, pressed: ConfirmKey): SafeText | undefined {
  const {answer} = open.question;
  if (open.outdated?.isOver === true) return say`the question no longer applies; ${KEYS.back} closes it`;
  if (open.isAway === true) return say`nothing could be sent until now; ${again(pressed)}`;
  if (!pressed.isWhollyRead) return say`down shows the rest of the question`;
  // A typed name is deliberate by itself; a single letter needs a pause before it.
  if (answer.kind === 'key') return whyNotTaken(open, pressed, SETTLE_MS);
  const isTyped = answer.expected !== '' && open.input.text === answer.expected;
  if (isTyped) return whyNotTaken(open, pressed, PASTED_WITHIN_MS);
  if (!isArmed(open, pressed.at)) return say`${cameEarly(pressed)}; type ${answer.expected}`;
  if (open.input.text === '') return say`type ${answer.expected} first`;
  return say`${safeText(open.input.text)} is not ${answer.expected}; type it again`;
}

/**
 * For the person who answered, or typed, while a question takes no keys yet: after it opened, changed or was resized.
 * Still true once it takes them.
 */
export function cameEarly({key}: Pick<PressedKey, 'key'>): SafeText {
  return say`${safeText(key)} came before the question could be read`;
}

/** Why an answer is not taken at this moment, in this way, and what to do; undefined if it is. */
export function whyNotTaken(open: Unanswered, pressed: PressedKey, settleMs: DurationMs = 0): SafeText | undefined {
  const {key, at, isAlone, aloneInMs} = pressed;
  if (isExpired(open, at)) return say`the question was open for too long; ask again`;
  if (!isArmed(open, at)) return say`${cameEarly(pressed)}; ${again(pressed)}`;
  if (!isAlone && aloneInMs !== undefined) {
    return say`other input came just before ${safeText(key)}; ${again(pressed)} in ${Math.ceil(aloneInMs / SECOND_MS)} s`;
  }
  const sinceKeyMs = open.lastKeyAt === undefined ? Number.POSITIVE_INFINITY : at - open.lastKeyAt;
  if (!isAlone) return say`${safeText(key)} came together with other keys; press it again`;
  return sinceKeyMs < settleMs ? say`${safeText(key)} came right after another key; press it again` : undefined;
}

function again({key}: PressedKey): SafeText {
  return say`press ${safeText(key)} again`;
}
