import {unreachable} from '../../domain/assert.ts';
import {type Failure, isKeyRefused} from '../../domain/failure.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../../domain/time.ts';

/** Whether requests can be sent to the service now. All feeds share one host, so they share its failures. */
export type BreakerState =
  | {
      readonly status: 'up';
      readonly recentFailureCount: number;
      /** The kinds of request that failed since the last good answer, each with its part of the service. */
      readonly failedRequestKinds?: FailedRequestKinds;
      /** When the first of the requests was sent that failed since the last good answer. */
      readonly failingSince?: MonotonicMs | undefined;
      readonly lastGoodAt?: MonotonicMs;
    }
  /**
   * Unreachable: one probe at a time, with growing pauses. Two good answers end it, also if requests that failed before
   * fail again between them.
   */
  | {
      readonly status: 'down';
      readonly failure: Failure;
      /** The kind of request that failed last; undefined once one of that kind was answered. */
      readonly requestKind?: string | undefined;
      /** The kinds of request that failed since their last good answer, each with its part of the service. */
      readonly failedRequestKinds?: FailedRequestKinds;
      /** When the first of the requests was sent that failed: how long the outage lasts counts from then. */
      readonly failingSince?: MonotonicMs | undefined;
      /** When so many had failed that it was taken for unreachable. */
      readonly since: MonotonicMs;
      readonly retryAt: MonotonicMs;
      readonly attemptCount: number;
      readonly goodAnswerCount: number;
    }
  /** 429: every request is refused until the minute is over, or for as long as the service says. */
  | {readonly status: 'rate-limited'; readonly since: MonotonicMs; readonly retryAt: MonotonicMs}
  /** 401: further requests would look like an attack, so a person has to replace the key first. */
  | {readonly status: 'not-authorised'; readonly failure: Failure; readonly since: MonotonicMs};

type FailedRequestKinds = ReadonlyMap<string, string>;

export const UP: BreakerState = {status: 'up', recentFailureCount: 0};

const BASE_DELAY_MS = SECOND_MS;
const MAX_DELAY_MS = MINUTE_MS;
/** From this attempt on the pause is at its maximum. */
const ATTEMPTS_UNTIL_CAP = 6;
/** One endpoint may fail on its own; this many failures in a row mean that the host fails. */
const FAILURES_UNTIL_DOWN = 3;
/** The list of machines is read more often than this. If it still gets answers, only one kind of request is failing. */
const RECENT_ANSWER_MS = 12.5 * SECOND_MS;
const GOOD_ANSWERS_UNTIL_UP = 2;
/** A part of the service, such as billing, may fail as a whole; when this many fail in a row, the host fails. */
const FAILED_PARTS_UNTIL_DOWN = 4;
/** Many decks refused in the same minute must not all come back in the same second. */
const RATE_LIMIT_JITTER_MS = 5 * SECOND_MS;

/**
 * Full jitter, doubling from one second to a minute. At the maximum the pause stays above half of it, so that a long
 * outage costs at most two requests a minute.
 * @param attemptCount failures so far, from 1
 */
export function nextAttemptDelay(attemptCount: number, random: () => number): DurationMs {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(attemptCount, 10));
  return ceiling < MAX_DELAY_MS ? ceiling * random() : ceiling * (0.5 + 0.5 * random());
}

/**
 * How long the service asked to wait after a failure of its own; 0 if it did not. At most a minute: it may be back
 * sooner than whatever stands before it says, and data shall be fresh soon afterwards.
 */
export function askedDelay(failure: Failure, random: () => number): DurationMs {
  if (failure.kind !== 'service-error' || failure.retryAfterMs === undefined) return 0;
  return Math.min(failure.retryAfterMs, MINUTE_MS) + RATE_LIMIT_JITTER_MS * random();
}

/** Whether a failure says something about the host rather than about one request. */
export function isHostFailure(failure: Failure): boolean {
  switch (failure.kind) {
    case 'not-sent':
    case 'timed-out':
    case 'cut':
    case 'service-error':
    case 'odd-answer':
    case 'redirected':
      return true;
    case 'refused':
    case 'not-found':
    case 'not-authorised':
    case 'rate-limited':
    case 'incomplete':
      return false;
    default:
      return unreachable(failure);
  }
}

/** When the answer came and the request was sent, a random number for the pauses, and what it answers, if known. */
type BreakerInput = {
  readonly now: MonotonicMs;
  /** When the request was sent. */
  readonly startedAt?: MonotonicMs;
  readonly random: () => number;
  readonly requestKind?: string;
  /** The part of the service that answers it; without one, the kind is a part of its own. */
  readonly part?: string;
};

