import type {ActionOf, RuleAction} from '../action.ts';
import {type Firewall, ruleState} from '../firewall.ts';
import {parseIpPrefix} from '../ip-prefix.ts';
import {type SafeText, safeText, say} from '../safe-text.ts';
import {type RuleSpec, type RuleTerms, ruleWords, sameRule} from '../security-rule.ts';
import type {Past} from '../sighting.ts';
import {MINUTE_MS} from '../time.ts';
import type {SecurityRule, VirtualMachine} from '../virtual-machine.ts';
import {type ActionRules, type Evidence, elsewhere, NOTHING, TARGET, TRANSITION, UNCHANGED} from './action-rule.ts';
import {type OneThingRule, onOneThing} from './one-thing.ts';

type RuleOwner = VirtualMachine | Firewall;
type AddAction = Extract<RuleAction, {readonly rule: RuleSpec}>;
type RemoveAction = Extract<RuleAction, {readonly ruleId: number}>;

/** Rules take seconds; minutes are worth a word. */
const OVERDUE_AFTER_MS = 5 * MINUTE_MS;

export const SECURITY_RULE_RULES: Pick<ActionRules, RuleAction['kind']> = {
  'vm.add-rule': onOneThing({
    ...adding<ActionOf<'vm.add-rule'>, VirtualMachine>(),
    undo: ({id, rule}, was, is) => {
      const ruleId = addedId(rule, was, is);
      return ruleId === undefined ? NO_ID : {action: {kind: 'vm.remove-rule', id, ruleId, rule}, words: removes(rule)};
    },
  }),
  'firewall.add-rule': onOneThing({
    ...adding<ActionOf<'firewall.add-rule'>, Firewall>(),
    undo: ({id, rule}, was, is) => {
      const ruleId = addedId(rule, was, is);
      return ruleId === undefined
        ? NO_ID
        : {action: {kind: 'firewall.remove-rule', id, ruleId, rule}, words: removes(rule)};
    },
  }),
  'vm.remove-rule': onOneThing({
    ...removing<ActionOf<'vm.remove-rule'>, VirtualMachine>(),
    undo: ({id, rule: terms}) => {
      const rule = specOf(terms);
      return typeof rule === 'string' ? rule : {action: {kind: 'vm.add-rule', id, rule}, words: adds(rule)};
    },
  }),
  'firewall.remove-rule': onOneThing({
    ...removing<ActionOf<'firewall.remove-rule'>, Firewall>(),
    undo: ({id, rule: terms}) => {
      const rule = specOf(terms);
      return typeof rule === 'string' ? rule : {action: {kind: 'firewall.add-rule', id, rule}, words: adds(rule)};
    },
  }),
};

const NO_ID = say`the service gave the new rule no id`;
const UNREADABLE = say`not every term of the old rule is known`;

function adding<A extends AddAction, R extends RuleOwner>(): Omit<OneThingRule<A, R>, 'undo'> {
  return {
    verb: say`add rule`,
    words: ({rule}) => say`add rule ${ruleWords(rule)} on`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    obstacle: ({rule}, {rules}) =>
      rules.some(each => sameRule(each, rule)) ? say`the same rule is already there` : undefined,
    evidence: ({rule}, {rules}, past) => additionEvidence(addedRule(rule, rules, past.before?.records[0]), past),
  };
}

function removing<A extends RemoveAction, R extends RuleOwner>(): Omit<OneThingRule<A, R>, 'undo'> {
  return {
    verb: say`remove rule`,
    words: ({rule}) => say`remove rule ${ruleWords(rule)} on`,
    overdueAfterMs: OVERDUE_AFTER_MS,
    obstacle: ({ruleId}, {rules}) => (rules.some(({id}) => id === ruleId) ? undefined : say`the rule is already gone`),
    evidence: ({ruleId}, {rules}, {hasSeenTransition}) => {
      const rule = rules.find(({id}) => id === ruleId);
      if (rule === undefined) return TARGET;
      if (ruleState(rule) === 'pending') return TRANSITION;
      return hasSeenTransition ? elsewhere(say`the rule is still there`) : UNCHANGED;
    },
  };
}

function additionEvidence(added: SecurityRule | undefined, past: Past<unknown>): Evidence {
  if (added === undefined) {
    return past.hasSeenTransition ? elsewhere(say`the rule is not there any more`) : UNCHANGED;
  }
  switch (ruleState(added)) {
    case 'in-force':
      return TARGET;
    case 'pending':
      return TRANSITION;
    case 'failed':
      return elsewhere(say`the rule is ${added.status ?? say`failed`}`);
    case 'unknown':
      return NOTHING;
  }
}

/** A rule that says the same and was not there before. */
function addedRule(
  wanted: RuleTerms,
  rules: readonly SecurityRule[],
  was: RuleOwner | undefined,
): SecurityRule | undefined {
  const known = new Set(was?.rules.flatMap(({id}) => id ?? []));
  return rules.find(rule => sameRule(rule, wanted) && (rule.id === undefined || !known.has(rule.id)));
}

function addedId(rule: RuleTerms, was: RuleOwner, is: RuleOwner): number | undefined {
  return addedRule(rule, is.rules, was)?.id;
}

/** A rule as read, as it would have to be made again, or why it cannot be. */
function specOf(terms: RuleTerms): RuleSpec | SafeText {
  const {protocol, remoteIpPrefix, portRangeMin, portRangeMax} = terms;
  const direction = (['ingress', 'egress'] as const).find(each => each === terms.direction?.toLowerCase());
  const etherType = (['IPv4', 'IPv6'] as const).find(each => each.toLowerCase() === terms.etherType?.toLowerCase());
  if (direction === undefined || etherType === undefined) return UNREADABLE;
  if (protocol === undefined || remoteIpPrefix === undefined) return UNREADABLE;
  // Everything begins with an IPv6 rule for 0.0.0.0/0, which the service makes and does not take.
  const isTaken = parseIpPrefix(remoteIpPrefix)?.family === etherType;
  if (!isTaken) return say`the service takes no ${safeText(etherType)} rule for ${safeText(remoteIpPrefix)}`;
  return {
    direction,
    etherType,
    protocol: safeText(protocol),
    remoteIpPrefix: safeText(remoteIpPrefix),
    ...(portRangeMin === undefined ? {} : {portRangeMin}),
    ...(portRangeMax === undefined ? {} : {portRangeMax}),
  };
}

function adds(rule: RuleTerms): SafeText {
  return say`adds ${ruleWords(rule)}`;
}

function removes(rule: RuleTerms): SafeText {
  return say`removes ${ruleWords(rule)}`;
}
