import {describeReadFailure} from '../../domain/failure.ts';
import type {Preferences} from '../../domain/preferences.ts';
import {safeText} from '../../domain/safe-text.ts';
import type {EpochMs} from '../../domain/time.ts';
import {events as eventsResource} from '../../resources/events.ts';
import {gpuWords} from '../../resources/machines.ts';
import {aloneAt, oneName, type Resource, type RowInput} from '../../resources/resource.ts';
import {formatDuration, formatKnown, formatRate, formatUsd, UNKNOWN} from '../../ui/format.ts';
import {jsonText, withoutSecrets} from '../print/json-text.ts';
import type {Related, Section} from './related.ts';
import {tableText} from '../print/table-text.ts';

export type Described = {
  readonly resource: Resource;
  readonly raw: unknown;
  readonly related: Related;
  readonly preferences: Preferences;
};
export type TextOptions = {
  readonly showsSecrets: boolean;
  readonly isAscii: boolean;
  readonly now: EpochMs;
  /** The width of the terminal; undefined if the text goes elsewhere. */
  readonly columns: number | undefined;
  readonly hasBoxCharacters: boolean;
};

const INDENT = '  ';
/** Histories are long, so only the latest entries are shown. */
const MAX_SHOWN = 20;

/** One record as text: its list columns, its fields under the service's names, and related records. */
export async function describedText(described: Described, options: TextOptions): Promise<string> {
  const {widthOf} = await import('../../ui/text.ts');
  const {resource, raw, related, preferences} = described;
  const {id, name} = resource.parseRaw(raw);
  const context = {...aloneAt(options.now), preferences};
  const head = [oneName(resource), name, id === undefined || id === name ? undefined : `#${id}`];
  const text = [
    head.filter(word => word !== undefined && word !== '').join(' '),
    ...summaryText(resource, resource.entry({...context, store: related.store ?? context.store})(raw)),
    `fields of the service:\n${indented(fieldLines(raw, options))}`,
    ...costText(related),
    ...gpuText(related, options),
    ...(await Promise.all(related.sections.map(section => sectionText(section, context, widthOf, options)))),
    ...findingsText(related),
  ].join('\n\n');
  return `${options.isAscii ? text.replaceAll(UNKNOWN, '-') : text}\n`;
}

/** In the words of the lists, so that nobody has to know what `expiration_policy 0` means. */
function summaryText({columns}: Resource, {cell}: ReturnType<ReturnType<Resource['entry']>>): readonly string[] {
  const known = columns.flatMap(({key, title}) => {
    const value = cell?.(key);
    return value === undefined || key === 'id' || key === 'name'
      ? []
      : [{title: title.toLowerCase(), text: value.text}];
  });
  if (known.length === 0) return [];
  const width = Math.max(...known.map(({title}) => title.length));
  return [indented(known.map(({title, text}) => `${title.padEnd(width)}  ${text}`))];
}

const SOURCES = {billed: 'as billed', usage: 'estimated from usage'} as const;

function costText({cost, month}: Related): readonly string[] {
  if (cost === undefined) return [];
  if (!cost.ok) return [`cost: unknown, ${describeReadFailure(cost.failure)}`];
  const {rate, isAtLeast, isFree, billed, lacksEarlier} = cost.value;
  const least = rate !== undefined && isAtLeast === true ? 'at least ' : '';
  const now = isFree === true ? 'free' : `${least}${formatKnown(rate, formatRate)}`;
  const ofMonth = month === undefined ? '' : `, ${formatUsd(month.cost)} this month (${SOURCES[month.source]})`;
  const since = lacksEarlier === true ? '' : `, ${formatKnown(billed, formatUsd)} since it was created`;
  return [`cost: ${now} now${ofMonth}${since}`];
}

/** Silent about a kind that is not judged here: "none" would say that all is well. */
function findingsText({findings}: Related): readonly string[] {
  if (findings === undefined) return [];
  return [findings.length === 0 ? 'findings: none' : `findings:\n${indented(findings)}`];
}

