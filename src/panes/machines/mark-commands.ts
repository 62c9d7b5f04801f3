import {questionFor} from '../../actions/ask.ts';
import type {Candidate} from '../../actions/assessment.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {observedMachines} from '../../state/machines.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {movedCursor} from '../list.ts';
import type {PaneContext, Scene} from '../pane.ts';
import {machineUnderCursor, shownMachines} from './rows.ts';
import type {MachinesView} from './view.ts';

type Context = PaneContext<MachinesView>;

/** The keys that pick machines, for an action on all of them. A mark stays on its machine, also while a filter hides it. */
export const MARK_COMMANDS: readonly Command<Context, PaneOutcome<MachinesView>>[] = [
  {
    id: 'machines.mark',
    title: say`mark`,
    help: 'Marks the machine, or takes its mark away, and goes on to the next.',
    keys: ['space'],
    group: 'Pick',
    effect: 'view',
    disabledReason: noMachineReason,
    run: context => {
      const machine = machineUnderCursor(context);
      if (machine === undefined) return {kind: 'done'};
      const {scene, view} = context;
      const marked = new Set(view.markedIds);
      if (!marked.delete(machine.id)) marked.add(machine.id);
      const cursor = movedCursor(view, shownMachines(scene, view).rows, row => row.machine.id, 1);
      return {kind: 'view', view: {...view, ...cursor, markedIds: marked, markAnchor: machine.id}};
    },
  },
  {
    id: 'machines.mark-range',
    title: say`mark range`,
    help: 'Marks all from the last marked machine to the one under the cursor.',
    keys: ['V', 'ctrl-space'],
    group: 'Pick',
    effect: 'view',
    disabledReason: noMachineReason,
    run: context => {
      const {view} = context;
      const ids = rangeIds(context);
      return {kind: 'view', view: {...view, markedIds: new Set([...view.markedIds, ...ids]), markAnchor: ids.at(-1)}};
    },
  },
  {
    id: 'machines.mark-all',
    title: say`mark all`,
    help: 'Marks all machines that the filter shows.',
    keys: ['*'],
    group: 'Pick',
    effect: 'view',
    disabledReason: noMachineReason,
    run: ({scene, view}) => {
      const ids = shownMachines(scene, view).rows.map(row => row.machine.id);
      return {kind: 'view', view: {...view, markedIds: new Set([...view.markedIds, ...ids])}};
    },
  },
  {
    id: 'machines.clear-marks',
    title: say`clear marks`,
    help: 'Takes all marks away.',
    keys: ['M'],
    group: 'Pick',
    effect: 'view',
    disabledReason: ({view}) => (view.markedIds.size === 0 ? say`nothing is marked` : undefined),
    run: ({view}) => ({kind: 'view', view: {...view, markedIds: new Set(), markAnchor: undefined}}),
  },
];

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

/** From the last mark to the cursor, in the order of the list; the cursor alone where there is no mark in sight. */
function rangeIds(context: Context): readonly VirtualMachineId[] {
  const {scene, view} = context;
  const ids = shownMachines(scene, view).rows.map(row => row.machine.id);
  const machine = machineUnderCursor(context);
  if (machine === undefined) return [];
  const here = ids.indexOf(machine.id);
  const anchor = view.markAnchor === undefined ? -1 : ids.indexOf(view.markAnchor);
  const start = anchor === -1 ? here : anchor;
  const range = ids.slice(Math.min(start, here), Math.max(start, here) + 1);
  return here < start ? range.reverse() : range;
}

function noMachineReason(context: Context) {
  return machineUnderCursor(context) === undefined ? say`there is no machine under the cursor` : undefined;
}
