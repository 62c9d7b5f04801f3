import {PUBLIC_IP_NANO_PER_HOUR, STORAGE_NANO_PER_GB_HOUR} from './catalogue.ts';
import {type Machine, machineWords, recordEvent, type Status} from './machine.ts';
import {setRate, terminate} from './metering.ts';
import {accepted, type Decision, refused, whenAccepted} from './operation.ts';
import {between, unit} from './random.ts';
import type {World} from './world.ts';

/** `quick` takes 3 to 20 seconds, `faithful` the service's own minutes. */
export type Pace = 'quick' | 'faithful';

/** Seconds, by pace. */
export type Seconds = Readonly<Record<Pace, readonly [low: number, high: number]>>;

type PowerOperation = {
  /** As in its path. */
  readonly verb: string;
  /** Its title in the description of the interface, and the service's answer to it. */
  readonly summary: string;
  readonly answer: string;
  readonly from: readonly Status[];
  readonly during: Status;
  readonly after: Status;
  /** The prefix of its event reasons. */
  readonly event: string;
  readonly participle: string;
  readonly seconds: Seconds;
};

/** The power operations: what each one needs, passes through and ends in. */
export const POWER_OPERATIONS = [
  {
    verb: 'start',
    summary: 'Start a virtual machine that is shut off',
    answer: 'Starting virtual machine',
    from: ['SHUTOFF'],
    during: 'STARTING',
    after: 'ACTIVE',
    event: 'InstanceStart',
    participle: 'started',
    seconds: {quick: [4, 9], faithful: [45, 80]},
  },
  {
    verb: 'stop',
    summary: 'Stop a virtual machine',
    answer: 'Stopping virtual machine',
    from: ['ACTIVE', 'ERROR'],
    during: 'STOPPING',
    after: 'SHUTOFF',
    event: 'InstanceStop',
    participle: 'stopped',
    seconds: {quick: [3, 7], faithful: [40, 75]},
  },
  {
    verb: 'hard-reboot',
    summary: 'Hard-reboot a virtual machine',
    answer: 'Rebooting virtual machine',
    from: ['ACTIVE', 'ERROR'],
    during: 'REBOOTING',
    after: 'ACTIVE',
    event: 'InstanceReboot',
    participle: 'rebooted',
    seconds: {quick: [5, 12], faithful: [45, 90]},
  },
  {
    verb: 'hibernate',
    summary: 'Hibernate a virtual machine',
    answer: 'Hibernating virtual machine',
    from: ['ACTIVE'],
    during: 'HIBERNATING',
    after: 'HIBERNATED',
    event: 'HibernateInstance',
    participle: 'hibernated',
    seconds: {quick: [10, 20], faithful: [600, 900]},
  },
  {
    verb: 'hibernate-restore',
    summary: 'Restore a virtual machine from hibernation',
    answer: 'Restoring virtual machine from hibernation',
    from: ['HIBERNATED'],
    during: 'RESTORING',
    after: 'ACTIVE',
    event: 'RestoreHibernationInstance',
    participle: 'restored',
    seconds: {quick: [8, 18], faithful: [300, 600]},
  },
] as const satisfies readonly PowerOperation[];
export type PowerVerb = (typeof POWER_OPERATIONS)[number]['verb'];

/** Who requests it, and how it should go. */
export type OperationRequest = {
  readonly userId: number;
  /** Whether a hibernated machine keeps its floating IP. */
  readonly retainsIp: boolean;
  /** Makes the operation fail once it is under way. */
  readonly fails?: boolean;
  /** Overrides the pace. */
  readonly takesMs?: number;
};

const BUILD_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 3000, faithful: 12_000};
const ACTIVE_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 11_000, faithful: 95_000};
const DELETED_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 6000, faithful: 40_000};
/** A machine switched on and off for weeks keeps only its latest boots. */
const BOOT_LIMIT = 2000;
const STABLE: ReadonlySet<Status> = new Set<Status>(['ACTIVE', 'SHUTOFF', 'HIBERNATED', 'ERROR', 'DELETED']);

/** A power operation sent by a request. */
export function operate(
  world: World,
  machine: Machine,
  verb: PowerVerb,
  request: OperationRequest,
): Decision<undefined> {
  return whenAccepted(beginOperation(world, machine, verb, request), () => world.executed(verb, machine.id));
}

/**
 * Starts an operation, or refuses it with the service's reason. An accepted operation is under way: its outcome is a
 * later state and event, never this answer.
 */
export function beginOperation(
  world: World,
  machine: Machine,
  verb: PowerVerb,
  request: OperationRequest,
): Decision<undefined> {
  const operation: PowerOperation | undefined = POWER_OPERATIONS.find(each => each.verb === verb);
  if (operation === undefined) throw new Error(`${verb} is no power operation`);
  const {from, participle} = operation;
  if (!from.includes(machine.status)) {
    return refused(
      'state',
      `${machineWords(machine)} cannot be ${participle} while it is ${machine.status}; it must be ${from.join(' or ')}.`,
    );
  }
  if (machine.isSnapshotting) {
    return refused('state', `${machineWords(machine)} cannot be ${participle} while a snapshot of it is taken.`);
  }
  if (verb === 'hibernate' && !machine.flavor.canHibernate) {
    return refused(
      'state',
      `${machineWords(machine)} cannot be hibernated: its flavor ${machine.flavor.name} does not support it.`,
    );
  }
  begin(world, machine, operation, request);
  return accepted(undefined);
}

