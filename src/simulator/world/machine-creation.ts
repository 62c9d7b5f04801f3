import {type Flavor, flavorOnOffer, type Image, imageNamed} from './catalogue.ts';
import {type Environment, environmentNamed} from './environments.ts';
import {hasKeyPair} from './key-pairs.ts';
import {startCreation} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import {isSame, type RuleFields} from './rules.ts';
import {attach, freeDiskIndex, meterVolume, type Volume} from './volumes.ts';
import type {World} from './world.ts';

/** New machines as requested; names still have to be looked up. */
export type MachineRequest = {
  readonly name: string;
  readonly count: number;
  readonly environmentName: string;
  readonly flavorName: string;
  readonly keyPairName: string;
  readonly imageName: string | undefined;
  /** An existing volume to attach; a bootable one replaces the image. */
  readonly volumeName: string | undefined;
  readonly createsBootableVolume: boolean;
  readonly assignsPublicIp: boolean;
  readonly isPortRandomized: boolean;
  readonly rules: readonly RuleFields[];
  readonly labels: readonly string[];
  readonly callbackUrl: string | undefined;
};

/** The same request with all names resolved. */
type Plan = {
  readonly request: MachineRequest;
  readonly environment: Environment;
  readonly flavor: Flavor;
  readonly image: Image;
  readonly volume: Volume | undefined;
};

export const MACHINE_NAME_LIMIT = 50;
/** The service's limit for one environment. */
export const MACHINES_PER_ENVIRONMENT = 250;
/** The system of a machine started from a volume; the service does not say which image that came from. */
const VOLUME_IMAGE: Image = {id: 0, name: '', os: 'Ubuntu'};
const SMALLEST_BOOTABLE_GB = 100;

/** Creates the machines, or says why it cannot. Either all of them are created or none. */
export function createMachines(world: World, request: MachineRequest, userId: number): Decision<readonly Machine[]> {
  const plan = planOf(world, request);
  if (!plan.isAccepted) return plan;
  const machines = namesOf(request).map(name => {
    const machine = addMachine(world, plan.result, name);
    if (request.callbackUrl !== undefined) machine.callback = world.outbox.callbackTo(request.callbackUrl);
    startCreation(world, machine, userId);
    return machine;
  });
  for (const {id} of machines) world.executed('create-machine', id);
  return accepted(machines);
}

/** A single name unchanged, several with a number added to each. */
export function namesOf({name, count}: Pick<MachineRequest, 'name' | 'count'>): string[] {
  return count === 1 ? [name] : Array.from({length: count}, (_, index) => `${name}-${index + 1}`);
}

/** The names that a machine already has. Names are unique in the organization, not in the environment. */
export function takenNames({machines}: Pick<World, 'machines'>, names: readonly string[]): string[] {
  const taken = new Set(machines.map(({name}) => name.toLowerCase()));
  return names.filter(name => taken.has(name.toLowerCase()));
}

function planOf(world: World, request: MachineRequest): Decision<Plan> {
  const environment = environmentNamed(world, request.environmentName);
  if (environment === undefined) {
    return refused('missing', `Environment '${request.environmentName}' does not exist.`);
  }
  const {regionName} = environment;
  const flavor = flavorOnOffer(request.flavorName, regionName);
  if (flavor === undefined) {
    return refused('missing', `Flavor '${request.flavorName}' does not exist in ${regionName}.`);
  }
  if (!hasKeyPair(world, environment, request.keyPairName)) {
    return refused('missing', `Key pair '${request.keyPairName}' does not exist in environment '${environment.name}'.`);
  }
  const volume = volumeFor(world, request, environment);
  if (!volume.isAccepted) return volume;
  const image = imageFor(world, request, environment, volume.result);
  if (!image.isAccepted) return image;
  const plan = {request, environment, flavor, image: image.result, volume: volume.result};
  return refusalOf(world, plan) ?? accepted(plan);
}

