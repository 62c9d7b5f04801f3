import {describe, expect, it} from 'vitest';
import {deleteKeyPair, importKeyPair, listKeyPairs, renameKeyPair, supportedKeyTypes} from '../../src/api/key-pairs.ts';
import {keyPairId} from '../../src/domain/key-pair.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {readExample, readResult} from './wire-example.ts';

const id = keyPairId(60212);

describe('listKeyPairs', () => {
  it('reads key pairs with their environment as an object', () => {
    expect(readExample(listKeyPairs)).toStrictEqual({
      records: [
        {
          id: 60211,
          name: 'laptop',
          environmentId: 84001,
          environmentName: 'default-CANADA-1',
          regionName: 'CANADA-1',
          publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExample ada@laptop',
          fingerprint: '3a:7f:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd',
          createdAt: Date.UTC(2024, 2, 1, 9, 20),
        },
      ],
      quarantined: [],
    });
  });

  it('reads the spellings of the documents: a capital key, and the environment as a name', () => {
    expect(readExample(listKeyPairs, 'key-pairs.list.odd-spellings')).toStrictEqual({
      records: [
        {id: 7, name: 'by-name-alone', environmentName: 'default-NORWAY-1'},
        {id: 8, name: ''},
      ],
      quarantined: [{fields: ['id']}],
    });
  });
});

describe('supportedKeyTypes', () => {
  it("reads OpenSSH's names", () => {
    expect(readExample(supportedKeyTypes).records).toEqual([
      'ssh-rsa',
      'ssh-ed25519',
      'ecdsa-sha2-nistp256',
      'ecdsa-sha2-nistp384',
      'ecdsa-sha2-nistp521',
    ]);
  });
});

describe('operations on key pairs', () => {
  it('import under the plural path, with the public half only', () => {
    const spec = {
      name: safeText('desktop'),
      environmentName: safeText('default-CANADA-1'),
      publicKey: safeText('ssh-ed25519 AAAA ada@desktop'),
    };
    expect(importKeyPair.path({spec})).toBe('/core/keypairs');
    expect(importKeyPair.body({spec})).toStrictEqual({
      name: 'desktop',
      environment_name: 'default-CANADA-1',
      public_key: 'ssh-ed25519 AAAA ada@desktop',
    });
    expect(readResult(importKeyPair)).toStrictEqual({kind: 'created', ids: [60212], name: 'desktop'});
  });

  it('rename and delete under the singular path', () => {
    const name = safeText('tower');
    expect([renameKeyPair.method, renameKeyPair.path({id, name})]).toEqual(['PUT', '/core/keypair/60212']);
    expect(renameKeyPair.body({id, name})).toStrictEqual({name: 'tower'});
    expect([deleteKeyPair.method, deleteKeyPair.path({id})]).toEqual(['DELETE', '/core/keypair/60212']);
  });
});
