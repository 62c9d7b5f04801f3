import {say} from '../safe-text.ts';
import type {EpochMs} from '../time.ts';
import {type DurationMs, MINUTE_MS} from '../time.ts';
import {cpuUtilization, memoryUtilization} from '../utilization.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {type Finding, type KnownAccount, machineSubject, type TriageRule, withUnread} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

/** A CPU at its limit is what a batch job is for, so it has to last; memory at its limit is about to kill something. */
const CPU_LIMIT = {ratio: 0.97, heldMs: 60 * MINUTE_MS};
const MEMORY_LIMIT = {ratio: 0.95, heldMs: 10 * MINUTE_MS};
/** A run ends where nothing newer than this was measured: it may be over. */
const CURRENT_MS: DurationMs = 15 * MINUTE_MS;

type Level = {readonly at: EpochMs; readonly ratio: number};

/**
 * A machine whose CPU or memory has been at its limit for a while. The interface does not say how fast a disk or a network
 * could be, so nothing can be called saturated there.
 */
export const saturated: TriageRule = {
  id: 'saturated',
  judge: account => {
    if (account.machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const running = account.machines.filter(({status}) => status === 'ACTIVE');
    const unread = running.filter(machine => account.metricsOf(machine) === undefined);
    return withUnread(
      running.flatMap(machine => findingsOf(machine, account)),
      unread,
      'the metrics',
    );
  },
};

function findingsOf(machine: VirtualMachine, {metricsOf, rates, now}: KnownAccount): readonly Finding[] {
  const metrics = metricsOf(machine);
  if (metrics === undefined) return [];
  const rate = rates?.get(machine.id);
  const base = {
    rule: 'saturated',
    subject: machineSubject(machine),
    ...(rate === undefined ? {} : {rate}),
    commands: [say`skydeck metrics ${machine.id} --duration 1d`],
  };
  const memory = memoryUtilization(metrics, machine.flavor?.ramGb).map(({sampledAt, value}) => ({
    at: sampledAt,
    ratio: value,
  }));
  const cpu = cpuUtilization(metrics, machine.flavor?.cpuCount).map(({endedAt, ratio}) => ({at: endedAt, ratio}));
  const memoryRun = runAbove(memory, MEMORY_LIMIT, now);
  const cpuRun = runAbove(cpu, CPU_LIMIT, now);
  return [
    ...(memoryRun === undefined
      ? []
      : [
          {
            ...base,
            severity: 'warning' as const,
            summary: say`memory nearly full`,
            since: memoryRun.since,
            evidence: [
              say`memory at ${percentWords(memoryRun.latest)}, above 95 % for ${durationWords(now - memoryRun.since)}`,
            ],
            advice: say`Find what uses it before a process is killed; a larger flavor needs a new machine.`,
          },
        ]),
    ...(cpuRun === undefined
      ? []
      : [
          {
            ...base,
            severity: 'notice' as const,
            summary: say`CPU at its limit`,
            since: cpuRun.since,
            evidence: [
              say`CPU at ${percentWords(cpuRun.latest)} of all cores, above 97 % for ${durationWords(now - cpuRun.since)}`,
            ],
            advice: say`Nothing to do where this is a batch job; otherwise see what runs on it.`,
          },
        ]),
  ];
}

/** The present unbroken run above a limit, if it has lasted long enough. */
function runAbove(
  levels: readonly Level[],
  {ratio: limit, heldMs}: {readonly ratio: number; readonly heldMs: DurationMs},
  now: EpochMs,
): {readonly since: EpochMs; readonly latest: number} | undefined {
  const last = levels.at(-1);
  if (last === undefined || last.ratio < limit || now - last.at > CURRENT_MS) return undefined;
  const firstBelow = levels.findLastIndex(({ratio}) => ratio < limit);
  const start = levels[firstBelow + 1];
  return start !== undefined && now - start.at >= heldMs ? {since: start.at, latest: last.ratio} : undefined;
}
