import {machineHistoryDetail} from '../../api/billing.ts';
import type {RawAnswer} from '../../api/client.ts';
import {clusterEvents, listClusters} from '../../api/clusters.ts';
import {contracts} from '../../api/contracts.ts';
import {machineQuota} from '../../api/environments.ts';
import {listFirewalls} from '../../api/firewalls.ts';
import {flavors} from '../../api/flavors.ts';
import {listVirtualMachines, virtualMachineEvents, virtualMachineMetrics} from '../../api/virtual-machines.ts';
import {listVolumes} from '../../api/volumes.ts';
import {presentIn} from '../../domain/attachment-state.ts';
import type {UsageRecord} from '../../domain/billing.ts';
import {monthSoFar} from '../../domain/billing-history.ts';
import {type Cluster, clusterId} from '../../domain/cluster.ts';
import {isBurning, machineRates, meteredRate, usableRate, volumeRates} from '../../domain/cost.ts';
import {environmentId} from '../../domain/environment.ts';
import type {Result} from '../../domain/failure.ts';
import type {Firewall} from '../../domain/firewall.ts';
import {type GpuLoad, type GpuActivity, ofMachines} from '../../domain/gpu-load.ts';
import type {SpentSource} from '../../domain/money/billed-day.ts';
import {withPaidTimes} from '../../domain/money/paid-times.ts';
import {costWithin, isUnpriced, monthStart, usableCost} from '../../domain/money/spend.ts';
import {type Rate, sumRates, sumUsd, type Usd, ZERO_RATE} from '../../domain/money.ts';
import type {Preferences} from '../../domain/preferences.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import {type EpochMs, monotonicMs} from '../../domain/time.ts';
import {type FindingSubject, type KnownAccount, unreadAccount} from '../../domain/triage/finding.ts';
import {triage} from '../../domain/triage/triage.ts';
import {type MachineEvent, type VirtualMachine, virtualMachineId} from '../../domain/virtual-machine.ts';
import {clusters as clustersResource} from '../../resources/clusters.ts';
import {contracts as contractsResource} from '../../resources/contracts.ts';
import {environments as environmentsResource} from '../../resources/environments.ts';
import {events as eventsResource} from '../../resources/events.ts';
import {firewalls as firewallsResource} from '../../resources/firewalls.ts';
import {keyPairs as keyPairsResource} from '../../resources/key-pairs.ts';
import {machines as machinesResource} from '../../resources/machines.ts';
import type {Reader} from '../../resources/listing.ts';
import type {Resource, RowInput} from '../../resources/resource.ts';
import {resourceOf} from '../../resources/resources.ts';
import {volumes as volumesResource} from '../../resources/volumes.ts';
import {usageFeed} from '../../state/billing.ts';
import {createStore, type Store, type WritableStore} from '../../state/store.ts';

/** Everything related to one record: other records, its cost, and its findings. */
export type Related = {
  readonly sections: readonly Section[];
  /** What was read for its own columns, such as the names of a volume's machines. */
  readonly store?: Store | undefined;
  /** What it costs; undefined if its kind is not metered, a failure if it could not be read. */
  readonly cost?: Result<Cost>;
  /** What it cost this month; undefined if unknown. */
  readonly month?: MonthCost | undefined;
  /** What DCGM reports about its GPUs; undefined if it has none, or the profile has no Prometheus. */
  readonly gpus?: Result<GpuLoad | undefined> | undefined;
  /** Undefined if no rule judges its kind from what is read here. */
  readonly findings?: readonly SafeText[];
};

type Cost = {
  /** Now; undefined if unknown. */
  readonly rate: Rate | undefined;
  /** The rate is that of a part of it: what the rest costs is unknown. */
  readonly isAtLeast?: boolean;
  readonly isFree?: boolean;
  /** Since it was created; undefined if unknown. */
  readonly billed: Usd | undefined;
  /** Earlier costs, such as those of nodes that were replaced, are never known. */
  readonly lacksEarlier?: true;
};

/** As billed by the provider, or from usage if no bill is known. */
type MonthCost = {readonly cost: Usd; readonly source: SpentSource};

/** Other records of the service, raw; or why they are unknown. */
export type Section = {
  readonly title: string;
  readonly records: Result<readonly unknown[]>;
  /** The kind whose columns a table of them uses; without one their fields are shown. */
  readonly resource?: Resource;
  /** Data read for their columns, such as the name of a volume's machine. */
  readonly store?: Store;
};

type RelatedInput = {
  readonly reader: Reader;
  readonly id: number;
  readonly raw: unknown;
  readonly now: EpochMs;
  readonly preferences: Preferences;
};

