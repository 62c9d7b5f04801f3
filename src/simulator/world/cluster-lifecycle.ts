import {apiAddressOf, type Cluster, type NodeGroup} from './cluster.ts';
import {nodesOf, setStage, tell, workersOf} from './cluster-nodes.ts';
import type {Ground} from './context.ts';
import {changeStatus, remove} from './lifecycle.ts';
import type {Machine, NodeStage} from './machine.ts';
import type {Pace} from './operations.ts';
import {unit} from './random.ts';

/** A change of a cluster that is under way, and who wanted it. */
type Course = {
  readonly ground: Ground;
  readonly cluster: Cluster;
  readonly userId: number;
  /** Plans a step by the part of the course that has passed; nothing happens once another course has begun. */
  readonly at: (part: number, step: () => void) => void;
};

type Range = readonly [low: number, high: number];

/** Seconds: the least, for each node, and the most. The service names five to twenty minutes. */
const CREATION_S: Readonly<Record<Pace, readonly [base: number, node: number, most: number]>> = {
  quick: [20, 2, 50],
  faithful: [300, 60, 1200],
};
const JOINING_S: Readonly<Record<Pace, Range>> = {quick: [10, 20], faithful: [180, 360]};
const RECONCILING_S: Readonly<Record<Pace, Range>> = {quick: [14, 24], faithful: [240, 480]};
const LEAVING_S: Readonly<Record<Pace, Range>> = {quick: [8, 10], faithful: [60, 90]};
const DEPARTURE_STEP_MS: Readonly<Record<Pace, number>> = {quick: 1000, faithful: 5000};
/** A deleted machine is gone by then. */
const LAST_DEPARTURE_MS: Readonly<Record<Pace, number>> = {quick: 7000, faithful: 45_000};

/** Brings a new cluster up: the nodes that face the internet, then the masters, then the workers one after the other. */
export function bringUp(ground: Ground, cluster: Cluster, userId: number): void {
  const nodes = nodesOf(ground, cluster);
  const [baseS, nodeS, mostS] = CREATION_S[ground.pace()];
  const seconds = Math.min(mostS, baseS + nodeS * (nodes.length + unit(ground.seed, cluster.id)));
  const course = begin(ground, cluster, userId, [seconds, seconds]);
  const {at} = course;
  const inRole = (...roles: string[]) => nodes.filter(({cluster: node}) => roles.includes(node?.role ?? ''));
  const [gates, masters, workers] = [inRole('bastion', 'load-balancer'), inRole('master'), inRole('worker')];
  const stage = (machines: readonly Machine[], next: NodeStage) => () => stageAll(course, machines, next);

  tell(ground, cluster, {reason: 'ClusterCreationRequest', message: 'Cluster creation was requested.', userId});
  at(0.05, () => {
    cluster.statusReason = `Creating the network and ${nodes.length} nodes`;
    for (const machine of nodes) if (machine.status === 'CREATING') changeStatus(ground, machine, 'BUILD');
  });
  at(0.12, () => {
    if (gates.length > 0) cluster.statusReason = 'Waiting for the public IP of the bastion';
    stageAll(course, [...masters, ...workers], 'WAITING');
  });
  at(0.25, stage(gates, 'ACTIVE'));
  at(0.3, () => {
    cluster.statusReason = `Installing Kubernetes ${cluster.kubernetesVersion} on ${masters.length} masters`;
    stageAll(course, masters, 'RECONCILING');
  });
  at(0.5, stage(masters, 'PRE-ACTIVE'));
  at(0.55, () => {
    cluster.apiAddress = apiAddressOf(cluster.name, cluster.environment);
    stageAll(course, masters, 'ACTIVE');
  });
  join(course, workers, [0.58, 0.95]);
  at(1, () => end(course, 'ClusterCreationSuccess', 'Cluster was created.'));
}

/** Lets new nodes join a cluster that is up. */
export function admit(ground: Ground, cluster: Cluster, machines: readonly Machine[], userId: number): void {
  const course = begin(ground, cluster, userId, JOINING_S[ground.pace()]);
  cluster.status = 'RECONCILING';
  cluster.statusReason = `Adding ${machines.length} nodes`;
  for (const {name} of machines) {
    tell(ground, cluster, {reason: 'NodeCreationRequest', message: `${name} is to be created.`, userId});
  }
  course.at(0.15, () => stageAll(course, machines, 'WAITING'));
  join(course, machines, [0.3, 0.95]);
  course.at(1, () => end(course));
}

