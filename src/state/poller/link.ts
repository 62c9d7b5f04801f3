import {
  DAY_MS,
  type DurationMs,
  type EpochMs,
  epochMs,
  MINUTE_MS,
  type MonotonicMs,
  SECOND_MS,
} from '../../domain/time.ts';

/** What recent answers show about the connection to the service. */
export type Link = {
  /** The median round trip of recent answers; undefined before the first. */
  readonly latencyMs: () => DurationMs | undefined;
  /**
   * The service's clock minus ours: the median of the last three answers with a plausible date, so that a single answer
   * with another date does not move the clock; of two, that nearer to our own. Undefined before the first.
   */
  readonly clockOffsetMs: () => DurationMs | undefined;
  /** Whether the service's clock can be right, so that what is shown and billed follows it. */
  readonly isClockFollowed: () => boolean;
  /** What is added to the local clock to follow the service's. */
  readonly followedOffsetMs: () => DurationMs;
  /** The earlier of both clocks: what is kept for good must be over by either. */
  readonly settledNow: () => EpochMs;
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
const REMEMBERED_OFFSETS = 3;
/** A date further away than this tells nothing. */
const MAX_CLOCK_OFFSET_MS = 100 * 365 * DAY_MS;
/** Clocks further apart than this would show the figures of another month: one that is set is believed before it. */
const MAX_FOLLOWED_OFFSET_MS = 31 * DAY_MS;
/** A computer without a clock battery starts in 1970. A clock that shows an earlier time than this was never set. */
const FIRST_SET_CLOCK = Date.UTC(2025, 0, 1);
/** The Date header counts whole seconds, so a smaller difference means nothing. */
const MIN_FOLLOWED_OFFSET_MS = 2 * SECOND_MS;

/** Ages are shown in minutes: clocks further apart spoil them. */
const MAX_UNTOLD_OFFSET_MS = 5 * MINUTE_MS;

/**
 * @param localNow the uncorrected local clock, in epoch milliseconds
 * @param tellOffset called once, if the clocks are more than minutes apart
 */
export function createLink(
  localNow: () => number,
  tellOffset: (offsetMs: DurationMs, isFollowed: boolean) => void = () => {},
): Link {
  let isOffsetTold = false;
  const latencies: DurationMs[] = [];
  const offsets: DurationMs[] = [];
  let clockOffsetMs: DurationMs | undefined;
  /** Of the last date, however odd. */
  let toldOffsetMs: DurationMs = 0;
  let hasOddDate = false;
  /** Oldest first. */
  const waiting = new Set<{readonly sentAt: MonotonicMs}>();
  let answerCount = 0;
  /** When the oldest request was sent that got no answer, nor did any since. */
  let silentSince: MonotonicMs | undefined;
  const isFollowed = () => Math.abs(clockOffsetMs ?? 0) <= MAX_FOLLOWED_OFFSET_MS || localNow() < FIRST_SET_CLOCK;
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
    latencyMs: () => median(latencies),
    clockOffsetMs: () => clockOffsetMs,
    isClockFollowed: isFollowed,
    followedOffsetMs: () =>
      clockOffsetMs === undefined || Math.abs(clockOffsetMs) < MIN_FOLLOWED_OFFSET_MS || !isFollowed()
        ? 0
        : clockOffsetMs,
    settledNow: () => epochMs(localNow() + Math.min(0, toldOffsetMs)),
    hasOddDate: () => hasOddDate,
    saw: ({latencyMs, serverDate, hasOddDate: isOdd}) => {
      answerCount += 1;
      silentSince = undefined;
      latencies.push(latencyMs);
      if (latencies.length > REMEMBERED_ANSWERS) latencies.shift();
      const offsetMs = serverDate === undefined ? undefined : serverDate - localNow();
      const isPlausible = offsetMs !== undefined && Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS;
      if (isPlausible) {
        offsets.push(offsetMs);
        if (offsets.length > REMEMBERED_OFFSETS) offsets.shift();
        clockOffsetMs = usualOffset(offsets);
      }
      toldOffsetMs = offsetMs ?? toldOffsetMs;
      hasOddDate = isOdd === true || (offsetMs !== undefined && !isPlausible);
      if (isOffsetTold || Math.abs(clockOffsetMs ?? 0) <= MAX_UNTOLD_OFFSET_MS) return;
      isOffsetTold = true;
      tellOffset(clockOffsetMs ?? 0, isFollowed());
    },
  };
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

function usualOffset(offsets: readonly DurationMs[]): DurationMs | undefined {
  if (offsets.length > 2) return median(offsets);
  return offsets.toSorted((left, right) => Math.abs(left) - Math.abs(right))[0];
}
