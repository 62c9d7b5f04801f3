import {KEYS} from '../../actions/keys.ts';
import {awayReason} from '../../actions/question/assessment-input.ts';
import {outdatedBy} from '../../actions/question/question-for.ts';
import type {AssessmentInput} from '../../actions/question/assessment-input.ts';
import type {Operation} from '../../domain/operation.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import {type Clock, type DurationMs, type MonotonicMs, monotonicMs, SECOND_MS} from '../../domain/time.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import type {Store} from '../../state/store.ts';
import {currentField, formValues, adjustedForm} from '../../ui/form.ts';
import {ANSWER_LIMIT_MS, isExpired} from './confirm.ts';
import {type OneTimeSecret, OneTimeSecrets, secretWants} from './one-time-secret.ts';
import {notDoneWords, type OpenForm, type OpenQuestion, type Overlay, READING_START} from './overlay.ts';

/** A clock that jumped this far means a stopped terminal or a closed lid: an open question is no longer valid. */
const STALL_MS: DurationMs = 5 * SECOND_MS;
/** How often to look, while a question is open, whether the program stood still. */
export const WATCH_INTERVAL_MS: DurationMs = 200;
/**
 * After standing still this long, a question is to be read again before it is answered: the terminal may have taken no
 * output meanwhile, and a key that waits may have been pressed before the question was in sight.
 */
const UNSEEN_MS: DurationMs = 700;
/** After a pause this long, what is typed next was not meant for the question that is gone. */
const TYPING_PAUSE_MS: DurationMs = 2 * SECOND_MS;
/** Keys typed this long after a question expired are no late answer to it: the person could see that it had closed. */
const LATE_ANSWER_MS: DurationMs = 60 * SECOND_MS;
/** The same after a suspension: whoever comes back from a shell looks at the screen before they type. */
const LATE_RETURN_MS: DurationMs = 5 * SECOND_MS;

/** Keys may still be typed for a question that is gone; since when, and until when they may begin, if known. */
export type Typing = {readonly lastKeyAt?: MonotonicMs; readonly beginsUntil?: MonotonicMs};

/**
 * Owns the overlay above the pane: what opens by itself, what is withdrawn without an answer, and what is cleaned up
 * when it closes.
 */
export class OpenOverlay {
  readonly #clock: Pick<Clock, 'monotonicNow'>;
  readonly #forget: (secret: OneTimeSecret) => void;
  readonly #secrets = new OneTimeSecrets();
  #overlay: Overlay | undefined;
  #tickedAt: MonotonicMs;
  /**
   * A question was withdrawn, and keys typed for it may still arrive. This ends after a pause, counted from the last
   * key that was dropped or that closed it; before any such key the pause has not begun.
   */
  #typing: Typing | undefined;
  /** What the last suspension withdrew. */
  #suspended: SafeText | undefined;

  /** `forget` removes what was shown once from every place that kept it. */
  constructor(clock: Pick<Clock, 'monotonicNow'>, forget: (secret: OneTimeSecret) => void) {
    this.#clock = clock;
    this.#forget = forget;
    this.#tickedAt = clock.monotonicNow();
  }

  get present(): Overlay | undefined {
    return this.#overlay;
  }

  replace(next: Overlay | undefined): void {
    const before = this.#overlay;
    if (before?.kind === 'gpus') before.watch.stop();
    this.#overlay = next;
    if (next !== undefined) this.#typing = undefined;
    if (isNewlyAsked(before, next)) this.#tickedAt = this.#clock.monotonicNow();
    if (before?.kind !== 'secret' || (next?.kind === 'secret' && next.secret === before.secret)) return;
    this.#secrets.close(this.#clock.monotonicNow());
    this.#forget(before.secret);
  }

  /** What this operation's answer leads to, the first time; it opens by itself as soon as nothing else is open. */
  expectSecret(operation: Operation): OneTimeSecret | undefined {
    return this.#secrets.add(operation);
  }

  adjust(known: AssessmentInput): void {
    this.#overlay ??= this.#secrets.next(this.#clock.monotonicNow());
    const overlay = this.#overlay;
    if (overlay?.kind === 'question') this.#overlay = this.#compared(overlay, known);
    if (overlay?.kind === 'form')
      this.#overlay = {...overlay, state: adjustedForm(overlay.state, overlay.form.fieldsFor)};
  }

  /** Changes must be read before a key counts: a key already on its way was meant for the question as it was. */
  #compared(open: OpenQuestion, known: AssessmentInput): OpenQuestion {
    if (open.outdated?.isOver === true) return open;
    const outdated = outdatedBy(open.question, known);
    const isAway = awayReason(known) !== undefined;
    if (outdated?.text === open.outdated?.text && isAway === (open.isAway === true)) return open;
    return {...open, outdated, isAway, shownAt: this.#clock.monotonicNow(), reading: READING_START};
  }

