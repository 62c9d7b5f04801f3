import {describeFailure} from '../domain/failure.ts';
import {afterCheck, isEnded, type Operation, staleReason} from '../domain/operation.ts';
import {say} from '../domain/safe-text.ts';
import {type Clock, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import type {Actions} from './action.ts';
import {readingsOf} from './action-readings.ts';
import type {Poller} from './poller.ts';
import type {RequestBudget} from './request-budget.ts';

/** The check takes at most a read's time limit; an older confirmation may be about a state that has changed. */
const MAX_CONFIRMATION_AGE_MS = 30 * SECOND_MS;

/** Reads the object and what belongs to it afresh: what the confirmation showed must still be so. */
export async function checkBeforeSending(
  operation: Operation,
  {actions, poller, budget}: {readonly actions: Actions; readonly poller: Poller; readonly budget: RequestBudget},
): Promise<Operation> {
  const readCount = operation.rule.alsoReads === undefined ? 1 : 2;
  if (!budget.hasRoom('operation', readCount + 1)) return withoutRoom(operation, budget);
  const look = await readingsOf(operation.action, actions).readNow(poller);
  if (!look.ok) {
    const detail = say`the check before sending failed, ${describeFailure(look.failure)}`;
    return {...operation, phase: 'NOT_SENT', detail, failure: look.failure};
  }
  const stale = staleReason(operation, look.value);
  return stale === undefined ? afterCheck(operation, look.value) : {...operation, phase: 'STALE', detail: stale};
}

/** Once more, at the moment of sending: what could change while the check waited for its answer. */
export function checkAtSending(
  operation: Operation,
  confirmedAt: MonotonicMs,
  {clock, budget}: {readonly clock: Clock; readonly budget: RequestBudget},
): Operation {
  if (isEnded(operation.phase)) return operation;
  // One of the two clocks stops while the computer sleeps, so the longer of both times counts.
  const age = Math.max(clock.monotonicNow() - confirmedAt, clock.wallNow() - operation.confirmedAt);
  if (age > MAX_CONFIRMATION_AGE_MS) {
    const detail = say`the confirmation is ${Math.round(age / SECOND_MS)} s old; ask again`;
    return {...operation, phase: 'STALE', detail};
  }
  return budget.hasRoom('operation') ? operation : withoutRoom(operation, budget);
}

function withoutRoom(operation: Operation, budget: RequestBudget): Operation {
  const used = budget.usedLastMinute();
  return {...operation, phase: 'NOT_SENT', detail: say`${used} requests in the last minute; try again shortly`};
}
