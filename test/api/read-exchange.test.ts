import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {describe, expect, it, vi} from 'vitest';
import {me} from '../../src/api/account.ts';
import {openClients, openServer, openSocketServer} from './loopback.ts';

describe('a failed read', () => {
  it.each([
    ['a connection that is reset', () => openSocketServer(socket => socket.resetAndDestroy())],
    ['a connection that ends', () => openSocketServer(socket => socket.end())],
    [
      'a service that asks to retry at once',
      () => openServer((_request, response) => response.writeHead(503, {'retry-after': '0'}).end()),
    ],
  ])('is sent once only after %s, as only the scheduler retries', async (_name, open) => {
    const server = await open();
    await openClients(server.baseUrl).reads.read(me, {});
    expect(server.seen).toHaveLength(1);
  });
});

describe('a body without an end', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');

  it.each([
    ['at its time limit', {kind: 'timed-out', afterMs: 15_000}],
    ['when nobody waits for it', {kind: 'cut', detail: 'cancelled by skydeck'}],
  ])('ends %s, after the garbage collector ran as well, and its connection is closed', async (_name, failure) => {
    let isClosed = false;
    const server = await openServer((_request, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      response.writeHead(200, {'content-type': 'application/json'}).write(' ');
    });
    let isAnswered = false;
    const onAnswer = () => {
      isAnswered = true;
    };
    const {reads, time} = openClients(server.baseUrl, {onAnswer});
    const leaving = new AbortController();
    const reading = reads.read(me, {}, {signal: leaving.signal});
    await vi.waitUntil(() => isAnswered);
    // Collected are only objects of earlier turns.
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise(resolve => setImmediate(resolve));
      collectGarbage();
    }
    if (failure.kind === 'cut') leaving.abort();
    else await time.advance(15_000);
    expect(await reading).toEqual({ok: false, failure});
    await vi.waitUntil(() => isClosed);
  });
});
