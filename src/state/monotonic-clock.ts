import {type Clock, type DurationMs, monotonicMs, SECOND_MS} from '../domain/time.ts';

/** The clock is read at least once a second; a correction of the host's time is smaller than this. */
const SHORTEST_SLEEP_MS: DurationMs = 5 * SECOND_MS;

/**
 * A monotonic clock that includes the time the computer was suspended. The system's own stands still then (on Linux),
 * and eight-hour-old data would count as fresh when the lid is opened. The wall clock goes on, so what it gains between
 * two calls was suspension, or it was set forward. Takes both system clocks, in milliseconds.
 */
export function countingSleep(system: {
  readonly wallNow: () => number;
  readonly monotonicNow: () => number;
}): Required<Pick<Clock, 'monotonicNow' | 'sleptMs'>> {
  let [wallBefore, monotonicBefore] = [system.wallNow(), system.monotonicNow()];
  let sleptMs = 0;
  const monotonicNow = () => {
    const [wall, monotonic] = [system.wallNow(), system.monotonicNow()];
    const aheadMs = wall - wallBefore - (monotonic - monotonicBefore);
    if (aheadMs > SHORTEST_SLEEP_MS) sleptMs += aheadMs;
    [wallBefore, monotonicBefore] = [wall, monotonic];
    return monotonicMs(monotonic + sleptMs);
  };
  return {
    monotonicNow,
    sleptMs: () => {
      monotonicNow();
      return sleptMs;
    },
  };
}
