import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  found,
  MINUTE_MS,
  SECOND_MS,
  type SimulatorUnderTest,
  type WireCluster,
  type WireEvent,
  type WireRefusal,
} from '../../a-simulator.ts';

type Detail = {readonly status: boolean; readonly message: string; readonly cluster: WireCluster};
type Events = {readonly cluster_events: readonly WireEvent[]};

const PATH = '/core/clusters';

/** A valid order: a bastion and a load balancer, two masters, two workers. */
const ORDER = {
  name: 'batch',
  environment_name: 'research-ca',
  keypair_name: 'research-ca-team',
  kubernetes_version: '1.35.1',
  master_flavor_name: 'n1-cpu-medium',
  node_flavor_name: 'n3-A100x1',
  node_count: 2,
};
/** The longest time that the quick pace takes to create a cluster. */
const QUICK_MS = 50 * SECOND_MS;

async function clusterNamed({get}: SimulatorUnderTest, name: string): Promise<WireCluster> {
  const {clusters} = (await get<{clusters: WireCluster[]}>(PATH)).body;
  return found(clusters, each => each.name === name, name);
}

async function eventsOf({get}: SimulatorUnderTest, id: number): Promise<string[]> {
  return (await get<Events>(`${PATH}/${id}/events`)).body.cluster_events.map(({reason}) => reason);
}

const rolesOf = ({nodes}: WireCluster) => nodes.map(({role}) => role);

/** Every distinct answer about a cluster until it is ACTIVE, polled every half second. */
async function watch(simulator: SimulatorUnderTest, id: number): Promise<readonly WireCluster[]> {
  const sights: WireCluster[] = [];
  for (let step = 0; step < 110; step += 1) {
    const {cluster} = (await simulator.get<Detail>(`${PATH}/${id}`)).body;
    if (JSON.stringify(sights.at(-1)) !== JSON.stringify(cluster)) sights.push(cluster);
    if (cluster.status === 'ACTIVE') break;
    simulator.pass(SECOND_MS / 2);
  }
  return sights;
}

const steps = (values: readonly string[]) => values.filter((value, index) => value !== values[index - 1]);

