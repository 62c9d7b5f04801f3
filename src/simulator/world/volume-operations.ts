import {after, type Desk} from './desk.ts';
import {note} from './lifecycle.ts';
import type {Environment, Machine, Volume, VolumeAttachment} from './machine.ts';
import {type Meter, terminate} from './metering.ts';
import type {Pace} from './operations.ts';
import {accepted, type Outcome, refused} from './outcome.ts';
import type {UnattachedVolumeBlueprint} from './scenario.ts';
import {attach, freeDiskIndex, meterVolume, VOLUME_LIMIT} from './volumes.ts';

/** What can be done to volumes. Everything but a move takes its time and is seen in the states meanwhile. */
export type VolumeDesk = {
  readonly create: (wish: Omit<UnattachedVolumeBlueprint, 'createdAt'>) => Outcome<Volume>;
  readonly remove: (volume: Volume) => Outcome<undefined>;
  /** Into another environment of the same region. */
  readonly move: (volume: Volume, environmentName: string) => Outcome<Volume>;
  readonly attach: (machine: Machine, wish: AttachmentWish) => Outcome<readonly VolumeAttachment[]>;
  readonly detach: (machine: Machine, wish: AttachmentWish) => Outcome<readonly VolumeAttachment[]>;
  readonly protect: (attachmentId: number, isProtected: boolean) => Outcome<VolumeAttachment>;
};

type AttachmentWish = {
  readonly volumeIds: readonly number[];
  readonly isProtected: boolean;
  readonly userId: number;
};

type Place = {
  readonly environments: readonly Environment[];
  readonly volumes: Volume[];
  readonly meters: Meter[];
  readonly issueVolume: (blueprint: UnattachedVolumeBlueprint) => Volume;
  readonly nextAttachmentId: () => number;
  readonly adopt: (volume: Volume) => void;
};

type Seconds = Readonly<Record<Pace, readonly [low: number, high: number]>>;

const CREATION: Seconds = {quick: [3, 6], faithful: [20, 40]};
const DELETION: Seconds = {quick: [3, 6], faithful: [20, 40]};
const ATTACHMENT: Seconds = {quick: [3, 8], faithful: [15, 40]};

export function createVolumeDesk(desk: Desk, place: Place): VolumeDesk {
  const change = (volume: Volume, status: Volume['status']) => {
    volume.status = status;
    volume.updatedAt = desk.now();
    meterVolume(volume, desk.now());
  };

  return {
    create: wish => {
      if (!place.environments.some(({name}) => name === wish.environmentName)) {
        return refused('missing', `The environment '${wish.environmentName}' does not exist.`);
      }
      const volume = place.issueVolume({...wish, createdAt: desk.now()});
      volume.status = 'creating';
      place.adopt(volume);
      after(desk, CREATION, volume.id, () => change(volume, 'available'));
      desk.note('create-volume', volume.id);
      return accepted(volume);
    },
    remove: volume => {
      if (volume.status !== 'available') return wrongState(volume, 'deleted');
      change(volume, 'deleting');
      after(desk, DELETION, volume.id, () => {
        terminate(volume.meter, desk.now());
        place.volumes.splice(place.volumes.indexOf(volume), 1);
      });
      desk.note('delete-volume', volume.id);
      return accepted(undefined);
    },
    move: (volume, environmentName) => {
      const environment = place.environments.find(({name}) => name === environmentName);
      if (environment === undefined) {
        return refused('missing', `The environment '${environmentName}' does not exist.`);
      }
      if (volume.status !== 'available') return wrongState(volume, 'moved');
      if (environment.regionName !== volume.environment.regionName) {
        const message = `${subjectOf(volume)} cannot leave its region ${volume.environment.regionName}.`;
        return refused('state', message);
      }
      volume.environment = environment;
      volume.updatedAt = desk.now();
      volume.meter.environmentId = environment.id;
      volume.meter.environmentName = environment.name;
      desk.note('move-volume', volume.id);
      return accepted(volume);
    },
    attach: (machine, wish) => attachAll(desk, place, machine, wish),
    detach: (machine, wish) => detachAll(desk, machine, wish),
    protect: (attachmentId, isProtected) => {
      const attachment = place.volumes
        .flatMap(({attachments}) => attachments)
        .find(({id, status}) => id === attachmentId && status !== 'DETACHED');
      if (attachment === undefined) return refused('missing', `Attachment ${attachmentId} does not exist.`);
      attachment.isProtected = isProtected;
      desk.note('protect-attachment', attachmentId);
      return accepted(attachment);
    },
  };
}