/** By the plural of the resource; kinds without related records are missing. */
const LOOKS: Readonly<Record<string, (look: RelatedInput) => Promise<Related>>> = {
  vms: aroundMachine,
  clusters: aroundCluster,
  firewalls: aroundFirewall,
  volumes: aroundVolume,
  environments: aroundEnvironment,
  contracts: aroundContract,
  'key-pairs': aroundKeyPair,
};

export function relatedTo(resourceName: string, look: RelatedInput): Promise<Related> {
  const around = LOOKS[resourceName];
  return around === undefined ? Promise.resolve({sections: []}) : around(look);
}

async function aroundMachine({reader, id, raw, ...at}: RelatedInput): Promise<Related> {
  const {client, signal} = reader;
  const reading = listVirtualMachines.record(raw);
  const period = monthSoFar(at.now);
  const [events, related, metered, metrics, offered, gpus, bill] = await Promise.all([
    client.readRaw(virtualMachineEvents, {id: virtualMachineId(id)}, {signal}),
    relatedSections(reader, machinesResource, raw),
    usageOf(reader, 'vm', id),
    client.read(virtualMachineMetrics, {id: virtualMachineId(id), duration: '15d'}, {signal}),
    client.read(flavors, {}, {signal}),
    reading.ok ? gpusOf(reader, reading.value) : undefined,
    client.read(machineHistoryDetail, {id: virtualMachineId(id), period}, {signal}),
  ]);
  const billed = bill.ok ? bill.value.records[0]?.billedCost : undefined;
  const read = {
    machines: reading.ok ? [reading.value] : [],
    metered: metered.ok ? metered.value : [],
    eventsOf: () => (events.ok ? recordsOf(events.value, virtualMachineEvents.record) : undefined),
    metricsOf: () => (metrics.ok ? metrics.value.records[0] : undefined),
    gpusOf: () => (gpus?.ok === true ? gpus.value : undefined),
    ...(offered.ok ? {flavors: offered.value.records} : {}),
  };
  return {
    sections: [{title: 'events', records: rawOf(events), resource: eventsResource}, ...related],
    cost: meteredCost(metered, rate => (reading.ok ? meteredRate(reading.value, rate, at.preferences.prices) : rate)),
    month: billed === undefined ? estimatedMonth(read, {id, ...at}) : {cost: billed, source: 'billed'},
    gpus: gpus?.ok === true ? {ok: true, value: gpus.value?.load} : gpus,
    findings: [...findingsAbout({type: 'vm', id}, read, at), ...(await firewallFindings(reader, related, read, at))],
  };
}

/** By its usage, over the time its events say it was billed. */
function estimatedMonth(
  {
    machines,
    metered,
    eventsOf,
  }: {
    machines: readonly VirtualMachine[];
    metered: readonly UsageRecord[];
    eventsOf: () => readonly MachineEvent[] | undefined;
  },
  {id, now, preferences: {prices}}: Pick<RelatedInput, 'id' | 'now' | 'preferences'>,
): MonthCost | undefined {
  const own = eventsOf();
  const records = withPaidTimes(metered, {machines, events: new Map(own === undefined ? [] : [[id, own]]), prices});
  if (records.length === 0 || records.some(record => isUnpriced(record, now))) return undefined;
  const period = {start: monthStart(now), end: now, now};
  return {cost: sumUsd(records.map(record => costWithin(record, period))), source: 'usage'};
}

/**
 * What a machine's firewalls open is open on the machine. How severe that is depends on every machine they are attached
 * to, so the others are read too.
 */
async function firewallFindings(
  {client, signal}: Reader,
  sections: readonly Section[],
  {machines: own}: {readonly machines: readonly VirtualMachine[]},
  at: Pick<RelatedInput, 'now' | 'preferences'>,
): Promise<readonly SafeText[]> {
  const attached = sections.find(({resource}) => resource === firewallsResource)?.records;
  if (attached?.ok !== true) return [];
  const attachedFirewalls = recordsOf({raw: attached.value}, listFirewalls.record);
  const about = (firewall: Firewall, machines: readonly VirtualMachine[]) =>
    findingsAbout({type: 'firewall', id: firewall.id}, {firewalls: [firewall], machines}, at);
  const found = attachedFirewalls.filter(firewall => about(firewall, own).length > 0);
  const isOfOthers = found.some(firewall => presentIn(firewall).length > 1);
  const listed = isOfOthers ? await client.read(listVirtualMachines, {}, {signal}) : undefined;
  const machines = listed?.ok === true ? listed.value.records : own;
  return found.flatMap(firewall =>
    about(firewall, machines).map(finding => say`firewall ${nameInWords(firewall.name)}: ${finding}`),
  );
}

