import type {OrganizationUser} from '../account.ts';
import type {UsageRecord} from '../billing.ts';
import type {ResourceType} from '../cloud-resource.ts';
import type {Cluster, ClusterEvent} from '../cluster.ts';
import type {Contract} from '../contract.ts';
import {clusterCost, excludedMachines, type Runway} from '../cost.ts';
import type {Failure} from '../failure.ts';
import type {Firewall} from '../firewall.ts';
import type {Fix} from '../fix.ts';
import type {Flavor} from '../flavor.ts';
import type {GpuLoad, GpuActivity} from '../gpu-load.ts';
import type {BurnAnomaly, BurnIncident} from '../money/anomaly.ts';
import type {Activity} from '../money/idle.ts';
import type {Rate, Usd} from '../money.ts';
import type {Preferences} from '../preferences.ts';
import {nameInWords, type SafeText, safeText, say} from '../safe-text.ts';
import {type MachineMetrics, metricsSince} from '../series.ts';
import type {Stock} from '../stock.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS} from '../time.ts';
import {sampleAge} from '../utilization.ts';
import {
  cannotHibernate,
  isAboutState,
  isNode,
  type MachineEvent,
  newestEvent,
  saysFailure,
  type VirtualMachine,
} from '../virtual-machine.ts';
import type {Volume} from '../volume.ts';
import type {Mute} from './mute.ts';
import {durationWords} from './words.ts';

