import type {ResourceChange} from '../action.ts';
import type {UsageRecord} from '../billing.ts';
import type {Cluster, ClusterEvent} from '../cluster.ts';
import {type Contract, contractName} from '../contract.ts';
import {isBurning, usableRate} from '../cost.ts';
import {outcomeWords} from '../describe-operation.ts';
import type {Firewall} from '../firewall.ts';
import type {BurnAnomaly, BurnIncident} from '../money/anomaly.ts';
import {effectiveRate, HIBERNATED_SHARE} from '../money/spend.ts';
import {compare, isPositive, type Rate, ratePerHour, rational, scaleRate, subtractRates, ZERO_RATE} from '../money.ts';
import {isEnded, isUnsent, type OperationPhase} from '../operation.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import {ruleWords} from '../security-rule.ts';
import {type EpochMs, epochMs, secondText} from '../time.ts';
import {incidentEvidence, incidentSummary} from '../triage/burn-anomaly.ts';
import type {Finding, FindingSubject} from '../triage/finding.ts';
import {findingKey} from '../triage/mute.ts';
import type {MachineEvent} from '../virtual-machine.ts';

/** Where an entry comes from: the service, metering, triage, the journal, or two readings that differ. */
export type TimelineSource = 'event' | 'billing' | 'finding' | 'operation' | 'change';

/** The subject of an entry. The account and the service have no id, nor does a bucket or something being created. */
export type TimelineSubject = FindingSubject;

/**
 * `you` for what was sent from this computer, according to the journal; an event names a user, which can be that of the
 * key.
 */
export type Actor = {readonly kind: 'you'} | {readonly kind: 'user'; readonly id: number; readonly isOfKey?: true};

/** Two readings between which something changed. */
export type Between = {readonly after: EpochMs; readonly at: EpochMs};

/** One line of the timeline. */
export type TimelineEntry = {
  /** The same in every reading of the same event. */
  readonly key: string;
  /** When it happened, at the latest; absent if that cannot be known. */
  readonly at?: EpochMs;
  /** It happened after this moment, if only two readings show it. */
  readonly after?: EpochMs;
  /** The last of several that are merged into one entry. */
  readonly until?: EpochMs;
  /** When an operation ended; absent while it is under way. */
  readonly endedAt?: EpochMs;
  readonly source: TimelineSource;
  /** Which other sources report the same. */
  readonly alsoFrom: readonly TimelineSource[];
  readonly subjects: readonly [TimelineSubject, ...TimelineSubject[]];
  readonly what: SafeText;
  /** Of several equal entries that are folded into one: what each says, and how many they are. */
  readonly repeated?: {readonly what: SafeText; readonly count: number};
  readonly who?: Actor;
  /** By how much the burn rate changed with it; negative if it fell. */
  readonly rateChange?: Rate;
  /** The change is computed from prices and averages, and was not metered before and after. */
  readonly isEstimated?: true;
  /** It changed the burn rate, and by how much is unknown: its notes say why. */
  readonly isUnpriced?: true;
  /** What it can be matched by when another source reports it. */
  readonly changes: readonly ResourceChange[];
  /** Everything else known about it, one sentence each. */
  readonly notes: readonly SafeText[];
  /** Something went wrong with it. */
  readonly isTrouble: boolean;
  /** The trouble is no more than a warning. */
  readonly isWarning?: boolean;
  /** An operation that was refused, not sent, or had no effect: it can have caused nothing. */
  readonly isWithoutEffect?: true;
};

/** The common names of the service's events; the first that matches counts. */
const EVENT_CHANGES: readonly (readonly [RegExp, ResourceChange])[] = [
  [/restor/i, 'restored'],
  [/hibernat/i, 'hibernated'],
  [/attachvolume/i, 'volume attached'],
  [/detachvolume/i, 'volume detached'],
  [/attachfloating/i, 'address attached'],
  [/detachfloating/i, 'address detached'],
  [/attachsecurityrule/i, 'rule added'],
  [/detachsecurityrule/i, 'rule removed'],
  [/reboot/i, 'rebooted'],
  [/resize/i, 'resized'],
  [/reconcil/i, 'reconciled'],
  [/^(?:instance|cluster)?start/i, 'started'],
  [/^(?:instance|cluster)?stop/i, 'stopped'],
  [/^(?:instance|cluster)?delet/i, 'deleted'],
  [/^(?:instance|cluster)?creat/i, 'created'],
];

