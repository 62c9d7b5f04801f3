import {mkdirSync, readFileSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {actionGroup} from '../../src/cli/operations/action-commands.ts';
import {bucketCommand} from '../../src/cli/commands/bucket.ts';
import {clusterCommand} from '../../src/cli/commands/cluster.ts';
import {consoleCommand} from '../../src/cli/commands/console.ts';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {environmentCommand} from '../../src/cli/commands/environment.ts';
import {firewallCommand} from '../../src/cli/commands/firewall.ts';
import {keyPairCommand} from '../../src/cli/commands/key-pair.ts';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {ruleCommand} from '../../src/cli/commands/rule.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {type Clock, epochMs, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {ONLY_ASSESSMENT, rawAnswer, run, withoutAssessment} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

const ipCommand = actionGroup('ip');
const callbackCommand = actionGroup('callback');
/** A command that waits checks every few seconds. */
const SPEED = 20;

type Machine = {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly cluster_id: number | null;
  readonly floating_ip: string | null;
  readonly flavor: {readonly labels: readonly unknown[]};
};
type Place = {readonly url: string; readonly apiKey: string};

describe('an operation command', () => {
  test('sends once with --yes, and reports it as accepted', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id, name} = await active(simulator);
    const given = await run(vmCommand, ['stop', name, '--yes'], {simulator});
    expect(given).toMatchObject({exitCode: 0, stdout: `stop ${name} #${id}: accepted\n`, stderr: ONLY_ASSESSMENT});
    expect(simulator.executions()).toMatchObject([{verb: 'stop', id}]);
  });

  test('takes a duration for --wait only after its =, says so, and sends nothing', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {name} = await active(simulator);
    const given = await run(vmCommand, ['stop', name, '--yes', '--wait', '5m'], {simulator});
    expect(given).toMatchObject({exitCode: 2, stdout: '', stderr: 'skydeck: write --wait=5m\n'});
    // It could be the id of another machine.
    const bare = await run(vmCommand, ['stop', name, '--yes', '--wait', '10'], {simulator});
    const words = 'skydeck: write --wait=10s, or an id before --wait\n';
    expect(bare).toMatchObject({exitCode: 2, stdout: '', stderr: words});
    // Only what is accepted is advised: 86,400 seconds and 24 hours are a day.
    for (const [word, advice] of [
      ['86400', '--wait=86400s, or an id before --wait'],
      ['86401', '--wait=10m, at most 24h, or an id before --wait'],
      ['793364', '--wait=10m, at most 24h, or an id before --wait'],
      ['0', '--wait=10m, at most 24h, or an id before --wait'],
      ['24h', '--wait=24h'],
      ['25h', '--wait=10m, at most 24h'],
    ]) {
      const {stderr} = await run(vmCommand, ['stop', name, '--yes', '--wait', word ?? ''], {simulator});
      expect(stderr).toBe(`skydeck: write ${advice}\n`);
    }
    const {stdout} = await run(vmCommand, 'stop --help');
    expect(stdout).toMatch(/^ +--wait\[=duration\] +wait until/m);
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    [vmCommand, 'stop', /^ +vm +their ids or names$/m],
    [keyPairCommand, 'rename', /^ +key-pair +its id or name\n +new-name +its new name$/m],
    [clusterCommand, 'create', /^ +name +a name for it$/m],
    [bucketCommand, 'delete', /^ +bucket +its name$/m],
  ])('says in its help what its arguments are, and how to print it: %o %s', async (command, name, meanings) => {
    const {stdout} = await run(command, `${name} --help`);
    expect(stdout).toMatch(meanings);
    expect(stdout).toMatch(/-h, --help +print this help$/m);
  });

  test.each([keyPairCommand, environmentCommand])('keeps its help within 80 columns: %o', async command => {
    const {stdout} = await run(command, '--help');
    expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([]);
  });

  test('names no key of the deck where it says how a key pair is had back', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {stderr} = await run(keyPairCommand, 'delete ci-deploy --dry-run', {simulator});
    expect(stderr).toMatch(/^skydeck: undo: .*none; copy its public key to import it again$/m);
  });

  test.each([
    [firewallCommand, 'detach edge db', 'db #8 is not attached to it'],
    [firewallCommand, 'attach edge web', 'web #7 is attached to it already'],
    [volumeCommand, 'detach pg-data scratch --vm web', 'scratch #22 is not attached to it'],
  ])('names what is not attached, or is already (%#)', async (command, line, reason) => {
    const {simulator, asked} = await openService({
      '/core/firewalls': {
        status: true,
        firewalls: [{id: 3, name: 'edge', rules: [], attachments: [{vm: {id: 7, name: 'web'}, status: 'SUCCESS'}]}],
      },
      '/core/virtual-machines': {
        status: true,
        instances: [
          {
            id: 7,
            name: 'web',
            status: 'ACTIVE',
            volume_attachments: [{id: 1, status: 'ATTACHED', volume: {id: 21, name: 'pg-data', size: 10}}],
          },
          {id: 8, name: 'db', status: 'ACTIVE', volume_attachments: []},
        ],
      },
      '/core/volumes': {
        status: true,
        volumes: [
          {id: 21, name: 'pg-data', status: 'in-use', size: 10},
          {id: 22, name: 'scratch', status: 'available', size: 10},
        ],
      },
    });
    const {exitCode, stderr} = await run(command, `${line} --yes`, {simulator});
    expect({exitCode, stderr}).toEqual({exitCode: 1, stderr: expect.stringMatching(/: not sent: .*\n$/)});
    expect(stderr).toContain(`: not sent: ${reason}\n`);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test('says that a rule without a port opens all of them', async () => {
    const {simulator} = await openService({
      '/core/firewalls/3': {status: true, firewall: {id: 3, name: 'edge', rules: [], attachments: []}},
    });
    const told = async (flags: string) =>
      (await run(ruleCommand, `add --firewall 3 --cidr 0.0.0.0/0 --dry-run ${flags}`, {simulator})).stderr;
    const all = await told('');
    expect(all).toMatch(/\+ ingress tcp 0\.0\.0\.0\/0: all tcp ports/);
    expect(all).toContain('It opens all tcp ports to the whole internet.');
    const one = await told('--port 22');
    expect(one).not.toContain('all tcp ports');
    expect(one).toContain('It opens this to the whole internet.');
    expect(await told('--protocol icmp')).not.toContain('ports');
  });

  test('marks the options that are required, and names all that are missing', async () => {
    const help = (await run(vmCommand, 'create --help')).stdout.replaceAll(/\n {10,}/g, ' ');
    const marked = [...help.matchAll(/^ +(--[\w-]+) .*\(required\)$/gm)].map(([, flag]) => flag);
    expect(marked).toEqual(['--environment', '--flavor', '--key-pair']);
    expect(await run(vmCommand, 'create gpu-9 --flavor n3-L40x1')).toMatchObject({
      exitCode: 2,
      stderr: 'skydeck: required options "--environment <name>", "--key-pair <name>" not specified\n',
    });
    expect((await run(environmentCommand, 'create lab')).stderr).toBe(
      'skydeck: required option "--region <region>" not specified\n',
    );
  });

  test('says that nothing was sent when a reading before it fails, also of the machines that were found', async () => {
    const simulator = await openSimulator({scenario: 'calm', faults: ['status=500,match=GET /core/virtual-machines']});
    const broken = await run(vmCommand, 'stop etl-01 --yes', {simulator});
    expect(broken).toMatchObject({exitCode: 6, stdout: ''});
    expect(broken.stderr).toMatch(/^skydeck: nothing was sent: the service failed \(500\): .*\n$/);
    const calm = await openSimulator({scenario: 'calm'});
    const {name} = await active(calm);
    const given = await run(vmCommand, ['stop', name, 'nosuch', '--yes'], {simulator: calm});
    expect(given).toMatchObject({exitCode: 4, stderr: 'skydeck: nothing was sent: machine "nosuch" not found\n'});
    expect([...simulator.executions(), ...calm.executions()]).toEqual([]);
  });

  test.each([
    ['--dry-run', 0],
    ['--yes', 1],
  ])('warns with %s of what is out of stock, as the question does, and continues', async (flag, sentCount) => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {stdout, stderr, exitCode} = await run(vmCommand, ['restore', 'sweep-02', flag], {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('warning');
    expect(stderr).toMatch(
      /^skydeck: warning: restore sweep-02 #\d+: n3-H100x2 is out of stock: restoring it may not work\.$/m,
    );
    expect(stderr).toMatch(/^skydeck: warning: restore sweep-02 #\d+: .* of ephemeral disk will be empty\.$/m);
    expect(simulator.executions()).toHaveLength(sentCount);
  });

  test('calls the stock unknown before a restore when the flavor and the list of stocks disagree', async () => {
    const flavor = {id: 3, name: 'n3-L40x1', region_name: 'CANADA-1', gpu: 'L40', gpu_count: 1, stock_available: true};
    const {simulator} = await openService({
      '/core/virtual-machines/7': {
        instance: {id: 7, name: 'asleep', status: 'HIBERNATED', flavor, environment: {region: 'CANADA-1'}},
      },
      '/core/flavors': {data: [{gpu: 'L40', region_name: 'CANADA-1', flavors: [flavor]}]},
      '/core/stocks': {
        stocks: [{region: 'CANADA-1', 'stock-type': 'GPU', models: [{model: 'L40', configurations: {'1x': 0}}]}],
      },
    });
    const {stderr} = await run(vmCommand, 'restore 7 --dry-run', {simulator});
    expect(stderr).toContain('warning: restore asleep #7: Whether n3-L40x1 is in stock for a restore is unknown.');
  });

  test.each([
    ['fails', 'status=500', 1, false, 'its metrics could not be read'],
    // A read may take an hour of the command's clock, which is three minutes of real time: longer than a test may.
    ['is late', 'kind=latency:10m', SPEED, true, 'no metrics yet'],
  ])('sends with --yes when reading costs and current work %s', async (_, fault, speed, isUncompared, why) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id, name} = await active(simulator);
    simulator.setFaults([
      `${fault},match=GET /billing/*`,
      `${fault},match=GET *metrics*`,
      `${fault},match=GET *flavors*`,
    ]);
    const given = await run(vmCommand, ['stop', name, '--yes', '--timeout', '1h'], {simulator, speed});
    expect(given).toMatchObject({exitCode: 0, stdout: `stop ${name} #${id}: accepted\n`, stderr: ONLY_ASSESSMENT});
    expect(given.stderr).toContain(`Whether it is working right now is unknown: ${why}.`);
    const uncompared =
      'skydeck: warning: not everything was read within 5 s: the cost and risk told are not compared before sending\n';
    expect(given.stderr.includes(uncompared)).toBe(isUncompared);
    expect(simulator.executions()).toMatchObject([{verb: 'stop', id}]);
    const dry = await run(vmCommand, ['start', name, '--dry-run', '--timeout', '1h'], {simulator, speed});
    expect(dry.stderr).not.toContain('not compared');
  });

  test('waits until the effect was seen', async () => {
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const {id, name} = await active(simulator);
    const given = await run(vmCommand, ['stop', String(id), '--yes', '--wait'], {simulator, speed: SPEED});
    expect(given).toMatchObject({exitCode: 0, stdout: `stop ${name} #${id}: confirmed\n`, stderr: ONLY_ASSESSMENT});
  });

  test.each([
    ['is carried out while it waits', '10m', 0, 'stdout', 'its effect was seen after all'],
    ['is still held up when the wait is over', '90s', 7, 'stderr', 'no effect seen so far; sent once; check its state'],
  ])('watches on when nothing was seen at first, and %s', async (_which, wait, exitCode, stream, words) => {
    // The service answers after three minutes of the command's clock, long after three readings without an effect.
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const {id, name} = await active(simulator);
    simulator.setFaults([`kind=latency:3s,when=before,match=GET */${id}/stop`]);
    const given = await run(vmCommand, ['stop', name, '--yes', `--wait=${wait}`], {simulator, speed: 60});
    expect(given).toMatchObject({exitCode, [stream]: expect.stringContaining(words)});
  });

  test('sends nothing when its journal would be written through a link, and exits with 6', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const folder = join(home.path, 'state', 'skydeck');
    mkdirSync(folder, {mode: 0o700});
    symlinkSync(home.path, join(folder, 'journal'));
    const {name} = await active(simulator);
    const {stdout, stderr, exitCode} = await run(vmCommand, ['stop', name, '--yes'], {simulator, home});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
    expect(stderr).toContain('links are not followed');
    expect(simulator.executions()).toEqual([]);
  });

  const NEW_VM = 'create x --environment research-ca --flavor n1-cpu-small --key-pair research-ca-team --image i';
  test.each([
    [volumeCommand, 'attach pg-data --vm train-01', 'pg-data #38104 is in-use, not available'],
    [volumeCommand, 'attach scratch-3 --vm bastion', 'scratch-3 #38113 is in another environment than the machine'],
    [firewallCommand, 'attach lab-old train-01', 'is in research-ca, the firewall in "dev sandbox"'],
  ])('asks nothing when the service would refuse: %#', async (command, line, reason) => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {exitCode, stderr, questions} = await run(command, line, {simulator, answers: ['y']});
    expect({exitCode, questions}).toEqual({exitCode: 1, questions: []});
    expect(stderr).toContain(`not sent: `);
    expect(stderr).toContain(reason);
    expect(simulator.executions()).toEqual([]);
  });

  const KEY_PAIRS = 'available: ines-laptop, research-ca-team and 1 more';
  const NEW_CLUSTER = 'create x --environment research-ca --key-pair research-ca-team --kubernetes-version 1.35.1';
  const WORKERS = '--node-flavor n3-L40x1 --node-count 1';
  test.each([
    [
      vmCommand,
      NEW_VM.replace('research-ca ', 'reserch-ca '),
      'environment "reserch-ca" not found; did you mean research-ca?',
    ],
    [
      vmCommand,
      NEW_VM.replace('n1-cpu-small', 'n3-L40x9'),
      'flavor "n3-L40x9" not found in CANADA-1; did you mean n3-L40x1?',
    ],
    [
      vmCommand,
      NEW_VM.replace('n1-cpu-small', 'huge'),
      /flavor "huge" not found in CANADA-1; available: .* and \d+ more/,
    ],
    [
      vmCommand,
      NEW_VM.replace('research-ca-team', 'ci-deploy'),
      `key pair "ci-deploy" not found in research-ca; ${KEY_PAIRS}`,
    ],
    [vmCommand, `${NEW_VM} --volume pg-data`, 'volume "pg-data" not found in research-ca; available: '],
    [vmCommand, 'resize train-02 --flavor n3-L40x9', 'flavor "n3-L40x9" not found in CANADA-1; did you mean n3-L40x1?'],
    [
      volumeCommand,
      'create x --environment nowhere --size 10',
      'environment "nowhere" not found; available: research-ca, ',
    ],
    [environmentCommand, 'create x --region NORWAY-2', 'region "NORWAY-2" not found; did you mean NORWAY-1?'],
    [
      clusterCommand,
      [...NEW_CLUSTER.split(' '), '--master-flavor', 'n1-cpu-medium', '--group', 'name=a flavor=n3-L50x1 count=1'],
      'flavor "n3-L50x1" not found in CANADA-1; did you mean n3-L40x1?',
    ],
    [
      clusterCommand,
      `${NEW_CLUSTER.replace('1.35.1', 'v1.35.1')} --master-flavor n1-cpu-medium ${WORKERS}`,
      'Kubernetes version "v1.35.1" not found in CANADA-1; did you mean 1.35.1?',
    ],
    [
      clusterCommand,
      `${NEW_CLUSTER} --master-flavor n1-cpu-medum ${WORKERS}`,
      'master flavor "n1-cpu-medum" not found in CANADA-1; did you mean n1-cpu-medium?',
    ],
    [
      clusterCommand,
      `${NEW_CLUSTER} --master-flavor n3-L40x1 ${WORKERS}`,
      'master flavor "n3-L40x1" not found in CANADA-1; available: n1-cpu-',
    ],
  ])('names what is nearest to a name that does not exist, and exits with 4: %#', async (command, line, reason) => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {exitCode, stderr, questions} = await run(command, line, {simulator, answers: ['y']});
    expect({exitCode, questions}).toEqual({exitCode: 4, questions: []});
    expect(stderr).toContain(': not sent: ');
    expect(stderr).toEqual(
      typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason),
    );
    expect(simulator.executions()).toEqual([]);
  });

  test('asks about a flavor that may exist because the list of flavors could not be read', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    simulator.setFaults(['status=500,match=GET /core/flavors*']);
    const {exitCode, stderr} = await run(vmCommand, `${NEW_VM.replace('n1-cpu-small', 'huge')} --dry-run`, {simulator});
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Whether research-ca has the flavor huge is unknown, and so are its price and stock.');
  });

  test('asks about a version and a master flavor that may exist because their lists could not be read', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    simulator.setFaults(['status=500,match=GET /core/clusters/*']);
    const line = `${NEW_CLUSTER.replace('1.35.1', '1')} --master-flavor huge ${WORKERS} --dry-run`;
    const {exitCode, stdout} = await run(clusterCommand, line, {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).toContain('POST /core/clusters ');
  });

  test.each([
    ['i', true],
    ['Ubuntu Server 24.04 LTS (Noble Numbat)', false],
  ])('warns before a machine is created when its region does not have the image: %s', async (image, isWarned) => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const words = [...NEW_VM.split(' ').slice(0, -1), image, '--dry-run'];
    const {exitCode, stderr} = await run(vmCommand, words, {simulator});
    expect(exitCode).toBe(0);
    expect(stderr.includes('is not an image of research-ca: the service may refuse it')).toBe(isWarned);
  });

  test('sends a creation when it is unknown whether its environment exists', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    simulator.setFaults(['status=500,match=GET /core/environments*']);
    const {exitCode} = await run(volumeCommand, 'create x --environment research-ca --size 10 --yes', {simulator});
    expect(exitCode).toBe(0);
  });

  test.each([
    [250, 'POST /core/virtual-machines', 0],
    [251, 'use a whole number from 1 to 250', 2],
  ])('creates as many machines at once as the service accepts: %i', async (count, words, exitCode) => {
    const simulator = await openSimulator({scenario: 'on-call'});
    // Every environment of the scenario has machines, and so less room than for that many.
    simulator.setFaults(['status=500,match=GET /core/environments/*/vm-quota']);
    const line = `${NEW_VM} --count ${count} --dry-run`;
    const given = await run(vmCommand, line, {simulator});
    expect(given.stdout + given.stderr).toContain(words);
    expect(given.exitCode).toBe(exitCode);
  });

  test('tells names that look like a hint at a key as they are', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    for (const name of ['web (b)', 'web (a b)']) {
      const made = await run(firewallCommand, ['create', name, '--environment', 'research-ca', '--yes'], {simulator});
      expect(made.exitCode).toBe(0);
    }
    const {stderr} = await run(firewallCommand, ['delete', 'web (b)', 'web (a b)', '--dry-run'], {simulator});
    expect(stderr).toMatch(/what happens: .*"web \(b\)" #\d+ /);
    expect(stderr).toMatch(/what happens: .*"web \(a b\)" #\d+ /);
    // The keys of the deck are left out.
    const stopped = await run(vmCommand, 'stop train-01 --dry-run', {simulator});
    expect(stopped.stderr).toMatch(/undo: stop train-01 #\d+: start it again\b(?! \()/);
  });

  test('creates machines with each label once, however often it was given', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {stdout} = await run(vmCommand, `${NEW_VM} --label prod --label web --label prod --dry-run`, {simulator});
    expect(stdout).toContain('"labels":["prod","web"]');
  });

  test('creates no more machines than the environment has room for, and sends if that is unknown', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {available_vms: room} = JSON.parse((await quotaOf(simulator, 'research-ca')).text);
    const created = (count: number) => run(vmCommand, `${NEW_VM} --count ${count} --dry-run`, {simulator});
    expect(await created(room)).toMatchObject({exitCode: 0, stdout: expect.stringContaining(`"count":${room}`)});
    const tooMany = await created(room + 1);
    expect(tooMany).toMatchObject({exitCode: 1, stdout: ''});
    expect(tooMany.stderr).toContain(`: not sent: the environment has room for ${room} more\n`);
    simulator.setFaults(['status=500,match=GET /core/environments/*/vm-quota']);
    expect((await created(room + 1)).exitCode).toBe(0);
  });

  test('creates no cluster with more machines than the environment has room for', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {available_vms: room} = JSON.parse((await quotaOf(simulator, 'research-ca')).text);
    // Two masters and no gateways come on top of the workers, of which a group has at most 20.
    const created = (machineCount: number) => {
      const groups = Array.from({length: Math.ceil((machineCount - 2) / 20)}, (_, index) => {
        const count = Math.min(20, machineCount - 2 - index * 20);
        return ['--group', `name=g${index} flavor=n3-L40x1 count=${count}`];
      });
      const masters = '--masters 2 --master-flavor n1-cpu-medium --mode standard --dry-run';
      return run(clusterCommand, [...NEW_CLUSTER.split(' '), ...masters.split(' '), ...groups.flat()], {simulator});
    };
    expect(await created(room)).toMatchObject({exitCode: 0, stdout: expect.stringContaining('"master_count":2')});
    const tooMany = await created(room + 1);
    expect(tooMany).toMatchObject({exitCode: 1, stdout: ''});
    expect(tooMany.stderr).toContain(
      `: not sent: ${room + 1} machines in all; the environment has room for ${room} more\n`,
    );
    simulator.setFaults(['status=500,match=GET /core/environments/*/vm-quota']);
    expect((await created(room + 1)).exitCode).toBe(0);
  });

  test('deletes a cluster that is stuck, as the service advises', async () => {
    const simulator = await openSimulator({scenario: 'stuck-cluster'});
    const given = await run(clusterCommand, 'delete k8s-batch --yes', {simulator});
    expect(given).toMatchObject({
      exitCode: 0,
      stdout: 'delete cluster k8s-batch #1655: accepted\n',
      stderr: ONLY_ASSESSMENT,
    });
    expect(simulator.executions()).toMatchObject([{verb: 'delete-cluster', id: 1655}]);
  });

  test('reconciles a cluster that is stuck', async () => {
    const simulator = await openSimulator({scenario: 'stuck-cluster', speed: 60});
    const given = await run(clusterCommand, 'reconcile k8s-batch --yes --wait', {simulator, speed: SPEED});
    expect(given).toMatchObject({
      exitCode: 0,
      stdout: 'reconcile k8s-batch #1655: confirmed\n',
      stderr: ONLY_ASSESSMENT,
    });
    expect(simulator.executions()).toMatchObject([{verb: 'reconcile', id: 1655}]);
  });

  test('counts no nodes of a cluster whose answer has none, as in an older form of it', async () => {
    const simulator = await openSimulator({scenario: 'stuck-cluster'});
    simulator.setFaults(['kind=without:nodes,match=GET /core/clusters*']);
    const {stderr} = await run(clusterCommand, 'delete k8s-batch --dry-run', {simulator});
    expect(stderr).toContain('It is deleted permanently, with all its nodes and all that runs on them.');
  });

  test.each<[string, object[], object, string]>([
    // Three nodes of 60 x 0.1 = 6 dollars an hour; the nodes without a machine may be any machine that names no cluster.
    [
      'all of them',
      [{id: 7}, {id: 8}, {id: 9}],
      {},
      'cost: delete cluster k #4: now $18.00/h  after $0.00/h  (saves $18.00/h)',
    ],
    [
      'one of them',
      [{id: 7}, {}, {id: null}],
      {},
      'cost: delete cluster k #4: now at least $6.00/h  after $0.00/h  (saves at least $6.00/h)  without machines whose cost is unknown',
    ],
    ['none of them', [{}, {}, {}], {}, 'cost: delete cluster k #4: The savings are unknown.'],
    // Only the first machine names a cluster, and all others name none.
    [
      'one of them, and no other is a node',
      [{id: 7}, {}, {}],
      {cluster_id: null},
      'cost: delete cluster k #4: now $6.00/h  after',
    ],
  ])('says what deleting a cluster saves if its nodes name %s', async (_, nodeMachines, field, cost) => {
    const cluster = {
      id: 4,
      name: 'k',
      status: 'ACTIVE',
      nodes: nodeMachines.map(instance => ({role: 'worker', status: 'ACTIVE', instance})),
    };
    const instances: object[] = [7, 8, 9].map(id => ({
      id,
      name: `w-${id}`,
      status: 'ACTIVE',
      contract_id: null,
      ...field,
    }));
    const {simulator} = await openService({
      '/core/clusters': {status: true, clusters: [cluster]},
      '/core/clusters/4': {status: true, cluster},
      '/core/virtual-machines': {
        status: true,
        count: 3,
        instances: 'cluster_id' in field ? instances.with(0, {...instances[0], cluster_id: 4}) : instances,
      },
      '/billing/billing/usage': {status: true, data: [7, 8, 9].map(id => aUsedMachine({resource_id: id}))},
    });
    const {stderr} = await run(clusterCommand, 'delete 4 --dry-run', {simulator});
    expect(stderr).toContain(cost);
    expect(stderr.includes('not all of its machines are known')).toBe(
      !cost.includes('18.00') && !('cluster_id' in field),
    );
  });

  test('refuses to delete an environment that is not empty with exit code 1 and the reason, as the deck does', async () => {
    const simulator = await openSimulator();
    const given = await run(environmentCommand, ['delete', 'dev sandbox', '--yes'], {simulator});
    expect(given).toMatchObject({exitCode: 1, stdout: ''});
    expect(given.stderr).toMatch(/^skydeck: delete environment "dev sandbox" #\d+: not sent: not empty: \d+ machines/);
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    [firewallCommand, ['create', 'edge', '--environment', 'research-ca'], 'firewall edge already exists, #'],
    [firewallCommand, ['create', '', '--environment', 'production-ca'], 'name: a name is needed'],
    [environmentCommand, ['create', 'x'.repeat(51), '--region', 'CANADA-1'], 'name: 51 characters, at most 50'],
    [
      volumeCommand,
      ['create', 'v1', '--size', '10', '--environment', 'production-ca', '--callback-url', 'ftp://host/x'],
      'callback URL: an address like https://host/path',
    ],
  ])('refuses to create what the form of the deck refuses: %#', async (command, words, reason) => {
    const simulator = await openSimulator();
    for (const flag of ['--dry-run', '--yes']) {
      const given = await run(command, [...words, flag], {simulator});
      expect(given).toMatchObject({exitCode: 1, stdout: ''});
      expect(given.stderr).toContain(`: not sent: ${reason}`);
    }
    expect(simulator.executions()).toEqual([]);
  });

  test('refuses to reconcile a cluster that is still being created with exit code 1 and the reason, as the deck does', async () => {
    const cluster = {id: 7, name: 'young', status: 'CREATING', created_at: new Date(Date.now() - 60_000).toISOString()};
    const {simulator, asked} = await openService({'/core/clusters/7': {cluster}});
    const given = await run(clusterCommand, 'reconcile 7 --yes', {simulator});
    expect(given).toMatchObject({exitCode: 1, stdout: ''});
    expect(given.stderr).toBe('skydeck: reconcile young #7: not sent: it is still being created\n');
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test('exits with 7 when the wait times out', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    const given = await run(vmCommand, `stop ${id} --yes --wait=1s`, {simulator});
    expect(given).toMatchObject({exitCode: 7, stdout: ''});
    expect(given.stderr).toContain('timed out before its effect was seen');
  });

  test('sends nothing for a dry run, and shows the exact call', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id, name} = await active(simulator);
    const given = await run(vmCommand, ['hibernate', name, '--dry-run', '--read-only'], {simulator});
    expect(given).toMatchObject({
      exitCode: 0,
      stdout: `GET /core/virtual-machines/${id}/hibernate?retain_ip=true\n`,
      stderr: ONLY_ASSESSMENT,
    });
    expect(simulator.executions()).toEqual([]);
  });

  test('refuses in a dry run what would not be sent, with the same words and exit code 1', async () => {
    const simulator = await openSimulator();
    const {id = 0} = (await fleet(simulator)).find(({status}) => status === 'SHUTOFF') ?? {};
    const running = await active(simulator);
    const alone = await run(vmCommand, `hibernate ${id} --dry-run`, {simulator});
    expect(alone).toMatchObject({exitCode: 1, stdout: ''});
    expect(alone.stderr).toContain('not sent: must be ACTIVE, but is SHUTOFF');
    const both = await run(vmCommand, `hibernate ${id} ${running.id} --dry-run`, {simulator});
    expect(both).toMatchObject({
      exitCode: 1,
      stdout: `GET /core/virtual-machines/${running.id}/hibernate?retain_ip=true\n`,
    });
    expect(both.stderr).toContain('not sent: must be ACTIVE, but is SHUTOFF');
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    ['y', ': "y" is not "etl-01"'],
    ['etl-02', ': "etl-02" is not "etl-01"'],
    ['', ''],
    [undefined, ''],
  ])('says what was typed instead of the answer: %s', async (typed, why) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const answers = typed === undefined ? [] : [typed];
    const {exitCode, stderr} = await run(vmCommand, 'delete etl-01', {simulator, answers});
    expect([exitCode, stderr.trimEnd().split('\n').at(-1)]).toEqual([2, `skydeck: nothing was sent${why}`]);
    expect(simulator.executions()).toEqual([]);
  });

  test('prints the cost without a terminal too, and sends nothing', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    const {exitCode, stderr} = await run(vmCommand, `stop ${id}`, {simulator});
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^skydeck: cost: stop .*: SHUTOFF is billed like ACTIVE: stopping saves nothing\.$/m);
    expect(stderr).toMatch(/^skydeck: cost: stop .*: now \$[\d.]+\/h {2}after \$[\d.]+\/h/m);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(
      'skydeck: nothing was sent: without a terminal to confirm on, add --yes',
    );
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    ['in a read-only session', 'stop {id} --yes --read-only', 'this session is read-only'],
    ['for a line count that is not a number', 'logs {id} --lines abc', 'a whole number from 1 to 10000'],
    ['for no lines at all', 'logs {id} --lines 0', 'a whole number from 1 to 10000'],
    ['for too many lines', 'logs {id} --lines 10001', 'a whole number from 1 to 10000'],
    ['when an option is missing', 'resize {id} --yes', '--flavor'],
    ['for no machine', 'stop --yes', 'vm'],
    ['for an unknown verb', 'stopp {id} --yes', '; did you mean stop? (skydeck vm --help lists them)'],
    ['for a verb like no known one', 'list {id}', '(skydeck vm --help lists them)'],
    ['for no verb', '', 'skydeck vm needs a command: start, stop, hibernate, hard-reboot, restore'],
  ])('sends nothing %s, and exits with 2', async (_, line, words) => {
    const simulator = await openSimulator();
    const {id} = await active(simulator);
    const {exitCode, stdout, stderr} = await run(vmCommand, line.replace('{id}', String(id)), {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
    expect(stderr).toContain(words);
    expect(withoutAssessment(stderr).trimEnd().split('\n')).toHaveLength(1);
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    ['stop 7', vmCommand, {'/core/virtual-machines/7': {instance: {id: 8, name: 'other', status: 'ACTIVE'}}}],
    ['delete 7', vmCommand, {'/core/virtual-machines/7': {instance: {id: 8, name: 'other', status: 'ACTIVE'}}}],
    ['delete 7', volumeCommand, {'/core/volumes/7': {volume: {id: 8, name: 'other', status: 'available'}}}],
    ['delete 7', firewallCommand, {'/core/firewalls/7': {firewall: {id: 8, name: 'other', status: 'SUCCESS'}}}],
    ['delete 7', clusterCommand, {'/core/clusters/7': {cluster: {id: 8, name: 'other', status: 'ACTIVE'}}}],
    ['delete 7', environmentCommand, {'/core/environments/7': {environment: {id: 8, name: 'other'}}}],
  ])('sends nothing when the answer is about another id: %s', async (line, command, answers) => {
    const {simulator, asked} = await openService(answers);
    const {exitCode, stderr} = await run(command, `${line} --yes`, {simulator});
    expect(exitCode).toBe(6);
    expect(stderr).toContain('asked for #7, got #8');
    expect(asked.filter(({method, path}) => method !== 'GET' || path.endsWith('/stop'))).toEqual([]);
  });

  test('folds the question between words where the terminal is narrow', async () => {
    const simulator = await openSimulator();
    const ask = async (errorColumns?: number) =>
      (
        await run(vmCommand, 'delete train-02', {
          simulator,
          answers: [''],
          ...(errorColumns === undefined ? {} : {errorColumns}),
        })
      ).stderr;
    const [wide, narrow] = [await ask(), await ask(60)];
    const lines = narrow.split('\n').slice(0, -2);
    expect(wide.split('\n').some(line => line.length > 60)).toBe(true);
    expect(lines.filter(line => line.length > 60)).toEqual([]);
    // Every word is whole, and what was folded is indented like its first line.
    const words = (text: string) => new Set(text.split(/\s+/));
    const now = /^\$|^\d/;
    expect([...words(narrow)].filter(word => !words(wide).has(word) && !now.test(word))).toEqual([]);
    expect(lines.filter(line => /^\S/.test(line))).toEqual([lines[0]]);
  });

  const L40 = {id: 3, name: 'n3-L40', region_name: 'CANADA-1', cpu: 16, ram: 128, disk: 100, gpu: 'L40', gpu_count: 1};
  const GPU_7 = {id: 7, name: 'gpu-7', status: 'SHUTOFF', flavor: L40, floating_ip: null, cluster_id: null};
  const DATA = {id: 50, name: 'data', status: 'available', size: 100};
  const EDGE = {id: 30, name: 'edge', status: 'SUCCESS', rules: [], attachments: []};

  const CHANGES = [
    [
      vmCommand,
      'start gpu-7',
      'virtual-machines',
      {...GPU_7, flavor: {...L40, gpu_count: 8}},
      'the cost is not as shown: now $8.00/h afterwards, no change in cost',
    ],
    [volumeCommand, 'attach data --vm gpu-7', 'volumes', {...DATA, name: 'prod-db'}, 'volume #50 is now prod-db'],
    [volumeCommand, 'attach data --vm gpu-7', 'volumes', {...DATA, size: 500}, 'the size of volume #50 is now 500 GB'],
    [
      firewallCommand,
      'attach edge gpu-7',
      'virtual-machines',
      {...GPU_7, name: 'prod-db'},
      'machine #7 is now prod-db',
    ],
    [firewallCommand, 'attach edge gpu-7', 'firewalls', {...EDGE, name: 'open'}, 'the name is now open'],
  ] as const;

  test.each(
    CHANGES.flatMap(change => [['', ...change] as const, [' --yes', ...change] as const]),
  )('sends nothing if what was said has changed when it is answered, or told for --yes: %#', async (yes, command, words, path, changed, reason) => {
    const world: Record<string, object> = {'virtual-machines': GPU_7, volumes: DATA, firewalls: EDGE};
    const keys = {
      'virtual-machines': ['instances', 'instance'],
      volumes: ['volumes', 'volume'],
      firewalls: ['firewalls', 'firewall'],
    };
    const answers: Record<string, unknown> = {
      '/billing/billing/usage': {status: true, message: '', data: []},
    };
    const put = () => {
      for (const [kind, [many = '', one = '']] of Object.entries(keys)) {
        answers[`/core/${kind}`] = {status: true, count: 1, [many]: [world[kind]]};
        answers[`/core/${kind}/${'id' in (world[kind] ?? {}) ? Object(world[kind]).id : ''}`] = {
          status: true,
          [one]: world[kind],
        };
      }
    };
    put();
    const {simulator, asked} = await openService(answers);
    const onError = (text: string) => {
      if (!/what happens/i.test(text)) return;
      world[path] = changed;
      put();
    };
    const {exitCode, stderr, questions} = await run(command, words + yes, {simulator, answers: ['y'], onError});
    expect(questions).toHaveLength(yes === '' ? 1 : 0);
    expect(stderr).toContain(reason);
    expect(exitCode).toBe(6);
    expect(asked.filter(({method, path: to}) => method !== 'GET' || to.endsWith('/start'))).toEqual([]);
  });

  const PLACE = {id: 11, name: 'prod', region: 'CANADA-1'};
  const PAIR = {id: 21, name: 'team', environment: PLACE, fingerprint: 'aa:01', public_key: 'ssh-ed25519 AAAA ana'};
  const IMAGE = {
    id: 31,
    name: 'Ubuntu',
    region_name: 'CANADA-1',
    type: 'Ubuntu',
    display_size: '2 GB',
    is_public: true,
  };
  const SCRATCH = {...DATA, name: 'scratch', environment: {name: 'prod'}};
  /** Everything that new machines are made of, in the answers of a service. */
  const madeOf = {
    '/core/environments': {status: true, count: 1, environments: [PLACE]},
    '/core/keypairs': {status: true, count: 1, keypairs: [PAIR]},
    '/core/images': {status: true, images: [{region_name: 'CANADA-1', type: 'Ubuntu', images: [IMAGE]}]},
    '/core/flavors': {status: true, data: [{gpu: 'L40', region_name: 'CANADA-1', flavors: [L40]}]},
    '/core/volumes': {status: true, count: 1, volumes: [SCRATCH]},
    '/core/stocks': {status: true, stocks: []},
    '/core/virtual-machines': {status: true, count: 0, instances: []},
    '/pricebook': [{id: 1, name: 'L40', value: '1.000000000', original_value: '1.000000000'}],
  };
  const CREATE = 'create x1 --environment prod --flavor n3-L40 --key-pair team --image Ubuntu --volume scratch';
  const SENT = {status: true, instances: [{id: 99, name: 'x1', status: 'CREATING'}]};

  const INGREDIENTS: readonly (readonly [answers: object, reason: string])[] = [
    [
      {
        '/core/flavors': {
          status: true,
          data: [{gpu: 'L40', region_name: 'CANADA-1', flavors: [{...L40, cpu: 1, ram: 2}]}],
        },
      },
      'flavor n3-L40 is now 1 cores, 2 GB, 1 × L40',
    ],
    [
      {
        '/core/flavors': {
          status: true,
          data: [{gpu: 'L40', region_name: 'CANADA-1', flavors: [{...L40, gpu_count: 8}]}],
        },
      },
      'the cost is not as shown: now $8.00/h afterwards',
    ],
    [{'/core/flavors': {status: true, data: []}}, 'the cost is not as shown: now unknown'],
    [
      {'/pricebook': [{id: 1, name: 'L40', value: '99.0', original_value: '99.0'}]},
      'the cost is not as shown: now $99.00/h afterwards',
    ],
    [
      {'/core/environments': {status: true, count: 1, environments: [{...PLACE, id: 12}]}},
      'environment prod is now #12 in CANADA-1',
    ],
    [
      {'/core/keypairs': {status: true, count: 1, keypairs: [{...PAIR, fingerprint: 'bb:02'}]}},
      'the fingerprint of key pair team is now bb:02',
    ],
    [
      {'/core/keypairs': {status: true, count: 1, keypairs: [{...PAIR, public_key: 'ssh-ed25519 EVIL eve'}]}},
      'the public key of key pair team is now ssh-ed25519 EVIL eve',
    ],
    [{'/core/keypairs': {status: true, count: 0, keypairs: []}}, 'key pair team was removed meanwhile'],
    [
      {
        '/core/images': {
          status: true,
          images: [{region_name: 'CANADA-1', images: [{...IMAGE, id: 32, type: 'Windows'}]}],
        },
      },
      'image Ubuntu is now #32 Windows 2 GB',
    ],
    [
      {'/core/volumes': {status: true, count: 1, volumes: [{...SCRATCH, id: 51, size: 500}]}},
      'volume scratch is now #51 500 GB',
    ],
  ];

  test.each(
    INGREDIENTS.flatMap(each => [['', ...each] as const, [' --yes', ...each] as const]),
  )('creates nothing if what it is made of is another thing when it is answered: %#', async (yes, changed, reason) => {
    const {asked, ...ran} = await createWhile(changed, {line: CREATE + yes});
    expect(ran.stderr).toContain(reason);
    expect(ran.exitCode).toBe(6);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test.each([
    ['another name', [{...PLACE, name: 'staging'}], 'environment #11 is now staging in CANADA-1'],
    ['another region', [{...PLACE, region: 'NORWAY-1'}], 'environment #11 is now prod in NORWAY-1'],
    ['none', [{...PLACE, id: 12}], 'environment #11 was removed meanwhile'],
  ])('creates no firewall if its environment has %s when it is answered', async (_what, environments, reason) => {
    const changed = {'/core/environments': {status: true, count: 1, environments}};
    const line = 'create edge --environment prod';
    const {asked, ...ran} = await createWhile(changed, {command: firewallCommand, line});
    expect(ran.stderr).toContain(reason);
    expect(ran.exitCode).toBe(6);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test('creates nothing at a price that rose right after the question', async () => {
    const dearer = {'/pricebook': [{id: 1, name: 'L40', value: '99.0', original_value: '99.0'}]};
    const {asked, ...ran} = await createWhile(dearer, {line: CREATE, ageMs: 0});
    expect(ran.stderr).toContain('the cost is not as shown: now $99.00/h afterwards');
    expect(ran.exitCode).toBe(6);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test('creates if what it is made of is the same, which is read again after an answer, or once it is older than 5 s', async () => {
    const readsOf = async (ageMs: number, line = `${CREATE} --yes`) => {
      const {asked, exitCode} = await createWhile({}, {line, ageMs});
      expect(exitCode).toBe(0);
      expect(asked.filter(({method}) => method !== 'GET')).toHaveLength(1);
      return asked.filter(({path}) => /^\/core\/(?:environments|keypairs|images|flavors|volumes)(?:\?|$)/.test(path))
        .length;
    };
    const young = await readsOf(0);
    expect([await readsOf(6000), await readsOf(0, CREATE)]).toEqual([2 * young, 2 * young]);
  });

  test('creates if the price is lower when it is answered', async () => {
    const cheaper = {'/pricebook': [{id: 1, name: 'L40', value: '0.9', original_value: '0.9'}]};
    const {asked, exitCode} = await createWhile(cheaper, {line: CREATE});
    expect(exitCode).toBe(0);
    expect(asked.filter(({method}) => method !== 'GET')).toHaveLength(1);
  });

  test.each([
    ['the higher of two prices, of which one has a discount', [['L40', '2.5', '3.0']], '$3.00/h'],
    ['the price by the name of the flavor', [['n3-L40', '4.0', '4.0']], '$4.00/h'],
    ['the published price without a price in the list', [['H100', '2.5', '2.5']], '$1.00/h'],
    ['the published price instead of none', [['L40', '0E-9', '0E-9']], '$1.00/h'],
  ])('says what a new machine costs by the price list of the account: %s', async (_what, prices, perHour) => {
    const list = prices.map(([name, value, original_value]) => ({name, value, original_value}));
    const {simulator} = await openService({...madeOf, '/pricebook': list});
    const {stderr} = await run(vmCommand, CREATE, {simulator, answers: ['']});
    expect(stderr).toContain(`${perHour}  `);
  });

  // 500 GB at $0.0002 for each GB, and the 730 hours of a month; a discount may not apply to something new.
  test.each([
    [
      volumeCommand,
      'create v --environment prod --size 500',
      '$0.10/h  $73.00 for 730 h  at the price in the price list',
    ],
    [ipCommand, 'attach 7', 'adds $0.0100/h  at the price in the price list'],
    [vmCommand, `${CREATE} --public-ip`, '$1.01/h  $737.30 for 730 h'],
  ])('says what storage and addresses cost by the price list of the account: %#', async (command, line, cost) => {
    const price = (name: string, value: string, original_value = value) => ({name, value, original_value});
    const {simulator} = await openService({
      ...madeOf,
      '/core/virtual-machines': {status: true, count: 1, instances: [GPU_7]},
      '/core/virtual-machines/7': {status: true, instance: GPU_7},
      '/pricebook': [price('L40', '1.0'), price('Cloud-SSD', '0.0001', '0.0002'), price('Public IP', '0.01')],
    });
    const {stderr} = await run(command, line, {simulator, answers: ['']});
    expect(stderr).toContain(cost);
  });

  // Both sizes at the list's $3 for each GPU, not the present one at the published dollar.
  test('prices both sizes of a machine by the price list of the account', async () => {
    const machine = {...GPU_7, environment: {name: 'prod', region: 'CANADA-1'}};
    const {simulator} = await openService({
      ...madeOf,
      '/core/virtual-machines': {status: true, count: 1, instances: [machine]},
      '/core/virtual-machines/7': {status: true, instance: machine},
      '/core/flavors': {
        status: true,
        data: [{gpu: 'L40', region_name: 'CANADA-1', flavors: [L40, {...L40, id: 22, name: 'n3-L40x2', gpu_count: 2}]}],
      },
      '/billing/billing/usage': {status: true, instances: []},
      '/pricebook': [{name: 'L40', value: '3', original_value: '3'}],
    });
    const {stderr} = await run(vmCommand, 'resize 7 --flavor n3-L40x2', {simulator, answers: ['']});
    expect(stderr).toContain('now $3.00/h  after $6.00/h');
  });

  test('creates nothing if what it is made of cannot be read again', async () => {
    const {asked, ...ran} = await createWhile({'/core/keypairs': undefined}, {line: CREATE});
    expect(ran.stderr).toContain('not sent: the check before sending failed');
    expect(ran.exitCode).not.toBe(0);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  /** Creates a machine with a command, while the answers of the service change and the question gets older. */
  async function createWhile(
    changed: object,
    {
      command = vmCommand,
      line,
      ageMs = 6000,
    }: {readonly command?: BuildCommand; readonly line: string; readonly ageMs?: number},
  ) {
    const answers: Record<string, unknown> = {
      ...madeOf,
      '/core/firewalls': {status: true, count: 0, firewalls: []},
      'POST /core/firewalls': {status: true, firewall: {id: 98, name: 'edge', status: 'SUCCESS'}},
      'POST /core/virtual-machines': SENT,
    };
    const {simulator, asked} = await openService(answers);
    let laterMs = 0;
    const clock = clockAhead(() => laterMs);
    const onError = (text: string) => {
      if (!/what happens/i.test(text)) return;
      Object.assign(answers, changed);
      laterMs = ageMs;
    };
    return {asked, ...(await run(command, line, {simulator, answers: ['y'], onError, clock}))};
  }

  test.each([
    [4, 0],
    [6, 2],
    [8 * 60, 2],
  ])('takes an answer after %d minutes with exit code %d, since what the question said gets old', async (minutes, code) => {
    const {simulator, asked} = await openService({
      '/core/virtual-machines': {status: true, count: 1, instances: [GPU_7]},
      '/core/virtual-machines/7': {status: true, instance: GPU_7},
      'GET /core/virtual-machines/7/start': {status: true, message: 'scheduled'},
    });
    let sleptMs = 0;
    const clock = clockAhead(() => sleptMs);
    const onError = (text: string) => {
      if (text.includes('What happens')) sleptMs = minutes * MINUTE_MS;
    };
    const {exitCode, stderr} = await run(vmCommand, 'start gpu-7', {simulator, answers: ['y'], onError, clock});
    expect(exitCode).toBe(code);
    if (code !== 0)
      expect(stderr).toMatch(/nothing was sent: the question was \S+( \S+)? old; its cost and risk may have changed/);
    expect(asked.filter(({path}) => path.endsWith('/start'))).toHaveLength(code === 0 ? 1 : 0);
  });

  test('needs an id when several machines have the name', async () => {
    const instances = [7, 8].map(id => ({id, name: 'twin', status: 'ACTIVE'}));
    const {simulator, asked} = await openService({'/core/virtual-machines': {instances, count: 2}});
    const {exitCode, stderr} = await run(vmCommand, ['stop', 'twin', '--yes'], {simulator});
    expect(exitCode).toBe(2);
    expect(stderr).toContain('2 are called "twin"');
    expect(asked.filter(({path}) => path.endsWith('/stop'))).toEqual([]);
  });

  test.each([
    ['y', 0],
    ['Y', 2],
    ['', 2],
    ['no', 2],
  ])('asks on a terminal, and exits for %j with %i', async (answer, exitCode) => {
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const {id, name} = await shutOff(simulator);
    const given = await run(vmCommand, `start ${id}`, {simulator, answers: [answer]});
    expect(given.exitCode).toBe(exitCode);
    expect(given.stderr).toContain(`start ${name}  #${id}\n  What happens\n    It boots and becomes ACTIVE.`);
    expect(given.stderr).toContain(`1: GET /core/virtual-machines/${id}/start\n`);
    expect(given.questions).toHaveLength(1);
    const started = simulator.executions().filter(({verb}) => verb === 'start');
    expect(started).toHaveLength(exitCode === 0 ? 1 : 0);
  });

  test('asks for the full name before the last rule for outgoing traffic is removed', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
    const {
      id,
      name,
      security_rules: rules,
    } = instances.find(({security_rules}: {security_rules: object[]}) => security_rules.length > 0);
    const {id: ruleId} = rules.find(
      ({direction, ethertype}: {direction: string; ethertype: string}) =>
        direction === 'egress' && ethertype === 'IPv6',
    );
    const line = `remove ${ruleId} --vm ${id}`;
    const refused = await run(ruleCommand, line, {simulator, answers: ['y']});
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('This stops: all outgoing IPv6 traffic: DNS, HTTPS, package updates');
    expect(simulator.executions()).toEqual([]);
    expect((await run(ruleCommand, line, {simulator, answers: [name]})).exitCode).toBe(0);
    expect(simulator.executions()).toHaveLength(1);
  });

  test('asks for the full name before an action that cannot be undone', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id, name} = await active(simulator);
    const given = await run(vmCommand, `delete ${id}`, {simulator, answers: ['y']});
    expect(given).toMatchObject({exitCode: 2, stdout: ''});
    expect(given.questions[0]).toContain(`Type ${name} to send it once`);
    expect(simulator.requests().filter(({method}) => method === 'DELETE')).toEqual([]);
  });

  test('warns of names that look like others, for one machine and for many', async () => {
    const instances = ['g\u0440u-1', 'gpu\u200b-1', 'gpu-1'].map((name, index) => ({
      id: index + 7,
      name,
      status: 'ACTIVE',
    }));
    const {simulator} = await openService(
      Object.fromEntries(
        instances.map(instance => [`/core/virtual-machines/${instance.id}`, {status: true, instance}]),
      ),
    );
    const {stderr} = await run(vmCommand, 'stop 7 8 9', {simulator, answers: ['']});
    expect(stderr).toContain(
      '"g\u0440u-1", "gpu<U+200B>-1": the name has hidden or look-alike characters; compare the ids.',
    );
    const alone = await run(vmCommand, 'stop 7', {simulator, answers: ['']});
    expect(alone.stderr).toContain('  Its name mixes look-alike alphabets');
  });

  test('asks like the deck, with costs before and after, current work and what stopping saves, for one and for many', async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const running = (await fleet(simulator))
      .filter(({status, cluster_id}) => status === 'ACTIVE' && cluster_id === null)
      .slice(0, 3);
    const [one] = running.map(({id}) => id);
    const alone = await run(vmCommand, `stop ${one}`, {simulator, answers: ['n']});
    const many = await run(vmCommand, `stop ${running.map(({id}) => id).join(' ')}`, {simulator, answers: ['n']});
    expect(many.questions[0]).toContain('Type stop 3 to send them once');
    for (const {stderr} of [alone, many]) {
      expect(stderr).toMatch(/ {2}What it costs\n {4}SHUTOFF is billed like ACTIVE: stopping saves nothing\.\n/);
      expect(stderr).toMatch(/ {4}now \$[\d.]+\/h {2}after \$[\d.]+\/h {2}\(no change in cost\)/);
      expect(stderr).toMatch(/WORKING right now|quiet/);
    }
    expect(simulator.executions()).toEqual([]);
  });

  test('warns of the SSH session that it runs in, and then requires the full name', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const reachable = (await fleet(simulator)).filter(
      ({floating_ip, cluster_id}) => floating_ip !== null && cluster_id === null,
    );
    const {id, name, floating_ip: address} = machineIn(reachable, 'ACTIVE');
    const env = {SSH_CONNECTION: `198.51.100.7 50000 ${address} 22`};
    const {stderr, questions} = await run(vmCommand, `stop ${id}`, {simulator, answers: ['y'], env});
    expect(stderr).toContain(
      `Your own SSH session is connected to ${address}, an address of this machine: it may be cut off.`,
    );
    expect(questions[0]).toContain(`Type ${name} to send it once`);
    expect(simulator.executions()).toEqual([]);
  });

  test('says before any question what the state does not allow, and exits with 1', async () => {
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const {id, name} = await shutOff(simulator);
    const {id: running, name: runningName} = await active(simulator);
    const given = await run(vmCommand, `hibernate ${id}`, {simulator, answers: ['y']});
    expect(given).toMatchObject({exitCode: 1, stdout: '', questions: []});
    expect(given.stderr).toContain(`hibernate ${name} #${id}: not sent: must be ACTIVE, but is SHUTOFF`);
    const both = await run(vmCommand, `stop ${id} ${running}`, {simulator, answers: ['n']});
    expect(both.stderr).toContain(`skipped: ${name}: already SHUTOFF`);
    expect(both.stderr).toMatch(new RegExp(`^stop ${runningName} {2}#${running}$`, 'm'));
    expect(both.stderr).not.toMatch(/1 machine|them|All are|one after the other/);
    // One machine is left, confirmed like a single one: by its name if it is working right now.
    expect(both.questions[0]).toMatch(new RegExp(`Type (?:y|${runningName}) to send it once`));
    expect(simulator.executions()).toMatchObject([{verb: 'stop', id}]);
  });

  test('says what an address costs and that it is lost, and refuses to detach a missing one without a question', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const free = (await fleet(simulator)).filter(({status, cluster_id}) => status === 'ACTIVE' && cluster_id === null);
    const having = free.find(({floating_ip}) => floating_ip !== null);
    const without = free.find(({floating_ip}) => floating_ip === null);
    const detach = await run(ipCommand, `detach ${having?.id}`, {simulator, answers: ['y']});
    expect(detach.stderr).toContain(`${having?.floating_ip} is released permanently`);
    expect(detach.stderr).toMatch(/saves \$[\d.]+\/h/);
    expect(detach.questions[0]).toContain(`Type ${having?.name} to send it once`);
    const nothing = await run(ipCommand, `detach ${without?.id}`, {simulator, answers: ['y']});
    expect(nothing).toMatchObject({exitCode: 1, questions: []});
    expect(nothing.stderr).toContain('not sent: it has no public address');
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    ['stop', 'its power is managed by the cluster'],
    ['delete', 'it is deleted with its cluster'],
  ])('does not %s a node of a cluster, and exits with 1', async (verb, reason) => {
    const simulator = await openSimulator();
    const node = (await fleet(simulator)).find(machine => machine.cluster_id !== null);
    const {exitCode, stderr} = await run(vmCommand, `${verb} ${node?.id} --yes`, {simulator});
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`not sent: a node of cluster #${node?.cluster_id}: ${reason}`);
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    [vmCommand, 'label NODE --add x'],
    [vmCommand, 'resize NODE --flavor n3-L40x1'],
    [ipCommand, 'attach NODE'],
    [ipCommand, 'detach NODE'],
    [callbackCommand, 'set NODE --url https://hooks.example/x'],
    [callbackCommand, 'remove NODE'],
    [volumeCommand, 'detach scratch-3 --vm NODE'],
  ])('leaves a node to its cluster, as the deck does: %#', async (command, line) => {
    const simulator = await openSimulator();
    const node = (await fleet(simulator)).find(({status, cluster_id}) => status === 'ACTIVE' && cluster_id !== null);
    const {exitCode, stderr} = await run(command, line.replace('NODE', String(node?.id)), {simulator, answers: ['y']});
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`not sent: a node of cluster #${node?.cluster_id}: managed by the cluster`);
    expect(simulator.executions()).toEqual([]);
  });

  test.each<[BuildCommand, string, string]>([
    [vmCommand, 'stop NODE', 'its power is managed by the cluster'],
    [vmCommand, 'hibernate NODE', 'its power is managed by the cluster'],
    [vmCommand, 'hard-reboot NODE', 'its power is managed by the cluster'],
    [vmCommand, 'delete NODE', 'it is deleted with its cluster'],
    [vmCommand, 'resize NODE --flavor n3-L40x1', 'managed by the cluster'],
    [ipCommand, 'detach NODE', 'managed by the cluster'],
  ])('leaves a machine to the cluster that lists it as its node, also if its record names no cluster: %#', async (command, line, words) => {
    const faults = ['kind=without:cluster_id,match=GET /core/virtual-machines*'];
    const simulator = await openSimulator({faults});
    const {clusters} = JSON.parse((await rawAnswer(simulator, '/core/clusters')).text);
    const nodes: {role: string; instance: {id: number; name: string}}[] = clusters[0].nodes;
    const {id, name} = nodes.find(({role}) => role === 'worker')?.instance ?? {};
    for (const word of [id, name]) {
      const {exitCode, stderr} = await run(command, `${line.replace('NODE', `${word}`)} --yes`, {simulator});
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`not sent: a node of cluster #${clusters[0].id}: ${words}`);
    }
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    null,
    '',
  ])('takes a machine whose record says %j for no node, whatever a cluster lists', async cluster_id => {
    const {stdout, exitCode} = await stopOf({cluster_id}, {nodes: [A_NODE]});
    expect(stdout).toBe('GET /core/virtual-machines/7/stop\n');
    expect(exitCode).toBe(0);
  });

  test.each<[string, object | undefined]>([
    ['the clusters', undefined],
    ['the nodes of a cluster', {}],
    ['the machine of a node', {nodes: [{...A_NODE, instance: null}]}],
  ])('warns that a machine may be a node where %s could not be read', async (_, cluster) => {
    const {stdout, stderr, exitCode} = await stopOf({}, cluster);
    expect(stderr).toContain(
      'warning: stop w-7 #7: Whether it is a node of a cluster is unknown: the clusters were not all read.\n',
    );
    expect(stdout).toBe('GET /core/virtual-machines/7/stop\n');
    expect(exitCode).toBe(0);
  });

  test('reads the clusters again after a failure that may pass, before it sends what a node would be refused', async () => {
    const {simulator, nodeId, clusterId} = await silentNode();
    simulator.setFaults([NAMELESS_NODES, 'status=503,match=GET /core/clusters*,times=1']);
    const {exitCode, stderr} = await run(vmCommand, `stop ${nodeId} --yes`, {simulator, speed: SPEED});
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`not sent: a node of cluster #${clusterId}: its power is managed by the cluster`);
    expect(simulator.executions()).toEqual([]);
  });

  test.each([
    'stop',
    'delete',
    'hibernate',
    'hard-reboot',
  ])('does not %s with --yes what may be a node, after three readings of the clusters, and exits with 6', async verb => {
    const {simulator, nodeId} = await silentNode();
    simulator.setFaults([NAMELESS_NODES, 'status=503,match=GET /core/clusters*']);
    const before = simulator.requests().length;
    const {exitCode, stdout, stderr} = await run(vmCommand, `${verb} ${nodeId} --yes`, {simulator, speed: SPEED});
    expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
    expect(stderr).toMatch(/not sent: whether it is a node of a cluster is unknown: clusters: .*503.*\n$/);
    expect(simulator.executions()).toEqual([]);
    const asked = simulator.requests().slice(before);
    expect(asked.filter(({path}) => path.startsWith('/core/clusters'))).toHaveLength(3);
  });

  test('leaves it to a person who is asked whether what may be a node is sent', async () => {
    const {simulator, nodeId} = await silentNode();
    simulator.setFaults([NAMELESS_NODES, 'status=503,match=GET /core/clusters*']);
    const {questions, stderr} = await run(vmCommand, `stop ${nodeId}`, {simulator, answers: ['n'], speed: SPEED});
    expect(stderr).toContain('Whether it is a node of a cluster is unknown: the clusters were not all read.');
    expect(questions).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['the nodes of a cluster', {}, 'the clusters do not list all their machines'],
    ['the machine of a node', {nodes: [{...A_NODE, instance: null}]}, 'the clusters do not list all their machines'],
  ])('does not send with --yes where %s could not be read', async (_, cluster, why) => {
    const {stdout, stderr, exitCode} = await stopOf({}, cluster, '--yes');
    expect(stderr).toContain(`stop w-7 #7: not sent: whether it is a node of a cluster is unknown: ${why}`);
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
  });

  test('reads the clusters only for what a node would be refused', async () => {
    const {simulator, asked} = await openService({
      '/core/virtual-machines/7': {status: true, instance: {id: 7, name: 'w-7', status: 'ACTIVE', labels: []}},
    });
    for (const [command, line] of [
      [consoleCommand, '7 --dry-run'],
      [vmCommand, 'logs 7 --dry-run'],
    ] as const) {
      expect(await run(command, line, {simulator})).toMatchObject({exitCode: 0});
    }
    expect(asked.filter(({path}) => path.startsWith('/core/clusters'))).toEqual([]);
  });

  test('takes no machine for a node that no cluster lists', async () => {
    const simulator = await openSimulator({faults: ['kind=without:cluster_id,match=GET /core/virtual-machines*']});
    const free = await run(vmCommand, 'stop train-02 --dry-run', {simulator});
    expect(free).toMatchObject({exitCode: 0});
    expect(free.stderr).not.toContain('a node of');
  });

  test('asks before a console and a log as before everything else', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    for (const [command, line] of [
      [vmCommand, `logs ${id}`],
      [consoleCommand, `${id}`],
    ] as const) {
      expect(await run(command, line, {simulator, answers: ['n']})).toMatchObject({exitCode: 2, stdout: ''});
    }
    expect(simulator.executions()).toEqual([]);
  });

  test('exits with 4 for a rule that does not exist', async () => {
    const {simulator} = await openService({
      '/core/firewalls/3': {status: true, firewall: {id: 3, name: 'edge', rules: []}},
    });
    const {exitCode, stderr} = await run(ruleCommand, 'remove 1 --firewall 3 --yes', {simulator});
    expect(exitCode).toBe(4);
    expect(stderr).toBe('skydeck: nothing was sent: edge #3 has no rule 1\n');
  });

  test.each<[string, object]>([
    ['were not sent', {}],
    ['could not all be read', {rules: ['?']}],
    ['are listed without an id', {rules: [{id: null, direction: 'ingress'}]}],
  ])('exits with 6 for a rule that may be one of those that %s', async (_, rules) => {
    const {simulator, asked} = await openService({
      '/core/firewalls/3': {status: true, firewall: {id: 3, name: 'edge', ...rules}},
    });
    const {exitCode, stderr} = await run(ruleCommand, 'remove 1 --firewall 3 --yes', {simulator});
    expect(exitCode).toBe(6);
    expect(stderr).toBe(
      'skydeck: nothing was sent: whether edge #3 has a rule 1 is not known: its rules could not be read completely\n',
    );
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test('asks for the verb and the count when there are many', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const [first, second] = (await fleet(simulator)).filter(
      ({status, cluster_id}) => status === 'ACTIVE' && cluster_id === null,
    );
    const words = ['stop', String(first?.id), String(second?.id)];
    expect(await run(vmCommand, words, {simulator, answers: ['y']})).toMatchObject({exitCode: 2});
    expect(await run(vmCommand, words, {simulator, answers: ['stop 2']})).toMatchObject({exitCode: 0});
    expect(simulator.executions().map(({id}) => id)).toEqual([first?.id, second?.id]);
  });

  test.each([
    ['status=400,match=GET *stop', 1],
    ['kind=redirect:https://elsewhere.example/,match=GET *stop', 7],
    ['kind=redirect:/v1/core/virtual-machines,status=307,match=GET *', 6],
    ['status=403,match=GET *stop', 3],
    ['status=404,match=GET *stop', 4],
    ['status=429,match=GET *stop', 5],
    ['status=500,match=GET *stop,when=after', 7],
    ['kind=reset,match=GET *stop,when=after', 7],
    ['kind=truncate,match=GET *stop,when=after', 7],
    ['status=401,match=GET */core/virtual-machines/*', 3],
    ['status=500,match=GET */core/virtual-machines/*', 6],
  ])('reports %s with exit code %i, and sends at most once', async (fault, code) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    simulator.setFaults([fault]);
    const {exitCode, stdout} = await run(vmCommand, `stop ${id} --yes`, {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: code, stdout: ''});
    expect(simulator.requests().filter(({path}) => path.endsWith('/stop')).length).toBeLessThanOrEqual(1);
  });

  test('reports a redirect as an unknown outcome, since nobody knows what was done before it', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    simulator.setFaults(['kind=redirect:https://elsewhere.example/,match=GET *stop']);
    const {exitCode, stderr} = await run(vmCommand, `stop ${id} --yes`, {simulator});
    expect(exitCode).toBe(7);
    expect(stderr).toMatch(/outcome unknown: the service redirected to elsewhere\.example; not followed/);
    expect(stderr).not.toContain('refused');
  });

  test('ends when no answer comes, with an unknown outcome, and sends nothing again', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    simulator.setFaults(['kind=latency:1m,match=GET *stop']);
    const {exitCode, stderr} = await run(vmCommand, `stop ${id} --yes`, {simulator, speed: SPEED});
    expect(exitCode).toBe(7);
    expect(stderr).toContain('outcome unknown: timed out after 45 s');
    expect(simulator.requests().filter(({path}) => path.endsWith('/stop'))).toHaveLength(1);
  });

  test('reports a wrong state as not sent, with exit code 1', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    const {exitCode, stderr} = await run(vmCommand, `start ${id} --yes`, {simulator});
    expect(exitCode).toBe(1);
    expect(stderr).toContain('not sent: already ACTIVE');
    expect(simulator.executions()).toEqual([]);
  });

  test('stops a series at the first unknown outcome, and exits with the worst code', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const [first, second] = (await fleet(simulator)).filter(({status}) => status === 'ACTIVE');
    simulator.setFaults([`status=500,match=GET *${first?.id}/stop`]);
    const home = openHome();
    const {exitCode, stderr} = await run(vmCommand, `stop ${first?.id} ${second?.id} --yes`, {simulator, home});
    expect(exitCode).toBe(7);
    expect(stderr).toContain('an earlier outcome is unknown');
    const {stdout} = await run(journalCommand, '', {simulator, home});
    expect(stdout).toMatch(new RegExp(`stop ${second?.name} #${second?.id} +not sent +an earlier outcome is unknown`));
    expect(simulator.requests().filter(({path}) => path.endsWith(`${second?.id}/stop`))).toEqual([]);
  });

  test('continues after a refusal', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const [first, second] = (await fleet(simulator)).filter(({status}) => status === 'ACTIVE');
    simulator.setFaults([`status=400,match=GET *${first?.id}/stop`]);
    const {exitCode, stdout} = await run(vmCommand, `stop ${first?.id} ${second?.id} --yes`, {simulator});
    expect(exitCode).toBe(1);
    expect(stdout).toBe(`stop ${second?.name} #${second?.id}: accepted\n`);
  });

  test('prints its outcome as JSON, and writes the journal', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id, name} = await active(simulator);
    const home = openHome();
    const {stdout} = await run(vmCommand, `stop ${id} --yes -o json`, {simulator, home});
    expect(JSON.parse(stdout)).toMatchObject([
      {kind: 'vm.stop', subject: {type: 'vm', id, name}, phase: 'accepted', exitCode: 0},
    ]);
    const journal = join(home.path, 'state', 'skydeck', 'journal', `127.0.0.1_${new URL(simulator.url).port}.jsonl`);
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines.map(line => JSON.parse(line).phase)).toEqual(['sent', 'accepted']);
  });

  test('writes into the journal to which organization its key belongs, before it is sent', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {id} = await active(simulator);
    const home = openHome();
    const organization = JSON.parse((await rawAnswer(simulator, '/auth/organizations')).text).organization.id;
    await run(vmCommand, `stop ${id} --yes`, {simulator, home});
    const journal = join(home.path, 'state', 'skydeck', 'journal', `127.0.0.1_${new URL(simulator.url).port}.jsonl`);
    const lines = readFileSync(journal, 'utf8').trim().split('\n');
    expect(lines.map(line => JSON.parse(line).organizationId)).toEqual([organization, organization]);
  });

  test('waits for an earlier operation on the same machine before it sends', async () => {
    const simulator = await openSimulator({scenario: 'calm', speed: 60});
    const {id} = await active(simulator);
    const home = openHome();
    expect(await run(vmCommand, `stop ${id} --yes`, {simulator, home})).toMatchObject({exitCode: 0});
    const again = await run(vmCommand, `start ${id} --yes`, {simulator, home, speed: SPEED});
    expect(again.exitCode).toBe(0);
    expect(simulator.executions().map(({verb}) => verb)).toEqual(['stop', 'start']);
  });
});

