import {describe, expect, test} from 'vitest';
import {
  aSimulator,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type SimulatorUnderTest,
  STARTED_AT,
  type WireCluster,
  type WireEvent,
  type WireFirewall,
  type WireMachine,
  type WireRule,
} from '../a-simulator.ts';

type Row = readonly [time: string, granularity: number, value: number];
type Metrics = Readonly<
  Record<'cpu' | 'memory.usages' | 'network.out' | 'disk.read' | 'disk.write', {readonly data: readonly Row[]}>
>;

describe('on-call', () => {
  test('has forty machines in Norway and Canada, in four environments', async () => {
    const machines = await (await aSimulator()).machines();
    expect(machines).toHaveLength(40);
    expect(new Set(machines.map(machine => machine.environment.region))).toEqual(new Set(['NORWAY-1', 'CANADA-1']));
    expect(new Set(machines.map(machine => machine.environment.name)).size).toBe(4);
    expect(machines.filter(machine => machine.status === 'ACTIVE').length).toBeGreaterThan(30);
  });

  test('has machines created over ninety days, the latest four minutes ago', async () => {
    const machines = await (await aSimulator()).machines();
    const ages = machines.map(machine => STARTED_AT - Date.parse(`${machine.created_at}Z`));
    expect(Math.max(...ages)).toBeGreaterThan(80 * DAY_MS);
    expect(Math.max(...ages)).toBeLessThan(90 * DAY_MS);
    expect(Math.min(...ages)).toBe(4 * MINUTE_MS);
  });

  test('has names of fifty characters, in wide characters and with an emoji', async () => {
    const names = (await (await aSimulator()).machines()).map(machine => machine.name);
    expect(Math.max(...names.map(name => [...name].length))).toBe(50);
    expect(names.filter(name => /\p{Script=Han}/u.test(name))).toHaveLength(1);
    expect(names.filter(name => /\p{Extended_Pictographic}/u.test(name))).toHaveLength(1);
  });

  test('has the nodes of two clusters among its machines, and one cluster in trouble', async () => {
    const simulator = await aSimulator();
    const nodes = (await simulator.machines()).filter(machine => machine.cluster_id !== null);
    expect(nodes).toHaveLength(10);
    expect(nodes.every(node => node.status === 'ACTIVE')).toBe(true);
    const clusters = await clustersOf(simulator);
    expect(new Set(nodes.map(node => node.cluster_id))).toEqual(new Set(clusters.map(({id}) => id)));
    expect(clusters.map(({status}) => status)).toEqual(['ACTIVE', 'RECONCILING']);
    const lost = clusters.flatMap(cluster => cluster.nodes).filter(node => node.status !== 'ACTIVE');
    expect(lost).toMatchObject([{role: 'worker', status: 'RECONCILING', instance: {status: 'ACTIVE'}}]);
    expect(clusters[1]?.status_reason).toContain(lost[0]?.instance.name);
  });

  test('has a firewall with ssh open to the world, and one that no machine uses', async () => {
    const firewalls = await firewallsOf(await aSimulator());
    const open = firewalls.filter(({rules}) => rules.some(isSshRule));
    expect(open.map(({name, attachments}) => [name, attachments.map(({vm}) => vm.name)])).toEqual([
      ['edge', ['sweep-04', 'jupyter-mira']],
    ]);
    expect(firewalls.filter(({attachments}) => attachments.length === 0).map(({name}) => name)).toEqual(['lab-old']);
    expect(new Set(firewalls.map(({environment}) => environment.name)).size).toBe(4);
  });

  test('has a stopped H100x8 that is still billed in full after nine hours', async () => {
    const simulator = await aSimulator();
    const stopped = (await simulator.machines()).filter(machine => machine.status === 'SHUTOFF');
    expect(stopped).toMatchObject([{flavor: {gpu: 'H100-80G-SXM5', gpu_count: 8}}]);
    const [machine] = stopped;
    const record = (await simulator.usage()).find(candidate => candidate.resource_id === machine?.id);
    expect((record?.bill_per_minute ?? 0) * 60).toBeCloseTo(25.6, 6);
    const stop = (await eventsOf(simulator, machine)).find(event => event.reason === 'InstanceStopRequest');
    expect(STARTED_AT - Date.parse(`${stop?.time}Z`)).toBe(9 * HOUR_MS + 14 * MINUTE_MS + 20_000);
  });

  test('has an expensive machine whose job ended a day ago: it was busy before and is idle since', async () => {
    const simulator = await aSimulator();
    const machine = await simulator.machine('train-02');
    expect(machine).toMatchObject({status: 'ACTIVE', flavor: {gpu: 'H100-80G-PCIe', gpu_count: 8}});
    const samples = activity(machine, await metricsOf(simulator, machine, '3d'));
    const lastDay = samples.filter(sample => sample.at > STARTED_AT - DAY_MS);
    const before = samples.filter(sample => sample.at < STARTED_AT - 27 * HOUR_MS);
    expect(lastDay.filter(sample => sample.isActive)).toEqual([]);
    expect(before.every(sample => sample.isActive)).toBe(true);
  });

  test('has a machine in ERROR whose last event names the failure', async () => {
    const simulator = await aSimulator();
    const broken = (await simulator.machines()).filter(machine => machine.status === 'ERROR');
    expect(broken).toHaveLength(1);
    expect((await eventsOf(simulator, broken[0])).at(-1)).toMatchObject({
      type: 'error',
      reason: 'HibernateInstanceFailed',
    });
  });

  test('has a machine whose memory use rises for a day until it is nearly full', async () => {
    const simulator = await aSimulator();
    const machine = await simulator.machine('infer-04');
    const ratios = (await metricsOf(simulator, machine, '1d'))['memory.usages'].data.map(
      row => row[2] / (machine.flavor.ram * 1024),
    );
    expect(ratios.at(-1)).toBeGreaterThan(0.95);
    expect(ratios.at(-1)).toBeLessThanOrEqual(1);
    expect(ratios[0]).toBeLessThan(0.55);
  });

  test('has a machine whose CPU time stands still since a crash', async () => {
    const simulator = await aSimulator();
    const machine = await simulator.machine('infer-06');
    const {cpu} = await metricsOf(simulator, machine, '6h');
    const lastHour = cpu.data.filter(([time]) => Date.parse(time) >= STARTED_AT - HOUR_MS).map(row => row[2]);
    expect(new Set(lastHour).size).toBe(1);
    const before = cpu.data.filter(([time]) => Date.parse(time) < STARTED_AT - 3 * HOUR_MS).map(row => row[2]);
    expect(new Set(before).size).toBe(before.length);
  });

  test('has ssh open to the world on two machines', async () => {
    const machines = await (await aSimulator()).machines();
    expect(
      machines
        .filter(isSshOpen)
        .map(machine => machine.name)
        .toSorted(),
    ).toEqual(['jupyter-mira', 'labeling-01']);
  });

  test('has credit for 41 hours', async () => {
    expect(await runwayHours(await aSimulator())).toBeCloseTo(41, 1);
  });

  test('has machines under a contract', async () => {
    const covered = (await (await aSimulator()).machines()).filter(machine => machine.contract_id !== null);
    expect(covered.length).toBeGreaterThanOrEqual(2);
  });

  test('has a transition that ends exactly six seconds after the start', async () => {
    const {machine, pass} = await aSimulator();
    pass(5900);
    expect((await machine('dev-noe')).status).toBe('HIBERNATING');
    pass(100);
    expect((await machine('dev-noe')).status).toBe('HIBERNATED');
  });

  test('has another operator at work, whose changes are not recorded as executions', async () => {
    const simulator = await aSimulator();
    const states = new Set<string>();
    for (let second = 0; second < 40; second += 1) {
      states.add((await simulator.machine('ci-runner-02')).status);
      simulator.pass(SECOND_MS);
    }
    expect(states).toEqual(new Set(['ACTIVE', 'STOPPING', 'SHUTOFF', 'STARTING']));
    expect(simulator.simulator.executions()).toEqual([]);
  });
});

