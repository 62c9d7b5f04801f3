import {type SafeText, say} from './safe-text.ts';
import type {Secret} from './secret.ts';
import type {RuleSpec} from './security-rule.ts';
import {type DurationMs, type EpochMs, MINUTE_MS} from './time.ts';

declare const brand: unique symbol;
export type VirtualMachineId = number & {readonly [brand]: 'VirtualMachineId'};

export function virtualMachineId(id: number): VirtualMachineId {
  return id as VirtualMachineId;
}

/** The states the service documents; for an unknown one, see `statusText`. */
export const MACHINE_STATUSES = [
  'CREATING',
  'BUILD',
  'PRE_ACTIVE',
  'ACTIVE',
  'STOPPING',
  'SHUTOFF',
  'STARTING',
  'REBOOTING',
  'HIBERNATING',
  'HIBERNATED',
  'RESTORING',
  'DELETING',
  'DELETED',
  'ERROR',
] as const;
export type MachineStatus = (typeof MACHINE_STATUSES)[number] | 'UNKNOWN';

/** How long each change of state may take: about twice the longest the service is known for. */
export const TRANSITION_LIMITS_MS = {
  CREATING: 20 * MINUTE_MS,
  BUILD: 20 * MINUTE_MS,
  PRE_ACTIVE: 20 * MINUTE_MS,
  STARTING: 5 * MINUTE_MS,
  STOPPING: 5 * MINUTE_MS,
  REBOOTING: 5 * MINUTE_MS,
  HIBERNATING: 45 * MINUTE_MS,
  RESTORING: 30 * MINUTE_MS,
  DELETING: 10 * MINUTE_MS,
} as const satisfies Partial<Record<MachineStatus, DurationMs>>;
export type TransitionalStatus = keyof typeof TRANSITION_LIMITS_MS;

export function isTransitional(status: MachineStatus): status is TransitionalStatus {
  return Object.hasOwn(TRANSITION_LIMITS_MS, status);
}

/**
 * A machine as last read. Everything but its id may be missing: a field the service leaves out costs only that field.
 */
export type VirtualMachine = {
  readonly id: VirtualMachineId;
  readonly name: SafeText;
  readonly status: MachineStatus;
  /** The service's own word for the state. */
  readonly statusText: SafeText;
  readonly powerState?: SafeText;
  readonly vmState?: SafeText;
  readonly environmentName?: SafeText;
  readonly regionName?: SafeText;
  readonly imageName?: SafeText;
  readonly osName?: SafeText;
  readonly keyPairName?: SafeText;
  readonly flavor?: MachineFlavor;
  readonly fixedIp?: SafeText;
  readonly floatingIp?: SafeText;
  /** Whether it has a public address is unknown: that was not sent, or is no address. */
  readonly hasUnreadAddress?: true;
  readonly floatingIpStatus?: SafeText;
  /** SSH may listen on a port of the public address other than 22; the service does not say which. */
  readonly hasRandomizedPorts?: boolean;
  readonly volumes: readonly VolumeAttachment[];
  /** There may be further volumes: some could not be parsed, or none were sent. */
  readonly hasUnreadVolumes?: true;
  readonly rules: readonly SecurityRule[];
  /** There may be further rules: some could not be parsed, or none were sent. */
  readonly hasUnreadRules?: true;
  readonly labels: readonly SafeText[];
  /** `labels` is incomplete or altered: a label could not be read, or cannot be shown unchanged. */
  readonly hasUnreadLabels?: true;
  readonly contractId?: number;
  /** Whether it is under a contract is unknown: that was not sent, or is no id. */
  readonly hasUnreadContract?: true;
  /** Set on a Kubernetes node: its power is managed by the cluster. */
  readonly clusterId?: number;
  /** A node of a cluster whose id could not be read. */
  readonly hasUnreadCluster?: true;
  /** Whether it is a node is unknown: its record does not say, nor do the clusters as far as they were read. */
  readonly isNodeUnknown?: true;
  readonly callbackUrl?: SafeText;
  /** It may have one: what stands in its place could not be read. */
  readonly hasUnreadCallback?: true;
  readonly isLocked?: boolean;
  readonly isSnapshotting?: boolean;
  readonly createdAt?: EpochMs;
};

/** Whether it has a public address; undefined if that could not be read. */
export function hasAddress({floatingIp, hasUnreadAddress}: VirtualMachine): boolean | undefined {
  return floatingIp !== undefined ? true : hasUnreadAddress === true ? undefined : false;
}

/** It has a public address, or may have one that could not be read. */
export function mayHaveAddress(machine: VirtualMachine): boolean {
  return hasAddress(machine) !== false;
}

/** Its price may be that of a contract. */
export function mayBeUnderContract({contractId, hasUnreadContract}: VirtualMachine): boolean {
  return contractId !== undefined || hasUnreadContract === true;
}

type NodeFacts = Pick<VirtualMachine, 'clusterId' | 'hasUnreadCluster'>;

/** Whether it is a node of a cluster, which manages it. */
export function isNode({clusterId, hasUnreadCluster}: NodeFacts): boolean {
  return clusterId !== undefined || hasUnreadCluster === true;
}

/** The cluster it is a node of; undefined for every other machine. */
export function clusterWords(machine: NodeFacts): SafeText | undefined {
  if (!isNode(machine)) return undefined;
  return machine.clusterId === undefined ? say`an unknown cluster` : say`cluster #${machine.clusterId}`;
}

