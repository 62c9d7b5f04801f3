import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {expect, test} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import {journalPath} from '../../src/cli/account.ts';
import {complain, outputTo} from '../../src/cli/command-io.ts';
import {runCommand} from '../../src/cli/run-command.ts';
import {SUBCOMMANDS} from '../../src/program.tsx';
import {openJournal} from '../../src/state/operations/journal.ts';
import {giveCompiledCode, programPath} from '../support/launch.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';
import {commandIo, rawAnswer, withoutAssessment} from './a-command.ts';

test.each([
  [
    'a terminal',
    {isTTY: true, columns: 40},
    'skydeck: left out at 40 columns: AGE; -o\nwide or --columns prints them\n',
  ],
  [
    'a wide one',
    {isTTY: true, columns: 80},
    'skydeck: left out at 40 columns: AGE; -o wide or --columns prints them\n',
  ],
  ['one of unknown width', {isTTY: true}, 'skydeck: left out at 40 columns: AGE; -o wide or --columns prints them\n'],
  ['a program', {columns: 40}, 'skydeck: left out at 40 columns: AGE; -o wide or --columns prints them\n'],
])('breaks a note at blanks only, and only where a terminal has no room for it: %s', (_which, output, written) => {
  const lines: string[] = [];
  const stderr = {...output, write: (text: string) => lines.push(text)};
  complain({stderr}, 'left out at 40 columns: AGE; -o wide or --columns prints them');
  expect(lines.join('')).toBe(written);
});

test('leaves a word that is longer than the terminal is wide to the terminal', () => {
  const lines: string[] = [];
  complain({stderr: {isTTY: true, columns: 12, write: text => lines.push(text)}}, 'see http://127.0.0.1:8080 now');
  expect(lines.join('')).toBe('skydeck: see\nhttp://127.0.0.1:8080\nnow\n');
});

test.each([
  ['get', '--help'],
  ['vm', 'stop --help'],
  ['vm', 'help'],
  ['completion', 'bash'],
  ['completion', 'words bash v'],
  // Serving on would help nobody without its address.
  ['simulator', ''],
])('reports that the output of skydeck %s %s could not be written', async (name, line) => {
  const {io, stderr} = commandIo({untilStopped: new Promise(() => {})});
  const build = (await SUBCOMMANDS[name]?.load()) ?? expect.fail(`no command ${name}`);
  const words = line.split(' ').filter(word => word !== '');
  expect(await runCommand(build, words, {...io, stdout: fullOutput()})).toBe(6);
  expect(stderr()).toBe('skydeck: the result could not be written: ENOSPC: no space left on device, write\n');
});

/** As a full disk: the error arrives after the write. */
function fullOutput() {
  const error = new Error('ENOSPC: no space left on device, write');
  return outputTo({write: (_text, done) => void process.nextTick(done, error), on: () => {}});
}

