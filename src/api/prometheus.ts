import * as z from 'zod';
import {EXPORTED_SERIES, type ExportedSample, SAMPLE_AGE_SERIES} from '../domain/exported-metrics.ts';
import {describeFailure, type Result} from '../domain/failure.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {Secret} from '../domain/secret.ts';
import {MAX_PER_SECOND} from '../domain/series.ts';
import {
  type Clock,
  type DurationMs,
  type EpochMs,
  epochMs,
  isAhead,
  LAST_MOMENT_MS,
  MINUTE_MS,
  SECOND_MS,
} from '../domain/time.ts';
import {MAX_RATIO} from '../domain/utilization.ts';
import {type VirtualMachineId, virtualMachineId} from '../domain/virtual-machine.ts';
import {type BodyChunk, piecesFromStart, takeText} from './body.ts';
import {isSuccess, MAX_ERROR_BODY_BYTES, type OpenReply, outsideText, type ServiceConnection} from './exchange.ts';
import {MAX_LIST_RECORDS} from './paging.ts';
import {exchangeWith} from './read-exchange.ts';
import {mapInSlices} from './slices.ts';

/** A Prometheus that holds the exporter's series: its address and token. The service's key is never sent there. */
export type PrometheusConnection = {
  readonly url: string;
  readonly token: Secret;
  /** All secrets of the process, which no text of Prometheus may show; the token if absent. */
  readonly secrets?: readonly Secret[];
  readonly clock: Clock;
  readonly ask: typeof askPrometheus;
};

/** Half-open: later than `since`, up to `until`. */
export type Range = {readonly since: EpochMs; readonly until: EpochMs; readonly stepMs?: DurationMs};

/** The time limit, for queries that take longer than usual. */
export type TimeLimit = {readonly timeoutMs?: DurationMs};

/** The exported samples of each machine, in ascending order. */
export type ExportedMachines = ReadonlyMap<VirtualMachineId, readonly ExportedSample[]>;

export type PrometheusReading<T> =
  | {readonly ok: true; readonly value: T}
  | {readonly ok: false; readonly reason: SafeText};

const TIMEOUT_MS: DurationMs = 5 * SECOND_MS;
/** An answer about more machines is not read to its end. */
export const MAX_QUERIED_MACHINES = MAX_LIST_RECORDS;
/** The exporter measures 400; after a restart elsewhere there may be others. Samples of further machines are left out. */
const MAX_EXPORTED_MACHINES = 1000;
/** An hour at one-minute steps has 61. Further ones of a machine are left out. */
const MAX_EVALUATIONS = 200;
const STEP_MS: DurationMs = MINUTE_MS;
const SAMPLED_AT = 'skydeck_sampled_at';

/**
 * All series of all machines, and for each scrape the time of its sample: a scrape repeats a sample until the exporter
 * has a newer one. Backfilled samples have no age; they are stored at their own time. `or` compares labels but not
 * metric names, hence an extra label for each figure.
 */
const QUERY = `{__name__=~"${Object.values(EXPORTED_SERIES).join('|')}"} or label_replace(timestamp(${SAMPLE_AGE_SERIES}) - ${SAMPLE_AGE_SERIES} or timestamp(${EXPORTED_SERIES.cpu}), "${SAMPLED_AT}", "1", "", "")`;

const seriesSchema = z.object({metric: z.record(z.string(), z.string())});
const valueSchema = z.tuple([
  z
    .number()
    .min(0)
    .max(LAST_MOMENT_MS / SECOND_MS),
  z.string(),
]);
const rangeSchema = answerOf('matrix', seriesSchema.extend({values: z.array(valueSchema)}));
const instantSchema = answerOf('vector', seriesSchema.extend({value: valueSchema}));
const refusalSchema = z.object({status: z.literal('error'), error: z.string()});

/** A series with its values, each after the second it was evaluated at. */
export type RangeSeries = z.output<typeof rangeSchema.part>['data']['result'][number];
export type InstantSeries = z.output<typeof instantSchema.part>['data']['result'][number];

/** The exported samples of all machines in a period, with one range query. */
export async function readExportedMachines(
  connection: PrometheusConnection,
  range: Range,
): Promise<PrometheusReading<ExportedMachines>> {
  const evaluations = new Map<VirtualMachineId, Evaluations>();
  const read = await queryRange(connection, {query: QUERY, ...range}, series => addSeries(evaluations, series));
  if (!read.ok) return read;
  const samplesOf = ([id, own]: [VirtualMachineId, Evaluations]) => [id, samplesIn(own, range.until)] as const;
  return {ok: true, value: new Map(await mapInSlices([...evaluations], samplesOf, connection.clock))};
}

