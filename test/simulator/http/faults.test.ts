import {afterEach, describe, expect, test} from 'vitest';
import {parseFault} from '../../../src/simulator/http/faults.ts';
import {aSimulator, SECOND_MS, type SimulatorUnderTest, type WireMachine} from '../a-simulator.ts';

const LIST = '/core/virtual-machines';

describe('status', () => {
  test.each([
    ['500', {status: false, message: expect.any(String), error_reason: 'server_error'}],
    ['400', {status: false, message: expect.any(String), error_reason: 'bad_request'}],
    ['401', {status: false, message: expect.any(String), error_reason: 'unauthorized'}],
    ['409', {status: false, message: expect.any(String), error_reason: 'already_exist'}],
    ['429', {status: false, message: expect.any(String)}],
    ['200', {status: false, message: expect.any(String)}],
  ])('%s answers with its own body', async (status, body) => {
    const {get} = await aSimulator({faults: [`status=${status}`]});
    expect(await get('/auth/me')).toMatchObject({status: Number(status), body});
  });

  test.each(['502', '503', '504'])('%s answers with the HTML page of a gateway', async status => {
    const {get} = await aSimulator({faults: [`status=${status}`]});
    const reply = await get('/auth/me');
    expect(reply.status).toBe(Number(status));
    expect(reply.headers.get('content-type')).toContain('text/html');
    expect(reply.text).toContain('<html>');
  });

  test.each([
    ['before', 0, 'ACTIVE'],
    ['after', 1, 'STOPPING'],
  ])('%s the request: it takes effect %i times', async (when, count, status) => {
    const {machine, stop, simulator} = await withStop({faults: [`status=500,match=GET /core/*/stop,when=${when}`]});
    expect(await stop()).toBe(500);
    expect(simulator.executions()).toHaveLength(count);
    expect(await machine('train-01')).toMatchObject({status});
  });
});

describe('match, times and every', () => {
  test('apply a fault only to matching requests', async () => {
    const {get} = await aSimulator({faults: ['status=500,match=GET /core/*']});
    expect((await get('/core/flavors')).status).toBe(500);
    expect((await get(LIST)).status).toBe(500);
    expect((await get('/auth/me')).status).toBe(200);
    expect((await get('/core/flavors', {method: 'POST'})).status).toBe(405);
  });

  test('apply a fault the given number of times', async () => {
    const {get} = await aSimulator({faults: ['status=500,times=2']});
    expect(await statuses(get, 4)).toEqual([500, 500, 200, 200]);
  });

  test('apply a fault to every third request', async () => {
    const {get} = await aSimulator({faults: ['status=500,every=3,times=2']});
    expect(await statuses(get, 10)).toEqual([200, 200, 500, 200, 200, 500, 200, 200, 200, 200]);
  });

  test('with several faults, the first that applies wins', async () => {
    const {get} = await aSimulator({faults: ['status=503,match=GET /auth/*,times=1', 'status=500']});
    expect(await statuses(get, 2)).toEqual([503, 500]);
  });

  test('can be set and removed while the server runs', async () => {
    const {get, simulator} = await aSimulator();
    expect((await get('/auth/me')).status).toBe(200);
    simulator.setFaults(['status=500']);
    expect((await get('/auth/me')).status).toBe(500);
    simulator.setFaults([]);
    expect((await get('/auth/me')).status).toBe(200);
  });
});

describe('reset', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ])('%s the request: breaks the connection, and the request takes effect %i times', async (when, count) => {
    const {stop, simulator} = await withStop({faults: [`kind=reset,match=* *stop,when=${when}`]});
    await expect(stop()).rejects.toThrow();
    expect(simulator.executions()).toHaveLength(count);
  });
});

describe('truncate', () => {
  test('breaks the connection during the body, after the request took effect', async () => {
    const {stop, simulator} = await withStop({faults: ['kind=truncate,match=* *stop']});
    await expect(stop()).rejects.toThrow();
    expect(simulator.executions()).toHaveLength(1);
  });

  test('before the request keeps it from taking effect', async () => {
    const {stop, simulator} = await withStop({faults: ['kind=truncate,match=* *stop,when=before']});
    await expect(stop()).rejects.toThrow();
    expect(simulator.executions()).toEqual([]);
  });
});

describe('without', () => {
  test('leaves out a field wherever it occurs, and nothing else', async () => {
    const {get, simulator} = await aSimulator();
    type Clusters = {readonly clusters: readonly {readonly nodes?: unknown}[]};
    const whole = (await get<Clusters>('/core/clusters')).body;
    simulator.setFaults(['kind=without:nodes,match=GET /core/clusters*']);
    const {body, status} = await get<Clusters>('/core/clusters');
    expect(status).toBe(200);
    expect(body).toEqual({...whole, clusters: whole.clusters.map(({nodes: _left, ...rest}) => rest)});
    expect(whole.clusters.every(({nodes}) => Array.isArray(nodes))).toBe(true);
  });
});