const A_NODE = {id: 507, role: 'worker', status: 'ACTIVE', instance: {id: 7, name: 'w-7', status: 'ACTIVE'}};

/** A dry run of `vm stop` on a machine of a service with one cluster, or without a list of clusters. */
async function stopOf(machine: object, cluster: object | undefined, answer = '') {
  const record = {id: 7, name: 'w-7', status: 'ACTIVE', labels: [], ...machine};
  const clusters = cluster && [{id: 40, name: 'c', status: 'ACTIVE', ...cluster}];
  const {simulator} = await openService({
    '/core/virtual-machines': {status: true, count: 1, instances: [record]},
    '/core/virtual-machines/7': {status: true, instance: record},
    ...(clusters === undefined ? {} : {'/core/clusters': {status: true, count: 1, clusters}}),
  });
  return run(vmCommand, `stop 7 --dry-run ${answer}`.trim(), {simulator});
}

const NAMELESS_NODES = 'kind=without:cluster_id,match=GET /core/virtual-machines*';

/** A worker of a cluster whose own record names no cluster. */
async function silentNode() {
  const simulator = await openSimulator({faults: [NAMELESS_NODES]});
  const {clusters} = JSON.parse((await rawAnswer(simulator, '/core/clusters')).text);
  const nodes: {role: string; instance: {id: number}}[] = clusters[0].nodes;
  const nodeId = nodes.find(({role}) => role === 'worker')?.instance.id;
  return {simulator, nodeId, clusterId: clusters[0].id};
}

