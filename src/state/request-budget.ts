import type {Clock, MonotonicMs} from '../domain/time.ts';
import {MINUTE_MS} from '../domain/time.ts';

/** What a request is for: reads wait when the minute is full, operations may use what is kept for them. */
export type RequestPurpose = 'read' | 'operation';

export type RequestBudget = {
  /** Resolves when the request may leave, and counts it. */
  readonly admit: (purpose: RequestPurpose) => Promise<void>;
  /** Whether so many requests, one where nothing is said, could leave now. */
  readonly hasRoom: (purpose: RequestPurpose, requestCount?: number) => boolean;
  /** Requests in the last sixty seconds. */
  readonly usedLastMinute: () => number;
  readonly ceilingPerMinute: number;
};

/** The provider allows 500 a minute for everyone behind one address; a fifth of it is ours. */
const CEILING_PER_MINUTE = 100;
/** Kept free of reads, so that an operation never waits behind a list. */
const KEPT_FOR_OPERATIONS = 20;

/** One budget for the whole process: a window of sixty seconds that slides. */
export function createRequestBudget(clock: Clock): RequestBudget {
  const sentAt: MonotonicMs[] = [];
  /** Operations first: somebody waits for each of them. */
  const waiting: Readonly<Record<RequestPurpose, (() => void)[]>> = {operation: [], read: []};
  let isTimerSet = false;

  function forgetOld(): void {
    const horizon = clock.monotonicNow() - MINUTE_MS;
    while (sentAt.length > 0 && (sentAt[0] ?? 0) <= horizon) sentAt.shift();
  }

  function hasRoom(purpose: RequestPurpose, requestCount = 1): boolean {
    forgetOld();
    const limit = purpose === 'operation' ? CEILING_PER_MINUTE : CEILING_PER_MINUTE - KEPT_FOR_OPERATIONS;
    return sentAt.length + requestCount <= limit;
  }

  function letWaitingGo(): void {
    isTimerSet = false;
    for (const purpose of ['operation', 'read'] as const) {
      while (waiting[purpose].length > 0 && hasRoom(purpose)) {
        sentAt.push(clock.monotonicNow());
        waiting[purpose].shift()?.();
      }
    }
    waitForRoom();
  }

  function waitForRoom(): void {
    const oldest = sentAt[0];
    const isAnyWaiting = waiting.operation.length + waiting.read.length > 0;
    if (isTimerSet || !isAnyWaiting || oldest === undefined) return;
    isTimerSet = true;
    clock.after(Math.max(1, oldest + MINUTE_MS - clock.monotonicNow()), letWaitingGo);
  }

  function admit(purpose: RequestPurpose): Promise<void> {
    if (waiting[purpose].length === 0 && hasRoom(purpose)) {
      sentAt.push(clock.monotonicNow());
      return Promise.resolve();
    }
    return new Promise(resolve => {
      waiting[purpose].push(resolve);
      waitForRoom();
    });
  }

  return {
    admit,
    hasRoom,
    usedLastMinute: () => {
      forgetOld();
      return sentAt.length;
    },
    ceilingPerMinute: CEILING_PER_MINUTE,
  };
}
