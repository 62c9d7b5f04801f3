import * as z from 'zod';
import {type OfferedImage, REGIONS} from '../../world/catalogue.ts';
import {json, notAcceptable, notFound, succeeded} from '../answers.ts';
import {finder, pageOf} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {envelope, FLAG, ID, INTEGER, RECORD, TEXT} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

const READS = {permission: 'machines:read', action: 'read images'} as const;
const BYTES_PER_GIB = 1_073_741_824;
const K8S_LABEL_ID = 31;
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const IMAGE = z.object({
  id: ID,
  name: TEXT,
  region_name: TEXT,
  type: TEXT,
  version: TEXT,
  size: INTEGER.meta({description: 'Bytes.'}),
  display_size: TEXT,
  description: TEXT.nullable(),
  snapshot: z.object({id: ID, name: TEXT}).nullable(),
  is_public: FLAG,
  created_at: TEXT,
  labels: z.array(z.object({id: ID, label: TEXT})),
  flavor_restrictions: RECORD,
  related_vms: z.array(z.object({id: ID, name: TEXT, status: TEXT})).optional(),
});
/** `images` within `images`. */
const IMAGE_GROUP = z.object({
  region_name: TEXT,
  green_status: TEXT,
  type: TEXT,
  logo: TEXT,
  images: z.array(IMAGE),
});

export const imageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/core/images',
    summary: 'List images, grouped by region and type',
    requires: READS,
    query: z.object({
      region: TEXT.optional(),
      include_public: FLAG.optional(),
      search: TEXT.optional(),
      page: ID.optional(),
      per_page: ID.optional(),
    }),
    reply: envelope({images: z.array(IMAGE_GROUP)}),
    refusals: [404, 406],
    answer: listImages,
  }),
  route({
    method: 'GET',
    path: '/core/images/:id',
    summary: 'Read an image',
    requires: READS,
    query: z.object({include_related_vms: FLAG.optional()}),
    // This answer is a bare object.
    reply: z.object({image: IMAGE}),
    answer: ({world, param, query}) => {
      const offered = world.images.find(({id}) => String(id) === param('id'));
      if (offered === undefined) return notFound(`Image ${param('id')} does not exist.`);
      if (query('include_related_vms')?.toLowerCase() !== 'true') return json({image: imageBody(offered)});
      const related = world.machines.filter(
        ({image, flavor}) => image.name === offered.name && flavor.regionName === offered.region.name,
      );
      const relatedVms = related.map(({id, name, status}) => ({id, name, status}));
      return json({image: {...imageBody(offered), related_vms: relatedVms}});
    },
  }),
];

// An invalid query has its own code here.
function listImages(request: RouteRequest): Response {
  const {world, query} = request;
  const regionName = query('region');
  if (regionName !== undefined && !REGIONS.some(({name}) => name === regionName)) {
    return notFound(`The region ${regionName} does not exist.`);
  }
  const includesPublic = FLAGS.get(query('include_public')?.toLowerCase() ?? 'true');
  if (includesPublic === undefined) return notAcceptable('include_public must be true or false.');
  const isFound = finder(request);
  const found = world.images.filter(
    ({name, region, isPublic}) =>
      (regionName === undefined || region.name === regionName) && (includesPublic || !isPublic) && isFound(name),
  );
  const page = pageOf(request, found, 'per_page');
  if (!page.isValid) {
    const complaints = Object.entries(page.errors).map(([name, complaint]) => `${name} ${complaint}`);
    return notAcceptable(`${complaints.join('; ')}.`);
  }
  return succeeded('Getting images successful', {images: grouped(page.records)});
}

/** The groups and the images within them have the same key. */
function grouped(images: readonly OfferedImage[]): z.output<typeof IMAGE_GROUP>[] {
  const groups = Map.groupBy(images, ({region, type}) => `${region.name} ${type}`);
  return [...groups.values()].flatMap(members => {
    const [first] = members;
    if (first === undefined) return [];
    const {region, type} = first;
    const logo = `https://images.example/logos/${type.toLowerCase()}.png`;
    return [{region_name: region.name, green_status: region.greenStatus, type, logo, images: members.map(imageBody)}];
  });
}

function imageBody(offered: OfferedImage): z.output<typeof IMAGE> {
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
