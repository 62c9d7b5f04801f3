import type {Cluster, NodeGroup} from './cluster.ts';
import {
  type AttachFirewall,
  type ClusterOrder,
  createCluster,
  enrollWorkers,
  type FirewallHands,
  type NodeGroupOrder,
} from './cluster-creation.ts';
import {admit, dismiss, reconcile, takeDown} from './cluster-lifecycle.ts';
import {enrollMaster, nodesOf, workersOf} from './cluster-nodes.ts';
import type {Ground} from './context.ts';
import type {Machine} from './machine.ts';
import {addNodeGroup, type NodeGroupChange, removeNodeGroup, updateNodeGroup} from './node-groups.ts';
import {accepted, type Outcome, refused, whenAccepted} from './outcome.ts';

/** What can be done with clusters. All but making and deleting one needs a cluster that is not being changed. */
export type ClusterOperations = {
  readonly create: (order: ClusterOrder, userId: number) => Outcome<Cluster>;
  readonly remove: (cluster: Cluster, userId: number) => Outcome<undefined>;
  readonly reconcile: (cluster: Cluster, userId: number) => Outcome<undefined>;
  readonly addGroup: (cluster: Cluster, order: NodeGroupOrder, userId: number) => Outcome<NodeGroup>;
  readonly updateGroup: (
    cluster: Cluster,
    group: NodeGroup,
    change: NodeGroupChange,
    userId: number,
  ) => Outcome<NodeGroup>;
  readonly removeGroup: (cluster: Cluster, group: NodeGroup, userId: number) => Outcome<undefined>;
  readonly addNodes: (cluster: Cluster, order: NodeOrder, userId: number) => Outcome<readonly Machine[]>;
  readonly removeNodes: (cluster: Cluster, nodeIds: readonly number[], userId: number) => Outcome<undefined>;
};

type NodeOrder = {
  readonly role: 'worker' | 'master';
  readonly count: number;
  /** Where a worker belongs; a cluster with one group needs no name. */
  readonly groupName: string | undefined;
};

/** A cluster that has not come up by then is stuck, and may be reconciled. */
const STUCK_AFTER_MS = 60 * 60_000;
const LEAST_MASTERS = 2;
const MOST_MASTERS = 3;

export function createClusterOperations(ground: Ground, firewalls: FirewallHands): ClusterOperations {
  /** Lets only that through which comes at a time when the cluster can change. */
  const whenSettled = <T>(cluster: Cluster, act: () => Outcome<T>): Outcome<T> =>
    cluster.status === 'ACTIVE'
      ? act()
      : refused('state', `Cluster '${cluster.name}' (${cluster.id}) cannot be changed while it is ${cluster.status}.`);
  return {
    create: (order, userId) =>
      whenAccepted(createCluster(ground, order, userId, firewalls.attach), ({id}) =>
        ground.executed('create-cluster', id),
      ),
    remove: (cluster, userId) => {
      if (cluster.status === 'DELETING') {
        return refused('state', `Cluster '${cluster.name}' (${cluster.id}) is being deleted already.`);
      }
      takeDown(ground, cluster, userId);
      ground.executed('delete-cluster', cluster.id);
      return accepted(undefined);
    },
    reconcile: (cluster, userId) =>
      whenAccepted(reconcileCluster(ground, cluster, userId, firewalls.attach), () =>
        ground.executed('reconcile', cluster.id),
      ),
    addGroup: (cluster, order, userId) =>
      whenAccepted(
        whenSettled(cluster, () => addNodeGroup(ground, cluster, order, {userId, ...firewalls})),
        ({id}) => ground.executed('create-node-group', cluster.id, {nodeGroupId: id}),
      ),
    updateGroup: (cluster, group, change, userId) =>
      whenAccepted(
        whenSettled(cluster, () => updateNodeGroup(ground, cluster, group, change, {userId, ...firewalls})),
        ({id}) => ground.executed('update-node-group', cluster.id, {nodeGroupId: id}),
      ),
    removeGroup: (cluster, group, userId) =>
      whenAccepted(
        whenSettled(cluster, () => removeNodeGroup(ground, cluster, group, userId)),
        () => ground.executed('delete-node-group', cluster.id, {nodeGroupId: group.id}),
      ),
    addNodes: (cluster, order, userId) =>
      whenAccepted(
        whenSettled(cluster, () => addNodes(ground, cluster, order, userId, firewalls.attach)),
        machines => ground.executed('create-nodes', cluster.id, {nodeIds: machines.map(nodeIdOf)}),
      ),
    removeNodes: (cluster, nodeIds, userId) =>
      whenAccepted(
        whenSettled(cluster, () => removeNodes(ground, cluster, nodeIds, userId)),
        () => ground.executed('delete-nodes', cluster.id, {nodeIds: [...new Set(nodeIds)]}),
      ),
  };
}

