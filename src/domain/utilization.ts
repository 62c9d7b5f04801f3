import {memoPer} from './memo.ts';
import {
  type BinRange,
  binGauge,
  binRates,
  counterRates,
  gapsOf,
  isCurrent,
  highestRate,
  highestSample,
  latest,
  type MachineMetrics,
  maximum,
  packedRates,
  packedSeries,
  type Rates,
  type RateSample,
  type Sample,
  type Series,
} from './series.ts';
import {type DurationMs, type EpochMs, epochMs, isAhead, MINUTE_MS, SECOND_MS} from './time.ts';
import type {MachineFlavor} from './virtual-machine.ts';

/** A share of a capacity between two samples, 0–1; up to 1.05, since both clocks jitter. */
export type RatioSample = {readonly startedAt: EpochMs; readonly endedAt: EpochMs; readonly ratio: number};

/**
 * `latest` is the present value, undefined if nothing recent was measured; `newest` is the last one measured, however
 * old. A bin is undefined if nothing was measured in it. `peak` is the highest sample of the window: a bin is a mean
 * over its time, and so the lower the longer the window.
 */
export type Trend = {
  readonly latest: number | undefined;
  readonly newest: Sample | undefined;
  readonly peak: number | undefined;
  readonly bins: readonly (number | undefined)[];
};

export type MachineActivity = {
  /** Ratio of all vCPUs. */
  readonly cpu: Trend;
  /** Ratio of the guest's memory. */
  readonly memory: Trend;
  /** Bytes per second, like the three below. */
  readonly networkIn: Trend;
  readonly networkOut: Trend;
  readonly diskRead: Trend;
  readonly diskWrite: Trend;
  /**
   * Whether the machine is working now, judged from its host: the interface does not report GPU load, so `no` means no
   * activity besides it.
   */
  readonly isWorking: 'yes' | 'no' | 'unknown';
  /**
   * The start of the present run without an active sample, as far back as was measured. Only if `isWorking` is `no`.
   */
  readonly quietSince: EpochMs | undefined;
};

/** A sample above any of these is active. Inbound traffic does not count: addresses get scanned. */
export type ActivityLimits = {
  readonly cores: number;
  readonly networkOutBytesPerSecond: number;
  readonly diskReadBytesPerSecond: number;
  readonly diskWriteBytesPerSecond: number;
};

export const NS_PER_SECOND = 1e9;
export const BYTES_PER_GB = 1024 ** 3;
/** Both clocks jitter; a larger share is a measuring error. */
export const MAX_RATIO = 1.05;

const GPU_CORES_LIMIT = 0.4;
const CPU_CORES_LIMIT = 0.25;
const CPUS_PER_CORES_LIMIT = 16;
const GPU_NETWORK_LIMIT = 200_000;
const CPU_NETWORK_LIMIT = 5_000;
const DISK_READ_LIMIT = 2_000_000;
const DISK_WRITE_LIMIT = 10_000_000;

/**
 * The limits apply to samples of a minute or more; a cron job can fill five seconds and says nothing about a machine.
 */
const JUDGED_STEP_MS = MINUTE_MS;
/** An unmeasured time this long could hide a run long enough to count as work. */
const MAX_UNSEEN_MS = 30 * MINUTE_MS;
/** The documented interval; used only for a single sample. */
const DOCUMENTED_INTERVAL_MS = 300 * SECOND_MS;

/**
 * CPU time used ÷ CPU time available: Δns ÷ (Δs × 10⁹ × vCPUs), between consecutive samples. More than 105 % is a
 * measuring error and left out. Empty if the number of vCPUs is unknown.
 */
export function cpuUtilization(metrics: MachineMetrics, cpuCount: number | undefined): readonly RatioSample[] {
  if (cpuCount === undefined || cpuCount <= 0) return [];
  return Array.from(cpuRates(metrics, cpuCount), ({startedAt, endedAt, perSecond}) => ({
    startedAt,
    endedAt,
    ratio: perSecond / (NS_PER_SECOND * cpuCount),
  }));
}

/**
 * Memory in use ÷ RAM, as a gauge. GB of RAM are 1024³ bytes. More than 105 % is a measuring error and left out. Empty
 * if the RAM is unknown.
 */
