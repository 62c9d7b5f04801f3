import type {Socket} from 'node:net';
import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, it} from 'vitest';
import {listVirtualMachines, stopVirtualMachine} from '../../src/api/virtual-machines.ts';
import type {Failure, Result} from '../../src/domain/failure.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {openClients, openSocketServer} from './loopback.ts';
import {wireExample} from './wire-example.ts';

// Answers that never end, or not as they announced, and redirects: each is asked for once, and judged in bounded time.

const params = {id: virtualMachineId(793001), retainsIp: true};
const READ_LIMIT_MS = 15_000;
const OPERATION_LIMIT_MS = 45_000;
/** Long enough for a byte to have arrived, and for a second request if there were one. */
const SOON_MS = 5;
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const LIST = wireExample('virtual-machines.list');
const HALF = '{"status": true, "instances": [{"id": 1, "name": "a';

type Answer = readonly [name: string, answer: (socket: Socket) => void];

/** Nothing of these is wrong until the time is up. */
const ENDLESS: readonly Answer[] = [
  ['nothing at all', () => {}],
  ['the first letter of a head', socket => socket.write('H')],
  ['a header of one byte at a time', socket => drip(socket, `${OK}x-slow: `, 'a')],
  ['headers of one at a time', socket => drip(socket, OK, 'x: y\r\n')],
  ['a head without a body', socket => socket.write(`${OK}content-length: 400\r\n\r\n`)],
  ['a body of one byte at a time', socket => drip(socket, `${OK}content-length: 100000\r\n\r\n`, ' ')],
  ['a body that stops half way', socket => socket.write(`${OK}content-length: 4000\r\n\r\n${HALF}`)],
  ['chunks without end, of one byte', socket => drip(socket, `${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n')],
  ['a chunk that stops half way', socket => socket.write(`${OK}transfer-encoding: chunked\r\n\r\nfff\r\n${HALF}`)],
  ['a whole body in chunks, and no last one', socket => socket.write(`${OK}${chunked(LIST)}`)],
  ['a body without a length, and no end', socket => socket.write(`${OK}\r\n${LIST}`)],
  ['a length larger than the body', socket => socket.write(`${OK}content-length: 99999\r\n\r\n${LIST}`)],
  ['trailers without end', socket => drip(socket, `${OK}trailer: x\r\n${chunked(LIST)}0\r\n`, 'x: y\r\n')],
];

/** These are seen to be wrong by themselves. */
const WRONG: readonly (readonly [...Answer, kinds: readonly Failure['kind'][]])[] = [
  ['a header of a mebibyte', socket => socket.write(`${OK}x: ${'a'.repeat(2 ** 20)}`), ['odd-answer', 'cut']],
  ['a hundred thousand headers', socket => socket.write(`${OK}${'x: y\r\n'.repeat(100_000)}`), ['odd-answer', 'cut']],
  ['a length that is none', socket => socket.write(`${OK}content-length: -1\r\n\r\n${LIST}`), ['odd-answer']],
  [
    'two lengths',
    socket => socket.write(`${OK}content-length: 4\r\ncontent-length: 5\r\n\r\n{}  `),
    ['odd-answer', 'cut'],
  ],
  [
    'a length and chunks',
    socket => socket.write(`${OK}content-length: 4\r\n${chunked(LIST)}0\r\n\r\n`),
    ['odd-answer', 'cut'],
  ],
  ['a length smaller than the body', socket => socket.write(`${OK}content-length: 9\r\n\r\n${LIST}`), ['odd-answer']],
  [
    'a length larger than the body, and the end',
    socket => socket.end(`${OK}content-length: 99999\r\n\r\n${LIST}`),
    ['cut'],
  ],
  ['chunks without the last one, and the end', socket => socket.end(`${OK}${chunked(LIST)}`), ['cut']],
  [
    'a chunk of no known length',
    socket => socket.write(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    ['odd-answer'],
  ],
  ...[301, 302, 303, 307, 308].map(
    status =>
      [
        `a ${status} to itself, whoever follows it`,
        (socket: Socket) =>
          socket.write(`HTTP/1.1 ${status} Go\r\nlocation: /v1/core/virtual-machines\r\ncontent-length: 0\r\n\r\n`),
        ['redirected'],
      ] as const,
  ),
];

describe.each([
  ['read', READ_LIMIT_MS, ({reads}: Clients) => reads.read(listVirtualMachines, {})],
  ['operation', OPERATION_LIMIT_MS, ({operations}: Clients) => operations.sendOnce(stopVirtualMachine, params)],
] as const)('a %s', (_what, limitMs, ask) => {
  it.each(ENDLESS)('ends in time and is sent once when its answer is %s', async (_name, answer) => {
    const {clients, arrived, closed, seen} = await openHostile(answer);
    let isEnded = false;
    const asked: Promise<Result<unknown>> = ask(clients).finally(() => {
      isEnded = true;
    });
    await arrived;
    await clients.time.advance(limitMs - 1);
    await pause(SOON_MS);
    expect(isEnded).toBe(false);
    await clients.time.advance(1);
    expect(await asked).toEqual({ok: false, failure: {kind: 'timed-out', afterMs: limitMs}});
    // Whatever still arrives is no longer taken.
    await closed;
    expect(seen).toHaveLength(1);
    expect(clients.time.pendingCount()).toBe(0);
  });

  it.each(WRONG)('is sent once and its outcome is not guessed when its answer is %s', async (_name, answer, kinds) => {
    const {clients, seen} = await openHostile(answer);
    const result: Result<unknown> = await ask(clients);
    expect(kinds).toContain(result.ok ? 'ok' : result.failure.kind);
    await pause(SOON_MS);
    expect(seen).toHaveLength(1);
    expect(clients.time.pendingCount()).toBe(0);
  });
});

it.each([
  [200, 1],
  [500, 1],
])('an operation takes no body of a %i that is larger than %i MiB, and closes its connection', async (status, mebibytes) => {
  const part = 'x'.repeat(2 ** 20);
  const {clients, closed, seen} = await openHostile(socket => {
    socket.write(`HTTP/1.1 ${status} Yes\r\ncontent-type: text/plain\r\n\r\n`);
    const timer = setInterval(() => socket.write(part), 1);
    socket.on('close', () => clearInterval(timer));
  });
  expect(await clients.operations.sendOnce(stopVirtualMachine, params)).toEqual({
    ok: false,
    failure: {kind: 'odd-answer', detail: `a body of more than ${mebibytes} MiB`, isTooLarge: true},
  });
  await closed;
  expect(seen).toHaveLength(1);
});

it('an answer of a byte at a time is taken when it is whole in time', async () => {
  const {clients} = await openHostile(socket => {
    const body = '{"status": true, "message": "détaché 停"}';
    const whole = Buffer.from(`${OK}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    let at = 0;
    const timer = setInterval(() => {
      socket.write(whole.subarray(at, at + 1));
      at += 1;
      if (at === whole.length) clearInterval(timer);
    });
    socket.on('close', () => clearInterval(timer));
  });
  expect(await clients.operations.sendOnce(stopVirtualMachine, params)).toMatchObject({
    ok: true,
    value: {message: 'détaché 停'},
  });
});

type Clients = ReturnType<typeof openClients>;

async function openHostile(answer: (socket: Socket) => void) {
  const {promise: arrived, resolve: arrive} = Promise.withResolvers<void>();
  const {promise: closed, resolve: close} = Promise.withResolvers<void>();
  const {baseUrl, seen} = await openSocketServer(socket => {
    socket.on('close', () => close());
    answer(socket);
    arrive();
  });
  return {clients: openClients(baseUrl), arrived, closed, seen};
}

/** Sends a part again and again, until nobody listens. */
function drip(socket: Socket, start: string, part: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(part), 1);
  socket.on('close', () => clearInterval(timer));
}

/** A body in one chunk, without the last chunk, and the end of its head. */
function chunked(body: string): string {
  return `transfer-encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
}
