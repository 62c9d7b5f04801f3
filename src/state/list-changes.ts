import {lastValue, readAt, type Snapshot} from '../domain/snapshot.ts';
import {type EpochMs, epochMs, type MonotonicMs} from '../domain/time.ts';
import {
  appearance,
  type Compared,
  changesOf,
  type Lacking,
  lackingIn,
  type MachineName,
} from '../domain/timeline/changes.ts';
import type {Between, TimelineEntry} from '../domain/timeline/entry.ts';
import {type Feed, isWhole, type Listing} from './feed.ts';
import {observedById} from './machines.ts';
import type {Store} from './store.ts';

/**
 * Enough for a night in an account with thousands of machines; at some hundred bytes an entry, less than a megabyte.
 */
export const MAX_CHANGES = 2000;

type ReadingMoment = {readonly store: Store} & Now;
type Now = {readonly now: EpochMs; readonly monotonicNow: MonotonicMs};

/** The changes in one list since the previous call. */
export type ListChanges = (moment: ReadingMoment) => readonly TimelineEntry[];

type KnownRecord<R> = {
  readonly record: R;
  readonly absence?: Absence;
  /** What could not be read in it, as last read. */
  readonly lacking?: Lacking<R> | undefined;
};

/** When a record went missing. */
type Absence = {
  /** The last reading that had it. */
  readonly after: EpochMs;
  /** The first complete list without it: a record missing from an incomplete one may still exist. */
  readonly at: EpochMs | undefined;
};

/** Records that one list lacks may be kept in it until the next: they count as missing here. */
type WatchedListing<R> = Listing<R> & {readonly missingOnce?: ReadonlySet<number>};

/** A list to watch for changes, and its content at the last reading. */
type WatchedList<R> = {
  readonly compared: Compared<R>;
  readonly feed: Feed<WatchedListing<R>>;
  listing: WatchedListing<R> | undefined;
  /** Which reading that was, since a later one of the same bytes has the same listing. */
  reading: MonotonicMs | undefined;
  readAt: EpochMs;
  known: ReadonlyMap<number, KnownRecord<R>>;
};

/** Compares the readings of one list. A function, so that each list keeps its own record type. */
export function listChanges<R>(compared: Compared<R>, feed: Feed<WatchedListing<R>>): ListChanges {
  const list: WatchedList<R> = {
    compared,
    feed,
    listing: undefined,
    reading: undefined,
    readAt: epochMs(0),
    known: new Map(),
  };
  return moment => lookAtList(list, moment);
}

function lookAtList<R>(list: WatchedList<R>, moment: ReadingMoment): readonly TimelineEntry[] {
  const {compared, feed, known, listing: before} = list;
  const snapshot = moment.store.get(feed);
  const [listing, reading] = [lastValue(snapshot), readAt(snapshot)];
  if (listing === undefined || (listing === before && reading === list.reading)) return [];
  const between: Between = {after: list.readAt, at: startedAt(snapshot, moment)};
  list.listing = listing;
  list.reading = reading;
  list.readAt = between.at;
  // The same listing once more changes nothing, but for a record missing from it: this is the second reading.
  if (listing === before && ![...known.values()].some(({absence}) => absence !== undefined)) return [];
  const present = new Map(listing.records.map(record => [compared.idOf(record), record]));
  for (const id of listing.missingOnce ?? []) present.delete(id);
  const areAllThere = isWhole(listing);
  list.known = knownAfter({compared, known}, present, {after: between.after, at: areAllThere ? between.at : undefined});
  if (before === undefined) return [];
  const machineName: MachineName = id => observedById(moment.store).get(Number(id.slice(1)))?.name;
  return [
    ...latestChanges({compared, known}, [...present.values()], {...between, machineName}),
    ...(areAllThere ? goneEntries({compared, known}, present) : []),
  ];
}

/** The lists of the service are not stable, so what is missing from a single one proves nothing. */
function goneEntries<R>(
  {compared, known}: Pick<WatchedList<R>, 'compared' | 'known'>,
  present: ReadonlyMap<number, R>,
): readonly TimelineEntry[] {
  return [...known].flatMap(([id, {record, absence}]) => {
    if (absence?.at === undefined || present.has(id)) return [];
    return appearance(compared, record, {after: absence.after, at: absence.at}, 'gone');
  });
}

/** In the order of the records. If a list grows suddenly, entries beyond what can be kept are not created. */
function latestChanges<R>(
  {compared, known}: Pick<WatchedList<R>, 'compared' | 'known'>,
  records: readonly R[],
  {machineName, ...between}: Between & {readonly machineName: MachineName},
): readonly TimelineEntry[] {
  const latestFirst: (readonly TimelineEntry[])[] = [];
  let entryCount = 0;
  for (const record of records.toReversed()) {
    const was = known.get(compared.idOf(record));
    if (was?.record === record) continue;
    if (entryCount >= MAX_CHANGES) break;
    const entries =
      was === undefined
        ? [appearance(compared, record, between, 'new')]
        : changesOf(compared, was.record, record, {
            ...between,
            after: was.absence?.after ?? between.after,
            machineName,
            lacking: was.lacking,
          });
    entryCount += entries.length;
    latestFirst.push(entries);
  }
  return latestFirst.reverse().flat();
}

/** Unchanged records are skipped: there may be twenty thousand of them. */
function knownAfter<R>(
  {compared, known}: Pick<WatchedList<R>, 'compared' | 'known'>,
  present: ReadonlyMap<number, R>,
  absence: Absence,
): ReadonlyMap<number, KnownRecord<R>> {
  const after = new Map<number, KnownRecord<R>>();
  for (const [id, record] of present) {
    const was = known.get(id);
    if (was === undefined) after.set(id, {record});
    else if (was.record === record) after.set(id, was.absence === undefined ? was : {record, lacking: was.lacking});
    else {
      const before = {record: was.record, at: was.absence?.after ?? absence.after};
      after.set(id, {record, lacking: lackingIn(compared, record, before, was.lacking)});
    }
  }
  for (const [id, {record, lacking, absence: before}] of known) {
    // Missing from a second complete list: it is gone.
    if (present.has(id) || (absence.at !== undefined && before?.at !== undefined)) continue;
    after.set(id, {
      record,
      lacking,
      absence: before === undefined ? absence : {after: before.after, at: before.at ?? absence.at},
    });
  }
  return after;
}

/** When a reading was begun, by the service's clock as far as that is known. */
export function startedAt(snapshot: Snapshot<unknown>, {now, monotonicNow}: Now): EpochMs {
  return epochMs(now - Math.max(0, monotonicNow - (readAt(snapshot) ?? monotonicNow)));
}
