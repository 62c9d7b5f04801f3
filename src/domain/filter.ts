import {unreachable} from './assert.ts';
import {closest} from './closest-word.ts';
import {cutTerms, foreignOperator, type WrittenTerm} from './filter-term.ts';
import {joinSafe, type SafeText, safeText, say} from './safe-text.ts';
import {searchPattern} from './search-pattern.ts';
import {MICRO_PER_USD} from './money.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS} from './time.ts';

/** A parsed filter expression: terms joined by and. No terms match everything. */
export type Filter = {readonly terms: readonly FilterTerm[]};

/**
 * A column that a filter can name. `unit` is what the numbers in it are, so that one can be typed with its suffix;
 * without one, only a number alone can be compared. Figures are aligned to the right.
 */
export type FilterColumn = {readonly key: string; readonly unit?: FilterUnit; readonly align?: 'right'};

export type FilterUnit = 'bytes' | 'bytesPerSecond' | 'gigabytes' | 'duration' | 'days' | 'dollars' | 'percent';

type FilterTerm = {readonly isNegated: boolean; readonly condition: Condition};

/** Without a column, any displayed text. */
type Condition =
  | {readonly kind: 'text'; readonly column?: string; readonly matches: (text: string) => boolean}
  | {
      readonly kind: 'above' | 'below';
      readonly column: string;
      readonly limit: number;
      readonly unit: FilterUnit | undefined;
    };

export type FilterOutcome =
  | {readonly ok: true; readonly filter: Filter}
  | {readonly ok: false; readonly mistake: SafeText};

/** `isAtLeast`: the number is a lower bound. */
type FilterCell = {readonly text: string; readonly number?: number; readonly isAtLeast?: true};

/**
 * A row as a filter sees it. A cell's `number` is in the unit of its column: percent points, dollars, milliseconds of a
 * duration, bytes. An unknown number is absent.
 */
export type FilterRow = {
  readonly cell: (column: string) => FilterCell | undefined;
  readonly shownTexts: () => Iterable<string>;
  /** If absent, `label:` looks at the cell of that name. */
  readonly labels?: readonly string[];
};

const MAX_EXPRESSION_LENGTH = 256;
const LABEL = 'label';

