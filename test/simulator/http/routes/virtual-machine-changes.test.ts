import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  HOUR_MS,
  SECOND_MS,
  type SimulatorUnderTest,
  type WireEvent,
  type WireFirewall,
  type WireRefusal,
} from '../../a-simulator.ts';

const PATH = '/core/virtual-machines';

// Names of machines in the on-call account, by their initial state.
const ACTIVE = 'train-01';
const ADDRESSED = 'dev-tomasz';
const STOPPED = 'train-03';
const HIBERNATED = 'dev-ines';

async function pathOf(simulator: SimulatorUnderTest, name: string, rest = ''): Promise<string> {
  return `${PATH}/${(await simulator.machine(name)).id}${rest}`;
}

async function reasons(simulator: SimulatorUnderTest, name: string): Promise<string[]> {
  const path = await pathOf(simulator, name, '/events');
  return (await simulator.get<{instance_events: WireEvent[]}>(path)).body.instance_events.map(({reason}) => reason);
}

/** The verbs of the changes that took effect. All of them must be about this machine. */
async function executed({simulator, machine}: SimulatorUnderTest, name: string): Promise<string[]> {
  const {id} = await machine(name);
  expect(simulator.executions().every(each => each.id === id)).toBe(true);
  return simulator.executions().map(({verb}) => verb);
}