export function memoryUtilization(metrics: MachineMetrics, ramGb: number | undefined): Series {
  const {memory} = metrics;
  if (memory === undefined || ramGb === undefined || ramGb <= 0) return [];
  return ratiosOnce(memory, [ramGb], () => {
    const ratios = Array.from(memory, ({sampledAt, value}) => ({sampledAt, value: value / (ramGb * BYTES_PER_GB)}));
    return packedSeries(ratios.filter(({value}) => value <= MAX_RATIO));
  });
}

/** Cached: rules ask for the same window many times. */
const ratiosOnce = memoPer<Series, Series>();

/** A window that ends now, in equal bins. */
export type TrendWindow = {readonly now: EpochMs; readonly windowMs: DurationMs; readonly binCount: number};

/**
 * The data that confirmations and charts need of a machine: its last `windowMs` in `binCount` bins, and whether it is
 * working.
 */
export function machineActivity(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  window: TrendWindow,
): MachineActivity {
  const trend = (signal: Signal) => machineTrend(metrics, flavor, {signal, ...window});
  return {
    cpu: trend('cpu'),
    memory: trend('memory'),
    networkIn: trend('networkIn'),
    networkOut: trend('networkOut'),
    diskRead: trend('diskRead'),
    diskWrite: trend('diskWrite'),
    ...machineWork(metrics, flavor, window.now),
  };
}

/** One metric alone: a list of machines has room for two or three. */
export function machineTrend(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  {signal, now, windowMs, binCount}: TrendWindow & {readonly signal: Signal},
): Trend {
  const bins: BinRange = {start: epochMs(now - windowMs), end: now, count: binCount};
  const known = measured(metrics, flavor);
  if (signal === 'memory') return gaugeTrend(known.memory, bins);
  const trend = rateTrend(known[signal], bins);
  return signal === 'cpu' ? cpuTrend(trend, flavor?.cpuCount) : trend;
}

/** The bins of one reading, with the newest and the highest sample known from any; of equally new ones, the first. */
export function withFinest(trend: Trend, known: readonly Trend[]): Trend {
  const all = [...known, trend];
  const newest = all.reduce((found, each) =>
    (each.newest?.sampledAt ?? Number.NEGATIVE_INFINITY) > (found.newest?.sampledAt ?? Number.NEGATIVE_INFINITY)
      ? each
      : found,
  );
  const peak = maximum(all.flatMap(each => each.peak ?? []));
  return {latest: newest.latest, newest: newest.newest, peak, bins: trend.bins};
}

/** The trend without a present value if that was measured before this moment, such as before the machine stopped. */
export function trendSince(trend: Trend, since: number | undefined): Trend {
  const isBefore = since !== undefined && trend.newest !== undefined && trend.newest.sampledAt < since;
  return isBefore ? {...trend, latest: undefined} : trend;
}

/** Whether a machine is working, without computing its charts. */
export function machineWork(
  metrics: MachineMetrics,
  flavor: MachineFlavor | undefined,
  now: EpochMs,
): Pick<MachineActivity, 'isWorking' | 'quietSince'> {
  return work(measured(metrics, flavor), activityLimits(flavor), now);
}

/** The metrics a machine reports about itself. */
export type Signal = keyof Omit<MachineActivity, 'isWorking' | 'quietSince'>;

/** The growth of each counter. */
type MeasuredRates = Readonly<Record<'cpu' | 'networkIn' | 'networkOut' | 'diskRead' | 'diskWrite', Rates>> & {
  readonly memory: Series;
};

/** Measurements are the same at every moment and in every window, so they are computed once per reading. */
const measuredOnce = memoPer<MachineMetrics, MeasuredRates>();

function measured(metrics: MachineMetrics, flavor: MachineFlavor | undefined): MeasuredRates {
  return measuredOnce(metrics, capacityOf(flavor), () => ({
    cpu: cpuRates(metrics, flavor?.cpuCount),
    memory: memoryUtilization(metrics, flavor?.ramGb),
    networkIn: counterRates(metrics.networkIn ?? []),
    networkOut: counterRates(metrics.networkOut ?? []),
    diskRead: counterRates(metrics.diskRead ?? []),
    diskWrite: counterRates(metrics.diskWrite ?? []),
  }));
}

