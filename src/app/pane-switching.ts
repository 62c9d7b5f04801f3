import {type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Pane} from '../panes/pane.ts';
import type {Want} from '../state/poll-schedule.ts';

/** A pane that is left sooner than this was only passed through. */
const SETTLING_MS: DurationMs = SECOND_MS;

/** Tracks since when a pane is open, and whether it was reached by quick switching from pane to pane. */
export class PaneSwitching {
  #pane: Pane | undefined;
  #since = Number.NEGATIVE_INFINITY;
  #isQuick = false;

  /** How long the open pane may still be one that is only passed through; 0 if it was not reached by quick switching. */
  settlingMs(pane: Pane, now: MonotonicMs): DurationMs {
    if (pane !== this.#pane) {
      this.#isQuick = now - this.#since < SETTLING_MS;
      this.#pane = pane;
      this.#since = now;
    }
    return this.#isQuick ? Math.max(0, this.#since + SETTLING_MS - now) : 0;
  }
}

/** Feeds that are read once for all objects, and not for each of them. */
export function isOfList({feed}: Want): boolean {
  return feed.of.length === 0;
}
