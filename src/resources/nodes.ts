import {clusterNodes} from '../api/clusters.ts';
import type {Cluster, ClusterNode} from '../domain/cluster.ts';
import {meteredRate} from '../domain/cost.ts';
import type {Rate} from '../domain/money.ts';

import {type SafeText, safeText} from '../domain/safe-text.ts';
import {lastValue, readAt} from '../domain/snapshot.ts';
import type {EpochMs} from '../domain/time.ts';
import {presentlyExcluded, presentRates, usageFeed} from '../state/billing.ts';
import {clusterNodesFeed, clustersFeed} from '../state/clusters.ts';
import {clusters, stateLine} from './clusters.ts';
import {machinesFeed, observedById} from '../state/machines.ts';
import {isFreeFor} from './machines.ts';
import {find} from './find.ts';
import {age, type Column, FREE, number, rate, text, RUNNING_COST} from './column.ts';
import {type Listed, type Reader, rawField, withOwner} from './listing.ts';
import {defineResource, type RowInput} from './resource.ts';

type Known = Pick<RowInput, 'store' | 'now' | 'preferences'>;

/** A node with the current rate of its machine. */
export type NodeRow = {
  readonly node: ClusterNode;
  readonly rate: Rate | undefined;
  /** Its machine is not billed, or usage has no record of this master: the price list says that masters are free. */
  readonly isFree: boolean;
  readonly now: EpochMs;
  /** Its cluster, if the list covers more than one. */
  readonly owner?: SafeText | undefined;
};

const COLUMNS: readonly Column<NodeRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({node}) => number(node.id)},
  {key: 'cluster', title: 'CLUSTER', isSubject: true, value: ({owner}) => text(owner)},
  {key: 'role', title: 'ROLE', value: ({node}) => text(node.roleText), list: {minWidth: 8, maxWidth: 13, flex: 1}},
  {
    key: 'group',
    title: 'GROUP',
    value: ({node}) => text(node.nodeGroupName),
    list: {minWidth: 10, maxWidth: 20, flex: 1, priority: 3, tone: 'dim'},
  },
  {
    key: 'state',
    title: 'STATE',
    value: ({node}) => text(node.statusText),
    list: {title: 'NODE', minWidth: 13, draw: ({node}, _width, theme) => stateLine(node, theme)},
  },
  {
    key: 'machine',
    title: 'MACHINE',
    value: ({node}) => text(node.machineName),
    list: {minWidth: 18, maxWidth: 51, flex: 2, tone: 'strong', absent: 'no machine yet'},
  },
  {
    key: 'machine-state',
    title: 'MACHINE STATE',
    printed: 'asked',
    value: ({node}) => text(node.machineStatus),
    // If the states of node and machine disagree, power is not the problem.
    list: {title: 'VM STATE', minWidth: 10, priority: 2, tone: ({node}) => (isAtOdds(node) ? 'warning' : 'dim')},
  },
  {
    ...RUNNING_COST,
    printed: 'asked',
    reads: [machinesFeed, usageFeed],
    value: row => (row.isFree ? FREE : rate(row.rate)),
    list: {minWidth: 7, tone: row => (row.isFree || row.rate === undefined ? 'dim' : 'money')},
  },
  {key: 'vm', title: 'VM', align: 'right', value: ({node}) => number(node.machineId)},
  {
    key: 'address',
    title: 'ADDRESS',
    value: ({node: {floatingIp, fixedIp}}) => text(floatingIp ?? fixedIp),
    list: {minWidth: 15, priority: 4},
  },
  {
    key: 'reason',
    title: 'REASON',
    printed: 'wide',
    value: ({node}) => text(node.statusReason),
    list: {minWidth: 6, flex: 2, priority: 1, tone: 'warning', absent: '', isProse: true},
  },
  {key: 'age', title: 'AGE', printed: 'wide', unit: 'duration', value: ({node, now}) => age(node.createdAt, now)},
];

export const nodes = defineResource<ClusterNode, NodeRow>({
  names: ['nodes', 'node'],
  summary: 'nodes of clusters; --cluster for one of them',
  narrowedBy: ['cluster'],
  columns: COLUMNS,
  list: listNodes,
  parse: clusterNodes.record,
  row: known => {
    const rowOf = nodeRow(known);
    return (node, raw) => ({...rowOf(node), owner: known.owners?.get(raw)});
  },
  idOf: ({id}) => id,
  nameOf: ({machineName}) => machineName,
});

function nodeRow({store, now, preferences: {prices}}: Known): (node: ClusterNode) => NodeRow {
  const rates = presentRates(store);
  const excluded = presentlyExcluded(store);
  const isUsageKnown = lastValue(store.get(usageFeed)) !== undefined;
  const machines = observedById(store);
  return node => {
    const id = node.machineId;
    const metered = id === undefined ? undefined : rates.get(id);
    const machine = id === undefined ? undefined : machines.get(id);
    const isUnlisted = isUsageKnown && metered === undefined && node.role === 'master';
    const rate = machine === undefined ? metered : meteredRate(machine, metered, prices);
    const isNothing = rate !== undefined && machine !== undefined && isFreeFor(machine, rate, prices);
    return {node, rate, isFree: isUnlisted || isNothing || (id !== undefined && excluded.has(id)), now};
  };
}

function isAtOdds({machineStatus, status}: ClusterNode): boolean {
  return machineStatus === 'ACTIVE' && status === 'ERROR';
}

/** The nodes of a cluster: failed ones first, then those not ready, then by role (masters first) and id. */
export function nodeRows(known: Known, cluster: Cluster | undefined): readonly NodeRow[] {
  return [...presentNodes(known, cluster)]
    .sort(
      (left, right) =>
        urgencyOf(left) - urgencyOf(right) ||
        ROLE_ORDER.indexOf(left.role) - ROLE_ORDER.indexOf(right.role) ||
        (left.id ?? 0) - (right.id ?? 0),
    )
    .map(nodeRow(known));
}

function urgencyOf({status}: ClusterNode): number {
  if (status === 'ERROR') return 0;
  return status === 'ACTIVE' ? 2 : 1;
}

/** The cluster's nodes, from their own list or from the list of clusters, whichever is newer. */
function presentNodes({store}: Pick<RowInput, 'store'>, cluster: Cluster | undefined): readonly ClusterNode[] {
  if (cluster === undefined) return [];
  const own = store.get(clusterNodesFeed(cluster.id));
  const ownReadAt = readAt(own);
  const isNewer = ownReadAt !== undefined && ownReadAt >= (readAt(store.get(clustersFeed)) ?? 0);
  return (isNewer || cluster.hasUnreadNodes === true ? lastValue(own)?.records : undefined) ?? cluster.nodes;
}

const ROLE_ORDER: readonly ClusterNode['role'][] = ['master', 'worker', 'load-balancer', 'bastion', 'other'];

/** Identifies a node within its cluster, even if the service gives it no id. */
export function nodeKey({node}: NodeRow): string {
  return `${node.id ?? ''} ${node.machineId ?? ''} ${node.machineName ?? ''}`;
}

/** The list of clusters includes all nodes: one request instead of one per cluster. */
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
