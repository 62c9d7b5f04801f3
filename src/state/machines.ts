import {memoPer, oncePer} from '../domain/memo.ts';
import type {Window} from '../domain/window.ts';
import {isSameAnswer} from '../api/answer-memory.ts';
import {console, machineLogs} from '../api/machine-jobs.ts';
import {
  getVirtualMachine,
  listVirtualMachines,
  machineNameAvailability,
  virtualMachineEvents,
  virtualMachineMetrics,
} from '../api/virtual-machines.ts';
import {type Cluster, machinesOfCluster, mayHaveOtherMachines, withListedCluster} from '../domain/cluster.ts';
import type {SafeText} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {goneAt, lastValue, readAt} from '../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {
  type MachineConsole,
  type MachineEvent,
  type MachineLog,
  type NameAvailability,
  type VirtualMachine,
  type VirtualMachineId,
  isTroubled,
} from '../domain/virtual-machine.ts';
import {clustersFeed} from './clusters.ts';
import {type Feed, type FeedName, isWhole, type Listing, listFeed, oneFeed, recordFeed} from './feed.ts';
import type {Store} from './store.ts';

export type MachineListing = Listing<VirtualMachine> & {
  /**
   * Missing from the newest list only, which proves nothing because the service's lists are not stable. Absent if none
   * is missing.
   */
  readonly missingOnce?: ReadonlySet<VirtualMachineId>;
};

export const machinesFeed: Feed<MachineListing> = {
  ...listFeed('machines', 10 * SECOND_MS, listVirtualMachines, {}),
  isPaced: true,
  merge: keepMissingOnce,
};

export function machineFeed(id: VirtualMachineId): Feed<VirtualMachine> {
  return {...oneFeed(['machine', id], 2.5 * SECOND_MS, getVirtualMachine, {id}), listKey: machinesFeed.key};
}

export const machineRecordFeed = (id: VirtualMachineId) => recordFeed(['machine', id], getVirtualMachine, {id});

/** Two weeks are read to judge whether a machine is idle, and are not shown anywhere. */
type ReadWindow = Window | '15d';

const WINDOW_INTERVALS_MS: Readonly<Record<ReadWindow, DurationMs>> = {
  '1h': MINUTE_MS,
  '6h': MINUTE_MS,
  '1d': 5 * MINUTE_MS,
  '7d': 10 * MINUTE_MS,
  '15d': 30 * MINUTE_MS,
  '30d': 30 * MINUTE_MS,
};

export function metricsFeed(id: VirtualMachineId, window: ReadWindow): Feed<MachineMetrics> {
  return oneFeed([METRICS, id, window], WINDOW_INTERVALS_MS[window], virtualMachineMetrics, {id, duration: window});
}

const METRICS = 'metrics';

/** The machine and the window of a feed of metrics; undefined for any other feed. */
export function metricsIn({kind, of}: FeedName): {readonly id: number; readonly window: number | string} | undefined {
  const [id, window] = of;
  return kind === METRICS && typeof id === 'number' && window !== undefined ? {id, window} : undefined;
}

/** Whether any metrics of the machine were read. Of a large fleet these are few, and every row asks. */
export function isMeasured(store: Store, id: VirtualMachineId): boolean {
  return measuredIds(store).has(id);
}

/** The machines of which any metrics were read. */
export function measuredIds(store: Store): ReadonlySet<number> {
  return readOnce(store, [store.version()], () => readIds(store)).measured;
}

/** The history of a machine as far as it was read; asked for each of a large fleet, too. */
export function eventsRead(store: Store, id: VirtualMachineId): readonly MachineEvent[] | undefined {
  const {told} = readOnce(store, [store.version()], () => readIds(store));
  return told.has(id) ? lastValue(store.get(eventsFeed(id)))?.records : undefined;
}

/** The machines of which metrics were read, and those of which the history was. */
type ReadIds = {readonly measured: ReadonlySet<number>; readonly told: ReadonlySet<number>};

