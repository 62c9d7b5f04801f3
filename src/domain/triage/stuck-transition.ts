import {say} from '../safe-text.ts';
import {isTransitional, newestEvent, TRANSITION_LIMITS_MS, type VirtualMachine} from '../virtual-machine.ts';
import {machineSubject, type TriageRule, withUnread} from './finding.ts';
import {durationWords} from './words.ts';

/** A machine on the way to another state for longer than the service ever takes. */
export const stuckTransition: TriageRule = {
  id: 'stuck-transition',
  judge: ({machines, rates, eventsOf, now}) => {
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const undated: VirtualMachine[] = [];
    const findings = machines.flatMap(machine => {
      if (!isTransitional(machine.status)) return [];
      const created = machine.status === 'CREATING' ? machine.createdAt : undefined;
      const since = newestEvent(eventsOf(machine))?.occurredAt ?? created;
      const limitMs = TRANSITION_LIMITS_MS[machine.status];
      if (since === undefined) undated.push(machine);
      if (since === undefined || now - since <= limitMs) return [];
      const rate = rates?.get(machine.id);
      return [
        {
          rule: 'stuck-transition',
          severity: 'warning' as const,
          subject: machineSubject(machine),
          summary: say`${machine.statusText} for too long`,
          since,
          ...(rate === undefined ? {} : {rate}),
          evidence: [
            say`${machine.statusText} for ${durationWords(now - since)}; this takes at most ${durationWords(limitMs)}`,
          ],
          advice: say`Nothing can be sent to it meanwhile. Read its events, and ask the provider if it stays.`,
          commands: [say`skydeck get events ${machine.id}`],
        },
      ];
    });
    return withUnread(findings, undated, 'the events');
  },
};
