import type {Environment} from './environments.ts';
import type {Pace} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import {isSettled} from './machine-operations.ts';
import {accepted, type Decision, type Refused, refused} from './operation.ts';
import type {SecurityRule} from './rules.ts';
import type {World} from './world.ts';

/** A set of rules of one environment, applied to the machines it is attached to. */
export type Firewall = {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly environment: Environment;
  readonly createdAt: number;
  readonly rules: SecurityRule[];
  readonly attachments: FirewallAttachment[];
  status: 'CREATING' | 'SUCCESS' | 'DELETING';
};

export type FirewallAttachment = {
  readonly id: number;
  readonly machineId: number;
  readonly createdAt: number;
  /** Spelled like the state of a rule. */
  status: 'pending' | 'SUCCESS' | 'DELETING';
};

export type FirewallRequest = {
  readonly name: string;
  readonly description: string;
  readonly environmentId: number;
};

/** The id of the last of these is that of the machine. */
export type FirewallVerb = 'create-firewall' | 'delete-firewall' | 'update-attachments' | 'attach-firewalls';

const SETTLES_MS: Readonly<Record<Pace, number>> = {quick: 3000, faithful: 20_000};

export function createFirewall(world: World, {name, description, environmentId}: FirewallRequest): Decision<Firewall> {
  const environment = world.environments.find(({id}) => id === environmentId);
  if (environment === undefined) return refused('missing', `Environment ${environmentId} does not exist.`);
  const isTaken = world.firewalls.some(each => each.name === name && each.environment.id === environmentId);
  if (isTaken) {
    return refused('duplicate', `A firewall with the name '${name}' already exists in '${environment.name}'.`);
  }
  const spec = {name, description, environmentName: environment.name, createdAt: world.now()};
  const firewall = world.factory.firewall({...spec, inbound: [], machineNames: []}, []);
  firewall.status = 'CREATING';
  world.firewalls.push(firewall);
  whenSettled(world, () => {
    if (firewall.status === 'CREATING') firewall.status = 'SUCCESS';
  });
  world.executed('create-firewall', firewall.id);
  return accepted(firewall);
}

export function deleteFirewall(world: World, firewall: Firewall): Decision<undefined> {
  const subject = `Firewall '${firewall.name}' (${firewall.id})`;
  if (firewall.status === 'DELETING') return refused('state', `${subject} is being deleted already.`);
  // An attachment ends with its machine.
  const attached = firewall.attachments.filter(({machineId}) => world.machineById(machineId) !== undefined);
  if (attached.length > 0) {
    return refused('state', `${subject} cannot be deleted: it is attached to ${attached.length} virtual machines.`);
  }
  firewall.status = 'DELETING';
  whenSettled(world, () => world.firewalls.splice(world.firewalls.indexOf(firewall), 1));
  world.executed('delete-firewall', firewall.id);
  return accepted(undefined);
}

/** From then on, the firewall is attached to exactly these machines. */
export function setMachines(world: World, firewall: Firewall, machineIds: readonly number[]): Decision<undefined> {
  const wanted = foundMachines(world, firewall, machineIds);
  if (!wanted.isAccepted) return wanted;
  const present = new Set(
    firewall.attachments.filter(({status}) => status !== 'DELETING').map(({machineId}) => machineId),
  );
  for (const id of present) if (!machineIds.includes(id)) detachFirewall(world, firewall, id);
  for (const machine of wanted.result) if (!present.has(machine.id)) attachFirewall(world, firewall, machine);
  world.executed('update-attachments', firewall.id);
  return accepted(undefined);
}

