import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {apiCommand} from '../../src/cli/commands/api.ts';
import {journalCommand} from '../../src/cli/commands/journal.ts';
import {stateFolder} from '../../src/config/own-files.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {rawAnswer, run} from './a-command.ts';
import {openService} from './a-service.ts';

const RULE = {direction: 'ingress', protocol: 'tcp', ethertype: 'IPv4', remote_ip_prefix: '10.0.0.0/8'};

describe('skydeck api', () => {
  test('prints the whole answer to a read, which needs no confirmation', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const theirs = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines?pageSize=2&page=2')).text);
    const given = await run(apiCommand, 'get /v1//core/virtual-machines?pageSize=2 -q page=2 --read-only', {simulator});
    expect(given).toMatchObject({stderr: '', exitCode: 0});
    expect(JSON.parse(given.stdout)).toEqual(theirs);
    expect(simulator.requests()).toHaveLength(2);
  });

  test('holds answers of up to 8 MiB, and says what to do about a longer one', async () => {
    const machines = (mib: number) => ({status: true, instances: [{id: 1, name: 'x'.repeat(mib * 2 ** 20 - 100)}]});
    const {simulator} = await openService({'/core/virtual-machines': machines(8), '/core/flavors': machines(9)});
    expect(await run(apiCommand, 'GET /core/virtual-machines', {simulator})).toMatchObject({stderr: '', exitCode: 0});
    const {stdout, stderr, exitCode} = await run(apiCommand, 'GET /core/flavors', {simulator});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 6});
    expect(stderr).toContain(
      'a body of more than 8 MiB; ask for fewer records, e.g. -q pageSize=100, or use skydeck get, which reads lists in pieces',
    );
  });

  test('prints a log that is not ready as the answer it is, and a failure of the same form as one', async () => {
    const pending = {status: false, message: 'pending', logs: null};
    const {simulator} = await openService({'/core/virtual-machines/7/logs': pending, '/core/flavors': pending});
    const {stdout, exitCode} = await run(apiCommand, 'GET /core/virtual-machines/7/logs -q request_id=9', {simulator});
    expect([JSON.parse(stdout), exitCode]).toEqual([pending, 0]);
    expect((await run(apiCommand, 'GET /core/flavors', {simulator})).exitCode).toBe(1);
    const failed = await run(apiCommand, 'GET /billing/billing/history', {simulator});
    expect([failed.stdout, failed.exitCode]).toEqual(['', 4]);
  });

  test('hides secrets unless asked', async () => {
    const simulator = await openSimulator();
    expect((await run(apiCommand, 'GET /core/clusters', {simulator})).stdout).toContain('"kube_config": "[redacted]"');
    const shown = JSON.parse((await run(apiCommand, 'GET /core/clusters --show-secrets', {simulator})).stdout);
    const theirs = JSON.parse((await rawAnswer(simulator, '/core/clusters')).text);
    expect(shown.clusters).toEqual(theirs.clusters);
  });

  test.each([
    ['GET /core/virtual-machines/{id}/stop', 'add --yes'],
    ['GET /core/virtual-machines/{id}/STOP', 'add --yes'],
    ['GET /core/virtual-machines/{id}/events/%2e%2e/stop', 'add --yes'],
    ['DELETE /core/virtual-machines/{id}', 'add --yes'],
    ['GET /core/nothing', 'add --yes'],
    ['GET /core/virtual-machines/{id}/stop --yes --read-only', 'this session is read-only'],
    ['PURGE /core/flavors', 'the method must be one of'],
    ['POST /core/environments --yes --body {', '--body is not JSON'],
    ['GET /core/flavors -q region', '-q needs name=value'],
    ['GET /core/%zz', 'not a valid request path'],
    ['GET https://elsewhere.example/core/flavors', 'give a path of the service'],
  ])('sends nothing for %s', async (line, words) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    const before = simulator.requests().length;
    const {stdout, stderr, exitCode} = await run(apiCommand, line.replace('{id}', String(id)), {simulator});
    expect({stdout, exitCode}).toEqual({stdout: '', exitCode: 2});
    expect(stderr).toContain(words);
    expect(simulator.requests()).toHaveLength(before);
    expect(simulator.executions()).toEqual([]);
  });

  test('sends an operation once with --yes', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    const given = await run(apiCommand, `GET /core/virtual-machines/${id}/stop --yes`, {simulator});
    expect(given.exitCode).toBe(0);
    expect(JSON.parse(given.stdout)).toMatchObject({status: true});
    expect(simulator.executions()).toMatchObject([{verb: 'stop', id}]);
  });

  test.each([
    [[], 'accepted', 'its effect was not watched', 0],
    [['status=409,match=DELETE *'], 'REFUSED', '409', 1],
    [['status=500,match=DELETE *'], 'unknown', '500', 7],
    [['kind=reset,match=DELETE *'], 'unknown', 'cut', 7],
    [['kind=redirect:https://elsewhere.example/,match=DELETE *'], 'unknown', 'redirected', 7],
  ])('records in the journal what was sent, also with the fault %j', async (faults, outcome, detail, exitCode) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const id = await firstMachine(simulator);
    simulator.setFaults(faults);
    const sent = await run(apiCommand, `DELETE /core/virtual-machines/${id} --yes`, {simulator, home});
    expect(sent.exitCode).toBe(exitCode);
    const told = await run(journalCommand, '-o json', {simulator, home});
    expect(JSON.parse(told.stdout)).toMatchObject([
      {
        kind: 'api',
        subject: null,
        words: `DELETE /core/virtual-machines/${id}`,
        outcome,
        detail: expect.stringContaining(detail),
      },
    ]);
    const table = await run(journalCommand, '', {simulator, home});
    expect(table.stdout.split('\n')[1]).toContain(`DELETE /core/virtual-machines/${id}`);
  });

  test.each<[string, unknown, string, number]>([
    ['DELETE /core/virtual-machines/7', {status: true, message: 'scheduled'}, 'accepted', 0],
    ['DELETE /core/virtual-machines/7', {message: 'upstream accepted'}, 'unknown', 7],
    ['DELETE /core/virtual-machines/7', {}, 'unknown', 7],
    ['DELETE /core/virtual-machines/7', 'accepted', 'unknown', 7],
    ['POST /core/environments', {environment: {id: 4, name: 'a'}}, 'accepted', 0],
    ['DELETE /object-storage/buckets/logs', {message: 'Bucket deleted'}, 'accepted', 0],
    // Of an operation that is not documented, a record is an answer too.
    ['POST /core/clusters/4/nodes', {nodes: [{id: 9}]}, 'accepted', 0],
    ['POST /core/clusters/4/nodes', {message: 'upstream accepted'}, 'unknown', 7],
    ['POST /core/clusters/4/nodes', {nodes: []}, 'unknown', 7],
  ])('judges the answer to %s as its own operation does: %j is %s', async (line, answer, outcome, exitCode) => {
    const {simulator, asked} = await openService({[line]: answer});
    const home = openHome();
    const sent = await run(apiCommand, `${line} --yes`, {simulator, home});
    expect([sent.exitCode, asked.length]).toEqual([exitCode, 1]);
    if (exitCode === 7) expect(sent.stderr).toContain('sent once, its outcome is unknown');
    const told = await run(journalCommand, '-o json', {simulator, home});
    expect(JSON.parse(told.stdout)).toMatchObject([{words: line, outcome}]);
  });

  test('keeps the body and messages about it out of the journal', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const body = '{"name":"s3cret name","environment_name":"nowhere","public_key":"ssh-rsa AAAA"}';
    const line = ['POST', '/core/keypairs', '--yes', '--body', body];
    expect((await run(apiCommand, line, {simulator, home})).stderr).toContain("'nowhere' does not exist");
    const told = await run(journalCommand, '-o json', {simulator, home});
    expect(JSON.parse(told.stdout)).toMatchObject([
      {words: 'POST /core/keypairs', outcome: 'REFUSED', detail: expect.stringMatching(/^not found \(404\)/)},
    ]);
    expect(told.stdout).not.toMatch(/s3cret|nowhere/);
  });

  test.each(['json', 'ndjson', 'yaml'])('never prints our own key, not even among secrets, as %s', async format => {
    const key = 'key-0123456789';
    const encoded = Buffer.from(`api_key: ${key}`).toString('base64');
    const answer = {status: true, message: `you sent ${key}`, cluster: {id: 7, kube_config: 'theirs'}};
    const echo = {...answer, headers: {[key]: encoded}};
    const {simulator} = await openService({'/core/clusters': echo, 'POST /core/clusters': echo});
    for (const line of ['GET /core/clusters', 'POST /core/clusters --yes']) {
      const shown = await run(apiCommand, `${line} --show-secrets -o ${format}`, {simulator});
      expect(shown).toMatchObject({exitCode: 0, stderr: '', stdout: expect.stringContaining('theirs')});
      expect(shown.stdout).toContain('you sent [key]');
      expect(shown.stdout).not.toContain(key);
      expect(shown.stdout).not.toContain(encoded.slice(8, -4));
    }
  });

  test('prints valid JSON also if the mark of the key contains a quotation mark', async () => {
    const {simulator} = await openService({'/core/clusters': {message: 'key-0123456789"ab"'}});
    const given = await run(apiCommand, 'GET /core/clusters', {
      simulator: {...simulator, apiKey: 'key-0123456789"ab"'},
    });
    expect(JSON.parse(given.stdout)).toEqual({message: '[key …"ab"]'});
  });

  test('sends nothing when the answer would be a secret that nobody sees', async () => {
    const made = {access_key: {id: 62, access_key: 'AK62', secret_key: 'SECRET-62'}};
    const {simulator, asked} = await openService({'POST /object-storage/access-keys': made});
    const line = ['POST', '/object-storage/access-keys', '--yes', '--body', '{"region":"CANADA-1"}'];
    const hidden = await run(apiCommand, line, {simulator});
    expect(hidden).toMatchObject({exitCode: 2, stdout: '', stderr: expect.stringContaining('add --show-secrets')});
    expect(asked).toEqual([]);
    const shown = await run(apiCommand, [...line, '--show-secrets'], {simulator});
    expect(shown).toMatchObject({exitCode: 0, stdout: expect.stringContaining('SECRET-62')});
  });

  test('sends nothing when the journal cannot be written', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const id = await firstMachine(simulator);
    // A file in place of the folder.
    const folder = stateFolder(home.environment);
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'journal'), '');
    const given = await run(apiCommand, `DELETE /core/virtual-machines/${id} --yes`, {simulator, home});
    expect(given).toMatchObject({exitCode: 6, stdout: ''});
    expect(given.stderr).toMatch(/the journal cannot be written .*so nothing was sent/);
    expect(simulator.executions()).toEqual([]);
  });

  test.each(['literal', '@file', '-'])('takes the body from %s', async way => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    const text = JSON.stringify(RULE);
    const home = openHome();
    writeFileSync(join(home.path, 'rule.json'), text);
    const body = way === '-' ? '-' : way === '@file' ? `@${join(home.path, 'rule.json')}` : text;
    const path = `/core/virtual-machines/${id}/sg-rules`;
    const given = await run(apiCommand, ['POST', path, '--body', body, '--yes'], {simulator, stdin: text, home});
    expect(given.exitCode).toBe(0);
    expect(JSON.parse(given.stdout).security_rule).toMatchObject(RULE);
  });

  test.each([
    ['status=400,match=GET *stop', 1],
    ['kind=redirect:https://elsewhere.example/,match=GET *stop', 7],
    ['status=401,match=GET *stop', 3],
    ['status=404,match=GET *stop', 4],
    ['status=429,match=GET *stop', 5],
    ['status=500,match=GET *stop,when=after', 7],
    ['kind=reset,match=GET *stop,when=after', 7],
    ['kind=truncate,match=GET *stop,when=after', 7],
  ])('reports an operation answered by %s with exit code %i, and sends it once', async (fault, code) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    simulator.setFaults([fault]);
    const path = `/core/virtual-machines/${id}/stop`;
    const {exitCode, stdout, stderr} = await run(apiCommand, `GET ${path} --yes`, {simulator});
    expect({exitCode, stdout}).toEqual({exitCode: code, stdout: ''});
    expect(stderr).toContain(`GET ${path}`);
    expect(simulator.requests().filter(request => request.path.endsWith('/stop'))).toHaveLength(1);
  });

  test('reports an operation that was not sent with exit code 6', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    await simulator.close();
    expect(await run(apiCommand, 'GET /core/virtual-machines/1/stop --yes', {simulator})).toMatchObject({exitCode: 6});
  });
});

async function firstMachine(simulator: {readonly url: string; readonly apiKey: string}): Promise<number> {
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  return instances.find(({status}: {status: string}) => status === 'ACTIVE').id;
}
