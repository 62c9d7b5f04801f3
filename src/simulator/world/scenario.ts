import type {Image} from './catalogue.ts';
import type {ClusterNode, Contract} from './machine.ts';
import type {Verb} from './operations.ts';
import type {WorkloadPlan} from './workload.ts';

/**
 * A machine as a scenario wants it: what it is, and what was done with it before the world was opened. The world
 * plays that past through the same lifecycle as everything that follows.
 */
export type Blueprint = {
  readonly name: string;
  readonly flavorName: string;
  readonly environmentName: string;
  readonly workload: WorkloadPlan;
  readonly createdAt: number;
  readonly labels?: readonly string[];
  readonly hasPublicIp?: boolean;
  readonly isPortRandomized?: boolean;
  /** Where they are not what the scenario gives to every machine. */
  readonly image?: Image;
  readonly keyPairName?: string;
  readonly contractId?: number;
  readonly cluster?: ClusterNode;
  readonly volumes?: readonly VolumeBlueprint[];
  /** Open to the whole internet. */
  readonly worldPorts?: readonly number[];
  readonly past?: readonly PastStep[];
  readonly deletedAt?: number;
  /** Never leaves CREATING. */
  readonly isStuck?: boolean;
};

export type VolumeBlueprint = {
  readonly name: string;
  readonly sizeGb: number;
  readonly isBootable?: boolean;
  readonly description?: string;
  readonly image?: Image | undefined;
  readonly callbackUrl?: string | null;
};

export type PastStep = {
  readonly at: number;
  readonly verb: Verb;
  readonly retainsIp?: boolean;
  readonly fails?: boolean;
  readonly takesMs?: number;
};

/** A whole account as a scenario wants it. */
export type Scenario = {
  readonly blueprints: readonly Blueprint[];
  readonly environments: readonly EnvironmentBlueprint[];
  readonly contracts: readonly Contract[];
  readonly clusters: readonly ClusterBlueprint[];
  readonly firewalls: readonly FirewallBlueprint[];
  readonly unattachedVolumes: readonly UnattachedVolumeBlueprint[];
  /** Hours until the credit is used up at the burn of the world's start; or a fixed sum. */
  readonly credit: {readonly runwayHours: number} | {readonly dollars: number};
  /** Metrics end here for every machine, whatever the clock says. */
  readonly metricsEndAt?: number;
  readonly isNewAccount: boolean;
  readonly script: readonly ScriptLine[];
};

export type EnvironmentBlueprint = {readonly name: string; readonly regionName: 'NORWAY-1' | 'CANADA-1' | 'US-1'};

/** A cluster without its machines: those name it in their own blueprints. */
export type ClusterBlueprint = {
  readonly id: number;
  readonly name: string;
  readonly environmentName: string;
  readonly kubernetesVersion: string;
  readonly masterFlavorName: string;
  readonly createdAt: number;
  readonly nodeGroups: readonly NodeGroupBlueprint[];
  /** Absent for a cluster that came up and has been well since. */
  readonly trouble?: ClusterTrouble;
};

type NodeGroupBlueprint = {
  readonly name: string;
  readonly flavorName: string;
  readonly count: number;
  readonly maxCount: number;
};

export type ClusterTrouble = {
  readonly status: 'CREATING' | 'RECONCILING' | 'ERROR';
  readonly reason: string;
  readonly events: readonly {readonly at: number; readonly reason: string; readonly message: string}[];
};

export type FirewallBlueprint = {
  readonly name: string;
  readonly description: string;
  readonly environmentName: string;
  readonly createdAt: number;
  /** Beside the two that let everything out. */
  readonly inward: readonly InwardRule[];
  readonly machineNames: readonly string[];
};

export type InwardRule = {
  readonly protocol: string;
  readonly port?: number;
  readonly from: string;
};

export type UnattachedVolumeBlueprint = VolumeBlueprint & {
  readonly environmentName: string;
  readonly createdAt: number;
};

/** What others do while the user watches. */
export type ScriptLine =
  /** An autoscaler stops and starts a machine, over and over. */
  | {readonly kind: 'toggle'; readonly machineName: string; readonly firstAfterMs: number; readonly everyMs: number}
  /** Somebody creates machines, one after the other. */
  | {readonly kind: 'create'; readonly afterMs: number; readonly blueprint: Omit<Blueprint, 'createdAt'>};
