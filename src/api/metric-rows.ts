import type {SafeText} from '../domain/safe-text.ts';
import {safeText, say} from '../domain/safe-text.ts';
import {type MachineMetrics, packedSeries, type Sample, type Series} from '../domain/series.ts';
import {type EpochMs, parseTimestamp} from '../domain/time.ts';
import {BYTES_PER_MIB} from './exchange.ts';
import type {ParsedRecord, Quarantined} from './endpoint.ts';
import {isObject, present, readNumber} from './fields.ts';

/** The service's megabyte is the hypervisor's: 2^20 bytes. */
/** The limit of 64-bit counters: above it a float could not show whether a counter still moves. */
const MAX_VALUE = 2 ** 64;
const MEMORY = 'memory.usages';
const KNOWN_SERIES: ReadonlySet<string> = new Set([
  'cpu',
  MEMORY,
  'network.in',
  'network.out',
  'disk.read',
  'disk.write',
]);
const DOCUMENTED_COLUMNS = ['time', 'granularity', 'value'];

/** Whether a reply contains any series; if not, it is no answer about metrics. */
export function hasSeries(body: unknown): boolean {
  return isObject(body) && Object.values(body).some(isSeries);
}

/** The machine's six series from one reply, and the rows that could not be parsed. */
export function readMetrics(raw: unknown): ParsedRecord<MachineMetrics> {
  if (!isObject(raw)) return {ok: false, fields: [say`the record itself`]};
  const lost: Quarantined[] = [];
  const read = (name: string | undefined, scale = 1) => {
    const series = name === undefined ? undefined : raw[name];
    return isSeries(series) ? toSeries(series, {name: safeText(name ?? ''), scale, timestamps, lost}) : undefined;
  };
  // The six series share their timestamps, and parsing those is most of the work for a long window.
  const timestamps: Timestamp[] = [];
  const value = present({
    cpu: read('cpu'),
    memory: read(MEMORY, BYTES_PER_MIB),
    networkIn: read(inboundKey(raw)),
    networkOut: read('network.out'),
    diskRead: read('disk.read'),
    diskWrite: read('disk.write'),
  });
  return {ok: true, value, lost};
}

/**
 * The documents have `{base_url}` where `network.in` belongs, so an unknown series is taken as inbound traffic: the one
 * in bytes if there are several, otherwise whatever its unit.
 */
function inboundKey(raw: Readonly<Record<string, unknown>>): string | undefined {
  if (isSeries(raw['network.in'])) return 'network.in';
  const unknown = Object.entries(raw).filter(([key, series]) => !KNOWN_SERIES.has(key) && isSeries(series));
  const inBytes = unknown.find(([, series]) => isSeries(series) && series.unit === 'B');
  return (inBytes ?? (unknown.length === 1 ? unknown[0] : undefined))?.[0];
}

type WireSeries = {readonly unit?: unknown; readonly columns?: unknown; readonly data: readonly unknown[]};
type ColumnIndexes = {readonly time: number; readonly granularity: number; readonly value: number};
type Graded = Sample & {readonly granularity: number};
type Timestamp = {readonly text: string; readonly moment: EpochMs | undefined};
type MetricSource = {
  readonly name: SafeText;
  readonly scale: number;
  /** The last value in any row, of any series. */
  readonly timestamps: Timestamp[];
  readonly lost: Quarantined[];
};

function isSeries(value: unknown): value is WireSeries {
  return isObject(value) && Array.isArray(value.data);
}

/**
 * Ascending samples, one per moment. Without a duration the service returns all its archives, so a moment can occur
 * several times; the finest granularity is used, since it is averaged least.
 */
function toSeries(series: WireSeries, source: MetricSource): Series {
  const columns = columnsOf(series);
  const samples: Graded[] = [];
  let isAscending = true;
  for (let index = 0; index < series.data.length; index += 1) {
    const sample = toSample(series.data[index], index, columns, source);
    if (sample === undefined) {
      source.lost.push({fields: [source.name]});
      continue;
    }
    isAscending &&= sample.sampledAt > (samples.at(-1)?.sampledAt ?? Number.NEGATIVE_INFINITY);
    samples.push(sample);
  }
  return packedSeries(isAscending ? samples : finestOfMoments(samples));
}

function finestOfMoments(samples: readonly Graded[]): readonly Graded[] {
  const byMoment = new Map<EpochMs, Graded>();
  for (const sample of samples) {
    const known = byMoment.get(sample.sampledAt);
    if (known === undefined || sample.granularity <= known.granularity) byMoment.set(sample.sampledAt, sample);
  }
  return [...byMoment.values()].sort((left, right) => left.sampledAt - right.sampledAt);
}

/** Columns are found by name, because the documents show their order but do not promise it. */
function columnsOf({columns}: WireSeries): ColumnIndexes {
  const names = Array.isArray(columns) ? columns : DOCUMENTED_COLUMNS;
  const [time, granularity, value] = DOCUMENTED_COLUMNS.map((name, index) =>
    names.includes(name) ? names.indexOf(name) : index,
  );
  return {time: time ?? 0, granularity: granularity ?? 1, value: value ?? 2};
}

function toSample(
  row: unknown,
  index: number,
  columns: ColumnIndexes,
  {scale, timestamps}: MetricSource,
): Graded | undefined {
  if (!Array.isArray(row)) return undefined;
  const sampledAt = readTime(row[columns.time], index, timestamps);
  const value = readNumber(row[columns.value]);
  if (sampledAt === undefined || value === undefined || value < 0 || value > MAX_VALUE) return undefined;
  // A row without a granularity counts as the coarsest.
  const granularity = readNumber(row[columns.granularity]) ?? Number.POSITIVE_INFINITY;
  return {sampledAt, value: value * scale, granularity};
}

function readTime(text: unknown, index: number, timestamps: Timestamp[]): EpochMs | undefined {
  if (typeof text !== 'string') return undefined;
  const known = timestamps[index];
  if (known?.text === text) return known.moment;
  const moment = parseTimestamp(text);
  timestamps[index] = {text, moment};
  return moment;
}
