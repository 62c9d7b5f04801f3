import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {costCommand} from '../../src/cli/commands/cost.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {vmCommand} from '../../src/cli/commands/vm.ts';
import {openHome} from '../support/program.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {run} from './a-command.ts';
import {aUsedMachine, openService} from './a-service.ts';

describe('skydeck triage', () => {
  test('prints the findings worst first, with their commands, and what could not be checked', async () => {
    const simulator = await openSmallCloud();
    const {stdout, exitCode} = await run(triageCommand, '-o json --metrics none', {simulator});
    expect(exitCode).toBe(0);
    const {findings, unknown} = JSON.parse(stdout);
    const ranks = findings.map(({severity}: {severity: string}) => ['critical', 'warning', 'notice'].indexOf(severity));
    expect(ranks).toEqual([...ranks].sort());
    const stopped = findings.find(({rule}: {rule: string}) => rule === 'stopped-but-billed');
    expect(stopped).toMatchObject({severity: 'warning', subject: {type: 'vm', name: 'train-03'}});
    expect(stopped.commands).toEqual([
      `skydeck vm start ${stopped.subject.id} --wait && skydeck vm hibernate ${stopped.subject.id} --retain-ip`,
    ]);
    expect(unknown).toContainEqual(
      expect.stringMatching(/^silent-metrics: the metrics of \d+ machines were not read$/),
    );
  });

  test('prints the same findings as YAML, and one per line as ndjson', async () => {
    const simulator = await openSmallCloud();
    const [json, lines, yaml] = await Promise.all(
      ['json', 'ndjson', 'yaml'].map(async format => {
        const {stdout} = await run(triageCommand, `-o ${format} --metrics none`, {simulator});
        return stdout;
      }),
    );
    const rules = JSON.parse(json ?? '').findings.map(({rule}: {rule: string}) => rule);
    expect(
      (lines ?? '')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).rule),
    ).toEqual(rules);
    expect([...(yaml ?? '').matchAll(/^ {2}- rule: (\S+)$/gm)].map(([, rule]) => rule)).toEqual(rules);
    expect(yaml).toMatch(/^now: ".*"$/m);
  });

  test('prints a table with the names and ids of the objects, and the command for all of a row', async () => {
    const simulator = await openSmallCloud();
    const {stdout} = await run(triageCommand, '--metrics none', {simulator});
    const [head, ...lines] = stdout.split('\n');
    expect(head).toMatch(/^SEVERITY +WHAT +WHERE +SINCE +\$\/h +COMMAND$/);
    expect(lines.find(line => line.includes('train-03'))).toMatch(
      /^warning +SHUTOFF but billed in full +train-03 #(\d+) +\d+[dhm]\d* +\d+\.\d\d +skydeck vm start \1 --wait && /,
    );
  });

  test('reports nothing in an account without problems', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {stdout, exitCode} = await run(triageCommand, '', {simulator});
    expect({stdout, exitCode}).toEqual({stdout: 'nothing needs attention\n', exitCode: 0});
  });

  test('reports the same idle machines as skydeck cost, even when the newest samples are old', async () => {
    const simulator = await openSimulator({scenario: 'stale-metrics'});
    const [found, costs] = await Promise.all([
      run(triageCommand, '-o json', {simulator}),
      run(costCommand, '-o json', {simulator}),
    ]);
    const {findings, unknown} = JSON.parse(found.stdout);
    const idle = findings.filter(({rule}: {rule: string}) => rule === 'idle');
    const wasted = JSON.parse(costs.stdout).waste.filter(({kind}: {kind: string}) => kind === 'idle');
    expect(idle.map(({subject}: {subject: {name: string}}) => subject.name)).toEqual(['train-02']);
    expect(wasted.map(({name}: {name: string}) => name)).toEqual(['train-02']);
    // Idleness is judged by days, so the last hour does not matter; these are about the present.
    const silent = findings.filter(({rule}: {rule: string}) => rule === 'silent-metrics');
    expect(silent).toMatchObject([{subject: {type: 'service', name: 'metrics'}}]);
    const [, silentCount] = /^(\d+) of \1 running machines/.exec(silent[0].evidence[0]) ?? [];
    const reason = `the metrics of ${silentCount} machines are not current`;
    expect(unknown).toEqual(['saturated', 'fallen-silent', 'memory-leak'].map(rule => `${rule}: ${reason}`));
  });

  test('prints every command in full: in its column when there is room, otherwise on a line of its own', async () => {
    const simulator = await openSmallCloud();
    const {stdout: json} = await run(triageCommand, '-o json --metrics none', {simulator});
    const stopped = JSON.parse(json).findings.find(({rule}: {rule: string}) => rule === 'stopped-but-billed');
    const [command] = stopped.commands;
    expect(command.length).toBeGreaterThan(64);
    expect(command).toMatch(/^skydeck vm start (\d+) --wait && skydeck vm hibernate \1 --retain-ip$/);
    const piped = (await run(triageCommand, '--metrics none', {simulator})).stdout.split('\n');
    expect(piped.filter(line => line.endsWith(`  ${command}`))).toHaveLength(1);
    const narrow = (await run(triageCommand, '--metrics none', {simulator, columns: 80})).stdout.split('\n');
    expect(narrow).toContain(`    ${command}`);
    expect(narrow.filter(line => line.length > 80 && !line.startsWith('    skydeck ') && !/^not /.test(line))).toEqual(
      [],
    );
  });

  test('names the machines of one row for several, and prints the command for all of them', async () => {
    const names = ['etl', 'web', 'db', 'cache'];
    const {simulator} = await openService({
      '/core/virtual-machines': {
        status: true,
        instances: names.map((name, index) => ({id: index + 7, name, status: 'SHUTOFF'})),
      },
      '/billing/billing/usage': {
        status: true,
        data: names.map((_, index) => ({
          resource_id: index + 7,
          resource_type: 'vm',
          bill_per_minute: 1,
          active: true,
        })),
      },
    });
    const {stdout} = await run(triageCommand, '--metrics none', {simulator});
    const row = stdout.split('\n').find(line => line.includes('SHUTOFF but billed in full'));
    expect(row).toMatch(/ cache #10, etl #7, web #8 and 1 more /);
    expect(row).toMatch(/skydeck vm start (\d+ \d+ \d+ \d+) --wait && skydeck vm hibernate \1 --retain-ip$/);
  });

  test('recommends the rule for the address of the SSH session, and leaves its place open where there is none', async () => {
    const simulator = await openSmallCloud();
    const cidrs = async (env: Readonly<Record<string, string>>) => {
      const {stdout} = await run(triageCommand, '--metrics none', {simulator, env});
      return [...stdout.matchAll(/--cidr (\S+)/g)].map(([, cidr]) => cidr);
    };
    expect(new Set(await cidrs({}))).toEqual(new Set(['YOUR-ADDRESS']));
    expect(new Set(await cidrs({SSH_CONNECTION: '203.0.113.7 50000 192.0.2.7 22'}))).toEqual(new Set(['me']));
    // An address of a private network is not the one that the cloud sees.
    expect(new Set(await cidrs({SSH_CONNECTION: '10.0.0.7 50000 10.0.0.8 22'}))).toEqual(new Set(['YOUR-ADDRESS']));
  });

  test('prices a finding to the micro-dollar', async () => {
    const {simulator} = await openService({
      '/core/virtual-machines': {status: true, instances: [{id: 7, name: 'web', status: 'SHUTOFF'}]},
      // $0.0000000125 a minute are 0.75 millionths of a dollar an hour.
      '/billing/billing/usage': {
        status: true,
        data: [{resource_id: 7, resource_type: 'vm', bill_per_minute: 0.0000000125, active: true}],
      },
    });
    const {stdout} = await run(triageCommand, '-o json --metrics none', {simulator});
    const [finding] = JSON.parse(stdout).findings.filter(({rule}: {rule: string}) => rule === 'stopped-but-billed');
    expect(finding.perHourMicrousd).toBe(1);
  });
});

