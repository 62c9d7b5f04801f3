import {constants} from 'node:os';
import type {Cancel, Clock} from '../domain/time.ts';

/** The part of Node's `process` that a terminal program has to mind. */
export type ProcessLike = {
  readonly pid: number;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...details: unknown[]) => void): unknown;
  exit(code: number): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
};

type TerminalInput = {
  readonly isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  pause?(): unknown;
  resume?(): unknown;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
};

export type LifecycleOptions = {
  readonly stdin: TerminalInput;
  readonly stdout: {on(event: string, listener: (...details: unknown[]) => void): unknown};
  readonly stderr: {write(text: string): unknown};
  readonly process: ProcessLike;
  readonly screen: {readonly enter: () => void; readonly leave: () => void};
  readonly clock: Clock;
  /** What to tell of a mistake of the program itself, and with which code it then ends. */
  readonly crash: {readonly report: (error: unknown) => string; readonly exitCode: number};
  /** Whether the terminal is still there; a connection can die without telling. */
  readonly isAttached: () => boolean;
  /** After the program went on: what is on screen is old, and an open question is void. */
  readonly onResume: () => void;
  /** The terminal went away: the last moment to write something down. */
  readonly onGone?: () => void;
};

export type Lifecycle = {
  readonly enter: () => void;
  /** Restores the terminal and ends the program. */
  readonly exit: (code: number) => void;
  /** Ends the program on a mistake of its own, which is reported. */
  readonly fail: (error: unknown) => void;
  /** Gives the terminal back and lets the program go on without it. */
  readonly giveBack: () => void;
  /** Gives the terminal back to the shell until the program is continued (ctrl-Z). */
  readonly suspend: () => void;
  /** Gives the terminal to another program for as long as that runs. */
  readonly lend: (run: () => Promise<void>) => Promise<void>;
};

const HANG_UP_EXIT_CODE = exitCodeOf('SIGHUP');
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGUSR2'] as const;
/** From the keyboard, where they mean the program that has the terminal. */
const KEYBOARD_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);
/** The key that ends the other program sends its signal to both, and the other's end may be reported first. */
const LATE_SIGNAL_MS = 500;
const GONE = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO']);
const WATCHDOG_MS = 2000;
const ATTACHED_CHECK_INTERVAL_MS = 5000;
/** A process group without a shell above it ignores the stop; then the deck comes back by itself. */
const NOT_STOPPED_AFTER_MS = 200;

/**
 * Takes the terminal and gives it back exactly once, whichever way the program ends. The order in a suspension is that
 * of the terminal's own ctrl-Z: everything restored, then the whole process group stopped, since under `npm start` a
 * stop of this process alone would leave the shell waiting.
 */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const {stdin, stdout, stderr, process, screen, clock, crash} = options;
  let isInstalled = false;
  let isTaken = false;
  let isEnding = false;
  let isLent = false;
  let lentUntil = Number.NEGATIVE_INFINITY;
  /** A signal that came while another program had the terminal, which gets it too and ends first. */
  let endsWith: number | undefined;
  let suspension: {readonly wasRaw: boolean; readonly cancel: Cancel} | undefined;

  function enter(): void {
    if (!isInstalled) install();
    isInstalled = true;
    isTaken = true;
    // Before Ink asks for it: what is typed until then must neither be echoed into the first frame nor be lost.
    setRaw(true);
    screen.enter();
  }

  function install(): void {
    for (const signal of ENDING_SIGNALS) process.on(signal, () => takeSignal(signal));
    process.on('SIGTSTP', suspend);
    process.on('SIGCONT', resume);
    // Without a listener of ours this signal opens Node's inspector, and with it the program's memory.
    process.on('SIGUSR1', () => undefined);
    process.on('uncaughtException', fail);
    process.on('unhandledRejection', fail);
    process.on('exit', restore);
    stdin.on('end', hangUp);
    stdin.on('close', hangUp);
    stdin.on('error', hangUp);
    stdout.on('error', (error: unknown) => {
      if (GONE.has(codeOf(error))) hangUp();
    });
    checkAttached();
  }

  function takeSignal(signal: NodeJS.Signals): void {
    const isForOther = isLent || clock.monotonicNow() - lentUntil < LATE_SIGNAL_MS;
    if (isForOther && KEYBOARD_SIGNALS.has(signal)) return;
    if (isLent) endsWith = exitCodeOf(signal);
    else exit(exitCodeOf(signal));
  }

  function exit(code: number): void {
    if (isEnding) return;
    begin();
    restore();
    process.exit(code);
  }

  function fail(error: unknown): void {
    if (isEnding) return;
    begin();
    restore();
    stderr.write(`${crash.report(error)}\n`);
    process.exit(crash.exitCode);
  }

  function hangUp(): void {
    if (isEnding) return;
    options.onGone?.();
    exit(HANG_UP_EXIT_CODE);
  }

  /** The program ends within two seconds in any case: then it is killed. */
  function begin(): void {
    isEnding = true;
    clock.after(WATCHDOG_MS, () => process.kill(process.pid, 'SIGKILL'));
  }

  function restore(): void {
    if (!isTaken) return;
    isTaken = false;
    screen.leave();
    setRaw(false);
  }

  function suspend(): void {
    if (!isTaken || isEnding || suspension !== undefined) return;
    // The other program was stopped by the same key; the shell waits for us to stop too.
    if (isLent) return void process.kill(process.pid, 'SIGSTOP');
    suspension = {wasRaw: stdin.isRaw === true, cancel: clock.after(NOT_STOPPED_AFTER_MS, resume)};
    screen.leave();
    setRaw(false);
    process.removeListener('SIGTSTP', suspend);
    process.kill(0, 'SIGTSTP');
  }

  /** Also after a stop that could not be caught: the shell has had the terminal meanwhile. */
  function resume(): void {
    if (!isTaken || isEnding || isLent) return;
    const wasRaw = suspension?.wasRaw ?? stdin.isRaw === true;
    if (suspension !== undefined) {
      suspension.cancel();
      suspension = undefined;
      process.on('SIGTSTP', suspend);
    }
    take(wasRaw);
  }

  async function lend(run: () => Promise<void>): Promise<void> {
    if (!isTaken || isEnding || isLent || suspension !== undefined) return;
    const wasRaw = stdin.isRaw === true;
    isLent = true;
    screen.leave();
    setRaw(false);
    // With two readers, each would get a part of what is typed.
    stdin.pause?.();
    await run();
    isLent = false;
    lentUntil = clock.monotonicNow();
    if (endsWith !== undefined) return exit(endsWith);
    if (isEnding) return;
    stdin.resume?.();
    take(wasRaw);
  }

  function take(wasRaw: boolean): void {
    // Node remembers the mode it set last and would not set it again.
    setRaw(false);
    if (wasRaw) setRaw(true);
    screen.enter();
    // A resize meanwhile was reported to the shell alone: this makes Node read the size again.
    process.kill(process.pid, 'SIGWINCH');
    options.onResume();
  }

  function setRaw(isRaw: boolean): void {
    try {
      stdin.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone; there is nothing left to set.
    }
  }

  function checkAttached(): void {
    clock.after(ATTACHED_CHECK_INTERVAL_MS, () => {
      if (isEnding) return;
      if (options.isAttached()) checkAttached();
      else hangUp();
    });
  }

  return {enter, exit, fail, giveBack: restore, suspend, lend};
}

/** As a shell reports it: 128 and the signal's number. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
