import {recordOf} from '../../src/actions/actions.ts';
import {subjectKey, subjectOf} from '../../src/domain/action.ts';
import {
  type Confirmed,
  isEnded,
  type Operation,
  type OperationPhase,
  withoutSecret,
} from '../../src/domain/operation.ts';
import type {OperationResult} from '../../src/domain/operation-result.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {type DurationMs, epochMs} from '../../src/domain/time.ts';
import type {Operations} from '../../src/state/operations/operation.ts';

export type InMemoryOperations = Operations & {
  /** The confirmed actions that were begun, oldest first. */
  readonly begun: readonly Confirmed[];
  /** Moves the newest operation to this phase, with the result of the answer and the readings before and after. */
  readonly reach: (
    phase: OperationPhase,
    result?: OperationResult,
    seen?: Partial<Pick<Operation, 'before' | 'after' | 'detail' | 'failure'>>,
  ) => void;
  /** What was written down as not sent, with the reason. */
  readonly unsent: readonly string[];
  /** The operations whose secret was dropped. */
  readonly dropped: readonly string[];
  readonly listenerCount: () => number;
  readonly isStopped: () => boolean;
  /** Leaves no room in the request budget until `emptyBudget` is called. */
  readonly fillBudget: () => void;
  readonly emptyBudget: () => void;
  /** The computer sleeps. */
  readonly sleep: (durationMs: DurationMs) => void;
};

/** Operations whose phases the test sets: locks and notifications work as in a session, and nothing is sent. */
export function inMemoryOperations(): InMemoryOperations {
  const operations: Operation[] = [];
  const begun: Confirmed[] = [];
  const dropped: string[] = [];
  const unsent: string[] = [];
  const listeners = new Set<(changed: Operation) => void>();
  let isBudgetFull = false;
  let isStopped = false;
  let sleptMs = 0;
  let resumeWaiting: (() => void) | undefined;
  const openOn: Operations['openOn'] = subject =>
    operations.find(({action, phase}) => !isEnded(phase) && subjectKey(subjectOf(action)) === subjectKey(subject));
  const tell = (changed: Operation) => {
    for (const listener of listeners) listener(changed);
  };

  return {
    begun,
    openOn,
    lastRead: () => undefined,
    sleptMs: () => sleptMs,
    sleep: durationMs => {
      sleptMs += durationMs;
    },
    untilRoom: resume => {
      if (!isBudgetFull) return undefined;
      resumeWaiting = resume;
      return () => {
        resumeWaiting = undefined;
      };
    },
    fillBudget: () => {
      isBudgetFull = true;
    },
    emptyBudget: () => {
      isBudgetFull = false;
      resumeWaiting?.();
    },
    begin: confirmed => {
      const holder = openOn(subjectOf(confirmed.action));
      if (holder !== undefined) return {status: 'locked', by: holder};
      begun.push(confirmed);
      const operation: Operation = {
        id: `op-${begun.length}`,
        action: confirmed.action,
        traits: recordOf(confirmed.action),
        subjectName: confirmed.subjectName,
        ...(confirmed.followUp === undefined ? {} : {followUp: confirmed.followUp}),
        phase: 'preflight',
        confirmedAt: epochMs(0),
        hasSeenTransition: false,
        targetReadCount: 0,
        otherReadCount: 0,
        unchangedReadCount: 0,
      };
      operations.push(operation);
      tell(operation);
      return {status: 'begun', operation};
    },
    withdraw: id => {
      const index = operations.findIndex(each => each.id === id && each.phase === 'preflight');
      const found = operations[index];
      if (found === undefined) return false;
      const withdrawn: Operation = {...found, phase: 'NOT_SENT', detail: safeText('withdrawn')};
      operations[index] = withdrawn;
      tell(withdrawn);
      return true;
    },
    reach: (phase, result, seen) => {
      const newest = operations.pop();
      if (newest === undefined) throw new Error('Expected an operation.');
      const changed = {...newest, phase, ...(result === undefined ? {} : {result}), ...seen};
      operations.push(changed);
      tell(changed);
    },
    all: () => [...operations].reverse(),
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dropSecret: id => {
      dropped.push(id);
      const index = operations.findIndex(each => each.id === id);
      const found = operations[index];
      if (found !== undefined) operations[index] = withoutSecret(found);
    },
    unsent,
    writeUnsent: (left, why) => {
      for (const {subjectName} of left) unsent.push(`${subjectName}: ${why}`);
      return undefined;
    },
    dropped,
    version: () => begun.length,
    stop: () => {
      isStopped = true;
    },
    isStopped: () => isStopped,
    listenerCount: () => listeners.size,
  };
}
