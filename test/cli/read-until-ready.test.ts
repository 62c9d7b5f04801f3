import {expect, test} from 'vitest';
import {readUntilReady} from '../../src/cli/operations/read-until-ready.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {createVirtualClock} from '../support/clock.ts';

const IO = {stderr: {write: () => true}, environment: {}};
const READY = {ok: true, value: {records: [{status: 'ready'}], quarantined: []}} as const;
const REFUSED: Failure = {
  kind: 'refused',
  httpStatus: 400,
  reason: safeText('bad_request'),
  message: safeText('not yet'),
};

/** What is read of a job that fails so often before it is ready, and how often it was read. */
async function readAfter(failure: Failure, failureCount: number) {
  const {clock} = createVirtualClock();
  const atOnce = {
    ...clock,
    after: (_ms: number, run: () => void) => {
      queueMicrotask(run);
      return () => {};
    },
  };
  let readCount = 0;
  const result = await readUntilReady({clock: atOnce}, IO, 'the console', () => {
    readCount += 1;
    return Promise.resolve(readCount > failureCount ? READY : ({ok: false, failure} as const));
  });
  return {result, readCount};
}

test.each<[string, Failure]>([
  ['a refusal', REFUSED],
  ['an error of the service', {kind: 'service-error', httpStatus: 503, message: safeText('')}],
  ['another form', {kind: 'odd-answer', detail: safeText('JSON that does not match the API')}],
  ['not found', {kind: 'not-found', message: safeText('')}],
])('a job that is answered with %s at first is read again', async (_name, failure) => {
  expect(await readAfter(failure, 2)).toEqual({result: {ok: true, value: {status: 'ready'}}, readCount: 3});
});

test.each<Failure>([
  {kind: 'not-authorised', httpStatus: 403, message: safeText('')},
  {kind: 'rate-limited'},
  {kind: 'odd-answer', detail: safeText('a body of more than 8 MiB'), isTooLarge: true},
])('a job is read once if the answer is %j', async failure => {
  expect(await readAfter(failure, 2)).toEqual({result: {ok: false, failure}, readCount: 1});
});

test('a job that never is ready is reported with its last failure', async () => {
  const {result, readCount} = await readAfter(REFUSED, 100);
  expect(readCount).toBe(30);
  expect(result).toMatchObject({
    failure: {
      kind: 'incomplete',
      detail: expect.stringMatching(/^the console was not ready within a minute: .*not yet/),
    },
  });
});
