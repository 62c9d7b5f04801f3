import {say} from '../domain/safe-text.ts';
import {getImage, images as imagesEndpoint} from '../api/images.ts';
import {type Image, imageId} from '../domain/image.ts';
import {imageRecordFeed, imagesFeed} from '../state/catalogue.ts';
import {formatBytesLong} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {field, momentText, wrappedField} from './detail.ts';
import {machinesWhere} from './related.ts';
import {AGE, age, type Column, number, text, type Value, yesNo} from './column.ts';
import {rawOf, readById, regionOf} from './listing.ts';
import {type Dated, dated, defineResource, type RowInput} from './resource.ts';

type ImageRow = Dated<Image>;

const COLUMNS: readonly Column<ImageRow>[] = [
  {key: 'id', title: 'ID', align: 'right', value: ({id}) => number(id)},
  {
    key: 'name',
    title: 'IMAGE',
    value: ({name}) => text(name),
    // Most names begin and end alike: what tells them apart is in the middle.
    list: {minWidth: 34, maxWidth: 64, flex: 8, tone: 'strong'},
  },
  {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName), list: {minWidth: 9}},
  {
    key: 'type',
    title: 'TYPE',
    value: ({imageType}) => text(imageType),
    list: {minWidth: 8, maxWidth: 16, flex: 1, priority: 2},
  },
  {
    key: 'owner',
    title: 'OWNER',
    printed: 'wide',
    value: image => text(ownerText(image)),
    list: {minWidth: 7, tone: image => (isPrivate(image) ? 'notice' : 'dim')},
  },
  {
    key: 'flavors',
    title: 'RUNS ON',
    printed: 'wide',
    value: ({flavorRestriction}) =>
      text(flavorRestriction === undefined ? 'all' : `${flavorRestriction.flavorNames.length} flavors`),
    list: {
      minWidth: 9,
      priority: 1,
      tone: ({flavorRestriction}) => (flavorRestriction === undefined ? 'dim' : 'warning'),
    },
  },
  {key: 'size', title: 'SIZE', align: 'right', unit: 'bytes', value: imageSize, list: {minWidth: 7}},
  {key: 'public', title: 'PUBLIC', value: ({isPublic}) => yesNo(isPublic)},
  {
    ...AGE,
    value: ({createdAt, now}) => age(createdAt, now),
    list: {minWidth: 5, priority: 3, tone: 'dim'},
  },
  {key: 'version', title: 'VERSION', printed: 'wide', value: ({version}) => text(version)},
  {key: 'labels', title: 'LABELS', printed: 'wide', value: ({labels}) => text(labels.join(' '))},
];

export const images = defineResource<Image, ImageRow>({
  names: ['images', 'image'],
  summary: 'images of machines; --region for one region',
  narrowedBy: ['region'],
  columns: COLUMNS,
  list: async ({client, signal, narrowing}) =>
    rawOf(await client.readRaw(imagesEndpoint, regionOf(narrowing), {signal})),
  one: readById(getImage, imageId),
  parse: imagesEndpoint.record,
  feed: imagesFeed,
  row: dated,
  orderWords: say`private first`,
  order: (left, right) => Number(isPrivate(right)) - Number(isPrivate(left)) || imageOrder(left, right),
  detail: imageLines,
  related: ({name, regionName}, store) => [
    machinesWhere(store, machine => machine.imageName === name && machine.regionName === regionName, `image:"${name}"`),
  ],
  recordIn: image => image,
  rawFeed: ({id}) => imageRecordFeed(id),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
  labelsOf: ({labels}) => labels,
});

function imageSize({sizeBytes, displaySize}: Image): Value | undefined {
  if (sizeBytes === undefined) return text(displaySize);
  return {text: formatBytesLong(sizeBytes), number: sizeBytes, plain: String(sizeBytes)};
}

/** This account's own images first, then by region, type and version. */
function imageOrder(left: Image, right: Image): number {
  return (
    (left.regionName ?? '').localeCompare(right.regionName ?? '', 'en') ||
    (left.imageType ?? '').localeCompare(right.imageType ?? '', 'en') ||
    (right.version ?? '').localeCompare(left.version ?? '', 'en', {numeric: true}) ||
    left.id - right.id
  );
}

function isPrivate({isPublic}: Image): boolean {
  return isPublic === false;
}

/** Whose it is. `private` stands out, because a deleted private image cannot be had again. */
function ownerText({isPublic}: Image): string | undefined {
  return isPublic === undefined ? undefined : isPublic ? 'public' : 'private';
}

/** Every field of the image, and the flavors it runs on. */
function imageLines(image: ImageRow, _known: RowInput, width: number): readonly Line[] {
  const {flavorRestriction, now} = image;
  return [
    field(
      'owner',
      isPrivate(image) ? 'private: only for this account' : ownerText(image),
      isPrivate(image) ? 'notice' : 'text',
    ),
    field('region', image.regionName),
    field('type', image.imageType),
    field('version', image.version),
    field('size', image.displaySize ?? (image.sizeBytes === undefined ? undefined : formatBytesLong(image.sizeBytes))),
    ...(flavorRestriction === undefined
      ? [field('runs on', 'every flavor of its region')]
      : wrappedField(flavorRestriction.kind ?? 'runs only on', flavorsText(flavorRestriction), width, 'warning')),
    ...wrappedField('description', image.description ?? 'none', width),
    ...wrappedField('labels', image.labels.length === 0 ? 'none' : image.labels.join('  '), width),
    field('green status', image.greenStatus),
    field('created', momentText(image.createdAt, now)),
    field('id', String(image.id)),
  ];
}

function flavorsText({flavorNames}: NonNullable<Image['flavorRestriction']>): string {
  return flavorNames.length === 0 ? 'some flavors, which the service does not name' : flavorNames.join('  ');
}
