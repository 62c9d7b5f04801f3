import {expect, test} from 'vitest';
import {hasKeyPair, type KeyPair, publicKeyFor, readPublicKey} from '../../../src/simulator/world/key-pairs.ts';

// A key that ssh-keygen created for this test, and its fingerprint from `ssh-keygen -l -E md5`.
const BLOB = 'AAAAC3NzaC1lZDI1NTE5AAAAIHS5S8h7pOqSyLMPhx69nJMbEa0GwEXXwRdF6N5MkwO7';
const FINGERPRINT = '11:ac:5f:1e:8e:8f:25:bf:03:11:ec:58:72:18:3b:58';

test('reads a one-line key with or without a comment', () => {
  for (const text of [`ssh-ed25519 ${BLOB}`, `ssh-ed25519 ${BLOB} mira at work\n`]) {
    expect(readPublicKey(text)).toEqual({isKey: true, text: text.trim(), fingerprint: FINGERPRINT});
  }
});

test('creates valid keys of both types, the same for the same name', () => {
  for (const type of ['ssh-rsa', 'ssh-ed25519'] as const) {
    expect(publicKeyFor('mira', type)).toBe(publicKeyFor('mira', type));
    expect(publicKeyFor('mira', type)).not.toBe(publicKeyFor('noe', type));
    expect(readPublicKey(publicKeyFor('mira', type))).toMatchObject({isKey: true});
  }
});

test.each([
  ['', /unsupported type/],
  ['ssh-dss AAAA', /unsupported type/],
  [`ssh-rsa ${BLOB}`, /not a valid ssh-rsa/],
  ['ssh-ed25519 !!!!', /not a valid ssh-ed25519/],
  ['ssh-ed25519', /not a valid ssh-ed25519/],
  [`ssh-ed25519 ${BLOB}\nssh-ed25519 ${BLOB}`, /single line/],
])('refuses %j', (text, message) => {
  expect(readPublicKey(text)).toMatchObject({isKey: false, message: expect.stringMatching(message)});
});

test('a key pair belongs to one environment', () => {
  const canada = {id: 1, name: 'ca', regionName: 'CANADA-1', createdAt: 0} as const;
  const norway = {id: 2, name: 'no', regionName: 'NORWAY-1', createdAt: 0} as const;
  const keyPair: KeyPair = {id: 1, name: 'team', environment: canada, publicKey: '', fingerprint: '', createdAt: 0};
  expect(hasKeyPair({keyPairs: [keyPair]}, canada, 'team')).toBe(true);
  expect(hasKeyPair({keyPairs: [keyPair]}, norway, 'team')).toBe(false);
  expect(hasKeyPair({keyPairs: [keyPair]}, canada, '')).toBe(false);
});