  wants(store: Store): readonly Want[] {
    const overlay = this.#overlay;
    if (overlay?.kind === 'form')
      return overlay.form.wants?.(formValues(overlay.state), currentField(overlay.state)?.key) ?? [];
    return overlay?.kind === 'secret' ? secretWants(overlay, store, this.#clock.monotonicNow()) : [];
  }

  /** Whether something asks for an answer. */
  asks(): boolean {
    return this.#overlay !== undefined && 'shownAt' in this.#overlay;
  }

  /**
   * Withdraws what can no longer be answered, and says why. To be called before keys are taken, and all the time while
   * a question is open.
   */
  tick(now: MonotonicMs): SafeText | undefined {
    const stoodStillMs = now - this.#tickedAt;
    this.#tickedAt = now;
    const overlay = this.#overlay;
    if (overlay === undefined || !('shownAt' in overlay)) return undefined;
    const isStalled = stoodStillMs > STALL_MS;
    if (!isStalled && !isExpired(overlay, now)) {
      if (stoodStillMs > UNSEEN_MS) this.readAnew();
      return undefined;
    }
    this.withdraw(beginningWithin(isStalled ? LATE_RETURN_MS : LATE_ANSWER_MS, now));
    const reason = isStalled
      ? say`the terminal was suspended for ${Math.round(stoodStillMs / SECOND_MS)} s`
      : say`no answer for ${ANSWER_LIMIT_MS / SECOND_MS} s`;
    return say`${reason}: ${notDoneWords(overlay)}`;
  }

  /** When nothing may be sent any more, what leads to a request is withdrawn. */
  lock(): void {
    if (this.#overlay?.kind === 'question' || this.#overlay?.kind === 'form') this.#drop();
  }

  /**
   * Another program gets the terminal: everything is closed except a secret that is shown only once. Says what was
   * withdrawn.
   */
  suspend(): SafeText | undefined {
    const overlay = this.#overlay;
    if (overlay === undefined || overlay.kind === 'secret') return undefined;
    const isAsking = 'shownAt' in overlay;
    if (isAsking) this.#drop();
    else this.replace(undefined);
    this.#suspended = isAsking ? say`skydeck was suspended: ${notDoneWords(overlay)}` : undefined;
    return this.#suspended;
  }

  /**
   * Another program had the terminal, perhaps unannounced. Says what was withdrawn, which only now can be seen: the time
   * before is no pause in somebody's typing.
   */
  resume(): SafeText | undefined {
    const withdrawn = this.suspend() ?? this.#suspended;
    this.#suspended = undefined;
    if (this.#typing !== undefined) this.#typing = beginningWithin(LATE_RETURN_MS, this.#clock.monotonicNow());
    return withdrawn;
  }

  /** Closes it without an answer, or returns to the form it was asked from. Further keys typed for it are dropped. */
  withdraw(typing: Typing = {}): void {
    this.#drop(this.#overlay?.kind === 'question' ? this.#overlay.form : undefined, typing);
  }

  #drop(next?: OpenForm, typing: Typing = {}): void {
    this.replace(next);
    this.#typing = typing;
  }

  /** What was laid out again, or could not be seen until now, has to be read before it is answered. */
  readAnew(): void {
    const overlay = this.#overlay;
    if (overlay === undefined || !('shownAt' in overlay)) return;
    const shownAt = monotonicMs(Math.max(overlay.shownAt, this.#clock.monotonicNow()));
    this.#overlay = overlay.kind === 'question' ? {...overlay, shownAt, reading: READING_START} : {...overlay, shownAt};
  }

  /**
   * Whether this key is dropped, and the message then. The answer to a question that expired, or was withdrawn by a
   * paste or a suspension, may begin long after; it is dropped up to its end or to a pause. Called once per key.
   */
  dropped(key: string): SafeText | undefined {
    // What opens by itself or is opened is unrelated; a form may be where the question returned to.
    const isElsewhere = this.#overlay !== undefined && this.#overlay.kind !== 'form';
    if (isElsewhere || this.#typing === undefined) return undefined;
    const now = this.#clock.monotonicNow();
    const {lastKeyAt = now, beginsUntil = now} = this.#typing;
    const isOver = now - lastKeyAt >= TYPING_PAUSE_MS || now > beginsUntil;
    const isEnd = key === KEYS.back || key === KEYS.open;
    this.#typing = isOver || isEnd ? undefined : {lastKeyAt: now};
    if (isOver) return undefined;
    return isEnd
      ? say`keys work again`
      : say`the question is closed: keys do nothing until you pause for ${TYPING_PAUSE_MS / SECOND_MS} s from now or press ${KEYS.back}`;
  }

  /** A secret is on the screen, or was a moment ago: this screen must not be saved. */
  isSecretInSight(): boolean {
    return this.#overlay?.kind === 'secret' || this.#secrets.hasJustClosed(this.#clock.monotonicNow());
  }
}

function beginningWithin(limitMs: DurationMs, now: MonotonicMs): Typing {
  return {beginsUntil: monotonicMs(now + limitMs)};
}

/** Whether a question opens that was not open before; each key pressed in one changes it. */
export function isNewlyAsked(before: Overlay | undefined, next: Overlay | undefined): boolean {
  if (next === undefined || !('shownAt' in next)) return false;
  return (
    next.kind !== before?.kind ||
    (next.kind === 'question' && before.kind === 'question' && next.question !== before.question)
  );
}
