import type {Quarantined} from '../api/endpoint.ts';
import {csvLine} from '../domain/csv.ts';
import {joinSafe, type SafeText, say} from '../domain/safe-text.ts';
import type {Entry, Resource, Value} from '../resources/resource.ts';
import {UNKNOWN} from '../ui/format.ts';
import {type CommandIo, complain, print} from './command-io.ts';
import {jsonText} from './json-text.ts';
import type {OutputFormat} from './run-command.ts';
import {tableText} from './table-text.ts';

export type PrintOptions = {
  readonly format: OutputFormat;
  readonly showsSecrets: boolean;
  readonly isAscii: boolean;
  readonly redact: (text: string) => string;
};

/** Prints records as asked, and counts on stderr what could not be read of them. */
export async function printRecords(
  io: CommandIo,
  resource: Pick<Resource, 'columns'>,
  entries: readonly Entry[],
  options: PrintOptions,
): Promise<void> {
  switch (options.format) {
    case 'json':
      await printJson(io, entries, options);
      break;
    case 'ndjson':
      for (const {raw} of entries) await print(io, recordLine(raw, options));
      break;
    case 'name':
      for (const entry of entries) await print(io, nameLine(entry, options));
      break;
    case 'csv':
      await print(io, csvText(resource, entries, options));
      break;
    default:
      await print(io, options.redact(await tableOf(resource, entries, options)));
  }
  warnOfLost(io, entries);
}

/** One JSON array, written in parts: ten thousand machines are many megabytes. */
async function printJson(io: CommandIo, entries: readonly Entry[], options: PrintOptions): Promise<void> {
  if (entries.length === 0) return print(io, '[]\n');
  for (const [index, {raw}] of entries.entries()) {
    const text = jsonText(raw, {...options, isIndented: true}).replaceAll('\n', '\n  ');
    const end = index === entries.length - 1 ? '\n]\n' : ',\n';
    await print(io, `${index === 0 ? '[\n' : ''}  ${redacted(text, options)}${end}`);
    if (io.gone.aborted) return;
  }
}

/** One record as a line of JSON. */
export function recordLine(raw: unknown, options: Pick<PrintOptions, 'showsSecrets' | 'redact'>): string {
  return `${redacted(jsonText(raw, options), options)}\n`;
}

function nameLine({name, id, raw}: Entry, {redact}: Pick<PrintOptions, 'redact'>): string {
  const shown = name === undefined || name === '' ? (id ?? (typeof raw === 'string' ? raw : '?')) : name;
  return `${redact(shown)}\n`;
}

function redacted(text: string, {showsSecrets, redact}: Pick<PrintOptions, 'showsSecrets' | 'redact'>): string {
  return showsSecrets ? text : redact(text);
}

function csvText(resource: Pick<Resource, 'columns'>, entries: readonly Entry[], {redact}: PrintOptions): string {
  const columns = resource.columns.filter(({printed}) => printed !== 'asked');
  const lines = entries.map(entry =>
    csvLine(columns.map(({key}, index) => plainOf(entry.cell?.(key)) ?? (index === 0 ? (entry.id ?? '') : ''))),
  );
  return redact([csvLine(columns.map(({key}) => key)), ...lines].join(''));
}

function plainOf(value: Value | undefined): string | undefined {
  return value?.plain ?? value?.text;
}

async function tableOf(
  {columns: all}: Pick<Resource, 'columns'>,
  entries: readonly Entry[],
  {format, isAscii}: PrintOptions,
): Promise<string> {
  const {widthOf} = await import('../ui/text.ts');
  const unknown = isAscii ? '-' : UNKNOWN;
  const columns = all.filter(({printed}) => printed === undefined || (printed === 'wide' && format === 'wide'));
  const rows = entries.map(entry =>
    entry.cell === undefined
      ? unreadableRow(entry, columns.length)
      : columns.map(({key}) => entry.cell?.(key)?.text ?? unknown),
  );
  return entries.length === 0 ? '' : tableText(columns, rows, widthOf);
}

/** What is known of a record that could not be read, in the table's own first cells, so that nothing is overlooked. */
function unreadableRow({id, lost}: Entry, columnCount: number): readonly string[] {
  const fields = joinSafe(
    lost.flatMap(each => each.fields),
    ', ',
  );
  const words = say`UNREADABLE (${fields})`;
  return columnCount > 1 ? [id ?? '?', words] : [say`${id ?? say`?`} ${words}`];
}

const MAX_TOLD = 5;

export function warnOfLost(io: CommandIo, entries: readonly Pick<Entry, 'lost'>[]): void {
  const lost = entries.flatMap(each => each.lost);
  if (lost.length === 0) return;
  const told = lost.slice(0, MAX_TOLD).map(lostWords);
  const more = lost.length > MAX_TOLD ? say`, and ${lost.length - MAX_TOLD} more` : say``;
  complain(
    io,
    say`${lost.length} of ${entries.length} records could not be read whole: ${joinSafe(told, '; ')}${more}`,
  );
}

function lostWords({id, fields}: Quarantined): SafeText {
  const words = joinSafe(fields, ', ');
  return id === undefined ? words : say`#${id} (${words})`;
}
