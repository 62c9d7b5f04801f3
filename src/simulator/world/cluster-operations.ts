import {type Flavor, flavorOnOffer, KUBERNETES_VERSIONS} from './catalogue.ts';
import {
  addGateway,
  addMaster,
  addWorker,
  type Cluster,
  firewallsOf,
  type NodeGroup,
  nodesOf,
  recordClusterEvent,
  workersOf,
} from './cluster.ts';
import {dropNodes, endCluster, joinNodes, repair, startCluster} from './cluster-lifecycle.ts';
import {type Environment, environmentNamed} from './environments.ts';
import {attachFirewall, detachFirewall} from './firewalls.ts';
import {hasKeyPair} from './key-pairs.ts';
import type {Machine} from './machine.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import type {World} from './world.ts';

/** The id of each of these is that of the cluster. */
export type ClusterVerb =
  | 'create-cluster'
  | 'delete-cluster'
  | 'reconcile'
  | 'create-node-group'
  | 'update-node-group'
  | 'delete-node-group'
  | 'create-nodes'
  | 'delete-nodes';

/** A new cluster as requested; names still have to be looked up. */
export type ClusterRequest = {
  readonly name: string;
  readonly environmentName: string;
  readonly keyPairName: string;
  readonly kubernetesVersion: string;
  readonly masterFlavorName: string;
  readonly masterCount: number;
  /** With a bastion and a load balancer. */
  readonly isFull: boolean;
  readonly groups: readonly NodeGroupRequest[];
};

export type NodeGroupRequest = {
  readonly name: string;
  readonly flavorName: string;
  readonly count: number;
  readonly minCount: number;
  readonly maxCount: number;
  readonly firewallIds: readonly number[];
};

/** Changes to a node group; absent = unchanged. */
export type NodeGroupChange = {
  readonly minCount: number | undefined;
  readonly maxCount: number | undefined;
  readonly firewallIds: readonly number[] | undefined;
};

export type NodeRequest = {
  readonly role: 'worker' | 'master';
  readonly count: number;
  /** The group of a worker; a cluster with one group needs no name. */
  readonly groupName: string | undefined;
};

/** A cluster not up by then is stuck and may be reconciled. */
const STUCK_AFTER_MS = 60 * 60_000;
const MIN_MASTERS = 2;
const MOST_MASTERS = 3;

/** Creates the cluster with all its nodes, or says why it cannot. */
export function createCluster(world: World, request: ClusterRequest, userId: number): Decision<Cluster> {
  const environment = environmentNamed(world, request.environmentName);
  if (environment === undefined) {
    return refused('missing', `Environment '${request.environmentName}' does not exist.`);
  }
  const masterFlavor = masterFlavorFor(request, environment);
  if (!masterFlavor.isAccepted) return masterFlavor;
  const refusal = creationRefusal(world, request, environment);
  if (refusal !== undefined) return refusal;
  const groups: NodeGroup[] = [];
  for (const groupRequest of request.groups) {
    const group = newGroup(world, groupRequest, environment);
    if (!group.isAccepted) return group;
    groups.push(group.result);
  }
  const cluster = newCluster(world, request, {environment, masterFlavor: masterFlavor.result, nodeGroups: groups});
  world.clusters.push(cluster);
  if (request.isFull)
    for (const role of ['bastion', 'load-balancer'] as const) addGateway(world, cluster, role, userId);
  for (let count = 0; count < request.masterCount; count += 1) addMaster(world, cluster, userId);
  for (const group of groups) addWorkers(world, cluster, {group, count: group.count, userId});
  startCluster(world, cluster, userId);
  world.executed('create-cluster', cluster.id);
  return accepted(cluster);
}

/** Unlike any other change, this one does not need an ACTIVE cluster. */
export function deleteCluster(world: World, cluster: Cluster, userId: number): Decision<undefined> {
  if (cluster.status === 'DELETING') {
    return refused('state', `Cluster '${cluster.name}' (${cluster.id}) is being deleted already.`);
  }
  endCluster(world, cluster, userId);
  world.executed('delete-cluster', cluster.id);
  return accepted(undefined);
}

