import type {Cluster} from '../domain/cluster.ts';
import {EXPORTED_SERIES, SAMPLE_AGE_SERIES} from '../domain/exported-metrics.ts';
import type {Stock} from '../domain/stock.ts';
import {counterRates, isCounter, type MachineMetrics, type Sample, type Series} from '../domain/series.ts';
import {SECOND_MS} from '../domain/time.ts';
import {SEVERITIES} from '../domain/triage/finding.ts';
import type {Triage} from '../domain/triage/triage.ts';
import {TRIAGE_RULES} from '../domain/triage/rules.ts';
import {
  BYTES_PER_GB,
  cpuUtilization,
  type MachineActivity,
  memoryUtilization,
  type Trend,
} from '../domain/utilization.ts';
import type {MachineFlavor, VirtualMachine} from '../domain/virtual-machine.ts';
import {isUnattached, type Volume} from '../domain/volume.ts';
import {counters, gauge, gauges, type Labels, type MaybeSample, type MetricFamily} from './metric.ts';

/** What was measured of one machine recently. */
export type MeasuredMachine = {
  readonly machine: VirtualMachine;
  readonly activity: MachineActivity;
  readonly metrics: MachineMetrics;
  /** The age of the newest sample of any series. */
  readonly sampleAgeMs: number | undefined;
};

/** The input of inventory metrics. Undefined values are not known now, and get no series. */
export type KnownInventory = {
  readonly machines: readonly VirtualMachine[] | undefined;
  readonly measured: readonly MeasuredMachine[];
  readonly volumes: readonly Volume[] | undefined;
  readonly clusters: readonly Cluster[] | undefined;
  readonly stocks: readonly Stock[] | undefined;
  readonly triage: Triage | undefined;
  /** What was muted cannot be read, so it counts among the findings again. */
  readonly areMutesUnreadable: boolean;
};

/** The most series a machine adds once its metrics are read. */
export const SERIES_PER_MEASURED_MACHINE = 12;

/** Metrics of machines, volumes, clusters, stock and findings. */
export function inventoryMetrics(known: KnownInventory): readonly MetricFamily[] {
  return [
    ...machineMetrics(known),
    ...measuredMetrics(known.measured),
    ...volumeMetrics(known.volumes ?? []),
    ...clusterMetrics(known.clusters ?? []),
    ...stockMetrics(known.stocks ?? []),
    ...findingMetrics(known),
  ];
}

function machineMetrics({machines = []}: KnownInventory): readonly MetricFamily[] {
  const byStatus = Map.groupBy(machines, ({status}) => status);
  return [
    gauges(
      {name: 'skydeck_machines', help: 'Machines by state.'},
      [...byStatus].map(([status, own]) => ({labels: {status}, value: own.length})),
    ),
    gauges(
      {name: 'skydeck_machine_info', help: 'What a machine is; the value is always 1.'},
      machines.map(machine => ({
        labels: {
          ...machineLabels(machine),
          environment: machine.environmentName ?? '',
          region: machine.regionName ?? '',
          flavor: machine.flavor?.name ?? '',
          gpu: machine.flavor?.gpuModel ?? '',
          image: machine.imageName ?? '',
          cluster_id: idText(machine.clusterId),
          contract_id: idText(machine.contractId),
        },
        value: 1,
      })),
    ),
    gauges(
      MACHINE_STATUS,
      machines.map(machine => ({labels: {...machineLabels(machine), status: machine.status}, value: 1})),
    ),
  ];
}

export const MACHINE_STATUS = {
  name: 'skydeck_machine_status',
  help: 'The state of a machine, in its label; the value is always 1.',
} as const;

/** Every series of a machine has these two labels; everything else is in its info metric. */
export function machineLabels({id, name}: VirtualMachine): Labels {
  return {resource_id: String(id), name};
}

/** One measurement of a machine: its present value, and all its samples. */
export type Measure = {
  readonly name: string;
  readonly help: string;
  readonly now: (activity: MachineActivity) => Trend;
  readonly samples: (metrics: MachineMetrics, flavor: MachineFlavor | undefined) => readonly Sample[];
};

