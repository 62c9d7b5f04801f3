import type {Act, ActKind} from './act.ts';
import {unreachable} from './assert.ts';
import type {Failure} from './failure.ts';
import {describeFailure} from './failure.ts';
import {type SafeText, say} from './safe-text.ts';
import {type DurationMs, type EpochMs, MINUTE_MS, type MonotonicMs} from './time.ts';
import type {MachineEvent, MachineStatus, VirtualMachine} from './virtual-machine.ts';
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
  readonly machineName: SafeText;
  /** The state the confirmation showed. */
  readonly initialStatus: MachineStatus;
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
};

/** What one read showed, begun at `startedAt`. */
export type Observation = {
  readonly startedAt: MonotonicMs;
  readonly status: MachineStatus | 'GONE';
  readonly statusText: SafeText;
  readonly events?: readonly MachineEvent[];
};

type Expectation = {
  readonly from: readonly MachineStatus[];
  readonly through: MachineStatus;
  readonly target: MachineStatus;
  /** Twice the longest the service is known to take; after it the watch goes on, but says so. */
  readonly overdueAfterMs: DurationMs;
};

const EXPECTATIONS: Readonly<Record<ActKind, Expectation>> = {
  'vm.start': {from: ['SHUTOFF'], through: 'STARTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.stop': {from: ['ACTIVE', 'ERROR'], through: 'STOPPING', target: 'SHUTOFF', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hard-reboot': {from: ['ACTIVE', 'ERROR'], through: 'REBOOTING', target: 'ACTIVE', overdueAfterMs: 5 * MINUTE_MS},
  'vm.hibernate': {from: ['ACTIVE'], through: 'HIBERNATING', target: 'HIBERNATED', overdueAfterMs: 45 * MINUTE_MS},
  'vm.restore': {from: ['HIBERNATED'], through: 'RESTORING', target: 'ACTIVE', overdueAfterMs: 30 * MINUTE_MS},
};

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
export function wrongStateReason(kind: ActKind, machine: VirtualMachine): SafeText | undefined {
  const {from} = EXPECTATIONS[kind];
  if (from.includes(machine.status)) return undefined;
  if (machine.status === EXPECTATIONS[kind].target && kind !== 'vm.hard-reboot') {
    return say`already ${machine.statusText}`;
  }
  const needed = from.length === 1 ? `${from[0]}` : `${from.join(' or ')}`;
  return say`needs ${needed as SafeText}, is ${machine.statusText}`;
}

/** Why the check right before sending stops the act, or undefined when all is as the confirmation showed it. */
export function staleReason(operation: Operation, machine: VirtualMachine): SafeText | undefined {
  if (machine.name !== operation.machineName) return say`the name is now ${machine.name}`;
  if (machine.status !== operation.initialStatus) return say`it is ${machine.statusText} now`;
  return wrongStateReason(operation.act.kind, machine);
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
  const {through, target, overdueAfterMs} = EXPECTATIONS[operation.act.kind];
  // While the answer is awaited, being on the way is worth remembering; everything else is judged after it.
  if (operation.phase === 'sent') return seen.status === through ? {...operation, hasSeenTransition: true} : operation;
  if (seen.status === through) return afterTransition(operation, seen, overdueAfterMs);
  if (seen.status === target && provesTarget(operation, seen)) return afterTarget(operation);
  if (seen.status === 'GONE') return afterElsewhere(operation, say`the machine no longer exists`);
  if (seen.status === 'UNKNOWN' || isTransitional(seen.status))
    return afterNothingTold(operation, seen, overdueAfterMs);
  if (operation.hasSeenTransition || seen.status !== operation.initialStatus) {
    return afterElsewhere(operation, say`it is ${seen.statusText} instead`);
  }
  return afterNoChange(operation, seen, overdueAfterMs);
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
