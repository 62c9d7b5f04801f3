import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {
  covers,
  DOCUMENTED_PROTOCOLS,
  isOpenToWorld,
  RULE_PRESETS,
  type RuleTerms,
  ruleWords,
  sameRule,
} from '../../src/domain/security-rule.ts';

const TCP: RuleTerms = {direction: 'ingress', protocol: 'tcp', etherType: 'IPv4', remoteIpPrefix: '0.0.0.0/0'};
const SSH: RuleTerms = {...TCP, portRangeMin: 22, portRangeMax: 22};
const ICMP: RuleTerms = {...TCP, protocol: 'icmp'};
/** The rule that the service makes for every machine. */
const OUTWARD_V6: RuleTerms = {
  direction: 'egress',
  protocol: 'any',
  etherType: 'IPv6',
  remoteIpPrefix: '0.0.0.0/0',
  portRangeMin: 1,
  portRangeMax: 65_535,
};

describe('ruleWords', () => {
  it.each<[RuleTerms, string]>([
    [SSH, 'ingress tcp/22 0.0.0.0/0'],
    [{...SSH, etherType: 'ipv4'}, 'ingress tcp/22 0.0.0.0/0'],
    [OUTWARD_V6, 'egress any/1-65535 0.0.0.0/0 IPv6'],
    [{...OUTWARD_V6, etherType: 'IPv4'}, 'egress any/1-65535 0.0.0.0/0'],
    [{...SSH, etherType: 'IPv6', remoteIpPrefix: '2001:db8::/32'}, 'ingress tcp/22 2001:db8::/32'],
    [{direction: 'egress', protocol: 'any', etherType: 'IPv6'}, 'egress any unknown IPv6'],
    [{direction: 'egress', protocol: 'any'}, 'egress any unknown'],
  ])('names the family when the prefix does not show it: %o', (rule, words) => {
    expect(ruleWords(rule)).toBe(words);
  });
});

describe('isOpenToWorld', () => {
  it.each([
    '0.0.0.0/0',
    '::/0',
    '0:0:0:0:0:0:0:0/0',
    '::0.0.0.0/0',
    '203.0.113.7/0',
    '0.0.0.0/00',
  ])('is true for ingress from %s, and false for egress', remoteIpPrefix => {
    expect(isOpenToWorld({...SSH, remoteIpPrefix})).toBe(true);
    expect(isOpenToWorld({...SSH, direction: 'INGRESS', remoteIpPrefix})).toBe(true);
    expect(isOpenToWorld({...SSH, direction: 'egress', remoteIpPrefix})).toBe(false);
  });

  it.each(['0.0.0.0/1', '10.0.0.0/8', '0.0.0.0', '::', '2000::/3', '', 'anywhere'])('is false for "%s"', prefix => {
    expect(isOpenToWorld({...SSH, remoteIpPrefix: prefix})).toBe(false);
  });

  it('is false for a rule without a direction or a prefix', () => {
    expect(isOpenToWorld({remoteIpPrefix: '0.0.0.0/0'})).toBe(false);
    expect(isOpenToWorld({direction: 'ingress'})).toBe(false);
  });
});

describe('covers', () => {
  const cases: readonly [name: string, wide: RuleTerms, narrow: RuleTerms, expected: boolean][] = [
    ['itself', SSH, SSH, true],
    ['a network inside its own', SSH, {...SSH, remoteIpPrefix: '203.0.113.0/24'}, true],
    ['no network around its own', {...SSH, remoteIpPrefix: '203.0.113.0/24'}, SSH, false],
    ['a port of its range', {...TCP, portRangeMin: 1, portRangeMax: 1024}, SSH, true],
    ['no wider range', SSH, {...TCP, portRangeMin: 22, portRangeMax: 23}, false],
    ['any port when it names none', TCP, SSH, true],
    ['not all ports when it names one', SSH, TCP, false],
    ['all ports by number', {...TCP, portRangeMin: 1, portRangeMax: 65_535}, TCP, true],
    ['every protocol when it is for any', {...TCP, protocol: 'any'}, SSH, true],
    ['not any protocol when it is for one', TCP, {...TCP, protocol: 'any'}, false],
    ['no other protocol', {...SSH, protocol: 'udp'}, SSH, false],
    ['nothing of the other direction', {...SSH, direction: 'egress'}, SSH, false],
    ['nothing of the other family', {...SSH, etherType: 'IPv6', remoteIpPrefix: '::/0'}, SSH, false],
    [
      "its own ether type, whatever its prefix's family",
      OUTWARD_V6,
      {...OUTWARD_V6, protocol: 'tcp', remoteIpPrefix: '2001:db8::/32'},
      true,
    ],
    ['the same in capitals', {...SSH, direction: 'INGRESS', protocol: 'TCP', etherType: 'ipv4'}, SSH, true],
    ['one type of icmp when it is for all', ICMP, {...ICMP, portRangeMin: 8, portRangeMax: 0}, true],
    [
      'no icmp of another type',
      {...ICMP, portRangeMin: 0, portRangeMax: 8},
      {...ICMP, portRangeMin: 3, portRangeMax: 4},
      false,
    ],
    ['icmp for IPv6 by its other name', {...ICMP, protocol: 'icmpv6'}, {...ICMP, protocol: 'ipv6-icmp'}, true],
    ['no prefix that cannot be read', SSH, {...SSH, remoteIpPrefix: 'office'}, false],
    ['no rule without a protocol', SSH, {direction: 'ingress', etherType: 'IPv4', remoteIpPrefix: '0.0.0.0/0'}, false],
    ['nothing without a direction', {...SSH, direction: ''}, SSH, false],
  ];
  it.each(cases)('%s', (_name, wide, narrow, expected) => {
    expect(covers(wide, narrow)).toBe(expected);
  });

  it('is true if and only if the one allows every packet that the other allows', () => {
    fc.assert(
      fc.property(smallRule, smallRule, (wide, narrow) => {
        const isSubset = PACKETS.every(packet => !lets(narrow, packet) || lets(wide, packet));
        expect(covers(termsOf(wide), termsOf(narrow))).toBe(isSubset);
      }),
      {numRuns: 2000},
    );
  });
});

