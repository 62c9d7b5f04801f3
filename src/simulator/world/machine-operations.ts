import {flavorOnOffer} from './catalogue.ts';
import {changeStatus, type Pace, reprice, startDeletion} from './lifecycle.ts';
import {type Callback, type Machine, type MachineEvent, machineWords, recordEvent, type Status} from './machine.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import type {World} from './world.ts';

/** Operations on a machine besides power; named as in the paths where those have a name. */
export type MachineVerb =
  | 'create-machine'
  | 'delete-machine'
  | 'resize'
  | 'label'
  | 'attach-floatingip'
  | 'detach-floatingip'
  | 'attach-callback'
  | 'update-callback'
  | 'delete-callback'
  | 'enhanced-metrics'
  | 'request-console'
  | 'request-logs';

/** One event on its way to a callback URL, with the machine's state at the time. */
type CallbackEvent = {
  readonly url: string;
  readonly machineId: number;
  readonly machineName: string;
  readonly status: Status;
  readonly event: MachineEvent;
};

/** Events still to be posted. The world only queues them; the server posts them. */
export type Outbox = {
  readonly callbackTo: (url: string) => Callback;
  /** Returns what was queued since the last call, oldest first. */
  readonly take: () => readonly CallbackEvent[];
};

/** Nobody may fetch them for hours, so only the newest are kept. */
const OUTBOX_LIMIT = 1000;
const RESIZE_MS: Readonly<Record<Pace, number>> = {quick: 9000, faithful: 120_000};
const ADDRESS_MS: Readonly<Record<Pace, number>> = {quick: 4000, faithful: 15_000};

export function deleteMachine(world: World, machine: Machine, userId: number): Decision<undefined> {
  if (machine.status === 'CREATING' || machine.status === 'DELETING') {
    return refused('state', `${machineWords(machine)} cannot be deleted while it is ${machine.status}.`);
  }
  startDeletion(world, machine, userId);
  world.executed('delete-machine', machine.id);
  return accepted(undefined);
}

// The service has it disabled and documents no state for it, so the machine is seen to reboot.
export function resize(world: World, machine: Machine, flavorName: string, userId: number): Decision<undefined> {
  const {status, environment} = machine;
  const flavor = flavorOnOffer(flavorName, environment.regionName);
  if (!world.allowsResize) return refused('state', 'Resizing virtual machines: this feature is currently disabled.');
  if (!isSettled(machine)) {
    return refused(
      'state',
      `${machineWords(machine)} cannot be resized while it is ${status}; it must be ACTIVE or SHUTOFF.`,
    );
  }
  if (flavor === undefined) {
    return refused('missing', `Flavor '${flavorName}' does not exist in ${environment.regionName}.`);
  }
  if (flavor.name === machine.flavor.name) {
    return refused('state', `${machineWords(machine)} has the flavor ${flavorName} already.`);
  }
  if (!world.stock.hasRoomFor(flavor)) {
    return refused('state', `Flavor '${flavorName}' is out of stock in ${environment.regionName}.`);
  }
  changeStatus(world, machine, 'REBOOTING');
  const asked = `Instance is to be resized to ${flavorName}.`;
  recordEvent(machine, {at: world.now(), userId, reason: 'InstanceResizeRequest', message: asked});
  world.schedule(world.now() + RESIZE_MS[world.pace()], () => {
    if (machine.status !== 'REBOOTING') return;
    machine.flavor = flavor;
    changeStatus(world, machine, status);
    const done = `Instance was resized to ${flavorName}.`;
    recordEvent(machine, {at: world.now(), userId, reason: 'InstanceResizeSuccess', message: done});
  });
  world.executed('resize', machine.id);
  return accepted(undefined);
}

/** The machine has exactly these labels from now on. */
export function relabel(world: World, machine: Machine, labels: readonly string[]): Decision<undefined> {
  machine.labels = labels;
  world.executed('label', machine.id);
  return accepted(undefined);
}

