import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {Simulator} from '../../src/simulator/http/server.ts';
import {usageOf} from '../bench/process-usage.ts';
import {ARMED, choose, cursorOn, goToMachines, openMachinesOnTerminal} from '../support/deck.ts';
import {environmentOf, giveCompiledCode, type Home, PROGRAM_FLAGS, programPath} from '../support/launch.ts';
import {reportCounted, reportMeasured} from '../support/measured.ts';
import {openAppInShell, openAppOnTerminal, openHome, runProgram} from '../support/program.ts';
import {openSmallCloud} from '../support/simulator.ts';
import {openTerminal, type RealTerminal} from '../support/terminal.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

/** Signals that the deck does not know, each of which makes it make a mistake. */
const MISTAKES = {error: 'SIGURG', rejection: 'SIGIO', drawing: 'SIGPWR'} as const;
const MISTAKEN = `
process.on('${MISTAKES.error}', () => { throw new Error('thrown'); });
process.on('${MISTAKES.rejection}', () => void Promise.reject(new Error('rejected')));
process.on('${MISTAKES.drawing}', () => { Map.groupBy = () => { throw new Error('broken'); }; });`;

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
  'a question': async (script: RealTerminal) => {
    await script.press('p', 'x');
    await script.sees('What happens');
  },
  'the list': async (_script: RealTerminal) => {},
  'the middle of an operation': async (script: RealTerminal) => {
    await choose(script, 'sweep-04');
    await script.press('p', 'x');
    await script.sees(ARMED);
    await script.press('y');
    await script.sees(/stop sweep-04 #\d+: (accepted|under way)/);
  },
  'a paste without an end': async (script: RealTerminal) => {
    await script.press('/', 'a');
    await script.sees('/a');
    script.write('\u001b[200~train');
    await pause(PASTE_MS);
  },
};
type Place = keyof typeof PLACES;
/** A paste is not shown before its end. */
const PASTE_MS = 200;

type Deck = {readonly script: RealTerminal; readonly pid: number};
/** How the deck ends, and with which exit code. */
type Ending = readonly [name: string, exitCode: number, end: (deck: Deck) => Promise<void> | void];

/** All endings that goal 11 names but ctrl-z, after which a shell has the terminal; and that of a paste. */
const ALL_ENDINGS: readonly Ending[] = [
  ...(['a question', 'the list', 'the middle of an operation', 'a paste without an end'] as const).flatMap(place =>
    SIGNALS.map(([signal, exitCode]) => [`${signal} in ${place}`, exitCode, endBy(signal, place)] as const),
  ),
  ['an error that nobody catches', 70, ({pid}) => void process.kill(pid, MISTAKES.error)],
  ['a promise that is rejected', 70, ({pid}) => void process.kill(pid, MISTAKES.rejection)],
  [
    'an error while drawing',
    70,
    ({script, pid}) => {
      process.kill(pid, MISTAKES.drawing);
      return script.press('1');
    },
  ],
  ['q', 0, ({script}) => script.press('q', 'q')],
  ['ctrl-c', 0, ({script}) => script.press('ctrl-c', 'ctrl-c')],
];
/** The table of signals and mistakes is tested on a small deck as well: terminal/lifecycle.test.ts. */
const ENDINGS = ALL_ENDINGS.slice(0, sweepOf({sample: 1, deep: ALL_ENDINGS.length}));
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

  test.runIf(isDeep)('after ctrl-c twice, and the first says so', async () => {
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

  test.each(ENDINGS)('after %s, with exit code %i', async (name, exitCode, end) => {
    const {script, pid} = await openInScript();
    await end({script, pid});
    await endsWith(script, exitCode);
    restored.push(name);
  });

  test.runIf(isDeep)('after ctrl-z, fg and q, and when it is ended while it is suspended', async () => {
    const {shell, commandLine} = await openAppInShell({simulator: await openSmallCloud()});
    for (const name of ['ctrl-z, fg and q', 'SIGTERM while it is suspended']) {
      shell.run(commandLine);
      await goToMachines(shell);
      await shell.press('ctrl-z');
      await shell.seesPrompt();
      expect(shell.modes()).toEqual(AS_BEFORE);
      expect(shell.isCooked()).toBe(true);
      shell.run(name.startsWith('ctrl-z') ? 'fg' : 'kill %1; fg');
      if (name.startsWith('ctrl-z')) {
        await goToMachines(shell);
        await shell.press('q', 'q');
      }
      await shell.seesPrompt();
      expect(shell.modes()).toEqual(AS_BEFORE);
      expect(shell.isCooked()).toBe(true);
      restored.push(name);
    }
  });

  test('in each of these', () => {
    reportCounted('endings', restored.length);
    reportMeasured(`${restored.length} of ${ENDINGS.length + (isDeep ? 2 : 0)} restored: ${restored.join(', ')}`);
    expect(restored.length).toBeGreaterThanOrEqual(ENDINGS.length);
  });
});

