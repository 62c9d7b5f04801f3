import {type Image, STORAGE_NANO_PER_GB_HOUR} from './catalogue.ts';
import {type Environment, environmentNamed} from './environments.ts';
import type {Seconds} from './lifecycle.ts';
import {type Machine, machineWords, recordEvent} from './machine.ts';
import {isSettled} from './machine-operations.ts';
import {type Meter, setRate, terminate} from './metering.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import {between, unit} from './random.ts';
import type {UnattachedVolumeSpec} from './scenario.ts';
import type {World} from './world.ts';

export type Volume = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly sizeGb: number;
  readonly createdAt: number;
  readonly meter: Meter;
  /** Contains an operating system. */
  readonly isBootable?: boolean;
  /** The image it was created from. */
  readonly image: Image | undefined;
  callbackUrl: string | null;
  /** Past and present ones, oldest first. */
  readonly attachments: VolumeAttachment[];
  environment: Environment;
  /** In lower case, unlike those of machines. */
  status: 'creating' | 'available' | 'attaching' | 'in-use' | 'detaching' | 'deleting';
  updatedAt: number | null;
};

export type VolumeAttachment = {
  readonly id: number;
  readonly volume: Volume;
  readonly machineId: number;
  readonly device: string;
  readonly createdAt: number;
  status: 'ATTACHING' | 'ATTACHED' | 'DETACHING' | 'DETACHED';
  /** Protected from being detached. */
  isProtected: boolean;
};

/** For attach and detach, the id is that of the machine. */
export type VolumeVerb =
  | 'create-volume'
  | 'delete-volume'
  | 'move-volume'
  | 'attach-volumes'
  | 'detach-volumes'
  | 'protect-attachment'
  | 'attach-volume-callback'
  | 'update-volume-callback'
  | 'delete-volume-callback';

export type AttachmentRequest = {
  readonly volumeIds: readonly number[];
  readonly isProtected: boolean;
  readonly userId: number;
};

/** The first disk, `a`, is the machine's own. */
const DISK_LETTERS = 'bcdefghijk';
/** The maximum number of volumes attached to one machine. */
export const VOLUME_LIMIT = DISK_LETTERS.length;

const CREATION: Seconds = {quick: [3, 6], faithful: [20, 40]};
const DELETION: Seconds = {quick: [3, 6], faithful: [20, 40]};
const ATTACHMENT: Seconds = {quick: [3, 8], faithful: [15, 40]};

export function createVolume(world: World, request: Omit<UnattachedVolumeSpec, 'createdAt'>): Decision<Volume> {
  if (environmentNamed(world, request.environmentName) === undefined) {
    return refused('missing', `The environment '${request.environmentName}' does not exist.`);
  }
  const volume = world.factory.volume({...request, createdAt: world.now()});
  volume.status = 'creating';
  world.addVolume(volume);
  after(world, CREATION, volume.id, () => changeVolume(world, volume, 'available'));
  world.executed('create-volume', volume.id);
  return accepted(volume);
}

export function deleteVolume(world: World, volume: Volume): Decision<undefined> {
  if (volume.status !== 'available') return wrongState(volume, 'deleted');
  changeVolume(world, volume, 'deleting');
  after(world, DELETION, volume.id, () => {
    terminate(volume.meter, world.now());
    world.volumes.splice(world.volumes.indexOf(volume), 1);
  });
  world.executed('delete-volume', volume.id);
  return accepted(undefined);
}

/** To another environment of the same region; done at once. */
export function moveVolume(world: World, volume: Volume, environmentName: string): Decision<Volume> {
  const environment = environmentNamed(world, environmentName);
  if (environment === undefined) return refused('missing', `The environment '${environmentName}' does not exist.`);
  if (volume.status !== 'available') return wrongState(volume, 'moved');
  if (environment.regionName !== volume.environment.regionName) {
    return refused('state', `${volumeWords(volume)} cannot leave its region ${volume.environment.regionName}.`);
  }
  volume.environment = environment;
  volume.updatedAt = world.now();
  volume.meter.environmentId = environment.id;
  volume.meter.environmentName = environment.name;
  world.executed('move-volume', volume.id);
  return accepted(volume);
}

