import {expect, test} from 'vitest';
import type {Exchange} from '../../src/api/client.ts';
import {firstAnswerFirst} from '../../src/api/first-answer.ts';
import {secret} from '../../src/domain/secret.ts';
import {createVirtualClock} from '../support/clock.ts';
import {KEY} from './loopback.ts';

const connection = {
  pin: {origin: 'http://cloud.test', basePath: '/v1'},
  key: secret(KEY),
  secrets: [secret(KEY)],
  clock: createVirtualClock().clock,
  route: {kind: 'direct'},
} as const;
const unused: Exchange['operation'] = () => Promise.reject(new Error('No operation is sent here.'));

/** Each request is answered at once; tells whose answers came through, in order. */
function openExchange() {
  const {exchange, release} = firstAnswerFirst({
    read: () => Promise.resolve({ok: false, failure: {kind: 'timed-out', afterMs: 1}}),
    operation: unused,
  });
  const answered: string[] = [];
  const ask = async (path: string) => {
    await exchange.read(connection, {method: 'GET', url: new URL(`http://cloud.test/v1/${path}`)}, {timeoutMs: 1000});
    answered.push(path);
  };
  return {ask, release, answered};
}

test('lets other answers through only after the release', async () => {
  const {ask, release, answered} = openExchange();
  const first = ask('machines');
  const other = ask('usage');
  await first;
  await ask('machines?page=2');
  expect(answered).toEqual(['machines', 'machines?page=2']);
  release();
  await other;
  await ask('usage');
  expect(answered).toEqual(['machines', 'machines?page=2', 'usage', 'usage']);
});

test('keeps nobody waiting who asks after the release', async () => {
  const {ask, release, answered} = openExchange();
  release();
  await Promise.all([ask('machines'), ask('usage')]);
  expect(answered.toSorted()).toEqual(['machines', 'usage']);
});