test('a machine that was restored recently is given time to send metrics', async () => {
  const now = Date.now();
  const agoText = (minutes: number) => new Date(now - minutes * 60_000).toISOString();
  const sample = (minutes: number, value: number) => [agoText(minutes), 300, value];
  const rulesWhere = async (restoredAgo: number) => {
    const {simulator} = await openService({
      '/core/virtual-machines': {
        status: true,
        instances: [{id: 7, name: 'web', status: 'ACTIVE', created_at: agoText(9000)}],
      },
      '/billing/billing/usage': {status: true, data: []},
      '/core/virtual-machines/7/metrics': {
        cpu: {unit: 'ns', columns: ['time', 'granularity', 'value'], data: [sample(200, 1e9), sample(195, 3e11)]},
      },
      '/core/virtual-machines/7/events': {
        status: true,
        instance_events: [{instance_id: 7, reason: 'RestoreInstanceSuccess', message: '', time: agoText(restoredAgo)}],
      },
    });
    const {stdout} = await run(triageCommand, '-o json', {simulator});
    return JSON.parse(stdout).findings.map(({rule}: {rule: string}) => rule);
  };
  expect(await rulesWhere(4)).not.toContain('silent-metrics');
  expect(await rulesWhere(40)).toContain('silent-metrics');
});

