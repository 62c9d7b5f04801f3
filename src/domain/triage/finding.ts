import type {UsageRecord} from '../billing.ts';
import type {ResourceType} from '../cloud-resource.ts';
import type {Cluster, ClusterEvent} from '../cluster.ts';
import type {Contract} from '../contract.ts';
import type {Failure} from '../failure.ts';
import type {Fix} from '../fix.ts';
import type {Firewall} from '../firewall.ts';
import type {Flavor} from '../flavor.ts';
import type {GpuLoad, GpuPast} from '../gpu-load.ts';
import type {BurnAnomaly} from '../money/anomaly.ts';
import type {OrganizationUser} from '../account.ts';
import type {Activity} from '../money/idle.ts';
import {type Rate, sumRates, type Usd} from '../money.ts';
import type {Preferences} from '../preferences.ts';
import {nameInWords, type SafeText, safeText, say} from '../safe-text.ts';
import type {MachineMetrics} from '../series.ts';
import type {Stock} from '../stock.ts';
import {type DurationMs, type EpochMs, epochMs, MINUTE_MS} from '../time.ts';
import {type MachineEvent, newestEvent, type VirtualMachine} from '../virtual-machine.ts';
import type {Volume} from '../volume.ts';
import type {Mute} from './mute.ts';
import {durationWords} from './words.ts';

