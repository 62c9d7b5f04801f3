import {say} from '../safe-text.ts';
import {MINUTE_MS} from '../time.ts';
import {sampleAge} from '../utilization.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {type Finding, machineSubject, type TriageRule, withUnread} from './finding.ts';
import {durationWords} from './words.ts';

/** Three samples of the documented five minutes. A machine younger than this has had no time for any. */
const SILENT_AFTER_MS = 15 * MINUTE_MS;

/** A running machine of which no metrics come any more. */
export const silentMetrics: TriageRule = {
  id: 'silent-metrics',
  judge: ({machines, rates, metricsOf, now}) => {
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const unread: VirtualMachine[] = [];
    const findings = machines.flatMap((machine): readonly Finding[] => {
      const isYoung = machine.createdAt !== undefined && now - machine.createdAt < SILENT_AFTER_MS;
      if (machine.status !== 'ACTIVE' || isYoung) return [];
      const metrics = metricsOf(machine);
      if (metrics === undefined) {
        unread.push(machine);
        return [];
      }
      const newest = sampleAge(metrics, now);
      if (newest !== undefined && newest.ageMs < SILENT_AFTER_MS) return [];
      const rate = rates?.get(machine.id);
      return [
        {
          rule: 'silent-metrics',
          severity: 'warning',
          subject: machineSubject(machine),
          summary: say`running, but sends no metrics`,
          ...(newest === undefined ? {} : {since: newest.sampledAt}),
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            newest === undefined
              ? say`no sample in the window that was read`
              : say`the newest sample is ${durationWords(newest.ageMs)} old`,
          ],
          chart: 'cpu',
          advice: say`Check whether the machine answers (ssh, console). Figures shown for it are old.`,
          commands: [say`skydeck ssh ${machine.id}`, say`skydeck console ${machine.id}`],
        },
      ];
    });
    return withUnread(findings, unread, 'the metrics');
  },
};