export const SEVERITIES = ['critical', 'warning', 'notice'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The subject of a finding. The account and the service have no id. */
export type FindingSubject = {
  readonly type: ResourceType | 'account' | 'service';
  readonly id?: number;
  readonly name: SafeText;
};

/** The subject within a sentence; those without a name of their own get ours. */
export function subjectInWords({type, id, name}: FindingSubject): SafeText {
  const isOurWord = type === 'account' || type === 'service' || name === `${type} #${id}`;
  return isOurWord ? name : nameInWords(name);
}

/** The chart that proves a finding: a metric of its machine or of its GPUs, or the burn rate of the account. */
export type EvidenceChart = keyof MachineMetrics | 'gpu' | 'gpuMemory' | 'burn';

/** One thing that somebody on call should look at. */
export type Finding = {
  /** The id of the rule that found it. */
  readonly rule: string;
  readonly severity: Severity;
  readonly subject: FindingSubject;
  /** What is wrong, in a few words for a list. It names no object, so that it is the same for all similar findings. */
  readonly summary: SafeText;
  /** Absent if unknown. */
  readonly since?: EpochMs;
  /** When it got worse last, after which a person who had muted it is told again. `since` if absent. */
  readonly worseSince?: EpochMs;
  /** What the subject costs now, if that is part of the finding. */
  readonly rate?: Rate;
  /** A part of the subject costs more than that: what is not known. */
  readonly isRateAtLeast?: boolean;
  /** The evidence, one sentence each. */
  readonly evidence: readonly SafeText[];
  /** The chart that shows it. */
  readonly chart?: EvidenceChart;
  /** What to do, in one sentence. */
  readonly advice: SafeText;
  /** Commands that help, best first. */
  readonly commands: readonly SafeText[];
  /** The machines involved, if its subject is the whole account. */
  readonly machineIds?: readonly number[];
  /** The actions that end it, if any: one, or the same one on several subjects. */
  readonly fixes?: readonly Fix[];
  /** From then on it cannot be muted. */
  readonly mutedAtMostUntil?: EpochMs;
};

/** A finding as its rule gives it: `triage` adds the rule's id, so that mutes and waste can rely on it. */
export type RuleFinding = Omit<Finding, 'rule'>;

/**
 * Everything rules look at. What was not read yet is undefined: a rule that needs it reports that it cannot judge, and
 * what is missing.
 */
export type KnownAccount = {
  readonly now: EpochMs;
  readonly preferences: Preferences;
  readonly machines: readonly VirtualMachine[] | undefined;
  /** The metered rate of each machine; undefined until usage was read. */
  readonly rates: ReadonlyMap<number, Rate> | undefined;
  /** Metered rates, record by record. */
  readonly usage: readonly UsageRecord[] | undefined;
  /** The metered rate of each volume. */
  readonly volumeRates: ReadonlyMap<number, Rate> | undefined;
  readonly volumes: readonly Volume[] | undefined;
  /** Incomplete lists, and what is missing, a sentence each: it may exist all the same. */
  readonly partial: ReadonlyMap<'machines' | 'volumes', readonly SafeText[]>;
  /** Why some machines cannot be judged by their state, a sentence each: they may be in any trouble. */
  readonly unjudgedMachines: readonly SafeText[];
  readonly clusters: readonly Cluster[] | undefined;
  readonly firewalls: readonly Firewall[] | undefined;
  readonly contracts: readonly Contract[] | undefined;
  readonly flavors: readonly Flavor[] | undefined;
  /** The stock of each GPU model; without it a flavor's own flag counts. */
  readonly stocks?: readonly Stock[] | undefined;
  /** The newest reading, however old: what it proved holds until a newer one says otherwise. */
  readonly metricsOf: (machine: VirtualMachine) => MachineMetrics | undefined;
  /** When that was read, which is the moment its rules judge. */
  readonly metricsReadAt: (machine: VirtualMachine) => EpochMs;
  /** When it was seen to start running; undefined if that was not seen. */
  readonly activeSince: (machine: VirtualMachine) => EpochMs | undefined;
  /** When it was last seen in a state other than its present one; undefined if never. */
  readonly changedAfter: (machine: VirtualMachine) => EpochMs | undefined;
  /** Activity in the two weeks before, as far as learnt. */
  readonly runsOf: (machine: VirtualMachine) => readonly Activity[];
  /** Whether more of that is being read for the first time. */
  readonly isActivityAwaited: (machine: VirtualMachine) => boolean;
  /** What DCGM reports about its GPUs; undefined if nothing does. */
  readonly gpusOf: (
    machine: VirtualMachine,
  ) => {readonly load: GpuLoad; readonly activity: GpuActivity | undefined} | undefined;
  /** Why nothing is known about any GPU, if a Prometheus was queried. */
  readonly gpuFailure?: SafeText | undefined;
  readonly eventsOf: (machine: VirtualMachine) => readonly MachineEvent[] | undefined;
  /** The members of the organization. */
  readonly users: readonly OrganizationUser[] | undefined;
  readonly clusterEventsOf: (cluster: Cluster) => readonly ClusterEvent[] | undefined;
  /** How long the prepaid credit lasts; undefined if the credit is unknown. */
  readonly runway: Runway | undefined;
  readonly spend: KnownSpend | undefined;
  /** Whether the burn rate is far above the usual now. */
  readonly anomaly: BurnAnomaly | undefined;
  /** What it rose to within the last day, if it has fallen since. */
  readonly incident?: BurnIncident | undefined;
  readonly service: KnownService;
  /** What a person has muted. */
  readonly mutes: readonly Mute[];
  /** Our own public address, as far as an SSH session shows it. */
  readonly ownAddress?: SafeText | undefined;
};

/** An account of which nothing was read yet. */
export function unreadAccount(now: EpochMs, preferences: Preferences): KnownAccount {
  return {
    now,
    preferences,
    machines: undefined,
    rates: undefined,
    usage: undefined,
    volumeRates: undefined,
    volumes: undefined,
    partial: new Map(),
    unjudgedMachines: [],
    clusters: undefined,
    firewalls: undefined,
    contracts: undefined,
    flavors: undefined,
    metricsOf: () => undefined,
    metricsReadAt: () => now,
    activeSince: () => undefined,
    changedAfter: () => undefined,
    runsOf: () => [],
    isActivityAwaited: () => false,
    gpusOf: () => undefined,
    eventsOf: () => undefined,
    users: undefined,
    clusterEventsOf: () => undefined,
    runway: undefined,
    spend: undefined,
    anomaly: undefined,
    service: {clockOffsetMs: undefined, requestsLastMinute: 0, requestCeiling: 1, readings: []},
    mutes: [],
  };
}

type KnownSpend = {
  /** Both undefined if unknown. */
  readonly burn: Rate | undefined;
  /** When the usage was read that it follows from, if that is too long ago for the present. */
  readonly usageAt?: EpochMs | undefined;
  readonly monthToDate: Usd | undefined;
  readonly month: {readonly start: EpochMs; readonly end: EpochMs};
  /** Deleted resources were not read, so the past looks cheaper than it was. */
  readonly lacksDeleted?: boolean;
  /** Month-to-date lacks what was deleted in the month. */
  readonly isMonthAtLeast?: boolean;
  /** The length of the burn rate's history, from its first record on; infinite if there is none. */
  readonly curve?: {readonly startsAt: number};
};

/** How well the service can be read. */
export type KnownService = {
  /** The service's clock minus the local one; undefined if no answer had a date. */
  readonly clockOffsetMs: DurationMs | undefined;
  /** False if the two are too far apart for the service's to be right; true if absent. */
  readonly isClockFollowed?: boolean | undefined;
  readonly requestsLastMinute: number;
  readonly requestCeiling: number;
  /** Each list that is overdue or cannot be read. */
  readonly readings: readonly {
    readonly what: SafeText;
    /** Nearly every rule judges by the machines. */
    readonly isMachines?: boolean;
    readonly ageMs: DurationMs | undefined;
    readonly intervalMs: DurationMs;
    readonly failure: Failure | undefined;
    /** Since the first of the failures; undefined if there is none, or nothing to be old. */
    readonly failingMs?: DurationMs | undefined;
  }[];
};

export type Verdict = {
  readonly findings: readonly RuleFinding[];
  /** Why the rule could not judge everything, one reason or several; absent or empty if it could. */
  readonly cannotJudge?: SafeText | readonly SafeText[];
  /** All that it lacks is being read for the first time. */
  readonly isAwaited?: boolean | undefined;
};

/** One check. */
export type TriageRule = {
  readonly id: string;
  /** What it looks for, if its id is no plain English. */
  readonly looksFor?: SafeText;
  /** It reports wasted money, which a person can keep on purpose until a date. */
  readonly isWaste?: true;
  /** Data the service does not report. Without another source for it, the rule is not judged. */
  readonly needs?: 'gpus';
  /** It judges machines by their state: it cannot judge one whose record or state was not read. */
  readonly needsState?: true;
  readonly judge: (account: KnownAccount) => Verdict;
};

export function machineSubject({id, name}: Pick<VirtualMachine, 'id' | 'name'>): FindingSubject {
  return {type: 'vm', id, name};
}

export function clusterSubject({id, name}: Cluster): FindingSubject {
  return {type: 'cluster', id, name};
}

/** How events describe the beginning of a run. */
const BEGINS = /start|restor|reboot/i;

/**
 * When a machine started running, as far as its history and observations show; the beginning of all time if unknown.
 */
export function lastStartOf(machine: VirtualMachine, known: StartsKnown): EpochMs {
  return epochMs(Math.max(machine.createdAt ?? 0, restartOf(machine, known)));
}

type StartsKnown = Pick<KnownAccount, 'activeSince' | 'eventsOf'>;

/**
 * When a machine that existed before was started, restored or rebooted, as far as known; the beginning of all time
 * otherwise. What was measured before, in an earlier run, says nothing about what it does now.
 */
export function restartOf(machine: VirtualMachine, {activeSince, eventsOf}: StartsKnown): EpochMs {
  const begun = eventsOf(machine)?.filter(
    event => isAboutState(event) && BEGINS.test(event.reason) && !saysFailure(event),
  );
  const told = newestEvent(begun)?.occurredAt;
  return epochMs(Math.max(activeSince(machine) ?? 0, told ?? 0));
}

/** Three samples of the documented five minutes. A machine younger than this has had no time for any. */
export const SILENT_AFTER_MS: DurationMs = 15 * MINUTE_MS;

/** Whether a machine that has been running since a moment, or for long, has sent no metrics for too long. */
export function isSilent(
  metrics: MachineMetrics,
  {now, since = epochMs(0)}: {readonly now: EpochMs; readonly since?: EpochMs | undefined},
): boolean {
  const newest = sampleAge(metrics, now);
  if (now - since < SILENT_AFTER_MS) return false;
  return newest === undefined || newest.aheadMs !== undefined || newest.ageMs >= SILENT_AFTER_MS;
}

/** An older reading is marked as such: each is due every five minutes. */
export const MAX_METRICS_AGE_MS: DurationMs = 10 * MINUTE_MS;

/** How to give back an unused machine. A cluster manages the power of its nodes; some flavors cannot hibernate. */
export function givingBack(machine: VirtualMachine): {
  readonly words: SafeText;
  readonly answer: Pick<Finding, 'fixes' | 'commands'>;
} {
  const {id, clusterId} = machine;
  if (isNode(machine)) {
    const commands = [say`skydeck ssh ${id}`, describeCluster(clusterId)];
    return {words: say`Make its node group smaller`, answer: {commands}};
  }
  if (cannotHibernate(machine)) {
    const commands = [say`skydeck vm delete ${id}`, say`skydeck ssh ${id}`];
    return {words: say`Delete it`, answer: {fixes: [{kind: 'vm.delete', id}], commands}};
  }
  return {
    words: say`Hibernate it`,
    answer: {
      fixes: [{kind: 'vm.hibernate', id, retainsIp: true}],
      commands: [say`skydeck vm hibernate ${id} --retain-ip`, say`skydeck ssh ${id}`],
    },
  };
}

/** The command that shows the cluster of a node, or all clusters if its id was not readable. */
export function describeCluster(id: number | undefined): SafeText {
  return id === undefined ? say`skydeck get clusters` : say`skydeck describe cluster ${id}`;
}

/** How long something has held: up to now, as its row shows, or up to its reading if that is long ago. */
export function heldMs({since, readAt, now}: Readonly<Record<'since' | 'readAt' | 'now', EpochMs>>): DurationMs {
  return (now - readAt > MAX_METRICS_AGE_MS ? readAt : now) - since;
}

/** The time of the reading that proves a finding, if that is long ago. */
export function asOf(readAt: EpochMs, now: EpochMs): readonly SafeText[] {
  const ageMs = now - readAt;
  return ageMs > MAX_METRICS_AGE_MS ? [say`as of ${durationWords(ageMs)} ago`] : [];
}

/** The total cost of a cluster's machines now, charged whether the cluster works or not. */
export function clusterRate(
  cluster: Cluster,
  {machines, rates, usage = [], partial, preferences: {prices}}: KnownAccount,
): Pick<Finding, 'rate' | 'isRateAtLeast'> {
  if (machines === undefined || rates === undefined) return {};
  const known = {machines, areAll: !partial.has('machines'), rates, excluded: excludedMachines(usage), prices};
  const {rate, isAtLeast} = clusterCost(cluster, known);
  return rate === undefined ? {} : {rate, isRateAtLeast: isAtLeast};
}

/** A verdict on some records of a kind; if the kind was not read, it cannot judge. */
export function judgeEach<Record>(
  records: readonly Record[] | undefined,
  what: string,
  judge: (record: Record) => RuleFinding | readonly RuleFinding[] | undefined,
): Verdict {
  if (records === undefined) return {findings: [], cannotJudge: safeText(`the list of ${what} was not read`)};
  return {findings: records.flatMap(record => judge(record) ?? [])};
}

/**
 * A verdict on each running machine by its metrics since its last start, and by when they were read. It lacks those
 * whose metrics were not read, those that sent none for too long, and those that sent none since they started.
 */
export function judgeRunning(
  account: KnownAccount,
  judge: (
    machine: VirtualMachine,
    metrics: MachineMetrics,
    readAt: EpochMs,
  ) => RuleFinding | readonly RuleFinding[] | undefined,
): Verdict {
  const {machines, metricsOf, metricsReadAt} = account;
  if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
  const findings: RuleFinding[] = [];
  const unread: VirtualMachine[] = [];
  const silent: VirtualMachine[] = [];
  const restarted: VirtualMachine[] = [];
  for (const machine of machines.filter(({status}) => status === 'ACTIVE')) {
    const [metrics, readAt] = [metricsOf(machine), metricsReadAt(machine)];
    if (metrics === undefined) {
      unread.push(machine);
      continue;
    }
    const restartedAt = restartOf(machine, account);
    findings.push(...[judge(machine, metricsSince(metrics, restartedAt), readAt) ?? []].flat());
    if (isSilent(metrics, {now: readAt, since: lastStartOf(machine, account)})) silent.push(machine);
    else if ((sampleAge(metrics, readAt)?.sampledAt ?? restartedAt) < restartedAt) restarted.push(machine);
  }
  const gaps = [
    ...(unread.length === 0 ? [] : [say`the metrics ${whose(unread)} were not read`]),
    ...(silent.length === 0 ? [] : [say`the metrics ${whose(silent)} are not current`]),
    ...beforeStart('metrics', restarted),
  ];
  return {findings, cannotJudge: gaps};
}

/** A verdict that lacks data for some of its machines. */
export function withUnread(findings: readonly RuleFinding[], unread: readonly VirtualMachine[], what: string): Verdict {
  if (unread.length === 0) return {findings};
  return {findings, cannotJudge: say`${safeText(what)} ${whose(unread)} were not read`};
}

/** Why machines are not judged that were not measured since they started. */
export function beforeStart(what: 'metrics' | 'GPU load', machines: readonly VirtualMachine[]): readonly SafeText[] {
  if (machines.length === 0) return [];
  const [verb, start] = [what === 'metrics' ? say`are` : say`is`, machines.length === 1 ? say`its` : say`their`];
  return [say`the ${safeText(what)} ${whose(machines)} ${verb} from before ${start} last start`];
}

function whose([first, ...others]: readonly VirtualMachine[]): SafeText {
  return first === undefined || others.length > 0
    ? say`of ${others.length + 1} machines`
    : say`of ${nameInWords(first.name)}`;
}
