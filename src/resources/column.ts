import {plainNumber} from '../domain/csv.ts';
import {hourlyUsd, type Rate, type Usd, usdNumber} from '../domain/money.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {type EpochMs, SECOND_MS} from '../domain/time.ts';
import type {Feed} from '../state/feed.ts';
import {
  formatBytes,
  formatDuration,
  formatPercent,
  formatRateFigure,
  formatUsdFigure,
  formatUtcFull,
} from '../ui/format.ts';
import type {TableColumn} from '../ui/table.ts';
import type {Tone} from '../ui/theme.ts';

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
};

/** A column without what makes its values: all that a printed table has to know of it. */
export type PrintedColumn = Omit<Column<never>, 'value' | 'list' | 'wideList'> & {
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

/** A value as it is shown, as it is compared, and as a spreadsheet wants it where that is something else. */
export type Value = {
  readonly text: string;
  readonly number?: number;
  readonly plain?: string;
  readonly isAge?: true;
  /** It may be more: nothing older is known. */
  readonly isAtLeast?: true;
  /** Other words that a filter finds it by. */
  readonly words?: string;
};

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A value for other programs: a number where it is one. */
export function plainValue({text: shown, number: known, plain = shown}: Value): string | number {
  return known !== undefined && PLAIN_NUMBER.test(plain) ? Number(plain) : plain;
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

/** The same where it may be longer than is known. */
export function atLeast(value: Value | undefined): Value | undefined {
  return value && {...value, text: `${value.text}+`, isAtLeast: true};
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

/** What is excluded from billing, such as the masters of clusters. */
export const FREE: Value = {text: 'free', number: 0, plain: '0'};

/** Dollars an hour, as the service meters them now. */
export function rate(value: Rate | undefined): Value | undefined {
  if (value === undefined) return undefined;
  return {text: formatRateFigure(value), number: hourlyUsd(value), plain: plainNumber(hourlyUsd(value))};
}
