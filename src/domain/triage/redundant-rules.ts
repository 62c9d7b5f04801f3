import {lastingRules, unreadRules} from '../firewall.ts';
import {type SafeText, say} from '../safe-text.ts';
import {covers, isExposed, ruleWords, sameRule} from '../security-rule.ts';
import type {SecurityRule} from '../virtual-machine.ts';
import {judgeEach, type TriageRule} from './finding.ts';

/** Every rule is compared with every other one, which would take too long beyond this many. */
const MAX_COMPARED = 200;

/** A firewall with rules that are covered by another of its rules. */
export const redundantRules: TriageRule = {
  id: 'redundant-rules',
  judge: ({firewalls}) => ({
    cannotJudge: unreadRules(firewalls, say`firewall`),
    ...judgeEach(firewalls, 'firewalls', firewall => {
      // A rule that is being removed or failed makes no other one redundant.
      const pairs = redundantPairs(lastingRules(firewall).slice(0, MAX_COMPARED));
      if (pairs.length === 0) return undefined;
      return {
        severity: 'notice',
        subject: {type: 'firewall', id: firewall.id, name: firewall.name},
        summary: say`redundant rules`,
        evidence: pairs,
        advice: say`Remove the redundant rules: closing only one of a pair leaves the port open.`,
        commands: [say`skydeck describe firewall ${firewall.id}`],
      };
    }),
  }),
};

function redundantPairs(rules: readonly SecurityRule[]): readonly SafeText[] {
  return rules.flatMap((rule, index) => {
    const earlier = rules.slice(0, index).find(other => sameRule(other, rule));
    if (earlier !== undefined) return [say`${ruleWords(rule)} exists twice`];
    // A rule that an open one covers is not redundant: another finding advises to close the open one.
    const wider = rules.find(
      other => other !== rule && !isExposed(other) && covers(other, rule) && !covers(rule, other),
    );
    return wider === undefined ? [] : [say`${ruleWords(rule)} is covered by ${ruleWords(wider)}`];
  });
}
