import {isUnattached} from '../attachment-state.ts';
import type {Firewall} from '../firewall.ts';
import {type SafeText, say} from '../safe-text.ts';
import {judgeEach, type TriageRule} from './finding.ts';

/** A firewall that is attached to no machine. */
export const unattachedFirewall: TriageRule = {
  id: 'unattached-firewall',
  judge: ({firewalls}) =>
    judgeEach(firewalls, 'firewalls', firewall => {
      if (!isUnattached(firewall) || firewall.status === 'DELETING') return undefined;
      return {
        severity: 'notice',
        subject: {type: 'firewall', id: firewall.id, name: firewall.name},
        summary: say`unattached firewall`,
        evidence: [effectWords(firewall)],
        advice: say`Delete it if it is not needed.`,
        fixes: [{kind: 'firewall.delete', id: firewall.id}],
        commands: [say`skydeck firewall delete ${firewall.id}`],
      };
    }),
};

function effectWords({rules: {length: count}, hasUnreadRules}: Firewall): SafeText {
  if (hasUnreadRules === true) return say`its rules have no effect`;
  if (count === 0) return say`it has no rules`;
  return count === 1 ? say`its 1 rule has no effect` : say`its ${count} rules have no effect`;
}
