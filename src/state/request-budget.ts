import {type Cancel, type Clock, type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';

/**
 * What a request is for, the most urgent first. Operations, and the checks before them, may use what is kept for them and
 * pass everything that waits; a read waits when the minute is full; the later pages of a list are paced as well.
 */
const PURPOSES = ['operation', 'read', 'page'] as const;
export type RequestPurpose = (typeof PURPOSES)[number];

export type RequestBudget = {
  /** Resolves when the request may leave, and counts it. */
  readonly admit: (purpose: RequestPurpose) => Promise<void>;
  /**
   * Whether so many requests, one where nothing is said, could leave now; `background` is a read without a person
   * waiting for it,
   * and leaves some to those that somebody does.
   */
  readonly hasRoom: (purpose: RequestPurpose | 'background', requestCount?: number) => boolean;
  /** How long so many requests would have to wait now, where nothing else is sent meanwhile. */
  readonly waitFor: (purpose: RequestPurpose | 'background', requestCount?: number) => DurationMs;
  /** Requests in the last sixty seconds. */
  readonly usedLastMinute: () => number;
  readonly ceilingPerMinute: number;
};

/** The provider allows 500 a minute for everyone behind one address; a fifth of it is ours. */
const CEILING_PER_MINUTE = 100;
/** Kept free of reads, so that an operation never waits behind a list. */
const KEPT_FOR_OPERATIONS = 20;
/** Kept free of what is read of one machine after the other, so that a pane that is opened has its lists at once. */
const KEPT_FOR_LISTS = 20;
const KEPT_FREE: Readonly<Record<RequestPurpose | 'background', number>> = {
  operation: 0,
  read: KEPT_FOR_OPERATIONS,
  page: KEPT_FOR_OPERATIONS,
  background: KEPT_FOR_OPERATIONS + KEPT_FOR_LISTS,
};
/** A list of ten thousand is read at once and then at this interval; its age is shown. */
const PAGE_INTERVAL_MS: DurationMs = 2 * SECOND_MS;
const PAGES_AT_ONCE = 20;

/** One budget for the whole process: a window of sixty seconds that slides. */
export function createRequestBudget(clock: Clock): RequestBudget {
  const sentAt: MonotonicMs[] = [];
  const waiting: Readonly<Record<RequestPurpose, (() => void)[]>> = {operation: [], read: [], page: []};
  /** When all pages so far would have left at their interval. */
  let pagesPaidUntil = Number.NEGATIVE_INFINITY;
  let cancelTimer: Cancel = () => {};

  function forgetOld(): void {
    const horizon = clock.monotonicNow() - MINUTE_MS;
    while (sentAt.length > 0 && (sentAt[0] ?? 0) <= horizon) sentAt.shift();
  }

  function hasRoom(purpose: RequestPurpose | 'background', requestCount = 1): boolean {
    forgetOld();
    const isPaced = purpose === 'page' && nextPageAt() > clock.monotonicNow();
    return !isPaced && sentAt.length + requestCount <= CEILING_PER_MINUTE - KEPT_FREE[purpose];
  }

  function nextPageAt(): number {
    return pagesPaidUntil - (PAGES_AT_ONCE - 1) * PAGE_INTERVAL_MS;
  }

  function count(purpose: RequestPurpose): void {
    const now = clock.monotonicNow();
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
    const now = clock.monotonicNow();
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
      return leaves === undefined ? 0 : Math.max(0, leaves + MINUTE_MS - clock.monotonicNow());
    },
    usedLastMinute: () => {
      forgetOld();
      return sentAt.length;
    },
    ceilingPerMinute: CEILING_PER_MINUTE,
  };
}
