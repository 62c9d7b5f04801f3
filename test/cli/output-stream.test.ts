import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {giveCompiledCode, programPath} from '../support/launch.ts';
import {openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';
import {rawAnswer, withoutAssessment} from './a-command.ts';

type Cloud = Awaited<ReturnType<typeof openSimulator>>;

// A device that is always full.
describe.skipIf(process.platform !== 'linux')('output that cannot be written', () => {
  const full: readonly (readonly [line: string, command: string, exitCode: number, words: string])[] = [
    ['stop {id} --yes >/dev/full', 'vm', 7, 'what was sent is in the journal; the result could not be written'],
    ['vms >/dev/full', 'get', 6, 'the result could not be written'],
    ['GET /core/virtual-machines/{id}/stop --yes >/dev/full', 'api', 7, 'the result could not be written'],
    ['stop {id} --yes -o json >/dev/full', 'vm', 7, 'the result could not be written'],
    ['GET /core/virtual-machines >/dev/full', 'api', 6, 'the result could not be written'],
  ];
  test.each(
    full.slice(0, sweepOf({sample: 3, deep: full.length})),
  )('reports %s in one line, and never as a refusal', async (line, command, exitCode, words) => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    const ran = await inShell(simulator, `${command} ${line.replace('{id}', String(id))}`);
    expect(ran.stderr).toContain(words);
    expect(withoutAssessment(ran.stderr).trimEnd().split('\n')).toHaveLength(1);
    expect(ran.exitCode).toBe(exitCode);
  });

  test.runIf(isDeep)('keeps the exit code of the outcome when that is worse', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    simulator.setFaults(['status=403,match=GET *stop']);
    const ran = await inShell(simulator, `vm stop ${id} --yes -o json >/dev/full`);
    expect(ran.exitCode).toBe(3);
  });

  test('exits as usual when stderr cannot be written', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    expect((await inShell(simulator, `vm stop ${id} --yes 2>/dev/full`)).exitCode).toBe(0);
    if (isDeep) expect((await inShell(simulator, 'vm stop no-such --yes 2>/dev/full')).exitCode).toBe(4);
  });

  test('records the outcome in the journal even when the log is full', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const id = await firstMachine(simulator);
    const log = join(openHome().path, 'log');
    // The log is already larger than the file size limit; the journal will stay below it.
    writeFileSync(log, '{"at":"2026-07-14T09:30:00.000Z","effect":"read"}\n'.padEnd(8192));
    const line = `api GET /core/virtual-machines/${id}/stop --yes --log ${log}`;
    const ran = await inShell(simulator, line, 'ulimit -f 4;');
    expect(ran).toMatchObject({exitCode: 0, stderr: expect.stringMatching(/^skydeck: --log: EFBIG.*\n$/)});
    expect(ran.journal.map(({phase}) => phase)).toEqual(['sent', 'accepted']);
  });
});

async function firstMachine(simulator: Cloud): Promise<number> {
  const {instances} = JSON.parse((await rawAnswer(simulator, '/core/virtual-machines')).text);
  return instances.find(({status}: {status: string}) => status === 'ACTIVE').id;
}

async function inShell(simulator: Cloud, line: string, before = '') {
  const home = openHome();
  giveCompiledCode(home);
  const child = spawn('sh', ['-c', `${before} "$NODE" "$PROGRAM" ${line}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...home.environment,
      NODE: process.execPath,
      PROGRAM: programPath,
      SKYDECK_BASE_URL: simulator.url,
      SKYDECK_API_KEY: simulator.apiKey,
    },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdout.resume();
  const exitCode = await new Promise<number | null>(resolve => child.on('close', resolve));
  const path = join(home.path, 'state', 'skydeck', 'journal', `127.0.0.1_${new URL(simulator.url).port}.jsonl`);
  return {exitCode, stderr, journal: journalAt(path)};
}

function journalAt(path: string): readonly {readonly phase: string}[] {
  try {
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
  } catch {
    return [];
  }
}
