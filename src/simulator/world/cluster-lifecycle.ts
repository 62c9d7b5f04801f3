import {
  apiAddressOf,
  type Cluster,
  type NodeGroup,
  type NodePhase,
  nodesOf,
  recordClusterEvent,
  setPhase,
  workersOf,
} from './cluster.ts';
import {changeStatus, type Pace, type Seconds, startDeletion} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import {unit} from './random.ts';
import type {World} from './world.ts';

/** A change of a cluster that is under way. */
type Change = {
  readonly cluster: Cluster;
  /** Plans a step at a share of the change's duration; it does not happen if another change has begun by then. */
  readonly at: (part: number, step: () => void) => void;
  readonly record: (reason: string, message: string) => void;
  readonly setPhase: (machines: readonly Machine[], phase: NodePhase) => void;
};

type Range = readonly [low: number, high: number];

/** Seconds: the minimum, per node, and the maximum. The service says five to twenty minutes. */
const CREATION_S: Readonly<Record<Pace, readonly [base: number, node: number, most: number]>> = {
  quick: [20, 2, 50],
  faithful: [300, 60, 1200],
};
const JOINING_S: Seconds = {quick: [10, 20], faithful: [180, 360]};
const RECONCILING_S: Seconds = {quick: [14, 24], faithful: [240, 480]};
const LEAVING_S: Seconds = {quick: [8, 10], faithful: [60, 90]};
const DELETION_STEP_MS: Readonly<Record<Pace, number>> = {quick: 1000, faithful: 5000};
/** A deleted machine is gone by then. */
const LAST_DELETION_MS: Readonly<Record<Pace, number>> = {quick: 7000, faithful: 45_000};

/** Brings a new cluster up: first the nodes facing the internet, then masters, then workers one after the other. */
export function startCluster(world: World, cluster: Cluster, userId: number): void {
  const nodes = nodesOf(world, cluster);
  const [baseS, nodeS, mostS] = CREATION_S[world.pace()];
  const seconds = Math.min(mostS, baseS + nodeS * (nodes.length + unit(world.seed, cluster.id)));
  const change = beginChange(world, cluster, userId, [seconds, seconds]);
  const {at} = change;
  const inRole = (...roles: string[]) => nodes.filter(({cluster: node}) => roles.includes(node?.role ?? ''));
  const [gateways, masters, workers] = [inRole('bastion', 'load-balancer'), inRole('master'), inRole('worker')];

  change.record('ClusterCreationRequest', 'Cluster creation was requested.');
  at(0.05, () => {
    cluster.statusReason = `Creating the network and ${nodes.length} nodes`;
    for (const machine of nodes) if (machine.status === 'CREATING') changeStatus(world, machine, 'BUILD');
  });
  at(0.12, () => {
    if (gateways.length > 0) cluster.statusReason = 'Waiting for the public IP of the bastion';
    change.setPhase([...masters, ...workers], 'WAITING');
  });
  at(0.25, () => change.setPhase(gateways, 'ACTIVE'));
  at(0.3, () => {
    cluster.statusReason = `Installing Kubernetes ${cluster.kubernetesVersion} on ${masters.length} masters`;
    change.setPhase(masters, 'RECONCILING');
  });
  at(0.5, () => change.setPhase(masters, 'PRE-ACTIVE'));
  at(0.55, () => {
    cluster.apiAddress = apiAddressOf(cluster.name, cluster.environment);
    change.setPhase(masters, 'ACTIVE');
  });
  planJoining(change, workers, [0.58, 0.95]);
  at(1, () => {
    becomeActive(cluster);
    change.record('ClusterCreationSuccess', 'Cluster was created.');
  });
}

/** Lets new nodes join a running cluster. */
export function joinNodes(world: World, cluster: Cluster, machines: readonly Machine[], userId: number): void {
  const change = beginChange(world, cluster, userId, JOINING_S[world.pace()]);
  startReconciling(cluster, `Adding ${machines.length} nodes`);
  for (const {name} of machines) change.record('NodeCreationRequest', `${name} is to be created.`);
  change.at(0.15, () => change.setPhase(machines, 'WAITING'));
  planJoining(change, machines, [0.3, 0.95]);
  change.at(1, () => becomeActive(cluster));
}

/** Removes nodes from a cluster that stays; `afterwards` runs once they are gone. */
export function dropNodes(
  world: World,
  cluster: Cluster,
  {
    machines,
    userId,
    afterwards,
  }: {readonly machines: readonly Machine[]; readonly userId: number; readonly afterwards?: () => void},
): void {
  const change = beginChange(world, cluster, userId, LEAVING_S[world.pace()]);
  startReconciling(cluster, `Removing ${machines.length} nodes`);
  for (const machine of machines) {
    change.record('NodeDeleteRequest', `${machine.name} is to be deleted.`);
    deleteNode(world, machine, userId);
  }
  change.at(1, () => {
    for (const {name} of machines) change.record('NodeDeleteSuccess', `${name} was deleted.`);
    afterwards?.();
    becomeActive(cluster);
  });
}

