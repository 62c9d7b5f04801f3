import type {OfferedImage} from '../../world/catalogue.ts';
import {REGIONS} from '../../world/catalogue.ts';
import {json, notAcceptable, notFound, succeeded} from '../answer.ts';
import {pageOf} from '../paging.ts';
import {IMAGE, IMAGE_GROUP} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, fields, listOf, TEXT} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

const READS = {permission: 'machines:read', action: 'read images'} as const;
const BYTES_PER_GIB = 1_073_741_824;
const K8S_LABEL_ID = 31;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

export const imageRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/images',
    requires: READS,
    describes: {
      summary: 'List images, grouped by region and type',
      query: {
        region: TEXT,
        include_public: FLAG,
        search: TEXT,
        page: {type: 'integer', minimum: 1},
        per_page: {type: 'integer', minimum: 1},
      },
      reply: envelope({images: listOf(IMAGE_GROUP)}),
      refusals: [404, 406],
    },
    answer: listImages,
  },
  {
    method: 'GET',
    pattern: '/core/images/:id',
    requires: READS,
    describes: {
      summary: 'Read an image',
      query: {include_related_vms: FLAG},
      reply: fields({image: IMAGE}),
    },
    answer: getImage,
  },
];

// A query that makes no sense has a code of its own here.
function listImages({world, query}: Inquiry): Response {
  const regionName = query('region');
  if (regionName !== undefined && !REGIONS.some(({name}) => name === regionName)) {
    return notFound(`The region ${regionName} does not exist.`);
  }
  const includesPublic = FLAGS.get(query('include_public')?.toLowerCase() ?? 'true');
  if (includesPublic === undefined) return notAcceptable('include_public must be true or false.');
  const search = query('search')?.toLowerCase() ?? '';
  const found = world.images.filter(
    ({name, region, isPublic}) =>
      (regionName === undefined || region.name === regionName) &&
      (includesPublic || !isPublic) &&
      name.toLowerCase().includes(search),
  );
  const page = pageOf(found, {page: query('page'), pageSize: query('per_page'), sizeName: 'per_page'});
  if (!page.isValid) {
    const complaints = Object.entries(page.errors).map(([name, complaint]) => `${name} ${complaint}`);
    return notAcceptable(`${complaints.join('; ')}.`);
  }
  return succeeded('Getting images successful', {images: grouped(page.records)});
}

// This answer has no envelope.
function getImage({world, part, query}: Inquiry): Response {
  const offered = world.images.find(({id}) => String(id) === part('id'));
  if (offered === undefined) return notFound(`Image ${part('id')} does not exist.`);
  if (query('include_related_vms')?.toLowerCase() !== 'true') return json({image: imageBody(offered)});
  const related = world.machines.filter(
    ({image, flavor}) => image.name === offered.name && flavor.regionName === offered.region.name,
  );
  const relatedVms = related.map(({id, name, status}) => ({id, name, status}));
  return json({image: {...imageBody(offered), related_vms: relatedVms}});
}

/** The key of the groups and the key within them are the same word. */
function grouped(images: readonly OfferedImage[]) {
  const groups = Map.groupBy(images, ({region, type}) => `${region.name} ${type}`);
  return [...groups.values()].flatMap(members => {
    const [first] = members;
    if (first === undefined) return [];
    const {region, type} = first;
    const logo = `https://images.example/logos/${type.toLowerCase()}.png`;
    return [{region_name: region.name, green_status: region.greenStatus, type, logo, images: members.map(imageBody)}];
  });
}

function imageBody(offered: OfferedImage) {
  return {
    id: offered.id,
    name: offered.name,
    region_name: offered.region.name,
    type: offered.type,
    version: offered.version,
    size: offered.sizeGib * BYTES_PER_GIB,
    display_size: `${offered.sizeGib} GiB`,
    description: null,
    snapshot: offered.snapshot ?? null,
    is_public: offered.isPublic,
    created_at: zuluTimestamp(offered.createdAt),
    labels: offered.labels.map((label, index) => ({id: K8S_LABEL_ID + index, label})),
    flavor_restrictions: {has_flavor_restrictions: false, restriction_type: null, compatible_flavors: []},
  };
}
