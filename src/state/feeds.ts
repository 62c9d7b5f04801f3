import {me, organization} from '../api/account.ts';
import {credit, usage} from '../api/billing.ts';
import type {Answer, ReadClient} from '../api/client.ts';
import {clusterEvents, getCluster, listClusters} from '../api/clusters.ts';
import {contracts} from '../api/contracts.ts';
import {listEnvironments} from '../api/environments.ts';
import {getFirewall, listFirewalls, ruleProtocols} from '../api/firewalls.ts';
import {flavors} from '../api/flavors.ts';
import {listKeyPairs} from '../api/key-pairs.ts';
import {accessKeys, buckets} from '../api/object-storage.ts';
import {
  getVirtualMachine,
  listVirtualMachines,
  virtualMachineEvents,
  virtualMachineMetrics,
} from '../api/virtual-machines.ts';
import {getVolume, listVolumes} from '../api/volumes.ts';
import type {AuthenticatedUser, Organization} from '../domain/account.ts';
import type {Credit, UsageRecord} from '../domain/billing.ts';
import type {Cluster, ClusterEvent, ClusterId} from '../domain/cluster.ts';
import type {Contract} from '../domain/contract.ts';
import type {Environment} from '../domain/environment.ts';
import type {Result} from '../domain/failure.ts';
import type {Firewall, FirewallId} from '../domain/firewall.ts';
import type {Flavor} from '../domain/flavor.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import type {AccessKey, Bucket} from '../domain/object-storage.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {type DurationMs, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import type {MachineEvent, VirtualMachine, VirtualMachineId} from '../domain/virtual-machine.ts';
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

export const flavorsFeed: Feed<Listing<Flavor>> = {
  key: 'flavors',
  intervalMs: 5 * MINUTE_MS,
  read: (client, signal) => readListing(client.read(flavors, {}, {signal})),
};

export const meFeed: Feed<AuthenticatedUser> = {
  key: 'me',
  intervalMs: 10 * MINUTE_MS,
  read: (client, signal) => readOne(client.read(me, {}, {signal})),
};

export const organizationFeed: Feed<Organization> = {
  key: 'organization',
  intervalMs: 10 * MINUTE_MS,
  read: (client, signal) => readOne(client.read(organization, {}, {signal})),
};

export const usageFeed: Feed<Listing<UsageRecord>> = {
  key: 'usage',
  intervalMs: MINUTE_MS,
  read: (client, signal) => readListing(client.read(usage, {isDeleted: false}, {signal})),
};

/** Terminated resources: without them a month-to-date silently drops what was deleted this month. */
export const deletedUsageFeed: Feed<Listing<UsageRecord>> = {
  key: 'usage-deleted',
  intervalMs: 5 * MINUTE_MS,
  read: (client, signal) => readListing(client.read(usage, {isDeleted: true}, {signal})),
};

export const creditFeed: Feed<Credit> = {
  key: 'credit',
  intervalMs: MINUTE_MS,
  read: (client, signal) => readOne(client.read(credit, {}, {signal})),
};

export const contractsFeed: Feed<Listing<Contract>> = {
  key: 'contracts',
  intervalMs: 5 * MINUTE_MS,
  read: (client, signal) => readListing(client.read(contracts, {}, {signal})),
};

export const clustersFeed: Feed<Listing<Cluster>> = {
  key: 'clusters',
  intervalMs: 15 * SECOND_MS,
  read: (client, signal) => readListing(client.read(listClusters, {}, {signal})),
};

export function clusterEventsFeed(id: ClusterId): Feed<Listing<ClusterEvent>> {
  return {
    key: `cluster-events:${id}`,
    intervalMs: 30 * SECOND_MS,
    read: (client, signal) => readListing(client.read(clusterEvents, {id}, {signal})),
  };
}

export const firewallsFeed: Feed<Listing<Firewall>> = {
  key: 'firewalls',
  intervalMs: 20 * SECOND_MS,
  read: (client, signal) => readListing(client.read(listFirewalls, {}, {signal})),
};

export function firewallFeed(id: FirewallId): Feed<Firewall> {
  return {
    key: `firewall:${id}`,
    intervalMs: 2.5 * SECOND_MS,
    read: (client, signal) => readOne(client.read(getFirewall, {id}, {signal})),
  };
}

/** Changes with a release of the service, not with the account. */
export const protocolsFeed: Feed<Listing<SafeText>> = {
  key: 'protocols',
  intervalMs: 60 * MINUTE_MS,
  read: (client, signal) => readListing(client.read(ruleProtocols, {}, {signal})),
};

export function machineFeed(id: VirtualMachineId): Feed<VirtualMachine> {
  return {
    key: `machine:${id}`,
    intervalMs: 2.5 * SECOND_MS,
    read: (client, signal) => readOne(client.read(getVirtualMachine, {id}, {signal})),
  };
}

/** The machine as the service sent it, for a person who wants to see the record itself. */
export function machineRecordFeed(id: VirtualMachineId): Feed<unknown> {
  return {
    key: `machine-record:${id}`,
    intervalMs: MINUTE_MS,
    read: async (client, signal) => {
      const answer = await client.read(getVirtualMachine, {id}, {signal});
      return answer.ok ? {ok: true, value: answer.value.raw[0]} : answer;
    },
  };
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
  return {
    key: `metrics:${id}:${window}`,
    intervalMs: WINDOW_INTERVALS_MS[window],
    read: (client, signal) => readOne(client.read(virtualMachineMetrics, {id, duration: window}, {signal})),
  };
}

export function eventsFeed(id: VirtualMachineId): Feed<Listing<MachineEvent>> {
  return {
    key: `events:${id}`,
    intervalMs: 30 * SECOND_MS,
    read: (client, signal) => readListing(client.read(virtualMachineEvents, {id}, {signal})),
  };
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

export const volumesFeed: Feed<Listing<Volume>> = {
  key: 'volumes',
  intervalMs: 20 * SECOND_MS,
  read: (client, signal) => readListing(client.read(listVolumes, {}, {signal})),
};
export function volumeFeed(id: VolumeId): Feed<Volume> {
  return {
    key: `volume:${id}`,
    intervalMs: 2.5 * SECOND_MS,
    read: (client, signal) => readOne(client.read(getVolume, {id}, {signal})),
  };
}
export function clusterFeed(id: ClusterId): Feed<Cluster> {
  return {
    key: `cluster:${id}`,
    intervalMs: 2.5 * SECOND_MS,
    read: (client, signal) => readOne(client.read(getCluster, {id}, {signal})),
  };
}
export const keyPairsFeed: Feed<Listing<KeyPair>> = {
  key: 'key-pairs',
  intervalMs: MINUTE_MS,
  read: (client, signal) => readListing(client.read(listKeyPairs, {}, {signal})),
};
export const environmentsFeed: Feed<Listing<Environment>> = {
  key: 'environments',
  intervalMs: MINUTE_MS,
  read: (client, signal) => readListing(client.read(listEnvironments, {}, {signal})),
};
export const accessKeysFeed: Feed<Listing<AccessKey>> = {
  key: 'access-keys',
  intervalMs: MINUTE_MS,
  read: (client, signal) => readListing(client.read(accessKeys, {}, {signal})),
};
export const bucketsFeed: Feed<Listing<Bucket> & {readonly failedRegions: readonly SafeText[]}> = {
  key: 'buckets',
  intervalMs: MINUTE_MS,
  read: async (client, signal) => {
    const answer = await client.read(buckets, {}, {signal});
    return answer.ok
      ? {ok: true, value: {...listing(answer.value), failedRegions: answer.value.absentParts ?? []}}
      : answer;
  },
};
