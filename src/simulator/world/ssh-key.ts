import {createHash} from 'node:crypto';

/** The types a public key can have. */
export const KEY_TYPES = [
  'ssh-rsa',
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
] as const;

export type KeyReading =
  | {readonly isKey: true; readonly text: string; readonly fingerprint: string}
  | {readonly isKey: false; readonly message: string};

/** Reads a public key of one line: type, blob in base64, and whatever its owner wrote behind. */
export function readPublicKey(text: string): KeyReading {
  const line = text.trim();
  if (/[\r\n]/.test(line)) return {isKey: false, message: 'The public_key must be a single line.'};
  const [type = '', encoded = ''] = line.split(/\s+/);
  if (!KEY_TYPES.some(known => known === type)) {
    return {
      isKey: false,
      message: `The public_key has an unsupported type; it must be one of ${KEY_TYPES.join(', ')}.`,
    };
  }
  const blob = Buffer.from(encoded, 'base64');
  // The blob begins with its own type, and decoding must have lost nothing.
  const isWhole = blob.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (!isWhole || !blob.subarray(0, type.length + 4).equals(lengthPrefixed(Buffer.from(type)))) {
    return {isKey: false, message: `The public_key is not a valid ${type} key.`};
  }
  return {isKey: true, text: line, fingerprint: fingerprintOf(blob)};
}

/** A key of that type that nobody holds the other half of, the same for the same subject. */
export function publicKeyFor(subject: string, type: 'ssh-rsa' | 'ssh-ed25519'): string {
  const digest = (part: number) => createHash('sha256').update(`${subject} ${part}`).digest();
  const modulus = Buffer.concat([Buffer.from([0, 0xc1]), ...Array.from({length: 8}, (_, part) => digest(part))]);
  const body =
    type === 'ssh-ed25519'
      ? [digest(0)]
      : [Buffer.from([1, 0, 1]), Buffer.concat([modulus.subarray(0, 256), Buffer.from([0x6f])])];
  const blob = Buffer.concat([Buffer.from(type), ...body].map(lengthPrefixed));
  return `${type} ${blob.toString('base64')} ${subject}`;
}

/** MD5 of the blob, in the colon form. */
function fingerprintOf(blob: Buffer): string {
  const digest = createHash('md5').update(blob).digest('hex');
  return digest.match(/../g)?.join(':') ?? digest;
}

function lengthPrefixed(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
