import {me, organization, permissions, roles} from '../api/account.ts';
import {credit, lastDayCost, usage} from '../api/billing.ts';
import type {Answer, ReadClient} from '../api/client.ts';
import {
  clusterEvents,
  clusterNameAvailability,
  clusterNodes,
  clusterVersions,
  getCluster,
  listClusters,
  masterFlavors,
  nodeGroups,
} from '../api/clusters.ts';
import {contracts, getContract} from '../api/contracts.ts';
import {dashboard} from '../api/dashboard.ts';
import type {ReadEndpoint} from '../api/endpoint.ts';
import {listEnvironments, machineQuota} from '../api/environments.ts';
import {getFirewall, listFirewalls, ruleProtocols} from '../api/firewalls.ts';
import {flavors} from '../api/flavors.ts';
import {gpus} from '../api/gpus.ts';
import {images} from '../api/images.ts';
import {listKeyPairs, supportedKeyTypes} from '../api/key-pairs.ts';
import {accessKeys, buckets, storageHealth, storageRegions} from '../api/object-storage.ts';
import {priceBook} from '../api/price-book.ts';
import {regions} from '../api/regions.ts';
import {stocks} from '../api/stocks.ts';
import {console, machineLogs, machineNameAvailability} from '../api/virtual-machine-operations.ts';
import {
  getVirtualMachine,
  listVirtualMachines,
  virtualMachineEvents,
  virtualMachineMetrics,
} from '../api/virtual-machines.ts';
import {getVolume, listVolumes, volumeTypes} from '../api/volumes.ts';
import type {AuthenticatedUser, Organization} from '../domain/account.ts';
import type {Credit, UsageRecord} from '../domain/billing.ts';
import type {LastDayCost} from '../domain/billing-history.ts';
import type {Cluster, ClusterEvent, ClusterId, ClusterNode, KubernetesVersion, NodeGroup} from '../domain/cluster.ts';
import type {Contract} from '../domain/contract.ts';
import type {Dashboard} from '../domain/dashboard.ts';
import type {Environment, EnvironmentId, MachineQuota} from '../domain/environment.ts';
import type {Result} from '../domain/failure.ts';
import type {Firewall, FirewallId} from '../domain/firewall.ts';
import type {Flavor} from '../domain/flavor.ts';
import type {Gpu} from '../domain/gpu.ts';
import type {Image} from '../domain/image.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import type {AccessKey, Bucket, StorageHealth, StorageRegion} from '../domain/object-storage.ts';
import type {Permission, Role} from '../domain/permission.ts';
import type {UnitPrice} from '../domain/price-book.ts';
import type {Region} from '../domain/region.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import type {Stock} from '../domain/stock.ts';
import {type DurationMs, HOUR_MS, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import type {
  MachineConsole,
  MachineEvent,
  MachineLog,
  NameAvailability,
  VirtualMachine,
  VirtualMachineId,
} from '../domain/virtual-machine.ts';
import type {Volume, VolumeId} from '../domain/volume.ts';

/**
 * A polled thing, as a value: what it is called, how often it is worth reading, and how it is read.
 * Two feeds with one key are the same feed.
 */
export type Feed<T> = {
  readonly key: string;
  readonly intervalMs: DurationMs;
  readonly read: (client: ReadClient, signal?: AbortSignal) => Promise<Result<T>>;
  /** How a new reading joins the last one, where it does not simply take its place. */
  merge?(previous: T, next: T): T;
};

/** A list as read: the good records, and what was set aside. */
export type Listing<R> = {
  readonly records: readonly R[];
  /** Records that could not be read: shown as a count, with the fields at fault. */
  readonly quarantined: Answer<R>['quarantined'];
  /** Why there may be more than was read; absent for a whole list. */
  readonly isIncomplete?: NonNullable<Answer<R>['isIncomplete']>;
};

export type MachineListing = Listing<VirtualMachine> & {
  /** Missing from the newest list only: the service's lists are not stable, so one absence proves nothing. */
  readonly missingOnce: ReadonlySet<VirtualMachineId>;
};

export const machinesFeed: Feed<MachineListing> = {
  key: 'machines',
  intervalMs: 10 * SECOND_MS,
  read: async (client, signal) => {
    const answer = await client.read(listVirtualMachines, {}, {signal});
    return answer.ok ? {ok: true, value: {...listing(answer.value), missingOnce: new Set()}} : answer;
  },
  merge: keepMissingOnce,
};

export const flavorsFeed: Feed<Listing<Flavor>> = listFeed('flavors', 5 * MINUTE_MS, flavors, {});

export const meFeed: Feed<AuthenticatedUser> = oneFeed('me', 10 * MINUTE_MS, me, {});

export const organizationFeed: Feed<Organization> = oneFeed('organization', 10 * MINUTE_MS, organization, {});

export const usageFeed: Feed<Listing<UsageRecord>> = listFeed('usage', MINUTE_MS, usage, {isDeleted: false});

/** Terminated resources: without them a month-to-date silently drops what was deleted this month. */
export const deletedUsageFeed: Feed<Listing<UsageRecord>> = listFeed('usage-deleted', 5 * MINUTE_MS, usage, {
  isDeleted: true,
});

export const creditFeed: Feed<Credit> = oneFeed('credit', MINUTE_MS, credit, {});

export const contractsFeed: Feed<Listing<Contract>> = listFeed('contracts', 5 * MINUTE_MS, contracts, {});

export const clustersFeed: Feed<Listing<Cluster>> = listFeed('clusters', 15 * SECOND_MS, listClusters, {});

export function clusterEventsFeed(id: ClusterId): Feed<Listing<ClusterEvent>> {
  return listFeed(`cluster-events:${id}`, 30 * SECOND_MS, clusterEvents, {id});
}

export const firewallsFeed: Feed<Listing<Firewall>> = listFeed('firewalls', 20 * SECOND_MS, listFirewalls, {});

export function firewallFeed(id: FirewallId): Feed<Firewall> {
  return oneFeed(`firewall:${id}`, 2.5 * SECOND_MS, getFirewall, {id});
}

/** Changes with a release of the service, not with the account. */
export const protocolsFeed: Feed<Listing<SafeText>> = listFeed('protocols', 60 * MINUTE_MS, ruleProtocols, {});

export function machineFeed(id: VirtualMachineId): Feed<VirtualMachine> {
  return oneFeed(`machine:${id}`, 2.5 * SECOND_MS, getVirtualMachine, {id});
}

/** The windows a person can choose (key `w`), each a duration the service knows. */
export const METRIC_WINDOWS = ['1h', '6h', '1d', '7d', '30d'] as const;
export type MetricWindow = (typeof METRIC_WINDOWS)[number];

const WINDOW_INTERVALS_MS: Readonly<Record<MetricWindow, DurationMs>> = {
  '1h': MINUTE_MS,
  '6h': MINUTE_MS,
  '1d': 5 * MINUTE_MS,
  '7d': 10 * MINUTE_MS,
  '30d': 30 * MINUTE_MS,
};

export function metricsFeed(id: VirtualMachineId, window: MetricWindow): Feed<MachineMetrics> {
  return oneFeed(`metrics:${id}:${window}`, WINDOW_INTERVALS_MS[window], virtualMachineMetrics, {id, duration: window});
}

export function eventsFeed(id: VirtualMachineId): Feed<Listing<MachineEvent>> {
  return listFeed(`events:${id}`, 30 * SECOND_MS, virtualMachineEvents, {id});
}

/** A job takes some seconds, and its answer is wanted as soon as it is there; whoever asks stops at a bound. */
const JOB_INTERVAL_MS: DurationMs = 3 * SECOND_MS;

export function consoleFeed(id: VirtualMachineId, jobId: string): Feed<MachineConsole> {
  return oneFeed(`console:${id}:${jobId}`, JOB_INTERVAL_MS, console, {id, jobId});
}

export function machineLogFeed(id: VirtualMachineId, requestId: number | string): Feed<MachineLog> {
  return oneFeed(`machine-log:${id}:${requestId}`, JOB_INTERVAL_MS, machineLogs, {id, requestId});
}

/** Buckets, and the regions whose buckets the service could not list. */
export type BucketListing = Listing<Bucket> & {readonly failedRegions: readonly SafeText[]};

export const volumesFeed: Feed<Listing<Volume>> = listFeed('volumes', 20 * SECOND_MS, listVolumes, {});

export function volumeFeed(id: VolumeId): Feed<Volume> {
  return oneFeed(`volume:${id}`, 2.5 * SECOND_MS, getVolume, {id});
}

export const keyPairsFeed: Feed<Listing<KeyPair>> = listFeed('key-pairs', MINUTE_MS, listKeyPairs, {});
export const environmentsFeed: Feed<Listing<Environment>> = listFeed('environments', MINUTE_MS, listEnvironments, {});

export function quotaFeed(id: EnvironmentId): Feed<MachineQuota> {
  return oneFeed(`quota:${id}`, MINUTE_MS, machineQuota, {id});
}

export const regionsFeed: Feed<Listing<Region>> = listFeed('regions', HOUR_MS, regions, {});
/** What can be had changes by the minute, and decides what can be started or restored. */
export const stocksFeed: Feed<Listing<Stock>> = listFeed('stocks', MINUTE_MS, stocks, {});
export const gpusFeed: Feed<Listing<Gpu>> = listFeed('gpus', HOUR_MS, gpus, {});
export const imagesFeed: Feed<Listing<Image>> = listFeed('images', 10 * MINUTE_MS, images, {});
export const dashboardFeed: Feed<Dashboard> = oneFeed('dashboard', MINUTE_MS, dashboard, {});

export const accessKeysFeed: Feed<Listing<AccessKey>> = listFeed('access-keys', MINUTE_MS, accessKeys, {});

export const bucketsFeed: Feed<BucketListing> = {
  key: 'buckets',
  intervalMs: MINUTE_MS,
  read: async (client, signal) => {
    const answer = await client.read(buckets, {}, {signal});
    if (!answer.ok) return answer;
    return {ok: true, value: {...listing(answer.value), failedRegions: answer.value.absentParts ?? []}};
  },
};

export const storageHealthFeed: Feed<StorageHealth> = oneFeed('storage-health', MINUTE_MS, storageHealth, {});
export const storageRegionsFeed: Feed<Listing<StorageRegion>> = listFeed(
  'storage-regions',
  HOUR_MS,
  storageRegions,
  {},
);

export const permissionsFeed: Feed<Listing<Permission>> = listFeed('permissions', 10 * MINUTE_MS, permissions, {});
export const rolesFeed: Feed<Listing<Role>> = listFeed('roles', 10 * MINUTE_MS, roles, {});

export const priceBookFeed: Feed<Listing<UnitPrice>> = listFeed('price-book', HOUR_MS, priceBook, {});
export const lastDayCostFeed: Feed<LastDayCost> = oneFeed('last-day-cost', HOUR_MS, lastDayCost, {});

export function clusterFeed(id: ClusterId): Feed<Cluster> {
  return oneFeed(`cluster:${id}`, 2.5 * SECOND_MS, getCluster, {id});
}

export function nodeGroupsFeed(id: ClusterId): Feed<Listing<NodeGroup>> {
  return listFeed(`node-groups:${id}`, 30 * SECOND_MS, nodeGroups, {id});
}

export function clusterNodesFeed(id: ClusterId): Feed<Listing<ClusterNode>> {
  return listFeed(`cluster-nodes:${id}`, 15 * SECOND_MS, clusterNodes, {id});
}

/** Whether the service would take these names: asked while a form is filled in, never for every letter. */
export function machineNameFeed(name: SafeText, count: number): Feed<NameAvailability> {
  return oneFeed(`machine-name:${count}:${name}`, MINUTE_MS, machineNameAvailability, {name, count});
}

export function clusterNameFeed(name: SafeText): Feed<NameAvailability> {
  return oneFeed(`cluster-name:${name}`, MINUTE_MS, clusterNameAvailability, {name});
}

export const volumeTypesFeed: Feed<Listing<SafeText>> = listFeed('volume-types', HOUR_MS, volumeTypes, {});
export const supportedKeyTypesFeed: Feed<Listing<SafeText>> = listFeed('key-types', HOUR_MS, supportedKeyTypes, {});

export const clusterVersionsFeed: Feed<Listing<KubernetesVersion>> = listFeed(
  'cluster-versions',
  HOUR_MS,
  clusterVersions,
  {},
);
export const masterFlavorsFeed: Feed<Listing<Flavor>> = listFeed('master-flavors', HOUR_MS, masterFlavors, {});

export function contractFeed(id: number): Feed<Contract> {
  return oneFeed(`contract:${id}`, 5 * MINUTE_MS, getContract, {id});
}

/** A feed of all records that one read gives. */
export function listFeed<Params, R>(
  key: string,
  intervalMs: DurationMs,
  endpoint: ReadEndpoint<Params, R>,
  params: Params,
): Feed<Listing<R>> {
  return {key, intervalMs, read: (client, signal) => readListing(client.read(endpoint, params, {signal}))};
}

/** A feed of the one record that a read gives; an answer without it is a failure. */
export function oneFeed<Params, R>(
  key: string,
  intervalMs: DurationMs,
  endpoint: ReadEndpoint<Params, R>,
  params: Params,
): Feed<R> {
  return {key, intervalMs, read: (client, signal) => readOne(client.read(endpoint, params, {signal}))};
}

async function readListing<R>(reading: Promise<Result<Answer<R>>>): Promise<Result<Listing<R>>> {
  const answer = await reading;
  return answer.ok ? {ok: true, value: listing(answer.value)} : answer;
}

function listing<R>({records, quarantined, isIncomplete}: Answer<R>): Listing<R> {
  return {records, quarantined, ...(isIncomplete === undefined ? {} : {isIncomplete})};
}

async function readOne<R>(reading: Promise<Result<Answer<R>>>): Promise<Result<R>> {
  const answer = await reading;
  if (!answer.ok) return answer;
  const [record] = answer.value.records;
  return record === undefined
    ? {ok: false, failure: {kind: 'odd-answer', detail: unreadableFields(answer.value.quarantined)}}
    : {ok: true, value: record};
}

function unreadableFields(quarantined: Answer<unknown>['quarantined']): SafeText {
  const field = quarantined[0]?.fields[0];
  return field === undefined ? say`the record is missing` : say`the record cannot be read (field ${field})`;
}

function keepMissingOnce(previous: MachineListing, next: MachineListing): MachineListing {
  const present = new Set(next.records.map(machine => machine.id));
  const absent = previous.records.filter(machine => !present.has(machine.id));
  // An absence from a list that did not come whole proves nothing, so it does not count as one of the two.
  const isWhole = next.isIncomplete === undefined;
  const kept = isWhole ? absent.filter(machine => !previous.missingOnce.has(machine.id)) : absent;
  if (kept.length === 0) return next;
  const missing = isWhole ? kept : kept.filter(machine => previous.missingOnce.has(machine.id));
  return {...next, records: [...next.records, ...kept], missingOnce: new Set(missing.map(machine => machine.id))};
}