const SENT_AND_ENDED = [
  ['vm stop bastion --yes', 'SIGTERM', /^stop bastion #\d+$/] as const,
  ['api DELETE /core/virtual-machines/1 --yes', 'SIGINT', /^DELETE \/core\/virtual-machines\/1$/] as const,
  ['vm stop bastion --yes', 'SIGINT', /^stop bastion #\d+$/] as const,
];
test.each(
  SENT_AND_ENDED.slice(0, sweepOf({sample: 2, deep: SENT_AND_ENDED.length})),
)('says that %s was sent when %s ends it', async (line, signal, words) => {
  const simulator = await openSimulator({scenario: 'calm'});
  simulator.setFaults(['kind=latency:20s,match=GET *stop', 'kind=latency:20s,match=DELETE *']);
  const home = openHome();
  const {environment} = home;
  const child = startCommand(line.split(' '), {simulator, home});
  const isSent = () => simulator.requests().some(({path, method}) => path.endsWith('/stop') || method === 'DELETE');
  while (!isSent() && !existsSync(journalPath({environment}, simulator.url))) await turn();
  child.kill(signal);
  expect(await child.ended).toBe(signal);
  const [, said] =
    /^skydeck: (.*): sent once; skydeck journal shows its outcome\n$/.exec(withoutAssessment(child.stderr())) ?? [];
  expect(said).toMatch(words);
});

const ENDED_BETWEEN = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
test.each(
  ENDED_BETWEEN.slice(0, sweepOf({sample: 1, deep: ENDED_BETWEEN.length})),
)('leaves what was confirmed and not sent in the journal when %s ends it between two of them', async signal => {
  const simulator = await openSimulator({scenario: 'calm'});
  const home = openHome();
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  const active: readonly {id: number; name: string}[] = instances.filter(
    (each: {status: string; cluster_id: unknown}) => each.status === 'ACTIVE' && each.cluster_id === null,
  );
  const [first, second, ...rest] = active.slice(0, 4);
  simulator.setFaults([`kind=latency:20s,match=GET *${second?.id}/stop`]);
  const ids = active.slice(0, 4).map(({id}) => String(id));
  const child = startCommand(['vm', 'stop', ...ids, '--yes'], {simulator, home});
  while (!simulator.requests().some(({path}) => path.endsWith(`${second?.id}/stop`))) await turn();
  child.kill(signal);
  expect(await child.ended).toBe(signal);
  expect(withoutAssessment(child.stderr()).split('\n')).toEqual([
    `skydeck: stop ${first?.name} #${first?.id}, stop ${second?.name} #${second?.id}: each sent once; skydeck journal shows their outcomes`,
    'skydeck: 2 of 4 were not sent',
    '',
  ]);
  const {entries} = openJournal(journalPath({environment: home.environment}, simulator.url), ACTIONS).latest();
  expect(entries.map(({subjectName, phase, detail}) => [subjectName, phase, detail])).toEqual([
    [first?.name, 'accepted', undefined],
    [second?.name, 'sent', undefined],
    ...rest.map(({name}) => [name, 'NOT_SENT', 'skydeck ended before it was sent']),
  ]);
});

test('sends nothing, and says so, when ctrl-c ends it while the check before sending waits', async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  const home = openHome();
  const detail = /\/core\/virtual-machines\/\d+$/;
  simulator.setFaults(['kind=latency:3s,match=GET *virtual-machines/*']);
  const child = startCommand(['vm', 'stop', 'bastion', '--yes'], {simulator, home});
  while (!simulator.requests().some(({path}) => detail.test(path))) await turn();
  child.kill('SIGINT');
  expect(await child.ended).toBe('SIGINT');
  expect(withoutAssessment(child.stderr())).toBe('skydeck: nothing was sent\n');
  const {entries} = openJournal(journalPath({environment: home.environment}, simulator.url), ACTIONS).latest();
  expect(entries).toMatchObject([
    {subjectName: 'bastion', phase: 'NOT_SENT', detail: 'skydeck ended before it was sent'},
  ]);
  // A process that has ended sends nothing more, and what it sent before is answered before this is.
  await rawAnswer(simulator, '/core/virtual-machines');
  expect(simulator.requests().filter(({path}) => path.endsWith('/stop'))).toEqual([]);
});

test('continues after SIGUSR1 and opens no inspector', async () => {
  const simulator = await openSimulator({scenario: 'calm'});
  simulator.setFaults(['kind=latency:1s,match=GET *virtual-machines*']);
  const child = startCommand(['get', 'vms'], {simulator, home: openHome()});
  while (simulator.requests().length === 0) await turn();
  child.kill('SIGUSR1');
  expect(await child.ended).toBe(0);
  expect(withoutAssessment(child.stderr())).toBe('');
});

/** The program as a process of its own, on this account. */
function startCommand(
  words: readonly string[],
  {
    simulator,
    home,
  }: {readonly simulator: {readonly url: string; readonly apiKey: string}; readonly home: ReturnType<typeof openHome>},
) {
  giveCompiledCode(home);
  const account = {SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey};
  const child = spawn(process.execPath, [programPath, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {PATH: process.env.PATH, ...home.environment, ...account},
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise(resolve => child.on('close', (code, by) => resolve(by ?? code)));
  return {kill: (signal: NodeJS.Signals) => child.kill(signal), ended, stderr: () => stderr};
}

function turn(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 10));
}