describe('a new cluster', () => {
  test('is answered with 201 and status CREATING, with its nodes already listed', async () => {
    const simulator = await aSimulator();
    const reply = await simulator.post<Detail>(PATH, ORDER);
    expect(reply.status).toBe(201);
    const {cluster} = reply.body;
    expect(reply.body).toMatchObject({status: true});
    expect(cluster).toMatchObject({
      name: 'batch',
      status: 'CREATING',
      status_reason: null,
      is_reconciling: true,
      api_address: null,
      kube_config: null,
      environment_name: 'research-ca',
      environment_region: 'CANADA-1',
      kubernetes_version: '1.35.1',
      keypair_name: 'research-ca-team',
      master_count: 2,
      master_flavor: {name: 'n1-cpu-medium', gpu: ''},
      node_groups: [{name: 'default', count: 2, min_count: 1, max_count: 20, flavor: {name: 'n3-A100x1'}}],
    });
    expect(rolesOf(cluster)).toEqual(['bastion', 'load-balancer', 'master', 'master', 'worker', 'worker']);
    expect(cluster.nodes.every(({status, instance}) => status === 'CREATING' && instance.status === 'CREATING')).toBe(
      true,
    );
    expect(Object.keys(cluster)).toEqual(Object.keys(await clusterNamed(simulator, 'serve')));
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'create-cluster', id: cluster.id}]);
  });

  test('becomes ACTIVE step by step, and reports its progress', async () => {
    const simulator = await aSimulator();
    const {id} = (await simulator.post<Detail>(PATH, ORDER)).body.cluster;
    const sights = await watch(simulator, id);
    const statuses = (role: string) =>
      steps(sights.map(({nodes}) => found(nodes, node => node.role === role, role).status));
    expect(statuses('bastion')).toEqual(['CREATING', 'ACTIVE']);
    expect(statuses('master')).toEqual(['CREATING', 'WAITING', 'RECONCILING', 'PRE-ACTIVE', 'ACTIVE']);
    expect(statuses('worker')).toEqual(['CREATING', 'WAITING', 'RECONCILING', 'PRE-ACTIVE', 'ACTIVE']);
    expect(steps(sights.map(({status}) => status))).toEqual(['CREATING', 'ACTIVE']);
    const reasons = steps(sights.map(({status_reason: reason}) => reason ?? ''));
    expect(reasons.length).toBeGreaterThanOrEqual(6);
    expect(reasons.slice(-4)).toEqual([
      '0 of 2 nodes have joined',
      '1 of 2 nodes have joined',
      '2 of 2 nodes have joined',
      'K8s is ready',
    ]);
    const [last] = sights.slice(-1);
    expect(last).toMatchObject({status: 'ACTIVE', is_reconciling: false});
    expect(last?.api_address).toMatch(/^https:\/\/api\.batch-[0-9a-f]+\.research-ca\.[\w.]+:6443$/);
    // The address comes first. The kubeconfig follows when the cluster is ACTIVE.
    const addressed = sights.filter(({api_address: address}) => address !== null);
    expect(addressed.filter(({status}) => status === 'CREATING').length).toBeGreaterThan(0);
    for (const sight of sights) expect(sight.kube_config !== null).toBe(sight.status === 'ACTIVE');
    const config = Buffer.from(last?.kube_config ?? '', 'base64').toString();
    expect(config).toContain('SIMULATED');
    expect(config).toContain(last?.api_address);
  });

  test('has an event for each step', async () => {
    const simulator = await aSimulator();
    const {id} = (await simulator.post<Detail>(PATH, ORDER)).body.cluster;
    simulator.pass(QUICK_MS);
    expect(await eventsOf(simulator, id)).toEqual([
      'ClusterCreationRequest',
      ...Array.from({length: 6}, () => 'NodeCreationSuccess'),
      'ClusterCreationSuccess',
    ]);
  });

  test.each([1, 20])('takes five to twenty minutes at the faithful pace, with %i workers', async workerCount => {
    const {post, get, pass} = await aSimulator({isFaithful: true});
    const {id} = (await post<Detail>(PATH, {...ORDER, node_count: workerCount})).body.cluster;
    pass(5 * MINUTE_MS - 1);
    expect((await get<Detail>(`${PATH}/${id}`)).body.cluster.status).toBe('CREATING');
    pass(15 * MINUTE_MS + 1);
    expect((await get<Detail>(`${PATH}/${id}`)).body.cluster.status).toBe('ACTIVE');
  });

  test('has machines as nodes, billed once they are ACTIVE, except the masters', async () => {
    const simulator = await aSimulator();
    const {post, machines, usage, pass} = simulator;
    const {id} = (await post<Detail>(PATH, ORDER)).body.cluster;
    const nodes = (await machines()).filter(machine => machine.cluster_id === id);
    expect(nodes.map(({name, status}) => `${name} ${status}`)).toEqual(
      ['bastion', 'load-balancer', 'master-0', 'master-1', 'default-0', 'default-1'].map(
        name => `batch-${name} CREATING`,
      ),
    );
    const ids = new Set(nodes.map(machine => machine.id));
    const rates = async () =>
      (await usage())
        .filter(each => ids.has(each.resource_id))
        .map(each => [each.bill_per_minute, each.exclude_billing]);
    pass(2 * SECOND_MS);
    expect((await rates()).map(([rate]) => rate)).toEqual([0, 0, 0, 0, 0, 0]);
    pass(QUICK_MS);
    // The bastion and the load balancer are small machines with a public address. An A100 costs 1.35 dollars an hour.
    const gate = expect.closeTo((0.35 + 0.00672043) / 60, 9);
    expect(await rates()).toEqual([
      [gate, false],
      [gate, false],
      [0, true],
      [0, true],
      [expect.closeTo(1.35 / 60, 9), false],
      [expect.closeTo(1.35 / 60, 9), false],
    ]);
  });

  test('has neither bastion nor load balancer in standard mode, and three masters when asked for', async () => {
    const {post} = await aSimulator();
    const order = {...ORDER, deployment_mode: 'standard', master_count: 3};
    const {cluster} = (await post<Detail>(PATH, order)).body;
    expect(rolesOf(cluster)).toEqual(['master', 'master', 'master', 'worker', 'worker']);
    expect(cluster.master_count).toBe(3);
  });

  test('can have node groups, each with its own firewalls', async () => {
    const simulator = await aSimulator();
    const {firewalls} = (await simulator.get<{firewalls: {id: number; name: string}[]}>('/core/firewalls')).body;
    const edge = found(firewalls, ({name}) => name === 'edge', 'edge').id;
    const {node_flavor_name: _, node_count: __, ...groupless} = ORDER;
    const groups = [
      {name: 'gpu', role: 'worker', flavor_name: 'n3-A100x1', count: 2, max_count: 4, firewall_ids: [edge]},
      {name: 'cpu', role: 'worker', flavor_name: 'n1-cpu-large'},
    ];
    const {cluster} = (await simulator.post<Detail>(PATH, {...groupless, node_groups: groups})).body;
    expect(cluster.node_groups).toMatchObject([
      {name: 'gpu', count: 2, min_count: 1, max_count: 4, firewall_ids: [edge], flavor: {name: 'n3-A100x1'}},
      {name: 'cpu', count: 1, min_count: 1, max_count: 20, firewall_ids: [], flavor: {name: 'n1-cpu-large'}},
    ]);
    const workers = cluster.nodes.filter(({role}) => role === 'worker');
    expect(workers.map(node => `${node.node_group_name} ${node.instance.name}`)).toEqual([
      'gpu batch-gpu-0',
      'gpu batch-gpu-1',
      'cpu batch-cpu-0',
    ]);
  });
});

