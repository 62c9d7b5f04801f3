import type {Pace} from './lifecycle.ts';
import {type Machine, machineWords, recordEvent} from './machine.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import {seedFor, unit} from './random.ts';
import type {World} from './world.ts';

/** A result that was requested and can be fetched a while later. */
type Job = {
  readonly id: number;
  readonly machineId: number;
  readonly readyAt: number;
  readonly content: string;
};

type JobKind = 'console' | 'logs';

/** The jobs of all machines: console addresses and printed logs. */
export type Jobs = {
  readonly begin: (world: World, kind: JobKind, machine: Machine, content: (id: number) => string) => Job;
  readonly find: (kind: JobKind, id: number) => Job | undefined;
};

const READY_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 3000, faithful: 7000};
/** Old jobs are forgotten, as the tokens in them would expire. */
const JOB_LIMIT = 500;
const FIRST_JOB_ID = 604_118;
const JOB_ID_STEP = 3;
const LOG_SOURCES = ['kernel: ', 'systemd[1]: ', 'cloud-init[812]: ', 'sshd[1044]: '] as const;
const LOG_WORDS = ['Started session', 'Reached target', 'Mounted', 'Listening on', 'link becomes ready'] as const;

export function createJobs(): Jobs {
  const jobs: Readonly<Record<JobKind, Map<number, Job>>> = {console: new Map(), logs: new Map()};
  let nextId = FIRST_JOB_ID;
  return {
    begin: (world, kind, machine, content) => {
      const id = nextId;
      nextId += JOB_ID_STEP;
      const readyAt = world.now() + READY_AFTER_MS[world.pace()];
      const job = {id, machineId: machine.id, readyAt, content: content(id)};
      jobs[kind].set(id, job);
      const [oldest] = jobs[kind].keys();
      if (jobs[kind].size > JOB_LIMIT && oldest !== undefined) jobs[kind].delete(oldest);
      return job;
    },
    find: (kind, id) => jobs[kind].get(id),
  };
}

/** Requests the machine's console; returns the job's id. */
export function requestConsole(world: World, machine: Machine, userId: number): Decision<number> {
  if (machine.status !== 'ACTIVE' && machine.cluster?.phase !== 'PRE-ACTIVE') return notNow(machine, 'console');
  const {id, readyAt} = world.jobs.begin(
    world,
    'console',
    machine,
    jobId => `https://console.example/vnc_auto.html?token=SIMULATED-console-${hexOf(seedFor(world.seed, jobId))}`,
  );
  const asked = 'A console was requested.';
  recordEvent(machine, {at: world.now(), userId, reason: 'GenerateVNCConsoleRequest', message: asked});
  world.schedule(readyAt, () => {
    const done = 'A console is ready.';
    recordEvent(machine, {at: readyAt, userId, reason: 'GenerateVNCConsoleSuccess', message: done});
  });
  world.executed('request-console', machine.id);
  return accepted(id);
}

/** Requests the last lines of the machine's log; returns the request's id. */
export function requestLogs(world: World, machine: Machine, lineCount: number): Decision<number> {
  if (machine.status !== 'ACTIVE') return notNow(machine, 'logs');
  const {id} = world.jobs.begin(world, 'logs', machine, () => logText(world, machine, lineCount));
  world.executed('request-logs', machine.id);
  return accepted(id);
}

/** The job with its content once ready; undefined if this machine has no such job. */
export function findJob(
  world: World,
  kind: JobKind,
  machine: Machine,
  id: number,
): {readonly id: number; readonly content: string | undefined} | undefined {
  const job = world.jobs.find(kind, id);
  if (job === undefined || job.machineId !== machine.id) return undefined;
  return {id, content: world.now() < job.readyAt ? undefined : job.content};
}

function hexOf(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, '0');
}

function notNow(machine: Machine, what: JobKind): Refused {
  return refused('state', `${machineWords(machine)} gives no ${what} while it is ${machine.status}.`);
}

/** What a serial console would have shown since boot; always the same for the same machine. */
function logText({now}: World, machine: Machine, lineCount: number): string {
  const bootedAt = machine.boots.at(-1)?.bootedAt ?? machine.createdAt;
  const upS = Math.max(1, (now() - bootedAt) / 1000);
  const lines = Array.from({length: lineCount}, (_, index) => {
    const source = LOG_SOURCES[Math.floor(unit(machine.id, index, 1) * LOG_SOURCES.length)] ?? LOG_SOURCES[0];
    const words = LOG_WORDS[Math.floor(unit(machine.id, index, 2) * LOG_WORDS.length)] ?? LOG_WORDS[0];
    return `[${((upS * (index + 1)) / lineCount).toFixed(6).padStart(12)}] ${source}${words}`;
  });
  return [...lines, ''].join('\n');
}
