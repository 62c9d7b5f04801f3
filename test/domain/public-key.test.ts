import {generateKeyPairSync} from 'node:crypto';
import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {readPublicKey} from '../../src/domain/public-key.ts';

const ED25519 = `ssh-ed25519 ${wire('ssh-ed25519', Buffer.alloc(32, 7))}`;

/** The content of a public key as RFC 4253 defines it: each part after its length in four bytes. */
function wire(...parts: readonly (string | Buffer)[]): string {
  const written = parts.map(part => {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  });
  return Buffer.concat(written).toString('base64');
}

function rsaLine(bitCount: number): string {
  const {publicKey} = generateKeyPairSync('rsa', {modulusLength: bitCount});
  const {n = '', e = ''} = publicKey.export({format: 'jwk'});
  // A number whose highest bit is set takes a byte of zeros before it.
  const modulus = Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')]);
  return `ssh-rsa ${wire('ssh-rsa', Buffer.from(e, 'base64url'), modulus)}`;
}

function mistakeOf(text: string): string | undefined {
  const outcome = readPublicKey(text);
  return outcome.ok ? undefined : outcome.mistake;
}

describe('readPublicKey', () => {
  it('accepts an ed25519 key with its comment and spaces around it', () => {
    expect(readPublicKey(`  ${ED25519}   ines@laptop home \n`)).toEqual({
      ok: true,
      key: {keyType: 'ssh-ed25519', line: `${ED25519} ines@laptop home`},
    });
  });

  it.each([1024, 2048])('gives the length of an RSA key of %i bits', bitCount => {
    expect(readPublicKey(rsaLine(bitCount))).toMatchObject({ok: true, key: {keyType: 'ssh-rsa', bitCount}});
  });

  it.each(['nistp256', 'nistp384', 'nistp521'])('accepts an ECDSA key on %s', curve => {
    const type = `ecdsa-sha2-${curve}`;
    const line = `${type} ${wire(type, curve, Buffer.alloc(65, 4))}`;
    expect(readPublicKey(line)).toMatchObject({ok: true, key: {keyType: type}});
  });

  it.each([
    ['PEM', '-----BEGIN RSA PRIVATE KEY----- MIIEpAIBAAKCAQEA'],
    ['OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA'],
    ['OpenSSH without its header line', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmU='],
    ['PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519'],
  ])('refuses a private key in the format %s and says that it is private', (_kind, text) => {
    expect(readPublicKey(text)).toMatchObject({ok: false, isPrivateKey: true});
    expect(mistakeOf(text)).toContain('PRIVATE');
  });

  it.each<[string, string, RegExp]>([
    ['blank text', '   ', /is needed/],
    ['several lines', `${ED25519}\n${ED25519}`, /several lines/],
    ['a type the service does not accept', `ssh-dss ${wire('ssh-dss', 'x')}`, /must begin with one of/],
    ['a key without its type', ED25519.split(' ')[1] ?? '', /must begin with one of/],
    ['text that is not base64', 'ssh-ed25519 not*base64', /is incomplete/],
    ['a type without a key', 'ssh-ed25519', /is incomplete/],
    ['another type inside', `ssh-rsa ${wire('ssh-ed25519', Buffer.alloc(32))}`, /contains another type/],
    ['a point that is too short', `ssh-ed25519 ${wire('ssh-ed25519', Buffer.alloc(31, 1))}`, /ed25519/],
    ['too few parts', `ssh-rsa ${wire('ssh-rsa', Buffer.of(1, 0, 1))}`, /are not a ssh-rsa key/],
    [
      'another curve inside',
      `ecdsa-sha2-nistp256 ${wire('ecdsa-sha2-nistp256', 'nistp384', Buffer.alloc(65, 4))}`,
      /another curve/,
    ],
    ['a key that is too long', `ssh-rsa ${'A'.repeat(5000)}`, /4096 characters/],
  ])('refuses %s', (_name, text, mistake) => {
    expect(mistakeOf(text)).toMatch(mistake);
  });

  it('refuses a key that was cut off or split by a space at any place', () => {
    const [type = '', encoded = ''] = ED25519.split(' ');
    fc.assert(
      fc.property(fc.integer({min: 0, max: encoded.length - 1}), at => {
        expect(readPublicKey(`${type} ${encoded.slice(0, at)}`).ok).toBe(false);
        if (at > 0) expect(readPublicKey(`${type} ${encoded.slice(0, at)} ${encoded.slice(at)}`).ok).toBe(false);
      }),
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'ssh-rsa ', 'ssh-ed25519 '), fc.string({maxLength: 200}), (type, text) => {
        expect(typeof readPublicKey(type + text).ok).toBe('boolean');
      }),
    );
  });
});
