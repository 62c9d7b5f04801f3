import {spawn} from 'node:child_process';
import type {Cancel, Clock, DurationMs} from '../domain/time.ts';

/** Sent `SIGTERM` after this long, and ended by force soon after. */
const LIMIT_MS: DurationMs = 10_000;
const FORCE_AFTER_MS: DurationMs = 2000;

/**
 * Runs another program beside the deck, with a text on its standard input and no terminal, and waits at most twelve
 * seconds for it; whatever it started of its own ends with it. Gives its end in words, or undefined where it did well.
 */
export function runAside(
  [program = '', ...words]: readonly string[],
  {
    input,
    environment,
    clock,
    onExit,
  }: {
    readonly input: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
    readonly clock: Pick<Clock, 'after'>;
    /** Called with what ends the program when the deck itself ends. */
    readonly onExit: (end: () => void) => Cancel;
  },
): Promise<string | undefined> {
  return new Promise(resolve => {
    // In a group of its own, so that what it started can be ended with it.
    const child = spawn(program, words, {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: environment,
      shell: false,
      detached: true,
    });
    let isLate = false;
    const end = (signal: NodeJS.Signals) => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // It is gone already.
      }
    };
    let cancelForce: Cancel = () => {};
    const cancelLimit = clock.after(LIMIT_MS, () => {
      isLate = true;
      end('SIGTERM');
      cancelForce = clock.after(FORCE_AFTER_MS, () => end('SIGKILL'));
    });
    const forget = onExit(() => end('SIGKILL'));
    const settle = (reason: string | undefined) => {
      cancelLimit();
      cancelForce();
      forget();
      resolve(reason);
    };
    child.on('error', error => settle(error.message));
    child.on('close', (code, signal) => {
      if (isLate) {
        end('SIGKILL');
        settle(`ended after ${LIMIT_MS / 1000} s`);
      } else settle(code === 0 ? undefined : `ended with ${signal ?? code}`);
    });
    // Whoever does not read what it is told is no trouble of ours.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
