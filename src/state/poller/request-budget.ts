import {
  type Cancel,
  type Clock,
  type DurationMs,
  MINUTE_MS,
  monotonicMs,
  type MonotonicMs,
  SECOND_MS,
} from '../../domain/time.ts';

/**
 * What a request is for, most urgent first. Operations and their checks may use the reserved part of the budget and go
 * ahead of everything that waits. A read waits if the minute is full; later pages of a list are also paced.
 */
const PURPOSES = ['operation', 'read', 'page'] as const;
export type RequestPurpose = (typeof PURPOSES)[number];

export type RequestBudget = {
  /** Resolves when the request may be sent, and counts it. */
  readonly admit: (purpose: RequestPurpose) => Promise<void>;
  /**
   * Whether this many requests (one by default) could be sent now; `background` is a read nobody waits for, and leaves
   * some for reads that somebody waits for.
   */
  readonly hasRoom: (purpose: RequestPurpose | 'background', requestCount?: number) => boolean;
  /** How long this many requests would have to wait now, if nothing else is sent meanwhile. */
  readonly waitFor: (purpose: RequestPurpose | 'background', requestCount?: number) => DurationMs;
  /** Requests in the last sixty seconds. */
  readonly usedLastMinute: () => number;
  readonly ceilingPerMinute: number;
};

/** The provider allows 500 a minute to everyone behind one address; we use at most a fifth. */
const CEILING_PER_MINUTE = 100;
/** Never used by reads, so that an operation never waits behind a list. */
const KEPT_FOR_OPERATIONS = 20;
/** Never used by background reads, so that a newly opened pane gets its lists at once. */
const KEPT_FOR_LISTS = 20;
const KEPT_FREE: Readonly<Record<RequestPurpose | 'background', number>> = {
  operation: 0,
  read: KEPT_FOR_OPERATIONS,
  page: KEPT_FOR_OPERATIONS,
  background: KEPT_FOR_OPERATIONS + KEPT_FOR_LISTS,
};
/** A list of ten thousand is read at once the first time, then at this interval with its age shown. */
const PAGE_INTERVAL_MS: DurationMs = 2 * SECOND_MS;
const PAGES_AT_ONCE = 20;

/** One budget for the whole process: a sliding window of sixty seconds. */
export function createRequestBudget(clock: Clock): RequestBudget {
  const sentAt: MonotonicMs[] = [];
  const waiting: Readonly<Record<RequestPurpose, (() => void)[]>> = {operation: [], read: [], page: []};
  /** When all pages so far would have been sent at their interval. */
  let pagesPaidUntil = Number.NEGATIVE_INFINITY;
  let cancelTimer: Cancel = () => {};

  /** Without sleep: a host's clock set forward looks like it, and no request is older after that. */
  function awakeNow(): MonotonicMs {
    return monotonicMs(clock.monotonicNow() - (clock.sleptMs?.() ?? 0));
  }

  function forgetOld(): void {
    const horizon = awakeNow() - MINUTE_MS;
    while (sentAt.length > 0 && (sentAt[0] ?? 0) <= horizon) sentAt.shift();
  }

  function hasRoom(purpose: RequestPurpose | 'background', requestCount = 1): boolean {
    forgetOld();
    const isPaced = purpose === 'page' && nextPageAt() > awakeNow();
    return !isPaced && sentAt.length + requestCount <= CEILING_PER_MINUTE - KEPT_FREE[purpose];
  }

  function nextPageAt(): number {
    return pagesPaidUntil - (PAGES_AT_ONCE - 1) * PAGE_INTERVAL_MS;
  }

  function count(purpose: RequestPurpose): void {
    const now = awakeNow();
    sentAt.push(now);
    if (purpose === 'page') pagesPaidUntil = Math.max(pagesPaidUntil, now) + PAGE_INTERVAL_MS;
  }

  function letWaitingGo(): void {
    for (const purpose of PURPOSES) {
      while (waiting[purpose].length > 0 && hasRoom(purpose)) {
        count(purpose);
        waiting[purpose].shift()?.();
      }
    }
    cancelTimer();
    if (PURPOSES.every(purpose => waiting[purpose].length === 0)) return;
    const roomAt = (sentAt[0] ?? Number.POSITIVE_INFINITY) + MINUTE_MS;
    const pageAt = waiting.page.length > 0 ? nextPageAt() : Number.POSITIVE_INFINITY;
    const now = awakeNow();
    cancelTimer = clock.after(Math.max(1, pageAt > now ? Math.min(roomAt, pageAt) - now : roomAt - now), letWaitingGo);
  }

  return {
    admit: purpose =>
      new Promise(resolve => {
        waiting[purpose].push(resolve);
        letWaitingGo();
      }),
    hasRoom,
    waitFor: (purpose, requestCount = 1) => {
      forgetOld();
      const tooManyCount = sentAt.length + requestCount - (CEILING_PER_MINUTE - KEPT_FREE[purpose]);
      const leaves = sentAt[tooManyCount - 1];
      return leaves === undefined ? 0 : Math.max(0, leaves + MINUTE_MS - awakeNow());
    },
    usedLastMinute: () => {
      forgetOld();
      return sentAt.length;
    },
    ceilingPerMinute: CEILING_PER_MINUTE,
  };
}
