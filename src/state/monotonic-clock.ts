import {type DurationMs, type MonotonicMs, monotonicMs, SECOND_MS} from '../domain/time.ts';

/** The clock is read at least once a second; a correction of the host's time is smaller than this. */
const SHORTEST_SLEEP_MS: DurationMs = 5 * SECOND_MS;

/**
 * The monotonic clock with the time in it that the machine has slept: the system's own stands still then (Linux counts no
 * suspension), and eight hours old data would be called fresh when the lid is opened. The wall clock goes on, so what it
 * is ahead between two looks was slept. Takes both clocks of the system, in milliseconds.
 */
export function countingSleep(system: {
  readonly wallNow: () => number;
  readonly monotonicNow: () => number;
}): () => MonotonicMs {
  let [wallBefore, monotonicBefore] = [system.wallNow(), system.monotonicNow()];
  let sleptMs = 0;
  return () => {
    const [wall, monotonic] = [system.wallNow(), system.monotonicNow()];
    const aheadMs = wall - wallBefore - (monotonic - monotonicBefore);
    if (aheadMs > SHORTEST_SLEEP_MS) sleptMs += aheadMs;
    [wallBefore, monotonicBefore] = [wall, monotonic];
    return monotonicMs(monotonic + sleptMs);
  };
}
