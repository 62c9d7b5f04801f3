import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {usageOf} from '../bench/process-usage.ts';
import {ARMED, choose, cursorOn, goToMachines, openMachinesOnTerminal} from '../support/deck.ts';
import {environmentOf, giveCompiledCode, PROGRAM_FLAGS, programPath} from '../support/launch.ts';
import {reportMeasured} from '../support/measured.ts';
import {openAppOnTerminal, openHome, runProgram} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {openTerminal, type RealTerminal} from '../support/terminal.ts';
import {sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

const SIGNALS = [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGQUIT', 131],
  ['SIGABRT', 134],
  ['SIGUSR2', 140],
] as const;

/** What stands on the screen when the signal comes. */
const PLACES = {
  'the list': async (_script: RealTerminal) => {},
  'a question': async (script: RealTerminal) => {
    await script.press('p', 'x');
    await script.sees('What happens');
  },
  'the middle of an operation': async (script: RealTerminal) => {
    await choose(script, 'sweep-04');
    await script.press('p', 'x');
    await script.sees(ARMED);
    await script.press('y');
    await script.sees(/stop sweep-04 #\d+: (accepted|under way)/);
  },
};
type Place = 'the list' | 'a question' | 'the middle of an operation';
const ALL_ENDINGS = (['a question', 'the list', 'the middle of an operation'] as const).flatMap(place =>
  SIGNALS.map(([signal, exitCode]): readonly [NodeJS.Signals, Place, number] => [signal, place, exitCode]),
);
const ENDINGS = ALL_ENDINGS.slice(0, sweepOf({sample: 2, deep: ALL_ENDINGS.length}));
const HANG_UPS = sweepOf({sample: 1, deep: 4, whole: 20});
const LONGEST_ALIVE_MS = 2000;
const MOST_PROCESSOR_MS = 200;

describe('the terminal is as it was before', PATIENT, () => {
  test('after q, and completion has the names of the machines', async () => {
    const {script, home, simulator} = await openInScript();
    await script.press('q', 'q');
    await endsWith(script, 0);
    const completion = await runProgram(['completion', 'words', '--', 'vm', 'stop', 'train-01'], {home, simulator});
    expect(completion).toMatchObject({stdout: 'train-01\n', stderr: '', exitCode: 0});
  });

  test('after ctrl-c twice, and the first says so', async () => {
    const {script} = await openInScript();
    await script.press('ctrl-c');
    await script.sees('ctrl-c again quits');
    await script.press('ctrl-c');
    await endsWith(script, 0);
  });

  test('after ctrl-c twice in one piece, from a question', async () => {
    const {script} = await openInScript();
    await script.press('p', 'x');
    await script.sees('What happens');
    script.write('\u0003\u0003');
    await endsWith(script, 0);
  });

  test.each(ENDINGS)('after %s in %s, with the exit code that shells know it by', async (signal, place, exitCode) => {
    const {script, pid} = await openInScript();
    await PLACES[place](script);
    process.kill(pid, signal);
    await endsWith(script, exitCode);
  });
});

describe('when the connection to the terminal drops', {timeout: HANG_UPS * 30_000 + 30_000}, () => {
  test('nothing stays behind', async () => {
    const app = await openMachinesOnTerminal({embedded: true});
    await app.sees(cursorOn('train-01'));
    await leavesNothing(app);
  });

  test('nothing stays behind of an operation that was under way, and the next start knows it', async () => {
    const spentMs: number[] = [];
    for (let round = 1; round <= HANG_UPS; round += 1) {
      const simulator = await openSmallCloud();
      const app = await openMachinesOnTerminal({simulator});
      await PLACES['the middle of an operation'](app);
      spentMs.push(await leavesNothing(app));
      if (round > 1) continue;
      const next = await openAppOnTerminal({simulator, home: app.home});
      await next.sees(/stop sweep-04 #\d+: (outcome unknown|under way|confirmed)/);
    }
    reportMeasured(`${HANG_UPS} of ${HANG_UPS} gone within 2 s, ${Math.max(...spentMs)} ms of processor at most`);
  });
});

/** Takes the terminal away and waits for the end; gives the processor time that it still took, in milliseconds. */
async function leavesNothing(app: RealTerminal): Promise<number> {
  const before = processorMs(app.pid);
  let after = before;
  app.hangUp();
  await expect
    .poll(
      () => {
        const isThere = isAlive(app.pid);
        if (isThere) after = processorMs(app.pid);
        return isThere;
      },
      {timeout: LONGEST_ALIVE_MS, interval: 20},
    )
    .toBe(false);
  expect(after - before).toBeLessThanOrEqual(MOST_PROCESSOR_MS);
  return after - before;
}

/** What a process has taken so far; it may be gone between two looks. */
function processorMs(pid: number): number {
  try {
    return usageOf(pid)?.processorMs ?? 0;
  } catch {
    return 0;
  }
}

/** The deck as a script's only job: the script tells the exit code, and its terminal shows what was left behind. */
async function openInScript() {
  const simulator = await openSmallCloud();
  const home = openHome();
  giveCompiledCode(home);
  const pidFile = join(home.path, 'pid');
  const script = openTerminal({
    command: 'bash',
    arguments: ['-c', DECK_SCRIPT, 'script', pidFile, process.execPath, ...PROGRAM_FLAGS, programPath],
    env: environmentOf({home, connection: simulator}),
    cwd: home.path,
  });
  onTestFinished(script.close);
  await goToMachines(script);
  await script.sees(cursorOn('train-01'));
  expect(script.modes()).toMatchObject({isAltScreen: true, isCursorHidden: true, isBracketedPaste: true});
  expect(script.isCooked()).toBe(false);
  return {script, home, simulator, pid: Number(readFileSync(pidFile, 'utf8'))};
}

const DECK_SCRIPT = `
(echo $BASHPID >"$1"; shift; exec "$@")
echo "ended with $?"
read -r _`;

async function endsWith(script: RealTerminal, exitCode: number): Promise<void> {
  await script.sees(`ended with ${exitCode}`);
  expect(script.modes()).toEqual({
    isAltScreen: false,
    isCursorHidden: false,
    isBracketedPaste: false,
    isFocusReported: false,
    isSynchronizedUpdate: false,
    mouse: 'none',
    kittyKeyboardDepth: 0,
  });
  expect(script.isCooked()).toBe(true);
  expect(script.text()).not.toContain('╭');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // Nobody has asked a zombie for its exit code yet; it runs no more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
