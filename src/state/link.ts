import {DAY_MS, type DurationMs, type EpochMs} from '../domain/time.ts';

/** What recent answers show about the connection to the service. */
export type Link = {
  /** The median round trip of recent answers; undefined before the first. */
  readonly latencyMs: () => DurationMs | undefined;
  /** The service's clock minus ours, at the last answer with a plausible date; undefined before the first. */
  readonly clockOffsetMs: () => DurationMs | undefined;
  readonly saw: (answer: {readonly latencyMs: DurationMs; readonly serverDate?: EpochMs}) => void;
};

const REMEMBERED_ANSWERS = 9;
/** A computer without a clock battery starts in 1970. A service clock further off than this is not used. */
const MAX_CLOCK_OFFSET_MS = 100 * 365 * DAY_MS;

/** @param localNow the uncorrected local clock, in epoch milliseconds */
export function createLink(localNow: () => number): Link {
  const latencies: DurationMs[] = [];
  let clockOffsetMs: DurationMs | undefined;
  return {
    latencyMs: () => [...latencies].sort((left, right) => left - right)[Math.floor(latencies.length / 2)],
    clockOffsetMs: () => clockOffsetMs,
    saw: ({latencyMs, serverDate}) => {
      latencies.push(latencyMs);
      if (latencies.length > REMEMBERED_ANSWERS) latencies.shift();
      const offsetMs = serverDate === undefined ? undefined : serverDate - localNow();
      if (offsetMs !== undefined && Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS) clockOffsetMs = offsetMs;
    },
  };
}
