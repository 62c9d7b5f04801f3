import {AUTOSCALER_USER_ID, type Contract} from './account.ts';
import type {Image, RegionName} from './catalogue.ts';
import type {ClusterNode, ClusterTrouble} from './cluster.ts';
import type {KeyPairSpec} from './key-pairs.ts';
import {beginOperation, type OperationRequest, type PowerVerb, startCreation, startDeletion} from './lifecycle.ts';
import type {AccessKeySpec, BucketSpec} from './object-storage.ts';
import type {InboundRule} from './rules.ts';
import type {WorkloadPlan} from './workload.ts';
import type {World} from './world.ts';

/**
 * The description of a whole account: what exists, what was done with it, and what others do while the user watches.
 */
export type Scenario = {
  readonly machines: readonly MachineSpec[];
  readonly environments: readonly EnvironmentSpec[];
  readonly contracts: readonly Contract[];
  readonly clusters: readonly ClusterSpec[];
  readonly firewalls: readonly FirewallSpec[];
  readonly unattachedVolumes: readonly UnattachedVolumeSpec[];
  /** Besides the one that each environment's team shares. */
  readonly keyPairs: readonly KeyPairSpec[];
  readonly buckets: readonly BucketSpec[];
  readonly accessKeys: readonly AccessKeySpec[];
  /** Hours until the credit is used up at the initial burn rate; or a fixed sum. */
  readonly credit: {readonly runwayHours: number} | {readonly dollars: number};
  /** Metrics of every machine end here, whatever the clock says. */
  readonly metricsEndAt?: number;
  readonly isNewAccount: boolean;
  readonly script: readonly ScriptLine[];
};

/**
 * The description of a machine, and what was done with it before the world opened. That past goes through the same
 * lifecycle as everything that follows.
 */
export type MachineSpec = {
  readonly name: string;
  readonly flavorName: string;
  readonly environmentName: string;
  readonly workload: WorkloadPlan;
  readonly createdAt: number;
  readonly labels?: readonly string[];
  readonly hasPublicIp?: boolean;
  readonly isPortRandomized?: boolean;
  /** If different from the rules every machine starts with. */
  readonly image?: Image;
  readonly keyPairName?: string;
  readonly contractId?: number;
  readonly cluster?: ClusterNode;
  readonly volumes?: readonly VolumeSpec[];
  /** Open to the whole internet. */
  readonly worldPorts?: readonly number[];
  readonly past?: readonly PastStep[];
  readonly deletedAt?: number;
  /** Never leaves CREATING. */
  readonly isStuck?: boolean;
  /** Nobody is allowed in, whether or not it has a public address. */
  readonly hasNoInboundRule?: boolean;
  /** From then on its host reports a power state that does not match its status, until the status changes. */
  readonly power?: {readonly at: number; readonly state: string};
  /** Its agent has reported nothing since. */
  readonly metricsEndAt?: number;
  /** From then on it is in no list, though it is still billed. */
  readonly unlistedAt?: number;
};

export type PastStep = {
  readonly at: number;
  readonly verb: PowerVerb;
  readonly retainsIp?: boolean;
  readonly fails?: boolean;
  readonly takesMs?: number;
};

export type VolumeSpec = {
  readonly name: string;
  readonly sizeGb: number;
  readonly isBootable?: boolean;
  readonly description?: string;
  readonly image?: Image | undefined;
  readonly callbackUrl?: string | null;
};

export type UnattachedVolumeSpec = VolumeSpec & {readonly environmentName: string; readonly createdAt: number};

export type EnvironmentSpec = {readonly name: string; readonly regionName: RegionName};

/** A cluster without its machines: those name it in their own specs. */
export type ClusterSpec = {
  readonly id: number;
  readonly name: string;
  readonly environmentName: string;
  readonly kubernetesVersion: string;
  readonly masterFlavorName: string;
  readonly createdAt: number;
  readonly nodeGroups: readonly NodeGroupSpec[];
  /** Absent for a cluster that came up and has been fine since. */
  readonly trouble?: ClusterTrouble;
};

type NodeGroupSpec = {
  readonly name: string;
  readonly flavorName: string;
  readonly count: number;
  readonly maxCount: number;
};

export type FirewallSpec = {
  readonly name: string;
  readonly description: string;
  readonly environmentName: string;
  readonly createdAt: number;
  /** Besides the two rules that allow everything outbound. */
  readonly inbound: readonly InboundRule[];
  readonly machineNames: readonly string[];
};

/** What others do while the user watches. */
type ScriptLine =
  /** An autoscaler stops and starts a machine, over and over. */
  | {readonly kind: 'toggle'; readonly machineName: string; readonly firstAfterMs: number; readonly everyMs: number}
  /** Somebody creates machines, one after the other. */
  | {readonly kind: 'create'; readonly afterMs: number; readonly machine: Omit<MachineSpec, 'createdAt'>};

/** Plays everything up to the world's start. */
export function playHistory(world: World, scenario: Scenario): void {
  for (const spec of scenario.machines) world.schedule(spec.createdAt, () => createFrom(world, spec));
  for (const spec of scenario.unattachedVolumes) {
    world.schedule(spec.createdAt, () => world.addVolume(world.factory.volume(spec)));
  }
  world.advanceTo(world.startedAt);
  for (const spec of scenario.clusters) world.clusters.push(world.factory.cluster(spec));
  for (const spec of scenario.firewalls) world.firewalls.push(world.factory.firewall(spec, world.machines));
}

/** Schedules what others are going to do. */
export function playScript(world: World, {script}: Scenario): void {
  for (const line of script) {
    const at = world.startedAt + (line.kind === 'toggle' ? line.firstAfterMs : line.afterMs);
    world.schedule(at, () => {
      if (line.kind === 'toggle') toggle(world, line);
      else createFrom(world, {...line.machine, createdAt: world.now()});
    });
  }
}

function createFrom(world: World, spec: MachineSpec): void {
  const machine = world.addMachine(spec);
  const userId = world.factory.creatorOf(machine);
  startCreation(world, machine, userId, spec.isStuck === true);
  for (const {at, verb, ...step} of spec.past ?? []) {
    const request: OperationRequest = {retainsIp: false, userId, ...step};
    world.schedule(at, () => beginOperation(world, machine, verb, request));
  }
  const {power, unlistedAt} = spec;
  if (power !== undefined) {
    world.schedule(power.at, () => {
      machine.powerState = power.state;
    });
  }
  if (unlistedAt !== undefined) world.schedule(unlistedAt, () => world.removeMachine(machine));
  if (spec.deletedAt !== undefined) world.schedule(spec.deletedAt, () => startDeletion(world, machine, userId));
}

function toggle(world: World, line: ScriptLine & {kind: 'toggle'}): void {
  const machine = world.machines.find(candidate => candidate.name === line.machineName);
  if (machine === undefined) return;
  const request: OperationRequest = {userId: AUTOSCALER_USER_ID, retainsIp: false};
  if (machine.status === 'ACTIVE') beginOperation(world, machine, 'stop', request);
  else if (machine.status === 'SHUTOFF') beginOperation(world, machine, 'start', request);
  world.schedule(world.now() + line.everyMs, () => toggle(world, line));
}
