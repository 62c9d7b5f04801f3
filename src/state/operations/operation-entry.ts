import {present} from '../../api/fields.ts';
import {awaitedMs, isEnded, newOperation, type Operation} from '../../domain/operation.ts';
import {say} from '../../domain/safe-text.ts';
import {type EpochMs, MINUTE_MS, type MonotonicMs} from '../../domain/time.ts';
import {type Actions, definitionOf} from './action.ts';
import type {JournalEntry, JournalWriter, LatestEntry} from './journal.ts';

/** A request is answered or given up within a minute, so a process silent for longer has ended. */
const SILENT_AFTER_MS = MINUTE_MS;
/** The same by the wall clock, with room for a sleep and for a process that was suspended. */
const ANSWERED_WITHIN_MS = 15 * MINUTE_MS;

/** The journal line for an operation's phase. */
export function entryOf(
  operation: Operation,
  {
    at,
    organizationId,
    writer,
  }: Pick<JournalEntry, 'at'> & {
    readonly organizationId: number | undefined;
    readonly writer: JournalWriter | undefined;
  },
): JournalEntry {
  const {
    id: operationId,
    phase,
    action,
    subjectName,
    initialStatus,
    confirmedAt,
    detail,
    followUp,
    correction,
  } = operation;
  return {
    operationId,
    at,
    phase,
    action,
    subjectName,
    confirmedAt,
    ...(initialStatus === undefined ? {} : {initialStatus}),
    ...(organizationId === undefined ? {} : {organizationId}),
    ...(detail === undefined ? {} : {detail}),
    ...(followUp === undefined ? {} : {followUp}),
    ...(correction === undefined ? {} : {correction}),
    ...(writer === undefined ? {} : {writer}),
  };
}

/**
 * Whether there is an outcome to wait for: an operation that was only checked was never sent, and a job leaves no
 * trace.
 */
export function awaitsOutcome({phase, action}: JournalEntry, actions: Actions): boolean {
  return !isEnded(phase) && phase !== 'preflight' && definitionOf(actions, action).endsWithReply !== true;
}

/** An operation known from the journal only. */
export function reopened(entry: JournalEntry, actions: Actions, now: MonotonicMs): Operation {
  const {operationId: id, action, subjectName, initialStatus: status, followUp, confirmedAt = entry.at} = entry;
  const shown = present({action, subjectName, status, followUp});
  return {
    ...newOperation({id, confirmedAt}, shown, definitionOf(actions, action)),
    phase: 'unknown',
    hasSeenTransition: entry.phase === 'in-progress',
    ...detailOf(entry),
    sentAt: now,
  };
}

/** Why the outcome is unknown. A reason journaled once there was an answer is kept, also if it was under way since. */
function detailOf({phase, detail}: JournalEntry): Pick<Operation, 'detail' | 'wasAccepted'> {
  const isAnswered = phase !== 'preflight' && phase !== 'sent';
  if (isAnswered && detail !== undefined) return {detail};
  if (phase === 'unknown') return {};
  const ended = {detail: say`skydeck ended before the outcome was seen`};
  return isAnswered ? {...ended, wasAccepted: true} : ended;
}

/** The operation in the state that another running skydeck reports. An end is never changed. */
export function asEntered(operation: Operation, entry: JournalEntry | LatestEntry): Operation {
  if (isEnded(operation.phase)) return corrected(operation, entry);
  if (operation.phase === entry.phase && operation.sentElsewhereAt !== undefined) return operation;
  const {detail: _own, ...rest} = operation;
  return {
    ...rest,
    phase: entry.phase,
    sentElsewhereAt:
      entry.phase === 'sent'
        ? entry.at
        : (('sentAt' in entry ? entry.sentAt : undefined) ??
          operation.sentElsewhereAt ??
          entry.confirmedAt ??
          entry.at),
    hasSeenTransition: operation.hasSeenTransition || entry.phase === 'in-progress',
    ...(entry.detail === undefined ? {} : {detail: entry.detail}),
    ...(entry.correction === undefined ? {} : {correction: entry.correction}),
  };
}

function corrected(operation: Operation, {phase, correction}: JournalEntry): Operation {
  const isNew = correction !== undefined && operation.correction === undefined && operation.phase === phase;
  return isNew ? {...operation, correction} : operation;
}

/** The skydeck that sent it has ended, so its answer will never be known. */
export function afterSenderEnded(operation: Operation): Operation {
  if (!awaitsOther(operation)) return operation;
  return {...operation, phase: 'unknown', detail: say`the skydeck that sent it ended before it got an answer`};
}

/** Whether another skydeck is still waiting for its answer. */
export function awaitsOther({phase, sentElsewhereAt}: Operation): boolean {
  return phase === 'sent' && sentElsewhereAt !== undefined;
}

/** The skydeck that sent it ended before writing down the answer, so the answer is lost. */
export function afterSilence(operation: Operation, now: MonotonicMs): Operation {
  return (awaitedMs(operation, now) ?? 0) <= SILENT_AFTER_MS ? operation : withoutAnswer(operation);
}

/**
 * Sent so long ago by the clock of this computer, or so far ahead of it, that no answer can come any more: a process
 * that has the id of its sender is another one, and a command has no time to wait for its silence.
 */
export function afterLostAnswer(operation: Operation, now: EpochMs): Operation {
  const {sentElsewhereAt = now, sleptMs = 0} = operation;
  const agoMs = now - sentElsewhereAt;
  // A line from a time to come was written by another clock, which says nothing of the present.
  const isOfNow = agoMs - sleptMs <= ANSWERED_WITHIN_MS && agoMs >= -ANSWERED_WITHIN_MS;
  return isOfNow ? operation : withoutAnswer(operation);
}

function withoutAnswer(operation: Operation): Operation {
  if (!awaitsOther(operation)) return operation;
  return {...operation, phase: 'unknown', detail: say`the other skydeck did not report the answer`};
}
