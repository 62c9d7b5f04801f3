import {DAY_MS, type DurationMs, type EpochMs, MINUTE_MS, type MonotonicMs} from '../../domain/time.ts';

/** What recent answers show about the connection to the service. */
export type Link = {
  /** The median round trip of recent answers; undefined before the first. */
  readonly latencyMs: () => DurationMs | undefined;
  /** The service's clock minus ours, at the last answer with a plausible date; undefined before the first. */
  readonly clockOffsetMs: () => DurationMs | undefined;
  /** Whether the last answer had a date that cannot be read, or cannot be true. */
  readonly hasOddDate: () => boolean;
  /**
   * Since when there is a request under way and no answer: when the oldest of them was sent, also of those that were
   * given up meanwhile. Undefined if none is under way.
   */
  readonly waitingSince: () => MonotonicMs | undefined;
  /** A request was sent; what it returns is called once its answer begins, or none will come. */
  readonly asked: (sentAt: MonotonicMs) => () => void;
  readonly saw: (answer: {
    readonly latencyMs: DurationMs;
    readonly serverDate?: EpochMs;
    readonly hasOddDate?: true;
  }) => void;
};

const REMEMBERED_ANSWERS = 9;
/** A computer without a clock battery starts in 1970. A service clock further off than this is not used. */
const MAX_CLOCK_OFFSET_MS = 100 * 365 * DAY_MS;

/** Ages are shown in minutes: clocks further apart spoil them. */
const MAX_UNTOLD_OFFSET_MS = 5 * MINUTE_MS;

/**
 * @param localNow the uncorrected local clock, in epoch milliseconds
 * @param tellOffset called once, if the clocks are more than minutes apart
 */
export function createLink(localNow: () => number, tellOffset: (offsetMs: DurationMs) => void = () => {}): Link {
  let isOffsetTold = false;
  const latencies: DurationMs[] = [];
  let clockOffsetMs: DurationMs | undefined;
  let hasOddDate = false;
  /** Oldest first. */
  const waiting = new Set<{readonly sentAt: MonotonicMs}>();
  let answerCount = 0;
  /** When the oldest request was sent that got no answer, nor did any since. */
  let silentSince: MonotonicMs | undefined;
  return {
    waitingSince: () => {
      const oldest = waiting.values().next().value?.sentAt;
      return oldest !== undefined && silentSince !== undefined && silentSince < oldest ? silentSince : oldest;
    },
    asked: sentAt => {
      const request = {sentAt};
      const answersBefore = answerCount;
      waiting.add(request);
      return () => {
        waiting.delete(request);
        if (waiting.size === 0) silentSince = undefined;
        else if (answerCount === answersBefore) silentSince ??= sentAt;
      };
    },
    latencyMs: () => [...latencies].sort((left, right) => left - right)[Math.floor(latencies.length / 2)],
    clockOffsetMs: () => clockOffsetMs,
    hasOddDate: () => hasOddDate,
    saw: ({latencyMs, serverDate, hasOddDate: isOdd}) => {
      answerCount += 1;
      silentSince = undefined;
      latencies.push(latencyMs);
      if (latencies.length > REMEMBERED_ANSWERS) latencies.shift();
      const offsetMs = serverDate === undefined ? undefined : serverDate - localNow();
      const isPlausible = offsetMs !== undefined && Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS;
      if (isPlausible) clockOffsetMs = offsetMs;
      hasOddDate = isOdd === true || (offsetMs !== undefined && !isPlausible);
      if (isOffsetTold || Math.abs(clockOffsetMs ?? 0) <= MAX_UNTOLD_OFFSET_MS) return;
      isOffsetTold = true;
      tellOffset(clockOffsetMs ?? 0);
    },
  };
}
