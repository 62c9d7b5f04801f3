import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {describeCommand} from '../../src/cli/commands/describe.ts';
import {getCommand} from '../../src/cli/commands/get.ts';
import {epochMs} from '../../src/domain/time.ts';
import {homeWithPrometheus, openFakePrometheus} from '../support/prometheus.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {rawAnswer, run} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

describe('skydeck describe', () => {
  test('prints every field of the record, under the names of the service', async () => {
    const simulator = await openSmallCloud();
    const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
    const {id, name} = instances[0];
    const {instance} = JSON.parse((await rawAnswer(simulator, `/core/virtual-machines/${id}`)).text);
    const {stdout, exitCode} = await run(describeCommand, ['vm', name], {simulator});
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')[0]).toBe(`vm ${name} #${id}`);
    for (const [path, value] of leaves(instance, '')) {
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      expect(stdout).toMatch(new RegExp(`^ {2}${literal(path)} *${literal(shown)}$`, 'm'));
    }
  });

  test('shows events, firewalls and cost with a machine', async () => {
    const simulator = await openSmallCloud();
    const usage = JSON.parse((await rawAnswer(simulator, '/billing/billing/usage')).text).data;
    const {stdout} = await run(describeCommand, 'vm train-01 -o json', {simulator});
    const {resource, record, related, cost} = JSON.parse(stdout);
    expect({resource, name: record.name}).toEqual({resource: 'vms', name: 'train-01'});
    const path = `/core/virtual-machines/${record.id}/events`;
    expect(related.events).toEqual(JSON.parse((await rawAnswer(simulator, path)).text).instance_events);
    const metered = usage.find((each: {resource_id: number}) => each.resource_id === record.id);
    expect(cost.usdPerHour).toBeCloseTo(metered.bill_per_minute * 60, 9);
    expect(related.firewalls.length).toBeGreaterThan(0);
  });

  test('shows what a machine cost this month, as billed or estimated from its usage and its hibernation', async () => {
    const noon = '2026-11-20T12:00:00Z';
    const sweep = async (faults: readonly string[]) => {
      const simulator = await openSimulator({wallClock: () => epochMs(Date.parse(noon)), faults});
      const told = async (flags: string) =>
        (await run(describeCommand, `vm sweep-02 ${flags}`, {simulator, env: {SKYDECK_NOW: noon}})).stdout;
      const {cost, record} = JSON.parse(await told('-o json'));
      const period = 'start_date=2026-11-01T00:00:00&end_date=2026-11-20T12:00:00';
      const path = `/billing/billing/history/virtual-machine/${record.id}?${period}`;
      return {cost, text: await told(''), bill: await rawAnswer(simulator, path)};
    };
    const billed = await sweep([]);
    const [{metrics}] = JSON.parse(billed.bill.text).billing_history_vm_details.billing_history;
    expect(billed.cost).toMatchObject({monthUsd: metrics.incurred_bill, monthSource: 'billed'});
    const dollars = metrics.incurred_bill.toLocaleString('en-US', {minimumFractionDigits: 2, maximumFractionDigits: 2});
    expect(billed.text).toContain(`, $${dollars} this month (as billed), $`);
    const estimated = await sweep(['status=404,match=GET /billing/billing/history*']);
    expect(estimated.cost.monthSource).toBe('usage');
    expect(estimated.cost.monthUsd / metrics.incurred_bill).toBeCloseTo(1, 3);
    expect(estimated.text).toContain(' this month (estimated from usage), $');
  });

  test('calls a machine that is excluded from billing free', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {stdout} = await run(describeCommand, 'vm serve-master-0', {simulator});
    expect(stdout).toMatch(/^cost: free now, /m);
    const {cost} = JSON.parse((await run(describeCommand, 'vm serve-master-0 -o json', {simulator})).stdout);
    expect(cost).toMatchObject({usdPerHour: 0, billedUsd: 0});
  });

  test('calls what a machine costs unknown where its usage has no rate and no bill', async () => {
    const instance = {id: 1, name: 'gpu-1', status: 'ACTIVE'};
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 1, instances: [instance]},
      '/core/virtual-machines/1': {status: true, instance},
      '/billing/billing/usage': {data: [aUsedMachine({bill_per_minute: null, total_bill: null})]},
    });
    const {stdout} = await run(describeCommand, 'vm gpu-1', {simulator});
    expect(stdout).toMatch(/^cost: unknown now, .*unknown since it was created$/m);
  });

  test.each([
    ['every span', 0.05, 9],
    // The other costs $6 an hour, which is not the whole.
    ['one of two spans', null, null],
  ])('tells what a machine costs now if the rate of %s is known', async (_, bill_per_minute, usdPerHour) => {
    const instance = {id: 1, name: 'gpu-1', status: 'ACTIVE'};
    const again = {create_time: '2026-11-08T00:00:00', bill_per_minute};
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 1, instances: [instance]},
      '/core/virtual-machines/1': {status: true, instance},
      '/billing/billing/usage': {data: [aUsedMachine(), aUsedMachine(again)]},
    });
    const {cost} = JSON.parse((await run(describeCommand, 'vm gpu-1 -o json', {simulator})).stdout);
    // 0.1 and 0.05 dollars a minute.
    expect(cost.usdPerHour).toBe(usdPerHour);
  });

  test.each([
    ['ACTIVE', 6],
    // Free while it changes state: the rate is that of the state before.
    ['HIBERNATING', null],
  ])('tells what a machine costs in its present state: %s', async (status, usdPerHour) => {
    const instance = {id: 1, name: 'gpu-1', status};
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 1, instances: [instance]},
      '/core/virtual-machines/1': {status: true, instance},
      '/billing/billing/usage': {data: [aUsedMachine()]},
    });
    const {cost} = JSON.parse((await run(describeCommand, 'vm gpu-1 -o json', {simulator})).stdout);
    expect(cost.usdPerHour).toBe(usdPerHour);
  });

  test('accepts -o wide, which prints the same as the table', async () => {
    const simulator = await openSimulator({wallClock: () => Date.UTC(2026, 10, 20)});
    const [table, wide] = [
      await run(describeCommand, 'org', {simulator}),
      await run(describeCommand, 'org -o wide', {simulator}),
    ];
    expect(wide).toEqual(table);
    expect(wide.exitCode).toBe(0);
  });

  test('judges the firewalls of a machine by all machines they are attached to, as triage does', async () => {
    const every = {id: 1, direction: 'ingress', protocol: 'any', ethertype: 'IPv4', remote_ip_prefix: '0.0.0.0/0'};
    const [inside, outside] = [
      {id: 7, name: 'inside', status: 'ACTIVE'},
      {id: 8, name: 'outside', status: 'ACTIVE', floating_ip: '203.0.113.9', floating_ip_status: 'ATTACHED'},
    ];
    const attachments = [inside, outside].map(({id, name}) => ({id, vm: {id, name}, status: 'SUCCESS'}));
    const edge = {id: 3, name: 'edge', status: 'SUCCESS', rules: [every], attachments};
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 2, instances: [inside, outside]},
      '/core/virtual-machines/7': {status: true, instance: inside},
      '/core/firewalls': {status: true, count: 1, firewalls: [edge]},
      '/core/firewalls/3': {status: true, firewall: edge},
    });
    expect((await run(describeCommand, 'firewall 3', {simulator})).stdout).toMatch(/critical: .* open to the world/);
    expect((await run(describeCommand, 'vm 7', {simulator})).stdout).toMatch(
      /firewall edge: critical: .* open to the world/,
    );
  });

  test('says what the firewalls of a machine open', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {stdout} = await run(describeCommand, 'vm sweep-04', {simulator});
    expect(stdout).toMatch(/^ {2}firewall edge: warning: tcp\/22 open to the world \(.*attached to 2 machines/m);
    // The other machine is read too, as with the firewall.
    expect(stdout).toContain('attached to 2 machines; 2 of them with a public address)');
    const firewall = await run(describeCommand, 'firewall edge', {simulator});
    expect(firewall.stdout).toContain('attached to 2 machines; 2 of them with a public address)');
    // As in the deck and in skydeck events.
    const [, events = ''] = /^events: \d+, newest first\n((?: .*\n)*)/m.exec(stdout) ?? [];
    const times = events.match(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/g) ?? [];
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test('lists what belongs to a contract and to a volume, and what they belong to', async () => {
    const simulator = await openSimulator();
    const json = async (what: string) =>
      JSON.parse((await run(describeCommand, `${what} -o json`, {simulator})).stdout);
    const {contracts} = JSON.parse((await rawAnswer(simulator, '/pricebook/contracts')).text);
    const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines?pageSize=100')).text);
    const contract = contracts[0];
    const covered = instances.filter((each: {contract_id: number | null}) => each.contract_id === contract.id);
    expect(covered.length).toBeGreaterThan(0);
    const namesIn = (records: readonly {name: string}[]) => records.map(({name}) => name).sort();
    const told = await json(`contract ${contract.id}`);
    expect(namesIn(told.related.machines)).toEqual(namesIn(covered));
    const machine = covered[0];
    const aroundMachine = (await json(`vm ${machine.id}`)).related;
    expect(aroundMachine.contracts.map(({id}: {id: number}) => id)).toEqual([contract.id]);
    expect(namesIn(aroundMachine.environments)).toEqual([machine.environment.name]);
    expect(namesIn(aroundMachine['key pairs'])).toEqual([machine.keypair.name]);
    const holder = instances.find((each: {volume_attachments: unknown[]}) => each.volume_attachments.length > 0);
    const {volume} = holder.volume_attachments[0];
    expect(namesIn((await json(`volume ${volume.id}`)).related.machines)).toEqual([holder.name]);
    expect(namesIn((await json(`vm ${holder.id}`)).related.volumes)).toContain(volume.name);
  });

  test('names the machine that a volume is attached to, in the tables of related records', async () => {
    const simulator = await openSmallCloud();
    const {stdout} = await run(describeCommand, 'vm train-02', {simulator});
    expect(stdout).toMatch(/^ {2}\d+ {2}checkpoints-02 .* train-02 /m);
    expect((await run(describeCommand, 'volume checkpoints-02', {simulator})).stdout).toMatch(
      /^ {2}attached to +train-02$/m,
    );
    const text = (await run(describeCommand, 'contract 118', {simulator})).stdout;
    expect(text).toMatch(/checkpoints-02 .* train-02 /);
    // The service only says `expiration_policy 0`.
    expect(text).toMatch(/^ {2}policy +delete\n/m);
    expect(text).toMatch(/^ {2}ends +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\n/m);
  });

  test('shows related records in boxes when the terminal has room for all of them', async () => {
    const simulator = await openSimulator();
    const told = async (columns?: number) =>
      (await run(describeCommand, 'cluster serve', {simulator, ...(columns === undefined ? {} : {columns})})).stdout;
    const boxed = await told(300);
    expect(boxed).toMatch(/^ {2}┌─+┬.*┐\n {2}│ .*NAME.* │\n {2}├/m);
    expect(boxed).toMatch(/^ {2}│ .*serve-worker-0.* │$/m);
    const plain = await told();
    expect(plain).not.toMatch(/[┌│]/);
    expect(await told(40)).toBe(plain);
    // Nothing is cut: each cell of the plain lines is in the box.
    const cells = plain.split('\n').flatMap(line => (line.includes('serve-worker-') ? line.trim().split(/ {2,}/) : []));
    expect(cells.length).toBeGreaterThan(0);
    expect(cells.filter(cell => !boxed.includes(cell))).toEqual([]);
  });

  test.each([
    [
      {
        id: 3,
        name: 'edge',
        rules: [
          {
            id: 1,
            direction: 'ingress',
            protocol: 'tcp',
            port_range_min: 22,
            port_range_max: 22,
            ethertype: 'IPv4',
            remote_ip_prefix: '0.0.0.0/0',
          },
        ],
        attachments: [],
      },
      [
        'notice: tcp/22 open to the world (ingress tcp/22 0.0.0.0/0; attached to 0 machines). Allow only the addresses that need it: add the narrow rule first, then remove this one.',
        'notice: unattached firewall (its 1 rule has no effect). Delete it if it is not needed.',
      ],
    ],
    [{id: 3, name: 'edge', rules: [], attachments: [{vm: {id: 7}}]}, []],
    [{id: 3, name: 'edge', rules: []}, []],
    // What it opens is unknown.
    [{id: 3, name: 'edge', attachments: [{vm: {id: 7}}]}, null],
  ])('reports the findings of a firewall', async (firewall, findings) => {
    const {simulator} = await openService({'/core/firewalls/3': {status: true, firewall}});
    expect(JSON.parse((await run(describeCommand, 'firewall 3 -o json', {simulator})).stdout).findings).toEqual(
      findings,
    );
  });

  test('reads the list of all machines only when DCGM has one with that name', async () => {
    const simulator = await openSmallCloud();
    const prometheus = await openFakePrometheus();
    prometheus.giveGpus({'train-01': {utilization: 93}});
    const home = homeWithPrometheus(prometheus, simulator);
    const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines?pageSize=100')).text);
    const listsReadFor = async (wanted: string) => {
      const {id} = instances.find(({name}: {readonly name: string}) => name === wanted);
      const before = simulator.requests().length;
      expect((await run(describeCommand, `vm ${id}`, {simulator, home})).exitCode).toBe(0);
      return simulator
        .requests()
        .slice(before)
        .filter(({path}) => path.endsWith('/core/virtual-machines')).length;
    };
    expect([await listsReadFor('eval-02'), await listsReadFor('train-01')]).toEqual([0, 1]);
  });

  test("shows the GPUs that DCGM reports to the profile's Prometheus, and what is wrong with them", async () => {
    const simulator = await openSmallCloud();
    const prometheus = await openFakePrometheus();
    prometheus.giveGpus({'train-01': {utilization: 93, xid: 79}, elsewhere: {utilization: 1}});
    const home = homeWithPrometheus(prometheus, simulator);
    const told = await run(describeCommand, 'vm train-01', {simulator, home});
    expect(told.stdout).toMatch(/^gpu load: by DCGM, \d+s ago\n {2}gpu 0 {2}load 93% .*last error XID 79$/m);
    expect(told.stdout).toContain('XID 79');
    const {gpuLoad, findings} = JSON.parse(
      (await run(describeCommand, 'vm train-01 -o json', {simulator, home})).stdout,
    );
    expect(gpuLoad.gpus).toMatchObject([{index: 0, utilization: 0.93, xid: 79}]);
    expect(findings.join('\n')).toContain('GPU hardware error');
    const other = await run(describeCommand, 'vm eval-02', {simulator, home});
    expect(other.stdout).toContain('gpu load: unknown, DCGM has no series of this machine');
    prometheus.answer(response => response.writeHead(503).end());
    const away = await run(describeCommand, 'vm train-01', {simulator, home});
    expect(away.exitCode).toBe(0);
    expect(away.stdout).toContain('gpu load: unknown, Prometheus: refused (503)');
    expect((await run(describeCommand, 'vm train-01', {simulator})).stdout).not.toContain('gpu load');
  });

  test('reports a machine that is SHUTOFF but billed', async () => {
    const {simulator} = await openService({
      '/core/virtual-machines/7': {status: true, instance: {id: 7, name: 'web', status: 'SHUTOFF'}},
      '/billing/billing/usage': {
        status: true,
        data: [{resource_id: 7, resource_type: 'vm', bill_per_minute: 0.025, active: true}],
      },
    });
    const {stdout, exitCode} = await run(describeCommand, 'vm 7', {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).toContain('SHUTOFF but billed in full (SHUTOFF and metered at $1.50/h)');
    expect(stdout).toContain('events: unknown, not found (404)');
  });

  test('adds up what the machines of a cluster cost, of which the masters are free', async () => {
    const node = (id: number, of: number) => ({id, name: `node-${id}`, status: 'ACTIVE', cluster_id: of});
    const {simulator} = await openService({
      '/core/clusters/4': {status: true, cluster: {id: 4, name: 'k', status: 'ACTIVE'}},
      '/core/virtual-machines': {status: true, instances: [node(7, 4), node(8, 4), node(9, 4), node(10, 5)]},
      '/billing/billing/usage': {
        status: true,
        data: [
          aUsedMachine({resource_id: 7, bill_per_minute: 0.01, exclude_billing: true}),
          aUsedMachine({resource_id: 8, bill_per_minute: 0.02}),
          aUsedMachine({resource_id: 9, bill_per_minute: 0.015}),
          aUsedMachine({resource_id: 10, bill_per_minute: 0.5}),
          aUsedMachine({resource_id: 8, resource_type: 'volume', bill_per_minute: 0.7}),
        ],
      },
    });
    // 60 x (0.02 + 0.015) = 2.10 an hour. What earlier nodes cost is not known.
    expect((await run(describeCommand, 'cluster 4', {simulator})).stdout).toMatch(/^cost: \$2\.10\/h now$/m);
    const {cost} = JSON.parse((await run(describeCommand, 'cluster 4 -o json', {simulator})).stdout);
    expect(cost.usdPerHour).toBeCloseTo(2.1, 9);
    expect(cost.billedUsd).toBeNull();
  });

  const aNode = (machineId?: number) => ({
    role: 'worker',
    status: 'ACTIVE',
    ...(machineId === undefined ? {} : {instance: {id: machineId, name: `w-${machineId}`}}),
  });

  test.each<[string, object[], object[], string, string[]]>([
    // A machine without cluster_id is of the cluster that lists it. Each machine costs 60 x 0.1 = 6 dollars an hour.
    ['its nodes name them all', [aNode(7), aNode(8)], [{id: 7}, {id: 8}, {id: 9}], '$12.00/h', ['w-7', 'w-8']],
    ['its nodes name some', [aNode(7), aNode(), aNode()], [{id: 7}, {id: 8}, {id: 9}], 'at least $6.00/h', ['w-7']],
    ['its nodes name none', [aNode(), aNode()], [{id: 7}, {id: 8}], 'unknown', []],
    ['one names another cluster', [aNode(7), aNode(8)], [{id: 7, cluster_id: 5}, {id: 8}], 'at least $6.00/h', ['w-8']],
    ['one names none', [aNode(7), aNode(8)], [{id: 7, cluster_id: null}, {id: 8}], 'at least $6.00/h', ['w-8']],
  ])('adds up the same machines of a cluster as the lists do, if %s', async (_, nodes, machines, cost, names) => {
    const instances = machines.map(each => ({...each, name: `w-${(each as {id: number}).id}`, status: 'ACTIVE'}));
    const {simulator} = await openService({
      ...aClusterWith(nodes),
      '/core/virtual-machines': {status: true, instances},
      '/billing/billing/usage': {status: true, data: [7, 8, 9].map(id => aUsedMachine({resource_id: id}))},
    });
    const {stdout} = await run(describeCommand, 'cluster 4', {simulator});
    expect(/^cost: (.+) now$/m.exec(stdout)?.[1]).toBe(cost);
    const told = JSON.parse((await run(describeCommand, 'cluster 4 -o json', {simulator})).stdout);
    expect(told.related.machines.map(({name}: {name: string}) => name)).toEqual(names);
    // In JSON, a part is never given as the whole.
    const figure = (words: string) => (cost.startsWith(words) ? Number(cost.slice(words.length, -2)) : undefined);
    expect(told.cost.usdPerHour).toEqual(figure('$') ?? null);
    expect(told.cost.atLeastUsdPerHour).toEqual(cost === 'unknown' ? null : figure('at least $'));
  });

  test('leaves a machine that two clusters list as a node to the one its record, or else the last list, names', async () => {
    const clusters = [
      {id: 4, name: 'k', status: 'ACTIVE', nodes: [aNode(7), aNode(8)]},
      {id: 5, name: 'l', status: 'ACTIVE', nodes: [aNode(7), aNode(8)]},
    ];
    const {simulator} = await openService({
      '/core/clusters': {status: true, clusters},
      '/core/clusters/4': {status: true, cluster: clusters[0]},
      '/core/clusters/5': {status: true, cluster: clusters[1]},
      '/core/virtual-machines': {
        status: true,
        instances: [
          {id: 7, name: 'w-7', status: 'ACTIVE', cluster_id: 4},
          {id: 8, name: 'w-8', status: 'ACTIVE'},
        ],
      },
      '/billing/billing/usage': {status: true, data: [7, 8].map(id => aUsedMachine({resource_id: id}))},
    });
    const costOf = async (id: number) =>
      /^cost: (.+) now$/m.exec((await run(describeCommand, `cluster ${id}`, {simulator})).stdout)?.[1];
    // Each lists a machine that is not its own, so neither may be the whole.
    expect([await costOf(4), await costOf(5)]).toEqual(['at least $6.00/h', 'at least $6.00/h']);
    for (const name of ['', 'k l']) {
      const {stdout} = await run(getCommand, `clusters ${name} --columns id,cost -o csv`, {simulator});
      expect(stdout.trim().split('\r\n').slice(1)).toEqual(['4,6', '5,6']);
    }
  });

  test('says at least for a cluster without all its nodes where the list of machines is incomplete', async () => {
    const {simulator} = await openService({
      ...aClusterWith([aNode(7), aNode()]),
      // The service counts one more than it lists.
      '/core/virtual-machines': {
        status: true,
        count: 2,
        instances: [{id: 7, name: 'w-7', status: 'ACTIVE', cluster_id: 4}],
      },
      '/billing/billing/usage': {status: true, data: [aUsedMachine({resource_id: 7})]},
    });
    expect((await run(describeCommand, 'cluster 4', {simulator})).stdout).toMatch(/^cost: at least \$6\.00\/h now$/m);
  });

  test('reports a cluster whose creation takes too long', async () => {
    const created_at = new Date(Date.now() - 70 * 60_000).toISOString();
    const cluster = {id: 4, name: 'k', status: 'CREATING', created_at};
    const {simulator} = await openService({'/core/clusters/4': {status: true, cluster}});
    const {findings} = JSON.parse((await run(describeCommand, 'cluster 4 -o json', {simulator})).stdout);
    expect(findings).toEqual([
      'critical: cluster stuck in creation (CREATING for 1 h 10 min; usually 5 to 20 min). Delete it and create it again: the service says to do so after 60 minutes.',
    ]);
  });

  test.each([
    [
      1,
      'warning: a node is in ERROR (a worker is in ERROR). Reconcile the cluster, which creates new nodes, or delete the failed ones.',
    ],
    [
      2,
      'warning: 2 nodes are in ERROR (a worker is in ERROR; a worker is in ERROR). Reconcile the cluster, which creates new nodes, or delete the failed ones.',
    ],
  ])('counts %i failed nodes of a cluster', async (count, finding) => {
    const nodes = Array.from({length: count}, (_, index) => ({id: index + 1, role: 'worker', status: 'ERROR'}));
    const cluster = {id: 4, name: 'k', status: 'ACTIVE', nodes};
    const {simulator} = await openService({'/core/clusters/4': {status: true, cluster}});
    const {findings} = JSON.parse((await run(describeCommand, 'cluster 4 -o json', {simulator})).stdout);
    expect(findings).toEqual([finding]);
  });

  test.each([
    ['org', '/auth/organizations', {organization: {id: 3, name: 'acme'}}],
    ['me', '/auth/me', {user: {email: 'ines@acme.example'}}],
    ['credit', '/billing/user-credit/credit', {data: {credit: 12.5, threshold: 0}}],
  ])('needs no id for %s, of which there is only one', async (kind, path, answer) => {
    const {simulator} = await openService({[path]: {status: true, ...answer}});
    const {stdout, stderr, exitCode} = await run(describeCommand, `${kind} -o yaml`, {simulator});
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    expect(parse(stdout)).toMatchObject({resource: kind, record: Object.values(answer)[0]});
    const head = (await run(describeCommand, kind, {simulator})).stdout.split('\n')[0];
    expect(head).toBe({org: 'org acme #3', me: 'me ines@acme.example', credit: 'credit'}[kind]);
  });

  test.each([
    ['credit', null],
    ['environment 9', null],
    ['cluster 4', []],
  ])('says that there are no findings only about what is judged: %s', async (line, findings) => {
    const {simulator} = await openService({
      '/billing/user-credit/credit': {status: true, data: {credit: 1, threshold: 0}},
      '/core/environments/9': {status: true, environment: {id: 9, name: 'default', region: 'CANADA-1'}},
      '/core/clusters/4': {status: true, cluster: {id: 4, name: 'k', status: 'ACTIVE'}},
    });
    expect(JSON.parse((await run(describeCommand, `${line} -o json`, {simulator})).stdout).findings).toEqual(findings);
    const {stdout} = await run(describeCommand, line, {simulator});
    expect(stdout.includes('findings: none')).toBe(findings !== null);
  });

  test('hides secrets unless asked', async () => {
    const cluster = {id: 4, name: 'k', status: 'ACTIVE', kube_config: 'CANARY'};
    const {simulator} = await openService({'/core/clusters/4': {status: true, cluster}});
    for (const format of ['table', 'json']) {
      expect((await run(describeCommand, `cluster 4 -o ${format}`, {simulator})).stdout).not.toContain('CANARY');
      expect((await run(describeCommand, `cluster 4 -o ${format} --show-secrets`, {simulator})).stdout).toContain(
        'CANARY',
      );
    }
  });

  test.each([
    ['vm none', 4, 'not found'],
    ['vm 99', 4, 'machine "99" not found'],
    ['usage 99', 4, 'usage "99" not found'],
    ['vm twin', 2, 'use an id (1, 2)'],
    ['', 2, 'describe needs a resource; available: vms '],
    ['bogus x', 2, 'unknown resource "bogus"; available: '],
    ['train-01', 2, 'unknown resource "train-01"; did you mean describe vm train-01? available: '],
    ['fierwall', 2, 'unknown resource "fierwall"; did you mean firewall?'],
    ['vm', 2, 'describe vm needs an id or a name; skydeck get vms lists them'],
  ])('answers %s with exit code %i', async (line, code, words) => {
    const instances = [
      {id: 1, name: 'twin'},
      {id: 2, name: 'twin'},
    ];
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, count: 2, instances},
      '/billing/billing/usage': {data: []},
    });
    const {exitCode, stdout, stderr} = await run(describeCommand, line, {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: code, stdout: ''});
    expect(stderr).toContain(words);
  });
});

function leaves(value: unknown, path: string): [string, unknown][] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return [[path, value]];
  return entries.flatMap(([name, field]) => leaves(field, path === '' ? name : `${path}.${name}`));
}

function aClusterWith(nodes: readonly object[]) {
  const cluster = {id: 4, name: 'k', status: 'ACTIVE', nodes};
  return {'/core/clusters': {status: true, clusters: [cluster]}, '/core/clusters/4': {status: true, cluster}};
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
