import {accessKeys as accessKeysEndpoint, buckets as bucketsEndpoint} from '../api/object-storage.ts';
import {getVolume, listVolumes} from '../api/volumes.ts';
import type {AccessKey, Bucket} from '../domain/object-storage.ts';
import {presentAttachments, type Volume, volumeId} from '../domain/volume.ts';
import {
  age,
  defineResource,
  number,
  type Resource,
  type RowContext,
  rawOf,
  text,
  type Value,
  yesNo,
} from './resource.ts';

export const volumes: Resource = defineResource<Volume>({
  names: ['volumes', 'volume', 'vol', 'vols'],
  summary: 'volumes',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'state', title: 'STATE', value: ({statusText}) => text(statusText)},
    {key: 'size', title: 'SIZE GB', align: 'right', value: ({sizeGb}) => number(sizeGb)},
    {key: 'type', title: 'TYPE', value: ({volumeType}) => text(volumeType)},
    {key: 'machines', title: 'VMS', value: attachedTo},
    {key: 'environment', title: 'ENVIRONMENT', value: ({environmentName}) => text(environmentName)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'bootable', title: 'BOOTABLE', shown: 'wide', value: ({isBootable}) => yesNo(isBootable)},
    {key: 'region', title: 'REGION', shown: 'wide', value: ({regionName}) => text(regionName)},
    {key: 'description', title: 'DESCRIPTION', shown: 'wide', value: ({description}) => text(description)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(listVolumes, {}, {signal, onPage})),
  canStream: true,
  one: async ({client, signal}, id) => rawOf(await client.read(getVolume, {id: volumeId(id)}, {signal})),
  parse: listVolumes.record,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

function attachedTo(volume: Volume): Value | undefined {
  return text(
    presentAttachments(volume)
      .flatMap(({machineId}) => machineId ?? [])
      .join(' '),
  );
}

export const accessKeys: Resource = defineResource<AccessKey>({
  names: ['access-keys', 'access-key'],
  summary: 'access keys of the object storage, their public halves',
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'key', title: 'ACCESS KEY', value: ({accessKey}) => text(accessKey)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'description', title: 'DESCRIPTION', value: ({description}) => text(description)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'user', title: 'USER', shown: 'wide', align: 'right', value: ({userId}) => number(userId)},
  ],
  list: async ({client, signal, onPage}) => rawOf(await client.read(accessKeysEndpoint, {}, {signal, onPage})),
  canStream: true,
  parse: accessKeysEndpoint.record,
  idOf: ({id}) => id,
  nameOf: ({accessKey}) => accessKey,
});

export const buckets: Resource = defineResource<Bucket>({
  names: ['buckets', 'bucket'],
  summary: 'buckets of the object storage',
  columns: [
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'objects', title: 'OBJECTS', align: 'right', value: ({objectCount}) => number(objectCount)},
    {key: 'size', title: 'SIZE', align: 'right', value: ({sizeBytes}, context) => bytes(sizeBytes, context)},
    {key: 'stored', title: 'STORED', align: 'right', value: ({storedBytes}, context) => bytes(storedBytes, context)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt}, context) => age(createdAt, context)},
    {key: 'endpoint', title: 'ENDPOINT', shown: 'wide', value: ({endpoint}) => text(endpoint)},
  ],
  list: async ({client, signal}) => rawOf(await client.read(bucketsEndpoint, {}, {signal})),
  parse: bucketsEndpoint.record,
  idOf: ({name}) => name,
  nameOf: ({name}) => name,
});

function bytes(count: number | undefined, {format}: RowContext): Value | undefined {
  return count === undefined ? undefined : {text: format.formatBytes(count), number: count, plain: String(count)};
}
