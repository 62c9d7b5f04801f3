import {say} from '../safe-text.ts';
import {type DurationMs, MINUTE_MS} from '../time.ts';
import {type MachineStatus, newestEvent, type VirtualMachine} from '../virtual-machine.ts';
import {machineSubject, type TriageRule, withUnread} from './finding.ts';
import {durationWords} from './words.ts';

/** How long a change of state may take: about twice the longest the service is known for. */
const LIMITS_MS: Readonly<Partial<Record<MachineStatus, DurationMs>>> = {
  CREATING: 20 * MINUTE_MS,
  BUILD: 20 * MINUTE_MS,
  PRE_ACTIVE: 20 * MINUTE_MS,
  STARTING: 5 * MINUTE_MS,
  STOPPING: 5 * MINUTE_MS,
  REBOOTING: 5 * MINUTE_MS,
  HIBERNATING: 45 * MINUTE_MS,
  RESTORING: 30 * MINUTE_MS,
  DELETING: 10 * MINUTE_MS,
};

/** A machine on the way to another state for longer than the service ever takes. */
export const stuckTransition: TriageRule = {
  id: 'stuck-transition',
  judge: ({machines, rates, eventsOf, now}) => {
    if (machines === undefined) return {findings: [], cannotJudge: say`the list of machines was not read`};
    const changing = machines.filter(({status}) => LIMITS_MS[status] !== undefined);
    const undated: VirtualMachine[] = [];
    const findings = changing.flatMap(machine => {
      const created = machine.status === 'CREATING' ? machine.createdAt : undefined;
      const since = newestEvent(eventsOf(machine))?.occurredAt ?? created;
      const limitMs = LIMITS_MS[machine.status] ?? 0;
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
