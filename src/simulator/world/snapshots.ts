import type {Contract} from './account.ts';
import {type Image, type OfferedImage, type Region, REGIONS} from './catalogue.ts';
import type {Environment} from './environments.ts';
import {type Seconds, startCreation} from './lifecycle.ts';
import {type Machine, machineWords, recordEvent} from './machine.ts';
import {nameRefusal} from './machine-creation.ts';
import {isSettled} from './machine-operations.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import {between, unit} from './random.ts';
import type {World} from './world.ts';

/** A machine's root disk at a moment, with everything needed to create another machine from it. */
export type Snapshot = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly source: SnapshotSource;
  readonly sizeGb: number;
  readonly createdAt: number;
  readonly events: SnapshotEvent[];
  updatedAt: number;
  status: 'CREATING' | 'SUCCESS' | 'DELETING';
  /** The name of the image that was made from it. */
  imageName: string | undefined;
};

/** The machine at that moment; it may have been deleted since. */
type SnapshotSource = Pick<Machine, 'id' | 'name' | 'environment' | 'flavor' | 'image' | 'keyPairName'> & {
  readonly hasPublicIp: boolean;
};

type SnapshotEvent = {
  readonly id: number;
  readonly at: number;
  readonly userId: number;
  readonly reason: string;
  readonly message: string;
};

export type SnapshotVerb = 'create-snapshot' | 'delete-snapshot' | 'restore-snapshot' | 'create-image' | 'delete-image';

export type SnapshotRequest = Pick<Snapshot, 'name' | 'description' | 'labels'>;

/** A larger root disk cannot be copied. */
const LARGEST_GB = 100;
const SNAPSHOT_ID_STEP = 3;
/** The snapshot that the account's own image was made from. */
const FIRST_SNAPSHOT_ID = 4410;
const FIRST_IMAGE_ID = 2564;
const FIRST_EVENT_ID = 88_201;
const IMAGE_GIB = 100;
/** A machine that was deleted long ago. */
const GONE_MACHINE_ID = 791_530;
const CREATION: Seconds = {quick: [5, 10], faithful: [180, 420]};
const DELETION: Seconds = {quick: [3, 6], faithful: [20, 40]};

export function createSnapshot(
  world: World,
  machine: Machine,
  request: SnapshotRequest,
  userId: number,
): Decision<Snapshot> {
  const refusal = snapshotRefusal(world, machine, request.name);
  if (refusal !== undefined) return refusal;
  const {id, name, environment, flavor, image, keyPairName, floatingIp} = machine;
  const source = {id, name, environment, flavor, image, keyPairName, hasPublicIp: floatingIp !== undefined};
  const snapshot = addSnapshot(world, {...request, source, createdAt: world.now(), userId});
  machine.isSnapshotting = true;
  const asked = `Snapshot ${snapshot.id} is to be taken.`;
  recordEvent(machine, {at: world.now(), userId, reason: 'SnapshotCreateRequest', message: asked});
  after(world, CREATION, snapshot.id, () => {
    machine.isSnapshotting = false;
    change(world, snapshot, 'SUCCESS');
    record(world, snapshot, {userId, reason: 'SnapshotCreateSuccess', message: 'Snapshot was created.'});
    const done = `Snapshot ${snapshot.id} was taken.`;
    recordEvent(machine, {at: world.now(), userId, reason: 'SnapshotCreateSuccess', message: done});
  });
  world.executed('create-snapshot', snapshot.id);
  return accepted(snapshot);
}

export function deleteSnapshot(world: World, snapshot: Snapshot, userId: number): Decision<undefined> {
  if (snapshot.status !== 'SUCCESS') return wrongState(snapshot, 'deleted');
  change(world, snapshot, 'DELETING');
  record(world, snapshot, {userId, reason: 'SnapshotDeleteRequest', message: 'Snapshot is to be deleted.'});
  after(world, DELETION, snapshot.id, () => {
    world.snapshots.splice(world.snapshots.indexOf(snapshot), 1);
  });
  world.executed('delete-snapshot', snapshot.id);
  return accepted(undefined);
}

