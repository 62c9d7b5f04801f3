import {connect} from 'node:net';
import {describe, expect, test} from 'vitest';
import {startSimulator} from '../../../src/simulator/http/server.ts';
import {aSimulator, HOUR_MS, SECOND_MS, STARTED_AT, type WireRefusal} from '../a-simulator.ts';

// As they are before the first simulator of this file starts.
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
  ])("answers 404 in the service's shape at %s", async path => {
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

  test.each(['HEAD', 'POST'])('does not take %s for the GET that stops a machine', async method => {
    const {get, machine, simulator} = await aSimulator();
    const {id} = await machine('train-01');
    expect((await get(`/core/virtual-machines/${id}/stop`, {method})).status).toBe(405);
    expect(simulator.executions()).toEqual([]);
  });

  test("says the world's time in every answer", async () => {
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

  test('does not go back when the wall clock does', async () => {
    const {get, machine, usage, pass} = await aSimulator();
    const minutes = async () => (await usage()).reduce((sum, record) => sum + record.total_up_time, 0);
    pass(2 * HOUR_MS);
    const before = await minutes();
    pass(-HOUR_MS);
    expect((await machine('dev-noe')).status).toBe('HIBERNATED');
    expect(await minutes()).toBe(before);
    expect((await get('/auth/me')).headers.get('date')).toBe(new Date(STARTED_AT + 2 * HOUR_MS).toUTCString());
  });

  test('keeps a record of the requests, the refused ones too', async () => {
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

  test("leaves the platform's Request and Response alone", async () => {
    await aSimulator();
    expect(globalThis.Request).toBe(PLATFORM.Request);
    expect(globalThis.Response).toBe(PLATFORM.Response);
  });

  test('refuses to start on a port that is taken', async () => {
    const {simulator} = await aSimulator();
    await expect(startSimulator({port: Number(new URL(simulator.url).port)})).rejects.toThrow('EADDRINUSE');
  });

  test('cuts open connections when it closes', async () => {
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