describe('deleting a machine', () => {
  test.each([ACTIVE, STOPPED, HIBERNATED, 'etl-03'])('makes %s DELETING and then answers 404', async name => {
    const simulator = await aSimulator();
    const {get, pass, machine, usage} = simulator;
    const path = await pathOf(simulator, name);
    const {id, vm_state: vmState} = await machine(name);
    const reply = await get(path, {method: 'DELETE'});
    expect(reply).toMatchObject({status: 200, body: {status: true}});
    expect(Object.keys(reply.body ?? {})).toEqual(['status', 'message']);
    expect(await machine(name)).toMatchObject({status: 'DELETING', vm_state: vmState});
    expect(await executed(simulator, name)).toEqual(['delete-machine']);
    expect((await reasons(simulator, name)).at(-1)).toBe('InstanceDeleteRequest');
    pass(6 * SECOND_MS);
    expect(await get(path)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
    const deleted = found(await usage('?deleted=true'), each => each.resource_id === id, name);
    expect(deleted).toMatchObject({active: false, bill_per_minute: null});
  });

  test('is refused while it is CREATING or already DELETING', async () => {
    const simulator = await aSimulator();
    const {get, post, pass} = simulator;
    const order = {
      name: 'probe',
      environment_name: 'research-ca',
      flavor_name: 'n3-A100x1',
      key_name: 'research-ca-team',
      count: 1,
      image_name: 'Ubuntu Server 24.04 LTS R570 CUDA 12.8',
    };
    await post(PATH, order);
    const path = await pathOf(simulator, 'probe');
    const early = await get<WireRefusal>(path, {method: 'DELETE'});
    expect(early).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(early.body.message).toContain('CREATING');
    pass(4 * SECOND_MS);
    expect((await get(path, {method: 'DELETE'})).status).toBe(200);
    expect((await get(path, {method: 'DELETE'})).status).toBe(400);
    pass(5 * SECOND_MS);
    // Without the deletion it would be ACTIVE by now.
    expect(await simulator.machine('probe')).toMatchObject({status: 'DELETING'});
    expect(simulator.simulator.executions().map(({verb}) => verb)).toEqual(['create-machine', 'delete-machine']);
  });

  test('keeps its volumes, which are still billed', async () => {
    const simulator = await aSimulator();
    const {machine, usage, get, pass} = simulator;
    const [attachment] = (await machine(ACTIVE)).volume_attachments;
    await get(await pathOf(simulator, ACTIVE), {method: 'DELETE'});
    pass(HOUR_MS);
    const record = found(await usage(), ({resource_id: id}) => id === attachment?.volume.id, 'volume');
    expect(record).toMatchObject({resource_type: 'volume', active: true});
    expect(record.bill_per_minute).toBeCloseTo((4000 * 0.000096774) / 60, 9);
  });

  test('overrides an action that is under way', async () => {
    const simulator = await aSimulator();
    await simulator.get(await pathOf(simulator, ACTIVE, '/hard-reboot'));
    await simulator.get(await pathOf(simulator, ACTIVE), {method: 'DELETE'});
    simulator.pass(5.9 * SECOND_MS);
    expect(await simulator.machine(ACTIVE)).toMatchObject({status: 'DELETING'});
    simulator.pass(20 * SECOND_MS);
    expect((await simulator.machines()).map(({name}) => name)).not.toContain(ACTIVE);
  });
});

describe('resizing a machine', () => {
  const BODY = {flavor_name: 'n3-A100x4'};

  test('is disabled by default', async () => {
    const simulator = await aSimulator();
    const reply = await simulator.post<WireRefusal>(await pathOf(simulator, ACTIVE, '/resize'), BODY);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body)).toEqual(['status', 'message', 'error_reason']);
    expect(reply.body).toMatchObject({status: false, error_reason: 'bad_request'});
    expect(reply.body.message).toContain('feature is currently disabled');
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test.each([ACTIVE, STOPPED])('changes the flavor and the price of %s if it is enabled', async name => {
    const simulator = await aSimulator({allowsResize: true});
    const {machine, post, usage, pass} = simulator;
    const {status, id} = await machine(name);
    expect(await post(await pathOf(simulator, name, '/resize'), BODY)).toMatchObject({status: 200});
    expect((await machine(name)).status).toBe('REBOOTING');
    pass(9 * SECOND_MS);
    expect(await machine(name)).toMatchObject({status, flavor: {name: 'n3-A100x4', cpu: 124}});
    const record = found(await usage(), each => each.resource_id === id, name);
    expect(record.bill_per_minute).toBeCloseTo(5.4 / 60, 9);
    expect(await executed(simulator, name)).toEqual(['resize']);
    expect((await reasons(simulator, name)).slice(-2)).toEqual(['InstanceResizeRequest', 'InstanceResizeSuccess']);
  });

  const refusals: readonly [what: string, name: string, body: object, status: number][] = [
    ['a hibernated machine', HIBERNATED, BODY, 400],
    ['a flavor that does not exist', ACTIVE, {flavor_name: 'n9'}, 404],
    ['a custom flavor', ACTIVE, {flavor: {cpu: 1}}, 404],
    ['a flavor out of stock', ACTIVE, {flavor_name: 'n3-H100x2'}, 400],
    ['its current flavor', ACTIVE, {flavor_name: 'n3-H100-SXM5x8'}, 400],
    ['no flavor at all', ACTIVE, {}, 400],
  ];
  test.each(refusals)('is refused for %s even if it is enabled', async (_, name, body, status) => {
    const simulator = await aSimulator({allowsResize: true});
    expect((await simulator.post(await pathOf(simulator, name, '/resize'), body)).status).toBe(status);
    expect(simulator.simulator.executions()).toEqual([]);
  });
});

describe('a public address', () => {
  test.each([ACTIVE, STOPPED])('can be attached to %s, which keeps its state, and is billed', async name => {
    const simulator = await aSimulator();
    const {machine, usage, pass, get} = simulator;
    const {id, status} = await machine(name);
    const rate = async () => found(await usage(), each => each.resource_id === id, name).bill_per_minute ?? 0;
    const before = await rate();
    const path = await pathOf(simulator, name, '/attach-floatingip');
    expect(await get(path, {method: 'POST'})).toMatchObject({status: 200, body: {status: true}});
    expect(await machine(name)).toMatchObject({status, floating_ip: null, floating_ip_status: 'ATTACHING'});
    expect(await rate()).toBe(before);
    pass(4 * SECOND_MS);
    const attached = await machine(name);
    expect(attached).toMatchObject({status, floating_ip_status: 'ATTACHED', requires_public_ip: true});
    expect(attached.floating_ip).toMatch(/^198\.1[89]\.\d+\.\d+$/);
    expect((await rate()) - before).toBeCloseTo(0.00672043 / 60, 9);
    expect(await executed(simulator, name)).toEqual(['attach-floatingip']);
    expect((await reasons(simulator, name)).slice(-2)).toEqual([
      'AttachFloatingIPToInstanceRequest',
      'AttachFloatingIPToInstanceSuccess',
    ]);
  });

  test('is lost when it is detached: the next one is different', async () => {
    const simulator = await aSimulator();
    const {machine, get, pass} = simulator;
    const {floating_ip: address, status} = await machine(ADDRESSED);
    const detach = await pathOf(simulator, ADDRESSED, '/detach-floatingip');
    expect(await get(detach, {method: 'POST'})).toMatchObject({status: 200, body: {status: true}});
    expect(await machine(ADDRESSED)).toMatchObject({floating_ip: address, floating_ip_status: 'DETACHING', status});
    pass(4 * SECOND_MS);
    expect(await machine(ADDRESSED)).toMatchObject({
      floating_ip: null,
      floating_ip_status: 'DETACHED',
      requires_public_ip: false,
      status,
    });
    await get(await pathOf(simulator, ADDRESSED, '/attach-floatingip'), {method: 'POST'});
    pass(4 * SECOND_MS);
    expect((await machine(ADDRESSED)).floating_ip).not.toBe(address);
    expect(await executed(simulator, ADDRESSED)).toEqual(['detach-floatingip', 'attach-floatingip']);
  });

  const refusals: readonly [what: string, step: string, name: string][] = [
    ['attach', 'attach-floatingip', HIBERNATED],
    ['detach', 'detach-floatingip', HIBERNATED],
    ['attach a second one', 'attach-floatingip', ADDRESSED],
    ['detach a missing one', 'detach-floatingip', ACTIVE],
  ];
  test.each(refusals)('cannot %s: %s of %s', async (_, step, name) => {
    const simulator = await aSimulator();
    const reply = await simulator.get<WireRefusal>(await pathOf(simulator, name, `/${step}`), {method: 'POST'});
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('cannot be changed while a change is under way', async () => {
    const simulator = await aSimulator();
    const attach = await pathOf(simulator, ACTIVE, '/attach-floatingip');
    await simulator.get(attach, {method: 'POST'});
    expect((await simulator.get(attach, {method: 'POST'})).status).toBe(400);
    expect(await executed(simulator, ACTIVE)).toEqual(['attach-floatingip']);
  });

  test('must be paid for: 402 without a reason when the credit is used up', async () => {
    const simulator = await aSimulator();
    const path = await pathOf(simulator, ACTIVE, '/attach-floatingip');
    simulator.pass(48 * HOUR_MS);
    const reply = await simulator.get<WireRefusal>(path, {method: 'POST'});
    expect(reply.status).toBe(402);
    expect(Object.keys(reply.body)).toEqual(['status', 'message']);
    expect(reply.body.status).toBe(false);
  });

  test('has paths of its own, which do not stop the machine', async () => {
    const simulator = await aSimulator();
    await simulator.get(await pathOf(simulator, ADDRESSED, '/detach-floatingip'), {method: 'POST'});
    expect(await executed(simulator, ADDRESSED)).toEqual(['detach-floatingip']);
    expect((await simulator.get(await pathOf(simulator, ADDRESSED, '/detach-floatingip'))).status).toBe(405);
  });
});

describe('the callback of a machine', () => {
  const URLS = ['https://hooks.example/a', 'https://hooks.example/b'] as const;

  test('can be attached, replaced and deleted', async () => {
    const simulator = await aSimulator();
    const {get, post, machine} = simulator;
    const path = await pathOf(simulator, ACTIVE);
    const attached = await post<object>(`${path}/attach-callback`, {url: URLS[0]});
    expect(attached.status).toBe(200);
    expect(attached.body).toEqual({status: true, message: expect.any(String), url: URLS[0]});
    expect(await machine(ACTIVE)).toMatchObject({callback_url: URLS[0]});
    const updated = await post(`${path}/update-callback`, {url: URLS[1]}, {method: 'PUT'});
    expect(updated).toMatchObject({status: 200, body: {status: true, url: URLS[1]}});
    expect(await machine(ACTIVE)).toMatchObject({callback_url: URLS[1]});
    expect((await get(`${path}/delete-callback`, {method: 'DELETE'})).status).toBe(200);
    expect(await machine(ACTIVE)).toMatchObject({callback_url: null});
    expect(await executed(simulator, ACTIVE)).toEqual(['attach-callback', 'update-callback', 'delete-callback']);
  });

  test('exists once per machine, and only an existing one can be changed', async () => {
    const simulator = await aSimulator();
    const {get, post} = simulator;
    const path = await pathOf(simulator, ACTIVE);
    expect((await post(`${path}/update-callback`, {url: URLS[0]}, {method: 'PUT'})).status).toBe(400);
    expect((await get(`${path}/delete-callback`, {method: 'DELETE'})).status).toBe(400);
    await post(`${path}/attach-callback`, {url: URLS[0]});
    expect((await post(`${path}/attach-callback`, {url: URLS[1]})).status).toBe(400);
    expect(await executed(simulator, ACTIVE)).toEqual(['attach-callback']);
  });

  test.each([
    {},
    {url: 'x'.repeat(251)},
    {url: `https://hooks.example/${'x'.repeat(229)}`},
    {url: 'ftp://hooks.example'},
    {url: 7},
  ])('must have an HTTP URL of at most 250 characters: %o is refused', async body => {
    const simulator = await aSimulator();
    const reply = await simulator.post(await pathOf(simulator, ACTIVE, '/attach-callback'), body);
    expect(reply).toMatchObject({status: 400, body: {message: 'Input payload validation failed'}});
  });

  test('may have a URL of exactly 250 characters', async () => {
    const simulator = await aSimulator();
    const url = `https://hooks.example/${'x'.repeat(228)}`;
    expect(url).toHaveLength(250);
    expect((await simulator.post(await pathOf(simulator, ACTIVE, '/attach-callback'), {url})).status).toBe(200);
  });
});

describe('labels', () => {
  test('are replaced as a whole', async () => {
    const simulator = await aSimulator();
    const path = await pathOf(simulator, ACTIVE, '/label');
    for (const labels of [['a', 'b'], ['c'], []]) {
      expect(await simulator.post(path, {labels}, {method: 'PUT'})).toMatchObject({status: 200, body: {status: true}});
      expect((await simulator.machine(ACTIVE)).labels).toEqual(labels);
    }
    expect(await executed(simulator, ACTIVE)).toEqual(['label', 'label', 'label']);
    expect((await simulator.post(path, {labels: 'a'}, {method: 'PUT'})).status).toBe(400);
  });
});

test('enabling enhanced monitoring answers with the command that installs its agent', async () => {
  const simulator = await aSimulator();
  const path = await pathOf(simulator, ACTIVE, '/enhanced-metrics');
  const on = await simulator.post(path, {enabled: true}, {method: 'PATCH'});
  expect(on).toMatchObject({status: 200, body: {metrics: {enabled: true}, install_command: expect.any(String)}});
  const off = await simulator.post<object>(path, {enabled: false}, {method: 'PATCH'});
  expect(off.body).toEqual({status: true, message: expect.any(String), metrics: {enabled: false}});
});

describe('the firewalls of a machine', () => {
  const held = async ({get}: SimulatorUnderTest, name: string) => {
    const {firewalls} = (await get<{firewalls: WireFirewall[]}>('/core/firewalls')).body;
    return firewalls.flatMap(each =>
      each.attachments.filter(({vm}) => vm.name === name).map(({status}) => `${each.name} ${status}`),
    );
  };
  const idOf = async ({get}: SimulatorUnderTest, name: string) =>
    found((await get<{firewalls: WireFirewall[]}>('/core/firewalls')).body.firewalls, each => each.name === name, name)
      .id;

  test('become exactly those in the request', async () => {
    const simulator = await aSimulator();
    const {post, pass} = simulator;
    const path = await pathOf(simulator, ACTIVE, '/attach-firewalls');
    expect(await held(simulator, ACTIVE)).toEqual(['office-ssh SUCCESS']);
    const body = {firewalls: [await idOf(simulator, 'edge')]};
    expect(await post(path, body)).toMatchObject({status: 200, body: {status: true}});
    expect((await held(simulator, ACTIVE)).toSorted()).toEqual(['edge pending', 'office-ssh DELETING']);
    pass(3 * SECOND_MS);
    expect(await held(simulator, ACTIVE)).toEqual(['edge SUCCESS']);
    await post(path, {firewalls: []});
    pass(3 * SECOND_MS);
    expect(await held(simulator, ACTIVE)).toEqual([]);
    expect(await executed(simulator, ACTIVE)).toEqual(['attach-firewalls', 'attach-firewalls']);
  });

  test('can be attached again while they are being detached', async () => {
    const simulator = await aSimulator();
    const path = await pathOf(simulator, ACTIVE, '/attach-firewalls');
    await simulator.post(path, {firewalls: []});
    await simulator.post(path, {firewalls: [await idOf(simulator, 'office-ssh')]});
    simulator.pass(3 * SECOND_MS);
    expect(await held(simulator, ACTIVE)).toEqual(['office-ssh SUCCESS']);
  });

  test.each([
    ['a firewall that does not exist', ACTIVE, '', 404],
    ['a firewall of another environment', ACTIVE, 'web-no', 400],
    ['a machine that is not up', HIBERNATED, 'dev', 400],
  ])('do not change for %s', async (_, name, firewallName, status) => {
    const simulator = await aSimulator();
    const before = await held(simulator, name);
    const id = firewallName === '' ? 1 : await idOf(simulator, firewallName);
    const reply = await simulator.post(await pathOf(simulator, name, '/attach-firewalls'), {firewalls: [id]});
    expect(reply.status).toBe(status);
    expect(await held(simulator, name)).toEqual(before);
    expect(simulator.simulator.executions()).toEqual([]);
  });
});

test.each([
  ['DELETE', ''],
  ['POST', '/resize'],
  ['POST', '/attach-floatingip'],
  ['POST', '/detach-floatingip'],
  ['POST', '/attach-callback'],
  ['PUT', '/update-callback'],
  ['DELETE', '/delete-callback'],
  ['PUT', '/label'],
  ['POST', '/attach-firewalls'],
  ['POST', '/logs'],
  ['GET', '/request-console'],
])('%s …%s is refused without a role and for a machine that does not exist', async (method, rest) => {
  const simulator = await aSimulator();
  const body = method === 'GET' || method === 'DELETE' ? {} : {body: '{}'};
  const path = await pathOf(simulator, ACTIVE, rest);
  const roleless = await simulator.get<WireRefusal>(path, {method, key: simulator.simulator.keys.none, ...body});
  expect(roleless).toMatchObject({status: 403, body: {error_reason: 'forbidden'}});
  const nowhere = await simulator.get<WireRefusal>(`${PATH}/1${rest}`, {method, ...body});
  expect(nowhere).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
  expect(simulator.simulator.executions()).toEqual([]);
});
