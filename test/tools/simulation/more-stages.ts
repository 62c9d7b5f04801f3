import type {KnownKind} from '../../../src/actions/actions.ts';
import type {Action} from '../../../src/domain/action.ts';
import {environmentId} from '../../../src/domain/environment.ts';
import {keyPairId} from '../../../src/domain/key-pair.ts';
import {accessKeyId} from '../../../src/domain/object-storage.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {volumeId} from '../../../src/domain/volume.ts';
import type {Cloud} from './cloud.ts';
import type {Prepare, Stage} from './stage.ts';

const text = safeText;
/** Longer than any change takes at the simulator's quick pace. */
const SETTLED_MS = 40_000;
const MACHINE = 'infer-01';
const ENVIRONMENT = 'production-ca';
const REGION = 'CANADA-1';
/** A key that was never anybody's: 32 bytes of one letter. */
const PUBLIC_KEY = `ssh-ed25519 ${Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  Buffer.alloc(32, 'a'),
]).toString('base64')}`;
/** An attachment that ended may still be told of. */
const GONE: ReadonlySet<string | undefined> = new Set([undefined, 'DETACHED']);
const VOLUMES = '/core/volumes';
const KEY_PAIRS = '/core/keypairs';
const ENVIRONMENTS = '/core/environments';
const ACCESS_KEYS = '/object-storage/access-keys';
const BUCKETS = '/object-storage/buckets';

/** Disks, keys, environments and object storage. */
export const MORE_STAGES: {readonly [Kind in KnownKind]?: Prepare} = {
  'vm.attach-volumes': async cloud => {
    const [machine, volume] = [await machineHere(cloud), await freeVolume(cloud)];
    return {
      confirmed: {
        action: {kind: 'vm.attach-volumes', id: virtualMachineId(machine.id), volumeIds: [volumeId(volume.id)]},
        subjectName: text(machine.name),
      },
      isReached: async () => statusOn(await volumeAt(cloud, volume.id), machine.id) === 'ATTACHED',
    };
  },
  'vm.detach-volumes': async cloud => {
    const [machine, volume] = [await machineHere(cloud), await freeVolume(cloud)];
    const body = {volume_ids: [volume.id]};
    await cloud.ask('POST', `/core/virtual-machines/${machine.id}/attach-volumes`, {body});
    await cloud.time.advance(SETTLED_MS);
    return {
      confirmed: {
        action: {kind: 'vm.detach-volumes', id: virtualMachineId(machine.id), volumeIds: [volumeId(volume.id)]},
        subjectName: text(machine.name),
      },
      isReached: async () => GONE.has(statusOn(await volumeAt(cloud, volume.id), machine.id)),
    };
  },
  'volume.create': async cloud => {
    const name = text('made-disk');
    const spec = {name, environmentName: text(ENVIRONMENT), sizeGb: 100, volumeType: text('Cloud-SSD')};
    const isReached = async () =>
      (await volumes(cloud)).some(each => each.name === name && each.status.toLowerCase() === 'available');
    return {confirmed: {action: {kind: 'volume.create', spec}, subjectName: name}, isReached};
  },
  'volume.delete': async cloud => {
    const {id, name} = await freeVolume(cloud);
    return gone({kind: 'volume.delete', id: volumeId(id)}, name, async () =>
      (await volumes(cloud)).map(each => each.id),
    );
  },
  'key-pair.import': async cloud => {
    const name = text('made-key');
    const spec = {name, environmentName: text(ENVIRONMENT), publicKey: text(PUBLIC_KEY)};
    const isReached = async () => (await keyPairs(cloud)).some(each => each.name === name);
    return {confirmed: {action: {kind: 'key-pair.import', spec}, subjectName: name}, isReached};
  },
  'key-pair.rename': async cloud => {
    const {id, name} = await spareKeyPair(cloud);
    const action: Action = {kind: 'key-pair.rename', id: keyPairId(id), name: text('renamed')};
    const isReached = async () => (await keyPairs(cloud)).some(each => each.id === id && each.name === 'renamed');
    return {confirmed: {action, subjectName: text(name)}, isReached};
  },
  'key-pair.delete': async cloud => {
    const {id, name} = await spareKeyPair(cloud);
    return gone({kind: 'key-pair.delete', id: keyPairId(id)}, name, async () =>
      (await keyPairs(cloud)).map(each => each.id),
    );
  },
  'environment.create': async cloud => {
    const name = text('made-place');
    const isReached = async () => (await environments(cloud)).some(each => each.name === name);
    const action: Action = {kind: 'environment.create', spec: {name, regionName: text(REGION)}};
    return {confirmed: {action, subjectName: name}, isReached};
  },
  'environment.rename': async cloud => {
    const {id, name} = await spareEnvironment(cloud);
    const action: Action = {kind: 'environment.rename', id: environmentId(id), name: text('renamed')};
    const isReached = async () => (await environments(cloud)).some(each => each.id === id && each.name === 'renamed');
    return {confirmed: {action, subjectName: text(name)}, isReached};
  },
  'environment.delete': async cloud => {
    const {id, name} = await spareEnvironment(cloud);
    return gone({kind: 'environment.delete', id: environmentId(id)}, name, async () =>
      (await environments(cloud)).map(each => each.id),
    );
  },
  'access-key.create': async cloud => {
    const known = new Set((await accessKeys(cloud)).map(each => each.id));
    const description = text('made here');
    const action: Action = {kind: 'access-key.create', spec: {regionName: text(REGION), description}};
    const isReached = async () =>
      (await accessKeys(cloud)).some(each => !known.has(each.id) && each.description === description);
    return {confirmed: {action, subjectName: text(REGION)}, isReached};
  },
  'access-key.delete': async cloud => {
    const [key] = await accessKeys(cloud);
    if (key === undefined) throw new Error('The simulated cloud has no access key.');
    return gone({kind: 'access-key.delete', id: accessKeyId(key.id)}, key.access_key, async () =>
      (await accessKeys(cloud)).map(each => each.id),
    );
  },
  'bucket.delete': async cloud => {
    const [bucket] = await buckets(cloud);
    if (bucket === undefined) throw new Error('The simulated cloud has no bucket.');
    const {name, region} = bucket;
    const action: Action = {kind: 'bucket.delete', name: text(name), regionName: text(region)};
    const isReached = async () => !(await buckets(cloud)).some(each => each.name === name && each.region === region);
    return {confirmed: {action, subjectName: text(name)}, isReached};
  },
};

