import {MAX_ID_LENGTH, type ParsedRecord, type Quarantined} from '../api/endpoint.ts';
import {assert} from '../domain/assert.ts';
import {type CloudResource, RESOURCE_WORDS, type ResourceType} from '../domain/cloud-resource.ts';
import {DEFAULT_PREFERENCES} from '../domain/preferences.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, type EpochMs, epochMs, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Compared} from '../domain/timeline/changes.ts';
import type {SubjectFeeds} from '../state/operations/action.ts';
import type {Feed, Listing} from '../state/feed.ts';
import type {KnownOnce} from '../state/known.ts';
import {type ListChanges, listChanges} from '../state/list-changes.ts';
import type {LearntActivity} from '../state/learnt-activity.ts';
import type {BreakerState} from '../state/poller/circuit-breaker.ts';
import type {Operations} from '../state/operations/operation.ts';
import {createStore, type Store, type WritableStore} from '../state/store.ts';
import type {Line} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import type {Column, PrintedColumn, Value} from './column.ts';
import {type Listed, type Narrowing, type OneRead, type RawListing, type Reader, rawField} from './listing.ts';
import type {RelatedGroup} from './related.ts';

/** What is known besides a record when its row is made. A command that reads once has nothing under way. */
export type RowInput = KnownOnce & {
  /** What was learnt about the machines' activity. */
  readonly activity?: LearntActivity | undefined;
  readonly operations?: Pick<Operations, 'openOn' | 'all' | 'version'> | undefined;
  /** Roughly how long an unread feed must wait for the request budget; 0 if it does not wait for that. */
  readonly budgetWait?: ((feed: Feed<unknown>) => DurationMs) | undefined;
  /** The state of the connection to the service, where one is kept. */
  readonly health?: BreakerState | undefined;
  /** The object a record was found in, if records do not name it themselves. */
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

/** What actions can be done to a kind, and where they read it. */
type Subjects = SubjectFeeds & {
  /** Parses a record found by id or name; absent if the name is not unique. */
  readonly record?: (raw: unknown) => ParsedRecord<CloudResource>;
  /** All records as last read, if some are newer than the list. */
  readonly observed?: (store: Store) => readonly CloudResource[] | undefined;
};

/** One kind of record without its row type, as `get` and `describe` use it. */
export type Resource = {
  /** The plural first, then the singular and short forms. */
  readonly names: readonly [string, ...string[]];
  /** As used in sentences: `2 machines`, `1 machine`. */
  readonly words: {readonly many: SafeText; readonly one: SafeText};
  /** The type by which findings, actions and other resources refer to it; absent if nothing does. */
  readonly type?: ResourceType;
  /** Absent if no action can be done to it. */
  readonly subjects?: Subjects;
  /** The deck pane (and its part) that lists it; absent if none does. */
  readonly shownIn?: {readonly paneId: string; readonly part?: string};
  /** The states `skydeck wait` accepts. */
  readonly states?: readonly string[];
  readonly summary: string;
  readonly columns: readonly PrintedColumn[];
  /** The `Narrowing` options that apply to it. */
  readonly narrowedBy: readonly (keyof Narrowing)[];
  /** An account has exactly one, so it needs no name. */
  readonly isOnlyOne?: true;
  /** Whether the list comes in pages of complete records that can be printed as they arrive. */
  readonly canStream: boolean;
  readonly list: (reader: Reader) => Promise<Listed>;
  /** One record by id; absent if the API has no such request. */
  readonly one?: OneRead | undefined;
  readonly entry: (known: RowInput) => (raw: unknown) => Entry;
  /** What has to be read besides one record, for columns that need it. */
  readonly feedOf: (raw: unknown) => Feed<unknown> | undefined;
  /** Objects that belong to a record, from the lists in the store. */
  readonly relatedTo: (raw: unknown, store: Store) => readonly RelatedGroup[];
  /** The same by id; the list itself, not read yet, if that would have to tell first. */
  readonly relatedById: (id: number, store: Store) => readonly RelatedGroup[];
  /** Gives records to the writer of a store as if the deck had read them then. */
  readonly keep: (listing: KeptListing, write: WritableStore['writeValue'], readAt?: MonotonicMs) => void;
  /** Reports what changed in its list from one reading to the next; absent if the timeline leaves it out. */
  readonly changes?: () => ListChanges;
  /** What identifies a record, without its columns. */
  readonly parseRaw: (raw: unknown) => {readonly isReadable: boolean} & Pick<Entry, 'id' | 'name'>;
};

/** Records as received, and why further ones may be missing among them. */
type KeptListing = Pick<RawListing, 'raw' | 'incompleteReason'>;

/** One record as received, and what its schema made of it. */
export type Entry = {
  readonly raw: unknown;
  readonly id: SafeText | undefined;
  readonly name: SafeText | undefined;
  /** Undefined if the record could not be parsed. */
  readonly cell: ((column: string) => Value | undefined) | undefined;
  readonly labels?: readonly string[];
  /** What could not be parsed. */
  readonly lost: readonly Quarantined[];
};

/** An entry of what is no record of the service, such as an own operation or a group of costs. */
export function rowEntry<Row>(
  columns: readonly Column<Row>[],
  row: Row,
  {raw = row, name}: {readonly raw?: unknown; readonly name?: SafeText} = {},
): Entry {
  const cell = (key: string) => columns.find(column => column.key === key)?.value(row);
  return {raw, id: undefined, name, cell, lost: []};
}

/**
 * A kind as its file declares it: `R` is a record of the service, `Row` a record with what is known about it at a
 * moment.
 */
type Declaration<R, Row> = Omit<
  Resource,
  | 'words'
  | 'columns'
  | 'narrowedBy'
  | 'canStream'
  | 'changes'
  | 'entry'
  | 'feedOf'
  | 'parseRaw'
  | 'relatedTo'
  | 'relatedById'
  | 'keep'
> & {
  /** The noun in sentences, if it differs from the name on the command line. */
  readonly words?: Resource['words'];
  readonly columns: readonly Column<Row>[];
  readonly narrowedBy?: Resource['narrowedBy'];
  readonly canStream?: boolean;
  readonly parse: (raw: unknown) => ParsedRecord<R>;
  /** A record with what is known besides: the input of its columns. */
  readonly row: (known: RowInput) => (record: R, raw?: unknown) => Row;
  /** The list feed that the deck polls. */
  readonly feed?: Feed<Listing<R>>;
  /** The records as last observed, in display order; the feed's own records if absent. */
  readonly records?: (known: RowInput) => readonly R[] | undefined;
  /** Sorts rows into the deck's order; the service's order if absent. */
  readonly order?: (left: Row, right: Row) => number;
  /** That order in words: `newest first`. */
  readonly orderWords?: SafeText;
  /** The detail: all that is known, one line each, at most `width` cells wide. */
  readonly detail?: (row: Row, known: RowInput & {readonly theme: Theme}, width: number) => readonly Line[];
  /** Objects that belong to it, from the lists in the store. */
  readonly related?: (record: R, store: Store) => readonly RelatedGroup[];
  /** What columns with `reads: 'each'` need for a record; undefined if there is nothing to read. */
  readonly readsOf?: (record: R) => Feed<unknown> | undefined;
  /** The record a row was made from; needed by a kind that a pane lists. */
  readonly recordIn?: (row: Row) => R;
  /** The list in which one is found, if the service has no request for a single one. */
  readonly path?: (record: R) => string;
  /** One record as the service sends it. */
  readonly rawFeed?: (record: R) => Feed<unknown> | undefined;
  readonly idOf?: (record: R) => number | SafeText | undefined;
  readonly nameOf?: (record: R) => SafeText | undefined;
  readonly labelsOf?: (record: R) => readonly string[];
  /** The fields whose change the timeline reports, and `nameOf` if the record's own name is not enough. */
  readonly compared?: Pick<Compared<R>, 'state' | 'values' | 'sets'> & Partial<Pick<Compared<R>, 'nameOf'>>;
};

/** A kind with its types, for code that shows its rows. */
export type TypedResource<R, Row> = Omit<Resource, 'columns'> &
  Pick<
    Declaration<R, Row>,
    | 'columns'
    | 'parse'
    | 'row'
    | 'feed'
    | 'records'
    | 'order'
    | 'orderWords'
    | 'detail'
    | 'related'
    | 'recordIn'
    | 'path'
    | 'rawFeed'
    | 'idOf'
    | 'nameOf'
  >;

/** A kind that a pane can list: its rows lead back to their records. */
export type ListableResource<R, Row> = TypedResource<R, Row> & Required<Pick<TypedResource<R, Row>, 'recordIn'>>;

/** Where the records of a kind are read, for its rows and for the actions on them alike. */
export function recordSource<R extends CloudResource>({
  parse,
  feed,
  one,
  observed,
  namedIn,
}: {
  readonly parse: (raw: unknown) => ParsedRecord<R>;
  readonly feed: Feed<Listing<R>>;
  readonly one?: SubjectFeeds['one'];
  readonly observed?: (store: Store) => readonly R[] | undefined;
  readonly namedIn?: (gone: R, store: Store) => readonly Feed<unknown>[];
}) {
  const subjects: Subjects = {
    record: parse,
    list: feed,
    ...(one === undefined ? {} : {one}),
    ...(observed === undefined ? {} : {observed}),
    ...(namedIn === undefined ? {} : {namedIn}),
  };
  const records = observed === undefined ? {} : {records: ({store}: RowInput) => observed(store)};
  return {parse, feed, subjects, ...records};
}

/** Makes a kind from its typed declaration. */
export function defineResource<R, Row>(
  declared: Declaration<R, Row> & Required<Pick<Declaration<R, Row>, 'recordIn'>>,
): ListableResource<R, Row>;
export function defineResource<R, Row>(declared: Declaration<R, Row>): TypedResource<R, Row>;
export function defineResource<R, Row>(declared: Declaration<R, Row>): TypedResource<R, Row> {
  const {columns} = declared;
  const byKey = new Map(columns.map(column => [column.key, column]));
  const namesOf = (record: R) => {
    const id = declared.idOf?.(record);
    return {id: typeof id === 'number' ? safeText(String(id)) : id, name: declared.nameOf?.(record)};
  };
  return {
    ...declared,
    words: declared.words ?? (declared.type === undefined ? wordsOf(declared.names) : RESOURCE_WORDS[declared.type]),
    narrowedBy: declared.narrowedBy ?? [],
    canStream: declared.canStream ?? false,
    parseRaw: raw => {
      const reading = declared.parse(raw);
      return reading.ok ? {isReadable: true, ...namesOf(reading.value)} : {isReadable: false, ...unreadable(raw)};
    },
    entry: known => {
      const rowOf = declared.row(known);
      return raw => {
        const reading = declared.parse(raw);
        if (!reading.ok) return {raw, ...unreadable(raw), cell: undefined, lost: [quarantine(raw, reading.fields)]};
        const {value, lost = []} = reading;
        const row = rowOf(value, raw);
        return {
          raw,
          ...namesOf(value),
          cell: key => byKey.get(key)?.value(row),
          ...(declared.labelsOf === undefined ? {} : {labels: declared.labelsOf(value)}),
          lost,
        };
      };
    },
    relatedTo: (raw, store) => {
      const reading = declared.parse(raw);
      return reading.ok ? (declared.related?.(reading.value, store) ?? []) : [];
    },
    relatedById: (id, store) => {
      const {type, feed, related} = declared;
      if (type === undefined || feed === undefined || related === undefined) return [];
      // The time only orders them.
      const known = {...aloneAt(epochMs(0)), store};
      const records = declared.records === undefined ? lastValue(store.get(feed))?.records : declared.records(known);
      if (records === undefined) return [{kind: type, objects: undefined}];
      const record = records.find(each => declared.idOf?.(each) === id);
      return record === undefined ? [] : related(record, store);
    },
    keep: ({raw: all, incompleteReason}, write, readAt = monotonicMs(0)) => {
      if (declared.feed === undefined) return;
      const readings = all.map(raw => declared.parse(raw));
      const listing = {
        records: readings.flatMap(reading => (reading.ok ? [reading.value] : [])),
        quarantined: readings.flatMap(reading => (reading.ok ? (reading.lost ?? []) : [{fields: reading.fields}])),
        // In words already, so only that something is missing matters.
        ...(incompleteReason === undefined ? {} : {absentParts: [safeText(incompleteReason)]}),
      };
      write(declared.feed, listing, readAt);
    },
    feedOf: raw => {
      const reading = declared.parse(raw);
      return reading.ok ? declared.readsOf?.(reading.value) : undefined;
    },
    ...changesIn(declared),
  };
}

function changesIn<R, Row>({type, feed, compared, idOf, nameOf}: Declaration<R, Row>): Pick<Resource, 'changes'> {
  if (type === undefined || feed === undefined || compared === undefined) return {};
  const numberOf = (record: R) => {
    const id = idOf?.(record);
    assert(typeof id === 'number', `${type} has no id to compare readings by`);
    return id;
  };
  const named = (record: R) => nameOf?.(record) ?? say`#${numberOf(record)}`;
  return {changes: () => listChanges({type, idOf: numberOf, nameOf: named, ...compared}, feed)};
}

function wordsOf(names: Resource['names']): Resource['words'] {
  const plain = (name: string) => safeText(name.replaceAll('-', ' '));
  return {many: plain(names[0]), one: plain(oneName({names}))};
}

/** The name of one record: the shorter of the first two names, such as `vm` for vms, and `usage` for usages. */
export function oneName({names: [first, second = first]}: Pick<Resource, 'names'>): string {
  return second.length < first.length ? second : first;
}

/** The rows of the polled list, in display order; undefined until it was read. */
export function listedRows<R, Row>(
  {feed, records: observed, row, order}: Pick<TypedResource<R, Row>, 'feed' | 'records' | 'row' | 'order'>,
  known: RowInput,
): readonly Row[] | undefined {
  const listed = feed === undefined ? undefined : lastValue(known.store.get(feed))?.records;
  const records = observed === undefined ? listed : observed(known);
  if (records === undefined) return undefined;
  const rowOf = row(known);
  const rows = records.map(record => rowOf(record));
  return order === undefined ? rows : rows.sort(order);
}

/** For records that need nothing besides themselves. */
export function aloneAt(now: EpochMs): RowInput {
  return {store: createStore(), now, preferences: DEFAULT_PREFERENCES};
}

/** For records whose columns need only the present time. */
export type Dated<R> = R & {readonly now: EpochMs};

export function dated({now}: Pick<RowInput, 'now'>): <R>(record: R) => Dated<R> {
  return record => ({...record, now});
}

export function undated(): <R>(record: R) => R {
  return record => record;
}

function unreadable(raw: unknown): Pick<Entry, 'id' | 'name'> {
  return {id: rawId(raw), name: undefined};
}

function quarantine(raw: unknown, fields: readonly SafeText[]): Quarantined {
  const id = rawId(raw);
  return id === undefined ? {fields} : {id, fields};
}

/** Even an unusable id is the best name for a record that could not be parsed. */
function rawId(raw: unknown): SafeText | undefined {
  const id = rawField(raw, 'id') ?? rawField(raw, 'resource_id');
  const text = JSON.isRawJSON(id) ? id.rawJSON : id;
  const isText = typeof text === 'number' || typeof text === 'string';
  return isText ? safeText(String(text), {maxLength: MAX_ID_LENGTH}) : undefined;
}
