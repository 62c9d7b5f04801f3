import {type MachineMetrics, type Sample, type Series, SERIES_NAMES} from './series.ts';
import {type DurationMs, type EpochMs, SECOND_MS} from './time.ts';
import {BYTES_PER_GB, NS_PER_SECOND} from './utilization.ts';
import type {MachineFlavor} from './virtual-machine.ts';

/** The exporter's series of a machine: ratios of its flavor's capacity, and growth per second. */
export const EXPORTED_SERIES = {
  cpu: 'skydeck_machine_cpu_utilization_ratio',
  memory: 'skydeck_machine_memory_utilization_ratio',
  networkIn: 'skydeck_machine_network_receive_bytes_per_second',
  networkOut: 'skydeck_machine_network_transmit_bytes_per_second',
  diskRead: 'skydeck_machine_disk_read_bytes_per_second',
  diskWrite: 'skydeck_machine_disk_written_bytes_per_second',
} as const satisfies Readonly<Record<keyof MachineMetrics, string>>;

/** The age of a machine's newest sample, in seconds. */
export const SAMPLE_AGE_SERIES = 'skydeck_machine_sample_age_seconds';

/** What was exported of a machine for one sample of the service; missing figures were unknown then. */
export type ExportedSample = {readonly sampledAt: EpochMs} & {readonly [Name in keyof MachineMetrics]?: number};

/** Moments closer than this are one sample, seen by different scrapes. */
export const SAME_SAMPLE_MS: DurationMs = 2 * SECOND_MS;

type MetricName = keyof MachineMetrics;

/**
 * Adds the samples that are newer than the metrics, and drops those older than `since`; returns the same object if
 * there are none. A rate covers the time since the previous sample, so its counter grows by rate × time. What came
 * before the first sample is unknown, so counters start at zero there, and continue from one reading to the next.
 * @param samples ascending
 */
export function withExported(
  known: MachineMetrics,
  samples: readonly ExportedSample[],
  {flavor, since}: {readonly flavor: MachineFlavor | undefined; readonly since: EpochMs},
): MachineMetrics {
  const grown: {[Name in MetricName]?: Series} = {};
  let isNew = false;
  for (const measure of SERIES_NAMES) {
    const before = known[measure] ?? [];
    const after = extended(before, samples, {measure, unit: unitOf(measure, flavor)});
    isNew ||= after.length > before.length;
    if (after.length > 0) grown[measure] = after.filter(({sampledAt}) => sampledAt >= since);
  }
  return isNew ? grown : known;
}

function extended(
  before: Series,
  samples: readonly ExportedSample[],
  {measure, unit}: {readonly measure: MetricName; readonly unit: number | undefined},
): readonly Sample[] {
  const series: Sample[] = [...before];
  for (const {sampledAt, [measure]: exported} of samples) {
    const last = series.at(-1);
    const isKnown = last !== undefined && sampledAt < last.sampledAt + SAME_SAMPLE_MS;
    if (isKnown || exported === undefined || unit === undefined) continue;
    const amount = exported * unit;
    const growth = last === undefined ? 0 : (amount * (sampledAt - last.sampledAt)) / 1000;
    series.push({sampledAt, value: measure === 'memory' ? amount : (last?.value ?? 0) + growth});
  }
  return series;
}

/** The capacity a ratio refers to; undefined if the flavor does not say. */
function unitOf(measure: MetricName, flavor: MachineFlavor | undefined): number | undefined {
  if (measure === 'cpu') return flavor?.cpuCount === undefined ? undefined : flavor.cpuCount * NS_PER_SECOND;
  if (measure === 'memory') return flavor?.ramGb === undefined ? undefined : flavor.ramGb * BYTES_PER_GB;
  return 1;
}