/** Takes a series from an answer, of which no more is kept. False where it is about too many machines. */
type TakeSeries<Series> = (series: Series) => boolean;

export function queryRange(
  connection: PrometheusConnection,
  {query, since, until, stepMs = STEP_MS, ...limit}: {readonly query: string} & Range & TimeLimit,
  take: TakeSeries<RangeSeries>,
): Promise<PrometheusReading<undefined>> {
  const times = {start: since / SECOND_MS, end: until / SECOND_MS, step: stepMs / SECOND_MS};
  const send = (onPiece: TakePiece) =>
    connection.ask(connection, {path: 'query_range', parameters: {query, ...times}, ...limit}, onPiece);
  return readSeries(send, {...rangeSchema, name: say`a range query`}, take);
}

/** Which figure a series belongs to: `or` compares labels but not metric names. */
export const FIGURE = 'skydeck_figure';

/** Several figures in one query: the label `FIGURE` of each resulting series says which one it is. */
export function oneQuery(figures: Readonly<Record<string, string>>): string {
  return Object.entries(figures)
    .map(([figure, query]) => `label_replace(${query}, "${FIGURE}", "${figure}", "", "")`)
    .join(' or ');
}

/** The result of a query at one moment. */
export function queryAt(
  connection: PrometheusConnection,
  {query, at, ...limit}: {readonly query: string; readonly at: EpochMs} & TimeLimit,
  take: TakeSeries<InstantSeries>,
): Promise<PrometheusReading<undefined>> {
  const parameters = {query, time: at / SECOND_MS};
  const send = (onPiece: TakePiece) => connection.ask(connection, {path: 'query', parameters, ...limit}, onPiece);
  return readSeries(send, {...instantSchema, name: say`a query`}, take);
}

/** The result in the form a feed returns. */
export function resultOf<T>(read: PrometheusReading<T>): Result<T> {
  return read.ok ? read : {ok: false, failure: {kind: 'incomplete', detail: say`Prometheus: ${read.reason}`}};
}

/** Takes the next piece of an answer; false ends the reading. */
type TakePiece = (piece: Pick<BodyChunk, 'text' | 'isLast'>) => boolean;

type PrometheusQuestion = TimeLimit & {
  readonly path: 'query' | 'query_range';
  readonly parameters: Readonly<Record<string, string | number>>;
};

/** Sends one query and reads a successful answer in pieces, with the same limits as the service's own answers. */
export async function askPrometheus(
  {url, token, secrets = [token], clock}: Pick<PrometheusConnection, 'url' | 'token' | 'secrets' | 'clock'>,
  {path, parameters, timeoutMs = TIMEOUT_MS}: PrometheusQuestion,
  take: TakePiece,
): Promise<PrometheusReading<undefined>> {
  const connection = {secrets, clock};
  const asked = new URL(`${url.replace(/\/+$/, '')}/api/v1/${path}`);
  for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, String(value));
  const headers = {accept: 'application/json', authorization: `Bearer ${token.reveal()}`};
  const reply = await exchangeWith(connection, {method: 'GET', url: asked, headers}, {timeoutMs});
  if (!reply.ok) return {ok: false, reason: describeFailure(reply.failure)};
  const {httpStatus, close} = reply.value;
  try {
    if (!isSuccess(httpStatus)) {
      const body = await takeText(reply.value, MAX_ERROR_BODY_BYTES);
      if (!body.ok) return {ok: false, reason: describeFailure(body.failure)};
      return {ok: false, reason: refusal(connection, reply.value, body.value)};
    }
    for await (const piece of piecesFromStart(reply.value)) {
      if (!piece.ok) return {ok: false, reason: describeFailure(piece.failure)};
      if (!take(piece.value)) break;
    }
    return {ok: true, value: undefined};
  } finally {
    close();
  }
}

/** What hides the secrets in a text. */
type Shown = Pick<ServiceConnection, 'secrets'>;

function refusal(connection: Shown, {httpStatus, header}: OpenReply, body: string): SafeText {
  const location = header('location');
  if (location !== undefined) {
    const host = outsideText(connection, URL.parse(location)?.host ?? 'another address');
    return say`redirected to ${host}; not followed, so that the token stays here`;
  }
  if (httpStatus === 401 || httpStatus === 403) return say`its token was not accepted (${httpStatus})`;
  const reason = refusalReason(body, connection);
  return reason === '' ? say`refused (${httpStatus})` : say`refused (${httpStatus}): ${reason}`;
}

