import type {Answer, ReadClient} from '../api/client.ts';
import type {Quarantined, Reading} from '../api/endpoint.ts';
import type {Result} from '../domain/failure.ts';
import {type Rate, type Usd, usdNumber} from '../domain/money.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {EpochMs} from '../domain/time.ts';
import type {MachineActivity} from '../domain/utilization.ts';
import {formatBytes, formatDuration, formatUsdFigure, formatUtcFull} from '../ui/format.ts';

/** A value as it is shown, as it is compared, and as a spreadsheet wants it where that is something else. */
export type Value = {readonly text: string; readonly number?: number; readonly plain?: string};

/** What stands beside the records when a row is made. */
export type RowContext = {
  readonly now: EpochMs;
  /** What each machine costs now; absent where it was not asked for or did not come. */
  readonly rates?: ReadonlyMap<number, Rate>;
  /** What each machine did in the last hour; read only where a filter asks for it. */
  readonly activities?: ReadonlyMap<number, MachineActivity>;
  /** The object that a record was found in, where records do not tell it themselves. */
  readonly owners?: ReadonlyMap<unknown, SafeText>;
};

export type Column<R> = {
  readonly key: string;
  readonly title: string;
  readonly value: (record: R, context: RowContext, raw: unknown) => Value | undefined;
  readonly align?: 'right';
  /** In the table always, only in the wide one, or nowhere: then a filter alone can ask for it. */
  readonly shown?: 'always' | 'wide' | 'filter';
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
  readonly onPage?: ((raw: readonly unknown[]) => void) | undefined;
  /** Says what is going on, for whoever waits. */
  readonly progress: (words: string) => void;
};

/** A listing, a failure of the service, or a mistake in the question. */
export type Listed = Result<RawListing> | {readonly ok: false; readonly mistake: SafeText};

/** One kind of record, with its type gone: what `get` and `describe` know of it. */
export type Resource = {
  /** The plural first, then the singular and short forms. */
  readonly names: readonly [string, ...string[]];
  readonly summary: string;
  readonly columns: readonly Omit<Column<never>, 'value'>[];
  /** The options of `Narrowing` that mean something here. */
  readonly narrowedBy: readonly (keyof Narrowing)[];
  /** Whether the list comes in pages of records as they are, so that they can be printed as they come. */
  readonly canStream: boolean;
  readonly list: (reader: Reader) => Promise<Listed>;
  /** One record by its id; absent where the interface has no such question. */
  readonly one?: ((reader: Reader, id: number) => Promise<Result<RawListing>>) | undefined;
  readonly entry: (raw: unknown, context: RowContext) => Entry;
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

export type Declaration<R> = {
  readonly names: readonly [string, ...string[]];
  readonly summary: string;
  readonly columns: readonly Column<R>[];
  readonly narrowedBy?: readonly (keyof Narrowing)[];
  readonly list: (reader: Reader) => Promise<Listed>;
  readonly canStream?: boolean;
  readonly one?: (reader: Reader, id: number) => Promise<Result<RawListing>>;
  readonly parse: (raw: unknown) => Reading<R>;
  readonly idOf?: (record: R) => number | SafeText | undefined;
  readonly nameOf?: (record: R) => SafeText | undefined;
  readonly labelsOf?: (record: R) => readonly string[];
};

/** A kind of record from its typed declaration. */
export function defineResource<R>(declared: Declaration<R>): Resource {
  const {columns} = declared;
  const byKey = new Map(columns.map(column => [column.key, column]));
  const namesOf = (record: R) => {
    const id = declared.idOf?.(record);
    return {id: typeof id === 'number' ? safeText(String(id)) : id, name: declared.nameOf?.(record)};
  };
  return {
    ...declared,
    columns,
    narrowedBy: declared.narrowedBy ?? [],
    canStream: declared.canStream ?? false,
    parseRaw: raw => {
      const reading = declared.parse(raw);
      return reading.ok ? {isReadable: true, ...namesOf(reading.value)} : {isReadable: false, ...unreadable(raw)};
    },
    entry: (raw, context) => {
      const reading = declared.parse(raw);
      if (!reading.ok) return {raw, ...unreadable(raw), cell: undefined, lost: [quarantine(raw, reading.fields)]};
      const {value, lost = []} = reading;
      return {
        raw,
        ...namesOf(value),
        cell: key => byKey.get(key)?.value(value, context, raw),
        ...(declared.labelsOf === undefined ? {} : {labels: declared.labelsOf(value)}),
        lost,
      };
    },
  };
}

/** The raw records of an answer, for a list function. */
export function rawOf<R>(answer: Result<Answer<R>>): Result<RawListing> {
  if (!answer.ok) return answer;
  const {raw, isIncomplete, absentParts} = answer.value;
  const missing = absentParts === undefined ? isIncomplete : `no answer from ${absentParts.join(', ')}`;
  return {ok: true, value: missing === undefined ? {raw} : {raw, isIncomplete: missing}};
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

export function text(value: string | undefined): Value | undefined {
  return value === undefined || value === '' ? undefined : {text: value};
}

export function number(value: number | undefined): Value | undefined {
  return value === undefined ? undefined : {text: String(value), number: value};
}

export function yesNo(value: boolean | undefined): Value | undefined {
  return value === undefined ? undefined : {text: value ? 'yes' : 'no'};
}

/** How long ago, as an age; in a file the moment itself. */
export function age(since: EpochMs | undefined, {now}: RowContext): Value | undefined {
  if (since === undefined) return undefined;
  const ageMs = Math.max(0, now - since);
  return {text: formatDuration(ageMs), number: ageMs, plain: new Date(since).toISOString()};
}

export function moment(at: EpochMs | undefined): Value | undefined {
  return at === undefined ? undefined : {text: formatUtcFull(at), plain: new Date(at).toISOString()};
}

/** An amount of money; plain in a file. */
export function dollars(amount: Usd | undefined): Value | undefined {
  if (amount === undefined) return undefined;
  return {text: formatUsdFigure(amount), number: usdNumber(amount), plain: String(usdNumber(amount))};
}

export function bytes(count: number | undefined): Value | undefined {
  return count === undefined ? undefined : {text: formatBytes(count), number: count, plain: String(count)};
}

export function regionOf({region}: Narrowing): {readonly region?: string} {
  return region === undefined ? {} : {region};
}
