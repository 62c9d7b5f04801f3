import {presentIn} from '../attachment-state.ts';
import {unreadRules} from '../firewall.ts';
import {say} from '../safe-text.ts';
import {judgeEach, machineSubject, type TriageRule} from './finding.ts';

/**
 * A running machine with a public address, without a firewall and without an inbound rule of its own. The two outbound
 * rules that every machine is created with do not count.
 */
export const unguardedAddress: TriageRule = {
  id: 'unguarded-address',
  judge: ({machines, firewalls}) => {
    if (firewalls === undefined) return {findings: [], cannotJudge: say`the list of firewalls was not read`};
    // If some attachments could not be read, a machine without a firewall cannot be told from others.
    if (firewalls.some(({hasUnreadAttachments}) => hasUnreadAttachments === true)) {
      return {findings: [], cannotJudge: say`the machines of some firewalls could not be read`};
    }
    const guarded = new Set(firewalls.flatMap(firewall => presentIn(firewall).map(({machineId}) => machineId)));
    const verdict = judgeEach(machines, 'machines', machine => {
      const {floatingIp, status, rules, hasUnreadRules} = machine;
      const mayHaveInboundRule = hasUnreadRules === true || rules.some(({direction}) => direction !== 'egress');
      if (floatingIp === undefined || status !== 'ACTIVE' || mayHaveInboundRule || guarded.has(machine.id))
        return undefined;
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
    return {cannotJudge: unreadRules(machines, say`machine`), ...verdict};
  },
};
