import {lastValue, readAt, type Snapshot} from '../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs} from '../domain/time.ts';
import type {Feed} from '../state/feed.ts';
import type {Store} from '../state/store.ts';

/** As long as Prometheus itself repeats the last sample of a series. */
const MAX_AGE_MS: DurationMs = 5 * MINUTE_MS;
/** A list that missed this many readings in a row is stale, as everywhere in skydeck. */
const MAX_INTERVALS = 5;
/** A hundred thousand records take five minutes to read; this is three such readings. */
const MAX_AGE_MS_PER_RECORD: DurationMs = 9;

/**
 * The store without data too old to be repeated: a list that could not be read for a while counts as never read. This
 * applies to these lists only; the bill of a past day does not become stale.
 */
export function currentStore(store: Store, lists: readonly Feed<unknown>[], now: MonotonicMs): Store {
  const listKeys = new Set(lists.map(({key}) => key));
  return {
    ...store,
    get: feed => {
      const snapshot = store.get(feed);
      if (!listKeys.has(feed.key) || !isTooOld(feed, snapshot, now)) return snapshot;
      return snapshot.status === 'stale'
        ? {status: 'failed', failure: snapshot.failure, failedAt: snapshot.failedAt}
        : {status: 'waiting'};
    },
  };
}

/** Whether a list was read too long ago to be repeated. */
export function isTooOld(
  {intervalMs}: Pick<Feed<unknown>, 'intervalMs'>,
  snapshot: Snapshot<unknown>,
  now: MonotonicMs,
): boolean {
  const at = readAt(snapshot);
  const maxAgeMs = Math.max(
    MAX_AGE_MS,
    MAX_INTERVALS * intervalMs,
    MAX_AGE_MS_PER_RECORD * recordCount(lastValue(snapshot)),
  );
  return at !== undefined && now - at > maxAgeMs;
}

function recordCount(value: unknown): number {
  const isListing = typeof value === 'object' && value !== null && 'records' in value;
  return isListing && Array.isArray(value.records) ? value.records.length : 0;
}
