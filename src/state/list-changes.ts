import {lastValue, readAt, type Snapshot} from '../domain/snapshot.ts';
import {type EpochMs, epochMs, type MonotonicMs} from '../domain/time.ts';
import {appearance, type Compared, changesOf} from '../domain/timeline/changes.ts';
import type {Between, TimelineEntry} from '../domain/timeline/entry.ts';
import {type Feed, isWhole, type Listing} from './feed.ts';
import type {Store} from './store.ts';

type ReadingMoment = {readonly store: Store; readonly now: EpochMs; readonly monotonicNow: MonotonicMs};

/** What changed in one list since it was last asked. */
export type ListChanges = (moment: ReadingMoment) => readonly TimelineEntry[];

type KnownRecord<R> = {readonly record: R; readonly isMissing: boolean};

/** A list in which changes are looked for: what it was at the last reading. */
type Watched<R> = {
  readonly compared: Compared<R>;
  readonly feed: Feed<Listing<R>>;
  listing: Listing<R> | undefined;
  readAt: EpochMs;
  known: ReadonlyMap<number, KnownRecord<R>>;
};

/** Compares the readings of one list; a function, so that each list keeps its own type of record. */
export function listChanges<R>(compared: Compared<R>, feed: Feed<Listing<R>>): ListChanges {
  const list: Watched<R> = {compared, feed, listing: undefined, readAt: epochMs(0), known: new Map()};
  return moment => lookAtList(list, moment);
}

function lookAtList<R>(list: Watched<R>, moment: ReadingMoment): readonly TimelineEntry[] {
  const {compared, feed, known, listing: before} = list;
  const snapshot = moment.store.get(feed);
  const listing = lastValue(snapshot);
  if (listing === undefined || listing === before) return [];
  const between: Between = {after: list.readAt, at: startedAt(snapshot, moment)};
  list.listing = listing;
  list.readAt = between.at;
  // A record missing from an incomplete list proves nothing. Nor does one reading without it: the service's lists are not
  // stable.
  const areAllThere = isWhole(listing);
  const present = new Map(listing.records.map((record): [number, R] => [compared.idOf(record), record]));
  const absent = [...known].filter(([id]) => !present.has(id));
  const gone = areAllThere ? absent.filter(([, {isMissing}]) => isMissing) : [];
  const goneIds = new Set(gone.map(([id]) => id));
  list.known = new Map([
    ...[...present].map(([id, record]): [number, KnownRecord<R>] => [id, {record, isMissing: false}]),
    ...absent
      .filter(([id]) => !goneIds.has(id))
      .map(([id, {record, isMissing}]): [number, KnownRecord<R>] => [
        id,
        {record, isMissing: areAllThere || isMissing},
      ]),
  ]);
  if (before === undefined) return [];
  return [
    ...[...present].flatMap(([id, record]) => {
      const was = known.get(id)?.record;
      if (was === undefined) return appearance(compared, record, between, 'new');
      return was === record ? [] : changesOf(compared, was, record, between);
    }),
    ...gone.map(([, {record}]) => appearance(compared, record, between, 'gone')),
  ];
}

/** When a reading was begun, on the service's clock as far as that is known. */
export function startedAt(snapshot: Snapshot<unknown>, {now, monotonicNow}: ReadingMoment): EpochMs {
  return epochMs(now - Math.max(0, monotonicNow - (readAt(snapshot) ?? monotonicNow)));
}
