import type {CloudResource} from '../../domain/cloud-resource.ts';
import {describeFailure, type Result} from '../../domain/failure.ts';
import type {Observation} from '../../domain/observation.ts';
import {afterCheck, isEnded, MAX_CONFIRMATION_AGE_MS, type Operation, staleReason} from '../../domain/operation.ts';
import {DEFAULT_PREFERENCES, type Preferences} from '../../domain/preferences.ts';
import {say} from '../../domain/safe-text.ts';
import {readAt} from '../../domain/snapshot.ts';
import type {ShownFacts} from '../../domain/shown-facts.ts';
import {type Clock, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';
import {type Actions, definitionOf} from './action.ts';
import {readingsOf} from './action-readings.ts';
import {withPricesInForce} from '../catalogue.ts';
import type {Feed} from '../feed.ts';
import type {Known} from '../known.ts';
import type {Poller} from '../poller/poller.ts';
import {readAgain} from '../poller/read-again.ts';
import type {RequestBudget} from '../poller/request-budget.ts';
import type {Store} from '../store.ts';

/**
 * What is quoted from long lists is read again only if it is older: `--yes` has just read it, and so has the check of
 * the one before in a batch. After an answer it is always read again.
 */
const QUOTED_WITHIN_MS = 5 * SECOND_MS;

type Checking = {
  readonly actions: Actions;
  readonly store: Store;
  /** For the cost that was shown; the defaults if absent. */
  readonly preferences?: Preferences | undefined;
  readonly poller: Poller;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  /** Whether a person has just answered the question about it. */
  readonly isJustAnswered: boolean;
  /** Uniform in [0, 1), for the pauses. */
  readonly random: () => number;
};

/** Reads the object and everything that belongs to it again: what the confirmation showed must still hold. */
export async function checkBeforeSending(operation: Operation, checking: Checking): Promise<Operation> {
  const {budget} = checking;
  const others = otherFeeds(operation, checking);
  if (!hasRoomFor(operation, others, budget)) return withoutRoom(operation, budget);
  const look = await lookAt(operation, others, checking);
  if (!look.ok) {
    const detail = say`the check before sending failed, ${describeFailure(look.failure)}`;
    return {...operation, phase: 'NOT_SENT', detail, failure: look.failure};
  }
  const stale = staleReason(operation, look.value, presentBesides(operation, look.value, checking));
  return stale === undefined ? afterCheck(operation, look.value) : {...operation, phase: 'STALE', detail: stale};
}

function presentBesides({action}: Operation, {records}: Observation<CloudResource>, checking: Checking): ShownFacts {
  const definition = definitionOf(checking.actions, action);
  const [subject] = action.spec === undefined ? definition.among(action, records) : [];
  return definition.besides(action, subject, knownNow(checking));
}

function knownNow({store, clock, preferences = DEFAULT_PREFERENCES}: Checking): Known {
  const now = clock.wallNow();
  return {store, preferences: withPricesInForce(preferences, {store, now}), now, monotonicNow: clock.monotonicNow()};
}

async function lookAt(
  operation: Operation,
  others: readonly Feed<unknown>[],
  {actions, poller, budget, clock, random}: Checking,
): Promise<Result<Observation<CloudResource>>> {
  const {readNow} = readingsOf(operation.action, actions);
  const look = async (): Promise<Result<Observation<CloudResource>>> => {
    const [own, ...rest] = await Promise.all([readNow(poller), ...others.map(feed => poller.readNow(feed))]);
    const unread = rest.find(reading => !reading.ok);
    return own.ok && unread?.ok === false ? unread : own;
  };
  return readAgain(look, {clock, random, hasRoom: () => hasRoomFor(operation, others, budget)});
}

/** Of what a question quoted, a list that was never read gave it nothing that could have changed. */
function otherFeeds({action, replaced = []}: Operation, checking: Checking): readonly Feed<unknown>[] {
  const {actions, store, clock, isJustAnswered} = checking;
  const {rereads, quotes} = definitionOf(actions, action);
  const isOld = (feed: Feed<unknown>) => {
    const at = readAt(store.get(feed));
    return at !== undefined && (isJustAnswered || clock.monotonicNow() - at > QUOTED_WITHIN_MS);
  };
  return [...(rereads?.(action, replaced) ?? []), ...(quotes?.(action, knownNow(checking)) ?? []).filter(isOld)];
}

/** For its readings, and the request behind them. */
function hasRoomFor({traits}: Operation, others: readonly Feed<unknown>[], budget: RequestBudget): boolean {
  const own = traits.alsoReads === undefined ? 1 : 2;
  return budget.hasRoom('operation', own + others.length + 1);
}

/** Checked again at the moment of sending: whatever could change while the check waited for its answer. */
export function checkAtSending(
  operation: Operation,
  confirmedAt: MonotonicMs,
  {clock, budget}: {readonly clock: Clock; readonly budget: RequestBudget},
): Operation {
  if (isEnded(operation.phase)) return operation;
  // By our own clock, which counts sleep: the service's may jump, or run faster.
  const age = clock.monotonicNow() - confirmedAt;
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
