import type {EpochMs} from './time.ts';
import type {MachineEvent, MachineStatus, VirtualMachine} from './virtual-machine.ts';

/** A time that a machine was in one state, half-open; without an end where it still is. */
export type StateSpan = {readonly status: MachineStatus; readonly from: EpochMs; readonly until: EpochMs | undefined};

/** What an event says of the state from then on: while it is asked for, and once it is done. */
const CHANGES: readonly {
  readonly word: RegExp;
  readonly asked: MachineStatus;
  readonly done: MachineStatus;
}[] = [
  {word: /^InstanceCreation/, asked: 'CREATING', done: 'ACTIVE'},
  {word: /^InstanceStart/, asked: 'STARTING', done: 'ACTIVE'},
  {word: /^InstanceStop/, asked: 'STOPPING', done: 'SHUTOFF'},
  {word: /^Instance(?:Hard)?Reboot/, asked: 'REBOOTING', done: 'ACTIVE'},
  {word: /^HibernateInstance/, asked: 'HIBERNATING', done: 'HIBERNATED'},
  {word: /^RestoreHibernation/, asked: 'RESTORING', done: 'ACTIVE'},
  {word: /^InstanceDelete/, asked: 'DELETING', done: 'DELETED'},
];

/**
 * The states that a machine's events tell, ascending. Before the first, after a change that failed, and after the last
 * where that does not lead to the present state, the past is not known and left out. A machine in error has been so since
 * its last change failed.
 */
export function statesByEvents(
  {status: present}: Pick<VirtualMachine, 'status'>,
  events: readonly MachineEvent[],
): readonly StateSpan[] {
  const changes = events
    .flatMap(({occurredAt, reason}) => {
      const change = CHANGES.find(({word}) => word.test(reason));
      return occurredAt === undefined || change === undefined
        ? []
        : [{at: occurredAt, status: statusOf(change, reason)}];
    })
    .sort((left, right) => left.at - right.at);
  return changes.flatMap(({at, status: told}, index): StateSpan[] => {
    const next = changes[index + 1];
    const status = told ?? (next === undefined && present === 'ERROR' ? present : undefined);
    if (status === undefined || (next === undefined && status !== present)) return [];
    return [{status, from: at, until: next?.at}];
  });
}

function statusOf({asked, done}: (typeof CHANGES)[number], reason: string): MachineStatus | undefined {
  return reason.endsWith('Request') ? asked : reason.endsWith('Success') ? done : undefined;
}
