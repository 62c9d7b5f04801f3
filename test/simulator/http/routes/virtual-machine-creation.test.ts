import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type SimulatorUnderTest,
  type WireEvent,
  type WireMachine,
  type WireRefusal,
} from '../../a-simulator.ts';

type Created = {readonly status: boolean; readonly message: string; readonly instances: readonly WireMachine[]};
type Validation = {readonly errors: Readonly<Record<string, unknown>>; readonly message?: string};

const PATH = '/core/virtual-machines';

/** A valid order. */
const ORDER = {
  name: 'probe',
  environment_name: 'research-ca',
  flavor_name: 'n3-A100x1',
  key_name: 'research-ca-team',
  count: 1,
  image_name: 'Ubuntu Server 24.04 LTS R570 CUDA 12.8 with Docker',
};

describe('a new machine', () => {
  test('is answered with 200 and status CREATING, without states, addresses or rules', async () => {
    const {post} = await aSimulator();
    const reply = await post<Created>(PATH, ORDER);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({status: true, instances: [{name: 'probe', status: 'CREATING'}]});
    expect(reply.body.instances[0]).toMatchObject({
      power_state: null,
      vm_state: null,
      fixed_ip: null,
      floating_ip: null,
      security_rules: [],
      floating_ip_status: 'NO FLOATING IP',
      port_randomization_status: 'NO_FLOATING_IP',
      keypair: {name: 'research-ca-team'},
      image: {name: ORDER.image_name},
      callback_url: null,
      contract_id: null,
      cluster_id: null,
      labels: [],
    });
  });

  test('has the same keys as every other machine', async () => {
    const {post, machine} = await aSimulator();
    const {instances} = (await post<Created>(PATH, ORDER)).body;
    expect(Object.keys(instances[0] ?? {})).toEqual(Object.keys(await machine('train-01')));
  });

  test('goes through BUILD to ACTIVE within seconds, and then has an address and its rules', async () => {
    const {post, machine, pass} = await aSimulator();
    const rule = {direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4', remote_ip_prefix: '198.51.100.7/32'};
    await post(PATH, {...ORDER, security_rules: [{...rule, port_range_min: 22, port_range_max: 22}]});
    pass(3 * SECOND_MS);
    expect(await machine('probe')).toMatchObject({status: 'BUILD', vm_state: null});
    pass(8 * SECOND_MS);
    const up = await machine('probe');
    expect(up).toMatchObject({status: 'ACTIVE', vm_state: 'active', power_state: 'RUNNING', floating_ip: null});
    expect(up.fixed_ip).toMatch(/^10\.0\.\d+\.\d+$/);
    expect(up.security_rules).toMatchObject([
      {direction: 'egress', ethertype: 'IPv4', protocol: 'any'},
      {direction: 'egress', ethertype: 'IPv6', protocol: 'any'},
      {...rule, port_range_min: 22, port_range_max: 22, status: 'SUCCESS'},
    ]);
  });

  test('takes one to two minutes at the faithful pace', async () => {
    const {post, machine, pass} = await aSimulator({isFaithful: true});
    await post(PATH, ORDER);
    pass(60 * SECOND_MS);
    expect(await machine('probe')).toMatchObject({status: 'BUILD'});
    pass(60 * SECOND_MS);
    expect(await machine('probe')).toMatchObject({status: 'ACTIVE'});
  });

  test('costs nothing before it is ACTIVE, and its list price afterwards', async () => {
    const {post, usage, pass} = await aSimulator();
    await post(PATH, ORDER);
    const record = async () => found(await usage(), ({name}) => name === 'probe', 'probe');
    pass(10 * SECOND_MS);
    expect(await record()).toMatchObject({bill_per_minute: 0, total_bill: 0, active: true});
    pass(SECOND_MS + HOUR_MS);
    // 1.35 dollars an hour for one A100.
    expect(await record()).toMatchObject({bill_per_minute: 1.35 / 60, total_up_time: 60, total_bill: 1.35});
  });

  test('has its creation in its events', async () => {
    const {post, get, pass, simulator} = await aSimulator();
    const {instances} = (await post<Created>(PATH, ORDER)).body;
    pass(11 * SECOND_MS);
    const id = instances[0]?.id;
    const {instance_events: events} = (await get<{instance_events: WireEvent[]}>(`${PATH}/${id}/events`)).body;
    expect(events.map(({reason}) => reason)).toEqual(['InstanceCreationRequest', 'InstanceCreationSuccess']);
    expect(simulator.executions()).toMatchObject([{verb: 'create-machine', id}]);
  });

  test('has the labels and the callback URL of the order', async () => {
    const {post} = await aSimulator();
    const callbackUrl = 'https://hooks.example/skydeck';
    const {instances} = (await post<Created>(PATH, {...ORDER, labels: ['team=ml', 'b'], callback_url: callbackUrl}))
      .body;
    expect(instances).toMatchObject([{labels: ['team=ml', 'b'], callback_url: callbackUrl}]);
  });

  test.each([
    [{}, 'ENABLED', true],
    [{enable_port_randomization: false}, 'DISABLED', false],
  ])('gets a public address on request, with its ports set by %o', async (extra, status, isRandomized) => {
    const {post, machine, pass} = await aSimulator();
    await post(PATH, {...ORDER, assign_floating_ip: true, ...extra});
    expect(await machine('probe')).toMatchObject({
      floating_ip_status: 'ATTACHING',
      requires_public_ip: true,
      port_randomization: isRandomized,
    });
    pass(11 * SECOND_MS);
    const up = await machine('probe');
    expect(up).toMatchObject({floating_ip_status: 'ATTACHED', port_randomization_status: status});
    expect(up.floating_ip).toMatch(/^198\.1[89]\.\d+\.\d+$/);
  });

  test('can be ordered several times at once, with a number after each name', async () => {
    const {post, machines, simulator} = await aSimulator();
    const before = (await machines()).length;
    const {instances} = (await post<Created>(PATH, {...ORDER, count: 3})).body;
    expect(instances.map(({name}) => name)).toEqual(['probe-1', 'probe-2', 'probe-3']);
    expect(new Set(instances.map(({id}) => id)).size).toBe(3);
    expect(await machines()).toHaveLength(before + 3);
    expect(simulator.executions().map(({verb, id}) => [verb, id])).toEqual(
      instances.map(({id}) => ['create-machine', id]),
    );
  });
});

describe('the volumes of a new machine', () => {
  type Attached = {readonly volume_attachments: readonly {readonly volume: object; readonly device: string}[]};

  test('are created with it if it boots from a volume', async () => {
    const {post, usage} = await aSimulator();
    const {instances} = (await post<{instances: Attached[]}>(PATH, {...ORDER, create_bootable_volume: true})).body;
    expect(instances[0]?.volume_attachments).toMatchObject([
      {device: '/dev/vdb', volume: {name: 'probe-boot', size: 100, bootable: true, volume_type: 'Cloud-SSD'}},
    ]);
    const record = found(await usage(), ({name}) => name === 'probe-boot', 'probe-boot');
    expect(record.bill_per_minute).toBeCloseTo((100 * 0.000096774) / 60, 9);
  });

  test('can be existing ones, each for one machine', async () => {
    const {post} = await aSimulator();
    const order = {...ORDER, volume_name: 'scratch-3'};
    const {instances} = (await post<{instances: Attached[]}>(PATH, order)).body;
    expect(instances[0]?.volume_attachments).toMatchObject([{volume: {name: 'scratch-3', size: 2000}}]);
    const again = await post<WireRefusal>(PATH, {...order, name: 'second'});
    expect(again).toMatchObject({status: 400, body: {error_reason: 'bad_request'}});
  });

  test('are in use at once, and available again after the machine is deleted', async () => {
    const {post, get, machine, pass} = await aSimulator();
    type Volumes = {volumes: readonly {name: string; status: string; attachments: readonly object[]}[]};
    const scratch = async () =>
      found((await get<Volumes>('/core/volumes')).body.volumes, ({name}) => name === 'scratch-3', 'scratch-3');
    await post(PATH, {...ORDER, volume_name: 'scratch-3'});
    const {id} = await machine('probe');
    const attachment = {instance_id: id, device: '/dev/vdb', status: 'ATTACHED', protected: false};
    expect(await scratch()).toMatchObject({status: 'in-use', attachments: [attachment]});
    pass(MINUTE_MS);
    await get(`${PATH}/${id}`, {method: 'DELETE'});
    pass(MINUTE_MS);
    expect(await scratch()).toMatchObject({status: 'available', attachments: [{...attachment, status: 'DETACHED'}]});
  });

  test('replace the image if they are bootable', async () => {
    const {post, get, machine, pass} = await aSimulator();
    await post(PATH, {...ORDER, create_bootable_volume: true});
    pass(11 * SECOND_MS);
    await get(`${PATH}/${(await machine('probe')).id}`, {method: 'DELETE'});
    pass(20 * SECOND_MS);
    const {image_name: _, ...imageless} = ORDER;
    const reply = await post<Created>(PATH, {...imageless, name: 'reborn', volume_name: 'probe-boot'});
    expect(reply).toMatchObject({status: 200, body: {instances: [{name: 'reborn', image: null}]}});
    expect(await post(PATH, {...imageless, name: 'third', volume_name: 'scratch-3'})).toMatchObject({status: 400});
  });
});

describe('an order for machines', () => {
  const missing: readonly [what: string, change: object, named: string][] = [
    ['environment', {environment_name: 'mars'}, 'mars'],
    ['flavor', {flavor_name: 'n9-none'}, 'n9-none'],
    ['flavor of another region', {flavor_name: 'n3-RTX-A4000x1'}, 'n3-RTX-A4000x1'],
    ['key pair', {key_name: 'nobody'}, 'nobody'],
    ['key pair of another environment', {key_name: 'production-ca-team'}, 'production-ca-team'],
    ['image', {image_name: 'TempleOS'}, 'TempleOS'],
    ['volume', {volume_name: 'nothing'}, 'nothing'],
    ['volume of another environment', {volume_name: 'pg-data'}, 'pg-data'],
  ];
  test.each(missing)('gets 404 for a missing %s', async (_, change, named) => {
    const {post, machines, simulator} = await aSimulator();
    const before = await machines();
    const reply = await post<WireRefusal>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 404, body: {status: false, error_reason: 'not_found'}});
    expect(reply.body.message).toContain(named);
    expect(await machines()).toEqual(before);
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    ['name', {name: 'train-01'}],
    ['name after numbering', {count: 2, name: 'train'}],
  ])('gets 409 for a taken %s', async (_, change) => {
    const {post} = await aSimulator();
    await post(PATH, {...ORDER, name: 'train-1'});
    const reply = await post<WireRefusal>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 409, body: {status: false, error_reason: 'already_exist'}});
  });

  test('gets 409 for a duplicate rule', async () => {
    const {post} = await aSimulator();
    const rule = {direction: 'ingress', protocol: 'icmp', ethertype: 'IPv4', remote_ip_prefix: '0.0.0.0/0'};
    const reply = await post<WireRefusal>(PATH, {...ORDER, security_rules: [rule, rule]});
    expect(reply).toMatchObject({status: 409, body: {error_reason: 'already_exist'}});
    const other = {...rule, protocol: 'tcp'};
    expect((await post(PATH, {...ORDER, security_rules: [rule, other]})).status).toBe(200);
  });

  const refusals: readonly [what: string, change: object][] = [
    ['a flavor that is out of stock', {flavor_name: 'n3-H100x2'}],
    ['a custom flavor', {flavor: {cpu: 1, ram: 1, disk: 1, gpu: '', gpu_count: 0}}],
    ['neither image nor volume', {image_name: null}],
    ['one volume for two machines', {volume_name: 'scratch-3', count: 2}],
    ['more than an environment can hold', {count: 250}],
    ['names that are too long with their numbers', {name: 'x'.repeat(49), count: 2}],
  ];
  test.each(refusals)('gets 400 bad_request for %s', async (_, change) => {
    const {post, simulator} = await aSimulator();
    const reply = await post<WireRefusal>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(simulator.executions()).toEqual([]);
  });

  test('is refused for more GPUs than are free, and accepted for exactly the free ones', async () => {
    const {post, get} = await aSimulator();
    type Stocks = {
      stocks: readonly {region: string; models: readonly {model: string; configurations: {'1x': number}}[]}[];
    };
    const {stocks} = (await get<Stocks>('/core/stocks')).body;
    const region = stocks.filter(({region}) => region === 'CANADA-1').flatMap(({models}) => models);
    const free = found(region, ({model}) => model === 'A100-80G-PCIe', 'A100').configurations['1x'];
    const reply = await post<WireRefusal>(PATH, {...ORDER, count: free + 1});
    expect(reply).toMatchObject({status: 400, body: {message: expect.stringContaining('out of stock')}});
    expect(await post(PATH, {...ORDER, count: free})).toMatchObject({status: 200});
    expect(await post(PATH, {...ORDER, name: 'one-more'})).toMatchObject({status: 400});
  });

  test('is refused for more machines than an environment can hold', async () => {
    const {post} = await aSimulator();
    const some = {...ORDER, flavor_name: 'n1-cpu-small', count: 90};
    for (const name of ['a', 'b']) expect(await post(PATH, {...some, name})).toMatchObject({status: 200});
    const reply = await post<WireRefusal>(PATH, {...some, name: 'c'});
    expect(reply).toMatchObject({status: 400, body: {message: expect.stringContaining('can hold 250')}});
  });

  const invalid: readonly [field: string, change: object][] = [
    ['name', {name: 'x'.repeat(51)}],
    ['name', {name: ''}],
    ['name', {name: undefined}],
    ['environment_name', {environment_name: 7}],
    ['flavor_name', {flavor_name: undefined}],
    ['key_name', {key_name: undefined}],
    ['count', {count: 0}],
    ['count', {count: '1'}],
    ['count', {count: undefined}],
    ['callback_url', {callback_url: `https://hooks.example/${'x'.repeat(250)}`}],
    ['callback_url', {callback_url: 'hooks'}],
    ['labels', {labels: 'team=ml'}],
    ['labels', {labels: [1]}],
    ['assign_floating_ip', {assign_floating_ip: 'yes'}],
    ['security_rules', {security_rules: ['ssh']}],
    ['profile', {profile: {}}],
  ];
  test.each(invalid)('gets a validation error for %s in %o', async (field, change) => {
    const {post} = await aSimulator();
    const reply = await post<Validation>(PATH, {...ORDER, ...change});
    expect(reply).toMatchObject({status: 400, body: {message: 'Input payload validation failed'}});
    expect(Object.keys(reply.body.errors)).toEqual([field]);
  });

  test('may not have unknown fields', async () => {
    const {post} = await aSimulator();
    const reply = await post<Validation>(PATH, {...ORDER, flavour: 'n3', key: 1});
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({status: false, errors: {flavour: ['Unknown field.'], key: ['Unknown field.']}});
  });

  test('gets an error for each invalid field of a rule, with the index of the rule', async () => {
    const {post} = await aSimulator();
    const reply = await post<Validation>(PATH, {...ORDER, security_rules: [{direction: 'sideways'}]});
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body.errors).toSorted()).toEqual(
      ['direction', 'ethertype', 'protocol', 'remote_ip_prefix'].map(name => `security_rules.0.${name}`),
    );
  });

  test('is refused when the credit is used up', async () => {
    const {post, pass} = await aSimulator();
    pass(48 * HOUR_MS);
    const reply = await post<WireRefusal>(PATH, ORDER);
    expect(reply).toMatchObject({status: 400, body: {error_reason: 'bad_request'}});
    expect(reply.body.message).toContain('balance');
  });

  test.each([true, false, undefined])('is answered with its setting of enhanced monitoring: %s', async asked => {
    const {post} = await aSimulator();
    type Made = {readonly instances: readonly {readonly enhanced_monitoring_enabled?: boolean}[]};
    const {body} = await post<Made>(PATH, {...ORDER, enhanced_monitoring_enabled: asked});
    expect(body.instances.map(made => made.enhanced_monitoring_enabled)).toEqual([asked]);
  });

  test('accepts user data and a profile', async () => {
    const {post} = await aSimulator();
    const extra = {user_data: '#cloud-config', profile: {name: 'standard', description: ''}};
    expect((await post(PATH, {...ORDER, ...extra})).status).toBe(200);
  });
});

describe('the availability of a name', () => {
  const ask = ({get}: SimulatorUnderTest, name: string, query = '') =>
    get<object>(`${PATH}/name-availability/${encodeURIComponent(name)}${query}`);

  test('is answered without an envelope', async () => {
    const simulator = await aSimulator();
    const reply = await ask(simulator, 'train-01');
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.body).toSorted()).toEqual(['available', 'message', 'name']);
    expect(reply.body).toMatchObject({name: 'train-01', available: false});
    expect((await ask(simulator, 'start')).body).toMatchObject({name: 'start', available: true});
  });

  test('includes the numbered names of several machines', async () => {
    const simulator = await aSimulator();
    await simulator.post(PATH, {...ORDER, name: 'lot-2'});
    expect((await ask(simulator, 'lot', '?count=1')).body).toMatchObject({available: true});
    expect((await ask(simulator, 'lot', '?count=2')).body).toMatchObject({available: false});
    expect((await ask(simulator, 'lot', '?count=x')).status).toBe(400);
  });
});
