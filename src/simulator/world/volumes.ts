import {STORAGE_NANO_PER_GB_HOUR} from './catalogue.ts';
import type {Machine, Volume, VolumeAttachment} from './machine.ts';
import {setRate} from './metering.ts';

/** The first disk, `a`, is the machine's own. */
const DISK_LETTERS = 'bcdefghijk';
/** So many volumes can hang on one machine. */
export const VOLUME_LIMIT = DISK_LETTERS.length;

/** Hangs a volume on a machine, done at once: the machine's own list is the caller's to fill. */
export function attach(
  volume: Volume,
  {
    id,
    machineId,
    index,
    at,
    isProtected,
  }: Pick<VolumeAttachment, 'id' | 'machineId' | 'isProtected'> & {
    readonly index: number;
    readonly at: number;
  },
): VolumeAttachment {
  const device = `/dev/vd${DISK_LETTERS.charAt(index)}`;
  const attachment: VolumeAttachment = {
    id,
    volume,
    machineId,
    device,
    createdAt: at,
    status: 'ATTACHED',
    isProtected,
  };
  volume.attachments.push(attachment);
  volume.status = 'in-use';
  return attachment;
}

/** The place of the next disk among those of a machine. */
export function freeDiskIndex(machine: Machine): number {
  const devices = machine.attachments.map(({device}) => device);
  return [...DISK_LETTERS].findIndex(letter => !devices.includes(`/dev/vd${letter}`));
}

/** Writes what a volume now does into its bill: storage costs the same whether it hangs on something or not. */
export function meterVolume(volume: Volume, at: number): void {
  const isBilled = volume.status !== 'creating' && volume.status !== 'deleting';
  const rate = isBilled ? volume.sizeGb * STORAGE_NANO_PER_GB_HOUR : 0;
  setRate(volume.meter, at, rate, {state: volume.status.toUpperCase(), listNanoPerHour: rate});
}

/** The volumes of a machine that is gone stay, and stay billed. */
export function releaseVolumes(machine: Machine, at: number): void {
  for (const attachment of machine.attachments) {
    attachment.status = 'DETACHED';
    attachment.volume.status = 'available';
    attachment.volume.updatedAt = at;
    meterVolume(attachment.volume, at);
  }
  machine.attachments.length = 0;
}
