import {spawnSync} from 'node:child_process';
import {setTimeout as pause} from 'node:timers/promises';
import {type IPty, spawn} from '@lydell/node-pty';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import {createEmulator, type Emulator, visibleLines} from './emulator.ts';
import {keySequences} from './keys.ts';
import {type Cell, cellAt, pictureInWords} from './screen.ts';
import {type TerminalModes, watchModes} from './terminal-modes.ts';
import {createWaiting, type Patience} from './waiting.ts';

export type TerminalOptions = {
  readonly command: string;
  readonly arguments?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  /** Added to a small clean environment (PATH, HOME, TERM, LANG, TZ). `undefined` removes a variable. */
  readonly env?: EnvironmentVariables;
  readonly cwd?: string;
};

/** How the program ended: the number of the signal, or 0 if it exited by itself. */
export type Exit = {readonly exitCode: number; readonly signal: number};

/** What a person can do at a terminal, and what they see. */
export type Terminal = {
  readonly emulator: Emulator;
  readonly exited: Promise<Exit>;
  readonly modes: () => TerminalModes;
  /** Presses keys one by one: named keys as in keys.ts, and any other text character by character. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** Pastes as a terminal does: bracketed if the program asked for it, with line ends as returns. */
  readonly paste: (text: string) => void;
  readonly write: (raw: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly screen: () => string[];
  readonly text: () => string;
  readonly sees: (expected: string | RegExp, patience?: Patience) => Promise<void>;
  readonly seesNot: (unexpected: string | RegExp, patience?: Patience) => Promise<void>;
  /** Waits for any condition on the terminal, checked after each parsed piece of output. */
  readonly becomes: (wanted: string, isMet: () => boolean, patience?: Patience) => Promise<void>;
  /** The elapsed time for a person at the terminal, in milliseconds from an arbitrary start. */
  readonly now: () => number;
  /** The wall clock of that person, in epoch milliseconds. */
  readonly wallNow: () => number;
  readonly cell: (row: number, column: number) => Cell;
  readonly isAltScreen: () => boolean;
  readonly isCursorHidden: () => boolean;
  /** The last `RAW_LIMIT` characters the program sent. */
  readonly raw: () => string;
  readonly receivedByteCount: () => number;
  readonly close: () => Promise<void>;
};

/** A terminal of the operating system with a process on it. */
export type RealTerminal = Terminal & {
  readonly pid: number;
  /** Whether the kernel edits lines and turns keys into signals, as at a shell prompt. False in raw mode. */
  readonly isCooked: () => boolean;
  /** Stops reading from the program, like a stalled connection. */
  readonly stopReading: () => void;
  readonly resumeReading: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Takes the terminal away from the program, like a lost connection. */
  readonly hangUp: () => void;
  /** The device the program runs on, such as `/dev/pts/4`. */
  readonly device: string;
};

const RAW_LIMIT = 8 * 1024 * 1024;
/** No hand presses enter sooner after another key; a program takes that for a paste. */
const HAND_PAUSE_MS = 60;
/** How long a program may take to show the effect of a key before the next one is pressed. */
const KEY_PAUSE_MS = 100;
/** Only time distinguishes an escape from the start of a sequence, so the next key is delayed. */
const ESCAPE_PAUSE_MS = 100;

/** Runs a program on a real pseudo-terminal and shows what a person would see. */
export function openTerminal(options: TerminalOptions): RealTerminal {
  const {columns = 120, rows = 35} = options;
  const emulator = createEmulator({columns, rows});
  const modes = watchModes(emulator);
  const pty = spawnOnPty(options, {columns, rows});
  const received = receivedText();
  const ending: {exit: Exit | undefined; isHungUp: boolean} = {exit: undefined, isHungUp: false};
  const waiting = createWaiting({
    // During a synchronized update a person sees the previous frame.
    isFrameOpen: () => modes.now().isSynchronizedUpdate,
    exitCode: () => ending.exit?.exitCode,
    picture: () => pictureInWords(emulator, modes.now()),
  });

  pty.onData(chunk => {
    received.add(chunk);
    emulator.write(chunk, waiting.look);
  });
  emulator.onData(answer => write(answer));
  const exited = new Promise<Exit>(resolve => {
    pty.onExit(({exitCode, signal = 0}) => {
      // The exit may be reported before all output is parsed.
      emulator.write('', () => {
        ending.exit = {exitCode, signal};
        waiting.look();
        resolve(ending.exit);
      });
    });
  });

  function write(raw: string): void {
    if (ending.exit === undefined && !ending.isHungUp) pty.write(raw);
  }

  async function press(...keys: readonly string[]): Promise<void> {
    for (const [index, key] of keys.entries()) {
      if (key === 'enter' && index > 0) await pause(HAND_PAUSE_MS);
      const isApplicationCursor = emulator.modes.applicationCursorKeysMode;
      for (const sequence of keySequences(key, {isApplicationCursor})) {
        const effect = sequence === '\x1b' ? pause(ESCAPE_PAUSE_MS) : waiting.nextLook(KEY_PAUSE_MS);
        write(sequence);
        await effect;
      }
    }
  }

  const text = () => visibleLines(emulator).join('\n');

  return {
    pid: pty.pid,
    emulator,
    exited,
    modes: modes.now,
    press,
    paste: pasted => {
      const body = pasted.replace(/\r?\n/g, '\r');
      write(modes.now().isBracketedPaste ? `\x1b[200~${body}\x1b[201~` : body);
    },
    write,
    resize: (newColumns, newRows) => {
      emulator.resize(newColumns, newRows);
      if (ending.exit === undefined && !ending.isHungUp) pty.resize(newColumns, newRows);
    },
    screen: () => visibleLines(emulator),
    text,
    sees: (expected, patience) =>
      waiting.until(`to see ${named(expected)}`, () => contains(text(), expected), patience),
    seesNot: (unexpected, patience) =>
      waiting.until(`not to see ${named(unexpected)}`, () => !contains(text(), unexpected), patience),
    becomes: (wanted, isMet, patience) => waiting.until(wanted, isMet, patience),
    now: () => performance.now(),
    wallNow: () => Date.now(),
    cell: (row, column) => cellAt(emulator, row, column),
    isAltScreen: () => modes.now().isAltScreen,
    isCursorHidden: () => modes.now().isCursorHidden,
    isCooked: () => isCooked(deviceOf(pty)),
    raw: received.text,
    receivedByteCount: received.byteCount,
    stopReading: () => pty.pause(),
    resumeReading: () => pty.resume(),
    kill: signal => {
      if (ending.exit === undefined) process.kill(pty.pid, signal);
    },
    hangUp: () => {
      ending.isHungUp = true;
      hangUp(pty);
    },
    close: async () => {
      if (ending.exit === undefined) killGroup(pty.pid);
      // A program that ended while reading was stopped is only noticed when reading resumes.
      pty.resume();
      await exited;
      emulator.dispose();
    },
    device: deviceOf(pty),
  };
}

function spawnOnPty(options: TerminalOptions, size: {columns: number; rows: number}): IPty {
  return spawn(options.command, [...(options.arguments ?? [])], {
    name: options.env?.TERM ?? 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd: options.cwd ?? process.cwd(),
    env: cleanEnvironment(options.env ?? {}),
  });
}

/**
 * A program under test must not see the variables of the test runner: `CI` silences Ink, `NODE_ENV=test` and
 * `FORCE_COLOR` change the behaviour of libraries.
 */
export function cleanEnvironment(over: EnvironmentVariables): Record<string, string> {
  const all: EnvironmentVariables = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ...over,
  };
  const entries = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return Object.fromEntries(entries);
}

