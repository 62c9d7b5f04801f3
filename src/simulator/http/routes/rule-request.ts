import {isIPv4, isIPv6} from 'node:net';
import type {RuleFields} from '../../world/rules.ts';
import {PORT_PROTOCOLS, PROTOCOLS} from '../../world/rules.ts';
import {badRequest, invalidInput, unknownFields} from '../answer.ts';
import {fields, type Schema, TEXT} from '../schema.ts';

/** A rule as it was asked for, or the refusal. */
export type RuleReading =
  | {readonly isValid: true; readonly fields: RuleFields}
  | {readonly isValid: false; readonly refusal: Response};

const MAX_PORT = 65_535;
const PORT: Schema = {type: 'integer', minimum: 1, maximum: 65_535, nullable: true};
/** A rule as the OpenAPI document tells it. */
export const RULE = fields(
  {
    direction: {type: 'string', enum: ['ingress', 'egress']},
    protocol: {type: 'string', enum: PROTOCOLS},
    ethertype: {type: 'string', enum: ['IPv4', 'IPv6']},
    remote_ip_prefix: TEXT,
  },
  {port_range_min: PORT, port_range_max: PORT},
);

const REQUIRED = ['direction', 'protocol', 'ethertype', 'remote_ip_prefix'] as const;
const PORTS = ['port_range_min', 'port_range_max'] as const;
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  direction: ['ingress', 'egress'],
  protocol: PROTOCOLS,
  ethertype: ['IPv4', 'IPv6'],
};

/**
 * Checks in the service's three steps, each with an error body of its own: fields nobody knows, then each field by
 * itself, then what they mean together.
 */
export function readRule(body: unknown): RuleReading {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuse(invalidInput({body: 'must be an object'}));
  }
  const sent = new Map<string, unknown>(Object.entries(body));
  const known: readonly string[] = [...REQUIRED, ...PORTS];
  const unknown = [...sent.keys()].filter(name => !known.includes(name));
  if (unknown.length > 0) return refuse(unknownFields(unknown));
  const errors = fieldErrors(sent);
  if (Object.keys(errors).length > 0) return refuse(invalidInput(errors));
  const rule = ruleOf(sent);
  const mistake = prefixMistake(rule) ?? portMistake(rule);
  return mistake === undefined ? {isValid: true, fields: rule} : refuse(badRequest(mistake));
}

function fieldErrors(fields: ReadonlyMap<string, unknown>): Readonly<Record<string, string>> {
  const missing = REQUIRED.filter(name => !fields.has(name)).map(name => [name, 'is a required property']);
  const wrong = [...fields].flatMap(([name, value]) => {
    const error = isPortField(name) ? portError(value) : textError(value, CHOICES[name]);
    return error === undefined ? [] : [[name, error]];
  });
  return Object.fromEntries([...missing, ...wrong]);
}

function textError(value: unknown, choices: readonly string[] | undefined): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return choices === undefined || choices.includes(value)
    ? undefined
    : `'${value}' is not one of ${choices.join(', ')}`;
}

function portError(value: unknown): string | undefined {
  if (value === null) return undefined;
  const isPort = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_PORT;
  return isPort ? undefined : `must be an integer from 1 to ${MAX_PORT}`;
}

function ruleOf(fields: ReadonlyMap<string, unknown>): RuleFields {
  const word = (name: string) => String(fields.get(name));
  const port = (name: string) => {
    const value = fields.get(name);
    return typeof value === 'number' ? value : null;
  };
  const protocol = word('protocol');
  // Whatever is for any protocol comes back with all ports, as do the two rules that every machine starts with.
  const isAny = protocol === 'any';
  return {
    direction: word('direction') === 'ingress' ? 'ingress' : 'egress',
    protocol,
    etherType: word('ethertype') === 'IPv4' ? 'IPv4' : 'IPv6',
    remoteIpPrefix: word('remote_ip_prefix'),
    portRangeMin: isAny ? 1 : port('port_range_min'),
    portRangeMax: isAny ? MAX_PORT : port('port_range_max'),
  };
}

function prefixMistake({remoteIpPrefix, etherType}: RuleFields): string | undefined {
  const [address = '', length = '', ...rest] = remoteIpPrefix.split('/');
  const isV6 = isIPv6(address) && !address.includes('%');
  const isPrefix =
    (isIPv4(address) || isV6) && /^\d{1,3}$/.test(length) && Number(length) <= (isV6 ? 128 : 32) && rest.length === 0;
  if (!isPrefix) return `The remote_ip_prefix '${remoteIpPrefix}' is not a valid CIDR.`;
  return isV6 === (etherType === 'IPv6')
    ? undefined
    : `The remote_ip_prefix '${remoteIpPrefix}' does not belong to the ethertype ${etherType}.`;
}

function portMistake({protocol, portRangeMin, portRangeMax}: RuleFields): string | undefined {
  if (protocol === 'any' || (portRangeMin === null && portRangeMax === null)) return undefined;
  if (!PORT_PROTOCOLS.has(protocol)) return `The protocol ${protocol} has no ports.`;
  if (portRangeMin === null || portRangeMax === null) return 'port_range_min and port_range_max go together.';
  return portRangeMin > portRangeMax ? 'port_range_min is above port_range_max.' : undefined;
}

function isPortField(name: string): boolean {
  return PORTS.some(port => port === name);
}

function refuse(refusal: Response): RuleReading {
  return {isValid: false, refusal};
}
