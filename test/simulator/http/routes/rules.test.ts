import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  type Reply,
  SECOND_MS,
  type SimulatorUnderTest,
  STARTED_AT,
  type WireEvent,
  type WireFirewall,
  type WireMachine,
  type WireRefusal,
  type WireRule,
} from '../../a-simulator.ts';

const HTTPS = {
  direction: 'ingress',
  protocol: 'tcp',
  ethertype: 'IPv4',
  remote_ip_prefix: '198.51.100.0/24',
  port_range_min: 443,
  port_range_max: 443,
};
type Added = {readonly status: boolean; readonly firewall_rule?: WireRule; readonly security_rule?: WireRule};

/** The two kinds of resources that have rules, behind one interface. */
type Owner = {
  readonly id: number;
  readonly path: string;
  readonly rules: () => Promise<readonly WireRule[]>;
  readonly added: (reply: Reply<Added>) => WireRule | undefined;
};
const OWNERS = [
  ['firewall', aFirewall],
  ['machine', aMachine],
] as const;

describe.each(OWNERS)('the rules of a %s', (kind, owner) => {
  test('can be added: a new rule is pending, and active 2 to 6 seconds later', async () => {
    const simulator = await aSimulator();
    const {id, path, rules, added} = await owner(simulator);
    const before = await rules();

    const reply = await simulator.post<Added>(path, HTTPS);
    expect(reply).toMatchObject({status: 200, body: {status: true}});
    const rule = added(reply);
    expect(rule).toMatchObject({...HTTPS, status: 'pending'});
    expect(Object.keys(rule ?? {}).toSorted()).toEqual(
      `created_at direction ethertype id port_range_max port_range_min protocol remote_ip_prefix
       status`.split(/\s+/),
    );
    expect(await rules()).toEqual([...before, rule]);

    simulator.pass(1.9 * SECOND_MS);
    expect((await rules()).at(-1)).toMatchObject({status: 'pending'});
    simulator.pass(4.1 * SECOND_MS);
    expect(await rules()).toEqual([...before, {...rule, status: 'SUCCESS'}]);
    expect(simulator.simulator.executions()).toEqual([
      {verb: `add-${kind}-rule`, id, at: STARTED_AT, ruleId: rule?.id},
    ]);
  });

  test('can be removed: a removed rule is listed as DELETING until it is gone', async () => {
    const simulator = await aSimulator();
    const {id, path, rules} = await owner(simulator);
    const [first, ...rest] = await rules();

    expect(await remove(simulator, path, first?.id)).toMatchObject({status: 200, body: {status: true}});
    expect(await rules()).toEqual([{...first, status: 'DELETING'}, ...rest]);
    expect(await remove(simulator, path, first?.id)).toMatchObject({status: 400, body: {error_reason: 'bad_request'}});
    simulator.pass(6 * SECOND_MS);
    expect(await rules()).toEqual(rest);
    expect(await remove(simulator, path, first?.id)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
    expect(simulator.simulator.executions()).toEqual([
      {verb: `remove-${kind}-rule`, id, at: STARTED_AT, ruleId: first?.id},
    ]);
  });

  test('can be removed while they are pending', async () => {
    const simulator = await aSimulator();
    const {path, rules, added} = await owner(simulator);
    const before = await rules();
    const rule = added(await simulator.post<Added>(path, HTTPS));
    expect(await remove(simulator, path, rule?.id)).toMatchObject({status: 200});
    simulator.pass(6 * SECOND_MS);
    expect(await rules()).toEqual(before);
  });

  test('take longer to add at the faithful pace', async () => {
    const simulator = await aSimulator({isFaithful: true});
    const {path, rules} = await owner(simulator);
    await simulator.post(path, HTTPS);
    simulator.pass(14 * SECOND_MS);
    expect((await rules()).at(-1)).toMatchObject({status: 'pending'});
    simulator.pass(31 * SECOND_MS);
    expect((await rules()).at(-1)).toMatchObject({status: 'SUCCESS'});
  });

  test('cannot contain the same rule twice, but may differ only in port or network', async () => {
    const simulator = await aSimulator();
    const {path, rules} = await owner(simulator);
    await simulator.post(path, HTTPS);
    expect(await simulator.post(path, HTTPS)).toMatchObject({
      status: 409,
      body: {status: false, error_reason: 'already_exist'},
    });
    const count = (await rules()).length;
    expect((await simulator.post(path, {...HTTPS, port_range_max: 444})).status).toBe(200);
    expect((await simulator.post(path, {...HTTPS, remote_ip_prefix: '198.51.100.0/25'})).status).toBe(200);
    expect(await rules()).toHaveLength(count + 2);
    expect(simulator.simulator.executions()).toHaveLength(3);
  });

  test.each([
    ['no ports', {port_range_min: undefined, port_range_max: undefined}, {port_range_min: null, port_range_max: null}],
    ['empty ports', {port_range_min: null, port_range_max: null}, {port_range_min: null, port_range_max: null}],
    [
      'any protocol',
      {protocol: 'any', port_range_min: undefined, port_range_max: undefined},
      {protocol: 'any', port_range_min: 1, port_range_max: 65535},
    ],
    ['host bits', {remote_ip_prefix: '198.51.100.7/24'}, {remote_ip_prefix: '198.51.100.7/24'}],
    ['IPv6', {ethertype: 'IPv6', remote_ip_prefix: '2001:DB8::/32'}, {remote_ip_prefix: '2001:DB8::/32'}],
  ])('accept %s', async (_name, change, expected) => {
    const simulator = await aSimulator();
    const {path, added} = await owner(simulator);
    const reply = await simulator.post<Added>(path, {...HTTPS, ...change});
    expect(reply.status).toBe(200);
    expect(added(reply)).toMatchObject(expected);
  });

  test.each([
    ['nothing', undefined, 'direction ethertype protocol remote_ip_prefix'],
    ['an unknown protocol', {protocol: 'quic'}, 'protocol'],
    ['an upper-case direction', {direction: 'INGRESS'}, 'direction'],
    ['a numeric ethertype', {ethertype: 4}, 'ethertype'],
    ['a port of 0', {port_range_min: 0}, 'port_range_min'],
    ['a port of 65536', {port_range_max: 65536}, 'port_range_max'],
    ['a fractional port', {port_range_min: 1.5}, 'port_range_min'],
    ['a port as text', {port_range_min: '443'}, 'port_range_min'],
  ])('refuse %s with a validation error per field', async (_name, change, fields) => {
    const simulator = await aSimulator();
    const {path} = await owner(simulator);
    const body = change === undefined ? {} : {...HTTPS, ...change};
    const reply = await simulator.post<{errors: object; message: string}>(path, body);
    expect(reply).toMatchObject({status: 400, body: {message: 'Input payload validation failed'}});
    expect(Object.keys(reply.body).toSorted()).toEqual(['errors', 'message']);
    expect(Object.keys(reply.body.errors).toSorted().join(' ')).toBe(fields);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('refuse unknown fields, without a message', async () => {
    const simulator = await aSimulator();
    const {path} = await owner(simulator);
    expect(await simulator.post(path, {...HTTPS, colour: 'red', id: 4})).toMatchObject({
      status: 400,
      text: JSON.stringify({status: false, errors: {colour: ['Unknown field.'], id: ['Unknown field.']}}),
    });
  });

  test.each([
    ['an invalid network', {remote_ip_prefix: 'office'}, 'office'],
    ['an address alone', {remote_ip_prefix: '198.51.100.7'}, '198.51.100.7'],
    ['too long a prefix', {remote_ip_prefix: '198.51.100.0/33'}, 'CIDR'],
    ['a network of the other family', {remote_ip_prefix: '::/0'}, 'IPv4'],
    ['a reversed port range', {port_range_min: 444}, 'port_range_min'],
    ['a first port without a last one', {port_range_max: undefined}, 'port_range_max'],
    ['ports for icmp', {protocol: 'icmp'}, 'icmp'],
  ])('refuse %s with a message', async (_name, change, word) => {
    const simulator = await aSimulator();
    const {path} = await owner(simulator);
    const reply = await simulator.post<WireRefusal>(path, {...HTTPS, ...change});
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(reply.body.message).toContain(word);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test.each(['', 'rule', '{"direction":', '[]', '"ingress"', 'null'])('refuse the body %s', async body => {
    const simulator = await aSimulator();
    const {path, rules} = await owner(simulator);
    const before = await rules();
    expect((await simulator.get(path, {method: 'POST', body})).status).toBe(400);
    expect(await rules()).toEqual(before);
  });

  test.each(['0', '1', 'abc', '99999999999999999999'])('refuse to remove the missing rule %s', async ruleId => {
    const simulator = await aSimulator();
    const {path} = await owner(simulator);
    const reply = await remove(simulator, path, ruleId);
    expect(reply).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
    expect(reply.body.message).toContain(ruleId);
  });

  test('change once if only the answer is lost, and not at all if the request is lost', async () => {
    const simulator = await aSimulator({faults: ['status=504,match=POST *,when=after,times=1']});
    const {path, rules} = await owner(simulator);
    const count = (await rules()).length;
    expect((await simulator.post(path, HTTPS)).status).toBe(504);
    expect(await rules()).toHaveLength(count + 1);
    simulator.simulator.setFaults(['status=504,match=POST *,when=before,times=1']);
    expect((await simulator.post(path, {...HTTPS, port_range_min: 80})).status).toBe(504);
    expect(await rules()).toHaveLength(count + 1);
    expect(simulator.simulator.executions()).toHaveLength(1);
    const posts = simulator.simulator.requests().filter(({method}) => method === 'POST');
    expect(posts.map(request => request.path)).toEqual([path, path]);
  });
});

describe('changing the rules of a machine', () => {
  test('is recorded in its events', async () => {
    const simulator = await aSimulator();
    const {id, path, rules, added} = await aMachine(simulator);
    const [first] = await rules();
    const earlier = await eventsOf(simulator, id);
    const rule = added(await simulator.post<Added>(path, HTTPS));
    simulator.pass(6 * SECOND_MS);
    await remove(simulator, path, first?.id);
    simulator.pass(6 * SECOND_MS);
    const events = (await eventsOf(simulator, id)).slice(earlier.length);
    expect(events.map(({type, reason}) => `${type} ${reason}`)).toEqual([
      'normal AttachSecurityRuleToInstanceRequest',
      'normal AttachSecurityRuleToInstanceSuccess',
      'normal DetachSecurityRuleToInstanceRequest',
      'normal DetachSecurityRuleToInstanceSuccess',
    ]);
    expect(events[0]?.message).toContain(String(rule?.id));
    expect(events[3]?.message).toContain(String(first?.id));
  });

  test('is refused until the machine has been up', async () => {
    const simulator = await aSimulator({scenario: 'stuck-cluster'});
    const creating = found(await simulator.machines(), ({status}) => status === 'CREATING', 'machine being created');
    const reply = await simulator.post<WireRefusal>(`/core/virtual-machines/${creating.id}/sg-rules`, HTTPS);
    expect(reply).toMatchObject({status: 400, body: {error_reason: 'bad_request'}});
    expect(reply.body.message).toContain('CREATING');
  });

  test('is refused if the machine does not exist', async () => {
    const {post} = await aSimulator();
    expect((await post('/core/virtual-machines/1/sg-rules', HTTPS)).status).toBe(404);
  });
});

test('any key may list the 26 protocols', async () => {
  const {get, simulator} = await aSimulator();
  const {body} = await get<{protocols: string[]}>('/core/sg-rules-protocols', {key: simulator.keys.none});
  expect(body.protocols).toEqual(expect.arrayContaining(['any', 'icmp', 'tcp', 'udp', 'ipv6-icmp', 'vrrp']));
  expect(body.protocols).toHaveLength(26);
});

async function aFirewall({get}: SimulatorUnderTest): Promise<Owner> {
  const {firewalls} = (await get<{firewalls: readonly WireFirewall[]}>('/core/firewalls')).body;
  const {id} = found(firewalls, ({name}) => name === 'edge', 'edge');
  return {
    id,
    path: `/core/firewalls/${id}/firewall-rules`,
    rules: async () => (await get<{firewall: WireFirewall}>(`/core/firewalls/${id}`)).body.firewall.rules,
    added: ({body}) => body.firewall_rule,
  };
}

async function aMachine({get, machine}: SimulatorUnderTest): Promise<Owner> {
  const {id} = await machine('jupyter-mira');
  const path = `/core/virtual-machines/${id}`;
  return {
    id,
    path: `${path}/sg-rules`,
    rules: async () => (await get<{instance: WireMachine}>(path)).body.instance.security_rules,
    added: ({body}) => body.security_rule,
  };
}

function remove({get}: SimulatorUnderTest, path: string, ruleId: number | string | undefined) {
  return get<WireRefusal>(`${path}/${ruleId}`, {method: 'DELETE'});
}

async function eventsOf({get}: SimulatorUnderTest, id: number): Promise<readonly WireEvent[]> {
  return (await get<{instance_events: readonly WireEvent[]}>(`/core/virtual-machines/${id}/events`)).body
    .instance_events;
}
