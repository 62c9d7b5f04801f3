import {
  BUSY_FROM_RATIO,
  type ByHost,
  GPU_IS_THROTTLED,
  GPU_WAS_UNTHROTTLED,
  type GpuHistory,
  type GpuLoad,
  type GpuLoads,
  type MachineField,
  type GpuActivity,
  type GpuState,
} from '../domain/gpu-load.ts';
import type {Result} from '../domain/failure.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {Secret} from '../domain/secret.ts';
import {packedSeries, type Sample} from '../domain/series.ts';
import {
  DAY_MS,
  type DurationMs,
  type EpochMs,
  epochMs,
  HOUR_MS,
  isAhead,
  MINUTE_MS,
  SECOND_MS,
} from '../domain/time.ts';
import {MAX_RATIO} from '../domain/utilization.ts';
import {outsideText} from './exchange.ts';
import {
  FIGURE,
  type InstantSeries,
  MAX_QUERIED_MACHINES,
  oneQuery,
  type TimeLimit,
  type PrometheusConnection,
  queryAt,
  queryRange,
  type Range,
  type RangeSeries,
  type PrometheusReading,
  resultOf,
} from './prometheus.ts';

/** The series of NVIDIA's DCGM exporter. Their label `gpu` is the index of a GPU in its machine. */
const UTILIZATION = 'DCGM_FI_DEV_GPU_UTIL';
const USED = 'DCGM_FI_DEV_FB_USED';
const FREE = 'DCGM_FI_DEV_FB_FREE';
const POWER = 'DCGM_FI_DEV_POWER_USAGE';
const TEMPERATURE = 'DCGM_FI_DEV_GPU_TEMP';
const XID = 'DCGM_FI_DEV_XID_ERRORS';

const PAST_MS: DurationMs = 15 * DAY_MS;
const PAST_STEP_MS: DurationMs = 10 * MINUTE_MS;
const HISTORY_STEPS = 360;
/** Up to this many machines get one-minute steps for the last hour; larger fleets get five-minute steps. */
const MAX_FINE_HOSTS = 1000;
const COARSE_STEP_MS: DurationMs = 5 * MINUTE_MS;
/** The query joins up to a hundred thousand series; the screen does not wait for it. */
const SLOW_QUERY = {timeoutMs: 20 * SECOND_MS};
const PERCENT = 100;
/** As of the names of machines. */
const MAX_NAME_LENGTH = 256;
/** Far above any GPU there is; DCGM reports a missing figure as a number in the billions. */
const MAX_CELSIUS = 200;
const MAX_WATTS = 10_000;
const MAX_MIB = 2 ** 24;
const MAX_FIGURES = new Map([
  ['utilization', MAX_RATIO * PERCENT],
  ['used', MAX_MIB],
  ['free', MAX_MIB],
  ['power', MAX_WATTS],
  ['temperature', MAX_CELSIUS],
]);
/** The power of all GPUs of a machine. */
const MAX_HISTORY: Readonly<Record<keyof GpuHistory, number>> = {
  utilization: MAX_RATIO,
  memory: MAX_RATIO,
  power: 100 * MAX_WATTS,
  temperature: MAX_CELSIUS,
};

/** The connection to Prometheus, and how its series are matched to machines. */
export type GpuReads = {
  readonly loads: () => Promise<Result<GpuLoads>>;
  readonly activity: () => Promise<Result<ByHost<GpuActivity>>>;
  readonly history: (host: SafeText, windowMs: DurationMs) => Promise<Result<GpuHistory>>;
};

/** @param join the label of the series that names the machine, and the machine field it holds */
export function gpuReads(
  connection: PrometheusConnection,
  {label, field}: {readonly label: string; readonly field: MachineField},
): GpuReads {
  const now = () => connection.clock.wallNow();
  return {
    loads: async () => {
      const loads = resultOf(await readGpuLoads(connection, {label, now: now()}));
      return loads.ok ? {ok: true, value: {field, byHost: loads.value}} : loads;
    },
    activity: async () => resultOf(await readGpuActivity(connection, {label, now: now()})),
    history: async (host, windowMs) => resultOf(await readGpuHistory(connection, {label, host, windowMs, now: now()})),
  };
}

