import {presentIn} from '../attachment-state.ts';
import {unreadRules} from '../firewall.ts';
import {countedWords} from '../listed-words.ts';
import {type SafeText, say} from '../safe-text.ts';
import {hasAddress, type VirtualMachine} from '../virtual-machine.ts';
import {judgeEach, machineSubject, type TriageRule} from './finding.ts';

/**
 * A running machine with a public address, without a firewall and without an inbound rule of its own. The two outbound
 * rules that every machine is created with do not count.
 */
export const unguardedAddress: TriageRule = {
  id: 'unguarded-address',
  needsState: true,
  judge: ({machines, firewalls}) => {
    if (firewalls === undefined) return {findings: [], cannotJudge: say`the list of firewalls was not read`};
    // If some attachments could not be read, a machine without a firewall cannot be told from others.
    if (firewalls.some(({hasUnreadAttachments}) => hasUnreadAttachments === true)) {
      return {findings: [], cannotJudge: say`the machines of some firewalls could not be read`};
    }
    const guarded = new Set(firewalls.flatMap(firewall => presentIn(firewall).map(({machineId}) => machineId)));
    const isUnguarded = ({id, status, rules, hasUnreadRules}: VirtualMachine) =>
      status === 'ACTIVE' &&
      hasUnreadRules !== true &&
      rules.every(({direction}) => direction === 'egress') &&
      !guarded.has(id);
    const unguarded = machines?.filter(isUnguarded);
    const verdict = judgeEach(unguarded, 'machines', machine => {
      const {floatingIp} = machine;
      if (floatingIp === undefined) return undefined;
      return {
        severity: 'notice',
        subject: machineSubject(machine),
        summary: say`public address, no firewall`,
        evidence: [say`public address ${floatingIp}, no inbound rule of its own, no firewall attached`],
        advice: say`Attach a firewall that allows only what is needed, or detach the address if it is not used.`,
        // No fix: a person has to choose the firewall, and a detached address would be lost.
        commands: [say`skydeck get firewalls`, say`skydeck ip detach ${machine.id}`],
      };
    });
    const cannotJudge = [...unreadRules(machines, say`machine`), ...unreadAddresses(unguarded ?? [])];
    return {cannotJudge, ...verdict};
  },
};

function unreadAddresses(unguarded: readonly VirtualMachine[]): readonly SafeText[] {
  const count = unguarded.filter(machine => hasAddress(machine) === undefined).length;
  const have = count === 1 ? say`has` : say`have`;
  return count === 0
    ? []
    : [say`whether ${countedWords(count, say`machine`)} ${have} a public address could not be read`];
}
