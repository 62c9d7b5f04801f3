import {clusterEvents, clusterNodes, getCluster, listClusters} from '../api/clusters.ts';
import {getVirtualMachine, listVirtualMachines, virtualMachineEvents} from '../api/virtual-machines.ts';
import {
  type Cluster,
  type ClusterEvent,
  type ClusterNode,
  clusterId,
  nodeCounts,
  wantedWorkerCount,
} from '../domain/cluster.ts';
import {hourlyUsd} from '../domain/money.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {MachineActivity, Trend} from '../domain/utilization.ts';
import {type VirtualMachine, virtualMachineId} from '../domain/virtual-machine.ts';
import {find} from './find.ts';
import {
  age,
  type Column,
  defineResource,
  type Listed,
  moment,
  number,
  type Reader,
  type Resource,
  type RowContext,
  rawField,
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
  const percent = (ratio: number, {format}: RowContext) => ({text: format.formatPercent(ratio), number: ratio * 100});
  const bytes = (perSecond: number, {format}: RowContext) => ({text: format.formatBytes(perSecond), number: perSecond});
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
function costOf({id}: Rated, {rates, format}: RowContext): Value | undefined {
  const rate = rates?.get(id);
  if (rate === undefined) return undefined;
  return {text: format.formatRateFigure(rate), number: hourlyUsd(rate), plain: String(hourlyUsd(rate))};
}

export const clusters: Resource = defineResource<Cluster>({
  names: ['clusters', 'cluster', 'k8s'],
  summary: 'Kubernetes clusters',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'version', title: 'K8S', value: ({kubernetesVersion}) => text(kubernetesVersion)},
    {key: 'workers', title: 'WORKERS', value: workersOf},
    {key: 'environment', title: 'ENVIRONMENT', value: ({environmentName}) => text(environmentName)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'reason', title: 'REASON', shown: 'wide', value: ({statusReason}) => text(statusReason)},
    {key: 'address', title: 'API ADDRESS', shown: 'wide', value: ({apiAddress}) => text(apiAddress)},
    {key: 'key', title: 'KEY PAIR', shown: 'wide', value: ({keyPairName}) => text(keyPairName)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listClusters, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.read(getCluster, {id: clusterId(id)}, {signal})),
  parse: listClusters.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

function workersOf(cluster: Cluster): Value {
  const {active, total} = nodeCounts(cluster).worker;
  return {text: `${active}/${wantedWorkerCount(cluster) ?? total}`, number: active};
}

export const nodes: Resource = defineResource<ClusterNode>({
  names: ['nodes', 'node'],
  summary: 'nodes of clusters; --cluster for one of them',
  narrowedBy: ['cluster'],
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'cluster', title: 'CLUSTER', value: (_, {owners}, raw) => text(owners?.get(raw))},
    {key: 'role', title: 'ROLE', value: ({roleText}) => text(roleText)},
    {key: 'group', title: 'GROUP', value: ({nodeGroupName}) => text(nodeGroupName)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'machine', title: 'MACHINE', value: ({machineName}) => text(machineName)},
    {key: 'vm', title: 'VM', align: 'right', value: ({machineId}) => number(machineId)},
    {key: 'address', title: 'ADDRESS', value: ({floatingIp, fixedIp}) => text(floatingIp ?? fixedIp)},
    {key: 'reason', title: 'REASON', shown: 'wide', value: ({statusReason}) => text(statusReason)},
    {key: 'age', title: 'AGE', shown: 'wide', value: ({createdAt}, context) => age(createdAt, context)},
  ],
  list: listNodes,
  parse: clusterNodes.record,
  idOf: ({id}) => id,
  nameOf: ({machineName}) => machineName,
});

