import {stemOf} from '../../domain/cloud-resource.ts';
import {memoPer} from '../../domain/memo.ts';
import {hourlyUsd, type Rate, sumRates, ZERO_RATE} from '../../domain/money.ts';
import type {MachineMetrics} from '../../domain/series.ts';
import {type EpochMs, HOUR_MS, MINUTE_MS} from '../../domain/time.ts';
import {capacityOf, machineActivity, type MachineActivity, type Trend} from '../../domain/utilization.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {knownRates} from '../../state/billing.ts';
import {observedMachines} from '../../state/machines.ts';
import {knownMetrics, METRICS_INTERVAL_MS} from '../../state/triage.ts';
import type {Scene} from '../pane.ts';

/** Machines whose names begin alike, with their combined metrics. */
export type FleetGroup = {
  readonly name: string;
  readonly count: number;
  readonly activeCount: number;
  /** The sum of the rates that are known; undefined if none is. */
  readonly rate: Rate | undefined;
  readonly hasUnpriced: boolean;
  /** How bad the worst state of a machine in it is; 0 if none is in trouble. */
  readonly troubleRank: number;
  /** The number of running machines whose metrics are known. */
  readonly measuredCount: number;
  /** Means over those machines for the last hour; undefined if there are none. */
  readonly cpu: Mean;
  readonly memory: Mean;
  readonly networkIn: number | undefined;
  readonly networkOut: number | undefined;
  /** The machines that are not running, by state: `1 SHUTOFF`. */
  readonly others: readonly {
    readonly status: VirtualMachine['status'];
    readonly word: string;
    readonly count: number;
  }[];
};

type Mean = {readonly latest: number | undefined; readonly bins: readonly (number | undefined)[]};

/** As often as the service samples. */
const BIN_COUNT = 12;

/**
 * The fleet, grouped by the first part of the machines' names: groups with a machine in ERROR first, then those with one
 * in SHUTOFF, then the costliest. Undefined until the list was read.
 */
export function fleetGroups(scene: Scene): readonly FleetGroup[] | undefined {
  const machines = observedMachines(scene.store);
  if (machines === undefined) return undefined;
  const minute = Math.floor(scene.now / MINUTE_MS);
  return groupsOnce(scene.store, [scene.store.version(), minute, scene.preferences.prices], () =>
    [...Map.groupBy(machines, ({name}) => groupName(name))]
      .map(([name, members]) => groupOf(name, members, scene))
      .sort(
        (left, right) =>
          right.troubleRank - left.troubleRank ||
          hourlyUsd(right.rate ?? ZERO_RATE) - hourlyUsd(left.rate ?? ZERO_RATE) ||
          left.name.localeCompare(right.name),
      ),
  );
}

const groupsOnce = memoPer<Scene['store'], readonly FleetGroup[]>();

/** `train` for `train-03` and `train03`, and `k8s` for `k8s-batch-0`. */
function groupName(name: string): string {
  const [first = ''] = name.split(/[-_.]/);
  return stemOf(first) || name;
}

/** A machine in ERROR costs least, and is broken; one in SHUTOFF only costs money. */
const TROUBLE_RANKS: Readonly<Partial<Record<VirtualMachine['status'], number>>> = {ERROR: 2, SHUTOFF: 1};

function groupOf(name: string, members: readonly VirtualMachine[], scene: Scene): FleetGroup {
  const known = knownRates(members, scene);
  const running = members.filter(({status}) => status === 'ACTIVE');
  const activities = running.flatMap(machine => {
    const metrics = knownMetrics(machine, scene);
    return metrics === undefined ? [] : [activityOf(machine, metrics, scene.now)];
  });
  return {
    name,
    count: members.length,
    activeCount: running.length,
    rate: known.length === 0 ? undefined : sumRates(known),
    hasUnpriced: known.length < members.length,
    troubleRank: Math.max(...members.map(({status}) => TROUBLE_RANKS[status] ?? 0)),
    measuredCount: activities.filter(({cpu}) => recentOf(cpu, scene.now) !== undefined).length,
    cpu: meanOf(
      activities.map(({cpu}) => cpu),
      scene.now,
    ),
    memory: meanOf(
      activities.map(({memory}) => memory),
      scene.now,
    ),
    networkIn: sumOf(activities.map(({networkIn}) => recentOf(networkIn, scene.now))),
    networkOut: sumOf(activities.map(({networkOut}) => recentOf(networkOut, scene.now))),
    others: [...Map.groupBy(members, ({statusText}) => statusText)]
      .map(([word, each]) => ({status: each[0]?.status ?? 'UNKNOWN', word, count: each.length}))
      .filter(({status}) => status !== 'ACTIVE'),
  };
}

/** "The last hour" moves every minute. */
function activityOf({flavor}: VirtualMachine, metrics: MachineMetrics, now: EpochMs): MachineActivity {
  return activityOnce(metrics, [Math.floor(now / MINUTE_MS), ...capacityOf(flavor)], () =>
    machineActivity(metrics, flavor, {now, windowMs: HOUR_MS, binCount: BIN_COUNT}),
  );
}

const activityOnce = memoPer<MachineMetrics, MachineActivity>();

/** Twice the interval at which the overview reads a machine: nothing newer can be known in between. */
const RECENT_MS = 2 * METRICS_INTERVAL_MS;

/** The newest sample of a machine, which may be minutes old unless somebody looks at that machine. */
function recentOf({latest, newest}: Trend, now: EpochMs): number | undefined {
  return latest ?? (newest !== undefined && now - newest.sampledAt <= RECENT_MS ? newest.value : undefined);
}

function meanOf(trends: readonly Trend[], now: EpochMs): Mean {
  return {
    latest: mean(trends.map(trend => recentOf(trend, now))),
    bins: Array.from({length: BIN_COUNT}, (_, index) => mean(trends.map(({bins}) => bins[index]))),
  };
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** The machines in one state. */
export type StateGroup = {
  readonly status: VirtualMachine['status'];
  readonly word: string;
  readonly count: number;
};

/** The machines by state, the largest group first. Undefined until the list was read once. */
export function stateGroups({store}: Pick<Scene, 'store'>): readonly StateGroup[] | undefined {
  const machines = observedMachines(store);
  if (machines === undefined) return undefined;
  return [...Map.groupBy(machines, ({statusText}) => statusText)]
    .map(([word, group]): StateGroup => ({status: group[0]?.status ?? 'UNKNOWN', word, count: group.length}))
    .sort((left, right) => right.count - left.count || left.word.localeCompare(right.word));
}
