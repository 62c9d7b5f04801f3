import {type Evidence, elsewhere, TARGET, UNCHANGED} from './action.ts';
import type {History, Observation} from './observation.ts';
import {say} from './safe-text.ts';
import type {MachineEvent, VirtualMachine} from './virtual-machine.ts';

/**
 * A reboot ends in the state it began in, so the state alone proves nothing: the machine must have been seen rebooting,
 * or its history must show a new reboot by us. One by another user is not ours, and two by us may be a single one sent
 * twice by a proxy, since a request cannot be marked.
 * @param byState what the state alone would say
 */
export function rebootEvidence(
  byState: Evidence,
  history: History<VirtualMachine>,
  seen: Observation<VirtualMachine>,
): Evidence {
  if (byState.kind !== 'target') return byState;
  const reboots = (seen.events ?? []).filter(event => isReboot(event) && isAfterSending(history, event));
  const ours = reboots.filter(event => isOurs(event, seen));
  const hasOther = ours.length < reboots.length;
  const executionCount = Math.max(ours.filter(isDone).length, ours.filter(isRequest).length);
  if (executionCount > 1) {
    return {kind: 'target', remark: say`its history has ${executionCount} reboots of yours where one was sent`};
  }
  if (ours.length === 0 && hasOther) return {kind: 'unchanged', remark: say`another person rebooted it`};
  const isProven = history.hasSeenTransition || history.initialStatus === 'ERROR' || ours.some(isDone);
  if (!isProven) return UNCHANGED;
  return hasOther ? {kind: 'target', remark: say`another person rebooted it too`} : TARGET;
}

/** For a machine that ended in an unexpected state: adds the newest failure in its history since sending. */
export function withCause(
  byState: Evidence,
  history: History<VirtualMachine>,
  seen: Observation<VirtualMachine>,
): Evidence {
  if (byState.kind !== 'elsewhere') return byState;
  const [failure] = (seen.events ?? [])
    .filter(event => /failed/i.test(event.reason) && isAfterSending(history, event))
    .toSorted((one, other) => (other.occurredAt ?? 0) - (one.occurredAt ?? 0));
  return failure === undefined ? byState : elsewhere(say`${byState.detail}: ${failure.message}`);
}

/** By the history read before sending; without one (an operation found open at the start) by the event's own time. */
function isAfterSending({before, confirmedAt}: History<VirtualMachine>, event: MachineEvent): boolean {
  const known = before?.events;
  return known === undefined
    ? (event.occurredAt ?? 0) > confirmedAt
    : !known.some(each => eventKey(each) === eventKey(event));
}

/** The service gives events no id; these three together distinguish them. */
function eventKey(event: MachineEvent): string {
  return `${event.occurredAt ?? ''}|${event.reason}|${event.message}`;
}

/** While we do not know our user, or the event does not name one, it counts as ours. */
function isOurs({userId}: MachineEvent, {ownUserId}: Observation<VirtualMachine>): boolean {
  return ownUserId === undefined || userId === undefined || userId === ownUserId;
}

function isReboot(event: MachineEvent): boolean {
  return isDone(event) || isRequest(event);
}

function isDone({reason}: MachineEvent): boolean {
  return /reboot.*success/i.test(reason);
}

function isRequest({reason}: MachineEvent): boolean {
  return /reboot.*request/i.test(reason);
}