/** Why Prometheus refused. */
function refusalReason(body: string, connection: Shown): SafeText {
  const parsed = refusalSchema.safeParse(jsonIn(body));
  return parsed.success ? outsideText(connection, parsed.data.error) : say``;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A whole answer, and a part of it with some of its series. */
function answerOf<Series extends z.ZodType>(resultType: 'matrix' | 'vector', series: Series) {
  const result = z.array(series);
  return {
    part: z.object({data: z.object({result})}),
    whole: z.object({status: z.literal('success'), data: z.object({resultType: z.literal(resultType), result})}),
  };
}

type ReplySchema<T> = z.ZodType<{readonly data: {readonly result: readonly T[]}}>;

/** Gives the series of an answer, piece by piece. */
async function readSeries<Series>(
  send: (take: TakePiece) => Promise<PrometheusReading<undefined>>,
  {
    part,
    whole,
    name,
  }: {readonly part: ReplySchema<Series>; readonly whole: ReplySchema<Series>; readonly name: SafeText},
  take: TakeSeries<Series>,
): Promise<PrometheusReading<undefined>> {
  let isFull = false;
  let isWhole = false;
  const read = await send(({text, isLast}) => {
    const parsed = (isLast ? whole : part).safeParse(jsonIn(text));
    if (!parsed.success) return false;
    isFull = !parsed.data.data.result.every(take);
    isWhole = isLast;
    return !isFull;
  });
  if (!read.ok) return read;
  if (isFull) return {ok: false, reason: say`an answer about more than ${MAX_QUERIED_MACHINES} machines`};
  return isWhole ? read : {ok: false, reason: say`an unreadable answer: not that of ${name}`};
}

/** Combines the value and the time of a sample by the moment they were evaluated at. */
type Evaluations = Map<number, {-readonly [Name in keyof ExportedSample]?: ExportedSample[Name]}>;

function addSeries(evaluations: Map<VirtualMachineId, Evaluations>, {metric, values}: RangeSeries): boolean {
  const id = idIn(metric);
  if (id === undefined || (evaluations.size >= MAX_EXPORTED_MACHINES && !evaluations.has(id))) return true;
  const own: Evaluations = evaluations.get(id) ?? new Map();
  evaluations.set(id, own);
  for (const [second, text] of values) addTo(own, metric, {second, value: Number(text)});
  return true;
}

function idIn({resource_id: text = ''}: RangeSeries['metric']): VirtualMachineId | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? virtualMachineId(Number(text)) : undefined;
}

const NAMES = new Map<string | undefined, keyof typeof EXPORTED_SERIES>([
  [EXPORTED_SERIES.cpu, 'cpu'],
  [EXPORTED_SERIES.memory, 'memory'],
  [EXPORTED_SERIES.networkIn, 'networkIn'],
  [EXPORTED_SERIES.networkOut, 'networkOut'],
  [EXPORTED_SERIES.diskRead, 'diskRead'],
  [EXPORTED_SERIES.diskWrite, 'diskWrite'],
]);

function addTo(
  own: Evaluations,
  metric: RangeSeries['metric'],
  {second, value}: {readonly second: number; readonly value: number},
): void {
  if (!Number.isFinite(value) || value < 0) return;
  if (own.size >= MAX_EVALUATIONS && !own.has(second)) return;
  const evaluation = own.get(second) ?? {};
  const name = NAMES.get(metric.__name__);
  if (SAMPLED_AT in metric) evaluation.sampledAt = epochMs(Math.round(value * SECOND_MS));
  else if (name !== undefined && value <= maximumOf(name)) evaluation[name] = value;
  own.set(second, evaluation);
}

/** CPU and memory are shares of the machine's own capacity, the others are bytes per second. */
function maximumOf(name: keyof typeof EXPORTED_SERIES): number {
  return name === 'cpu' || name === 'memory' ? MAX_RATIO : MAX_PER_SECOND;
}

function samplesIn(own: Evaluations, until: EpochMs): readonly ExportedSample[] {
  const ascending = [...own].sort(([left], [right]) => left - right);
  return ascending.flatMap(([, {sampledAt, ...measured}]) =>
    sampledAt === undefined || isAhead(sampledAt, until) ? [] : [{sampledAt, ...measured}],
  );
}
