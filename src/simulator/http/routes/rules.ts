import {isIPv4, isIPv6} from 'node:net';
import * as z from 'zod';
import {
  addRule,
  PORT_PROTOCOLS,
  PROTOCOLS,
  type RuleFields,
  type RuleOwner,
  removeRule,
  type SecurityRule,
} from '../../world/rules.ts';
import {answered, badRequest, notFound, succeeded} from '../answers.ts';
import type {RouteRequest} from '../route.ts';
import {ID, INTEGER, optional, TEXT} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';

// The rules of firewalls and of single machines, which differ only in a key of the answer.

/** A rule as contained in machines and firewalls. */
export const RULE = z.object({
  id: ID,
  direction: TEXT,
  protocol: TEXT,
  port_range_min: INTEGER.nullable(),
  port_range_max: INTEGER.nullable(),
  ethertype: TEXT,
  remote_ip_prefix: TEXT,
  status: TEXT,
  created_at: TEXT,
});

const MAX_PORT = 65_535;
const PORT = optional(
  z
    .int({error: `must be an integer from 1 to ${MAX_PORT}`})
    .min(1, {error: `must be an integer from 1 to ${MAX_PORT}`})
    .max(MAX_PORT, {error: `must be an integer from 1 to ${MAX_PORT}`}),
);

/** A rule as requested. */
export const RULE_REQUEST = z.strictObject({
  direction: oneOf(['ingress', 'egress']),
  protocol: oneOf(PROTOCOLS),
  ethertype: oneOf(['IPv4', 'IPv6']),
  remote_ip_prefix: z.string({error: ({input}) => missingOrNoText(input)}),
  port_range_min: PORT,
  port_range_max: PORT,
});

type RuleRequest = z.output<typeof RULE_REQUEST>;

export function addRuleTo(
  {world, caller, read}: RouteRequest<typeof RULE_REQUEST>,
  owner: RuleOwner,
  key: 'firewall_rule' | 'security_rule',
): Response {
  return read(body => {
    const rule = ruleFields(body);
    const mistake = ruleMistake(rule);
    if (mistake !== undefined) return badRequest(mistake);
    return answered(addRule(world, owner, rule, caller.user.id), added =>
      succeeded('Rule creation scheduled', {[key]: ruleBody(added)}),
    );
  });
}

export function removeRuleFrom({world, caller, param}: RouteRequest, owner: RuleOwner): Response {
  const id = param('rule_id');
  if (!/^\d{1,15}$/.test(id)) return notFound(`Rule ${id} does not exist.`);
  return answered(removeRule(world, owner, Number(id), caller.user.id), () => succeeded('Rule deletion scheduled'));
}

export function ruleBody(rule: SecurityRule): z.output<typeof RULE> {
  return {
    id: rule.id,
    direction: rule.direction,
    protocol: rule.protocol,
    port_range_min: rule.portRangeMin,
    port_range_max: rule.portRangeMax,
    ethertype: rule.etherType,
    remote_ip_prefix: rule.remoteIpPrefix,
    status: rule.status,
    created_at: bareTimestamp(rule.createdAt),
  };
}

export function ruleFields(body: RuleRequest): RuleFields {
  // A rule for any protocol is returned with all ports, like the two rules that every machine starts with.
  const isAny = body.protocol === 'any';
  return {
    direction: body.direction,
    protocol: body.protocol,
    etherType: body.ethertype,
    remoteIpPrefix: body.remote_ip_prefix,
    portRangeMin: isAny ? 1 : (body.port_range_min ?? null),
    portRangeMax: isAny ? MAX_PORT : (body.port_range_max ?? null),
  };
}

/** What is wrong with a rule whose fields are valid one by one. */
export function ruleMistake(rule: RuleFields): string | undefined {
  return prefixMistake(rule) ?? portMistake(rule);
}

function prefixMistake({remoteIpPrefix, etherType}: RuleFields): string | undefined {
  const [address = '', length = '', ...rest] = remoteIpPrefix.split('/');
  const isV6 = isIPv6(address) && !address.includes('%');
  const isPrefix =
    (isIPv4(address) || isV6) && /^\d{1,3}$/.test(length) && Number(length) <= (isV6 ? 128 : 32) && rest.length === 0;
  if (!isPrefix) return `The remote_ip_prefix '${remoteIpPrefix}' is not a valid CIDR.`;
  // The default rules show an IPv6 rule with this prefix, so it is not known to be refused.
  return isV6 === (etherType === 'IPv6') || remoteIpPrefix === '0.0.0.0/0'
    ? undefined
    : `The remote_ip_prefix '${remoteIpPrefix}' does not belong to the ethertype ${etherType}.`;
}

function portMistake({protocol, portRangeMin, portRangeMax}: RuleFields): string | undefined {
  if (protocol === 'any' || (portRangeMin === null && portRangeMax === null)) return undefined;
  if (!PORT_PROTOCOLS.has(protocol)) return `The protocol ${protocol} has no ports.`;
  if (portRangeMin === null || portRangeMax === null) return 'port_range_min and port_range_max go together.';
  return portRangeMin > portRangeMax ? 'port_range_min is above port_range_max.' : undefined;
}

// This part of the service has its own words for invalid input.
function oneOf<T extends string>(choices: readonly T[]) {
  return z.enum(choices, {
    error: ({input}) =>
      typeof input === 'string' ? `'${input}' is not one of ${choices.join(', ')}` : missingOrNoText(input),
  });
}

function missingOrNoText(input: unknown): string {
  return input === undefined ? 'is a required property' : 'must be a string';
}
