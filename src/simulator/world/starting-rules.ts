import type {SecurityRule} from './machine.ts';
import type {InwardRule} from './scenario.ts';

/** What every machine and every firewall comes with: everything out. The service gives both the same prefix. */
export function outwardRules(createdAt: number, ruleIds: () => number): SecurityRule[] {
  const outward = {
    direction: 'egress',
    protocol: 'any',
    portRangeMin: 1,
    portRangeMax: 65_535,
    remoteIpPrefix: '0.0.0.0/0',
    createdAt,
    status: 'SUCCESS',
  } as const;
  return [
    {...outward, id: ruleIds(), etherType: 'IPv4'},
    {...outward, id: ruleIds(), etherType: 'IPv6'},
  ];
}

/** Lets a network in, by one port or by a protocol that has none. */
export function inwardRule({protocol, port, from}: InwardRule, createdAt: number, id: number): SecurityRule {
  return {
    id,
    direction: 'ingress',
    protocol,
    portRangeMin: port ?? null,
    portRangeMax: port ?? null,
    etherType: from.includes(':') ? 'IPv6' : 'IPv4',
    remoteIpPrefix: from,
    createdAt,
    status: 'SUCCESS',
  };
}
