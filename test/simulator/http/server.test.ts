import {request} from 'node:http';
import {connect} from 'node:net';
import {describe, expect, test} from 'vitest';
import {type Simulator, startSimulator} from '../../../src/simulator/http/server.ts';
import {aSimulator, HOUR_MS, SECOND_MS, STARTED_AT, type WireRefusal} from '../a-simulator.ts';

// The globals before the first simulator of this file starts.
const PLATFORM = {Request: globalThis.Request, Response: globalThis.Response};

describe('the server', () => {
  test('listens on loopback, under the version prefix', async () => {
    const {simulator} = await aSimulator();
    expect(simulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    const outside = await fetch(simulator.url.replace('/v1', '/auth/me'), {headers: {api_key: simulator.apiKey}});
    expect(outside.status).toBe(404);
  });

  test.each([
    '/nothing',
    '/core/virtual-machines/1/explode',
    '/core/virtual-machines/',
    '/core',
  ])('answers 404 in the format of the service at %s', async path => {
    const {get} = await aSimulator();
    expect(await get<WireRefusal>(path)).toMatchObject({status: 404, body: {status: false, error_reason: 'not_found'}});
  });

  test.each([
    ['POST', '/auth/me'],
    ['DELETE', '/billing/billing/usage'],
    ['PUT', '/core/virtual-machines/793386/metrics'],
  ])('answers 405 to %s %s', async (method, path) => {
    const {get} = await aSimulator();
    const reply = await get<WireRefusal>(path, {method});
    expect(reply).toMatchObject({status: 405, body: {status: false, error_reason: 'not_allowed'}});
  });

  test.each(['HEAD', 'POST'])('does not stop a machine on a %s to the path of the stopping GET', async method => {
    const {get, machine, simulator} = await aSimulator();
    const {id} = await machine('train-01');
    expect((await get(`/core/virtual-machines/${id}/stop`, {method})).status).toBe(405);
    expect(simulator.executions()).toEqual([]);
  });

  test('sends the simulated time in every answer', async () => {
    const {get, pass, simulator} = await aSimulator({speed: 60});
    pass(90 * SECOND_MS);
    const expected = new Date(STARTED_AT + 90 * 60 * SECOND_MS).toUTCString();
    const dates = [await get('/auth/me'), await get('/nothing'), await get('/auth/me', {key: 'wrong'})];
    simulator.setFaults(['status=503']);
    dates.push(await get('/auth/me'));
    simulator.setFaults(['kind=drip']);
    dates.push(await get('/auth/me'));
    expect(dates.map(reply => reply.headers.get('date'))).toEqual(Array.from({length: 5}, () => expected));
  });

  test('does not go back in time when the wall clock does', async () => {
    const {get, machine, usage, pass} = await aSimulator();
    const minutes = async () => (await usage()).reduce((sum, record) => sum + record.total_up_time, 0);
    pass(2 * HOUR_MS);
    const before = await minutes();
    pass(-HOUR_MS);
    expect((await machine('dev-noe')).status).toBe('HIBERNATED');
    expect(await minutes()).toBe(before);
    expect((await get('/auth/me')).headers.get('date')).toBe(new Date(STARTED_AT + 2 * HOUR_MS).toUTCString());
  });

  test('records the requests, including refused ones', async () => {
    const {get, pass, simulator} = await aSimulator();
    await get('/core/virtual-machines?page=2&pageSize=5');
    pass(3 * SECOND_MS);
    await fetch(`${simulator.url}/core/virtual-machines/1/stop`);
    expect(simulator.requests()).toEqual([
      {method: 'GET', path: '/core/virtual-machines', query: 'page=2&pageSize=5', at: STARTED_AT, apiKeyPresent: true},
      {
        method: 'GET',
        path: '/core/virtual-machines/1/stop',
        query: '',
        at: STARTED_AT + 3 * SECOND_MS,
        apiKeyPresent: false,
      },
    ]);
  });

  test('leaves the global Request and Response unchanged', async () => {
    await aSimulator();
    expect(globalThis.Request).toBe(PLATFORM.Request);
    expect(globalThis.Response).toBe(PLATFORM.Response);
  });

  test.each([
    ['127.0.0.1:1234', 200],
    ['localhost', 200],
    ['[::1]:80', 200],
    ['cloud.example', 421],
    ['127.0.0.1.cloud.example', 421],
    ['localhost.cloud.example:80', 421],
    ['10.0.0.1', 421],
  ])('answers a request to the host %s with %i', async (host, status) => {
    const {simulator} = await aSimulator();
    expect(await rawStatus(simulator, {host, path: '/auth/me'})).toBe(status);
    expect(await rawStatus(simulator, {host, path: '/core/virtual-machines/1/stop'})).toBe(status === 200 ? 404 : 421);
    expect(simulator.executions()).toEqual([]);
  });

  test('has unguessable keys unless a seed is given', async () => {
    const [first, second] = [await aSimulator(), await aSimulator()];
    expect(first.simulator.keys.owner).not.toBe(second.simulator.keys.owner);
    expect(first.simulator.keys.owner).toMatch(/^sim-owner-[0-9a-f]{32}$/);
    const [seeded, again, other] = [
      await aSimulator({seed: 1}),
      await aSimulator({seed: 1}),
      await aSimulator({seed: 2}),
    ];
    expect(seeded.simulator.keys).toEqual(again.simulator.keys);
    expect(seeded.simulator.keys.owner).not.toBe(other.simulator.keys.owner);
    expect(await first.machines()).toEqual(await seeded.machines());
  });

  test.each([
    ['with a content length', true],
    ['without a content length', false],
  ])('accepts a body of one mebibyte and refuses a larger one, %s', async (_, isLengthTold) => {
    const {simulator, get} = await aSimulator();
    const order = JSON.stringify({name: 'lab', region: 'CANADA-1'});
    const status = (byteCount: number) =>
      rawStatus(simulator, {path: '/core/environments', body: order.padEnd(byteCount), isLengthTold});
    expect(await status(1_048_577)).toBe(413);
    expect(await status(8_000_000)).toBe(413);
    expect(simulator.executions()).toEqual([]);
    expect(await status(1_048_576)).toBe(200);
    expect((await get('/auth/me')).status).toBe(200);
  });

  test('refuses to start on a port in use', async () => {
    const {simulator} = await aSimulator();
    await expect(startSimulator({port: Number(new URL(simulator.url).port)})).rejects.toThrow('EADDRINUSE');
  });

  test('closes open connections when it is closed', async () => {
    const simulator = await startSimulator({});
    const socket = connect(Number(new URL(simulator.url).port), '127.0.0.1');
    await new Promise(connected => socket.once('connect', connected));
    const ended = new Promise(closed => socket.once('close', closed));
    socket.on('error', () => {});
    socket.write('GET /v1/auth/me HTTP/1.1\r\n');
    await fetch(`${simulator.url}/auth/me`);
    await simulator.close();
    await ended;
    await expect(fetch(`${simulator.url}/auth/me`)).rejects.toThrow();
  });
});

/** Uses Node's own client, which sends any host, and the content length or none. */
function rawStatus(
  {url, apiKey}: Simulator,
  {path, host, body, isLengthTold = true}: {path: string; host?: string; body?: string; isLengthTold?: boolean},
): Promise<number | undefined> {
  return new Promise((done, failed) => {
    const headers = {
      api_key: apiKey,
      ...(host === undefined ? {} : {host}),
      ...(body !== undefined && isLengthTold ? {'content-length': body.length} : {}),
    };
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = request(url + path, {method, headers, agent: false}, answer => {
      answer.resume();
      done(answer.statusCode);
    });
    outgoing.on('error', failed);
    outgoing.end(body);
  });
}
