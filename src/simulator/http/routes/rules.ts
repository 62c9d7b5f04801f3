import {addRule as add, PROTOCOLS, type RuleOwner, removeRule as remove} from '../../world/rules.ts';
import {notFound, succeeded} from '../answer.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, RECORD, TEXTS} from '../schema.ts';
import {withFirewall} from './firewalls.ts';
import {answered} from './outcome-answer.ts';
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
  return answered(add(world, owner, reading.fields, caller.user.id), rule =>
    succeeded('Rule creation scheduled', {[key]: ruleBody(rule)}),
  );
}

function removeRule({world, caller, part}: Inquiry, owner: RuleOwner): Response {
  const id = part('rule_id');
  if (!/^\d{1,15}$/.test(id)) return notFound(`Rule ${id} does not exist.`);
  return answered(remove(world, owner, Number(id), caller.user.id), () => succeeded('Rule deletion scheduled'));
}
