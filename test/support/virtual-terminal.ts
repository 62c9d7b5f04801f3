import {EventEmitter} from 'node:events';
import {PassThrough} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import type {ReadStream, WriteStream} from 'node:tty';
import type {ProcessLike} from '../../src/terminal/lifecycle.ts';
import {createEmulator, visibleLines, written} from './emulator.ts';
import {keySequences} from './keys.ts';
import {cellAt, pictureInWords} from './screen.ts';
import {contains, type Exit, named, receivedText, type Terminal} from './terminal.ts';
import {watchModes} from './terminal-modes.ts';
import type {TestTime} from './virtual-time.ts';
import type {Patience} from './waiting.ts';

/** A terminal without an operating system, and what a program in this process needs from one. */
export type VirtualTerminal = Terminal & {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly process: ProcessLike;
};

const DEFAULT_PATIENCE_MS = 20_000;
/** The time between two checks if nothing else is due. */
const LOOK_MS = 100;
/** People do not type faster. */
const KEY_MS = 30;
/**
 * Ink distinguishes an escape from the start of a sequence by 20 ms of real time. A timer that is set later fires
 * later.
 */
const ESCAPE_PAUSE_MS = 21;

export function createVirtualTerminal({
  columns,
  rows,
  time,
}: {
  readonly columns: number;
  readonly rows: number;
  readonly time: TestTime;
}): VirtualTerminal {
  const emulator = createEmulator({columns, rows});
  const modes = watchModes(emulator);
  const received = receivedText();
  const size = {columns, rows};
  const input = virtualInput();
  const ending = Promise.withResolvers<Exit>();
  let exit: Exit | undefined;

  let parsed = Promise.resolve();
  let isParsed = true;

  const output = virtualOutput(size, text => {
    received.add(text);
    isParsed = false;
    parsed = written(emulator, text);
  });
  const process = virtualProcess(exitCode => {
    exit ??= {exitCode, signal: 0};
    ending.resolve(exit);
  });

  /** Resolves when everything that is due now is done and shown in the cells. */
  async function settle(): Promise<void> {
    await time.settle();
    // The emulator parses after a real timer, so wait for it only if something was written.
    if (isParsed) return;
    await parsed;
    isParsed = true;
  }

  async function until(
    wanted: string,
    isMet: () => boolean,
    {withinMs = DEFAULT_PATIENCE_MS}: Patience = {},
  ): Promise<void> {
    // Created here, so that its stack includes the line of the test that waits.
    const failure = new Error();
    const endMs = now() + withinMs;
    for (await settle(); !isMet(); await settle()) {
      const missed =
        exit === undefined ? `within ${withinMs} ms` : `before the program ended with exit code ${exit.exitCode}`;
      if (exit !== undefined || now() >= endMs) {
        failure.message = `Expected the terminal ${wanted} ${missed}.\n${pictureInWords(emulator, modes.now())}`;
        throw failure;
      }
      await time.step(Math.min(LOOK_MS, endMs - now()));
    }
  }

  function write(raw: string): void {
    if (exit === undefined) input.write(raw);
  }

  async function press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const isApplicationCursor = emulator.modes.applicationCursorKeysMode;
      for (const sequence of keySequences(key, {isApplicationCursor})) {
        write(sequence);
        if (sequence === '\x1b') await pause(ESCAPE_PAUSE_MS);
        await settle();
        for (const endMs = now() + KEY_MS; now() < endMs; ) await time.step(endMs - now());
      }
    }
    await settle();
  }

  const now = () => time.clock.monotonicNow();
  const text = () => visibleLines(emulator).join('\n');

  return {
    stdin: input.stream,
    stdout: output.stream,
    process,
    emulator,
    exited: ending.promise,
    modes: modes.now,
    press,
    paste: pasted => {
      const body = pasted.replace(/\r?\n/g, '\r');
      write(modes.now().isBracketedPaste ? `\x1b[200~${body}\x1b[201~` : body);
    },
    write,
    resize: (newColumns, newRows) => {
      emulator.resize(newColumns, newRows);
      Object.assign(size, {columns: newColumns, rows: newRows});
      output.resized();
    },
    screen: () => visibleLines(emulator),
    text,
    sees: (expected, patience) => until(`to see ${named(expected)}`, () => contains(text(), expected), patience),
    seesNot: (unexpected, patience) =>
      until(`not to see ${named(unexpected)}`, () => !contains(text(), unexpected), patience),
    becomes: until,
    now,
    wallNow: time.clock.wallNow,
    cell: (row, column) => cellAt(emulator, row, column),
    isAltScreen: () => modes.now().isAltScreen,
    isCursorHidden: () => modes.now().isCursorHidden,
    raw: received.text,
    receivedByteCount: received.byteCount,
    close: async () => {
      process.exit(0);
      await settle();
      emulator.dispose();
    },
  };
}

function virtualInput(): {readonly stream: ReadStream; readonly write: (raw: string) => void} {
  const stream = new PassThrough();
  const terminal = Object.assign(stream, {
    isTTY: true,
    isRaw: false,
    setRawMode: (isRaw: boolean) => Object.assign(terminal, {isRaw}),
    ref: () => terminal,
    unref: () => terminal,
  });
  // The program requires the full type of a terminal stream but uses only these few members.
  return {stream: terminal as unknown as ReadStream, write: raw => stream.write(raw)};
}

function virtualOutput(
  size: {readonly columns: number; readonly rows: number},
  receive: (text: string) => void,
): {readonly stream: WriteStream; readonly resized: () => void} {
  const emitter = new EventEmitter();
  const terminal = Object.assign(emitter, {
    isTTY: true,
    writableNeedDrain: false,
    write: (text: string, done?: (error?: Error | null) => void) => {
      if (text !== '') receive(text);
      if (done !== undefined) queueMicrotask(() => done());
      return true;
    },
  });
  for (const side of ['columns', 'rows'] as const) Object.defineProperty(terminal, side, {get: () => size[side]});
  // As above.
  return {stream: terminal as unknown as WriteStream, resized: () => emitter.emit('resize')};
}

function virtualProcess(exit: (exitCode: number) => void): ProcessLike {
  const emitter = new EventEmitter();
  return Object.assign(emitter, {
    pid: process.pid,
    exit: (exitCode: number) => {
      emitter.emit('exit', exitCode);
      exit(exitCode);
    },
    // There is no shell to return to, and no signal will arrive.
    kill: () => true,
  });
}
