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
  readonly name: string;
  readonly regionName: RegionName;
  readonly createdAt: number;
};

export type Contract = {
  readonly id: number;
  readonly description: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** 0 = what it covers is deleted at its end; 1 = kept at market rates. */
  readonly expirationPolicy: 0 | 1;
  /** Off the flavor's list price. */
  readonly discountPercent: number;
};

/** Membership of a Kubernetes cluster. Masters cost nothing. */
export type ClusterNode = {
  readonly clusterId: number;
  readonly role: 'master' | 'worker' | 'bastion' | 'load-balancer';
};

export type SecurityRule = {
  readonly id: number;
  readonly direction: 'ingress' | 'egress';
  readonly protocol: string;
  readonly portRangeMin: number | null;
  readonly portRangeMax: number | null;
  readonly etherType: 'IPv4' | 'IPv6';
  readonly remoteIpPrefix: string;
  readonly createdAt: number;
};

export type Volume = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly sizeGb: number;
  readonly environment: Environment;
  readonly createdAt: number;
  readonly meter: Meter;
};

export type VolumeAttachment = {
  readonly id: number;
  readonly volume: Volume;
  readonly device: string;
  readonly createdAt: number;
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
  readonly flavor: Flavor;
  readonly image: Image;
  readonly keyPairName: string;
  readonly labels: readonly string[];
  readonly createdAt: number;
  readonly contract: Contract | undefined;
  readonly cluster: ClusterNode | undefined;
  readonly workload: WorkloadPlan;
  readonly meter: Meter;
  readonly rules: SecurityRule[];
  readonly attachments: VolumeAttachment[];
  readonly boots: Boot[];
  readonly events: MachineEvent[];
  /** Whether a public address is wanted: one that was released comes back as another on restore. */
  readonly requiresPublicIp: boolean;
  fixedIp: string | undefined;
  floatingIp: string | undefined;
  status: Status;
  /** The last state that was not a transition; none before the first. */
  stableStatus: Status | undefined;
  /** How many operations were accepted; the number of the last one. */
  operationCount: number;
};
