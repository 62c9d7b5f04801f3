import {constants} from 'node:os';
import type {Cancel, Clock} from '../domain/time.ts';

/** The part of Node's `process` that matters to a terminal program. */
export type ProcessLike = {
  readonly pid: number;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...details: unknown[]) => void): unknown;
  exit(code: number): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
};

type RawInput = {
  readonly isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  pause?(): unknown;
  resume?(): unknown;
  on(event: string, listener: (...details: unknown[]) => void): unknown;
};

export type LifecycleOptions = {
  readonly stdin: RawInput;
  readonly stdout: {on(event: string, listener: (...details: unknown[]) => void): unknown};
  readonly stderr: {write(text: string): unknown};
  readonly process: ProcessLike;
  readonly screen: {readonly enter: () => void; readonly leave: () => void};
  readonly clock: Clock;
  /** Reports a mistake of the program itself, and gives the exit code. */
  readonly crash: {readonly report: (error: unknown) => string; readonly exitCode: number};
  /** Whether the terminal is still there; a connection can be lost without notice. */
  readonly isAttached: () => boolean;
  /** Called after a suspension: what is on screen is old, and open questions are void. */
  readonly onResume: () => void;
  /** Called when the terminal is lost: the last moment to write anything to disk. */
  readonly onGone?: () => void;
};

export type Lifecycle = {
  readonly enter: () => void;
  /** Restores the terminal and ends the program. */
  readonly exit: (code: number) => void;
  /** Ends the program because of a mistake of its own, and reports it. */
  readonly fail: (error: unknown) => void;
  /** Restores the terminal; the program goes on without it. */
  readonly giveBack: () => void;
  /** Gives the terminal back to the shell until the program is continued (ctrl-Z). */
  readonly suspend: () => void;
  /** Gives the terminal to another program until that ends. */
  readonly lend: (run: () => Promise<void>) => Promise<void>;
};

const HANG_UP_EXIT_CODE = exitCodeOf('SIGHUP');
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGUSR2'] as const;
/** Signals sent from the keyboard; they are meant for the program that has the terminal. */
const KEYBOARD_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);
/** The key that ends the other program sends its signal to both, and the end of the other may be noticed first. */
const LATE_SIGNAL_MS = 500;
const GONE = new Set(['EIO', 'EPIPE', 'EBADF', 'ENXIO']);
const WATCHDOG_MS = 2000;
const ATTACHED_CHECK_INTERVAL_MS = 5000;
/** A process group without a shell above it ignores the stop; the deck then comes back by itself. */
const NOT_STOPPED_AFTER_MS = 200;

/**
 * Takes the terminal, and gives it back exactly once, however the program ends. A suspension does what ctrl-Z in the
 * terminal would: it restores everything, then stops the whole process group, because under `npm start` stopping this
 * process alone would leave the shell waiting.
 */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  return new TerminalLifecycle(options);
}

