import {getVolume, listVolumes} from '../api/volumes.ts';
import {presentAttachments, type Volume, volumeId} from '../domain/volume.ts';
import {age, defineResource, number, type Resource, rawOf, text, type Value, yesNo} from './resource.ts';

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
