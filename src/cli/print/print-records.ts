import type {Answer} from '../../api/client.ts';
import type {Quarantined} from '../../api/endpoint.ts';
import {assert} from '../../domain/assert.ts';
import {csvLine} from '../../domain/csv.ts';
import {hasEscapes, joinSafe, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {Column, Value} from '../../resources/column.ts';
import {type Entry, type Resource, rowEntry} from '../../resources/resource.ts';
import type {Latest} from '../../state/operations/journal.ts';
import type {FittedColumn, TableFit} from '../../ui/fitted-table.ts';
import {formatCounted, formatUtcFull, UNKNOWN} from '../../ui/format.ts';
import {type CommandIo, complain, print} from '../command-io.ts';
import {jsonText} from './json-text.ts';
import type {OutputFormat} from '../run-command.ts';
import {columnWidths, rowsText, terminalColumns} from './table-text.ts';
import {yamlText} from './yaml-text.ts';

export type PrintOptions = {
  readonly format: OutputFormat;
  readonly showsSecrets: boolean;
  readonly isAscii: boolean;
  readonly redact: (text: string) => string;
  /** The columns of a table or file, in this order; the format's own if absent. */
  readonly columns?: readonly string[] | undefined;
  /** The sort column, which a table always shows. */
  readonly sortedBy?: string | undefined;
  /** One subject was asked for. Its column is the first to be left out if all rows have the same there. */
  readonly isOfOne?: boolean;
};

type PrintedColumns = Resource['columns'];
type Printable = Pick<Resource, 'names' | 'columns'>;

/** Prints records as requested, and counts on stderr those that could not be parsed. */
export async function printRecords(
  io: CommandIo,
  resource: Printable,
  entries: readonly Entry[],
  options: PrintOptions,
): Promise<void> {
  if (options.format === 'json') await printJson(io, entries, options);
  else if (options.format === 'yaml' && entries.length === 0) await print(io, '[]\n');
  else await openPrinter(io, resource, options)(entries);
  warnOfLost(io, lostOf(entries), entries.length);
}

/** Prints records now and again later, if there are any; a table or file gets its header once. */
export function openPrinter(
  io: CommandIo,
  resource: Printable,
  options: PrintOptions,
): (entries: readonly Entry[]) => Promise<void> {
  const columns = columnsOf(resource, options);
  const room = options.format === 'table' && options.columns === undefined ? terminalColumns(io) : undefined;
  let widths: readonly number[] | undefined;
  let fit: TableFit | undefined;
  let hasHead = false;

  async function printTable(entries: readonly Entry[]): Promise<void> {
    const rows = entries.map(entry => rowOf(entry, columns, options));
    const head = hasHead ? [] : [columns.map(({title}) => title)];
    if (room !== undefined && (fit !== undefined || !hasHead)) {
      const {fitTable, fittedText, leftOutWords} = await import('../../ui/fitted-table.ts');
      const ranked = rankedColumns(columns, rows, options);
      fit ??= fitTable(ranked, rows, room);
      if (fit !== undefined) {
        await print(io, options.redact(fittedText(ranked, [...head, ...rows], fit)));
        if (!hasHead) complain(io, leftOutWords(ranked, fit, room));
        return;
      }
    }
    const {widthOf} = await import('../../ui/text.ts');
    const wanted = columnWidths(columns, rows, widthOf);
    widths = wanted.map((width, index) => Math.max(width, widths?.[index] ?? 0));
    await print(io, options.redact(rowsText(columns, [...head, ...rows], {widths, widthOf})));
  }

  async function printCsv(entries: readonly Entry[]): Promise<void> {
    const rows = entries.map(entry => csvRow(entry, columns));
    await print(io, options.redact([...(hasHead ? [] : [csvHead(columns)]), ...rows].join('')));
  }

  return async entries => {
    switch (options.format) {
      case 'json':
      case 'ndjson':
        for (const {raw} of entries) await print(io, recordLine(raw, options));
        break;
      case 'yaml':
        for (const {raw} of entries) await print(io, options.redact(yamlText([raw], options)));
        break;
      case 'name':
        await print(io, options.redact(entries.map(entry => nameLine(resource, entry, options)).join('')));
        break;
      case 'csv':
        await printCsv(entries);
        break;
      default:
        if (entries.length === 0) return;
        await printTable(entries);
    }
    hasHead = true;
  };
}

/**
 * Name, id and sort column stay, unless they only repeat what was asked for; the others are dropped as in the deck's list, columns that the deck does not show
 * first.
 */
function rankedColumns(
  columns: PrintedColumns,
  rows: readonly (readonly string[])[],
  {sortedBy, isOfOne = false}: Pick<PrintOptions, 'sortedBy' | 'isOfOne'>,
): readonly FittedColumn[] {
  const named = columns.findIndex(({key}) => key !== 'id');
  return columns.map(({key, title, align, list, isProse = list?.isProse, printRank, isSubject = false}, index) => {
    const isTold = isOfOne && isSubject && key !== sortedBy && new Set(rows.map(row => row[index])).size === 1;
    if (isTold) return {title, align, isProse, rank: TOLD_RANK};
    const stays = key === 'id' || index === named || key === sortedBy || isProse === true;
    const rank = printRank ?? list?.priority ?? (list === undefined ? UNLISTED_RANK : 0);
    return {title, align, isProse, rank: stays ? 0 : rank};
  });
}

/** Columns that are only printed matter less than most of the deck's. */
const UNLISTED_RANK = 6;
/** What was asked for matters less than any other. */
const TOLD_RANK = Number.POSITIVE_INFINITY;

/** What is printed of a record, except values that grow by themselves: decides whether to print it again. */
export function printedMark(resource: Printable, entry: Entry, options: PrintOptions): string {
  const {format} = options;
  if (format === 'name') return nameLine(resource, entry, options);
  if (entry.cell === undefined || !HAS_COLUMNS.has(format)) return recordLine(entry.raw, options);
  const values = columnsOf(resource, options).map(({key}) => entry.cell?.(key));
  return JSON.stringify(values.map(value => (value?.isAge === true ? '' : value?.text)));
}

export const HAS_COLUMNS: ReadonlySet<string> = new Set(['table', 'wide', 'csv'] satisfies OutputFormat[]);

function columnsOf({columns}: Printable, {columns: chosen, format, sortedBy}: PrintOptions): PrintedColumns {
  if (chosen !== undefined) return chosenColumns(columns, chosen);
  return columns.filter(
    ({key, printed}) =>
      printed === undefined ||
      (printed === 'wide' && (format === 'wide' || format === 'csv')) ||
      // A file has the same columns however it is sorted.
      (key === sortedBy && format !== 'csv'),
  );
}

/** The columns of these keys, in this order. The keys of a person are checked before. */
function chosenColumns(columns: PrintedColumns, keys: readonly string[]): PrintedColumns {
  return keys.map(key => {
    const found = columns.find(column => column.key === key);
    assert(found !== undefined, `no column ${key}`);
    return found;
  });
}

/** One JSON array, written in parts: ten thousand machines are many megabytes. */
async function printJson(io: CommandIo, entries: readonly Entry[], options: PrintOptions): Promise<void> {
  if (entries.length === 0) return print(io, '[]\n');
  for (const [index, {raw}] of entries.entries()) {
    const text = jsonText(raw, {...options, isIndented: true}).replaceAll('\n', '\n  ');
    const end = index === entries.length - 1 ? '\n]\n' : ',\n';
    await print(io, `${index === 0 ? '[\n' : ''}  ${options.redact(text)}${end}`);
    if (io.gone.aborted) return;
  }
}

/** One record as a line of JSON. */
export function recordLine(raw: unknown, options: Pick<PrintOptions, 'showsSecrets' | 'redact'>): string {
  return `${options.redact(jsonText(raw, options))}\n`;
}

/**
 * Words another command would take for an option, for an id, or for several words or files, as `xargs` and a shell
 * split them: a machine called `--yes` would confirm what is done to the others.
 */
const UNSAFE_WORD = /^-|^\d+$|[\s"'\\*?[]/;

/**
 * The word for use in another command: the name, or the id if that is safer. Escapes in a name are not what it is
 * called, and may be what something else is called.
 */
export function wordFor(name: SafeText | undefined, id: string | undefined): string | undefined {
  if (name === undefined || name === '') return id;
  return id !== undefined && (UNSAFE_WORD.test(name) || hasEscapes(name)) ? id : name;
}

/** The word for a record. For a kind with a single record, the kind. A record with neither is left out. */
function nameLine({names}: Printable, {name, id, raw, cell}: Entry, {redact}: Pick<PrintOptions, 'redact'>): string {
  const only = cell === undefined ? undefined : names[0];
  const shown = wordFor(name, id) ?? (typeof raw === 'string' ? safeText(raw) : only);
  return shown === undefined ? '' : `${redact(shown)}\n`;
}

/** A file of rows that are no records, with these columns in this order. */
export function csvText<Row>(
  columns: readonly Column<Row>[],
  keys: readonly string[],
  rows: readonly Row[] = [],
): string {
  const chosen = chosenColumns(columns, keys);
  return [csvHead(chosen), ...rows.map(row => csvRow(rowEntry(columns, row), chosen))].join('');
}

function csvHead(columns: PrintedColumns): string {
  return csvLine(columns.map(({key}) => key));
}

function csvRow(entry: Entry, columns: PrintedColumns): string {
  return csvLine(columns.map(({key}, index) => plainOf(entry.cell?.(key)) ?? (index === 0 ? (entry.id ?? '') : '')));
}

function plainOf(value: Value | undefined): string | undefined {
  return value?.plain ?? value?.text;
}

function rowOf(entry: Entry, columns: PrintedColumns, {isAscii}: PrintOptions): readonly string[] {
  const unknown = isAscii ? '-' : UNKNOWN;
  return entry.cell === undefined
    ? unreadableRow(entry, columns.length)
    : columns.map(({key}) => entry.cell?.(key)?.text ?? unknown);
}

/**
 * A record that could not be parsed, as far as known, in the first cells of the table, so that nothing is overlooked.
 */
function unreadableRow({id, lost}: Entry, columnCount: number): readonly string[] {
  const fields = joinSafe(
    lost.flatMap(each => each.fields),
    ', ',
  );
  const words = say`UNREADABLE (${fields})`;
  return columnCount > 1 ? [id ?? '?', words] : [say`${id ?? say`?`} ${words}`];
}

const MAX_TOLD = 5;

/** Says on stderr what of so many records could not be read. */
export function warnOfLost(io: CommandIo, lost: readonly Quarantined[], recordCount: number): void {
  if (lost.length === 0) return;
  complain(io, say`${lost.length} of ${recordCount} records could not be read completely: ${namesOf(lost)}`);
}

/** What is missing in a list that was read, a sentence each. */
export function gapsIn(
  what: SafeText,
  {quarantined: lost, incompleteReason}: Pick<Answer<unknown>, 'quarantined' | 'incompleteReason'>,
): readonly SafeText[] {
  const count = safeText(formatCounted(lost.length, 'record'));
  return [
    ...(incompleteReason === undefined
      ? []
      : [say`${what}: the list may be incomplete (${safeText(incompleteReason)})`]),
    ...(lost.length === 0 ? [] : [say`${what}: ${count} could not be read completely: ${namesOf(lost)}`]),
  ];
}

/**
 * What is missing in a list of the operations sent since a moment: of a very long journal only the end is read, and a
 * line that cannot be read tells no time.
 */
export function gapsInJournal(
  {readFrom, unreadableCount}: Pick<Latest, 'readFrom' | 'unreadableCount'>,
  since: EpochMs | undefined,
): readonly string[] {
  const isCut = readFrom !== undefined && (since === undefined || since < readFrom);
  return [
    ...(isCut
      ? [`operations before ${formatUtcFull(readFrom)} are missing: the journal is too long to read all of it`]
      : []),
    ...(unreadableCount === 0
      ? []
      : [`skipped ${formatCounted(unreadableCount, 'line')} of the journal that could not be read`]),
  ];
}

function namesOf(lost: readonly Quarantined[]): SafeText {
  const more = lost.length > MAX_TOLD ? say`, and ${lost.length - MAX_TOLD} more` : say``;
  return say`${joinSafe(lost.slice(0, MAX_TOLD).map(lostWords), '; ')}${more}`;
}

export function lostOf(entries: readonly Entry[]): readonly Quarantined[] {
  return entries.flatMap(({lost}) => lost);
}

function lostWords({id, fields}: Quarantined): SafeText {
  const words = joinSafe(fields, ', ');
  return id === undefined ? words : say`#${id} (${words})`;
}
