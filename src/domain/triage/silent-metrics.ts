import {type SafeText, say} from '../safe-text.ts';
import type {EpochMs} from '../time.ts';
import {type SampleAge, sampleAge} from '../utilization.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {
  asOf,
  type RuleFinding,
  heldMs,
  isSilent,
  lastStartOf,
  MAX_METRICS_AGE_MS,
  machineSubject,
  SILENT_AFTER_MS,
  type TriageRule,
  withUnread,
} from './finding.ts';
import {durationWords} from './words.ts';

/** A running machine that sends no metrics. */
export const silentMetrics: TriageRule = {
  id: 'silent-metrics',
  judge: account => {
    const {machines, rates, metricsOf, metricsReadAt, now} = account;
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const unread: VirtualMachine[] = [];
    const findings = machines.flatMap((machine): readonly RuleFinding[] => {
      if (machine.status !== 'ACTIVE') return [];
      const [metrics, readAt] = [metricsOf(machine), metricsReadAt(machine)];
      // A machine sends nothing before it runs, so the time counts from its creation, start or restoration.
      const activeAt = lastStartOf(machine, account);
      if (readAt - activeAt < SILENT_AFTER_MS) return [];
      if (metrics === undefined || now - readAt > MAX_METRICS_AGE_MS) unread.push(machine);
      if (metrics === undefined || !isSilent(metrics, {now: readAt, since: activeAt})) return [];
      const newest = sampleAge(metrics, readAt);
      const isAhead = newest?.aheadMs !== undefined;
      const since = newest === undefined || newest.sampledAt < activeAt ? activeAt : newest.sampledAt;
      const rate = rates?.get(machine.id);
      return [
        {
          severity: 'warning',
          subject: machineSubject(machine),
          summary: isAhead ? say`running, but its metrics are dated in the future` : say`running, but sends no metrics`,
          ...(since === 0 || isAhead ? {} : {since}),
          ...(rate === undefined ? {} : {rate}),
          evidence: [newestSample(newest, {readAt, now}), ...asOf(readAt, now)],
          chart: 'cpu',
          advice: isAhead
            ? say`Compare the clocks. When the figures of this machine were measured is not known.`
            : say`Check whether the machine answers (ssh, console). Figures shown for it are old.`,
          commands: [say`skydeck ssh ${machine.id}`, say`skydeck console ${machine.id}`],
        },
      ];
    });
    return withUnread(findings, unread, 'the metrics');
  },
};

function newestSample(
  newest: SampleAge | undefined,
  {readAt, now}: {readonly readAt: EpochMs; readonly now: EpochMs},
): SafeText {
  if (newest === undefined) return say`no sample in the window that was read`;
  if (newest.aheadMs !== undefined)
    return say`the newest sample is ${durationWords(newest.aheadMs)} ahead of the clock`;
  return say`the newest sample is ${durationWords(heldMs({since: newest.sampledAt, readAt, now}))} old`;
}