/** Takes nodes out of a cluster that stays; `afterwards` runs once they are gone. */
export function dismiss(
  ground: Ground,
  cluster: Cluster,
  machines: readonly Machine[],
  userId: number,
  afterwards: () => void = () => {},
): void {
  const course = begin(ground, cluster, userId, LEAVING_S[ground.pace()]);
  cluster.status = 'RECONCILING';
  cluster.statusReason = `Removing ${machines.length} nodes`;
  for (const machine of machines) {
    tell(ground, cluster, {reason: 'NodeDeleteRequest', message: `${machine.name} is to be deleted.`, userId});
    depart(ground, machine, userId);
  }
  course.at(1, () => {
    for (const {name} of machines)
      tell(ground, cluster, {reason: 'NodeDeleteSuccess', message: `${name} was deleted.`, userId});
    afterwards();
    end(course);
  });
}

/** Repairs a cluster: broken nodes are brought back, missing workers are made anew. */
export function reconcile(
  ground: Ground,
  cluster: Cluster,
  userId: number,
  enroll: (group: NodeGroup, count: number) => readonly Machine[],
): void {
  const course = begin(ground, cluster, userId, RECONCILING_S[ground.pace()]);
  const broken = nodesOf(ground, cluster).filter(isBroken);
  const missing = cluster.nodeGroups.flatMap(group =>
    enroll(group, Math.max(0, group.count - workersOf(ground, cluster, group).length)),
  );
  cluster.status = 'RECONCILING';
  cluster.statusReason = `Reconciling ${broken.length + missing.length} nodes`;
  tell(ground, cluster, {reason: 'ClusterReconcileRequest', message: 'Cluster is to be reconciled.', userId});
  course.at(0.15, () => stageAll(course, missing, 'WAITING'));
  join(course, [...broken, ...missing], [0.3, 0.95]);
  course.at(1, () => end(course, 'ClusterReconcileSuccess', 'Cluster was reconciled.'));
}

/** Takes a cluster away, node by node; it is gone when its last node is. */
export function takeDown(ground: Ground, cluster: Cluster, userId: number): void {
  cluster.courseCount += 1;
  cluster.status = 'DELETING';
  cluster.statusReason = 'Deleting the nodes';
  tell(ground, cluster, {reason: 'ClusterDeleteRequest', message: 'Cluster is to be deleted.', userId});
  const stepMs = DEPARTURE_STEP_MS[ground.pace()];
  // Workers first, as they came last.
  const nodes = nodesOf(ground, cluster).toReversed();
  nodes.forEach((machine, index) => {
    ground.schedule(ground.now() + index * stepMs, () => depart(ground, machine, userId));
  });
  ground.schedule(ground.now() + nodes.length * stepMs + LAST_DEPARTURE_MS[ground.pace()], () => {
    ground.clusters.splice(ground.clusters.indexOf(cluster), 1);
  });
}

function begin(ground: Ground, cluster: Cluster, userId: number, [low, high]: Range): Course {
  cluster.courseCount += 1;
  const own = cluster.courseCount;
  const startedAt = ground.now();
  const durationMs = (low + (high - low) * unit(ground.seed, cluster.id, own)) * 1000;
  return {
    ground,
    cluster,
    userId,
    at: (part, step) =>
      ground.schedule(startedAt + Math.round(part * durationMs), () => {
        if (cluster.courseCount === own) step();
      }),
  };
}

function end({ground, cluster, userId}: Course, reason?: string, message = ''): void {
  cluster.status = 'ACTIVE';
  cluster.statusReason = 'K8s is ready';
  cluster.apiAddress ??= apiAddressOf(cluster.name, cluster.environment);
  if (reason !== undefined) tell(ground, cluster, {reason, message, userId});
}

/** Workers start one after the other in the first half of the stretch, and each needs as long again. */
function join(course: Course, machines: readonly Machine[], [from, until]: Range): void {
  const half = (until - from) / 2;
  const progress = (joinedCount: number) => {
    course.cluster.statusReason = `${joinedCount} of ${machines.length} nodes have joined`;
  };
  course.at(from, () => progress(0));
  machines.forEach((machine, index) => {
    const start = from + (half * index) / machines.length;
    course.at(start, () => stageAll(course, [machine], 'RECONCILING'));
    course.at(start + half * 0.6, () => stageAll(course, [machine], 'PRE-ACTIVE'));
    course.at(start + half, () => {
      stageAll(course, [machine], 'ACTIVE');
      progress(index + 1);
    });
  });
}

function stageAll({ground, cluster, userId}: Course, machines: readonly Machine[], stage: NodeStage): void {
  for (const machine of machines) setStage(ground, cluster, machine, stage, userId);
}

function isBroken({status, cluster: member}: Machine): boolean {
  if (status === 'DELETING') return false;
  const hasNotCome = status === 'CREATING' || status === 'BUILD' || status === 'ERROR';
  return hasNotCome || member?.trouble !== undefined || (member?.stage ?? 'ACTIVE') !== 'ACTIVE';
}

function depart(ground: Ground, machine: Machine, userId: number): void {
  if (machine.status === 'DELETING' || machine.status === 'DELETED') return;
  if (machine.cluster !== undefined) machine.cluster.stage = 'DELETING';
  remove(ground, machine, userId, ground.pace());
}
