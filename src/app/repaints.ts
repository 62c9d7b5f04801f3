import type {Cancel, Clock, DurationMs} from '../domain/time.ts';

/** Repaints driven by data are coalesced to at most four a second. */
const DATA_REPAINT_MS: DurationMs = 250;
/** A reading seldom comes alone: at the start several come within a hundredth of a second, and one paint shows them. */
const GATHERING_MS: DurationMs = 12;

/** Owns when the screen is painted again, and who hears of it. */
export class Repaints {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #secondListeners = new Set<() => void>();
  #cancel: Cancel | undefined;
  #dataPaintedAt = Number.NEGATIVE_INFINITY;
  #dataSeen = '';
  #isHeld = (): boolean => false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  subscribe(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For what shows the seconds, and is drawn with each of them. */
  subscribeSeconds(listener: () => void): Cancel {
    this.#secondListeners.add(listener);
    return () => this.#secondListeners.delete(listener);
  }

  /** Readings are not painted while this is so; whoever holds them paints when it ends without one. */
  holdReadings(isHeld: () => boolean): void {
    this.#isHeld = isHeld;
  }

  /** There is something new to be seen. */
  now(): void {
    for (const listener of this.#listeners) listener();
    this.second();
  }

  /** A second has passed, and nothing else is new. */
  second(): void {
    for (const listener of this.#secondListeners) listener();
  }

  /**
   * Readings came in. What was read again and is the same, by `dataSeen`, shows in its age alone, which the next tick
   * paints.
   */
  soon(dataSeen: string, paint: () => void): void {
    if (dataSeen === this.#dataSeen || this.#isHeld()) return;
    this.#dataSeen = dataSeen;
    // The first change after a while is painted almost at once, those that follow it are gathered.
    const sinceLast = this.#clock.monotonicNow() - this.#dataPaintedAt;
    this.#cancel ??= this.#clock.after(Math.max(GATHERING_MS, DATA_REPAINT_MS - sinceLast), () => {
      this.#cancel = undefined;
      this.#dataPaintedAt = this.#clock.monotonicNow();
      paint();
    });
  }

  stop(): void {
    this.#cancel?.();
  }
}

/** What a repaint is made for. What is computed for one is kept until the next. */
export type Revision = {readonly of: readonly unknown[]};

/** Owns what the latest repaint was made for, so that one in which only the clock goes on computes nothing again. */
export class Revisions {
  readonly #sources: () => readonly unknown[];
  #latest: Revision = {of: []};

  /** `sources`: all that a repaint depends on, of the clock in steps only. */
  constructor(sources: () => readonly unknown[]) {
    this.#sources = sources;
  }

  get latest(): Revision {
    return this.#latest;
  }

  /** Something has changed, and what it leads to is still being worked out. */
  begin(): void {
    this.#latest = {of: []};
  }

  end(): void {
    this.#latest = {of: this.#sources()};
  }

  hasChanged(): boolean {
    const {of} = this.#latest;
    const present = this.#sources();
    return present.length !== of.length || present.some((each, index) => each !== of[index]);
  }
}
