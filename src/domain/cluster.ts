import {oncePer} from './memo.ts';
import type {SafeText} from './safe-text.ts';
import {type DurationMs, type EpochMs, MINUTE_MS} from './time.ts';
import type {MachineFlavor, VirtualMachine, VirtualMachineId} from './virtual-machine.ts';

declare const brand: unique symbol;
export type ClusterId = number & {readonly [brand]: 'ClusterId'};

export function clusterId(id: number): ClusterId {
  return id as ClusterId;
}

/** The states the service documents or implies; for any other, see `statusText`. */
export const CLUSTER_STATUSES = [
  'CREATING',
  'ACTIVE',
  'RECONCILING',
  'WARNING',
  'ERROR',
  'DELETING',
  'DELETED',
] as const;
export type ClusterStatus = (typeof CLUSTER_STATUSES)[number] | 'UNKNOWN';

export const NODE_STATUSES = [
  'CREATING',
  'WAITING',
  'RECONCILING',
  'PRE_ACTIVE',
  'ACTIVE',
  'ERROR',
  'DELETING',
  'DELETED',
] as const;
export type NodeStatus = (typeof NODE_STATUSES)[number] | 'UNKNOWN';

export const NODE_ROLES = ['master', 'worker', 'bastion', 'load-balancer'] as const;
/** An unknown role is `other`, with its word in `roleText`. */
export type NodeRole = (typeof NODE_ROLES)[number] | 'other';

/** A Kubernetes cluster as last read. Its kubeconfig contains a private key, so only its presence is kept. */
export type Cluster = {
  readonly id: ClusterId;
  readonly name: SafeText;
  readonly status: ClusterStatus;
  /** The service's own word for the state. */
  readonly statusText: SafeText;
  /** Free text: progress, or what went wrong. */
  readonly statusReason?: SafeText;
  readonly isReconciling?: boolean;
  readonly kubernetesVersion?: SafeText;
  readonly environmentName?: SafeText;
  readonly regionName?: SafeText;
  /** An https URL; absent until the cluster can be reached. */
  readonly apiAddress?: SafeText;
  readonly keyPairName?: SafeText;
  readonly imageName?: SafeText;
  readonly masterFlavor?: MachineFlavor;
  readonly masterCount?: number;
  readonly nodeGroups: readonly NodeGroup[];
  readonly nodes: readonly ClusterNode[];
  /** There may be further nodes: some could not be parsed, or none were sent. */
  readonly hasUnreadNodes?: true;
  readonly hasKubeConfig: boolean;
  readonly createdAt?: EpochMs;
};

/** Workers of one kind. Older versions of the service have a single group without id and name. */
export type NodeGroup = {
  readonly id?: number;
  readonly name: SafeText;
  readonly role?: SafeText;
  readonly flavor?: MachineFlavor;
  readonly count?: number;
  readonly minCount?: number;
  readonly maxCount?: number;
  readonly firewallIds: readonly number[];
};

export type ClusterNode = {
  readonly id?: number;
  readonly role: NodeRole;
  readonly roleText: SafeText;
  readonly status: NodeStatus;
  readonly statusText: SafeText;
  readonly statusReason?: SafeText;
  readonly nodeGroupName?: SafeText;
  /** The machine the node runs on; none while the node is still waiting for one. */
  readonly machineId?: VirtualMachineId;
  readonly machineName?: SafeText;
  /** The machine's own state, in the service's word. */
  readonly machineStatus?: SafeText;
  readonly fixedIp?: SafeText;
  readonly floatingIp?: SafeText;
  readonly createdAt?: EpochMs;
};

/** One line of a cluster's history. */
export type ClusterEvent = {
  readonly id?: number;
  readonly occurredAt?: EpochMs;
  readonly type?: SafeText;
  readonly reason: SafeText;
  readonly message: SafeText;
  readonly userId?: number;
};

/** A Kubernetes version for new clusters, in one region. */
export type KubernetesVersion = {
  readonly id?: number;
  readonly version: SafeText;
  readonly regionName?: SafeText;
  readonly imageName?: SafeText;
};

/** The nodes around the control plane of a new cluster: `full` adds a bastion and a load balancer. */
export const DEPLOYMENT_MODES = ['full', 'standard'] as const;
export type DeploymentMode = (typeof DEPLOYMENT_MODES)[number];

/** A new cluster: with workers in groups, or a count of one flavor. Masters need a flavor without a GPU. */
export type ClusterSpec = {
  readonly name: SafeText;
  readonly environmentName: SafeText;
  readonly keyPairName: SafeText;
  readonly kubernetesVersion: SafeText;
  readonly masterFlavorName: SafeText;
  /** 2 or 3; the service decides if absent. */
  readonly masterCount?: number;
  readonly deploymentMode?: DeploymentMode;
  /** The service picks it by the version if absent. */
  readonly imageName?: SafeText;
  readonly nodeFlavorName?: SafeText;
  readonly nodeCount?: number;
  /** Empty if workers are given by flavor and count. */
  readonly nodeGroups: readonly NodeGroupSpec[];
};

