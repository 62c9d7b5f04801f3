import type {Ground} from './context.ts';
import {note} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import type {Pace} from './operations.ts';
import {accepted, type Outcome, refused} from './outcome.ts';
import {seedFor, unit} from './random.ts';

/** Something that is made for one who asked, and can be fetched a while later. */
type Job = {
  readonly id: string;
  readonly machineId: number;
  readonly readyAt: number;
  readonly content: string;
};

/** The jobs of all machines: ways to a console, and printed logs. */
export type MachineJobs = {
  /** Starts a way to the machine's console; gives the job's id. */
  readonly requestConsole: (machine: Machine, userId: number) => Outcome<string>;
  /** Prints the last lines of what the machine has said; gives the request's id. */
  readonly requestLogs: (machine: Machine, lineCount: number) => Outcome<string>;
  /** The job with its content once it is ready; undefined where this machine has no such job. */
  readonly find: (kind: 'console' | 'logs', machine: Machine, id: string) => FoundJob | undefined;
};

type FoundJob = {readonly id: string; readonly content: string | undefined};

const READY_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 3000, faithful: 7000};
/** Old jobs are forgotten, as the tokens in them would be. */
const JOB_LIMIT = 500;
const LOG_SOURCES = ['kernel: ', 'systemd[1]: ', 'cloud-init[812]: ', 'sshd[1044]: '] as const;
const LOG_WORDS = ['Started session', 'Reached target', 'Mounted', 'Listening on', 'link becomes ready'] as const;

export function createMachineJobs(ground: Ground): MachineJobs {
  const jobs = {console: new Map<string, Job>(), logs: new Map<string, Job>()};
  let jobCount = 0;

  function begin(kind: keyof typeof jobs, machine: Machine, content: (id: string) => string): Job {
    jobCount += 1;
    const id = `${kind}-${(seedFor(ground.seed, jobCount) >>> 0).toString(16).padStart(8, '0')}-${jobCount}`;
    const readyAt = ground.now() + READY_AFTER_MS[ground.pace()];
    const job = {id, machineId: machine.id, readyAt, content: content(id)};
    jobs[kind].set(id, job);
    const [oldest] = jobs[kind].keys();
    if (jobs[kind].size > JOB_LIMIT && oldest !== undefined) jobs[kind].delete(oldest);
    return job;
  }

  return {
    requestConsole: (machine, userId) => {
      if (machine.status !== 'ACTIVE' && machine.cluster?.stage !== 'PRE-ACTIVE') return notNow(machine, 'console');
      const {id, readyAt} = begin(
        'console',
        machine,
        job => `https://console.example/vnc_auto.html?token=SIMULATED-${job}`,
      );
      note(machine, ground.now(), userId, 'GenerateVNCConsoleRequest', 'A console was requested.');
      ground.schedule(readyAt, () =>
        note(machine, readyAt, userId, 'GenerateVNCConsoleSuccess', 'A console is ready.'),
      );
      return accepted(id);
    },
    requestLogs: (machine, lineCount) => {
      if (machine.status !== 'ACTIVE') return notNow(machine, 'logs');
      return accepted(begin('logs', machine, () => logText(ground, machine, lineCount)).id);
    },
    find: (kind, machine, id) => {
      const job = jobs[kind].get(id);
      if (job === undefined || job.machineId !== machine.id) return undefined;
      return {id, content: ground.now() < job.readyAt ? undefined : job.content};
    },
  };
}

function notNow({name, id, status}: Machine, what: string) {
  return refused('state', `Virtual machine '${name}' (${id}) gives no ${what} while it is ${status}.`);
}

/** What a serial console would have caught since the boot; the same machine always says the same. */
function logText({now}: Ground, machine: Machine, lineCount: number): string {
  const bootedAt = machine.boots.at(-1)?.bootedAt ?? machine.createdAt;
  const upS = Math.max(1, (now() - bootedAt) / 1000);
  const lines = Array.from({length: lineCount}, (_, index) => {
    const source = LOG_SOURCES[Math.floor(unit(machine.id, index, 1) * LOG_SOURCES.length)] ?? LOG_SOURCES[0];
    const words = LOG_WORDS[Math.floor(unit(machine.id, index, 2) * LOG_WORDS.length)] ?? LOG_WORDS[0];
    return `[${((upS * (index + 1)) / lineCount).toFixed(6).padStart(12)}] ${source}${words}`;
  });
  return [...lines, ''].join('\n');
}
