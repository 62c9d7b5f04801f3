import {existsSync, readFileSync} from 'node:fs';

/** What Linux reports about a running process. Undefined on other systems. */
export type ProcessUsage = {
  readonly residentBytes: number;
  /** The time of all its threads, in user and in kernel mode. */
  readonly processorMs: number;
};

// The kernel reports these times to programs in hundredths of a second.
const TICK_MS = 10;
const NS_PER_MS = 1_000_000;
/** Fields of `stat` after the name, which is in parentheses and may contain anything: see proc_pid_stat(5). */
const [USER_FIELD, SYSTEM_FIELD] = [11, 12];

/**
 * How long the main thread of a process has waited for a core so far, in milliseconds, because of other programs. See
 * sched-stats in the kernel's documentation. Undefined if the kernel does not count it.
 */
export function waitedForCoreMs(pid: number): number | undefined {
  const path = `/proc/${pid}/schedstat`;
  if (!existsSync(path)) return undefined;
  const [, waitedNs] = readFileSync(path, 'utf8').split(' ');
  return Number(waitedNs) / NS_PER_MS;
}

export function usageOf(pid: number): ProcessUsage | undefined {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    residentBytes: Number(resident) * 1024,
    processorMs: (Number(fields[USER_FIELD]) + Number(fields[SYSTEM_FIELD])) * TICK_MS,
  };
}
