import {costliestFirst} from '../domain/cost.ts';
import {describeFailure, type Failure} from '../domain/failure.ts';
import {countedWords} from '../domain/listed-words.ts';
import {memoPer, oncePer} from '../domain/memo.ts';
import {type OwnConnection, publicAddressOf} from '../domain/own-connection.ts';
import {idleVerdict, mayBeIdle} from '../domain/money/idle.ts';
import {hibernatedMachineIds} from '../domain/money/paid-times.ts';
import {lacksDeletedSpend} from '../domain/money/figures.ts';
import {knownBurn, knownMonthToDate} from '../domain/money/report.ts';
import type {Preferences} from '../domain/preferences.ts';
import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {failureOf, lastValue, readAt} from '../domain/snapshot.ts';
import {
  type DurationMs,
  type EpochMs,
  epochMs,
  HOUR_MS,
  MINUTE_MS,
  type MonotonicMs,
  SECOND_MS,
} from '../domain/time.ts';
import {
  type Finding,
  isSilent,
  type KnownAccount,
  type KnownService,
  MAX_METRICS_AGE_MS,
  unreadAccount,
} from '../domain/triage/finding.ts';
import {isOfOrganization, type Mute} from '../domain/triage/mute.ts';
import {type Triage, triage} from '../domain/triage/triage.ts';
import {type MachineEvent, type VirtualMachine, virtualMachineId} from '../domain/virtual-machine.ts';
import {organizationFeed} from './account.ts';
import {
  billingFigures,
  creditFeed,
  oldReadingAt,
  presentRunway,
  presentRates,
  presentVolumeRates,
  usageFeed,
} from './billing.ts';
import {flavorsFeed, stocksFeed} from './catalogue.ts';
import {clusterEventsFeed, clustersFeed} from './clusters.ts';
import {contractsFeed} from './contracts.ts';
import type {Feed, Listing} from './feed.ts';
import {firewallsFeed, observedFirewalls} from './firewalls.ts';
import {gpuLoadFeed, gpuActivityFeed, presentGpuLoads, presentGpuActivity} from './gpu-load.ts';
import type {Known} from './known.ts';
import type {LearntActivity} from './learnt-activity.ts';
import {startedAt} from './list-changes.ts';
import {
  eventsFeed,
  eventsRead,
  isMeasured,
  machinesFeed,
  measuredIds,
  metricsFeed,
  observedById,
  observedMachines,
} from './machines.ts';
import {pacedInterval} from './poller/pace.ts';
import type {Want} from './poller/poll-schedule.ts';
import type {Store} from './store.ts';
import {volumesFeed} from './volumes.ts';

/** The lists that triage reads, by the names used in messages. */
export const TRIAGE_LISTS: readonly {readonly what: SafeText; readonly feed: Feed<Listing<unknown>>}[] = [
  {what: safeText('machines'), feed: machinesFeed},
  {what: safeText('usage'), feed: usageFeed},
  {what: safeText('volumes'), feed: volumesFeed},
  {what: safeText('clusters'), feed: clustersFeed},
  {what: safeText('firewalls'), feed: firewallsFeed},
  {what: safeText('contracts'), feed: contractsFeed},
  {what: safeText('flavors'), feed: flavorsFeed},
];

/** A list that was not read; without a failure it is still being read, or was given up. */
export type UnreadList = {
  readonly what: SafeText;
  readonly feed: Feed<unknown>;
  readonly failure: Failure | undefined;
};

export function unreadLists(store: Store): readonly UnreadList[] {
  return TRIAGE_LISTS.flatMap(({what, feed}) => {
    const snapshot = store.get(feed);
    return lastValue(snapshot) === undefined ? [{what, feed, failure: failureOf(snapshot)}] : [];
  });
}

/** What is known about the connection to the service besides its answers. */
export type LinkFacts = Pick<
  KnownService,
  'clockOffsetMs' | 'isClockFollowed' | 'requestsLastMinute' | 'requestCeiling'
