import {describe, expect, test} from 'vitest';
import {aSimulator, SECOND_MS, type SimulatorUnderTest, type WireEvent, type WireRefusal} from '../../a-simulator.ts';

type Requested = {readonly status: boolean; readonly message: string; readonly url: string};
type Console = {readonly status: boolean; readonly vnc_url: {readonly id: number; readonly vnc_url: string} | null};
type Logs = {readonly status: boolean; readonly message: string; readonly logs: string | null};

const ACTIVE = 'train-01';
const STOPPED = 'train-03';

async function pathOf({machine}: SimulatorUnderTest, name: string, rest: string): Promise<string> {
  return `/core/virtual-machines/${(await machine(name)).id}${rest}`;
}

describe('a console', () => {
  test('is requested and then read at the returned path, which has no version, until it is ready', async () => {
    const simulator = await aSimulator();
    const {get, machine, pass} = simulator;
    const {id} = await machine(ACTIVE);
    const requested = await get<Requested>(await pathOf(simulator, ACTIVE, '/request-console'));
    expect(requested.status).toBe(200);
    expect(Object.keys(requested.body)).toEqual(['status', 'message', 'url']);
    expect(requested.body.url).toMatch(new RegExp(`^/core/virtual-machines/${id}/console/\\d+$`));

    const early = await get<Console>(requested.body.url);
    expect(early).toMatchObject({status: 200, body: {status: false, vnc_url: null}});
    pass(3 * SECOND_MS);
    const ready = await get<Console>(requested.body.url);
    expect(ready).toMatchObject({status: 200, body: {status: true}});
    expect(Object.keys(ready.body.vnc_url ?? {})).toEqual(['id', 'vnc_url']);
    expect(ready.body.vnc_url?.id).toBe(Number(requested.body.url.split('/').at(-1)));
    expect(ready.body.vnc_url?.vnc_url).toMatch(/^https:\/\/console\.example\/.*SIMULATED/);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'request-console', id}]);
  });

  test('is recorded in the events', async () => {
    const simulator = await aSimulator();
    await simulator.get(await pathOf(simulator, ACTIVE, '/request-console'));
    simulator.pass(3 * SECOND_MS);
    const path = await pathOf(simulator, ACTIVE, '/events');
    const {instance_events: events} = (await simulator.get<{instance_events: WireEvent[]}>(path)).body;
    expect(events.at(-1)).toMatchObject({reason: 'GenerateVNCConsoleSuccess', type: 'normal'});
  });

  test('needs a running machine', async () => {
    const simulator = await aSimulator();
    const reply = await simulator.get<WireRefusal>(await pathOf(simulator, STOPPED, '/request-console'));
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(reply.body.message).toContain('SHUTOFF');
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('belongs to one machine and one request', async () => {
    const simulator = await aSimulator();
    const first = await simulator.get<Requested>(await pathOf(simulator, ACTIVE, '/request-console'));
    const second = await simulator.get<Requested>(await pathOf(simulator, ACTIVE, '/request-console'));
    expect(first.body.url).not.toBe(second.body.url);
    const job = first.body.url.split('/').at(-1);
    expect((await simulator.get(await pathOf(simulator, 'infer-01', `/console/${job}`))).status).toBe(404);
    expect((await simulator.get(await pathOf(simulator, ACTIVE, '/console/none'))).status).toBe(404);
  });
});

describe('logs', () => {
  const request = async (simulator: SimulatorUnderTest, body: object, name = ACTIVE) =>
    simulator.post<{request_id: number; status: boolean}>(await pathOf(simulator, name, '/logs'), body);

  test('answer 200 with status false until they are ready', async () => {
    const simulator = await aSimulator();
    const requested = await request(simulator, {length: 12});
    expect(requested.status).toBe(200);
    expect(Object.keys(requested.body)).toEqual(['status', 'message', 'request_id']);
    expect(Number.isInteger(requested.body.request_id)).toBe(true);
    const path = await pathOf(simulator, ACTIVE, `/logs?request_id=${requested.body.request_id}`);
    expect(await simulator.get<Logs>(path)).toMatchObject({status: 200, body: {status: false, logs: null}});
    simulator.pass(3 * SECOND_MS);
    const ready = (await simulator.get<Logs>(path)).body;
    expect(ready.status).toBe(true);
    expect(ready.logs?.trimEnd().split('\n')).toHaveLength(12);
  });

  test('need a running machine, a length and an existing request', async () => {
    const simulator = await aSimulator();
    expect((await request(simulator, {length: 10}, STOPPED)).status).toBe(400);
    expect((await request(simulator, {length: 0})).status).toBe(400);
    expect((await request(simulator, {lines: 10})).status).toBe(400);
    expect((await simulator.get(await pathOf(simulator, ACTIVE, '/logs'))).status).toBe(400);
    expect((await simulator.get(await pathOf(simulator, ACTIVE, '/logs?request_id=none'))).status).toBe(404);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('are found only under their own machine', async () => {
    const simulator = await aSimulator();
    const id = (await request(simulator, {length: 1})).body.request_id;
    expect((await simulator.get(await pathOf(simulator, 'infer-01', `/logs?request_id=${id}`))).status).toBe(404);
  });
});