/** The capacity of a machine: each reading creates a new flavor object, mostly with the same values. */
export function capacityOf(flavor: MachineFlavor | undefined): readonly unknown[] {
  return [flavor?.cpuCount, flavor?.ramGb, flavor?.gpuCount, flavor?.gpuModel];
}

/** `aheadMs` is absent unless the sample is further ahead than clocks differ: then its time is unknown. */
export type SampleAge = {
  readonly sampledAt: EpochMs;
  readonly ageMs: DurationMs;
  readonly aheadMs?: DurationMs;
  readonly isOld: boolean;
};

/**
 * The age of the newest sample of any series, and whether it is still current: the age of what is shown, however
 * recently it was read. Undefined without samples.
 */
export function sampleAge(metrics: MachineMetrics, now: EpochMs): SampleAge | undefined {
  const newest = Object.values(metrics).reduce<Series>(
    (found, series) => ((latest(series)?.sampledAt ?? 0) > (latest(found)?.sampledAt ?? 0) ? series : found),
    [],
  );
  const last = latest(newest);
  if (last === undefined) return undefined;
  const {sampledAt} = last;
  // The service's clock may be ahead of ours.
  const ageMs = Math.max(0, now - sampledAt);
  const ahead = isAhead(sampledAt, now) ? {aheadMs: sampledAt - now} : {};
  return {sampledAt, ageMs, ...ahead, isOld: !isCurrent(sampledAt, lastInterval(newest), now)};
}

/** The limits for a machine of this flavor; undefined if its GPUs or its number of vCPUs are unknown. */
export function activityLimits(flavor: MachineFlavor | undefined): ActivityLimits | undefined {
  const disk = {diskReadBytesPerSecond: DISK_READ_LIMIT, diskWriteBytesPerSecond: DISK_WRITE_LIMIT};
  const gpuCount = flavor?.gpuCount ?? (flavor?.gpuModel ? 1 : 0);
  if (gpuCount > 0) return {cores: GPU_CORES_LIMIT * gpuCount, networkOutBytesPerSecond: GPU_NETWORK_LIMIT, ...disk};
  if (flavor?.cpuCount === undefined) return undefined;
  const cores = CPU_CORES_LIMIT * Math.max(1, flavor.cpuCount / CPUS_PER_CORES_LIMIT);
  return {cores, networkOutBytesPerSecond: CPU_NETWORK_LIMIT, ...disk};
}

/**
 * CPU time in ns per second. A counter can be read in two ways; the one that gives more than the machine has is wrong.
 */
export function cpuRates({cpu}: MachineMetrics, cpuCount: number | undefined): Rates {
  return cpu === undefined ? NO_RATES : possibleOnce(cpu, [cpuCount], () => possibleRates(cpu, cpuCount));
}

const NO_RATES: Rates = [];
/** Every rule and every row asks for them. */
const possibleOnce = memoPer<Series, Rates>();

function possibleRates(cpu: Series, cpuCount: number | undefined): Rates {
  const rates = counterRates(cpu);
  if (cpuCount === undefined || cpuCount <= 0) return rates;
  const isPossible = ({perSecond}: RateSample) => perSecond <= MAX_RATIO * NS_PER_SECOND * cpuCount;
  if ([...rates].every(isPossible)) return rates;
  return packedRates([...counterRates(cpu, 'cumulative')].filter(isPossible));
}

function rateTrend(rates: Rates, bins: BinRange): Trend {
  const last = latest(rates);
  return {
    latest: currentRate(rates, bins.end)?.perSecond,
    newest: last === undefined ? undefined : {value: last.perSecond, sampledAt: last.endedAt},
    peak: highestRate(rates, bins),
    bins: binRates(rates, bins),
  };
}

function cpuTrend({latest, newest, peak, bins}: Trend, cpuCount: number | undefined): Trend {
  if (cpuCount === undefined || cpuCount <= 0) {
    return {latest: undefined, newest: undefined, peak: undefined, bins: bins.map(() => undefined)};
  }
  const ratio = (nsPerSecond: number) => nsPerSecond / (NS_PER_SECOND * cpuCount);
  return {
    latest: latest === undefined ? undefined : ratio(latest),
    newest: newest === undefined ? undefined : {...newest, value: ratio(newest.value)},
    peak: peak === undefined ? undefined : ratio(peak),
    bins: bins.map(bin => (bin === undefined ? undefined : ratio(bin))),
  };
}