describe('calm', () => {
  test('has no trouble to find', async () => {
    const simulator = await aSimulator({scenario: 'calm'});
    const machines = await simulator.machines();
    expect(new Set(machines.map(machine => machine.status))).toEqual(new Set(['ACTIVE']));
    expect(machines.filter(isSshOpen)).toEqual([]);
    const clusters = await clustersOf(simulator);
    expect(clusters.flatMap(cluster => [cluster, ...cluster.nodes]).map(({status}) => status)).toEqual(
      Array.from({length: 12}, () => 'ACTIVE'),
    );
    const firewalls = await firewallsOf(simulator);
    expect(firewalls.filter(({rules, attachments}) => rules.some(isSshRule) || attachments.length === 0)).toEqual([]);
    expect(await runwayHours(simulator)).toBeGreaterThan(30 * 24);
    const attached = machines.flatMap(machine => machine.volume_attachments.map(({volume}) => volume.id));
    const volumes = (await simulator.usage()).filter(record => record.resource_type === 'volume');
    expect(volumes.map(record => record.resource_id).toSorted()).toEqual(attached.toSorted());
  });

  test('has no machine that is idle for a day, and none short of memory', async () => {
    const simulator = await aSimulator({scenario: 'calm'});
    for (const machine of await simulator.machines()) {
      if (machine.name === 'eval-02') continue;
      const metrics = await metricsOf(simulator, machine, '1d');
      const samples = activity(machine, metrics);
      expect([machine.name, samples.filter(sample => sample.isActive).length / samples.length >= 0.05]).toEqual([
        machine.name,
        true,
      ]);
      const ratios = metrics['memory.usages'].data.map(row => row[2] / (machine.flavor.ram * 1024));
      expect([machine.name, Math.max(...ratios) < 0.85]).toEqual([machine.name, true]);
    }
  });
});

