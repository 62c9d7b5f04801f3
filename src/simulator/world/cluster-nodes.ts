import {FLAVORS, type Flavor, kubernetesImage} from './catalogue.ts';
import type {Cluster, ClusterEvent, NodeGroup} from './cluster.ts';
import type {Ground} from './context.ts';
import {type Firewall, holdsFor} from './firewall.ts';
import {changeStatus, completeCreation, noteCreation} from './lifecycle.ts';
import type {ClusterNode, Machine, NodeStage} from './machine.ts';

/** A change of a cluster, told in its history. */
export type ClusterTale = Pick<ClusterEvent, 'reason' | 'message'> & {readonly userId: number};

const GATE_FLAVOR_NAME = 'n1-cpu-small';
const EVENT_LIMIT = 2000;

/** The machines of a cluster, oldest first. */
export function nodesOf({machines}: Pick<Ground, 'machines'>, cluster: Cluster): Machine[] {
  return machines.filter(machine => machine.cluster?.clusterId === cluster.id);
}

export function workersOf(ground: Pick<Ground, 'machines'>, cluster: Cluster, group: NodeGroup): Machine[] {
  return nodesOf(ground, cluster).filter(
    ({cluster: member, status}) => member?.groupName === group.name && status !== 'DELETING',
  );
}

/** The firewalls that the workers of a group are behind; before there are workers, those it was made with. */
export function firewallsOf(ground: Ground, cluster: Cluster, group: NodeGroup): Firewall[] {
  const workers = workersOf(ground, cluster, group);
  if (workers.length === 0) return ground.firewalls.filter(({id}) => group.firewallIds.includes(id));
  return ground.firewalls.filter(firewall => workers.some(({id}) => holdsFor(firewall, id)));
}

/** Makes a worker of a group. Its machine is in the lists from now on. */
export function enrollWorker(ground: Ground, cluster: Cluster, group: NodeGroup, userId: number): Machine {
  const name = freeName(ground, `${cluster.name}-${group.name}`);
  return enroll(ground, cluster, {name, role: 'worker', flavor: group.flavor, groupName: group.name}, userId);
}

export function enrollMaster(ground: Ground, cluster: Cluster, userId: number): Machine {
  const name = freeName(ground, `${cluster.name}-master`);
  return enroll(ground, cluster, {name, role: 'master', flavor: cluster.masterFlavor}, userId);
}

/** Makes one of the two nodes that stand between a full cluster and the internet. */
export function enrollGate(
  ground: Ground,
  cluster: Cluster,
  role: 'bastion' | 'load-balancer',
  userId: number,
): Machine {
  const {regionName} = cluster.environment;
  const flavor = FLAVORS.find(each => each.name === GATE_FLAVOR_NAME && each.regionName === regionName);
  const name = `${cluster.name}-${role}`;
  return enroll(ground, cluster, {name, role, flavor: flavor ?? cluster.masterFlavor}, userId);
}

/** Takes a node a step further; its machine goes along. A node that is leaving stays on its way out. */
export function setStage(ground: Ground, cluster: Cluster, machine: Machine, stage: NodeStage, userId: number): void {
  const member = machine.cluster;
  if (member === undefined || machine.status === 'DELETING' || machine.status === 'DELETED') return;
  member.stage = stage;
  member.trouble = undefined;
  if (machine.status === 'CREATING' && stage !== 'CREATING') changeStatus(ground, machine, 'BUILD');
  if (stage !== 'ACTIVE') return;
  // A node is billed from here on, and so its machine is up from here on.
  const isNew = machine.status === 'BUILD';
  if (isNew) completeCreation(ground, machine, userId);
  else if (machine.status === 'ERROR') changeStatus(ground, machine, 'ACTIVE');
  const reason = isNew ? 'NodeCreationSuccess' : 'NodeReconcileSuccess';
  tell(ground, cluster, {reason, message: `${machine.name} is ready.`, userId});
}

/** Writes a line into a cluster's history. */
export function tell(ground: Ground, cluster: Cluster, {reason, message, userId}: ClusterTale): void {
  const type = reason.endsWith('Failed') ? 'error' : 'normal';
  cluster.events.push({id: ground.issuer.eventId(), at: ground.now(), userId, type, reason, message});
  if (cluster.events.length > EVENT_LIMIT) cluster.events.shift();
}

type NodeOrder = {
  readonly name: string;
  readonly role: ClusterNode['role'];
  readonly flavor: Flavor;
  readonly groupName?: string;
};

function enroll(ground: Ground, cluster: Cluster, {name, role, flavor, groupName}: NodeOrder, userId: number): Machine {
  const machine = ground.enroll({
    name,
    flavorName: flavor.name,
    environmentName: cluster.environment.name,
    // Nothing is deployed on it yet; the rest of a cluster always has a little to do.
    workload: {kind: role === 'worker' ? 'idle' : 'gateway'},
    createdAt: ground.now(),
    hasPublicIp: role === 'bastion' || role === 'load-balancer',
    image: kubernetesImage(cluster.kubernetesVersion),
    keyPairName: cluster.keyPairName,
    cluster: {clusterId: cluster.id, role, ...(groupName === undefined ? {} : {groupName})},
  });
  noteCreation(ground, machine, userId);
  if (machine.cluster !== undefined) machine.cluster.stage = 'CREATING';
  return machine;
}

function freeName({machines}: Pick<Ground, 'machines'>, stem: string): string {
  const taken = new Set(machines.map(({name}) => name));
  let number = 0;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}
