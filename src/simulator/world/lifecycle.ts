import {type Flavor, PUBLIC_IP_NANO_PER_HOUR, STORAGE_NANO_PER_GB_HOUR} from './catalogue.ts';
import type {Machine, MachineEvent, Status} from './machine.ts';
import {setRate, terminate} from './metering.ts';
import {OPERATIONS, type Operation, type Pace, type Verb} from './operations.ts';
import {between, unit} from './random.ts';

/** What a lifecycle needs of the world around the machine. */
export type Surroundings = {
  readonly now: () => number;
  readonly schedule: (at: number, run: () => void) => void;
  readonly allocatePublicIp: () => string;
  /** Removes a deleted machine from the lists. */
  readonly bury: (machine: Machine) => void;
  readonly seed: number;
  /** Whether the region has free capacity for one more of the flavor. */
  readonly hasRoomFor: (flavor: Flavor) => boolean;
};

/** Who asks, and how long it may take. */
export type OperationRequest = {
  readonly userId: number;
  /** The floating IP stays with a hibernated machine. */
  readonly retainsIp: boolean;
  readonly pace: Pace;
  /** Lets the operation fail once it is under way. */
  readonly fails?: boolean;
  /** Overrides the pace. */
  readonly takesMs?: number;
};

export type Verdict = {readonly isAccepted: true} | {readonly isAccepted: false; readonly message: string};

const BUILD_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 3000, faithful: 12_000};
const ACTIVE_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 11_000, faithful: 95_000};
const DELETED_AFTER_MS: Readonly<Record<Pace, number>> = {quick: 6000, faithful: 40_000};
/** A machine that is switched on and off for weeks keeps its latest history only. */
const EVENT_LIMIT = 2000;
const BOOT_LIMIT = 2000;

/**
 * Starts an operation, or refuses it with the service's reason. What was accepted is under way: its outcome comes
 * with a state and an event, never with this answer.
 */
export function requestOperation(
  surroundings: Surroundings,
  machine: Machine,
  verb: Verb,
  request: OperationRequest,
): Verdict {
  const operation = OPERATIONS[verb];
  const subject = `Virtual machine '${machine.name}' (${machine.id})`;
  if (!operation.from.includes(machine.status)) {
    const message = `${subject} cannot be ${operation.participle} while it is ${machine.status}; it must be ${operation.from.join(' or ')}.`;
    return {isAccepted: false, message};
  }
  if (verb === 'hibernate' && !machine.flavor.canHibernate) {
    return {
      isAccepted: false,
      message: `${subject} cannot be hibernated: its flavor ${machine.flavor.name} does not support it.`,
    };
  }
  begin(surroundings, machine, operation, request);
  return {isAccepted: true};
}

/** Brings a new machine up: CREATING, BUILD, ACTIVE. `isStuck` leaves it in CREATING for good. */
export function create(
  surroundings: Surroundings,
  machine: Machine,
  userId: number,
  pace: Pace,
  isStuck: boolean,
): void {
  const at = surroundings.now();
  noteCreation(surroundings, machine, userId);
  if (isStuck) return;
  // It may be deleted while it is being made.
  surroundings.schedule(at + BUILD_AFTER_MS[pace], () => {
    if (machine.status === 'CREATING') changeStatus(surroundings, machine, 'BUILD');
  });
  surroundings.schedule(at + ACTIVE_AFTER_MS[pace], () => {
    if (machine.status === 'BUILD') completeCreation(surroundings, machine, userId);
  });
}

/** The first line of every machine's history. */
export function noteCreation({now}: Pick<Surroundings, 'now'>, machine: Machine, userId: number): void {
  note(machine, now(), userId, 'InstanceCreationRequest', 'Instance creation was requested.');
}

/** The machine is up for the first time. */
export function completeCreation(surroundings: Surroundings, machine: Machine, userId: number): void {
  if (machine.requiresPublicIp) machine.floatingIp ??= surroundings.allocatePublicIp();
  changeStatus(surroundings, machine, 'ACTIVE');
  note(machine, surroundings.now(), userId, 'InstanceCreationSuccess', 'Instance was created.');
}

/** Takes a machine away for good; its bill ends when the deletion begins. Its volumes stay. */
export function remove(surroundings: Surroundings, machine: Machine, userId: number, pace: Pace): void {
  changeStatus(surroundings, machine, 'DELETING');
  note(machine, surroundings.now(), userId, 'InstanceDeleteRequest', 'Instance is to be deleted.');
  surroundings.schedule(surroundings.now() + DELETED_AFTER_MS[pace], () => {
    changeStatus(surroundings, machine, 'DELETED');
    terminate(machine.meter, surroundings.now());
    note(machine, surroundings.now(), userId, 'InstanceDeleteSuccess', 'Instance was deleted.');
    surroundings.bury(machine);
  });
}