async function fleet(simulator: Place): Promise<readonly Machine[]> {
  return JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text).instances;
}

/** A running machine that can hibernate: those without GPUs cannot. */
async function active(simulator: Place): Promise<Machine> {
  return machineIn(
    (await fleet(simulator)).filter(({flavor}) => flavor.labels.length === 0),
    'ACTIVE',
  );
}

async function shutOff(simulator: Place): Promise<Machine> {
  const {id} = await active(simulator);
  await rawAnswer(simulator, `/core/virtual-machines/${id}/stop`);
  return new Promise(resolve => {
    const look = async () => {
      const machine = (await fleet(simulator)).find(each => each.id === id);
      if (machine?.status === 'SHUTOFF') resolve(machine);
      else setTimeout(look, 50);
    };
    void look();
  });
}

function machineIn(machines: readonly Machine[], status: string): Machine {
  const found = machines.find(machine => machine.status === status && machine.cluster_id === null);
  if (found === undefined) throw new Error(`Expected a machine that is ${status}.`);
  return found;
}

async function quotaOf(simulator: Place, environmentName: string) {
  const {environments} = JSON.parse((await rawAnswer(simulator, '/core/environments?pageSize=500')).text);
  const {id} = environments.find(({name}: {readonly name: string}) => name === environmentName);
  return rawAnswer(simulator, `/core/environments/${id}/vm-quota`);
}

/** Like the computer's own clocks, but ahead by this many milliseconds, as after a sleep. */
function clockAhead(aheadMs: () => number): Clock {
  return {
    wallNow: () => epochMs(Date.now() + aheadMs()),
    monotonicNow: () => monotonicMs(performance.now() + aheadMs()),
    after: (delayMs, then) => {
      const timer = setTimeout(then, delayMs);
      return () => clearTimeout(timer);
    },
  };
}
