import type {ReadClient} from '../../api/client.ts';
import type {Failure, Result} from '../../domain/failure.ts';
import {say} from '../../domain/safe-text.ts';
import {readAt} from '../../domain/snapshot.ts';
import {type Cancel, type Clock, type DurationMs, monotonicMs, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import type {Feed} from '../feed.ts';
import {afterReading, type BreakerState, UP} from './circuit-breaker.ts';
import {partOf, PollSchedule, type Want} from './poll-schedule.ts';
import type {RequestBudget} from './request-budget.ts';
import type {WritableStore} from '../store.ts';

type FeedReading<T> = {readonly value: T; readonly startedAt: MonotonicMs};

export type Poller = {
  /** Replaces the wants of one caller; feeds that no caller wants are not read. */
  readonly want: (asker: string, wants: readonly Want[]) => void;
  /** Reads everything wanted again as soon as possible. Limited, and never breaks a pause the service asked for. */
  readonly refresh: () => void;
  /**
   * Starts one reading now, even while the feed rests or is being read, for the check before an operation. Fails
   * without a request if the key was refused or the service asked for a pause.
   */
  readonly readNow: <T>(feed: Feed<T>) => Promise<Result<FeedReading<T>>>;
  /** Keeps what a command read itself, as if it had been polled then. */
  readonly keepRead: WritableStore['writeValue'];
  /** Makes the feed due at once, for data that is about to change. Nothing is read if nobody wants it. */
  readonly hasten: (feed: Feed<unknown>) => void;
  /** Forgets what was read, and discards an answer still on its way. */
  readonly forget: (feed: Feed<unknown>) => void;
  /** Roughly how long a due feed must wait for the request budget; 0 if it does not wait for that. */
  readonly budgetWait: (feed: Feed<unknown>) => DurationMs;
  readonly health: () => BreakerState;
  readonly subscribe: (listener: () => void) => Cancel;
  readonly stop: () => void;
};

const MAX_IN_FLIGHT = 4;
/** Holding down the refresh key sends no more requests than this allows. */
const REFRESH_PAUSE_MS = 2 * SECOND_MS;
/**
 * Requests that watching leaves free for the next send: a check of two readings, the request, and the same once more.
 */
const KEPT_FOR_SENDING = 6;
/** The mean pause between the requests for what fell due while the service could not be asked. */
const CATCH_UP_PAUSE_MS = SECOND_MS / 2;
const STOPPED = say`skydeck is closing`;

type PollerOptions = {
  readonly client: ReadClient;
  /** For `readNow`: may use the budget reserved for operations, so that their check does not queue behind a list. */
  readonly checkClient?: ReadClient;
  readonly store: WritableStore;
  readonly clock: Clock;
  readonly budget: RequestBudget;
  /** Feeds that another source supplies; they are never requested from the service. */
  readonly isGiven?: (feed: Feed<unknown>) => boolean;
  /** Uniform in [0, 1). */
  readonly random: () => number;
};

/**
 * The only scheduler of the process: single flight per feed, at most four requests at once. A failure backs off its
 * feed or, if the host is unreachable, everything.
 */
export function createPoller(options: PollerOptions): Poller {
  return new PollLoop(options);
}

/** When a reading began, and when it ended. */
type ReadingTimes = {readonly startedAt: MonotonicMs; readonly now: MonotonicMs};

/**
 * Owns the requests in flight, when to look for due feeds again, and what is known about the host. Its public functions
 * are fields, so that each can be passed on by itself.
 */
class PollLoop implements Poller {
  readonly #client: ReadClient;
  readonly #checkClient: ReadClient;
  readonly #store: WritableStore;
  readonly #clock: Clock;
  readonly #budget: RequestBudget;
  readonly #random: () => number;
  readonly #isGiven: (feed: Feed<unknown>) => boolean;
  readonly #schedule: PollSchedule;
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #health: BreakerState = UP;
  #sleptMs: DurationMs = 0;
  #inFlightCount = 0;
  #cancelTimer: Cancel | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  /** Many decks come back from an outage together, so each reads what fell due meanwhile slowly, the most urgent first. */
  #isCatchingUp = false;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor({client, checkClient = client, store, clock, budget, random, isGiven = () => false}: PollerOptions) {
    this.#client = client;
    this.#checkClient = checkClient;
    this.#store = store;
    this.#clock = clock;
    this.#budget = budget;
    this.#random = random;
    this.#isGiven = isGiven;
    this.#schedule = new PollSchedule(random);
    this.#keepPause();
  }

  readonly health = (): BreakerState => {
    this.#keepPause();
    return this.#health;
  };

  readonly want = (asker: string, wants: readonly Want[]): void => {
    this.#schedule.want(
      asker,
      wants.filter(({feed}) => !this.#isGiven(feed)),
    );
    this.#askForDue();
  };

  readonly refresh = (): void => {
    const now = this.#clock.monotonicNow();
    if (now - this.#refreshedAt < REFRESH_PAUSE_MS) return;
    this.#refreshedAt = now;
    this.#schedule.hastenAll();
    if (this.#health.status === 'not-authorised') this.#health = UP;
    else if (this.#health.status === 'down') this.#health = {...this.#health, retryAt: now};
    this.#askForDue();
  };

  readonly readNow = async <T>(feed: Feed<T>): Promise<Result<FeedReading<T>>> => {
    const refusal = this.#standingRefusal(this.#clock.monotonicNow());
    if (refusal !== undefined) {
      this.#failUnread([feed], refusal);
      return {ok: false, failure: refusal};
    }
    const result = await this.#read(feed, this.#checkClient);
    this.#askForDue();
    return result;
  };

  readonly keepRead = <T>(feed: Feed<T>, value: T, at: MonotonicMs): void => this.#store.writeValue(feed, value, at);

  readonly hasten = (feed: Feed<unknown>): void => {
    this.#schedule.hasten(feed);
    this.#askForDue();
  };

  readonly forget = (feed: Feed<unknown>): void => {
    this.#schedule.forget(feed);
    this.#store.forget(feed);
  };

  readonly budgetWait = (feed: Feed<unknown>): DurationMs => {
    const before =
      this.#health.status === 'up' ? this.#schedule.lineBefore(feed, this.#clock.monotonicNow()) : undefined;
    if (before === undefined) return 0;
    return this.#budget.waitFor(before.isBackground ? 'background' : 'read', before.requestCount + 1);
  };

  readonly subscribe = (listener: () => void): Cancel => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly stop = (): void => {
    this.#stopping.abort();
    this.#cancelTimer?.();
  };

  /** Sends as many due requests as allowed, and schedules the next look if there are more. */
  #askForDue(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#stopping.signal.aborted) return;
    if (this.#health.status === 'not-authorised')
      return this.#failUnread(this.#schedule.wanted(), this.#health.failure);
    this.#keepPause();
    const limit = this.#health.status === 'up' ? MAX_IN_FLIGHT : 1;
    while (this.#inFlightCount < limit) {
      const now = this.#clock.monotonicNow();
      if (this.#health.status !== 'up' && this.#health.retryAt > now) return this.#wakeAt(this.#health.retryAt);
      if (this.#isCatchingUp && this.#pausedUntil > now) return this.#wakeAt(this.#pausedUntil);
      const hasRoom = this.#budget.hasRoom('read');
      // An operation that was sent is watched even if the lists have used up their part of the budget.
      if (!hasRoom && !this.#budget.hasRoom('operation', KEPT_FOR_SENDING)) return this.#wakeAt(now + SECOND_MS);
      const next = this.#schedule.next(now, {
        hasRoomInBackground: this.#budget.hasRoom('background'),
        isForOperations: !hasRoom,
        // One endpoint that always fails must not be the only one that is tried.
        takesTurns: this.#health.status === 'down',
      });
      if ('lookAt' in next) {
        this.#isCatchingUp = false;
        return this.#wakeAt(hasRoom ? next.lookAt : Math.min(next.lookAt, now + SECOND_MS));
      }
      if (this.#isCatchingUp) this.#pausedUntil = now + CATCH_UP_PAUSE_MS * (0.5 + this.#random());
      void this.#poll(next.feed, hasRoom || next.feed.source !== undefined ? this.#client : this.#checkClient);
    }
  }

  /** What was never read and will not be now says why: it is not being read. */
  #failUnread(feeds: readonly Feed<unknown>[], failure: Failure): void {
    for (const feed of feeds) {
      if (feed.source !== undefined || this.#store.get(feed).status !== 'waiting') continue;
      this.#store.writeFailure(feed, failure, this.#clock.monotonicNow());
    }
  }

  #wakeAt(moment: number): void {
    if (moment === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.after(Math.max(1, moment - this.#clock.monotonicNow()), () => this.#askForDue());
  }

  async #poll(feed: Feed<unknown>, by: ReadClient): Promise<void> {
    await this.#read(feed, by);
    this.#askForDue();
  }

  async #read<T>(feed: Feed<T>, by: ReadClient): Promise<Result<FeedReading<T>>> {
    const track = this.#schedule.begin(feed);
    this.#inFlightCount += 1;
    const startedAt = this.#clock.monotonicNow();
    const result = await feed.read(by, this.#stopping.signal);
    this.#inFlightCount -= 1;
    this.#schedule.end(track);
    if (this.#stopping.signal.aborted) return {ok: false, failure: {kind: 'not-sent', detail: STOPPED}};
    const now = this.#clock.monotonicNow();
    this.#judgeHost(feed, result, {startedAt, now});
    // Listeners may want more at once, so the feed rests before they are called. If it was forgotten while its answer
    // was on its way, the answer is dropped.
    const isKept = this.#schedule.rest(feed, track, result, {now, isUp: () => this.#health.status === 'up'});
    if (isKept) this.#keep(feed, result, {startedAt, now});
    return result.ok ? {ok: true, value: {value: result.value, startedAt}} : result;
  }

  #judgeHost(feed: Feed<unknown>, result: Result<unknown>, {startedAt, now}: ReadingTimes): void {
    const wasUp = this.#health.status === 'up';
    if (feed.source !== undefined) return;
    this.#keepPause();
    this.#health = afterReading(this.#health, result.ok ? undefined : result.failure, {
      now,
      startedAt,
      random: this.#random,
      requestKind: feed.kind,
      part: partOf(feed),
    });
    if (wasUp || this.#health.status !== 'up') return;
    this.#schedule.hastenFailed();
    this.#isCatchingUp = true;
  }

  #keep<T>(feed: Feed<T>, result: Result<T>, {startedAt, now}: ReadingTimes): void {
    // Readings may overlap: one begun earlier that fails later says nothing about what was read since.
    if (result.ok) this.#store.writeValue(feed, result.value, startedAt);
    else if ((readAt(this.#store.get(feed)) ?? startedAt) <= startedAt)
      this.#store.writeFailure(feed, result.failure, now);
    for (const listener of this.#listeners) listener();
  }

  /**
   * The service ends its pause by its own clock. A sleep, which may be no more than a clock set forward here, is no part
   * of it: the rest of the pause begins after that, as for the requests of the last minute.
   */
  #keepPause(): void {
    const sleptMs = this.#clock.sleptMs?.() ?? 0;
    const moreMs = sleptMs - this.#sleptMs;
    this.#sleptMs = sleptMs;
    if (moreMs === 0 || this.#health.status !== 'rate-limited') return;
    this.#health = {...this.#health, retryAt: monotonicMs(this.#health.retryAt + moreMs)};
  }

  /** Why nothing may be requested now, by anyone. */
  #standingRefusal(now: MonotonicMs): Failure | undefined {
    this.#keepPause();
    if (this.#health.status === 'not-authorised') return this.#health.failure;
    if (this.#health.status !== 'rate-limited' || this.#health.retryAt <= now) return undefined;
    return {kind: 'rate-limited', retryAfterMs: this.#health.retryAt - now};
  }
}