/** The list of clusters holds all nodes: one request instead of one a cluster. */
async function listNodes(reader: Reader): Promise<Listed> {
  const {cluster} = reader.narrowing;
  const found = cluster === undefined ? undefined : await find(reader, clusters, cluster);
  if (found?.ok === false) return found;
  const listed = found === undefined ? await clusters.list({...reader, onPage: undefined}) : undefined;
  if (listed?.ok === false) return listed;
  const raw: unknown[] = [];
  const owners = new Map<unknown, SafeText>();
  for (const holder of found === undefined ? (listed?.value.raw ?? []) : [found.value.raw]) {
    const own = rawField(holder, 'nodes');
    for (const node of Array.isArray(own) ? own : []) {
      raw.push(node);
      owners.set(node, clusters.parseRaw(holder).name ?? safeText('?'));
    }
  }
  return {ok: true, value: {raw, owners}};
}

/** Histories are asked for one object at a time, and this many requests still fit into a minute beside the lists. */
const MAX_HISTORIES = 70;

export const events: Resource = defineResource<ClusterEvent>({
  names: ['events', 'event', 'history'],
  summary: 'the histories of machines and clusters; --vm or --cluster for one of them',
  narrowedBy: ['vm', 'cluster'],
  columns: [
    {key: 'time', title: 'TIME', value: ({occurredAt}, context) => moment(occurredAt, context)},
    {key: 'subject', title: 'SUBJECT', value: (_, {owners}, raw) => text(owners?.get(raw))},
    {key: 'type', title: 'TYPE', value: ({type}) => text(type)},
    {key: 'reason', title: 'REASON', value: ({reason}) => text(reason)},
    {key: 'message', title: 'MESSAGE', value: ({message}) => text(message)},
    {key: 'user', title: 'USER', shown: 'wide', align: 'right', value: ({userId}) => number(userId)},
  ],
  list: listEvents,
  parse: virtualMachineEvents.record,
  idOf: ({id}) => id,
  nameOf: ({reason}) => reason,
});

type Subject = {readonly type: 'vm' | 'cluster'; readonly id: number; readonly words: SafeText};

async function listEvents(reader: Reader): Promise<Listed> {
  const subjects = await eventSubjects(reader);
  if (!subjects.ok) return subjects;
  if (subjects.value.length > MAX_HISTORIES) {
    const count = subjects.value.length;
    return {ok: false, mistake: say`each of ${count} histories is a request of its own: name one by --vm or --cluster`};
  }
  const raw: unknown[] = [];
  const owners = new Map<unknown, SafeText>();
  for (const [index, {type, id, words}] of subjects.value.entries()) {
    reader.progress(`history ${index + 1} of ${subjects.value.length}`);
    const answer =
      type === 'vm'
        ? await reader.client.read(virtualMachineEvents, {id: virtualMachineId(id)}, reader)
        : await reader.client.read(clusterEvents, {id: clusterId(id)}, reader);
    if (!answer.ok) return answer;
    for (const each of answer.value.raw) {
      raw.push(each);
      owners.set(each, words);
    }
  }
  return {ok: true, value: {raw, owners}};
}

async function eventSubjects(
  reader: Reader,
): Promise<{readonly ok: true; readonly value: readonly Subject[]} | Extract<Listed, {ok: false}>> {
  const {vm, cluster} = reader.narrowing;
  const wanted = [
    {type: 'vm', resource: machines, named: vm, isWanted: vm !== undefined || cluster === undefined},
    {type: 'cluster', resource: clusters, named: cluster, isWanted: cluster !== undefined || vm === undefined},
  ] as const;
  const subjects: Subject[] = [];
  for (const {type, resource, named, isWanted} of wanted) {
    if (!isWanted) continue;
    if (named !== undefined) {
      const found = await find(reader, resource, named);
      if (!found.ok) return found;
      subjects.push({type, id: found.value.id, words: subjectWords(type, found.value.id, found.value.name)});
      continue;
    }
    const listed = await resource.list({...reader, onPage: undefined});
    if (!listed.ok) return listed;
    for (const raw of listed.value.raw) {
      const entry = resource.parseRaw(raw);
      const id = Number(entry.id);
      if (entry.isReadable) subjects.push({type, id, words: subjectWords(type, id, entry.name ?? safeText(''))});
    }
  }
  return {ok: true, value: subjects};
}

function subjectWords(type: Subject['type'], id: number, name: SafeText): SafeText {
  return say`${safeText(type)} ${name} #${id}`;
}
