import type {Ground} from './context.ts';
import {type Firewall, type FirewallAttachment, holdsFor} from './firewall.ts';
import type {Machine} from './machine.ts';
import type {Pace} from './operations.ts';
import {accepted, type Outcome, refused, whenAccepted} from './outcome.ts';

/** What can be done with firewalls as a whole; their rules have operations of their own. */
export type FirewallOperations = {
  readonly create: (order: FirewallOrder) => Outcome<Firewall>;
  readonly remove: (firewall: Firewall) => Outcome<undefined>;
  /** The firewall holds for exactly these machines from then on. */
  readonly setMachines: (firewall: Firewall, machineIds: readonly number[]) => Outcome<undefined>;
  /** The machine has exactly these firewalls from then on. */
  readonly setFirewalls: (machine: Machine, firewallIds: readonly number[]) => Outcome<undefined>;
  /** Adds one machine to those the firewall holds for, as a cluster does with its own nodes. */
  readonly attach: (firewall: Firewall, machine: Machine) => void;
  readonly detach: (firewall: Firewall, machineId: number) => void;
};

type FirewallOrder = {readonly name: string; readonly description: string; readonly environmentId: number};

const SETTLES_MS: Readonly<Record<Pace, number>> = {quick: 3000, faithful: 20_000};

export function createFirewallOperations(ground: Ground): FirewallOperations {
  const later = (run: () => void) => ground.schedule(ground.now() + SETTLES_MS[ground.pace()], run);

  function attach(firewall: Firewall, machine: Machine): void {
    if (holdsFor(firewall, machine.id)) return;
    // One that is still being taken away gives way to the new one.
    const leaving = firewall.attachments.find(({machineId}) => machineId === machine.id);
    const attachment: FirewallAttachment = {
      id: ground.issuer.firewallAttachmentId(),
      machineId: machine.id,
      createdAt: ground.now(),
      status: 'pending',
    };
    if (leaving !== undefined) drop(firewall, leaving);
    firewall.attachments.push(attachment);
    later(() => {
      if (attachment.status === 'pending') attachment.status = 'SUCCESS';
    });
  }

  function detach(firewall: Firewall, machineId: number): void {
    const attachment = firewall.attachments.find(each => each.machineId === machineId && each.status !== 'DELETING');
    if (attachment === undefined) return;
    attachment.status = 'DELETING';
    later(() => drop(firewall, attachment));
  }

  function setMachines(firewall: Firewall, machineIds: readonly number[]): Outcome<undefined> {
    const wanted = foundMachines(ground, firewall, machineIds);
    if (!wanted.isAccepted) return wanted;
    const present = heldBy(firewall);
    for (const id of present) if (!machineIds.includes(id)) detach(firewall, id);
    for (const machine of wanted.result) if (!present.has(machine.id)) attach(firewall, machine);
    return accepted(undefined);
  }

  function setFirewalls(machine: Machine, firewallIds: readonly number[]): Outcome<undefined> {
    const wanted = foundFirewalls(ground, machine, firewallIds);
    if (!wanted.isAccepted) return wanted;
    for (const firewall of ground.firewalls) {
      const isHeld = holdsFor(firewall, machine.id);
      if (isHeld && !wanted.result.includes(firewall)) detach(firewall, machine.id);
      if (!isHeld && wanted.result.includes(firewall)) attach(firewall, machine);
    }
    return accepted(undefined);
  }

  return {
    create: order =>
      whenAccepted(createFirewall(ground, order, later), ({id}) => ground.executed('create-firewall', id)),
    remove: firewall =>
      whenAccepted(removeFirewall(ground, firewall, later), () => ground.executed('delete-firewall', firewall.id)),
    setMachines: (firewall, machineIds) =>
      whenAccepted(setMachines(firewall, machineIds), () => ground.executed('update-attachments', firewall.id)),
    setFirewalls: (machine, firewallIds) =>
      whenAccepted(setFirewalls(machine, firewallIds), () => ground.executed('attach-firewalls', machine.id)),
    attach,
    detach,
  };
}