/** The state after one answer; `failure` is undefined for a good one. */
export function afterReading(health: BreakerState, failure: Failure | undefined, at: BreakerInput): BreakerState {
  // Requests already under way when the key was refused say nothing new: only a person changes the key.
  if (health.status === 'not-authorised') return health;
  if (failure !== undefined && isKeyRefused(failure)) {
    return {status: 'not-authorised', failure, since: at.now};
  }
  if (failure?.kind === 'rate-limited') return rateLimited(health, failure, at);
  // An answer to an earlier request does not end the pause that the service asked for.
  if (health.status === 'rate-limited' && at.now < health.retryAt) return health;
  if (failure !== undefined && isHostFailure(failure)) return afterHostFailure(health, failure, at);
  return afterGoodAnswer(health, at);
}

function rateLimited(
  health: BreakerState,
  failure: Extract<Failure, {kind: 'rate-limited'}>,
  at: BreakerInput,
): BreakerState {
  const pause = (failure.retryAfterMs ?? MINUTE_MS) + RATE_LIMIT_JITTER_MS * at.random();
  const retryAt = later(at.now, pause);
  if (health.status !== 'rate-limited') return {status: 'rate-limited', since: at.now, retryAt};
  return {...health, retryAt: retryAt > health.retryAt ? retryAt : health.retryAt};
}

function afterHostFailure(health: BreakerState, failure: Failure, at: BreakerInput): BreakerState {
  const before = health.status === 'up' || health.status === 'down' ? health : undefined;
  const known = before?.failedRequestKinds;
  const failingSince = earliest(before?.failingSince, at.startedAt);
  const kind = at.requestKind ?? '';
  const failedRequestKinds = new Map(known).set(kind, at.part ?? kind);
  if (health.status === 'up') {
    const recentFailureCount = health.recentFailureCount + 1;
    const isAnswering = mayConcernOneRequest(failure) && isRecent(health.lastGoodAt, at.now);
    const isPartOnly = isAnswering && !areTooManyParts(failedRequestKinds);
    if (isPartOnly || recentFailureCount < FAILURES_UNTIL_DOWN) {
      return {...health, recentFailureCount, failedRequestKinds, failingSince};
    }
  }
  const attemptCount = health.status === 'down' ? health.attemptCount + 1 : 1;
  const since = health.status === 'down' ? health.since : at.now;
  // Slow failures and short random pauses take long to reach the maximum, so after a minute the pauses are long
  // whatever the count.
  const isLong = at.now - since >= MINUTE_MS;
  const delay = nextAttemptDelay(isLong ? Math.max(attemptCount, ATTEMPTS_UNTIL_CAP) : attemptCount, at.random);
  const retryAt = later(at.now, Math.max(delay, askedDelay(failure, at.random)));
  const goodAnswerCount =
    health.status === 'down' && isOfFailingParts(health, failure, at) ? health.goodAnswerCount : 0;
  const {requestKind} = at;
  return {
    status: 'down',
    failure,
    requestKind,
    failedRequestKinds,
    failingSince,
    since,
    retryAt,
    attemptCount,
    goodAnswerCount,
  };
}

function earliest(one: MonotonicMs | undefined, other: MonotonicMs | undefined): MonotonicMs | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

/** Whether only parts of the service that failed before fail again: what other parts answered still counts. */
function isOfFailingParts(
  {failedRequestKinds = new Map()}: Extract<BreakerState, {status: 'down'}>,
  {kind}: Failure,
  {requestKind, part = requestKind}: BreakerInput,
): boolean {
  if (kind !== 'service-error' || part === undefined || areTooManyParts(failedRequestKinds)) return false;
  return [...failedRequestKinds.values()].includes(part);
}

function areTooManyParts(failed: FailedRequestKinds): boolean {
  return new Set(failed.values()).size >= FAILED_PARTS_UNTIL_DOWN;
}

/** A host that accepts connections may still answer other requests; one that accepts none is unreachable for all. */
function mayConcernOneRequest({kind}: Failure): boolean {
  return kind !== 'not-sent';
}

function isRecent(lastGoodAt: MonotonicMs | undefined, now: MonotonicMs): boolean {
  return lastGoodAt !== undefined && now - lastGoodAt < RECENT_ANSWER_MS;
}

function afterGoodAnswer(health: BreakerState, at: BreakerInput): BreakerState {
  if (health.status !== 'down' || health.goodAnswerCount + 1 >= GOOD_ANSWERS_UNTIL_UP) {
    return {status: 'up', recentFailureCount: 0, lastGoodAt: at.now};
  }
  const requestKind = at.requestKind === health.requestKind ? undefined : health.requestKind;
  // A request that failed and is answered now does not always fail, so its next failure is one of the host.
  const failedRequestKinds = new Map(health.failedRequestKinds);
  failedRequestKinds.delete(at.requestKind ?? '');
  return {...health, requestKind, failedRequestKinds, goodAnswerCount: health.goodAnswerCount + 1, retryAt: at.now};
}

function later(moment: MonotonicMs, delayMs: DurationMs): MonotonicMs {
  return (moment + delayMs) as MonotonicMs;
}
