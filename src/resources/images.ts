import {getImage, images as imagesEndpoint} from '../api/images.ts';
import {type Image, imageId} from '../domain/image.ts';
import {age, type Dated, dated, defineResource, number, rawOf, regionOf, text, type Value, yesNo} from './resource.ts';

export const images = defineResource<Image, Dated<Image>>({
  names: ['images', 'image'],
  summary: 'what machines can start as; --region for one region',
  narrowedBy: ['region'],
  columns: [
    {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
    {key: 'name', title: 'NAME', value: ({name}) => text(name)},
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'type', title: 'TYPE', value: ({imageType}) => text(imageType)},
    {key: 'size', title: 'SIZE', align: 'right', value: imageSize},
    {key: 'public', title: 'PUBLIC', value: ({isPublic}) => yesNo(isPublic)},
    {key: 'age', title: 'AGE', align: 'right', value: ({createdAt, now}) => age(createdAt, now)},
    {key: 'version', title: 'VERSION', printed: 'wide', value: ({version}) => text(version)},
    {key: 'labels', title: 'LABELS', printed: 'wide', value: ({labels}) => text(labels.join(' '))},
  ],
  list: async ({client, signal, narrowing}) => rawOf(await client.read(imagesEndpoint, regionOf(narrowing), {signal})),
  one: async ({client, signal}, id) => rawOf(await client.read(getImage, {id: imageId(id)}, {signal})),
  parse: imagesEndpoint.record,
  row: dated,
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

function imageSize({sizeBytes, displaySize}: Image): Value | undefined {
  if (sizeBytes === undefined) return text(displaySize);
  return {text: displaySize ?? String(sizeBytes), number: sizeBytes, plain: String(sizeBytes)};
}