> & {
  /** How long an operation has to wait for the request budget. */
  readonly operationWaitMs?: DurationMs;
};

export type TriageInput = Known & {
  /** What a person has muted, for all organizations of the service. */
  readonly mutes?: readonly Mute[] | undefined;
  /** What was learnt about the machines earlier. */
  readonly activity?: LearntActivity | undefined;
  /** The state of the connection to the service. What is unknown leads to no finding. */
  readonly link?: LinkFacts | undefined;
  /** Triage is on screen, so readings that arrive within a second are judged together. */
  readonly isWatched?: boolean | undefined;
  /** The SSH session that this runs in. */
  readonly ownConnection?: OwnConnection | undefined;
  /** A Prometheus is configured; GPUs are read only then. */
  readonly hasPrometheus?: boolean | undefined;
};

type CachedTriage = {
  readonly version: number;
  readonly moment: number;
  readonly judgedAt: MonotonicMs;
  readonly mutes: TriageInput['mutes'];
  readonly preferences: Preferences;
  readonly triage: Triage;
  readonly machines: ReadonlyMap<number, VirtualMachine>;
  /** Everything triage needs had been read at least once. */
  readonly isWhole: boolean;
};

const keptByStore = new WeakMap<Store, CachedTriage>();

/** What needs attention, from all that was read so far. Judged again after each reading, and every few seconds. */
export function presentTriage(known: TriageInput): Triage {
  const version = known.store.version();
  const step = Math.floor(known.now / JUDGED_AGAIN_MS);
  const kept = keptByStore.get(known.store);
  const {mutes, preferences} = known;
  const sinceMs = kept === undefined ? undefined : known.monotonicNow - kept.judgedAt;
  // Fifty readings that arrive one by one are judged together.
  const isRecent = known.isWatched === true && sinceMs !== undefined && sinceMs > 0 && sinceMs < JUDGED_EVERY_MS;
  // The last of the first readings is judged at once, because a person is waiting for the result.
  const isFirstWhole = kept?.isWhole === false && isAllRead(known);
  const isCurrent = (isRecent && !isFirstWhole) || (kept?.version === version && kept.moment === step);
  if (kept !== undefined && isCurrent && kept.mutes === mutes && kept.preferences === preferences) return kept.triage;
  const found = triage(knownAccount(known));
  keptByStore.set(known.store, {
    version,
    moment: step,
    judgedAt: known.monotonicNow,
    mutes,
    preferences,
    triage: found,
    machines: observedById(known.store),
    isWhole: isAllRead(known),
  });
  return found;
}

/** Whether the last result was based on everything triage needs: only then does "no findings" mean that all is well. */
export function isJudgedWhole(store: Store): boolean {
  return keptByStore.get(store)?.isWhole === true;
}

/**
 * Machines and usage must have been read; of everything else an answer is enough, so that a list which always fails
 * does not hold back the result. `exceptUnread` names those.
 */
function isAllRead(known: TriageInput): boolean {
  const {store} = known;
  return (
    [machinesFeed, usageFeed].every(feed => lastValue<unknown>(store.get<unknown>(feed)) !== undefined) &&
    !areListsAwaited(known) &&
    unreadMetrics(known).pendingCount === 0
  );
}

/** Whether a list that triage needs has no answer yet: it may add findings. */
export function areListsAwaited({store, hasPrometheus = false}: Pick<TriageInput, 'store' | 'hasPrometheus'>): boolean {
  const answering: readonly Feed<unknown>[] = [creditFeed, ...(hasPrometheus ? [gpuLoadFeed, gpuActivityFeed] : [])];
  return [...TRIAGE_LISTS.map(({feed}) => feed), ...answering].some(feed => store.get(feed).status === 'waiting');
}

/**
 * Why some machines cannot be judged, a sentence each; empty if all were listed, each with a state that skydeck knows.
 * Otherwise nobody can say that nothing needs attention.
 */
