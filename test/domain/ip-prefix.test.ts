import {isIP, isIPv4, isIPv6} from 'node:net';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {containsPrefix, formatIpPrefix, networkOf, parseIpPrefix} from '../../src/domain/ip-prefix.ts';

const anyAddress = fc.oneof(fc.ipV4(), fc.ipV6());
const longest = (address: string): number => (isIPv4(address) ? 32 : 128);
const anyPrefix = anyAddress.chain(address =>
  fc.integer({min: 0, max: longest(address)}).map(length => ({address, length, text: `${address}/${length}`})),
);
/** Near misses: right characters in wrong places. */
const almostAddress = fc.oneof(
  anyAddress,
  fc.string({unit: fc.constantFrom(...'0123456789abF:.'), maxLength: 24}),
  fc
    .tuple(anyAddress, fc.nat(40), fc.constantFrom('', ':', '::', '.', '0', 'g', '%1'))
    .map(([address, at, extra]) => address.slice(0, at) + extra + address.slice(at)),
);

/** The platform's own canonical spelling of an IPv6 address. */
const canonicalV6 = (address: string): string => new URL(`http://[${address}]/`).hostname.slice(1, -1);

/** The address as a string of bits, made by the platform's parser and nothing of ours. */
function bitsOf(address: string): string {
  if (isIPv4(address)) {
    return address
      .split('.')
      .map(octet => Number(octet).toString(2).padStart(8, '0'))
      .join('');
  }
  const [head = '', tail = ''] = canonicalV6(address).split('::');
  const [left, right] = [head, tail].map(half => half.split(':').filter(group => group !== ''));
  const zeros = Array.from({length: 8 - (left?.length ?? 0) - (right?.length ?? 0)}, () => '0');
  return [...(left ?? []), ...zeros, ...(right ?? [])]
    .map(group => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
}

describe('parseIpPrefix', () => {
  it.each([
    ['0.0.0.0/0', 'IPv4', 0n, 0],
    ['203.0.113.7/32', 'IPv4', 0xcb007107n, 32],
    ['10.0.0.5/8', 'IPv4', 0x0a000005n, 8],
    [' 10.0.0.0/08 ', 'IPv4', 0x0a000000n, 8],
    ['203.0.113.7', 'IPv4', 0xcb007107n, 32],
    ['::/0', 'IPv6', 0n, 0],
    ['::1', 'IPv6', 1n, 128],
    ['2001:DB8::/32', 'IPv6', 0x20010db8n << 96n, 32],
    ['1:2:3:4:5:6:7::/64', 'IPv6', 0x00010002000300040005000600070000n, 64],
    ['::ffff:203.0.113.7/128', 'IPv6', 0xffffcb007107n, 128],
    ['1:2:3:4:5:6:1.2.3.4/128', 'IPv6', 0x00010002000300040005000601020304n, 128],
  ] as const)('reads %s', (text, family, bits, length) => {
    expect(parseIpPrefix(text)).toEqual({family, bits, length});
  });

  it.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/8.0',
    '10.0.0.0/255.0.0.0',
    '10.0.0/8',
    '10.0.0.256/8',
    '010.0.0.0/8',
    '0/0',
    ' 10.0.0.0 /8',
    '::/129',
    ':/0',
    ':::/0',
    '1::2::3/64',
    '1:2:3:4:5:6:7/64',
    '1:2:3:4:5:6:7:8:9/64',
    '1:2:3:4::5:6:7:8/64',
    '12345::/64',
    'g::/64',
    'fe80::1%eth0/64',
    '1.2.3.4::/64',
    '::1.2.3/64',
    '::1.2.3.4:5/64',
    'any',
  ])('refuses "%s"', text => {
    expect(parseIpPrefix(text)).toBeUndefined();
  });

  it('accepts the addresses that the platform accepts, except those with a zone', () => {
    fc.assert(
      fc.property(almostAddress, address => {
        const isRight = isIP(address) !== 0 && !address.includes('%');
        expect([address, parseIpPrefix(address) !== undefined]).toEqual([address, isRight]);
      }),
      {numRuns: 2000},
    );
  });

  it('reads the same bits as the platform', () => {
    fc.assert(
      fc.property(anyPrefix, ({address, length, text}) => {
        expect(parseIpPrefix(text)).toEqual({
          family: isIPv6(address) ? 'IPv6' : 'IPv4',
          bits: BigInt(`0b${bitsOf(address)}`),
          length,
        });
      }),
    );
  });
});

describe('formatIpPrefix', () => {
  it.each([
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:0DB8:0:0:1:0:0:1/64', '2001:db8::1:0:0:1/64'],
    ['1:0:3:4:5:6:7:8/128', '1:0:3:4:5:6:7:8/128'],
    ['0:0:0:0:0:0:0:0/0', '::/0'],
    ['1:0:0:0:0:0:0:0/16', '1::/16'],
  ])('writes %s as %s', (text, expected) => {
    const prefix = parseIpPrefix(text);
    expect(prefix && formatIpPrefix(prefix)).toBe(expected);
  });

  it('writes a prefix as the platform does, and the result is read back unchanged', () => {
    fc.assert(
      fc.property(anyPrefix, ({address, length, text}) => {
        const prefix = parseIpPrefix(text);
        const spelt = prefix === undefined ? '' : formatIpPrefix(prefix);
        expect(spelt).toBe(`${isIPv6(address) ? canonicalV6(address) : address}/${length}`);
        expect(parseIpPrefix(spelt)).toEqual(prefix);
      }),
    );
  });
});

describe('networkOf', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.129/25', '203.0.113.128/25'],
    ['10.1.2.3/32', '10.1.2.3/32'],
    ['203.0.113.7/0', '0.0.0.0/0'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
  ])('of %s is %s', (text, expected) => {
    const prefix = parseIpPrefix(text);
    expect(prefix && formatIpPrefix(networkOf(prefix))).toBe(expected);
  });
});

function contains(outer: string, inner: string): boolean | undefined {
  const [wide, narrow] = [parseIpPrefix(outer), parseIpPrefix(inner)];
  return wide && narrow && containsPrefix(wide, narrow);
}

describe('containsPrefix', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.7', true],
    ['203.0.113.0/24', '203.0.114.7', false],
    ['203.0.113.200/24', '203.0.113.7', true],
    ['203.0.113.0/24', '203.0.113.0/25', true],
    ['203.0.113.0/25', '203.0.113.0/24', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '2001:db8::1', true],
  ])('%s contains %s: %s', (outer, inner, expected) => {
    expect(contains(outer, inner)).toBe(expected);
  });

  it('is a comparison of leading bits', () => {
    const near = anyPrefix.chain(outer =>
      fc.tuple(fc.constant(outer), fc.oneof(anyAddress, fc.constant(outer.address))),
    );
    fc.assert(
      fc.property(near, ([outer, address]) => {
        const isSameFamily = isIPv6(outer.address) === isIPv6(address);
        const isInside = bitsOf(address).startsWith(bitsOf(outer.address).slice(0, outer.length));
        expect(contains(outer.text, address)).toBe(isSameFamily && isInside);
      }),
    );
  });
});
