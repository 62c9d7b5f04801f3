import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer, type RequestListener, type ServerResponse} from 'node:http';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {choose, openMachines} from '../support/deck.ts';
import {giveCompiledCode, type Home, projectRoot} from '../support/launch.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {openAppOnTerminal, openHome, runProgram} from '../support/program.ts';
import {openShell} from '../support/shell.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

// Every kind of character that another encoding changes, and a word to look for in a dump.
const CANARY = 'canary/K+7=&"\\<%~end-of-the-key';

const COMMANDS: readonly (readonly string[])[] = [
  [],
  ['get', 'vms'],
  ['get', 'vms', '-o', 'json'],
  ['describe', 'vm', 'gpu-1'],
  ['vm', 'stop', 'gpu-1', '--yes'],
  ['vm', 'label', 'gpu-1', '--add', 'a', '--yes'],
  ['firewall', 'delete', 'edge', '--yes'],
  ['get', 'usage'],
  ['api', 'GET', '/core/virtual-machines'],
  ['api', 'POST', '/core/virtual-machines', '--yes'],
  ['get', 'buckets'],
];
/** Each says the key in its own way, or nothing that can be read. */
const ANSWERS: readonly (readonly [string, (response: ServerResponse, key: string) => void])[] = [
  ['a refusal', (response, key) => response.writeHead(401).end(JSON.stringify({status: false, message: key}))],
  [
    'a failure',
    (response, key) => response.writeHead(500, {'x-key': key}).end(JSON.stringify({message: encodingsOf(key).join()})),
  ],
  ['a redirect', (response, key) => response.writeHead(302, {location: `https://127.0.0.1:1/?k=${btoa(key)}`}).end()],
  [
    'half an answer',
    (response, key) => {
      response.writeHead(200, {'content-length': '9999'}).write(`{"status":true,"message":"${btoa(key)}`);
      setImmediate(() => response.destroy());
    },
  ],
];
const ALL_FAILING_RUNS = COMMANDS.flatMap(words => ANSWERS.map(([name, answer]) => [name, words, answer] as const));
const RUN_STEP = sweepOf({sample: 11, deep: 1});
const FAILING_RUNS = ALL_FAILING_RUNS.filter((_, index) => index % RUN_STEP === 0);

