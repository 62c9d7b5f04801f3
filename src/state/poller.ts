import type {ReadClient} from '../api/client.ts';
import type {Failure, Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import {readAt} from '../domain/snapshot.ts';
import {type Cancel, type Clock, type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Feed} from './feed.ts';
import {afterReading, type HostHealth, isHostFailure, nextAttemptDelay, UP} from './host-health.ts';
import type {RequestBudget} from './request-budget.ts';
import type {WritableStore} from './store.ts';

/** A feed somebody looks at now. The lower the priority number, the sooner it is read. */
export type Want = {
  readonly feed: Feed<unknown>;
  readonly priority: number;
  /** Slower than the feed's own interval, where the budget has to be shared. */
  readonly intervalMs?: DurationMs;
};

type Reading<T> = {readonly value: T; readonly startedAt: MonotonicMs};

export type Poller = {
  /** Replaces what one asker wants; feeds nobody wants rest. */
  readonly want: (asker: string, wants: readonly Want[]) => void;
  /** Everything wanted is read again as soon as it may be. Bounded, and never breaks a pause the service asked for. */
  readonly refresh: () => void;
  /**
   * One reading begun now, also while the feed rests or is being read: for the check before an operation. It fails
   * without asking where the key was refused or the service asked for a pause.
   */
  readonly readNow: <T>(feed: Feed<T>) => Promise<Result<Reading<T>>>;
  /** What is known is about to be wrong: the feed is due at once, if anybody wants it. */
  readonly hasten: (feed: Feed<unknown>) => void;
  /** What was read of it is known no more, and an answer that is still on its way is thrown away. */
  readonly forget: (feed: Feed<unknown>) => void;
  readonly health: () => HostHealth;
  readonly subscribe: (listener: () => void) => Cancel;
  readonly stop: () => void;
};

const MAX_IN_FLIGHT = 4;
/** A person leaning on the refresh key costs the service no more than this. */
const REFRESH_PAUSE_MS = 2 * SECOND_MS;
/** After a 403 or a 400 the same question gets the same answer; ask again only now and then. */
const SETTLED_REFUSAL_PAUSE_MS = 10 * MINUTE_MS;
/** Failures of one feed after which its back-off no longer makes it faster than its interval. */
const QUICK_RETRIES = 2;

const STOPPED = say`skydeck is closing`;

type Track = {
  /** The end of the last reading; due at once without one. */
  restsSince: number;
  /** How long the feed rests for somebody who wants it at this interval. */
  restFor: (intervalMs: DurationMs) => DurationMs;
  consecutiveFailureCount: number;
  inFlightCount: number;
};

const DUE_AT_ONCE = Number.NEGATIVE_INFINITY;
/** Far more than are wanted within the longest interval; what was read longest ago is forgotten first. */
const MAX_TRACKS = 5000;

/**
 * The one scheduler of the process: single flight for each feed, at most four requests at once, failures back off for
 * their feed and, when the host is away, for everything together.
 */
export function createPoller(options: {
  readonly client: ReadClient;
  /** For `readNow`: may use what the budget keeps for operations, so that their check waits behind no list. */
  readonly checkClient?: ReadClient;
  readonly store: WritableStore;
  readonly clock: Clock;
  readonly budget: RequestBudget;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}): Poller {
  const {client, checkClient = client, store, clock, budget, random} = options;
  const wantsByAsker = new Map<string, readonly Want[]>();
  const tracks = new Map<string, Track>();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let health: HostHealth = UP;
  let inFlightCount = 0;
  let cancelTimer: Cancel | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  function track(feed: Feed<unknown>): Track {
    const known = tracks.get(feed.key);
    if (known !== undefined) return known;
    const made: Track = {restsSince: DUE_AT_ONCE, restFor: () => 0, consecutiveFailureCount: 0, inFlightCount: 0};
    tracks.set(feed.key, made);
    return made;
  }

  /** The most urgent want that may be read now, or when to look again. */
  function nextWant(now: MonotonicMs): {want: Want} | {lookAt: number} {
    let best: Want | undefined;
    let lookAt = Number.POSITIVE_INFINITY;
    for (const wants of wantsByAsker.values()) {
      for (const want of wants) {
        if (track(want.feed).inFlightCount > 0) continue;
        const dueAt = dueAtFor(want);
        if (dueAt > now) lookAt = Math.min(lookAt, dueAt);
        else if (best === undefined || isMoreUrgent(want, best)) best = want;
      }
    }
    return best === undefined ? {lookAt} : {want: best};
  }

  /** Each asker has its own interval, so one feed may be due for one of them and rest for another. */
  function dueAtFor({feed, intervalMs = 0}: Want): number {
    const asked = track(feed);
    return asked.restsSince + asked.restFor(Math.max(intervalMs, feed.intervalMs));
  }

  function isMoreUrgent(left: Want, right: Want): boolean {
    if (left.priority !== right.priority) return left.priority < right.priority;
    return dueAtFor(left) < dueAtFor(right);
  }

  function schedule(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (stopping.signal.aborted || health.status === 'not-authorised') return;
    const limit = health.status === 'up' ? MAX_IN_FLIGHT : 1;
    while (inFlightCount < limit) {
      const now = clock.monotonicNow();
      if (health.status !== 'up' && health.retryAt > now) return wakeAt(health.retryAt);
      if (!budget.hasRoom('read')) return wakeAt(now + SECOND_MS);
      const next = nextWant(now);
      if ('lookAt' in next) return wakeAt(next.lookAt);
      void poll(next.want.feed);
    }
  }

  function wakeAt(moment: number): void {
    if (moment === Number.POSITIVE_INFINITY) return;
    cancelTimer = clock.after(Math.max(1, moment - clock.monotonicNow()), schedule);
  }

  async function poll(feed: Feed<unknown>): Promise<void> {
    await read(feed, client);
    schedule();
  }

  async function read<T>(feed: Feed<T>, by: ReadClient): Promise<Result<Reading<T>>> {
    const asked = track(feed);
    asked.inFlightCount += 1;
    inFlightCount += 1;
    const startedAt = clock.monotonicNow();
    const result = await feed.read(by, stopping.signal);
    inFlightCount -= 1;
    asked.inFlightCount -= 1;
    if (stopping.signal.aborted) return {ok: false, failure: {kind: 'not-sent', detail: STOPPED}};
    note(feed, asked, result, startedAt);
    return result.ok ? {ok: true, value: {value: result.value, startedAt}} : result;
  }

  /** Whoever is told of a reading may ask for more at once, so the feed rests before anybody is told. */
  function note<T>(feed: Feed<T>, asked: Track, result: Result<T>, startedAt: MonotonicMs): void {
    const now = clock.monotonicNow();
    const wasUp = health.status === 'up';
    const [question = ''] = feed.key.split(':');
    health = afterReading(health, result.ok ? undefined : result.failure, {now, random, question});
    // What failed while the host was away is worth asking again as soon as it is back.
    if (!wasUp && health.status === 'up') forgetFailures();
    // Forgotten while its answer was on its way: nobody may see it any more.
    if (tracks.get(feed.key) !== asked) return;
    rest(feed.key, asked, result, now);
    // Readings may overlap: one that was begun earlier and fails later says nothing about what was read since.
    if (result.ok) store.writeValue(feed, result.value, startedAt);
    else if ((readAt(store.get(feed)) ?? startedAt) <= startedAt) store.writeFailure(feed, result.failure, now);
    for (const listener of listeners) listener();
  }

  function forgetFailures(): void {
    for (const asked of tracks.values()) if (asked.consecutiveFailureCount > 0) asked.restsSince = DUE_AT_ONCE;
  }

  function rest(key: string, asked: Track, result: Result<unknown>, now: MonotonicMs): void {
    asked.consecutiveFailureCount = result.ok ? 0 : asked.consecutiveFailureCount + 1;
    asked.restFor = result.ok ? spread(asked) : restAfterFailure(asked, result.failure);
    asked.restsSince = now;
    tracks.delete(key);
    tracks.set(key, asked);
    const [oldest] = tracks;
    if (tracks.size > MAX_TRACKS && oldest?.[1].inFlightCount === 0) tracks.delete(oldest[0]);
  }

  function restAfterFailure(asked: Track, failure: Failure): Track['restFor'] {
    if (isHostFailure(failure)) {
      const pause = Math.max(SECOND_MS, nextAttemptDelay(asked.consecutiveFailureCount, random));
      // A question that always fails is not asked more often than one that is answered.
      const isSettled = asked.consecutiveFailureCount > QUICK_RETRIES;
      return intervalMs => (isSettled && health.status === 'up' ? Math.max(pause, intervalMs) : pause);
    }
    // The pause of the host holds for all; after it even what is read seldom is due.
    if (failure.kind === 'rate-limited') return () => 0;
    // A machine that is gone may be one that is just being made; a refusal stays a refusal.
    if (failure.kind === 'not-found') return intervalMs => intervalMs;
    return intervalMs => Math.max(intervalMs, SETTLED_REFUSAL_PAUSE_MS);
  }

  /**
   * What became due together (at the start, by a refresh) drifts apart over a whole interval; after that a little is
   * enough. Never sooner than the interval then, which is what the service was promised.
   */
  function spread(asked: Track): Track['restFor'] {
    const factor = asked.restsSince === DUE_AT_ONCE ? 0.5 + random() : 1 + 0.1 * random();
    return intervalMs => intervalMs * factor;
  }

  /** Why nothing may be asked now, whoever asks. */
  function standingRefusal(now: MonotonicMs): Failure | undefined {
    if (health.status === 'not-authorised') return health.failure;
    if (health.status !== 'rate-limited' || health.retryAt <= now) return undefined;
    return {kind: 'rate-limited', retryAfterMs: health.retryAt - now};
  }

  return {
    want: (asker, wants) => {
      if (wants.length === 0) wantsByAsker.delete(asker);
      else wantsByAsker.set(asker, wants);
      schedule();
    },
    refresh: () => {
      const now = clock.monotonicNow();
      if (now - refreshedAt < REFRESH_PAUSE_MS) return;
      refreshedAt = now;
      for (const asked of tracks.values()) asked.restsSince = DUE_AT_ONCE;
      if (health.status === 'not-authorised') health = UP;
      else if (health.status === 'down') health = {...health, retryAt: now};
      schedule();
    },
    readNow: async feed => {
      const refusal = standingRefusal(clock.monotonicNow());
      if (refusal !== undefined) return {ok: false, failure: refusal};
      const result = await read(feed, checkClient);
      schedule();
      return result;
    },
    hasten: feed => {
      track(feed).restsSince = DUE_AT_ONCE;
      schedule();
    },
    forget: feed => {
      tracks.delete(feed.key);
      store.forget(feed);
    },
    health: () => health,
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: () => {
      stopping.abort();
      cancelTimer?.();
    },
  };
}