function gpuText({gpus}: Related, {now}: TextOptions): readonly string[] {
  if (gpus === undefined) return [];
  if (!gpus.ok) return [`gpu load: unknown, ${describeReadFailure(gpus.failure)}`];
  if (gpus.value === undefined) return ['gpu load: unknown, DCGM has no series of this machine'];
  const {sampledAt, gpus: each} = gpus.value;
  const lines = each.map(gpu => `gpu ${gpu.index}  ${gpuWords(gpu)}`);
  return [`gpu load: by DCGM, ${formatDuration(Math.max(0, now - sampledAt))} ago\n${indented(lines)}`];
}

async function sectionText(
  {title, records, resource, store}: Section,
  context: RowInput,
  widthOf: (text: string) => number,
  options: TextOptions,
): Promise<string> {
  if (!records.ok) return `${title}: unknown, ${describeReadFailure(records.failure)}`;
  if (records.value.length === 0) return `${title}: none`;
  // The service lists events oldest first; the deck and skydeck events begin with the newest.
  const isEvents = resource === eventsResource;
  const newest = records.value.slice(-MAX_SHOWN);
  const shown = isEvents ? newest.toReversed() : newest;
  const count = shown.length < records.value.length ? `${shown.length} of ${records.value.length}` : `${shown.length}`;
  const lines =
    resource === undefined
      ? shown.flatMap(raw => fieldLines(raw, options))
      : await tableLines(
          {resource, records: shown, context: {...context, store: store ?? context.store}},
          widthOf,
          options,
        );
  const order = isEvents && shown.length > 1 ? ', newest first' : '';
  return `${title}: ${count}${order}\n${indented(lines)}`;
}

/** A box if it fits the terminal; plain lines, uncut, for a narrow terminal and for programs. */
async function tableLines(
  {
    resource,
    records,
    context,
  }: {readonly resource: Resource; readonly records: readonly unknown[]; readonly context: RowInput},
  widthOf: (text: string) => number,
  {columns: room = 0, hasBoxCharacters}: TextOptions,
): Promise<readonly string[]> {
  const entries = records.map(resource.entry(context));
  // Columns without any value are left out, and so is the owner, which is already named.
  const columns = resource.columns.filter(
    ({key, printed}) => printed === undefined && entries.some(({cell}) => cell?.(key) !== undefined),
  );
  const rows = entries.map(({cell}) => columns.map(({key}) => cell?.(key)?.text ?? UNKNOWN));
  const plain = tableText(columns, rows, widthOf).trimEnd().split('\n');
  // Between two columns, a box has an edge and two blanks where plain lines have two blanks.
  const boxWidth = Math.max(...plain.map(widthOf)) + columns.length + 3;
  const isTitledTwice = new Set(columns.map(({title}) => title)).size < columns.length;
  if (boxWidth + INDENT.length > room || isTitledTwice) return plain;
  const {summaryTable} = await import('../../ui/summary-table.tsx');
  return summaryTable(columns, rows, {hasBoxCharacters, maxCellWidth: room}).split('\n');
}

function indented(lines: readonly string[]): string {
  return lines.map(line => `${INDENT}${line}`).join('\n');
}

/** Every field of a record on a line of its own, under the service's names: `flavor.cpu  28`, `labels.0  prod`. */
function fieldLines(raw: unknown, {showsSecrets}: {readonly showsSecrets: boolean}): readonly string[] {
  const fields = flattened(showsSecrets ? raw : withoutSecrets(raw), '');
  const width = Math.max(0, ...fields.map(({path}) => path.length));
  return fields.map(({path, value}) => `${path.padEnd(width)}  ${valueText(value, showsSecrets)}`.trimEnd());
}

type Field = {readonly path: string; readonly value: unknown};

function flattened(value: unknown, path: string): readonly Field[] {
  const isBranch = typeof value === 'object' && value !== null && !JSON.isRawJSON(value) && !('reveal' in value);
  const entries = isBranch ? Object.entries(value) : [];
  if (entries.length === 0) return [{path: safeText(path === '' ? 'value' : path), value}];
  return entries.flatMap(([name, field]) => flattened(field, path === '' ? name : `${path}.${name}`));
}

/** Text without quotes; everything else as JSON. */
function valueText(value: unknown, showsSecrets: boolean): string {
  return typeof value === 'string' ? safeText(value) : jsonText(value, {showsSecrets});
}
