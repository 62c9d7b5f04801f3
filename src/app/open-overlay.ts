import type {Operation} from '../domain/operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {Store} from '../state/store.ts';
import {currentField, formValues, settledForm} from '../ui/form.ts';
import {ANSWER_LIMIT_MS, isExpired} from './confirm.ts';
import {type OneTimeSecret, OneTimeSecrets, secretWants} from './one-time-secret.ts';
import type {Overlay} from './overlay.ts';

/** A clock that jumped this far means a stopped terminal or a lid that was closed: an open question is no longer true. */
const STALL_MS: DurationMs = 5 * SECOND_MS;
/** The longest pause between two letters of a name that is being typed. */
const TYPING_PAUSE_MS: DurationMs = 1500;

/** What asks for an answer. */
type Asking = Extract<Overlay, {readonly shownAt: MonotonicMs}>;
/** What was not done because the question was not answered. */
const WITHDRAWN: Readonly<Record<Asking['kind'], SafeText>> = {
  question: say`question closed: nothing was sent`,
  ssh: say`ssh was not started`,
  unlock: say`still read-only`,
  leave: say`skydeck stays open`,
};

/**
 * Owns what lies above the pane: what opens by itself, what is withdrawn unanswered, and what ends or is forgotten when
 * it closes.
 */
export class OpenOverlay {
  readonly #clock: Pick<Clock, 'monotonicNow'>;
  readonly #forget: (secret: OneTimeSecret) => void;
  readonly #secrets = new OneTimeSecrets();
  #overlay: Overlay | undefined;
  #tickedAt: MonotonicMs;
  /** When a question was withdrawn, or a key after it was swallowed. */
  #swallowedAt = Number.NEGATIVE_INFINITY;

  /** `forget` takes what was shown once out of every place in which it was kept. */
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
    if (before?.kind !== 'secret' || (next?.kind === 'secret' && next.secret === before.secret)) return;
    this.#secrets.close(this.#clock.monotonicNow());
    this.#forget(before.secret);
  }

  /** What this operation's answer leads to, the first time: it opens by itself as soon as nothing else is open. */
  await(operation: Operation): OneTimeSecret | undefined {
    return this.#secrets.add(operation);
  }

  settle(): void {
    this.#overlay ??= this.#secrets.next(this.#clock.monotonicNow());
    const overlay = this.#overlay;
    if (overlay?.kind === 'form')
      this.#overlay = {...overlay, state: settledForm(overlay.state, overlay.form.fieldsFor)};
  }

  wants(store: Store): readonly Want[] {
    const overlay = this.#overlay;
    if (overlay?.kind === 'form')
      return overlay.form.wants?.(formValues(overlay.state), currentField(overlay.state)?.key) ?? [];
    return overlay?.kind === 'secret' ? secretWants(overlay, store, this.#clock.monotonicNow()) : [];
  }

  /** Withdraws what can no longer be answered, and says why. To be called each second. */
  tick(now: MonotonicMs): SafeText | undefined {
    const stoodStillMs = now - this.#tickedAt;
    this.#tickedAt = now;
    const overlay = this.#overlay;
    if (overlay === undefined || !('shownAt' in overlay)) return undefined;
    const isStalled = stoodStillMs > STALL_MS;
    if (!isStalled && !isExpired(overlay, now)) return undefined;
    this.#withdraw(now);
    const reason = isStalled
      ? say`the terminal was suspended for ${Math.round(stoodStillMs / SECOND_MS)} s`
      : say`no answer for ${ANSWER_LIMIT_MS / SECOND_MS} s`;
    return say`${reason}: ${WITHDRAWN[overlay.kind]}`;
  }

  /** What leads to a request is withdrawn when nothing may be sent any more. */
  lock(now: MonotonicMs): void {
    if (this.#overlay?.kind === 'question' || this.#overlay?.kind === 'form') this.#withdraw(now);
  }

  /** What was laid out anew, or could not be seen until now, has to be read anew before it is answered. */
  readAnew(): void {
    const overlay = this.#overlay;
    if (overlay !== undefined && 'shownAt' in overlay)
      this.#overlay = {...overlay, shownAt: this.#clock.monotonicNow()};
  }

  /** A question was withdrawn a moment ago, and what is still being typed was meant for it. Asked once for each key. */
  swallowsKey(): boolean {
    const now = this.#clock.monotonicNow();
    if (this.#overlay !== undefined || now - this.#swallowedAt > TYPING_PAUSE_MS) return false;
    this.#swallowedAt = now;
    return true;
  }

  /** A secret is on the screen, or was a moment ago: what is painted now must not be kept. */
  isSecretInSight(): boolean {
    return this.#overlay?.kind === 'secret' || this.#secrets.hasJustClosed(this.#clock.monotonicNow());
  }

  #withdraw(now: MonotonicMs): void {
    this.#overlay = undefined;
    this.#swallowedAt = now;
  }
}