export function reconcile(world: World, cluster: Cluster, userId: number): Decision<undefined> {
  const {name, id, status} = cluster;
  const isStuck = status === 'CREATING' && world.now() - cluster.createdAt > STUCK_AFTER_MS;
  if (status !== 'ACTIVE' && status !== 'ERROR' && !isStuck) {
    return refused('state', `Cluster '${name}' (${id}) cannot be reconciled while it is ${status}.`);
  }
  repair(world, cluster, userId, (group, count) => addWorkers(world, cluster, {group, count, userId}));
  world.executed('reconcile', id);
  return accepted(undefined);
}

/** Adds a group with its first workers. */
export function addNodeGroup(
  world: World,
  cluster: Cluster,
  request: NodeGroupRequest,
  userId: number,
): Decision<NodeGroup> {
  const refusal = notActiveRefusal(cluster);
  if (refusal !== undefined) return refusal;
  if (cluster.nodeGroups.some(({name}) => name === request.name)) {
    return refused('duplicate', `A node group with the name '${request.name}' already exists.`);
  }
  const created = newGroup(world, request, cluster.environment);
  if (!created.isAccepted) return created;
  const group = created.result;
  cluster.nodeGroups.push(group);
  const message = `Node group ${group.name} is to be created.`;
  recordClusterEvent(world, cluster, {userId, reason: 'NodeGroupCreationRequest', message});
  joinNodes(world, cluster, addWorkers(world, cluster, {group, count: group.count, userId}), userId);
  world.executed('create-node-group', cluster.id, {nodeGroupId: group.id});
  return created;
}

/** Changes the limits of a group, or its workers' firewalls; the list of firewalls is the full set. */
export function updateNodeGroup(
  world: World,
  cluster: Cluster,
  {group, change, userId}: {readonly group: NodeGroup; readonly change: NodeGroupChange; readonly userId: number},
): Decision<NodeGroup> {
  const present = firewallsOf(world, cluster, group);
  const {minCount = group.minCount, maxCount = group.maxCount, firewallIds = present.map(({id}) => id)} = change;
  const refusal =
    notActiveRefusal(cluster) ??
    boundsRefusal(group, minCount, maxCount) ??
    firewallRefusal(world, firewallIds, cluster.environment);
  if (refusal !== undefined) return refusal;
  const workers = workersOf(world, cluster, group);
  for (const firewall of world.firewalls) {
    const [was, is] = [present.includes(firewall), firewallIds.includes(firewall.id)];
    if (was && !is) for (const {id} of workers) detachFirewall(world, firewall, id);
    if (is && !was) for (const machine of workers) attachFirewall(world, firewall, machine);
  }
  group.minCount = minCount;
  group.maxCount = maxCount;
  group.firewallIds = firewallIds;
  group.updatedAt = world.now();
  const message = `Node group ${group.name} was updated.`;
  recordClusterEvent(world, cluster, {userId, reason: 'NodeGroupUpdateSuccess', message});
  world.executed('update-node-group', cluster.id, {nodeGroupId: group.id});
  return accepted(group);
}

/** Deletes a group with its workers; the last group must stay. */
export function deleteNodeGroup(world: World, cluster: Cluster, group: NodeGroup, userId: number): Decision<undefined> {
  const refusal = notActiveRefusal(cluster);
  if (refusal !== undefined) return refusal;
  if (cluster.nodeGroups.length === 1) {
    return refused('state', `Node group '${group.name}' is the only one: at least 1 worker must remain.`);
  }
  const asked = `Node group ${group.name} is to be deleted.`;
  recordClusterEvent(world, cluster, {userId, reason: 'NodeGroupDeleteRequest', message: asked});
  group.count = 0;
  group.updatedAt = world.now();
  const afterwards = () => {
    cluster.nodeGroups.splice(cluster.nodeGroups.indexOf(group), 1);
    const done = `Node group ${group.name} was deleted.`;
    recordClusterEvent(world, cluster, {userId, reason: 'NodeGroupDeleteSuccess', message: done});
  };
  dropNodes(world, cluster, {machines: workersOf(world, cluster, group), userId, afterwards});
  world.executed('delete-node-group', cluster.id, {nodeGroupId: group.id});
  return accepted(undefined);
}