test('reads two weeks of quiet machines and a day of the others once, and only the last hour of each in later runs', async () => {
  const simulator = await openSmallCloud();
  const home = openHome();
  const windowsOf = async (log: string) => {
    const {stdout, stderr} = await run(triageCommand, ['-o', 'json', '--log', join(home.path, log)], {simulator, home});
    expect(stderr).toBe('');
    const lines = readFileSync(join(home.path, log), 'utf8').trimEnd().split('\n');
    const durations = lines.flatMap(line => JSON.parse(line).params.duration ?? []);
    const rules = JSON.parse(stdout).findings.map(({rule}: {rule: string}) => rule);
    return {durations: new Set(durations), requestCount: lines.length, rules};
  };
  const [first, second] = [await windowsOf('first.log'), await windowsOf('second.log')];
  // One machine is a few minutes old, so an hour covers all of it.
  expect(first.durations).toEqual(new Set(['1h', '1d', '15d']));
  expect(second.durations).toEqual(new Set(['1h']));
  expect(first.rules).toContain('idle');
  expect(second.rules).toEqual(first.rules);
  expect(first.requestCount).toBeLessThanOrEqual(100);
});

test('reads the metrics of as many machines as the setting says, and the same for costs', async () => {
  const simulator = await openSmallCloud();
  const home = openHome();
  const settings = join(home.path, 'config');
  mkdirSync(settings, {recursive: true, mode: 0o700});
  for (const [judgedMachines, expected] of [
    [0, 0],
    [2, 2],
  ] as const) {
    writeFileSync(join(settings, 'settings.json'), JSON.stringify({judgedMachines}), {mode: 0o600});
    for (const command of [triageCommand, costCommand]) {
      const before = simulator.requests().length;
      await run(command, '-o json', {simulator, home});
      const paths = simulator
        .requests()
        .slice(before)
        .map(({path}) => path.split('?')[0]);
      const measured = new Set(paths.filter(path => path?.endsWith('/metrics')));
      expect([judgedMachines, measured.size]).toEqual([judgedMachines, expected]);
    }
  }
});

test('says that acknowledged findings come back because their file is damaged, also in the log', async () => {
  const {simulator} = await openService({
    '/core/virtual-machines': {status: true, instances: [{id: 7, name: 'web', status: 'ACTIVE'}]},
    '/billing/billing/usage': {status: true, data: []},
  });
  const home = openHome();
  const state = join(home.path, 'state', 'skydeck');
  const name = `${new URL(simulator.url).host.replace(':', '_')}.json`;
  for (const part of ['findings', 'activity']) {
    mkdirSync(join(state, part), {recursive: true, mode: 0o700});
    writeFileSync(join(state, part, name), '[]', {mode: 0o600});
  }
  const log = join(home.path, 'requests.log');
  const {stderr} = await run(triageCommand, ['--log', log], {simulator, home});
  const path = join(state, 'findings', name);
  expect(stderr).toContain(`skydeck: acknowledged and snoozed findings are listed again: ${path} is damaged\n`);
  const entries = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  const told = entries
    .filter(({request}) => request.startsWith('file '))
    .map(({request, outcome}) => [request, outcome]);
  expect(told).toEqual([
    [`file findings/${name}`, `not read: ${path} is damaged`],
    [`file activity/${name}`, 'not read: it is not a JSON object'],
  ]);
});

