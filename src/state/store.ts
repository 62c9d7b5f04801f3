import {assert} from '../domain/assert.ts';
import type {Failure} from '../domain/failure.ts';
import {afterFailure, goneAt, readAt as lastReadAt, lastValue, type Snapshot} from '../domain/snapshot.ts';
import type {Cancel, MonotonicMs} from '../domain/time.ts';
import type {Feed, FeedName} from './feed.ts';

/** What we know now: one snapshot per feed. The deck's are written by the poller, and by the readings of Prometheus. */
export type Store = {
  readonly get: <T>(feed: Feed<T>) => Snapshot<T>;
  /** The names of all feeds that were read or failed. */
  readonly names: () => Iterable<FeedName>;
  readonly subscribe: (listener: () => void) => Cancel;
  /**
   * Grows with every change, but not if the same data was read again, so that callers can ask cheaply whether anything
   * changed.
   */
  readonly version: () => number;
  /** Whether a record of this list was read on its own after the list was, or found not to exist. */
  readonly hasNewerParts: (list: Feed<unknown>) => boolean;
};

export type WritableStore = Store & {
  readonly writeValue: <T>(feed: Feed<T>, value: T, readAt: MonotonicMs) => void;
  readonly writeFailure: <T>(feed: Feed<T>, failure: Failure, failedAt: MonotonicMs) => void;
  /** Drops the value: for secrets that may be shown only once. */
  readonly forget: (feed: Feed<unknown>) => void;
};

/** One object, so that what is kept per snapshot is kept while nothing was read, too. */
const WAITING = {status: 'waiting'} as const;

/** Metrics and events are kept for the machines viewed last; lists are always among the newest. */
const MAX_SNAPSHOTS = 2000;

export function createStore(): WritableStore {
  // A feed's key decides the type of its value, which the map cannot express: hence the one cast in `get`.
  const snapshots = new Map<string, {readonly name: FeedName; readonly snapshot: Snapshot<unknown>}>();
  const listeners = new Set<() => void>();
  const newestParts = new Map<string, MonotonicMs>();
  let version = 0;

  function get<T>(feed: Feed<T>): Snapshot<T> {
    return (snapshots.get(feed.key)?.snapshot as Snapshot<T> | undefined) ?? WAITING;
  }

  function hasNewerParts(list: Feed<unknown>): boolean {
    const partAt = newestParts.get(list.key);
    return partAt !== undefined && partAt > (lastReadAt(get(list)) ?? partAt);
  }

  /**
   * If the same value is read again, only its age changes, unless it restores a record that a later reading had
   * replaced.
   */
  function isChange<T>(feed: Feed<T>, snapshot: Snapshot<T>): boolean {
    const previous = get(feed);
    const isSame = previous.status === 'fresh' && snapshot.status === 'fresh' && previous.value === snapshot.value;
    return !isSame || feed.listKey !== undefined || hasNewerParts(feed);
  }

  function write<T>(feed: Feed<T>, snapshot: Snapshot<T>): void {
    if (isChange(feed, snapshot)) version += 1;
    const partAt = snapshot.status === 'fresh' ? snapshot.readAt : goneAt(snapshot);
    if (feed.listKey !== undefined && partAt !== undefined) newestParts.set(feed.listKey, partAt);
    snapshots.delete(feed.key);
    snapshots.set(feed.key, {name: feed, snapshot});
    const oldest = snapshots.keys().next();
    if (snapshots.size > MAX_SNAPSHOTS && !oldest.done) snapshots.delete(oldest.value);
    assert(snapshots.size <= MAX_SNAPSHOTS, 'the store grew beyond its bound');
    for (const listener of listeners) listener();
  }

  return {
    get,
    names: () => Array.from(snapshots.values(), ({name}) => name),
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
    hasNewerParts,
    writeValue: (feed, value, readAt) => {
      // Two readings of a feed may overlap (the check before an operation does not wait for a poll): the later request
      // counts.
      if ((lastReadAt(get(feed)) ?? readAt) > readAt) return;
      const previous = lastValue(get(feed));
      const merged = previous !== undefined && feed.merge !== undefined ? feed.merge(previous, value) : value;
      write(feed, {status: 'fresh', value: merged, readAt});
    },
    writeFailure: (feed, failure, failedAt) => write(feed, afterFailure(get(feed), failure, failedAt)),
    forget: feed => {
      if (!snapshots.delete(feed.key)) return;
      version += 1;
      for (const listener of listeners) listener();
    },
  };
}