type MachineGpus = {readonly load: GpuLoad; readonly activity: GpuActivity | undefined};

async function gpusOf(
  {client, signal}: Reader,
  machine: VirtualMachine,
): Promise<Result<MachineGpus | undefined> | undefined> {
  if (client.prometheus === undefined || machine.flavor?.gpuCount === 0) return undefined;
  const {gpus} = client.prometheus;
  const [loads, activity] = await Promise.all([gpus.loads(), gpus.activity()]);
  if (!loads.ok) return loads;
  const {field, byHost} = loads.value;
  let load = ofMachines([machine], field, byHost).get(machine.id);
  // The list of all machines tells whether another has the same name: then neither can be matched by it. Ids are
  // unique, and a machine unknown to DCGM cannot be mistaken for another.
  if (load !== undefined && field !== 'id') {
    const listed = await client.read(listVirtualMachines, {}, {signal});
    if (!listed.ok) return listed;
    load = ofMachines(listed.value.records, field, byHost).get(machine.id);
  }
  if (load === undefined) return {ok: true, value: undefined};
  return {ok: true, value: {load, activity: activity.ok ? activity.value.get(load.host) : undefined}};
}

async function aroundCluster({reader, id, raw, ...at}: RelatedInput): Promise<Related> {
  const {client, signal} = reader;
  const store = createStore();
  const [events, related, metered] = await Promise.all([
    client.readRaw(clusterEvents, {id: clusterId(id)}, {signal}),
    // The other clusters tell which machines are theirs.
    relatedSections(reader, clustersResource, raw, {store, besides: [clustersResource]}),
    usageFeed.read(client, signal),
  ]);
  if (metered.ok) store.writeValue(usageFeed, metered.value, monotonicMs(0));
  const nodes = related.find(({resource}) => resource === machinesResource)?.records;
  const unread = [nodes, metered].find(read => read?.ok === false);
  const reading = listClusters.record(raw);
  return {
    sections: [{title: 'events', records: rawOf(events), resource: eventsResource}, ...related],
    ...(reading.ok ? {cost: unread?.ok === false ? unread : nodeCost(reading.value, {store, ...at})} : {}),
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

/** What it costs in the lists: the sum of its machines, of which the masters are free. */
function nodeCost(cluster: Cluster, known: RowInput): Result<Cost> {
  const {rate, hasUnpriced} = clustersResource.row(known)(cluster);
  return {ok: true, value: {rate, isAtLeast: hasUnpriced, billed: undefined, lacksEarlier: true}};
}

/** From its metered spans. `inState` gives a metered rate if it is that of its present state, as the lists show it. */
function meteredCost(
  usage: Result<readonly UsageRecord[]>,
  inState: (rate: Rate) => Rate | undefined = rate => rate,
): Result<Cost> {
  if (!usage.ok) return usage;
  const active = usage.value.filter(({isActive}) => isActive);
  const isFree = active.length > 0 && !active.some(isBurning);
  const burning = usage.value.filter(isBurning);
  const rates = burning.flatMap(record => usableRate(record) ?? []);
  // As in the lists: what only a part of it costs would be taken for the whole.
  const isKnown = burning.length > 0 && rates.length === burning.length;
  const billed = usage.value.flatMap(record => usableCost(record) ?? []);
  return {
    ok: true,
    value: {
      rate: isFree ? ZERO_RATE : isKnown ? inState(sumRates(rates)) : undefined,
      isFree,
      billed: billed.length === 0 ? undefined : sumUsd(billed),
    },
  };
}

async function aroundFirewall({reader, id, raw, ...at}: RelatedInput): Promise<Related> {
  const reading = listFirewalls.record(raw);
  const sections = await relatedSections(reader, firewallsResource, raw);
  const attached = sections.find(({resource}) => resource === machinesResource)?.records;
  const read = {
    firewalls: reading.ok ? [reading.value] : [],
    ...(attached?.ok === true ? {machines: recordsOf({raw: attached.value}, listVirtualMachines.record)} : {}),
  };
  const found = findingsAbout({type: 'firewall', id}, read, at);
  // Most of what is judged of a firewall is its rules.
  const isJudged = reading.ok && reading.value.hasUnreadRules !== true;
  return {sections, ...(isJudged || found.length > 0 ? {findings: found} : {})};
}

async function aroundVolume({reader, id, raw, ...at}: RelatedInput): Promise<Related> {
  const reading = listVolumes.record(raw);
  const metered = await usageOf(reader, 'volume', id);
  const read = {volumes: reading.ok ? [reading.value] : [], metered: metered.ok ? metered.value : []};
  const sections = await relatedSections(reader, volumesResource, raw);
  const store = sections.find(each => each.store !== undefined)?.store;
  return {sections, store, cost: meteredCost(metered), findings: findingsAbout({type: 'volume', id}, read, at)};
}

async function aroundEnvironment({reader, id, raw}: RelatedInput): Promise<Related> {
  const quota = await reader.client.readRaw(machineQuota, {id: environmentId(id)}, {signal: reader.signal});
  const related = await relatedSections(reader, environmentsResource, raw);
  return {sections: [{title: 'machine quota', records: rawOf(quota)}, ...related]};
}

async function aroundContract({reader, id, raw, ...at}: RelatedInput): Promise<Related> {
  const reading = contracts.record(raw);
  const [sections, machines] = await Promise.all([
    relatedSections(reader, contractsResource, raw),
    reader.client.read(listVirtualMachines, {}, {signal: reader.signal}),
  ]);
  const read = {
    contracts: reading.ok ? [reading.value] : [],
    ...(machines.ok ? {machines: machines.value.records} : {}),
  };
  return {
    sections,
    findings: findingsAbout({type: 'contract', id}, read, at),
  };
}

async function aroundKeyPair({reader, raw}: RelatedInput): Promise<Related> {
  return {sections: await relatedSections(reader, keyPairsResource, raw)};
}

/**
 * The related records its resource declares: the same that `r` leads to in the deck. What is read besides only tells
 * which they are.
 */
async function relatedSections(
  reader: Reader,
  resource: Resource,
  raw: unknown,
  {store = createStore(), besides = []}: {readonly store?: WritableStore; readonly besides?: readonly Resource[]} = {},
): Promise<readonly Section[]> {
  const kinds = [...resource.relatedTo(raw, store).map(({kind}) => resourceOf(kind)), ...besides];
  const lists = await Promise.all(kinds.map(async kind => ({kind, listed: await kind.list(reader)})));
  resource.keep({raw: [raw]}, store.writeValue);
  for (const {kind, listed} of lists) if (listed.ok) kind.keep(listed.value, store.writeValue);
  return resource.relatedTo(raw, store).flatMap(({kind, objects}): readonly Section[] => {
    const of = resourceOf(kind);
    const listed = lists.find(list => list.kind === of)?.listed;
    if (listed === undefined || (!listed.ok && 'mistake' in listed)) return [];
    const title = of.words.many;
    if (!listed.ok) return [{title, records: listed, resource: of}];
    const ids = new Set(objects?.map(({id}) => String(id)));
    const records = listed.value.raw.filter(each => ids.has(of.parseRaw(each).id ?? ''));
    return [{title, records: {ok: true, value: records}, resource: of, store}];
  });
}

async function usageOf({client, signal}: Reader, type: string, id: number): Promise<Result<readonly UsageRecord[]>> {
  const read = await usageFeed.read(client, signal);
  if (!read.ok) return read;
  const own = read.value.records.filter(each => each.resourceId === id && each.resourceType.toLowerCase() === type);
  return {ok: true, value: own};
}

function rawOf(answer: Result<RawAnswer>): Result<readonly unknown[]> {
  return answer.ok ? {ok: true, value: answer.value.raw} : answer;
}

function recordsOf<R>(
  {raw}: Pick<RawAnswer, 'raw'>,
  record: (raw: unknown) => {readonly ok: true; readonly value: R} | {readonly ok: false},
): readonly R[] {
  return raw.flatMap(each => {
    const reading = record(each);
    return reading.ok ? [reading.value] : [];
  });
}

/**
 * The findings of triage about one record, from what was read around it, one sentence each. Rules that need more are
 * not judged here; `skydeck triage` judges all of them.
 */
function findingsAbout(
  subject: Pick<FindingSubject, 'type' | 'id'>,
  read: Partial<KnownAccount> & {readonly metered?: readonly UsageRecord[]},
  {now, preferences}: {readonly now: EpochMs; readonly preferences: Preferences},
): readonly SafeText[] {
  const {metered = [], ...known} = read;
  const rates = {rates: machineRates(metered), volumeRates: volumeRates(metered)};
  const {findings} = triage({...unreadAccount(now, preferences), ...rates, ...known});
  return findings
    .filter(finding => finding.subject.type === subject.type && finding.subject.id === subject.id)
    .map(({severity, summary, evidence, advice}) => {
      const proof = evidence.length === 0 ? say`` : say` (${evidence.reduce((all, each) => say`${all}; ${each}`)})`;
      return say`${WORDS[severity]}: ${summary}${proof}. ${advice}`;
    });
}

const WORDS = {critical: say`critical`, warning: say`warning`, notice: say`notice`} as const;
