import {existsSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {openAppInShell, openAppOnTerminal, openHome, runProgram} from './program.ts';
import {openSimulator} from './simulator.ts';

const PATIENT = {timeout: 30_000};

/** A stand-in for the deck: it prints its arguments, sends its cloud one request and waits for a key. */
const STAND_IN = `
const {SKYDECK_BASE_URL: url, SKYDECK_API_KEY: apiKey = ''} = process.env;
console.log('arguments', process.argv.slice(2).join());
if (url === undefined) console.log('no cloud');
else console.log('answered', (await fetch(url + '/core/virtual-machines', {headers: {api_key: apiKey}})).status);
if (process.stdin.isTTY) process.stdin.setRawMode(true).once('data', () => process.exit(5));`;

function standIn(): {home: ReturnType<typeof openHome>; program: string} {
  const home = openHome();
  const program = join(home.path, 'program.mjs');
  writeFileSync(program, STAND_IN);
  return {home, program};
}

describe('openAppOnTerminal', PATIENT, () => {
  test('starts the program with a fresh simulator of the scenario', async () => {
    const app = await openAppOnTerminal({...standIn(), scenario: 'empty', arguments: ['--ascii']});
    await app.sees('arguments --ascii');
    await app.sees('answered 200');
    expect(app.simulator?.requests()).toHaveLength(1);
    await app.press('q');
    expect(await app.exited).toMatchObject({exitCode: 5});
  });

  test('starts the program with a simulator that the test opened', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const app = await openAppOnTerminal({...standIn(), simulator});
    await app.sees('answered 200');
    expect(simulator.requests()).toHaveLength(1);
  });

  test('starts no simulator if the program embeds one', async () => {
    const app = await openAppOnTerminal({...standIn(), embedded: true});
    await app.sees('no cloud');
    expect(app.simulator).toBeUndefined();
  });

  const left: {home?: string; pid?: number; url?: string} = {};

  test('has a home, a program and a cloud while the test runs …', async () => {
    const app = await openAppOnTerminal({...standIn(), scenario: 'empty'});
    await app.sees('answered 200');
    Object.assign(left, {home: app.home.path, pid: app.pid, url: app.simulator?.url});
    expect(existsSync(app.home.path)).toBe(true);
  });

  test('… and none of them afterwards', async () => {
    const {home = '', pid = 0, url = ''} = left;
    expect(existsSync(home)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});

test('starts the program as a job of a shell', PATIENT, async () => {
  const {shell, commandLine} = await openAppInShell({...standIn(), scenario: 'empty', arguments: ["it's"]});
  shell.run(commandLine);
  await shell.sees("arguments it's");
  await shell.sees('answered 200');
  await shell.press('q');
  await shell.seesPrompt();
  shell.run('echo "exit code $?"');
  await shell.sees('exit code 5');
});

test('runs the program without a terminal', PATIENT, async () => {
  const simulator = await openSimulator({scenario: 'empty'});
  expect(await runProgram(['get', 'vms'], {...standIn(), simulator})).toEqual({
    stdout: 'arguments get,vms\nanswered 200\n',
    stderr: '',
    exitCode: 0,
  });
});
