import {createServer} from 'node:http';
import {connect, type Socket} from 'node:net';
import {getCACertificates, setDefaultCACertificates} from 'node:tls';
import {inspect} from 'node:util';
import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest';
import {createOperationClient} from '../../src/api/client.ts';
import {routeTo} from '../../src/api/proxy.ts';
import {stopVirtualMachine, virtualMachineEvents} from '../../src/api/virtual-machines.ts';
import {secret} from '../../src/domain/secret.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {createVirtualClock} from '../support/clock.ts';
import {KEY, openClients, openNamedServer, openServer, openUntrustedServer} from './loopback.ts';
import {wireExample} from './wire-example.ts';

const SERVICE = 'https://api.example.test/v1';
const params = {id: virtualMachineId(793001)};

describe('routeTo', () => {
  const service = new URL(SERVICE);
  const through = (proxyUrl: string) => ({kind: 'proxy', proxyUrl});

  it.each([
    [{}, {kind: 'direct'}],
    [{HTTPS_PROXY: ''}, {kind: 'direct'}],
    [{HTTP_PROXY: 'http://proxy:3128'}, {kind: 'direct'}],
    [{HTTPS_PROXY: 'http://proxy:3128'}, through('http://proxy:3128/')],
    [{HTTPS_PROXY: 'proxy:3128'}, through('http://proxy:3128/')],
    [{https_proxy: 'http://small:1', HTTPS_PROXY: 'http://capital:2'}, through('http://small:1/')],
    [{HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*'}, {kind: 'direct'}],
    [{HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'other.test, Api.Example.test'}, {kind: 'direct'}],
    [{HTTPS_PROXY: 'http://proxy:3128', no_proxy: '.example.test'}, {kind: 'direct'}],
    [{HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*.example.test other'}, {kind: 'direct'}],
    [{HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.test:443'}, {kind: 'direct'}],
    [{HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.test:8443'}, through('http://proxy:3128/')],
    [{HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'ample.test'}, through('http://proxy:3128/')],
  ])('by %j', (environment, expected) => {
    expect(routeTo(service, environment)).toEqual(expected);
  });

  it.each([
    'http://127.0.0.1:8080',
    'https://localhost',
    'https://127.3.2.1',
    'https://[::1]:8443',
  ])('is direct to %s, which is this computer', url => {
    expect(routeTo(new URL(url), {HTTPS_PROXY: 'http://proxy:3128'})).toEqual({kind: 'direct'});
  });

  it('is blocked by a proxy that cannot be used, without repeating its password', () => {
    for (const url of ['socks5://user:hunter2@proxy:1080', 'http://user:hunter2@', 'http://user:hunter2@:x']) {
      const route = routeTo(service, {HTTPS_PROXY: url});
      expect(route.kind).toBe('blocked');
      expect(inspect(route)).not.toContain('hunter2');
    }
  });

  it('is blocked on a Node without proxy support, rather than going past the proxy', () => {
    const route = routeTo(service, {HTTPS_PROXY: 'http://proxy:3128'}, false);
    expect(route).toMatchObject({kind: 'blocked'});
    expect(inspect(route)).toContain('NO_PROXY');
    expect(routeTo(service, {}, false)).toEqual({kind: 'direct'});
  });
});

describe('a service on this computer', () => {
  const service = new URL('http://127.0.0.1:8080');

  it('is blocked on a Node that sends plain http through a proxy and cannot be told not to', () => {
    const environment = {NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://proxy:3128'};
    expect(routeTo(service, environment, false)).toMatchObject({kind: 'blocked'});
    expect(routeTo(service, {NODE_USE_ENV_PROXY: '1'}, false)).toEqual({kind: 'direct'});
    expect(routeTo(service, {HTTP_PROXY: 'http://proxy:3128'}, false)).toEqual({kind: 'direct'});
    expect(routeTo(service, environment, true)).toEqual({kind: 'direct'});
  });
});

type Tunnelling = (socket: Socket, open: () => void) => void;

/** What the only proxy of this file has seen, as the platform takes one for the whole process. */
const seen: {heads: string[]; plain: string[]; bytes: string; sockets: Set<Socket>} = {
  heads: [],
  plain: [],
  bytes: '',
  sockets: new Set(),
};
let tunnel: Tunnelling = (_socket, open) => open();
let targetPort = 0;
let proxyUrl = '';

const proxy = createServer((request, response) => {
  seen.plain.push(request.url ?? '');
  response.end();
});
proxy.on('connect', (request, socket: Socket) => {
  seen.heads.push(`${request.url} ${inspect(request.headers)}`);
  seen.sockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => seen.sockets.delete(socket));
  tunnel(socket, () => {
    const upstream = connect(targetPort, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    upstream.on('error', () => {});
    // Without a pipe to read it, the end of the other side would go unnoticed.
    upstream.on('close', () => socket.resume());
    socket.on('data', chunk => {
      seen.bytes += chunk.toString('latin1');
    });
    socket.pipe(upstream).pipe(socket);
  });
});

beforeAll(async () => {
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  proxyUrl = `http://user:hunter2@127.0.0.1:${Object(address).port}`;
});
afterAll(() => {
  proxy.close();
  for (const socket of seen.sockets) socket.destroy();
});
beforeEach(() => {
  Object.assign(seen, {heads: [], plain: [], bytes: ''});
  tunnel = (_socket, open) => open();
});

describe('through a proxy', () => {
  const trusted = getCACertificates('default');
  afterAll(() => setDefaultCACertificates(trusted));
  const proxied = () => openClients(SERVICE, {proxyEnvironment: {HTTPS_PROXY: proxyUrl}});
  const trust = (certificate: string) => setDefaultCACertificates([...trusted, certificate]);

  async function openService(example: string) {
    const server = await openNamedServer((_request, response) => response.end(wireExample(example)));
    trust(server.certificate);
    targetPort = server.port;
    return server;
  }

  it('an operation is sent once, in a tunnel, and the proxy does not see the key', async () => {
    const server = await openService('virtual-machines.stop');
    expect(await proxied().operations.sendOnce(stopVirtualMachine, params)).toMatchObject({ok: true});
    expect(server.seen).toMatchObject([{url: '/v1/core/virtual-machines/793001/stop', headers: {api_key: KEY}}]);
    expect(seen.heads).toHaveLength(1);
    expect(seen.heads[0]).toMatch(/^api\.example\.test:443 /);
    expect(seen.plain).toEqual([]);
    expect(seen.heads.join() + seen.bytes).not.toContain('CANARY');
    expect(seen.heads.join() + seen.bytes).not.toContain('api_key');
  });

  it('an operation leaves no tunnel open, and shares none with the one before', async () => {
    const server = await openService('virtual-machines.stop');
    const {operations} = proxied();
    await operations.sendOnce(stopVirtualMachine, params);
    await operations.sendOnce(stopVirtualMachine, params);
    expect([seen.heads.length, server.seen.length]).toEqual([2, 2]);
    await expect.poll(() => seen.sockets.size, {timeout: 3000}).toBe(0);
  });

  it.each<[string, Tunnelling]>([
    ['refuses the tunnel', socket => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')],
    ['fails', socket => socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 2\r\n\r\nno')],
    ['hangs up', socket => socket.destroy()],
  ])('an operation is not sent when the proxy %s, and the password is not repeated', async (_how, answer) => {
    const server = await openService('virtual-machines.stop');
    tunnel = answer;
    const fired = await proxied().operations.sendOnce(stopVirtualMachine, params);
    expect(fired).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
    expect(inspect(fired)).not.toContain('hunter2');
    expect(server.seen).toEqual([]);
  });

  it('an operation is not sent through a tunnel that opens after 10 s', async () => {
    const server = await openService('virtual-machines.stop');
    const {promise: asked, resolve: ask} = Promise.withResolvers<() => void>();
    tunnel = (_socket, open) => ask(open);
    const {operations, time} = proxied();
    const firing = operations.sendOnce(stopVirtualMachine, params);
    const open = await asked;
    await time.advance(10_000);
    expect(await firing).toMatchObject({failure: {kind: 'not-sent', detail: 'no connection within 10 s'}});
    open();
    await expect.poll(() => seen.sockets.size, {timeout: 3000}).toBe(0);
    expect(server.seen).toEqual([]);
  });

  it('an operation is not sent through a tunnel that opens after the computer slept', async () => {
    const server = await openService('virtual-machines.stop');
    const {promise: asked, resolve: ask} = Promise.withResolvers<() => void>();
    tunnel = (_socket, open) => ask(open);
    const {operations, time} = proxied();
    const firing = operations.sendOnce(stopVirtualMachine, params);
    const open = await asked;
    time.sleep(10_000);
    open();
    expect(await firing).toMatchObject({failure: {kind: 'not-sent', detail: 'no connection within 10 s'}});
    await expect.poll(() => seen.sockets.size, {timeout: 3000}).toBe(0);
    expect(server.seen).toEqual([]);
  });

  it('an operation is not sent to a service with an untrusted certificate', async () => {
    setDefaultCACertificates(trusted);
    const server = await openNamedServer((_request, response) => response.end(wireExample('virtual-machines.stop')));
    targetPort = server.port;
    const fired = await proxied().operations.sendOnce(stopVirtualMachine, params);
    expect(fired).toMatchObject({failure: {kind: 'not-sent'}});
    expect(seen.heads).toHaveLength(1);
    expect(server.seen).toEqual([]);
  });

  it('an operation that was sent through the tunnel is reported as cut when the answer is cut', async () => {
    const server = await openNamedServer(request => request.socket.destroy());
    trust(server.certificate);
    targetPort = server.port;
    const fired = await proxied().operations.sendOnce(stopVirtualMachine, params);
    expect(fired).toMatchObject({failure: {kind: 'cut'}});
    expect(server.seen).toHaveLength(1);
  });

  it('a read whose tunnel is refused is reported as not sent', async () => {
    await openService('virtual-machines.events');
    tunnel = socket => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    const read = await proxied().reads.read(virtualMachineEvents, params);
    expect(read).toMatchObject({ok: false, failure: {kind: 'not-sent'}});
    expect(inspect(read)).not.toContain('hunter2');
  });

  it('a read is sent in a tunnel too, and the proxy does not see the key', async () => {
    const server = await openService('virtual-machines.events');
    expect(await proxied().reads.read(virtualMachineEvents, params)).toMatchObject({ok: true});
    expect(server.seen).toMatchObject([{headers: {api_key: KEY}}]);
    expect(seen.heads).toHaveLength(1);
    expect(seen.plain).toEqual([]);
    expect(seen.heads.join() + seen.bytes).not.toContain('CANARY');
  });

  it('nothing is sent that stays on this computer, encrypted or not', async () => {
    const plain = await openServer((_request, response) => response.end(wireExample('virtual-machines.events')));
    const encrypted = await openUntrustedServer((_request, response) => response.end());
    for (const {baseUrl} of [plain, encrypted]) {
      const {reads, operations} = openClients(baseUrl, {proxyEnvironment: {HTTPS_PROXY: proxyUrl}});
      await reads.read(virtualMachineEvents, params);
      await operations.sendOnce(stopVirtualMachine, params);
    }
    expect(plain.seen).toHaveLength(2);
    expect([seen.heads, seen.plain]).toEqual([[], []]);
  });

  it('nothing is sent when the proxy cannot be used', async () => {
    const clients = openClients(SERVICE, {proxyEnvironment: {HTTPS_PROXY: 'socks5://proxy:1080'}});
    const {clock} = createVirtualClock();
    const operations = createOperationClient({
      baseUrl: SERVICE,
      key: secret(KEY),
      clock,
      admit: () => Promise.resolve(),
      isTlsUnchecked: false,
      proxyEnvironment: {HTTPS_PROXY: 'socks5://proxy:1080'},
    });
    const failure = {kind: 'not-sent', detail: 'HTTPS_PROXY is not the http or https URL of a proxy'};
    expect(await clients.reads.read(virtualMachineEvents, params)).toEqual({ok: false, failure});
    expect(await operations.sendOnce(stopVirtualMachine, params)).toEqual({ok: false, failure});
  });
});