/** Why the set of labels cannot be replaced: labels that were not read would be lost. */
export function unreadLabelsReason({hasUnreadLabels}: VirtualMachine): SafeText | undefined {
  return hasUnreadLabels === true
    ? say`its labels could not be read completely, so changing them could lose some`
    : undefined;
}

/** The flavor as contained in a machine. RAM and disks in GB, as the service gives them. */
export type MachineFlavor = {
  readonly id?: number;
  readonly name: SafeText;
  readonly cpuCount?: number;
  readonly ramGb?: number;
  readonly rootDiskGb?: number;
  readonly ephemeralDiskGb?: number;
  readonly gpuModel?: SafeText;
  readonly gpuCount?: number;
  /** Advisory: the documented examples say false where hibernation is refused. */
  readonly hasNoHibernation?: boolean;
  /** The service does not reboot machines of this flavor. */
  readonly hasNoReboot?: true;
};

/** No flavor without a GPU can be hibernated, the provider says, although the flag of such a flavor is false. */
export function cannotHibernate({flavor}: Pick<VirtualMachine, 'flavor'>): boolean {
  return flavor?.hasNoHibernation === true || flavor?.gpuCount === 0;
}

export type VolumeAttachment = {
  readonly volumeId?: number;
  readonly name: SafeText;
  readonly volumeType?: SafeText;
  readonly sizeGb?: number;
  readonly status?: SafeText;
  readonly device?: SafeText;
  /** The service refuses to detach it. */
  readonly isProtected?: boolean;
};

export type SecurityRule = {
  readonly id?: number;
  readonly direction?: SafeText;
  readonly protocol?: SafeText;
  readonly etherType?: SafeText;
  readonly remoteIpPrefix?: SafeText;
  readonly portRangeMin?: number;
  readonly portRangeMax?: number;
  /** An end of its range of ports could not be read, so neither is given. */
  readonly hasUnreadPorts?: true;
  readonly status?: SafeText;
  readonly createdAt?: EpochMs;
};

/** One line of a machine's history. The service gives no id: time, reason and message together identify it. */
export type MachineEvent = {
  readonly occurredAt?: EpochMs;
  readonly type?: SafeText;
  readonly reason: SafeText;
  readonly message: SafeText;
  readonly userId?: number;
};

/** The network of an environment has no more addresses. */
export const MAX_MACHINE_COUNT = 250;

/** Its history says since when something is wrong. */
export function isTroubled({status}: Pick<VirtualMachine, 'status'>): boolean {
  return status === 'ERROR' || status === 'SHUTOFF' || isTransitional(status);
}

/** It does not run, and its history says since when. */
export function isStopped({status}: Pick<VirtualMachine, 'status'>): boolean {
  return status === 'SHUTOFF' || status === 'HIBERNATED';
}

/**
 * Whether an event says that something failed: the service has a type for it, and words in the reason. A success is none,
 * such as that of a failover.
 */
export function saysFailure({type, reason}: Pick<MachineEvent, 'type' | 'reason'>): boolean {
  return !/success$/i.test(reason) && /fail|error/i.test(`${type ?? ''} ${reason}`);
}

/** What a machine's history tells besides its own state: what it has attached, its rules, snapshots and consoles. */
const ASIDE = /volume|floatingip|rule|firewall|snapshot|image|console|label|callback/i;

/** Whether an event is about the machine's own state, or may be: the names of the service are not all known. */
export function isAboutState({reason}: Pick<MachineEvent, 'reason'>): boolean {
  return !ASIDE.test(reason);
}

/** The last line of a machine's history. */
export function newestEvent(events: readonly MachineEvent[] | undefined): MachineEvent | undefined {
  return events?.reduce<MachineEvent | undefined>(
    (newest, event) => ((event.occurredAt ?? 0) > (newest?.occurredAt ?? 0) ? event : newest),
    undefined,
  );
}

/** One machine to create, or several identical ones, to whose names the service adds a number. */
export type MachineSpec = {
  readonly name: SafeText;
  /** Determines the region. */
  readonly environmentName: SafeText;
  readonly flavorName: SafeText;
  /** A key pair of the same environment. */
  readonly keyPairName: SafeText;
  readonly count: number;
  /** Required unless the machine starts from a volume. */
  readonly imageName?: SafeText;
  readonly volumeName?: SafeText;
  readonly createsBootableVolume?: boolean;
  readonly assignsFloatingIp?: boolean;
  /** The service's default is true, in which case a public IP may serve SSH on a port other than 22. */
  readonly randomizesPorts?: boolean;
  readonly labels?: readonly SafeText[];
  /** A cloud-init script: sent exactly as written, and often contains passwords. */
  readonly userData?: Secret;
  readonly callbackUrl?: SafeText;
  readonly rules?: readonly RuleSpec[];
};

/** The URL of a machine's graphical console, available some seconds after the request. The URL is a credential. */
export type MachineConsole = {readonly status: 'pending'} | {readonly status: 'ready'; readonly url: Secret};

/** A machine's log as far as the service has it: requested first, available some seconds later. */
export type MachineLog = {readonly status: 'pending'} | {readonly status: 'ready'; readonly lines: readonly SafeText[]};

/** Whether a name is free for a new resource, and what the service says about it. */
export type NameAvailability = {readonly name: SafeText; readonly isAvailable: boolean; readonly message: SafeText};