function gaugeTrend(series: Series, bins: BinRange): Trend {
  const newest = latest(series);
  const isKnown = newest !== undefined && isCurrent(newest.sampledAt, lastInterval(series), bins.end);
  const peak = highestSample(series, bins);
  return {latest: isKnown ? newest.value : undefined, newest, peak, bins: binGauge(series, bins)};
}

/** The time between the last two samples, unless samples are missing between them. */
function lastInterval(series: Series): DurationMs {
  const [before, last] = [series.at(-2), series.at(-1)];
  const isSpaced = before !== undefined && last !== undefined && gapsOf(series).at(-1) === false;
  return isSpaced ? last.sampledAt - before.sampledAt : DOCUMENTED_INTERVAL_MS;
}

function currentRate(rates: Rates, now: EpochMs): RateSample | undefined {
  const last = latest(rates);
  return last !== undefined && isCurrent(last.endedAt, last.endedAt - last.startedAt, now) ? last : undefined;
}

type Judgeable = Pick<MeasuredRates, 'cpu' | 'networkOut' | 'diskRead' | 'diskWrite'>;
type Quietness = {readonly isMeasured: boolean; readonly quietSince: EpochMs | undefined};

function work(
  signals: Judgeable,
  limits: ActivityLimits | undefined,
  now: EpochMs,
): Pick<MachineActivity, 'isWorking' | 'quietSince'> {
  if (limits === undefined) return {isWorking: 'unknown', quietSince: undefined};
  const cpu = judged(signals.cpu, limits.cores * NS_PER_SECOND, now);
  const networkOut = judged(signals.networkOut, limits.networkOutBytesPerSecond, now);
  const disks = [
    judged(signals.diskRead, limits.diskReadBytesPerSecond, now),
    judged(signals.diskWrite, limits.diskWriteBytesPerSecond, now),
  ];
  const known = [cpu, networkOut, ...disks].filter(signal => signal.isMeasured);
  if (known.some(signal => signal.quietSince === undefined)) return {isWorking: 'yes', quietSince: undefined};
  // Without CPU or network metrics a machine cannot be called quiet; missing disk metrics do not matter.
  if (!cpu.isMeasured || !networkOut.isMeasured) return {isWorking: 'unknown', quietSince: undefined};
  const starts = known.map(signal => signal.quietSince ?? now);
  return {isWorking: 'no', quietSince: epochMs(Math.max(...starts))};
}

function judged(rates: Rates, limitPerSecond: number, now: EpochMs): Quietness {
  if (currentRate(rates, now) === undefined) return {isMeasured: false, quietSince: undefined};
  const packed = packedRates(rates);
  let quietSince: EpochMs | undefined;
  for (let index = packed.length - 1; index >= 0; ) {
    const step = stepBack(packed, index);
    const isUnseen = quietSince !== undefined && quietSince - packed.endAt(index) > MAX_UNSEEN_MS;
    if (isUnseen || step.perSecond > limitPerSecond) break;
    quietSince = packed.startAt(step.first);
    index = step.first - 1;
  }
  return {isMeasured: true, quietSince};
}

/**
 * Adjacent samples joined until the step lasts a minute, from the newest back, so that the present step is complete.
 * `first` is the oldest of them.
 */
function stepBack(
  rates: ReturnType<typeof packedRates>,
  last: number,
): {readonly first: number; readonly perSecond: number} {
  const endedAt = rates.endAt(last);
  let [first, perSecond] = [last, rates.perSecondAt(last)];
  for (let before = last - 1; before >= 0 && endedAt - rates.startAt(first) < JUDGED_STEP_MS; before -= 1) {
    if (rates.endAt(before) !== rates.startAt(first)) break;
    const beforeMs = rates.endAt(before) - rates.startAt(before);
    const afterMs = endedAt - rates.startAt(first);
    perSecond = (rates.perSecondAt(before) * beforeMs + perSecond * afterMs) / (beforeMs + afterMs);
    first = before;
  }
  return {first, perSecond};
}
