import type {Ground} from './context.ts';
import {note, reprice} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import type {Pace} from './operations.ts';
import {accepted, type Outcome, refused} from './outcome.ts';

const TAKES_MS: Readonly<Record<Pace, number>> = {quick: 4000, faithful: 15_000};
/** `status` of a machine is not touched by either change. */
const ALLOWED: ReadonlySet<string> = new Set(['ACTIVE', 'SHUTOFF']);

/** Gives a machine a new public address; nobody can choose which. */
export function attachAddress(ground: Ground, machine: Machine, userId: number): Outcome<undefined> {
  const refusal = refusalOf(machine);
  if (refusal !== undefined) return refusal;
  if (machine.floatingIp !== undefined) return refused('state', `${subject(machine)} has a public IP already.`);
  if (ground.creditLeft() < 0) return refused('credit', 'Your balance is insufficient to attach a public IP.');
  machine.addressChange = 'ATTACHING';
  machine.requiresPublicIp = true;
  note(machine, ground.now(), userId, 'AttachFloatingIPToInstanceRequest', 'A public IP is to be attached.');
  ground.schedule(ground.now() + TAKES_MS[ground.pace()], () => {
    machine.addressChange = undefined;
    if (isLeaving(machine)) return;
    machine.floatingIp ??= ground.allocatePublicIp();
    reprice(ground, machine);
    const message = `The public IP ${machine.floatingIp} was attached.`;
    note(machine, ground.now(), userId, 'AttachFloatingIPToInstanceSuccess', message);
  });
  return accepted(undefined);
}

/** Takes the public address away; it goes back to the service and is lost. */
export function detachAddress(ground: Ground, machine: Machine, userId: number): Outcome<undefined> {
  const refusal = refusalOf(machine);
  if (refusal !== undefined) return refusal;
  if (machine.floatingIp === undefined) return refused('state', `${subject(machine)} has no public IP.`);
  machine.addressChange = 'DETACHING';
  machine.requiresPublicIp = false;
  note(machine, ground.now(), userId, 'DetachFloatingIPToInstanceRequest', 'The public IP is to be detached.');
  ground.schedule(ground.now() + TAKES_MS[ground.pace()], () => {
    machine.addressChange = 'DETACHED';
    if (isLeaving(machine)) return;
    machine.floatingIp = undefined;
    reprice(ground, machine);
    note(machine, ground.now(), userId, 'DetachFloatingIPToInstanceSuccess', 'The public IP was detached.');
  });
  return accepted(undefined);
}

function refusalOf(machine: Machine) {
  const {status, addressChange} = machine;
  if (!ALLOWED.has(status)) {
    return refused('state', `The public IP of ${subject(machine)} cannot change while it is ${status}.`);
  }
  if (addressChange === 'ATTACHING' || addressChange === 'DETACHING') {
    return refused('state', `The public IP of ${subject(machine)} is ${addressChange} already.`);
  }
  return undefined;
}

function isLeaving({status}: Machine): boolean {
  return status === 'DELETING' || status === 'DELETED';
}

function subject({name, id}: Machine): string {
  return `Virtual machine '${name}' (${id})`;
}