export function unjudgedMachines(store: Store): readonly SafeText[] {
  const statelessCount = statelessMachineCount(store);
  return [
    ...missingFrom('machines', lastValue(store.get(machinesFeed))),
    ...(statelessCount === 0 ? [] : [say`the state of ${countedWords(statelessCount, say`machine`)} is unknown`]),
  ];
}

type PartialList = 'machines' | 'volumes';
const ONE: Readonly<Record<PartialList, SafeText>> = {machines: say`machine`, volumes: say`volume`};

/** What is missing from a list that was read, a sentence each. */
function missingFrom(
  name: PartialList,
  listing: Pick<Listing<unknown>, 'quarantined' | 'incompleteReason' | 'absentParts'> | undefined,
): readonly SafeText[] {
  if (listing === undefined) return [];
  const {quarantined, incompleteReason, absentParts} = listing;
  return [
    ...((incompleteReason ?? absentParts) === undefined ? [] : [say`the list of ${safeText(name)} is not complete`]),
    ...(quarantined.length === 0 ? [] : [say`${countedWords(quarantined.length, ONE[name])} could not be read`]),
  ];
}

/** Machines without a state that skydeck knows. */
export function statelessMachineCount(store: Store): number {
  return countStateless(observedMachines(store) ?? NO_MACHINES);
}

/** Of ten thousand machines, and asked for every frame. */
const countStateless = oncePer(
  (machines: readonly VirtualMachine[]) => machines.filter(({status}) => status === 'UNKNOWN').length,
);

/** `nothing needs attention`, or what can be said of it while some machines cannot be judged. */
export function calmWords(judged: MetricsScope): SafeText {
  const isWhole = unjudgedMachines(judged.store).length === 0;
  return isWhole ? say`nothing needs attention` : say`no findings in what could be checked`;
}

/** For example `; could not read clusters`: rules about clusters could not be judged. Empty if everything was read. */
export function exceptUnread(judged: MetricsScope): SafeText {
  const {failedCount} = unreadMetrics(judged);
  const lists = TRIAGE_LISTS.filter(({feed}) => judged.store.get(feed).status === 'failed').map(({what}) => what);
  const metrics = failedCount === 0 ? [] : [say`metrics of ${countedWords(failedCount, say`machine`)}`];
  const unread = [...lists, ...metrics];
  const reasons = [
    ...(unread.length === 0 ? [] : [say`could not read ${joinSafe(unread, ', ')}`]),
    ...unjudgedMachines(judged.store),
  ];
  return joinSafe(
    reasons.map(reason => say`; ${reason}`),
    '',
  );
}

/** The last result: judging a fleet of thousands takes too long for a screen that does not show it. */
export function lastTriage(store: Store): Triage | undefined {
  return keptByStore.get(store)?.triage;
}

/** The last findings about a machine, worst first, as long as it is in the state in which it was judged. */
export function lastFindingsAbout({id, status}: VirtualMachine, store: Store): readonly Finding[] {
  const kept = keptByStore.get(store);
  if (kept === undefined || kept.machines.get(id)?.status !== status) return [];
  return kept.triage.findings.filter(({subject}) => subject.type === 'vm' && subject.id === id);
}

/** Findings give times by the minute, so without new data they are not judged again for every frame. */
const JUDGED_AGAIN_MS: DurationMs = 15 * SECOND_MS;
const JUDGED_EVERY_MS: DurationMs = SECOND_MS;

/**
 * Learns from what was read: in which state every machine was when the list was last read, and what its metrics add to
 * its past. Called again and again by whatever judges for longer than one reading; judging itself changes nothing.
 */
