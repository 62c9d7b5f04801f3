import {describe, expect, test} from 'vitest';
import {runCommand} from '../../src/cli/run-command.ts';
import {loadSimulatorCommand} from '../../src/cli/commands/simulator.ts';
import {SCENARIO_NAMES} from '../../src/simulator/scenarios/scenarios.ts';
import {openSimulator} from '../support/simulator.ts';
import {commandIo} from './a-command.ts';

describe('skydeck simulator', () => {
  test('prints one JSON line with the address and the keys, serves, and ends with 0 when stopped', async () => {
    const run = start(['--port', '0', '--scenario', 'calm', '--vms', '7', '--seed', '3']);
    const line = await run.firstLine;
    const {url, apiKey, keys} = readStart(line);
    expect(line.endsWith('}\n')).toBe(true);
    expect(Object.keys(JSON.parse(line))).toEqual(['url', 'apiKey', 'keys']);
    expect(Object.keys(keys)).toEqual(['owner', 'member', 'none']);
    expect(keys.owner).toBe(apiKey);
    const response = await fetch(`${url}/core/virtual-machines`, {headers: {api_key: apiKey}});
    expect(await response.json()).toMatchObject({count: 7});
    run.stop();
    expect(await run.exitCode).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    expect(run.stdout()).toBe(line);
    expect(run.stderr()).toBe('');
  });

  test('says that its port is taken, and what to do', async () => {
    const other = await openSimulator({scenario: 'calm'});
    const {port} = new URL(other.url);
    const run = start(['--port', port]);
    expect(await run.exitCode).toBe(2);
    expect(run.stderr()).toBe(
      `skydeck: --port: port ${port} is in use by another program; stop that one, or use another port; 0 takes a free one\n`,
    );
  });

  test('says that an account without machines is empty', async () => {
    const run = start(['--vms', '0', '--seed', '1']);
    const {url, apiKey} = readStart(await run.firstLine);
    for (const path of ['/core/virtual-machines', '/core/environments', '/core/firewalls', '/core/volumes']) {
      const response = await fetch(url + path, {headers: {api_key: apiKey}});
      expect(await response.json()).toMatchObject({count: 0});
    }
    run.stop();
    expect(await run.exitCode).toBe(0);
    expect(run.stderr()).toContain('empty account');
  });

  test('applies the faults and the rate limit it is given', async () => {
    const run = start([
      '--fault',
      'status=503,match=GET /auth/*',
      '--fault',
      'kind=html,match=GET /core/*',
      '--rate-limit',
      '2',
    ]);
    const {url, apiKey} = readStart(await run.firstLine);
    const statusOf = async (path: string) => (await fetch(url + path, {headers: {api_key: apiKey}})).status;
    expect([await statusOf('/auth/me'), await statusOf('/core/flavors'), await statusOf('/core/flavors')]).toEqual([
      503, 200, 429,
    ]);
    run.stop();
    expect(await run.exitCode).toBe(0);
  });

  test('refuses cluster names that the live service would, when told its limit', async () => {
    const run = start(['--cluster-name-limit', '20']);
    const {url, apiKey} = readStart(await run.firstLine);
    const order = {
      name: 'a-name-of-21-letters-',
      environment_name: 'research-ca',
      keypair_name: 'research-ca-team',
      kubernetes_version: '1.35.1',
      master_flavor_name: 'n1-cpu-medium',
      node_flavor_name: 'n3-A100x1',
      node_count: 1,
    };
    const statusFor = async (name: string) => {
      const body = JSON.stringify({...order, name});
      return (await fetch(`${url}/core/clusters`, {method: 'POST', headers: {api_key: apiKey}, body})).status;
    };
    expect([await statusFor(order.name), await statusFor(order.name.slice(0, 20))]).toEqual([400, 201]);
    run.stop();
    expect(await run.exitCode).toBe(0);
  });

  test.each([
    ['an unknown option', ['--colour', 'red'], '--colour'],
    ['an argument', ['now'], 'argument'],
    ['an invalid port', ['--port', '70000'], '65535'],
    ['an invalid count', ['--vms', '-1'], 'whole number'],
    ['a speed of zero', ['--speed', '0'], 'above 0'],
    ['an invalid limit', ['--rate-limit', 'none'], 'whole number'],
    ['an unknown scenario', ['--scenario', 'quiet'], 'skydeck: there is no scenario "quiet"; there are on-call, calm'],
    ['an invalid fault', ['--fault', 'kind=explode'], 'skydeck: the fault "kind=explode" cannot be read'],
  ])('refuses %s with exit code 2 and an explanation on stderr', async (_, arguments_, words) => {
    const run = start(arguments_);
    expect(await run.exitCode).toBe(2);
    expect(run.stderr()).toContain(words);
    expect(run.stdout()).toBe('');
  });

  test('explains its options in its help', async () => {
    const run = start(['--help']);
    expect(await run.exitCode).toBe(0);
    const text = run.stdout().replaceAll(/\s+/g, ' ');
    for (const name of SCENARIO_NAMES) expect(text).toMatch(new RegExp(`the scenario to run: .*\\b${name}\\b`));
    for (const option of [
      '--port',
      '--scenario',
      '--vms',
      '--seed',
      '--speed',
      '--faithful',
      '--rate-limit',
      '--fault',
    ]) {
      expect(run.stdout()).toContain(option);
    }
  });
});

type Start = {
  readonly url: string;
  readonly apiKey: string;
  readonly keys: {readonly owner: string; readonly member: string; readonly none: string};
};

function readStart(line: string): Start {
  return JSON.parse(line);
}

function start(arguments_: readonly string[]) {
  const {promise: untilStopped, resolve: stop} = Promise.withResolvers<void>();
  const {promise: firstLine, resolve: print} = Promise.withResolvers<string>();
  const {io, stdout, stderr} = commandIo({untilStopped, onOutput: print});
  const exitCode = loadSimulatorCommand().then(command => runCommand(command, arguments_, io));
  return {exitCode, firstLine, stop, stdout, stderr};
}