const NUMBER = /^([+-]?)(\$?)(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(%|[kKMGTP]?B?(?:\/s)?)$/;
const DURATION = /^(?:\d+(?:\.\d+)?[smhdw])+$/;
const DURATION_PART = /([\d.]+)([smhdw])/g;
const DURATION_UNITS = new Map([
  ['s', SECOND_MS],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);
const BYTE_UNITS = ['', 'K', 'M', 'G', 'T', 'P'];
/** Bytes are shown in powers of 1024, the service's own gigabytes in powers of 1000. */
const BYTE_STEP = 1024;
const GIGABYTE_STEP = 1000;

type NumberWritten =
  | {readonly as: 'alone' | 'dollars' | 'percent' | 'duration'; readonly number: number}
  | {readonly as: 'bytes'; readonly number: number; readonly power: number; readonly isPerSecond: boolean};

/** How a number in this unit is described and typed, and what one that was typed with a suffix is in it. */
type UnitReading = {
  readonly words: SafeText;
  readonly example: SafeText;
  readonly read: (written: NumberWritten) => number | undefined;
};

const UNITS: Readonly<Record<FilterUnit, UnitReading>> = {
  bytes: {
    words: say`a size`,
    example: say`4G`,
    read: written => (written.as === 'bytes' && !written.isPerSecond ? scaled(written, BYTE_STEP, 0) : undefined),
  },
  bytesPerSecond: {
    words: say`bytes a second`,
    example: say`4M`,
    read: written => (written.as === 'bytes' ? scaled(written, BYTE_STEP, 0) : undefined),
  },
  gigabytes: {
    words: say`a size`,
    example: say`500G`,
    read: written => (written.as === 'bytes' && !written.isPerSecond ? scaled(written, GIGABYTE_STEP, 3) : undefined),
  },
  duration: {
    words: say`a time`,
    example: say`12h`,
    read: written => (written.as === 'duration' ? written.number : undefined),
  },
  days: {
    words: say`a time`,
    example: say`10d`,
    read: written => (written.as === 'duration' ? written.number / DAY_MS : undefined),
  },
  dollars: {
    words: say`in dollars`,
    example: say`10`,
    read: written => (written.as === 'dollars' ? written.number : undefined),
  },
  percent: {
    words: say`in percent`,
    example: say`80`,
    read: written => (written.as === 'percent' ? written.number : undefined),
  },
};

/**
 * Parses a filter expression (`train cpu>80 age<1d !label:prod /^gpu-\d+$/ "two words"`) for the columns of one list.
 * An error says where it is, what is wrong and what to write instead. `also` contains other names of columns.
 */
export function parseFilter(
  expression: string,
  columns: readonly FilterColumn[],
  also: ReadonlyMap<string, string> = new Map(),
): FilterOutcome {
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    return invalid(say`a filter of more than ${MAX_EXPRESSION_LENGTH} characters: shorten it.`);
  }
  const written = cutTerms(expression);
  if (!written.ok) return written;
  const terms: FilterTerm[] = [];
  for (const term of written.terms) {
    const outcome = conditionOf(term, columns, also);
    if (!outcome.ok) return invalid(say`${safeText(term.text)}: ${outcome.mistake}`);
    terms.push({isNegated: term.isNegated, condition: outcome.condition});
  }
  return {ok: true, filter: {terms}};
}

/**
 * Whether every term matches. An unknown number matches neither `cpu>80` nor `!cpu>80`: otherwise a filter for idle
 * machines would find the unmeasured ones.
 */
export function matchesFilter({terms}: Filter, row: FilterRow): boolean {
  return terms.every(({isNegated, condition}) => {
    const outcome = isMet(condition, row);
    return outcome !== undefined && outcome !== isNegated;
  });
}

/**
 * The columns whose unknown numbers leave open whether a row matches: none if it matches, or if another term rules it
 * out.
 */
export function undecidedColumns({terms}: Filter, row: FilterRow): readonly string[] {
  const outcomes = terms.map(({isNegated, condition}) => ({condition, isNegated, outcome: isMet(condition, row)}));
  if (outcomes.some(({outcome, isNegated}) => outcome === isNegated)) return [];
  return outcomes.flatMap(({outcome, condition}) => (outcome === undefined ? (condition.column ?? []) : []));
}

function isMet(condition: Condition, row: FilterRow): boolean | undefined {
  switch (condition.kind) {
    case 'text':
      return textsOf(row, condition.column).some(condition.matches);
    case 'above':
    case 'below': {
      const {number, isAtLeast} = row.cell(condition.column) ?? {};
      if (number === undefined || Number.isNaN(number)) return undefined;
      const [known, limit] = compared(number, condition);
      // At least an hour is above a minute, and may be below or above a day.
      if (isAtLeast === true && known <= limit) return undefined;
      return condition.kind === 'above' ? known > limit : known < limit;
    }
    default:
      return unreachable(condition);
  }
}

/** Money is compared in whole micro-dollars: $2.00 metered by the minute is not less than 2 by a rest of the division. */
function compared(
  number: number,
  {limit, unit}: Extract<Condition, {readonly kind: 'above' | 'below'}>,
): readonly [number, number] {
  if (unit !== 'dollars') return [number, limit];
  const perDollar = Number(MICRO_PER_USD);
  return [Math.round(number * perDollar), Math.round(limit * perDollar)];
}

function textsOf(row: FilterRow, column: string | undefined): readonly string[] {
  if (column === undefined) return [...row.shownTexts()];
  if (column === LABEL && row.labels !== undefined) return row.labels;
  const text = row.cell(column)?.text;
  return text === undefined ? [] : [text];
}

type ConditionOutcome =
  | {readonly ok: true; readonly condition: Condition}
  | {readonly ok: false; readonly mistake: SafeText};

function conditionOf(
  term: WrittenTerm,
  columns: readonly FilterColumn[],
  also: ReadonlyMap<string, string>,
): ConditionOutcome {
  const keys = columns.map(({key}) => key);
  const columnNamed = (name: string) => also.get(name.toLowerCase()) ?? knownColumn(name, keys);
  const foreign = foreignOperator(term, {
    isColumn: name => columnNamed(name) !== undefined,
    isExact: name => isExact(columns.find(({key}) => key === columnNamed(name))),
    isValid: expression => parseFilter(expression, columns, also).ok,
  });
  if (foreign !== undefined) return invalid(foreign);
  const column = term.column === undefined ? undefined : columnNamed(term.column);
  if (term.column !== undefined && column === undefined) return invalid(unknownColumn(term, term.column, keys, also));
  if (column !== undefined && (term.operator === '>' || term.operator === '<')) {
    const unit = columns.find(({key}) => key === column)?.unit;
    const limit = limitOf(term, column, unit);
    if (!limit.ok) return limit;
    return {ok: true, condition: {kind: term.operator === '>' ? 'above' : 'below', column, limit: limit.limit, unit}};
  }
  const search = term.form === 'pattern' ? searchPattern(term.value) : textSearch(term.value);
  if (!search.ok) return search;
  return {ok: true, condition: {kind: 'text', ...(column === undefined ? {} : {column}), matches: search.matches}};
}

function textSearch(value: string): {readonly ok: true; readonly matches: (text: string) => boolean} {
  const wanted = value.toLowerCase();
  return {ok: true, matches: text => text.toLowerCase().includes(wanted)};
}

/** Sums of money and counts are shown as they are compared; other figures are rounded, and so found by their text. */
function isExact(column: FilterColumn | undefined): boolean {
  return column?.unit === 'dollars' || (column?.unit === undefined && column?.align === 'right');
}

function knownColumn(written: string, columns: readonly string[]): string | undefined {
  const wanted = written.toLowerCase();
  return [...columns, LABEL].find(column => column.toLowerCase() === wanted);
}

function unknownColumn(
  term: WrittenTerm,
  column: string,
  columns: readonly string[],
  also: ReadonlyMap<string, string>,
): SafeText {
  const known = [...new Set([...columns, LABEL])];
  const meant = closest(column, [...known, ...also.keys()]);
  const literal = say`For the text itself write "${safeText(term.text.replace(/^!+/, ''))}".`;
  // The suggestion comes first, so that a line of 80 cells shows it.
  if (meant !== undefined) return say`no column ${safeText(column)}; did you mean ${safeText(meant)}? ${literal}`;
  const list = joinSafe(
    known.map(name => safeText(name)),
    ', ',
  );
  return say`no column is called ${safeText(column)}; there are ${list}. ${literal}`;
}

/** The typed number in the unit of the column. One typed alone already is what the column holds. */
function limitOf(
  {form, value, operator = '>'}: WrittenTerm,
  column: string,
  unit: FilterUnit | undefined,
): {readonly ok: true; readonly limit: number} | {readonly ok: false; readonly mistake: SafeText} {
  const sign = safeText(operator);
  const written = form === 'pattern' ? undefined : numberWritten(value);
  if (written === undefined) return invalid(say`expected a number after ${sign}, e.g. 80, 80%, $10, 12h or 4G`);
  const reading = unit === undefined ? undefined : UNITS[unit];
  const limit = written.as === 'alone' ? written.number : reading?.read(written);
  if (limit !== undefined) return {ok: true, limit};
  const words = reading === undefined ? say`compared as a number alone` : reading.words;
  return invalid(say`${safeText(column)} is ${words}; write ${safeText(column)}${sign}${reading?.example ?? say`8`}`);
}

/** A number as typed and displayed: `80`, `80%`, `$1,250`, `4G`, `200K/s`, `12h`, `1d12h`, `9h14`. */
function numberWritten(text: string): NumberWritten | undefined {
  const [, minus, dollar, digits, suffix = ''] = NUMBER.exec(text) ?? [];
  if (digits === undefined) {
    const duration = durationOf(text);
    return duration === undefined ? undefined : {as: 'duration', number: duration};
  }
  const number = (minus === '-' ? -1 : 1) * Number(digits.replaceAll(',', ''));
  if (dollar !== '') return suffix === '' ? {as: 'dollars', number} : undefined;
  if (suffix === '') return {as: 'alone', number};
  if (suffix === '%') return {as: 'percent', number};
  const [, letter = '', perSecond] = /^([A-Z]?)B?(\/S)?$/.exec(suffix.toUpperCase()) ?? [];
  return {
    as: 'bytes',
    number,
    power: BYTE_UNITS.indexOf(letter === 'B' ? '' : letter),
    isPerSecond: perSecond !== undefined,
  };
}

function scaled({number, power}: {readonly number: number; readonly power: number}, step: number, unitPower: number) {
  return number * step ** (power - unitPower);
}

function durationOf(text: string): number | undefined {
  // Durations are displayed without the last unit: `9h14` and `4m12`.
  const whole = text.replace(/h(\d\d)$/, 'h$1m').replace(/m(\d\d)$/, 'm$1s');
  if (!DURATION.test(whole)) return undefined;
  return [...whole.matchAll(DURATION_PART)].reduce(
    (total, [, count, unit]) => total + Number(count) * (DURATION_UNITS.get(unit ?? '') ?? Number.NaN),
    0,
  );
}

function invalid(mistake: SafeText): {readonly ok: false; readonly mistake: SafeText} {
  return {ok: false, mistake};
}
