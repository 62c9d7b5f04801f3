import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {ARMED, choose, cursorOn, goToMachines, openMachinesOnTerminal} from '../support/deck.ts';
import {environmentOf, programPath} from '../support/launch.ts';
import {openAppOnTerminal, openHome} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {openTerminal, type RealTerminal} from '../support/terminal.ts';

const PATIENT = {timeout: 60_000};

describe('the terminal is as it was before', PATIENT, () => {
  test('after q', async () => {
    const {script} = await openInScript();
    await script.press('q', 'q');
    await endsWith(script, 0);
  });

  test('after ctrl-c twice, and the first says so', async () => {
    const {script} = await openInScript();
    await script.press('ctrl-c');
    await script.sees('ctrl-c again leaves');
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

  test('after :q', async () => {
    const {script} = await openInScript();
    await script.press(':', 'q', 'enter');
    await endsWith(script, 0);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGQUIT', 131],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('after %s, with the exit code that shells know it by', async (signal, exitCode) => {
    const {script, pid} = await openInScript();
    await script.press('p', 'x');
    await script.sees('What happens');
    process.kill(pid, signal);
    await endsWith(script, exitCode);
  });
});

test('asks before it leaves something under way, and goes on watching on any other key', PATIENT, async () => {
  const simulator = await openSimulator();
  const app = await openMachinesOnTerminal({simulator});
  await choose(app, 'sweep-04');
  await app.press('esc', 'p', 'x');
  await app.sees(ARMED);
  await app.press('y');
  await app.sees(/stop sweep-04 #\d+: (accepted|under way)/);

  // Back to the overview, where the deck was opened, and then out of it.
  await app.press('q', 'q');
  await app.sees('Something is still under way');
  await app.press('n');
  await app.seesNot('Something is still under way');
  await app.press('q');
  await app.sees('Something is still under way');
  await app.press('y');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

test('leaves at once when nothing is under way any more', PATIENT, async () => {
  const app = await openMachinesOnTerminal({scenario: 'empty'});
  await app.press('q', 'q');
  expect(await app.exited).toMatchObject({exitCode: 0});
});

describe('when the connection to the terminal drops', PATIENT, () => {
  test('nothing stays behind', async () => {
    const app = await openMachinesOnTerminal({embedded: true});
    await app.sees(cursorOn('train-01'));
    app.hangUp();
    await expect.poll(() => isAlive(app.pid), {timeout: 2000, interval: 50}).toBe(false);
  });

  test('nothing stays behind of an operation that was under way, and the next start knows it', async () => {
    const simulator = await openSimulator();
    const app = await openMachinesOnTerminal({simulator});
    await choose(app, 'sweep-04');
    await app.press('p', 'x');
    await app.sees(ARMED);
    await app.press('y');
    await app.sees(/stop sweep-04 #\d+: (accepted|under way)/);
    app.hangUp();
    await expect.poll(() => isAlive(app.pid), {timeout: 2000, interval: 50}).toBe(false);

    const next = await openAppOnTerminal({simulator, home: app.home});
    await next.sees(/stop sweep-04 #\d+: (outcome unknown|under way|confirmed)/);
  });
});

/** The deck as a script's only job: the script tells the exit code, and its terminal shows what was left behind. */
async function openInScript(): Promise<{script: RealTerminal; pid: number}> {
  const simulator = await openSimulator({scenario: 'calm'});
  const home = openHome();
  const pidFile = join(home.path, 'pid');
  const script = openTerminal({
    command: 'bash',
    arguments: ['-c', DECK_SCRIPT, 'script', pidFile, process.execPath, programPath],
    env: environmentOf({home, connection: simulator}),
    cwd: home.path,
  });
  onTestFinished(script.close);
  await goToMachines(script);
  await script.sees(cursorOn('train-01'));
  expect(script.modes()).toMatchObject({isAltScreen: true, isCursorHidden: true, isBracketedPaste: true});
  expect(script.isCooked()).toBe(false);
  return {script, pid: Number(readFileSync(pidFile, 'utf8'))};
}

const DECK_SCRIPT = `
(echo $BASHPID >"$1"; exec "$2" "$3")
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