/** Gives a machine a new public address, which cannot be chosen. */
export function attachAddress(world: World, machine: Machine, userId: number): Decision<undefined> {
  const refusal = addressRefusal(machine);
  if (refusal !== undefined) return refusal;
  if (machine.floatingIp !== undefined) return refused('state', `${machineWords(machine)} has a public IP already.`);
  if (world.creditLeft() < 0) return refused('credit', 'Your balance is insufficient to attach a public IP.');
  machine.addressChange = 'ATTACHING';
  machine.requiresPublicIp = true;
  const asked = 'A public IP is to be attached.';
  recordEvent(machine, {at: world.now(), userId, reason: 'AttachFloatingIPToInstanceRequest', message: asked});
  world.schedule(world.now() + ADDRESS_MS[world.pace()], () => {
    machine.addressChange = undefined;
    if (isLeaving(machine)) return;
    machine.floatingIp ??= world.factory.publicIp();
    reprice(world, machine);
    const done = `The public IP ${machine.floatingIp} was attached.`;
    recordEvent(machine, {at: world.now(), userId, reason: 'AttachFloatingIPToInstanceSuccess', message: done});
  });
  world.executed('attach-floatingip', machine.id);
  return accepted(undefined);
}

/** Removes the public address; it goes back to the service and is lost. */
export function detachAddress(world: World, machine: Machine, userId: number): Decision<undefined> {
  const refusal = addressRefusal(machine);
  if (refusal !== undefined) return refusal;
  if (machine.floatingIp === undefined) return refused('state', `${machineWords(machine)} has no public IP.`);
  machine.addressChange = 'DETACHING';
  machine.requiresPublicIp = false;
  const asked = 'The public IP is to be detached.';
  recordEvent(machine, {at: world.now(), userId, reason: 'DetachFloatingIPToInstanceRequest', message: asked});
  world.schedule(world.now() + ADDRESS_MS[world.pace()], () => {
    machine.addressChange = 'DETACHED';
    if (isLeaving(machine)) return;
    machine.floatingIp = undefined;
    reprice(world, machine);
    const done = 'The public IP was detached.';
    recordEvent(machine, {at: world.now(), userId, reason: 'DetachFloatingIPToInstanceSuccess', message: done});
  });
  world.executed('detach-floatingip', machine.id);
  return accepted(undefined);
}

/** Sets or replaces a machine's single callback URL; returns it. */
export function setCallback(world: World, machine: Machine, step: 'attach' | 'update', url: string): Decision<string> {
  if (step === 'attach' && machine.callback !== undefined) {
    return refused('state', `${machineWords(machine)} has a callback URL already.`);
  }
  if (step === 'update' && machine.callback === undefined) return withoutCallback(machine);
  machine.callback = world.outbox.callbackTo(url);
  world.executed(`${step}-callback`, machine.id);
  return accepted(url);
}

export function removeCallback(world: World, machine: Machine): Decision<undefined> {
  if (machine.callback === undefined) return withoutCallback(machine);
  machine.callback = undefined;
  world.executed('delete-callback', machine.id);
  return accepted(undefined);
}

export function createOutbox(): Outbox {
  let events: CallbackEvent[] = [];
  return {
    callbackTo: url => ({
      url,
      take: ({id, name, status}, event) => {
        events.push({url, machineId: id, machineName: name, status, event});
        if (events.length > OUTBOX_LIMIT) events.shift();
      },
    }),
    take: () => {
      const taken = events;
      events = [];
      return taken;
    },
  };
}

/** Whether a machine's addresses, volumes and firewalls can change: only while it is stopped or running. */
export function isSettled({status}: Machine): boolean {
  return status === 'ACTIVE' || status === 'SHUTOFF';
}

function addressRefusal(machine: Machine): Refused | undefined {
  const {status, addressChange} = machine;
  if (machine.isSnapshotting) {
    return refused('state', `The public IP of ${machineWords(machine)} cannot change while a snapshot of it is taken.`);
  }
  if (!isSettled(machine)) {
    return refused('state', `The public IP of ${machineWords(machine)} cannot change while it is ${status}.`);
  }
  if (addressChange === 'ATTACHING' || addressChange === 'DETACHING') {
    return refused('state', `The public IP of ${machineWords(machine)} is ${addressChange} already.`);
  }
  return undefined;
}

function isLeaving({status}: Machine): boolean {
  return status === 'DELETING' || status === 'DELETED';
}

function withoutCallback(machine: Machine): Refused {
  return refused('state', `${machineWords(machine)} has no callback URL.`);
}