export function attachVolumes(
  world: World,
  machine: Machine,
  request: AttachmentRequest,
): Decision<readonly VolumeAttachment[]> {
  const refusal = machineRefusal(machine, 'attached');
  if (refusal !== undefined) return refusal;
  const volumes: Volume[] = [];
  for (const id of new Set(request.volumeIds)) {
    const volume = world.volumes.find(candidate => candidate.id === id);
    if (volume === undefined) return refused('missing', `Volume ${id} does not exist.`);
    if (volume.status !== 'available') return wrongState(volume, 'attached');
    if (volume.environment.id !== machine.environment.id) {
      return refused('state', `${volumeWords(volume)} is in another environment than the virtual machine.`);
    }
    volumes.push(volume);
  }
  if (machine.attachments.length + volumes.length > VOLUME_LIMIT) {
    return refused('state', `A virtual machine can have at most ${VOLUME_LIMIT} volumes.`);
  }
  const attachments = volumes.map(volume => beginAttachment(world, machine, volume, request));
  world.executed('attach-volumes', machine.id, {volumeIds: volumes.map(({id}) => id)});
  return accepted(attachments);
}

export function detachVolumes(
  world: World,
  machine: Machine,
  volumeIds: readonly number[],
  userId: number,
): Decision<readonly VolumeAttachment[]> {
  const refusal = machineRefusal(machine, 'detached');
  if (refusal !== undefined) return refusal;
  const attachments: VolumeAttachment[] = [];
  for (const id of new Set(volumeIds)) {
    const attachment = machine.attachments.find(({volume}) => volume.id === id);
    if (attachment === undefined) {
      return refused('state', `Volume ${id} is not attached to virtual machine ${machine.id}.`);
    }
    if (attachment.status !== 'ATTACHED') return wrongState(attachment.volume, 'detached');
    if (attachment.isProtected) {
      return refused('state', `${volumeWords(attachment.volume)} is protected from being detached.`);
    }
    attachments.push(attachment);
  }
  for (const attachment of attachments) beginDetachment(world, machine, attachment, userId);
  world.executed('detach-volumes', machine.id, {volumeIds: attachments.map(({volume}) => volume.id)});
  return accepted(attachments);
}

/** As for machines: a first URL is attached; an existing one is updated or deleted. */
export function setVolumeCallback(
  world: World,
  volume: Volume,
  step: 'attach' | 'update' | 'delete',
  url: string | null,
): Decision<Volume> {
  const hasOne = volume.callbackUrl !== null;
  if (hasOne === (step === 'attach')) {
    return refused('state', `Volume ${volume.id} has ${hasOne ? 'a callback URL already' : 'no callback URL'}.`);
  }
  volume.callbackUrl = url;
  world.executed(`${step}-volume-callback`, volume.id);
  return accepted(volume);
}

/** Protects an attachment from being ended, or no longer does. */
export function protectAttachment(
  world: World,
  attachmentId: number,
  isProtected: boolean,
): Decision<VolumeAttachment> {
  const attachment = world.volumes
    .flatMap(({attachments}) => attachments)
    .find(({id, status}) => id === attachmentId && status !== 'DETACHED');
  if (attachment === undefined) return refused('missing', `Attachment ${attachmentId} does not exist.`);
  attachment.isProtected = isProtected;
  world.executed('protect-attachment', attachmentId);
  return accepted(attachment);
}

