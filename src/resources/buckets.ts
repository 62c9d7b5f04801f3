import {buckets as bucketsEndpoint} from '../api/object-storage.ts';
import type {Bucket} from '../domain/object-storage.ts';
import {age, bytes, type Dated, dated, defineResource, number, rawOf, text} from './resource.ts';

export const buckets = defineResource<Bucket, Dated<Bucket>>({
  names: ['buckets', 'bucket'],
  summary: 'buckets of the object storage',
  columns: [
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'objects', title: 'OBJECTS', align: 'right', value: ({objectCount}) => number(objectCount)},
    {key: 'size', title: 'SIZE', align: 'right', value: ({sizeBytes}) => bytes(sizeBytes)},
    {key: 'stored', title: 'STORED', align: 'right', value: ({storedBytes}) => bytes(storedBytes)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'endpoint', title: 'ENDPOINT', printed: 'wide', value: ({endpoint}) => text(endpoint)},
  ],
  list: async ({client, signal}) => rawOf(await client.read(bucketsEndpoint, {}, {signal})),
  parse: bucketsEndpoint.record,
  row: dated,
  idOf: ({name}) => name,
  nameOf: ({name}) => name,
});