export function learnActivity({store, now, monotonicNow, activity}: MetricsInput): void {
  const machines = observedMachines(store);
  if (machines === undefined || activity === undefined) return;
  activity.learnStates(machines, startedAt(store.get(machinesFeed), {now, monotonicNow}));
  metricsLearntOnce(store, [store.version(), activity], () => {
    const byId = observedById(store);
    for (const id of measuredIds(store)) {
      const machine = byId.get(id);
      if (machine?.status !== 'ACTIVE') continue;
      // In the order they arrived.
      for (const {metrics} of readingsOf(machine, store)) activity.learnMetrics(machine, metrics, now);
    }
  });
}

/** Every key asks, and most of the time nothing was read since. */
const metricsLearntOnce = memoPer<Store, void>();

/** Everything that rules look at, as last read. */
function knownAccount(known: TriageInput): KnownAccount {
  const {store, now, monotonicNow, preferences, link, activity, mutes = [], ownConnection} = known;
  const organizationId = lastValue(store.get(organizationFeed))?.id;
  const keep = keptHere(store, preferences);
  const figures = billingFigures({store, now, monotonicNow, preferences});
  const usage = lastValue(store.get(usageFeed))?.records;
  const machines = observedMachines(store);
  const [gpuLoads, gpuActivity] = [presentGpuLoads(store), presentGpuActivity(store)];
  const gpuFailure = failureOf(store.get(gpuLoadFeed));
  return {
    ...unreadAccount(now, {...preferences, keep}),
    machines,
    usage,
    rates: usage === undefined ? undefined : presentRates(store),
    volumeRates: usage === undefined ? undefined : presentVolumeRates(store),
    volumes: lastValue(store.get(volumesFeed))?.records,
    partial: partialLists(store),
    unjudgedMachines: unjudgedMachines(store),
    clusters: lastValue(store.get(clustersFeed))?.records,
    firewalls: observedFirewalls(store),
    contracts: lastValue(store.get(contractsFeed))?.records,
    flavors: lastValue(store.get(flavorsFeed))?.records,
    stocks: lastValue(store.get(stocksFeed))?.records,
    metricsOf: ofMeasured(store, undefined, machine => knownMetrics(machine, {store, now, activity})),
    metricsReadAt: ofMeasured(store, now, machine => metricsReadAt(machine, {store, now, monotonicNow})),
    activeSince: machine => activity?.activeSince(machine),
    changedAfter: machine => activity?.changedAfter(machine),
    runsOf: machine => activity?.runsOf(machine) ?? [],
    isActivityAwaited: machine => isActivityAwaited(machine, known),
    gpusOf: ({id}) => {
      const load = gpuLoads?.get(id);
      return load === undefined ? undefined : {load, activity: gpuActivity?.get(id)};
    },
    gpuFailure: gpuFailure === undefined ? undefined : describeFailure(gpuFailure),
    eventsOf: machine => eventsRead(store, machine.id),
    users: lastValue(store.get(organizationFeed))?.users,
    clusterEventsOf: cluster => lastValue(store.get(clusterEventsFeed(cluster.id)))?.records,
    runway: presentRunway(known, figures && knownBurn(figures), preferences),
    spend: figures && {
      ...figures,
      burn: knownBurn(figures),
      usageAt: oldReadingAt(usageFeed, known),
      monthToDate: knownMonthToDate(figures),
      isMonthAtLeast: lacksDeletedSpend(figures),
    },
    anomaly: figures?.anomaly,
    incident: figures?.incident,
    mutes: mutes.filter(mute => isOfOrganization(mute, organizationId)),
    ownAddress: ownConnection && publicAddressOf(ownConnection),
    service: {
      clockOffsetMs: link?.clockOffsetMs,
      isClockFollowed: link?.isClockFollowed,
      requestsLastMinute: link?.requestsLastMinute ?? 0,
      requestCeiling: link?.requestCeiling ?? 1,
      readings: TRIAGE_LISTS.map(({what, feed}) => {
        const snapshot = store.get(feed);
        const at = readAt(snapshot);
        const ageMs = at === undefined ? undefined : monotonicNow - at;
        const isMachines = feed === machinesFeed;
        const intervalMs = pacedInterval(feed, preferences);
        const failingMs = snapshot.status === 'stale' ? monotonicNow - snapshot.failingSince : undefined;
        return {what, isMachines, ageMs, intervalMs, failure: failureOf(snapshot), failingMs};
      }),
    },
  };
}

