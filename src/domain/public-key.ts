/** An SSH public key, parsed from its one line. The type is the one contained in its data. */
export type PublicKey = {
  readonly keyType: PublicKeyType;
  /** For an RSA key, whose strength is its length. */
  readonly bitCount?: number;
  /** Type and key, and the comment if there is one, separated by single blanks. */
  readonly line: string;
};

export type PublicKeyOutcome =
  | {readonly ok: true; readonly key: PublicKey}
  | {readonly ok: false; readonly mistake: string; readonly isPrivateKey?: true};

/** The types of key the service accepts, as it documents them. */
export const PUBLIC_KEY_TYPES = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
] as const;
type PublicKeyType = (typeof PUBLIC_KEY_TYPES)[number];

/** The longest line accepted: a key of 16,384 bits and its comment. */
export const MAX_PUBLIC_KEY_LENGTH = 4096;

/** The beginnings of private keys: PEM and OpenSSH, OpenSSH's without its frame, PuTTY's. */
const PRIVATE_KEY = /PRIVATE KEY|b3BlbnNzaC1rZXktdj|PuTTY-User-Key-File/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const LENGTH_BYTES = 4;
/** The type, then what it requires: a point; a curve and a point; or exponent and modulus (RFC 4253, 5656, 8709). */
const PART_COUNTS: Readonly<Record<PublicKeyType, number>> = {
  'ssh-ed25519': 2,
  'ssh-rsa': 3,
  'ecdsa-sha2-nistp256': 3,
  'ecdsa-sha2-nistp384': 3,
  'ecdsa-sha2-nistp521': 3,
};

/**
 * Parses a public key in OpenSSH's format: `ssh-ed25519 AAAA… comment`. A key that was cut or wrapped on the way does
 * not match the lengths it contains, so the mistake is found here and not at the first login.
 */
export function readPublicKey(text: string): PublicKeyOutcome {
  const line = text.trim();
  if (PRIVATE_KEY.test(line)) {
    return {ok: false, mistake: 'this is a PRIVATE key: never share it; paste the .pub file', isPrivateKey: true};
  }
  if (line === '') return invalid('a public key is needed: the one line of a .pub file');
  if (/[\r\n]/.test(line)) return invalid('several lines: paste the one line of the .pub file');
  if (line.length > MAX_PUBLIC_KEY_LENGTH) return invalid(`more than ${MAX_PUBLIC_KEY_LENGTH} characters`);
  const [word = '', encoded = '', ...comment] = line.split(/\s+/);
  const keyType = PUBLIC_KEY_TYPES.find(type => type === word);
  if (keyType === undefined) return invalid(`it must begin with one of ${PUBLIC_KEY_TYPES.join(' ')}`);
  const parts = BASE64.test(encoded) && encoded !== '' ? lengthPrefixedParts(bytesOf(encoded)) : undefined;
  if (parts === undefined) return invalid(`the part after ${keyType} is incomplete: cut off, or on several lines`);
  const inside = textOf(parts[0]);
  if (inside !== keyType) return invalid(`the key says ${keyType} but contains another type`);
  const mistake = partsMistake(keyType, parts);
  if (mistake !== undefined) return invalid(mistake);
  const bitCount = keyType === 'ssh-rsa' ? bitCountOf(parts[2]) : undefined;
  const key = {keyType, line: [keyType, encoded, ...comment].join(' ')};
  return {ok: true, key: bitCount === undefined ? key : {...key, bitCount}};
}

function invalid(mistake: string): PublicKeyOutcome {
  return {ok: false, mistake};
}

function partsMistake(keyType: PublicKeyType, parts: readonly Uint8Array[]): string | undefined {
  const isWhole = parts.length === PART_COUNTS[keyType] && parts.every(({length}) => length > 0);
  if (!isWhole) return `its contents are not a ${keyType} key`;
  if (keyType === 'ssh-ed25519' && parts[1]?.length !== 32) return 'its contents are not an ed25519 key';
  if (!keyType.startsWith('ecdsa')) return undefined;
  return textOf(parts[1]) === keyType.slice('ecdsa-sha2-'.length) ? undefined : 'its contents use another curve';
}

function bytesOf(encoded: string): Uint8Array {
  return Uint8Array.from(atob(encoded), character => character.charCodeAt(0));
}

/** Parts, each preceded by its length in four bytes; undefined unless they fill the bytes exactly. */
function lengthPrefixedParts(bytes: Uint8Array): readonly Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer);
  const parts: Uint8Array[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    if (offset + LENGTH_BYTES > bytes.length) return undefined;
    const end = offset + LENGTH_BYTES + view.getUint32(offset);
    if (end > bytes.length) return undefined;
    parts.push(bytes.subarray(offset + LENGTH_BYTES, end));
    offset = end;
  }
  return parts;
}

function textOf(bytes: Uint8Array | undefined): string {
  return String.fromCharCode(...(bytes ?? []).slice(0, 64));
}

/** The modulus is a number whose sign takes a byte of its own. */
function bitCountOf(modulus: Uint8Array | undefined): number {
  const digits = [...(modulus ?? [])];
  const start = digits.findIndex(byte => byte !== 0);
  return start === -1 ? 0 : (digits.length - start - 1) * 8 + (32 - Math.clz32(digits[start] ?? 0));
}