describe('every scenario', () => {
  type Counts = {readonly keyPairs: number; readonly images: number; readonly buckets: number; readonly keys: number};

  async function countsOf({get}: SimulatorUnderTest): Promise<Counts> {
    const list = async (path: string, key: string) =>
      ((await get<Readonly<Record<string, readonly object[]>>>(path)).body[key] ?? []).length;
    return {
      keyPairs: await list('/core/keypairs', 'keypairs'),
      images: await list('/core/images?include_public=false', 'images'),
      buckets: await list('/object-storage/buckets', 'buckets'),
      keys: await list('/object-storage/access-keys', 'access_keys'),
    };
  }

  test.each([
    'on-call',
    'calm',
    'runaway-spend',
    'stale-metrics',
    'stuck-cluster',
    'troubles',
    'near-misses',
    'big',
  ])('has resources of each kind in %s', async scenario => {
    const simulator = await aSimulator({scenario, vmCount: 30});
    const counts = await countsOf(simulator);
    expect([counts.keyPairs >= 10, counts.images, counts.buckets, counts.keys]).toEqual([true, 1, 6, 5]);
    // The key pair of each machine exists in the machine's environment.
    const {keypairs} = (
      await simulator.get<{keypairs: {name: string; environment: {name: string}}[]}>('/core/keypairs')
    ).body;
    const known = new Set(keypairs.map(({name, environment}) => `${environment.name}/${name}`));
    const {instances} = (
      await simulator.get<{instances: {environment: {name: string}; keypair: {name: string}}[]}>(
        '/core/virtual-machines',
      )
    ).body;
    for (const {environment, keypair} of instances) expect(known).toContain(`${environment.name}/${keypair.name}`);
  });

  test.each([
    ['on-call', 1],
    ['calm', 0],
    ['runaway-spend', 3],
    ['stuck-cluster', 1],
    ['troubles', 2],
    ['near-misses', 1],
    ['big', 12],
    ['empty', 0],
  ])('has in %s %i unattached volumes', async (scenario, count) => {
    const {get} = await aSimulator({scenario, ...(scenario === 'big' ? {vmCount: 30} : {})});
    const {volumes} = (await get<{volumes: {status: string}[]}>('/core/volumes')).body;
    expect(volumes.filter(({status}) => status === 'available')).toHaveLength(count);
  });

  test.each([
    'on-call',
    'calm',
    'runaway-spend',
  ])('has in %s as many machines as asked for, also as a month begins', async scenario => {
    const startedAt = Date.parse('2026-12-01T00:00:20Z');
    const simulator = await aSimulator({scenario, vmCount: 7, startedAt});
    expect(await simulator.machines()).toHaveLength(7);
  });

  test('except the empty one, which has no resources', async () => {
    expect(await countsOf(await aSimulator({scenario: 'empty'}))).toEqual({
      keyPairs: 0,
      images: 0,
      buckets: 0,
      keys: 0,
    });
  });
});

