import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {createLifecycle} from '../../src/terminal/lifecycle.ts';
import {createVirtualClock} from '../support/clock.ts';
import {openShell} from '../support/shell.ts';
import {openTerminal, type RealTerminal} from '../support/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'skydeck-lifecycle-'));
const LITTLE_DECK = join(folder, 'little-deck.mjs');
const LITTLE_INK_DECK = join(folder, 'little-ink-deck.mjs');
const opened: RealTerminal[] = [];

// Each is built without types and with the production React, since some twenty of them are started here.
beforeAll(async () => {
  await build({
    entryPoints: [
      fileURLToPath(new URL('little-deck.ts', import.meta.url)),
      fileURLToPath(new URL('little-ink-deck.ts', import.meta.url)),
    ],
    outdir: folder,
    outExtension: {'.js': '.mjs'},
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Ink's developer tools stay in a file of their own, which is never loaded.
    splitting: true,
    define: {'process.env.NODE_ENV': '"production"'},
    external: ['react-devtools-core'],
    banner: {js: `import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);`},
  });
});

afterAll(() => rmSync(folder, {recursive: true}));

afterEach(async () => {
  for (const terminal of opened.splice(0)) await terminal.close();
});

async function openDeck(program = LITTLE_DECK): Promise<RealTerminal> {
  const terminal = openTerminal({command: process.execPath, arguments: [program], columns: 60, rows: 12});
  opened.push(terminal);
  await terminal.sees('deck 60x12');
  return terminal;
}

/** A shell that has started the deck the way an npm script does: below another process. */
async function openDeckInShell(program = LITTLE_DECK) {
  const shell = await openShell({columns: 60, rows: 12});
  opened.push(shell);
  shell.run(`sh -c '"${process.execPath}" "${program}"; exit $?'`);
  await shell.sees('deck 60x12');
  return shell;
}

function expectRestored(terminal: RealTerminal): void {
  expect(terminal.modes()).toMatchObject({
    isAltScreen: false,
    isCursorHidden: false,
    isBracketedPaste: false,
    isSynchronizedUpdate: false,
    mouse: 'none',
    kittyKeyboardDepth: 0,
  });
}

describe('createLifecycle on a real terminal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
    ['SIGABRT', 134],
    ['SIGUSR2', 140],
  ] as const)('restores the terminal and exits with its code on %s', async (signal, exitCode) => {
    const deck = await openDeck();
    deck.kill(signal);
    expect(await deck.exited).toMatchObject({exitCode});
    expectRestored(deck);
    expect(deck.raw().split('\u001b[?1049l').length - 1).toBe(1);
  });

  it('restores the terminal and exits with 0 when it is quit', async () => {
    const deck = await openDeck();
    await deck.press('q');
    expect(await deck.exited).toMatchObject({exitCode: 0});
    expectRestored(deck);
  });

  it.each([
    ['t', 'reported: Error: thrown'],
    ['r', 'reported: Error: rejected'],
  ])('restores the terminal, then prints the report of an unhandled error: %s', async (key, message) => {
    const deck = await openDeck();
    await deck.press(key);
    expect(await deck.exited).toMatchObject({exitCode: 70});
    expectRestored(deck);
    expect(deck.text()).toContain(message);
  });

  it('ends when its terminal hangs up', async () => {
    const deck = await openDeck();
    deck.hangUp();
    await deck.exited;
  });

  it('gives the terminal to the shell on ctrl-z and takes it back on fg, at its new size', async () => {
    const shell = await openDeckInShell();
    await shell.press('k');
    await shell.sees('typed k');
    shell.write('\u001a');
    await shell.seesPrompt();
    expectRestored(shell);
    shell.resize(70, 14);
    shell.run('fg');
    await shell.sees('deck 70x14 resumed 1');
    expect(shell.modes()).toMatchObject({isAltScreen: true, isCursorHidden: true, isBracketedPaste: true});
    await shell.press('j');
    await shell.sees('typed kj');
    await shell.press('q');
    await shell.seesPrompt();
    expectRestored(shell);
  });

  it('suspends three times in a row', async () => {
    const shell = await openDeckInShell();
    for (let round = 1; round <= 3; round++) {
      shell.write('\u001a');
      await shell.seesPrompt();
      shell.run('fg');
      await shell.sees(`resumed ${round}`);
    }
  });

  it('redraws everything after a stop that cannot be caught', async () => {
    const deck = await openDeck();
    deck.kill('SIGSTOP');
    deck.kill('SIGCONT');
    await deck.sees('resumed 1');
    await deck.press('k');
    await deck.sees('typed k');
    expect(deck.isCooked()).toBe(false);
  });
});