/** The service's limits, from its documents. */
export const MASTER_COUNTS = {min: 2, max: 3};
/** For workers of one flavor, and for each group. */
export const MAX_WORKERS = 20;
export const MAX_GROUP_NAME_LENGTH = 20;

export type NodeGroupSpec = {
  readonly name: SafeText;
  readonly flavorName: SafeText;
  readonly count: number;
  readonly minCount?: number;
  readonly maxCount?: number;
};

export type NodeCount = {
  readonly total: number;
  readonly active: number;
  /** In transition to another state. */
  readonly changing: number;
  readonly failed: number;
  /** In an unknown state. */
  readonly unknown: number;
};

/** Whether it is being reconciled. A new cluster reports that from the start, while it is only being created. */
export function isBeingReconciled({status, isReconciling}: Cluster): boolean {
  return status === 'RECONCILING' || (isReconciling === true && status !== 'CREATING');
}

/** How many nodes of each role there are, by the meaning of the node's own state, not its machine's. */
export function nodeCounts({nodes}: Cluster): Readonly<Record<NodeRole, NodeCount>> {
  const countOf = (role: NodeRole): NodeCount => {
    const kinds = nodes.filter(node => node.role === role).map(node => kindOfState(node.status));
    const among = (kind: StateKind) => kinds.filter(each => each === kind).length;
    return {
      total: kinds.length,
      active: among('active'),
      changing: among('changing'),
      failed: among('failed'),
      unknown: among('unknown'),
    };
  };
  return {
    master: countOf('master'),
    worker: countOf('worker'),
    bastion: countOf('bastion'),
    'load-balancer': countOf('load-balancer'),
    other: countOf('other'),
  };
}

/** Whether it needs no repair: it is ACTIVE, no node failed, and no worker is missing. */
export function isWhole(cluster: Cluster): boolean {
  const {total} = nodeCounts(cluster).worker;
  const hasFailed = cluster.nodes.some(({status}) => status === 'ERROR');
  const areAllRead = cluster.hasUnreadNodes !== true;
  return cluster.status === 'ACTIVE' && areAllRead && !hasFailed && total >= (wantedWorkerCount(cluster) ?? 0);
}

/** Active nodes out of those wanted; undefined where the nodes were not all read. */
export type ActiveCount = {readonly active: number | undefined; readonly wanted: number | undefined};

/** Active workers out of those wanted; if no group has a count, out of those that exist. */
export function workerCount(cluster: Cluster): ActiveCount {
  return activeOf(cluster, 'worker', wantedWorkerCount(cluster));
}

/** Active masters out of those wanted. */
export function masterCount(cluster: Cluster): ActiveCount {
  return activeOf(cluster, 'master', cluster.masterCount);
}

function activeOf(cluster: Cluster, role: NodeRole, wanted: number | undefined): ActiveCount {
  if (cluster.hasUnreadNodes === true) return {active: undefined, wanted};
  const {active, total} = nodeCounts(cluster)[role];
  return {active, wanted: wanted ?? total};
}

/** The wanted number of workers; undefined if a group does not say. */
export function wantedWorkerCount({nodeGroups}: Cluster): number | undefined {
  const counts = nodeGroups.flatMap(({count}) => count ?? []);
  const isComplete = counts.length === nodeGroups.length && counts.length > 0;
  return isComplete ? counts.reduce((sum, count) => sum + count, 0) : undefined;
}

/** The machines of a cluster: those that name it, and of those that name none those that it lists as its nodes. */
export function machinesOfCluster(
  {id, nodes}: Pick<Cluster, 'id' | 'nodes'>,
  machines: readonly VirtualMachine[],
): readonly VirtualMachine[] {
  const listed = new Set(nodes.flatMap(({machineId}) => machineId ?? []));
  return machines.filter(machine => machine.clusterId === id || (mayBeOfAnyCluster(machine) && listed.has(machine.id)));
}

/** Its record names no cluster that can be read, and does not say either that it is no node. */
function mayBeOfAnyCluster({clusterId, hasUnreadCluster, isNodeUnknown}: VirtualMachine): boolean {
  return clusterId === undefined && (hasUnreadCluster === true || isNodeUnknown === true);
}

/** What the clusters say of the machines: which they list as their nodes, and whether they list all of them. */
const nodeList = oncePer((clusters: readonly Cluster[]) => {
  const entries = clusters.flatMap(({id, nodes}) =>
    nodes.flatMap(({machineId}) => (machineId === undefined ? [] : [[machineId, id] as const])),
  );
  return {clusterOf: new Map<number, ClusterId>(entries), isWhole: clusters.every(listsAllMachines)};
});

/**
 * The machine with what the clusters say of it, where its own record leaves that open: the cluster that lists it as its
 * node, or that it is no node. `areAll`: whether every cluster of the account is among these.
 */
