import {GPU_QUERY} from '../../domain/gpu-reading.ts';
import {nameInWords, type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {SSH_UNATTENDED, sshLine, sshWarnings} from '../../domain/ssh.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {WINDOWS} from '../../domain/window.ts';
import {CHART_WINDOWS, type ChartWindow} from '../machine-charts.ts';
import type {PaneOutcome} from '../command.ts';
import {CLOSED, listView, withList} from '../list/collection-view.ts';
import {SCROLL_START} from '../scroll.ts';
import {DELETE_COMMANDS, EDIT_COMMANDS, type MachinesCommand, POWER_COMMANDS, RESIZE_COMMANDS} from './actions.ts';
import {machinesLayout} from './layout.ts';
import {MAP_COMMANDS, MAP_MENU} from './map-commands.ts';
import {chosenMachines, markedMachines, machineUnderCursor} from './rows.ts';
import {
  DETAIL_PARTS,
  type DetailPart,
  isShowingRules,
  MACHINES_INDEX,
  type MachinesContext,
  type MachinesView,
  RULES_INDEX,
} from './view.ts';
import {KEYS} from '../../actions/keys.ts';

/** Opens the machine's own rules, for a person who looks for them among the actions. */
const OPEN_RULES: MachinesCommand = {
  ...openPart(
    'R',
    'rules',
    say`rules`,
    `Its own rules: ${KEYS.create} adds one, ${KEYS.edit} edits and ${KEYS.remove} removes the one under the cursor.`,
  ),
  group: 'Actions',
};

const SSH: MachinesCommand = {
  id: 'machines.ssh',
  title: say`ssh`,
  help: 'Your own ssh to the machine; shows the command first, and the deck comes back when it ends.',
  keys: [KEYS.ssh],
  group: 'Look',
  isInStatusBar: true,
  disabledReason: context => {
    const machine = machineUnderCursor(context);
    if (machine === undefined) return noMachineReason(context);
    const line = sshLine(machine);
    if (line.ok) return undefined;
    return line.about === 'user'
      ? say`the user of its image is not known; run: skydeck ssh ${machine.id} --user NAME`
      : line.reason;
  },
  run: context => {
    const machine = machineUnderCursor(context);
    const line = machine === undefined ? undefined : sshLine(machine);
    return machine === undefined || line?.ok !== true
      ? {kind: 'done'}
      : {kind: 'ssh', name: machine.name, words: line.words, shows: 'terminal', warnings: sshWarnings(machine)};
  },
};

const GPUS: MachinesCommand = {
  id: 'machines.gpus',
  title: say`GPUs`,
  help: 'The load of its GPUs now, read with nvidia-smi over your own ssh. Shows the command first.',
  keys: ['u'],
  group: 'Look',
  isAbsent: context => !hasGpu(context),
  disabledReason: context => {
    const machine = machineUnderCursor(context);
    if (machine === undefined) return noMachineReason(context);
    if (!hasGpu(context)) return say`its flavor has no GPU`;
    const line = gpuLine(machine);
    return line.ok ? undefined : line.reason;
  },
  run: context => {
    const machine = machineUnderCursor(context);
    const line = machine === undefined ? undefined : gpuLine(machine);
    return machine === undefined || line?.ok !== true
      ? {kind: 'done'}
      : {kind: 'ssh', name: machine.name, words: line.words, shows: 'gpus', warnings: sshWarnings(machine)};
  },
};

function gpuLine(machine: VirtualMachine) {
  return sshLine(machine, {options: SSH_UNATTENDED, command: GPU_QUERY});
}

function hasGpu(context: MachinesContext): boolean {
  return (machineUnderCursor(context)?.flavor?.gpuCount ?? 0) > 0;
}

/**
 * The strip below the list shows no parts, so the choice of one would be seen only later, when the machine is opened.
 */
const WHERE_PARTS_SHOW = {
  isAbsent: (context: MachinesContext) => !showsParts(context),
  disabledReason: (context: MachinesContext) =>
    noMachineReason(context) ??
    (showsParts(context) ? undefined : say`no parts here; ${KEYS.open} opens the machine with them`),
};

function showsParts({scene, view}: MachinesContext): boolean {
  return isOpen(view) || !machinesLayout(scene.size, view).isStrip;
}

export const MACHINES_COMMANDS: readonly MachinesCommand[] = [
  {
    id: 'machines.open',
    title: say`open`,
    help: 'The machine under the cursor, over the whole pane.',
    keys: [KEYS.open],
    group: 'Look',
    isInStatusBar: true,
    isAbsent: ({view}) => isOpen(view),
    disabledReason: context => noMachineReason(context) ?? openReason(context.view),
    run: ({view}) => show(opened(view, view.own.part)),
  },
  ...MAP_COMMANDS,
  openPart(KEYS.describe, 'record', say`describe`, 'Every field of the machine.'),
  openPart('y', 'json', say`JSON`, 'The record as the service sent it.'),
  openPart('e', 'events', say`events`, 'What happened to the machine, newest first.'),
  openPart(KEYS.metrics, 'metrics', say`metrics`, 'CPU, memory, network and disk in large charts.'),
  openPart('$', 'cost', say`cost`, 'What the machine costs, and what each action would change.'),
  {
    id: 'machines.next-part',
    title: say`next part`,
    help: 'The next part of the detail: metrics, record, rules, volumes, events, cost, JSON.',
    keys: [KEYS.nextPart],
    group: 'Panes',
    isInStatusBar: true,
    ...WHERE_PARTS_SHOW,
    run: ({view}) => show(neighbourPart(view, 1)),
  },
  {
    id: 'machines.previous-part',
    title: say`previous part`,
    help: 'The previous part of the detail.',
    keys: ['shift-tab'],
    group: 'Panes',
    ...WHERE_PARTS_SHOW,
    run: ({view}) => show(neighbourPart(view, -1)),
  },
  {
    id: 'machines.window',
    title: say`window`,
    help: 'The charts over 1h, 6h, 1d, 7d or 30d; with a Prometheus also over 90d and a year.',
    keys: ['w'],
    group: 'Look',
    isInStatusBar: true,
    // Other parts of the detail have no charts to change.
    isAbsent: context => !showsCharts(context),
    disabledReason: context =>
      noMachineReason(context) ?? (showsCharts(context) ? undefined : say`no charts here; ${KEYS.metrics} shows them`),
    run: ({scene, view}) => {
      const windows: readonly ChartWindow[] = scene.hasPrometheus === true ? CHART_WINDOWS : WINDOWS;
      const next = (windows.indexOf(view.own.window) + 1) % windows.length;
      return show({...view, own: {...view.own, window: windows[next] ?? view.own.window}});
    },
  },
  GPUS,
  {
    id: 'machines.power',
    title: say`power`,
    help: 'Start, stop, hibernate, reboot, restore, each with its price before the key is pressed.',
    keys: [KEYS.power],
    group: 'Actions',
    isInStatusBar: true,
    opens: 'power',
    disabledReason: noMachineReason,
    run: () => ({kind: 'menu', menuId: 'power'}),
  },
  {
    id: 'machines.actions',
    title: say`actions`,
    help: 'All actions for the machine, each with its key or why it is unavailable.',
    keys: ['a'],
    group: 'Actions',
    isInStatusBar: true,
    opens: 'actions',
    disabledReason: noMachineReason,
    run: () => ({kind: 'menu', menuId: 'actions'}),
  },
  SSH,
];

const actionsTitle = (word: SafeText) => (context: MachinesContext) => titleOf(word, machineUnderCursor(context));

function titleOf(word: SafeText, machine: VirtualMachine | undefined): SafeText {
  return machine === undefined ? word : say`${word} ${nameInWords(machine.name)} #${machine.id}, ${machine.statusText}`;
}

/** Power actions apply to the marked machines; a resize always applies to the machine under the cursor. */
const powerTitle = (context: MachinesContext) => {
  const [machine, ...others] = chosenMachines(context);
  const under = machineUnderCursor(context);
  const title =
    others.length > 0 ? say`actions for ${others.length + 1} marked machines` : titleOf(say`actions for`, machine);
  const isOfCursor = others.length === 0 && machine?.id === under?.id;
  return isOfCursor || under === undefined ? title : say`${title}; resize ${nameInWords(under.name)}`;
};

const allActionsTitle = (context: MachinesContext) => {
  const [machine, ...others] = markedMachines(context);
  const under = machineUnderCursor(context);
  const title = titleOf(say`actions for`, under);
  if (machine === undefined || (others.length === 0 && machine.id === under?.id)) return title;
  const whom = others.length === 0 ? machine.name : say`the ${others.length + 1} marked`;
  return say`${title}; power and delete on ${whom}`;
};

export const MACHINES_MENUS = [
  {
    id: 'power',
    title: powerTitle,
    commands: [...POWER_COMMANDS, ...RESIZE_COMMANDS],
  },
  {id: 'edit', title: actionsTitle(say`edit`), commands: [...EDIT_COMMANDS, ...RESIZE_COMMANDS]},
  {
    id: 'actions',
    title: allActionsTitle,
    commands: [...POWER_COMMANDS, ...RESIZE_COMMANDS, ...EDIT_COMMANDS, OPEN_RULES, ...DELETE_COMMANDS],
  },
  MAP_MENU,
];

function openReason(view: MachinesView): SafeText | undefined {
  return isOpen(view) ? say`${safeText(view.own.part)} is open; ${KEYS.back} goes back to the list` : undefined;
}

function noMachineReason(context: MachinesContext) {
  return machineUnderCursor(context) === undefined ? say`there is no machine under the cursor` : undefined;
}

function openPart(key: string, part: DetailPart, title: MachinesCommand['title'], help: string): MachinesCommand {
  return {
    id: `machines.${part}`,
    title,
    help,
    keys: [key],
    group: 'Look',
    disabledReason: noMachineReason,
    run: ({view}) => show(opened(view, part)),
  };
}

/** Whether the detail fills the pane. */
function isOpen(view: MachinesView): boolean {
  return view.isZoomed || isShowingRules(view);
}

/**
 * Opens a part of the detail over the whole pane, at its beginning. The rules are a list, so there a search becomes a
 * filter.
 */
function opened(view: MachinesView, part: DetailPart, searchText = ''): MachinesView {
  const own = {...view.own, part};
  const scroll = {...SCROLL_START, searchText};
  if (part !== 'rules') return {...view, ...CLOSED, partIndex: MACHINES_INDEX, isZoomed: true, own, scroll};
  const list = {...listView(view, RULES_INDEX), filterText: searchText};
  return withList({...view, ...CLOSED, partIndex: RULES_INDEX, own, scroll}, list, RULES_INDEX);
}

/** A search continues in the next part. */
function neighbourPart(view: MachinesView, step: 1 | -1): MachinesView {
  const index = (DETAIL_PARTS.indexOf(view.own.part) + step + DETAIL_PARTS.length) % DETAIL_PARTS.length;
  const part = DETAIL_PARTS[index] ?? view.own.part;
  return isOpen(view) ? opened(view, part, view.scroll.searchText) : {...view, own: {...view.own, part}};
}

function show(view: MachinesView): PaneOutcome<MachinesView> {
  return {kind: 'view', view};
}

function showsCharts({scene, view}: MachinesContext): boolean {
  return (view.own.part === 'metrics' && !isShowingRules(view)) || machinesLayout(scene.size, view).isStrip;
}