test('says why readings are missing when the service refuses everything midway', async () => {
  const simulator = await openSimulator({faults: ['status=429,match=GET /core/virtual-machines/*']});
  const {stdout, stderr, exitCode} = await run(triageCommand, '', {simulator});
  expect({exitCode, stderr}).toEqual({
    exitCode: 0,
    stderr:
      'skydeck: not everything was read: rate-limited (429); the service refuses everything until the minute ends\n',
  });
  expect(stdout).toMatch(/^not checked: machines without metrics: the metrics of \d+ machines were not read$/m);
  // Each reason once, with all that it keeps from being checked.
  expect(stdout).toMatch(
    /^not checked: full CPU or memory, machines that stopped working, growing memory: the metrics of \d+ machines were not read$/m,
  );
  const later = await openSimulator({faults: ['status=429,match=GET /core/virtual-machines/*']});
  const check = await run(triageCommand, '--check', {simulator: later});
  expect(check.stdout).toMatch(
    /; \d+ checks not run \([^;|]+ and \d+ more\): rate-limited \(429\); [^|]* \| critical=/,
  );
});

test('a machine that was restored a moment ago is not idle since before, also for those who saw nothing of it', async () => {
  const simulator = await openSimulator({speed: 20});
  const place = {simulator, speed: 20};
  const idle = async () => {
    const {stdout} = await run(triageCommand, '-o json', place);
    const found: {rule: string; subject: {name: string}}[] = JSON.parse(stdout).findings;
    return found.filter(({rule}) => rule === 'idle').map(({subject}) => subject.name);
  };
  expect(await idle()).toContain('train-02');
  for (const line of ['hibernate train-02 --retain-ip', 'restore train-02']) {
    expect(await run(vmCommand, `${line} --yes --wait`, place)).toMatchObject({exitCode: 0});
  }
  expect(await idle()).not.toContain('train-02');
  const {stdout} = await run(costCommand, '-o json', place);
  const {waste} = JSON.parse(stdout);
  expect(waste.map(({name}: {name: string}) => name)).not.toContain('train-02');
});

describe('a finding that was muted in the deck', () => {
  test('is not printed, but counted', async () => {
    const simulator = await openSimulator();
    const home = openHome();
    const folder = join(home.path, 'state', 'skydeck', 'findings');
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const mute = {kind: 'acknowledged', finding: 'credit-runway account account', severity: 'critical', at: Date.now()};
    const name = new URL(simulator.url).host.replaceAll(/[^\w.-]/g, '_');
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({mutes: [mute]}), {mode: 0o600});
    const {stdout, stderr} = await run(triageCommand, '-o json --metrics none', {simulator, home});
    expect(stdout).not.toContain('"credit-runway"');
    expect(stderr).toContain('1 finding not printed: 1 acknowledged');
    const check = await run(triageCommand, '--check --metrics none', {simulator, home});
    expect(check.stdout).toMatch(/^SKYDECK CRITICAL - 1 critical, .*; 1 muted; .* muted=1;;;0$/m);
  });
});

/** Lists without anything that could be found. */
const NOTHING_ELSE = {
  '/core/volumes': {status: true, count: 0, volumes: []},
  '/core/clusters': {status: true, count: 0, clusters: []},
  '/core/firewalls': {status: true, count: 0, firewalls: []},
  '/pricebook/contracts': {status: true, count: 0, contracts: []},
  '/core/flavors': {status: true, data: []},
};

