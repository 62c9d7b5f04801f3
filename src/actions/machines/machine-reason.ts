import type {Action} from '../../domain/action.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import type {MachineStatus, VirtualMachine} from '../../domain/virtual-machine.ts';
import {cannotActionReason} from '../action-question.ts';
import type {Known} from '../known.ts';

/** A node's fate belongs to its cluster; undefined for every other machine. */
function nodeReason({clusterId}: VirtualMachine): SafeText | undefined {
  return clusterId === undefined ? undefined : say`a node of cluster #${clusterId}: it belongs to the cluster`;
}

/** Why an action on this machine cannot be asked for now, for one that needs it in one of these states. */
export function machineReason(
  scene: Known,
  action: Action,
  machine: VirtualMachine,
  statuses: readonly MachineStatus[] | 'any' = ATTACHABLE,
): SafeText | undefined {
  const cannot = cannotActionReason(scene, action) ?? nodeReason(machine);
  if (cannot !== undefined) return cannot;
  if (statuses === 'any' || statuses.includes(machine.status)) return undefined;
  return say`needs ${safeText(statuses.join(' or '))}, it is ${machine.statusText}`;
}

/** The states in which the service takes attachments and everything of their kind. */
const ATTACHABLE: readonly MachineStatus[] = ['ACTIVE', 'SHUTOFF'];
