import {describeOperation, knownOutcome} from '../domain/describe-operation.ts';
import {isEnded, type Operation} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Tone} from '../ui/theme.ts';

export type Notification = {
  readonly text: SafeText;
  readonly tone: Tone;
  readonly shownAt: MonotonicMs;
  /** The operation it is about: the message adds whether that can be undone. */
  readonly operationId?: string;
  /** Of the outcome of an operation: a bad one is hidden only for a moment until it was read. */
  readonly badness?: number;
  /** Must be readable in full, such as a path: it continues on the line below if needed. */
  readonly isWhole?: boolean;
  /** Why nothing was done, or what was done in a box: out of date once another row is chosen or something else opens. */
  readonly isRefusal?: boolean;
};

const SHOWN_MS: DurationMs = 12 * SECOND_MS;
/** Over the bad outcome of an operation that nobody has read yet, other messages are shorter. */
const SHOWN_OVER_OUTCOME_MS: DurationMs = 4 * SECOND_MS;
/** A key pressed later than this was pressed by a person who has read the message. */
const READ_MS: DurationMs = 2 * SECOND_MS;

/**
 * Owns the last message, and how long it stays. The bad outcome of an operation stays until a key is pressed; a message
 * that hides it is followed by it again.
 */
export class Notifications {
  readonly #clock: Pick<Clock, 'monotonicNow'>;
  readonly #isAsked: () => boolean;
  #latest: Notification | undefined;
  /** The worst outcome that nobody has read yet: the latest message, or hidden by it. */
  #unread: Notification | undefined;

  /** While a question is open, `isAsked`: the outcome of another operation would be taken for its own. */
  constructor(clock: Pick<Clock, 'monotonicNow'>, isAsked: () => boolean) {
    this.#clock = clock;
    this.#isAsked = isAsked;
  }

  get latest(): Notification | undefined {
    return this.#latest;
  }

  tell(text: SafeText, tone: Tone = 'text'): void {
    this.#latest = {text, tone, shownAt: this.#clock.monotonicNow()};
  }

  tellWhole(text: SafeText): void {
    this.#latest = {text, tone: 'text', shownAt: this.#clock.monotonicNow(), isWhole: true};
  }

  refuse(text: SafeText, tone: Tone): void {
    this.#latest = {text, tone, shownAt: this.#clock.monotonicNow(), isRefusal: true};
  }

  tellOf(operation: Operation): void {
    const told = {
      ...describeOperation(operation),
      shownAt: this.#clock.monotonicNow(),
      operationId: operation.id,
      badness: badnessOf(operation),
    };
    this.#latest = told;
    if (this.#unread?.operationId === operation.id) this.#unread = undefined;
    if (told.badness > 0 && told.badness >= (this.#unread?.badness ?? 0)) this.#unread = told;
  }

  /** A key was pressed by a person who sees the messages. */
  read(): void {
    const now = this.#clock.monotonicNow();
    if (this.#latest === undefined || this.#latest !== this.#unread || now - this.#latest.shownAt < READ_MS) return;
    this.#latest = {...this.#latest, shownAt: now};
    this.#unread = undefined;
  }

  /** A message about one screen is dropped on another one; the outcome of an operation stays. */
  leaveScreen(): void {
    if (this.#latest?.operationId === undefined) this.#drop();
  }

  /** The next key was pressed in a box: a warning about an earlier one, such as a wrong answer, is out of date. */
  forgetWarning(warning: Notification | undefined): void {
    if (this.#latest === warning && warning?.tone === 'warning' && warning.operationId === undefined) this.#drop();
  }

  /** The next operation is prepared: the outcome of the last one would be taken for its own. */
  beginQuestion(): void {
    this.#latest = undefined;
  }

  /** The cursor has moved, or something has opened. */
  forgetRefusal(): void {
    if (this.#latest?.isRefusal === true) this.#drop();
  }

  /** Something opened over the screen that was saved, and needs its keys. */
  forgetWhole(): void {
    if (this.#latest?.isWhole === true) this.#drop();
  }

  expire(now: MonotonicMs): void {
    const shownMs = this.#unread === undefined ? SHOWN_MS : SHOWN_OVER_OUTCOME_MS;
    const isOver = this.#latest !== this.#unread && now - (this.#latest?.shownAt ?? 0) > shownMs;
    if (this.#latest === undefined || isOver) this.#drop();
  }

  /** The unread outcome behind it, if any, is shown from now on. */
  #drop(): void {
    this.#latest = undefined;
    if (this.#unread === undefined || this.#isAsked()) return;
    this.#unread = {...this.#unread, shownAt: this.#clock.monotonicNow()};
    this.#latest = this.#unread;
  }
}

/** 2 if it failed or its outcome is unknown, 1 if it needs attention, 0 if not. */
function badnessOf(operation: Operation): number {
  const {phase} = knownOutcome(operation);
  const {tone} = describeOperation(operation);
  if (tone === 'danger' || phase === 'unknown') return 2;
  return tone === 'warning' && isEnded(phase) ? 1 : 0;
}
