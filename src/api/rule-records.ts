import * as z from 'zod';
import type {RuleSpec} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {count, moment, present, reference, shortText, wholeList} from './fields.ts';

/** A rule in the form used by machines and firewalls. */
export const securityRule = z.object({
  id: reference,
  direction: shortText,
  protocol: shortText,
  ethertype: shortText,
  remote_ip_prefix: shortText,
  port_range_min: count,
  port_range_max: count,
  status: shortText,
  created_at: moment,
});

/** The rules of a machine or firewall: always a list. Where there is none in its place, there may be some. */
export const securityRules = wholeList(securityRule);

export function toSecurityRules(parsed: z.output<typeof securityRules>) {
  return {
    rules: parsed.elements.map(toSecurityRule),
    hasUnreadRules: parsed.isWhole ? undefined : (true as const),
  };
}

export function toSecurityRule(parsed: z.output<typeof securityRule>): SecurityRule {
  return present({
    id: parsed.id,
    direction: parsed.direction,
    protocol: parsed.protocol,
    etherType: parsed.ethertype,
    remoteIpPrefix: parsed.remote_ip_prefix,
    portRangeMin: parsed.port_range_min,
    portRangeMax: parsed.port_range_max,
    status: parsed.status,
    createdAt: parsed.created_at,
  });
}

/** The body that creates a rule. Ports that are not given are left out, because the service refuses unknown fields. */
export function ruleBody(rule: RuleSpec): object {
  return present({
    direction: rule.direction,
    protocol: rule.protocol,
    ethertype: rule.etherType,
    remote_ip_prefix: rule.remoteIpPrefix,
    port_range_min: rule.portRangeMin,
    port_range_max: rule.portRangeMax,
  });
}
