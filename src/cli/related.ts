import {usage} from '../api/billing.ts';
import type {RawAnswer} from '../api/client.ts';
import {clusterEvents, listClusters} from '../api/clusters.ts';
import {contracts} from '../api/contracts.ts';
import {machineQuota} from '../api/environments.ts';
import {listFirewalls} from '../api/firewalls.ts';
import {listVirtualMachines, virtualMachineEvents} from '../api/virtual-machines.ts';
import {listVolumes} from '../api/volumes.ts';
import type {UsageRecord} from '../domain/billing.ts';
import {clusterId} from '../domain/cluster.ts';
import {environmentId} from '../domain/environment.ts';
import type {Result} from '../domain/failure.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {EpochMs} from '../domain/time.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {presentAttachments} from '../domain/volume.ts';
import {events as eventsResource} from '../resources/events.ts';
import {firewalls as firewallsResource} from '../resources/firewalls.ts';
import {machines as machinesResource} from '../resources/machines.ts';
import type {Reader, Resource} from '../resources/resource.ts';
import {volumes as volumesResource} from '../resources/volumes.ts';
import {findingsAbout} from './findings.ts';

/** What stands around one record: other records, what it costs, and what is worth a look. */
export type Related = {
  readonly sections: readonly Section[];
  /** The spans that are metered for it; undefined where its kind is not metered, a failure where that is not known. */
  readonly usage?: Result<readonly UsageRecord[]>;
  readonly findings: readonly SafeText[];
};

/** Other records of the service, raw; or why they are not known. */
export type Section = {
  readonly title: string;
  readonly records: Result<readonly unknown[]>;
  /** Whose columns a table of them has; without one their fields are shown. */
  readonly resource?: Resource;
};

type Look = {
  readonly reader: Reader;
  readonly id: number;
  readonly raw: unknown;
  readonly now: EpochMs;
  readonly preferences: Preferences;
};

/** By the plural of the resource; a kind that stands alone has nothing around it. */
const LOOKS: Readonly<Record<string, (look: Look) => Promise<Related>>> = {
  vms: aroundMachine,
  clusters: aroundCluster,
  firewalls: aroundFirewall,
  volumes: aroundVolume,
  environments: aroundEnvironment,
  contracts: aroundContract,
};

export function relatedTo(resourceName: string, look: Look): Promise<Related> {
  const around = LOOKS[resourceName];
  return around === undefined ? Promise.resolve({sections: [], findings: []}) : around(look);
}

async function aroundMachine({reader, id, raw, ...at}: Look): Promise<Related> {
  const {client, signal} = reader;
  const [events, firewalls, volumes, metered] = await Promise.all([
    client.readRaw(virtualMachineEvents, {id: virtualMachineId(id)}, {signal}),
    client.readRaw(listFirewalls, {}, {signal}),
    client.readRaw(listVolumes, {}, {signal}),
    usageOf(reader, 'vm', id),
  ]);
  const reading = listVirtualMachines.record(raw);
  const read = {
    machines: reading.ok ? [reading.value] : [],
    metered: metered.ok ? metered.value : [],
    eventsOf: () => (events.ok ? recordsOf(events.value, virtualMachineEvents.record) : undefined),
  };
  return {
    sections: [
      {title: 'events', records: rawOf(events), resource: eventsResource},
      {
        title: 'firewalls',
        resource: firewallsResource,
        records: chosen(firewalls, listFirewalls.record, ({attachments}) =>
          attachments.some(({machineId}) => machineId === id),
        ),
      },
      {
        title: 'volumes',
        resource: volumesResource,
        records: chosen(volumes, listVolumes.record, volume =>
          presentAttachments(volume).some(({machineId}) => machineId === id),
        ),
      },
    ],
    usage: metered,
    findings: findingsAbout({type: 'vm', id}, read, at),
  };
}

