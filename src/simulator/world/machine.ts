import type {Callback} from './callbacks.ts';
import type {Flavor, Image, RegionName} from './catalogue.ts';
import type {Meter} from './metering.ts';
import type {Boot} from './metrics.ts';
import type {WorkloadPlan} from './workload.ts';

export type Status =
  | 'CREATING'
  | 'BUILD'
  | 'ACTIVE'
  | 'STOPPING'
  | 'SHUTOFF'
  | 'STARTING'
  | 'REBOOTING'
  | 'HIBERNATING'
  | 'HIBERNATED'
  | 'RESTORING'
  | 'DELETING'
  | 'DELETED'
  | 'ERROR';

export type Environment = {
  readonly id: number;
  readonly regionName: RegionName;
  readonly createdAt: number;
  name: string;
};

export type Contract = {
  readonly id: number;
  readonly description: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** 0 = what it covers is deleted at its end; 1 = kept at market rates. */
  readonly expirationPolicy: 0 | 1;
  /** Off the list price of whatever it covers. */
  readonly discountPercent: number;
  readonly discounts: readonly Discount[];
};

/** The same reduction for one flavor, told as a percentage or as the price that is left. */
export type Discount = {
  readonly flavorName: string;
  readonly count: number;
  readonly type: 'percent' | 'flat';
  readonly code?: string;
};

/** Membership of a Kubernetes cluster. Masters cost nothing. */
export type ClusterNode = {
  readonly clusterId: number;
  readonly role: 'master' | 'worker' | 'bastion' | 'load-balancer';
  /** The group of a worker. */
  readonly groupName?: string;
  /** What is wrong with the node as the cluster sees it, whatever its machine does. */
  readonly trouble?: {readonly status: string; readonly reason: string};
};

/** How far a node made while the world runs has come; those of the past go by their machine. */
export type NodeStage = 'CREATING' | 'WAITING' | 'RECONCILING' | 'PRE-ACTIVE' | 'ACTIVE' | 'DELETING';

/** A machine's place in its cluster. */
type ClusterMember = Omit<ClusterNode, 'trouble'> & {
  readonly nodeId: number;
  trouble: ClusterNode['trouble'] | undefined;
  stage: NodeStage | undefined;
};

/** The status is in the service's own spelling: small letters at first, capitals once the rule holds. */
export type SecurityRule = {
  readonly id: number;
  readonly direction: 'ingress' | 'egress';
  readonly protocol: string;
  readonly portRangeMin: number | null;
  readonly portRangeMax: number | null;
  readonly etherType: 'IPv4' | 'IPv6';
  readonly remoteIpPrefix: string;
  readonly createdAt: number;
  status: 'pending' | 'SUCCESS' | 'DELETING';
};

export type Volume = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly sizeGb: number;
  readonly createdAt: number;
  readonly meter: Meter;
  /** Holds an operating system. */
  readonly isBootable?: boolean;
  /** The one it was made from. */
  readonly image: Image | undefined;
  readonly callbackUrl: string | null;
  /** Past and present ones, oldest first. */
  readonly attachments: VolumeAttachment[];
  environment: Environment;
  status: VolumeStatus;
  updatedAt: number | null;
};

/** In small letters, other than those of machines. */
type VolumeStatus = 'creating' | 'available' | 'attaching' | 'in-use' | 'detaching' | 'deleting';

export type VolumeAttachment = {
  readonly id: number;
  readonly volume: Volume;
  readonly machineId: number;
  readonly device: string;
  readonly createdAt: number;
  status: 'ATTACHING' | 'ATTACHED' | 'DETACHING' | 'DETACHED';
  /** Kept from being detached. */
  isProtected: boolean;
};

/** One line of a machine's history. */
export type MachineEvent = {
  readonly at: number;
  readonly userId: number;
  readonly type: 'normal' | 'error';
  readonly reason: string;
  readonly message: string;
};

export type Machine = {
  readonly id: number;
  readonly name: string;
  readonly environment: Environment;
  readonly image: Image;
  readonly keyPairName: string;
  readonly createdAt: number;
  readonly contract: Contract | undefined;
  readonly cluster: ClusterMember | undefined;
  readonly workload: WorkloadPlan;
  readonly meter: Meter;
  readonly rules: SecurityRule[];
  /** Present ones only. */
  readonly attachments: VolumeAttachment[];
  readonly boots: Boot[];
  readonly events: MachineEvent[];
  /** Whether a public address is wanted: one that was released comes back as another on restore. */
  requiresPublicIp: boolean;
  /** Its ssh is reached by another port than 22. */
  readonly isPortRandomized: boolean;
  /** The change of the public address that is under way, or the last one that leaves a trace. */
  addressChange: 'ATTACHING' | 'DETACHING' | 'DETACHED' | undefined;
  flavor: Flavor;
  labels: readonly string[];
  callback: Callback | undefined;
  fixedIp: string | undefined;
  floatingIp: string | undefined;
  status: Status;
  /** The last state that was not a transition; none before the first. */
  stableStatus: Status | undefined;
  /** How many operations were accepted; the number of the last one. */
  operationCount: number;
};
