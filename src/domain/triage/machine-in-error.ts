import {type SafeText, say} from '../safe-text.ts';
import {
  isAboutState,
  isNode,
  type MachineEvent,
  newestEvent,
  saysFailure,
  type VirtualMachine,
} from '../virtual-machine.ts';
import {describeCluster, type RuleFinding, judgeEach, machineSubject, type TriageRule} from './finding.ts';

/** A machine in ERROR, with the last failure in its history, or else the last event. */
export const machineInError: TriageRule = {
  id: 'machine-in-error',
  needsState: true,
  judge: ({machines, rates, eventsOf}) =>
    judgeEach(machines, 'machines', machine => {
      if (machine.status !== 'ERROR') return undefined;
      const cause = causeIn(eventsOf(machine) ?? []);
      const rate = rates?.get(machine.id);
      return {
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`machine in ERROR`,
        ...(cause?.event.occurredAt === undefined ? {} : {since: cause.event.occurredAt}),
        ...(rate === undefined ? {} : {rate}),
        evidence: [
          say`its state is ERROR`,
          ...(cause === undefined ? [] : [say`${cause.words}: ${cause.event.reason}: ${cause.event.message}`]),
        ],
        ...answerTo(machine),
      };
    }),
};

type Cause = {readonly words: SafeText; readonly event: MachineEvent};

/** What is not about its state, such as an attachment, is no cause; nor is a failure after which a change worked. */
function causeIn(history: readonly MachineEvent[]): Cause | undefined {
  const events = history.filter(isAboutState);
  const failed = newestEvent(events.filter(saysFailure));
  const worked = newestEvent(events.filter(({reason}) => SUCCESS.test(reason)));
  if (failed !== undefined && (failed.occurredAt ?? 0) >= (worked?.occurredAt ?? 0)) {
    return {words: say`last failure`, event: failed};
  }
  const last = newestEvent(events);
  // If the last event is a success, the history was read before the machine failed.
  return last === undefined || SUCCESS.test(last.reason) ? undefined : {words: say`last event`, event: last};
}

const SUCCESS = /success$/i;

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