/** From then on, the machine has exactly these firewalls. */
export function setFirewalls(world: World, machine: Machine, firewallIds: readonly number[]): Decision<undefined> {
  const wanted = foundFirewalls(world, machine, firewallIds);
  if (!wanted.isAccepted) return wanted;
  for (const firewall of world.firewalls) {
    const isHeld = holdsFor(firewall, machine.id);
    if (isHeld && !wanted.result.includes(firewall)) detachFirewall(world, firewall, machine.id);
    if (!isHeld && wanted.result.includes(firewall)) attachFirewall(world, firewall, machine);
  }
  world.executed('attach-firewalls', machine.id);
  return accepted(undefined);
}

/** Attaches a firewall to one more machine. */
export function attachFirewall(world: World, firewall: Firewall, machine: Machine): void {
  if (holdsFor(firewall, machine.id)) return;
  // An attachment still being removed is replaced by the new one.
  const leaving = firewall.attachments.find(({machineId}) => machineId === machine.id);
  const attachment: FirewallAttachment = {
    id: world.factory.firewallAttachmentId(),
    machineId: machine.id,
    createdAt: world.now(),
    status: 'pending',
  };
  if (leaving !== undefined) drop(firewall, leaving);
  firewall.attachments.push(attachment);
  whenSettled(world, () => {
    if (attachment.status === 'pending') attachment.status = 'SUCCESS';
  });
}

export function detachFirewall(world: World, firewall: Firewall, machineId: number): void {
  const attachment = firewall.attachments.find(each => each.machineId === machineId && each.status !== 'DELETING');
  if (attachment === undefined) return;
  attachment.status = 'DELETING';
  whenSettled(world, () => drop(firewall, attachment));
}

/** Whether a firewall is attached to a machine; one that is being detached does not count. */
export function holdsFor({attachments}: Firewall, machineId: number): boolean {
  return attachments.some(each => each.machineId === machineId && each.status !== 'DELETING');
}

function foundMachines(world: World, firewall: Firewall, ids: readonly number[]): Decision<readonly Machine[]> {
  if (firewall.status !== 'SUCCESS') return refused('state', `Firewall ${firewall.id} is ${firewall.status}.`);
  const found: Machine[] = [];
  for (const id of new Set(ids)) {
    const machine = world.machineById(id);
    if (machine === undefined) return refused('missing', `Virtual machine ${id} does not exist.`);
    const refusal = placeRefusal(machine, firewall) ?? stateRefusal(machine, holdsFor(firewall, id));
    if (refusal !== undefined) return refusal;
    found.push(machine);
  }
  return accepted(found);
}

function foundFirewalls(world: World, machine: Machine, ids: readonly number[]): Decision<readonly Firewall[]> {
  const refusal = stateRefusal(machine, false);
  if (refusal !== undefined) return refusal;
  const found: Firewall[] = [];
  for (const id of new Set(ids)) {
    const firewall = world.firewalls.find(each => each.id === id);
    if (firewall === undefined) return refused('missing', `Firewall ${id} does not exist.`);
    const misplaced = placeRefusal(machine, firewall);
    if (misplaced !== undefined) return misplaced;
    if (firewall.status !== 'SUCCESS') return refused('state', `Firewall ${id} is ${firewall.status}.`);
    found.push(firewall);
  }
  return accepted(found);
}

function placeRefusal(machine: Machine, firewall: Firewall): Refused | undefined {
  return machine.environment.id === firewall.environment.id
    ? undefined
    : refused('state', `Virtual machine ${machine.id} and firewall ${firewall.id} are in different environments.`);
}

/** A machine whose firewalls do not change may be in any state. */
function stateRefusal(machine: Machine, isKept: boolean): Refused | undefined {
  const {id, status} = machine;
  return isKept || isSettled(machine)
    ? undefined
    : refused('state', `The firewalls of virtual machine ${id} cannot change while it is ${status}.`);
}

function whenSettled(world: World, run: () => void): void {
  world.schedule(world.now() + SETTLES_MS[world.pace()], run);
}

function drop(firewall: Firewall, attachment: FirewallAttachment): void {
  const index = firewall.attachments.indexOf(attachment);
  if (index >= 0) firewall.attachments.splice(index, 1);
}
