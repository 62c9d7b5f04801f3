import type {GpuReading} from './gpu-reading.ts';
import type {SafeText} from './safe-text.ts';
import {binGauge, highestSample, maximum, type Series} from './series.ts';
import {type DurationMs, type EpochMs, epochMs, isAhead, MINUTE_MS} from './time.ts';
import type {Trend} from './utilization.ts';
import type {VirtualMachine} from './virtual-machine.ts';

/** The fields of a machine that a series can name it by. */
export const MACHINE_FIELDS = ['name', 'address', 'id'] as const;
export type MachineField = (typeof MACHINE_FIELDS)[number];

/** One GPU as DCGM tells it now. */
export type GpuState = GpuReading & {
  /** The code of the last error that its driver told, where there was one. */
  readonly xid?: number;
  /** Heat or its power supply has slowed its clock for the last five minutes. */
  readonly isThrottled: boolean;
};

/** What was measured of all GPUs of a machine together. Ascending; a series without samples is absent. */
export type GpuHistory = {
  /** Mean of all of them, 0 to 1. */
  readonly utilization?: Series;
  /** Of the fullest of them, 0 to 1. */
  readonly memory?: Series;
  /** Watts of all of them. */
  readonly power?: Series;
  /** Degrees Celsius of the hottest. */
  readonly temperature?: Series;
};

/** Whether any GPU of a machine worked in the last two weeks. */
export type GpuPast = {
  readonly measuredSince: EpochMs;
  /** How much of the time since then was measured, 0 to 1. */
  readonly measuredRatio: number;
  /** When one of them worked last; absent where none did. */
  readonly busyAt?: EpochMs;
};

/** The GPUs of one machine by DCGM, with the name that DCGM's series have for it. */
export type GpuLoad = {
  readonly host: SafeText;
  readonly sampledAt: EpochMs;
  /** By their number. */
  readonly gpus: readonly GpuState[];
  /** The last hour. */
  readonly history: GpuHistory;
};

/** By the name that DCGM's series have for a machine. */
export type ByHost<T> = ReadonlyMap<SafeText, T>;

/** All of them, and by which field of a machine they name it. */
export type GpuLoads = {readonly field: MachineField; readonly byHost: ByHost<GpuLoad>};

/** NVML's bits for a slowed clock, by the older name and the newer one. */
const REASON_SERIES = ['DCGM_FI_DEV_CLOCK_THROTTLE_REASONS', 'DCGM_FI_DEV_CLOCKS_EVENT_REASONS'];
/** The lowest of the bits that are meant: what is below is not looked at, and of thousands of GPUs few are left. */
const LEAST_REASON = 8;
const REASONS = `((${REASON_SERIES.join(' or ')}) >= ${LEAST_REASON})`;
/**
 * 1 for a GPU that is slowed, else 0 or nothing, in PromQL: heat in software or hardware and the power brake (bits 5 to 7), or
 * the hardware for either (bit 3). A power cap is not a fault.
 */
export const GPU_IS_THROTTLED = `clamp_max(floor(${REASONS} / 32) % 8 + floor(${REASONS} / 8) % 2, 1)`;
/** A GPU that was certainly not slowed at one moment of the last five minutes, in PromQL. */
export const GPU_WAS_UNTHROTTLED = `(${REASON_SERIES.map(series => `min_over_time(${series}[5m])`).join(' or ')}) < ${LEAST_REASON}`;

/** Below it a GPU does nothing: a screen or a monitor may still ask something of it. */
export const BUSY_FROM_RATIO = 0.05;
const MIN_MEASURED_RATIO = 0.8;

/** Whether the GPUs did nothing for so long; undefined where too little was measured to say. */
export function gpusIdleFor(
  past: GpuPast | undefined,
  {now, lengthMs}: {readonly now: EpochMs; readonly lengthMs: DurationMs},
): boolean | undefined {
  if (past === undefined) return undefined;
  if (past.busyAt !== undefined && now - past.busyAt < lengthMs) return false;
  const isMeasured = now - past.measuredSince >= lengthMs && past.measuredRatio >= MIN_MEASURED_RATIO;
  return isMeasured ? true : undefined;
}

/**
 * What DCGM's series tell of each machine. Of two machines that the field does not tell apart nothing: the GPUs of one
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

/** An address stands there with the exporter's port. */
function hostKey(host: SafeText, field: MachineField): string {
  return field === 'address' ? host.replace(/^\[?(.*?)\]?(:\d+)?$/, '$1') : host.toLowerCase();
}

/** Exporters are scraped every minute or sooner. */
const MAX_LOAD_AGE_MS: DurationMs = 5 * MINUTE_MS;

/** What was measured too long ago to tell the present, or at a moment that has not come. */
export function isOldLoad({sampledAt}: Pick<GpuLoad, 'sampledAt'>, now: EpochMs): boolean {
  return now - sampledAt > MAX_LOAD_AGE_MS || isAhead(sampledAt, now);
}

/** All GPUs of a machine together: the mean of their work, the fullest memory, the power of all, the hottest. */
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

/** One measure over a window that ends now. */
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
