import * as z from 'zod';
import {present} from '../api/fields.ts';
import {addFirewallRule, removeFirewallRule} from '../api/firewalls.ts';
import {addMachineRule, removeMachineRule} from '../api/virtual-machines.ts';
import {type Evidence, elsewhere, type Inverse, NOTHING, TARGET, TRANSITION, UNCHANGED} from '../domain/action.ts';
import {type Firewall, ruleState} from '../domain/firewall.ts';
import {parseIpPrefix} from '../domain/ip-prefix.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {type RuleSpec, type RuleTerms, ruleWords, sameRule} from '../domain/security-rule.ts';
import type {Past} from '../domain/sighting.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {SecurityRule, VirtualMachine} from '../domain/virtual-machine.ts';
import {actionOn} from './define.ts';
import {firewall, machine, ruleSpec, text} from './parameters.ts';

// A rule is made or taken away as a whole: the interface has no way to change one.

type RuleOwner = VirtualMachine | Firewall;

/** Rules take seconds; minutes are worth a word. */
const OVERDUE_AFTER_MS = 5 * MINUTE_MS;

const port = z.number().int();
const ruleTerms: z.ZodType<RuleTerms> = z
  .object({
    direction: text.optional(),
    protocol: text.optional(),
    etherType: text.optional(),
    remoteIpPrefix: text.optional(),
    portRangeMin: port.optional(),
    portRangeMax: port.optional(),
  })
  .transform(present);

/** What is the same for the rules of machines and of firewalls. */
const ADDING = {
  verb: say`add rule`,
  words: ({rule}: {readonly rule: RuleSpec}) => say`add rule ${ruleWords(rule)} on`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  obstacle: ({rule}: {readonly rule: RuleSpec}, {rules}: RuleOwner): SafeText | undefined =>
    rules.some(each => sameRule(each, rule)) ? say`the same rule is already there` : undefined,
  evidence: ({rule}: {readonly rule: RuleSpec}, {rules}: RuleOwner, past: Past<RuleOwner>): Evidence =>
    additionEvidence(addedRule(rule, rules, past.before?.records[0]), past),
};

type Removal = {readonly ruleId: number; readonly rule: RuleTerms};

const REMOVING = {
  verb: say`remove rule`,
  words: ({rule}: Removal) => say`remove rule ${ruleWords(rule)} on`,
  overdueAfterMs: OVERDUE_AFTER_MS,
  obstacle: ({ruleId}: Removal, {rules}: RuleOwner): SafeText | undefined =>
    rules.some(({id}) => id === ruleId) ? undefined : say`the rule is already gone`,
  evidence: ({ruleId}: Removal, {rules}: RuleOwner, {hasSeenTransition}: Past<RuleOwner>): Evidence => {
    const rule = rules.find(({id}) => id === ruleId);
    if (rule === undefined) return TARGET;
    if (ruleState(rule) === 'pending') return TRANSITION;
    return hasSeenTransition ? elsewhere(say`the rule is still there`) : UNCHANGED;
  },
};

export const addRuleToMachine = actionOn({
  kind: 'vm.add-rule',
  parameters: z.object({id: machine, rule: ruleSpec}),
  endpoint: addMachineRule,
  ...ADDING,
  undo: ({id, rule}, was, is): Inverse | SafeText => {
    const ruleId = addedId(rule, was, is);
    return ruleId === undefined
      ? NO_ID
      : {action: removeRuleFromMachine.with({id, ruleId, rule}), words: removes(rule)};
  },
  commandWords: ({id, rule}) => ['rule', 'add', '--vm', `${id}`, ...ruleOptions(rule)],
});

export const addRuleToFirewall = actionOn({
  kind: 'firewall.add-rule',
  parameters: z.object({id: firewall, rule: ruleSpec}),
  endpoint: addFirewallRule,
  ...ADDING,
  undo: ({id, rule}, was, is): Inverse | SafeText => {
    const ruleId = addedId(rule, was, is);
    return ruleId === undefined
      ? NO_ID
      : {action: removeRuleFromFirewall.with({id, ruleId, rule}), words: removes(rule)};
  },
  commandWords: ({id, rule}) => ['rule', 'add', '--firewall', `${id}`, ...ruleOptions(rule)],
});

const removeRuleFromMachine = actionOn({
  kind: 'vm.remove-rule',
  parameters: z.object({id: machine, ruleId: z.number(), rule: ruleTerms}),
  endpoint: removeMachineRule,
  ...REMOVING,
  undo: ({id, rule: terms}): Inverse | SafeText => {
    const rule = specOf(terms);
    return typeof rule === 'string' ? rule : {action: addRuleToMachine.with({id, rule}), words: adds(rule)};
  },
  commandWords: ({id, ruleId}) => ['rule', 'remove', `${ruleId}`, '--vm', `${id}`],
});

const removeRuleFromFirewall = actionOn({
  kind: 'firewall.remove-rule',
  parameters: z.object({id: firewall, ruleId: z.number(), rule: ruleTerms}),
  endpoint: removeFirewallRule,
  ...REMOVING,
  undo: ({id, rule: terms}): Inverse | SafeText => {
    const rule = specOf(terms);
    return typeof rule === 'string' ? rule : {action: addRuleToFirewall.with({id, rule}), words: adds(rule)};
  },
  commandWords: ({id, ruleId}) => ['rule', 'remove', `${ruleId}`, '--firewall', `${id}`],
});

export const RULES = [addRuleToMachine, addRuleToFirewall, removeRuleFromMachine, removeRuleFromFirewall] as const;

const NO_ID = say`the service gave the new rule no id`;
const UNREADABLE = say`not every term of the old rule is known`;

function ruleOptions(rule: RuleSpec): readonly string[] {
  const {portRangeMin: from, portRangeMax: to} = rule;
  const ports = from === undefined ? [] : ['--port', from === to || to === undefined ? `${from}` : `${from}-${to}`];
  const terms = ['--protocol', rule.protocol, '--direction', rule.direction, '--ethertype', rule.etherType];
  return ['--cidr', rule.remoteIpPrefix, ...ports, ...terms];
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
