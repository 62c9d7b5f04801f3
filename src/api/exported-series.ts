import {EXPORTED_SERIES, type ExportedSample} from '../domain/exported-metrics.ts';
import type {Result} from '../domain/failure.ts';
import {type MachineMetrics, SERIES_NAMES} from '../domain/series.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {
  FIGURE,
  oneQuery,
  type PrometheusConnection,
  queryRange,
  type RangeSeries,
  type PrometheusReading,
  resultOf,
} from './prometheus.ts';

/** Figures of the whole account at one moment; a missing figure was unknown then. */
export type AccountMoment = {
  readonly at: EpochMs;
  /** Dollars per hour. */
  readonly burn?: number;
  /** Dollars since the start of the month. */
  readonly monthToDate?: number;
  readonly critical?: number;
  readonly warning?: number;
  readonly notice?: number;
};

/** The exporter's figures over a long time: means per step, in ascending order. */
export type ExportedReads = {
  readonly machine: (id: VirtualMachineId, windowMs: DurationMs) => Promise<Result<readonly ExportedSample[]>>;
  readonly account: (span: {
    readonly windowMs: DurationMs;
    readonly stepMs: DurationMs;
  }) => Promise<Result<readonly AccountMoment[]>>;
};

const STEPS = 360;
/** Prometheus itself gives no more. */
const MAX_MOMENTS = 11_000;
/** The maximum, never the sum: an exporter restarted at another address has two series within one step. */
const ACCOUNT_FIGURES = {
  burn: (over: string) => `avg(avg_over_time(cloudcost_burn_hourly_cost${over}))`,
  // Month-to-date falls to zero at the end of a month, so the highest value of the step is used.
  monthToDate: (over: string) => `max(max_over_time(cloudcost_month_to_date_dollars${over}))`,
  critical: (over: string) => `sum(max by (rule) (max_over_time(skydeck_findings{severity="critical"}${over})))`,
  warning: (over: string) => `sum(max by (rule) (max_over_time(skydeck_findings{severity="warning"}${over})))`,
  notice: (over: string) => `sum(max by (rule) (max_over_time(skydeck_findings{severity="notice"}${over})))`,
} as const satisfies Readonly<Record<Exclude<keyof AccountMoment, 'at'>, (over: string) => string>>;

export function exportedReads(connection: PrometheusConnection): ExportedReads {
  const ask = async (figures: Readonly<Record<string, string>>, span: QueryRange) => {
    const moments: Moments = new Map();
    const take = (series: RangeSeries) => addMoments(moments, series, figures);
    const read = await queryRange(
      connection,
      {query: oneQuery(figures), ...rangeOf(span, connection.clock.wallNow())},
      take,
    );
    return within(read, () => ascending(moments));
  };
  return {
    machine: async (id, windowMs) => {
      const stepMs = Math.max(MINUTE_MS, Math.ceil(windowMs / STEPS / MINUTE_MS) * MINUTE_MS);
      const over = `{resource_id="${id}"}[${stepMs / SECOND_MS}s]`;
      const figures = Object.entries(EXPORTED_SERIES).map(([name, series]) => [
        name,
        `avg by (resource_id) (avg_over_time(${series}${over}))`,
      ]);
      return resultOf(within(await ask(Object.fromEntries(figures), {windowMs, stepMs}), machineSamples));
    },
    account: async span => {
      const over = `[${span.stepMs / SECOND_MS}s]`;
      const figures = Object.entries(ACCOUNT_FIGURES).map(([name, query]) => [name, query(over)]);
      return resultOf(within(await ask(Object.fromEntries(figures), span), accountMoments));
    },
  };
}

type QueryRange = {readonly windowMs: DurationMs; readonly stepMs: DurationMs};

function rangeOf({windowMs, stepMs}: QueryRange, now: EpochMs) {
  return {since: epochMs(now - windowMs + stepMs), until: now, stepMs};
}

function within<T, U>(read: PrometheusReading<T>, use: (value: T) => U): PrometheusReading<U> {
  return read.ok ? {ok: true, value: use(read.value)} : read;
}

type Moments = Map<number, Record<string, number>>;
type FiguresAt = readonly [EpochMs, Readonly<Record<string, number>>];

/** Groups the figures that were asked for by moment. */
function addMoments(moments: Moments, {metric, values}: RangeSeries, figures: Readonly<Record<string, string>>): true {
  const figure = metric[FIGURE];
  if (figure === undefined || !Object.hasOwn(figures, figure)) return true;
  for (const [second, text] of values) {
    const value = Number(text);
    const hasRoom = moments.size < MAX_MOMENTS || moments.has(second);
    if (hasRoom && Number.isFinite(value) && value >= 0) moments.set(second, {...moments.get(second), [figure]: value});
  }
  return true;
}

function ascending(moments: Moments): readonly FiguresAt[] {
  return [...moments]
    .sort(([left], [right]) => left - right)
    .map(([second, figures]) => [epochMs(Math.round(second * SECOND_MS)), figures] as const);
}

function machineSamples(all: readonly FiguresAt[]): readonly ExportedSample[] {
  return all.map(([sampledAt, figures]) => {
    const measured: {-readonly [Name in keyof MachineMetrics]?: number} = {};
    for (const name of SERIES_NAMES) if (figures[name] !== undefined) measured[name] = figures[name];
    return {sampledAt, ...measured};
  });
}

function accountMoments(all: readonly FiguresAt[]): readonly AccountMoment[] {
  return all.map(([at, {burn, monthToDate, critical, warning, notice}]) => ({
    at,
    ...(burn === undefined ? {} : {burn}),
    ...(monthToDate === undefined ? {} : {monthToDate}),
    ...(critical === undefined ? {} : {critical}),
    ...(warning === undefined ? {} : {warning}),
    ...(notice === undefined ? {} : {notice}),
  }));
}
