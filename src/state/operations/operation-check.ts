import type {CloudResource} from '../../domain/cloud-resource.ts';
import {describeFailure, type Failure, type Result} from '../../domain/failure.ts';
import type {Observation} from '../../domain/observation.ts';
import {afterCheck, isEnded, MAX_CONFIRMATION_AGE_MS, type Operation, staleReason} from '../../domain/operation.ts';
import {say} from '../../domain/safe-text.ts';
import {type Clock, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import type {Actions} from './action.ts';
import {readingsOf} from './action-readings.ts';
import {nextAttemptDelay} from '../poller/circuit-breaker.ts';
import type {Poller} from '../poller/poller.ts';
import type {RequestBudget} from '../poller/request-budget.ts';

/** A service that fails once may answer the next moment, and a read can be asked for again. */
const RETRIED: ReadonlySet<Failure['kind']> = new Set(['timed-out', 'cut', 'service-error', 'odd-answer']);
const MAX_TRIES = 3;
/** A try that begins later may have its answer only when the confirmation is too old. */
const TRIES_BEGIN_WITHIN_MS = 20 * SECOND_MS;

type Checking = {
  readonly actions: Actions;
  readonly poller: Poller;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  /** Uniform in [0, 1), for the pauses. */
  readonly random: () => number;
};

/** Reads the object and everything that belongs to it again: what the confirmation showed must still hold. */
export async function checkBeforeSending(operation: Operation, checking: Checking): Promise<Operation> {
  const {budget} = checking;
  if (!hasRoomFor(operation, budget)) return withoutRoom(operation, budget);
  const look = await lookAt(operation, checking);
  if (!look.ok) {
    const detail = say`the check before sending failed, ${describeFailure(look.failure)}`;
    return {...operation, phase: 'NOT_SENT', detail, failure: look.failure};
  }
  const stale = staleReason(operation, look.value);
  return stale === undefined ? afterCheck(operation, look.value) : {...operation, phase: 'STALE', detail: stale};
}

async function lookAt(
  operation: Operation,
  {actions, poller, budget, clock, random}: Checking,
): Promise<Result<Observation<CloudResource>>> {
  const {readNow} = readingsOf(operation.action, actions);
  const begunAt = clock.monotonicNow();
  for (let tryCount = 1; ; tryCount += 1) {
    const look = await readNow(poller);
    const pauseMs = nextAttemptDelay(tryCount, random);
    const isLate = clock.monotonicNow() + pauseMs - begunAt > TRIES_BEGIN_WITHIN_MS;
    const isRetried = !look.ok && RETRIED.has(look.failure.kind) && tryCount < MAX_TRIES && !isLate;
    if (!isRetried || !hasRoomFor(operation, budget)) return look;
    await new Promise<void>(resolve => clock.after(pauseMs, resolve));
  }
}

/** For its readings, and the request behind them. */
function hasRoomFor({traits}: Operation, budget: RequestBudget): boolean {
  return budget.hasRoom('operation', (traits.alsoReads === undefined ? 1 : 2) + 1);
}

/** Checked again at the moment of sending: whatever could change while the check waited for its answer. */
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
