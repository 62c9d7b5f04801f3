/** A network: an address and the number of its leading bits that count. `bits` is the whole address as written. */
export type IpPrefix = {
  readonly family: IpFamily;
  readonly bits: bigint;
  readonly length: number;
};
type IpFamily = 'IPv4' | 'IPv6';

const ADDRESS_BITS: Readonly<Record<IpFamily, number>> = {IPv4: 32, IPv6: 128};

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const LENGTH = /^\d{1,3}$/;
const GROUP_COUNT = 8;
const GROUP_BITS = 16n;

/**
 * Parses `address/length` in either family; an address alone is the prefix of that one address. Octets with leading
 * zeros are refused, because some programs read them as octal. Undefined for anything that is not a prefix.
 */
export function parseIpPrefix(text: string): IpPrefix | undefined {
  const [address = '', lengthText, ...rest] = text.trim().split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || rest.length > 0) return undefined;
  const longest = ADDRESS_BITS[parsed.family];
  if (lengthText === undefined) return {...parsed, length: longest};
  return LENGTH.test(lengthText) && Number(lengthText) <= longest ? {...parsed, length: Number(lengthText)} : undefined;
}

/** Whether every address of `inner` belongs to `outer`. */
export function containsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  if (outer.family !== inner.family || outer.length > inner.length) return false;
  const shift = BigInt(ADDRESS_BITS[outer.family] - outer.length);
  return outer.bits >> shift === inner.bits >> shift;
}

/** The same network with the bits beyond its length cleared. */
export function networkOf(prefix: IpPrefix): IpPrefix {
  const shift = BigInt(ADDRESS_BITS[prefix.family] - prefix.length);
  return {...prefix, bits: (prefix.bits >> shift) << shift};
}

/** The usual spelling: dotted, or in lower case with the longest run of zero groups left out (RFC 5952). */
export function formatIpPrefix({family, bits, length}: IpPrefix): string {
  return `${family === 'IPv4' ? formatV4(bits) : formatV6(bits)}/${length}`;
}

type Address = Pick<IpPrefix, 'family' | 'bits'>;

function parseAddress(text: string): Address | undefined {
  const family: IpFamily = text.includes(':') ? 'IPv6' : 'IPv4';
  const bits = family === 'IPv6' ? parseV6(text) : parseV4(text);
  return bits === undefined ? undefined : {family, bits};
}

function parseV4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every(octet => OCTET.test(octet) && Number(octet) <= 255)) return undefined;
  return octets.reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n);
}

/**
 * Eight groups; `::` may replace one or more groups of zeros, once; the last two groups may be a dotted IPv4 address.
 */
function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => parseGroups(half, index === halves.length - 1));
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === GROUP_COUNT ? joinGroups(head) : undefined;
  if (tail === undefined || head.length + tail.length >= GROUP_COUNT) return undefined;
  const zeros = Array.from({length: GROUP_COUNT - head.length - tail.length}, () => 0n);
  return joinGroups([...head, ...zeros, ...tail]);
}

function parseGroups(text: string, isLast: boolean): bigint[] | undefined {
  if (text === '') return [];
  const words = text.split(':');
  const groups = words.map((word, index) => {
    if (GROUP.test(word)) return [BigInt(`0x${word}`)];
    const embedded = isLast && index === words.length - 1 ? parseV4(word) : undefined;
    return embedded === undefined ? undefined : [embedded >> GROUP_BITS, embedded & 0xffffn];
  });
  return groups.includes(undefined) ? undefined : groups.flatMap(group => group ?? []);
}

function joinGroups(groups: readonly bigint[]): bigint {
  return groups.reduce((bits, group) => (bits << GROUP_BITS) | group, 0n);
}

function formatV4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map(shift => (bits >> shift) & 0xffn).join('.');
}

function formatV6(bits: bigint): string {
  const groups = Array.from({length: GROUP_COUNT}, (_, index) =>
    ((bits >> (GROUP_BITS * BigInt(GROUP_COUNT - 1 - index))) & 0xffffn).toString(16),
  );
  const {start, length} = longestZeroRun(groups);
  // A single group is written out, since `::` would be no shorter.
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** The first of the longest runs. */
function longestZeroRun(groups: readonly string[]): {readonly start: number; readonly length: number} {
  let longest = {start: 0, length: 0};
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== '0') start = index + 1;
    else if (index + 1 - start > longest.length) longest = {start, length: index + 1 - start};
  }
  return longest;
}
