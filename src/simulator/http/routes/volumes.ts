import * as z from 'zod';
import {
  attachVolumes,
  createVolume,
  deleteVolume,
  detachVolumes,
  moveVolume,
  protectAttachment,
  setVolumeCallback,
  VOLUME_LIMIT,
  type Volume,
  type VolumeAttachment,
} from '../../world/volumes.ts';
import {answered, badRequest, notFound, succeeded} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {idIn, type Route, type RouteRequest, route} from '../route.ts';
import {CALLBACK_URL, envelope, FLAG, ID, INTEGER, NAME, optional, PAGE_QUERY, pagedList, TEXT} from '../schema.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {availability, ENVIRONMENT, environmentFeatures, NAME_AVAILABILITY} from './environments.ts';
import {withMachine} from './virtual-machines.ts';

const READS = {permission: 'machines:read', action: 'read volumes'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change volumes'} as const;
const ATTACHES = {permission: 'machines:operate', action: 'attach and detach volumes'} as const;
const VOLUME_TYPE = 'Cloud-SSD';
const LARGEST_GB = 1_048_576;
/** The size an image needs. */
const SMALLEST_BOOTABLE_GB = 100;

const ATTACHMENT_STATUS = z.enum(['ATTACHING', 'ATTACHED', 'DETACHING', 'DETACHED']);
const VOLUME = z.object({
  id: ID,
  name: TEXT,
  environment: ENVIRONMENT.omit({id: true, created_at: true}),
  description: TEXT,
  volume_type: TEXT,
  size: INTEGER.meta({description: 'Gigabytes.'}),
  status: z.enum(['creating', 'available', 'attaching', 'in-use', 'detaching', 'deleting', 'error']),
  bootable: FLAG,
  image_id: INTEGER.nullable(),
  callback_url: TEXT.nullable(),
  created_at: TEXT,
  updated_at: TEXT.nullable(),
  attachments: z.array(z.object({id: ID, instance_id: ID, device: TEXT, status: ATTACHMENT_STATUS, protected: FLAG})),
  os_image: TEXT.nullable().optional(),
});
/** An attachment by itself. */
const ATTACHMENT = z.object({
  id: ID,
  instance_id: ID,
  volume_id: ID,
  device: TEXT,
  status: ATTACHMENT_STATUS,
  protected: FLAG,
  created_at: TEXT,
});

const VOLUME_REQUEST = z.strictObject({
  name: NAME,
  environment_name: TEXT,
  size: z.int().min(1).max(LARGEST_GB).meta({description: 'Gigabytes.'}),
  volume_type: z.enum([VOLUME_TYPE]),
  description: optional(TEXT),
  image_id: optional(INTEGER),
  callback_url: optional(CALLBACK_URL),
});
const VOLUME_IDS = z.array(INTEGER).min(1).max(VOLUME_LIMIT);
const ATTACHMENT_REQUEST = z.strictObject({volume_ids: VOLUME_IDS, protected: optional(FLAG)});
const DETACHMENT_REQUEST = z.strictObject({volume_ids: VOLUME_IDS});

export const volumeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/core/volumes',
    summary: 'List volumes',
    isTimeless: true,
    requires: READS,
    query: PAGE_QUERY.extend({environment: TEXT.optional()}),
    reply: pagedList('volumes', VOLUME),
    answer: request => {
      const place = request.query('environment');
      const isFound = finder(request);
      const found = request.world.volumes.filter(
        ({id, name, environment}) =>
          (place === undefined || environment.name === place || String(environment.id) === place) && isFound(name, id),
      );
      return answerPage(request, found, {
        message: 'Getting volumes successful',
        name: 'volumes',
        bodyOf: volumeBody,
      });
    },
  }),
  route({
    method: 'POST',
    path: '/core/volumes',
    summary: 'Create a volume',
    requires: OPERATES,
    body: VOLUME_REQUEST,
    reply: envelope({volume: VOLUME}),
    refusals: [404],
    answer: ({world, read}) => read(body => createAsked(world, body)),
  }),
  route({
    method: 'GET',
    path: '/core/volumes/:volume_id',
    summary: 'Read a volume',
    requires: READS,
    reply: envelope({volume: VOLUME}),
    answer: request =>
      withVolume(request, volume =>
        succeeded('Getting volume successful', {volume: {...volumeBody(volume), os_image: volume.image?.name ?? null}}),
      ),
  }),
  route({
    method: 'PATCH',
    path: '/core/volumes/:volume_id',
    summary: 'Move a volume into another environment of its region',
    requires: OPERATES,
    body: z.strictObject({environment_name: TEXT}),
    reply: envelope({volume: VOLUME}),
    answer: request =>
      withVolume(request, volume =>
        request.read(({environment_name: environmentName}) =>
          answered(moveVolume(request.world, volume, environmentName), moved =>
            succeeded('Volume updated', {volume: volumeBody(moved)}),
          ),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/core/volumes/:volume_id',
    summary: 'Delete an unattached volume',
    requires: OPERATES,
    refusals: [400],
    answer: request =>
      withVolume(request, volume =>
        answered(deleteVolume(request.world, volume), () => succeeded('Volume deletion scheduled')),
      ),
  }),
  ...(['attach', 'update'] as const).map(step =>
    route({
      method: step === 'attach' ? 'POST' : 'PUT',
      path: `/core/volumes/:volume_id/${step}-callback`,
      summary: `${step === 'attach' ? 'Attach' : 'Change'} the callback URL of a volume`,
      requires: OPERATES,
      body: z.strictObject({url: CALLBACK_URL}),
      reply: envelope({url: TEXT}),
      answer: request =>
        withVolume(request, volume =>
          request.read(({url}) =>
            answered(setVolumeCallback(request.world, volume, step, url), () =>
              succeeded(`Callback ${step === 'attach' ? 'attached' : 'updated'}`, {url}),
            ),
          ),
        ),
    }),
  ),
  route({
    method: 'DELETE',
    path: '/core/volumes/:volume_id/delete-callback',
    summary: 'Delete the callback URL of a volume',
    requires: OPERATES,
    refusals: [400],
    answer: request =>
      withVolume(request, volume =>
        answered(setVolumeCallback(request.world, volume, 'delete', null), () => succeeded('Callback deleted')),
      ),
  }),
  route({
    method: 'GET',
    // The only path with volumes in the singular.
    path: '/core/volume/name-availability/:name',
    summary: 'Check whether a name is free for a volume',
    requires: READS,
    reply: NAME_AVAILABILITY,
    answer: ({world, param}) => availability(param('name'), world.volumes),
  }),
  route({
    method: 'GET',
    path: '/core/volume-types',
    summary: 'List the types a volume can have',
    requires: READS,
    reply: envelope({volume_types: z.array(TEXT)}),
    answer: () => succeeded('Getting volume types successful', {volume_types: [VOLUME_TYPE]}),
  }),
  route({
    method: 'POST',
    path: '/core/virtual-machines/:vm_id/attach-volumes',
    summary: 'Attach volumes to a virtual machine',
    requires: ATTACHES,
    body: ATTACHMENT_REQUEST,
    reply: envelope({volume_attachments: z.array(ATTACHMENT)}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({volume_ids: volumeIds, protected: isProtected = false}) => {
          const attachment = {volumeIds, isProtected, userId: request.caller.user.id};
          return answered(attachVolumes(request.world, machine, attachment), attachmentsAnswer('attach'));
        }),
      ),
  }),
  route({
    method: 'POST',
    path: '/core/virtual-machines/:vm_id/detach-volumes',
    summary: 'Detach volumes from a virtual machine',
    requires: ATTACHES,
    body: DETACHMENT_REQUEST,
    reply: envelope({volume_attachments: z.array(ATTACHMENT)}),
    answer: request =>
      withMachine(request, machine =>
        request.read(({volume_ids: volumeIds}) =>
          answered(
            detachVolumes(request.world, machine, volumeIds, request.caller.user.id),
            attachmentsAnswer('detach'),
          ),
        ),
      ),
  }),
  route({
    method: 'PATCH',
    path: '/core/volume-attachments/:id',
    summary: 'Protect an attachment, or no longer',
    requires: ATTACHES,
    body: z.strictObject({protected: FLAG}),
    reply: envelope({attachment: ATTACHMENT}),
    answer: ({world, param, read}) =>
      read(({protected: isProtected}) =>
        answered(protectAttachment(world, idIn(param('id')), isProtected), attachment =>
          succeeded('Volume attachment updated', {attachment: attachmentBody(attachment)}),
        ),
      ),
  }),
];

