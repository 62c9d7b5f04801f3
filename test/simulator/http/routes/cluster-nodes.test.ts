import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  SECOND_MS,
  type SimulatorUnderTest,
  type WireCluster,
  type WireFirewall,
  type WireRefusal,
} from '../../a-simulator.ts';

type Group = WireCluster['node_groups'][number] & {
  readonly min_count: number;
  readonly max_count: number;
  readonly updated_at: string | null;
};
type Node = WireCluster['nodes'][number];

/** The cluster `serve`: two masters, a load balancer and three workers in the group `l40`, which allows eight. */
const PATH = '/core/clusters/1612';
const SETTLED_MS = 20 * SECOND_MS;
const NEW_GROUP = {name: 'cpu', role: 'worker', flavor_name: 'n1-cpu-large', count: 2};

async function nodesOf({get}: SimulatorUnderTest, role: string): Promise<readonly Node[]> {
  const {nodes} = (await get<{nodes: Node[]}>(`${PATH}/nodes`)).body;
  return nodes.filter(node => node.role === role);
}

async function groupNamed({get}: SimulatorUnderTest, name: string): Promise<Group> {
  const {node_groups: groups} = (await get<{node_groups: Group[]}>(`${PATH}/node-groups`)).body;
  return found(groups, group => group.name === name, name);
}

async function state({get}: SimulatorUnderTest): Promise<string> {
  const {cluster} = (await get<{cluster: WireCluster}>(PATH)).body;
  return `${cluster.status} ${cluster.is_reconciling}`;
}

const idsOf = (nodes: readonly Node[]) => nodes.map(({id}) => id);