/** Several rules need this for each of thousands of machines, of which a few are measured: computed once for those. */
function ofMeasured<T>(store: Store, none: T, answer: (machine: VirtualMachine) => T): (machine: VirtualMachine) => T {
  const measured = measuredIds(store);
  const answers = new Map<VirtualMachine, {readonly value: T}>();
  return machine => {
    if (!measured.has(machine.id)) return none;
    const known = answers.get(machine) ?? {value: answer(machine)};
    answers.set(machine, known);
    return known.value;
  };
}

/** What is kept on purpose in this organization. */
export function keptHere(store: Store, {keep}: Pick<Preferences, 'keep'>): Preferences['keep'] {
  const organizationId = lastValue(store.get(organizationFeed))?.id;
  return keep.filter(each => isOfOrganization(each, organizationId));
}

function partialLists(store: Store): KnownAccount['partial'] {
  const lists = [
    ['machines', missingFrom('machines', lastValue(store.get(machinesFeed)))],
    ['volumes', missingFrom('volumes', lastValue(store.get(volumesFeed)))],
  ] as const;
  return new Map(lists.filter(([, reasons]) => reasons.length > 0));
}

/** The last day of a machine from its readings; undefined if there are none. */
export function knownMetrics(
  machine: VirtualMachine,
  {store, now, activity}: Pick<MetricsInput, 'store' | 'now' | 'activity'>,
): MachineMetrics | undefined {
  const metrics = newestReading(machine, store)?.metrics;
  return metrics === undefined ? undefined : (activity?.dayWith(machine, metrics, now) ?? metrics);
}

/** When the newest reading of a machine was made; now if there is none. */
export function metricsReadAt(
  machine: Pick<VirtualMachine, 'id'>,
  {store, now, monotonicNow}: Pick<MetricsInput, 'store' | 'now' | 'monotonicNow'>,
): EpochMs {
  const at = newestReading(machine, store)?.at;
  return at === undefined ? now : epochMs(now - Math.max(0, monotonicNow - at));
}

/** The newest reading of any window, if it is recent. */
export function freshMetrics(
  machine: Pick<VirtualMachine, 'id'>,
  store: Store,
  now: MonotonicMs,
): MachineMetrics | undefined {
  const newest = newestReading(machine, store);
  return newest === undefined || now - newest.at > MAX_METRICS_AGE_MS ? undefined : newest.metrics;
}

type MetricsReading = {readonly at: MonotonicMs; readonly metrics: MachineMetrics};

export function newestReading(machine: Pick<VirtualMachine, 'id'>, store: Store): MetricsReading | undefined {
  return readingsOf(machine, store).at(-1);
}

/** The last reading of each window, oldest first. */
function readingsOf(machine: Pick<VirtualMachine, 'id'>, store: Store): readonly MetricsReading[] {
  if (!isMeasured(store, machine.id)) return [];
  const readings: MetricsReading[] = [];
  for (const feed of windowFeeds(machine)) {
    const snapshot = store.get(feed);
    const [at, metrics] = [readAt(snapshot), lastValue(snapshot)];
    if (at !== undefined && metrics !== undefined) readings.push({at, metrics});
  }
  return readings.length < 2 ? readings : readings.sort((left, right) => left.at - right.at);
}

/** Kept with the machine: of a large fleet, declaring them anew takes longer than looking them up. */
const windowFeeds = oncePer(({id}: Pick<VirtualMachine, 'id'>) =>
  (['1h', '6h', '1d', '15d'] as const).map(window => metricsFeed(id, window)),
);

/** A list that no pane shows is read a quarter as often. */
const ASIDE_FACTOR = 4;

