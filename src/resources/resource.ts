import type {RawAnswer, ReadClient} from '../api/client.ts';
import type {ParsedRecord, Quarantined, ReadEndpoint} from '../api/endpoint.ts';
import {assert} from '../domain/assert.ts';
import {type CloudResource, RESOURCE_WORDS, type ResourceType} from '../domain/cloud-resource.ts';
import {plainNumber} from '../domain/csv.ts';
import type {Result} from '../domain/failure.ts';
import {hourlyUsd, type Rate, type Usd, usdNumber} from '../domain/money.ts';
import {DEFAULT_PREFERENCES, type Preferences} from '../domain/preferences.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, type EpochMs, type MonotonicMs, monotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Compared} from '../domain/timeline/changes.ts';
import type {SubjectFeeds} from '../state/action.ts';
import type {Feed, Listing} from '../state/feed.ts';
import {type ListChanges, listChanges} from '../state/list-changes.ts';
import type {MachinePasts} from '../state/machine-pasts.ts';
import type {Operations} from '../state/operation.ts';
import {createStore, type Store} from '../state/store.ts';
import {
  formatBytes,
  formatDuration,
  formatPercent,
  formatRateFigure,
  formatUsdFigure,
  formatUtcFull,
} from '../ui/format.ts';
import type {TableColumn} from '../ui/table.ts';
import type {Line} from '../ui/text.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import type {RelatedGroup} from './related.ts';

/** A value as it is shown, as it is compared, and as a spreadsheet wants it where that is something else. */
export type Value = {
  readonly text: string;
  readonly number?: number;
  readonly plain?: string;
  readonly isAge?: true;
  /** Other words that a filter finds it by. */
  readonly words?: string;
};

/** What one record is called: the shorter of its kind's first two names, as `vm` of vms, and `usage` of usages. */
export function oneName({names: [first, second = first]}: Pick<Resource, 'names'>): string {
  return second.length < first.length ? second : first;
}

type NamedColumn = Pick<PrintedColumn, 'key' | 'title' | 'also' | 'list'>;

/**
 * The keys of columns by their other names: what else they are called, and their titles as they are printed and listed,
 * with hyphens for spaces. A name that is the key of one column is never another name of a second one.
 */
export function otherNames(columns: readonly NamedColumn[]): ReadonlyMap<string, string> {
  const keys = new Set(columns.map(({key}) => key));
  const named = columns.flatMap(({key, title, also = [], list}) =>
    [...also, titleName(title), titleName(list?.title ?? title)].map(name => [name, key] as const),
  );
  return new Map(named.filter(([name]) => !keys.has(name)));
}

