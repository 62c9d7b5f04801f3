import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {observedMachines} from '../../state/machines.ts';
import type {PaneContext} from '../pane.ts';
import {machineUnderCursor} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;

/** What an action is meant for: the marked machines that are still there, or the one under the cursor. */
export function chosenMachines(context: Context): readonly VirtualMachine[] {
  const marked = markedMachines(context);
  if (marked.length > 0) return marked;
  const machine = machineUnderCursor(context);
  return machine === undefined ? [] : [machine];
}

export function markedMachines({scene, view}: Context): readonly VirtualMachine[] {
  if (view.markedIds.size === 0) return [];
  return (observedMachines(scene.store) ?? []).filter(({id}) => view.markedIds.has(id));
}
