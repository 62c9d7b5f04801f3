import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {observedMachines} from '../../state/machines.ts';
import {listView} from '../list/collection-view.ts';
import {machineUnderCursor} from './rows.ts';
import {MACHINES_INDEX, type MachinesContext} from './view.ts';

/** What an action applies to: the marked machines that still exist, or the one under the cursor. */
export function chosenMachines(context: MachinesContext): readonly VirtualMachine[] {
  const marked = markedMachines(context);
  if (marked.length > 0) return marked;
  const machine = machineUnderCursor(context);
  return machine === undefined ? [] : [machine];
}

export function markedMachines({scene, view}: MachinesContext): readonly VirtualMachine[] {
  const {markedIds} = listView(view, MACHINES_INDEX);
  if (markedIds.size === 0) return [];
  return (observedMachines(scene.store) ?? []).filter(({id}) => markedIds.has(id));
}
