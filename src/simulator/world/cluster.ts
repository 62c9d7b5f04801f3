import {AUTOSCALER_USER_ID} from './account.ts';
import {type Flavor, flavorNamed} from './catalogue.ts';
import type {Environment} from './machine.ts';
import {seedFor} from './random.ts';
import type {ClusterBlueprint} from './scenario.ts';

/** A Kubernetes cluster. Its nodes are the machines that name it. */
export type Cluster = {
  readonly id: number;
  readonly name: string;
  readonly environment: Environment;
  readonly kubernetesVersion: string;
  readonly masterFlavor: Flavor;
  readonly keyPairName: string;
  readonly createdAt: number;
  readonly nodeGroups: NodeGroup[];
  readonly events: ClusterEvent[];
  status: 'CREATING' | 'ACTIVE' | 'RECONCILING' | 'ERROR' | 'DELETING';
  statusReason: string | null;
  /** Set once the cluster can be reached. */
  apiAddress: string | null;
  /** The number of the change that is under way; what an earlier one had planned does not happen any more. */
  courseCount: number;
};

export type NodeGroup = {
  readonly id: number;
  readonly name: string;
  readonly flavor: Flavor;
  readonly createdAt: number;
  /** How many workers it is to have; there may be fewer or more while that changes. */
  count: number;
  minCount: number;
  maxCount: number;
  /** Those that each new worker is put behind. */
  firewallIds: readonly number[];
  updatedAt: number | null;
};

export type ClusterEvent = {
  readonly id: number;
  readonly at: number;
  readonly userId: number;
  readonly type: 'normal' | 'error';
  readonly reason: string;
  readonly message: string;
};

/** The provider's usual quarter of an hour. */
const CREATION_MS = 14 * 60_000 + 20_000;
const FIRST_GROUP_ID = 700;

/** A cluster as its past has left it: up and well, or in the trouble its blueprint tells of. */
export function createCluster(blueprint: ClusterBlueprint, environment: Environment): Cluster {
  const {id, name, createdAt, kubernetesVersion, trouble} = blueprint;
  const flavor = (flavorName: string) => flavorNamed(flavorName, environment.regionName);
  const isUp = trouble?.status !== 'CREATING';
  return {
    id,
    name,
    environment,
    kubernetesVersion,
    masterFlavor: flavor(blueprint.masterFlavorName),
    keyPairName: `${environment.name}-team`,
    createdAt,
    nodeGroups: blueprint.nodeGroups.map(({name: groupName, flavorName, count, maxCount}, index) => ({
      id: FIRST_GROUP_ID + (id % 100) * 4 + index,
      name: groupName,
      flavor: flavor(flavorName),
      createdAt,
      count,
      minCount: 1,
      maxCount,
      firewallIds: [],
      updatedAt: null,
    })),
    events: eventsOf(blueprint, isUp),
    status: trouble?.status ?? 'ACTIVE',
    statusReason: trouble?.reason ?? 'K8s is ready',
    apiAddress: isUp ? apiAddressOf(name, environment) : null,
    courseCount: 0,
  };
}

/**
 * What would be the administrator's key to the cluster, as the service hands it out in every answer. Nobody can take
 * this one for real, and it opens nothing.
 */
export function kubeConfigOf({name, apiAddress, status}: Cluster): string | null {
  // The address is known before there is anything behind it that would let anybody in.
  if (apiAddress === null || status === 'CREATING') return null;
  const fake = Buffer.from(`SIMULATED - this is no key to ${name}`).toString('base64');
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    '# SIMULATED: made by the simulator, opens nothing.',
    `clusters: [{name: ${name}, cluster: {server: "${apiAddress}"}}]`,
    `users: [{name: admin, user: {client-key-data: ${fake}}}]`,
    `contexts: [{name: ${name}, context: {cluster: ${name}, user: admin}}]`,
    `current-context: ${name}`,
    '',
  ];
  return Buffer.from(lines.join('\n')).toString('base64');
}

function eventsOf({id, createdAt, trouble}: ClusterBlueprint, isUp: boolean): ClusterEvent[] {
  const asked = {at: createdAt, reason: 'ClusterCreationRequest', message: 'Cluster creation was requested.'};
  const made = {at: createdAt + CREATION_MS, reason: 'ClusterCreationSuccess', message: 'Cluster was created.'};
  return [asked, ...(isUp ? [made] : []), ...(trouble?.events ?? [])].map((event, index) => ({
    ...event,
    id: id * 100 + index,
    userId: AUTOSCALER_USER_ID,
    type: event.reason.endsWith('Failed') ? 'error' : 'normal',
  }));
}

/** Where the cluster's interface is to be reached. */
export function apiAddressOf(name: string, environment: Environment): string {
  const hash = (seedFor(environment.id, name) >>> 8).toString(16).padStart(6, '0');
  return `https://api.${hostLabel(name)}-${hash}.${hostLabel(environment.name)}.clusters.example:6443`;
}

function hostLabel(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
