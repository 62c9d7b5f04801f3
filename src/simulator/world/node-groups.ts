import type {Cluster, NodeGroup} from './cluster.ts';
import {
  createNodeGroup,
  enrollWorkers,
  type FirewallHands,
  firewallRefusal,
  type NodeGroupOrder,
} from './cluster-creation.ts';
import {admit, dismiss} from './cluster-lifecycle.ts';
import {firewallsOf, tell, workersOf} from './cluster-nodes.ts';
import type {Ground} from './context.ts';
import {accepted, type Outcome, refused} from './outcome.ts';

/** What is to be different about a node group; absent = as it is. */
export type NodeGroupChange = {
  readonly minCount: number | undefined;
  readonly maxCount: number | undefined;
  readonly firewallIds: readonly number[] | undefined;
};

type By = FirewallHands & {readonly userId: number};

/** Adds a group with its first workers. */
export function addNodeGroup(
  ground: Ground,
  cluster: Cluster,
  order: NodeGroupOrder,
  {userId, attach}: By,
): Outcome<NodeGroup> {
  if (cluster.nodeGroups.some(({name}) => name === order.name)) {
    return refused('duplicate', `A node group with the name '${order.name}' already exists.`);
  }
  const created = createNodeGroup(ground, order, cluster.environment);
  if (!created.isAccepted) return created;
  const group = created.result;
  cluster.nodeGroups.push(group);
  const message = `Node group ${group.name} is to be created.`;
  tell(ground, cluster, {reason: 'NodeGroupCreationRequest', message, userId});
  admit(ground, cluster, enrollWorkers(ground, cluster, group, group.count, {userId, attach}), userId);
  return created;
}

/** Changes the bounds of a group, or which firewalls its workers are behind; the list of those is the whole set. */
export function updateNodeGroup(
  ground: Ground,
  cluster: Cluster,
  group: NodeGroup,
  change: NodeGroupChange,
  {userId, attach, detach}: By,
): Outcome<NodeGroup> {
  const present = firewallsOf(ground, cluster, group);
  const {minCount = group.minCount, maxCount = group.maxCount, firewallIds = present.map(({id}) => id)} = change;
  if (minCount > group.count || maxCount < group.count) {
    return refused(
      'state',
      `Node group '${group.name}' has ${group.count} nodes, which is not from ${minCount} to ${maxCount}.`,
    );
  }
  const refusal = firewallRefusal(ground, firewallIds, cluster.environment);
  if (refusal !== undefined) return refusal;
  const workers = workersOf(ground, cluster, group);
  for (const firewall of ground.firewalls) {
    const [was, is] = [present.includes(firewall), firewallIds.includes(firewall.id)];
    if (was && !is) for (const {id} of workers) detach(firewall, id);
    if (is && !was) for (const machine of workers) attach(firewall, machine);
  }
  group.minCount = minCount;
  group.maxCount = maxCount;
  group.firewallIds = firewallIds;
  group.updatedAt = ground.now();
  tell(ground, cluster, {reason: 'NodeGroupUpdateSuccess', message: `Node group ${group.name} was updated.`, userId});
  return accepted(group);
}

/** Takes a group away with its workers; the last one has to stay. */
export function removeNodeGroup(
  ground: Ground,
  cluster: Cluster,
  group: NodeGroup,
  userId: number,
): Outcome<undefined> {
  if (cluster.nodeGroups.length === 1) {
    return refused('state', `Node group '${group.name}' is the only one: at least 1 worker must remain.`);
  }
  const message = `Node group ${group.name} is to be deleted.`;
  tell(ground, cluster, {reason: 'NodeGroupDeleteRequest', message, userId});
  group.count = 0;
  group.updatedAt = ground.now();
  dismiss(ground, cluster, workersOf(ground, cluster, group), userId, () => {
    cluster.nodeGroups.splice(cluster.nodeGroups.indexOf(group), 1);
    tell(ground, cluster, {reason: 'NodeGroupDeleteSuccess', message: `Node group ${group.name} was deleted.`, userId});
  });
  return accepted(undefined);
}