/** Creates another machine from it, with the flavor, environment and key pair of the original. */
export function restoreSnapshot(
  world: World,
  snapshot: Snapshot,
  {name, contract}: {readonly name: string; readonly contract: Contract | undefined},
  userId: number,
): Decision<Machine> {
  const {source, status} = snapshot;
  const {environment, flavor, keyPairName, image, hasPublicIp} = source;
  if (status !== 'SUCCESS') return wrongState(snapshot, 'restored');
  const refusal = nameRefusal(world, {names: [name], environment, flavor});
  if (refusal !== undefined) return refusal;
  const machine = world.addMachine({
    name,
    flavorName: flavor.name,
    environmentName: environment.name,
    workload: {kind: 'idle'},
    createdAt: world.now(),
    labels: snapshot.labels,
    hasPublicIp,
    // The original image is only known by its operating system.
    image: {id: 0, name: '', os: image.os},
    keyPairName,
    ...(contract === undefined ? {} : {contractId: contract.id}),
  });
  startCreation(world, machine, userId);
  record(world, snapshot, {
    userId,
    reason: 'SnapshotRestoreRequest',
    message: `Snapshot is restored as ${machineWords(machine)}.`,
  });
  world.executed('restore-snapshot', snapshot.id);
  return accepted(machine);
}

/** Makes a private image from it, for machines of its region. */
export function createImage(
  world: World,
  snapshot: Snapshot,
  {name, labels}: {readonly name: string; readonly labels: readonly string[]},
  userId: number,
): Decision<OfferedImage> {
  const {source, status} = snapshot;
  if (status !== 'SUCCESS') return wrongState(snapshot, 'made an image');
  if (isImageNameTaken(world, name)) return refused('duplicate', `An image with the name '${name}' already exists.`);
  const id = FIRST_IMAGE_ID + world.executions.length;
  const image: Image = {id, name, os: source.image.os};
  const offered: OfferedImage = {
    id,
    name,
    region: regionOf(source.environment),
    type: 'Snapshot',
    version: name,
    sizeGib: IMAGE_GIB,
    isPublic: false,
    labels,
    snapshot: {id: snapshot.id, name: snapshot.name},
    createdAt: world.now(),
    image,
  };
  world.images.push(offered);
  snapshot.imageName = name;
  snapshot.updatedAt = world.now();
  record(world, snapshot, {userId, reason: 'ImageCreateSuccess', message: `Image '${name}' was created.`});
  world.executed('create-image', id);
  return accepted(offered);
}

/** Only the account's own images can be deleted; machines created from one stay. */
export function deleteImage(world: World, image: OfferedImage): Decision<undefined> {
  if (image.isPublic) return refused('state', `Image '${image.name}' is public and cannot be deleted.`);
  world.images.splice(world.images.indexOf(image), 1);
  const source = world.snapshots.find(({id, imageName}) => id === image.snapshot?.id && imageName === image.name);
  if (source !== undefined) source.imageName = undefined;
  world.executed('delete-image', image.id);
  return accepted(undefined);
}

export function isSnapshotNameTaken({snapshots}: Pick<World, 'snapshots'>, name: string): boolean {
  return snapshots.some(snapshot => snapshot.name.toLowerCase() === name.toLowerCase());
}

export function isImageNameTaken({images}: Pick<World, 'images'>, name: string): boolean {
  return images.some(image => image.name.toLowerCase() === name.toLowerCase());
}

/** The snapshots that the account's images were made from, older than the world. */
export function addImageSources(world: World, userId: number): void {
  for (const image of world.images) {
    if (image.snapshot === undefined) continue;
    const {id, name} = image.snapshot;
    const [machineName = name] = name.split(' ');
    const present = world.machines.find(machine => machine.name === machineName);
    const source = present ?? goneMachine(world, image, machineName);
    if (source === undefined) continue;
    const hasPublicIp = present?.floatingIp !== undefined;
    const request = {name, description: '', labels: image.labels, createdAt: image.createdAt, userId};
    const snapshot = addSnapshot(world, {...request, id, source: {...sourceOf(source), hasPublicIp}});
    snapshot.status = 'SUCCESS';
    snapshot.imageName = image.name;
  }
}