/** Repairs a cluster: failed nodes are brought back, missing workers created again. */
export function repair(
  world: World,
  cluster: Cluster,
  userId: number,
  addWorkers: (group: NodeGroup, count: number) => readonly Machine[],
): void {
  const change = beginChange(world, cluster, userId, RECONCILING_S[world.pace()]);
  const broken = nodesOf(world, cluster).filter(isBroken);
  const missing = cluster.nodeGroups.flatMap(group =>
    addWorkers(group, Math.max(0, group.count - workersOf(world, cluster, group).length)),
  );
  startReconciling(cluster, `Reconciling ${broken.length + missing.length} nodes`);
  change.record('ClusterReconcileRequest', 'Cluster is to be reconciled.');
  change.at(0.15, () => change.setPhase(missing, 'WAITING'));
  planJoining(change, [...broken, ...missing], [0.3, 0.95]);
  change.at(1, () => {
    becomeActive(cluster);
    change.record('ClusterReconcileSuccess', 'Cluster was reconciled.');
  });
}

/** Deletes a cluster node by node; it is gone when its last node is. */
export function endCluster(world: World, cluster: Cluster, userId: number): void {
  // Whatever was under way ends here.
  cluster.changeCount += 1;
  cluster.status = 'DELETING';
  cluster.statusReason = 'Deleting the nodes';
  const message = 'Cluster is to be deleted.';
  recordClusterEvent(world, cluster, {userId, reason: 'ClusterDeleteRequest', message});
  const stepMs = DELETION_STEP_MS[world.pace()];
  // Workers first, since they were created last.
  const nodes = nodesOf(world, cluster).toReversed();
  for (const [index, machine] of nodes.entries()) {
    world.schedule(world.now() + index * stepMs, () => deleteNode(world, machine, userId));
  }
  world.schedule(world.now() + nodes.length * stepMs + LAST_DELETION_MS[world.pace()], () => {
    world.clusters.splice(world.clusters.indexOf(cluster), 1);
  });
}

function beginChange(world: World, cluster: Cluster, userId: number, [low, high]: Range): Change {
  cluster.changeCount += 1;
  const own = cluster.changeCount;
  const startedAt = world.now();
  const durationMs = (low + (high - low) * unit(world.seed, cluster.id, own)) * 1000;
  return {
    cluster,
    at: (part, step) =>
      world.schedule(startedAt + Math.round(part * durationMs), () => {
        if (cluster.changeCount === own) step();
      }),
    record: (reason, message) => recordClusterEvent(world, cluster, {reason, message, userId}),
    setPhase: (machines, phase) => {
      for (const machine of machines) setPhase(world, cluster, {machine, phase, userId});
    },
  };
}

function becomeActive(cluster: Cluster): void {
  cluster.status = 'ACTIVE';
  cluster.statusReason = 'K8s is ready';
  cluster.apiAddress ??= apiAddressOf(cluster.name, cluster.environment);
}

function startReconciling(cluster: Cluster, reason: string): void {
  cluster.status = 'RECONCILING';
  cluster.statusReason = reason;
}

/** Nodes start one after the other in the first half of the time, and each then needs the same time again. */
function planJoining(change: Change, machines: readonly Machine[], [from, until]: Range): void {
  const half = (until - from) / 2;
  const progress = (joinedCount: number) => {
    change.cluster.statusReason = `${joinedCount} of ${machines.length} nodes have joined`;
  };
  change.at(from, () => progress(0));
  for (const [index, machine] of machines.entries()) {
    const start = from + (half * index) / machines.length;
    change.at(start, () => change.setPhase([machine], 'RECONCILING'));
    change.at(start + half * 0.6, () => change.setPhase([machine], 'PRE-ACTIVE'));
    change.at(start + half, () => {
      change.setPhase([machine], 'ACTIVE');
      progress(index + 1);
    });
  }
}

function isBroken({status, cluster: member}: Machine): boolean {
  if (status === 'DELETING') return false;
  const hasNotCome = status === 'CREATING' || status === 'BUILD' || status === 'ERROR';
  return hasNotCome || member?.trouble !== undefined || (member?.phase ?? 'ACTIVE') !== 'ACTIVE';
}

function deleteNode(world: World, machine: Machine, userId: number): void {
  if (machine.status === 'DELETING' || machine.status === 'DELETED') return;
  if (machine.cluster !== undefined) machine.cluster.phase = 'DELETING';
  startDeletion(world, machine, userId);
}