describe('createLifecycle with Ink', () => {
  it('hands the keys to the shell and back to Ink, at the new size', async () => {
    const shell = await openDeckInShell(LITTLE_INK_DECK);
    for (let round = 1; round <= 2; round++) {
      await shell.press('k');
      await shell.sees(`typed ${'k'.repeat(round)}`);
      shell.write('\u001a');
      await shell.seesPrompt();
      expectRestored(shell);
      shell.resize(60 + round, 12);
      shell.run('fg');
      await shell.sees(`deck ${60 + round}x12`);
    }
    shell.paste('pasted');
    await shell.sees('typed kk<pasted>');
    await shell.press('q');
    await shell.seesPrompt();
    expectRestored(shell);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGUSR2', 140],
  ] as const)('restores the terminal once on %s', async (signal, exitCode) => {
    const deck = await openDeck(LITTLE_INK_DECK);
    deck.kill(signal);
    expect(await deck.exited).toMatchObject({exitCode});
    expectRestored(deck);
    expect(deck.raw().split('\u001b[?1049l').length - 1).toBe(1);
  });

  it('ends as after any other error when drawing fails, which Ink by itself would treat as a success', async () => {
    const deck = await openDeck(LITTLE_INK_DECK);
    await deck.press('b');
    expect(await deck.exited).toMatchObject({exitCode: 70});
    expectRestored(deck);
    expect(deck.text()).toContain('reported: Error: broken while drawing');
  });

  it('follows a resize', async () => {
    const deck = await openDeck(LITTLE_INK_DECK);
    deck.resize(50, 10);
    await deck.sees('deck 50x10');
    deck.resize(90, 30);
    await deck.sees('deck 90x30');
  });
});

