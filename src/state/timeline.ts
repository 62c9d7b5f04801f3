import type {UsageRecord} from '../domain/billing.ts';
import {burnRate, isSettled, withAddress} from '../domain/cost.ts';
import {memoPer, oncePer} from '../domain/memo.ts';
import {type BurnHistory, burnHistory} from '../domain/money/burn-history.ts';
import {isBurnUnknown} from '../domain/money/usage-flag.ts';
import {billingInStatus} from '../domain/money/state-billing.ts';
import {isPositive, type Rate, ZERO_RATE} from '../domain/money.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type EpochMs, MINUTE_MS} from '../domain/time.ts';
import {rateChangeEntry} from '../domain/timeline/changes.ts';
import {
  type Between,
  billingEntries,
  clusterEntries,
  contractEntries,
  eventEntry,
  findingEntry,
  firewallEntries,
  hibernationChange,
  incidentEntry,
  momentWords,
  operationEntry,
  type SentOperation,
  type TimelineEntry,
  type TimelineSubject,
} from '../domain/timeline/entry.ts';
import {type Groups, groupsOf} from '../domain/timeline/suspects.ts';
import {isAbout, timelineOf, withCreationChanges, withHibernationChanges} from '../domain/timeline/timeline.ts';
import type {Finding} from '../domain/triage/finding.ts';
import {findingKey} from '../domain/triage/mute.ts';
import {stoppedButBilled} from '../domain/triage/stopped-but-billed.ts';
import type {Triage} from '../domain/triage/triage.ts';
import {
  hasAddress,
  isTransitional,
  isTroubled,
  type MachineEvent,
  type VirtualMachine,
} from '../domain/virtual-machine.ts';
import {billingFigures, deletedUsageFeed, presentlyExcluded, presentRates, usageFeed} from './billing.ts';
import {clusterEventsFeed, clustersFeed} from './clusters.ts';
import {contractsFeed, presentRunningRate} from './contracts.ts';
import type {Feed, Listing} from './feed.ts';
import {firewallsFeed, observedFirewalls} from './firewalls.ts';
import {type ListChanges, MAX_CHANGES, startedAt} from './list-changes.ts';
import {eventsRead, machinesFeed, observedById, observedMachines} from './machines.ts';
import type {Store} from './store.ts';
import {lastTriage, presentTriage, type TriageInput} from './triage.ts';
import {volumesFeed} from './volumes.ts';
import {presentWaste} from './waste.ts';

/** Changes observed since the deck started, whichever pane was open. Owns the previous content of each list. */
export class SeenChanges {
  readonly #lists: readonly ListChanges[];
  #entries: TimelineEntry[] = [];
  #ratesRead: ReadonlyMap<number, Rate> | undefined;
  /** The last metered rate of each machine while it was not in transition to another state. */
  #settledRates: ReadonlyMap<number, SettledRate> = new Map();
  readonly #risen = new Map<string, {readonly finding: Finding; readonly risen: Between | undefined}>();
  #judged: Triage | undefined;
  #judgedAt: EpochMs | undefined;
  #version = 0;

  constructor(lists: readonly ListChanges[]) {
    this.#lists = lists;
  }

  /** Compares what was read since the previous call with what was known then. Cheap if nothing was. */
  compare(known: TriageInput): void {
    const found = [
      ...this.#lists.flatMap(list => list(known)),
      ...this.#changedRates(known),
      ...this.#changedFindings(known),
    ];
    if (found.length === 0) return;
    this.#version += 1;
    this.#entries = [...this.#entries, ...found].slice(-MAX_CHANGES);
  }

  /** Grows with every change. */
  version(): number {
    return this.#version;
  }

  entries(): readonly TimelineEntry[] {
    return this.#entries;
  }

  /** The two readings between which a finding began; undefined for one that was there at the first. */
  risen(finding: Finding): Between | undefined {
    return this.#risen.get(findingKey(finding))?.risen;
  }

