import {describe, expect, test} from 'vitest';
import {aSimulator, found, type WireMachine} from '../../a-simulator.ts';

type List = {
  readonly status: boolean;
  readonly page: number | null;
  readonly page_size: number | null;
  readonly count: number;
  readonly instances: readonly WireMachine[];
};

const PATH = '/core/virtual-machines';

describe('the list of machines', () => {
  test('comes whole, oldest first, with null paging keys without paging', async () => {
    const {get} = await aSimulator();
    const {body} = await get<List>(PATH);
    expect(body).toMatchObject({status: true, page: null, page_size: null, count: 40});
    expect(body.instances).toHaveLength(40);
    const created = body.instances.map(machine => machine.created_at);
    expect(created).toEqual(created.toSorted());
    const ids = body.instances.map(machine => machine.id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  test('is split into pages that together are the whole', async () => {
    const {get} = await aSimulator();
    const pages = await Promise.all([1, 2, 3].map(page => get<List>(`${PATH}?page=${page}&pageSize=15`)));
    expect(pages.map(({body}) => [body.page, body.page_size, body.count, body.instances.length])).toEqual([
      [1, 15, 40, 15],
      [2, 15, 40, 15],
      [3, 15, 40, 10],
    ]);
    const whole = (await get<List>(PATH)).body.instances;
    expect(pages.flatMap(({body}) => body.instances)).toEqual(whole);
    expect((await get<List>(`${PATH}?page=4&pageSize=15`)).body.instances).toEqual([]);
  });

  test('allows pages of up to a thousand and shortens larger ones', async () => {
    const {get} = await aSimulator({scenario: 'big', vmCount: 1200});
    for (const asked of [1000, 1001, 50_000]) {
      const {body} = await get<List>(`${PATH}?page=1&pageSize=${asked}`);
      expect(body).toMatchObject({page_size: 1000, count: 1200});
      expect(body.instances).toHaveLength(1000);
    }
  });

  test.each([
    'page=0',
    'page=-1',
    'page=x',
    'pageSize=0',
    'pageSize=1.5',
    'page=1&pageSize=',
  ])('refuses %s with a validation error', async query => {
    const {get} = await aSimulator();
    const reply = await get<{errors: Record<string, string>; message: string}>(`${PATH}?${query}`);
    expect(reply.status).toBe(400);
    expect(Object.keys(reply.body).toSorted()).toEqual(['errors', 'message']);
  });

  test('leaves out machines that have an excluded firewall', async () => {
    const {get} = await aSimulator();
    type Firewall = {readonly id: number; readonly name: string; readonly attachments: readonly {vm: {id: number}}[]};
    const {firewalls} = (await get<{firewalls: Firewall[]}>('/core/firewalls')).body;
    const [web, dev] = ['web', 'dev'].map(name => found(firewalls, each => each.name === name, name));
    const all = (await get<List>(PATH)).body.instances.map(({id}) => id);
    const kept = async (query: string) => (await get<List>(`${PATH}?${query}`)).body.instances.map(({id}) => id);
    const without = (...excluded: (Firewall | undefined)[]) => {
      const attached = excluded.flatMap(each => each?.attachments.map(({vm}) => vm.id) ?? []);
      return all.filter(id => !attached.includes(id));
    };
    expect(without(web, dev).length).toBeLessThan(without(web).length);
    expect(await kept(`exclude_firewalls=${web?.id}`)).toEqual(without(web));
    expect(await kept(`exclude_firewalls=${web?.id},${dev?.id}`)).toEqual(without(web, dev));
    expect(await kept(`exclude_firewalls=${web?.id}&exclude_firewalls=${dev?.id}`)).toEqual(without(web, dev));
    expect(await kept('exclude_firewalls=1')).toEqual(all);
  });

  test('can be filtered by part of an environment name, or by the exact name', async () => {
    const {get} = await aSimulator();
    const environments = async (query: string) =>
      new Set((await get<List>(`${PATH}?${query}`)).body.instances.map(machine => machine.environment.name));
    expect(await environments('environment=production')).toEqual(new Set(['production-ca', 'production-no']));
    expect(await environments('environment=production&exact_environment_match=true')).toEqual(new Set());
    expect(await environments('environment=production-no&exact_environment_match=true')).toEqual(
      new Set(['production-no']),
    );
  });

  test('of a contract has the machines with its id, and can be paged', async () => {
    const {get, machines} = await aSimulator();
    const fleet = await machines();
    const contractIds = new Set(fleet.flatMap(({contract_id: id}) => (id === null ? [] : [id])));
    expect(contractIds.size).toBeGreaterThan(0);
    for (const contractId of contractIds) {
      const path = `${PATH}/contract/${contractId}/virtual-machines`;
      const {body} = await get<List>(path);
      const covered = fleet.filter(({contract_id: id}) => id === contractId);
      expect(body).toMatchObject({status: true, page: null, page_size: null, count: covered.length});
      expect(body.instances).toMatchObject(
        covered.map(({flavor, ...machine}) => ({
          ...machine,
          flavor_name: flavor.name,
          gpu_count: flavor.gpu_count,
          termination_time: null,
          cluster: null,
        })),
      );
      expect((await get<List>(`${path}?page=1&pageSize=1`)).body.instances).toEqual(body.instances.slice(0, 1));
    }
    expect((await get(`${PATH}/contract/1/virtual-machines`)).status).toBe(404);
  });

  test('of a contract shows how long each machine was billed, in seconds', async () => {
    const {get, usage} = await aSimulator();
    type Used = {instances: {id: number; total_usage_time: number}[]};
    const {instances} = (await get<Used>(`${PATH}/contract/118/virtual-machines`)).body;
    expect(instances.length).toBeGreaterThan(0);
    const records = await usage();
    for (const {id, total_usage_time: seconds} of instances) {
      expect(seconds).toBe(found(records, record => record.resource_id === id, 'record').total_up_time * 60);
    }
  });

  test('is byte for byte the same while nothing changes, and never older than the last change', async () => {
    const {get, post, pass, machine} = await aSimulator({scenario: 'calm'});
    const {id} = await machine('train-01');
    const label = (text: string) => post(`${PATH}/${id}/label`, {labels: [text]}, {method: 'PUT'});
    const labels = async () => (await get<List>(PATH)).body.instances.find(each => each.id === id)?.labels;
    const first = (await get(PATH)).text;
    pass(3_600_000);
    expect((await get(PATH)).text).toBe(first);
    for (let round = 0; round < 20; round += 1) {
      // The lists are requested while the label changes, so these may show the old or the new one.
      await Promise.all([labels(), label(`round-${round}`), labels(), labels()]);
      expect(await labels()).toEqual([`round-${round}`]);
    }
  });

  test('can be searched by part of a name in any case, and by id', async () => {
    const {get} = await aSimulator();
    const search = async (text: string) =>
      (await get<List>(`${PATH}?search=${encodeURIComponent(text)}`)).body.instances.map(machine => machine.name);
    expect((await search('TRAIN-0')).toSorted()).toEqual(['train-01', 'train-02', 'train-03', 'train-04', 'train-05']);
    expect(await search('東京')).toHaveLength(1);
    const [first] = (await get<List>(PATH)).body.instances;
    expect(await search(String(first?.id))).toEqual([first?.name]);
    expect(await search('no such machine')).toEqual([]);
  });

  test('matches environment names by part, or exactly on request', async () => {
    const {get} = await aSimulator();
    const names = async (query: string) =>
      new Set((await get<List>(`${PATH}?${query}`)).body.instances.map(machine => machine.environment.name));
    expect(await names('environment=production')).toEqual(new Set(['production-ca', 'production-no']));
    expect(await names('environment=production&exact_environment_match=true')).toEqual(new Set());
    expect(await names('environment=production-ca&exact_environment_match=true')).toEqual(new Set(['production-ca']));
  });
});

describe('a machine', () => {
  const KEYS = [
    'id',
    'name',
    'status',
    'environment',
    'image',
    'flavor',
    'os',
    'keypair',
    'volume_attachments',
    'power_state',
    'vm_state',
    'fixed_ip',
    'floating_ip',
    'floating_ip_status',
    'security_rules',
    'callback_url',
    'locked',
    'contract_id',
    'labels',
    'created_at',
    'features',
    'is_snapshotting',
    'cluster_id',
    'port_randomization',
    'port_randomization_status',
    'requires_public_ip',
  ];

  test('has the documented keys in the list, and one more in the detail', async () => {
    const {get} = await aSimulator();
    const [first] = (await get<List>(PATH)).body.instances;
    expect(Object.keys(first ?? {}).toSorted()).toEqual(KEYS.toSorted());
    const detail = await get<{instance: object}>(`${PATH}/${first?.id}`);
    expect(Object.keys(detail.body.instance).toSorted()).toEqual([...KEYS, 'excluded_billing'].toSorted());
  });

  test('without a public address has a null address in the list and an empty one in the detail', async () => {
    const {get, machine} = await aSimulator();
    const {id, floating_ip: listed} = await machine('train-01');
    expect(listed).toBeNull();
    expect((await get<{instance: WireMachine}>(`${PATH}/${id}`)).body.instance.floating_ip).toBe('');
  });

  test('has the two rules that allow all outgoing traffic', async () => {
    const {machine} = await aSimulator();
    const {security_rules: rules} = await machine('train-01');
    expect(rules).toMatchObject([
      {
        direction: 'egress',
        protocol: 'any',
        ethertype: 'IPv4',
        port_range_min: 1,
        port_range_max: 65535,
        remote_ip_prefix: '0.0.0.0/0',
      },
      {
        direction: 'egress',
        protocol: 'any',
        ethertype: 'IPv6',
        port_range_min: 1,
        port_range_max: 65535,
        remote_ip_prefix: '0.0.0.0/0',
      },
    ]);
  });

  test('that was just created has no states, address or rules, and has its states when it is up', async () => {
    const {machine, machines, pass} = await aSimulator({scenario: 'runaway-spend'});
    const names = new Set((await machines()).map(({name}) => name));
    pass(5500);
    const [created] = (await machines()).filter(({name}) => !names.has(name));
    expect(created).toMatchObject({
      status: 'CREATING',
      power_state: null,
      vm_state: null,
      fixed_ip: null,
      floating_ip: null,
      security_rules: [],
    });
    pass(4000);
    expect(await machine(created?.name ?? '')).toMatchObject({status: 'BUILD', vm_state: null});
    pass(8000);
    expect(await machine(created?.name ?? '')).toMatchObject({
      status: 'ACTIVE',
      vm_state: 'active',
      power_state: 'RUNNING',
    });
  });
});

test('answers ten thousand machines as twenty pages', async () => {
  const {get} = await aSimulator({scenario: 'big'});
  const ids = new Set<number>();
  for (let page = 1; page <= 20; page += 1) {
    const {body} = await get<List>(`${PATH}?page=${page}&pageSize=500`);
    expect(body.count).toBe(10_000);
    for (const {id} of body.instances) ids.add(id);
  }
  expect(ids.size).toBe(10_000);
});