export function receivedText(): {add: (chunk: string) => void; text: () => string; byteCount: () => number} {
  let kept = '';
  let byteCount = 0;
  return {
    add: chunk => {
      byteCount += Buffer.byteLength(chunk);
      kept += chunk;
      // Slicing copies the whole text, so it is done rarely.
      if (kept.length > 2 * RAW_LIMIT) kept = kept.slice(-RAW_LIMIT);
    },
    text: () => kept.slice(-RAW_LIMIT),
    byteCount: () => byteCount,
  };
}

export function contains(text: string, expected: string | RegExp): boolean {
  // `search` starts at the beginning even for an expression with the global flag.
  return typeof expected === 'string' ? text.includes(expected) : text.search(expected) !== -1;
}

export function named(expected: string | RegExp): string {
  return typeof expected === 'string' ? JSON.stringify(expected) : String(expected);
}

function isCooked(device: string): boolean {
  const fileOption = process.platform === 'darwin' ? '-f' : '-F';
  const settings = spawnSync('stty', [fileOption, device, '-a'], {encoding: 'utf8'});
  if (settings.status !== 0) throw new Error(`stty cannot read ${device}: ${settings.stderr}`);
  return [/(?<!-)\bicanon\b/, /(?<!-)\becho\b/, /(?<!-)\bisig\b/].every(setting => setting.test(settings.stdout));
}

// Every Unix terminal of node-pty has the next two, but its types do not.
function deviceOf(pty: IPty): string {
  if ('ptsName' in pty && typeof pty.ptsName === 'string') return pty.ptsName;
  throw new Error('node-pty did not tell the name of the terminal device.');
}

function hangUp(pty: IPty): void {
  if (!('destroy' in pty) || typeof pty.destroy !== 'function') throw new Error('node-pty cannot hang up.');
  pty.destroy();
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group may have ended between the check and the signal.
  }
}
