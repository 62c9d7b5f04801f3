import {describeReadFailure} from '../domain/failure.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {failureOf, lastValue} from '../domain/snapshot.ts';
import {type Cancel, type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {organizationFeed} from '../state/account.ts';
import {usageFeed} from '../state/billing.ts';
import type {Feed} from '../state/feed.ts';
import {machinesFeed} from '../state/machines.ts';
import {formatDuration} from '../ui/format.ts';
import type {Deck} from './deck.ts';
import type {Opening} from './opening.ts';

/** Longer than most answers take, and short enough that nobody waits long for a new screen. */
const HOLD_MS: DurationMs = 2 * SECOND_MS;
/** After a change of size, the terminal is drawn on again after this long. */
const RESIZED_MS: DurationMs = 20;
/** The first of these answers is worth showing. */
const ANSWERS: readonly Feed<unknown>[] = [machinesFeed, usageFeed, organizationFeed];

type Held = Pick<Opening, 'lastFrame'> & {
  readonly screen: Pick<Opening['screen'], 'hold' | 'holdAt' | 'release' | 'size'> & {
    readonly stdout: {
      on(event: 'resize', listener: () => void): unknown;
      off(event: 'resize', listener: () => void): unknown;
    };
  };
};
type HeldFrameOptions = {readonly clock: Clock; readonly onShown?: (() => void) | undefined};

/**
 * Owns the first frame, which stays until there is something to replace it or a key is pressed. Until then, readings are
 * not drawn. With a last screen it stays however long the service takes, because what was known is what a person needs
 * then: it shows its age and why there is no answer. Keys go to the deck behind it, which knows nothing of the last
 * screen.
 */
export class HeldFrame {
  readonly #deck: Deck;
  readonly #opening: Held;
  readonly #clock: Clock;
  readonly #onShown: (() => void) | undefined;
  readonly #startedAt: MonotonicMs;
  readonly #unsubscribe: Cancel;
  #isHeld = true;
  #cancelNext: Cancel;

  constructor(deck: Deck, opening: Held, {clock, onShown}: HeldFrameOptions) {
    this.#deck = deck;
    this.#opening = opening;
    this.#clock = clock;
    this.#onShown = onShown;
    this.#startedAt = clock.monotonicNow();
    opening.screen.hold();
    deck.holdReadings(() => this.#isHeld && !this.#isAnswered());
    this.#unsubscribe = deck.subscribe(() => {
      if (this.#isMoved() || this.#isAnswered()) this.#end();
    });
    this.#cancelNext = clock.after(HOLD_MS, () => this.#isLate());
    opening.screen.stdout.on('resize', this.#onResized);
    // An answer that came while the deck was being loaded is in the store, and nothing will report it again.
    if (this.#isAnswered()) {
      this.#cancelNext();
      this.#cancelNext = clock.after(0, () => this.#nextSecond());
    }
  }

  /** A key led somewhere else. */
  #isMoved(): boolean {
    const deck = this.#deck;
    return deck.pane() !== deck.panes[0] || deck.overlay() !== undefined || deck.scene().hasChosen;
  }

  #isAnswered(): boolean {
    const {store} = this.#deck.scene();
    const isRead = (feed: Feed<unknown>) => lastValue<unknown>(store.get<unknown>(feed)) !== undefined;
    if (this.#opening.lastFrame === undefined) return store.get(machinesFeed).status !== 'waiting';
    // What else arrives first is shown if the list of machines does not come.
    const isLate = this.#clock.monotonicNow() - this.#startedAt >= HOLD_MS;
    return isRead(machinesFeed) || (isLate && ANSWERS.some(isRead));
  }

  #isLate(): void {
    // Other requests than the first do not wait for a service that does not answer.
    if (this.#opening.lastFrame !== undefined) this.#tellShown();
    this.#nextSecond();
  }

  #nextSecond(): void {
    if (this.#opening.lastFrame === undefined || this.#isAnswered()) {
      this.#end();
      this.#deck.changed();
      return;
    }
    this.#draw();
    this.#cancelNext = this.#clock.after(SECOND_MS, () => this.#nextSecond());
  }

  #draw(): void {
    const {screen, lastFrame} = this.#opening;
    if (this.#isHeld && lastFrame !== undefined) screen.holdAt(lastFrame(this.#whyUnanswered(), screen.size()));
  }

  readonly #onResized = (): void => {
    this.#clock.after(RESIZED_MS, () => this.#draw());
  };

  #whyUnanswered(): SafeText {
    const {store, monotonicNow} = this.#deck.scene();
    const failure = ANSWERS.map(feed => failureOf(store.get<unknown>(feed))).find(each => each !== undefined);
    if (failure !== undefined) return describeReadFailure(failure);
    return say`waiting for ${safeText(formatDuration(Math.max(0, monotonicNow - this.#startedAt)))}`;
  }

  #end(): void {
    const {screen} = this.#opening;
    this.#isHeld = false;
    this.#unsubscribe();
    screen.stdout.off('resize', this.#onResized);
    this.#cancelNext();
    screen.release();
    this.#tellShown();
  }

  /** After the paint that follows. */
  #tellShown(): void {
    this.#clock.after(0, () => this.#onShown?.());
  }
}
