import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {SUBCOMMANDS} from '../../src/program.tsx';
import {giveCompiledCode, projectRoot} from '../support/launch.ts';
import {openHome, runProgram} from '../support/program.ts';
import {openShell} from '../support/shell.ts';
import {openSimulator, openSmallCloud} from '../support/simulator.ts';
import {isDeep, sweepOf} from '../support/tier.ts';

const PATIENT = {timeout: 60_000};

const LONG_COMMANDS = ['get vms -o json', 'get flavors -o json', 'completion bash'];

describe('without a terminal to draw on', PATIENT, () => {
  test('prints the account once: money, states and the costliest machines', async () => {
    // Machines change their states after some time, however long the program takes to start.
    const simulator = await openSimulator({speed: 0.01});
    const {stdout, stderr, exitCode} = await runProgram([], {simulator});
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^skydeck {2}acme-prod {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\n/);
    expect(stdout).toMatch(/^burn rate +\$\d+\.\d\d\/h$/m);
    expect(stdout).toMatch(/^this month +\$[\d,]+\.\d\d$/m);
    expect(stdout).toMatch(/^credit +\$[\d,]+\.\d\d +runway \d+h$/m);
    expect(stdout).toMatch(/ACTIVE +│ +35 │/);
    expect(stdout).toMatch(/SHUTOFF +│ +1 │ +25\.60 │/);
    expect(stdout).toMatch(/train-01 +│ ACTIVE +│ n3-H100-SXM5x8 +│ CANADA-1 │ +25\.60 │/);
    expect(isPlain(stdout)).toBe(true);
    expect(stdout.endsWith('\n')).toBe(true);
  });

  // On a terminal: opening.test.ts.
  test.runIf(isDeep)('shows its own small cloud where no account: run, and says so', async () => {
    const {stdout, stderr, exitCode} = await runProgram([]);
    expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
    expect(stdout).toContain('acme-prod  SIMULATED');
  });

  test('hands over everything before it ends, however slowly it is read', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const shell = await openShellAgainst(simulator);
    for (const words of sweepOf({sample: ['get flavors -o json'], deep: LONG_COMMANDS})) {
      shell.run(
        `clear; node ${PROGRAM} ${words} | (sleep 1; wc -c); node ${PROGRAM} ${words} >"$HOME/all"; wc -c <"$HOME/all"; echo done`,
      );
      await shell.sees(/^done/m, {withinMs: 30_000});
      const [piped, whole] = shell.text().match(/^\d+$/gm) ?? [];
      expect(Number(piped)).toBeGreaterThan(65_536 / 8);
      expect(piped).toBe(whole);
    }
  });

  test('says that its output could not be written', async () => {
    const simulator = await openSimulator({scenario: 'calm'});
    const shell = await openShellAgainst(simulator);
    for (const words of sweepOf({sample: ['--help'], deep: ['', '--help', '--version']})) {
      shell.run(`clear; node ${PROGRAM} ${words} >/dev/full; echo "code $?"`);
      await shell.sees('code 6');
      expect(shell.text()).toContain('skydeck: the result could not be written: ENOSPC');
    }
  });

  // Of a longer output: command-line.test.ts.
  test.runIf(isDeep)('ends quietly when nobody reads on', async () => {
    const simulator = await openSmallCloud();
    const shell = await openShellAgainst(simulator);
    shell.run(`node ${PROGRAM} | head -1; echo "codes \${PIPESTATUS[*]}"`);
    await shell.sees(/^skydeck {2}acme-prod/m);
    await shell.sees('codes 0 0');
    expect(shell.text()).not.toContain('EPIPE');
  });
});

/** No escape sequence, and nothing else that a terminal would carry out. */
function isPlain(printed: string): boolean {
  return [...printed].every(character => character === '\n' || !/\p{Cc}/u.test(character));
}

const PROGRAM = 'dist/skydeck.js';

async function openShellAgainst(simulator: {readonly url: string; readonly apiKey: string}) {
  const home = openHome();
  giveCompiledCode(home);
  const shell = await openShell({
    cwd: projectRoot,
    env: {...home.environment, SKYDECK_BASE_URL: simulator.url, SKYDECK_API_KEY: simulator.apiKey},
  });
  onTestFinished(shell.close);
  return {...shell, home};
}

describe('with half a terminal', PATIENT, () => {
  test('says in one line that it needs keys when its input is no terminal', async () => {
    const simulator = await openSimulator({scenario: 'empty'});
    const shell = await openShellAgainst(simulator);
    shell.run(`node ${PROGRAM} </dev/null; echo "code $?"`);
    await shell.sees('code 2');
    expect(shell.screen().filter(line => line.startsWith('skydeck: '))).toHaveLength(1);
    expect(shell.isAltScreen()).toBe(false);
    expect(simulator.requests()).toEqual([]);
    // It names no commands that are not there.
    const named = [...shell.text().matchAll(/skydeck ([a-z]+)/g)].flatMap(([, command]) => command ?? []);
    expect(Object.keys(SUBCOMMANDS)).toEqual(expect.arrayContaining(named));
  });

  test('says in one line that a dumb terminal cannot show the deck', async () => {
    const simulator = await openSimulator({scenario: 'empty'});
    const shell = await openShellAgainst(simulator);
    shell.run(`TERM=dumb node ${PROGRAM}; echo "code $?"`);
    await shell.sees('code 2');
    expect(shell.text()).toContain('skydeck: TERM=dumb cannot show the deck');
    expect(shell.raw()).not.toContain('\x1b[?1049h');
  });

  // The build before it takes longer than all else here.
  test.runIf(isDeep)('prints the overview through npm start as well', async () => {
    const simulator = await openSimulator();
    const shell = await openShellAgainst(simulator);
    shell.run(`npm start | cat >"$HOME/printed"; echo "codes \${PIPESTATUS[*]}"`);
    await shell.sees('codes 0 0', {withinMs: 20_000});
    const printed = readFileSync(join(shell.home.path, 'printed'), 'utf8');
    expect(printed).toMatch(/^skydeck {2}acme-prod/m);
    expect(printed).toContain('costliest machines');
    expect(isPlain(printed)).toBe(true);
  });
});