  #changedRates(input: TriageInput): readonly TimelineEntry[] {
    const rates = presentRates(input.store);
    if (rates === this.#ratesRead || rates.size === 0) return [];
    this.#ratesRead = rates;
    const at = startedAt(input.store.get(usageFeed), input);
    const machines = observedById(input.store);
    const before = this.#settledRates;
    const settled = [...rates].flatMap(([id, rate]): readonly (readonly [number, SettledRate])[] => {
      if (!isPaused(rate, machines.get(id))) return [[id, {rate, at}]];
      const known = before.get(id);
      return known === undefined ? [] : [[id, known]];
    });
    // A rate that cannot be read once is compared with the last one that could.
    const unread = [...before].filter(([id]) => !rates.has(id) && machines.has(id));
    this.#settledRates = new Map([...unread, ...settled]);
    return settled.flatMap(([id, {rate}]) => {
      const old = before.get(id);
      // New and deleted machines are reported through their billing spans.
      if (old === undefined) return [];
      const subject = {type: 'vm', id, name: machines.get(id)?.name ?? say`#${id}`} as const;
      return rateChangeEntry(subject, {before: old.rate, rate}, {after: old.at, at}) ?? [];
    });
  }

  #changedFindings(input: TriageInput): readonly TimelineEntry[] {
    const {store, now} = input;
    const judged = lastTriage(store);
    // Nothing can be judged before machines were read, and the findings of that first time are not new.
    if (judged === undefined || judged === this.#judged || lastValue(store.get(machinesFeed)) === undefined) return [];
    const after = this.#judgedAt;
    const unjudgedBefore = unjudgedRules(this.#judged);
    this.#judged = judged;
    this.#judgedAt = now;
    const unjudged = unjudgedRules(judged);
    const standing = new Map(standingFindings(judged).map(finding => [findingKey(finding), finding]));
    const ended = [...this.#risen].filter(
      // If its rule cannot be judged now, the finding may still hold.
      ([key, {finding}]) => !standing.has(key) && !unjudged.has(finding.rule) && !isStillWasted(finding, input),
    );
    for (const [key] of ended) this.#risen.delete(key);
    for (const [key, finding] of standing) {
      const known = this.#risen.get(key);
      // If its rule could not be judged before, the finding may be old.
      const isNew = known === undefined && after !== undefined && !unjudgedBefore.has(finding.rule);
      const risen = isNew ? {after, at: now} : known?.risen;
      this.#risen.set(key, {finding, risen});
    }
    return ended.map(([key, {finding, risen}]): TimelineEntry => {
      const read = lastRead(finding, input);
      // It was still there with what that reading showed, so something read since has ended it.
      const at = after !== undefined && read < after ? now : read;
      return {
        key: `finding ended ${key} ${now}`,
        at,
        ...(after === undefined ? {} : {after}),
        source: 'finding',
        alsoFrom: [],
        subjects: [finding.subject],
        what: say`ended: ${finding.summary}`,
        changes: [],
        notes: [...beginWords(finding.since, risen), ...finding.evidence],
        isTrouble: false,
      };
    });
  }
}

/**
 * When the list with the subject of a finding was read. Another pane may judge it much later, when what ended has already
 * begun again.
 */
function lastRead({subject: {type}}: Finding, known: TriageInput): EpochMs {
  const feed = new Map<TimelineSubject['type'], Feed<unknown>>(LISTS).get(type);
  return feed === undefined ? known.now : startedAt(known.store.get<unknown>(feed), known);
}

const LISTS: readonly (readonly [TimelineSubject['type'], Feed<unknown>])[] = [
  ['vm', machinesFeed],
  ['cluster', clustersFeed],
  ['firewall', firewallsFeed],
  ['volume', volumesFeed],
  ['contract', contractsFeed],
];

/**
 * The finding may have gone only because events now show that it was stopped too recently to matter. It is still
 * billed.
 */
function isStillWasted({rule, subject}: Finding, known: TriageInput): boolean {
  const judged = rule === stoppedButBilled.id ? presentWaste(known) : undefined;
  const all = judged === undefined ? [] : [...judged.waste, ...judged.kept];
  return all.some(({kind, resourceId}) => kind === rule && resourceId === subject.id);
}

type SettledRate = {readonly rate: Rate; readonly at: EpochMs};

/**
 * In transition a machine is not billed, so a stop would show the burn rate falling and rising again within seconds. A
 * machine in ERROR stays free of charge.
 */
function isPaused({numerator}: Rate, machine: VirtualMachine | undefined): boolean {
  return numerator === 0n && machine?.status !== 'ERROR';
}

function beginWords(since: EpochMs | undefined, risen: Between | undefined): readonly SafeText[] {
  if (since !== undefined) return [say`it began at ${momentWords(since)}`];
  return risen === undefined ? [] : [say`it was first seen at ${momentWords(risen.at)}`];
}

function unjudgedRules(judged: Triage | undefined): ReadonlySet<string> {
  return new Set(judged?.unknown.map(({rule}) => rule));
}

export type TimelineInput = {
  readonly known: TriageInput;
  readonly since: EpochMs;
  readonly sent: readonly SentOperation[];
  readonly changes: Pick<SeenChanges, 'entries' | 'risen'> | undefined;
  /** The user that the API key belongs to. */
  readonly ownUserId: number | undefined;
  /** The only objects to tell of; all by default. What others did at the same time is then not merged with it. */
  readonly about?: readonly TimelineSubject[] | undefined;
};

/** Everything known to have happened since a moment, newest first; undefined until something was read. */
export function presentTimeline(input: TimelineInput): readonly TimelineEntry[] | undefined {
  const {known, since, sent, changes, ownUserId, about} = input;
  const {store, now, preferences} = known;
  const minute = Math.floor(now / MINUTE_MS);
  const told = toldOnce(store, [store.version(), preferences, ownUserId, minute], () => toldBy(known, ownUserId));
  if (told === undefined) return undefined;
  const figures = billingFigures(known);
  const anomaly = figures?.anomaly;
  const entries = [
    ...told.entries,
    ...standingFindings(presentTriage(known)).map(finding =>
      findingEntry(finding, {risen: changes?.risen(finding), anomaly}),
    ),
    ...(figures?.incident === undefined ? [] : [incidentEntry(figures.incident)]),
    ...sent.map(operationEntry),
    ...(changes?.entries() ?? []),
  ];
  const isInTime = ({at, until}: TimelineEntry) =>
    at === undefined || ((until ?? at) >= since && at <= now + MINUTE_MS);
  const isAsked = (entry: TimelineEntry) => about?.some(each => isAbout(entry, each)) ?? true;
  const shown = entries.filter(entry => isInTime(entry) && isAsked(entry));
  return withCreationChanges(withHibernationChanges(timelineOf(shown), told.hibernationChanges), unmeteredRates(known));
}

/** What new machines will cost that are not metered yet; undefined where that is unknown. */
function unmeteredRates(known: TriageInput): ReadonlyMap<number, Rate | undefined> {
  const {store, now, preferences} = known;
  const [metered, excluded] = [presentRates(store), presentlyExcluded(store)];
  const isUnmetered = ({id, status, createdAt}: VirtualMachine) =>
    !isSettled(createdAt, now) &&
    !excluded.has(id) &&
    !isPositive(metered.get(id) ?? ZERO_RATE) &&
    (isTransitional(status) || billingInStatus(status, preferences.prices) !== 'free');
  return new Map(
    (observedMachines(store) ?? []).filter(isUnmetered).map(machine => [machine.id, listedRate(machine, known)]),
  );
}

/** What a machine costs while it runs. An address that could not be read is left out, so it is at least that. */
function listedRate(machine: VirtualMachine, known: TriageInput): Rate | undefined {
  return withAddress(presentRunningRate(machine, known), machine.floatingIp !== undefined, known.preferences.prices);
}

/** What the service tells of the past: histories, and when billing began and ended. */
type Told = {
  readonly entries: readonly TimelineEntry[];
  /** By machine: how much the burn rate fell. */
  readonly hibernationChanges: ReadonlyMap<number, Rate>;
};

/** Cached, because every key asks for it, and there may be ten thousand machines. */
const toldOnce = memoPer<Store, Told | undefined>();

function toldBy(known: TriageInput, ownUserId: number | undefined): Told | undefined {
  const {store} = known;
  const machines = observedMachines(store);
  const billed = billedSpans(known);
  if (machines === undefined && billed === undefined) return undefined;
  const clusters = lastValue(store.get(clustersFeed))?.records ?? [];
  const entries = [
    ...(machines ?? []).flatMap(({id, name}) =>
      (eventsRead(store, id) ?? NO_EVENTS).map(event => eventEntry(event, {type: 'vm', id, name}, ownUserId)),
    ),
    ...clusters.flatMap(({id, name}) =>
      (lastValue(store.get(clusterEventsFeed(id)))?.records ?? []).map(event =>
        eventEntry(event, {type: 'cluster', id, name}, ownUserId),
      ),
    ),
    ...clusters.flatMap(cluster =>
      lastValue(store.get(clusterEventsFeed(cluster.id))) === undefined ? clusterEntries(cluster) : [],
    ),
    ...(observedFirewalls(store) ?? []).flatMap(firewallEntries),
    ...(lastValue(store.get(contractsFeed))?.records ?? []).flatMap(contractEntries),
    ...(billed?.entries ?? []),
  ];
  return {entries, hibernationChanges: billed?.hibernationChanges ?? new Map()};
}

const NO_EVENTS: readonly MachineEvent[] = [];

/** What usage tells; undefined until it was read. Most of all, and unchanged by what else arrives meanwhile. */
function billedSpans(known: TriageInput): Told | undefined {
  const {store, now, preferences} = known;
  const live = lastValue(store.get(usageFeed));
  if (live === undefined) return undefined;
  const deleted = lastValue(store.get(deletedUsageFeed));
  const contracts = lastValue(store.get(contractsFeed));
  const inputs = [deleted, contracts, observedMachines(store), preferences.prices, Math.floor(now / MINUTE_MS)];
  return billedOnce(live, inputs, () => spansOf([...live.records, ...(deleted?.records ?? [])], known));
}

const billedOnce = memoPer<Listing<UsageRecord>, Told>();

function spansOf(usage: readonly UsageRecord[], known: TriageInput): Told {
  const machines = observedById(known.store);
  const machineOf = ({resourceType, resourceId}: UsageRecord) =>
    resourceType.toLowerCase() === 'vm' ? machines.get(resourceId) : undefined;
  const listed = (record: UsageRecord) => {
    const machine = machineOf(record);
    return machine && listedRate(machine, known);
  };
  const hibernationChanges = usage.flatMap((record): readonly (readonly [number, Rate])[] => {
    const machine = machineOf(record);
    if (machine?.status !== 'HIBERNATED' || hasAddress(machine) === undefined) return [];
    const change = hibernationChange(record, listed(record));
    return change === undefined ? [] : [[record.resourceId, change]];
  });
  return {
    entries: usage.flatMap(record => billingEntries(record, listed(record))),
    hibernationChanges: new Map(hibernationChanges),
  };
}

/** Muted findings are listed too. */
function standingFindings({findings, muted}: Triage): readonly Finding[] {
  return [...findings, ...muted.map(({finding}) => finding)];
}

/** Which objects belong together, by the lists as last read. */
export function presentGroups(store: Store): Groups {
  return groupsOf({
    machines: observedMachines(store),
    clusters: lastValue(store.get(clustersFeed))?.records,
    firewalls: observedFirewalls(store),
    volumes: lastValue(store.get(volumesFeed))?.records,
  });
}

/** The current burn rate; undefined until usage was read, and while none of it has a usable rate. */
export function presentBurn(store: Store): Rate | undefined {
  const usage = lastValue(store.get(usageFeed));
  return usage === undefined || isBurnUnknown(usage.records) ? undefined : burnRate(usage.records).rate;
}

/** The burn rate of the past; undefined until usage was read. */
export function presentBurnHistory(known: Parameters<typeof billingFigures>[0]): BurnHistory | undefined {
  const figures = billingFigures(known);
  return figures === undefined ? undefined : historyOf(figures);
}

const historyOf = oncePer(burnHistory);

/**
 * Machines in the order in which their histories are worth a request each: first those seen to change or with findings,
 * then those in trouble or recently started, then the costliest.
 */
export function machinesByNews(
  known: TriageInput,
  changes: Pick<SeenChanges, 'entries'> | undefined,
): readonly VirtualMachine[] {
  const {store} = known;
  const machines = observedMachines(store) ?? NO_MACHINES;
  const [rates, {findings}] = [presentRates(store), presentTriage(known)];
  const entries = changes?.entries() ?? NO_ENTRIES;
  return rankedOnce(machines, [rates, findings, entries], () => rankedByNews(machines, {rates, findings, entries}));
}

const NO_MACHINES: readonly VirtualMachine[] = [];
const NO_ENTRIES: readonly TimelineEntry[] = [];

/** Cached, because it is needed after every key press. */
const rankedOnce = memoPer<readonly VirtualMachine[], readonly VirtualMachine[]>();

function rankedByNews(
  machines: readonly VirtualMachine[],
  {rates, findings, entries}: MachineCosts & Pick<Triage, 'findings'> & {readonly entries: readonly TimelineEntry[]},
): readonly VirtualMachine[] {
  const news = new Map<TimelineSubject['id'], number>();
  for (const [index, {subjects}] of entries.entries())
    for (const {type, id} of subjects) if (type === 'vm') news.set(id, CHANGED_RANK + index);
  for (const {subject} of findings)
    if (subject.type === 'vm' && !news.has(subject.id)) news.set(subject.id, FINDING_RANK);
  const rankOf = (machine: VirtualMachine) => news.get(machine.id) ?? (isTroubled(machine) ? TROUBLE_RANK : 0);
  const ranked = machines.flatMap(machine => {
    const rank = rankOf(machine);
    return rank === 0 ? [] : [{machine, rank, cost: costIn(rates, machine)}];
  });
  const first = ranked
    .sort((left, right) => right.rank - left.rank || right.cost - left.cost || left.machine.id - right.machine.id)
    .map(({machine}) => machine);
  const isFirst = new Set(first);
  const others = newestOnce(machines, [rates], () => newestMachines(machines, rates));
  return [...first, ...others.filter(machine => !isFirst.has(machine))];
}

type MachineCosts = {readonly rates: ReturnType<typeof presentRates>};

/** Without news, the order of thousands changes only with their list. */
const newestOnce = memoPer<readonly VirtualMachine[], readonly VirtualMachine[]>();

function newestMachines(machines: readonly VirtualMachine[], rates: MachineCosts['rates']): readonly VirtualMachine[] {
  return machines
    .map(machine => ({machine, cost: costIn(rates, machine)}))
    .sort(
      (left, right) =>
        (right.machine.createdAt ?? 0) - (left.machine.createdAt ?? 0) ||
        right.cost - left.cost ||
        left.machine.id - right.machine.id,
    )
    .map(({machine}) => machine);
}

function costIn(rates: MachineCosts['rates'], {id}: VirtualMachine): number {
  const rate = rates.get(id);
  return rate === undefined ? 0 : Number(rate.numerator) / Number(rate.denominator);
}

const TROUBLE_RANK = 1;
const FINDING_RANK = 2;
const CHANGED_RANK = 3;