describe('a key appears nowhere', PATIENT, () => {
  test('when the service refuses it and repeats it in the answer', async () => {
    const service = await openService((request, response) => {
      response.writeHead(401, {'content-type': 'application/json', 'x-echo': String(request.headers.api_key)});
      response.end(JSON.stringify({status: false, message: `no such key: ${request.headers.api_key}`}));
    });
    const app = await openAppOnTerminal({...service.asSimulator});
    await app.sees('the key or its role was not accepted (401)');
    await app.press('?', 'esc', 'ctrl-s');
    await app.sees('saved as');
    expectNoKey(app.raw(), app.home);
    expect(commandLineOf(app.pid)).not.toContain('canary');
    await app.press('q');
    await app.exited;
    expectNoKey(app.raw(), app.home);
  });

  test('in a failure and a refusal that repeat it', async () => {
    const service = await openService((request, response) => {
      const status = request.url?.includes('/virtual-machines') ? 500 : 403;
      response.writeHead(status, {'content-type': 'application/json'});
      const key = String(request.headers.api_key);
      response.end(JSON.stringify({status: false, message: [key, ...encodingsOf(key)].join(' '), error_reason: key}));
    });
    const app = await openAppOnTerminal({...service.asSimulator});
    await app.sees('(500)');
    await app.sees('(403)');
    await app.press('tab', 'ctrl-s');
    await app.sees('saved as');
    expectNoKey(app.raw(), app.home);
  });

  test.runIf(isDeep)('when connections are cut, answers are garbage or go elsewhere', async () => {
    const kinds = ['reset', 'truncate', 'malformed', 'html', 'redirect:https://127.0.0.1:1/v1'];
    const simulator = await openSimulator({scenario: 'calm', faults: kinds.map(kind => `kind=${kind},times=1`)});
    const app = await openAppOnTerminal({simulator, env: {NODE_DEBUG: 'fetch,undici,http,net'}});
    await app.becomes('to have met every fault', () => simulator.requests().length > kinds.length, {withinMs: 30_000});
    await app.sees(/FETCH \d+: received response/);
    expectNo([simulator.apiKey, ...encodingsOf(simulator.apiKey)], app.raw(), app.home);
  });

  test.runIf(isDeep)('in the journal and on the screen of an operation that failed', async () => {
    const simulator = await openSmallCloud({faults: ['status=500,match=GET /core/virtual-machines/*/stop']});
    const app = await openMachines({simulator});
    await choose(app, 'sweep-04');
    await app.press('p', 'x');
    await app.sees('y sends it');
    await app.press('y');
    await app.sees('outcome unknown');
    expect(filesBelow(app.home.path).some(path => path.includes('journal'))).toBe(true);
    expectNo([simulator.apiKey, ...encodingsOf(simulator.apiKey)], app.raw(), app.home);
  });

  test('in what the platform tells of its connections while something is read and sent', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    const env = {NODE_DEBUG: 'net,http,https,tls,stream,fetch,undici'};
    const label = ['vm', 'label', 'infer-01', '--add', 'canary', '--yes'];
    for (const words of sweepOf({sample: [label], deep: [label, ['api', 'POST', '/core/x', '--yes']]})) {
      const {stdout, stderr} = await runProgram(words, {simulator, home, env});
      expect(stderr).toMatch(/NET \d+: /);
      expectNo([simulator.apiKey, ...encodingsOf(simulator.apiKey)], stdout + stderr, home);
    }
    const sent = sweepOf({sample: ['GET', 'PUT'], deep: ['GET', 'PUT', 'POST']});
    expect(simulator.requests().map(({method}) => method)).toEqual(expect.arrayContaining(sent));
  });

  test('at a proxy that Node itself was told to use, since a service on this computer is reached directly', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const seen: string[] = [];
    const proxy = await openService((request, response) => {
      seen.push(`${request.url} ${request.headers.api_key}`);
      response.writeHead(502).end();
    });
    const env = {HTTP_PROXY: new URL(proxy.asSimulator.simulator.url).origin};
    const [variable, option] = [{NODE_USE_ENV_PROXY: '1'}, {NODE_OPTIONS: '--use-env-proxy'}];
    for (const told of sweepOf({sample: [variable], deep: [variable, option]})) {
      const {exitCode} = await runProgram(['get', 'vms'], {simulator, env: {...env, ...told}});
      expect(exitCode).toBe(0);
    }
    expect(seen).toEqual([]);
  });

  test('in the journal, where somebody put it into a request', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const home = openHome();
    await runProgram(['api', 'POST', `/core/x?key=${simulator.apiKey}`, '--yes'], {simulator, home});
    const {stdout} = await runProgram(['journal'], {simulator, home});
    expect(stdout).toContain('POST /core/x?key=[key');
    expectNo([simulator.apiKey, ...encodingsOf(simulator.apiKey)], stdout, home);
  });

  test('in any of so many runs that fail', {timeout: FAILING_RUNS.length * 15_000}, async () => {
    for (const [name, words, answer] of FAILING_RUNS) {
      const service = await openService((request, response) => answer(response, String(request.headers.api_key)));
      const home = openHome();
      const {stdout, stderr, exitCode} = await runProgram([...words, '--log', join(home.path, 'requests.log')], {
        ...service.asSimulator,
        home,
        env: {NODE_DEBUG: 'http,net,tls,fetch,undici'},
      });
      // Neither well, nor by a mistake in the words.
      expect([0, 2], `${words.join(' ')}, ${name}`).not.toContain(exitCode);
      expectNoKey(stdout + stderr, home);
    }
    reportCounted('failing runs', FAILING_RUNS.length);
    reportMeasured(`${FAILING_RUNS.length} failing runs, the key and ${encodingsOf(CANARY).length} encodings nowhere`);
  });

  test('when it is no key at all', async () => {
    const simulator = await openSimulator({scenario: 'empty'});
    for (const apiKey of [
      `${CANARY}\nsecond-line`,
      `${CANARY}ü`,
      ...sweepOf({sample: [], deep: [` ${CANARY}`, 'canary']}),
    ]) {
      const home = openHome();
      const {stdout, stderr, exitCode} = await runProgram([], {simulator: {...simulator, apiKey}, home});
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^skydeck: SKYDECK_API_KEY: /);
      expect(stderr.split('\n')).toHaveLength(2);
      expectNoKey(stdout + stderr, home);
    }
  });

  test('in the environment of a program that the deck starts', async () => {
    const simulator = await openSimulator({scenario: 'empty'});
    const home = openHome();
    const command = join(home.path, 'key-command.sh');
    const seen = join(home.path, 'seen-environment');
    writeFileSync(command, `#!/bin/sh\nenv >"${seen}"\necho ${simulator.apiKey}\n`, {mode: 0o700});
    const app = await openAppOnTerminal({
      simulator: {...simulator, apiKey: CANARY},
      home,
      arguments: ['--key-command', command],
    });
    await app.sees('acme-new');
    expect(readFileSync(seen, 'utf8')).toContain('SKYDECK_BASE_URL');
    expectNoKey(readFileSync(seen, 'utf8'), home);
  });
});