/** What has to be read for critical findings while the person looks at something else. */
export function alertWants({store}: Pick<Known, 'store'>): readonly Want[] {
  const changing = (lastValue(store.get(clustersFeed))?.records ?? []).filter(({status}) => status !== 'ACTIVE');
  return [
    ...[...TRIAGE_LISTS.map(({feed}) => feed), creditFeed].map(feed => ({
      feed,
      priority: 6,
      intervalMs: ASIDE_FACTOR * feed.intervalMs,
    })),
    ...changing
      .slice(0, MAX_CHANGING)
      .map(({id}) => ({feed: clusterEventsFeed(id), priority: 7, intervalMs: MINUTE_MS})),
  ];
}

const MAX_CHANGING = 6;

export const METRICS_INTERVAL_MS: DurationMs = 5 * MINUTE_MS;

export type MetricsInput = Omit<Known, 'preferences'> & Pick<TriageInput, 'activity'>;

/** How close to its due time a machine's metrics may be read. */
const RENEWED_MS: DurationMs = 5 * SECOND_MS;

/** The due readings that triage needs of the costliest running machines: none before their costs were asked for. */
export function dueMetrics(known: MetricsInput & MetricsScope): readonly Feed<MachineMetrics>[] {
  const {store, monotonicNow} = known;
  if (store.get(usageFeed).status === 'waiting') return [];
  const step = Math.floor(monotonicNow / RENEWED_MS);
  return dueOnce(store, [step, costliestRunning(store)], () =>
    triagedMachines(known).flatMap(machine => dueOf(machine, known) ?? []),
  );
}

const dueOnce = memoPer<Store, readonly Feed<MachineMetrics>[]>();

type MetricsScope = Pick<Known, 'store' | 'preferences'>;

/** The machines whose metrics are judged. */
export function triagedMachines({store, preferences}: MetricsScope): readonly VirtualMachine[] {
  return costliestRunning(store).slice(0, preferences.judgedMachineCount);
}

type UnreadMetrics = {
  readonly pendingCount: number;
  readonly unaskedCount: number;
  /** Requested, but not received. */
  readonly failedCount: number;
};

/** How many running machines are not judged by their metrics: those still to be read, and those never read unasked. */
export function unreadMetrics({store, preferences: {judgedMachineCount}}: MetricsScope): UnreadMetrics {
  return unreadOnce(store, [store.version(), judgedMachineCount], () => countUnread(store, judgedMachineCount));
}

/** Cached, because every key asks for it, and there may be ten thousand machines. */
const unreadOnce = memoPer<Store, UnreadMetrics>();

function countUnread(store: Store, judgedMachineCount: number): UnreadMetrics {
  const isUnread = (machine: VirtualMachine) => newestReading(machine, store) === undefined;
  const running = costliestRunning(store);
  const unread = running.slice(0, judgedMachineCount).filter(isUnread);
  const failedCount = unread.filter(({id}) =>
    (['1h', '1d'] as const).some(window => store.get(metricsFeed(id, window)).status === 'failed'),
  ).length;
  return {
    pendingCount: unread.length - failedCount,
    unaskedCount: running.slice(judgedMachineCount).filter(isUnread).length,
    failedCount,
  };
}

function dueOf(
  machine: VirtualMachine,
  {store, now, monotonicNow, activity, preferences}: MetricsInput & MetricsScope,
): Feed<MachineMetrics> | undefined {
  const metrics = freshMetrics(machine, store, monotonicNow);
  // Two weeks take a megabyte: they are read once, and only for machines that were quiet for a day.
  if (
    metrics !== undefined &&
    activity !== undefined &&
    needsTwoWeeks(machine, {metrics, now, activity, preferences})
  ) {
    return metricsFeed(machine.id, '15d');
  }
  const isRead = (['15d', '1d', '6h', '1h'] as const).some(window => {
    const at = readAt(store.get(metricsFeed(machine.id, window)));
    return at !== undefined && monotonicNow - at < METRICS_INTERVAL_MS;
  });
  return isRead ? undefined : metricsFeed(machine.id, activity?.windowFor(machine, now) ?? '1d');
}

