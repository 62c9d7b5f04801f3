import {attachmentState} from '../attachment-state.ts';
import {say} from '../safe-text.ts';
import {judgeEach, type TriageRule} from './finding.ts';

/** A firewall that holds for no machine. */
export const unattachedFirewall: TriageRule = {
  id: 'unattached-firewall',
  judge: ({firewalls}) =>
    judgeEach(firewalls, 'firewalls', firewall => {
      const held = firewall.attachments.filter(({status}) => attachmentState(status) !== 'gone');
      if (held.length > 0 || firewall.hasUnreadAttachments === true || firewall.status === 'DELETING') return undefined;
      return {
        rule: 'unattached-firewall',
        severity: 'notice',
        subject: {type: 'firewall', id: firewall.id, name: firewall.name},
        summary: say`firewall attached to no machine`,
        evidence: [say`its rules hold for nothing: ${firewall.rules.length}`],
        advice: say`Delete it if nothing is going to use it.`,
        fix: {kind: 'firewall.delete', id: firewall.id},
        commands: [say`skydeck firewall delete ${firewall.id}`],
      };
    }),
};
