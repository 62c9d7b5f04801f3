import type {Image} from '../../domain/image.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {Column} from '../../resources/resource.ts';
import {imagesFeed} from '../../state/catalogue.ts';
import {formatBytes, formatBytesLong} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {ageColumn, numberColumn, textColumn} from '../column.ts';
import {field, momentText, wrappedField} from '../detail.ts';
import type {Scene} from '../pane.ts';

export type ImageRow = {readonly image: Image; readonly now: EpochMs};

/** The images: those of this account first, since nobody else has them, then by region, type and version. */
export function imageRows({store, now}: Pick<Scene, 'store' | 'now'>): readonly ImageRow[] | undefined {
  const images = lastValue(store.get(imagesFeed))?.records;
  return images
    ?.map(image => ({image, now}))
    .sort((left, right) => Number(isPrivate(right)) - Number(isPrivate(left)) || imageOrder(left.image, right.image));
}

function imageOrder(left: Image, right: Image): number {
  return (
    (left.regionName ?? '').localeCompare(right.regionName ?? '', 'en') ||
    (left.imageType ?? '').localeCompare(right.imageType ?? '', 'en') ||
    (right.version ?? '').localeCompare(left.version ?? '', 'en', {numeric: true}) ||
    left.id - right.id
  );
}

function isPrivate({image}: ImageRow): boolean {
  return image.isPublic === false;
}

/** Whose it is: `private` stands out, since a private image is gone for everyone when it is deleted. */
function ownerText({image: {isPublic}}: ImageRow): string | undefined {
  return isPublic === undefined ? undefined : isPublic ? 'public' : 'private';
}

export const IMAGE_COLUMNS: readonly Column<ImageRow>[] = [
  textColumn({key: 'name', title: 'IMAGE', minWidth: 18, maxWidth: 64, flex: 8}, ({image}) => image.name, {
    tone: 'strong',
  }),
  textColumn({key: 'region', title: 'REGION', minWidth: 9}, ({image}) => image.regionName),
  textColumn({key: 'type', title: 'TYPE', minWidth: 8, maxWidth: 16, flex: 1}, ({image}) => image.imageType),
  textColumn({key: 'owner', title: 'OWNER', minWidth: 7}, ownerText, {
    tone: row => (isPrivate(row) ? 'notice' : 'dim'),
  }),
  textColumn(
    {key: 'flavors', title: 'RUNS ON', minWidth: 9, priority: 1},
    ({image: {flavorRestriction}}) =>
      flavorRestriction === undefined ? 'all' : `${flavorRestriction.flavorNames.length} flavors`,
    {tone: ({image}) => (image.flavorRestriction === undefined ? 'dim' : 'warning')},
  ),
  numberColumn({key: 'size', title: 'SIZE', minWidth: 5}, ({image}) => image.sizeBytes, formatBytes),
  ageColumn({key: 'age', title: 'AGE', minWidth: 5, priority: 3}, ({image}) => image.createdAt),
];

/** Every field of the image, and the flavors it runs on. */
export function imageLines(row: ImageRow, _scene: Scene, width: number): readonly Line[] {
  const {image, now} = row;
  const {flavorRestriction} = image;
  return [
    field(
      'owner',
      isPrivate(row) ? 'private: of this account alone' : ownerText(row),
      isPrivate(row) ? 'notice' : 'text',
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
