import type {Firewall} from './firewall.ts';
import {note, type Surroundings} from './lifecycle.ts';
import type {Machine, SecurityRule} from './machine.ts';
import type {Pace} from './operations.ts';
import {between, unit} from './random.ts';

/** What a rule says, as it was asked for. */
export type RuleFields = Omit<SecurityRule, 'id' | 'createdAt' | 'status'>;

/** What rules belong to; only machines keep a history of theirs. */
export type RuleOwner =
  | {readonly kind: 'firewall'; readonly firewall: Firewall}
  | {readonly kind: 'machine'; readonly machine: Machine};

export type RuleVerdict =
  | {readonly kind: 'accepted'; readonly rule: SecurityRule}
  | {readonly kind: 'duplicate' | 'missing'}
  | {readonly kind: 'refused'; readonly message: string};

export type RuleRequest = {readonly userId: number; readonly pace: Pace};

type RuleSurroundings = Pick<Surroundings, 'now' | 'schedule' | 'seed'> & {readonly nextRuleId: () => number};

/** How long a change takes to hold, in seconds. */
const SETTLES_IN: Readonly<Record<Pace, readonly [low: number, high: number]>> = {quick: [2, 6], faithful: [15, 45]};

/** Adds a rule: it is there at once, and holds a while later. */
export function addRule(
  surroundings: RuleSurroundings,
  owner: RuleOwner,
  fields: RuleFields,
  request: RuleRequest,
): RuleVerdict {
  const rules = rulesOf(owner);
  const refusal = refusalOf(owner);
  if (refusal !== undefined) return {kind: 'refused', message: refusal};
  if (rules.some(rule => isSame(rule, fields))) return {kind: 'duplicate'};
  const at = surroundings.now();
  const rule: SecurityRule = {...fields, id: surroundings.nextRuleId(), createdAt: at, status: 'pending'};
  rules.push(rule);
  tell(owner, at, request, 'AttachSecurityRuleToInstanceRequest', `Security rule ${rule.id} is to be added.`);
  surroundings.schedule(at + settleMs(surroundings, rule, request), () => {
    // It may have been taken away before it ever held.
    if (rule.status !== 'pending') return;
    rule.status = 'SUCCESS';
    const now = surroundings.now();
    tell(owner, now, request, 'AttachSecurityRuleToInstanceSuccess', `Security rule ${rule.id} was added.`);
  });
  return {kind: 'accepted', rule};
}

/** Takes a rule away: it stays in the lists until it no longer holds. */
export function removeRule(
  surroundings: RuleSurroundings,
  owner: RuleOwner,
  ruleId: number,
  request: RuleRequest,
): RuleVerdict {
  const rules = rulesOf(owner);
  const rule = rules.find(candidate => candidate.id === ruleId);
  if (rule === undefined) return {kind: 'missing'};
  if (rule.status === 'DELETING') return {kind: 'refused', message: `Rule ${ruleId} is being removed already.`};
  const at = surroundings.now();
  rule.status = 'DELETING';
  tell(owner, at, request, 'DetachSecurityRuleToInstanceRequest', `Security rule ${ruleId} is to be removed.`);
  surroundings.schedule(at + settleMs(surroundings, rule, request), () => {
    rules.splice(rules.indexOf(rule), 1);
    const now = surroundings.now();
    tell(owner, now, request, 'DetachSecurityRuleToInstanceSuccess', `Security rule ${ruleId} was removed.`);
  });
  return {kind: 'accepted', rule};
}

function rulesOf(owner: RuleOwner): SecurityRule[] {
  return owner.kind === 'firewall' ? owner.firewall.rules : owner.machine.rules;
}

function refusalOf(owner: RuleOwner): string | undefined {
  if (owner.kind === 'firewall') return undefined;
  const {name, id, status, stableStatus} = owner.machine;
  if (stableStatus !== undefined && status !== 'DELETING') return undefined;
  return `Virtual machine '${name}' (${id}) cannot have security rules while it is ${status}.`;
}

/** Whether two rules say the same; the service takes only one of them. */
export function isSame(rule: RuleFields, fields: RuleFields): boolean {
  return (
    rule.direction === fields.direction &&
    rule.protocol === fields.protocol &&
    rule.etherType === fields.etherType &&
    rule.portRangeMin === fields.portRangeMin &&
    rule.portRangeMax === fields.portRangeMax &&
    rule.remoteIpPrefix.toLowerCase() === fields.remoteIpPrefix.toLowerCase()
  );
}

function settleMs({seed}: RuleSurroundings, rule: SecurityRule, {pace}: RuleRequest): number {
  const [low, high] = SETTLES_IN[pace];
  return Math.round(between(low, high, unit(seed, rule.id, rule.status === 'DELETING' ? 2 : 1)) * 1000);
}

function tell(owner: RuleOwner, at: number, {userId}: RuleRequest, reason: string, message: string): void {
  if (owner.kind === 'machine') note(owner.machine, at, userId, reason, message);
}