const readOnce = memoPer<Store, ReadIds>();

function readIds(store: Store): ReadIds {
  const [measured, told] = [new Set<number>(), new Set<number>()];
  for (const name of store.names()) {
    const id = metricsIn(name)?.id;
    if (id !== undefined) measured.add(id);
    else if (name.kind === EVENTS && typeof name.of[0] === 'number') told.add(name.of[0]);
  }
  return {measured, told};
}

/** The last hour of a machine as last read; a reading of a whole day contains it. */
export function hourMetrics(store: Store, id: VirtualMachineId): MachineMetrics | undefined {
  if (!isMeasured(store, id)) return undefined;
  const [hour, day] = [store.get(metricsFeed(id, '1h')), store.get(metricsFeed(id, '1d'))];
  const isDayNewer = (readAt(day) ?? Number.NEGATIVE_INFINITY) > (readAt(hour) ?? Number.NEGATIVE_INFINITY);
  return lastValue(isDayNewer ? day : hour);
}

/** What has to be read for it; nothing while the reading of a day is as fresh as that of the hour would be. */
export function hourFeeds(store: Store, id: VirtualMachineId, now: MonotonicMs): readonly Feed<MachineMetrics>[] {
  const feed = metricsFeed(id, '1h');
  const dayAt = readAt(store.get(metricsFeed(id, '1d')));
  return dayAt !== undefined && now - dayAt < feed.intervalMs ? [] : [feed];
}

export function eventsFeed(id: VirtualMachineId): Feed<Listing<MachineEvent>> {
  return listFeed([EVENTS, id], 30 * SECOND_MS, virtualMachineEvents, {id});
}

const EVENTS = 'events';

/** A job takes some seconds, and its answer is wanted at once; the caller limits the number of attempts. */
const JOB_INTERVAL_MS: DurationMs = 3 * SECOND_MS;

export function consoleFeed(id: VirtualMachineId, jobId: string): Feed<MachineConsole> {
  return oneFeed(['console', id, jobId], JOB_INTERVAL_MS, console, {id, jobId});
}

export function machineLogFeed(id: VirtualMachineId, requestId: string): Feed<MachineLog> {
  return oneFeed(['machine-log', id, requestId], JOB_INTERVAL_MS, machineLogs, {id, requestId});
}

/** Whether the service would accept these names: asked while a form is filled in, but never for every letter. */
export function machineNameFeed(name: SafeText, count: number): Feed<NameAvailability> {
  return oneFeed(['machine-name', count, name], MINUTE_MS, machineNameAvailability, {name, count});
}

/**
 * The machines as last observed: the list, updated with every machine read on its own since then (an operation reads
 * its machine more often than the list is read); one that does not exist by its own reading is left out, unless a later
 * list has it. Each has the cluster that lists it as its node. Undefined until the
 * first list arrived.
 */
export function observedMachines(store: Store): readonly VirtualMachine[] | undefined {
  return observedOnce(store, [store.version()], () => withClusters(observe(store), store));
}

/** Those of them that are a cluster's; none until the first list arrived. */
export function observedMachinesOf(store: Store, cluster: Cluster): readonly VirtualMachine[] {
  return machinesOfCluster(cluster, observedMachines(store) ?? []);
}

/** Whether it may have others: there is no list of machines yet, or what was read does not tell all of them. */
export function mayHaveUnreadMachines(store: Store, cluster: Cluster): boolean {
  const listing = lastValue(store.get(machinesFeed));
  const machines = observedMachines(store);
  return listing === undefined || mayHaveOtherMachines(cluster, machines ?? [], {areAll: isWhole(listing)});
}

/** The same by their ids. */
export function observedById(store: Store): ReadonlyMap<number, VirtualMachine> {
  return byIdOnce(observedMachines(store) ?? NONE);
}

