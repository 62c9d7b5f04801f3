import {describe, expect, it} from 'vitest';
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
