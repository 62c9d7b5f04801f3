import {type Act, isPowerAct, type PowerAct, type PowerActKind, type RuleAct, type Subject, subjectOf} from './act.ts';
import {unreachable} from './assert.ts';
import type {Failure} from './failure.ts';
import {describeFailure} from './failure.ts';
import {ruleState} from './firewall.ts';
import {type SafeText, safeText, say} from './safe-text.ts';
import {sameRule} from './security-rule.ts';
import {type DurationMs, type EpochMs, MINUTE_MS, type MonotonicMs} from './time.ts';
import type {MachineEvent, MachineStatus, SecurityRule} from './virtual-machine.ts';
import {isTransitional} from './virtual-machine.ts';

/**
 * One confirmed act on its way, told as it is. A phase in capitals is an end: nothing changes it any more, and only
 * there is the lock on the object released. `unknown` means sent, and nobody could tell us what became of it.
 */
export type OperationPhase = OpenPhase | EndPhase;
export type OpenPhase = 'preflight' | 'sent' | 'accepted' | 'in-progress' | 'overdue' | 'unknown';
export type EndPhase = 'CONFIRMED' | 'REFUSED' | 'NOT_SENT' | 'STALE' | 'CONTRADICTED' | 'NO_EFFECT_SEEN';

export type Operation = {
  readonly id: string;
  readonly act: Act;
  readonly subjectName: SafeText;
  /** The state the confirmation showed; power acts only. */
  readonly initialStatus?: MachineStatus;
  readonly phase: OperationPhase;
  /** What the service or the watch said last, where it matters. */
  readonly detail?: SafeText;
  readonly confirmedAt: EpochMs;
  readonly sentAt?: MonotonicMs;
  readonly hasSeenTransition: boolean;
  /** Consecutive reads, begun after sending, that showed the target, another settled state, or no change at all. */
  readonly targetReadCount: number;
  readonly otherReadCount: number;
  readonly unchangedReadCount: number;
  /** The machine's history before sending; absent where it could not be read. */
  readonly eventsBefore?: ReadonlySet<string>;
  /** The rules there were before sending, by id; absent for an operation found open at the start. */
  readonly rulesBefore?: ReadonlySet<number>;
};

/** The object of an act as read: a machine, or a firewall. */
export type ReadSubject = {
  readonly name: SafeText;
  readonly status: string;
  readonly statusText: SafeText;
  readonly rules: readonly SecurityRule[];
};

/** What one read showed, begun at `startedAt`. */
export type Observation = {
  readonly startedAt: MonotonicMs;
  /** Of a firewall UNKNOWN: it has no state that an act here could change. */
  readonly status: MachineStatus | 'GONE';
  readonly statusText: SafeText;
  readonly events?: readonly MachineEvent[];
  readonly rules?: readonly SecurityRule[];
};

/** What one observation says about an operation. */
type Evidence =
  | {readonly kind: 'transition'}
  | {readonly kind: 'target'}
  | {readonly kind: 'elsewhere'; readonly detail: SafeText}
  | {readonly kind: 'unchanged'}
  /** A state we do not know, or the way to another one. */
  | {readonly kind: 'nothing'};

type Expectation = {
  readonly from: readonly MachineStatus[];
  readonly through: MachineStatus;
  readonly target: MachineStatus;
  /** Twice the longest the service is known to take; after it the watch goes on, but says so. */
  readonly overdueAfterMs: DurationMs;
};

