import {isIPv4, isIPv6} from 'node:net';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {checkRule, type RuleField, ruleNotes, type TypedRule} from '../../src/domain/check-rule.ts';
import {safeText} from '../../src/domain/safe-text.ts';

const PROTOCOL_NAMES = ['any', 'icmp', 'tcp', 'udp', 'sctp', 'dccp', 'udplite', 'esp'].map(name => safeText(name));
const PROTOCOLS = {protocols: PROTOCOL_NAMES};
const SSH: TypedRule = {
  direction: 'ingress',
  protocol: 'tcp',
  etherType: 'IPv4',
  remoteIpPrefix: '203.0.113.0/24',
  portRangeMin: '22',
  portRangeMax: '22',
};
const NO_PORTS: TypedRule = {...SSH, portRangeMin: '', portRangeMax: undefined};

function fieldsAtFault(typed: TypedRule): RuleField[] {
  const checked = checkRule(typed, PROTOCOLS);
  return checked.ok ? [] : checked.mistakes.map(({field}) => field);
}

function mistakeOf(typed: TypedRule): string | undefined {
  const checked = checkRule(typed, PROTOCOLS);
  return checked.ok ? undefined : checked.mistakes[0]?.mistake;
}

function notesOn(typed: TypedRule): readonly string[] {
  const checked = checkRule(typed, PROTOCOLS);
  return checked.ok ? ruleNotes(checked.spec) : [];
}

describe('checkRule', () => {
  it('makes a rule from what was typed, in the spelling of the service', () => {
    const typed = {
      ...SSH,
      direction: ' Ingress ',
      protocol: 'TCP',
      etherType: 'ipv4',
      remoteIpPrefix: ' 203.0.113.0/24',
    };
    expect(checkRule(typed, PROTOCOLS)).toStrictEqual({
      ok: true,
      spec: {
        direction: 'ingress',
        protocol: 'tcp',
        etherType: 'IPv4',
        remoteIpPrefix: '203.0.113.0/24',
        portRangeMin: 22,
        portRangeMax: 22,
      },
    });
  });

  it('leaves out the ports when none are typed, and notes what that means', () => {
    expect(checkRule(NO_PORTS, PROTOCOLS)).toStrictEqual({
      ok: true,
      spec: {direction: 'ingress', protocol: 'tcp', etherType: 'IPv4', remoteIpPrefix: '203.0.113.0/24'},
    });
    expect(notesOn(NO_PORTS)).toEqual(['Without ports it applies to all ports.']);
    expect(notesOn({...NO_PORTS, protocol: 'any'})).toEqual([]);
  });

  it('keeps host bits as typed, and notes the network they stand for', () => {
    expect(checkRule({...SSH, remoteIpPrefix: '203.0.113.7/24'}, PROTOCOLS)).toMatchObject({
      ok: true,
      spec: {remoteIpPrefix: '203.0.113.7/24'},
    });
    expect(notesOn({...SSH, remoteIpPrefix: '203.0.113.7/24'})).toEqual([
      'It applies to the whole network 203.0.113.0/24.',
    ]);
    expect(notesOn({...SSH, etherType: 'IPv6', remoteIpPrefix: '2001:DB8:1::5/32'})).toEqual([
      'It applies to the whole network 2001:db8::/32.',
    ]);
  });

  it.each([
    ['203.0.113.7', 'IPv4', '203.0.113.7/32'],
    ['2001:DB8::5', 'IPv6', '2001:db8::5/128'],
  ])('adds the prefix length to the address %s without one', (remoteIpPrefix, etherType, expected) => {
    expect(checkRule({...SSH, etherType, remoteIpPrefix}, PROTOCOLS)).toMatchObject({
      ok: true,
      spec: {remoteIpPrefix: expected},
    });
  });

  it('replaces "me" with our own address when that is known, and explains it when not', () => {
    const ownAddress = safeText('203.0.113.9');
    expect(checkRule({...SSH, remoteIpPrefix: 'me'}, {...PROTOCOLS, ownAddress})).toMatchObject({
      ok: true,
      spec: {remoteIpPrefix: '203.0.113.9/32'},
    });
    expect(mistakeOf({...SSH, remoteIpPrefix: 'me'})).toBe(
      'me is the client address in SSH_CONNECTION, and there is no public one here; type your address, e.g. 203.0.113.7/32',
    );
  });

  it('names every required field of an empty form, each once', () => {
    expect(fieldsAtFault({etherType: ''})).toEqual(['direction', 'protocol', 'etherType', 'remoteIpPrefix']);
  });

  it.each<[string, TypedRule, RuleField[]]>([
    ['an unknown direction', {...SSH, direction: 'in'}, ['direction']],
    ['an unknown protocol', {...SSH, protocol: 'quic'}, ['protocol']],
    ['an unknown address family', {...SSH, etherType: '4'}, ['etherType']],
    ['text that is not a network', {...SSH, remoteIpPrefix: 'office'}, ['remoteIpPrefix']],
    ['too long a prefix', {...SSH, remoteIpPrefix: '10.0.0.0/33'}, ['remoteIpPrefix']],
    ['an IPv6 network in an IPv4 rule', {...SSH, remoteIpPrefix: '::/0'}, ['remoteIpPrefix']],
    ['an IPv4 network in an IPv6 rule', {...SSH, etherType: 'IPv6'}, ['remoteIpPrefix']],
    ['a first port alone', {...SSH, portRangeMax: ''}, ['portRangeMax']],
    ['a last port alone', {...SSH, portRangeMin: undefined}, ['portRangeMin']],
    ['port 0', {...SSH, portRangeMin: '0'}, ['portRangeMin']],
    ['port 65536', {...SSH, portRangeMax: '65536'}, ['portRangeMax']],
    [
      'ports that are not whole numbers',
      {...SSH, portRangeMin: '1.5', portRangeMax: '1e3'},
      ['portRangeMin', 'portRangeMax'],
    ],
    ['a last port below the first', {...SSH, portRangeMin: '23'}, ['portRangeMax']],
    ['ports with the protocol any', {...SSH, protocol: 'any'}, ['portRangeMin']],
    ['a port with icmp', {...SSH, protocol: 'icmp', portRangeMin: ''}, ['portRangeMax']],
    ['several mistakes at once', {...SSH, direction: '', portRangeMin: 'ssh'}, ['direction', 'portRangeMin']],
  ])('refuses %s', (_name, typed, fields) => {
    expect(fieldsAtFault(typed)).toEqual(fields);
  });

  it('says what contradicts the rule, and which words are allowed', () => {
    expect(mistakeOf({...SSH, remoteIpPrefix: '::/0'})).toBe('this is IPv6, the rule is for IPv4');
    expect(mistakeOf({...SSH, direction: 'out'})).toBe('ingress or egress');
    expect(mistakeOf({...SSH, protocol: 'tpc'})).toBe('unknown protocol tpc; did you mean tcp?');
  });

  it('repeats what was typed only as safe text', () => {
    expect(mistakeOf({...SSH, protocol: 'tcp\u001b[31m\u202e'})).toBe('unknown protocol tcp␛[31m<U+202E>');
  });

  it('accepts exactly what an independent check accepts', () => {
    fc.assert(
      fc.property(anyTyped, typed => {
        expect([typed, checkRule(typed, PROTOCOLS).ok]).toEqual([typed, oracle(typed)]);
      }),
      {numRuns: 5000},
    );
  });

  it('changes neither the ports nor the network that were typed', () => {
    fc.assert(
      fc.property(anyTyped, typed => {
        const checked = checkRule(typed, PROTOCOLS);
        if (!checked.ok) return;
        const {portRangeMin, portRangeMax, remoteIpPrefix} = checked.spec;
        expect([portRangeMin ?? '', portRangeMax ?? ''].map(String)).toEqual([
          typed.portRangeMin?.replace(/^0+/, '') ?? '',
          typed.portRangeMax?.replace(/^0+/, '') ?? '',
        ]);
        if (typed.remoteIpPrefix?.includes('/') === true) expect(remoteIpPrefix).toBe(typed.remoteIpPrefix);
        else expect(remoteIpPrefix).toBe(`${typed.remoteIpPrefix}/${typed.etherType === 'IPv4' ? 32 : 128}`);
      }),
      {numRuns: 2000},
    );
  });
});