function reconcileCluster(
  ground: Ground,
  cluster: Cluster,
  userId: number,
  attach: AttachFirewall,
): Outcome<undefined> {
  const isStuck = cluster.status === 'CREATING' && ground.now() - cluster.createdAt > STUCK_AFTER_MS;
  if (cluster.status !== 'ACTIVE' && cluster.status !== 'ERROR' && !isStuck) {
    return refused(
      'state',
      `Cluster '${cluster.name}' (${cluster.id}) cannot be reconciled while it is ${cluster.status}.`,
    );
  }
  reconcile(ground, cluster, userId, (group, count) => enrollWorkers(ground, cluster, group, count, {userId, attach}));
  return accepted(undefined);
}

function addNodes(
  ground: Ground,
  cluster: Cluster,
  {role, count, groupName}: NodeOrder,
  userId: number,
  attach: AttachFirewall,
): Outcome<readonly Machine[]> {
  if (role === 'master') return addMasters(ground, cluster, count, userId);
  const [only, ...others] = cluster.nodeGroups;
  const group =
    groupName === undefined && others.length === 0 ? only : cluster.nodeGroups.find(({name}) => name === groupName);
  if (group === undefined) return refused('missing', `Node group '${groupName ?? ''}' does not exist.`);
  if (group.count + count > group.maxCount) {
    return refused(
      'state',
      `Node group '${group.name}' can have ${group.maxCount} nodes at most; it has ${group.count}.`,
    );
  }
  if (ground.stock.roomFor(group.flavor) < count)
    return refused('state', `Flavor '${group.flavor.name}' is out of stock.`);
  group.count += count;
  group.updatedAt = ground.now();
  const machines = enrollWorkers(ground, cluster, group, count, {userId, attach});
  admit(ground, cluster, machines, userId);
  return accepted(machines);
}

function addMasters(ground: Ground, cluster: Cluster, count: number, userId: number): Outcome<readonly Machine[]> {
  const present = nodesOf(ground, cluster).filter(({cluster: node}) => node?.role === 'master').length;
  if (present + count > MOST_MASTERS) {
    return refused('state', `A cluster can have ${MOST_MASTERS} masters at most; this one has ${present}.`);
  }
  const machines = Array.from({length: count}, () => enrollMaster(ground, cluster, userId));
  admit(ground, cluster, machines, userId);
  return accepted(machines);
}

function removeNodes(ground: Ground, cluster: Cluster, nodeIds: readonly number[], userId: number): Outcome<undefined> {
  const leaving: Machine[] = [];
  const nodes = nodesOf(ground, cluster);
  for (const id of new Set(nodeIds)) {
    const machine = nodes.find(({cluster: node}) => node?.nodeId === id);
    if (machine === undefined) return refused('missing', `Node ${id} does not exist in the cluster ${cluster.id}.`);
    leaving.push(machine);
  }
  if (leaving.length === 0) return refused('state', 'No nodes are named.');
  const refusal = removalRefusal(ground, cluster, leaving);
  if (refusal !== undefined) return refusal;
  for (const group of cluster.nodeGroups) {
    const leavingCount = leaving.filter(({cluster: node}) => node?.groupName === group.name).length;
    if (leavingCount === 0) continue;
    group.count -= leavingCount;
    group.updatedAt = ground.now();
  }
  dismiss(ground, cluster, leaving, userId);
  return accepted(undefined);
}

/** Two masters and a worker in each group have to stay, and so has what faces the internet. */
function removalRefusal(ground: Ground, cluster: Cluster, leaving: readonly Machine[]) {
  const isMaster = ({cluster: node}: Machine) => node?.role === 'master';
  const gate = leaving.find(({cluster: node}) => node?.role === 'bastion' || node?.role === 'load-balancer');
  if (gate !== undefined) return refused('state', `${gate.name} cannot be deleted by itself.`);
  const masterCount = nodesOf(ground, cluster).filter(isMaster).length;
  const leavingMasters = leaving.filter(isMaster).length;
  if (leavingMasters > 0 && masterCount - leavingMasters < LEAST_MASTERS) {
    return refused('state', `At least ${LEAST_MASTERS} masters must remain.`);
  }
  const emptied = cluster.nodeGroups.find(group => {
    const workers = workersOf(ground, cluster, group);
    const leavingWorkers = workers.filter(machine => leaving.includes(machine)).length;
    return leavingWorkers > 0 && leavingWorkers === workers.length;
  });
  return emptied === undefined
    ? undefined
    : refused('state', `At least 1 worker must remain in the node group '${emptied.name}'.`);
}

function nodeIdOf({cluster: node}: Machine): number {
  return node?.nodeId ?? 0;
}
