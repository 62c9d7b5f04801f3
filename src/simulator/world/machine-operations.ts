import {createOutbox, type Notice, removeCallback, setCallback} from './callbacks.ts';
import type {Ground} from './context.ts';
import {changeStatus, note, remove} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import {createMachines, flavorOnOffer, type MachineOrder} from './machine-creation.ts';
import {createMachineJobs, type MachineJobs} from './machine-jobs.ts';
import type {Pace} from './operations.ts';
import {accepted, type Outcome, refused, whenAccepted} from './outcome.ts';
import {attachAddress, detachAddress} from './public-address.ts';
import type {MachineVerb} from './verbs.ts';

/** What can be done with machines beside switching them on and off. */
export type MachineOperations = Pick<MachineJobs, 'requestConsole' | 'requestLogs'> & {
  readonly findJob: MachineJobs['find'];
  readonly create: (order: MachineOrder, userId: number) => Outcome<readonly Machine[]>;
  readonly remove: (machine: Machine, userId: number) => Outcome<undefined>;
  readonly resize: (machine: Machine, flavorName: string, userId: number) => Outcome<undefined>;
  readonly attachAddress: (machine: Machine, userId: number) => Outcome<undefined>;
  readonly detachAddress: (machine: Machine, userId: number) => Outcome<undefined>;
  /** Gives the URL. */
  readonly setCallback: (machine: Machine, step: 'attach' | 'update', url: string) => Outcome<string>;
  readonly removeCallback: (machine: Machine) => Outcome<undefined>;
  /** The machine has exactly these labels from now on. */
  readonly relabel: (machine: Machine, labels: readonly string[]) => Outcome<undefined>;
  /** Events to be posted to callback URLs, each given once. */
  readonly takeNotices: () => readonly Notice[];
};

const RESIZE_MS: Readonly<Record<Pace, number>> = {quick: 9000, faithful: 120_000};

export function createMachineOperations(ground: Ground, allowsResize: boolean): MachineOperations {
  const outbox = createOutbox();
  const jobs = createMachineJobs(ground);
  const counted = <T>(verb: MachineVerb, machine: Machine, outcome: Outcome<T>) =>
    whenAccepted(outcome, () => ground.executed(verb, machine.id));
  return {
    create: (order, userId) =>
      whenAccepted(createMachines(ground, order, userId, outbox.callbackTo), machines => {
        for (const {id} of machines) ground.executed('create-machine', id);
      }),
    remove: (machine, userId) => counted('delete-machine', machine, removeMachine(ground, machine, userId)),
    resize: (machine, flavorName, userId) =>
      allowsResize
        ? counted('resize', machine, resize(ground, machine, flavorName, userId))
        : refused('state', 'Resizing virtual machines: this feature is currently disabled.'),
    attachAddress: (machine, userId) => counted('attach-floatingip', machine, attachAddress(ground, machine, userId)),
    detachAddress: (machine, userId) => counted('detach-floatingip', machine, detachAddress(ground, machine, userId)),
    setCallback: (machine, step, url) => counted(`${step}-callback`, machine, setCallback(outbox, machine, step, url)),
    removeCallback: machine => counted('delete-callback', machine, removeCallback(machine)),
    relabel: (machine, labels) => {
      machine.labels = labels;
      return counted('label', machine, accepted(undefined));
    },
    requestConsole: (machine, userId) => counted('request-console', machine, jobs.requestConsole(machine, userId)),
    requestLogs: (machine, lineCount) => counted('request-logs', machine, jobs.requestLogs(machine, lineCount)),
    findJob: jobs.find,
    takeNotices: outbox.take,
  };
}

function removeMachine(ground: Ground, machine: Machine, userId: number): Outcome<undefined> {
  if (machine.status === 'CREATING' || machine.status === 'DELETING') {
    return refused('state', `${subject(machine)} cannot be deleted while it is ${machine.status}.`);
  }
  remove(ground, machine, userId, ground.pace());
  return accepted(undefined);
}

// The service has it switched off and documents no state of its own for it, so the machine is seen to reboot.
function resize(ground: Ground, machine: Machine, flavorName: string, userId: number): Outcome<undefined> {
  const {status, environment} = machine;
  if (status !== 'ACTIVE' && status !== 'SHUTOFF') {
    return refused(
      'state',
      `${subject(machine)} cannot be resized while it is ${status}; it must be ACTIVE or SHUTOFF.`,
    );
  }
  const flavor = flavorOnOffer(flavorName, environment.regionName);
  if (flavor === undefined)
    return refused('missing', `Flavor '${flavorName}' does not exist in ${environment.regionName}.`);
  if (flavor.name === machine.flavor.name)
    return refused('state', `${subject(machine)} has the flavor ${flavorName} already.`);
  if (!ground.stock.hasRoomFor(flavor))
    return refused('state', `Flavor '${flavorName}' is out of stock in ${environment.regionName}.`);
  changeStatus(ground, machine, 'REBOOTING');
  note(machine, ground.now(), userId, 'InstanceResizeRequest', `Instance is to be resized to ${flavorName}.`);
  ground.schedule(ground.now() + RESIZE_MS[ground.pace()], () => {
    if (machine.status !== 'REBOOTING') return;
    machine.flavor = flavor;
    changeStatus(ground, machine, status);
    note(machine, ground.now(), userId, 'InstanceResizeSuccess', `Instance was resized to ${flavorName}.`);
  });
  return accepted(undefined);
}

function subject({name, id}: Machine): string {
  return `Virtual machine '${name}' (${id})`;
}
