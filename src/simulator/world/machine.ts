import type {Contract} from './account.ts';
import type {Flavor, Image} from './catalogue.ts';
import type {ClusterMember} from './cluster.ts';
import type {Environment} from './environments.ts';
import type {Meter} from './metering.ts';
import type {Boot} from './metrics.ts';
import type {SecurityRule} from './rules.ts';
import type {VolumeAttachment} from './volumes.ts';
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
  /** Whether a public address is wanted: one that was released is replaced by another on restore. */
  requiresPublicIp: boolean;
  /** Its ssh listens on another port than 22. */
  readonly isPortRandomized: boolean;
  /** While a snapshot of it is taken, nothing else about it can change. */
  isSnapshotting: boolean;
  /** The change of the public address under way, or the last one that left a trace. */
  addressChange: 'ATTACHING' | 'DETACHING' | 'DETACHED' | undefined;
  flavor: Flavor;
  labels: readonly string[];
  callback: Callback | undefined;
  fixedIp: string | undefined;
  floatingIp: string | undefined;
  status: Status;
  /** The power state the host reports, if it does not match the status. */
  powerState: string | undefined;
  /** Nothing is measured after it. */
  readonly metricsEndAt: number | undefined;
  /** The last state that was not a transition; none before the first. */
  stableStatus: Status | undefined;
  /** The number of operations accepted; also the number of the last one. */
  operationCount: number;
};

/** One line of a machine's history. */
export type MachineEvent = {
  readonly at: number;
  readonly userId: number;
  readonly type: 'normal' | 'error';
  readonly reason: string;
  readonly message: string;
};

/** Where the events of a machine are posted to. */
export type Callback = {
  readonly url: string;
  readonly take: (machine: Machine, event: MachineEvent) => void;
};

/** A machine switched on and off for weeks keeps only its latest history. */
const EVENT_LIMIT = 2000;

/** Adds an event to a machine's history. */
export function recordEvent(machine: Machine, event: Omit<MachineEvent, 'type'> & {readonly type?: 'error'}): void {
  const recorded: MachineEvent = {type: 'normal', ...event};
  machine.events.push(recorded);
  if (machine.events.length > EVENT_LIMIT) machine.events.shift();
  machine.callback?.take(machine, recorded);
}

/** How messages name a machine. */
export function machineWords({name, id}: Pick<Machine, 'name' | 'id'>): string {
  return `Virtual machine '${name}' (${id})`;
}
