import {describe, expect, test} from 'vitest';
import {aSimulator, SECOND_MS, type SimulatorUnderTest} from '../a-simulator.ts';

/** Longer than any change in this file takes. */
const SETTLED_MS = 30 * SECOND_MS;

/** The headers that the provider's TypeScript (axios) and JavaScript (superagent) clients send, as recorded. */
const CLIENTS = {
  TypeScript: {
    accept: 'application/json, text/plain, */*',
    withoutBody: {'content-type': 'application/x-www-form-urlencoded'},
  },
  JavaScript: {accept: 'application/json', withoutBody: {}},
} as const;

type Answer = {readonly status: number; readonly body: Record<string, unknown>};

describe.each(Object.entries(CLIENTS))('the official %s client', (_, {accept, withoutBody}) => {
  function sender({simulator}: SimulatorUnderTest) {
    return async (method: string, path: string, body?: object): Promise<Answer> => {
      const form = body === undefined ? (method === 'POST' ? withoutBody : {}) : {'content-type': 'application/json'};
      const reply = await fetch(`${simulator.url}${path}`, {
        method,
        headers: {accept, api_key: simulator.apiKey, ...form},
        ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      });
      return {status: reply.status, body: JSON.parse(await reply.text())};
    };
  }

  test('sends POST, GET and DELETE without a body', async () => {
    const world = await aSimulator();
    const send = sender(world);
    const {id} = await world.machine('jupyter-mira');
    const path = `/core/virtual-machines/${id}`;
    expect((await send('POST', `${path}/detach-floatingip`)).status).toBe(200);
    world.pass(SETTLED_MS);
    expect((await world.machine('jupyter-mira')).floating_ip).toBeNull();
    expect((await send('POST', `${path}/attach-floatingip`)).status).toBe(200);
    world.pass(SETTLED_MS);
    expect((await send('GET', `${path}/hibernate?retain_ip=true`)).status).toBe(200);
    world.pass(600 * SECOND_MS);
    expect(await world.machine('jupyter-mira')).toMatchObject({status: 'HIBERNATED', floating_ip_status: 'ATTACHED'});
    expect((await send('DELETE', path)).status).toBe(200);
  });

  test('creates a volume, moves it, sets and deletes its callback, attaches and protects it', async () => {
    const world = await aSimulator();
    const send = sender(world);
    const wish = {name: 'of-a-client', environment_name: 'research-ca', size: 50, volume_type: 'Cloud-SSD'};
    const made = await send('POST', '/core/volumes', wish);
    const {id} = made.body.volume as {readonly id: number};
    world.pass(SETTLED_MS);
    expect((await send('PATCH', `/core/volumes/${id}`, {environment_name: 'production-ca'})).status).toBe(200);
    expect((await send('PATCH', `/core/volumes/${id}`, {environment_name: 'research-ca'})).status).toBe(200);
    const url = 'https://example.test/callback';
    expect(await send('POST', `/core/volumes/${id}/attach-callback`, {url})).toMatchObject({body: {url}});
    expect((await send('DELETE', `/core/volumes/${id}/delete-callback`)).status).toBe(200);
    const {id: machineId} = await world.machine('train-02');
    const attached = await send('POST', `/core/virtual-machines/${machineId}/attach-volumes`, {
      volume_ids: [id],
      protected: false,
    });
    const [attachment] = attached.body.volume_attachments as readonly {readonly id: number}[];
    world.pass(SETTLED_MS);
    const path = `/core/volume-attachments/${attachment?.id}`;
    expect(await send('PATCH', path, {protected: true})).toMatchObject({status: 200, body: {status: true}});
  });

  test('creates a cluster with node groups and reconciles it', async () => {
    const world = await aSimulator();
    const send = sender(world);
    const order = {
      name: 'of-a-client',
      environment_name: 'research-ca',
      keypair_name: 'research-ca-team',
      kubernetes_version: '1.35.1',
      master_flavor_name: 'n1-cpu-medium',
      master_count: 2,
      deployment_mode: 'full',
      node_groups: [
        {name: 'gpu', role: 'worker', flavor_name: 'n3-A100x1', count: 2, min_count: 1, max_count: 4, firewall_ids: []},
      ],
    };
    const made = await send('POST', '/core/clusters', order);
    expect(made.status).toBe(201);
    const {id} = made.body.cluster as {readonly id: number};
    expect(
      (await send('POST', `/core/clusters/${id}/nodes`, {count: 1, role: 'worker', node_group: 'gpu'})).status,
    ).toBe(400);
    world.pass(3600 * SECOND_MS);
    expect(await send('GET', `/core/clusters/${id}`)).toMatchObject({body: {cluster: {status: 'ACTIVE'}}});
    expect((await send('POST', `/core/clusters/${id}/reconcile`)).status).toBe(200);
  });
});