describe('the other scenarios', () => {
  test('runaway-spend costs more every minute', async () => {
    const simulator = await aSimulator({scenario: 'runaway-spend'});
    const before = await hourlyBurn(simulator);
    simulator.pass(5 * MINUTE_MS);
    // One machine at 25.60 dollars an hour every minute, the first after five seconds.
    expect((await hourlyBurn(simulator)) - before).toBeGreaterThan(4 * 25.6);
    expect(await runwayHours(simulator)).toBeLessThan(48);
  });

  test('stuck-cluster has one worker that stays CREATING and one in ERROR', async () => {
    const simulator = await aSimulator({scenario: 'stuck-cluster'});
    const nodesOf = async () => (await simulator.machines()).filter(machine => machine.name.startsWith('k8s-batch-'));
    expect((await nodesOf()).map(node => node.status).toSorted()).toEqual([
      'ACTIVE',
      'ACTIVE',
      'ACTIVE',
      'ACTIVE',
      'CREATING',
      'ERROR',
    ]);
    simulator.pass(HOUR_MS);
    expect((await nodesOf()).map(node => node.status)).toContain('CREATING');
    expect(new Set((await nodesOf()).map(node => node.cluster_id)).size).toBe(1);
  });

  test('stuck-cluster has a cluster that was created 75 minutes ago and is still CREATING', async () => {
    const clusters = await clustersOf(await aSimulator({scenario: 'stuck-cluster'}));
    const stuck = clusters.filter(({status}) => status === 'CREATING');
    expect(stuck).toMatchObject([{name: 'k8s-batch', api_address: null, kube_config: null, is_reconciling: true}]);
    expect(STARTED_AT - Date.parse(`${stuck[0]?.created_at}Z`)).toBe(75 * MINUTE_MS);
    expect(stuck[0]?.nodes.map(({role, status}) => [role, status])).toEqual([
      ['bastion', 'ACTIVE'],
      ['master', 'ACTIVE'],
      ['master', 'ACTIVE'],
      ['worker', 'PRE-ACTIVE'],
      ['worker', 'CREATING'],
      ['worker', 'ERROR'],
    ]);
  });

  test.each([
    ['on-call', 40, 2],
    ['on-call', 5, 0],
    ['big', 250, 0],
    ['empty', 3, 0],
  ])('%s with %i machines has %i clusters', async (scenario, vmCount, count) => {
    expect(await clustersOf(await aSimulator({scenario, vmCount}))).toHaveLength(count);
  });

  test('empty has no machines, no usage and some credit', async () => {
    const simulator = await aSimulator({scenario: 'empty'});
    expect(await simulator.machines()).toEqual([]);
    expect(await simulator.usage()).toEqual([]);
    expect(await simulator.usage('?deleted=true')).toEqual([]);
    const {body} = await simulator.get<{data: object}>('/billing/user-credit/credit');
    expect(body.data).toMatchObject({credit: 25, can_create_instance: true});
  });

  test.each([
    ['on-call', 5],
    ['on-call', 300],
    ['calm', 700],
    ['empty', 3],
    ['big', 250],
    ['calm', 0],
  ])('%s can be started with %i machines', async (scenario, vmCount) => {
    const simulator = await aSimulator({scenario, vmCount});
    expect(await simulator.machines()).toHaveLength(vmCount);
  });

  test('an unknown scenario is refused with the list of scenarios', async () => {
    await expect(aSimulator({scenario: 'quiet'})).rejects.toThrow(
      /"quiet"(?=.*\bon-call\b)(?=.*\bcalm\b)(?=.*\brunaway-spend\b)/,
    );
  });
});

