import {ruleState, unreadRules} from '../firewall.ts';
import {say} from '../safe-text.ts';
import {ruleWords} from '../security-rule.ts';
import {MINUTE_MS} from '../time.ts';
import type {SecurityRule} from '../virtual-machine.ts';
import {type RuleFinding, type FindingSubject, type KnownAccount, machineSubject, type TriageRule} from './finding.ts';
import {durationWords} from './words.ts';

/** A rule comes into force within seconds. */
const PENDING_LIMIT_MS = 10 * MINUTE_MS;

/** A firewall rule that failed, or that has been waiting to come into force for too long. */
export const rulePending: TriageRule = {
  id: 'rule-pending',
  judge: account => {
    const {firewalls, machines, partial} = account;
    const findings = [
      ...(firewalls ?? []).flatMap(({id, name, rules}) => findingsOf(rules, {type: 'firewall', id, name}, account)),
      ...(machines ?? []).flatMap(machine => findingsOf(machine.rules, machineSubject(machine), account)),
    ];
    return {
      findings,
      cannotJudge: [
        ...(firewalls === undefined
          ? [say`the list of firewalls was not read`]
          : unreadRules(firewalls, say`firewall`)),
        ...unreadRules(machines, say`machine`),
        ...(partial.get('machines') ?? []),
      ],
    };
  },
};

function findingsOf(
  rules: readonly SecurityRule[],
  subject: FindingSubject,
  {now}: KnownAccount,
): readonly RuleFinding[] {
  const isLate = ({createdAt}: SecurityRule) => createdAt !== undefined && now - createdAt > PENDING_LIMIT_MS;
  const failed = rules.filter(rule => ruleState(rule) === 'failed');
  const waiting = rules.filter(rule => ruleState(rule) === 'pending' && isLate(rule));
  const troubled = [...failed, ...waiting];
  if (troubled.length === 0) return [];
  const since = waiting.reduce<SecurityRule['createdAt']>(
    (oldest, {createdAt}) => (oldest === undefined || (createdAt ?? oldest) < oldest ? createdAt : oldest),
    undefined,
  );
  return [
    {
      severity: 'warning',
      subject,
      summary: failed.length > 0 ? say`a rule failed` : say`a rule is not in force yet`,
      ...(since === undefined ? {} : {since}),
      evidence: troubled.map(rule => {
        const [what, state] = [ruleWords(rule), rule.status ?? say`unknown`];
        // When one failed is not known, only when it was created.
        return ruleState(rule) === 'failed' || rule.createdAt === undefined
          ? say`${what} is ${state}`
          : say`${what} has been ${state} for ${durationWords(now - rule.createdAt)}`;
      }),
      advice: say`Remove the rule and add it again; until then traffic passes, or is refused, as before.`,
      commands: [
        subject.type === 'firewall'
          ? say`skydeck describe firewall ${subject.id ?? 0}`
          : say`skydeck describe vm ${subject.id ?? 0}`,
      ],
    },
  ];
}
