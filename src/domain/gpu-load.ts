import type {GpuReading} from './gpu-reading.ts';
import type {SafeText} from './safe-text.ts';
import {binGauge, highestSample, maximum, type Series} from './series.ts';
import {type DurationMs, type EpochMs, epochMs, isAhead, MINUTE_MS} from './time.ts';
import type {Trend} from './utilization.ts';
import type {VirtualMachine} from './virtual-machine.ts';

/** The machine fields by which a series can name a machine. */
export const MACHINE_FIELDS = ['name', 'address', 'id'] as const;
export type MachineField = (typeof MACHINE_FIELDS)[number];

/** The present state of one GPU, from DCGM. */
export type GpuState = GpuReading & {
  /** The code of the last error its driver reported, if there was one. */
  readonly xid?: number;
  /** Its clock has been lowered for the last five minutes because of heat or its power supply. */
  readonly isThrottled: boolean;
};

/** The combined metrics of all GPUs of a machine. Ascending; a series without samples is absent. */
export type GpuHistory = {
  /** Mean over all of them, 0 to 1. */
  readonly utilization?: Series;
  /** That of the fullest, 0 to 1. */
  readonly memory?: Series;
  /** Watts, all of them together. */
  readonly power?: Series;
  /** Degrees Celsius of the hottest. */
  readonly temperature?: Series;
};

/** Whether any GPU of a machine worked in the last two weeks. */
export type GpuActivity = {
  readonly measuredSince: EpochMs;
  /** The share of the time since then that was measured, 0 to 1. */
  readonly measuredRatio: number;
  /** When one of them last worked; absent if none did. */
  readonly busyAt?: EpochMs;
};

/** The GPUs of one machine according to DCGM, with the name used in DCGM's series. */
export type GpuLoad = {
  readonly host: SafeText;
  readonly sampledAt: EpochMs;
  /** By index. */
  readonly gpus: readonly GpuState[];
  /** The last hour. */
  readonly history: GpuHistory;
};

/** By the name used in DCGM's series. */
export type ByHost<T> = ReadonlyMap<SafeText, T>;

/** All series, and the machine field that their label contains. */
export type GpuLoads = {readonly field: MachineField; readonly byHost: ByHost<GpuLoad>};

/** NVML's bits for a lowered clock, under the older name and the newer one. */
const REASON_SERIES = ['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS', 'DCGM_FI_DEV_CLOCKS_EVENT_REASONS'];
/** The lowest of the relevant bits. Values below it are skipped, which leaves few of thousands of GPUs. */
const MIN_REASON = 8;
const REASONS = `((${REASON_SERIES.join(' or ')}) >= ${MIN_REASON})`;
/**
 * In PromQL, 1 for a GPU whose clock is lowered, else 0 or nothing: software or hardware thermal slowdown and power
 * brake (bits 5 to 7), or hardware slowdown (bit 3). A power cap is not a fault.
 */
export const GPU_IS_THROTTLED = `clamp_max(floor(${REASONS} / 32) % 8 + floor(${REASONS} / 8) % 2, 1)`;
/** In PromQL: a GPU whose clock was certainly not lowered at one moment of the last five minutes. */
export const GPU_WAS_UNTHROTTLED = `(${REASON_SERIES.map(series => `min_over_time(${series}[5m])`).join(' or ')}) < ${MIN_REASON}`;

/** Below this a GPU counts as idle; a display or monitoring may still query it. */
export const BUSY_FROM_RATIO = 0.05;
const MIN_MEASURED_RATIO = 0.8;

/** Whether the GPUs were idle for that long; undefined if too little was measured. */
export function gpusIdleFor(
  activity: GpuActivity | undefined,
  {now, lengthMs}: {readonly now: EpochMs; readonly lengthMs: DurationMs},
): boolean | undefined {
  if (activity === undefined) return undefined;
  if (activity.busyAt !== undefined && now - activity.busyAt < lengthMs) return false;
  const isMeasured = now - activity.measuredSince >= lengthMs && activity.measuredRatio >= MIN_MEASURED_RATIO;
  return isMeasured ? true : undefined;
}

