import {InvalidArgumentError} from 'commander';
import {listVolumes} from '../api/volumes.ts';
import {imageId} from '../domain/image.ts';
import {safeText, say} from '../domain/safe-text.ts';
import type {Volume, VolumeSpec} from '../domain/volume.ts';
import {find} from '../resources/find.ts';
import {images} from '../resources/images.ts';
import type {Reader} from '../resources/resource.ts';
import {volumes} from '../resources/volumes.ts';
import {type OperationCommand, operationCommand, operationGroup, type Planned} from './operation.ts';
import {type FoundRecord, findMachine, findRecord, mistaken, planEach, planned} from './plan.ts';

function findVolume(reader: Reader, wanted: string): Promise<FoundRecord<Volume>> {
  return findRecord(reader, volumes, listVolumes.record, wanted);
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
  summary: 'makes a volume, which is billed whether it is attached or not',
  arguments: '<name>',
  options: command =>
    command
      .requiredOption('--environment <name>', 'where')
      .requiredOption('--size <gb>', 'in GB', gigabytes)
      .option('--type <type>', 'its type', 'Cloud-SSD')
      .option('--description <text>', 'what it is for')
      .option('--image <image>', 'an image to boot from; then it needs 100 GB')
      .option('--callback-url <url>', 'is called with its events'),
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
    return planned({action: {kind: 'volume.create', spec}, subjectName: name, weight: 'undoable'});
  },
};

function gigabytes(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number of GB.');
}

const remove: OperationCommand = {
  name: 'delete',
  summary: 'deletes volumes with what is on them, for ever',
  arguments: '<volume...>',
  plan: ({reader, words}) =>
    planEach(
      words,
      word => findVolume(reader, word),
      ({id, name, status, sizeGb}) => ({
        action: {kind: 'volume.delete', id},
        subjectName: name,
        status,
        weight: 'irreversible',
        warnings: [say`Everything on its ${sizeGb ?? say`?`} GB is lost.`],
      }),
    ),
};

type AttachFlags = {readonly vm?: string};
const ATTACHED = '<volume...>';

const attach: OperationCommand<AttachFlags> = {
  name: 'attach',
  summary: 'attaches volumes to a machine',
  arguments: ATTACHED,
  options: command => command.requiredOption('--vm <vm>', 'the machine'),
  plan: context => planAttachment('vm.attach-volumes', context.reader, context.words, context.flags),
};

const detach: OperationCommand<AttachFlags> = {
  name: 'detach',
  summary: 'detaches volumes from a machine; unmount them there first',
  arguments: ATTACHED,
  options: command => command.requiredOption('--vm <vm>', 'the machine'),
  plan: context => planAttachment('vm.detach-volumes', context.reader, context.words, context.flags),
};

async function planAttachment(
  kind: 'vm.attach-volumes' | 'vm.detach-volumes',
  reader: Reader,
  words: readonly string[],
  {vm}: AttachFlags,
): Promise<Planned> {
  if (vm === undefined) return mistaken(say`--vm is missing`);
  const machine = await findMachine(reader, vm);
  if (!machine.ok) return machine;
  const volumeIds: Volume['id'][] = [];
  for (const word of words) {
    const found = await findVolume(reader, word);
    if (!found.ok) return found;
    volumeIds.push(found.value.id);
  }
  const {id, name, status} = machine.value;
  return planned({
    action: {kind, id, volumeIds: [...new Set(volumeIds)]},
    subjectName: name,
    status,
    thing: machine.value,
  });
}

/** `skydeck volume`. */
export const volumeCommand = operationGroup('volume', 'what can be done to volumes', [
  operationCommand(create),
  operationCommand(remove),
  operationCommand(attach),
  operationCommand(detach),
]);