function sourceOf({id, name, environment, flavor, image, keyPairName}: Omit<SnapshotSource, 'hasPublicIp'>) {
  return {id, name, environment, flavor, image, keyPairName};
}

/** What remains of a machine that is no longer listed. */
function goneMachine({environments, machines}: World, {region, image}: OfferedImage, name: string) {
  const environment = environments.find(({regionName}) => regionName === region.name);
  const flavor = machines.find(machine => machine.flavor.regionName === region.name)?.flavor;
  if (environment === undefined || flavor === undefined) return undefined;
  return {id: GONE_MACHINE_ID, name, environment, flavor, image, keyPairName: `${environment.name}-team`};
}

function addSnapshot(
  world: World,
  {
    // Deleted snapshots leave the lists, but executions stay, so no id is given twice.
    id = FIRST_SNAPSHOT_ID + (world.executions.length + 1) * SNAPSHOT_ID_STEP,
    source,
    userId,
    createdAt,
    ...request
  }: SnapshotRequest & {
    readonly id?: number;
    readonly source: SnapshotSource;
    readonly userId: number;
    readonly createdAt: number;
  },
): Snapshot {
  const snapshot: Snapshot = {
    ...request,
    id,
    source,
    createdAt,
    updatedAt: createdAt,
    sizeGb: source.flavor.diskGb,
    events: [],
    status: 'CREATING',
    imageName: undefined,
  };
  world.snapshots.push(snapshot);
  const message = 'Snapshot creation was requested.';
  snapshot.events.push({id: FIRST_EVENT_ID + id, at: createdAt, userId, reason: 'SnapshotCreateRequest', message});
  return snapshot;
}

function snapshotRefusal(world: World, machine: Machine, name: string): Refused | undefined {
  const words = `A snapshot of ${machineWords(machine)} cannot be taken`;
  const {status, cluster, flavor, image} = machine;
  if (isSnapshotNameTaken(world, name)) {
    return refused('duplicate', `A snapshot with the name '${name}' already exists.`);
  }
  if (machine.isSnapshotting) return refused('state', `${words} while another one is being taken.`);
  if (!isSettled(machine)) return refused('state', `${words} while it is ${status}; it must be ACTIVE or SHUTOFF.`);
  if (cluster !== undefined) return refused('state', `${words}: it is a node of a cluster.`);
  if (image.name === '') return refused('state', `${words}: it was started from a volume.`);
  return flavor.diskGb > LARGEST_GB
    ? refused('state', `${words}: its root disk is larger than ${LARGEST_GB} GB.`)
    : undefined;
}

function change({now}: World, snapshot: Snapshot, status: Snapshot['status']): void {
  snapshot.status = status;
  snapshot.updatedAt = now();
}

function record({now}: World, {id, events}: Snapshot, event: Omit<SnapshotEvent, 'id' | 'at'>): void {
  events.push({...event, id: FIRST_EVENT_ID + id + events.length, at: now()});
}

function after({now, schedule, seed, pace}: World, seconds: Seconds, subjectId: number, run: () => void): void {
  const [low, high] = seconds[pace()];
  schedule(now() + Math.round(between(low, high, unit(seed, subjectId, now() | 0)) * 1000), run);
}

function regionOf({regionName}: Environment): Region {
  const region = REGIONS.find(({name}) => name === regionName);
  if (region === undefined) throw new Error(`There is no region ${regionName}.`);
  return region;
}

function wrongState({name, id, status}: Snapshot, participle: string): Refused {
  return refused('state', `Snapshot '${name}' (${id}) cannot be ${participle} while it is ${status}.`);
}
