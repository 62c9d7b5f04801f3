import {safeText, say} from '../safe-text.ts';
import {idleVerdict} from '../money/idle.ts';
import type {VirtualMachine} from '../virtual-machine.ts';
import {type Finding, machineSubject, type TriageRule, withUnread} from './finding.ts';
import {durationWords, percentWords} from './words.ts';

/** A running machine that has done nothing for days, as far as its host tells. */
export const idle: TriageRule = {
  id: 'idle',
  isWaste: true,
  judge: ({machines, rates, metricsOf, pastOf, preferences, now}) => {
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const running = machines.filter(({status}) => status === 'ACTIVE');
    const unread: VirtualMachine[] = [];
    const findings = running.flatMap((machine): readonly Finding[] => {
      const metrics = metricsOf(machine);
      if (metrics === undefined) unread.push(machine);
      const verdict =
        metrics === undefined
          ? undefined
          : idleVerdict(metrics, machine.flavor, {now, past: pastOf(machine), ...preferences.idle});
      if (verdict?.verdict !== 'idle') return [];
      const rate = rates?.get(machine.id);
      const rule = verdict.rule === 'long' ? say`` : say`; it worked at this time a week ago`;
      return [
        {
          rule: 'idle',
          severity: 'warning',
          subject: machineSubject(machine),
          summary: say`idle and billed`,
          since: verdict.since,
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            say`no host-side activity for ${durationWords(now - verdict.since)}: active in ${percentWords(verdict.activeRatio)} of the time${rule}`,
            say`confidence ${safeText(verdict.confidence)}; GPU load is not reported by this API`,
          ],
          advice: say`Hibernate it if it is not needed.`,
          fixes: [{kind: 'vm.hibernate', id: machine.id, retainsIp: true}],
          commands: [say`skydeck vm hibernate ${machine.id} --retain-ip`],
        },
      ];
    });
    return withUnread(findings, unread, 'the metrics');
  },
};
