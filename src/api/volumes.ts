import * as z from 'zod';
import {environmentId} from '../domain/environment.ts';
import {imageId} from '../domain/image.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {
  type MachineAttachment,
  VOLUME_STATUSES,
  type Volume,
  type VolumeId,
  type VolumeSpec,
  volumeId,
} from '../domain/volume.ts';
import {defineOperation, defineRead} from './endpoint.ts';
import {
  flag,
  gigabytes,
  mapped,
  moment,
  nameOf,
  present,
  readWord,
  recordOf,
  reference,
  requiredId,
  shortText,
  text,
  under,
  wholeList,
} from './fields.ts';
import {creation} from './operation-results.ts';
import {environment, knownStatus} from './resource-parts.ts';

const VOLUME = '/core/volumes/{id}';
const PAGE_SIZE = 500;

type OneVolume = {readonly id: VolumeId};

const attachmentPart = z.object({
  id: reference,
  instance_id: reference,
  status: shortText,
  device: shortText,
  protected: flag,
});

const volumeRecord = z.object({
  id: requiredId,
  name: shortText,
  environment,
  description: text,
  volume_type: shortText,
  // In GB: shortText in one document, a number in the others.
  size: gigabytes,
  status: shortText,
  bootable: flag,
  image_id: reference,
  os_image: nameOf,
  callback_url: text,
  created_at: moment,
  updated_at: moment,
  /** One document has no such field, so only something else than a list in its place may be some. */
  attachments: wholeList(attachmentPart),
});

/** All volumes with their attachments, including past ones. */
export const listVolumes = defineRead<object, Volume>({
  id: 'volumes.list',
  template: '/core/volumes',
  collect: body => under(body, 'volumes', 'volume'),
  record: recordOf(volumeRecord, toVolume),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

export const getVolume = defineRead<OneVolume, Volume>({
  id: 'volumes.get',
  template: VOLUME,
  isById: true,
  collect: body => under(body, 'volume', 'volumes'),
  record: recordOf(volumeRecord, toVolume),
});

/** The types that a new volume can have. */
export const volumeTypes = defineRead<object, SafeText>({
  id: 'volumes.types',
  template: '/core/volume-types',
  collect: body => under(body, 'volume_types'),
  record: readWord,
});

export const createVolume = defineOperation<{readonly spec: VolumeSpec}>({
  id: 'volumes.create',
  method: 'POST',
  template: '/core/volumes',
  body: ({spec}) =>
    present({
      name: spec.name,
      environment_name: spec.environmentName,
      size: spec.sizeGb,
      volume_type: spec.volumeType,
      description: spec.description,
      image_id: spec.imageId,
      callback_url: spec.callbackUrl,
    }),
  ...creation('volume'),
});

/** Deletes its contents too. Refused while it is attached. */
export const deleteVolume = defineOperation<OneVolume>({id: 'volumes.delete', method: 'DELETE', template: VOLUME});

function toVolume(parsed: z.output<typeof volumeRecord>): Volume {
  const {elements, isWhole, isGiven} = parsed.attachments;
  return present({
    id: volumeId(parsed.id),
    name: parsed.name ?? safeText(''),
    environmentId: mapped(parsed.environment?.id, environmentId),
    environmentName: parsed.environment?.name,
    regionName: parsed.environment?.region,
    description: parsed.description,
    volumeType: parsed.volume_type,
    sizeGb: parsed.size,
    status: knownStatus(VOLUME_STATUSES, parsed.status),
    statusText: parsed.status ?? safeText(''),
    isBootable: parsed.bootable,
    imageId: mapped(parsed.image_id, imageId),
    osImageName: parsed.os_image,
    callbackUrl: parsed.callback_url,
    createdAt: parsed.created_at,
    updatedAt: parsed.updated_at,
    attachments: elements.map(toAttachment),
    hasUnreadAttachments: isGiven && !isWhole ? (true as const) : undefined,
  });
}

function toAttachment(parsed: z.output<typeof attachmentPart>): MachineAttachment {
  return present({
    id: parsed.id,
    machineId: mapped(parsed.instance_id, virtualMachineId),
    status: parsed.status,
    device: parsed.device,
    isProtected: parsed.protected,
  });
}