describe('the availability of a name', () => {
  test('is answered without an envelope', async () => {
    const {get} = await aSimulator();
    const taken = await get<object>(`${PATH}/name-availability/serve`);
    expect(taken.status).toBe(200);
    expect(Object.keys(taken.body).toSorted()).toEqual(['available', 'message', 'name']);
    expect(taken.body).toMatchObject({name: 'serve', available: false});
    expect((await get(`${PATH}/name-availability/events`)).body).toMatchObject({name: 'events', available: true});
  });
});

describe('deleting a cluster', () => {
  test('removes it node by node until it is not found', async () => {
    const simulator = await aSimulator();
    const {get, pass, machines} = simulator;
    const {id, nodes} = await clusterNamed(simulator, 'serve');
    const reply = await get(`${PATH}/${id}`, {method: 'DELETE'});
    expect(reply).toMatchObject({status: 200, body: {status: true}});
    expect(Object.keys(reply.body ?? {})).toEqual(['status', 'message']);
    const counts: number[] = [];
    for (let step = 0; step < 30; step += 1) {
      const sight = await get<Detail>(`${PATH}/${id}`);
      if (sight.status === 404) break;
      expect(sight.body.cluster).toMatchObject({status: 'DELETING', is_reconciling: false});
      counts.push(sight.body.cluster.nodes.length);
      pass(SECOND_MS);
    }
    expect(counts[0]).toBe(nodes.length);
    expect(counts).toEqual(counts.toSorted((left, right) => right - left));
    expect(counts.at(-1)).toBe(0);
    expect(await get<WireRefusal>(`${PATH}/${id}`)).toMatchObject({status: 404, body: {error_reason: 'not_found'}});
    expect((await machines()).filter(machine => machine.cluster_id === id)).toEqual([]);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'delete-cluster', id}]);
  });

  test('works while it is being created, and stops the creation', async () => {
    const simulator = await aSimulator();
    const {id} = (await simulator.post<Detail>(PATH, ORDER)).body.cluster;
    simulator.pass(10 * SECOND_MS);
    expect((await simulator.get(`${PATH}/${id}`, {method: 'DELETE'})).status).toBe(200);
    expect((await simulator.get(`${PATH}/${id}`, {method: 'DELETE'})).status).toBe(400);
    simulator.pass(MINUTE_MS);
    expect((await simulator.get(`${PATH}/${id}`)).status).toBe(404);
    expect((await simulator.machines()).filter(machine => machine.cluster_id === id)).toEqual([]);
  });
});

