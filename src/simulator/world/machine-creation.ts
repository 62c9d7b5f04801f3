import {FLAVORS, type Flavor, type Image, type RegionName} from './catalogue.ts';
import {environmentNamed, type Ground} from './context.ts';
import {create} from './lifecycle.ts';
import type {Environment, Machine, Volume} from './machine.ts';
import {accepted, type Outcome, refused} from './outcome.ts';
import {isSame, type RuleFields} from './rules.ts';
import {attach, freeDiskIndex, meterVolume} from './volumes.ts';

/** New machines as they were asked for; every name still has to be looked up. */
export type MachineOrder = {
  readonly name: string;
  readonly count: number;
  readonly environmentName: string;
  readonly flavorName: string;
  readonly keyPairName: string;
  readonly imageName: string | undefined;
  /** An existing volume to attach; one that holds a system stands in for the image. */
  readonly volumeName: string | undefined;
  readonly createsBootableVolume: boolean;
  readonly assignsPublicIp: boolean;
  readonly isPortRandomized: boolean;
  readonly rules: readonly RuleFields[];
  readonly labels: readonly string[];
  readonly callbackUrl: string | undefined;
};

/** The same order with everything found that it names. */
type Plan = {
  readonly order: MachineOrder;
  readonly environment: Environment;
  readonly flavor: Flavor;
  readonly image: Image;
  readonly volume: Volume | undefined;
};

export const MACHINE_NAME_LIMIT = 50;
/** The service's limit for one environment. */
const MACHINES_PER_ENVIRONMENT = 250;
/** What a machine runs that was started from a volume; the service does not say which image that came from. */
const VOLUME_IMAGE: Image = {id: 0, name: '', os: 'Ubuntu'};
const SMALLEST_BOOTABLE_GB = 100;

/** Makes the machines, or says what stands against it. All of them come about, or none. */
export function createMachines(
  ground: Ground,
  order: MachineOrder,
  userId: number,
  callbackTo: (url: string) => Machine['callback'],
): Outcome<readonly Machine[]> {
  const plan = planOf(ground, order);
  if (!plan.isAccepted) return plan;
  const machines = namesOf(order).map(name => {
    const machine = enrolled(ground, plan.result, name);
    if (order.callbackUrl !== undefined) machine.callback = callbackTo(order.callbackUrl);
    create(ground, machine, userId, ground.pace(), false);
    return machine;
  });
  return accepted(machines);
}

/** One name as it is, several with a number behind each. */
export function namesOf({name, count}: Pick<MachineOrder, 'name' | 'count'>): string[] {
  return count === 1 ? [name] : Array.from({length: count}, (_, index) => `${name}-${index + 1}`);
}

/** Those of the names that a machine has already. Names are the organization's, not the environment's. */
export function takenNames({machines}: Pick<Ground, 'machines'>, names: readonly string[]): string[] {
  const taken = new Set(machines.map(({name}) => name.toLowerCase()));
  return names.filter(name => taken.has(name.toLowerCase()));
}

/** The flavor of that name in that region, where it is on offer. */
export function flavorOnOffer(name: string, regionName: RegionName): Flavor | undefined {
  return FLAVORS.find(flavor => flavor.name === name && flavor.regionName === regionName);
}

function planOf(ground: Ground, order: MachineOrder): Outcome<Plan> {
  const environment = environmentNamed(ground, order.environmentName);
  if (environment === undefined) return refused('missing', `Environment '${order.environmentName}' does not exist.`);
  const {regionName} = environment;
  const flavor = flavorOnOffer(order.flavorName, regionName);
  if (flavor === undefined) return refused('missing', `Flavor '${order.flavorName}' does not exist in ${regionName}.`);
  if (!ground.references.hasKeyPair(environment, order.keyPairName)) {
    return refused('missing', `Key pair '${order.keyPairName}' does not exist in environment '${environment.name}'.`);
  }
  const volume = volumeFor(ground, order, environment);
  if (!volume.isAccepted) return volume;
  const image = imageFor(ground, order, environment, volume.result);
  if (!image.isAccepted) return image;
  const plan = {order, environment, flavor, image: image.result, volume: volume.result};
  return refusalOf(ground, plan) ?? accepted(plan);
}

