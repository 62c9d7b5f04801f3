import type {Cancel, Clock, DurationMs} from '../domain/time.ts';

/** Repaints driven by data are limited to four a second. */
const DATA_REPAINT_MS: DurationMs = 250;
/** Readings seldom come alone: several arrive within a hundredth of a second, and one paint shows them all. */
const GATHERING_MS: DurationMs = 12;

/** Owns when the screen is painted again, and notifies those who draw it. */
export class Repaints {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #secondListeners = new Set<() => void>();
  #cancel: Cancel | undefined;
  #dataPaintedAt = Number.NEGATIVE_INFINITY;
  #isFirst = true;
  #dataSeen = '';
  #isHeld = (): boolean => false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  subscribe(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For parts that show the seconds, and are drawn every second. */
  subscribeSeconds(listener: () => void): Cancel {
    this.#secondListeners.add(listener);
    return () => this.#secondListeners.delete(listener);
  }

  /** While this holds, readings are not painted; whoever holds them back must paint when it ends. */
  holdReadings(isHeld: () => boolean): void {
    this.#isHeld = isHeld;
  }

  /** There is something new to show. */
  now(): void {
    for (const listener of this.#listeners) listener();
    this.second();
  }

  /** A second has passed, and nothing else is new. */
  second(): void {
    for (const listener of this.#secondListeners) listener();
  }

  /**
   * Readings arrived. If `dataSeen` says that the data is unchanged, only its age is new, and the next tick paints
   * that.
   */
  soon(dataSeen: string, paint: () => void): void {
    if (dataSeen === this.#dataSeen || this.#isHeld()) return;
    this.#dataSeen = dataSeen;
    this.#cancel ??= this.#clock.after(this.#waitMs(), () => {
      this.#cancel = undefined;
      if (!this.#isFirst) this.#dataPaintedAt = this.#clock.monotonicNow();
      this.#isFirst = false;
      paint();
    });
  }

  /**
   * The first readings of all are painted at once, and delay nothing. Later, the first change after a while is painted
   * almost at once, and those that follow are grouped.
   */
  #waitMs(): DurationMs {
    const sinceLast = this.#clock.monotonicNow() - this.#dataPaintedAt;
    return this.#isFirst ? 0 : Math.max(GATHERING_MS, DATA_REPAINT_MS - sinceLast);
  }

  stop(): void {
    this.#cancel?.();
  }
}
