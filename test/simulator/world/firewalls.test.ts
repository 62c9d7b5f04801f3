import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  SECOND_MS,
  type SimulatorUnderTest,
  type WireFirewall,
  type WireRefusal,
} from '../a-simulator.ts';

type Detail = {readonly status: boolean; readonly firewall: WireFirewall};

const PATH = '/core/firewalls';

async function environmentId({get}: SimulatorUnderTest, name: string): Promise<number> {
  const {environments} = (await get<{environments: {id: number; name: string}[]}>('/core/environments')).body;
  return found(environments, each => each.name === name, name).id;
}

async function firewallNamed({get}: SimulatorUnderTest, name: string): Promise<WireFirewall> {
  return found((await get<{firewalls: WireFirewall[]}>(PATH)).body.firewalls, each => each.name === name, name);
}

/** A firewall in research-ca, created for the test and already in SUCCESS. */
async function aFirewall(simulator: SimulatorUnderTest, name = 'fresh'): Promise<WireFirewall> {
  const order = {name, environment_id: await environmentId(simulator, 'research-ca')};
  const {firewall} = (await simulator.post<Detail>(PATH, order)).body;
  simulator.pass(3 * SECOND_MS);
  return firewall;
}

async function machineIds({machine}: SimulatorUnderTest, ...names: string[]): Promise<number[]> {
  return Promise.all(names.map(async name => (await machine(name)).id));
}

const attached = ({attachments}: WireFirewall) => attachments.map(({status, vm}) => `${vm.name} ${status}`);

describe('a new firewall', () => {
  test('is CREATING without rules and attachments at first, and then SUCCESS', async () => {
    const simulator = await aSimulator();
    const id = await environmentId(simulator, 'production-no');
    const order = {name: 'fresh', environment_id: id, description: 'for a test'};
    const reply = await simulator.post<Detail>(PATH, order);
    expect(reply.status).toBe(200);
    expect(reply.body.status).toBe(true);
    expect(Object.keys(reply.body.firewall).toSorted()).toEqual(
      ['created_at', 'description', 'environment', 'id', 'name', 'status'].toSorted(),
    );
    expect(reply.body.firewall).toMatchObject({
      name: 'fresh',
      description: 'for a test',
      status: 'CREATING',
      environment: {id, name: 'production-no', region: 'NORWAY-1'},
    });
    expect(await firewallNamed(simulator, 'fresh')).toMatchObject({status: 'CREATING'});
    simulator.pass(3 * SECOND_MS);
    expect(await firewallNamed(simulator, 'fresh')).toMatchObject({status: 'SUCCESS', attachments: []});
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'create-firewall', id: reply.body.firewall.id}]);
  });

  test('has the two rules that allow all outgoing traffic from the start', async () => {
    const simulator = await aSimulator();
    await simulator.post(PATH, {name: 'fresh', environment_id: await environmentId(simulator, 'research-ca')});
    const {rules} = await firewallNamed(simulator, 'fresh');
    expect(rules).toMatchObject(
      ['IPv4', 'IPv6'].map(ethertype => ({
        direction: 'egress',
        protocol: 'any',
        ethertype,
        port_range_min: 1,
        port_range_max: 65535,
        remote_ip_prefix: '0.0.0.0/0',
      })),
    );
  });

  test.each([
    [{name: 'x'.repeat(51)}, ['name']],
    [{name: ''}, ['name']],
    [{name: undefined}, ['name']],
    [{environment_id: 'research-ca'}, ['environment_id']],
    [{environment_id: undefined}, ['environment_id']],
    [{description: 7}, ['description']],
  ])('gets a validation error for %o', async (change, fields) => {
    const simulator = await aSimulator();
    const id = await environmentId(simulator, 'research-ca');
    const reply = await simulator.post<{errors: object}>(PATH, {name: 'fresh', environment_id: id, ...change});
    expect(reply).toMatchObject({status: 400, body: {message: 'Input payload validation failed'}});
    expect(Object.keys(reply.body.errors)).toEqual(fields);
  });

  test('needs an existing environment, a name that is free in it, and no unknown fields', async () => {
    const simulator = await aSimulator();
    const [ca, no] = [await environmentId(simulator, 'production-ca'), await environmentId(simulator, 'production-no')];
    expect(await simulator.post(PATH, {name: 'fresh', environment_id: 1})).toMatchObject({
      status: 404,
      body: {error_reason: 'not_found'},
    });
    expect(await simulator.post(PATH, {name: 'web', environment_id: ca})).toMatchObject({
      status: 409,
      body: {error_reason: 'already_exist'},
    });
    expect(await simulator.post(PATH, {name: 'fresh', environment_id: ca, rules: []})).toMatchObject({
      status: 400,
      body: {status: false, errors: {rules: ['Unknown field.']}},
    });
    expect(simulator.simulator.executions()).toEqual([]);
    expect((await simulator.post(PATH, {name: 'web', environment_id: no})).status).toBe(200);
  });
});