export function createNodes(
  world: World,
  cluster: Cluster,
  request: NodeRequest,
  userId: number,
): Decision<readonly Machine[]> {
  const refusal = notActiveRefusal(cluster);
  if (refusal !== undefined) return refusal;
  const machines =
    request.role === 'master'
      ? moreMasters(world, cluster, request.count, userId)
      : moreWorkers(world, cluster, request, userId);
  if (!machines.isAccepted) return machines;
  joinNodes(world, cluster, machines.result, userId);
  const nodeIds = machines.result.map(({cluster: node}) => node?.nodeId ?? 0);
  world.executed('create-nodes', cluster.id, {nodeIds});
  return machines;
}

export function deleteNodes(
  world: World,
  cluster: Cluster,
  nodeIds: readonly number[],
  userId: number,
): Decision<undefined> {
  const refusal = notActiveRefusal(cluster);
  if (refusal !== undefined) return refusal;
  const wanted = [...new Set(nodeIds)];
  const nodes = nodesOf(world, cluster);
  const leaving: Machine[] = [];
  for (const id of wanted) {
    const machine = nodes.find(({cluster: node}) => node?.nodeId === id);
    if (machine === undefined) return refused('missing', `Node ${id} does not exist in the cluster ${cluster.id}.`);
    leaving.push(machine);
  }
  if (leaving.length === 0) return refused('state', 'No nodes are named.');
  const tooMany = removalRefusal(world, cluster, leaving);
  if (tooMany !== undefined) return tooMany;
  for (const group of cluster.nodeGroups) {
    const leavingCount = leaving.filter(({cluster: node}) => node?.groupName === group.name).length;
    if (leavingCount === 0) continue;
    group.count -= leavingCount;
    group.updatedAt = world.now();
  }
  dropNodes(world, cluster, {machines: leaving, userId});
  world.executed('delete-nodes', cluster.id, {nodeIds: wanted});
  return accepted(undefined);
}

export function isClusterNameTaken({clusters}: Pick<World, 'clusters'>, name: string): boolean {
  return clusters.some(cluster => cluster.name.toLowerCase() === name.toLowerCase());
}

function masterFlavorFor({masterFlavorName}: ClusterRequest, {regionName}: Environment): Decision<Flavor> {
  const flavor = flavorOnOffer(masterFlavorName, regionName);
  if (flavor === undefined) return refused('missing', `Flavor '${masterFlavorName}' does not exist in ${regionName}.`);
  return flavor.gpuCount === 0
    ? accepted(flavor)
    : refused('state', `Flavor '${masterFlavorName}' has GPUs; the masters need a CPU-only flavor.`);
}

function creationRefusal(world: World, request: ClusterRequest, environment: Environment): Refused | undefined {
  const {name, keyPairName, kubernetesVersion} = request;
  if (!hasKeyPair(world, environment, keyPairName)) {
    return refused('missing', `Key pair '${keyPairName}' does not exist in environment '${environment.name}'.`);
  }
  if (!KUBERNETES_VERSIONS.includes(kubernetesVersion)) {
    return refused('missing', `Kubernetes ${kubernetesVersion} is not available in ${environment.regionName}.`);
  }
  if (isClusterNameTaken(world, name)) {
    return refused('duplicate', `A cluster with the name '${name}' already exists.`);
  }
  return world.creditLeft() < 0 ? refused('state', 'Your balance is insufficient to create a cluster.') : undefined;
}

function newCluster(
  world: World,
  {name, kubernetesVersion, keyPairName}: ClusterRequest,
  parts: Pick<Cluster, 'environment' | 'masterFlavor' | 'nodeGroups'>,
): Cluster {
  return {
    id: world.factory.clusterId(),
    name,
    kubernetesVersion,
    keyPairName,
    ...parts,
    createdAt: world.now(),
    events: [],
    status: 'CREATING',
    statusReason: null,
    apiAddress: null,
    changeCount: 0,
  };
}