function withVolume(
  {world, param}: Pick<RouteRequest, 'world' | 'param'>,
  answer: (volume: Volume) => Response,
): Response {
  const volume = world.volumes.find(({id}) => String(id) === param('volume_id'));
  return volume === undefined ? notFound(`Volume ${param('volume_id')} does not exist.`) : answer(volume);
}

function createAsked(world: RouteRequest['world'], body: z.output<typeof VOLUME_REQUEST>): Response {
  const {image_id: imageId, size: sizeGb} = body;
  const offered = world.images.find(({id}) => id === imageId);
  if (imageId !== undefined && offered === undefined) return notFound(`Image ${imageId} does not exist.`);
  if (offered !== undefined && sizeGb < SMALLEST_BOOTABLE_GB) {
    return badRequest(`A bootable volume must have at least ${SMALLEST_BOOTABLE_GB} GB.`);
  }
  const outcome = createVolume(world, {
    name: body.name,
    environmentName: body.environment_name,
    sizeGb,
    description: body.description ?? '',
    isBootable: offered !== undefined,
    image: offered && {...offered.image, id: offered.id},
    callbackUrl: body.callback_url ?? null,
  });
  return answered(outcome, volume => succeeded('Volume creation scheduled', {volume: volumeBody(volume)}));
}

/** A volume with its attachments, including past ones. */
function volumeBody(volume: Volume): z.output<typeof VOLUME> {
  const {environment} = volume;
  return {
    id: volume.id,
    name: volume.name,
    environment: {
      name: environment.name,
      region: environment.regionName,
      features: environmentFeatures(environment),
    },
    description: volume.description,
    volume_type: VOLUME_TYPE,
    size: volume.sizeGb,
    status: volume.status,
    bootable: volume.isBootable ?? false,
    image_id: volume.image?.id ?? null,
    callback_url: volume.callbackUrl,
    created_at: bareTimestamp(volume.createdAt),
    updated_at: volume.updatedAt === null ? null : bareTimestamp(volume.updatedAt),
    attachments: volume.attachments.map(({id, machineId, device, status, isProtected}) => ({
      id,
      instance_id: machineId,
      device,
      status,
      protected: isProtected,
    })),
  };
}

function attachmentsAnswer(step: 'attach' | 'detach') {
  return (attachments: readonly VolumeAttachment[]): Response =>
    succeeded(`Volume ${step}ment scheduled`, {volume_attachments: attachments.map(attachmentBody)});
}

function attachmentBody(attachment: VolumeAttachment): z.output<typeof ATTACHMENT> {
  return {
    id: attachment.id,
    instance_id: attachment.machineId,
    volume_id: attachment.volume.id,
    device: attachment.device,
    status: attachment.status,
    protected: attachment.isProtected,
    created_at: zuluTimestamp(attachment.createdAt),
  };
}
