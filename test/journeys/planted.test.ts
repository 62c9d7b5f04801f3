import {execFileSync} from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {type Simulator, startSimulator} from '../../src/simulator/http/server.ts';
import {createHome, type Home} from '../support/launch.ts';
import {openApp, openHome, runProgram} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

// Somebody else may have put things where this program keeps its own. None of them is read, run or waited for.

const PATIENT = {timeout: 60_000};

function stateFolder({path}: Home): string {
  return join(path, 'state', 'skydeck');
}

const used: {home?: Home; simulator?: Simulator} = {};

afterAll(async () => {
  used.home?.remove();
  await used.simulator?.close();
});

/**
 * A home in which the deck was opened once and left: with compiled code, a last screen and a journal's folder. Each test
 * gets a copy of the same one, and the cloud it was opened at.
 */
async function usedHome(): Promise<{readonly home: Home; readonly simulator: Simulator}> {
  used.simulator ??= await startSimulator({vmCount: 16});
  used.home ??= await homeAfterUse(used.simulator);
  const home = openHome();
  cpSync(used.home.path, home.path, {recursive: true});
  return {home, simulator: used.simulator};
}

async function homeAfterUse(simulator: Simulator): Promise<Home> {
  const home = createHome();
  const app = await openApp({home, simulator, isCold: true});
  await app.sees('machines 16');
  // The last screen is kept once its account is known.
  await app.seesNot('account unknown');
  await app.press('q');
  await app.exited;
  return home;
}

/** The last screen alone would show the machines as well; it takes no keys. */
async function opensWhole(home: Home, simulator: Simulator): Promise<void> {
  const app = await openApp({home, simulator});
  await app.sees('machines 16');
  await app.press('4');
  await app.sees('firewalls 8 of 8');
}

function entriesIn(home: Home): readonly string[] {
  const cache = join(stateFolder(home), 'compile-cache');
  return readdirSync(cache, {recursive: true})
    .map(name => join(cache, String(name)))
    .filter(path => statSync(path).isFile());
}

function exchangeForPipe(path: string): void {
  rmSync(path, {recursive: true, force: true});
  mkdirSync(dirname(path), {recursive: true, mode: 0o700});
  execFileSync('mkfifo', ['-m', '600', path]);
}

test('Node keeps what it compiled, for its person alone, and damage to it stops no start', PATIENT, async () => {
  const {home, simulator} = await usedHome();
  const entries = entriesIn(home);
  expect(entries.length).toBeGreaterThan(3);
  expect(entries.filter(path => (statSync(path).mode & 0o777) !== 0o600)).toEqual([]);
  for (const [index, path] of entries.entries()) {
    const content = readFileSync(path);
    writeFileSync(path, index % 2 === 0 ? content.subarray(0, content.length / 2) : content.fill(0xff, 200));
  }
  await opensWhole(home, simulator);
});

describe('a pipe hangs nothing', PATIENT, () => {
  // What is compiled and what was shown last are read apart, so one start meets a pipe in each.
  const places: readonly (readonly [name: string, paths: (home: Home) => readonly string[]])[] = [
    [
      'an entry of compiled code and of the last screens',
      home => [entriesIn(home)[0] ?? '', join(stateFolder(home), 'last-screen', lastScreenName(home))],
    ],
    ['the folder of each', home => [join(stateFolder(home), 'compile-cache'), join(stateFolder(home), 'last-screen')]],
  ];
  test.each(places.slice(0, sweepOf({sample: 1, deep: places.length})))('in place of %s', async (_, paths) => {
    const {home, simulator} = await usedHome();
    for (const path of paths(home)) exchangeForPipe(path);
    await opensWhole(home, simulator);
  });

  const told: readonly (readonly [name: string, path: (home: Home) => string, told: string])[] = [
    ['the folder of the journals', home => join(stateFolder(home), 'journal'), 'is not a folder'],
    ['the settings', home => join(home.path, 'config', 'settings.json'), 'settings.json is not a plain file'],
    ['the state folder', stateFolder, 'is not a folder'],
  ];
  test.each(
    told.slice(0, sweepOf({sample: 1, deep: told.length})),
  )('in place of %s, which is told', async (_, path, told) => {
    const simulator = await openSmallCloud();
    const home = openHome();
    exchangeForPipe(path(home));
    const app = await openApp({home, simulator});
    expect(await app.exited).toMatchObject({exitCode: 2});
    expect(app.text().replaceAll('\n', '')).toContain(told);
  });
});