/** A valid request for a node group: its flavor is available, and its firewalls are in the right environment. */
function newGroup(world: World, request: NodeGroupRequest, environment: Environment): Decision<NodeGroup> {
  const {flavorName, count, firewallIds} = request;
  const flavor = flavorOnOffer(flavorName, environment.regionName);
  if (flavor === undefined) {
    return refused('missing', `Flavor '${flavorName}' does not exist in ${environment.regionName}.`);
  }
  if (world.stock.roomFor(flavor) < count) {
    return refused('state', `Flavor '${flavorName}' is out of stock in ${environment.regionName}.`);
  }
  const refusal = firewallRefusal(world, firewallIds, environment);
  if (refusal !== undefined) return refusal;
  const {name, minCount, maxCount} = request;
  const id = world.factory.nodeGroupId();
  const createdAt = world.now();
  return accepted({id, name, flavor, createdAt, count, minCount, maxCount, firewallIds, updatedAt: null});
}

/** Creates workers and attaches them to the firewalls of their group. */
function addWorkers(
  world: World,
  cluster: Cluster,
  {group, count, userId}: {readonly group: NodeGroup; readonly count: number; readonly userId: number},
): Machine[] {
  const firewalls = firewallsOf(world, cluster, group);
  return Array.from({length: count}, () => {
    const machine = addWorker(world, cluster, group, userId);
    for (const firewall of firewalls) attachFirewall(world, firewall, machine);
    return machine;
  });
}

function moreWorkers(
  world: World,
  cluster: Cluster,
  {count, groupName}: NodeRequest,
  userId: number,
): Decision<readonly Machine[]> {
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
  if (world.stock.roomFor(group.flavor) < count) {
    return refused('state', `Flavor '${group.flavor.name}' is out of stock.`);
  }
  group.count += count;
  group.updatedAt = world.now();
  return accepted(addWorkers(world, cluster, {group, count, userId}));
}

function moreMasters(world: World, cluster: Cluster, count: number, userId: number): Decision<readonly Machine[]> {
  const present = nodesOf(world, cluster).filter(isMaster).length;
  if (present + count > MOST_MASTERS) {
    return refused('state', `A cluster can have ${MOST_MASTERS} masters at most; this one has ${present}.`);
  }
  return accepted(Array.from({length: count}, () => addMaster(world, cluster, userId)));
}

function notActiveRefusal({name, id, status}: Cluster): Refused | undefined {
  return status === 'ACTIVE'
    ? undefined
    : refused('state', `Cluster '${name}' (${id}) cannot be changed while it is ${status}.`);
}

function boundsRefusal({name, count}: NodeGroup, minCount: number, maxCount: number): Refused | undefined {
  return minCount <= count && count <= maxCount
    ? undefined
    : refused('state', `Node group '${name}' has ${count} nodes, which is not from ${minCount} to ${maxCount}.`);
}

function firewallRefusal({firewalls}: World, ids: readonly number[], environment: Environment): Refused | undefined {
  for (const id of ids) {
    const firewall = firewalls.find(each => each.id === id);
    if (firewall === undefined) return refused('missing', `Firewall ${id} does not exist.`);
    if (firewall.environment.id !== environment.id) {
      return refused('state', `Firewall ${id} is not in the environment '${environment.name}'.`);
    }
    if (firewall.status === 'DELETING') return refused('state', `Firewall ${id} is ${firewall.status}.`);
  }
  return undefined;
}

/** Two masters and one worker per group must stay, and so must the nodes facing the internet. */
function removalRefusal(world: World, cluster: Cluster, leaving: readonly Machine[]): Refused | undefined {
  const gateway = leaving.find(({cluster: node}) => node?.role === 'bastion' || node?.role === 'load-balancer');
  if (gateway !== undefined) return refused('state', `${gateway.name} cannot be deleted by itself.`);
  const masterCount = nodesOf(world, cluster).filter(isMaster).length;
  const leavingMasters = leaving.filter(isMaster).length;
  if (leavingMasters > 0 && masterCount - leavingMasters < MIN_MASTERS) {
    return refused('state', `At least ${MIN_MASTERS} masters must remain.`);
  }
  const emptied = cluster.nodeGroups.find(group => {
    const workers = workersOf(world, cluster, group);
    const leavingWorkers = workers.filter(machine => leaving.includes(machine)).length;
    return leavingWorkers > 0 && leavingWorkers === workers.length;
  });
  return emptied === undefined
    ? undefined
    : refused('state', `At least 1 worker must remain in the node group '${emptied.name}'.`);
}

function isMaster({cluster: node}: Machine): boolean {
  return node?.role === 'master';
}
