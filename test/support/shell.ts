import {spawnSync} from 'node:child_process';
import {openTerminal, type RealTerminal, type TerminalOptions} from './terminal.ts';
import type {Patience} from './waiting.ts';

export type Shell = RealTerminal & {
  /** Runs one command line. Its programs are jobs of the shell, so ctrl-z and `fg` work as they do for people. */
  readonly run: (commandLine: string) => void;
  /** Waits until the shell prompts for the next command, because the last one ended or was suspended. */
  readonly seesPrompt: (patience?: Patience) => Promise<void>;
};

/**
 * An interactive bash with job control and without line editing (its editor would set terminal modes of its own), at
 * its first prompt. The prompt contains the number of the command, so that an old prompt on the screen is never
 * mistaken for a new one.
 */
export async function openShell(options: Omit<TerminalOptions, 'command' | 'arguments'> = {}): Promise<Shell> {
  const terminal = openTerminal({
    ...options,
    command: 'bash',
    arguments: ['--norc', '--noprofile', '--noediting', '-i'],
    env: {...options.env, PS1: 'deck \\# $ ', HISTFILE: undefined},
  });
  let commandNumber = 1;

  function seesPrompt(patience?: Patience): Promise<void> {
    const prompt = `deck ${commandNumber} $`;
    return terminal.becomes(
      `to show the prompt ${JSON.stringify(prompt)}`,
      () =>
        !terminal.isAltScreen() &&
        terminal
          .screen()
          .findLast(line => line !== '')
          ?.endsWith(prompt) === true,
      patience,
    );
  }

  const shell: Shell = {
    ...terminal,
    run: commandLine => {
      commandNumber += 1;
      terminal.write(`${commandLine}\r`);
    },
    seesPrompt,
    close: async () => {
      killJobs(terminal);
      await terminal.close();
    },
  };
  await seesPrompt();
  return shell;
}

/** After this many rounds (each runs `ps`) a job is stuck in the kernel, and no signal will end it. */
const KILL_ROUNDS = 100;

/** Jobs are process groups of their own, so killing the shell's group would leave a suspended program running. */
function killJobs(terminal: RealTerminal): void {
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const jobs = livingJobs(terminal);
    if (jobs.length === 0) return;
    for (const job of jobs) kill(job);
  }
  throw new Error(`Programs on ${terminal.device} do not end: ${livingJobs(terminal).join(', ')}.`);
}

function livingJobs({device, pid}: RealTerminal): number[] {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,tty=,stat='], {encoding: 'utf8'}).stdout ?? '';
  return listed.split('\n').flatMap(line => {
    const [job, tty, state = ''] = line.trim().split(/\s+/);
    const isLivingJob = `/dev/${tty}` === device && Number(job) !== pid && !state.startsWith('Z');
    return isLivingJob ? [Number(job)] : [];
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The job may have ended since it was listed.
  }
}
