import type {MachineEvent} from '../../world/machine.ts';
import {bareTimestamp} from '../timestamps.ts';

/** A line of a machine's history. It has no id; a client tells two apart by time, reason and message. */
export function machineEventBody(
  event: MachineEvent,
  {id, name}: {readonly id: number; readonly name: string},
  organizationId: number,
) {
  return {
    instance_id: id,
    user_id: event.userId,
    org_id: organizationId,
    time: bareTimestamp(event.at),
    type: event.type,
    reason: event.reason,
    object: name,
    message: event.message,
  };
}
