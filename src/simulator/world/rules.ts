import type {Firewall} from './firewalls.ts';
import type {Seconds} from './lifecycle.ts';
import {type Machine, machineWords, recordEvent} from './machine.ts';
import {accepted, type Decision, refused} from './operation.ts';
import {between, unit} from './random.ts';
import type {World} from './world.ts';

/** The status in the service's own spelling: lower case at first, capitals once the rule is in force. */
export type SecurityRule = {
  readonly id: number;
  readonly direction: 'ingress' | 'egress';
  readonly protocol: string;
  readonly portRangeMin: number | null;
  readonly portRangeMax: number | null;
  readonly etherType: 'IPv4' | 'IPv6';
  readonly remoteIpPrefix: string;
  readonly createdAt: number;
  status: 'pending' | 'SUCCESS' | 'DELETING';
};

/** The content of a rule, as requested. */
export type RuleFields = Omit<SecurityRule, 'id' | 'createdAt' | 'status'>;

/** A rule that allows a network in, on one port or by a protocol without ports. */
export type InboundRule = {
  readonly protocol: string;
  readonly port?: number;
  readonly from: string;
  /** Was requested and never came into force. */
  readonly isPending?: boolean;
};

/** What rules belong to; only machines have a history. */
export type RuleOwner =
  | {readonly kind: 'firewall'; readonly firewall: Firewall}
  | {readonly kind: 'machine'; readonly machine: Machine};

export type RuleVerb = `${'add' | 'remove'}-${RuleOwner['kind']}-rule`;

/** The protocols of rules, as listed by the service. */
export const PROTOCOLS: readonly string[] = (
  'any ah dccp egp esp gre hopopt icmp igmp ip ipip ipv6-encap ipv6-frag ipv6-icmp icmpv6 ipv6-nonxt ipv6-opts ' +
  'ipv6-route ospf pgm rsvp sctp tcp udp udplite vrrp'
).split(' ');

/** The protocols that have ports. */
export const PORT_PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', 'dccp', 'udplite']);

/** How long a change takes to come into force. */
const SETTLES_IN: Seconds = {quick: [2, 6], faithful: [15, 45]};

/** Adds a rule: it is listed at once, and in force a little later. */
export function addRule(world: World, owner: RuleOwner, fields: RuleFields, userId: number): Decision<SecurityRule> {
  const rules = rulesOf(owner);
  const refusal = refusalOf(owner);
  if (refusal !== undefined) return refused('state', refusal);
  if (rules.some(rule => isSame(rule, fields))) {
    return refused('duplicate', 'A rule with the same fields already exists.');
  }
  const rule: SecurityRule = {...fields, id: world.factory.ruleId(), createdAt: world.now(), status: 'pending'};
  const record = recorder(world, owner, userId);
  rules.push(rule);
  record('AttachSecurityRuleToInstanceRequest', `Security rule ${rule.id} is to be added.`);
  world.schedule(world.now() + settleMs(world, rule), () => {
    // It may have been removed before it came into force.
    if (rule.status !== 'pending') return;
    rule.status = 'SUCCESS';
    record('AttachSecurityRuleToInstanceSuccess', `Security rule ${rule.id} was added.`);
  });
  world.executed(`add-${owner.kind}-rule`, idOf(owner), {ruleId: rule.id});
  return accepted(rule);
}

/** Removes a rule: it stays in the lists until it is no longer in force. */
export function removeRule(world: World, owner: RuleOwner, ruleId: number, userId: number): Decision<SecurityRule> {
  const rules = rulesOf(owner);
  const rule = rules.find(candidate => candidate.id === ruleId);
  if (rule === undefined) return refused('missing', `Rule ${ruleId} does not exist.`);
  if (rule.status === 'DELETING') return refused('state', `Rule ${ruleId} is being removed already.`);
  const record = recorder(world, owner, userId);
  rule.status = 'DELETING';
  record('DetachSecurityRuleToInstanceRequest', `Security rule ${ruleId} is to be removed.`);
  world.schedule(world.now() + settleMs(world, rule), () => {
    rules.splice(rules.indexOf(rule), 1);
    record('DetachSecurityRuleToInstanceSuccess', `Security rule ${ruleId} was removed.`);
  });
  world.executed(`remove-${owner.kind}-rule`, idOf(owner), {ruleId});
  return accepted(rule);
}

/** Whether two rules are identical; the service accepts only one of them. */
export function isSame(rule: RuleFields, fields: RuleFields): boolean {
  return (
    rule.direction === fields.direction &&
    rule.protocol === fields.protocol &&
    rule.etherType === fields.etherType &&
    rule.portRangeMin === fields.portRangeMin &&
    rule.portRangeMax === fields.portRangeMax &&
    rule.remoteIpPrefix.toLowerCase() === fields.remoteIpPrefix.toLowerCase()
  );
}

/** The rules every machine and firewall starts with: everything outbound. The service gives both the same prefix. */
export function outboundRules(createdAt: number, nextId: () => number): SecurityRule[] {
  const outbound = {
    direction: 'egress',
    protocol: 'any',
    portRangeMin: 1,
    portRangeMax: 65_535,
    remoteIpPrefix: '0.0.0.0/0',
    createdAt,
    status: 'SUCCESS',
  } as const;
  return [
    {...outbound, id: nextId(), etherType: 'IPv4'},
    {...outbound, id: nextId(), etherType: 'IPv6'},
  ];
}

export function inboundRule(
  {protocol, port, from, isPending}: InboundRule,
  createdAt: number,
  id: number,
): SecurityRule {
  return {
    id,
    direction: 'ingress',
    protocol,
    portRangeMin: port ?? null,
    portRangeMax: port ?? null,
    etherType: from.includes(':') ? 'IPv6' : 'IPv4',
    remoteIpPrefix: from,
    createdAt,
    status: isPending === true ? 'pending' : 'SUCCESS',
  };
}

function rulesOf(owner: RuleOwner): SecurityRule[] {
  return owner.kind === 'firewall' ? owner.firewall.rules : owner.machine.rules;
}

function idOf(owner: RuleOwner): number {
  return owner.kind === 'firewall' ? owner.firewall.id : owner.machine.id;
}

function refusalOf(owner: RuleOwner): string | undefined {
  if (owner.kind === 'firewall') return undefined;
  const {status, stableStatus} = owner.machine;
  if (stableStatus !== undefined && status !== 'DELETING') return undefined;
  return `${machineWords(owner.machine)} cannot have security rules while it is ${status}.`;
}

function settleMs({seed, pace}: World, rule: SecurityRule): number {
  const [low, high] = SETTLES_IN[pace()];
  return Math.round(between(low, high, unit(seed, rule.id, rule.status === 'DELETING' ? 2 : 1)) * 1000);
}

function recorder({now}: World, owner: RuleOwner, userId: number) {
  return (reason: string, message: string): void => {
    if (owner.kind === 'machine') recordEvent(owner.machine, {at: now(), userId, reason, message});
  };
}
