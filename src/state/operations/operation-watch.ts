import {assert} from '../../domain/assert.ts';
import type {CloudResource} from '../../domain/cloud-resource.ts';
import type {Observation} from '../../domain/observation.ts';
import {awaitedMs, awaitsLateEffect, type Operation} from '../../domain/operation.ts';
import {type Clock, type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import {readAt} from '../../domain/snapshot.ts';
import {organizationFeed} from '../account.ts';
import type {Actions} from './action.ts';
import {type ActionReadings, readingsOf} from './action-readings.ts';
import {usageFeed} from '../billing.ts';
import type {Feed} from '../feed.ts';
import {lockKey, type OperationBook} from './operation-book.ts';
import type {Want} from '../poller/poll-schedule.ts';
import type {Poller} from '../poller/poller.ts';
import type {Store} from '../store.ts';

/** How often the object is read while an operation is under way: frequently at first, then less often. */
const WATCH_PACES: readonly {readonly untilMs: number; readonly intervalMs: number}[] = [
  {untilMs: 2 * MINUTE_MS, intervalMs: 2.5 * SECOND_MS},
  {untilMs: 15 * MINUTE_MS, intervalMs: 10 * SECOND_MS},
  {untilMs: Number.POSITIVE_INFINITY, intervalMs: 30 * SECOND_MS},
];
/** Ahead of every feed that is only displayed. */
const WATCH_PRIORITY = 0;
const MONEY_PRIORITY = 1;
/** For an effect that may still come. It locks nothing, so it need not be seen at once. */
const LATE_INTERVAL_MS = 10 * SECOND_MS;
/** From this many objects of one list on, the list is read instead of each object. */
const READ_AS_LIST = 3;
/** About half of the budget: the more objects are read one by one, the less often each is. */
const MAX_READS_PER_MINUTE = 48;

type StartTimes = {readonly startedAt: number; readonly eventsStartedAt: number};
const BEFORE_ALL: StartTimes = {startedAt: Number.NEGATIVE_INFINITY, eventsStartedAt: Number.NEGATIVE_INFINITY};

/** An operation, and what its object is watched by. */
type WatchedReadings = {
  readonly operation: Operation;
  readonly readings: ActionReadings;
  /** Read instead of the object. */
  readonly list?: {readonly feed: Feed<unknown>; readonly requestCount: number};
};
type WatchWant = Want & {readonly intervalMs: DurationMs; readonly requestCount: number};

type WatchedOperations = {
  readonly open: readonly Operation[];
  readonly late: readonly Operation[];
  /** Some operations can be judged only once the account's organization is known. */
  readonly needsOrganization: boolean;
};

/**
 * Owns the readings of operations' objects: which readings the poller has to make, which of them an operation has
 * already seen, and which operations that ended without an effect are still watched.
 */
export class OperationWatch {
  readonly #actions: Actions;
  readonly #poller: Poller;
  readonly #store: Store;
  readonly #clock: Clock;
  /** By operation id: when the newest readings it has seen were begun. */
  readonly #seen = new Map<string, StartTimes>();
  readonly #late = new Set<string>();
  /** When the last operation ended; cleared once usage was read, which shows what the object costs now. */
  #endedAt: MonotonicMs | undefined;

  constructor({
    actions,
    poller,
    store,
    clock,
  }: {
    readonly actions: Actions;
    readonly poller: Poller;
    readonly store: Store;
    readonly clock: Clock;
  }) {
    this.#actions = actions;
    this.#poller = poller;
    this.#store = store;
    this.#clock = clock;
  }

  /** What the store shows of the operation's object. */
  lastRead({action}: Operation): Observation<CloudResource> | undefined {
    return readingsOf(action, this.#actions).newest(this.#store);
  }

  /**
   * The newest reading of the object that the operation has not seen yet. The object's history is a separate reading,
   * and each of the two counts only once: requiring the history to be older than the state would cost many readings
   * when answers are slow and out of order.
   */
  newest(operation: Operation): Observation<CloudResource> | undefined {
    const {startedAt, eventsStartedAt} = this.#seen.get(operation.id) ?? BEFORE_ALL;
    const {action, sentAt = startedAt} = operation;
    const seen = readingsOf(action, this.#actions).newest(this.#store, trustsList(operation) ? undefined : 'alone');
    if (seen === undefined || seen.startedAt <= Math.max(startedAt, sentAt)) return undefined;
    const isOldHistory = (seen.eventsStartedAt ?? seen.startedAt) <= Math.max(eventsStartedAt, sentAt);
    return isOldHistory && needsHistory(operation) ? undefined : seen;
  }

  markSeen({id}: Operation, {startedAt, eventsStartedAt = startedAt}: Observation<CloudResource>): void {
    this.#seen.set(id, {startedAt, eventsStartedAt});
  }

  /** No reading counts for it any more, unless its effect may still come. */
  end(operation: Operation): void {
    this.#seen.delete(operation.id);
    this.#endedAt = this.#clock.monotonicNow();
    if (awaitsLateEffect(operation, this.#clock.monotonicNow())) this.#late.add(operation.id);
  }

  /** Whether usage is being read because an operation ended, or was until now. */
  wantsMoney(): boolean {
    return this.#endedAt !== undefined;
  }

  /** Saving money is why operations are sent, so after each of them usage is read once, ahead of the lists. */
  #moneyWants(): readonly Want[] {
    const endedAt = this.#endedAt;
    if (endedAt === undefined) return [];
    const isRead = (readAt(this.#store.get(usageFeed)) ?? endedAt) > endedAt;
    if (isRead || this.#clock.monotonicNow() - endedAt > MINUTE_MS) this.#endedAt = undefined;
    return this.#endedAt === undefined ? [] : [{feed: usageFeed, priority: MONEY_PRIORITY, isForOperation: true}];
  }

  /** Operations that ended without an effect which may still come. */
  late(book: OperationBook): readonly Operation[] {
    return [...this.#late].flatMap(id => book.get(id) ?? []);
  }

  isLate({id}: Operation): boolean {
    return this.#late.has(id);
  }

  /** Called after each reading: an effect that can no longer come is not waited for. */
  endLate(operation: Operation): void {
    if (awaitsLateEffect(operation, this.#clock.monotonicNow())) return;
    this.#late.delete(operation.id);
    this.#seen.delete(operation.id);
  }

  /** From now on, what is seen on the object may be the effect of the operation beginning on it. */
  forgetLate(begun: Operation, book: OperationBook): void {
    for (const operation of this.late(book)) {
      if (lockKey(operation) === lockKey(begun)) this.#late.delete(operation.id);
    }
  }

  /** Asks the poller for the objects under way, or for nothing once all have ended. */
  want({open, late, needsOrganization}: WatchedOperations): void {
    const now = this.#clock.monotonicNow();
    const wants = [
      ...this.#waysOf(open).flatMap(way => wantsOf(way, watchIntervalMs(way.operation, now))),
      ...late.flatMap(operation => wantsOf(this.#alone(operation), LATE_INTERVAL_MS)),
    ];
    const organization = needsOrganization ? [{feed: organizationFeed, priority: WATCH_PRIORITY}] : [];
    this.#poller.want('operations', [...spread(wants), ...organization, ...this.#moneyWants()]);
  }

  /** A short transition is seen only by a reading that begins now; with many at once, the list is read soon enough. */
  hasten({id}: Operation, open: readonly Operation[]): void {
    const way = this.#waysOf(open).find(({operation}) => operation.id === id);
    if (way !== undefined && way.list === undefined) this.#poller.hasten(way.readings.feeds[0]);
  }

  #alone(operation: Operation): WatchedReadings {
    return {operation, readings: readingsOf(operation.action, this.#actions)};
  }

  /** Several objects of one list are watched through the list, if that takes fewer requests. */
  #waysOf(operations: readonly Operation[]): readonly WatchedReadings[] {
    const ways = operations.map(operation => this.#alone(operation));
    const groups = Map.groupBy(ways, way => this.#listOf(way)?.feed.key);
    return [...groups.values()].flatMap(group => {
      const list = this.#listFor(group);
      return list === undefined ? group : group.map(way => ({...way, list}));
    });
  }

  /** The list that may be read instead of the object, if it shows the object. */
  #listOf({operation, readings: {list}}: WatchedReadings): ActionReadings['list'] {
    const {sentAt} = operation;
    if (list === undefined || sentAt === undefined || !trustsList(operation)) return undefined;
    return list.lacksSince(this.#store, sentAt) ? undefined : list;
  }

  #listFor(group: readonly WatchedReadings[]): WatchedReadings['list'] {
    const list = group[0] && this.#listOf(group[0]);
    if (list === undefined) return undefined;
    const aloneCount = new Set(group.map(({readings}) => readings.feeds[0].key)).size;
    const requestCount = list.requestCount(this.#store) ?? 1;
    return aloneCount >= READ_AS_LIST && requestCount < aloneCount ? {feed: list.feed, requestCount} : undefined;
  }
}

/**
 * Whether the list may decide how it stands. It may lag behind the object's own reading, so only that decides when the
 * outcome is unknown or looks different from what was asked for.
 */
function trustsList({phase, otherReadCount}: Operation): boolean {
  const isAnswered = phase === 'accepted' || phase === 'in-progress' || phase === 'overdue';
  return isAnswered && otherReadCount === 0;
}

/** Whether a state counts only together with a history the operation has not seen before. */
function needsHistory({traits, otherReadCount}: Operation): boolean {
  return traits.alsoReads === 'events' || otherReadCount > 0;
}

function wantsOf(
  {operation, readings, list}: WatchedReadings,
  intervalMs: DurationMs | undefined,
): readonly WatchWant[] {
  if (intervalMs === undefined) return [];
  const {feeds, cause} = readings;
  const [own, ...others] = feeds;
  const causes = cause !== undefined && operation.otherReadCount > 0 ? [cause] : [];
  const alone = [own, ...others, ...causes].map(feed => ({feed, requestCount: 1}));
  const watched = list === undefined ? alone : alone.with(0, list);
  return watched.map(reading => ({...reading, priority: WATCH_PRIORITY, intervalMs, isForOperation: true}));
}

/** Read less often if all of them together would exceed the budget. */
function spread(wants: readonly WatchWant[]): readonly Want[] {
  const counts = new Map(
    wants.flatMap(({feed, requestCount}) => (feed.intervalMs < MINUTE_MS ? [[feed.key, requestCount] as const] : [])),
  );
  const requestCount = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const leastMs = (requestCount * MINUTE_MS) / MAX_READS_PER_MINUTE;
  return wants.map(want => ({...want, intervalMs: Math.max(want.intervalMs, leastMs)}));
}

/** How often an operation's object is read; never before it is sent. */
function watchIntervalMs(operation: Operation, now: MonotonicMs): DurationMs | undefined {
  const elapsedMs = awaitedMs(operation, now);
  if (elapsedMs === undefined) return undefined;
  const pace = WATCH_PACES.find(({untilMs}) => elapsedMs < untilMs);
  assert(pace !== undefined, 'the last watch pace has no end');
  return pace.intervalMs;
}