describe('skydeck triage --check', () => {
  test.each([
    ['on-call', 2, /^SKYDECK CRITICAL - 2 critical, .*account: credit ends.* \| critical=2;;;0 warning=\d+/],
    [
      'calm',
      0,
      /^SKYDECK OK - 0 critical, 0 warning, 0 notice; \d+ checks? not run \([^;|]+\) \| critical=0;;;0 warning=0;;;0/,
    ],
  ] as const)('prints one line and exits with a code for monitoring: %s', async (scenario, code, line) => {
    const simulator = await openSimulator({scenario});
    const {stdout, exitCode} = await run(triageCommand, '--check --metrics none', {simulator});
    expect(exitCode).toBe(code);
    expect(stdout).toMatch(line);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  test('names checks that were not run, the first three, in the words in which the table names all', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const [check, table] = [
      await run(triageCommand, '--check --metrics none', {simulator}),
      await run(triageCommand, '--metrics none', {simulator}),
    ];
    const [, count, names = '', more] = /(\d+) checks not run \((.+?) and (\d+) more\) \|/.exec(check.stdout) ?? [];
    expect(names.split(', ')).toHaveLength(3);
    expect(Number(count)).toBe(3 + Number(more));
    const notChecked = [...table.stdout.matchAll(/^not checked: (.+?): /gm)].flatMap(([, each = '']) =>
      each.split(', '),
    );
    expect(new Set(notChecked).size).toBe(Number(count));
    for (const name of names.split(', ')) expect(notChecked).toContain(name);
  });

  test('is WARNING when everything critical is muted', async () => {
    const simulator = await openSimulator();
    const home = openHome();
    const {stdout: told} = await run(triageCommand, '-o json --metrics none', {simulator, home});
    const found: {rule: string; severity: string; subject: {type: string; id?: number; name: string}}[] =
      JSON.parse(told).findings;
    const mutes = found
      .filter(({severity}) => severity === 'critical')
      .map(({rule, subject: {type, id, name}}) => ({
        kind: 'acknowledged',
        finding: `${rule} ${type} ${id ?? name}`,
        severity: 'critical',
        at: Date.now(),
      }));
    const folder = join(home.path, 'state', 'skydeck', 'findings');
    mkdirSync(folder, {recursive: true, mode: 0o700});
    const file = `${new URL(simulator.url).host.replaceAll(/[^\w.-]/g, '_')}.json`;
    writeFileSync(join(folder, file), JSON.stringify({mutes}), {mode: 0o600});
    const {stdout, exitCode} = await run(triageCommand, '--check --metrics none', {simulator, home});
    expect(stdout).toMatch(/^SKYDECK WARNING - 0 critical, \d+ warning, .* \| critical=0;;;0 .* muted=2;;;0$/m);
    expect(exitCode).toBe(1);
  });

  test.each([
    '--check --bogus',
    '--check -o json',
    '--check --metrics nonsense',
  ])('is UNKNOWN when the options are invalid: %s', async line => {
    const {stdout, stderr, exitCode} = await run(triageCommand, line, {simulator: await openSmallCloud()});
    expect({exitCode, stdout, stderr}).toEqual({
      exitCode: 3,
      stdout: expect.stringMatching(/^SKYDECK UNKNOWN - .*(?:--bogus|--metrics|--output)/),
      stderr: '',
    });
  });

  test.each([
    ['usage', 'GET /billing/billing/usage', 'not read: usage: the service failed (503)'],
    ['machines', 'GET /core/virtual-machines', 'not read: machines: the service failed (503)'],
  ])('is CRITICAL for what is known without %s, and says what was not read', async (_, match, unread) => {
    const simulator = await openSimulator({faults: [`status=503,match=${match}`]});
    const {findings}: {readonly findings: readonly {readonly rule: string; readonly severity: string}[]} = JSON.parse(
      (await run(triageCommand, '-o json --metrics none', {simulator})).stdout,
    );
    const known = findings.filter(({rule}) => rule !== 'stale-readings');
    const critical = known.filter(({severity}) => severity === 'critical').length;
    expect(critical).toBeGreaterThan(0);
    const {stdout, exitCode} = await run(triageCommand, '--check --metrics none', {simulator});
    expect(stdout).toMatch(new RegExp(`^SKYDECK CRITICAL - ${critical} critical, `));
    expect(stdout).toContain(unread);
    expect(stdout).toMatch(/; \d+ checks not run \([^;|]+ and \d+ more\) \|/);
    expect(exitCode).toBe(2);
  });

  test('is UNKNOWN when the key is not accepted: nothing of the account is known', async () => {
    const simulator = await openSimulator({faults: ['status=401']});
    const {stdout, exitCode} = await run(triageCommand, '--check --metrics none', {simulator});
    expect(stdout).toMatch(/^SKYDECK UNKNOWN - machines: the key or its role was not accepted \(401\)/);
    expect(exitCode).toBe(3);
  });

  test.each([
    ['500,match=GET /core/firewalls', 'firewalls: the service failed (500)'],
    ['403,match=GET /core/clusters', 'clusters: this key may not do that (403)'],
  ])('does not alarm for ever for a list that cannot be read, but says so: %s', async (fault, unread) => {
    const simulator = await openSimulator({scenario: 'calm', faults: [`status=${fault}`]});
    const {stdout, exitCode} = await run(triageCommand, '--check --metrics none', {simulator});
    expect(stdout).toMatch(/^SKYDECK OK - 0 critical, 0 warning, 0 notice; .* \| critical=0;;;0 warning=0;;;0 /);
    expect(stdout).toContain(`; not read: ${unread}`);
    expect(stdout).toMatch(/; \d+ checks not run \([^;|]+ and \d+ more\) \|/);
    expect(exitCode).toBe(0);
  });

  test('is UNKNOWN when the list of machines is incomplete, since the rest may be in trouble', async () => {
    const answers = (count: number) => ({
      '/core/virtual-machines': {status: true, count, instances: [{id: 7, name: 'web', status: 'ACTIVE'}]},
      '/billing/billing/usage': {status: true, data: [aUsedMachine({resource_id: 7})]},
    });
    const check = async (count: number) => {
      const {simulator} = await openService(answers(count), () => Date.UTC(2026, 10, 11));
      return run(triageCommand, '--check --metrics none', {simulator, env: {SKYDECK_NOW: '2026-11-11T00:00:00Z'}});
    };
    expect(await check(1)).toMatchObject({exitCode: 0, stdout: expect.stringMatching(/^SKYDECK OK - /)});
    expect(await check(500)).toMatchObject({
      exitCode: 3,
      stdout: 'SKYDECK UNKNOWN - machines: the list may be incomplete (repeated-page)\n',
    });
  });

  test.each([
    ['without an id', {id: null, status: 'ACTIVE'}, 'machines: 1 record could not be read completely: id'],
    ['without a state', {id: 7, status: null}, 'the state of 1 machine is unknown'],
    ['with a state that is no text', {id: 7, status: {}}, 'the state of 1 machine is unknown'],
    ['in a state of another word', {id: 7, status: 'FOO'}, 'the state of 1 machine is unknown'],
    ['with its id alone', {id: 7}, 'the state of 1 machine is unknown'],
  ])('is UNKNOWN for a machine %s, and triage does not say that nothing needs attention', async (_, record, reason) => {
    const {simulator} = await openService(
      {
        ...NOTHING_ELSE,
        '/core/virtual-machines': {status: true, count: 1, instances: [{name: 'web', ...record}]},
        '/billing/billing/usage': {status: true, data: [aUsedMachine({resource_id: 7})]},
      },
      () => Date.UTC(2026, 10, 11),
    );
    const env = {SKYDECK_NOW: '2026-11-11T00:00:00Z'};
    expect(await run(triageCommand, '--check --metrics none', {simulator, env})).toMatchObject({
      exitCode: 3,
      stdout: `SKYDECK UNKNOWN - ${reason}\n`,
    });
    const {stdout} = await run(triageCommand, '--metrics none', {simulator, env});
    expect(stdout).toMatch(/^no findings in what could be checked$/m);
    expect(stdout).toMatch(
      /^not checked: machine in error, .*stopped but billed.*: (?:1 machine could not be read|the state of 1 machine is unknown)$/m,
    );
  });

  test('is UNKNOWN when a record of usage cannot be read: what it is for may be wasted', async () => {
    const answers = {
      '/core/virtual-machines': {status: true, count: 1, instances: [{id: 7, name: 'web', status: 'ACTIVE'}]},
      '/billing/billing/usage': {
        status: true,
        data: [aUsedMachine({resource_id: 7}), aUsedMachine({resource_id: 'x'})],
      },
    };
    const {simulator} = await openService(answers, () => Date.UTC(2026, 10, 11));
    const env = {SKYDECK_NOW: '2026-11-11T00:00:00Z'};
    expect(await run(triageCommand, '--check --metrics none', {simulator, env})).toMatchObject({
      exitCode: 3,
      stdout: expect.stringMatching(/^SKYDECK UNKNOWN - usage: 1 record could not be read completely: /),
    });
  });

  test('is WARNING for what is known, and says how many machines could not be judged', async () => {
    const machines = [
      {id: 7, name: 'web', status: 'ERROR'},
      {id: 8, name: 'db', status: null},
    ];
    const {simulator} = await openService(
      {
        '/core/virtual-machines': {status: true, count: 2, instances: machines},
        '/billing/billing/usage': {status: true, data: []},
      },
      () => Date.UTC(2026, 10, 11),
    );
    const env = {SKYDECK_NOW: '2026-11-11T00:00:00Z'};
    expect(await run(triageCommand, '--check --metrics none', {simulator, env})).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(
        /^SKYDECK WARNING - .*; web: machine in ERROR; .*the state of 1 machine is unknown; /,
      ),
    });
  });

  test('is UNKNOWN when the machines cannot be read', async () => {
    const {simulator} = await openService({'/billing/billing/usage': {status: true, data: []}});
    const {stdout, exitCode} = await run(triageCommand, '--check', {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: 3, stdout: expect.stringMatching(/^SKYDECK UNKNOWN - machines: /)});
  });
});
