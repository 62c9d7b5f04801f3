import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {afterAll, beforeAll, describe, expect, onTestFinished, test} from 'vitest';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {executed, machineNamed, operationRequests} from '../support/colleague.ts';
import type {MortalOrder, MortalTold} from '../support/mortal-session.ts';
import {reportCounted} from '../support/measured.ts';
import {openSimulator} from '../support/simulator.ts';
import {sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 90_000};
/** In one file: some thirty sessions are started here, and reading each of its parts takes longer than its life. */
const bundled = {folder: '', program: ''};

beforeAll(async () => {
  bundled.folder = mkdtempSync(join(tmpdir(), 'mortal-session-'));
  bundled.program = join(bundled.folder, 'mortal-session.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('../support/mortal-session.ts', import.meta.url))],
    outfile: bundled.program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});

afterAll(() => rmSync(bundled.folder, {recursive: true}));

/** Machines of the account that run, one for each way to die. */
const MACHINES = [
  'bastion',
  'postgres-main',
  'backup-gateway',
  'etl-01',
  'infer-01',
  'infer-02',
  'ci-runner-01',
] as const;
const MOMENTS: readonly (readonly [name: string, moment: 'before' | 'torn' | 'after'])[] = [
  ['before', 'before'],
  ['in the midst of', 'torn'],
  ['behind', 'after'],
];

/** Of the later lines: each at one moment, at its end the last. */
const LINE_OF = {before: [2], torn: [3], after: [4]} as const;
/** Before any line there is nothing to lose, and behind the last line all is known. */
const FIRST_LINE = MOMENTS.slice(sweepOf({sample: 1, deep: 0}));
const LATER_LINES = MOMENTS.slice(0, sweepOf({sample: 2, deep: MOMENTS.length}));

type Ended = {readonly told: readonly MortalTold[]; readonly signal: string | null};

/** Runs it until it ends by itself or is killed; `onTold` may kill it. */
function runSession(order: MortalOrder, onStarted: (kill: () => void) => void = () => {}): Promise<Ended> {
  const child = spawn(process.execPath, [bundled.program, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {...process.env, NODE_COMPILE_CACHE: join(bundled.folder, 'compiled')},
  });
  const kill = () => child.kill('SIGKILL');
  onTestFinished(() => void kill());
  onStarted(kill);
  const told: MortalTold[] = [];
  createInterface({input: child.stdout}).on('line', line => told.push(JSON.parse(line)));
  return new Promise(resolve => child.on('close', (_code, signal) => resolve({told, signal})));
}

function phasesIn({told}: Ended): readonly string[] {
  return told.flatMap(each => (each.kind === 'phase' ? [each.phase] : []));
}

function foundIn({told}: Ended): Extract<MortalTold, {kind: 'found'}> | undefined {
  return told.find(each => each.kind === 'found');
}

function aPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skydeck-killed-'));
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
  return join(folder, 'journal', 'here.jsonl');
}

function countOn(list: readonly string[], id: number): number {
  return list.filter(each => each === `stop ${id}`).length;
}

async function stopAndDie(
  simulator: Simulator,
  name: string,
  death: MortalOrder['death'],
  onStarted?: (kill: () => void) => void,
) {
  const machine = await machineNamed(simulator, name);
  const order = {baseUrl: simulator.url, apiKey: simulator.apiKey, journalPath: aPlace(), machine};
  const first = await runSession({...order, death, begins: true}, onStarted);
  const second = await runSession({...order, begins: false});
  const truth = (await machineNamed(simulator, name)).status;
  return {
    first,
    second,
    truth,
    sentCount: countOn(operationRequests(simulator), machine.id),
    executedCount: countOn(executed(simulator), machine.id),
  };
}

describe('a session that is killed while it writes its journal', PATIENT, () => {
  test.each(FIRST_LINE)('has sent nothing, and loses nothing, %s its first line', async (_name, moment) => {
    const simulator = await openSimulator({scenario: 'calm', speed: 5, rateLimitPerMinute: 'off'});
    const died = await stopAndDie(simulator, MACHINES[0], {line: 1, moment});
    expect(died.first.signal).toBe('SIGKILL');
    expect([died.sentCount, died.executedCount, died.truth]).toEqual([0, 0, 'ACTIVE']);
    reportCounted('points of the journal', 1);
    // What is on the disk may have been sent for all that is known afterwards.
    const isWritten = moment === 'after';
    expect(foundIn(died.second)).toEqual({
      kind: 'found',
      phases: isWritten ? ['unknown'] : [],
      ...(isWritten ? {again: 'locked'} : {}),
    });
    expect(phasesIn(died.second)).toEqual(isWritten ? ['NO_EFFECT_SEEN'] : []);
  });

  test.each(LATER_LINES)('has sent once, and finds it again, %s each later line', async (_name, moment) => {
    const simulator = await openSimulator({scenario: 'calm', speed: 5, rateLimitPerMinute: 'off'});
    const lines = sweepOf<readonly (2 | 3 | 4)[]>({sample: LINE_OF[moment], deep: [2, 3, 4]});
    const deaths = lines.map(async (line, index) => {
      const died = await stopAndDie(simulator, MACHINES[index + 1] ?? '', {line, moment});
      expect(died.first.signal).toBe('SIGKILL');
      expect([died.sentCount, died.executedCount]).toEqual([1, 1]);
      reportCounted('points of the journal', 1);
      const found = foundIn(died.second);
      if (line === 4 && moment === 'after') {
        // The end itself is written.
        expect(found?.phases).toEqual([]);
        expect(died.truth).toBe('SHUTOFF');
        return;
      }
      expect(found).toMatchObject({phases: ['unknown'], again: 'locked'});
      expect(phasesIn(died.second).at(-1)).toBe('CONFIRMED');
      expect(died.truth).toBe('SHUTOFF');
    });
    await Promise.all(deaths);
  });
});

describe('a session that is killed with its request on the way', PATIENT, () => {
  test.each([
    ['before it is carried out', 'before'],
    ['once it is carried out', 'after'],
  ])('%s, finds it again and never repeats it', async (_name, when) => {
    const simulator = await openSimulator({
      scenario: 'calm',
      speed: 5,
      rateLimitPerMinute: 'off',
      faults: [`kind=latency:1s,when=${when},match=GET /core/virtual-machines/*/stop`],
    });
    let watch: NodeJS.Timeout | undefined;
    const died = await stopAndDie(simulator, MACHINES[5], undefined, kill => {
      watch = setInterval(() => {
        if (operationRequests(simulator).length > 0) kill();
      }, 10);
    });
    clearInterval(watch);
    expect(died.first.signal).toBe('SIGKILL');
    expect(foundIn(died.second)).toMatchObject({phases: ['unknown'], again: 'locked'});
    expect([died.sentCount, died.executedCount]).toEqual([1, 1]);
    // What is carried out while nobody looks is seen, unless it comes after it was given up.
    expect(['CONFIRMED', 'NO_EFFECT_SEEN']).toContain(phasesIn(died.second).at(-1));
  });
});