/**
 * When the burn rate rises, the histories of this many of the costliest new resources are read to see who started them.
 */
const MAX_STARTERS = 6;

/** After a rise was ended, the histories of this many of the newest hibernated machines tell when they stopped running. */
const MAX_ENDED = 30;

/** The histories that say who started what raised the burn rate, and when it was ended, if it rose. */
export function burnHistories(known: Known): readonly Feed<Listing<MachineEvent>>[] {
  const figures = billingFigures(known);
  if (figures === undefined) return [];
  const {anomaly, incident, reading} = figures;
  const begun = (anomaly?.causes ?? []).flatMap(({record}) =>
    record.resourceType.toLowerCase() === 'vm' ? [record.resourceId] : [],
  );
  const ended = anomaly === undefined && incident === undefined ? [] : hibernatedMachineIds(reading.live);
  const ids = new Set([...begun.slice(0, MAX_STARTERS), ...ended.slice(0, MAX_ENDED)]);
  return [...ids].map(id => eventsFeed(virtualMachineId(id)));
}

/** Machines without metrics whose events may say why: they may have just been started or restored. */
export function silentAmong(machines: readonly VirtualMachine[], {store, now}: Pick<MetricsInput, 'store' | 'now'>) {
  return machines.filter(machine => {
    const reading = newestReading(machine, store);
    return (
      machine.status === 'ACTIVE' && reading !== undefined && isSilent(reading.metrics, {now, since: machine.createdAt})
    );
  });
}

/** Whether two weeks of a machine must be read: it was quiet for a day, and what came before is not known. */
export function needsTwoWeeks(
  machine: VirtualMachine,
  {
    metrics,
    now,
    activity,
    preferences: {idle},
  }: {
    /** Its last reading. */
    readonly metrics: MachineMetrics;
    readonly now: EpochMs;
    readonly activity: LearntActivity;
    readonly preferences: Pick<Preferences, 'idle'>;
  },
): boolean {
  if (machine.status !== 'ACTIVE' || activity.isLong(machine)) return false;
  const day = activity.dayWith(machine, metrics, now);
  const runs = activity.runsOf(machine);
  return needOnce(day, [Math.floor(now / HOUR_MS), idle, runs, machine.flavor], () => {
    const verdict = idleVerdict(day, machine.flavor, {now, runs, ...idle});
    return verdict.verdict === 'quiet' && mayBeIdle(verdict, {createdAt: machine.createdAt, now, idleMs: idle.idleMs});
  });
}

/** Whether two weeks of a machine are to be read and were not asked for yet, or have no answer yet. */
function isActivityAwaited(machine: VirtualMachine, known: TriageInput): boolean {
  const {store, now, monotonicNow, activity, preferences} = known;
  if (activity === undefined || store.get(metricsFeed(machine.id, '15d')).status !== 'waiting') return false;
  const metrics = freshMetrics(machine, store, monotonicNow);
  const isJudged = metrics !== undefined && triagedMachines(known).includes(machine);
  return isJudged && needsTwoWeeks(machine, {metrics, now, activity, preferences});
}

const needOnce = memoPer<MachineMetrics, boolean>();

/** The running machines, costliest first. */
export function costliestRunning(store: Store): readonly VirtualMachine[] {
  const [machines, rates] = [observedMachines(store) ?? NO_MACHINES, presentRates(store)];
  return sortedOnce(machines, [rates], () =>
    costliestFirst(
      machines.filter(({status}) => status === 'ACTIVE'),
      rates,
    ),
  );
}

const sortedOnce = memoPer<readonly VirtualMachine[], readonly VirtualMachine[]>();

const NO_MACHINES: readonly VirtualMachine[] = [];
