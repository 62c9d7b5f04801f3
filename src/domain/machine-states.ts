import type {EpochMs} from './time.ts';
import {isTransitional, type MachineEvent, type MachineStatus, type VirtualMachine} from './virtual-machine.ts';

/** A time in which a machine was in one state, half-open; without an end if it still is. */
export type StateSpan = {readonly status: MachineStatus; readonly from: EpochMs; readonly until: EpochMs | undefined};

/** The state that follows from an event: while the change is requested, and once it is done. */
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
 * The states known from a machine's events, ascending. Unknown times are left out: before the first event, after a
 * failed change, and after the last event if it does not lead to the present state. A machine in ERROR has been in it
 * since its last failed change. One whose change the events do not tell yet was until now in the state they end with.
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
    if (status === undefined || (next === undefined && status !== present && !leavesNow(status, present))) return [];
    return [{status, from: at, until: next?.at}];
  });
}

/** A change takes minutes, and the events may have been read before it. */
function leavesNow(status: MachineStatus, present: MachineStatus): boolean {
  return isTransitional(present) && !isTransitional(status);
}

function statusOf({asked, done}: (typeof CHANGES)[number], reason: string): MachineStatus | undefined {
  return reason.endsWith('Request') ? asked : reason.endsWith('Success') ? done : undefined;
}
