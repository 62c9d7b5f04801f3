import {say} from '../safe-text.ts';
import {newestEvent} from '../virtual-machine.ts';
import {judgeEach, machineSubject, type TriageRule} from './finding.ts';

/** A machine that the service calls failed, with the last that its history says of it. */
export const machineInError: TriageRule = {
  id: 'machine-in-error',
  judge: ({machines, rates, eventsOf}) =>
    judgeEach(machines, 'machines', machine => {
      if (machine.status !== 'ERROR') return undefined;
      const last = newestEvent(eventsOf(machine));
      // A history that ends well was read before the machine failed.
      const event = last !== undefined && /success$/i.test(last.reason) ? undefined : last;
      const rate = rates?.get(machine.id);
      return {
        rule: 'machine-in-error',
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`machine in ERROR`,
        ...(event?.occurredAt === undefined ? {} : {since: event.occurredAt}),
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`its state is ERROR`,
          ...(event === undefined ? [] : [say`last event: ${event.reason}: ${event.message}`]),
        ],
        advice: say`Read its events; a hard reboot often brings it back.`,
        // The power of a node belongs to its cluster.
        ...(machine.clusterId === undefined ? {fixes: [{kind: 'vm.hard-reboot' as const, id: machine.id}]} : {}),
        commands: [say`skydeck get events ${machine.id}`, say`skydeck vm hard-reboot ${machine.id}`],
      };
    }),
};