/** Those whose history says since when something is wrong. */
export function troubledMachines(store: Store): readonly VirtualMachine[] {
  return troubledOnce(observedMachines(store) ?? NONE);
}

const NONE: readonly VirtualMachine[] = [];
const troubledOnce = oncePer((machines: readonly VirtualMachine[]) => machines.filter(isTroubled));
const byIdOnce = oncePer(
  (machines: readonly VirtualMachine[]): ReadonlyMap<number, VirtualMachine> =>
    new Map(machines.map(machine => [machine.id, machine])),
);

/** Cached, because every part of the screen asks for it. */
const observedOnce = memoPer<Store, readonly VirtualMachine[] | undefined>();

/** Where the clusters say nothing new of any machine, these are the same records. */
function withClusters(
  machines: readonly VirtualMachine[] | undefined,
  store: Store,
): readonly VirtualMachine[] | undefined {
  if (machines === undefined) return undefined;
  return clusteredOnce(machines, [lastValue(store.get(clustersFeed))], () => {
    const clustered = machines.map(machine => withItsCluster(machine, store));
    return clustered.every((machine, index) => machine === machines[index]) ? machines : clustered;
  });
}

/** The machine with what the clusters say of it, as last read. */
export function withItsCluster(machine: VirtualMachine, store: Store): VirtualMachine {
  const listing = lastValue(store.get(clustersFeed));
  return listing === undefined ? machine : withListedCluster(machine, listing.records, {areAll: isWhole(listing)});
}

const clusteredOnce = memoPer<readonly VirtualMachine[], readonly VirtualMachine[]>();

function observe(store: Store): readonly VirtualMachine[] | undefined {
  const snapshot = store.get(machinesFeed);
  const listing = lastValue(snapshot);
  const listedAt = readAt(snapshot);
  if (listing === undefined || listedAt === undefined) return undefined;
  const {records, missingOnce = NOT_MISSING} = listing;
  if (!store.hasNewerParts(machinesFeed) && missingOnce.size === 0) return records;
  const machines = records.flatMap(machine => {
    const alone = store.get(machineFeed(machine.id));
    const gone = goneAt(alone);
    if (gone !== undefined && (gone > listedAt || missingOnce.has(machine.id))) return [];
    const isNewer = 'value' in alone && alone.readAt > listedAt;
    return [isNewer ? alone.value : machine];
  });
  const isSame = machines.length === records.length && machines.every((machine, index) => machine === records[index]);
  return isSame ? records : machines;
}

const NOT_MISSING: ReadonlySet<VirtualMachineId> = new Set();

function keepMissingOnce(previous: MachineListing, next: MachineListing): MachineListing {
  if (previous === next) return next;
  const {missingOnce: missingBefore = new Set()} = previous;
  const present = new Set(next.records.map(machine => machine.id));
  // A machine whose record cannot be parsed stays listed as last seen.
  const unreadable = new Set(next.quarantined.map(({id}) => String(id)));
  const absent = previous.records.filter(machine => !present.has(machine.id));
  // Absence from an incomplete list proves nothing, so it is not one of the two.
  const isWhole = next.incompleteReason === undefined;
  const isUnreadable = ({id}: VirtualMachine) => unreadable.has(String(id));
  const kept = isWhole ? absent.filter(machine => isUnreadable(machine) || !missingBefore.has(machine.id)) : absent;
  if (kept.length === 0) return next;
  const missing = kept.filter(machine => !isUnreadable(machine) && (isWhole || missingBefore.has(machine.id)));
  const missingOnce = new Set(missing.map(machine => machine.id));
  const listing: MachineListing = {...next, records: [...next.records, ...kept], missingOnce};
  // So that nothing is computed anew, as long as an account has a machine that cannot be read.
  const isSame =
    missing.length === missingBefore.size &&
    missing.every(machine => missingBefore.has(machine.id)) &&
    isSameAnswer(previous, listing);
  return isSame ? previous : listing;
}