/** What the machine costs in its present state, nano-dollars per hour. */
export function nanoPerHour(machine: Machine, discountPercent = machine.contract?.discountPercent ?? 0): number {
  const publicIp = machine.floatingIp === undefined ? 0 : PUBLIC_IP_NANO_PER_HOUR;
  switch (machine.status) {
    case 'ACTIVE':
    case 'SHUTOFF':
      return Math.round(machine.flavor.nanoPerHour * (1 - discountPercent / 100)) + publicIp;
    case 'HIBERNATED':
      return machine.flavor.diskGb * STORAGE_NANO_PER_GB_HOUR + publicIp;
    default:
      // Every transition and ERROR are free.
      return 0;
  }
}

function begin(surroundings: Surroundings, machine: Machine, operation: Operation, request: OperationRequest): void {
  const startedAt = surroundings.now();
  const before = machine.status;
  machine.operationCount += 1;
  changeStatus(surroundings, machine, operation.during);
  note(machine, startedAt, request.userId, `${operation.thing}Request`, `Instance is to be ${operation.participle}.`);
  const [low, high] = operation.seconds[request.pace];
  const chance = unit(surroundings.seed, machine.id, machine.operationCount);
  const takesMs = request.takesMs ?? Math.round(between(low, high, chance) * 1000);
  surroundings.schedule(startedAt + takesMs, () => finish(surroundings, machine, operation, request, before));
}

function finish(
  surroundings: Surroundings,
  machine: Machine,
  operation: Operation,
  request: OperationRequest,
  before: Status,
): void {
  // It may have been deleted meanwhile.
  if (machine.status !== operation.during) return;
  const at = surroundings.now();
  const isRestore = operation.during === 'RESTORING';
  // Restoring needs free capacity of the flavor; without it the machine falls back into hibernation.
  if (request.fails === true || (isRestore && !surroundings.hasRoomFor(machine.flavor))) {
    changeStatus(surroundings, machine, isRestore ? before : 'ERROR');
    const why = isRestore ? `no free capacity for the flavor ${machine.flavor.name}` : 'the host did not answer';
    const message = `Instance could not be ${operation.participle}: ${why}.`;
    record(machine, {at, userId: request.userId, type: 'error', reason: `${operation.thing}Failed`, message});
    return;
  }
  if (operation.during === 'HIBERNATING' && !request.retainsIp) machine.floatingIp = undefined;
  if (isRestore && machine.requiresPublicIp) machine.floatingIp ??= surroundings.allocatePublicIp();
  changeStatus(surroundings, machine, operation.after);
  note(machine, at, request.userId, `${operation.thing}Success`, `Instance was ${operation.participle}.`);
}

/** The machine is in another state from now on, and costs what that costs. */
export function changeStatus(surroundings: Surroundings, machine: Machine, status: Status): void {
  const at = surroundings.now();
  machine.status = status;
  if (STABLE.has(status)) machine.stableStatus = status;
  reprice(surroundings, machine);
  const boot = machine.boots.at(-1);
  if (boot !== undefined) boot.endedAt ??= at;
  if (status !== 'ACTIVE') return;
  machine.boots.push({bootedAt: at, endedAt: null, hasPublicIp: machine.floatingIp !== undefined, checkpoints: []});
  if (machine.boots.length > BOOT_LIMIT) machine.boots.shift();
}

/** Writes what the machine now does and costs into its bill, after something about it has changed. */
export function reprice(surroundings: Pick<Surroundings, 'now'>, machine: Machine): void {
  const rate = nanoPerHour(machine);
  if (machine.meter.compute !== undefined) machine.meter.compute.flavor = machine.flavor;
  setRate(machine.meter, surroundings.now(), rate, {
    state: machine.status,
    listNanoPerHour: nanoPerHour(machine, 0),
    addressNanoPerHour: rate === 0 || machine.floatingIp === undefined ? 0 : PUBLIC_IP_NANO_PER_HOUR,
  });
}

const STABLE: ReadonlySet<Status> = new Set<Status>(['ACTIVE', 'SHUTOFF', 'HIBERNATED', 'ERROR', 'DELETED']);

/** Writes a line into a machine's history. */
export function note(machine: Machine, at: number, userId: number, reason: string, message: string): void {
  record(machine, {at, userId, type: 'normal', reason, message});
}

function record(machine: Machine, event: MachineEvent): void {
  machine.events.push(event);
  if (machine.events.length > EVENT_LIMIT) machine.events.shift();
  machine.callback?.tell(machine, event);
}