/** An event of a machine or a cluster. `ownUserId` is the user the key belongs to, if known. */
export function eventEntry(
  event: MachineEvent | ClusterEvent,
  subject: TimelineSubject,
  ownUserId: number | undefined,
): TimelineEntry {
  const {occurredAt, type, reason, message, userId} = event;
  const isTrouble = /error|warning/i.test(type ?? '') || /fail/i.test(reason);
  const change = isTrouble ? undefined : EVENT_CHANGES.find(([pattern]) => pattern.test(reason))?.[1];
  return {
    // The service gives events of machines no id.
    key: `event ${subjectKeyOf(subject)} ${occurredAt ?? ''} ${reason} ${message}`,
    ...(occurredAt === undefined ? {} : {at: occurredAt}),
    source: 'event',
    alsoFrom: [],
    subjects: [subject],
    what: message === '' ? reason : message,
    ...(userId === undefined ? {} : {who: actorOf(userId, ownUserId)}),
    changes: change === undefined ? [] : [change],
    notes: [reason === '' ? say`the service gives no reason` : say`the service's reason: ${reason}`],
    isTrouble,
  };
}

function actorOf(userId: number, ownUserId: number | undefined): Actor {
  return {kind: 'user', id: userId, ...(userId === ownUserId ? {isOfKey: true} : {})};
}

/** An operation sent from here, from the journal. `words` name the action and its subject. */
export type SentOperation = {
  readonly id: string;
  /** What other sources call it if it worked. */
  readonly change?: ResourceChange | undefined;
  readonly subject: TimelineSubject;
  readonly words: SafeText;
  readonly phase: OperationPhase;
  readonly detail?: SafeText | undefined;
  readonly correction?: SafeText | undefined;
  readonly confirmedAt: EpochMs;
  readonly endedAt?: EpochMs | undefined;
};

export function operationEntry(operation: SentOperation): TimelineEntry {
  const {id, change, subject, words, phase, detail, correction, confirmedAt, endedAt} = operation;
  const isWithoutEffect = isEnded(phase) && phase !== 'CONFIRMED' && correction === undefined;
  const outcome = outcomeWords({phase, detail, correction});
  return {
    key: `operation ${id}`,
    at: confirmedAt,
    ...(endedAt === undefined ? {} : {endedAt}),
    source: 'operation',
    alsoFrom: [],
    subjects: [subject],
    // What was confirmed happened; of anything else this line must not say so.
    what: phase === 'CONFIRMED' ? words : say`${words}: ${outcome}`,
    who: {kind: 'you'},
    changes: isWithoutEffect || change === undefined ? [] : [change],
    notes: [
      isUnsent(phase) ? outcome : say`sent from this computer; ${outcome}`,
      ...(endedAt === undefined ? [] : [say`it ended at ${momentWords(endedAt)}`]),
    ],
    // What was refused or not sent changed nothing about the health of anything.
    isTrouble: phase === 'CONTRADICTED',
    ...(isWithoutEffect && phase !== 'CONTRADICTED' ? {isWithoutEffect} : {}),
  };
}

/**
 * The beginning and end of billing for machines and volumes, one entry per span. `listed` is the machine's list price:
 * what is hibernated now began at it.
 */
