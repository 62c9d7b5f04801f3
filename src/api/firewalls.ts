import * as z from 'zod';
import {
  FIREWALL_STATUSES,
  type Firewall,
  type FirewallAttachment,
  type FirewallId,
  type FirewallSpec,
  firewallId,
} from '../domain/firewall.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import type {RuleSpec} from '../domain/security-rule.ts';
import {type VirtualMachineId, virtualMachineId} from '../domain/virtual-machine.ts';
import {defineOperation, defineRead} from './endpoint.ts';
import {
  moment,
  part,
  present,
  readWord,
  recordOf,
  reference,
  requiredId,
  shortText,
  text,
  under,
  wholeList,
} from './fields.ts';
import {creation} from './operation-results.ts';
import {environment, knownStatus} from './resource-parts.ts';
import {ruleBody, securityRules, toSecurityRules} from './rule-records.ts';

const FIREWALL = '/core/firewalls/{id}';
const PAGE_SIZE = 500;
const NO_TEXT = safeText('');

type OneFirewall = {readonly id: FirewallId};

const attachmentPart = z.object({status: shortText, vm: part({id: reference, name: shortText})});

const firewallRecord = z.object({
  id: requiredId,
  name: shortText,
  description: text,
  environment,
  status: shortText,
  created_at: moment,
  rules: securityRules,
  attachments: wholeList(attachmentPart),
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
  isById: true,
  collect: body => under(body, 'firewall', 'firewalls'),
  record: recordOf(firewallRecord, toFirewall),
});

/** The protocols a rule can name. */
export const ruleProtocols = defineRead<object, SafeText>({
  id: 'firewalls.protocols',
  template: '/core/sg-rules-protocols',
  collect: body => under(body, 'protocols'),
  record: readWord,
});

/** Lets traffic through to every attached machine. The rule is pending at first; a duplicate is refused with 409. */
export const addFirewallRule = defineOperation<OneFirewall & {readonly rule: RuleSpec}>({
  id: 'firewalls.add-rule',
  method: 'POST',
  template: `${FIREWALL}/firewall-rules`,
  body: ({rule}) => ruleBody(rule),
  ...creation('firewall_rule', 'security_rule'),
});

export const removeFirewallRule = defineOperation<OneFirewall & {readonly ruleId: number}>({
  id: 'firewalls.remove-rule',
  method: 'DELETE',
  template: `${FIREWALL}/firewall-rules/{ruleId}`,
});

/** A new firewall allows all outbound and no inbound traffic. It exists once its state is SUCCESS. */
export const createFirewall = defineOperation<{readonly spec: FirewallSpec}>({
  id: 'firewalls.create',
  method: 'POST',
  template: '/core/firewalls',
  body: ({spec}) => present({name: spec.name, environment_id: spec.environmentId, description: spec.description}),
  ...creation('firewall'),
});

/** Refused while machines are attached. */
export const deleteFirewall = defineOperation<OneFirewall>({
  id: 'firewalls.delete',
  method: 'DELETE',
  template: FIREWALL,
});

/** Takes the full set of machines: any machine left out is detached. */
export const setFirewallAttachments = defineOperation<OneFirewall & {readonly machineIds: readonly VirtualMachineId[]}>(
  {
    id: 'firewalls.set-attachments',
    method: 'POST',
    template: `${FIREWALL}/update-attachments`,
    body: ({machineIds}) => ({vms: machineIds}),
  },
);

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
    ...toSecurityRules(parsed.rules),
    attachments: (parsed.attachments?.elements ?? []).map(toAttachment),
    hasUnreadAttachments: parsed.attachments?.isWhole === true ? undefined : (true as const),
  });
}

function toAttachment({vm, status}: z.output<typeof attachmentPart>): FirewallAttachment {
  return present({
    machineId: vm?.id === undefined ? undefined : virtualMachineId(vm.id),
    machineName: vm?.name ?? NO_TEXT,
    status,
  });
}
