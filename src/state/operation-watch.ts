import {assert} from '../domain/assert.ts';
import type {CloudResource} from '../domain/cloud-resource.ts';
import type {Observation} from '../domain/observation.ts';
import {awaitsLateEffect, type Operation} from '../domain/operation.ts';
import {type Clock, type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {organizationFeed} from './account.ts';
import type {Actions} from './action.ts';
import {readingsOf} from './action-readings.ts';
import {lockKey, type OperationBook} from './operation-book.ts';
import type {Want} from './poll-schedule.ts';
import type {Poller} from './poller.ts';
import type {Store} from './store.ts';

/** How often the object is read while an operation is under way: often at first, then less. */
const WATCH_PACES: readonly {readonly untilMs: number; readonly intervalMs: number}[] = [
  {untilMs: 2 * MINUTE_MS, intervalMs: 2.5 * SECOND_MS},
  {untilMs: 15 * MINUTE_MS, intervalMs: 10 * SECOND_MS},
  {untilMs: Number.POSITIVE_INFINITY, intervalMs: 30 * SECOND_MS},
];
/** Ahead of every feed that is only displayed. */
const WATCH_PRIORITY = 0;
/** For an effect that may still come: it holds no lock, so it need not be seen at once. */
const LATE_INTERVAL_MS = 10 * SECOND_MS;

type Begun = {readonly startedAt: number; readonly eventsStartedAt: number};
const BEFORE_ALL: Begun = {startedAt: Number.NEGATIVE_INFINITY, eventsStartedAt: Number.NEGATIVE_INFINITY};

type Watched = {
  readonly open: readonly Operation[];
  readonly late: readonly Operation[];
  /** Whose account this is has to be known before some of them can be judged. */
  readonly needsOrganization: boolean;
};

/**
 * Owns what is read of the objects of operations: which readings the poller is asked for, which of them were put to their
 * operation already, and which operations that ended without an effect are still looked after.
 */
export class OperationWatch {
  readonly #actions: Actions;
  readonly #poller: Poller;
  readonly #store: Store;
  readonly #clock: Clock;
  /** By the operation's id: when the newest readings that were put to it were begun. */
  readonly #seen = new Map<string, Begun>();
  readonly #late = new Set<string>();

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
   * The newest reading of the operation's object that was not put to it yet. Its history is a reading of its own, and each
   * of the two counts once: to wait for a history younger than its state would take many readings where answers come
   * slowly and out of order.
   */
  newest(operation: Operation): Observation<CloudResource> | undefined {
    const {startedAt, eventsStartedAt} = this.#seen.get(operation.id) ?? BEFORE_ALL;
    const {sentAt = startedAt} = operation;
    const seen = this.lastRead(operation);
    if (seen === undefined || seen.startedAt <= Math.max(startedAt, sentAt)) return undefined;
    const isOldHistory = (seen.eventsStartedAt ?? seen.startedAt) <= Math.max(eventsStartedAt, sentAt);
    return isOldHistory ? undefined : seen;
  }

  markSeen({id}: Operation, {startedAt, eventsStartedAt = startedAt}: Observation<CloudResource>): void {
    this.#seen.set(id, {startedAt, eventsStartedAt});
  }

  /** No reading of it counts any more, unless its effect may still come. */
  end(operation: Operation): void {
    this.#seen.delete(operation.id);
    if (awaitsLateEffect(operation, this.#clock.monotonicNow())) this.#late.add(operation.id);
  }

  /** Those that ended without an effect which may still come. */
  late(book: OperationBook): readonly Operation[] {
    return [...this.#late].flatMap(id => book.get(id) ?? []);
  }

  isLate({id}: Operation): boolean {
    return this.#late.has(id);
  }

  /** After each look: an effect that cannot come any more is waited for no longer. */
  endLate(operation: Operation): void {
    if (awaitsLateEffect(operation, this.#clock.monotonicNow())) return;
    this.#late.delete(operation.id);
    this.#seen.delete(operation.id);
  }

  /** What is seen on an object from now on may be the effect of what begins on it now. */
  forgetLate(begun: Operation, book: OperationBook): void {
    for (const operation of this.late(book)) {
      if (lockKey(operation) === lockKey(begun)) this.#late.delete(operation.id);
    }
  }

  /** Asks the poller for the objects under way, and for nothing when all has ended. */
  want({open, late, needsOrganization}: Watched): void {
    const now = this.#clock.monotonicNow();
    const wants = [
      ...open.flatMap(operation => this.#wantsOf(operation, watchIntervalMs(operation, now))),
      ...late.flatMap(operation => this.#wantsOf(operation, LATE_INTERVAL_MS)),
    ];
    const organization = needsOrganization ? [{feed: organizationFeed, priority: WATCH_PRIORITY}] : [];
    this.#poller.want('operations', [...wants, ...organization]);
  }

  #wantsOf({action}: Operation, intervalMs: DurationMs | undefined): readonly Want[] {
    if (intervalMs === undefined) return [];
    return readingsOf(action, this.#actions).feeds.map(feed => ({
      feed,
      priority: WATCH_PRIORITY,
      intervalMs,
      isForOperation: true,
    }));
  }
}

/** How often what is under way is read; not at all before it is sent. */
function watchIntervalMs({sentAt}: Operation, now: MonotonicMs): DurationMs | undefined {
  if (sentAt === undefined) return undefined;
  const elapsedMs = now - sentAt;
  const pace = WATCH_PACES.find(({untilMs}) => elapsedMs < untilMs);
  assert(pace !== undefined, 'the last watch pace has no end');
  return pace.intervalMs;
}
