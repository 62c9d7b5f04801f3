import {describe, expect, test} from 'vitest';
import {aSimulator, found, SECOND_MS, type WireFirewall, type WireRefusal} from '../../a-simulator.ts';

type List = {
  readonly page: number | null;
  readonly page_size: number | null;
  readonly count: number;
  readonly firewalls: readonly WireFirewall[];
};

const PATH = '/core/firewalls';

describe('the list of firewalls', () => {
  test('comes whole with null paging keys, or by pages', async () => {
    const {get} = await aSimulator();
    const {body} = await get<List>(PATH);
    expect(body).toMatchObject({status: true, page: null, page_size: null, count: body.firewalls.length});
    const pages = await Promise.all([1, 2, 3].map(page => get<List>(`${PATH}?page=${page}&pageSize=3`)));
    expect(pages.map(({body: page}) => [page.page, page.page_size, page.count])).toEqual([
      [1, 3, body.count],
      [2, 3, body.count],
      [3, 3, body.count],
    ]);
    expect(pages.flatMap(page => page.body.firewalls)).toEqual(body.firewalls);
  });

  test('can be searched by name and id, and filtered by environment', async () => {
    const {get} = await aSimulator();
    const names = async (query: string) =>
      (await get<List>(`${PATH}?${query}`)).body.firewalls.map(firewall => firewall.name);
    expect(await names('search=EDGE')).toEqual(['edge']);
    expect((await names('environment=production-ca')).toSorted()).toEqual(['k8s-serve', 'web']);
    const {id} = found((await get<List>(PATH)).body.firewalls, ({name}) => name === 'web', 'web');
    expect(await names(`search=${id}`)).toEqual(['web']);
  });
});

describe('a firewall', () => {
  test('has the documented keys, and is the same when read alone', async () => {
    const {get} = await aSimulator();
    for (const listed of (await get<List>(PATH)).body.firewalls) {
      expect((await get<{firewall: WireFirewall}>(`${PATH}/${listed.id}`)).body.firewall).toEqual(listed);
      expect(Object.keys(listed).toSorted()).toEqual(
        'attachments created_at description environment id name rules status'.split(' '),
      );
    }
  });

  test('starts with the two rules that allow all outgoing traffic', async () => {
    const {get} = await aSimulator();
    for (const {rules} of (await get<List>(PATH)).body.firewalls) {
      expect(rules.slice(0, 2)).toMatchObject(
        ['IPv4', 'IPv6'].map(ethertype => ({
          direction: 'egress',
          protocol: 'any',
          ethertype,
          port_range_min: 1,
          port_range_max: 65535,
          remote_ip_prefix: '0.0.0.0/0',
          status: 'SUCCESS',
        })),
      );
    }
  });

  test('has rules with unique ids, also among the rules of machines', async () => {
    const {get, machines} = await aSimulator();
    const owners = [...(await get<List>(PATH)).body.firewalls.map(({rules}) => rules)];
    const ids = [...owners, ...(await machines()).map(machine => machine.security_rules)].flat().map(({id}) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is attached to machines in its own environment', async () => {
    const {get, machines} = await aSimulator();
    const fleet = await machines();
    for (const {attachments, environment} of (await get<List>(PATH)).body.firewalls) {
      for (const {vm} of attachments) {
        const machine = found(fleet, ({id}) => id === vm.id, vm.name);
        expect([machine.name, machine.environment.id]).toEqual([vm.name, environment.id]);
      }
    }
  });

  test('does not add its rules to those of its machines', async () => {
    const {get, machine, post, pass} = await aSimulator();
    const {id, attachments} = found((await get<List>(PATH)).body.firewalls, ({name}) => name === 'dev', 'dev');
    const [name = ''] = attachments.map(({vm}) => vm.name);
    const before = (await machine(name)).security_rules;
    const rule = {direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4', remote_ip_prefix: '198.51.100.0/24'};
    expect((await post(`${PATH}/${id}/firewall-rules`, rule)).status).toBe(200);
    pass(6 * SECOND_MS);
    expect((await machine(name)).security_rules).toEqual(before);
  });

  test.each(['1', 'abc', '99999999999999999999'])('%s does not exist', async id => {
    const {get, post, simulator} = await aSimulator();
    const replies = [
      await get<WireRefusal>(`${PATH}/${id}`),
      await post<WireRefusal>(`${PATH}/${id}/firewall-rules`, {}),
      await get<WireRefusal>(`${PATH}/${id}/firewall-rules/1`, {method: 'DELETE'}),
    ];
    for (const reply of replies) {
      expect(reply).toMatchObject({status: 404, body: {status: false, error_reason: 'not_found'}});
      expect(reply.body.message).toContain(id);
    }
    expect(simulator.executions()).toEqual([]);
  });
});
