import {spawn} from 'node:child_process';
import {constants} from 'node:os';

export type ProgramEnd =
  | {readonly kind: 'ended'; readonly exitCode: number}
  | {readonly kind: 'not-started'; readonly reason: string};

type Signals = {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
};

/** The terminal sends these to both of us: what they mean is the other program's to say while it runs. */
const FROM_THE_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const ENDING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];

/**
 * Runs another program on our terminal, with no shell between, and waits for it. Its exit code is 128 and the signal's
 * number where a signal ended it. A signal that would end us ends it instead.
 */
export function runProgram(
  signals: Signals,
  [program = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProgramEnd> {
  return new Promise(resolve => {
    const child = spawn(program, words, {stdio: 'inherit', env: environment, shell: false});
    const ignore = () => {};
    const pass = (signal: NodeJS.Signals) => void child.kill(signal);
    for (const signal of FROM_THE_TERMINAL) signals.on(signal, ignore);
    for (const signal of ENDING) signals.on(signal, pass);
    const end = (how: ProgramEnd) => {
      for (const signal of FROM_THE_TERMINAL) signals.off(signal, ignore);
      for (const signal of ENDING) signals.off(signal, pass);
      resolve(how);
    };
    child.on('error', error => end({kind: 'not-started', reason: error.message}));
    child.on('close', (code, signal) =>
      end({kind: 'ended', exitCode: code ?? 128 + constants.signals[signal ?? 'SIGTERM']}),
    );
  });
}