const EXPECTATIONS: Readonly<Record<PowerActKind, Expectation>> = {
  'vm.start': {from: ['SHUTOFF'], through: 'STARTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.stop': {from: ['ACTIVE', 'ERROR'], through: 'STOPPING', target: 'SHUTOFF', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hard-reboot': {from: ['ACTIVE', 'ERROR'], through: 'REBOOTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hibernate': {from: ['ACTIVE'], through: 'HIBERNATING', target: 'HIBERNATED', overdueAfterMs: 45 * MINUTE_MS},
  'vm.restore': {from: ['HIBERNATED'], through: 'RESTORING', target: 'ACTIVE', overdueAfterMs: 30 * MINUTE_MS},
};

/** Rules take seconds; minutes are worth a word. */
const RULE_OVERDUE_AFTER_MS = 5 * MINUTE_MS;

const READS_TO_CONFIRM = 2;
const READS_TO_CONTRADICT = 2;
/** An unknown that shows no effect in three reads is told as such; it is never sent again by itself. */
const READS_TO_SEE_NO_EFFECT = 3;
/** The service said yes and nothing moved: after this long that is worth an end, not a lock for ever. */
const ACCEPTED_WITHOUT_EFFECT_MS = 15 * MINUTE_MS;

export function isEnded(phase: OperationPhase): phase is EndPhase {
  return phase === phase.toUpperCase();
}

/** Why the service would refuse this act on a machine in this state; undefined where it would take it (facts.md C1). */
export function wrongStateReason(
  kind: PowerActKind,
  machine: Pick<ReadSubject, 'status' | 'statusText'>,
): SafeText | undefined {
  const {from} = EXPECTATIONS[kind];
  if (from.some(status => status === machine.status)) return undefined;
  if (machine.status === EXPECTATIONS[kind].target && kind !== 'vm.hard-reboot') {
    return say`already ${machine.statusText}`;
  }
  const needed = from.length === 1 ? `${from[0]}` : `${from.join(' or ')}`;
  return say`needs ${safeText(needed)}, is ${machine.statusText}`;
}

/** Why the check right before sending stops the act, or undefined when all is as the confirmation showed it. */
export function staleReason(operation: Operation, subject: ReadSubject): SafeText | undefined {
  const {act} = operation;
  if (subject.name !== operation.subjectName) return say`the name is now ${subject.name}`;
  if (!isPowerAct(act)) return staleRuleReason(act, subject.rules);
  if (subject.status !== operation.initialStatus) return say`it is ${subject.statusText} now`;
  return wrongStateReason(act.kind, subject);
}

function staleRuleReason(act: RuleAct, rules: readonly SecurityRule[]): SafeText | undefined {
  if ('ruleId' in act) {
    return rules.some(({id}) => id === act.ruleId) ? undefined : say`the rule is already gone`;
  }
  return rules.some(rule => sameRule(rule, act.rule)) ? say`the same rule is already there` : undefined;
}

export function afterSending(operation: Operation, sentAt: MonotonicMs): Operation {
  return {...operation, phase: 'sent', sentAt};
}

/** What the answer to the one request means; `undefined` is a complete yes. */
export function afterReply(operation: Operation, failure: Failure | undefined): Operation {
  if (operation.phase !== 'sent') return operation;
  if (failure === undefined) return {...operation, phase: 'accepted'};
  // The phase says already that nothing was sent.
  const detail = failure.kind === 'not-sent' ? failure.detail : describeFailure(failure);
  return {...operation, phase: phaseAfterFailure(failure), detail};
}

function phaseAfterFailure(failure: Failure): OperationPhase {
  switch (failure.kind) {
    case 'not-sent':
      return 'NOT_SENT';
    case 'refused':
    case 'not-authorised':
    case 'not-found':
    case 'rate-limited':
      return 'REFUSED';
    case 'timed-out':
    case 'cut':
    case 'service-error':
    case 'redirected':
    case 'odd-answer':
      return 'unknown';
    default:
      return unreachable(failure);
  }
}

/**
 * What one read after sending proves. Reads begun before the request left are discarded: answers may arrive out of order.
 */
export function afterObservation(operation: Operation, seen: Observation): Operation {
  if (isEnded(operation.phase) || operation.sentAt === undefined || seen.startedAt <= operation.sentAt)
    return operation;
  const evidence = evidenceOf(operation, seen);
  // While the answer is awaited, being on the way is worth remembering; everything else is judged after it.
  if (operation.phase === 'sent') {
    return evidence.kind === 'transition' ? {...operation, hasSeenTransition: true} : operation;
  }
  const overdueAfterMs = isPowerAct(operation.act)
    ? EXPECTATIONS[operation.act.kind].overdueAfterMs
    : RULE_OVERDUE_AFTER_MS;
  switch (evidence.kind) {
    case 'transition':
      return afterTransition(operation, seen, overdueAfterMs);
    case 'target':
      return afterTarget(operation);
    case 'elsewhere':
      return afterElsewhere(operation, evidence.detail);
    case 'nothing':
      return afterNothingTold(operation, seen, overdueAfterMs);
    case 'unchanged':
      return afterNoChange(operation, seen, overdueAfterMs);
    default:
      return unreachable(evidence);
  }
}

function evidenceOf(operation: Operation, seen: Observation): Evidence {
  const {act} = operation;
  if (seen.status === 'GONE') return {kind: 'elsewhere', detail: GONE[subjectOf(act).type]};
  return isPowerAct(act) ? powerEvidence(operation, act, seen) : ruleEvidence(operation, act, seen.rules ?? []);
}

const GONE: Readonly<Record<Subject['type'], SafeText>> = {
  vm: say`the machine no longer exists`,
  firewall: say`the firewall no longer exists`,
};

function powerEvidence(operation: Operation, act: PowerAct, seen: Observation): Evidence {
  const {through, target} = EXPECTATIONS[act.kind];
  if (seen.status === through) return {kind: 'transition'};
  if (seen.status === target && provesTarget(operation, seen)) return {kind: 'target'};
  if (seen.status === 'GONE' || seen.status === 'UNKNOWN' || isTransitional(seen.status)) return {kind: 'nothing'};
  if (operation.hasSeenTransition || seen.status !== operation.initialStatus) {
    return {kind: 'elsewhere', detail: say`it is ${seen.statusText} instead`};
  }
  return {kind: 'unchanged'};
}

/** A rule that was not there before and holds now, or one that was there and is gone. */
function ruleEvidence(operation: Operation, act: RuleAct, rules: readonly SecurityRule[]): Evidence {
  if ('ruleId' in act) {
    const rule = rules.find(({id}) => id === act.ruleId);
    if (rule === undefined) return {kind: 'target'};
    return ruleState(rule) === 'pending' ? {kind: 'transition'} : {kind: 'unchanged'};
  }
  const added = rules.find(rule => sameRule(rule, act.rule) && isNewRule(operation, rule));
  if (added === undefined) {
    return operation.hasSeenTransition
      ? {kind: 'elsewhere', detail: say`the rule is not there any more`}
      : {kind: 'unchanged'};
  }
  switch (ruleState(added)) {
    case 'in-force':
      return {kind: 'target'};
    case 'pending':
      return {kind: 'transition'};
    case 'failed':
      return {kind: 'elsewhere', detail: say`the rule is ${added.status ?? say`failed`}`};
    case 'unknown':
      return {kind: 'nothing'};
  }
}

function isNewRule({rulesBefore}: Operation, {id}: SecurityRule): boolean {
  return rulesBefore === undefined || id === undefined || !rulesBefore.has(id);
}

function afterTransition(operation: Operation, seen: Observation, overdueAfterMs: DurationMs): Operation {
  const isOverdue = elapsed(operation, seen) > overdueAfterMs;
  return {...withoutCounts(operation), phase: isOverdue ? 'overdue' : 'in-progress', hasSeenTransition: true};
}

/** A state we do not know, or the way to another one: it proves nothing, but time passes. */
function afterNothingTold(operation: Operation, seen: Observation, overdueAfterMs: DurationMs): Operation {
  const isAnswered = operation.phase === 'accepted' || operation.phase === 'in-progress';
  const isOverdue = isAnswered && elapsed(operation, seen) > overdueAfterMs;
  return {...withoutCounts(operation), ...(isOverdue ? {phase: 'overdue'} : {})};
}

/**
 * A reboot ends in the state it began in, so the state alone proves nothing: the machine must have been seen on its way,
 * or its history must hold a reboot that was not there before.
 */
function provesTarget(operation: Operation, seen: Observation): boolean {
  if (operation.act.kind !== 'vm.hard-reboot' || operation.hasSeenTransition) return true;
  if (operation.initialStatus === 'ERROR') return true;
  return (seen.events ?? []).some(event => isRebootDone(event) && isAfterSending(operation, event));
}

/** By the history read before sending; without it (an operation found open at the start) by the event's own time. */
function isAfterSending(operation: Operation, event: MachineEvent): boolean {
  const before = operation.eventsBefore;
  return before === undefined ? (event.occurredAt ?? 0) > operation.confirmedAt : !before.has(eventKey(event));
}

function afterTarget(operation: Operation): Operation {
  const targetReadCount = operation.targetReadCount + 1;
  const counted = {...withoutCounts(operation), targetReadCount};
  return targetReadCount >= READS_TO_CONFIRM ? {...counted, phase: 'CONFIRMED'} : counted;
}

function afterElsewhere(operation: Operation, detail: SafeText): Operation {
  const otherReadCount = operation.otherReadCount + 1;
  const counted = {...withoutCounts(operation), otherReadCount};
  return otherReadCount >= READS_TO_CONTRADICT ? {...counted, phase: 'CONTRADICTED', detail} : counted;
}

function afterNoChange(operation: Operation, seen: Observation, overdueAfterMs: DurationMs): Operation {
  const unchangedReadCount = operation.unchangedReadCount + 1;
  const counted = {...withoutCounts(operation), unchangedReadCount};
  const sinceSentMs = elapsed(operation, seen);
  const isHopeless = operation.phase === 'unknown' || sinceSentMs > ACCEPTED_WITHOUT_EFFECT_MS;
  if (isHopeless && unchangedReadCount >= READS_TO_SEE_NO_EFFECT) return {...counted, phase: 'NO_EFFECT_SEEN'};
  return operation.phase === 'accepted' && sinceSentMs > overdueAfterMs ? {...counted, phase: 'overdue'} : counted;
}

function withoutCounts(operation: Operation): Operation {
  return {...operation, targetReadCount: 0, otherReadCount: 0, unchangedReadCount: 0};
}

function elapsed(operation: Operation, seen: Observation): DurationMs {
  return seen.startedAt - (operation.sentAt ?? seen.startedAt);
}

/** The service gives events no id; these three together tell two of them apart. */
export function eventKey(event: MachineEvent): string {
  return `${event.occurredAt ?? ''}|${event.reason}|${event.message}`;
}

function isRebootDone(event: MachineEvent): boolean {
  return /reboot.*success/i.test(event.reason);
}
