import {type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Pane} from '../panes/pane.ts';
import type {Want} from '../state/poll-schedule.ts';

/** A pane that was left sooner was on the way to another. */
const PASSING_MS: DurationMs = SECOND_MS;

/** Knows since when a pane is open, and whether it is one of several that are leafed through. */
export class Passing {
  #pane: Pane | undefined;
  #since = Number.NEGATIVE_INFINITY;
  #isLeafing = false;

  /** How long the pane that is open now may still be passed through; 0 for one that was not reached by leafing. */
  msLeft(pane: Pane, now: MonotonicMs): DurationMs {
    if (pane !== this.#pane) {
      this.#isLeafing = now - this.#since < PASSING_MS;
      this.#pane = pane;
      this.#since = now;
    }
    return this.#isLeafing ? Math.max(0, this.#since + PASSING_MS - now) : 0;
  }
}

/** What is asked once for a list. What is asked of one object is known by its id in the key, and is many requests. */
export function isOfList({feed}: Want): boolean {
  return !feed.key.includes(':');
}
