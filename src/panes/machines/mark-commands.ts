import {questionFor} from '../../actions/ask.ts';
import type {Candidate} from '../../actions/assessment.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {observedMachines} from '../../state/machines.ts';
import type {PaneOutcome} from '../command.ts';
import type {PaneContext, Scene} from '../pane.ts';
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

export function nothingChosenReason(context: Context): SafeText | undefined {
  return chosenMachines(context).length === 0 ? say`there is no machine under the cursor` : undefined;
}

/** The question about what was chosen; nothing where nothing of it can be sent. */
export function asking(candidates: readonly Candidate[], scene: Scene): PaneOutcome<MachinesView> {
  const question = questionFor(candidates, scene);
  return question === undefined ? {kind: 'done'} : {kind: 'ask', question};
}

export function markedMachines({scene, view}: Context): readonly VirtualMachine[] {
  if (view.markedIds.size === 0) return [];
  return (observedMachines(scene.store) ?? []).filter(({id}) => view.markedIds.has(id));
}