describe('deleting a cluster in trouble', () => {
  test.each([
    ['stuck-cluster', 'k8s-batch', 'CREATING'],
    ['on-call', 'embed', 'RECONCILING'],
  ] as const)('works in the scenario %s, where %s is %s', async (scenario, name, status) => {
    const simulator = await aSimulator({scenario});
    const cluster = await clusterNamed(simulator, name);
    expect(cluster).toMatchObject({status, is_reconciling: true});
    expect((await simulator.get(`${PATH}/${cluster.id}`, {method: 'DELETE'})).status).toBe(200);
    simulator.pass(MINUTE_MS);
    expect((await simulator.get(`${PATH}/${cluster.id}`)).status).toBe(404);
  });
});

describe('reconciling a cluster', () => {
  const STUCK = 1655;

  test('fixes a stuck one: it is RECONCILING, then ACTIVE with every node', async () => {
    const simulator = await aSimulator({scenario: 'stuck-cluster'});
    const reply = await simulator.get<object>(`${PATH}/${STUCK}/reconcile`, {method: 'POST'});
    expect(reply).toMatchObject({status: 200, body: {status: true}});
    expect(Object.keys(reply.body)).toEqual(['status', 'message']);
    const sights = await watch(simulator, STUCK);
    expect(steps(sights.map(({status}) => status))).toEqual(['RECONCILING', 'ACTIVE']);
    expect(sights[0]).toMatchObject({is_reconciling: true, kube_config: null});
    const [last] = sights.slice(-1);
    expect(last?.nodes.map(({status, instance}) => `${status} ${instance.status}`)).toEqual(
      last?.nodes.map(() => 'ACTIVE ACTIVE'),
    );
    expect(last?.api_address).toMatch(/^https:/);
    const events = await eventsOf(simulator, STUCK);
    expect(events.filter(reason => reason.startsWith('ClusterReconcile'))).toEqual([
      'ClusterReconcileRequest',
      'ClusterReconcileSuccess',
    ]);
    expect(simulator.simulator.executions()).toMatchObject([{verb: 'reconcile', id: STUCK}]);
  });

  test('is refused while it is being reconciled or created', async () => {
    const simulator = await aSimulator();
    const {id: young} = (await simulator.post<Detail>(PATH, ORDER)).body.cluster;
    const {id: reconciling} = await clusterNamed(simulator, 'embed');
    for (const id of [young, reconciling]) {
      const reply = await simulator.get<WireRefusal>(`${PATH}/${id}/reconcile`, {method: 'POST'});
      expect(reply).toMatchObject({status: 400, body: {status: false, error_reason: 'bad_request'}});
    }
    expect(simulator.simulator.executions().map(({verb}) => verb)).toEqual(['create-cluster']);
  });

  test('creates deleted workers again', async () => {
    const simulator = await aSimulator();
    const {id, nodes} = await clusterNamed(simulator, 'serve');
    const lost = found(nodes, ({role}) => role === 'worker', 'worker').instance;
    await simulator.get(`/core/virtual-machines/${lost.id}`, {method: 'DELETE'});
    simulator.pass(10 * SECOND_MS);
    expect((await clusterNamed(simulator, 'serve')).nodes).toHaveLength(nodes.length - 1);
    await simulator.get(`${PATH}/${id}/reconcile`, {method: 'POST'});
    simulator.pass(24 * SECOND_MS);
    const repaired = await clusterNamed(simulator, 'serve');
    expect(repaired).toMatchObject({status: 'ACTIVE', status_reason: 'K8s is ready'});
    expect(repaired.nodes).toHaveLength(nodes.length);
    expect(repaired.nodes.every(({status}) => status === 'ACTIVE')).toBe(true);
  });
});