describe('createLifecycle', () => {
  function open({isAttached = () => true}: {isAttached?: () => boolean} = {}) {
    const time = createVirtualClock();
    const calls: string[] = [];
    const listeners = new Map<string, (...details: unknown[]) => void>();
    const source = (name: string) => ({
      on: (event: string, listener: (...details: unknown[]) => void) => listeners.set(`${name} ${event}`, listener),
    });
    const lifecycle = createLifecycle({
      stdin: {
        ...source('stdin'),
        isRaw: true,
        setRawMode: isRaw => calls.push(`raw ${isRaw}`),
        pause: () => calls.push('pause'),
        resume: () => calls.push('resume'),
      },
      stdout: source('stdout'),
      stderr: {write: text => calls.push(`stderr ${text.split('\n')[0]}`)},
      process: {
        ...source('process'),
        pid: 4711,
        removeListener: (event: string) => listeners.delete(`process ${event}`),
        exit: code => calls.push(`exit ${code}`),
        kill: (pid, signal) => calls.push(`kill ${pid} ${signal}`),
      },
      screen: {enter: () => calls.push('enter'), leave: () => calls.push('leave')},
      clock: time.clock,
      crash: {report: String, exitCode: 70},
      isAttached,
      onResume: () => calls.push('resumed'),
      onGone: () => calls.push('gone'),
    });
    return {time, calls, lifecycle, emit: (event: string, ...details: unknown[]) => listeners.get(event)?.(...details)};
  }

  it('restores the terminal once, whatever else happens while it ends, and kills itself if it does not end', async () => {
    const {calls, lifecycle, emit, time} = open();
    lifecycle.enter();
    emit('process SIGTERM');
    emit('process SIGINT');
    emit('stdin close');
    emit('process uncaughtException', new Error('late'));
    emit('process exit');
    expect(calls).toEqual(['raw true', 'enter', 'leave', 'raw false', 'exit 143']);
    await time.advance(2000);
    expect(calls.slice(5)).toEqual(['kill 4711 SIGKILL']);
  });

  it('lends the terminal to another program, and takes it back when that ends', async () => {
    const {calls, lifecycle, emit} = open();
    lifecycle.enter();
    const program = Promise.withResolvers<void>();
    const lent = lifecycle.lend(() => program.promise);
    // Signals of the keyboard are meant for the other program, and a stop is for both.
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTSTP', 'SIGCONT']) emit(`process ${signal}`);
    expect(calls.slice(2)).toEqual(['leave', 'raw false', 'pause', 'kill 4711 SIGSTOP']);
    program.resolve();
    await lent;
    expect(calls.slice(6)).toEqual(['resume', 'raw false', 'raw true', 'enter', 'kill 4711 SIGWINCH', 'resumed']);
  });

  it('does not end by the key that ended the other program, even when the end of that is noticed first', async () => {
    const {calls, lifecycle, emit, time} = open();
    lifecycle.enter();
    await lifecycle.lend(async () => {});
    await time.advance(400);
    emit('process SIGINT');
    expect(calls.at(-1)).toBe('resumed');
    await time.advance(200);
    emit('process SIGINT');
    expect(calls.at(-1)).toBe('exit 130');
  });

  it('ends after the other program when it was told to end meanwhile', async () => {
    const {calls, lifecycle, emit} = open();
    lifecycle.enter();
    const program = Promise.withResolvers<void>();
    const lent = lifecycle.lend(() => program.promise);
    emit('process SIGTERM');
    expect(calls).not.toContain('exit 143');
    program.resolve();
    await lent;
    expect(calls.at(-1)).toBe('exit 143');
    expect(calls).not.toContain('resumed');
  });

  it.each([
    ['stdin end', []],
    ['stdin close', []],
    ['stdin error', [Object.assign(new Error('read EIO'), {code: 'EIO'})]],
    ['stdout error', [Object.assign(new Error('write EIO'), {code: 'EIO'})]],
    ['stdout error', [Object.assign(new Error('write EPIPE'), {code: 'EPIPE'})]],
  ])('treats the end of its streams as a hang-up: %s', (event, details) => {
    const {calls, lifecycle, emit} = open();
    lifecycle.enter();
    emit(event, ...details);
    expect(calls).toEqual(['raw true', 'enter', 'gone', 'leave', 'raw false', 'exit 129']);
  });

  it('continues when the terminal took only a part of a write', () => {
    const {calls, lifecycle, emit} = open();
    lifecycle.enter();
    emit('stdout error', Object.assign(new Error('write EAGAIN'), {code: 'EAGAIN'}));
    expect(calls).toEqual(['raw true', 'enter']);
  });

  it('notices within five seconds that the terminal is gone without a signal', async () => {
    let isAttached = true;
    const {calls, lifecycle, time} = open({isAttached: () => isAttached});
    lifecycle.enter();
    await time.advance(60_000);
    expect(calls).toEqual(['raw true', 'enter']);
    isAttached = false;
    await time.advance(5000);
    expect(calls).toContain('exit 129');
  });

  it('restores the terminal before it stops the process group, and resumes by itself when nothing can stop it', async () => {
    const {calls, lifecycle, time} = open();
    lifecycle.enter();
    lifecycle.suspend();
    lifecycle.suspend();
    expect(calls).toEqual(['raw true', 'enter', 'leave', 'raw false', 'kill 0 SIGTSTP']);
    await time.advance(200);
    expect(calls.slice(5)).toEqual(['raw false', 'raw true', 'enter', 'kill 4711 SIGWINCH', 'resumed']);
  });

  it('does not touch a terminal that it has not taken', () => {
    const {calls, lifecycle} = open();
    lifecycle.suspend();
    lifecycle.exit(2);
    expect(calls).toEqual(['exit 2']);
  });
});