type FigureQueries = Readonly<Record<string, string>>;

/**
 * Averages over time, of one machine or of all. Means over a step if a step is longer than the age limit of a sample.
 */
function historyFigures(
  label: string,
  {host, stepMs}: {readonly host?: SafeText; readonly stepMs: DurationMs},
): FigureQueries {
  const own = host === undefined ? '' : `{${label}=${JSON.stringify(host)}}`;
  const seconds = stepMs / SECOND_MS;
  const series = (name: string) => (stepMs > MINUTE_MS ? `avg_over_time(${name}${own}[${seconds}s])` : `${name}${own}`);
  // Some labels of a GPU, such as its pod, change with its work, so one GPU can have several series within a step.
  const each = (name: string) => `avg by (${label}, gpu) (${series(name)})`;
  return {
    utilization: `avg by (${label}) (${each(UTILIZATION)}) / ${PERCENT}`,
    memory: `max by (${label}) (${series(USED)} / (${series(USED)} + ${series(FREE)}))`,
    power: `sum by (${label}) (${each(POWER)})`,
    temperature: `max by (${label}) (${series(TEMPERATURE)})`,
  };
}

function presentFigures(label: string): FigureQueries {
  const each = `by (${label}, gpu, modelName)`;
  return {
    sampled: `max by (${label}) (timestamp(${UTILIZATION}))`,
    utilization: `max ${each} (${UTILIZATION})`,
    used: `max ${each} (${USED})`,
    free: `max ${each} (${FREE})`,
    power: `max ${each} (${POWER})`,
    temperature: `max ${each} (${TEMPERATURE})`,
    xid: `max ${each} (${XID} > 0)`,
    throttled: `min_over_time((max ${each} (${GPU_IS_THROTTLED}))[5m:1m]) unless max ${each} (${GPU_WAS_UNTHROTTLED})`,
  };
}

function activityFigures(label: string): FigureQueries {
  const steps = `[${PAST_MS / HOUR_MS}h:${PAST_STEP_MS / MINUTE_MS}m]`;
  const busiest = `max by (${label}) (max_over_time(${UTILIZATION}[${PAST_STEP_MS / MINUTE_MS}m]))`;
  return {
    busy: `max_over_time(timestamp(${busiest} > ${BUSY_FROM_RATIO * PERCENT})${steps})`,
    since: `min_over_time(timestamp(${busiest})${steps})`,
    count: `count_over_time((${busiest})${steps})`,
  };
}

/** The present GPU figures of all machines, and their last hour. */
async function readGpuLoads(
  connection: PrometheusConnection,
  {label, now}: {readonly label: string; readonly now: EpochMs},
): Promise<PrometheusReading<ByHost<GpuLoad>>> {
  const hosts: Hosts = new Map();
  const {token, secrets = [token]} = connection;
  const takePresent = (series: InstantSeries) => addPresent(hosts, series, {label, secrets});
  const present = await queryAt(
    connection,
    {query: oneQuery(presentFigures(label)), at: now, ...SLOW_QUERY},
    takePresent,
  );
  if (!present.ok) return present;
  const stepMs = hosts.size > MAX_FINE_HOSTS ? COARSE_STEP_MS : MINUTE_MS;
  const range = {since: epochMs(now - HOUR_MS), until: now, stepMs, ...SLOW_QUERY};
  const histories = await readHistories(connection, historyFigures(label, range), {label, range});
  return histories.ok ? {ok: true, value: loadsIn(hosts, histories.value, now)} : histories;
}