/** Brings a new machine up: CREATING, BUILD, ACTIVE. `isStuck` leaves it in CREATING for good. */
export function startCreation(world: World, machine: Machine, userId: number, isStuck = false): void {
  const [at, pace] = [world.now(), world.pace()];
  recordCreation(world, machine, userId);
  if (isStuck) return;
  // It may be deleted while it is being created.
  world.schedule(at + BUILD_AFTER_MS[pace], () => {
    if (machine.status === 'CREATING') changeStatus(world, machine, 'BUILD');
  });
  world.schedule(at + ACTIVE_AFTER_MS[pace], () => {
    if (machine.status === 'BUILD') completeCreation(world, machine, userId);
  });
}

/** The first line of every machine's history. */
export function recordCreation({now}: Pick<World, 'now'>, machine: Machine, userId: number): void {
  const message = 'Instance creation was requested.';
  recordEvent(machine, {at: now(), userId, reason: 'InstanceCreationRequest', message});
}

/** The machine is up for the first time. */
export function completeCreation(world: World, machine: Machine, userId: number): void {
  if (machine.requiresPublicIp) machine.floatingIp ??= world.factory.publicIp();
  changeStatus(world, machine, 'ACTIVE');
  const message = 'Instance was created.';
  recordEvent(machine, {at: world.now(), userId, reason: 'InstanceCreationSuccess', message});
}

/** Deletes a machine; its bill ends when the deletion begins. Its volumes stay. */
export function startDeletion(world: World, machine: Machine, userId: number): void {
  changeStatus(world, machine, 'DELETING');
  const message = 'Instance is to be deleted.';
  recordEvent(machine, {at: world.now(), userId, reason: 'InstanceDeleteRequest', message});
  world.schedule(world.now() + DELETED_AFTER_MS[world.pace()], () => {
    const at = world.now();
    changeStatus(world, machine, 'DELETED');
    terminate(machine.meter, at);
    recordEvent(machine, {at, userId, reason: 'InstanceDeleteSuccess', message: 'Instance was deleted.'});
    world.removeMachine(machine);
  });
}

/** The machine's cost in its present state, nano-dollars per hour. */
export function nanoPerHour(machine: Machine, discountPercent = machine.contract?.discountPercent ?? 0): number {
  const publicIp = machine.floatingIp === undefined ? 0 : PUBLIC_IP_NANO_PER_HOUR;
  switch (machine.status) {
    case 'ACTIVE':
    case 'SHUTOFF':
      return Math.round(machine.flavor.nanoPerHour * (1 - discountPercent / 100)) + publicIp;
    case 'HIBERNATED':
      return machine.flavor.diskGb * STORAGE_NANO_PER_GB_HOUR + publicIp;
    default:
      // Transitions and ERROR are free.
      return 0;
  }
}

function begin(world: World, machine: Machine, operation: PowerOperation, request: OperationRequest): void {
  const {event, participle, during, seconds} = operation;
  const startedAt = world.now();
  const before = machine.status;
  machine.operationCount += 1;
  changeStatus(world, machine, during);
  const message = `Instance is to be ${participle}.`;
  recordEvent(machine, {at: startedAt, userId: request.userId, reason: `${event}Request`, message});
  const [low, high] = seconds[world.pace()];
  const chance = unit(world.seed, machine.id, machine.operationCount);
  const takesMs = request.takesMs ?? Math.round(between(low, high, chance) * 1000);
  world.schedule(startedAt + takesMs, () => finish(world, machine, operation, {request, before}));
}

function finish(
  world: World,
  machine: Machine,
  {event, participle, during, after}: PowerOperation,
  {request, before}: {readonly request: OperationRequest; readonly before: Status},
): void {
  // It may have been deleted in the meantime.
  if (machine.status !== during) return;
  const {userId} = request;
  const at = world.now();
  const isRestore = during === 'RESTORING';
  // Restoring needs free capacity of the flavor; without it, the machine goes back into hibernation.
  if (request.fails === true || (isRestore && !world.stock.hasRoomFor(machine.flavor))) {
    changeStatus(world, machine, isRestore ? before : 'ERROR');
    const why = isRestore ? `no free capacity for the flavor ${machine.flavor.name}` : 'the host did not answer';
    const message = `Instance could not be ${participle}: ${why}.`;
    recordEvent(machine, {at, userId, type: 'error', reason: `${event}Failed`, message});
    return;
  }
  if (during === 'HIBERNATING' && !request.retainsIp) machine.floatingIp = undefined;
  if (isRestore && machine.requiresPublicIp) machine.floatingIp ??= world.factory.publicIp();
  changeStatus(world, machine, after);
  recordEvent(machine, {at, userId, reason: `${event}Success`, message: `Instance was ${participle}.`});
}

/** The machine is in another state from now on, and is billed accordingly. */
export function changeStatus(world: Pick<World, 'now'>, machine: Machine, status: Status): void {
  const at = world.now();
  machine.status = status;
  machine.powerState = undefined;
  if (STABLE.has(status)) machine.stableStatus = status;
  reprice(world, machine);
  const boot = machine.boots.at(-1);
  if (boot !== undefined) boot.endedAt ??= at;
  if (status !== 'ACTIVE') return;
  machine.boots.push({bootedAt: at, endedAt: null, hasPublicIp: machine.floatingIp !== undefined});
  if (machine.boots.length > BOOT_LIMIT) machine.boots.shift();
}

/** Updates the machine's bill after its state or price has changed. */
export function reprice({now}: Pick<World, 'now'>, machine: Machine): void {
  const rate = nanoPerHour(machine);
  if (machine.meter.compute !== undefined) machine.meter.compute.flavor = machine.flavor;
  setRate(machine.meter, now(), rate, {
    state: machine.status,
    listNanoPerHour: nanoPerHour(machine, 0),
    addressNanoPerHour: rate === 0 || machine.floatingIp === undefined ? 0 : PUBLIC_IP_NANO_PER_HOUR,
  });
}