/** Their activity from a moment on, such as the last start of their machine. */
export function gpuActivitySince({busyAt, ...measured}: GpuActivity, since: EpochMs): GpuActivity {
  const measuredSince = epochMs(Math.max(measured.measuredSince, since));
  return {...measured, measuredSince, ...(busyAt === undefined || busyAt < since ? {} : {busyAt})};
}

/**
 * What DCGM's series say about each machine. Machines that the field cannot distinguish get nothing: the GPUs of one
 * must not be shown as those of the other.
 */
export function ofMachines<T>(
  machines: readonly VirtualMachine[],
  field: MachineField,
  byHost: ByHost<T>,
): ReadonlyMap<VirtualMachine['id'], T> {
  const owners = new Map<string, VirtualMachine['id'] | undefined>();
  for (const machine of machines) {
    for (const key of keysOf(machine, field)) owners.set(key, owners.has(key) ? undefined : machine.id);
  }
  return new Map(
    [...byHost].flatMap(([host, value]): [VirtualMachine['id'], T][] => {
      const id = owners.get(hostKey(host, field));
      return id === undefined ? [] : [[id, value]];
    }),
  );
}

function keysOf({id, name, floatingIp, fixedIp}: VirtualMachine, field: MachineField): readonly string[] {
  if (field === 'id') return [String(id)];
  if (field === 'name') return name === '' ? [] : [name.toLowerCase()];
  return [floatingIp, fixedIp].flatMap(address => address ?? []);
}

/** Such an address includes the exporter's port. */
function hostKey(host: SafeText, field: MachineField): string {
  return field === 'address' ? host.replace(/^\[?(.*?)\]?(:\d+)?$/, '$1') : host.toLowerCase();
}

/** Exporters are scraped every minute or more often. */
const MAX_LOAD_AGE_MS: DurationMs = 5 * MINUTE_MS;

/** Measured too long ago to be current, or at a moment in the future. */
export function isOldLoad({sampledAt}: Pick<GpuLoad, 'sampledAt'>, now: EpochMs): boolean {
  return now - sampledAt > MAX_LOAD_AGE_MS || isAhead(sampledAt, now);
}

/** All GPUs of a machine combined: mean load, the fullest memory, total power, the hottest. */
export function gpuFigures({gpus}: GpuLoad) {
  const worked = gpus.flatMap(({utilization}) => utilization ?? []);
  const watts = gpus.flatMap(({powerWatts}) => powerWatts ?? []);
  return {
    utilization: worked.length === 0 ? undefined : total(worked) / worked.length,
    memory: maximum(gpus.flatMap(gpu => memoryRatio(gpu) ?? [])),
    watts: watts.length === 0 ? undefined : Math.round(total(watts)),
    celsius: maximum(gpus.flatMap(({celsius}) => celsius ?? [])),
  };
}

export function memoryRatio({memoryUsedMib: used, memoryTotalMib: whole}: GpuReading): number | undefined {
  return used === undefined || whole === undefined || whole <= 0 ? undefined : used / whole;
}

/** One metric over a window that ends now. */
export function gpuTrend(
  {sampledAt, history}: Pick<GpuLoad, 'sampledAt' | 'history'>,
  measure: keyof GpuHistory,
  {now, windowMs, binCount}: {readonly now: EpochMs; readonly windowMs: DurationMs; readonly binCount: number},
): Trend {
  const series = history[measure] ?? [];
  const newest = series.at(-1);
  const start = epochMs(now - windowMs);
  const bins = binGauge(series, {start, end: now, count: binCount});
  const isCurrent = newest !== undefined && !isOldLoad({sampledAt}, now);
  return {latest: isCurrent ? newest.value : undefined, newest, peak: highestSample(series, {start, end: now}), bins};
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
