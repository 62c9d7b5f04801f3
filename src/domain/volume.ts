import type {EnvironmentId} from './environment.ts';
import type {ImageId} from './image.ts';
import {type SafeText, say} from './safe-text.ts';
import type {EpochMs} from './time.ts';
import {isNode, type VirtualMachine, type VirtualMachineId} from './virtual-machine.ts';

declare const brand: unique symbol;
export type VolumeId = number & {readonly [brand]: 'VolumeId'};

export function volumeId(id: number): VolumeId {
  return id as VolumeId;
}

/** The states the service documents or implies, there in lower case; for any other, see `statusText`. */
export const VOLUME_STATUSES = [
  'CREATING',
  'AVAILABLE',
  'ATTACHING',
  'IN_USE',
  'DETACHING',
  'DELETING',
  'DELETED',
  'ERROR',
] as const;
export type VolumeStatus = (typeof VOLUME_STATUSES)[number] | 'UNKNOWN';

/** A disk that stays when its machine is deleted, and is billed whether or not it is attached. */
export type Volume = {
  readonly id: VolumeId;
  readonly name: SafeText;
  readonly environmentId?: EnvironmentId;
  readonly environmentName?: SafeText;
  readonly regionName?: SafeText;
  readonly description?: SafeText;
  readonly volumeType?: SafeText;
  readonly sizeGb?: number;
  readonly status: VolumeStatus;
  /** The service's own word for the state. */
  readonly statusText: SafeText;
  readonly isBootable?: boolean;
  readonly imageId?: ImageId;
  readonly osImageName?: SafeText;
  readonly callbackUrl?: SafeText;
  readonly createdAt?: EpochMs;
  readonly updatedAt?: EpochMs;
  /** Present and past ones: the service keeps an old attachment in the list with the state DETACHED. */
  readonly attachments: readonly MachineAttachment[];
  /** There may be further attachments: some could not be parsed. */
  readonly hasUnreadAttachments?: true;
};

/** The volume's side of an attachment; the machine's side is `VolumeAttachment`. */
export type MachineAttachment = {
  readonly id?: number;
  readonly machineId?: VirtualMachineId;
  readonly status?: SafeText;
  readonly device?: SafeText;
  readonly isProtected?: boolean;
};

/** A new volume. A volume with an image is bootable, and then needs at least 100 GB. */
export type VolumeSpec = {
  readonly name: SafeText;
  readonly environmentName: SafeText;
  readonly sizeGb: number;
  readonly volumeType: SafeText;
  readonly description?: SafeText;
  readonly imageId?: ImageId;
  readonly callbackUrl?: SafeText;
};

/** The present attachments, without past ones. */
export function presentAttachments({attachments}: Pick<Volume, 'attachments'>): readonly MachineAttachment[] {
  return attachments.filter(({status}) => status?.toUpperCase() !== 'DETACHED');
}

/** Whether it may be attached to machines that are not known: some could not be read, or only its state says so. */
export function hasUnknownAttachments(
  volume: Pick<Volume, 'attachments' | 'hasUnreadAttachments' | 'status'>,
): boolean {
  const {status, hasUnreadAttachments} = volume;
  return hasUnreadAttachments === true || (status === 'IN_USE' && presentAttachments(volume).length === 0);
}

/** Why it cannot be taken for unattached, although no attachment of it may be known. */
export function unknownAttachmentsReason(volume: Volume): SafeText | undefined {
  return hasUnknownAttachments(volume) ? say`what it is attached to is unknown` : undefined;
}

/** It is billed and unused. */
export function isUnattached(volume: Volume): boolean {
  return volume.status === 'AVAILABLE' && presentAttachments(volume).length === 0 && !hasUnknownAttachments(volume);
}

/**
 * Machines accept volumes of their own environment, and only while not in transition; nodes are left to their cluster.
 */
export function canTakeVolume(
  machine: Pick<VirtualMachine, 'environmentName' | 'status' | 'clusterId' | 'hasUnreadCluster'>,
  volume: Pick<Volume, 'environmentName'>,
): boolean {
  const {environmentName, status} = machine;
  const isNear = environmentName !== undefined && environmentName === volume.environmentName;
  return isNear && !isNode(machine) && (status === 'ACTIVE' || status === 'SHUTOFF');
}