function lastScreenName(home: Home): string {
  return readdirSync(join(stateFolder(home), 'last-screen'))[0] ?? '';
}

// That it is refused, and when, is tested beside the settings themselves: config/own-files.test.ts.
test.runIf(isDeep)(
  'a settings folder that others can change is refused, with what to do, and may be a link to one of ours',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud();
    const home = openHome();
    const folder = join(home.path, 'config');
    renameSync(folder, join(home.path, 'dotfiles'));
    symlinkSync(join(home.path, 'dotfiles'), folder);
    expect(await runProgram(['get', 'regions'], {home, simulator})).toMatchObject({stderr: '', exitCode: 0});
    chmodSync(join(home.path, 'dotfiles'), 0o777);
    expect(await runProgram(['get', 'regions'], {home, simulator})).toEqual({
      stdout: '',
      stderr: `skydeck: the settings folder ${folder} can be changed by others: run chmod 700 ${folder}\n`,
      exitCode: 2,
    });
  },
);

test('settings that others can read or change are refused, with what to do', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const home = openHome();
  const path = join(home.path, 'config', 'settings.json');
  writeFileSync(path, '{"glyphs": "ascii"}');
  const modes = [[0o660, 'changed'] as const, [0o644, 'read'] as const];
  for (const [mode, verb] of modes.slice(0, sweepOf({sample: 1, deep: modes.length}))) {
    chmodSync(path, mode);
    expect(await runProgram(['get', 'vms'], {home, simulator})).toEqual({
      stdout: '',
      stderr: `skydeck: the settings file ${path} can be ${verb} by others: run chmod 600 ${path}\n`,
      exitCode: 2,
    });
  }
  expect(simulator.requests()).toEqual([]);
});

test(
  'a state folder that others can replace gives no last screen, and the deck and doctor say so',
  PATIENT,
  async () => {
    const {home, simulator} = await usedHome();
    const shared = dirname(stateFolder(home));
    expect(readdirSync(join(stateFolder(home), 'last-screen'))).toHaveLength(1);
    chmodSync(shared, 0o777);
    simulator.setFaults(['kind=latency:20s']);
    const app = await openApp({home, simulator});
    await app.sees('nothing kept by earlier runs is used');
    expect(app.text()).not.toContain('last seen');
    simulator.setFaults([]);
    const {stdout} = await runProgram(['doctor'], {home, simulator});
    expect(stdout).toMatch(/state folder.*nothing kept by earlier runs is used/);
    expect(stdout).toContain(`chmod go-w ${shared}`);
  },
);

test('nothing is written through a planted link', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const [home, elsewhere] = [openHome(), openHome()];
  const victim = join(elsewhere.path, 'victim');
  writeFileSync(victim, 'as it was');
  const host = new URL(simulator.url).host.replace(':', '_');
  mkdirSync(join(stateFolder(home), 'journal'), {recursive: true, mode: 0o700});
  symlinkSync(victim, join(stateFolder(home), 'journal', `${host}.jsonl`));
  const sent = await runProgram(['vm', 'stop', 'bastion', '--yes'], {home, simulator});
  expect(sent).toMatchObject({exitCode: 6});
  expect(sent.stderr).toContain('is a link, and links are not followed');
  // config/own-files.test.ts plants links for each of those that write.
  if (isDeep) {
    const log = join(home.path, 'requests.log');
    symlinkSync(victim, log);
    const logged = await runProgram(['get', 'vms', '--log', log], {home, simulator});
    expect(logged).toMatchObject({stdout: '', exitCode: 2});
    expect(logged.stderr).toContain('requests.log is a link, and links are not followed');
    symlinkSync(elsewhere.path, join(stateFolder(home), 'screens'));
    const app = await openApp({home, simulator});
    await app.sees('machines 16');
    await app.press('\u0013');
    await app.sees('the screen could not be saved');
  }
  expect(readFileSync(victim, 'utf8')).toBe('as it was');
  expect(readdirSync(elsewhere.path).toSorted()).toEqual(['config', 'state', 'victim']);
  expect(simulator.executions()).toEqual([]);
});