export function billingEntries(record: UsageRecord, listed?: Rate): readonly TimelineEntry[] {
  const {resourceId, name, createdAt, terminatedAt, resourceType} = record;
  const type =
    resourceType.toLowerCase() === 'vm' ? 'vm' : resourceType.toLowerCase() === 'volume' ? 'volume' : undefined;
  const subject: TimelineSubject =
    type === undefined ? {type: 'account', name: say`${resourceType} ${name}`} : {type, id: resourceId, name};
  const rate = rateAtBegin(record, listed);
  const entry = (at: EpochMs, what: SafeText, change: ResourceChange, rateChange: Rate | undefined): TimelineEntry => ({
    key: `billing ${resourceType} ${resourceId} ${change} ${at}`,
    at,
    source: 'billing',
    alsoFrom: [],
    subjects: [subject],
    what,
    ...(rateChange === undefined ? {} : {rateChange}),
    changes: [change],
    notes: rate === undefined ? [say`the service gives no usable rate for it`] : [],
    isTrouble: false,
  });
  if (record.isExcludedFromBilling) return [];
  return [
    ...(createdAt === undefined ? [] : [entry(createdAt, say`billing began`, 'created', rate)]),
    ...(terminatedAt === undefined
      ? []
      : [entry(terminatedAt, say`billing ended`, 'deleted', rate && subtractRates(ZERO_RATE, rate))]),
  ];
}

/** The rate a span began with: what it is metered at later, hibernated or deleted, does not change it. */
function rateAtBegin(record: UsageRecord, listed: Rate | undefined): Rate | undefined {
  const present = isBurning(record) ? usableRate(record) : undefined;
  const average = effectiveRate(record);
  if (present === undefined || average === undefined) return present ?? average;
  const running = listed ?? average;
  // What was hibernated in its first minute has no metered time that could show what it began at.
  const hasFallen = compare(average, present) > 0 || (listed !== undefined && isPositive(present));
  return hasFallen && compare(present, scaleRate(running, HIBERNATED_SHARE)) <= 0 ? running : present;
}

/** By how much the burn rate fell when the machine was hibernated; undefined if metering does not show it. */
export function hibernationChange(record: UsageRecord, listed: Rate | undefined): Rate | undefined {
  const [running, present] = [rateAtBegin(record, listed), usableRate(record)];
  if (!isBurning(record) || running === undefined || present === undefined) return undefined;
  return compare(present, running) < 0 ? subtractRates(present, running) : undefined;
}

/**
 * A present finding, dated at its cause if its rule knows when that was, or else at when it was first seen, and then it
 * says so. It includes the causes of an anomaly of the burn rate.
 */
export function findingEntry(
  finding: Finding,
  {risen, anomaly}: {readonly risen: Between | undefined; readonly anomaly?: BurnAnomaly | undefined},
): TimelineEntry {
  const {severity, subject, summary, since, evidence, advice} = finding;
  const causes = finding.rule === 'burn-anomaly' ? (anomaly?.causes ?? []) : [];
  const records = causes.map(({record}) => record);
  return {
    key: `finding ${findingKey(finding)}`,
    ...(since === undefined ? risen : {at: since}),
    ...(causes.length === 0 ? {} : {until: epochMs(Math.max(...causes.map(({from}) => from)))}),
    source: 'finding',
    alsoFrom: [],
    subjects: [subject, ...records.flatMap(machineOf)],
    what: since === undefined && risen !== undefined ? say`seen: ${summary}` : summary,
    ...(anomaly === undefined || causes.length === 0 ? {} : {rateChange: aboveUsual(finding, anomaly)}),
    changes: [],
    notes: [say`${safeText(severity)} finding${since === undefined ? seenWords(risen) : say``}`, ...evidence, advice],
    isTrouble: severity !== 'notice',
    ...(severity === 'warning' ? {isWarning: true} : {}),
  };
}

function seenWords(risen: Between | undefined): SafeText {
  return risen === undefined
    ? say`; since when is not known`
    : say`; first seen at ${momentWords(risen.at)}, when it began is not known`;
}

/** By how much the burn rate exceeds the usual. */
function aboveUsual({rate}: Finding, {perHour, usualPerHour}: BurnAnomaly): Rate {
  return subtractRates(rate ?? hourlyRate(perHour), hourlyRate(usualPerHour));
}

/** Of an estimate: to a hundredth of a cent. */
function hourlyRate(dollars: number): Rate {
  return ratePerHour(rational(BigInt(Math.round(dollars * 10_000)), 10_000n));
}

