import {AUTOSCALER_USER_ID} from './account.ts';
import {FLAVORS, type Flavor, flavorNamed, kubernetesImage} from './catalogue.ts';
import type {Environment} from './environments.ts';
import {type Firewall, holdsFor} from './firewalls.ts';
import {changeStatus, completeCreation, recordCreation} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import {seedFor} from './random.ts';
import type {ClusterSpec} from './scenario.ts';
import type {World} from './world.ts';

/** A Kubernetes cluster. Its nodes are the machines that name it. */
export type Cluster = {
  readonly id: number;
  readonly name: string;
  readonly environment: Environment;
  readonly kubernetesVersion: string;
  readonly masterFlavor: Flavor;
  readonly keyPairName: string;
  readonly createdAt: number;
  readonly nodeGroups: NodeGroup[];
  readonly events: ClusterEvent[];
  status: 'CREATING' | 'ACTIVE' | 'RECONCILING' | 'ERROR' | 'DELETING';
  statusReason: string | null;
  /** Set once the cluster can be reached. */
  apiAddress: string | null;
  /** The number of the change under way; steps planned by an earlier change are dropped. */
  changeCount: number;
};

export type NodeGroup = {
  readonly id: number;
  readonly name: string;
  readonly flavor: Flavor;
  readonly createdAt: number;
  /** The wanted number of workers; there may be fewer or more while that changes. */
  count: number;
  minCount: number;
  maxCount: number;
  /** The firewalls that each new worker is attached to. */
  firewallIds: readonly number[];
  updatedAt: number | null;
};

export type ClusterEvent = {
  readonly id: number;
  readonly at: number;
  readonly userId: number;
  readonly type: 'normal' | 'error';
  readonly reason: string;
  readonly message: string;
};

/** What is wrong with a cluster, and its history. */
export type ClusterTrouble = {
  readonly status: 'CREATING' | 'RECONCILING' | 'ERROR';
  readonly reason: string;
  readonly events: readonly {readonly at: number; readonly reason: string; readonly message: string}[];
};

/** Membership of a Kubernetes cluster. Masters are free. */
export type ClusterNode = {
  readonly clusterId: number;
  readonly role: 'master' | 'worker' | 'bastion' | 'load-balancer';
  /** The group of a worker. */
  readonly groupName?: string;
  /** What is wrong with the node as the cluster sees it, whatever its machine does. */
  readonly trouble?: {readonly status: string; readonly reason: string};
};

/** The progress of a node created while the world runs; earlier nodes follow their machine. */
export type NodePhase = 'CREATING' | 'WAITING' | 'RECONCILING' | 'PRE-ACTIVE' | 'ACTIVE' | 'DELETING';

/** A machine's place in its cluster. */
export type ClusterMember = Omit<ClusterNode, 'trouble'> & {
  readonly nodeId: number;
  trouble: ClusterNode['trouble'] | undefined;
  phase: NodePhase | undefined;
};

/** The provider's usual quarter of an hour. */
const CREATION_MS = 14 * 60_000 + 20_000;
const FIRST_GROUP_ID = 700;
const GATEWAY_FLAVOR_NAME = 'n1-cpu-small';
const EVENT_LIMIT = 2000;

/** A cluster in the state its past left it in: running well, or in the trouble its spec describes. */
export function clusterFrom(spec: ClusterSpec, environment: Environment): Cluster {
  const {id, name, createdAt, kubernetesVersion, trouble} = spec;
  const flavor = (flavorName: string) => flavorNamed(flavorName, environment.regionName);
  const isUp = trouble?.status !== 'CREATING';
  return {
    id,
    name,
    environment,
    kubernetesVersion,
    masterFlavor: flavor(spec.masterFlavorName),
    keyPairName: `${environment.name}-team`,
    createdAt,
    nodeGroups: spec.nodeGroups.map(({name: groupName, flavorName, count, maxCount}, index) => ({
      id: FIRST_GROUP_ID + (id % 100) * 4 + index,
      name: groupName,
      flavor: flavor(flavorName),
      createdAt,
      count,
      minCount: 1,
      maxCount,
      firewallIds: [],
      updatedAt: null,
    })),
    events: eventsOf(spec, isUp),
    status: trouble?.status ?? 'ACTIVE',
    statusReason: trouble?.reason ?? 'K8s is ready',
    apiAddress: isUp ? apiAddressOf(name, environment) : null,
    changeCount: 0,
  };
}

/**
 * A stand-in for the kubeconfig that the service includes in every answer. Nobody can mistake it for a real one, and it
 * opens nothing.
 */
export function kubeConfigOf({name, apiAddress, status}: Cluster): string | null {
  // The address is known before anything answers at it.
  if (apiAddress === null || status === 'CREATING') return null;
  const fake = Buffer.from(`SIMULATED - this is no key to ${name}`).toString('base64');
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    '# SIMULATED: made by the simulator, opens nothing.',
    `clusters: [{name: ${name}, cluster: {server: "${apiAddress}"}}]`,
    `users: [{name: admin, user: {client-key-data: ${fake}}}]`,
    `contexts: [{name: ${name}, context: {cluster: ${name}, user: admin}}]`,
    `current-context: ${name}`,
    '',
  ];
  return Buffer.from(lines.join('\n')).toString('base64');
}

