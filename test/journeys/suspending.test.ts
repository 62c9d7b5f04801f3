import {spawnSync} from 'node:child_process';
import {setTimeout as delay} from 'node:timers/promises';
import {expect, onTestFinished, test} from 'vitest';
import {choose, cursorOn, goToMachines, openMachinesOnTerminal} from '../support/deck.ts';
import {environmentOf, giveCompiledCode, projectRoot} from '../support/launch.ts';
import {openAppInShell, openHome} from '../support/program.ts';
import {openShell, type Shell} from '../support/shell.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

test('gives the terminal to the shell on ctrl-z and comes back on fg, at the size it then has', PATIENT, async () => {
  const {shell, commandLine} = await openAppInShell({simulator: await openSmallCloud()});
  shell.run(commandLine);
  await suspendsAndResumes(shell);
});

// It builds the program once more. Below another process: terminal/lifecycle.test.ts.
test.runIf(isDeep)('does the same under npm start', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const home = openHome();
  giveCompiledCode(home);
  const shell = await openShell({cwd: projectRoot, env: environmentOf({home, connection: simulator})});
  onTestFinished(shell.close);
  shell.run('npm start');
  await suspendsAndResumes(shell);
});

test('comes back after a stop from outside, one it can see and one it cannot', PATIENT, async () => {
  const {shell, commandLine} = await openAppInShell({simulator: await openSmallCloud()});
  shell.run(commandLine);
  await goToMachines(shell);
  await shell.sees(cursorOn('train-01'));
  const deck = jobOf(shell);
  const stops = [['SIGTSTP', 'j', 'train-03'] as const, ['SIGSTOP', 'k', 'train-01'] as const];
  for (const [signal, key, next] of stops.slice(0, sweepOf({sample: 1, deep: stops.length}))) {
    process.kill(deck, signal);
    await shell.becomes('to be told that the job has stopped', () => /Stopped/.test(shell.text()));
    shell.run('clear; fg');
    await shell.seesNot('Stopped');
    await shell.sees(/machines (\d+) of \1 /);
    expect(shell.isAltScreen()).toBe(true);
    expect(shell.isCooked()).toBe(false);
    await shell.press(key);
    await shell.sees(cursorOn(next));
  }
  await shell.press('q', 'q');
  await shell.seesPrompt();
  expect(shell.isCooked()).toBe(true);
});

test.runIf(isDeep)('withdraws a question when it is suspended', PATIENT, async () => {
  const simulator = await openSmallCloud();
  const {shell, commandLine} = await openAppInShell({simulator});
  shell.run(commandLine);
  await goToMachines(shell);
  await choose(shell, 'sweep-04');
  await shell.press('p', 'x');
  await shell.sees('What happens');
  await shell.press('ctrl-z');
  await shell.seesPrompt();
  shell.run('fg');
  await shell.sees(cursorOn('sweep-04'));
  await shell.seesNot('What happens');
  await shell.press('y');
  await shell.sees('the question is closed');
  expect(simulator.executions()).toEqual([]);
});

test(
  'withdraws a question after a stop too short to be noticed otherwise, before a waiting key answers it',
  PATIENT,
  async () => {
    const simulator = await openSmallCloud();
    const app = await openMachinesOnTerminal({simulator});
    await choose(app, 'sweep-04');
    await app.press('p', 'x');
    await app.sees('y sends it');
    process.kill(app.pid, 'SIGSTOP');
    while (!stateOf(app.pid).startsWith('T')) await delay(5);
    app.write('y');
    // The key waits in the terminal while the deck stands still, for less than what it notices by its clock.
    await delay(200);
    process.kill(app.pid, 'SIGCONT');
    await app.seesNot('What happens');
    await app.sees('the question is closed');
    expect(simulator.executions()).toEqual([]);
  },
);

async function suspendsAndResumes(shell: Shell): Promise<void> {
  await goToMachines(shell);
  await shell.sees(cursorOn('train-01'));
  expect(shell.isCooked()).toBe(false);

  await shell.press('ctrl-z');
  await shell.seesPrompt();
  expect(shell.isCooked()).toBe(true);
  expect(shell.isCursorHidden()).toBe(false);
  expect(shell.modes()).toMatchObject({isAltScreen: false, isBracketedPaste: false});
  shell.run('echo "the shell $((40 + 2))"');
  await shell.sees('the shell 42');
  await shell.seesPrompt();

  shell.run('fg');
  await shell.sees(cursorOn('train-01'));
  expect(shell.isAltScreen()).toBe(true);
  await shell.press('j');
  await shell.sees(cursorOn('train-03'));

  // Once more: the way there and back leaves nothing behind that would spoil the next.
  await shell.press('ctrl-z');
  await shell.seesPrompt();
  shell.resize(80, 24);
  shell.run('fg');
  await shell.sees(cursorOn('train-03'));
  await shell.becomes('to be 80 columns wide', () => shell.screen().some(line => /^╭.{78}╮$/.test(line)));
  await shell.press('q', 'q');
  await shell.seesPrompt();
  expect(shell.isCooked()).toBe(true);
}

function stateOf(pid: number): string {
  return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {encoding: 'utf8'}).stdout.trim();
}

/** The shell's only child: the deck. */
function jobOf({pid}: Shell): number {
  const {stdout} = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], {encoding: 'utf8'});
  return Number(stdout.trim());
}
