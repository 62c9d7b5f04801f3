import {describeOperation} from '../domain/describe-operation.ts';
import type {Operation} from '../domain/operation.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Tone} from '../ui/theme.ts';

export type Notification = {
  readonly text: SafeText;
  readonly tone: Tone;
  readonly shownAt: MonotonicMs;
  /** The operation it is about: the message adds whether that can be undone. */
  readonly operationId?: string;
  /** Must be readable in full, such as a path: it continues on the line below if needed. */
  readonly isWhole?: boolean;
  /** Says why nothing was done, which is out of date once another row is chosen or something else opens. */
  readonly isRefusal?: boolean;
};

const SHOWN_MS: DurationMs = 12 * SECOND_MS;

/** Owns the last message, and how long it stays. */
export class Notifications {
  readonly #clock: Pick<Clock, 'monotonicNow'>;
  #latest: Notification | undefined;

  constructor(clock: Pick<Clock, 'monotonicNow'>) {
    this.#clock = clock;
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
    this.#latest = {
      ...describeOperation(operation),
      shownAt: this.#clock.monotonicNow(),
      operationId: operation.id,
    };
  }

  /** A message about one screen is dropped on another one; the outcome of an operation stays. */
  leaveScreen(): void {
    if (this.#latest?.operationId === undefined) this.#latest = undefined;
  }

  /** The next key was pressed in a box: a warning about an earlier one, such as a wrong answer, is out of date. */
  forgetWarning(warning: Notification | undefined): void {
    if (this.#latest === warning && warning?.tone === 'warning' && warning.operationId === undefined)
      this.#latest = undefined;
  }

  /** The next operation is prepared: the outcome of the last one would be taken for its own. */
  beginQuestion(): void {
    this.#latest = undefined;
  }

  /** The cursor has moved, or something has opened. */
  forgetRefusal(): void {
    if (this.#latest?.isRefusal === true) this.#latest = undefined;
  }

  /** Something opened over the screen that was saved, and needs its keys. */
  forgetWhole(): void {
    if (this.#latest?.isWhole === true) this.#latest = undefined;
  }

  expire(now: MonotonicMs): void {
    if (this.#latest !== undefined && now - this.#latest.shownAt > SHOWN_MS) this.#latest = undefined;
  }
}
