import {say} from '../safe-text.ts';
import {isNode} from '../virtual-machine.ts';
import {judgeEach, machineSubject, type TriageRule} from './finding.ts';

/** The power state that belongs to a stable machine state, as the provider documents it; in other states it may change. */
const EXPECTED: Readonly<Record<string, string>> = {ACTIVE: 'RUNNING', SHUTOFF: 'SHUTDOWN'};

/** A machine whose state and power state contradict each other. */
export const powerStateMismatch: TriageRule = {
  id: 'power-state-mismatch',
  needsState: true,
  judge: ({machines, rates}) =>
    judgeEach(machines, 'machines', machine => {
      const expected = EXPECTED[machine.status];
      const actual = machine.powerState?.toUpperCase();
      // NOSTATE means that the host does not know.
      if (expected === undefined || actual === undefined || actual === '' || actual === 'NOSTATE') return undefined;
      // The power of a node is managed by its cluster.
      if (actual === expected || isNode(machine)) return undefined;
      const rate = rates?.get(machine.id);
      return {
        severity: 'warning',
        subject: machineSubject(machine),
        summary: say`power state differs from state`,
        ...(rate === undefined ? {} : {rate}),
        evidence: [say`state ${machine.statusText}, power state ${machine.powerState ?? say`unknown`}`],
        advice: say`Check its console; if the guest has crashed, hard reboot it.`,
        fixes: [{kind: 'vm.hard-reboot', id: machine.id}],
        commands: [say`skydeck vm hard-reboot ${machine.id}`, say`skydeck console ${machine.id}`],
      };
    }),
};