function volumeFor(
  ground: Ground,
  {volumeName, count}: MachineOrder,
  environment: Environment,
): Outcome<Volume | undefined> {
  if (volumeName === undefined) return accepted(undefined);
  const volume = ground.volumes.find(each => each.name === volumeName && each.environment.id === environment.id);
  if (volume === undefined) {
    return refused('missing', `Volume '${volumeName}' does not exist in environment '${environment.name}'.`);
  }
  if (count > 1) return refused('state', `Volume '${volumeName}' can be attached to one virtual machine only.`);
  return volume.status === 'available'
    ? accepted(volume)
    : refused('state', `Volume '${volumeName}' cannot be attached while it is ${volume.status}.`);
}

function imageFor(
  ground: Ground,
  {imageName}: MachineOrder,
  {regionName}: Environment,
  volume: Volume | undefined,
): Outcome<Image> {
  if (imageName === undefined) {
    if (volume?.isBootable === true) return accepted(VOLUME_IMAGE);
    return refused('state', 'Either image_name or the volume_name of a bootable volume is needed.');
  }
  const image = ground.references.imageNamed(regionName, imageName);
  return image === undefined
    ? refused('missing', `Image '${imageName}' does not exist in ${regionName}.`)
    : accepted(image);
}

/** What stands against it although everything it names is there. */
function refusalOf(ground: Ground, {order, environment, flavor}: Plan) {
  const names = namesOf(order);
  const [taken] = takenNames(ground, names);
  if (taken !== undefined) return refused('duplicate', `A virtual machine with the name '${taken}' already exists.`);
  if (names.some(name => name.length > MACHINE_NAME_LIMIT)) {
    return refused(
      'state',
      `With its number the name '${order.name}' is longer than ${MACHINE_NAME_LIMIT} characters.`,
    );
  }
  const isRepeated = order.rules.some((rule, index) => order.rules.slice(0, index).some(other => isSame(other, rule)));
  if (isRepeated) return refused('duplicate', 'Two of the security rules have the same fields.');
  if (ground.creditLeft() < 0) return refused('state', 'Your balance is insufficient to create a virtual machine.');
  if (ground.stock.roomFor(flavor) < order.count) {
    return refused('state', `Flavor '${flavor.name}' is out of stock in ${environment.regionName}.`);
  }
  const present = ground.machines.filter(machine => machine.environment.id === environment.id).length;
  return present + order.count > MACHINES_PER_ENVIRONMENT
    ? refused('state', `Environment '${environment.name}' can hold ${MACHINES_PER_ENVIRONMENT} virtual machines.`)
    : undefined;
}

function enrolled(ground: Ground, {order, environment, flavor, image, volume}: Plan, name: string): Machine {
  const createdAt = ground.now();
  const machine = ground.enroll({
    name,
    flavorName: flavor.name,
    environmentName: environment.name,
    // Nobody has told it to do anything yet.
    workload: {kind: 'idle'},
    createdAt,
    labels: order.labels,
    hasPublicIp: order.assignsPublicIp,
    isPortRandomized: order.assignsPublicIp && order.isPortRandomized,
    image,
    keyPairName: order.keyPairName,
    ...(order.createsBootableVolume
      ? {volumes: [{name: `${name}-boot`, sizeGb: Math.max(SMALLEST_BOOTABLE_GB, flavor.diskGb), isBootable: true}]}
      : {}),
  });
  if (volume !== undefined) {
    const id = ground.issuer.attachmentId();
    const index = freeDiskIndex(machine);
    machine.attachments.push(attach(volume, {id, machineId: machine.id, index, at: createdAt, isProtected: false}));
    meterVolume(volume, createdAt);
  }
  // They hold from its first moment, so nobody ever sees them on their way.
  machine.rules.splice(
    2,
    Number.POSITIVE_INFINITY,
    ...order.rules.map(fields => ({...fields, id: ground.issuer.ruleId(), createdAt, status: 'SUCCESS' as const})),
  );
  return machine;
}
