import {type Flavor, KUBERNETES_VERSIONS} from './catalogue.ts';
import type {Cluster, NodeGroup} from './cluster.ts';
import {bringUp} from './cluster-lifecycle.ts';
import {enrollGate, enrollMaster, enrollWorker, firewallsOf} from './cluster-nodes.ts';
import {environmentNamed, type Ground} from './context.ts';
import type {Firewall} from './firewall.ts';
import type {Environment, Machine} from './machine.ts';
import {flavorOnOffer} from './machine-creation.ts';
import {accepted, type Outcome, refused} from './outcome.ts';

/** A new cluster as it was asked for; every name still has to be looked up. */
export type ClusterOrder = {
  readonly name: string;
  readonly environmentName: string;
  readonly keyPairName: string;
  readonly kubernetesVersion: string;
  readonly masterFlavorName: string;
  readonly masterCount: number;
  /** With a bastion and a load balancer. */
  readonly isFull: boolean;
  readonly groups: readonly NodeGroupOrder[];
};

export type NodeGroupOrder = {
  readonly name: string;
  readonly flavorName: string;
  readonly count: number;
  readonly minCount: number;
  readonly maxCount: number;
  readonly firewallIds: readonly number[];
};

/** Puts a machine behind a firewall. */
export type AttachFirewall = (firewall: Firewall, machine: Machine) => void;

/** How a cluster puts its nodes behind firewalls and takes them from there. */
export type FirewallHands = {
  readonly attach: AttachFirewall;
  readonly detach: (firewall: Firewall, machineId: number) => void;
};

/** Makes the cluster with all its nodes, or says what stands against it. */
export function createCluster(
  ground: Ground,
  order: ClusterOrder,
  userId: number,
  attach: AttachFirewall,
): Outcome<Cluster> {
  const environment = environmentNamed(ground, order.environmentName);
  if (environment === undefined) return refused('missing', `Environment '${order.environmentName}' does not exist.`);
  const masterFlavor = masterFlavorFor(order, environment);
  if (!masterFlavor.isAccepted) return masterFlavor;
  const refusal = refusalOf(ground, order, environment);
  if (refusal !== undefined) return refusal;
  const groups: NodeGroup[] = [];
  for (const groupOrder of order.groups) {
    const group = createNodeGroup(ground, groupOrder, environment);
    if (!group.isAccepted) return group;
    groups.push(group.result);
  }
  const cluster = emptyCluster(ground, order, environment, masterFlavor.result, groups);
  ground.clusters.push(cluster);
  if (order.isFull) for (const role of ['bastion', 'load-balancer'] as const) enrollGate(ground, cluster, role, userId);
  for (let count = 0; count < order.masterCount; count += 1) enrollMaster(ground, cluster, userId);
  for (const group of groups) enrollWorkers(ground, cluster, group, group.count, {userId, attach});
  bringUp(ground, cluster, userId);
  return accepted(cluster);
}

/** A node group that could be: its flavor is there to be had, its firewalls are in the right environment. */
export function createNodeGroup(ground: Ground, order: NodeGroupOrder, environment: Environment): Outcome<NodeGroup> {
  const {name, flavorName, count, minCount, maxCount, firewallIds} = order;
  const flavor = flavorOnOffer(flavorName, environment.regionName);
  if (flavor === undefined)
    return refused('missing', `Flavor '${flavorName}' does not exist in ${environment.regionName}.`);
  if (ground.stock.roomFor(flavor) < count)
    return refused('state', `Flavor '${flavorName}' is out of stock in ${environment.regionName}.`);
  const refusal = firewallRefusal(ground, firewallIds, environment);
  if (refusal !== undefined) return refusal;
  const id = ground.issuer.nodeGroupId();
  const createdAt = ground.now();
  return accepted({id, name, flavor, createdAt, count, minCount, maxCount, firewallIds, updatedAt: null});
}

/** Makes workers and puts them behind the firewalls that those of their group are behind. */
export function enrollWorkers(
  ground: Ground,
  cluster: Cluster,
  group: NodeGroup,
  count: number,
  {userId, attach}: {readonly userId: number; readonly attach: AttachFirewall},
): Machine[] {
  const firewalls = firewallsOf(ground, cluster, group);
  return Array.from({length: count}, () => {
    const machine = enrollWorker(ground, cluster, group, userId);
    for (const firewall of firewalls) attach(firewall, machine);
    return machine;
  });
}

export function firewallRefusal({firewalls}: Ground, ids: readonly number[], environment: Environment) {
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

export function isClusterNameTaken({clusters}: {readonly clusters: readonly Cluster[]}, name: string): boolean {
  return clusters.some(cluster => cluster.name.toLowerCase() === name.toLowerCase());
}

function masterFlavorFor({masterFlavorName}: ClusterOrder, {regionName}: Environment): Outcome<Flavor> {
  const flavor = flavorOnOffer(masterFlavorName, regionName);
  if (flavor === undefined) return refused('missing', `Flavor '${masterFlavorName}' does not exist in ${regionName}.`);
  return flavor.gpuCount === 0
    ? accepted(flavor)
    : refused('state', `Flavor '${masterFlavorName}' has GPUs; the masters need a CPU-only flavor.`);
}

function refusalOf(ground: Ground, order: ClusterOrder, environment: Environment) {
  const {name, keyPairName, kubernetesVersion} = order;
  if (!ground.references.hasKeyPair(environment, keyPairName)) {
    return refused('missing', `Key pair '${keyPairName}' does not exist in environment '${environment.name}'.`);
  }
  if (!KUBERNETES_VERSIONS.includes(kubernetesVersion)) {
    return refused('missing', `Kubernetes ${kubernetesVersion} is not available in ${environment.regionName}.`);
  }
  if (isClusterNameTaken(ground, name))
    return refused('duplicate', `A cluster with the name '${name}' already exists.`);
  if (ground.creditLeft() < 0) return refused('state', 'Your balance is insufficient to create a cluster.');
  return undefined;
}

function emptyCluster(
  ground: Ground,
  {name, kubernetesVersion, keyPairName}: ClusterOrder,
  environment: Environment,
  masterFlavor: Flavor,
  nodeGroups: NodeGroup[],
): Cluster {
  return {
    id: ground.issuer.clusterId(),
    name,
    environment,
    kubernetesVersion,
    masterFlavor,
    keyPairName,
    createdAt: ground.now(),
    nodeGroups,
    events: [],
    status: 'CREATING',
    statusReason: null,
    apiAddress: null,
    courseCount: 0,
  };
}
