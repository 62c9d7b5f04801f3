import {get, type RequestListener} from 'node:http';
import type {Socket} from 'node:net';
import {getCACertificates, setDefaultCACertificates} from 'node:tls';
import {inspect} from 'node:util';
import {describe, expect, it, onTestFinished} from 'vitest';
import {createOperationClient} from '../../src/api/client.ts';
import type {OperationEndpoint} from '../../src/api/endpoint.ts';
import {
  getVirtualMachine,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  restoreVirtualMachine,
  startVirtualMachine,
  stopVirtualMachine,
} from '../../src/api/virtual-machines.ts';
import type {Failure, Result} from '../../src/domain/failure.ts';
import {secret} from '../../src/domain/secret.ts';
import {type VirtualMachineId, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {createVirtualClock} from '../support/clock.ts';
import {reportCounted} from '../support/measured.ts';
import {sweepOf} from '../support/tier.ts';
import {
  closedBaseUrl,
  KEY,
  type Loopback,
  openClients,
  openConnectionServer,
  openServer,
  openSocketServer,
  openUntrustedServer,
} from './loopback.ts';
import {untrustedCertificate} from './untrusted-certificate.ts';
import {wireExample} from './wire-example.ts';

type Params = {readonly id: VirtualMachineId; readonly retainsIp: boolean};
const params: Params = {id: virtualMachineId(793001), retainsIp: true};
const OPERATIONS: readonly OperationEndpoint<Params>[] = [
  startVirtualMachine,
  stopVirtualMachine,
  hardRebootVirtualMachine,
  hibernateVirtualMachine,
  restoreVirtualMachine,
];

/** Whether it is the turn of an operation when one is taken after the other. */
function isTurn(order: number): (operation: unknown, index: number) => boolean {
  return (_operation, index) => index === order % OPERATIONS.length;
}

function pathOf(operation: OperationEndpoint<Params>): string {
  return operation.path(params).split('?')[0] ?? '';
}

function failureIn(result: Result<unknown>): Failure {
  if (result.ok) throw new Error('Expected a failure.');
  return result.failure;
}

const answering = (httpStatus: number, body = '{}', headers: Record<string, string | string[]> = {}) =>
  openServer(({url}, response) => {
    if (url === READ_PATH) response.end(MACHINE);
    else response.writeHead(httpStatus, headers).end(body);
  });

/** The read that opens a connection and leaves it open: it is always answered well. */
const READ_PATH = `/v1${getVirtualMachine.path(params)}`;
const MACHINE = wireExample('virtual-machines.get').replace(/"id": ?793003/, `"id": ${params.id}`);

const cutting = (cut: (socket: Socket) => void) =>
  openSocketServer((socket, url) => {
    if (url !== READ_PATH) return cut(socket);
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(MACHINE)}\r\n\r\n${MACHINE}`);
  });

const OWN_REFUSAL = wireExample('error.usual');

/** Ways an operation can go wrong after it was sent, and the failure each must give. */
const FAULTS: readonly (readonly [string, () => Promise<Loopback>, Failure['kind']])[] = [
  ...[400, 402, 404, 405, 406, 407, 408, 409, 421, 422, 425].map(
    status => [`${status}`, () => answering(status, OWN_REFUSAL), 'refused'] as const,
  ),
  ['401', () => answering(401, OWN_REFUSAL), 'not-authorised'],
  ['403', () => answering(403, OWN_REFUSAL), 'not-authorised'],
  ['404 not_found', () => answering(404, wireExample('billing.history.nothing')), 'not-found'],
  ...[400, 401, 403, 404, 407, 408, 421].map(
    status =>
      [
        `${status} that is not in the form of the service`,
        () => answering(status, '{"message": "no"}'),
        'odd-answer',
      ] as const,
  ),
  ...[200, 400, 404].map(
    status =>
      [
        `${status}, an old copy of a cache in between`,
        () => answering(status, status === 200 ? '{"status": true}' : OWN_REFUSAL, {age: '1'}),
        'odd-answer',
      ] as const,
  ),
  [
    'a copy of the second of two caches in between',
    () => answering(200, '{"status": true}', {age: ['0', '300']}),
    'odd-answer',
  ],
  ['429', () => answering(429), 'rate-limited'],
  ...[500, 502, 503, 504, 599].map(status => [`${status}`, () => answering(status), 'service-error'] as const),
  ['503 with Retry-After', () => answering(503, '', {'retry-after': '1'}), 'service-error'],
  ...[301, 302, 303, 307, 308].map(
    status => [`${status} to itself`, () => answering(status, '', {location: '/v1/again'}), 'redirected'] as const,
  ),
  ['a reset before the head', () => cutting(socket => socket.resetAndDestroy()), 'cut'],
  [
    'a change of protocols',
    () => cutAfter('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    'odd-answer',
  ],
  ['a connection that ends before the head', () => cutting(socket => socket.end()), 'cut'],
  ['a reset after the head', () => cutAfter('HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n'), 'cut'],
  ['a reset within the body', () => cutAfter('HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n{"status": true'), 'cut'],
  [
    'a reset within chunks',
    () => cutAfter('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"st\r\n'),
    'cut',
  ],
  ['a refusal cut short', () => cutAfter('HTTP/1.1 400 Bad\r\ncontent-length: 40\r\n\r\n{"status": fa'), 'cut'],
  ['truncated JSON', () => answering(200, '{"status": tr'), 'odd-answer'],
  ['an HTML page', () => answering(200, '<html>ok</html>', {'content-type': 'text/html'}), 'odd-answer'],
  ['an empty body', () => answering(200, ''), 'odd-answer'],
  ['no content', () => answering(204, ''), 'odd-answer'],
  ...[203, 206, 207, 226].map(
    status =>
      [
        `${status} of a complete yes`,
        () => answering(status, wireExample('virtual-machines.stop')),
        'odd-answer',
      ] as const,
  ),
  ['another envelope', () => answering(200, '{"instances": []}'), 'odd-answer'],
  ['a message alone', () => answering(200, '{"message": "upstream accepted"}'), 'odd-answer'],
  ['a message and a state', () => answering(202, '{"status": "queued", "message": "queued"}'), 'odd-answer'],
  ['an empty object', () => answering(200, '{}'), 'odd-answer'],
  ['a list', () => answering(200, '[]'), 'odd-answer'],
  ['a body that cannot be decompressed', () => answering(200, 'xx', {'content-encoding': 'gzip'}), 'odd-answer'],
  ['a reply that is not HTTP', () => cutting(socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n')), 'odd-answer'],
  ['a 2xx that refuses', () => answering(200, wireExample('error.success-status-false')), 'refused'],
];

function cutAfter(start: string): Promise<Loopback> {
  return cutting(socket => {
    socket.write(start, () => setImmediate(() => socket.resetAndDestroy()));
  });
}

function trustForThisTest(certificate: string): void {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, certificate]);
  onTestFinished(() => setDefaultCACertificates(trusted));
}

describe('sendOnce', () => {
  it.each(
    OPERATIONS.map(operation => [operation.id, operation] as const),
  )('sends %s once, on a connection of its own, bypassing every cache', async (id, operation) => {
    const server = await answering(200, wireExample(id));
    const admitted: string[] = [];
    const {operations, time} = openClients(server.baseUrl, {admit: async purpose => void admitted.push(purpose)});
    const {message} = JSON.parse(wireExample(id));
    expect(await operations.sendOnce(operation, params)).toEqual({ok: true, value: {httpStatus: 200, message}});
    const verb = operation.template.split('/').at(-1);
    expect(server.seen).toMatchObject([
      {
        method: 'GET',
        url: `/v1/core/virtual-machines/793001/${verb}${verb === 'hibernate' ? '?retain_ip=true' : ''}`,
        headers: {api_key: KEY, 'cache-control': 'no-store', connection: 'close'},
      },
    ]);
    expect(admitted).toEqual(['operation']);
    expect(time.pendingCount()).toBe(0);
  });

  it.each(FAULTS)('sends each operation exactly once on %s', async (_name, open, kind) => {
    for (const operation of OPERATIONS) {
      const server = await open();
      const {operations, time} = openClients(server.baseUrl);
      expect(failureIn(await operations.sendOnce(operation, params)).kind).toBe(kind);
      expect(server.seen).toHaveLength(1);
      expect(time.pendingCount()).toBe(0);
      reportCounted('requests on new connections', 1);
    }
  });

  it.each(
    FAULTS.map(
      (fault, order) => [...fault, sweepOf({sample: OPERATIONS.filter(isTurn(order)), deep: OPERATIONS})] as const,
    ),
  )('sends each once even beside a connection that a read left open: %s', async (_name, open, kind, tried) => {
    for (const operation of tried) {
      const server = await open();
      const {reads, operations} = openClients(server.baseUrl);
      expect(await reads.read(getVirtualMachine, params)).toMatchObject({ok: true});
      expect(server.openCount()).toBe(1);
      expect(failureIn(await operations.sendOnce(operation, params)).kind).toBe(kind);
      expect(server.seen.slice(1).map(({url}) => url.split('?')[0])).toEqual([`/v1${pathOf(operation)}`]);
      reportCounted('requests beside warmed connections', 1);
    }
  });

  it('shares no connection with anything else in the process', async () => {
    const ports: (number | undefined)[] = [];
    const server = await openServer((request, response) => {
      ports.push(request.socket.remotePort);
      response.end(wireExample('virtual-machines.stop'));
    });
    await new Promise(resolve => get(server.baseUrl, reply => reply.resume().on('close', resolve)));
    await openClients(server.baseUrl).operations.sendOnce(stopVirtualMachine, params);
    expect(new Set(ports).size).toBe(2);
  });

  it('waits 45 s for the answer, no longer, and does not send again', async () => {
    const {promise: arrived, resolve: arrive} = Promise.withResolvers<void>();
    const server = await openServer((_request, response) => {
      response.write('{"status": ');
      arrive();
    });
    const {operations, time} = openClients(server.baseUrl);
    const firing = operations.sendOnce(stopVirtualMachine, params);
    await arrived;
    await time.advance(44_999);
    expect(time.pendingCount()).toBe(1);
    await time.advance(1);
    expect(failureIn(await firing)).toEqual({kind: 'timed-out', afterMs: 45_000});
    expect(server.seen).toHaveLength(1);
    expect(time.pendingCount()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])('does not follow a %i to another origin', async httpStatus => {
    const other = await answering(200, wireExample('virtual-machines.stop'));
    for (const location of [`http://127.0.0.1:${other.port}/v1/x`, `//127.0.0.1:${other.port}/v1/x`]) {
      const server = await answering(httpStatus, '', {location});
      const failure = failureIn(await openClients(server.baseUrl).operations.sendOnce(stopVirtualMachine, params));
      expect(failure).toEqual({kind: 'redirected', host: `127.0.0.1:${other.port}`});
      expect(server.seen).toHaveLength(1);
    }
    expect(other.seen).toEqual([]);
  });

  it('says that it was not sent when no connection could be made', async () => {
    const plain = await answering(200);
    for (const baseUrl of [
      await closedBaseUrl(),
      (await closedBaseUrl()).replace('127.0.0.1', 'localhost'),
      'https://nowhere.invalid/v1',
      plain.baseUrl.replace('http:', 'https:'),
    ]) {
      const failure = failureIn(await openClients(baseUrl).operations.sendOnce(stopVirtualMachine, params));
      expect(failure.kind).toBe('not-sent');
      expect(inspect(failure)).not.toContain("detail: ''");
    }
    expect(plain.seen).toEqual([]);
  });

  it('sends nothing to a service with an untrusted certificate', async () => {
    const server = await openUntrustedServer((_request, response) =>
      response.end(wireExample('virtual-machines.stop')),
    );
    const {reads, operations} = openClients(server.baseUrl);
    expect(failureIn(await reads.read(getVirtualMachine, params)).kind).toBe('not-sent');
    expect(failureIn(await operations.sendOnce(stopVirtualMachine, params)).kind).toBe('not-sent');
    expect(server.seen).toEqual([]);
  });

  it('says that the answer was cut, not that nothing was sent, when TLS ends after sending', async () => {
    trustForThisTest(untrustedCertificate.cert);
    const answers: readonly RequestListener[] = [
      (_request, response) => response.end(wireExample('virtual-machines.stop')),
      request => request.socket.destroy(),
    ];
    const [answered, cut] = await Promise.all(answers.map(openUntrustedServer));
    if (answered === undefined || cut === undefined) throw new Error('Expected two servers.');
    expect(await openClients(answered.baseUrl).operations.sendOnce(stopVirtualMachine, params)).toMatchObject({
      ok: true,
    });
    expect(failureIn(await openClients(cut.baseUrl).operations.sendOnce(stopVirtualMachine, params)).kind).toBe('cut');
    expect([answered.seen.length, cut.seen.length]).toEqual([1, 1]);
  });

  it('says that it was not sent when there is no connection within 10 s', async () => {
    // The peer accepts the connection and never begins TLS, so nothing of the request was sent.
    const {promise: connected, resolve: connect} = Promise.withResolvers<void>();
    const silent = await openConnectionServer(connect);
    const {operations, time} = openClients(silent.replace('http:', 'https:'));
    const firing = operations.sendOnce(stopVirtualMachine, params);
    await connected;
    await time.advance(10_000);
    expect(failureIn(await firing)).toEqual({kind: 'not-sent', detail: 'no connection within 10 s'});
    expect(time.pendingCount()).toBe(0);
  });

  // No timer runs while the computer sleeps, and a connection may be ready before those that fell due meanwhile.
  it.each([
    ['http', openServer],
    ['https', openUntrustedServer],
  ])('sends nothing when the computer slept while it connected by %s', async (_protocol, openOne) => {
    trustForThisTest(untrustedCertificate.cert);
    const server = await openOne((_request, response) => response.end(wireExample('virtual-machines.stop')));
    const {operations, time} = openClients(server.baseUrl);
    const firing = operations.sendOnce(stopVirtualMachine, params);
    while (time.pendingCount() === 0) await Promise.resolve();
    time.sleep(10_000);
    expect(failureIn(await firing)).toEqual({kind: 'not-sent', detail: 'no connection within 10 s'});
    // By the time the next one is answered, it would have arrived.
    expect(await operations.sendOnce(stopVirtualMachine, params)).toMatchObject({ok: true});
    expect(server.seen).toHaveLength(1);
    expect(time.pendingCount()).toBe(0);
  });

  it('sends nothing with an invalid key, and does not repeat the key', async () => {
    const server = await answering(200);
    const {operations} = openClients(server.baseUrl, {key: secret(`${KEY}\nx: y`)});
    const failure = failureIn(await operations.sendOnce(stopVirtualMachine, params));
    expect(failure.kind).toBe('not-sent');
    expect(inspect(failure)).not.toContain('CANARY');
    expect(server.seen).toEqual([]);
  });

  it('sends nothing while certificate checks are off', async () => {
    const server = await answering(200);
    const {clock} = createVirtualClock();
    const operations = createOperationClient({
      baseUrl: server.baseUrl,
      key: secret(KEY),
      clock,
      admit: () => Promise.resolve(),
      isTlsUnchecked: true,
    });
    expect(failureIn(await operations.sendOnce(stopVirtualMachine, params))).toEqual({
      kind: 'not-sent',
      detail: 'certificate checks are off (NODE_TLS_REJECT_UNAUTHORIZED=0); operations need them',
    });
    expect(server.seen).toEqual([]);
  });

  it('puts the key into no failure', async () => {
    const echo = JSON.stringify({status: false, message: `Key ${KEY}`, error_reason: btoa(KEY)});
    for (const httpStatus of [200, 400, 401, 403, 404, 429, 500]) {
      const server = await answering(httpStatus, echo);
      const fired = await openClients(server.baseUrl).operations.sendOnce(stopVirtualMachine, params);
      expect(inspect(fired, {depth: 9})).not.toContain('CANARY');
      expect(inspect(fired, {depth: 9})).not.toContain(btoa(KEY));
    }
  });
});
