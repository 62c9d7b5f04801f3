import {attachVolumesTo, detachVolumesFrom} from '../../actions/machines/volumes.ts';
import {createVolume} from '../../actions/volumes.ts';
import {MAX_SIZE_GB} from '../../actions/forms/volume-form.ts';
import {attachmentState} from '../../domain/attachment-state.ts';
import {imageId} from '../../domain/image.ts';
import {safeText, say} from '../../domain/safe-text.ts';
import type {Volume, VolumeSpec} from '../../domain/volume.ts';
import {isNode, type VirtualMachine} from '../../domain/virtual-machine.ts';
import {find} from '../../resources/find.ts';
import {images} from '../../resources/images.ts';
import type {Reader} from '../../resources/listing.ts';
import {volumes} from '../../resources/volumes.ts';
import {actionCommands} from '../operations/action-commands.ts';
import {type OperationCommand, operationCommand, operationGroup} from '../operations/operation.ts';
import {wholeNumber} from '../option-values.ts';
import {
  findMachine,
  findRecord,
  type FoundRecord,
  mistaken,
  namedReason,
  type Planned,
  planned,
  plannedOn,
} from '../operations/plan.ts';

function findVolume(reader: Reader, wanted: string): Promise<FoundRecord<Volume>> {
  return findRecord(reader, volumes, wanted);
}

type CreateFlags = {
  readonly environment: string;
  readonly size: number;
  readonly type: string;
  readonly description?: string;
  readonly image?: string;
  readonly callbackUrl?: string;
};

const create: OperationCommand<CreateFlags> = {
  name: 'create',
  summary: 'create a volume, which is billed whether it is attached or not',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'the environment')
      .requiredOption('--size <gb>', 'size in GB', wholeNumber(1, MAX_SIZE_GB))
      .option('--type <type>', 'the volume type', 'Cloud-SSD')
      .option('--description <text>', 'a description')
      .option('--image <image>', 'an image to boot from; needs at least 100 GB')
      .option('--callback-url <url>', 'a URL that receives its events'),
  plan: async ({reader, words, flags}) => {
    const {description, image, callbackUrl} = flags;
    const found = image === undefined ? undefined : await find(reader, images, image);
    if (found?.ok === false) return found;
    const name = safeText(words[0] ?? '');
    const spec: VolumeSpec = {
      name,
      environmentName: safeText(flags.environment),
      sizeGb: flags.size,
      volumeType: safeText(flags.type),
      ...(description === undefined ? {} : {description: safeText(description)}),
      ...(found === undefined ? {} : {imageId: imageId(found.value.id)}),
      ...(callbackUrl === undefined ? {} : {callbackUrl: safeText(callbackUrl)}),
    };
    return planned(plannedOn(createVolume.with({spec})));
  },
};

type AttachFlags = {readonly vm?: string};
const ATTACHED = '<volume...>';

const attach: OperationCommand<AttachFlags> = {
  name: 'attach',
  summary: 'attach volumes to a machine',
  arguments: ATTACHED,
  options: command => command.requiredOption('--vm <vm>', 'the machine'),
  plan: context => planAttachment(attachVolumesTo, context.reader, context.words, context.flags),
};

const detach: OperationCommand<AttachFlags> = {
  name: 'detach',
  summary: 'detach volumes from a machine; unmount them there first',
  arguments: ATTACHED,
  options: command => command.requiredOption('--vm <vm>', 'the machine'),
  plan: context => planAttachment(detachVolumesFrom, context.reader, context.words, context.flags),
};

async function planAttachment(
  record: typeof attachVolumesTo | typeof detachVolumesFrom,
  reader: Reader,
  words: readonly string[],
  {vm}: AttachFlags,
): Promise<Planned> {
  if (vm === undefined) return mistaken(say`--vm is missing`);
  const machine = await findMachine(reader, vm);
  if (!machine.ok) return machine;
  const named = new Map<Volume['id'], Volume>();
  for (const word of words) {
    const found = await findVolume(reader, word);
    if (!found.ok) return found;
    named.set(found.value.id, found.value);
  }
  const action = plannedOn(record.with({id: machine.value.id, volumeIds: [...named.keys()]}), machine.value);
  // That a cluster manages its nodes is the better reason.
  const detached =
    record === detachVolumesFrom && !isNode(machine.value)
      ? [...named.values()].filter(each => isDetached(each, machine.value))
      : [];
  return planned({...action, reason: namedReason(detached, say`is not attached to it`)});
}

function isDetached({id}: Volume, {volumes: attached, hasUnreadVolumes}: VirtualMachine): boolean {
  const isOn = attached.some(({volumeId, status}) => volumeId === id && attachmentState(status) !== 'gone');
  return !isOn && hasUnreadVolumes !== true;
}

/** `skydeck volume`. */
export const volumeCommand = operationGroup('volume', [
  operationCommand(create),
  operationCommand(attach),
  operationCommand(detach),
  ...actionCommands('volume'),
]);
