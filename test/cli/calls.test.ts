import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {accessKeyCommand} from '../../src/cli/commands/access-key.ts';
import {actionGroup} from '../../src/cli/operations/action-commands.ts';
import {bucketCommand} from '../../src/cli/commands/bucket.ts';
import {clusterCommand} from '../../src/cli/commands/cluster.ts';
import type {BuildCommand} from '../../src/cli/command-io.ts';
import {consoleCommand} from '../../src/cli/commands/console.ts';
import {environmentCommand} from '../../src/cli/commands/environment.ts';
import {firewallCommand} from '../../src/cli/commands/firewall.ts';
import {keyPairCommand} from '../../src/cli/commands/key-pair.ts';
import {ruleCommand} from '../../src/cli/commands/rule.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {volumeCommand} from '../../src/cli/commands/volume.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {ONLY_ASSESSMENT, run} from './a-command.ts';
import {openService} from './a-service.ts';

const ipCommand = actionGroup('ip');
const callbackCommand = actionGroup('callback');

const MACHINE = {
  id: 7,
  name: 'web',
  status: 'ACTIVE',
  volume_attachments: [{status: 'ATTACHED', volume: {id: 13, name: 'disk'}}],
  labels: ['prod', 'old'],
  floating_ip: '198.51.100.7',
  callback_url: null,
  security_rules: [],
};
const OTHER = {
  id: 8,
  name: 'db',
  status: 'ACTIVE',
  floating_ip: null,
  callback_url: 'https://there.example/',
  security_rules: [{id: 5, direction: 'ingress'}],
};
const OFF = {id: 9, name: 'off', status: 'SHUTOFF'};
const COLD = {id: 10, name: 'cold', status: 'HIBERNATED'};
const FIREWALL = {
  id: 3,
  name: 'edge',
  status: 'SUCCESS',
  rules: [{id: 31, direction: 'ingress'}],
  attachments: [{vm: {id: 7, name: 'web'}}],
};
const ANSWERS = {
  '/core/virtual-machines': {status: true, count: 4, instances: [MACHINE, OTHER, OFF, COLD]},
  '/core/virtual-machines/7': {status: true, instance: MACHINE},
  '/core/virtual-machines/8': {status: true, instance: OTHER},
  '/core/virtual-machines/10': {status: true, instance: COLD},
  '/core/firewalls': {
    status: true,
    count: 2,
    firewalls: [FIREWALL, {id: 6, name: 'spare', status: 'SUCCESS', rules: [], attachments: []}],
  },
  '/core/sg-rules-protocols': {status: true, protocols: ['any', 'tcp', 'udp', 'icmp']},
  '/core/clusters': {status: true, count: 1, clusters: [{id: 4, name: 'k', status: 'ACTIVE', nodes: []}]},
  '/core/volumes': {
    status: true,
    count: 3,
    volumes: [
      {id: 13, name: 'disk', status: 'in-use', size: 5, attachments: [{instance_id: 7, status: 'ATTACHED'}]},
      {id: 11, name: 'data', status: 'available', size: 10},
      {id: 12, name: 'logs', status: 'available', size: 5},
    ],
  },
  '/core/keypairs': {status: true, count: 1, keypairs: [{id: 21, name: 'mine'}]},
  '/core/environments': {
    status: true,
    count: 2,
    environments: [
      {id: 41, name: 'dev sandbox', region: 'CANADA-1'},
      {id: 42, name: 'e', region: 'NORWAY-1'},
    ],
  },
  '/core/images': {status: true, images: [{region_name: 'CANADA-1', images: [{id: 51, name: 'Ubuntu'}]}]},
  '/object-storage/access-keys': {access_keys: [{id: 61, access_key: 'AK61', region: 'CANADA-1'}], meta: {count: 1}},
  '/object-storage/buckets': {
    buckets: [
      {name: 'b 1', region: 'CANADA-1', num_objects: 3},
      {name: 'two', region: 'A'},
      {name: 'two', region: 'B'},
    ],
  },
};
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHS5S8h7pOqSyLMPhx69nJMbEa0GwEXXwRdF6N5MkwO7 me@here';