/** The last `windowMs` of one machine's GPUs. */
async function readGpuHistory(
  connection: PrometheusConnection,
  {
    label,
    host,
    now,
    windowMs,
  }: {
    readonly label: string;
    readonly host: SafeText;
    readonly now: EpochMs;
    readonly windowMs: DurationMs;
  },
): Promise<PrometheusReading<GpuHistory>> {
  const stepMs = Math.max(MINUTE_MS, Math.ceil(windowMs / HISTORY_STEPS / MINUTE_MS) * MINUTE_MS);
  const range: Required<Range> = {since: epochMs(now - windowMs), until: now, stepMs};
  const histories = await readHistories(connection, historyFigures(label, {host, stepMs}), {label, range});
  return histories.ok ? {ok: true, value: histories.value.get(host) ?? {}} : histories;
}

async function readHistories(
  connection: PrometheusConnection,
  figures: FigureQueries,
  {label, range}: {readonly label: string; readonly range: Range & TimeLimit},
): Promise<PrometheusReading<Histories>> {
  const histories: Histories = new Map();
  const take = (series: RangeSeries) => addHistory(histories, series, {label, now: range.until});
  const read = await queryRange(connection, {query: oneQuery(figures), ...range}, take);
  return read.ok ? {ok: true, value: histories} : read;
}

/** Whether GPUs worked in the last two weeks. */
async function readGpuActivity(
  connection: PrometheusConnection,
  {label, now}: {readonly label: string; readonly now: EpochMs},
): Promise<PrometheusReading<ByHost<GpuActivity>>> {
  const activity: ActivityFigures = new Map();
  const take = (series: InstantSeries) => addFigure(activity, series, label);
  const past = await queryAt(connection, {query: oneQuery(activityFigures(label)), at: now, ...SLOW_QUERY}, take);
  return past.ok ? {ok: true, value: activityIn(activity, now)} : past;
}

type Metric = RangeSeries['metric'];

/** The machine a series belongs to; undefined if the label is missing. */
function hostIn(metric: Metric, label: string): SafeText | undefined {
  const host = metric[label] ?? '';
  return host === '' ? undefined : safeText(host, {maxLength: MAX_NAME_LENGTH});
}

/** Whether there is room for what is told of a machine. */
function hasRoom(machines: ReadonlyMap<SafeText, unknown>, host: SafeText): boolean {
  return machines.size < MAX_QUERIED_MACHINES || machines.has(host);
}

type Histories = Map<SafeText, GpuHistory>;

function addHistory(
  histories: Histories,
  {metric, values}: RangeSeries,
  {label, now}: {readonly label: string; readonly now: EpochMs},
): boolean {
  const [host, figure] = [hostIn(metric, label), metric[FIGURE]];
  if (host === undefined || !isHistoryFigure(figure)) return true;
  if (!hasRoom(histories, host)) return false;
  const samples = values.flatMap(([second, text]): Sample[] => {
    const [sampledAt, value] = [epochMs(Math.round(second * SECOND_MS)), numberIn(text, MAX_HISTORY[figure])];
    return value === undefined || isAhead(sampledAt, now) ? [] : [{sampledAt, value}];
  });
  if (samples.length > 0) histories.set(host, {...histories.get(host), [figure]: packedSeries(samples)});
  return true;
}

function isHistoryFigure(figure: string | undefined): figure is keyof GpuHistory {
  return figure === 'utilization' || figure === 'memory' || figure === 'power' || figure === 'temperature';
}

/** Drops values that are not numbers or that no GPU can have. */
function numberIn(text: string, highest = Number.MAX_VALUE): number | undefined {
  const value = Number(text);
  return value >= 0 && value <= highest ? value : undefined;
}

type Figured = {readonly index: number; readonly name: SafeText; readonly figures: Map<string, number>};
const PRESENT_FIGURES: ReadonlySet<string> = new Set(Object.keys(presentFigures('')));
type Hosts = Map<SafeText, {sampledAt?: EpochMs; readonly gpus: Map<number, Figured>}>;