describe('sameRule', () => {
  it.each<[string, RuleTerms, RuleTerms]>([
    ['capitals', SSH, {...SSH, direction: 'Ingress', protocol: 'TCP', etherType: 'IPV4'}],
    ['host bits', {...SSH, remoteIpPrefix: '10.0.0.0/8'}, {...SSH, remoteIpPrefix: '10.1.2.3/8'}],
    ['whether all ports are given by number or not at all', TCP, {...TCP, portRangeMin: 1, portRangeMax: 65_535}],
    [
      'ports of a protocol that has none',
      {...TCP, protocol: 'any'},
      {...TCP, protocol: 'any', portRangeMin: 1, portRangeMax: 65_535},
    ],
    [
      'the spelling of an address',
      {...OUTWARD_V6, remoteIpPrefix: '2001:db8::/32'},
      {...OUTWARD_V6, remoteIpPrefix: '2001:0DB8:0::/32'},
    ],
    ['the two spellings of all addresses', OUTWARD_V6, {...OUTWARD_V6, remoteIpPrefix: '::/0'}],
  ])('ignores %s', (_name, left, right) => {
    expect(sameRule(left, right)).toBe(true);
    expect(sameRule(right, left)).toBe(true);
  });

  it('distinguishes a rule from one that only covers it', () => {
    expect(sameRule(TCP, SSH)).toBe(false);
    expect(sameRule(SSH, TCP)).toBe(false);
  });

  it('is true if and only if both rules allow the same packets', () => {
    fc.assert(
      fc.property(smallRule, smallRule, (left, right) => {
        const isEqual = PACKETS.every(packet => lets(left, packet) === lets(right, packet));
        expect(sameRule(termsOf(left), termsOf(right))).toBe(isEqual);
      }),
      {numRuns: 2000},
    );
  });
});

describe('presets and documented protocols', () => {
  it('are the ports that people name, and the protocols of the documentation', () => {
    expect(RULE_PRESETS.map(({name, port}) => [name, port])).toEqual([
      ['ssh', 22],
      ['http', 80],
      ['https', 443],
      ['kubernetes', 6443],
    ]);
    expect(DOCUMENTED_PROTOCOLS).toHaveLength(26);
    expect(DOCUMENTED_PROTOCOLS).toEqual(
      expect.arrayContaining(['any', 'tcp', 'udp', 'icmp', 'ipv6-icmp', 'icmpv6', 'vrrp']),
    );
  });
});

// A network so small that every packet can be tried: sixteen addresses of 10.0.0.0/28 and one elsewhere, five ports.
type SmallRule = {
  readonly protocol: 'any' | 'tcp' | 'udp' | 'esp';
  /** Of the low four bits; -28 for the prefix of length 0. */
  readonly extraLength: number;
  readonly host: number;
  readonly ports: readonly [min: number, max: number] | undefined;
};
type Packet = {readonly protocol: 'tcp' | 'udp' | 'esp'; readonly address: number | 'elsewhere'; readonly port: number};

const PACKETS: readonly Packet[] = (['tcp', 'udp', 'esp'] as const).flatMap(protocol =>
  [...Array.from({length: 16}, (_, host) => host), 'elsewhere' as const].flatMap(address =>
    [1, 2, 3, 4, 5].map(port => ({protocol, address, port})),
  ),
);

const smallRule: fc.Arbitrary<SmallRule> = fc.record({
  protocol: fc.constantFrom('any', 'tcp', 'udp', 'esp'),
  extraLength: fc.constantFrom(-28, 0, 1, 2, 3, 4),
  host: fc.nat(15),
  ports: fc.option(
    fc
      .tuple(fc.integer({min: 1, max: 4}), fc.integer({min: 1, max: 4}))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const),
    {nil: undefined},
  ),
});

function lets({protocol, extraLength, host, ports}: SmallRule, packet: Packet): boolean {
  const size = 2 ** (4 - extraLength);
  const isAddressed =
    packet.address === 'elsewhere' ? extraLength < 0 : Math.floor(packet.address / size) === Math.floor(host / size);
  const hasPorts = protocol === 'tcp' || protocol === 'udp';
  const isPort = !hasPorts || ports === undefined || (packet.port >= ports[0] && packet.port <= ports[1]);
  return (protocol === 'any' || protocol === packet.protocol) && isAddressed && isPort;
}

function termsOf({protocol, extraLength, host, ports}: SmallRule): RuleTerms {
  const hasPorts = protocol === 'tcp' || protocol === 'udp';
  const remoteIpPrefix = `10.0.0.${host}/${28 + extraLength}`;
  const terms: RuleTerms = {direction: 'ingress', etherType: 'IPv4', protocol, remoteIpPrefix};
  return hasPorts && ports !== undefined ? {...terms, portRangeMin: ports[0], portRangeMax: ports[1]} : terms;
}