function removeFirewall(ground: Ground, firewall: Firewall, later: (run: () => void) => void): Outcome<undefined> {
  const subject = `Firewall '${firewall.name}' (${firewall.id})`;
  const attached = attachedMachines(ground, firewall);
  if (firewall.status === 'DELETING') return refused('state', `${subject} is being deleted already.`);
  if (attached.length > 0) {
    return refused('state', `${subject} cannot be deleted: it is attached to ${attached.length} virtual machines.`);
  }
  firewall.status = 'DELETING';
  later(() => ground.firewalls.splice(ground.firewalls.indexOf(firewall), 1));
  return accepted(undefined);
}

function createFirewall(
  ground: Ground,
  {name, description, environmentId}: FirewallOrder,
  later: (run: () => void) => void,
): Outcome<Firewall> {
  const environment = ground.environments.find(({id}) => id === environmentId);
  if (environment === undefined) return refused('missing', `Environment ${environmentId} does not exist.`);
  const isTaken = ground.firewalls.some(each => each.name === name && each.environment.id === environmentId);
  if (isTaken)
    return refused('duplicate', `A firewall with the name '${name}' already exists in '${environment.name}'.`);
  const blueprint = {name, description, environmentName: environment.name, createdAt: ground.now()};
  const firewall = ground.issuer.firewall({...blueprint, inward: [], machineNames: []}, []);
  firewall.status = 'CREATING';
  ground.firewalls.push(firewall);
  later(() => {
    if (firewall.status === 'CREATING') firewall.status = 'SUCCESS';
  });
  return accepted(firewall);
}

function foundMachines(ground: Ground, firewall: Firewall, ids: readonly number[]): Outcome<readonly Machine[]> {
  if (firewall.status !== 'SUCCESS') return refused('state', `Firewall ${firewall.id} is ${firewall.status}.`);
  const found: Machine[] = [];
  for (const id of new Set(ids)) {
    const machine = ground.machines.find(each => each.id === id);
    if (machine === undefined) return refused('missing', `Virtual machine ${id} does not exist.`);
    const refusal = placeRefusal(machine, firewall) ?? stateRefusal(machine, holdsFor(firewall, id));
    if (refusal !== undefined) return refusal;
    found.push(machine);
  }
  return accepted(found);
}

function foundFirewalls(ground: Ground, machine: Machine, ids: readonly number[]): Outcome<readonly Firewall[]> {
  const refusal = stateRefusal(machine, false);
  if (refusal !== undefined) return refusal;
  const found: Firewall[] = [];
  for (const id of new Set(ids)) {
    const firewall = ground.firewalls.find(each => each.id === id);
    if (firewall === undefined) return refused('missing', `Firewall ${id} does not exist.`);
    const misplaced = placeRefusal(machine, firewall);
    if (misplaced !== undefined) return misplaced;
    if (firewall.status !== 'SUCCESS') return refused('state', `Firewall ${id} is ${firewall.status}.`);
    found.push(firewall);
  }
  return accepted(found);
}

function placeRefusal(machine: Machine, firewall: Firewall) {
  return machine.environment.id === firewall.environment.id
    ? undefined
    : refused('state', `Virtual machine ${machine.id} and firewall ${firewall.id} are in different environments.`);
}

/** A machine that only keeps what it has may be in any state. */
function stateRefusal({id, status}: Machine, isKept: boolean) {
  return isKept || status === 'ACTIVE' || status === 'SHUTOFF'
    ? undefined
    : refused('state', `The firewalls of virtual machine ${id} cannot change while it is ${status}.`);
}

/** The machines a firewall holds for, those not counted that it is being taken from. */
function heldBy({attachments}: Firewall): ReadonlySet<number> {
  return new Set(attachments.filter(({status}) => status !== 'DELETING').map(({machineId}) => machineId));
}

/** An attachment ends with its machine. */
function attachedMachines({machines}: Ground, firewall: Firewall): Machine[] {
  const attached = new Set(firewall.attachments.map(({machineId}) => machineId));
  return machines.filter(({id}) => attached.has(id));
}

function drop(firewall: Firewall, attachment: FirewallAttachment): void {
  const index = firewall.attachments.indexOf(attachment);
  if (index >= 0) firewall.attachments.splice(index, 1);
}
