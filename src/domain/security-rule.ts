import {containsPrefix, parseIpPrefix} from './ip-prefix.ts';
import {type SafeText, safeText} from './safe-text.ts';

export type RuleDirection = 'ingress' | 'egress';
export type EtherType = 'IPv4' | 'IPv6';

/** A rule to be created. Without ports it applies to all of them. */
export type RuleSpec = {
  readonly direction: RuleDirection;
  readonly protocol: SafeText;
  readonly etherType: EtherType;
  readonly remoteIpPrefix: SafeText;
  readonly portRangeMin?: number;
  readonly portRangeMax?: number;
};

/** The common part of a rule to be created and a rule as read. */
export type RuleTerms = {
  readonly direction?: string;
  readonly protocol?: string;
  readonly etherType?: string;
  readonly remoteIpPrefix?: string;
  readonly portRangeMin?: number;
  readonly portRangeMax?: number;
  /** Of a rule as read: an end of its range could not be read, so neither is given. */
  readonly hasUnreadPorts?: true;
};

/** The ports people ask for by name. All are tcp. */
export const RULE_PRESETS: readonly {readonly name: SafeText; readonly port: number}[] = [
  {name: safeText('ssh'), port: 22},
  {name: safeText('http'), port: 80},
  {name: safeText('https'), port: 443},
  {name: safeText('kubernetes'), port: 6443},
];

/** The documented list, until the service itself was asked. */
export const DOCUMENTED_PROTOCOLS: readonly SafeText[] = [
  'any',
  'ah',
  'dccp',
  'egp',
  'esp',
  'gre',
  'hopopt',
  'icmp',
  'igmp',
  'ip',
  'ipip',
  'ipv6-encap',
  'ipv6-frag',
  'ipv6-icmp',
  'icmpv6',
  'ipv6-nonxt',
  'ipv6-opts',
  'ipv6-route',
  'ospf',
  'pgm',
  'rsvp',
  'sctp',
  'tcp',
  'udp',
  'udplite',
  'vrrp',
].map(name => safeText(name));

/** The ports of a web server: open to everyone on purpose, and no reason for alarm by themselves. */
const PUBLIC_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Whether it opens a port to the world that is not meant to be public. Pings do not count. */
export function isExposed(rule: RuleTerms): boolean {
  return isOpenToWorld(rule) && !isPublicWeb(rule) && !/^(icmp|icmpv6|ipv6-icmp)$/i.test(rule.protocol ?? '');
}

/** Exactly http or https. */
function isPublicWeb({portRangeMin, portRangeMax}: RuleTerms): boolean {
  return portRangeMin !== undefined && portRangeMin === portRangeMax && PUBLIC_PORTS.has(portRangeMin);
}

/** A rule on one line: `ingress tcp/22 0.0.0.0/0`, or `egress any/1-65535 0.0.0.0/0 IPv6`. */
export function ruleWords(rule: RuleTerms): SafeText {
  const words = [rule.direction, portWords(rule), prefixWords(rule)];
  return safeText(words.map(word => word ?? 'unknown').join(' '));
}

/** `tcp/22`, `udp/1-100`, `any`; `tcp/unknown` for ports that could not be read. */
export function portWords(rule: RuleTerms): SafeText {
  const ports = rangeText(rule);
  return safeText(`${rule.protocol ?? 'unknown'}${ports === undefined ? '' : `/${ports}`}`);
}

/** `22`, `1-100` or `unknown`; undefined for a rule without ports, which applies to all of them. */
export function rangeText({portRangeMin: from, portRangeMax: to, hasUnreadPorts}: RuleTerms): string | undefined {
  if (hasUnreadPorts === true) return 'unknown';
  if (from === undefined) return undefined;
  return from === to || to === undefined ? `${from}` : `${from}-${to}`;
}

/** The network of a rule, with the address family if the prefix does not show it; IPv4 by default. */
export function prefixWords({remoteIpPrefix, etherType}: RuleTerms): SafeText {
  const prefix = remoteIpPrefix ?? 'unknown';
  const family = parseIpPrefix(prefix)?.family ?? 'IPv4';
  return isSameWord(etherType ?? family, family) ? safeText(prefix) : safeText(`${prefix} ${etherType}`);
}

export const MIN_PORT = 1;
export const MAX_PORT = 65_535;

const PORT_PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite']);
const ALL_PORTS: PortRange = {min: MIN_PORT, max: MAX_PORT};

export function hasPorts(protocol: string): boolean {
  return PORT_PROTOCOLS.has(protocol.toLowerCase());
}

/**
 * Whether a rule allows in the whole internet, of at least one family: inbound, from a prefix of length 0 in any
 * spelling. The service writes `0.0.0.0/0` in rules of either family.
 */
export function isOpenToWorld(rule: RuleTerms): boolean {
  return rule.direction?.toLowerCase() === 'ingress' && isWholeInternet(rule);
}