function attachAll(
  desk: Desk,
  place: Place,
  machine: Machine,
  wish: AttachmentWish,
): Outcome<readonly VolumeAttachment[]> {
  const refusal = refusalBy(machine, 'attached');
  if (refusal !== undefined) return refusal;
  const volumes: Volume[] = [];
  for (const id of new Set(wish.volumeIds)) {
    const volume = place.volumes.find(candidate => candidate.id === id);
    if (volume === undefined) return refused('missing', `Volume ${id} does not exist.`);
    if (volume.status !== 'available') return wrongState(volume, 'attached');
    if (volume.environment.id !== machine.environment.id) {
      return refused('state', `${subjectOf(volume)} is in another environment than the virtual machine.`);
    }
    volumes.push(volume);
  }
  if (machine.attachments.length + volumes.length > VOLUME_LIMIT) {
    return refused('state', `A virtual machine can have at most ${VOLUME_LIMIT} volumes.`);
  }
  const attachments = volumes.map(volume => beginAttachment(desk, place, machine, volume, wish));
  desk.note('attach-volumes', machine.id, {volumeIds: volumes.map(({id}) => id)});
  return accepted(attachments);
}

function beginAttachment(
  desk: Desk,
  place: Place,
  machine: Machine,
  volume: Volume,
  {isProtected, userId}: AttachmentWish,
): VolumeAttachment {
  const at = desk.now();
  const id = place.nextAttachmentId();
  const attachment = attach(volume, {id, machineId: machine.id, index: freeDiskIndex(machine), at, isProtected});
  machine.attachments.push(attachment);
  settle(desk, attachment, 'attaching', 'ATTACHING');
  tell(desk, machine, userId, 'AttachVolumeToInstanceRequest', `Volume ${volume.id} is to be attached.`);
  after(desk, ATTACHMENT, attachment.id, () => {
    // The machine may have been deleted meanwhile, and the volume let go with it.
    if (attachment.status !== 'ATTACHING') return;
    settle(desk, attachment, 'in-use', 'ATTACHED');
    tell(desk, machine, userId, 'AttachVolumeToInstanceSuccess', `Volume ${volume.id} was attached.`);
  });
  return attachment;
}

function detachAll(desk: Desk, machine: Machine, wish: AttachmentWish): Outcome<readonly VolumeAttachment[]> {
  const refusal = refusalBy(machine, 'detached');
  if (refusal !== undefined) return refusal;
  const attachments: VolumeAttachment[] = [];
  for (const id of new Set(wish.volumeIds)) {
    const attachment = machine.attachments.find(({volume}) => volume.id === id);
    if (attachment === undefined) {
      return refused('state', `Volume ${id} is not attached to virtual machine ${machine.id}.`);
    }
    if (attachment.status !== 'ATTACHED') return wrongState(attachment.volume, 'detached');
    if (attachment.isProtected) {
      return refused('state', `${subjectOf(attachment.volume)} is protected from being detached.`);
    }
    attachments.push(attachment);
  }
  for (const attachment of attachments) beginDetachment(desk, machine, attachment, wish.userId);
  desk.note('detach-volumes', machine.id, {volumeIds: attachments.map(({volume}) => volume.id)});
  return accepted(attachments);
}

function beginDetachment(desk: Desk, machine: Machine, attachment: VolumeAttachment, userId: number): void {
  const {volume} = attachment;
  settle(desk, attachment, 'detaching', 'DETACHING');
  tell(desk, machine, userId, 'DetachVolumeToInstanceRequest', `Volume ${volume.id} is to be detached.`);
  after(desk, ATTACHMENT, attachment.id, () => {
    if (attachment.status !== 'DETACHING') return;
    settle(desk, attachment, 'available', 'DETACHED');
    machine.attachments.splice(machine.attachments.indexOf(attachment), 1);
    tell(desk, machine, userId, 'DetachVolumeToInstanceSuccess', `Volume ${volume.id} was detached.`);
  });
}

function settle(
  desk: Desk,
  attachment: VolumeAttachment,
  volumeStatus: Volume['status'],
  status: VolumeAttachment['status'],
): void {
  const at = desk.now();
  attachment.status = status;
  attachment.volume.status = volumeStatus;
  attachment.volume.updatedAt = at;
  meterVolume(attachment.volume, at);
}

function tell(desk: Desk, machine: Machine, userId: number, reason: string, message: string): void {
  note(machine, desk.now(), userId, reason, message);
}

function refusalBy({name, id, status}: Machine, participle: string): Outcome<never> | undefined {
  if (status === 'ACTIVE' || status === 'SHUTOFF') return undefined;
  const subject = `Virtual machine '${name}' (${id})`;
  const message = `Volumes of ${subject} cannot be ${participle} while it is ${status}; it must be ACTIVE or SHUTOFF.`;
  return refused('state', message);
}

function wrongState(volume: Volume, participle: string): Outcome<never> {
  return refused('state', `${subjectOf(volume)} cannot be ${participle} while it is ${volume.status}.`);
}

function subjectOf({name, id}: Volume): string {
  return `Volume '${name}' (${id})`;
}