const RULE = {direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4', remote_ip_prefix: '10.0.0.0/8'};
type Case = readonly [build: BuildCommand, words: readonly string[], call: string, body?: object];

const CASES: readonly Case[] = [
  [vmCommand, ['start', 'off'], 'GET /core/virtual-machines/9/start'],
  [vmCommand, ['hard-reboot', '7'], 'GET /core/virtual-machines/7/hard-reboot'],
  [vmCommand, ['restore', '10'], 'GET /core/virtual-machines/10/hibernate-restore'],
  [vmCommand, ['hibernate', '7', '--retain-ip'], 'GET /core/virtual-machines/7/hibernate?retain_ip=true'],
  [vmCommand, ['hibernate', '7'], 'GET /core/virtual-machines/7/hibernate?retain_ip=true'],
  [vmCommand, ['hibernate', '7', '--release-ip'], 'GET /core/virtual-machines/7/hibernate?retain_ip=false'],
  [
    vmCommand,
    ['resize', 'web', '--flavor', 'n3-L40x1'],
    'POST /core/virtual-machines/7/resize',
    {flavor_name: 'n3-L40x1'},
  ],
  [vmCommand, ['delete', 'web'], 'DELETE /core/virtual-machines/7'],
  [
    vmCommand,
    ['label', 'web', '--add', 'new', '--remove', 'old'],
    'PUT /core/virtual-machines/7/label',
    {labels: ['prod', 'new']},
  ],
  [vmCommand, ['label', 'web', '--set', 'a,b'], 'PUT /core/virtual-machines/7/label', {labels: ['a', 'b']}],
  [vmCommand, ['logs', 'web', '--lines', '20'], 'POST /core/virtual-machines/7/logs', {length: 20}],
  [
    vmCommand,
    [
      'create',
      'new',
      '--environment',
      'dev sandbox',
      '--flavor',
      'n3-L40x1',
      '--key-pair',
      'mine',
      '--image',
      'Ubuntu',
      '--public-ip',
      '--no-port-randomization',
      '--label',
      'x',
      '--rule',
      'tcp 22 10.0.0.0/8',
    ],
    'POST /core/virtual-machines',
    {
      name: 'new',
      environment_name: 'dev sandbox',
      flavor_name: 'n3-L40x1',
      key_name: 'mine',
      count: 1,
      image_name: 'Ubuntu',
      assign_floating_ip: true,
      enable_port_randomization: false,
      labels: ['x'],
      security_rules: [{...RULE, port_range_min: 22, port_range_max: 22}],
    },
  ],
  [
    clusterCommand,
    [
      'create',
      'c',
      '--environment',
      'e',
      '--key-pair',
      'mine',
      '--kubernetes-version',
      '1.35.1',
      '--master-flavor',
      'n1-cpu-medium',
      '--masters',
      '3',
      '--mode',
      'standard',
      '--group',
      'name=pool flavor=n3-L40x1 count=2 min=1 max=5',
    ],
    'POST /core/clusters',
    {
      name: 'c',
      environment_name: 'e',
      keypair_name: 'mine',
      kubernetes_version: '1.35.1',
      master_flavor_name: 'n1-cpu-medium',
      master_count: 3,
      deployment_mode: 'standard',
      node_groups: [{name: 'pool', role: 'worker', flavor_name: 'n3-L40x1', count: 2, min_count: 1, max_count: 5}],
    },
  ],
  [
    clusterCommand,
    [
      ...['create', 'c', '--environment', 'e', '--key-pair', 'mine', '--kubernetes-version', '1.35.1'],
      ...['--master-flavor', 'n1-cpu-medium', '--image', 'Ubuntu', '--node-flavor', 'n3-L40x1', '--node-count', '3'],
    ],
    'POST /core/clusters',
    {
      name: 'c',
      environment_name: 'e',
      keypair_name: 'mine',
      kubernetes_version: '1.35.1',
      master_flavor_name: 'n1-cpu-medium',
      image_name: 'Ubuntu',
      node_flavor_name: 'n3-L40x1',
      node_count: 3,
    },
  ],
  [clusterCommand, ['delete', 'k'], 'DELETE /core/clusters/4'],
  [clusterCommand, ['reconcile', '4'], 'POST /core/clusters/4/reconcile'],
  [
    firewallCommand,
    ['create', 'f', '--environment', 'dev sandbox', '--description', 'd'],
    'POST /core/firewalls',
    {name: 'f', environment_id: 41, description: 'd'},
  ],
  [firewallCommand, ['delete', 'spare'], 'DELETE /core/firewalls/6'],
  [firewallCommand, ['attach', 'edge', 'db'], 'POST /core/firewalls/3/update-attachments', {vms: [7, 8]}],
  [
    firewallCommand,
    ['attach', 'edge', '--vm', '8', '--vm', 'web'],
    'POST /core/firewalls/3/update-attachments',
    {vms: [7, 8]},
  ],
  [firewallCommand, ['detach', 'edge', 'web'], 'POST /core/firewalls/3/update-attachments', {vms: []}],
  [ruleCommand, ['add', '--firewall', 'edge', '--cidr', '10.0.0.0/8'], 'POST /core/firewalls/3/firewall-rules', RULE],
  [
    ruleCommand,
    ['add', 'ssh', '--vm', 'web', '--cidr', '10.0.0.0/8'],
    'POST /core/virtual-machines/7/sg-rules',
    {...RULE, port_range_min: 22, port_range_max: 22},
  ],
  [
    ruleCommand,
    [
      'add',
      '--vm',
      '7',
      '--protocol',
      'udp',
      '--port',
      '8000-8100',
      '--cidr',
      '2001:db8::/32',
      '--direction',
      'egress',
    ],
    'POST /core/virtual-machines/7/sg-rules',
    {
      direction: 'egress',
      protocol: 'udp',
      ethertype: 'IPv6',
      remote_ip_prefix: '2001:db8::/32',
      port_range_min: 8000,
      port_range_max: 8100,
    },
  ],
  [
    ruleCommand,
    ['add', 'ssh', '--vm', 'web', '--cidr', '203.0.113.7'],
    'POST /core/virtual-machines/7/sg-rules',
    {...RULE, remote_ip_prefix: '203.0.113.7/32', port_range_min: 22, port_range_max: 22},
  ],
  [
    ruleCommand,
    ['add', 'ssh', '--vm', 'web', '--cidr', 'me'],
    'POST /core/virtual-machines/7/sg-rules',
    {...RULE, ethertype: 'IPv6', remote_ip_prefix: '2001:db8::9/128', port_range_min: 22, port_range_max: 22},
  ],
  [ruleCommand, ['remove', '31', '--firewall', 'edge'], 'DELETE /core/firewalls/3/firewall-rules/31'],
  [ruleCommand, ['remove', '5', '--vm', 'db'], 'DELETE /core/virtual-machines/8/sg-rules/5'],
  [
    keyPairCommand,
    ['import', 'k2', '--environment', 'e', '--public-key', '-'],
    'POST /core/keypairs',
    {name: 'k2', environment_name: 'e', public_key: PUBLIC_KEY},
  ],
  [keyPairCommand, ['rename', 'mine', 'yours'], 'PUT /core/keypair/21', {name: 'yours'}],
  [keyPairCommand, ['delete', '21'], 'DELETE /core/keypair/21'],
  [
    volumeCommand,
    ['create', 'v', '--environment', 'e', '--size', '100', '--image', 'Ubuntu'],
    'POST /core/volumes',
    {name: 'v', environment_name: 'e', size: 100, volume_type: 'Cloud-SSD', image_id: 51},
  ],
  [volumeCommand, ['delete', 'data'], 'DELETE /core/volumes/11'],
  [
    volumeCommand,
    ['attach', 'data', '12', '--vm', 'web'],
    'POST /core/virtual-machines/7/attach-volumes',
    {volume_ids: [11, 12]},
  ],
  [volumeCommand, ['detach', 'disk', '--vm', '7'], 'POST /core/virtual-machines/7/detach-volumes', {volume_ids: [13]}],
  [
    environmentCommand,
    ['create', 'e2', '--region', 'NORWAY-1'],
    'POST /core/environments',
    {name: 'e2', region: 'NORWAY-1'},
  ],
  [environmentCommand, ['rename', 'dev sandbox', 'dev'], 'PUT /core/environments/41', {name: 'dev'}],
  [environmentCommand, ['delete', '41'], 'DELETE /core/environments/41'],
  [ipCommand, ['attach', 'db'], 'POST /core/virtual-machines/8/attach-floatingip'],
  [ipCommand, ['detach', 'web'], 'POST /core/virtual-machines/7/detach-floatingip'],
  [
    callbackCommand,
    ['set', 'web', '--url', 'https://here.example/'],
    'POST /core/virtual-machines/7/attach-callback',
    {url: 'https://here.example/'},
  ],
  [
    callbackCommand,
    ['set', 'db', '--url', 'https://here.example/'],
    'PUT /core/virtual-machines/8/update-callback',
    {url: 'https://here.example/'},
  ],
  [callbackCommand, ['remove', 'db'], 'DELETE /core/virtual-machines/8/delete-callback'],
  [consoleCommand, ['web'], 'GET /core/virtual-machines/7/request-console'],
  [
    accessKeyCommand,
    ['create', '--region', 'CANADA-1', '--description', 'x'],
    'POST /object-storage/access-keys',
    {region: 'CANADA-1', description: 'x'},
  ],
  [accessKeyCommand, ['delete', 'AK61'], 'DELETE /object-storage/access-keys/61'],
  [bucketCommand, ['delete', 'b 1'], 'DELETE /object-storage/buckets/b%201?region=CANADA-1'],
];

describe('a dry run', () => {
  test.each(
    CASES.map(each => [each[2], each[1].join(' '), each] as const),
  )('shows %s for "%s", and sends nothing', async (_, __, [build, words, call, body]) => {
    const {simulator, asked} = await openService(ANSWERS);
    const env = {SSH_CONNECTION: '2001:db8::9 50022 2001:db8::1 22'};
    const given = await run(build, [...words, '--dry-run', '-o', 'json'], {simulator, env, stdin: `${PUBLIC_KEY}\n`});
    expect(given).toMatchObject({exitCode: 0, stderr: ONLY_ASSESSMENT});
    const [method, path] = call.split(' ');
    expect(JSON.parse(given.stdout)).toEqual([{method, path, ...(body === undefined ? {} : {body})}]);
    // None of the paths that are read ends in an operation.
    expect(asked.filter(({method: sent}) => sent !== 'GET')).toEqual([]);
    if (method === 'GET') expect(asked.map(({path: read}) => read)).not.toContain(path);
  });

  test('hides a cloud-init script unless asked', async () => {
    const {simulator} = await openService(ANSWERS);
    const home = openHome();
    const file = join(home.path, 'init.yaml');
    writeFileSync(file, '#cloud-config\npassword: CANARY-1\n');
    const words = [
      'create',
      'n',
      '--environment',
      'e',
      '--flavor',
      'f',
      '--key-pair',
      'mine',
      '--image',
      'i',
      '--user-data',
      file,
      '--dry-run',
    ];
    expect((await run(vmCommand, words, {simulator, home})).stdout).not.toContain('CANARY');
    expect((await run(vmCommand, [...words, '--show-secrets'], {simulator, home})).stdout).toContain(
      '#cloud-config\\npassword: CANARY-1',
    );
  });

  test.each([
    'table',
    'json',
    'yaml',
  ])('never prints our own key in a call, not even with --show-secrets, as %s', async format => {
    const simulator = await openSimulator({scenario: 'calm'});
    const words = ['create', `e-${simulator.apiKey}`, '--region', 'NORWAY-1', '--dry-run', '--show-secrets'];
    const {stdout, exitCode} = await run(environmentCommand, [...words, '-o', format], {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).toContain('[key');
    expect(stdout).not.toContain(simulator.apiKey);
  });
});

/** Without its workers. */
const NEW_CLUSTER = 'create c --environment e --key-pair k --kubernetes-version 1 --master-flavor n1-cpu-medium'.split(
  ' ',
);

describe('an invalid command line', () => {
  test.each<[BuildCommand, readonly string[], string, number]>([
    [ruleCommand, ['add', '--cidr', '10.0.0.0/8'], 'needs either --firewall or --vm', 2],
    [ruleCommand, ['add', 'telnet', '--vm', 'web'], 'unknown preset "telnet"; available: ssh, http', 2],
    [ruleCommand, ['add', '--vm', 'web'], '--cidr: required', 2],
    [
      vmCommand,
      [...'create n --environment e --flavor f --key-pair k --image i --rule'.split(' '), 'tcp 22'],
      '--rule "tcp 22": network: required',
      2,
    ],
    [
      ruleCommand,
      ['add', '--vm', 'web', '--cidr', '10.0.0.0/8', '--port', '70000'],
      '--port: a port from 1 to 65535',
      2,
    ],
    [
      ruleCommand,
      ['add', '--vm', 'web', '--cidr', 'me'],
      '--cidr: me is the client address in SSH_CONNECTION, and there is no public one here; type your address, e.g. 203.0.113.7/32',
      2,
    ],
    [ruleCommand, ['remove', '99', '--vm', 'web'], 'web #7 has no rule 99', 4],
    [firewallCommand, ['attach', 'edge'], 'name one or more machines after the firewall', 2],
    [firewallCommand, ['attach', 'none', 'web'], 'firewall "none" not found', 4],
    [vmCommand, ['label', 'web'], 'label needs --add, --remove or --set', 2],
    [vmCommand, ['create', 'n', '--environment', 'e', '--flavor', 'f', '--key-pair', 'k'], 'needs --image', 2],
    [
      vmCommand,
      'create n --environment e --flavor f --key-pair k --image i --no-port-randomization'.split(' '),
      '--no-port-randomization needs --public-ip',
      2,
    ],
    [keyPairCommand, ['import', 'k', '--environment', 'e', '--public-key', '-'], 'not a one-line public key', 2],
    [clusterCommand, NEW_CLUSTER, 'needs --group, or --node-flavor with --node-count', 2],
    [
      clusterCommand,
      [...[...NEW_CLUSTER, '--node-flavor', 'n3-L40x1', '--group', 'name=a flavor=b count=1']],
      'give --node-flavor with --node-count, or --group',
      2,
    ],
    [
      clusterCommand,
      [...NEW_CLUSTER, '--masters', '4', '--node-flavor', 'a', '--node-count', '1'],
      'use a whole number from 2 to 3',
      2,
    ],
    [
      clusterCommand,
      [...NEW_CLUSTER, '--node-flavor', 'a', '--node-count', '21'],
      'use a whole number from 1 to 20',
      2,
    ],
    [
      clusterCommand,
      [...NEW_CLUSTER, '--group', 'name=a flavor=b'],
      '--group needs name=\u2026 flavor=\u2026 count=\u2026, not "name=a flavor=b"',
      2,
    ],
    [
      clusterCommand,
      [...NEW_CLUSTER, '--group', 'name=a flavor=b count=21'],
      '--group takes whole numbers from 1 to 20 for count, min and max',
      2,
    ],
    [
      clusterCommand,
      [...NEW_CLUSTER, '--group', `name=${'n'.repeat(21)} flavor=b count=1`],
      '--group takes a name of at most 20 characters',
      2,
    ],
    [bucketCommand, ['delete', 'two'], 'add --region (A, B)', 2],
    [bucketCommand, ['delete', 'none'], 'bucket "none" not found', 4],
    [vmCommand, ['stop', 'web', 'none', 'nil'], 'machine "none" not found; machine "nil" not found', 4],
    [volumeCommand, ['attach', 'data'], '--vm', 2],
    [volumeCommand, ['create', 'v', '--environment', 'e', '--size', '1048577'], 'a whole number from 1 to 1048576', 2],
    [callbackCommand, ['set', 'web', '--url', 'ftp://x/'], '--url must be an http address', 2],
  ])('is explained: %o %j', async (build, words, told, code) => {
    const {simulator, asked} = await openService(ANSWERS);
    const {stdout, stderr, exitCode} = await run(build, [...words, '--yes'], {
      simulator,
      stdin: '-----BEGIN OPENSSH PRIVATE KEY-----',
    });
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: code});
    expect(stderr).toContain(told);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });

  test.each([
    ['cut off', PUBLIC_KEY.slice(0, 60), 'the part after ssh-ed25519 is incomplete'],
    [
      'of a type that the service does not take',
      'ssh-dss AAAAB3NzaC1kc3MAAAAB',
      'it must begin with one of ssh-ed25519',
    ],
    ['another than its first word says', `ssh-rsa ${PUBLIC_KEY.split(' ')[1]}`, 'but contains another type'],
  ])('is explained of a public key that is %s, as in the form', async (_why, stdin, told) => {
    const {simulator, asked} = await openService(ANSWERS);
    const words = ['import', 'k', '--environment', 'e', '--public-key', '-', '--yes'];
    const {stderr, exitCode} = await run(keyPairCommand, words, {simulator, stdin});
    expect(exitCode).toBe(2);
    expect(stderr).toContain(told);
    expect(asked.filter(({method}) => method !== 'GET')).toEqual([]);
  });
});

