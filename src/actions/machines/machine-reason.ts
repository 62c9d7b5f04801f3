import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {needs} from '../define.ts';

/** The deck leaves nodes to their cluster; undefined for every other machine. */
export function nodeReason({clusterId}: VirtualMachine): SafeText | undefined {
  return clusterId === undefined ? undefined : say`a node of cluster #${clusterId}: managed by the cluster`;
}

/** Why its attachments and size cannot be changed now. */
export function unreadyReason(machine: VirtualMachine): SafeText | undefined {
  return nodeReason(machine) ?? needs(['ACTIVE', 'SHUTOFF'], machine);
}