type Named = {readonly id: number; readonly name: string};
type WireVolume = Named & {
  readonly status: string;
  readonly attachments: readonly {readonly instance_id: number; readonly status: string}[];
};
type WireAccessKey = {readonly id: number; readonly access_key: string; readonly description: string | null};
type WireBucket = {readonly name: string; readonly region: string};

function gone(action: Action & {readonly id: number}, name: string, idsLeft: () => Promise<readonly number[]>): Stage {
  return {confirmed: {action, subjectName: text(name)}, isReached: async () => !(await idsLeft()).includes(action.id)};
}

/** What did not exist before it was asked for here. */
async function freeVolume(cloud: Cloud): Promise<WireVolume> {
  const body = {name: 'spare-disk', environment_name: ENVIRONMENT, size: 50, volume_type: 'Cloud-SSD'};
  await cloud.ask('POST', VOLUMES, {body});
  await cloud.time.advance(SETTLED_MS);
  return found(await volumes(cloud), 'spare-disk');
}

async function spareKeyPair(cloud: Cloud): Promise<Named> {
  const body = {name: 'spare-key', environment_name: ENVIRONMENT, public_key: PUBLIC_KEY};
  await cloud.ask('POST', KEY_PAIRS, {body});
  return found(await keyPairs(cloud), 'spare-key');
}

async function spareEnvironment(cloud: Cloud): Promise<Named> {
  await cloud.ask('POST', ENVIRONMENTS, {body: {name: 'spare-place', region: REGION}});
  return found(await environments(cloud), 'spare-place');
}

async function machineHere(cloud: Cloud): Promise<Named> {
  return found((await cloud.ask<{instances: readonly Named[]}>('GET', '/core/virtual-machines')).instances, MACHINE);
}

async function volumes(cloud: Cloud): Promise<readonly WireVolume[]> {
  return (await cloud.ask<{volumes: readonly WireVolume[]}>('GET', VOLUMES)).volumes;
}

async function volumeAt(cloud: Cloud, id: number): Promise<WireVolume> {
  return (await cloud.ask<{volume: WireVolume}>('GET', `${VOLUMES}/${id}`)).volume;
}

async function keyPairs(cloud: Cloud): Promise<readonly Named[]> {
  return (await cloud.ask<{keypairs: readonly Named[]}>('GET', KEY_PAIRS)).keypairs;
}

async function environments(cloud: Cloud): Promise<readonly Named[]> {
  return (await cloud.ask<{environments: readonly Named[]}>('GET', ENVIRONMENTS)).environments;
}

async function accessKeys(cloud: Cloud): Promise<readonly WireAccessKey[]> {
  return (await cloud.ask<{access_keys: readonly WireAccessKey[]}>('GET', ACCESS_KEYS)).access_keys;
}

async function buckets(cloud: Cloud): Promise<readonly WireBucket[]> {
  return (await cloud.ask<{buckets: readonly WireBucket[]}>('GET', BUCKETS)).buckets;
}

function found<R extends {readonly name: string}>(records: readonly R[], name: string): R {
  const record = records.find(each => each.name === name);
  if (record === undefined) throw new Error(`The simulated cloud has no ${name}.`);
  return record;
}

function statusOn({attachments}: WireVolume, machine: number): string | undefined {
  return attachments.find(each => each.instance_id === machine)?.status;
}