/** Owns the state of the terminal: taken, given back for a while, or lent. */
class TerminalLifecycle implements Lifecycle {
  readonly #options: LifecycleOptions;
  #isInstalled = false;
  #isTaken = false;
  #isEnding = false;
  #isLent = false;
  #lentUntil = Number.NEGATIVE_INFINITY;
  /** A signal that arrived while another program had the terminal. That program gets it too, and ends first. */
  #endsWith: number | undefined;
  #suspension: {readonly wasRaw: boolean; readonly cancel: Cancel} | undefined;

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  readonly enter = (): void => {
    const {screen} = this.#options;
    if (!this.#isInstalled) this.#install();
    this.#isInstalled = true;
    this.#isTaken = true;
    // Before Ink does it: input until then must neither be echoed into the first frame nor be lost.
    this.#setRaw(true);
    screen.enter();
  };

  #install(): void {
    const {stdin, stdout, process} = this.#options;
    for (const signal of ENDING_SIGNALS) process.on(signal, () => this.#takeSignal(signal));
    process.on('SIGTSTP', this.suspend);
    process.on('SIGCONT', this.#resume);
    process.on('uncaughtException', this.fail);
    process.on('unhandledRejection', this.fail);
    process.on('exit', this.giveBack);
    stdin.on('end', this.#hangUp);
    stdin.on('close', this.#hangUp);
    stdin.on('error', this.#hangUp);
    stdout.on('error', (error: unknown) => {
      if (GONE.has(codeOf(error))) this.#hangUp();
    });
    this.#checkAttached();
  }

  #takeSignal(signal: NodeJS.Signals): void {
    const {clock} = this.#options;
    const isForOther = this.#isLent || clock.monotonicNow() - this.#lentUntil < LATE_SIGNAL_MS;
    if (isForOther && KEYBOARD_SIGNALS.has(signal)) return;
    if (this.#isLent) this.#endsWith = exitCodeOf(signal);
    else this.exit(exitCodeOf(signal));
  }

  readonly exit = (code: number): void => {
    const {process} = this.#options;
    if (this.#isEnding) return;
    this.#begin();
    this.giveBack();
    process.exit(code);
  };

  readonly fail = (error: unknown): void => {
    const {stderr, process, crash} = this.#options;
    if (this.#isEnding) return;
    this.#begin();
    this.giveBack();
    stderr.write(`${crash.report(error)}\n`);
    process.exit(crash.exitCode);
  };

  readonly #hangUp = (): void => {
    if (this.#isEnding) return;
    this.#options.onGone?.();
    this.exit(HANG_UP_EXIT_CODE);
  };

  /** The program ends within two seconds in any case: then it is killed. */
  #begin(): void {
    const {process, clock} = this.#options;
    this.#isEnding = true;
    clock.after(WATCHDOG_MS, () => process.kill(process.pid, 'SIGKILL'));
  }

  readonly giveBack = (): void => {
    const {screen} = this.#options;
    if (!this.#isTaken) return;
    this.#isTaken = false;
    screen.leave();
    this.#setRaw(false);
  };

  readonly suspend = (): void => {
    const {stdin, process, screen, clock} = this.#options;
    if (!this.#isTaken || this.#isEnding || this.#suspension !== undefined) return;
    // The same key stopped the other program; the shell waits for us to stop too.
    if (this.#isLent) return void process.kill(process.pid, 'SIGSTOP');
    this.#suspension = {wasRaw: stdin.isRaw === true, cancel: clock.after(NOT_STOPPED_AFTER_MS, this.#resume)};
    screen.leave();
    this.#setRaw(false);
    process.removeListener('SIGTSTP', this.suspend);
    process.kill(0, 'SIGTSTP');
  };

  /** Also after a stop that could not be caught: the shell has had the terminal in between. */
  readonly #resume = (): void => {
    const {stdin, process} = this.#options;
    if (!this.#isTaken || this.#isEnding || this.#isLent) return;
    const wasRaw = this.#suspension?.wasRaw ?? stdin.isRaw === true;
    if (this.#suspension !== undefined) {
      this.#suspension.cancel();
      this.#suspension = undefined;
      process.on('SIGTSTP', this.suspend);
    }
    this.#take(wasRaw);
  };

  readonly lend = async (run: () => Promise<void>): Promise<void> => {
    const {stdin, screen, clock} = this.#options;
    if (!this.#isTaken || this.#isEnding || this.#isLent || this.#suspension !== undefined) return;
    const wasRaw = stdin.isRaw === true;
    this.#isLent = true;
    screen.leave();
    this.#setRaw(false);
    // With two readers, each would get part of what is typed.
    stdin.pause?.();
    await run();
    this.#isLent = false;
    this.#lentUntil = clock.monotonicNow();
    if (this.#endsWith !== undefined) return this.exit(this.#endsWith);
    if (this.#isEnding) return;
    stdin.resume?.();
    this.#take(wasRaw);
  };

  #take(wasRaw: boolean): void {
    const {process, screen} = this.#options;
    // Node remembers the mode it set last and would not set it again.
    this.#setRaw(false);
    if (wasRaw) this.#setRaw(true);
    screen.enter();
    // A resize in the meantime was reported to the shell only: this makes Node read the size again.
    process.kill(process.pid, 'SIGWINCH');
    this.#options.onResume();
  }

  #setRaw(isRaw: boolean): void {
    const {stdin} = this.#options;
    try {
      stdin.setRawMode?.(isRaw);
    } catch {
      // The terminal is gone; there is nothing left to restore.
    }
  }

  #checkAttached(): void {
    const {clock} = this.#options;
    clock.after(ATTACHED_CHECK_INTERVAL_MS, () => {
      if (this.#isEnding) return;
      if (this.#options.isAttached()) this.#checkAttached();
      else this.#hangUp();
    });
  }
}

/** As a shell reports it: 128 plus the signal's number. */
function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
