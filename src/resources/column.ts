import {plainNumber} from '../domain/csv.ts';
import type {FilterUnit} from '../domain/filter.ts';
import {hourlyUsd, type Rate, type Usd, usdNumber} from '../domain/money.ts';
import type {SortValue} from '../domain/row-order.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {type EpochMs, isoText, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
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

/** One column. Lists, printed tables, CSV, filters and sorting all use it. */
export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  /** Other names that filters and options accept for it. */
  readonly also?: readonly string[];
  readonly value: (row: Row) => Value | undefined;
  readonly align?: 'right';
  /**
   * When it is printed: in every table if absent; with `-o wide` only (`wide`); only when a filter or option names it
   * (`asked`).
   */
  readonly printed?: 'wide' | 'asked';
  /**
   * When a terminal too narrow for the printed table leaves it out: the highest first, one with 0 never. As in the
   * deck's list if absent.
   */
  readonly printRank?: number;
  /** What the row is about, which options and arguments can ask for: left out first where they did. */
  readonly isSubject?: true;
  /** Its place in the deck's list. Without one it is not shown there, but can still be filtered and sorted by. */
  readonly list?: Placement<Row>;
  /** Its place in the deck's wide list (ctrl-w), if the kind has one. */
  readonly wideList?: Placement<Row>;
  /** What its numbers are, if a filter may write them with a unit: `size<1T`, `left<10d`, `cost>$2`. */
  readonly unit?: FilterUnit;
  /** Its letter and name in the sort menu. */
  readonly sort?: {
    readonly letter: string;
    readonly name?: SafeText;
    readonly isLargestFirst?: boolean;
    /** What a row without a value is ordered by, if not last: never shown. */
    readonly insteadOf?: (row: Row) => Value | undefined;
  };
  /** Text that must stay readable in full: a narrow table wraps it. */
  readonly isProse?: true;
  /** Dollars per hour of the row itself: a list with marks shows their sum. Prices and changes are none. */
  readonly isRunningCost?: true;
  /** Data the service does not report. The deck's list is without the column until another source reports some. */
  readonly needs?: 'gpus';
  /** What else must be read to know its values: once for the whole list, or once for each record. */
  readonly reads?: Feed<unknown> | readonly Feed<unknown>[] | 'each';
};

/** The part of a column that printing needs: everything but how its values are computed. */
export type PrintedColumn = Omit<Column<never>, 'value' | 'list' | 'wideList' | 'sort'> & {
  readonly list?: Pick<Placement<never>, 'title' | 'priority' | 'isProse'>;
};

/** Width in cells and appearance of a column in the deck's list. */
type Placement<Row> = Pick<TableColumn<Row>, 'minWidth' | 'maxWidth' | 'flex' | 'priority' | 'isGraph'> & {
  readonly title?: string;
  readonly tone?: Tone | ((row: Row) => Tone);
  /** Shown when there is no value. */
  readonly absent?: string;
  /** Cut at the end when too long, for text that reads from its beginning. A name is cut in the middle instead. */
  readonly isProse?: boolean;
  /** For cells that are more than text, such as a state with its glyph or a graph. */
  readonly draw?: TableColumn<Row>['cell'];
};

/** A value as shown, as compared, and as written to a spreadsheet where that differs. */
export type Value = {
  readonly text: string;
  readonly number?: number;
  readonly plain?: string;
  readonly isAge?: true;
  /** The value is a lower bound, because nothing older is known. */
  readonly isAtLeast?: true;
  /** Other words that a filter matches. */
  readonly words?: string;
};

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/;

/** The value for other programs, a number where possible. */
export function plainValue({text: shown, number: known, plain = shown}: Value): string | number {
  return known !== undefined && PLAIN_NUMBER.test(plain) ? Number(plain) : plain;
}

/** What a row is ordered by in this column: a number, if it has one. */
export function sortValue<Row>({value, sort}: Pick<Column<Row>, 'value' | 'sort'>, row: Row): SortValue {
  const found = value(row) ?? sort?.insteadOf?.(row);
  return found?.number ?? found?.text;
}

type NamedColumn = Pick<PrintedColumn, 'key' | 'title' | 'also' | 'list'>;

/**
 * Column keys by every other name they go by: aliases, and titles with hyphens for spaces. A column's own key always
 * wins over another column's alias.
 */
export function otherNames(columns: readonly NamedColumn[]): ReadonlyMap<string, string> {
  const keys = new Set(columns.map(({key}) => key));
  const named = columns.flatMap(({key, title, also = [], list}) =>
    [...also, titleName(title), titleName(list?.title ?? title)].map(name => [name, key] as const),
  );
  return new Map(named.filter(([name]) => name !== '' && !keys.has(name)));
}

function titleName(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}

/** The text that the words of a filter are matched against. */
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

/** Two clocks are seldom set to the same second. */
const MAX_AHEAD_MS = MINUTE_MS;

/** Time since a moment, as an age, or the time until it; whole seconds in a file, negative for what is ahead. */
export function age(since: EpochMs | undefined, now: EpochMs): Value | undefined {
  if (since === undefined) return undefined;
  const isAhead = since - now > MAX_AHEAD_MS;
  const ageMs = isAhead ? now - since : Math.max(0, now - since);
  const text = isAhead ? `in ${formatDuration(-ageMs)}` : formatDuration(ageMs);
  return {text, number: ageMs, plain: String(Math.floor(ageMs / SECOND_MS)), isAge: true};
}

/** The same, where the true age may be longer than is known. */
export function atLeast(value: Value | undefined): Value | undefined {
  return value && {...value, text: `${value.text}+`, isAtLeast: true};
}

export function moment(at: EpochMs | undefined): Value | undefined {
  return at === undefined ? undefined : {text: formatUtcFull(at), plain: isoText(at)};
}

/** An amount of money; a plain number in a file. */
export function dollars(amount: Usd | undefined): Value | undefined {
  if (amount === undefined) return undefined;
  return {text: formatUsdFigure(amount), number: usdNumber(amount), plain: plainNumber(usdNumber(amount))};
}

/** In percent, so that a filter can say `cpu>80`. */
export function percent(ratio: number | undefined): Value | undefined {
  if (ratio === undefined) return undefined;
  return {text: formatPercent(ratio), number: ratio * 100, plain: plainNumber(ratio * 100)};
}

export function bytes(count: number | undefined): Value | undefined {
  return count === undefined ? undefined : {text: formatBytes(count), number: count, plain: plainNumber(count)};
}

/** The column of what the row itself costs now. */
export const RUNNING_COST = {
  key: 'cost',
  title: '$/h',
  align: 'right',
  unit: 'dollars',
  isRunningCost: true,
} as const;

/** The column of how old the row is. */
export const AGE = {key: 'age', title: 'AGE', align: 'right', unit: 'duration'} as const;

/** Billed nothing, as cluster masters and failed machines are. */
export const FREE: Value = {text: 'free', number: 0, plain: '0'};

/** `1.25+`: a sum of which a part is unknown. Its number is the part that is known. */
export function knownPart(value: Value | undefined, isPart: boolean | undefined): Value | undefined {
  if (value === undefined || isPart !== true) return value;
  return {...value, text: `${value.text}+`, plain: value.plain ?? value.text};
}

/** Dollars per hour, as metered now. */
export function rate(value: Rate | undefined): Value | undefined {
  if (value === undefined) return undefined;
  return {text: formatRateFigure(value), number: hourlyUsd(value), plain: plainNumber(hourlyUsd(value))};
}