describe('nodes', () => {
  test('are listed as in the cluster', async () => {
    const {get} = await aSimulator();
    const {cluster} = (await get<{cluster: WireCluster}>(PATH)).body;
    const reply = await get<{nodes: Node[]}>(`${PATH}/nodes`);
    expect(reply.body).toMatchObject({status: true, nodes: cluster.nodes});
  });

  test('can be added to a group, and the cluster is RECONCILING meanwhile', async () => {
    const simulator = await aSimulator();
    const reply = await simulator.post<{nodes: Node[]}>(`${PATH}/nodes`, {count: 2, role: 'worker', node_group: 'l40'});
    expect(reply.status).toBe(201);
    expect(reply.body.nodes).toMatchObject([
      {role: 'worker', status: 'CREATING', node_group_name: 'l40', instance: {name: 'serve-l40-0'}},
      {role: 'worker', status: 'CREATING', node_group_name: 'l40', instance: {name: 'serve-l40-1'}},
    ]);
    expect(await state(simulator)).toBe('RECONCILING true');
    // The new nodes get the firewalls of the others.
    const {firewall_ids: firewallIds, ...group} = await groupNamed(simulator, 'l40');
    expect(group).toMatchObject({count: 5});
    const {firewall} = (await simulator.get<{firewall: WireFirewall}>(`/core/firewalls/${firewallIds[0]}`)).body;
    expect(firewall.attachments.filter(({status}) => status === 'pending').map(({vm}) => vm.name)).toEqual([
      'serve-l40-0',
      'serve-l40-1',
    ]);
    simulator.pass(SETTLED_MS);
    expect(await state(simulator)).toBe('ACTIVE false');
    expect((await nodesOf(simulator, 'worker')).map(({status}) => status)).toEqual(Array(5).fill('ACTIVE'));
    expect(simulator.simulator.executions()).toMatchObject([
      {verb: 'create-nodes', id: 1612, nodeIds: idsOf(reply.body.nodes)},
    ]);
  });

  test('are one worker of the only group by default', async () => {
    const simulator = await aSimulator();
    const {body} = await simulator.post<{nodes: Node[]}>(`${PATH}/nodes`, {});
    expect(body.nodes).toMatchObject([{role: 'worker', node_group_name: 'l40'}]);
  });

  test('can be a third master, but not a fourth', async () => {
    const simulator = await aSimulator();
    expect((await simulator.post(`${PATH}/nodes`, {role: 'master', count: 2})).status).toBe(400);
    expect((await simulator.post(`${PATH}/nodes`, {role: 'master'})).status).toBe(201);
    simulator.pass(SETTLED_MS);
    expect(await nodesOf(simulator, 'master')).toHaveLength(3);
    expect((await simulator.post(`${PATH}/nodes`, {role: 'master'})).status).toBe(400);
  });

  test.each([
    ['more than the group allows', {count: 6}, 400],
    ['a group that does not exist', {node_group: 'a100'}, 404],
    ['none', {count: 0}, 400],
    ['a bastion', {role: 'bastion'}, 400],
  ])('cannot be added as %s', async (_, body, status) => {
    const simulator = await aSimulator();
    expect((await simulator.post(`${PATH}/nodes`, body)).status).toBe(status);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('can be deleted one by one or several at once', async () => {
    const simulator = await aSimulator();
    const [first, second] = idsOf(await nodesOf(simulator, 'worker'));
    const reply = await simulator.get(`${PATH}/nodes/${first}`, {method: 'DELETE'});
    expect(reply).toMatchObject({status: 200, body: {status: true}});
    expect(await state(simulator)).toBe('RECONCILING true');
    expect((await nodesOf(simulator, 'worker')).map(({status}) => status)).toEqual(['DELETING', 'ACTIVE', 'ACTIVE']);
    simulator.pass(SETTLED_MS);
    expect(await state(simulator)).toBe('ACTIVE false');
    expect(await groupNamed(simulator, 'l40')).toMatchObject({count: 2});
    expect((await simulator.post(`${PATH}/nodes/delete`, {ids: [second]})).status).toBe(200);
    simulator.pass(SETTLED_MS);
    expect(await nodesOf(simulator, 'worker')).toHaveLength(1);
    expect(simulator.simulator.executions()).toMatchObject([
      {verb: 'delete-nodes', id: 1612, nodeIds: [first]},
      {verb: 'delete-nodes', id: 1612, nodeIds: [second]},
    ]);
  });

  test('cannot be deleted if no worker, only one master or no load balancer would remain', async () => {
    const simulator = await aSimulator();
    const [masters, workers, balancers] = await Promise.all(
      ['master', 'worker', 'load-balancer'].map(role => nodesOf(simulator, role)),
    );
    for (const ids of [idsOf(workers ?? []), idsOf(masters ?? []).slice(0, 1), idsOf(balancers ?? [])]) {
      const reply = await simulator.post<WireRefusal>(`${PATH}/nodes/delete`, {ids});
      expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    }
    expect((await simulator.get(`${PATH}/nodes/1`, {method: 'DELETE'})).status).toBe(404);
    expect((await simulator.post(`${PATH}/nodes/delete`, {ids: []})).status).toBe(400);
    expect(simulator.simulator.executions()).toEqual([]);
  });
});

describe('node groups', () => {
  test('are listed as in the cluster, and each can be read alone', async () => {
    const simulator = await aSimulator();
    const {cluster} = (await simulator.get<{cluster: WireCluster}>(PATH)).body;
    const list = await simulator.get<{node_groups: Group[]}>(`${PATH}/node-groups`);
    expect(list.body).toMatchObject({status: true, node_groups: cluster.node_groups});
    const {id} = await groupNamed(simulator, 'l40');
    const one = await simulator.get<{node_group: Group}>(`${PATH}/node-groups/${id}`);
    expect(one.body).toMatchObject({status: true, node_group: cluster.node_groups[0]});
    expect((await simulator.get(`${PATH}/node-groups/1`)).status).toBe(404);
  });

  test('are created with their first workers', async () => {
    const simulator = await aSimulator();
    const reply = await simulator.post<{node_group: Group}>(`${PATH}/node-groups`, NEW_GROUP);
    expect(reply).toMatchObject({
      status: 201,
      body: {status: true, node_group: {name: 'cpu', count: 2, max_count: 20}},
    });
    expect(await state(simulator)).toBe('RECONCILING true');
    simulator.pass(SETTLED_MS);
    const workers = (await nodesOf(simulator, 'worker')).filter(node => node.node_group_name === 'cpu');
    expect(workers.map(({status}) => status)).toEqual(['ACTIVE', 'ACTIVE']);
    const {id} = reply.body.node_group;
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'create-node-group', id: 1612, nodeGroupId: id}]);
  });

  test.each([
    ['a name that is taken', {name: 'l40'}, 409],
    ['a flavor that does not exist', {flavor_name: 'n9'}, 404],
    ['a firewall that does not exist', {firewall_ids: [1]}, 404],
    ['too many workers', {count: 21}, 422],
    ['the role of a master', {role: 'master'}, 400],
  ])('cannot be created with %s', async (_, change, status) => {
    const simulator = await aSimulator();
    expect((await simulator.post(`${PATH}/node-groups`, {...NEW_GROUP, ...change})).status).toBe(status);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('have limits and firewalls that can be changed', async () => {
    const simulator = await aSimulator();
    const {id} = await groupNamed(simulator, 'l40');
    const {firewalls} = (await simulator.get<{firewalls: {id: number; name: string}[]}>('/core/firewalls')).body;
    const web = found(firewalls, ({name}) => name === 'web', 'web').id;
    const body = {min_count: 2, max_count: 5, firewall_ids: [web]};
    const reply = await simulator.post<{node_group: Group}>(`${PATH}/node-groups/${id}`, body, {method: 'PATCH'});
    expect(reply).toMatchObject({status: 200, body: {node_group: {min_count: 2, max_count: 5, count: 3}}});
    expect(reply.body.node_group.updated_at).toBe('2026-11-20T20:00:00');
    // The list replaces the whole set, so the previous firewall is gone.
    expect(reply.body.node_group.firewall_ids).toEqual([web]);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'update-node-group', id: 1612, nodeGroupId: id}]);
  });

  test.each([
    [{max_count: 2}, 400],
    [{min_count: 4}, 400],
    [{max_count: 21}, 422],
    [{min_count: 0}, 422],
    [{count: 3}, 400],
  ])('cannot be changed by %o', async (body, status) => {
    const simulator = await aSimulator();
    const {id} = await groupNamed(simulator, 'l40');
    const reply = await simulator.post(`${PATH}/node-groups/${id}`, body, {method: 'PATCH'});
    expect(reply.status).toBe(status);
    expect(simulator.simulator.executions()).toEqual([]);
  });

  test('are deleted with their workers, except the last group', async () => {
    const simulator = await aSimulator();
    const {id: only} = await groupNamed(simulator, 'l40');
    expect((await simulator.get(`${PATH}/node-groups/${only}`, {method: 'DELETE'})).status).toBe(400);
    const created = await simulator.post<{node_group: Group}>(`${PATH}/node-groups`, NEW_GROUP);
    simulator.pass(SETTLED_MS);
    const {id} = created.body.node_group;
    expect((await simulator.get(`${PATH}/node-groups/${id}`, {method: 'DELETE'})).status).toBe(200);
    simulator.pass(SETTLED_MS);
    expect((await simulator.get(`${PATH}/node-groups/${id}`)).status).toBe(404);
    expect(await nodesOf(simulator, 'worker')).toHaveLength(3);
    expect(simulator.simulator.executions().map(({verb}) => verb)).toEqual(['create-node-group', 'delete-node-group']);
  });
});

test('nothing can be changed while the cluster is reconciling, but everything can be read', async () => {
  const simulator = await aSimulator();
  await simulator.post(`${PATH}/nodes`, {});
  const {id} = await groupNamed(simulator, 'l40');
  const [node] = await nodesOf(simulator, 'worker');
  const requests: readonly [method: string, path: string, body?: object][] = [
    ['POST', '/nodes', {}],
    ['DELETE', `/nodes/${node?.id}`],
    ['POST', '/nodes/delete', {ids: [node?.id]}],
    ['POST', '/node-groups', NEW_GROUP],
    ['PATCH', `/node-groups/${id}`, {max_count: 6}],
    ['DELETE', `/node-groups/${id}`],
    ['POST', '/reconcile'],
  ];
  for (const [method, path, body] of requests) {
    const sent = body === undefined ? {method} : {method, body: JSON.stringify(body)};
    const reply = await simulator.get<WireRefusal>(PATH + path, sent);
    expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    expect(reply.body.message).toContain('RECONCILING');
  }
  for (const path of ['', '/nodes', '/node-groups', `/node-groups/${id}`, '/events']) {
    expect((await simulator.get(PATH + path)).status).toBe(200);
  }
  expect(simulator.simulator.executions()).toHaveLength(1);
});