function volumeFor(
  {volumes}: World,
  {volumeName, count}: MachineRequest,
  environment: Environment,
): Decision<Volume | undefined> {
  if (volumeName === undefined) return accepted(undefined);
  const volume = volumes.find(each => each.name === volumeName && each.environment.id === environment.id);
  if (volume === undefined) {
    return refused('missing', `Volume '${volumeName}' does not exist in environment '${environment.name}'.`);
  }
  if (count > 1) return refused('state', `Volume '${volumeName}' can be attached to one virtual machine only.`);
  return volume.status === 'available'
    ? accepted(volume)
    : refused('state', `Volume '${volumeName}' cannot be attached while it is ${volume.status}.`);
}

function imageFor(
  {images}: World,
  {imageName}: MachineRequest,
  {regionName}: Environment,
  volume: Volume | undefined,
): Decision<Image> {
  if (imageName === undefined) {
    if (volume?.isBootable === true) return accepted(VOLUME_IMAGE);
    return refused('state', 'Either image_name or the volume_name of a bootable volume is needed.');
  }
  const image = imageNamed(images, regionName, imageName);
  return image === undefined
    ? refused('missing', `Image '${imageName}' does not exist in ${regionName}.`)
    : accepted(image);
}

/** Why the machines cannot be created although everything named exists. */
function refusalOf(world: World, {request, environment, flavor}: Plan): Refused | undefined {
  const {rules} = request;
  const isRepeated = rules.some((rule, index) => rules.slice(0, index).some(other => isSame(other, rule)));
  if (isRepeated) return refused('duplicate', 'Two of the security rules have the same fields.');
  return nameRefusal(world, {names: namesOf(request), environment, flavor});
}

/** Why machines with these names cannot be added to an environment. */
export function nameRefusal(
  world: World,
  {names, environment, flavor}: Pick<Plan, 'environment' | 'flavor'> & {readonly names: readonly string[]},
): Refused | undefined {
  const [taken] = takenNames(world, names);
  if (taken !== undefined) return refused('duplicate', `A virtual machine with the name '${taken}' already exists.`);
  const long = names.find(name => name.length > MACHINE_NAME_LIMIT);
  if (long !== undefined) {
    return refused('state', `The name '${long}' is longer than ${MACHINE_NAME_LIMIT} characters.`);
  }
  if (world.creditLeft() < 0) return refused('state', 'Your balance is insufficient to create a virtual machine.');
  if (world.stock.roomFor(flavor) < names.length) {
    return refused('state', `Flavor '${flavor.name}' is out of stock in ${environment.regionName}.`);
  }
  const present = world.machines.filter(machine => machine.environment.id === environment.id).length;
  return present + names.length > MACHINES_PER_ENVIRONMENT
    ? refused('state', `Environment '${environment.name}' can hold ${MACHINES_PER_ENVIRONMENT} virtual machines.`)
    : undefined;
}

function addMachine(world: World, {request, environment, flavor, image, volume}: Plan, name: string): Machine {
  const createdAt = world.now();
  const machine = world.addMachine({
    name,
    flavorName: flavor.name,
    environmentName: environment.name,
    // Nobody has given it any work yet.
    workload: {kind: 'idle'},
    createdAt,
    labels: request.labels,
    hasPublicIp: request.assignsPublicIp,
    isPortRandomized: request.assignsPublicIp && request.isPortRandomized,
    image,
    keyPairName: request.keyPairName,
    ...(request.createsBootableVolume
      ? {volumes: [{name: `${name}-boot`, sizeGb: Math.max(SMALLEST_BOOTABLE_GB, flavor.diskGb), isBootable: true}]}
      : {}),
  });
  if (volume !== undefined) {
    const id = world.factory.attachmentId();
    const index = freeDiskIndex(machine);
    machine.attachments.push(attach(volume, {id, machineId: machine.id, index, at: createdAt, isProtected: false}));
    meterVolume(volume, createdAt);
  }
  // They apply from its first moment, so they are never seen as pending.
  machine.rules.splice(
    2,
    Number.POSITIVE_INFINITY,
    ...request.rules.map(fields => ({...fields, id: world.factory.ruleId(), createdAt, status: 'SUCCESS' as const})),
  );
  return machine;
}
