import {ruleOf} from '../domain/act-rules/act-rules.ts';
import {isEnded, newOperation, type Operation} from '../domain/operation.ts';
import {say} from '../domain/safe-text.ts';
import {MINUTE_MS, type MonotonicMs} from '../domain/time.ts';
import type {JournalEntry, JournalWriter} from './journal.ts';

/** A request is answered or given up within a minute, so a process that says nothing for longer is gone. */
const SILENT_AFTER_MS = MINUTE_MS;

/** The line that tells of an operation's phase. */
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
  const {id: operationId, phase, act, subjectName, initialStatus, confirmedAt, detail} = operation;
  return {
    operationId,
    at,
    phase,
    act,
    subjectName,
    confirmedAt,
    ...(initialStatus === undefined ? {} : {initialStatus}),
    ...(organizationId === undefined ? {} : {organizationId}),
    ...(detail === undefined ? {} : {detail}),
    ...(writer === undefined ? {} : {writer}),
  };
}

/** Whether there is an outcome to wait for: what was only checked was never sent, and a job leaves no trace. */
export function isAhead({phase, act}: JournalEntry): boolean {
  return !isEnded(phase) && phase !== 'preflight' && ruleOf(act).endsWithReply !== true;
}

/** An operation of which only the journal knows. */
export function reopened(entry: JournalEntry, now: MonotonicMs): Operation {
  const {operationId, act, subjectName, initialStatus: status, confirmedAt = entry.at} = entry;
  const shown = status === undefined ? {act, subjectName} : {act, subjectName, status};
  return {
    ...newOperation(operationId, shown, confirmedAt),
    phase: 'unknown',
    hasSeenTransition: entry.phase === 'in-progress',
    detail: say`skydeck ended before the outcome was seen`,
    sentAt: now,
  };
}

/** The operation as another skydeck, which is still there, says that it stands. An end stays what it is. */
export function asEntered(operation: Operation, entry: JournalEntry): Operation {
  if (isEnded(operation.phase)) return operation;
  if (operation.phase === entry.phase && operation.sentElsewhereAt !== undefined) return operation;
  const {detail: _own, ...rest} = operation;
  return {
    ...rest,
    phase: entry.phase,
    sentElsewhereAt: entry.confirmedAt ?? entry.at,
    hasSeenTransition: operation.hasSeenTransition || entry.phase === 'in-progress',
    ...(entry.detail === undefined ? {} : {detail: entry.detail}),
  };
}

/** Whoever sent it elsewhere and does not say what was answered is gone, and the answer with it. */
export function afterSilence(operation: Operation, now: MonotonicMs): Operation {
  const {phase, sentAt, sentElsewhereAt} = operation;
  if (phase !== 'sent' || sentElsewhereAt === undefined || sentAt === undefined) return operation;
  if (now - sentAt <= SILENT_AFTER_MS) return operation;
  return {...operation, phase: 'unknown', detail: say`the other skydeck did not say what was answered`};
}
