import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createCallbackDelivery, isLoopback} from '../../../src/simulator/http/callback-delivery.ts';
import {aSimulator, MINUTE_MS, SECOND_MS, type SimulatorUnderTest, type WireEvent} from '../a-simulator.ts';

type Posted = {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly contentType: string | undefined;
  readonly body: WireEvent & {readonly status: string};
};

type Receiver = {
  readonly url: string;
  readonly port: number;
  readonly posted: readonly Posted[];
  /** Resolves once this many posts have arrived. */
  readonly received: (count: number) => Promise<void>;
};

type Respond = (response: ServerResponse, postCount: number) => void;

const ACTIVE = 'train-01';

/** A real server on loopback that records what is posted to it. */
async function aReceiver(respond: Respond = response => response.end(), host = '127.0.0.1'): Promise<Receiver> {
  const posted: Posted[] = [];
  const waiting: {readonly count: number; readonly done: () => void}[] = [];
  const server = createServer(async (request, response) => {
    posted.push(await read(request));
    respond(response, posted.length);
    for (const {count, done} of waiting) if (posted.length >= count) done();
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const port = portOf(server.address());
  return {
    url: `http://${host}:${port}/events?of=machine`,
    port,
    posted,
    received: count =>
      new Promise(done => {
        if (posted.length >= count) done();
        else waiting.push({count, done});
      }),
  };
}

async function read(request: IncomingMessage): Promise<Posted> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const {method, url: path, headers} = request;
  return {method, path, contentType: headers['content-type'], body: JSON.parse(Buffer.concat(chunks).toString())};
}

async function attach(simulator: SimulatorUnderTest, url: string, name = ACTIVE): Promise<string> {
  const path = `/core/virtual-machines/${(await simulator.machine(name)).id}`;
  expect((await simulator.post(`${path}/attach-callback`, {url})).status).toBe(200);
  return path;
}

describe('a callback URL on this machine', () => {
  test('gets every event as in the history, in order, with the status of the machine', async () => {
    const [simulator, receiver] = [await aSimulator(), await aReceiver()];
    const path = await attach(simulator, receiver.url);
    const before = (await simulator.get<{instance_events: WireEvent[]}>(`${path}/events`)).body.instance_events;
    await simulator.get(`${path}/stop`);
    await receiver.received(1);
    simulator.pass(7 * SECOND_MS);
    await simulator.get(`${path}/start`);
    await receiver.received(3);
    simulator.pass(9 * SECOND_MS);
    const history = (await simulator.get<{instance_events: WireEvent[]}>(`${path}/events`)).body.instance_events;
    await receiver.received(4);
    expect(receiver.posted.map(({body: {status: _, ...event}}) => event)).toEqual(history.slice(before.length));
    expect(receiver.posted.map(({body}) => `${body.reason} ${body.status}`)).toEqual([
      'InstanceStopRequest STOPPING',
      'InstanceStopSuccess SHUTOFF',
      'InstanceStartRequest STARTING',
      'InstanceStartSuccess ACTIVE',
    ]);
    for (const each of receiver.posted) {
      expect(each).toMatchObject({method: 'POST', path: '/events?of=machine', contentType: 'application/json'});
    }
  });

  test('gets events that fall due while no request comes in', async () => {
    const [simulator, receiver] = [await aSimulator(), await aReceiver()];
    const path = await attach(simulator, receiver.url);
    await simulator.get(`${path}/stop`);
    simulator.pass(7 * SECOND_MS);
    await receiver.received(2);
    expect(receiver.posted[1]?.body).toMatchObject({reason: 'InstanceStopSuccess', status: 'SHUTOFF'});
  });

  test('set when the machine is created gets the events of its creation and deletion', async () => {
    const [simulator, receiver] = [await aSimulator(), await aReceiver()];
    const order = {
      name: 'probe',
      environment_name: 'research-ca',
      flavor_name: 'n3-A100x1',
      key_name: 'research-ca-team',
      count: 1,
      image_name: 'Ubuntu Server 24.04 LTS R570 CUDA 12.8',
      callback_url: receiver.url,
    };
    await simulator.post('/core/virtual-machines', order);
    simulator.pass(11 * SECOND_MS);
    await receiver.received(2);
    const {id} = await simulator.machine('probe');
    await simulator.get(`/core/virtual-machines/${id}`, {method: 'DELETE'});
    simulator.pass(6 * SECOND_MS);
    await simulator.get('/auth/me');
    await receiver.received(4);
    expect(receiver.posted.map(({body}) => body.reason)).toEqual([
      'InstanceCreationRequest',
      'InstanceCreationSuccess',
      'InstanceDeleteRequest',
      'InstanceDeleteSuccess',
    ]);
    expect(receiver.posted[0]?.body).toMatchObject({instance_id: id, object: 'probe', org_id: 4217});
  });

  test('gets events until it is replaced or deleted', async () => {
    const simulator = await aSimulator();
    const [first, second] = [await aReceiver(), await aReceiver()];
    const path = await attach(simulator, first.url);
    await simulator.get(`${path}/stop`);
    await first.received(1);
    await simulator.post(`${path}/update-callback`, {url: second.url}, {method: 'PUT'});
    simulator.pass(7 * SECOND_MS);
    await simulator.get(`${path}/start`);
    await second.received(2);
    await simulator.get(`${path}/delete-callback`, {method: 'DELETE'});
    simulator.pass(MINUTE_MS);
    // The event of another machine comes last, after any that should not arrive.
    const other = await attach(simulator, second.url, 'infer-01');
    await simulator.get(`${other}/stop`);
    await second.received(3);
    expect(first.posted).toHaveLength(1);
    expect(second.posted.map(({body}) => `${body.object} ${body.reason}`)).toEqual([
      `${ACTIVE} InstanceStopSuccess`,
      `${ACTIVE} InstanceStartRequest`,
      'infer-01 InstanceStopRequest',
    ]);
  });

  test('is not redirected, and still gets the next event after one failed', async () => {
    const [simulator, target] = [await aSimulator(), await aReceiver()];
    const receiver = await aReceiver((response, postCount) => {
      if (postCount === 1) response.writeHead(307, {location: target.url}).end();
      else if (postCount === 2) response.destroy();
      else response.writeHead(500).end('no');
    });
    const path = await attach(simulator, receiver.url);
    for (let count = 1; count <= 3; count += 1) {
      await simulator.get(`${path}/hard-reboot`);
      simulator.pass(12 * SECOND_MS);
    }
    await simulator.get('/auth/me');
    await receiver.received(6);
    expect(target.posted).toEqual([]);
  });

  test('that never answers blocks neither the machines nor other callbacks', async () => {
    const [simulator, receiver] = [await aSimulator(), await aReceiver()];
    const silent = await aReceiver(() => {});
    const path = await attach(simulator, silent.url);
    const other = await attach(simulator, receiver.url, 'infer-01');
    await simulator.get(`${path}/stop`);
    await silent.received(1);
    simulator.pass(7 * SECOND_MS);
    await simulator.get(`${other}/stop`);
    await receiver.received(1);
    expect(await simulator.machine(ACTIVE)).toMatchObject({status: 'SHUTOFF'});
    // The second event waits until the first is given up.
    expect(silent.posted).toHaveLength(1);
  });

  test('may use the name localhost', async () => {
    const [simulator, receiver] = [await aSimulator(), await aReceiver()];
    const path = await attach(simulator, `http://localhost:${receiver.port}/`);
    await simulator.get(`${path}/stop`);
    await receiver.received(1);
  });
});

describe('callback delivery', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.0.0.1:8080/a?b=c',
    'http://localhost:3000',
    'http://LOCALHOST',
    'http://[::1]:80/',
    // The URL standard, and so every client, reads each of these as 127.0.0.1.
    'http://2130706433/',
    'http://127.1/',
  ])('accepts %s as loopback', url => {
    expect(isLoopback(url)).toBe(true);
  });

  test.each([
    'https://127.0.0.1/',
    'http://example.com/',
    'http://127.0.0.1.example.com/',
    'http://localhost.example.com/',
    'http://127.0.0.1@example.com/',
    'http://127.0.0.2/',
    'http://0.0.0.0/',
    'http://169.254.169.254/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::2]/',
    'ftp://127.0.0.1/',
    'file:///etc/hosts',
    'not a url',
  ])('does not accept %s as loopback', url => {
    expect(isLoopback(url)).toBe(false);
  });

  test('contacts no other address, although the service accepts it', async () => {
    const [simulator, receiver] = [await aSimulator(), await aReceiver()];
    // The right port, but a protocol and a host name that are not loopback.
    const path = await attach(simulator, `https://127.0.0.1:${receiver.port}/`);
    await simulator.get(`${path}/stop`);
    const second = await attach(simulator, `http://127.0.0.1@127.0.0.2:${receiver.port}/`, 'infer-02');
    await simulator.get(`${second}/stop`);
    const third = await attach(simulator, receiver.url, 'infer-01');
    await simulator.get(`${third}/stop`);
    await receiver.received(1);
    expect(receiver.posted.map(({body}) => body.object)).toEqual(['infer-01']);
  });

  test('sends nothing once it is closed', async () => {
    const [delivery, receiver] = [createCallbackDelivery(), await aReceiver()];
    delivery.post(receiver.url, {n: 1});
    await receiver.received(1);
    delivery.close();
    delivery.post(receiver.url, {n: 2});
    const other = createCallbackDelivery();
    other.post(receiver.url, {n: 3});
    await receiver.received(2);
    expect(receiver.posted.map(({body}) => body)).toEqual([{n: 1}, {n: 3}]);
  });

  test('drops the oldest events when the receiver is too slow', async () => {
    const held: ServerResponse[] = [];
    const receiver = await aReceiver((response, postCount) => {
      if (postCount === 1) held.push(response);
      else response.end();
    });
    const delivery = createCallbackDelivery();
    delivery.post(receiver.url, {n: 0});
    await receiver.received(1);
    for (let n = 1; n <= 150; n += 1) delivery.post(receiver.url, {n});
    held[0]?.end();
    await receiver.received(101);
    expect(receiver.posted.map(({body}) => body)).toEqual([
      {n: 0},
      ...Array.from({length: 100}, (_, index) => ({n: 51 + index})),
    ]);
  });
});

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
  return address.port;
}