/** A rise of the burn rate of which part or all was ended since, at its highest and at the rates of then. */
export function incidentEntry(incident: BurnIncident): TimelineEntry {
  const {since, peakAt, endedAt, peakPerHour, usualPerHour, causes, isEstimated} = incident;
  return {
    key: 'finding burn-incident',
    at: epochMs(since),
    until: epochMs(endedAt ?? peakAt),
    source: 'finding',
    alsoFrom: [],
    subjects: [{type: 'account', name: say`account`}, ...causes.flatMap(({record}) => machineOf(record))],
    what: endedAt === undefined ? incidentSummary(incident) : say`${incidentSummary(incident)}, now ended`,
    rateChange: subtractRates(hourlyRate(peakPerHour), hourlyRate(usualPerHour)),
    ...(isEstimated ? {isEstimated} : {}),
    changes: [],
    notes: incidentEvidence(incident),
    isTrouble: true,
  };
}

function machineOf({resourceType, resourceId, name}: UsageRecord): readonly TimelineSubject[] {
  return resourceType.toLowerCase() === 'vm' ? [{type: 'vm', id: resourceId, name}] : [];
}

/** When a firewall and its rules were created, by their own dates; who created them is not reported. */
export function firewallEntries({id, name, createdAt, rules}: Firewall): readonly TimelineEntry[] {
  const subject: TimelineSubject = {type: 'firewall', id, name};
  const note = say`dated by the service, which does not report who did it`;
  const entry = (at: EpochMs | undefined, what: SafeText, change: ResourceChange): readonly TimelineEntry[] =>
    at === undefined
      ? []
      : [
          {
            key: `event firewall ${id} ${what} ${at}`,
            at,
            source: 'event',
            alsoFrom: [],
            subjects: [subject],
            what,
            changes: [change],
            notes: [note],
            isTrouble: false,
          },
        ];
  return [
    ...entry(createdAt, say`firewall created`, 'created'),
    ...rules.flatMap(rule => entry(rule.createdAt, say`rule added: ${ruleWords(rule)}`, 'rule added')),
  ];
}

const END_WORDS: Readonly<Record<Contract['expirationPolicy']['kind'], SafeText>> = {
  delete: say`at its end its machines are deleted`,
  market: say`at its end its machines continue at market price`,
  unknown: say`what happens to its machines at its end is unknown`,
};

/** Contracts that began or ended: prices change with both. */
export function contractEntries(contract: Contract): readonly TimelineEntry[] {
  const {id, startsAt, endsAt, expirationPolicy} = contract;
  const subject: TimelineSubject = {type: 'contract', id, name: contractName(contract)};
  const entry = (at: EpochMs | undefined, what: SafeText): readonly TimelineEntry[] =>
    at === undefined
      ? []
      : [
          {
            key: `billing contract ${id} ${what}`,
            at,
            source: 'billing',
            alsoFrom: [],
            subjects: [subject],
            what,
            changes: [],
            notes: [END_WORDS[expirationPolicy.kind]],
            isTrouble: false,
          },
        ];
  return [...entry(startsAt, say`contract began`), ...entry(endsAt, say`contract ended`)];
}

/** When a cluster was created, by its own date. */
export function clusterEntries({id, name, createdAt}: Cluster): readonly TimelineEntry[] {
  if (createdAt === undefined) return [];
  return [
    {
      key: `event cluster ${id} created`,
      at: createdAt,
      source: 'event',
      alsoFrom: [],
      subjects: [{type: 'cluster', id, name}],
      what: say`cluster created`,
      changes: ['created'],
      notes: [say`dated by the service`],
      isTrouble: false,
    },
  ];
}

/** Ids are counted separately for each type. */
export function subjectKeyOf({type, id, name}: TimelineSubject): string {
  return id === undefined ? `${type} ${JSON.stringify(name)}` : `${type} ${id}`;
}

/** `2026-11-20 02:10:05Z`. */
export function momentWords(at: EpochMs): SafeText {
  return safeText(secondText(at));
}
