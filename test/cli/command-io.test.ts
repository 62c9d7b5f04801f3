import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {expect, test} from 'vitest';
import {journalPath} from '../../src/cli/account.ts';
import {giveCompiledCode, programPath} from '../support/launch.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {rawAnswer, withoutAssessment} from './a-command.ts';

const SENT_AND_ENDED = [
  ['vm stop bastion --yes', 'SIGTERM'] as const,
  ['api DELETE /core/virtual-machines/1 --yes', 'SIGINT'] as const,
  ['vm stop bastion --yes', 'SIGINT'] as const,
];
test.each(
  SENT_AND_ENDED.slice(0, sweepOf({sample: 2, deep: SENT_AND_ENDED.length})),
)('says that %s was sent when %s ends it', async (line, signal) => {
  const simulator = await openSimulator({scenario: 'calm'});
  simulator.setFaults(['kind=latency:20s,match=GET *stop', 'kind=latency:20s,match=DELETE *']);
  const home = openHome();
  giveCompiledCode(home);
  const {environment} = home;
  const account = {SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
  const child = spawn(process.execPath, [programPath, ...line.split(' ')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {PATH: process.env.PATH, ...environment, ...account},
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise(resolve => child.on('close', (_code, by) => resolve(by)));
  const isSent = () => simulator.requests().some(({path, method}) => path.endsWith('/stop') || method === 'DELETE');
  while (!isSent() && !existsSync(journalPath({environment}, simulator.url))) await turn();
  child.kill(signal);
  expect(await ended).toBe(signal);
  expect(withoutAssessment(stderr)).toBe('skydeck: sent once; skydeck journal shows its outcome\n');
});

test('sends nothing, and says so, when ctrl-c ends it while the check before sending waits', async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  const home = openHome();
  giveCompiledCode(home);
  const account = {SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
  const detail = /\/core\/virtual-machines\/\d+$/;
  simulator.setFaults(['kind=latency:3s,match=GET *virtual-machines/*']);
  const child = spawn(process.execPath, [programPath, 'vm', 'stop', 'bastion', '--yes'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {PATH: process.env.PATH, ...home.environment, ...account},
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise(resolve => child.on('close', (_code, by) => resolve(by)));
  while (!simulator.requests().some(({path}) => detail.test(path))) await turn();
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
  expect(withoutAssessment(stderr)).toBe('skydeck: nothing was sent\n');
  // A process that has ended sends nothing more, and what it sent before is answered before this is.
  await rawAnswer(simulator, '/core/virtual-machines');
  expect(simulator.requests().filter(({path}) => path.endsWith('/stop'))).toEqual([]);
});

test('continues after SIGUSR1 and opens no inspector', async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  simulator.setFaults(['kind=latency:1s,match=GET *virtual-machines*']);
  const account = {SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
  const home = openHome();
  giveCompiledCode(home);
  const child = spawn(process.execPath, [programPath, 'get', 'vms'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {PATH: process.env.PATH, ...home.environment, ...account},
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise(resolve => child.on('close', resolve));
  while (simulator.requests().length === 0) await turn();
  child.kill('SIGUSR1');
  expect(await ended).toBe(0);
  expect(withoutAssessment(stderr)).toBe('');
});

function turn(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 10));
}
