import {clusterNodes} from '../api/clusters.ts';
import type {ClusterNode} from '../domain/cluster.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {clusters} from './clusters.ts';
import {find} from './find.ts';
import {
  age,
  defineResource,
  type Listed,
  number,
  type Owned,
  owned,
  type Reader,
  rawField,
  text,
  withOwner,
} from './resource.ts';

export const nodes = defineResource<ClusterNode, Owned<ClusterNode>>({
  names: ['nodes', 'node'],
  summary: 'nodes of clusters; --cluster for one of them',
  narrowedBy: ['cluster'],
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'cluster', title: 'CLUSTER', value: ({owner}) => text(owner)},
    {key: 'role', title: 'ROLE', value: ({roleText}) => text(roleText)},
    {key: 'group', title: 'GROUP', value: ({nodeGroupName}) => text(nodeGroupName)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'machine', title: 'MACHINE', value: ({machineName}) => text(machineName)},
    {key: 'vm', title: 'VM', align: 'right', value: ({machineId}) => number(machineId)},
    {key: 'address', title: 'ADDRESS', value: ({floatingIp, fixedIp}) => text(floatingIp ?? fixedIp)},
    {key: 'reason', title: 'REASON', printed: 'wide', value: ({statusReason}) => text(statusReason)},
    {key: 'age', title: 'AGE', printed: 'wide', value: ({createdAt, now}) => age(createdAt, now)},
  ],
  list: listNodes,
  parse: clusterNodes.record,
  row: owned,
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
    for (const each of Array.isArray(own) ? own : []) {
      const node = withOwner(each, 'cluster', holder);
      raw.push(node);
      owners.set(node, clusters.parseRaw(holder).name ?? safeText('?'));
    }
  }
  return {ok: true, value: {raw, owners}};
}
