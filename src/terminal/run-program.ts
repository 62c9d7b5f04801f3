import {spawn} from 'node:child_process';
import {constants} from 'node:os';
import type {Cancel, Clock} from '../domain/time.ts';

export type ProgramEnd =
  | {readonly kind: 'ended'; readonly exitCode: number}
  | {readonly kind: 'not-started'; readonly reason: string};

type Signals = {
  on(signal: string, listener: () => void): unknown;
  removeListener(signal: string, listener: () => void): unknown;
};

/** The terminal sends these to both programs; while the other one runs, they are meant for it. */
const FROM_THE_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const ENDING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];
/** How long a program has to end by itself, as with a service manager. */
const ENDS_WITHIN_MS = 3000;

/**
 * Runs another program on our terminal, without a shell, and waits for it. Returns its exit code: 128 plus the signal's
 * number if a signal ended it. A signal that would end us is passed on to it, and it is killed if it does not react.
 */
export function runProgram(
  {signals, after}: {readonly signals: Signals; readonly after: Clock['after']},
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProgramEnd> {
  return new Promise(resolve => {
    const child = spawn(program, words, {stdio: 'inherit', env: environment, shell: false});
    let cancelForce: Cancel | undefined;
    const pass = (signal: NodeJS.Signals) => {
      child.kill(signal);
      cancelForce ??= after(ENDS_WITHIN_MS, () => child.kill('SIGKILL'));
    };
    const listeners = [
      ...FROM_THE_TERMINAL.map(signal => [signal, () => {}] as const),
      ...ENDING.map(signal => [signal, () => pass(signal)] as const),
    ];
    for (const [signal, listener] of listeners) signals.on(signal, listener);
    const end = (how: ProgramEnd) => {
      cancelForce?.();
      for (const [signal, listener] of listeners) signals.removeListener(signal, listener);
      resolve(how);
    };
    child.on('error', error => end({kind: 'not-started', reason: error.message}));
    child.on('close', (code, signal) =>
      end({kind: 'ended', exitCode: code ?? 128 + constants.signals[signal ?? 'SIGTERM']}),
    );
  });
}
