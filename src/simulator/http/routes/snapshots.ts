import * as z from 'zod';
import {REGIONS} from '../../world/catalogue.ts';
import {MACHINE_NAME_LIMIT} from '../../world/machine-creation.ts';
import {
  createImage,
  createSnapshot,
  deleteImage,
  deleteSnapshot,
  isImageNameTaken,
  isSnapshotNameTaken,
  restoreSnapshot,
  type Snapshot,
} from '../../world/snapshots.ts';
import type {World} from '../../world/world.ts';
import {answered, json, notFound, succeeded} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {
  EXISTING_NAME,
  envelope,
  FLAG,
  ID,
  INTEGER,
  optional,
  PAGE_QUERY,
  pagedList,
  READABLE_NAME,
  TEXT,
  text,
} from '../schema.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {NAME_AVAILABILITY} from './environments.ts';
import {MACHINE, machineBody, withMachine} from './virtual-machines.ts';

// Snapshots of machines, images made from them, and machines restored from them. The documents give no price for a
// snapshot, so it is free here.

const READS = {permission: 'machines:read', action: 'read snapshots'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change snapshots'} as const;
const MANAGES_IMAGES = {permission: 'machines:operate', action: 'change images'} as const;

const LABELS = z.array(EXISTING_NAME);
const SNAPSHOT = z.object({
  id: ID,
  name: TEXT,
  description: TEXT,
  status: z.enum(['CREATING', 'SUCCESS', 'DELETING']),
  size: INTEGER.meta({description: 'Gigabytes.'}),
  region_id: ID,
  vm_id: ID,
  is_image: FLAG,
  has_floating_ip: FLAG,
  labels: LABELS,
  created_at: TEXT,
  updated_at: TEXT,
});
/** A snapshot by itself, including the machine it was taken of. */
const WHOLE_SNAPSHOT = SNAPSHOT.extend({
  region: TEXT,
  vm_name: TEXT,
  vm_status: TEXT,
  vm_environment: TEXT,
  vm_flavor: TEXT,
  vm_image: TEXT.nullable(),
  vm_keypair: TEXT,
  custom_image: TEXT.nullable(),
});
const SNAPSHOT_EVENT = z.object({
  id: ID,
  snapshot_id: ID,
  user_id: ID,
  org_id: ID,
  time: TEXT,
  type: TEXT,
  reason: TEXT,
  object: TEXT.meta({description: 'The name of the snapshot.'}),
  message: TEXT,
});

export const snapshotRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/core/virtual-machines/:vm_id/snapshots',
    summary: 'Take a snapshot of a virtual machine',
    requires: OPERATES,
    body: z.strictObject({name: READABLE_NAME, description: text(0, 250), labels: optional(LABELS)}),
    reply: envelope({snapshot: SNAPSHOT}),
    replyStatus: 201,
    refusals: [409],
    answer: request =>
      withMachine(request, machine =>
        request.read(({labels = [], ...body}) =>
          answered(createSnapshot(request.world, machine, {...body, labels}, request.caller.user.id), snapshot =>
            succeeded('Snapshot creation scheduled', {snapshot: snapshotBody(snapshot)}, 201),
          ),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: '/core/snapshots',
    summary: 'List snapshots',
    requires: READS,
    query: PAGE_QUERY,
    reply: pagedList('snapshots', SNAPSHOT),
    answer: request => {
      const isFound = finder(request);
      const found = request.world.snapshots.filter(({name, id}) => isFound(name, id));
      const message = 'Getting snapshots successful';
      return answerPage(request, found, {message, name: 'snapshots', bodyOf: snapshotBody});
    },
  }),
  route({
    method: 'GET',
    path: '/core/snapshots/name-availability/:name',
    summary: 'Check whether a name is free for a snapshot',
    requires: READS,
    reply: NAME_AVAILABILITY,
    answer: ({world, param}) => nameAnswer(param('name'), isSnapshotNameTaken(world, param('name'))),
  }),
  route({
    method: 'GET',
    path: '/core/snapshots/:snapshot_id',
    summary: 'Read a snapshot',
    requires: READS,
    // The status is a number here.
    reply: z.object({status: INTEGER, message: TEXT, snapshot: WHOLE_SNAPSHOT}),
    answer: request =>
      withSnapshot(request, snapshot =>
        json({
          status: 200,
          message: 'Getting snapshot successful',
          snapshot: wholeBody(snapshot, request.world),
        }),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/core/snapshots/:snapshot_id',
    summary: 'Delete a snapshot',
    requires: OPERATES,
    answer: request =>
      withSnapshot(request, snapshot =>
        answered(deleteSnapshot(request.world, snapshot, request.caller.user.id), () =>
          succeeded('Snapshot deletion scheduled'),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: '/core/snapshots/:snapshot_id/restore',
    summary: 'Restore a snapshot as a new virtual machine',
    requires: OPERATES,
    body: z.strictObject({new_vm_name: text(1, MACHINE_NAME_LIMIT), contract_id: optional(ID)}),
    reply: envelope({instances: z.array(MACHINE)}),
    refusals: [409],
    answer: request => withSnapshot(request, snapshot => request.read(body => restored(request, snapshot, body))),
  }),
  route({
    method: 'POST',
    path: '/core/snapshots/:snapshot_id/image',
    summary: 'Create an image from a snapshot',
    requires: MANAGES_IMAGES,
    body: z.strictObject({name: READABLE_NAME, labels: optional(LABELS)}),
    reply: envelope({id: ID}),
    replyStatus: 201,
    refusals: [409],
    answer: request =>
      withSnapshot(request, snapshot =>
        request.read(({name, labels = []}) =>
          answered(createImage(request.world, snapshot, {name, labels}, request.caller.user.id), ({id}) =>
            succeeded('Image created', {id}, 201),
          ),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: '/core/snapshots/:snapshot_id/events',
    summary: 'Read the history of a snapshot',
    requires: READS,
    reply: envelope({snapshot_events: z.array(SNAPSHOT_EVENT)}),
    answer: request =>
      withSnapshot(request, snapshot =>
        succeeded('Getting snapshot events successful', {snapshot_events: eventBodies(snapshot, request.world)}),
      ),
  }),
  route({
    method: 'GET',
    // The only path with images in the singular.
    path: '/core/image/name-availability/:name',
    summary: 'Check whether a name is free for an image',
    requires: READS,
    reply: NAME_AVAILABILITY,
    answer: ({world, param}) => nameAnswer(param('name'), isImageNameTaken(world, param('name'))),
  }),
  route({
    method: 'DELETE',
    path: '/core/images/:id',
    summary: 'Delete an image of your own',
    requires: MANAGES_IMAGES,
    answer: ({world, param}) => {
      const image = world.images.find(({id}) => String(id) === param('id'));
      return image === undefined
        ? notFound(`Image ${param('id')} does not exist.`)
        : answered(deleteImage(world, image), () => succeeded('Image deleted'));
    },
  }),
];

function restored(
  {world, caller}: Pick<RouteRequest, 'world' | 'caller'>,
  snapshot: Snapshot,
  {
    new_vm_name: name,
    contract_id: contractId,
  }: {readonly new_vm_name: string; readonly contract_id?: number | undefined},
): Response {
  const contract = world.contracts.find(({id}) => id === contractId);
  if (contractId !== undefined && contract === undefined) return notFound(`Contract ${contractId} does not exist.`);
  return answered(restoreSnapshot(world, snapshot, {name, contract}, caller.user.id), machine =>
    succeeded('Snapshot restoration scheduled', {instances: [machineBody(machine, world)]}),
  );
}

function withSnapshot(
  {world, param}: Pick<RouteRequest, 'world' | 'param'>,
  answer: (snapshot: Snapshot) => Response,
): Response {
  const snapshot = world.snapshots.find(({id}) => String(id) === param('snapshot_id'));
  return snapshot === undefined ? notFound(`Snapshot ${param('snapshot_id')} does not exist.`) : answer(snapshot);
}

function nameAnswer(name: string, isTaken: boolean): Response {
  const message = isTaken ? `The name ${name} is taken.` : `The name ${name} is available.`;
  return json({name, available: !isTaken, message});
}

function snapshotBody(snapshot: Snapshot): z.output<typeof SNAPSHOT> {
  const {id, name, description, status, sizeGb, source, labels} = snapshot;
  return {
    id,
    name,
    description,
    status,
    size: sizeGb,
    region_id: REGIONS.find(region => region.name === source.environment.regionName)?.id ?? 0,
    vm_id: source.id,
    is_image: snapshot.imageName !== undefined,
    has_floating_ip: source.hasPublicIp,
    labels: [...labels],
    created_at: bareTimestamp(snapshot.createdAt),
    updated_at: bareTimestamp(snapshot.updatedAt),
  };
}

function wholeBody(snapshot: Snapshot, world: World): z.output<typeof WHOLE_SNAPSHOT> {
  const {source} = snapshot;
  return {
    ...snapshotBody(snapshot),
    region: source.environment.regionName,
    vm_name: source.name,
    // The machine may have been deleted.
    vm_status: world.machineById(source.id)?.status ?? 'DELETED',
    vm_environment: source.environment.name,
    vm_flavor: source.flavor.name,
    vm_image: source.image.name === '' ? null : source.image.name,
    vm_keypair: source.keyPairName,
    custom_image: snapshot.imageName ?? null,
  };
}

function eventBodies({id, name, events}: Snapshot, {organization}: World): z.output<typeof SNAPSHOT_EVENT>[] {
  return events.map(event => ({
    id: event.id,
    snapshot_id: id,
    user_id: event.userId,
    org_id: organization.id,
    time: zuluTimestamp(event.at),
    type: 'normal',
    reason: event.reason,
    object: name,
    message: event.message,
  }));
}
