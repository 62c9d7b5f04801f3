import type {ReadClient} from '../api/client.ts';
import type {Failure, Result} from '../domain/failure.ts';
import {say} from '../domain/safe-text.ts';
import {readAt} from '../domain/snapshot.ts';
import {type Cancel, type Clock, type DurationMs, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Feed} from './feed.ts';
import {afterReading, type BreakerState, UP} from './circuit-breaker.ts';
import {PollSchedule, type Want} from './poll-schedule.ts';
import type {RequestBudget} from './request-budget.ts';
import type {WritableStore} from './store.ts';

type Reading<T> = {readonly value: T; readonly startedAt: MonotonicMs};

export type Poller = {
  /** Replaces what one caller wants; feeds that no caller wants are not read. */
  readonly want: (asker: string, wants: readonly Want[]) => void;
  /** Everything wanted is read again as soon as it may be. Bounded, and never breaks a pause the service asked for. */
  readonly refresh: () => void;
  /**
   * One reading begun now, also while the feed rests or is being read: for the check before an operation. It fails
   * without asking where the key was refused or the service asked for a pause.
   */
  readonly readNow: <T>(feed: Feed<T>) => Promise<Result<Reading<T>>>;
  /** Makes the feed due at once, for data that is about to change. Nothing is read where nobody wants it. */
  readonly hasten: (feed: Feed<unknown>) => void;
  /** What was read of it is known no more, and an answer that is still on its way is thrown away. */
  readonly forget: (feed: Feed<unknown>) => void;
  /** How long the reading of a feed that is due has to wait for the request budget, about; 0 where that is not the reason. */
  readonly budgetWait: (feed: Feed<unknown>) => DurationMs;
  readonly health: () => BreakerState;
  readonly subscribe: (listener: () => void) => Cancel;
  readonly stop: () => void;
};

const MAX_IN_FLIGHT = 4;
/** Holding the refresh key down sends no more requests than this allows. */
const REFRESH_PAUSE_MS = 2 * SECOND_MS;
/** Room that watching leaves for what is sent next: a check of two readings, the request, and the same once more. */
const KEPT_FOR_SENDING = 6;
const STOPPED = say`skydeck is closing`;

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
  /** What another source supplies: it is never requested from the service. */
  readonly isGiven?: (feed: Feed<unknown>) => boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}): Poller {
  const {client, checkClient = client, store, clock, budget, random, isGiven = () => false} = options;
  const schedule = new PollSchedule(random);
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let health: BreakerState = UP;
  let inFlightCount = 0;
  let cancelTimer: Cancel | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;

  /** Asks for what is due, as much as may be asked at once, and looks again when there is more. */
  function askForDue(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (stopping.signal.aborted || health.status === 'not-authorised') return;
    const limit = health.status === 'up' ? MAX_IN_FLIGHT : 1;
    while (inFlightCount < limit) {
      const now = clock.monotonicNow();
      if (health.status !== 'up' && health.retryAt > now) return wakeAt(health.retryAt);
      const hasRoom = budget.hasRoom('read');
      // What was sent is watched also where the lists have used up their part.
      if (!hasRoom && !budget.hasRoom('operation', KEPT_FOR_SENDING)) return wakeAt(now + SECOND_MS);
      const next = schedule.next(now, {
        hasRoomInBackground: budget.hasRoom('background'),
        isForOperations: !hasRoom,
      });
      if ('lookAt' in next) return wakeAt(hasRoom ? next.lookAt : Math.min(next.lookAt, now + SECOND_MS));
      void poll(next.feed, hasRoom || next.feed.source !== undefined ? client : checkClient);
    }
  }

  function wakeAt(moment: number): void {
    if (moment === Number.POSITIVE_INFINITY) return;
    cancelTimer = clock.after(Math.max(1, moment - clock.monotonicNow()), askForDue);
  }

  async function poll(feed: Feed<unknown>, by: ReadClient): Promise<void> {
    await read(feed, by);
    askForDue();
  }

  async function read<T>(feed: Feed<T>, by: ReadClient): Promise<Result<Reading<T>>> {
    const track = schedule.begin(feed);
    inFlightCount += 1;
    const startedAt = clock.monotonicNow();
    const result = await feed.read(by, stopping.signal);
    inFlightCount -= 1;
    schedule.end(track);
    if (stopping.signal.aborted) return {ok: false, failure: {kind: 'not-sent', detail: STOPPED}};
    const now = clock.monotonicNow();
    judgeHost(feed, result, now);
    // A listener may want more at once, so the feed rests before the listeners are called. Where it was
    // forgotten while its answer was on its way, the answer is dropped.
    const isKept = schedule.rest(feed, track, result, {now, isUp: () => health.status === 'up'});
    if (isKept) keep(feed, result, {startedAt, now});
    return result.ok ? {ok: true, value: {value: result.value, startedAt}} : result;
  }

  function judgeHost(feed: Feed<unknown>, result: Result<unknown>, now: MonotonicMs): void {
    const wasUp = health.status === 'up';
    if (feed.source !== undefined) return;
    const [question = ''] = feed.key.split(':');
    health = afterReading(health, result.ok ? undefined : result.failure, {now, random, question});
    if (!wasUp && health.status === 'up') schedule.hastenFailed();
  }

  function keep<T>(
    feed: Feed<T>,
    result: Result<T>,
    {startedAt, now}: {readonly startedAt: MonotonicMs; readonly now: MonotonicMs},
  ): void {
    // Readings may overlap: one that was begun earlier and fails later says nothing about what was read since.
    if (result.ok) store.writeValue(feed, result.value, startedAt);
    else if ((readAt(store.get(feed)) ?? startedAt) <= startedAt) store.writeFailure(feed, result.failure, now);
    for (const listener of listeners) listener();
  }

  /** Why nothing may be asked now, whoever asks. */
  function standingRefusal(now: MonotonicMs): Failure | undefined {
    if (health.status === 'not-authorised') return health.failure;
    if (health.status !== 'rate-limited' || health.retryAt <= now) return undefined;
    return {kind: 'rate-limited', retryAfterMs: health.retryAt - now};
  }

  return {
    want: (asker, wants) => {
      schedule.want(
        asker,
        wants.filter(({feed}) => !isGiven(feed)),
      );
      askForDue();
    },
    refresh: () => {
      const now = clock.monotonicNow();
      if (now - refreshedAt < REFRESH_PAUSE_MS) return;
      refreshedAt = now;
      schedule.hastenAll();
      if (health.status === 'not-authorised') health = UP;
      else if (health.status === 'down') health = {...health, retryAt: now};
      askForDue();
    },
    readNow: async feed => {
      const refusal = standingRefusal(clock.monotonicNow());
      if (refusal !== undefined) return {ok: false, failure: refusal};
      const result = await read(feed, checkClient);
      askForDue();
      return result;
    },
    hasten: feed => {
      schedule.hasten(feed);
      askForDue();
    },
    forget: feed => {
      schedule.forget(feed);
      store.forget(feed);
    },
    budgetWait: feed => {
      const before = health.status === 'up' ? schedule.lineBefore(feed, clock.monotonicNow()) : undefined;
      if (before === undefined) return 0;
      return budget.waitFor(before.isBackground ? 'background' : 'read', before.requestCount + 1);
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