function eventsOf({id, createdAt, trouble}: ClusterSpec, isUp: boolean): ClusterEvent[] {
  const asked = {at: createdAt, reason: 'ClusterCreationRequest', message: 'Cluster creation was requested.'};
  const made = {at: createdAt + CREATION_MS, reason: 'ClusterCreationSuccess', message: 'Cluster was created.'};
  return [asked, ...(isUp ? [made] : []), ...(trouble?.events ?? [])].map((event, index) => ({
    ...event,
    id: id * 100 + index,
    userId: AUTOSCALER_USER_ID,
    type: event.reason.endsWith('Failed') ? 'error' : 'normal',
  }));
}

/** The address of the cluster's API. */
export function apiAddressOf(name: string, environment: Environment): string {
  const hash = (seedFor(environment.id, name) >>> 8).toString(16).padStart(6, '0');
  return `https://api.${hostLabel(name)}-${hash}.${hostLabel(environment.name)}.clusters.example:6443`;
}

function hostLabel(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** The machines of a cluster, oldest first. */
export function nodesOf({machines}: Pick<World, 'machines'>, cluster: Cluster): Machine[] {
  return machines.filter(machine => machine.cluster?.clusterId === cluster.id);
}

export function workersOf(world: Pick<World, 'machines'>, cluster: Cluster, group: NodeGroup): Machine[] {
  return nodesOf(world, cluster).filter(
    ({cluster: member, status}) => member?.groupName === group.name && status !== 'DELETING',
  );
}

/** The firewalls of a group's workers; before there are workers, those the group was created with. */
export function firewallsOf(world: World, cluster: Cluster, group: NodeGroup): Firewall[] {
  const workers = workersOf(world, cluster, group);
  if (workers.length === 0) return world.firewalls.filter(({id}) => group.firewallIds.includes(id));
  return world.firewalls.filter(firewall => workers.some(({id}) => holdsFor(firewall, id)));
}

/** Creates a worker of a group. Its machine is listed from now on. */
export function addWorker(world: World, cluster: Cluster, group: NodeGroup, userId: number): Machine {
  const name = freeName(world, `${cluster.name}-${group.name}`);
  return addNode(world, cluster, {name, role: 'worker', flavor: group.flavor, groupName: group.name}, userId);
}

export function addMaster(world: World, cluster: Cluster, userId: number): Machine {
  const name = freeName(world, `${cluster.name}-master`);
  return addNode(world, cluster, {name, role: 'master', flavor: cluster.masterFlavor}, userId);
}

/** Creates one of the two nodes between a full-mode cluster and the internet. */
export function addGateway(world: World, cluster: Cluster, role: 'bastion' | 'load-balancer', userId: number): Machine {
  const {regionName} = cluster.environment;
  const flavor = FLAVORS.find(each => each.name === GATEWAY_FLAVOR_NAME && each.regionName === regionName);
  const name = `${cluster.name}-${role}`;
  return addNode(world, cluster, {name, role, flavor: flavor ?? cluster.masterFlavor}, userId);
}

/** Takes a node, and its machine, one step further. A node being removed stays on its way out. */
export function setPhase(
  world: World,
  cluster: Cluster,
  {machine, phase, userId}: {readonly machine: Machine; readonly phase: NodePhase; readonly userId: number},
): void {
  const member = machine.cluster;
  if (member === undefined || machine.status === 'DELETING' || machine.status === 'DELETED') return;
  member.phase = phase;
  member.trouble = undefined;
  if (machine.status === 'CREATING' && phase !== 'CREATING') changeStatus(world, machine, 'BUILD');
  if (phase !== 'ACTIVE') return;
  // A node is billed from here on, so its machine is up from here on.
  const isNew = machine.status === 'BUILD';
  if (isNew) completeCreation(world, machine, userId);
  else if (machine.status === 'ERROR') changeStatus(world, machine, 'ACTIVE');
  const reason = isNew ? 'NodeCreationSuccess' : 'NodeReconcileSuccess';
  recordClusterEvent(world, cluster, {reason, message: `${machine.name} is ready.`, userId});
}

/** Adds an event to a cluster's history. */
export function recordClusterEvent(
  world: World,
  cluster: Cluster,
  {reason, message, userId}: Pick<ClusterEvent, 'reason' | 'message' | 'userId'>,
): void {
  const type = reason.endsWith('Failed') ? 'error' : 'normal';
  cluster.events.push({id: world.factory.eventId(), at: world.now(), userId, type, reason, message});
  if (cluster.events.length > EVENT_LIMIT) cluster.events.shift();
}

type NodeRequest = {
  readonly name: string;
  readonly role: ClusterNode['role'];
  readonly flavor: Flavor;
  readonly groupName?: string;
};

function addNode(
  world: World,
  cluster: Cluster,
  {name, role, flavor, groupName}: NodeRequest,
  userId: number,
): Machine {
  const machine = world.addMachine({
    name,
    flavorName: flavor.name,
    environmentName: cluster.environment.name,
    // Nothing is deployed on it yet; the other nodes of a cluster always have a little to do.
    workload: {kind: role === 'worker' ? 'idle' : 'gateway'},
    createdAt: world.now(),
    hasPublicIp: role === 'bastion' || role === 'load-balancer',
    image: kubernetesImage(cluster.kubernetesVersion),
    keyPairName: cluster.keyPairName,
    cluster: {clusterId: cluster.id, role, ...(groupName === undefined ? {} : {groupName})},
  });
  recordCreation(world, machine, userId);
  if (machine.cluster !== undefined) machine.cluster.phase = 'CREATING';
  return machine;
}

function freeName({machines}: Pick<World, 'machines'>, stem: string): string {
  const taken = new Set(machines.map(({name}) => name));
  let number = 0;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