function isSshOpen(machine: WireMachine): boolean {
  return machine.security_rules.some(isSshRule);
}

function isSshRule(rule: WireRule): boolean {
  return (
    rule.direction === 'ingress' &&
    (rule.port_range_min ?? 1) <= 22 &&
    (rule.port_range_max ?? 65_535) >= 22 &&
    rule.remote_ip_prefix === '0.0.0.0/0'
  );
}

async function clustersOf({get}: SimulatorUnderTest): Promise<readonly WireCluster[]> {
  return (await get<{clusters: readonly WireCluster[]}>('/core/clusters')).body.clusters;
}

async function firewallsOf({get}: SimulatorUnderTest): Promise<readonly WireFirewall[]> {
  return (await get<{firewalls: readonly WireFirewall[]}>('/core/firewalls')).body.firewalls;
}

async function hourlyBurn({usage}: SimulatorUnderTest): Promise<number> {
  return (await usage()).reduce((sum, record) => sum + (record.bill_per_minute ?? 0) * 60, 0);
}

async function runwayHours(simulator: SimulatorUnderTest): Promise<number> {
  const {body} = await simulator.get<{data: {credit: number}}>('/billing/user-credit/credit');
  return body.data.credit / (await hourlyBurn(simulator));
}

async function eventsOf({get}: SimulatorUnderTest, machine: WireMachine | undefined): Promise<readonly WireEvent[]> {
  return (await get<{instance_events: readonly WireEvent[]}>(`/core/virtual-machines/${machine?.id}/events`)).body
    .instance_events;
}

async function metricsOf({get}: SimulatorUnderTest, machine: WireMachine, duration: string): Promise<Metrics> {
  return (await get<Metrics>(`/core/virtual-machines/${machine.id}/metrics?duration=${duration}`)).body;
}

/** For samples of five minutes, whether the machine worked, by the published rule for activity seen from the host. */
function activity({flavor}: WireMachine, metrics: Metrics): {readonly at: number; readonly isActive: boolean}[] {
  const rates = (name: 'cpu' | 'network.out' | 'disk.read' | 'disk.write') => {
    const rows = metrics[name].data.filter(([time]) => Date.parse(time) % (5 * MINUTE_MS) === 0);
    return rows.slice(1).map(([time, , value], index) => ({
      at: Date.parse(time),
      perSecond: (value - (rows[index]?.[2] ?? value)) / 300,
    }));
  };
  const units = flavor.gpu_count > 0 ? flavor.gpu_count : Math.max(1, flavor.cpu / 16);
  const coresLimit = flavor.gpu_count > 0 ? 0.4 : 0.25;
  const outLimit = flavor.gpu_count > 0 ? 200_000 : 5000;
  const [out, read, write] = [rates('network.out'), rates('disk.read'), rates('disk.write')];
  return rates('cpu').map(({at, perSecond}, index) => ({
    at,
    isActive:
      perSecond / 1e9 / units > coresLimit ||
      (out[index]?.perSecond ?? 0) > outLimit ||
      (read[index]?.perSecond ?? 0) > 2e6 ||
      (write[index]?.perSecond ?? 0) > 10e6,
  }));
}
