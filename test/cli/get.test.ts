import {writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {dirname, join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {getCommand} from '../../src/cli/commands/get.ts';
import {triageCommand} from '../../src/cli/commands/triage.ts';
import {openHome} from '../support/program.ts';
import {homeWithPrometheus, openFakePrometheus, TOKEN} from '../support/prometheus.ts';
import {widthOf} from '../../src/ui/text.ts';
import {openSimulator} from '../support/simulator.ts';
import {closedBaseUrl, openServer} from '../api/loopback.ts';
import {rawAnswer, run} from './a-command.ts';
import {openService} from './a-service.ts';

describe('skydeck get -o json', () => {
  test.each([
    ['vms', '/core/virtual-machines?page=1&pageSize=1000', 'instances'],
    ['clusters', '/core/clusters?page=1&pageSize=200', 'clusters'],
    ['firewalls', '/core/firewalls?page=1&pageSize=500', 'firewalls'],
    ['contracts', '/pricebook/contracts?page=1&per_page=100', 'contracts'],
    ['usage', '/billing/billing/usage?deleted=false', 'data'],
    ['usage --deleted', '/billing/billing/usage?deleted=true', 'data'],
    ['protocols', '/core/sg-rules-protocols', 'protocols'],
    ['master-flavors', '/core/clusters/master-flavors', 'flavors'],
  ])('prints %s as the service returns them', async (resource, path, key) => {
    const simulator = await openSimulator({startedAt: Date.UTC(2026, 10, 20), speed: 1});
    const theirs = JSON.parse((await rawAnswer(simulator, path)).text)[key];
    const {stdout, stderr, exitCode} = await run(getCommand, `${resource} -o json --show-secrets`, {simulator});
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    expect(theirs.length).toBeGreaterThan(0);
    expect(withoutClockwork(JSON.parse(stdout))).toEqual(withoutClockwork(theirs));
  });

  test.each([
    ['org', '/auth/organizations', 'organization'],
    ['me', '/auth/me', 'user'],
    ['credit', '/billing/user-credit/credit', 'data'],
  ])('prints %s, a single record, as an array of one', async (resource, path, key) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const theirs = JSON.parse((await rawAnswer(simulator, path)).text)[key];
    const {stdout} = await run(getCommand, `${resource} -o json`, {simulator});
    expect(withoutClockwork(JSON.parse(stdout))).toEqual(withoutClockwork([theirs]));
  });

  test('hides the kubeconfig unless it is asked for', async () => {
    const simulator = await openSimulator();
    const theirs: {kube_config: string | null}[] = JSON.parse(
      (await rawAnswer(simulator, '/core/clusters')).text,
    ).clusters;
    const secrets = theirs.flatMap(({kube_config}) => kube_config ?? []);
    expect(secrets.length).toBeGreaterThan(0);
    const hidden = await run(getCommand, 'clusters -o json', {simulator});
    const shown = await run(getCommand, 'clusters -o json --show-secrets', {simulator});
    for (const each of secrets) {
      expect(hidden.stdout).not.toContain(each);
      expect(shown.stdout).toContain(each);
    }
    expect(hidden.stdout).toContain('"kube_config": "[redacted]"');
  });

  test('keeps all digits, escapes control characters, and prints records that match no schema', async () => {
    const name = 'a\u001b[31m\u202e\u200b"b';
    const url = await serve(
      [
        {id: 1, name},
        {id: 'none', name: 'odd'},
      ],
      '"odd"',
      '"odd", "size": 12345678901234567890',
    );
    const {stdout, stderr, exitCode} = await run(getCommand, 'vms -o json', at(url));
    expect(exitCode).toBe(0);
    expect([...stdout].every(character => character === '\n' || /[\x20-\x7e]/.test(character))).toBe(true);
    expect(JSON.parse(stdout)[0]).toEqual({id: 1, name});
    expect(stdout).toContain('12345678901234567890');
    expect(stderr).toBe('skydeck: 1 of 2 records could not be read completely: #none (id)\n');
    const streamed = await run(getCommand, 'vms -o ndjson', at(url));
    expect(streamed.stderr).toBe(stderr);
  });
});

describe('the clock of the service', () => {
  const OFFSET_MS = 9462 * 24 * 3_600_000;
  const stderrAt = async (offsetMs: number, env = {}) => {
    const {simulator} = await openService({'/core/keypairs': {keypairs: []}}, () => Date.now() + offsetMs);
    const {stderr, exitCode} = await run(getCommand, 'keypairs', {simulator, env});
    expect(exitCode).toBe(0);
    return stderr;
  };

  // The time of a reply has whole seconds, so a minute is added to what is expected.
  test.each([
    [
      'behind',
      -OFFSET_MS - 60_000,
      "skydeck: the service's clock is 9462 days behind this computer's: too far off to be right, so it is not used\n",
    ],
    ['ahead', 6.5 * 60_000, "skydeck: the service's clock is 6 min ahead of this computer's: ages follow it\n"],
  ])('is said once on stderr if it is far %s', async (_, offsetMs, expected) => {
    expect(
      (await stderrAt(offsetMs))
        .split('\n')
        .filter(line => line.includes('clock'))
        .join('\n'),
    ).toBe(expected.trim());
  });

  test('is not mentioned within five minutes', async () => {
    expect(await stderrAt(-4.5 * 60_000)).not.toContain('clock');
  });
});

describe('skydeck get', () => {
  test('marks unreadable records in the table', async () => {
    const url = await serve([
      {id: 1, name: 'web'},
      {id: -4, name: 'odd'},
    ]);
    const {stdout, stderr} = await run(getCommand, 'vms', at(url));
    expect(stdout).toMatch(/^ *1 {2}web /m);
    expect(stdout).toMatch(/^ *-4 {2}UNREADABLE \(id\)$/m);
    expect(stderr).toContain('1 of 2 records');
  });

  test('shows names in a table as safe text', async () => {
    const url = await serve([{id: 1, name: 'a\u001b]0;x\u0007\u202eb'}]);
    const {stdout} = await run(getCommand, 'vms', at(url));
    expect(stdout).toContain('a\u241b]0;x\u2407<U+202E>b');
  });

  test('leaves out first what was asked for, and keeps what tells one rule from another', async () => {
    const simulator = await openSimulator();
    const head = async (line: string) =>
      (await run(getCommand, line, {simulator, columns: 80})).stdout.split('\n')[0]?.trim().split(/ +/);
    const ofOne = ['ID', 'DIRECTION', 'PROTOCOL', 'PORTS', 'CIDR', 'STATE', 'EXPOSED', 'ETHER'];
    expect(await head('rules --firewall edge')).toEqual(ofOne);
    // Each is on another firewall or machine.
    expect(await head('rules')).toEqual(['ID', 'ON', 'DIRECTION', 'PROTOCOL', 'PORTS', 'CIDR', 'STATE']);
    expect(await head('rules --firewall edge --sort on')).toContain('ON');
    expect(await head('rules --firewall edge -o wide')).toContain('ON');
  });

  test('fits a table into a terminal and says what it left out; nothing is cut for programs or on request', async () => {
    const simulator = await openSimulator();
    const widest = (text: string) => Math.max(...text.split('\n').map(widthOf));
    const shown = await run(getCommand, 'vms', {simulator, columns: 80});
    expect(widest(shown.stdout)).toBeLessThanOrEqual(80);
    expect(shown.stdout.split('\n')[0]).toMatch(/^ +ID +NAME +STATE +FLAVOR +\$\/h$/);
    expect(shown.stderr).toBe(
      'skydeck: left out at 80 columns: ADDRESS, REGION, AGE; -o wide or --columns prints them\n',
    );
    const whole = await run(getCommand, 'vms', {simulator});
    expect(widest(whole.stdout)).toBeGreaterThan(120);
    expect(whole.stderr).toBe('');
    for (const line of ['vms -o wide', 'vms --columns name,flavor,image,environment,address,region,age']) {
      const asked = await run(getCommand, line, {simulator, columns: 80});
      expect(asked).toMatchObject({exitCode: 0, stderr: ''});
      expect(widest(asked.stdout)).toBeGreaterThan(80);
    }
  });

  test('reads every page, and prints a record that is on two pages once', async () => {
    const pages = [[{id: 1}, {id: 2}], [{id: 2}, {id: 3}], []];
    const url = await servePages(pages);
    for (const format of ['json', 'ndjson']) {
      const {stdout, exitCode} = await run(getCommand, `vms -o ${format}`, at(url));
      const records =
        format === 'json'
          ? JSON.parse(stdout)
          : stdout
              .trim()
              .split('\n')
              .map(line => JSON.parse(line));
      expect({ids: records.map(({id}: {id: number}) => id), exitCode}).toEqual({ids: [1, 2, 3], exitCode: 0});
    }
  });

  test('prints both records whose ids look alike once they are harmless', async () => {
    const pages = [[{id: '\u007f'}, {id: '\u2421'}], [{id: '\u2421'}], []];
    const {stdout} = await run(getCommand, 'vms -o ndjson', at(await servePages(pages)));
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  test('ends a list at the limit in the settings and says so, but prints all of it line by line', async () => {
    const page = (from: number) => [1, 2, 3].map(at => ({id: from + at, name: 'x'.repeat(200_000)}));
    const url = await servePages([page(0), page(3), page(6), []]);
    const home = openHome();
    writeFileSync(join(home.path, 'config', 'settings.json'), '{"maxListMib": 1}', {mode: 0o600});
    const bounded = await run(getCommand, 'vms -o name', {...at(url), home});
    expect(bounded).toMatchObject({exitCode: 6, stderr: expect.stringContaining('may be incomplete (size-limit)')});
    // Five such records stay below 1 MiB; a sixth may have arrived in the same network packet as the limit.
    const boundedCount = bounded.stdout.trim().split('\n').length;
    expect(boundedCount).toBeGreaterThanOrEqual(5);
    expect(boundedCount).toBeLessThanOrEqual(6);
    const streamed = await run(getCommand, 'vms -o ndjson', {...at(url), home});
    expect(streamed).toMatchObject({exitCode: 0, stderr: ''});
    expect(streamed.stdout.trim().split('\n')).toHaveLength(9);
  });

  test('says how many records it printed line by line of a list that may be incomplete', async () => {
    const url = await open((_page, answer) =>
      answer(JSON.stringify({status: true, count: 5, instances: [{id: 1}, {id: 2}]})),
    );
    const {stdout, stderr, exitCode} = await run(getCommand, 'vms -o ndjson', at(url));
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stderr).toBe('skydeck: the list may be incomplete (repeated-page): 2 machines read\n');
    expect(exitCode).toBe(6);
  });

  test('prints CSV in which a spreadsheet finds no formulas', async () => {
    const url = await serve([
      {id: 1, name: '=1+2', labels: ['a,b', 'say "x"']},
      {id: 2, name: '-dash'},
    ]);
    const {stdout} = await run(getCommand, 'vms -o csv', at(url));
    const [head, first, second] = stdout.split('\r\n');
    expect(head).toMatch(/^id,name,state,flavor,cost,address,region,age,/);
    expect(first).toMatch(/^1,'=1\+2,.*,"a,b say ""x"""$/);
    expect(second).toMatch(/^2,'-dash,/);
  });

  test('prints the id of a machine whose name another command would take for something else', async () => {
    const names = ['--yes', '2', 'a --yes', 'train 01', "it's", 'a*', 'gpu-7', ''];
    const url = await serve(names.map((name, index) => ({id: 11 + index, name})));
    const {stdout} = await run(getCommand, 'vms -o name', at(url));
    expect(stdout).toBe('11\n12\n13\n14\n15\n16\ngpu-7\n18\n');
  });

  test('prints the id of a machine whose name cannot be printed as it is', async () => {
    const key = 'CANARY-0123456789-abcdef';
    const names = [
      'a\u001b[31mb',
      'a\nb',
      'gpu\u200b-1',
      'gpu-1\u202e',
      'x\u00a0y',
      'z\u0301\u0301\u0301\u0301\u0301',
      key,
      'größe',
    ];
    const url = await serve(names.map((name, index) => ({id: 11 + index, name})));
    const {stdout} = await run(getCommand, 'vms -o name', {simulator: {url, apiKey: key}});
    expect(stdout).toBe('11\n12\n13\n14\n15\n16\n17\ngröße\n');
  });

  test.each([
    ['vms train-01', ['train-01']],
    ['vm --filter gpu:H100', 'instances'],
    ['machines --filter cost>20', ['train-01', 'train-03']],
  ])('finds %s', async (line, expected) => {
    const simulator = await openSimulator();
    const {stdout, exitCode} = await run(getCommand, [...line.split(' '), '-o', 'name'], {simulator});
    expect(exitCode).toBe(0);
    const names = stdout.trim().split('\n');
    if (Array.isArray(expected)) return expect(names).toEqual(expected);
    const theirs = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines?page=1&pageSize=500')).text);
    type Machine = {name: string; flavor: {gpu: string}};
    const isWanted = ({flavor}: Machine) => flavor.gpu.includes('H100');
    expect(names.toSorted()).toEqual(
      theirs.instances
        .filter(isWanted)
        .map(({name}: Machine) => name)
        .toSorted(),
    );
  });

  test.each([
    ['size>2T', (size: number) => size > 2000],
    ['size<3T', (size: number) => size < 3000],
    ['size<2001', (size: number) => size < 2001],
  ])('finds volumes by %s, as their sizes are printed', async (filter, isWanted) => {
    const simulator = await openSimulator();
    const {volumes} = JSON.parse((await rawAnswer(simulator, '/core/volumes?page=1&pageSize=500')).text);
    const wanted = volumes.filter(({size}: {size: number}) => isWanted(size));
    const {stdout} = await run(getCommand, `volumes --filter ${filter} -o ndjson`, {simulator});
    expect(
      stdout
        .trim()
        .split('\n')
        .filter(line => line !== ''),
    ).toHaveLength(wanted.length);
    expect(wanted.length).toBeGreaterThan(0);
  });

  test.each(['login<2h', 'joined<200d', 'granted>1'])('understands members --filter %s', async filter => {
    const simulator = await openSimulator();
    const {stderr} = await run(getCommand, `members --filter ${filter} -o name`, {simulator});
    expect(stderr).not.toContain('is not known');
  });

  test('finds no machine of $2.00 an hour below 2', async () => {
    const simulator = await openSimulator();
    const {stdout} = await run(getCommand, 'vms --filter cost<2 -o csv --columns cost', {simulator});
    const costs = stdout.trim().split('\n').slice(1).map(Number);
    expect(costs.length).toBeGreaterThan(0);
    expect(costs.filter(cost => cost > 1.9999995)).toEqual([]);
  });

  test('limits events and rules to one machine', async () => {
    const simulator = await openSimulator();
    const machines = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text).instances;
    const {id, name, security_rules: rules} = machines[0];
    const events = JSON.parse((await rawAnswer(simulator, `/core/virtual-machines/${id}/events`)).text).instance_events;
    const owner = {_vm: name, _vm_id: id};
    const printed = async (...words: string[]) =>
      JSON.parse((await run(getCommand, [...words, '-o', 'json'], {simulator})).stdout);
    expect(await printed('events', name)).toEqual(events.map((each: object) => ({...each, ...owner})).toReversed());
    // Over all machines and clusters too: the newest first, as in skydeck events.
    const times = (await printed('events')).map(({time}: {time: string}) => Date.parse(time));
    expect(times).toEqual(times.toSorted((left: number, right: number) => right - left));
    const held = await printed('rules', '--vm', String(id));
    expect(held.filter((each: {_vm?: string}) => each._vm !== undefined)).toEqual(
      rules.map((each: object) => ({...each, ...owner})),
    );
  });

  test("prints the rules of a machine's firewalls with its own, and that they expose it", async () => {
    const simulator = await openSimulator({scenario: 'on-call'});
    const {firewalls} = JSON.parse((await rawAnswer(simulator, '/core/firewalls')).text);
    const edge = firewalls.find(({name}: {name: string}) => name === 'edge');
    const words = ['rules', '--vm', 'sweep-04', '-o', 'json'];
    const told = JSON.parse((await run(getCommand, words, {simulator})).stdout);
    const ofFirewalls = told.filter((each: object) => '_firewall' in each);
    expect(ofFirewalls.map(({id}: {id: number}) => id)).toEqual(edge.rules.map(({id}: {id: number}) => id));
    const shown = (await run(getCommand, 'rules --vm sweep-04', {simulator})).stdout;
    expect(shown).toMatch(/firewall edge #\d+ .* 22 .* 0\.0\.0\.0\/0 .* yes/);
    expect(shown).not.toContain('firewall bastion');
  });

  test('names the owner of each rule and node, in every format', async () => {
    const simulator = await openSimulator();
    type Holder = {id: number; name: string; nodes: {id: number}[]; rules: {id: number}[]};
    const clusters: Holder[] = JSON.parse((await rawAnswer(simulator, '/core/clusters')).text).clusters;
    const firewalls: Holder[] = JSON.parse((await rawAnswer(simulator, '/core/firewalls')).text).firewalls;
    const ownNodes = clusters.flatMap(({id, name, nodes}) =>
      nodes.map(node => ({...node, _cluster: name, _cluster_id: id})),
    );
    const ownRules = firewalls.flatMap(({id, name, rules}) =>
      rules.map(rule => ({...rule, _firewall: name, _firewall_id: id})),
    );
    expect(ownNodes.length).toBeGreaterThan(0);
    expect(ownRules.length).toBeGreaterThan(0);
    const nodes = JSON.parse((await run(getCommand, 'nodes -o json', {simulator})).stdout);
    const rules = (await run(getCommand, 'rules -o ndjson', {simulator})).stdout.trim().split('\n');
    expect(nodes).toEqual(expect.arrayContaining(ownNodes));
    expect(rules.map(line => JSON.parse(line))).toEqual(expect.arrayContaining(ownRules));
    const [name] = clusters.map(each => each.name);
    expect((await run(getCommand, 'nodes -o csv', {simulator})).stdout).toContain(`,${name},`);
  });

  test.each([
    ['', 2, 'skydeck: get needs a resource; available: vms clusters nodes firewalls '],
    ['bogus', 2, 'unknown resource "bogus"'],
    ['vmss', 2, 'did you mean vms?'],
    ['vms --filter cost>much', 2, 'expected a number after >'],
    ['vms --filter colour:red', 2, 'no column is called colour'],
    ['vms -o xml', 2, 'xml'],
    ['vms --colour', 2, '--colour'],
    ['flavors --vm 1', 2, '--vm does not apply to flavors'],
    ['vms --region CANADA-1', 2, '--region does not apply to vms; use --filter region:CANADA-1'],
    ['vms 4711', 4, 'not found'],
    ['vms no-such-name', 4, 'not found'],
  ])('refuses %s with exit code %i and one line', async (line, code, words) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const {stdout, stderr, exitCode} = await run(getCommand, line, {simulator});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: code});
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    ['status=400,match=GET /core/*', 1],
    ['kind=redirect:https://elsewhere.example/,match=GET /core/*', 6],
    ['status=401,match=GET /core/*', 3],
    ['status=403,match=GET /core/*', 3],
    ['status=404,match=GET /core/*', 4],
    ['status=429,match=GET /core/*', 5],
    ['status=500,match=GET /core/*', 6],
    ['kind=html,match=GET /core/*', 6],
    ['kind=truncate,match=GET /core/*', 6],
    ['kind=reset,match=GET /core/*', 6],
  ])('reports %s with exit code %i', async (fault, code) => {
    const simulator = await openSimulator({faults: [fault]});
    const {stdout, stderr, exitCode} = await run(getCommand, 'clusters', {simulator});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: code});
    expect(stderr).toMatch(/^skydeck: get clusters: .*\n$/);
    expect(stderr).not.toContain(simulator.apiKey);
  });

  test('says how the base URL should end when a gateway answers at the one that was given', async () => {
    const server = await openServer((_request, response) => response.writeHead(404).end('{"message": "Not Found"}'));
    const at = (url: string) => run(getCommand, 'vms', {simulator: {url, apiKey: 'key-0123456789'}});
    const words = 'skydeck: get vms: an unreadable answer: HTTP 404 in an unexpected form: Not Found';
    expect(await at(server.baseUrl)).toMatchObject({exitCode: 6, stderr: `${words}\n`});
    const hint = '; the base URL should end in /v1';
    expect(await at(new URL('/', server.baseUrl).href)).toMatchObject({exitCode: 6, stderr: `${words}${hint}\n`});
  });

  test.each<[string, string, boolean]>([
    ['a page', '<html><body>Welcome</body></html>', true],
    ['JSON of another kind', '{"service": "something else"}', true],
    ['an answer that is cut off', '{"status": true, "instances": [{"id": 7, "na', false],
    ['an answer that is too large', `{"status": true, "instances": [{"id": 7, "name": "${'x'.repeat(9e6)}"}]}`, false],
  ])('says how the base URL should end only where something else answers: %s', async (_, body, isHinted) => {
    const server = await openServer((_request, response) =>
      response.writeHead(200, {'content-type': 'application/json'}).end(body),
    );
    const url = new URL('/', server.baseUrl).href;
    const {stderr, exitCode} = await run(getCommand, 'vms', {simulator: {url, apiKey: 'key-0123456789'}});
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(/^skydeck: get vms: an unreadable answer: /);
    expect(stderr.endsWith('; the base URL should end in /v1\n')).toBe(isHinted);
  });

  test('says of a log that its folder does not exist', async () => {
    const {simulator} = await openService({});
    const log = join(openHome().path, 'nope', 'x.log');
    const {stderr, exitCode} = await run(getCommand, ['vms', '--log', log], {simulator});
    expect({stderr, exitCode}).toEqual({
      stderr: `skydeck: --log ${log}: there is no folder ${dirname(log)}\n`,
      exitCode: 2,
    });
  });

  test('needs an account, and says how to name one', async () => {
    const {stderr, exitCode} = await run(getCommand, 'vms');
    expect({stderr, exitCode}).toEqual({
      stderr: 'skydeck: no account: run skydeck profile add, or set SKYDECK_BASE_URL and SKYDECK_API_KEY\n',
      exitCode: 2,
    });
  });

  test('continues without prices when the key may not see them', async () => {
    const simulator = await openSimulator();
    const member = {...simulator, apiKey: simulator.keys.member};
    const {stdout, stderr, exitCode} = await run(getCommand, 'vms', {simulator: member});
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ *\d+ {2}train-01 .* – /m);
    expect(stderr).toContain('cost is unknown');
  });
});

