import {describe, expect, it} from 'vitest';
import {describeFailure, type Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';

const text = safeText('the reason');
const empty = safeText('');

describe('describeFailure', () => {
  it.each<[Failure, string]>([
    [{kind: 'not-sent', detail: text}, 'not sent: the reason'],
    [{kind: 'timed-out', afterMs: 15_000}, 'timed out after 15 s'],
    [{kind: 'timed-out', afterMs: 1}, 'timed out after 1 ms'],
    [{kind: 'cut', detail: text}, 'the connection was cut: the reason'],
    [{kind: 'refused', httpStatus: 400, reason: safeText('bad_request'), message: text}, 'refused (400): the reason'],
    [
      {kind: 'refused', httpStatus: 409, reason: safeText('already_exist'), message: empty},
      'refused (409 already_exist)',
    ],
    [
      {kind: 'not-authorised', httpStatus: 401, message: text},
      'the key or its role was not accepted (401): the reason',
    ],
    [{kind: 'not-authorised', httpStatus: 403, message: text}, 'this key may not do that (403): the reason'],
    [{kind: 'not-found', message: text}, 'not found (404): the reason'],
    [{kind: 'rate-limited'}, 'rate-limited (429); the service refuses everything until the minute ends'],
    [{kind: 'rate-limited', retryAfterMs: 600_000}, 'rate-limited (429); try again in 600 s'],
    [{kind: 'rate-limited', retryAfterMs: 1000}, 'rate-limited (429); try again in 1 s'],
    [{kind: 'service-error', httpStatus: 502, message: text}, 'the service failed (502): the reason'],
    [
      {kind: 'redirected', host: safeText('api.example'), isSameOrigin: true},
      'the service redirected to another of its own addresses; redirects are not followed',
    ],
    [
      {kind: 'redirected', host: safeText('elsewhere.example')},
      'the service redirected to elsewhere.example; not followed, so that the key stays here',
    ],
    [{kind: 'odd-answer', detail: text}, 'an unreadable answer: the reason'],
  ])('describes %j in one line', (failure, line) => {
    expect(describeFailure(failure)).toBe(line);
  });

  it.each([
    ['Something went wrong on our side.', 'Something went wrong on our side'],
    ['No. Try later.', 'No. Try later'],
    ['wait...', 'wait...'],
    ['.', ''],
  ])('drops one full stop at the end of the message, so that more can follow: %s', (message, told) => {
    const failure: Failure = {kind: 'service-error', httpStatus: 500, message: safeText(message)};
    expect(describeFailure(failure)).toBe(`the service failed (500): ${told}`);
  });
});