/** Attaches a volume to a machine, at once; the caller updates the machine's own list. */
export function attach(
  volume: Volume,
  {
    id,
    machineId,
    index,
    at,
    isProtected,
  }: Pick<VolumeAttachment, 'id' | 'machineId' | 'isProtected'> & {readonly index: number; readonly at: number},
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

/** The next free disk letter of a machine. */
export function freeDiskIndex({attachments}: Machine): number {
  const devices = attachments.map(({device}) => device);
  return [...DISK_LETTERS].findIndex(letter => !devices.includes(`/dev/vd${letter}`));
}

/** Updates a volume's bill: storage costs the same whether or not it is attached. */
export function meterVolume(volume: Volume, at: number): void {
  const isBilled = volume.status !== 'creating' && volume.status !== 'deleting';
  const rate = isBilled ? volume.sizeGb * STORAGE_NANO_PER_GB_HOUR : 0;
  setRate(volume.meter, at, rate, {state: volume.status.toUpperCase(), listNanoPerHour: rate});
}

/** The volumes of a deleted machine stay, and stay billed. */
export function releaseVolumes(machine: Machine, at: number): void {
  for (const attachment of machine.attachments) {
    attachment.status = 'DETACHED';
    attachment.volume.status = 'available';
    attachment.volume.updatedAt = at;
    meterVolume(attachment.volume, at);
  }
  machine.attachments.length = 0;
}

function beginAttachment(
  world: World,
  machine: Machine,
  volume: Volume,
  {isProtected, userId}: AttachmentRequest,
): VolumeAttachment {
  const id = world.factory.attachmentId();
  const place = {machineId: machine.id, index: freeDiskIndex(machine), at: world.now()};
  const attachment = attach(volume, {id, ...place, isProtected});
  machine.attachments.push(attachment);
  changeAttachment(world, attachment, 'attaching', 'ATTACHING');
  const asked = `Volume ${volume.id} is to be attached.`;
  recordEvent(machine, {at: world.now(), userId, reason: 'AttachVolumeToInstanceRequest', message: asked});
  after(world, ATTACHMENT, id, () => {
    // The machine may have been deleted in the meantime, which detached the volume.
    if (attachment.status !== 'ATTACHING') return;
    changeAttachment(world, attachment, 'in-use', 'ATTACHED');
    const done = `Volume ${volume.id} was attached.`;
    recordEvent(machine, {at: world.now(), userId, reason: 'AttachVolumeToInstanceSuccess', message: done});
  });
  return attachment;
}

function beginDetachment(world: World, machine: Machine, attachment: VolumeAttachment, userId: number): void {
  const {volume} = attachment;
  changeAttachment(world, attachment, 'detaching', 'DETACHING');
  const asked = `Volume ${volume.id} is to be detached.`;
  recordEvent(machine, {at: world.now(), userId, reason: 'DetachVolumeToInstanceRequest', message: asked});
  after(world, ATTACHMENT, attachment.id, () => {
    if (attachment.status !== 'DETACHING') return;
    changeAttachment(world, attachment, 'available', 'DETACHED');
    machine.attachments.splice(machine.attachments.indexOf(attachment), 1);
    const done = `Volume ${volume.id} was detached.`;
    recordEvent(machine, {at: world.now(), userId, reason: 'DetachVolumeToInstanceSuccess', message: done});
  });
}

function changeAttachment(
  world: World,
  attachment: VolumeAttachment,
  volumeStatus: Volume['status'],
  status: VolumeAttachment['status'],
): void {
  attachment.status = status;
  changeVolume(world, attachment.volume, volumeStatus);
}

function changeVolume({now}: World, volume: Volume, status: Volume['status']): void {
  volume.status = status;
  volume.updatedAt = now();
  meterVolume(volume, now());
}

/** Runs something after the time the service would take. */
function after({now, schedule, seed, pace}: World, seconds: Seconds, subjectId: number, run: () => void): void {
  const at = now();
  const [low, high] = seconds[pace()];
  schedule(at + Math.round(between(low, high, unit(seed, subjectId, at | 0)) * 1000), run);
}

function machineRefusal(machine: Machine, participle: string): Refused | undefined {
  if (machine.isSnapshotting) {
    const words = `Volumes of ${machineWords(machine)} cannot be ${participle} while a snapshot of it is taken.`;
    return refused('state', words);
  }
  if (isSettled(machine)) return undefined;
  const message = `Volumes of ${machineWords(machine)} cannot be ${participle} while it is ${machine.status}; it must be ACTIVE or SHUTOFF.`;
  return refused('state', message);
}

function wrongState(volume: Volume, participle: string): Refused {
  return refused('state', `${volumeWords(volume)} cannot be ${participle} while it is ${volume.status}.`);
}

function volumeWords({name, id}: Volume): string {
  return `Volume '${name}' (${id})`;
}
