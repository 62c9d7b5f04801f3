import * as z from 'zod';
import {type FlavorRestriction, type Image, type ImageId, imageId} from '../domain/image.ts';
import {defineRead} from './endpoint.ts';
import {
  amount,
  flag,
  isObject,
  labels,
  list,
  moment,
  nameOf,
  part,
  present,
  recordOf,
  requiredId,
  requiredName,
  shortText,
  text,
  under,
} from './fields.ts';

/** Larger than the catalogue, because it is not documented whether a page counts images or groups of images. */
const PAGE_SIZE = 1000;

const imageRecord = z.object({
  id: requiredId,
  name: requiredName,
  region_name: shortText,
  type: shortText,
  version: shortText,
  size: amount,
  display_size: shortText,
  description: text,
  green_status: shortText,
  is_public: flag,
  created_at: moment,
  labels,
  flavor_restrictions: part({
    has_flavor_restrictions: flag,
    restriction_type: shortText,
    compatible_flavors: list(nameOf),
  }),
});

/** The images offered, in all regions or in one, including the organization's own. */
export const images = defineRead<{readonly region?: string}, Image>({
  id: 'images.list',
  template: '/core/images',
  query: ({region}) => ({region}),
  collect: body => under(body, 'images')?.flatMap(imagesOfGroup),
  record: recordOf(imageRecord, toImage),
  paging: {pageParameter: 'page', sizeParameter: 'per_page', pageSize: PAGE_SIZE, countsGroups: true},
});

export const getImage = defineRead<{readonly id: ImageId}, Image>({
  id: 'images.get',
  template: '/core/images/{id}',
  isById: true,
  collect: body => under(body, 'image', 'images'),
  record: recordOf(imageRecord, toImage),
});

/**
 * An image takes the fields it lacks from its group. A group without images is kept as an unreadable record, unless it
 * is an image itself.
 */
function imagesOfGroup(group: unknown): readonly unknown[] {
  if (!isObject(group) || !Array.isArray(group.images)) return [group];
  const {region_name, type, green_status} = group;
  return group.images.map((image: unknown) =>
    isObject(image)
      ? {
          ...image,
          region_name: image.region_name ?? region_name,
          type: image.type ?? type,
          green_status: image.green_status ?? green_status,
        }
      : image,
  );
}

function toImage(parsed: z.output<typeof imageRecord>): Image {
  return present({
    id: imageId(parsed.id),
    name: parsed.name,
    regionName: parsed.region_name,
    imageType: parsed.type,
    version: parsed.version,
    sizeBytes: parsed.size,
    displaySize: parsed.display_size,
    description: parsed.description,
    greenStatus: parsed.green_status,
    isPublic: parsed.is_public,
    createdAt: parsed.created_at,
    labels: parsed.labels ?? [],
    flavorRestriction: restrictionOf(parsed.flavor_restrictions),
  });
}

function restrictionOf(part: z.output<typeof imageRecord>['flavor_restrictions']): FlavorRestriction | undefined {
  if (part?.has_flavor_restrictions !== true) return undefined;
  const flavorNames = (part.compatible_flavors ?? []).flatMap(name => name ?? []);
  return present({kind: part.restriction_type, flavorNames});
}
