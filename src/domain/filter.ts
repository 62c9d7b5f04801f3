import {unreachable} from './assert.ts';
import {closest} from './closest-word.ts';
import {cutTerms, foreignOperator, type WrittenTerm} from './filter-term.ts';
import {joinSafe, type SafeText, safeText, say} from './safe-text.ts';
import {searchPattern} from './search-pattern.ts';
import {DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS} from './time.ts';

/** A parsed filter expression: terms joined by and. No terms match everything. */
export type Filter = {readonly terms: readonly FilterTerm[]};

type FilterTerm = {readonly isNegated: boolean; readonly condition: Condition};

/** Without a column, any displayed text. */
type Condition =
  | {readonly kind: 'text'; readonly column?: string; readonly matches: (text: string) => boolean}
  | {readonly kind: 'above' | 'below'; readonly column: string; readonly limit: number};

export type FilterOutcome =
  | {readonly ok: true; readonly filter: Filter}
  | {readonly ok: false; readonly mistake: SafeText};

/** `isAtLeast`: the number is a lower bound. */
type FilterCell = {readonly text: string; readonly number?: number; readonly isAtLeast?: true};

/**
 * A row as a filter sees it. A cell's `number` is in the unit of filter expressions: percent points, dollars,
 * milliseconds of a duration, bytes. An unknown number is absent.
 */
export type FilterRow = {
  readonly cell: (column: string) => FilterCell | undefined;
  readonly shownTexts: () => Iterable<string>;
  /** If absent, `label:` looks at the cell of that name. */
  readonly labels?: readonly string[];
};

const MAX_EXPRESSION_LENGTH = 256;
const LABEL = 'label';

const NUMBER = /^([+-]?)\$?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(%|[kKMGTP]?B?(?:\/s)?)$/;
const DURATION = /^(?:\d+(?:\.\d+)?[smhdw])+$/;
const DURATION_PART = /([\d.]+)([smhdw])/g;
const DURATION_UNITS = new Map([
  ['s', SECOND_MS],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);
/** Bytes are shown in powers of 1024. */
const BYTE_STEP = 1024;
const BYTE_UNITS = 'KMGTP';

/**
 * Parses a filter expression (`train cpu>80 age<1d !label:prod /^gpu-\d+$/ "two words"`) for the columns of one list.
 * An error says where it is, what is wrong and what to write instead. `also` contains other names of columns.
 */
export function parseFilter(
  expression: string,
  columns: readonly string[],
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

function isMet(condition: Condition, row: FilterRow): boolean | undefined {
  switch (condition.kind) {
    case 'text':
      return textsOf(row, condition.column).some(condition.matches);
    case 'above':
    case 'below': {
      const {number, isAtLeast} = row.cell(condition.column) ?? {};
      if (number === undefined || Number.isNaN(number)) return undefined;
      // At least an hour is above a minute, and may be below or above a day.
      if (isAtLeast === true && number <= condition.limit) return undefined;
      return condition.kind === 'above' ? number > condition.limit : number < condition.limit;
    }
    default:
      return unreachable(condition);
  }
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
  columns: readonly string[],
  also: ReadonlyMap<string, string>,
): ConditionOutcome {
  const columnNamed = (name: string) => also.get(name.toLowerCase()) ?? knownColumn(name, columns);
  const foreign = foreignOperator(term, {
    isColumn: name => columnNamed(name) !== undefined,
    isValid: expression => parseFilter(expression, columns, also).ok,
  });
  if (foreign !== undefined) return invalid(foreign);
  const column = term.column === undefined ? undefined : columnNamed(term.column);
  if (term.column !== undefined && column === undefined)
    return invalid(unknownColumn(term, term.column, columns, also));
  if (column !== undefined && (term.operator === '>' || term.operator === '<')) {
    const limit = term.form === 'pattern' ? undefined : numberOf(term.value);
    if (limit === undefined)
      return invalid(say`expected a number after ${safeText(term.operator)}, e.g. 80, 80%, $10, 12h or 4G`);
    return {ok: true, condition: {kind: term.operator === '>' ? 'above' : 'below', column, limit}};
  }
  const search = term.form === 'pattern' ? searchPattern(term.value) : textSearch(term.value);
  if (!search.ok) return search;
  return {ok: true, condition: {kind: 'text', ...(column === undefined ? {} : {column}), matches: search.matches}};
}

function textSearch(value: string): {readonly ok: true; readonly matches: (text: string) => boolean} {
  const wanted = value.toLowerCase();
  return {ok: true, matches: text => text.toLowerCase().includes(wanted)};
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

/** A number as typed and displayed: `80`, `80%`, `$1,250`, `4G`, `200K/s`, `12h`, `1d12h`, `9h14`. */
function numberOf(text: string): number | undefined {
  const [, sign, digits, unit = ''] = NUMBER.exec(text) ?? [];
  if (digits === undefined) return durationOf(text);
  const power = unit === '%' ? 0 : BYTE_UNITS.indexOf(unit.charAt(0).toUpperCase() || '-') + 1;
  return (sign === '-' ? -1 : 1) * Number(digits.replaceAll(',', '')) * BYTE_STEP ** power;
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
