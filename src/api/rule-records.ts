import * as z from 'zod';
import {hasPorts, type RuleSpec} from '../domain/security-rule.ts';
import type {SecurityRule} from '../domain/virtual-machine.ts';
import {count, field, moment, present, reference, shortText, wholeList} from './fields.ts';

/** One end of a range of ports; null if there is none, undefined if it cannot be read. */
const port = field((value: unknown) => (value === undefined || value === null ? null : count.parse(value)));

/** A rule in the form used by machines and firewalls. */
export const securityRule = z.object({
  id: reference,
  direction: shortText,
  protocol: shortText,
  ethertype: shortText,
  remote_ip_prefix: shortText,
  port_range_min: port,
  port_range_max: port,
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
    ...portsOf(parsed),
    status: parsed.status,
    createdAt: parsed.created_at,
  });
}

/** Both ends or none. Only icmp may have one alone, since the two are its type and code there. */
function portsOf({protocol, port_range_min: min, port_range_max: max}: z.output<typeof securityRule>) {
  const mayBeAlone = protocol !== undefined && protocol.toLowerCase() !== 'any' && !hasPorts(protocol);
  const isUnread = min === undefined || max === undefined || (!mayBeAlone && (min === null) !== (max === null));
  return isUnread ? {hasUnreadPorts: true as const} : {portRangeMin: min ?? undefined, portRangeMax: max ?? undefined};
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