function addPresent(
  hosts: Hosts,
  {metric, value}: InstantSeries,
  {label, secrets}: {readonly label: string; readonly secrets: readonly Secret[]},
): boolean {
  const [host, figure = ''] = [hostIn(metric, label), metric[FIGURE]];
  const number = numberIn(value[1], MAX_FIGURES.get(figure));
  if (host === undefined || number === undefined || !PRESENT_FIGURES.has(figure)) return true;
  if (!hasRoom(hosts, host)) return false;
  const own = hosts.get(host) ?? {gpus: new Map<number, Figured>()};
  hosts.set(host, own);
  if (figure === 'sampled') own.sampledAt = epochMs(Math.round(number * SECOND_MS));
  const index = indexIn(metric);
  if (index === undefined) return true;
  const gpu = own.gpus.get(index) ?? {
    index,
    name: outsideText({secrets}, metric.modelName ?? ''),
    figures: new Map<string, number>(),
  };
  gpu.figures.set(figure, number);
  own.gpus.set(index, gpu);
  return true;
}

function loadsIn(hosts: Hosts, histories: Histories, now: EpochMs): ByHost<GpuLoad> {
  return new Map(
    [...hosts].flatMap(([host, {sampledAt, gpus}]): [SafeText, GpuLoad][] => {
      if (gpus.size === 0 || sampledAt === undefined || isAhead(sampledAt, now)) return [];
      const states = [...gpus.values()].sort((left, right) => left.index - right.index).map(stateOf);
      return [[host, {host, sampledAt, gpus: states, history: histories.get(host) ?? {}}]];
    }),
  );
}

function indexIn({gpu = ''}: Metric): number | undefined {
  return /^\d{1,3}$/.test(gpu) ? Number(gpu) : undefined;
}

function stateOf({index, name, figures}: Figured): GpuState {
  const [utilization, used, free] = ['utilization', 'used', 'free'].map(figure => figures.get(figure));
  const [power, celsius, xid] = ['power', 'temperature', 'xid'].map(figure => figures.get(figure));
  return {
    index,
    name,
    ...(utilization === undefined ? {} : {utilization: utilization / PERCENT}),
    ...(used === undefined ? {} : {memoryUsedMib: used}),
    ...(used === undefined || free === undefined ? {} : {memoryTotalMib: used + free}),
    ...(power === undefined ? {} : {powerWatts: power}),
    ...(celsius === undefined ? {} : {celsius}),
    ...(xid === undefined ? {} : {xid}),
    isThrottled: (figures.get('throttled') ?? 0) > 0,
  };
}

const ACTIVITY_FIGURES: ReadonlySet<string> = new Set(Object.keys(activityFigures('')));
type ActivityFigures = Map<SafeText, Map<string, number>>;

function addFigure(activity: ActivityFigures, {metric, value}: InstantSeries, label: string): boolean {
  const [host, figure = '', number] = [hostIn(metric, label), metric[FIGURE], numberIn(value[1])];
  if (host === undefined || number === undefined || !ACTIVITY_FIGURES.has(figure)) return true;
  if (!hasRoom(activity, host)) return false;
  activity.set(host, (activity.get(host) ?? new Map<string, number>()).set(figure, number));
  return true;
}

function activityIn(activity: ActivityFigures, now: EpochMs): ByHost<GpuActivity> {
  return new Map(
    [...activity].flatMap(([host, own]): [SafeText, GpuActivity][] => {
      const [since, count, busy] = [own.get('since'), own.get('count'), own.get('busy')];
      if (since === undefined || count === undefined) return [];
      const measuredSince = epochMs(since * SECOND_MS - PAST_STEP_MS);
      const measuredRatio = Math.min(1, (count * PAST_STEP_MS) / Math.max(PAST_STEP_MS, now - measuredSince));
      const busyAt = busy === undefined ? {} : {busyAt: epochMs(busy * SECOND_MS)};
      return [[host, {measuredSince, measuredRatio, ...busyAt}]];
    }),
  );
}
