import {getVirtualMachine, listVirtualMachines} from '../api/virtual-machines.ts';
import {hourlyUsd} from '../domain/money.ts';
import {joinSafe} from '../domain/safe-text.ts';
import type {MachineActivity, Trend} from '../domain/utilization.ts';
import {type VirtualMachine, virtualMachineId} from '../domain/virtual-machine.ts';
import {formatBytes, formatPercent, formatRateFigure} from '../ui/format.ts';
import {
  age,
  type Column,
  defineResource,
  number,
  type Resource,
  type RowContext,
  rawOf,
  text,
  type Value,
} from './resource.ts';

type Rated = {readonly id: number};

export const machines: Resource = defineResource<VirtualMachine>({
  names: ['vms', 'vm', 'virtual-machines', 'virtual-machine', 'machines', 'machine'],
  summary: 'virtual machines',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'flavor', title: 'FLAVOR', value: ({flavor}) => text(flavor?.name)},
    {key: 'cost', title: '$/h', align: 'right', value: costOf},
    {key: 'address', title: 'ADDRESS', value: ({floatingIp, fixedIp}) => text(floatingIp ?? fixedIp)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'environment', title: 'ENVIRONMENT', shown: 'wide', value: ({environmentName}) => text(environmentName)},
    {key: 'gpu', title: 'GPU', shown: 'wide', value: ({flavor}) => text(flavor?.gpuModel)},
    {key: 'image', title: 'IMAGE', shown: 'wide', value: ({imageName}) => text(imageName)},
    {key: 'key', title: 'KEY PAIR', shown: 'wide', value: ({keyPairName}) => text(keyPairName)},
    {key: 'contract', title: 'CONTRACT', shown: 'wide', value: ({contractId}) => number(contractId)},
    {key: 'cluster', title: 'CLUSTER', shown: 'wide', value: machine => number(machine.clusterId)},
    {key: 'labels', title: 'LABELS', shown: 'wide', value: ({labels}) => text(joinSafe(labels))},
    {
      key: 'kind',
      title: 'KIND',
      shown: 'filter',
      value: machine => text(machine.clusterId === undefined ? '' : 'node'),
    },
    ...activityColumns(),
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listVirtualMachines, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) =>
    rawOf(await client.read(getVirtualMachine, {id: virtualMachineId(id)}, {signal})),
  parse: listVirtualMachines.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

/** The columns that need the metrics of each machine, which is one request a machine. */
export const METRIC_COLUMNS: ReadonlySet<string> = new Set(['cpu', 'mem', 'in', 'out', 'quiet']);

function activityColumns(): readonly Column<VirtualMachine>[] {
  const trend = (
    key: string,
    pick: (activity: MachineActivity) => Trend,
    shape: (latest: number, context: RowContext) => Value,
  ): Column<VirtualMachine> => ({
    key,
    title: key.toUpperCase(),
    shown: 'filter',
    value: ({id}, context) => {
      const activity = context.activities?.get(id);
      const latest = activity === undefined ? undefined : pick(activity).latest;
      return latest === undefined ? undefined : shape(latest, context);
    },
  });
  const percent = (ratio: number) => ({text: formatPercent(ratio), number: ratio * 100});
  const bytes = (perSecond: number) => ({text: formatBytes(perSecond), number: perSecond});
  return [
    trend('cpu', ({cpu}) => cpu, percent),
    trend('mem', ({memory}) => memory, percent),
    trend('in', ({networkIn}) => networkIn, bytes),
    trend('out', ({networkOut}) => networkOut, bytes),
    {
      key: 'quiet',
      title: 'QUIET',
      shown: 'filter',
      value: ({id}, context) => age(context.activities?.get(id)?.quietSince, context),
    },
  ];
}

/** Dollars an hour as the service meters them now. */
function costOf({id}: Rated, {rates}: RowContext): Value | undefined {
  const rate = rates?.get(id);
  if (rate === undefined) return undefined;
  return {text: formatRateFigure(rate), number: hourlyUsd(rate), plain: String(hourlyUsd(rate))};
}