export const SEVERITIES = ['critical', 'warning', 'notice'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a finding is about. The account and the service have no id. */
export type FindingSubject = {
  readonly type: ResourceType | 'account' | 'service';
  readonly id?: number;
  readonly name: SafeText;
};

/** The subject as it stands within words of ours; those that have no name of their own are called by us. */
export function subjectInWords({type, id, name}: FindingSubject): SafeText {
  const isOurWord = type === 'account' || type === 'service' || name === `${type} #${id}`;
  return isOurWord ? name : nameInWords(name);
}

/** What a finding is proved by over time: a reading of its machine or of its GPUs, or the burn rate of the account. */
export type EvidenceChart = keyof MachineMetrics | 'gpu' | 'gpuMemory' | 'burn';

/** One thing that somebody on call should look at. */
export type Finding = {
  /** The id of the rule that found it. */
  readonly rule: string;
  readonly severity: Severity;
  readonly subject: FindingSubject;
  /** What is wrong, in a few words for a list. It names no object, so that it is the same for all that are alike. */
  readonly summary: SafeText;
  /** Absent where that cannot be known. */
  readonly since?: EpochMs;
  /** What the subject costs now, where that is a part of the finding. */
  readonly rate?: Rate;
  /** The readings that prove it, a sentence each. */
  readonly evidence: readonly SafeText[];
  /** The chart that shows it. */
  readonly chart?: EvidenceChart;
  /** What to do, in one sentence. */
  readonly advice: SafeText;
  /** Commands that answer it, the best first. */
  readonly commands: readonly SafeText[];
  /** The machines that it is about, where its subject is the whole account. */
  readonly machineIds?: readonly number[];
  /** The actions that end it, where there are any: one, or the same one on several. */
  readonly fixes?: readonly Fix[];
  /** From then on it cannot be muted. */
  readonly mutedAtMostUntil?: EpochMs;
};

/**
 * All that rules look at. What was not read yet is undefined: a rule that lacks it says that it cannot judge, and what is
 * missing.
 */
export type KnownAccount = {
  readonly now: EpochMs;
  readonly preferences: Pick<
    Preferences,
    'prices' | 'budget' | 'runwayCriticalMs' | 'contractCriticalMs' | 'idle' | 'keep'
  >;
  readonly machines: readonly VirtualMachine[] | undefined;
  /** What the service meters for each machine now; undefined until the usage was read. */
  readonly rates: ReadonlyMap<number, Rate> | undefined;
  /** What the service meters, record by record. */
  readonly usage: readonly UsageRecord[] | undefined;
  /** What it meters for each volume now. */
  readonly volumeRates: ReadonlyMap<number, Rate> | undefined;
  readonly volumes: readonly Volume[] | undefined;
  /** Lists of which a part is missing: what does not stand in them may be there all the same. */
  readonly partial: ReadonlySet<'machines' | 'volumes'>;
  readonly clusters: readonly Cluster[] | undefined;
  readonly firewalls: readonly Firewall[] | undefined;
  readonly contracts: readonly Contract[] | undefined;
  readonly flavors: readonly Flavor[] | undefined;
  /** What can be had of each GPU model; without it a flavor's own flag is believed. */
  readonly stocks?: readonly Stock[] | undefined;
  /** The newest reading, however old it is: what it proved holds until a newer one says otherwise. */
  readonly metricsOf: (machine: VirtualMachine) => MachineMetrics | undefined;
  /** When that was read, which is the moment that its rules judge. */
  readonly metricsReadAt: (machine: VirtualMachine) => EpochMs;
  /** When it was seen to begin to run; undefined where that was not seen. */
  readonly activeSince: (machine: VirtualMachine) => EpochMs | undefined;
  /** When it was last seen in another state than its present one; undefined where it was seen in no other. */
  readonly changedAfter: (machine: VirtualMachine) => EpochMs | undefined;
  /** Work and silence of the two weeks before, as far as they were learnt. */
  readonly pastOf: (machine: VirtualMachine) => readonly Activity[];
  /** What DCGM tells of its GPUs; undefined where nothing does. */
  readonly gpusOf: (
    machine: VirtualMachine,
  ) => {readonly load: GpuLoad; readonly past: GpuPast | undefined} | undefined;
  /** Why nothing is known of any GPU, where somebody was asked. */
  readonly gpuFailure?: SafeText | undefined;
  readonly eventsOf: (machine: VirtualMachine) => readonly MachineEvent[] | undefined;
  /** Who is in the organization. */
  readonly users: readonly OrganizationUser[] | undefined;
  readonly clusterEventsOf: (cluster: Cluster) => readonly ClusterEvent[] | undefined;
  /** How long the prepaid credit lasts at the present burn rate. */
  readonly creditLeftMs: DurationMs | undefined;
  readonly isCreditKnown: boolean;
  readonly spend: KnownSpend | undefined;
  /** Whether the burn rate stands far above the usual now. */
  readonly anomaly: BurnAnomaly | undefined;
  readonly service: KnownService;
  /** What a person has muted. */
  readonly mutes: readonly Mute[];
};

/** An account of which nothing was read yet. */
export function unreadAccount(now: EpochMs, preferences: KnownAccount['preferences']): KnownAccount {
  return {
    now,
    preferences,
    machines: undefined,
    rates: undefined,
    usage: undefined,
    volumeRates: undefined,
    volumes: undefined,
    partial: new Set(),
    clusters: undefined,
    firewalls: undefined,
    contracts: undefined,
    flavors: undefined,
    metricsOf: () => undefined,
    metricsReadAt: () => now,
    activeSince: () => undefined,
    changedAfter: () => undefined,
    pastOf: () => [],
    gpusOf: () => undefined,
    eventsOf: () => undefined,
    users: undefined,
    clusterEventsOf: () => undefined,
    creditLeftMs: undefined,
    isCreditKnown: false,
    spend: undefined,
    anomaly: undefined,
    service: {clockOffsetMs: undefined, requestsLastMinute: 0, requestCeiling: 1, readings: []},
    mutes: [],
  };
}

type KnownSpend = {
  readonly burn: Rate;
  /** Undefined where nothing tells it. */
  readonly monthToDate: Usd | undefined;
  readonly month: {readonly start: EpochMs; readonly end: EpochMs};
  /** What was deleted was not read, so the past looks cheaper than it was. */
  readonly lacksDeleted?: boolean;
  /** The past of the burn rate, from its first record on; infinite where there is none. */
  readonly curve?: {readonly startsAt: number};
};

/** How well the service can be read. */
export type KnownService = {
  /** The service's clock minus the local one; undefined where no answer told. */
  readonly clockOffsetMs: DurationMs | undefined;
  readonly requestsLastMinute: number;
  readonly requestCeiling: number;
  /** Each list that is older than it may be, or that cannot be read. */
  readonly readings: readonly {
    readonly what: SafeText;
    readonly ageMs: DurationMs | undefined;
    readonly intervalMs: DurationMs;
    readonly failure: Failure | undefined;
  }[];
};

export type Verdict = {
  readonly findings: readonly Finding[];
  /** Why the rule could not judge all of it; absent where it could. */
  readonly cannotJudge?: SafeText;
};

/** One check. */
export type TriageRule = {
  readonly id: string;
  /** It tells of wasted money, which a person can keep on purpose until a date. */
  readonly isWaste?: true;
  /** What the service does not report. Where no other source reports it, the rule is not judged. */
  readonly needs?: 'gpus';
  readonly judge: (account: KnownAccount) => Verdict;
};

export function machineSubject({id, name}: Pick<VirtualMachine, 'id' | 'name'>): FindingSubject {
  return {type: 'vm', id, name};
}

export function clusterSubject({id, name}: Cluster): FindingSubject {
  return {type: 'cluster', id, name};
}

/** What an event calls the beginning of a run. */
const BEGINS = /start|restor|reboot/i;

/** When a machine began to run, as far as its history and what was seen tell; the beginning of all time without either. */
export function lastStartOf(
  machine: VirtualMachine,
  {activeSince, eventsOf}: Pick<KnownAccount, 'activeSince' | 'eventsOf'>,
): EpochMs {
  const began = [
    machine.createdAt,
    activeSince(machine),
    newestEvent(eventsOf(machine)?.filter(({reason}) => BEGINS.test(reason)))?.occurredAt,
  ];
  return epochMs(Math.max(0, ...began.flatMap(moment => moment ?? [])));
}

/** A reading older than this is said to be: each is due every five minutes. */
export const MAX_METRICS_AGE_MS: DurationMs = 10 * MINUTE_MS;

/** How a machine without work is given back; the power of a node is managed by its cluster. */
export function givingBack({id, clusterId}: VirtualMachine): {
  readonly words: SafeText;
  readonly answer: Pick<Finding, 'fixes' | 'commands'>;
} {
  if (clusterId !== undefined) {
    const commands = [say`skydeck ssh ${id}`, say`skydeck describe cluster ${clusterId}`];
    return {words: say`Make its node group smaller`, answer: {commands}};
  }
  return {
    words: say`Hibernate it`,
    answer: {
      fixes: [{kind: 'vm.hibernate', id, retainsIp: true}],
      commands: [say`skydeck vm hibernate ${id} --retain-ip`, say`skydeck ssh ${id}`],
    },
  };
}

/** How long something has held: up to now, as its row tells, and up to its reading where that is long ago. */
export function heldMs({since, readAt, now}: Readonly<Record<'since' | 'readAt' | 'now', EpochMs>>): DurationMs {
  return (now - readAt > MAX_METRICS_AGE_MS ? readAt : now) - since;
}

/** The moment of the reading that proves a finding, where that is long ago. */
export function asOf(readAt: EpochMs, now: EpochMs): readonly SafeText[] {
  const ageMs = now - readAt;
  return ageMs > MAX_METRICS_AGE_MS ? [say`as of ${durationWords(ageMs)} ago`] : [];
}

/** What the machines of a cluster cost together now, as it burns whether the cluster works or not. */
export function clusterRate({id}: Cluster, {machines, rates}: KnownAccount): Pick<Finding, 'rate'> {
  if (machines === undefined || rates === undefined) return {};
  const known = machines.flatMap(machine => (machine.clusterId === id ? (rates.get(machine.id) ?? []) : []));
  return known.length === 0 ? {} : {rate: sumRates(known)};
}

/** A verdict over some of the records of a kind; where the kind was not read it cannot judge. */
export function judgeEach<Record>(
  records: readonly Record[] | undefined,
  what: string,
  judge: (record: Record) => Finding | readonly Finding[] | undefined,
): Verdict {
  if (records === undefined) return {findings: [], cannotJudge: safeText(`the list of ${what} was not read`)};
  return {findings: records.flatMap(record => judge(record) ?? [])};
}

/** A verdict that lacks something for some of the machines it is about. */
export function withUnread(findings: readonly Finding[], unread: readonly VirtualMachine[], what: string): Verdict {
  const [first] = unread;
  if (first === undefined) return {findings};
  const whose = unread.length === 1 ? say`of ${nameInWords(first.name)}` : say`of ${unread.length} machines`;
  return {findings, cannotJudge: say`${safeText(what)} ${whose} were not read`};
}