describe('malformed, html and redirect', () => {
  test('malformed answers 200 with incomplete JSON', async () => {
    const {simulator} = await aSimulator({faults: ['kind=malformed']});
    const response = await fetch(`${simulator.url}/auth/me`, {headers: {api_key: simulator.apiKey}});
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });

  test.each([
    ['kind=html', 200],
    ['kind=html,status=502', 502],
  ])('%s answers %i with an HTML page', async (spec, status) => {
    const {get} = await aSimulator({faults: [spec]});
    const reply = await get('/auth/me');
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toContain('text/html');
  });

  test.each([
    ['kind=redirect:http://127.0.0.1:9/a,b?c=d', 302],
    ['kind=redirect:http://127.0.0.1:9/a,b?c=d,status=308', 308],
  ])('%s redirects with %i', async (spec, status) => {
    const {get} = await aSimulator({faults: [spec]});
    const reply = await get('/auth/me');
    expect(reply.status).toBe(status);
    expect(reply.headers.get('location')).toBe('http://127.0.0.1:9/a,b?c=d');
  });
});

describe('stale', () => {
  test('answers with the body from that many answers ago', async () => {
    const {simulator, machines, pass} = await aSimulator({faults: [`kind=stale:2,match=GET ${LIST}`]});
    const states: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      states.push(stateOf(await machines(), 'dev-noe'));
      pass(2 * SECOND_MS);
    }
    // It is hibernated six seconds after the start: the fourth request would show it, and the sixth does.
    expect(states).toEqual(['HIBERNATING', 'HIBERNATING', 'HIBERNATING', 'HIBERNATING', 'HIBERNATING', 'HIBERNATED']);
    simulator.setFaults([]);
    expect(stateOf(await machines(), 'dev-noe')).toBe('HIBERNATED');
  });

  test('counts the answers in between that had no fault', async () => {
    const {get, pass} = await aSimulator({faults: [`kind=stale:1,every=3,match=GET /core/virtual-machines`]});
    const texts: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      texts.push((await get(LIST)).text);
      pass(7 * SECOND_MS);
    }
    // An autoscaler stops and starts a machine all the time, so no two real answers are equal.
    expect(new Set(texts).size).toBe(4);
    expect([texts[2], texts[5]]).toEqual([texts[1], texts[4]]);
  });
});

describe('latency and drip', () => {
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  afterEach(() => {
    waits.length = 0;
  });

  test.each([
    ['latency:2s', 2000],
    ['latency:250ms', 250],
    ['latency:1.5s', 1500],
    ['latency:1m', 60_000],
  ])('%s waits %i ms and then answers', async (kind, ms) => {
    const {get} = await aSimulator({faults: [`kind=${kind}`], wait});
    expect((await get('/auth/me')).status).toBe(200);
    expect(waits).toEqual([ms]);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ])('latency %s the request: it has taken effect %i times when the wait begins', async (when, count) => {
    const seen: number[] = [];
    const {stop, simulator} = await withStop({
      faults: [`kind=latency:1s,when=${when},match=* *stop`],
      wait: async () => {
        seen.push(simulator.executions().length);
      },
    });
    expect(await stop()).toBe(200);
    expect(seen).toEqual([count]);
    expect(simulator.executions()).toHaveLength(1);
  });

  test('drip sends the whole body in small pieces', async () => {
    const {get, simulator} = await aSimulator({faults: ['kind=drip'], wait});
    const {text} = await get('/auth/me');
    simulator.setFaults([]);
    expect(text).toBe((await get('/auth/me')).text);
    expect(waits.length).toBe(Math.ceil(Buffer.byteLength(text) / 16));
  });
});

describe('a fault', () => {
  const mistakes: readonly [spec: string, part: string, allowed: string][] = [
    ['', '""', 'kind='],
    ['match=GET /core/*', 'it needs status= or kind=', 'status=500'],
    ['status=abc', 'status=abc', 'status=599'],
    ['status=700', 'status=700', 'status=599'],
    ['kind=explode', 'kind=explode', 'latency:2s, reset, truncate'],
    ['kind=latency', 'kind=latency:', 'latency:2s'],
    ['kind=latency:soon', 'latency:soon', 'latency:2s'],
    ['kind=stale:0', 'stale:0', 'stale:1'],
    ['kind=redirect', 'kind=redirect', 'redirect:URL'],
    ['kind=reset:now', 'kind=reset', 'kind=reset'],
    ['status=500,when=maybe', 'when=maybe', 'when=before or when=after'],
    ['status=500,times=0', 'times=0', 'times=1'],
    ['status=500,every=x', 'every=x', 'every=1'],
    ['status=500,match=/core', 'match=/core', 'match=GET /core/*'],
    ['status=500,status=501', 'status=', 'once'],
    ['status=500,colour=red', 'status=500,colour=red', 'status=599'],
    ['colour=red', 'colour=red', 'every='],
  ];
  test.each(
    mistakes,
  )('"%s" is refused with an error that names %s and the allowed values, such as %s', (spec, part, allowed) => {
    expect(() => parseFault(spec)).toThrow(part);
    expect(() => parseFault(spec)).toThrow(allowed);
  });

  test('that is invalid keeps the server from starting', async () => {
    await expect(aSimulator({faults: ['kind=explode']})).rejects.toThrow('kind=explode');
  });
});

async function withStop(options: Parameters<typeof aSimulator>[0]) {
  const under = await aSimulator(options);
  const {id} = await under.machine('train-01');
  return {...under, stop: async () => (await under.get(`${LIST}/${id}/stop`)).status};
}

async function statuses(get: SimulatorUnderTest['get'], count: number): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < count; index += 1) seen.push((await get('/auth/me')).status);
  return seen;
}

function stateOf(machines: readonly WireMachine[], name: string): string {
  return machines.find(machine => machine.name === name)?.status ?? 'missing';
}