async function aroundCluster({reader, id, raw, ...at}: Look): Promise<Related> {
  const {client, signal} = reader;
  const [events, machines] = await Promise.all([
    client.readRaw(clusterEvents, {id: clusterId(id)}, {signal}),
    client.readRaw(listVirtualMachines, {}, {signal}),
  ]);
  const reading = listClusters.record(raw);
  return {
    sections: [
      {title: 'events', records: rawOf(events), resource: eventsResource},
      {
        title: 'machines',
        resource: machinesResource,
        records: chosen(machines, listVirtualMachines.record, machine => machine.clusterId === id),
      },
    ],
    findings: findingsAbout(
      {type: 'cluster', id},
      {
        clusters: reading.ok ? [reading.value] : [],
        clusterEventsOf: () => (events.ok ? recordsOf(events.value, clusterEvents.record) : undefined),
      },
      at,
    ),
  };
}

async function aroundFirewall({reader, id, raw, ...at}: Look): Promise<Related> {
  const {client, signal} = reader;
  const reading = listFirewalls.record(raw);
  const ids = reading.ok ? reading.value.attachments.flatMap(({machineId}) => machineId ?? []) : [];
  const machines = ids.length === 0 ? undefined : await client.readRaw(listVirtualMachines, {}, {signal});
  const records =
    machines === undefined ? NONE : chosen(machines, listVirtualMachines.record, each => ids.includes(each.id));
  return {
    sections: [{title: 'machines', resource: machinesResource, records}],
    findings: findingsAbout({type: 'firewall', id}, {firewalls: reading.ok ? [reading.value] : []}, at),
  };
}

async function aroundVolume({reader, id, raw, ...at}: Look): Promise<Related> {
  const reading = listVolumes.record(raw);
  const metered = await usageOf(reader, 'volume', id);
  const read = {volumes: reading.ok ? [reading.value] : [], metered: metered.ok ? metered.value : []};
  return {sections: [], usage: metered, findings: findingsAbout({type: 'volume', id}, read, at)};
}

async function aroundEnvironment({reader, id}: Look): Promise<Related> {
  const quota = await reader.client.readRaw(machineQuota, {id: environmentId(id)}, {signal: reader.signal});
  return {sections: [{title: 'machine quota', records: rawOf(quota)}], findings: []};
}

function aroundContract({id, raw, ...at}: Look): Promise<Related> {
  const reading = contracts.record(raw);
  return Promise.resolve({
    sections: [],
    findings: findingsAbout({type: 'contract', id}, {contracts: reading.ok ? [reading.value] : []}, at),
  });
}

const NONE: Result<readonly unknown[]> = {ok: true, value: []};

async function usageOf({client, signal}: Reader, type: string, id: number): Promise<Result<readonly UsageRecord[]>> {
  const read = await client.read(usage, {isDeleted: false}, {signal});
  if (!read.ok) return read;
  const own = read.value.records.filter(each => each.resourceId === id && each.resourceType.toLowerCase() === type);
  return {ok: true, value: own};
}

function rawOf(answer: Result<RawAnswer>): Result<readonly unknown[]> {
  return answer.ok ? {ok: true, value: answer.value.raw} : answer;
}

function recordsOf<R>(
  {raw}: RawAnswer,
  record: (raw: unknown) => {readonly ok: true; readonly value: R} | {readonly ok: false},
): readonly R[] {
  return raw.flatMap(each => {
    const reading = record(each);
    return reading.ok ? [reading.value] : [];
  });
}

function chosen<R>(
  answer: Result<RawAnswer>,
  record: (raw: unknown) => {readonly ok: true; readonly value: R} | {readonly ok: false},
  isWanted: (record: R) => boolean,
): Result<readonly unknown[]> {
  if (!answer.ok) return answer;
  const raw = answer.value.raw.filter(each => {
    const reading = record(each);
    return reading.ok && isWanted(reading.value);
  });
  return {ok: true, value: raw};
}
