import {spawn} from '@lydell/node-pty';
import type {EnvironmentVariables} from '../../src/domain/environment-variables.ts';
import {type Connection, createHome, environmentOf, type Home, PROGRAM_FLAGS, programPath} from '../support/launch.ts';
import {cleanEnvironment} from '../support/terminal.ts';
import type {PictureSize} from '../tools/scene.ts';

/** A terminal that draws nothing and only records when bytes arrive, so that its own work is not measured. */
export type TimedTerminal = {
  readonly pid: number;
  /** When the program was started, as `performance.now`. */
  readonly startedAt: number;
  readonly write: (text: string) => void;
  readonly receivedBytes: () => number;
  /** When the latest byte arrived. Before the first one it is `startedAt`. */
  readonly receivedAt: () => number;
  /** The time at which the text so far, without escape sequences, first matches. */
  readonly saw: (pattern: RegExp, withinMs: number) => Promise<number>;
  /** The time of the next byte, or undefined if none arrives in time. */
  readonly nextByte: (withinMs: number) => Promise<number | undefined>;
  readonly exited: Promise<number>;
  readonly close: () => Promise<void>;
};

export type TimedOptions = PictureSize & {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly env: EnvironmentVariables;
};

/** Escape sequences: OSC, CSI and those of two characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const SEQUENCES = /\u001b\][^\u0007]*\u0007|\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b[@-Z\\-_]/g;
const REMEMBERED = 1_000_000;

export function openTimedTerminal(options: TimedOptions): TimedTerminal {
  const startedAt = performance.now();
  const pty = spawn(options.command, [...options.arguments], {
    name: 'xterm-256color',
    cols: options.columns,
    rows: options.rows,
    env: cleanEnvironment({COLORTERM: 'truecolor', ...options.env}),
  });
  const lookers = new Set<() => void>();
  let text = '';
  let byteCount = 0;
  let receivedAt = startedAt;
  let isEnded = false;
  pty.onData(chunk => {
    receivedAt = performance.now();
    byteCount += Buffer.byteLength(chunk);
    text = `${text}${chunk}`.slice(-REMEMBERED);
    for (const look of [...lookers]) look();
  });
  const exited = new Promise<number>(resolve => {
    pty.onExit(() => {
      isEnded = true;
      resolve(performance.now());
    });
  });

  function until(isMet: () => boolean, withinMs: number): Promise<boolean> {
    return new Promise(resolve => {
      const deadline = setTimeout(() => end(false), withinMs);
      lookers.add(look);
      look();

      function look(): void {
        if (isMet()) end(true);
      }

      function end(outcome: boolean): void {
        clearTimeout(deadline);
        lookers.delete(look);
        resolve(outcome);
      }
    });
  }

  return {
    pid: pty.pid,
    startedAt,
    write: written => pty.write(written),
    receivedBytes: () => byteCount,
    receivedAt: () => receivedAt,
    saw: async (pattern, withinMs) => {
      if (await until(() => pattern.test(text.replace(SEQUENCES, '')), withinMs)) return receivedAt;
      throw new Error(`The program did not show ${pattern} within ${withinMs} ms; it wrote ${byteCount} bytes.`);
    },
    nextByte: async withinMs => {
      const before = byteCount;
      return (await until(() => byteCount > before, withinMs)) ? receivedAt : undefined;
    },
    exited,
    close: async () => {
      if (!isEnded) process.kill(pty.pid, 'SIGKILL');
      await exited;
    },
  };
}

/** The built deck on such a terminal, with an empty home or one that an earlier deck used. */
export function openTimedDeck(connection: Connection, size: PictureSize, kept?: Home): TimedTerminal {
  const home = kept ?? createHome();
  const terminal = openTimedTerminal({
    ...size,
    command: process.execPath,
    arguments: [...PROGRAM_FLAGS, programPath],
    env: environmentOf({home, connection}),
  });
  return {
    ...terminal,
    close: async () => {
      await terminal.close();
      if (kept === undefined) home.remove();
    },
  };
}

const LOADING_LIMIT_MS = 60_000;

/** Goes to the machines pane from any first pane, and waits for the first rows. */
export async function openMachines({saw, write}: TimedTerminal): Promise<void> {
  await saw(/1 Overview/, LOADING_LIMIT_MS);
  write('2');
  await saw(/ACTIVE/, LOADING_LIMIT_MS);
}
