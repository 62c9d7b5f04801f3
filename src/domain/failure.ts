import {unreachable} from './assert.ts';
import {type SafeText, safeText, say} from './safe-text.ts';
import {type DurationMs, SECOND_MS} from './time.ts';

/**
 * Everything that can go wrong between us and the service. `api` makes failures of what happened to a request. Whoever
 * reads further makes those that only the content shows, such as a record that a complete list does not have: `find` in
 * `resources`, feeds, what a command plans or waits for. `state/poller`, `state/operations`, `app` and `cli` handle
 * them.
 */
export type Failure =
  /**
   * No byte of the request was sent: the name did not resolve, the port was closed, TLS failed, or we gave up before.
   */
  | {readonly kind: 'not-sent'; readonly detail: SafeText}
  /** Sent, without a complete answer within the limit. */
  | {readonly kind: 'timed-out'; readonly afterMs: DurationMs}
  /** Sent, and the connection ended before a complete answer. */
  | {readonly kind: 'cut'; readonly detail: SafeText}
  /** A complete 4xx answer (for an operation, in the service's own form), or a 2xx whose body says `status: false`. */
  | {readonly kind: 'refused'; readonly httpStatus: number; readonly reason: SafeText; readonly message: SafeText}
  /** 401: the key itself was refused. 403: it lacks a permission. */
  | {readonly kind: 'not-authorised'; readonly httpStatus: 401 | 403; readonly message: SafeText}
  /** 404, or a complete list without such a name. */
  | {readonly kind: 'not-found'; readonly message: SafeText; readonly isSoughtInList?: true}
  /** 429. How long the service asked to wait, at most ten minutes; without that, until the minute ends. */
  | {readonly kind: 'rate-limited'; readonly retryAfterMs?: DurationMs}
  /** 5xx: the service may or may not have acted. How long a 503 asked to wait, at most ten minutes. */
  | {
      readonly kind: 'service-error';
      readonly httpStatus: number;
      readonly message: SafeText;
      readonly retryAfterMs?: DurationMs;
    }
  | {readonly kind: 'redirected'; readonly host: SafeText; readonly isSameOrigin?: true}
  /**
   * An answer that is not the service's: HTML, truncated JSON, another form; or one that is too large to be read. Foreign
   * is what begins as no answer of this interface does, such as a page: something else is at this address.
   */
  | {readonly kind: 'odd-answer'; readonly detail: SafeText; readonly isTooLarge?: true; readonly isForeign?: true}
  /** A valid answer that is not enough for the question: an incomplete list, an unfinished job. */
  | {readonly kind: 'incomplete'; readonly detail: SafeText};

export type Result<T> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly failure: Failure};

/** Whether the key itself was refused, rather than what was asked with it. */
export function isKeyRefused(failure: Failure): boolean {
  return failure.kind === 'not-authorised' && failure.httpStatus === 401;
}

/** One line that says what happened; the caller adds in front what was attempted, and on what. */
export function describeFailure(failure: Failure): SafeText {
  return asPhrase(wordsOf(failure));
}

/** The same for a read: that one was not sent says why, and "not sent" is what is said of operations. */
export function describeReadFailure(failure: Failure): SafeText {
  return failure.kind === 'not-sent' ? asPhrase(failure.detail) : describeFailure(failure);
}

/** With what was read: `machines: not read: timed out after 15 s`. */
export function describeUnread(what: SafeText, failure: Failure): SafeText {
  return say`${what}: not read: ${describeReadFailure(failure)}`;
}

/** More follows, so a message's full stop would come before a comma or semicolon. */
function asPhrase(words: SafeText): SafeText {
  return /[^.]\.$/.test(words) ? safeText(words.slice(0, -1)) : words;
}

function limitWords(limitMs: DurationMs): SafeText {
  return limitMs < SECOND_MS ? say`${limitMs} ms` : say`${Math.round(limitMs / SECOND_MS)} s`;
}

function wordsOf(failure: Failure): SafeText {
  switch (failure.kind) {
    case 'not-sent':
      return say`not sent: ${failure.detail}`;
    case 'timed-out':
      return say`timed out after ${limitWords(failure.afterMs)}`;
    case 'cut':
      return say`the connection was cut: ${failure.detail}`;
    case 'refused':
      return failure.message.length > 0
        ? say`refused (${failure.httpStatus}): ${failure.message}`
        : say`refused (${failure.httpStatus} ${failure.reason})`;
    case 'not-authorised':
      return failure.httpStatus === 401
        ? say`the key or its role was not accepted (401): ${failure.message}`
        : say`this key may not do that (403): ${failure.message}`;
    case 'not-found':
      return failure.isSoughtInList === true ? failure.message : say`not found (404): ${failure.message}`;
    case 'rate-limited':
      return failure.retryAfterMs === undefined
        ? say`rate-limited (429); the service refuses everything until the minute ends`
        : say`rate-limited (429); try again in ${limitWords(failure.retryAfterMs)}`;
    case 'service-error':
      return say`the service failed (${failure.httpStatus}): ${failure.message}`;
    case 'redirected':
      return failure.isSameOrigin === true
        ? say`the service redirected to another of its own addresses; redirects are not followed`
        : say`the service redirected to ${failure.host}; not followed, so that the key stays here`;
    case 'odd-answer':
      return say`an unreadable answer: ${failure.detail}`;
    case 'incomplete':
      return failure.detail;
    default:
      return unreachable(failure);
  }
}
