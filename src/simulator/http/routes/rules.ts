import {PROTOCOLS} from '../../world/protocols.ts';
import type {RuleOwner, RuleVerdict} from '../../world/rules.ts';
import {alreadyExists, badRequest, notFound, succeeded} from '../answer.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, RECORD, TEXTS} from '../schema.ts';
import {withFirewall} from './firewalls.ts';
import {ruleBody} from './rule-body.ts';
import {RULE, readRule} from './rule-request.ts';
import {withMachine} from './virtual-machines.ts';

const OPERATES_MACHINES = {permission: 'machines:operate', action: 'change the rules of virtual machines'} as const;
const OPERATES_FIREWALLS = {permission: 'firewalls:operate', action: 'change firewalls'} as const;

/** The rules of firewalls and of single machines. Both answers hold the new rule, under two different names. */
export const ruleRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/sg-rules-protocols',
    describes: {summary: 'List what a rule can be for', reply: envelope({protocols: TEXTS})},
    answer: () => succeeded('Getting protocols successful', {protocols: PROTOCOLS}),
  },
  {
    method: 'POST',
    pattern: '/core/firewalls/:firewall_id/firewall-rules',
    describes: {
      summary: 'Add a rule to a firewall',
      body: RULE,
      reply: envelope({firewall_rule: RECORD}),
      refusals: [409],
    },
    requires: OPERATES_FIREWALLS,
    takesBody: true,
    answer: inquiry =>
      withFirewall(inquiry, firewall => addRule(inquiry, {kind: 'firewall', firewall}, 'firewall_rule')),
  },
  {
    method: 'DELETE',
    pattern: '/core/firewalls/:firewall_id/firewall-rules/:rule_id',
    describes: {summary: 'Remove a rule from a firewall'},
    requires: OPERATES_FIREWALLS,
    answer: inquiry => withFirewall(inquiry, firewall => removeRule(inquiry, {kind: 'firewall', firewall})),
  },
  {
    method: 'POST',
    pattern: '/core/virtual-machines/:vm_id/sg-rules',
    describes: {
      summary: 'Add a rule to a virtual machine',
      body: RULE,
      reply: envelope({security_rule: RECORD}),
      refusals: [409],
    },
    requires: OPERATES_MACHINES,
    takesBody: true,
    answer: inquiry => withMachine(inquiry, machine => addRule(inquiry, {kind: 'machine', machine}, 'security_rule')),
  },
  {
    method: 'DELETE',
    pattern: '/core/virtual-machines/:vm_id/sg-rules/:rule_id',
    describes: {summary: 'Remove a rule from a virtual machine'},
    requires: OPERATES_MACHINES,
    answer: inquiry => withMachine(inquiry, machine => removeRule(inquiry, {kind: 'machine', machine})),
  },
];

function addRule({world, caller, body}: Inquiry, owner: RuleOwner, key: 'firewall_rule' | 'security_rule'): Response {
  const reading = readRule(body);
  if (!reading.isValid) return reading.refusal;
  const verdict = world.addRule(owner, reading.fields, caller.user.id);
  return verdict.kind === 'accepted'
    ? succeeded('Rule creation scheduled', {[key]: ruleBody(verdict.rule)})
    : refusal(verdict, '');
}

function removeRule({world, caller, part}: Inquiry, owner: RuleOwner): Response {
  const id = part('rule_id');
  const verdict = world.removeRule(owner, /^\d{1,15}$/.test(id) ? Number(id) : 0, caller.user.id);
  return verdict.kind === 'accepted' ? succeeded('Rule deletion scheduled') : refusal(verdict, id);
}

function refusal(verdict: Exclude<RuleVerdict, {kind: 'accepted'}>, ruleId: string): Response {
  switch (verdict.kind) {
    case 'duplicate':
      return alreadyExists('A rule with the same fields already exists.');
    case 'missing':
      return notFound(`Rule ${ruleId} does not exist.`);
    default:
      return badRequest(verdict.message);
  }
}
