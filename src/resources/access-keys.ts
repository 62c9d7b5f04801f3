import {accessKeys as accessKeysEndpoint} from '../api/object-storage.ts';
import type {AccessKey} from '../domain/object-storage.ts';
import {age, type Dated, dated, defineResource, number, rawOf, text} from './resource.ts';

export const accessKeys = defineResource<AccessKey, Dated<AccessKey>>({
  names: ['access-keys', 'access-key'],
  summary: 'access keys of the object storage, their public halves',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'key', title: 'ACCESS KEY', value: ({accessKey}) => text(accessKey)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'description', title: 'DESCRIPTION', value: ({description}) => text(description)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'user', title: 'USER', printed: 'wide', align: 'right', value: ({userId}) => number(userId)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(accessKeysEndpoint, {}, {signal, onPage})),
  canStream: true,
  parse: accessKeysEndpoint.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({accessKey}) => accessKey,
});
