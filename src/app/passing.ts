import {type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Pane} from '../panes/pane.ts';
import type {Want} from '../state/poll-schedule.ts';

/** A pane left sooner than this was only passed through. */
const PASSING_MS: DurationMs = SECOND_MS;

/** Tracks since when a pane is open, and whether it is one of several being passed through. */
export class Passing {
  #pane: Pane | undefined;
  #since = Number.NEGATIVE_INFINITY;
  #isLeafing = false;

  /** How long the pane open now may still be one that is passed through; 0 if it was not reached that way. */
  msLeft(pane: Pane, now: MonotonicMs): DurationMs {
    if (pane !== this.#pane) {
      this.#isLeafing = now - this.#since < PASSING_MS;
      this.#pane = pane;
      this.#since = now;
    }
    return this.#isLeafing ? Math.max(0, this.#since + PASSING_MS - now) : 0;
  }
}

/** Feeds read once for a list. A feed of a single object has its id in the key, and there are many of those. */
export function isOfList({feed}: Want): boolean {
  return !feed.key.includes(':');
}