describe('an answer with a result', () => {
  test('prints the secret half of a new access key', async () => {
    const made = {id: 62, access_key: 'AK62', secret_key: 'SECRET-62', region: 'CANADA-1'};
    const {simulator} = await openService({...ANSWERS, 'POST /object-storage/access-keys': made});
    const {stdout, exitCode} = await run(accessKeyCommand, 'create --region CANADA-1 --yes', {simulator});
    expect(exitCode).toBe(0);
    expect(stdout).toContain('access key AK62, secret key SECRET-62');
  });

  test('prints the address of a console once it is ready', async () => {
    const {simulator} = await openService({
      ...ANSWERS,
      '/core/virtual-machines/7/request-console': {status: true, url: '/core/virtual-machines/7/console/job-1'},
      '/core/virtual-machines/7/console/job-1': {status: true, vnc_url: {id: 1, vnc_url: 'https://console.example/x'}},
    });
    const given = await run(consoleCommand, 'web --yes', {simulator});
    expect(given).toMatchObject({exitCode: 0, stdout: 'https://console.example/x\n', stderr: ONLY_ASSESSMENT});
    const record = {kind: 'vm.request-console', exitCode: 0, url: 'https://console.example/x'};
    const asJson = await run(consoleCommand, 'web --yes -o json', {simulator});
    expect(JSON.parse(asJson.stdout)).toMatchObject([record]);
    const asLines = await run(consoleCommand, 'web --yes -o ndjson', {simulator});
    expect(JSON.parse(asLines.stdout)).toMatchObject(record);
  });

  test('prints the log of a machine once it is ready', async () => {
    const {simulator} = await openService({
      ...ANSWERS,
      'POST /core/virtual-machines/7/logs': {status: true, request_id: 9},
      'GET /core/virtual-machines/7/logs': {status: true, logs: 'one\ntwo\u001b[31m'},
    });
    const given = await run(vmCommand, 'logs web --yes', {simulator});
    expect(given).toMatchObject({exitCode: 0, stdout: 'one\ntwo\u241b[31m\n', stderr: ONLY_ASSESSMENT});
    const asJson = await run(vmCommand, 'logs web --yes -o json', {simulator});
    expect(JSON.parse(asJson.stdout)).toMatchObject([{kind: 'vm.request-logs', lines: ['one', 'two\u241b[31m']}]);
  });

  test('prints a job that failed as a record too', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    simulator.setFaults(['status=403,match=GET *console/*']);
    const {exitCode, stdout, stderr} = await run(consoleCommand, 'bastion --yes -o json', {simulator});
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject([{kind: 'vm.request-console', exitCode: 3}]);
    expect(stderr).toContain('this key may not do that (403)');
  });

  test('says of a log whose request was not answered that it may be requested again', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    simulator.setFaults(['status=503,match=POST *logs']);
    const {exitCode, stderr} = await run(vmCommand, 'logs bastion --yes', {simulator});
    expect(exitCode).toBe(7);
    expect(stderr).toMatch(
      /request the log of bastion #\d+: outcome unknown: .*503.*; sent once; it changes nothing, so it may be repeated\n$/,
    );
  });

  test('names what was created', async () => {
    const made = {status: true, environment: {id: 43, name: 'e2', region: 'NORWAY-1'}};
    const {simulator} = await openService({...ANSWERS, 'POST /core/environments': made});
    const {stdout} = await run(environmentCommand, 'create e2 --region NORWAY-1 --yes', {simulator});
    expect(stdout).toBe('create environment e2 in NORWAY-1: accepted, id 43\n');
  });
});
