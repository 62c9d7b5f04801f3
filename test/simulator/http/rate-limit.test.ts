import {expect, test} from 'vitest';
import {aSimulator, MINUTE_MS, SECOND_MS} from '../a-simulator.ts';

test('refuses every request over the limit until the minute of the wall clock is over', async () => {
  const {get, pass, simulator} = await aSimulator({rateLimitPerMinute: 5});
  pass(20 * SECOND_MS);
  const statuses = async (count: number) => {
    const replies: number[] = [];
    for (let index = 0; index < count; index += 1) replies.push((await get('/auth/me')).status);
    return replies;
  };
  expect(await statuses(7)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  pass(39 * SECOND_MS);
  // Another key, another path or a wrong key still counts for the same address.
  expect((await get('/core/flavors', {key: simulator.keys.member})).status).toBe(429);
  expect((await get('/core/flavors', {key: 'wrong'})).status).toBe(429);
  pass(1 * SECOND_MS);
  expect(await statuses(6)).toEqual([200, 200, 200, 200, 200, 429]);
});

test('gives a refused request no effect, and sends no Retry-After', async () => {
  const {get, machine, simulator} = await aSimulator({rateLimitPerMinute: 1});
  const {id} = await machine('train-01');
  const reply = await get(`/core/virtual-machines/${id}/stop`);
  expect(reply.status).toBe(429);
  expect(reply.headers.get('retry-after')).toBeNull();
  expect(simulator.executions()).toEqual([]);
});

test('uses the wall clock at any speed', async () => {
  const {get, pass} = await aSimulator({rateLimitPerMinute: 1, speed: 600});
  expect((await get('/auth/me')).status).toBe(200);
  // Ten seconds on the wall clock are a hundred minutes in the simulator.
  pass(10 * SECOND_MS);
  expect((await get('/auth/me')).status).toBe(429);
  pass(MINUTE_MS);
  expect((await get('/auth/me')).status).toBe(200);
});

test('is 500 by default', async () => {
  const {get} = await aSimulator({rateLimitPerMinute: undefined});
  let refusedAt = 0;
  for (let count = 1; count <= 501 && refusedAt === 0; count += 1) {
    if ((await get('/auth/me')).status === 429) refusedAt = count;
  }
  expect(refusedAt).toBe(501);
});
