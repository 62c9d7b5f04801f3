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
  const sent = new SentLately(clock);
  const waiting: Readonly<Record<RequestPurpose, (() => void)[]>> = {operation: [], read: [], page: []};
  let cancelTimer: Cancel = () => {};

  function letWaitingGo(): void {
    for (const purpose of PURPOSES) {
      while (waiting[purpose].length > 0 && sent.leavesRoom(purpose)) {
        sent.count(purpose);
        waiting[purpose].shift()?.();
      }
    }
    cancelTimer();
    if (PURPOSES.every(purpose => waiting[purpose].length === 0)) return;
    cancelTimer = clock.after(sent.untilMayFit(waiting.page.length > 0), letWaitingGo);
  }

  return {
    admit: purpose =>
      new Promise(resolve => {
        waiting[purpose].push(resolve);
        letWaitingGo();
      }),
    hasRoom: (purpose, requestCount) => sent.leavesRoom(purpose, requestCount),
    waitFor: (purpose, requestCount) => sent.waitFor(purpose, requestCount),
    usedLastMinute: () => sent.requestCount(),
    ceilingPerMinute: CEILING_PER_MINUTE,
  };
}

/** Owns when the requests of the last sixty seconds were sent, and the pace of the pages among them. */
class SentLately {
  readonly #clock: Clock;
  readonly #sentAt: MonotonicMs[] = [];
  /** When all pages so far would have been sent at their interval. */
  #pagesPaidUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(purpose: RequestPurpose): void {
    const now = this.#awakeNow();
    this.#sentAt.push(now);
    if (purpose === 'page') this.#pagesPaidUntil = Math.max(this.#pagesPaidUntil, now) + PAGE_INTERVAL_MS;
  }

  requestCount(): number {
    this.#forgetOld();
    return this.#sentAt.length;
  }

  leavesRoom(purpose: RequestPurpose | 'background', requestCount = 1): boolean {
    const isPaced = purpose === 'page' && this.#nextPageAt() > this.#awakeNow();
    return !isPaced && this.requestCount() + requestCount <= CEILING_PER_MINUTE - KEPT_FREE[purpose];
  }

  waitFor(purpose: RequestPurpose | 'background', requestCount = 1): DurationMs {
    const tooManyCount = this.requestCount() + requestCount - (CEILING_PER_MINUTE - KEPT_FREE[purpose]);
    const leaves = this.#sentAt[tooManyCount - 1];
    return leaves === undefined ? 0 : Math.max(0, leaves + MINUTE_MS - this.#awakeNow());
  }

  /** How long until one more may fit: the oldest leaves the minute, or the next page may be sent. */
  untilMayFit(isPageWaiting: boolean): DurationMs {
    const roomAt = (this.#sentAt[0] ?? Number.POSITIVE_INFINITY) + MINUTE_MS;
    const pageAt = isPageWaiting ? this.#nextPageAt() : Number.POSITIVE_INFINITY;
    const now = this.#awakeNow();
    return Math.max(1, pageAt > now ? Math.min(roomAt, pageAt) - now : roomAt - now);
  }

  #nextPageAt(): number {
    return this.#pagesPaidUntil - (PAGES_AT_ONCE - 1) * PAGE_INTERVAL_MS;
  }

  #forgetOld(): void {
    const horizon = this.#awakeNow() - MINUTE_MS;
    while (this.#sentAt.length > 0 && (this.#sentAt[0] ?? 0) <= horizon) this.#sentAt.shift();
  }

  /** Without sleep: a host's clock set forward looks like it, and no request is older after that. */
  #awakeNow(): MonotonicMs {
    return monotonicMs(this.#clock.monotonicNow() - (this.#clock.sleptMs?.() ?? 0));
  }
}
