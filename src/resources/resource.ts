import type {ParsedRecord, Quarantined} from '../api/endpoint.ts';
import {assert} from '../domain/assert.ts';
import {type CloudResource, RESOURCE_WORDS, type ResourceType} from '../domain/cloud-resource.ts';
import {DEFAULT_PREFERENCES, type Preferences} from '../domain/preferences.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, type EpochMs, type MonotonicMs, monotonicMs} from '../domain/time.ts';
import type {Compared} from '../domain/timeline/changes.ts';
import type {SubjectFeeds} from '../state/action.ts';
import type {Feed, Listing} from '../state/feed.ts';
import {type ListChanges, listChanges} from '../state/list-changes.ts';
import type {MachinePasts} from '../state/machine-pasts.ts';
import type {Operations} from '../state/operation.ts';
import {createStore, type Store} from '../state/store.ts';
import type {Line} from '../ui/text.ts';
import type {Theme} from '../ui/theme.ts';
import type {Column, PrintedColumn, Value} from './column.ts';
import {type Listed, type Narrowing, type OneRead, type Reader, rawField} from './listing.ts';
import type {RelatedGroup} from './related.ts';

/** What is known beside a record when its row is made; a command that reads once has nothing under way. */
export type RowInput = {
  readonly store: Store;
  readonly now: EpochMs;
  readonly monotonicNow?: MonotonicMs;
  /** What was learnt of the machines' activity. */
  readonly pasts?: MachinePasts | undefined;
  readonly operations?: Pick<Operations, 'openOn' | 'all' | 'version'> | undefined;
  readonly preferences: Preferences;
  /** How long what was not read yet has to wait for the request budget, about; 0 where that is not the reason. */
  readonly budgetWait?: ((feed: Feed<unknown>) => DurationMs) | undefined;
  /** The object that a record was found in, where records do not say it themselves. */
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

/** What actions can be done to a kind, and where it is read for them. */
type Subjects = SubjectFeeds & {
  /** How a record is read that was found by its id or name; absent where a name is not its own alone. */
  readonly record?: (raw: unknown) => ParsedRecord<CloudResource>;
  /** All that were last read, where that is newer than the list alone. */
  readonly observed?: (store: Store) => readonly CloudResource[] | undefined;
};

/** One kind of record, with its type gone: what `get` and `describe` know of it. */
export type Resource = {
  /** The plural first, then the singular and short forms. */
  readonly names: readonly [string, ...string[]];
  /** As a sentence has them: `2 machines`, `1 machine`. */
  readonly words: {readonly many: SafeText; readonly one: SafeText};
  /** What findings, actions and other resources refer to it by; absent where nothing refers to records of this kind. */
  readonly type?: ResourceType;
  /** Absent where nothing can be done to records of this kind. */
  readonly subjects?: Subjects;
  /** The pane of the deck that lists them, and the part of it; absent where none does. */
  readonly shownIn?: {readonly paneId: string; readonly part?: string};
  /** The states that can be waited for. */
  readonly states?: readonly string[];
  readonly summary: string;
  readonly columns: readonly PrintedColumn[];
  /** The options of `Narrowing` that mean something here. */
  readonly narrowedBy: readonly (keyof Narrowing)[];
  /** There is one of it in an account, so it needs no name. */
  readonly isOnlyOne?: true;
  /** Whether the list comes in pages of records as they are, so that they can be printed as they come. */
  readonly canStream: boolean;
  readonly list: (reader: Reader) => Promise<Listed>;
  /** One record by its id; absent where the interface has no such question. */
  readonly one?: OneRead | undefined;
  readonly entry: (known: RowInput) => (raw: unknown) => Entry;
  /** What is read beside one record, for columns that need it. */
  readonly feedOf: (raw: unknown) => Feed<unknown> | undefined;
  /** What belongs to a record, from the lists in the store. */
  readonly relatedTo: (raw: unknown, store: Store) => readonly RelatedGroup[];
  /** Puts records into the store as if the deck had read them. */
  readonly keep: (raw: readonly unknown[], store: ReturnType<typeof createStore>) => void;
  /** Tells, reading by reading, what changed in its list; absent where the timeline leaves it out. */
  readonly changes?: () => ListChanges;
  /** What names a record, without its columns. */
  readonly parseRaw: (raw: unknown) => {readonly isReadable: boolean} & Pick<Entry, 'id' | 'name'>;
};

/** One record as it came, with what its schema makes of it. */
export type Entry = {
  readonly raw: unknown;
  readonly id: SafeText | undefined;
  readonly name: SafeText | undefined;
  /** Undefined for a record that could not be read. */
  readonly cell: ((column: string) => Value | undefined) | undefined;
  readonly labels?: readonly string[];
  /** What could not be read of it. */
  readonly lost: readonly Quarantined[];
};

/** A kind as its file declares it: `R` is a record of the service, `Row` what is known of one at a moment. */
type Declaration<R, Row> = Omit<
  Resource,
  'words' | 'columns' | 'narrowedBy' | 'canStream' | 'changes' | 'entry' | 'feedOf' | 'parseRaw' | 'relatedTo' | 'keep'
> & {
  /** Where a sentence calls them otherwise than the command line. */
  readonly words?: Resource['words'];
  readonly columns: readonly Column<Row>[];
  readonly narrowedBy?: Resource['narrowedBy'];
  readonly canStream?: boolean;
  readonly parse: (raw: unknown) => ParsedRecord<R>;
  /** The record with what stands beside it: what its columns are made of. */
  readonly row: (known: RowInput) => (record: R, raw?: unknown) => Row;
  /** The list that the deck polls. */
  readonly feed?: Feed<Listing<R>>;
  /** The records as last observed, in their order; those of the feed where absent. */
  readonly records?: (known: RowInput) => readonly R[] | undefined;
  /** The order in which the deck shows the rows; as they came where absent. */
  readonly order?: (left: Row, right: Row) => number;
  /** All that is known of one, a line each, at most `width` cells wide. */
  readonly detail?: (row: Row, known: RowInput & {readonly theme: Theme}, width: number) => readonly Line[];
  /** What belongs to it, from the lists in the store. */
  readonly related?: (record: R, store: Store) => readonly RelatedGroup[];
  /** What columns with `reads: 'each'` need of a record; undefined where there is nothing to read of it. */
  readonly readsOf?: (record: R) => Feed<unknown> | undefined;
  /** The record that a row was made of. */
  readonly recordIn?: (row: Row) => R;
  /** The list that one is found in, where the service has no request for one. */
  readonly path?: (record: R) => string;
  /** One as the service sends it. */
  readonly rawFeed?: (record: R) => Feed<unknown> | undefined;
  readonly idOf?: (record: R) => number | SafeText | undefined;
  readonly nameOf?: (record: R) => SafeText | undefined;
  readonly labelsOf?: (record: R) => readonly string[];
  /** What the timeline shows when it differs in two readings, under `nameOf` where the record's own name is not enough. */
  readonly compared?: Pick<Compared<R>, 'state' | 'values' | 'sets'> & Partial<Pick<Compared<R>, 'nameOf'>>;
};

/** A kind with its types, for whoever shows its rows. */
export type TypedResource<R, Row> = Omit<Resource, 'columns'> &
  Pick<
    Declaration<R, Row>,
    | 'columns'
    | 'parse'
    | 'row'
    | 'feed'
    | 'records'
    | 'order'
    | 'detail'
    | 'related'
    | 'recordIn'
    | 'path'
    | 'rawFeed'
    | 'idOf'
    | 'nameOf'
  >;

/** Where the records of a kind are read that actions can be done to: for its rows and for its actions alike. */
export function actedOn<R extends CloudResource>({
  parse,
  feed,
  one,
  observed,
}: {
  readonly parse: (raw: unknown) => ParsedRecord<R>;
  readonly feed: Feed<Listing<R>>;
  readonly one?: SubjectFeeds['one'];
  readonly observed?: (store: Store) => readonly R[] | undefined;
}) {
  const subjects: Subjects = {
    record: parse,
    list: feed,
    ...(one === undefined ? {} : {one}),
    ...(observed === undefined ? {} : {observed}),
  };
  const records = observed === undefined ? {} : {records: ({store}: RowInput) => observed(store)};
  return {parse, feed, subjects, ...records};
}

/** A kind of record from its typed declaration. */
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
    keep: (all, store) => {
      if (declared.feed === undefined) return;
      const records = all.flatMap(raw => {
        const reading = declared.parse(raw);
        return reading.ok ? [reading.value] : [];
      });
      store.writeValue(declared.feed, {records, quarantined: []}, monotonicMs(0));
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

function wordsOf([many, one = many]: Resource['names']): Resource['words'] {
  return {many: safeText(many.replaceAll('-', ' ')), one: safeText(one.replaceAll('-', ' '))};
}

/** What one record is called: the shorter of its kind's first two names, as `vm` of vms, and `usage` of usages. */
export function oneName({names: [first, second = first]}: Pick<Resource, 'names'>): string {
  return second.length < first.length ? second : first;
}

/** The rows of the list that the deck polls, in its order; undefined until it was read once. */
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

/** For records with nothing beside them. */
export function aloneAt(now: EpochMs): RowInput {
  return {store: createStore(), now, preferences: DEFAULT_PREFERENCES};
}

/** A record whose columns count from now. */
export type Dated<R> = R & {readonly now: EpochMs};

export function dated({now}: Pick<RowInput, 'now'>): <R>(record: R) => Dated<R> {
  return record => ({...record, now});
}

/** A record that does not say itself what it belongs to. */
export type Owned<R> = Dated<R> & {readonly owner: SafeText | undefined};

export function owned({now, owners}: Pick<RowInput, 'now' | 'owners'>): <R>(record: R, raw?: unknown) => Owned<R> {
  return (record, raw) => ({...record, now, owner: owners?.get(raw)});
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

/** An unusable id is still the best name for what could not be read. */
function rawId(raw: unknown): SafeText | undefined {
  const id = rawField(raw, 'id') ?? rawField(raw, 'resource_id');
  if (JSON.isRawJSON(id)) return safeText(id.rawJSON);
  return typeof id === 'number' || typeof id === 'string' ? safeText(String(id)) : undefined;
}