describe('deleting a firewall', () => {
  test('makes an unattached one DELETING and then answers 404', async () => {
    const simulator = await aSimulator();
    const {id} = await firewallNamed(simulator, 'lab-old');
    const reply = await simulator.get<object>(`${PATH}/${id}`, {method: 'DELETE'});
    expect(reply).toMatchObject({status: 200, body: {status: true}});
    expect(Object.keys(reply.body)).toEqual(['status', 'message']);
    expect(await firewallNamed(simulator, 'lab-old')).toMatchObject({status: 'DELETING'});
    expect((await simulator.get(`${PATH}/${id}`, {method: 'DELETE'})).status).toBe(400);
    simulator.pass(3 * SECOND_MS);
    expect((await simulator.get(`${PATH}/${id}`)).status).toBe(404);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'delete-firewall', id}]);
  });

  test('is refused while machines are attached, and accepted once they are detached', async () => {
    const simulator = await aSimulator();
    const {id} = await firewallNamed(simulator, 'edge');
    const reply = await simulator.get<WireRefusal>(`${PATH}/${id}`, {method: 'DELETE'});
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    await simulator.post(`${PATH}/${id}/update-attachments`, {vms: []});
    simulator.pass(3 * SECOND_MS);
    expect((await simulator.get(`${PATH}/${id}`, {method: 'DELETE'})).status).toBe(200);
  });

  test('is accepted once its machines are deleted', async () => {
    const simulator = await aSimulator();
    const {id, attachments} = await firewallNamed(simulator, 'edge');
    for (const {vm} of attachments) await simulator.get(`/core/virtual-machines/${vm.id}`, {method: 'DELETE'});
    simulator.pass(6 * SECOND_MS);
    expect((await simulator.get(`${PATH}/${id}`, {method: 'DELETE'})).status).toBe(200);
  });
});

describe('the machines of a firewall', () => {
  test('become exactly those in the request', async () => {
    const simulator = await aSimulator();
    const {id} = await aFirewall(simulator);
    const update = (vms: readonly number[]) => simulator.post(`${PATH}/${id}/update-attachments`, {vms});
    const [first = 0, second = 0, third = 0] = await machineIds(simulator, 'train-01', 'train-04', 'eval-02');

    expect(await update([first, second])).toMatchObject({status: 200, body: {status: true}});
    expect(attached(await firewallNamed(simulator, 'fresh'))).toEqual(['train-01 pending', 'train-04 pending']);
    simulator.pass(3 * SECOND_MS);
    expect(attached(await firewallNamed(simulator, 'fresh'))).toEqual(['train-01 SUCCESS', 'train-04 SUCCESS']);

    // These two replace the earlier two instead of being added.
    await update([second, third]);
    expect(attached(await firewallNamed(simulator, 'fresh'))).toEqual([
      'train-01 DELETING',
      'train-04 SUCCESS',
      'eval-02 pending',
    ]);
    simulator.pass(3 * SECOND_MS);
    expect(attached(await firewallNamed(simulator, 'fresh'))).toEqual(['train-04 SUCCESS', 'eval-02 SUCCESS']);
    await update([]);
    simulator.pass(3 * SECOND_MS);
    expect(attached(await firewallNamed(simulator, 'fresh'))).toEqual([]);
    expect(simulator.simulator.executions().map(({verb, id: of}) => [verb, of])).toEqual([
      ['create-firewall', id],
      ['update-attachments', id],
      ['update-attachments', id],
      ['update-attachments', id],
    ]);
  });

  test.each([
    ['one that does not exist', async () => [1], 404],
    ['one of another environment', (simulator: SimulatorUnderTest) => machineIds(simulator, 'infer-01'), 400],
    ['one that is hibernated', (simulator: SimulatorUnderTest) => machineIds(simulator, 'sweep-02'), 400],
  ])('do not change for %s', async (_, others, status) => {
    const simulator = await aSimulator();
    const before = attached(await firewallNamed(simulator, 'edge'));
    const {id} = await firewallNamed(simulator, 'edge');
    const vms = [...(await machineIds(simulator, 'train-01')), ...(await others(simulator))];
    expect((await simulator.post(`${PATH}/${id}/update-attachments`, {vms})).status).toBe(status);
    expect(attached(await firewallNamed(simulator, 'edge'))).toEqual(before);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test.each([{}, {vms: 7}, {vms: ['train-01']}, {virtual_machines: []}])('cannot be set with %o', async body => {
    const simulator = await aSimulator();
    const {id} = await firewallNamed(simulator, 'edge');
    expect((await simulator.post(`${PATH}/${id}/update-attachments`, body)).status).toBe(400);
  });
});

test.each([
  ['POST', ''],
  ['DELETE', '/31207'],
  ['POST', '/31207/update-attachments'],
])('%s %s is refused without a role', async (method, rest) => {
  const {get, simulator} = await aSimulator();
  const body = method === 'POST' ? {body: '{}'} : {};
  const reply = await get(PATH + rest, {method, key: simulator.keys.none, ...body});
  expect(reply).toMatchObject({status: 403, body: {error_reason: 'forbidden'}});
  expect(simulator.executions()).toEqual([]);
});