/** Uptimes and bills grow between two requests, so only their names are compared. */
function withoutClockwork(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, field) => (/^total_(up_time|bill)$|^credit$|last_login/.test(name) ? 'moves' : field)),
  );
}

function at(url: string) {
  return {simulator: {url, apiKey: 'key-0123456789'}};
}

/** One page of machines, with part of the answer replaced by text that no serialiser writes. */
function serve(machines: readonly object[], from = '', to = ''): Promise<string> {
  return open((_, answer) =>
    answer(JSON.stringify({status: true, count: machines.length, instances: machines}).replace(from, to)),
  );
}

function servePages(pages: readonly (readonly object[])[]): Promise<string> {
  return open((page, answer) => answer(JSON.stringify({status: true, instances: pages[page - 1] ?? []})));
}

function open(respond: (page: number, answer: (body: string) => void) => void): Promise<string> {
  const server = createServer((request, response) => {
    const {pathname, searchParams} = new URL(request.url ?? '', 'http://127.0.0.1');
    response.setHeader('content-type', 'application/json');
    if (!pathname.endsWith('/virtual-machines')) return response.end('{"status": true, "data": []}');
    respond(Number(searchParams.get('page')), body => response.end(body));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`);
    });
  });
}

test('prints how long a machine was quiet as triage and the deck do, once its history was read', async () => {
  const simulator = await openSimulator();
  const home = openHome();
  const quietOf = async () => {
    const {stdout} = await run(getCommand, 'vms train-02 --columns name,quiet', {simulator, home});
    return stdout.trimEnd().split(/\s+/).at(-1) ?? '';
  };
  // For a list only an hour is read; the machine may have been quiet for longer.
  expect(await quietOf()).toMatch(/^(5\dm|1h\d\d)\+$/);
  const {stdout} = await run(triageCommand, '-o json', {simulator, home});
  const idle: {since: string}[] = JSON.parse(stdout).findings.filter(
    ({rule, subject}: {rule: string; subject: {name: string}}) => rule === 'idle' && subject.name === 'train-02',
  );
  const days = Math.floor((Date.now() - Date.parse(idle[0]?.since ?? '')) / 86_400_000);
  expect(days).toBeGreaterThan(0);
  expect((await quietOf()).replace('+', '')).toBe(`${days}d`);
});

test('what could not be reached is said in words that no operation has', async () => {
  const simulator = {url: await closedBaseUrl(), apiKey: 'a-key-of-nobody'};
  const {stderr, exitCode} = await run(getCommand, 'vms', {simulator});
  expect(exitCode).toBe(6);
  expect(stderr).toMatch(/^skydeck: get vms: connection refused \(127\.0\.0\.1:\d+\)\n$/);
});

test('get -o name shows a record that is no more than a text without anything a terminal obeys', async () => {
  const {simulator} = await openService({
    '/core/stocks': {stocks: ['gpu\u001b[2J\n', {region: 'CANADA-1', models: ['\u0088a']}]},
  });
  const {stdout} = await run(getCommand, 'stock -o name', {simulator});
  expect(stdout).toBe('gpu␛[2J␊\n<U+0088>a\n');
});

test('prints neither the key if Prometheus repeats it, nor the token of Prometheus if the service does', async () => {
  const prometheus = await openFakePrometheus();
  const {simulator} = await openService({
    '/core/virtual-machines': {status: true, instances: [{id: 1, name: `gpu ${TOKEN}`}], count: 1},
  });
  const home = homeWithPrometheus(prometheus, simulator);
  const error = JSON.stringify({status: 'error', error: `bad ${simulator.apiKey}`});
  prometheus.answer(response => response.writeHead(422).end(error));
  const seen = await run(getCommand, 'vms --columns name,gpuload', {simulator, home});
  expect(seen.stderr).toContain('refused (422): bad [key]');
  expect(seen.stdout).toContain('gpu [key …6789]');
  const raw = await run(getCommand, 'vms -o json', {simulator, home});
  expect(JSON.parse(raw.stdout)).toMatchObject([{name: 'gpu [key …6789]'}]);
});
