import {describe, expect, it} from 'vitest';
import {me} from '../../src/api/account.ts';
import {openClients, openServer, openSocketServer} from './loopback.ts';

describe('a read that goes wrong', () => {
  it.each([
    ['a connection that is reset', () => openSocketServer(socket => socket.resetAndDestroy())],
    ['a connection that ends', () => openSocketServer(socket => socket.end())],
    [
      'a service that asks to come again at once',
      () => openServer((_request, response) => response.writeHead(503, {'retry-after': '0'}).end()),
    ],
  ])('is asked for once through %s: the scheduler alone asks again', async (_name, open) => {
    const server = await open();
    await openClients(server.baseUrl).reads.read(me, {});
    expect(server.seen).toHaveLength(1);
  });
});