export const MEASURES: readonly Measure[] = [
  {
    name: EXPORTED_SERIES.cpu,
    help: 'CPU time used by a machine, of all its vCPUs, 0 to 1.',
    now: ({cpu}) => cpu,
    samples: (metrics, flavor) =>
      cpuUtilization(metrics, flavor?.cpuCount).map(({endedAt, ratio}) => ({sampledAt: endedAt, value: ratio})),
  },
  {
    name: EXPORTED_SERIES.memory,
    help: 'Share of the memory of a machine in use, as its guest reports it, 0 to 1.',
    now: ({memory}) => memory,
    samples: (metrics, flavor) => [...memoryUtilization(metrics, flavor?.ramGb)],
  },
  {
    name: EXPORTED_SERIES.networkIn,
    help: 'Bytes that a machine receives per second.',
    now: ({networkIn}) => networkIn,
    samples: ({networkIn}) => growth(networkIn),
  },
  {
    name: EXPORTED_SERIES.networkOut,
    help: 'Bytes that a machine sends per second.',
    now: ({networkOut}) => networkOut,
    samples: ({networkOut}) => growth(networkOut),
  },
  {
    name: EXPORTED_SERIES.diskRead,
    help: 'Bytes that a machine reads from its disks per second.',
    now: ({diskRead}) => diskRead,
    samples: ({diskRead}) => growth(diskRead),
  },
  {
    name: EXPORTED_SERIES.diskWrite,
    help: 'Bytes that a machine writes to its disks per second.',
    now: ({diskWrite}) => diskWrite,
    samples: ({diskWrite}) => growth(diskWrite),
  },
];

/** Counters of the service since the machine started; Prometheus computes rates over any window from them. */
export const COUNTED: readonly {readonly name: string; readonly help: string; readonly series: keyof MachineMetrics}[] =
  [
    {
      name: 'skydeck_machine_network_receive_bytes_total',
      help: 'Bytes that a machine has received since it started.',
      series: 'networkIn',
    },
    {
      name: 'skydeck_machine_network_transmit_bytes_total',
      help: 'Bytes that a machine has sent since it started.',
      series: 'networkOut',
    },
    {
      name: 'skydeck_machine_disk_read_bytes_total',
      help: 'Bytes that a machine has read from its disks since it started.',
      series: 'diskRead',
    },
    {
      name: 'skydeck_machine_disk_written_bytes_total',
      help: 'Bytes that a machine has written to its disks since it started.',
      series: 'diskWrite',
    },
  ];

/** The samples of a counter; none for what is an amount per step rather than a counter. */
export function countedSamples(series: Series = []): Series {
  return isCounter(series) ? series : [];
}

function growth(series: Series = []): readonly Sample[] {
  return Array.from(counterRates(series), ({endedAt, perSecond}) => ({sampledAt: endedAt, value: perSecond}));
}

/** The present value; none if its sample is too old to describe the present. */
function measuredMetrics(measured: readonly MeasuredMachine[]): readonly MetricFamily[] {
  return [
    ...MEASURES.map(({name, help, now}) =>
      gauges(
        {name, help},
        measured.map(({machine, activity}) => ({labels: machineLabels(machine), value: now(activity).latest})),
      ),
    ),
    ...COUNTED.map(({name, help, series}) =>
      counters(
        {name, help},
        measured.map(({machine, metrics}) => ({
          labels: machineLabels(machine),
          value: countedSamples(metrics[series]).at(-1)?.value,
        })),
      ),
    ),
    gauges(
      {
        name: SAMPLE_AGE_SERIES,
        help: 'Age of the newest sample that the service has of a machine; negative if it is ahead of the clock.',
      },
      measured.map(({machine, sampleAgeMs}) => ({
        labels: machineLabels(machine),
        value: sampleAgeMs === undefined ? undefined : sampleAgeMs / SECOND_MS,
      })),
    ),
    gauges(
      {
        name: 'skydeck_machine_working',
        help: '1 for a machine with activity beside its GPUs now, 0 without any; absent if unknown.',
      },
      measured.map(({machine, activity: {isWorking}}) => ({
        labels: machineLabels(machine),
        value: isWorking === 'unknown' ? undefined : Number(isWorking === 'yes'),
      })),
    ),
  ];
}

function volumeMetrics(volumes: readonly Volume[]): readonly MetricFamily[] {
  const labels = ({id, name, environmentName}: Volume) => ({
    resource_id: String(id),
    name,
    environment: environmentName ?? '',
  });
  return [
    gauges(
      {name: 'skydeck_volume_size_bytes', help: 'Size of a volume.'},
      volumes.map(volume => ({
        labels: labels(volume),
        value: volume.sizeGb === undefined ? undefined : volume.sizeGb * BYTES_PER_GB,
      })),
    ),
    gauges(
      {name: 'skydeck_volume_attached', help: '1 for a volume that is attached to a machine, else 0.'},
      volumes.map(volume => ({
        labels: labels(volume),
        value: isUnattached(volume) ? 0 : volume.hasUnreadAttachments === true ? undefined : 1,
      })),
    ),
  ];
}

