import {type ChildProcess, spawn} from 'node:child_process';
import type {Cancel, Clock, DurationMs} from '../domain/time.ts';

/** After this long it is sent `SIGTERM`, and killed soon after. */
const LIMIT_MS: DurationMs = 10_000;
const FORCE_AFTER_MS: DurationMs = 2000;
/** Of a program's error output, only the end is kept. */
const MAX_SAID = 4000;
/** Maximum characters of a line, and maximum lines of a chunk (the last ones). */
const MAX_LINE = 4000;
const MAX_LINES = 200;
const READ_EVERY_MS: DurationMs = 100;

type Surroundings = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'after'>;
  /** Receives a function that ends the program when the deck ends. */
  readonly onExit: (end: () => void) => Cancel;
};

/**
 * Runs another program beside the deck, with text on its standard input and no terminal, and waits at most twelve
 * seconds; whatever it started ends with it. Returns what went wrong, or undefined if it succeeded.
 */
export function runAside(
  [program = '', ...words]: readonly string[],
  {input, environment, clock, onExit}: Surroundings & {readonly input: string},
): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(program, words, {...IN_GROUP, stdio: ['pipe', 'ignore', 'ignore'], env: environment});
    const release = endWithUs(child, onExit);
    let isLate = false;
    let cancelForce: Cancel = () => {};
    const cancelLimit = clock.after(LIMIT_MS, () => {
      isLate = true;
      cancelForce = endGroup(child, clock);
    });
    const settle = (reason: string | undefined) => {
      cancelLimit();
      cancelForce();
      release();
      resolve(reason);
    };
    child.on('error', error => settle(error.message));
    child.on('close', (code, signal) => {
      if (isLate) {
        signalGroup(child, 'SIGKILL');
        settle(`ended after ${LIMIT_MS / 1000} s`);
      } else settle(code === 0 ? undefined : `ended with ${signal ?? code}`);
    });
    // A program that does not read its input is not an error.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/**
 * Runs another program beside the deck, without input or terminal, and reports each line it prints. Returns a function
 * that ends it. `onEnd` gets the reason for any other end; whatever the program started ends with it.
 */
export function watchAside(
  [program = '', ...words]: readonly string[],
  {
    environment,
    clock,
    onExit,
    onLine,
    onEnd,
  }: Surroundings & {readonly onLine: (line: string) => void; readonly onEnd: (reason: string) => void},
): Cancel {
  const child = spawn(program, words, {...IN_GROUP, stdio: ['ignore', 'pipe', 'pipe'], env: environment});
  const release = endWithUs(child, onExit);
  let isStopped = false;
  let said = '';
  const settle = (reason: string) => {
    release();
    signalGroup(child, 'SIGKILL');
    if (!isStopped) onEnd(reason);
  };
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Endless output is read in chunks, and of an endless line only the beginning is kept.
    child.stdout.pause();
    clock.after(READ_EVERY_MS, () => child.stdout.resume());
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    if (isStopped) return;
    for (const line of lines.slice(-MAX_LINES)) onLine(line.slice(0, MAX_LINE));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MAX_SAID);
  });
  child.on('error', error => settle(error.message));
  child.on('close', (code, signal) => settle(said.trim() === '' ? `ended with ${signal ?? code}` : said.trim()));
  return () => {
    if (isStopped) return;
    isStopped = true;
    endGroup(child, clock);
  };
}

/** In a process group of its own, so that what it started can be ended with it; without a shell in between. */
const IN_GROUP = {shell: false, detached: true} as const;

/** Waits until its input is closed, which happens when the deck has ended, and then ends the process group. */
const GUARD = 'read -r _; kill -s KILL -- "-$1"';

/**
 * Ends the program and what it started when the deck ends, even if the deck is killed and none of its code runs any
 * more: a shell beside the program waits for that. Returns a function that releases the program.
 */
function endWithUs(child: ChildProcess, onExit: Surroundings['onExit']): Cancel {
  const forget = onExit(() => signalGroup(child, 'SIGKILL'));
  if (child.pid === undefined) return forget;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', String(child.pid)], {
    ...IN_GROUP,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  // Without such a shell, the program still ends if the deck ends in any other way.
  guard.on('error', () => {});
  return () => {
    forget();
    guard.kill('SIGKILL');
  };
}

/** Asks it to end, and kills it if it does not. */
function endGroup(child: ChildProcess, {after}: Pick<Clock, 'after'>): Cancel {
  signalGroup(child, 'SIGTERM');
  return after(FORCE_AFTER_MS, () => signalGroup(child, 'SIGKILL'));
}

function signalGroup({pid}: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}
