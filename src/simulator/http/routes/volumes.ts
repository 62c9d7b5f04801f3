import type {Volume} from '../../world/volumes.ts';
import {createVolume as create, deleteVolume, moveVolume as move} from '../../world/volumes.ts';
import {badRequest, invalidInput, notFound, succeeded} from '../answer.ts';
import {readBody} from '../body.ts';
import {pageOf} from '../paging.ts';
import {VOLUME} from '../records.ts';
import type {Inquiry, Route} from '../route.ts';
import {CALLBACK_URL, envelope, fields, NAME, PAGE_QUERY, pagedList, TEXT, TEXTS} from '../schema.ts';
import {answered} from './outcome-answer.ts';
import {volumeBody} from './volume-body.ts';

const READS = {permission: 'machines:read', action: 'read volumes'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change volumes'} as const;
const VOLUME_TYPE = 'Cloud-SSD';
const LARGEST_GB = 1_048_576;
/** An image needs so much room. */
const SMALLEST_BOOTABLE_GB = 100;
const CREATION = fields(
  {
    name: NAME,
    environment_name: TEXT,
    size: {type: 'integer', minimum: 1, maximum: LARGEST_GB, description: 'Gigabytes.'},
    volume_type: {type: 'string', enum: [VOLUME_TYPE]},
  },
  {description: TEXT, image_id: {type: 'integer'}, callback_url: CALLBACK_URL},
);
const MOVE = fields({environment_name: TEXT});

export const volumeRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/volumes',
    requires: READS,
    describes: {
      summary: 'List volumes',
      query: {...PAGE_QUERY, environment: TEXT},
      reply: pagedList('volumes', VOLUME),
    },
    answer: listVolumes,
  },
  {
    method: 'POST',
    pattern: '/core/volumes',
    requires: OPERATES,
    takesBody: true,
    describes: {summary: 'Create a volume', body: CREATION, reply: envelope({volume: VOLUME}), refusals: [404]},
    answer: createVolume,
  },
  {
    method: 'GET',
    pattern: '/core/volumes/:volume_id',
    requires: READS,
    describes: {summary: 'Read a volume', reply: envelope({volume: VOLUME})},
    answer: inquiry =>
      withVolume(inquiry, volume =>
        succeeded('Getting volume successful', {volume: {...volumeBody(volume), os_image: volume.image?.name ?? null}}),
      ),
  },
  {
    method: 'PATCH',
    pattern: '/core/volumes/:volume_id',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Move a volume into another environment of its region',
      body: MOVE,
      reply: envelope({volume: VOLUME}),
    },
    answer: inquiry => withVolume(inquiry, volume => moveVolume(inquiry, volume)),
  },
  {
    method: 'DELETE',
    pattern: '/core/volumes/:volume_id',
    requires: OPERATES,
    describes: {summary: 'Delete a volume that hangs on nothing', refusals: [400]},
    answer: inquiry =>
      withVolume(inquiry, volume =>
        answered(deleteVolume(inquiry.world, volume), () => succeeded('Volume deletion scheduled')),
      ),
  },
  {
    method: 'GET',
    pattern: '/core/volume-types',
    requires: READS,
    describes: {summary: 'List the types a volume can have', reply: envelope({volume_types: TEXTS})},
    answer: () => succeeded('Getting volume types successful', {volume_types: [VOLUME_TYPE]}),
  },
];

function withVolume({world, part}: Inquiry, answer: (volume: Volume) => Response): Response {
  const volume = world.volumes.find(({id}) => String(id) === part('volume_id'));
  return volume === undefined ? notFound(`Volume ${part('volume_id')} does not exist.`) : answer(volume);
}

function listVolumes({world, query}: Inquiry): Response {
  const search = query('search')?.toLowerCase() ?? '';
  const place = query('environment');
  const found = world.volumes.filter(({id, name, environment}) => {
    const isThere = place === undefined || environment.name === place || String(environment.id) === place;
    return isThere && (name.toLowerCase().includes(search) || String(id).includes(search));
  });
  const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting volumes successful', {...page.keys, volumes: page.records.map(volumeBody)});
}

function createVolume({world, body}: Inquiry): Response {
  const reading = readBody(body, CREATION);
  if (!reading.isValid) return reading.refusal;
  const {text, integer} = reading.fields;
  const [imageId, sizeGb] = [integer('image_id'), integer('size') ?? 0];
  const offered = world.images.find(({id}) => id === imageId);
  if (imageId !== undefined && offered === undefined) return notFound(`Image ${imageId} does not exist.`);
  if (offered !== undefined && sizeGb < SMALLEST_BOOTABLE_GB) {
    return badRequest(`A bootable volume must have at least ${SMALLEST_BOOTABLE_GB} GB.`);
  }
  const outcome = create(world, {
    name: text('name') ?? '',
    environmentName: text('environment_name') ?? '',
    sizeGb,
    description: text('description') ?? '',
    isBootable: offered !== undefined,
    image: offered && {...offered.image, id: offered.id},
    callbackUrl: text('callback_url') ?? null,
  });
  return answered(outcome, volume => succeeded('Volume creation scheduled', {volume: volumeBody(volume)}));
}

function moveVolume({world, body}: Inquiry, volume: Volume): Response {
  const reading = readBody(body, MOVE);
  if (!reading.isValid) return reading.refusal;
  return answered(move(world, volume, reading.fields.text('environment_name') ?? ''), moved =>
    succeeded('Volume updated', {volume: volumeBody(moved)}),
  );
}