function clusterMetrics(clusters: readonly Cluster[]): readonly MetricFamily[] {
  return [
    gauges(
      {name: 'skydeck_cluster_status', help: 'The state of a cluster, in its label; the value is always 1.'},
      clusters.map(({id, name, status, kubernetesVersion}) => ({
        labels: {cluster_id: String(id), name, status, version: kubernetesVersion ?? ''},
        value: 1,
      })),
    ),
    gauges(
      {name: 'skydeck_cluster_nodes', help: 'Nodes of a cluster by role and state.'},
      clusters.flatMap(({id, name, nodes}) =>
        [...Map.groupBy(nodes, ({role, status}) => `${role} ${status}`).values()].flatMap(own =>
          own.slice(0, 1).map(({role, status}) => ({
            labels: {cluster_id: String(id), name, role, status},
            value: own.length,
          })),
        ),
      ),
    ),
  ];
}

function stockMetrics(stocks: readonly Stock[]): readonly MetricFamily[] {
  const labels = ({regionName, model}: Stock) => ({region: regionName ?? '', model});
  return [
    gauges(
      {
        name: 'skydeck_stock_available_gpus',
        help: 'GPUs of a model available in a region now; the service gives no exact number from 10 on.',
      },
      summed(stocks.map(stock => ({labels: labels(stock), value: stock.available?.count}))),
    ),
    gauges(
      {
        name: 'skydeck_stock_available_machines',
        help: 'Machines with this many GPUs of a model available in a region now.',
      },
      summed(
        stocks.flatMap(stock =>
          stock.configurations.map(({gpuCount, available}) => ({
            labels: {...labels(stock), gpus: String(gpuCount)},
            value: available.count,
          })),
        ),
      ),
    ),
  ];
}

/** A region may list a model twice, as stock of two types: what is available is the sum. */
function summed(samples: readonly Required<MaybeSample>[]): readonly MaybeSample[] {
  const known = samples.flatMap(({labels, value}) => (value === undefined ? [] : [{labels, value}]));
  return [...Map.groupBy(known, ({labels}) => JSON.stringify(labels)).values()].flatMap(alike =>
    alike.slice(0, 1).map(({labels}) => ({labels, value: alike.reduce((sum, {value}) => sum + value, 0)})),
  );
}

/** What Prometheus itself has about GPUs does not come from here. */
const EXPORTED_RULES = TRIAGE_RULES.filter(({needs}) => needs === undefined);

/** A rule that could not be judged has no counts: zero would say that all is well. */
function findingMetrics({
  triage,
  areMutesUnreadable,
}: Pick<KnownInventory, 'triage' | 'areMutesUnreadable'>): readonly MetricFamily[] {
  const findings = triage?.findings ?? [];
  const unjudged = new Set(triage?.unknown.map(({rule}) => rule));
  const judged =
    triage === undefined
      ? []
      : EXPORTED_RULES.filter(({id}) => !unjudged.has(id) || findings.some(({rule}) => rule === id));
  return [
    gauges(
      {name: 'skydeck_findings', help: 'Findings by rule and severity, for rules that could be judged.'},
      judged.flatMap(({id}) =>
        SEVERITIES.map(severity => ({
          labels: {rule: id, severity},
          value: findings.filter(finding => finding.rule === id && finding.severity === severity).length,
        })),
      ),
    ),
    gauges(
      {name: 'skydeck_finding', help: 'Number of findings about one subject.'},
      summed(
        findings.map(({rule, severity, subject: {type, id, name}}) => ({
          labels: {rule, severity, subject_type: type, subject_id: idText(id), subject: name},
          value: 1,
        })),
      ),
    ),
    gauges(
      {name: 'skydeck_muted_findings', help: 'Findings muted in a deck on this host, by rule and severity.'},
      summed((triage?.muted ?? []).map(({finding: {rule, severity}}) => ({labels: {rule, severity}, value: 1}))),
    ),
    gauge(
      {
        name: 'skydeck_mutes_unreadable',
        help: '1 while the file of muted findings cannot be read, so that they are counted as findings; else 0.',
      },
      Number(areMutesUnreadable),
    ),
    gauges(
      {name: 'skydeck_rule_unjudged', help: '1 for a rule that could not be judged completely.'},
      [...unjudged].map(rule => ({labels: {rule}, value: 1})),
    ),
    gauge(
      {name: 'skydeck_rules', help: 'Number of triage rules.'},
      triage === undefined ? undefined : EXPORTED_RULES.length,
    ),
  ];
}

function idText(id: number | undefined): string {
  return id === undefined ? '' : String(id);
}
