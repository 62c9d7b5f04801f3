import {say} from '../safe-text.ts';
import {isNode, newestEvent, type VirtualMachine} from '../virtual-machine.ts';
import {describeCluster, type RuleFinding, judgeEach, machineSubject, type TriageRule} from './finding.ts';

/** A machine in ERROR, with the last event of its history. */
export const machineInError: TriageRule = {
  id: 'machine-in-error',
  needsState: true,
  judge: ({machines, rates, eventsOf}) =>
    judgeEach(machines, 'machines', machine => {
      if (machine.status !== 'ERROR') return undefined;
      const last = newestEvent(eventsOf(machine));
      // If the last event is a success, the history was read before the machine failed.
      const event = last !== undefined && /success$/i.test(last.reason) ? undefined : last;
      const rate = rates?.get(machine.id);
      return {
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`machine in ERROR`,
        ...(event?.occurredAt === undefined ? {} : {since: event.occurredAt}),
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`its state is ERROR`,
          ...(event === undefined ? [] : [say`last event: ${event.reason}: ${event.message}`]),
        ],
        ...answerTo(machine),
      };
    }),
};

/** The power of a node is managed by its cluster. */
function answerTo(machine: VirtualMachine): Pick<RuleFinding, 'advice' | 'fixes' | 'commands'> {
  const {id, clusterId} = machine;
  const events = say`skydeck get events ${id}`;
  if (isNode(machine)) {
    return {
      advice: say`Read its events; reconciling its cluster creates new nodes.`,
      commands: [events, describeCluster(clusterId)],
    };
  }
  return {
    advice: say`Hard reboot it; if that does not help, read its events.`,
    fixes: [{kind: 'vm.hard-reboot', id}],
    commands: [say`skydeck vm hard-reboot ${id}`, events],
  };
}
