import type {Volume, VolumeAttachment} from '../../world/volumes.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {environmentFeatures} from './features.ts';

/** A volume with its attachments, the past ones included. */
export function volumeBody(volume: Volume) {
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
    volume_type: 'Cloud-SSD',
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

/** An attachment as it stands by itself. */
export function attachmentBody(attachment: VolumeAttachment) {
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