function titleName(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A value for other programs: a number where it is one. */
export function plainValue({text: shown, number: known, plain = shown}: Value): string | number {
  return known !== undefined && PLAIN_NUMBER.test(plain) ? Number(plain) : plain;
}

/** What is known beside a record when its row is made; a command that reads once has nothing under way. */
export type RowInput = {
  readonly store: Store;
  readonly now: EpochMs;
  readonly monotonicNow?: MonotonicMs;
  /** What was learnt of the machines' activity. */
  readonly pasts?: MachinePasts | undefined;
  readonly operations?: Pick<Operations, 'openOn' | 'all' | 'version'> | undefined;
  readonly preferences: Preferences;
  /** The object that a record was found in, where records do not say it themselves. */
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

/** One column, for lists, printed tables, CSV, filters and sorting alike. */
export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** Other names that a filter or an option may ask for it by. */
  readonly also?: readonly string[];
  readonly value: (row: Row) => Value | undefined;
  readonly align?: 'right';
  /** Printed in every table where absent; `wide`: with `-o wide` alone; `asked`: where a filter or an option names it. */
  readonly printed?: 'wide' | 'asked';
  /** Its place in the deck's list; a column without one is not in it, but can be filtered and sorted by. */
  readonly list?: Placement<Row>;
  /** Its place in the wide list (ctrl-w), where the kind has one. */
  readonly wideList?: Placement<Row>;
  /** Its letter in the sort menu, and the name it has there. */
  readonly sort?: {readonly letter: string; readonly name?: SafeText; readonly isLargestFirst?: boolean};
  /** Words to be read whole: a narrow table folds them. */
  readonly isProse?: true;
  /** What has to be read before the value is known, once for the whole list or for each record. */
  readonly reads?: Feed<unknown> | readonly Feed<unknown>[] | 'each';
  /** A length of time that is never longer than this, since nothing older is read. */
  readonly knownUpToMs?: DurationMs;
};

/** A column without what makes its values: all that a printed table has to know of it. */
type PrintedColumn = Omit<Column<never>, 'value' | 'list' | 'wideList'> & {
  readonly list?: Pick<Placement<never>, 'title' | 'priority' | 'isProse'>;
};

/** Where a column stands in the deck's list, in cells, and how it looks there. */
type Placement<Row> = Pick<TableColumn<Row>, 'minWidth' | 'maxWidth' | 'flex' | 'priority'> & {
  readonly title?: string;
  readonly tone?: Tone | ((row: Row) => Tone);
  /** Said where there is no value. */
  readonly absent?: string;
  /** Words to be read from their beginning: cut at the end. A name is cut in its middle. */
  readonly isProse?: boolean;
  /** For what is more than a text: a state's sign, a graph. */
  readonly draw?: TableColumn<Row>['cell'];
};

/** Which part of the account is meant, where the question can be narrowed. */
export type Narrowing = {
  readonly vm?: string;
  readonly cluster?: string;
  readonly firewall?: string;
  readonly region?: string;
  readonly deleted?: boolean;
};

export type RawListing = {
  readonly raw: readonly unknown[];
  readonly isIncomplete?: string;
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

export type Reader = {
  readonly client: ReadClient;
  readonly signal: AbortSignal;
  readonly narrowing: Narrowing;
  readonly onPage?: ((raw: readonly unknown[]) => void | Promise<void>) | undefined;
  /** Says what is going on, for whoever waits. */
  readonly progress: (words: string) => void;
};

/** The request for one record by its id. */
type OneRead = {
  readonly path: (id: number) => string;
  readonly read: (reader: Reader, id: number) => Promise<Result<RawListing>>;
};

/** A listing, a failure of the service, or a mistake in the question. */
export type Listed = Result<RawListing> | {readonly ok: false; readonly mistake: SafeText};

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

/** One record by its id, as the service sends it. `idOf` makes the id what the endpoint takes. */
export function readById<Id, R>(endpoint: ReadEndpoint<{readonly id: Id}, R>, idOf: (id: number) => Id): OneRead {
  return {
    path: id => endpoint.path({id: idOf(id)}),
    read: async ({client, signal}, id) => rawOf(await client.readRaw(endpoint, {id: idOf(id)}, {signal})),
  };
}

/** The raw records of an answer, for a list function. */
export function rawOf(answer: Result<RawAnswer>): Result<RawListing> {
  if (!answer.ok) return answer;
  const {raw, isIncomplete, absentParts} = answer.value;
  const missing = absentParts === undefined ? isIncomplete : `no answer from ${absentParts.join(', ')}`;
  return {ok: true, value: missing === undefined ? {raw} : {raw, isIncomplete: missing}};
}

/**
 * A record with the name and the id of what it belongs to, where it does not say so itself. The service's fields stay as
 * they are; a leading `_` marks ours.
 */
export function withOwner(raw: unknown, kind: 'vm' | 'cluster' | 'firewall', owner: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  return {...raw, [`_${kind}`]: rawField(owner, 'name') ?? null, [`_${kind}_id`]: rawField(owner, 'id') ?? null};
}

export function rawField(raw: unknown, name: string): unknown {
  return typeof raw === 'object' && raw !== null ? Object.getOwnPropertyDescriptor(raw, name)?.value : undefined;
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

/** What the words of a filter are looked for in. */
export function searchedText(value: Value | undefined): string {
  return value === undefined ? '' : value.words === undefined ? value.text : `${value.text} ${value.words}`;
}

export function text(value: string | undefined): Value | undefined {
  return value === undefined || value === '' ? undefined : {text: value};
}

export function number(value: number | undefined): Value | undefined {
  return value === undefined ? undefined : {text: String(value), number: value};
}

export function yesNo(value: boolean | undefined): Value | undefined {
  return value === undefined ? undefined : {text: value ? 'yes' : 'no'};
}

/** How long ago, as an age; in a file whole seconds. */
export function age(since: EpochMs | undefined, now: EpochMs): Value | undefined {
  if (since === undefined) return undefined;
  const ageMs = Math.max(0, now - since);
  return {text: formatDuration(ageMs), number: ageMs, plain: String(Math.floor(ageMs / SECOND_MS)), isAge: true};
}

export function moment(at: EpochMs | undefined): Value | undefined {
  return at === undefined ? undefined : {text: formatUtcFull(at), plain: new Date(at).toISOString()};
}

/** An amount of money; plain in a file. */
export function dollars(amount: Usd | undefined): Value | undefined {
  if (amount === undefined) return undefined;
  return {text: formatUsdFigure(amount), number: usdNumber(amount), plain: plainNumber(usdNumber(amount))};
}

/** In percent points, as a filter compares it: `cpu>80`. */
export function percent(ratio: number | undefined): Value | undefined {
  if (ratio === undefined) return undefined;
  return {text: formatPercent(ratio), number: ratio * 100, plain: plainNumber(ratio * 100)};
}

export function bytes(count: number | undefined): Value | undefined {
  return count === undefined ? undefined : {text: formatBytes(count), number: count, plain: plainNumber(count)};
}

export function regionOf({region}: Narrowing): {readonly region?: string} {
  return region === undefined ? {} : {region};
}

/** Dollars an hour, as the service meters them now. */
export function rate(value: Rate | undefined): Value | undefined {
  if (value === undefined) return undefined;
  return {text: formatRateFigure(value), number: hourlyUsd(value), plain: plainNumber(hourlyUsd(value))};
}