const anyPrefix = fc.oneof(
  fc.tuple(fc.ipV4(), fc.nat(34)).map(([address, length]) => `${address}/${length}`),
  fc.tuple(fc.ipV6(), fc.nat(130)).map(([address, length]) => `${address}/${length}`),
  fc.ipV4(),
  fc.constantFrom('0.0.0.0/0', '::/0', '', '10.0.0/8', '::1', 'x/8', '10.0.0.0/8/8', 'fe80::1%eth0/64'),
);
const anyPort = fc.oneof(
  fc.nat(70_000).map(String),
  fc.constantFrom('', undefined, '0', '1', '022', '65535', '65536', '-1', '2.0', 'ssh', '1e2'),
);
const anyTyped: fc.Arbitrary<TypedRule> = fc.record({
  direction: fc.constantFrom('ingress', 'ingress', 'egress', 'in', undefined),
  protocol: fc.constantFrom('tcp', 'tcp', 'udp', 'udplite', 'any', 'icmp', 'esp', 'quic', ''),
  etherType: fc.constantFrom('IPv4', 'IPv4', 'IPv6', 'IPv5'),
  remoteIpPrefix: anyPrefix,
  portRangeMin: anyPort,
  portRangeMax: anyPort,
});

/** An independent check of the conditions for a rule, with the platform's own parser for addresses. */
function oracle({direction, protocol, etherType, remoteIpPrefix = '', portRangeMin, portRangeMax}: TypedRule): boolean {
  const longest = etherType === 'IPv4' ? 32 : 128;
  const [address = '', length = `${longest}`, ...rest] = remoteIpPrefix.split('/');
  const isAddress = etherType === 'IPv4' ? isIPv4(address) : isIPv6(address) && !address.includes('%');
  const isLength = /^\d+$/.test(length) && Number(length) <= longest && rest.length === 0;
  const ports = [portRangeMin ?? '', portRangeMax ?? ''];
  const numbers = ports.map(port => (/^\d+$/.test(port) ? Number(port) : Number.NaN));
  const [min = Number.NaN, max = Number.NaN] = numbers;
  const mayHavePorts = ['tcp', 'udp', 'sctp', 'dccp', 'udplite'].includes(protocol ?? '');
  const arePorts = ports.every(port => port === '') || (mayHavePorts && min >= 1 && max <= 65_535 && min <= max);
  return (
    ['ingress', 'egress'].includes(direction ?? '') &&
    PROTOCOL_NAMES.some(known => known === protocol) &&
    ['IPv4', 'IPv6'].includes(etherType ?? '') &&
    isAddress &&
    isLength &&
    arePorts
  );
}
