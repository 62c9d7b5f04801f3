import * as z from 'zod';
import {
  FIREWALL_STATUSES,
  type Firewall,
  type FirewallAttachment,
  type FirewallId,
  firewallId,
} from '../domain/firewall.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {defineOperation, defineRead, type Reading} from './endpoint.ts';
import {list, moment, part, present, readText, recordOf, reference, requiredId, text, under} from './fields.ts';
import {environment, knownStatus} from './resource-parts.ts';
import {ruleBody, securityRule, toSecurityRule} from './rule-records.ts';

const FIREWALL = '/core/firewalls/{id}';
const PAGE_SIZE = 500;
const NO_TEXT = safeText('');

type OneFirewall = {readonly id: FirewallId};

const attachmentPart = z.object({status: text, vm: part({id: reference, name: text})});

const firewallRecord = z.object({
  id: requiredId,
  name: text,
  description: text,
  environment,
  status: text,
  created_at: moment,
  rules: list(securityRule),
  attachments: list(attachmentPart),
});

/** All firewalls with their rules and machines. */
export const listFirewalls = defineRead<object, Firewall>({
  id: 'firewalls.list',
  template: '/core/firewalls',
  collect: body => under(body, 'firewalls', 'firewall'),
  record: recordOf(firewallRecord, toFirewall),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

export const getFirewall = defineRead<OneFirewall, Firewall>({
  id: 'firewalls.get',
  template: FIREWALL,
  collect: body => under(body, 'firewall', 'firewalls'),
  record: recordOf(firewallRecord, toFirewall),
});

/** The protocols a rule can name. */
export const ruleProtocols = defineRead<object, SafeText>({
  id: 'firewalls.protocols',
  template: '/core/sg-rules-protocols',
  collect: body => under(body, 'protocols'),
  record: readProtocol,
});

/** Lets something through to every attached machine. The rule is pending at first; a duplicate is refused with 409. */
export const addFirewallRule = defineOperation<OneFirewall & {readonly rule: RuleSpec}>({
  id: 'firewalls.add-rule',
  method: 'POST',
  template: `${FIREWALL}/firewall-rules`,
  body: ({rule}) => ruleBody(rule),
});

export const removeFirewallRule = defineOperation<OneFirewall & {readonly ruleId: number}>({
  id: 'firewalls.remove-rule',
  method: 'DELETE',
  template: `${FIREWALL}/firewall-rules/{ruleId}`,
});

function toFirewall(parsed: z.output<typeof firewallRecord>): Firewall {
  return present({
    id: firewallId(parsed.id),
    name: parsed.name ?? NO_TEXT,
    description: parsed.description,
    environmentId: parsed.environment?.id,
    environmentName: parsed.environment?.name,
    regionName: parsed.environment?.region,
    status: knownStatus(FIREWALL_STATUSES, parsed.status),
    statusText: parsed.status ?? NO_TEXT,
    createdAt: parsed.created_at,
    rules: (parsed.rules ?? []).map(toSecurityRule),
    attachments: (parsed.attachments ?? []).map(toAttachment),
  });
}

function toAttachment({vm, status}: z.output<typeof attachmentPart>): FirewallAttachment {
  return present({
    machineId: vm?.id === undefined ? undefined : virtualMachineId(vm.id),
    machineName: vm?.name ?? NO_TEXT,
    status,
  });
}

function readProtocol(raw: unknown): Reading<SafeText> {
  const name = readText(raw);
  return name === undefined ? {ok: false, fields: [say`the record itself`]} : {ok: true, value: name};
}