export function withListedCluster(
  machine: VirtualMachine,
  clusters: readonly Cluster[],
  {areAll}: {readonly areAll: boolean},
): VirtualMachine {
  if (!mayBeOfAnyCluster(machine)) return machine;
  const {clusterOf, isWhole} = nodeList(clusters);
  const id = clusterOf.get(machine.id);
  const {isNodeUnknown, ...rest} = machine;
  if (id !== undefined) return {...rest, clusterId: id};
  return isNodeUnknown === true && areAll && isWhole ? rest : machine;
}

/**
 * Whether it may have other machines than these: its nodes do not tell all of them, nor do the machines. `areAll`:
 * whether every machine of the account is among these.
 */
export function mayHaveOtherMachines(
  cluster: Pick<Cluster, 'id' | 'nodes' | 'hasUnreadNodes'>,
  machines: readonly VirtualMachine[],
  {areAll}: {readonly areAll: boolean},
): boolean {
  const own = machinesOfCluster(cluster, machines);
  const ids = new Set(own.map(({id}) => id));
  if (lastingNodes(cluster).some(({machineId}) => machineId !== undefined && !ids.has(machineId))) return true;
  if (listsAllMachines(cluster)) return false;
  return !areAll || own.length === 0 || machines.some(machine => mayBeOfAnyCluster(machine) && !ids.has(machine.id));
}

/** Whether it names the machine of each of its nodes that has one. */
function listsAllMachines(cluster: Pick<Cluster, 'nodes' | 'hasUnreadNodes'>): boolean {
  const isWithout = ({machineId, status}: ClusterNode) => machineId === undefined && !WITHOUT_MACHINE.has(status);
  return cluster.hasUnreadNodes !== true && !lastingNodes(cluster).some(isWithout);
}

function lastingNodes({nodes}: Pick<Cluster, 'nodes'>): readonly ClusterNode[] {
  return nodes.filter(({status}) => status !== 'DELETING' && status !== 'DELETED');
}

/** A node in such a state may have no machine: not yet, or because its creation failed. */
const WITHOUT_MACHINE: ReadonlySet<NodeStatus> = new Set(['CREATING', 'WAITING', 'ERROR']);

/** Creation takes 5 to 20 minutes; a cluster not up after 60 should be deleted and created again, the provider says. */
const USUAL_CREATION_MS = 20 * MINUTE_MS;
export const CREATION_LIMIT_MS = 60 * MINUTE_MS;

export type ClusterProgress =
  | {readonly kind: 'creating'; readonly elapsedMs: DurationMs}
  /** Longer than usual, but still within the service's own limit. */
  | {readonly kind: 'slow'; readonly elapsedMs: DurationMs}
  /** Past the limit: the service says to delete it and create it again. */
  | {readonly kind: 'overdue'; readonly elapsedMs: DurationMs}
  /** Being created; since when is unknown. */
  | {readonly kind: 'unknown'}
  | {readonly kind: 'created'};

/** The progress of a cluster's creation. Any later state, including a failure, is `created`. */
export function clusterProgress({status, createdAt}: Cluster, now: EpochMs): ClusterProgress {
  if (status !== 'CREATING') return {kind: 'created'};
  if (createdAt === undefined) return {kind: 'unknown'};
  // The service's clock may be ahead of ours.
  const elapsedMs = Math.max(0, now - createdAt);
  if (elapsedMs > CREATION_LIMIT_MS) return {kind: 'overdue', elapsedMs};
  return {kind: elapsedMs > USUAL_CREATION_MS ? 'slow' : 'creating', elapsedMs};
}

/** How urgent a cluster is: those in trouble first, then those that are changing, then the rest. */
function clusterUrgency(cluster: Cluster, now: EpochMs): 'trouble' | 'change' | 'calm' {
  const isBroken = cluster.status === 'ERROR' || cluster.status === 'WARNING';
  const hasFailedNode = cluster.nodes.some(({status}) => kindOfState(status) === 'failed');
  if (isBroken || hasFailedNode || clusterProgress(cluster, now).kind === 'overdue') return 'trouble';
  return cluster.status === 'ACTIVE' ? 'calm' : 'change';
}

const URGENCIES = ['trouble', 'change', 'calm'];

/** The same clusters, most urgent first, and equally urgent ones oldest first. */
export function clustersByUrgency(clusters: readonly Cluster[], now: EpochMs): readonly Cluster[] {
  const rankOf = (cluster: Cluster) => URGENCIES.indexOf(clusterUrgency(cluster, now));
  return clusters.toSorted((left, right) => rankOf(left) - rankOf(right) || left.id - right.id);
}

type StateKind = 'active' | 'changing' | 'failed' | 'unknown';

function kindOfState(status: NodeStatus): StateKind {
  if (status === 'ACTIVE') return 'active';
  if (status === 'ERROR') return 'failed';
  return status === 'UNKNOWN' ? 'unknown' : 'changing';
}