/** Whether nobody knows if it is open to the world, because its direction or its source could not be read. */
export function isOpennessUnknown(rule: RuleTerms): boolean {
  if (isOpenToWorld(rule) || rule.direction?.toLowerCase() === 'egress') return false;
  return (parseIpPrefix(rule.remoteIpPrefix ?? '')?.length ?? 0) === 0;
}

export function isWholeInternet({remoteIpPrefix = ''}: RuleTerms): boolean {
  return parseIpPrefix(remoteIpPrefix)?.length === 0;
}

/** Whether two rules are equivalent, however they are spelt: no ports means all ports, host bits do not count. */
export function sameRule(left: RuleTerms, right: RuleTerms): boolean {
  return covers(left, right) && covers(right, left);
}

/** Whether it may be that rule: each of its terms is the same, or could not be read. */
export function mayBeRule(rule: RuleTerms, wanted: RuleTerms): boolean {
  const {protocol = '', remoteIpPrefix = '', hasUnreadPorts: _unread, ...terms} = rule;
  const readProtocol = isProtocolName(protocol) ? {protocol} : {};
  const readPrefix = parseIpPrefix(remoteIpPrefix) === undefined ? {} : {remoteIpPrefix};
  return sameRule({...wanted, ...terms, ...readProtocol, ...readPrefix}, wanted);
}

/** A number may be that of any protocol. */
function isProtocolName(protocol: string): boolean {
  return /^[^\d]/.test(protocol);
}

/**
 * Whether one rule makes another redundant, because it allows everything the other allows. False if either lacks a term
 * or has one that cannot be parsed, since nothing is certain then.
 */
export function covers(wide: RuleTerms, narrow: RuleTerms): boolean {
  return (
    isSameWord(wide.direction, narrow.direction) &&
    isSameWord(wide.etherType, narrow.etherType) &&
    coversProtocol(wide, narrow) &&
    coversPrefix(wide.remoteIpPrefix, narrow.remoteIpPrefix)
  );
}

/** Whether both allow some of the same ports, of one family and in one direction, whatever their networks. */
export function overlaps(left: RuleTerms, right: RuleTerms): boolean {
  const protocols = [protocolOf(left), protocolOf(right)];
  if (protocols.includes(undefined)) return false;
  const [leftPorts, rightPorts] = [portsOf(left), portsOf(right)];
  return (
    isSameWord(left.direction, right.direction) &&
    isSameWord(left.etherType ?? 'IPv4', right.etherType ?? 'IPv4') &&
    (protocols.includes('any') || protocols[0] === protocols[1]) &&
    leftPorts.min <= rightPorts.max &&
    rightPorts.min <= leftPorts.max
  );
}

type PortRange = {readonly min: number; readonly max: number};

function isSameWord(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && left.toLowerCase() === right?.toLowerCase();
}

function coversProtocol(wide: RuleTerms, narrow: RuleTerms): boolean {
  const [wideProtocol, narrowProtocol] = [protocolOf(wide), protocolOf(narrow)];
  if (wideProtocol === undefined || narrowProtocol === undefined || wide.hasUnreadPorts === true) return false;
  if (wideProtocol === 'any') return true;
  if (wideProtocol !== narrowProtocol) return false;
  const [widePorts, narrowPorts] = [portsOf(wide), portsOf(narrow)];
  // The service uses the two fields for types and codes of icmp: those have no order, so they are equal or not.
  return hasPorts(wideProtocol) || isAllPorts(widePorts)
    ? widePorts.min <= narrowPorts.min && widePorts.max >= narrowPorts.max
    : widePorts.min === narrowPorts.min && widePorts.max === narrowPorts.max;
}

/** Two names of the same protocol. */
function protocolOf({protocol}: RuleTerms): string | undefined {
  const name = protocol?.toLowerCase();
  return name === 'icmpv6' ? 'ipv6-icmp' : name;
}

/** A range with one end is that single port. Ports that could not be read may be all of them. */
export function portsOf({portRangeMin, portRangeMax}: RuleTerms): PortRange {
  const min = portRangeMin ?? portRangeMax;
  const max = portRangeMax ?? portRangeMin;
  return min === undefined || max === undefined ? ALL_PORTS : {min, max};
}

export function isAllPorts({min, max}: PortRange): boolean {
  return min <= MIN_PORT && max >= MAX_PORT;
}

function coversPrefix(wide: string | undefined, narrow: string | undefined): boolean {
  const [outer, inner] = [parseIpPrefix(wide ?? ''), parseIpPrefix(narrow ?? '')];
  if (outer === undefined || inner === undefined) return false;
  // The family is in the rule's ether type: every machine starts with an IPv6 rule whose prefix is 0.0.0.0/0.
  return outer.length === 0 || containsPrefix(outer, inner);
}
