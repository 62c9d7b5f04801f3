import type {SortValue} from '../../domain/machine-order.ts';
import {hourlyUsd} from '../../domain/money.ts';
import type {MachineActivity, Trend} from '../../domain/utilization.ts';
import {formatBytes, formatDuration, formatPercent, formatRateFigure} from '../../ui/format.ts';
import {type MachineRow, rowActivity} from './row.ts';

/** A value as it is read and as it is compared; percent points, dollars per hour, milliseconds, bytes per second. */
export type Value = {readonly text: string; readonly number?: number};

/** Every column that can be filtered and sorted by, under the name that the filter expression uses. */
export const MACHINE_VALUES: ReadonlyMap<string, (row: MachineRow) => Value | undefined> = new Map<
  string,
  (row: MachineRow) => Value | undefined
>([
  ['name', ({machine}) => text(machine.name)],
  ['id', ({machine}) => ({text: String(machine.id), number: machine.id})],
  ['state', ({machine}) => text(machine.statusText)],
  ['flavor', ({machine}) => text(machine.flavor?.name)],
  ['gpu', ({machine}) => text(machine.flavor?.gpuModel)],
  ['cpu', row => percent(latest(row, activity => activity.cpu))],
  ['mem', row => percent(latest(row, activity => activity.memory))],
  ['in', row => bytes(latest(row, activity => activity.networkIn))],
  ['out', row => bytes(latest(row, activity => activity.networkOut))],
  ['cost', ({rate}) => (rate === undefined ? undefined : {text: formatRateFigure(rate), number: hourlyUsd(rate)})],
  ['quiet', row => duration(quietMs(row))],
  ['age', row => duration(ageMs(row))],
  ['address', ({machine}) => text(machine.floatingIp ?? machine.fixedIp)],
  ['region', ({machine}) => text(machine.regionName)],
  ['environment', ({machine}) => text(machine.environmentName)],
  ['labels', ({machine}) => text(machine.labels.length === 0 ? undefined : machine.labels.join(' '))],
  ['contract', ({machine}) => count(machine.contractId)],
  ['kind', ({machine}) => text(machine.clusterId === undefined ? undefined : 'node')],
  ['cluster', ({machine}) => count(machine.clusterId)],
]);

/** What a column is sorted by: its number where it has one. */
export function sortValue(value: Value | undefined): SortValue {
  return value?.number ?? value?.text;
}

function ageMs({machine, now}: MachineRow): number | undefined {
  return machine.createdAt === undefined ? undefined : Math.max(0, now - machine.createdAt);
}

/** How long nothing has happened on the host; undefined while it works and where that is unknown. */
function quietMs(row: MachineRow): number | undefined {
  const since = rowActivity(row, 1)?.quietSince;
  return since === undefined ? undefined : row.now - since;
}

function latest(row: MachineRow, pick: (activity: MachineActivity) => Trend): number | undefined {
  const activity = rowActivity(row, 1);
  return activity === undefined ? undefined : pick(activity).latest;
}

function text(value: string | undefined): Value | undefined {
  return value === undefined ? undefined : {text: value};
}

function percent(ratio: number | undefined): Value | undefined {
  return ratio === undefined ? undefined : {text: formatPercent(ratio), number: ratio * 100};
}

function bytes(perSecond: number | undefined): Value | undefined {
  return perSecond === undefined ? undefined : {text: formatBytes(perSecond), number: perSecond};
}

function duration(ms: number | undefined): Value | undefined {
  return ms === undefined ? undefined : {text: formatDuration(ms), number: ms};
}

function count(value: number | undefined): Value | undefined {
  return value === undefined ? undefined : {text: String(value), number: value};
}