/** The endings after which everything was as before. */
const restored: string[] = [];

function endBy(signal: NodeJS.Signals, place: Place): Ending[2] {
  return async ({script, pid}) => {
    await PLACES[place](script);
    process.kill(pid, signal);
  };
}

describe('when the connection to the terminal drops', {timeout: HANG_UPS * 30_000 + 30_000}, () => {
  test.runIf(isDeep)('nothing stays behind', async () => {
    const app = await openMachinesOnTerminal({embedded: true});
    await app.sees(cursorOn('train-01'));
    await leavesNothing({script: app, pid: app.pid});
  });

  test('nothing stays behind of an operation that was under way, and the next start knows it', async () => {
    const spentMs: number[] = [];
    const ways = Object.entries(LOSSES).slice(0, HANG_UPS);
    for (let round = 0; round < HANG_UPS; round += 1) {
      const simulator = await openSmallCloud();
      const home = openHome();
      const [, open] = ways[round % ways.length] ?? [];
      if (open === undefined) break;
      const lost = await open({simulator, home});
      await goToMachines(lost.script);
      await PLACES['the middle of an operation'](lost.script);
      spentMs.push(await leavesNothing(lost));
      if (round > 0) continue;
      const next = await openAppOnTerminal({simulator, home});
      await next.sees(/stop sweep-04 #\d+: (outcome unknown|under way|confirmed)/);
    }
    const named = ways.map(
      ([name], order) => `${spentMs.filter((_, round) => round % ways.length === order).length} ${name}`,
    );
    reportCounted('lost terminals', spentMs.length);
    reportMeasured(
      `${spentMs.length} of ${HANG_UPS} gone within 2 s, ${Math.max(...spentMs)} ms of processor at most: ${named.join(', ')}`,
    );
  });
});

type Account = {readonly simulator: Simulator; readonly home: Home};

/** Ways to lose a terminal, each with a deck on it. */
const LOSSES: Readonly<Record<string, (account: Account) => Promise<Deck>>> = {
  'whose terminal is closed': async account => {
    const script = await openAppOnTerminal(account);
    return {script, pid: script.pid};
  },
  'below the shell of a connection': account => openDeckScript(account, ['bash', '-c', DECK_SCRIPT, 'script']),
  // Without a controlling terminal, nothing but the end of its input and errors of its output say so.
  'that get no signal': account => openDeckScript(account, ['setsid', '-w', 'bash', '-c', DECK_SCRIPT, 'script']),
};

/** Takes the terminal away and waits for the end; gives the processor time that it still took, in milliseconds. */
async function leavesNothing({script, pid}: Deck): Promise<number> {
  const before = processorMs(pid);
  let after = before;
  script.hangUp();
  await expect
    .poll(
      () => {
        const isThere = isAlive(pid);
        if (isThere) after = processorMs(pid);
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
  const {script, pid} = await openDeckScript({simulator, home}, ['bash', '-c', DECK_SCRIPT, 'script']);
  await goToMachines(script);
  await script.sees(cursorOn('train-01'));
  expect(script.modes()).toMatchObject({isAltScreen: true, isCursorHidden: true, isBracketedPaste: true});
  expect(script.isCooked()).toBe(false);
  return {script, home, simulator, pid};
}

async function openDeckScript({simulator, home}: Account, [command = '', ...words]: readonly string[]) {
  giveCompiledCode(home);
  const pidFile = join(home.path, 'pid');
  const script = openTerminal({
    command,
    arguments: [...words, pidFile, process.execPath, ...PROGRAM_FLAGS, programPath],
    env: {
      ...environmentOf({home, connection: simulator}),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MISTAKEN)}`,
    },
    cwd: home.path,
  });
  onTestFinished(script.close);
  await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '').toBe(true);
  return {script, pid: Number(readFileSync(pidFile, 'utf8'))};
}

const DECK_SCRIPT = `
(echo $BASHPID >"$1"; shift; exec "$@")
echo "ended with $?"
read -r _`;

const AS_BEFORE = {
  isAltScreen: false,
  isCursorHidden: false,
  isBracketedPaste: false,
  isFocusReported: false,
  isSynchronizedUpdate: false,
  mouse: 'none',
  kittyKeyboardDepth: 0,
};

async function endsWith(script: RealTerminal, exitCode: number): Promise<void> {
  await script.sees(`ended with ${exitCode}`);
  expect(script.modes()).toEqual(AS_BEFORE);
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
