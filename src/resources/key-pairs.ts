import {listKeyPairs} from '../api/key-pairs.ts';
import type {KeyPair} from '../domain/key-pair.ts';
import {age, type Dated, dated, defineResource, number, rawOf, text} from './resource.ts';

export const keyPairs = defineResource<KeyPair, Dated<KeyPair>>({
  names: ['key-pairs', 'key-pair', 'keypairs', 'keypair', 'keys', 'key'],
  summary: 'SSH key pairs, their public halves',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'environment', title: 'ENVIRONMENT', value: ({environmentName}) => text(environmentName)},
    {key: 'fingerprint', title: 'FINGERPRINT', value: ({fingerprint}) => text(fingerprint)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'public-key', title: 'PUBLIC KEY', printed: 'wide', value: ({publicKey}) => text(publicKey)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listKeyPairs, {}, {signal, onPage})),
  canStream: true,
  parse: listKeyPairs.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});
