import {onTestFinished} from 'vitest';
import type {ReadClient} from '../../src/api/client.ts';
import type {Failure, Result} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {DurationMs, MonotonicMs} from '../../src/domain/time.ts';
import {type Feed, type FeedId, feedName} from '../../src/state/feed.ts';
import {createPoller, type Poller} from '../../src/state/poller/poller.ts';
import {createRequestBudget, type RequestBudget} from '../../src/state/poller/request-budget.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {createVirtualClock, type VirtualClock} from '../support/clock.ts';

const text = safeText('why');
export const cut: Failure = {kind: 'cut', detail: text};
export const limited: Failure = {kind: 'rate-limited'};
export const unauthorised: Failure = {kind: 'not-authorised', httpStatus: 401, message: text};
export const forbidden: Failure = {kind: 'not-authorised', httpStatus: 403, message: text};

type Read = {readonly key: string; readonly startedAt: MonotonicMs; readonly isCheck: boolean};

/** What the service answers to the nth reading of a feed, and after how long. */
type Answering = (reading: {readonly key: string; readonly count: number; readonly at: MonotonicMs}) => {
  readonly failure?: Failure | undefined;
  readonly takesMs?: DurationMs;
};

export type Polling = {
  readonly time: VirtualClock;
  readonly store: WritableStore;
  readonly budget: RequestBudget;
  readonly poller: Poller;
  /** Every reading begun, oldest first. */
  readonly reads: readonly Read[];
  readonly readsOf: (key: string) => readonly MonotonicMs[];
  readonly inFlight: () => number;
  /** The most readings that were ever under way at once, of all feeds and of one. */
  readonly most: () => {readonly together: number; readonly ofOneFeed: number};
  readonly answer: (answering: Answering) => void;
  /** A feed that answers as `answer` says, and is counted by the budget as a request is. */
  readonly feed: (id: FeedId, intervalMs?: DurationMs, part?: string) => Feed<number>;
};

/** Feeds answer here without any request, so no client is used. */
const refuse = () => Promise.reject(new Error('No feed of this test asks the client.'));
const NO_CLIENT: ReadClient = {read: refuse, readRaw: refuse};
const CHECK_CLIENT: ReadClient = {...NO_CLIENT};

/** A poller whose feeds are defined by the test, with a clock that the test advances. */
export function openPolling({
  random = () => 0.5,
  isGiven = () => false,
}: {
  random?: () => number;
  isGiven?: (feed: Feed<unknown>) => boolean;
} = {}): Polling {
  const time = createVirtualClock();
  const {clock} = time;
  const store = createStore();
  const budget = createRequestBudget(clock);
  const poller = createPoller({client: NO_CLIENT, checkClient: CHECK_CLIENT, store, clock, budget, random, isGiven});
  onTestFinished(poller.stop);
  const reads: Read[] = [];
  const underWay = new Map<string, number>();
  let answering: Answering = () => ({});
  let inFlight = 0;
  let together = 0;
  let ofOneFeed = 0;

  async function read(key: string, isCheck: boolean): Promise<Result<number>> {
    await budget.admit(isCheck ? 'operation' : 'read');
    const at = clock.monotonicNow();
    reads.push({key, startedAt: at, isCheck});
    inFlight += 1;
    underWay.set(key, (underWay.get(key) ?? 0) + 1);
    together = Math.max(together, inFlight);
    ofOneFeed = Math.max(ofOneFeed, underWay.get(key) ?? 0);
    const count = reads.filter(past => past.key === key).length;
    const {failure, takesMs = 0} = answering({key, count, at});
    if (takesMs > 0) await new Promise<void>(resolve => clock.after(takesMs, resolve));
    inFlight -= 1;
    underWay.set(key, (underWay.get(key) ?? 0) - 1);
    return failure === undefined ? {ok: true, value: count} : {ok: false, failure};
  }

  return {
    time,
    store,
    budget,
    poller,
    reads,
    readsOf: key => reads.filter(past => past.key === key).map(past => past.startedAt),
    inFlight: () => inFlight,
    most: () => ({together, ofOneFeed}),
    answer: next => {
      answering = next;
    },
    feed: (id, intervalMs = 10_000, part) => {
      const name = feedName(id);
      const named = part === undefined ? {} : {part};
      return {...name, ...named, intervalMs, read: by => read(name.key, by === CHECK_CLIENT)};
    },
  };
}

/** The most moments in any half-open span of this length. */
export function mostWithin(stretchMs: DurationMs, moments: readonly number[]): number {
  const sorted = [...moments].sort((left, right) => left - right);
  let first = 0;
  let most = 0;
  for (const [index, moment] of sorted.entries()) {
    while ((sorted[first] ?? moment) <= moment - stretchMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
