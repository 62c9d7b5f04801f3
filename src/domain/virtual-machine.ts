import {type SafeText, say} from './safe-text.ts';
import type {Secret} from './secret.ts';
import type {RuleSpec} from './security-rule.ts';
import {type DurationMs, type EpochMs, MINUTE_MS} from './time.ts';

declare const brand: unique symbol;
export type VirtualMachineId = number & {readonly [brand]: 'VirtualMachineId'};

export function virtualMachineId(id: number): VirtualMachineId {
  return id as VirtualMachineId;
}

/** The states the service documents (facts.md C1); a state we do not know keeps its words in `statusText`. */
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
 * A machine as last read. Everything but its id may be missing: a field the service leaves out costs that field only.
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
  readonly floatingIpStatus?: SafeText;
  /** SSH may answer at another port of the public address than 22; the service does not say at which. */
  readonly hasRandomizedPorts?: boolean;
  readonly volumes: readonly VolumeAttachment[];
  readonly rules: readonly SecurityRule[];
  readonly labels: readonly SafeText[];
  /** `labels` is incomplete or altered: a label could not be read, or cannot be shown unchanged. */
  readonly hasUnreadLabels?: true;
  readonly contractId?: number;
  /** Set on a Kubernetes node: its power is managed by the cluster. */
  readonly clusterId?: number;
  readonly callbackUrl?: SafeText;
  readonly isLocked?: boolean;
  readonly isSnapshotting?: boolean;
  readonly createdAt?: EpochMs;
};

/** Why another set of labels cannot take the place of the one that stands: it would drop labels that were not read. */
export function unreadLabelsReason({hasUnreadLabels}: VirtualMachine): SafeText | undefined {
  return hasUnreadLabels === true
    ? say`its labels could not be read completely, so changing them could lose some`
    : undefined;
}

/** The flavor as it stands inside a machine. RAM and disks in GB, as the service gives them. */
export type MachineFlavor = {
  readonly id?: number;
  readonly name: SafeText;
  readonly cpuCount?: number;
  readonly ramGb?: number;
  readonly rootDiskGb?: number;
  readonly ephemeralDiskGb?: number;
  readonly gpuModel?: SafeText;
  readonly gpuCount?: number;
  /** Advisory: the service has been seen to say false where hibernation is refused (facts.md C2). */
  readonly hasNoHibernation?: boolean;
};

export type VolumeAttachment = {
  readonly volumeId?: number;
  readonly name: SafeText;
  readonly volumeType?: SafeText;
  readonly sizeGb?: number;
  readonly status?: SafeText;
  readonly device?: SafeText;
};

export type SecurityRule = {
  readonly id?: number;
  readonly direction?: SafeText;
  readonly protocol?: SafeText;
  readonly etherType?: SafeText;
  readonly remoteIpPrefix?: SafeText;
  readonly portRangeMin?: number;
  readonly portRangeMax?: number;
  readonly status?: SafeText;
  readonly createdAt?: EpochMs;
};

/** One line of a machine's history. The service gives no id: time, reason and message together name it. */
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

/** The last line of a machine's history. */
export function newestEvent(events: readonly MachineEvent[] | undefined): MachineEvent | undefined {
  return events?.reduce<MachineEvent | undefined>(
    (newest, event) => ((event.occurredAt ?? 0) > (newest?.occurredAt ?? 0) ? event : newest),
    undefined,
  );
}

/** Machines to be made, all alike; the service adds to their names when there are several. */
export type MachineSpec = {
  readonly name: SafeText;
  /** Fixes the region. */
  readonly environmentName: SafeText;
  readonly flavorName: SafeText;
  /** A key pair of the same environment. */
  readonly keyPairName: SafeText;
  readonly count: number;
  /** Needed unless the machine starts from a volume. */
  readonly imageName?: SafeText;
  readonly volumeName?: SafeText;
  readonly createsBootableVolume?: boolean;
  readonly assignsFloatingIp?: boolean;
  /** The service's default is true, with which a public IP may serve SSH on another port than 22. */
  readonly randomizesPorts?: boolean;
  readonly labels?: readonly SafeText[];
  /** A cloud-init script: goes out exactly as written, and often holds passwords. */
  readonly userData?: Secret;
  readonly callbackUrl?: SafeText;
  readonly rules?: readonly RuleSpec[];
};

/** What a machine's graphical console is opened by, some seconds after it was asked for. The URL is a credential. */
export type MachineConsole = {readonly status: 'pending'} | {readonly status: 'ready'; readonly url: Secret};

/** A machine's log as far as the service has it: asked for first, and there some seconds afterwards. */
export type MachineLog = {readonly status: 'pending'} | {readonly status: 'ready'; readonly lines: readonly SafeText[]};

/** Whether something new can have a name, and what the service says about it. */
export type NameAvailability = {readonly name: SafeText; readonly isAvailable: boolean; readonly message: SafeText};