test('gives no option that would put a key among the arguments', PATIENT, async () => {
  const {stdout, stderr, exitCode} = await runProgram(['--api-key', CANARY]);
  expect(exitCode).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('--api-key');
  expect(stderr).not.toContain('canary');
  const help = await runProgram(['--help']);
  expect(help.stdout).not.toContain('--api-key');
});

test('does not take the key to a service that cannot be trusted with it', PATIENT, async () => {
  const home = openHome();
  giveCompiledCode(home);
  const shell = await openShell({cwd: projectRoot, env: {...home.environment, SKYDECK_API_KEY: 'a-key-of-somebody'}});
  onTestFinished(shell.close);
  shell.run('node dist/skydeck.js --base-url http://cloud.example/v1; echo "code $?"');
  await shell.sees('code 2');
  expect(shell.text()).toMatch(/^skydeck: .*https/m);
});

/** A service of the test on loopback, in the shape in which a deck is pointed at one. */
async function openService(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The service of the test has no port.');
  const simulator = {
    ...(await openSimulator({scenario: 'empty'})),
    url: `http://127.0.0.1:${address.port}/v1`,
    apiKey: CANARY,
  };
  return {asSimulator: {simulator}};
}

function expectNoKey(output: string, home: Home): void {
  expect(output).not.toContain('canary');
  expect(output).not.toContain('end-of-the-key');
  expectNo([CANARY, ...encodingsOf(CANARY)], output, home);
}

/** Neither in what was printed nor in any file below the home. */
function expectNo(forms: readonly string[], output: string, home: Home): void {
  const written = filesBelow(home.path)
    .filter(path => !path.endsWith('key-command.sh'))
    // Among them is megabytes of compiled code; every form of a key is ASCII.
    .map(path => ({place: path, text: readFileSync(path, 'latin1')}));
  for (const {place, text} of [{place: 'the output', text: output}, ...written]) {
    const lowerCase = text.toLowerCase();
    expect(
      forms.filter(form => lowerCase.includes(form.toLowerCase())),
      place,
    ).toEqual([]);
  }
}

function encodingsOf(key: string): string[] {
  const bytes = Buffer.from(key);
  return [
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    // Not all of it, and written in another way than as bytes.
    key.slice(0, -1),
    key.slice(0, key.length / 2),
    key.slice(key.length / 2),
    [...key].join(' '),
    [...key].reverse().join(''),
  ];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

function commandLineOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
}
