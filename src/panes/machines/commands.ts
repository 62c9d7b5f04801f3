import {cannotCreateReason} from '../../actions/action-question.ts';
import {shellLine} from '../../actions/command-text.ts';
import {createMachines} from '../../actions/machines.ts';
import {GPU_QUERY} from '../../domain/gpu-reading.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {SSH_UNATTENDED, sshLine} from '../../domain/ssh.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {machines} from '../../resources/machines.ts';
import {WINDOWS} from '../../domain/window.ts';
import {CHART_WINDOWS, type ChartWindow} from '../machine-charts.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {copiedRecord, copyMenu} from '../copy-menu.ts';
import {LIST_START, moveCommands} from '../list.ts';
import {copiedNames, markCommands, orderCommands, sortMenu} from '../list-commands.ts';
import type {PaneContext} from '../pane.ts';
import {relatedMenu} from '../related-menu.ts';
import {byPlace} from '../rule-commands.ts';
import {SCROLL_START, type Scroll, scrolled} from '../scroll.ts';
import {DELETE_COMMANDS, EDIT_COMMANDS, POWER_COMMANDS, RESIZE_COMMANDS} from './actions.ts';
import {openDetail} from './detail.tsx';
import {movedOnMap} from './fleet-map-box.tsx';
import {machinesLayout} from './layout.ts';
import {MAP_COMMANDS, MAP_MENU} from './map-commands.ts';
import {chosenMachines, markedMachines} from './mark-commands.ts';
import {newMachineForm} from './new-machine.ts';
import {listHere, machineRuleList, machineRulesAt, machineUnderCursor} from './rows.ts';
import {isShowingRules, RULE_COMMANDS} from './rule-commands.ts';
import {DETAIL_PARTS, type DetailPart, type MachinesView} from './view.ts';
import {KEYS} from '../keys.ts';

type Context = PaneContext<MachinesView>;
type MachinesCommand = Command<Context, PaneOutcome<MachinesView>>;

const [NEW_RULE, EDIT_RULE, REMOVE_RULE] = RULE_COMMANDS;

/** The way to the machine's own rules, for somebody who looks for them among the actions. */
const OPEN_RULES: MachinesCommand = {
  ...openPart(
    'R',
    'rules',
    say`rules`,
    `Its own rules: ${KEYS.create} adds one, ${KEYS.edit} edits and ${KEYS.remove} removes the one under the cursor.`,
  ),
  group: 'Actions',
};

const COPY_AS = copyMenu<Context>('machines', context => {
  const machine = machineUnderCursor(context);
  if (machine === undefined) return undefined;
  const {floatingIp, fixedIp} = machine;
  const address = floatingIp ?? fixedIp;
  const line = sshLine(machine);
  return {
    ...copiedRecord(machines, machine),
    ...(address === undefined ? {} : {address}),
    ...(line.ok ? {ssh: shellLine(line.words)} : {}),
  };
});

const SSH: MachinesCommand = {
  id: 'machines.ssh',
  title: say`ssh`,
  help: 'Your own ssh to the machine; shows the command first, and the deck comes back when it ends.',
  keys: [KEYS.ssh],
  group: 'Look',
  effect: 'view',
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
      : {kind: 'ssh', name: machine.name, words: line.words, shows: 'terminal'};
  },
};

const GPUS: MachinesCommand = {
  id: 'machines.gpus',
  title: say`GPUs`,
  help: 'The load of its GPUs now, read with nvidia-smi over your own ssh. Shows the command first.',
  keys: ['u'],
  group: 'Look',
  effect: 'view',
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
      : {kind: 'ssh', name: machine.name, words: line.words, shows: 'gpus'};
  },
};

function gpuLine(machine: VirtualMachine) {
  return sshLine(machine, {options: SSH_UNATTENDED, command: GPU_QUERY});
}

function hasGpu(context: Context): boolean {
  return (machineUnderCursor(context)?.flavor?.gpuCount ?? 0) > 0;
}

const RELATED = relatedMenu<MachinesView>('machines', context => {
  const machine = machineUnderCursor(context);
  if (machine === undefined) return undefined;
  return {name: machine.name, groups: machines.related?.(machine, context.scene.store) ?? []};
});

export const MACHINES_COMMANDS: readonly MachinesCommand[] = [
  ...moveCommands<MachinesView>('machines', {pageRows, moved}),
  ...markCommands<MachinesView>('machines', listHere, noMachineReason),
  {
    id: 'machines.open',
    title: say`open`,
    help: 'The machine under the cursor, over the whole pane.',
    keys: [KEYS.open],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    isAbsent: ({view}) => view.isZoomed,
    disabledReason: context => noMachineReason(context) ?? openReason(context.view),
    run: ({view}) => show({...view, isZoomed: true, scroll: SCROLL_START}),
  },
  ...MAP_COMMANDS,
  openPart('d', 'record', say`describe`, 'Every field of the machine.'),
  openPart('y', 'json', say`JSON`, 'The record as the service sent it.'),
  openPart('e', 'events', say`events`, 'What happened to the machine, newest first.'),
  openPart(KEYS.metrics, 'metrics', say`metrics`, 'Processor, memory, network and disk, large.'),
  openPart('$', 'cost', say`cost`, 'What the machine costs, and what each action would change.'),
  {
    id: 'machines.next-part',
    title: say`next part`,
    help: 'The next part of the detail: metrics, record, rules, volumes, events, cost, JSON.',
    keys: [KEYS.nextPart],
    group: 'Panes',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: noMachineReason,
    run: ({view}) => show({...view, part: neighbourPart(view.part, 1), scroll: sameSearch(view)}),
  },
  {
    id: 'machines.previous-part',
    title: say`previous part`,
    help: 'The previous part of the detail.',
    keys: ['shift-tab'],
    group: 'Panes',
    effect: 'view',
    disabledReason: noMachineReason,
    run: ({view}) => show({...view, part: neighbourPart(view.part, -1), scroll: sameSearch(view)}),
  },
  {
    id: 'machines.window',
    title: say`window`,
    help: 'The charts over 1h, 6h, 1d, 7d or 30d; with a Prometheus also over 90d and a year.',
    keys: ['w'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    // Other parts of the detail have no charts that it could change.
    isAbsent: context => !showsCharts(context),
    disabledReason: context =>
      noMachineReason(context) ?? (showsCharts(context) ? undefined : say`no charts here; ${KEYS.metrics} shows them`),
    run: ({scene, view}) => {
      const windows: readonly ChartWindow[] = scene.hasPrometheus === true ? CHART_WINDOWS : WINDOWS;
      const next = (windows.indexOf(view.window) + 1) % windows.length;
      return show({...view, window: windows[next] ?? view.window});
    },
  },
  ...orderCommands<MachinesView>('machines', listHere),
  {
    id: 'machines.copy',
    title: say`copy name`,
    help: 'Copies the name, or those of the marked machines, through the terminal, also over SSH.',
    keys: ['c'],
    group: 'Look',
    effect: 'view',
    disabledReason: noMachineReason,
    run: context => copiedNames(listHere(), context),
  },
  COPY_AS.command,
  SSH,
  GPUS,
  RELATED.command,
  {
    id: 'machines.power',
    title: say`power`,
    help: 'Start, stop, hibernate, reboot, restore, each with its price before the key is pressed.',
    keys: ['p'],
    group: 'Actions',
    effect: 'view',
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
    effect: 'view',
    isInStatusBar: true,
    opens: 'actions',
    disabledReason: noMachineReason,
    run: () => ({kind: 'menu', menuId: 'actions'}),
  },
  byPlace(isShowingRules, NEW_RULE, {
    id: 'machines.new',
    title: say`new`,
    help: 'New machines by form, with their price; where its rules are open (enter, tab) a new rule.',
    keys: [KEYS.create],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    disabledReason: ({scene}) => cannotCreateReason(scene, createMachines),
    run: context => ({
      kind: 'form',
      form: newMachineForm(context.scene, machineUnderCursor(context)?.environmentName),
    }),
  }),
  byPlace(isShowingRules, EDIT_RULE, {
    id: 'machines.edit',
    title: say`edit`,
    help: 'Labels, callback, address, volumes, firewalls, flavor, console and log; in its rules the rule.',
    keys: [KEYS.edit],
    group: 'Actions',
    effect: 'view',
    isInStatusBar: true,
    opens: 'edit',
    disabledReason: noMachineReason,
    run: () => ({kind: 'menu', menuId: 'edit'}),
  }),
  ...DELETE_COMMANDS.map(command =>
    byPlace(isShowingRules, REMOVE_RULE, {
      ...command,
      id: 'machines.delete',
      help: 'Deletes the machine; asks for its full name. In its rules: removes the rule under the cursor.',
      isInStatusBar: true,
    }),
  ),
];

const actionsTitle = (word: SafeText) => (context: Context) => titleOf(word, machineUnderCursor(context));

function titleOf(word: SafeText, machine: VirtualMachine | undefined): SafeText {
  return machine === undefined ? word : say`${word} ${machine.name} #${machine.id}, ${machine.statusText}`;
}

/** A power action is for the marked machines; a resize is always for the machine under the cursor. */
const powerTitle = (context: Context) => {
  const [machine, ...others] = chosenMachines(context);
  const under = machineUnderCursor(context);
  const title =
    others.length > 0 ? say`actions for ${others.length + 1} marked machines` : titleOf(say`actions for`, machine);
  const isOfCursor = others.length === 0 && machine?.id === under?.id;
  return isOfCursor || under === undefined ? title : say`${title}; resize ${under.name}`;
};

const allActionsTitle = (context: Context) => {
  const [machine, ...others] = markedMachines(context);
  const under = machineUnderCursor(context);
  const title = titleOf(say`actions for`, under);
  if (machine === undefined || (others.length === 0 && machine.id === under?.id)) return title;
  const whom = others.length === 0 ? machine.name : say`the ${others.length + 1} marked`;
  return say`${title}; power and delete on ${whom}`;
};

export const MACHINES_MENUS = [
  COPY_AS.menu,
  RELATED.menu,
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
  sortMenu<MachinesView>('machines', listHere),
  MAP_MENU,
];

function openReason({isZoomed, part}: MachinesView): SafeText | undefined {
  return isZoomed ? say`${safeText(part)} is open; ${KEYS.back} goes back to the list` : undefined;
}

function noMachineReason(context: Context) {
  return machineUnderCursor(context) === undefined ? say`there is no machine under the cursor` : undefined;
}

function moved({scene, view}: Context, step: number): MachinesView {
  if (isShowingRules(view)) {
    return {...view, rules: machineRuleList.moved(machineRulesAt({scene, view}), step)};
  }
  const detail = openDetail({scene, view});
  if (detail !== undefined) return detail.withScroll(scrolled(detail.scroll, step, detail.page));
  if (view.map.isOpen) return movedOnMap({scene, view}, {lines: step});
  const moved = listHere().moved({scene, view}, step);
  return {...moved, scroll: SCROLL_START, rules: {...view.rules, ...LIST_START}};
}

function pageRows({scene, view}: Context): number {
  const layout = machinesLayout(scene.size, view);
  return Math.max(1, (view.isZoomed ? layout.detailRows : layout.listRows) - 3);
}

function openPart(key: string, part: DetailPart, title: MachinesCommand['title'], help: string): MachinesCommand {
  return {
    id: `machines.${part}`,
    title,
    help,
    keys: [key],
    group: 'Look',
    effect: 'view',
    disabledReason: noMachineReason,
    run: ({view}) => show({...view, part, isZoomed: true, scroll: SCROLL_START}),
  };
}

/** What is searched for in one part is searched for in the next. */
function sameSearch({scroll}: MachinesView): Scroll {
  return {...SCROLL_START, searchText: scroll.searchText};
}

function neighbourPart(part: DetailPart, step: 1 | -1): DetailPart {
  const index = (DETAIL_PARTS.indexOf(part) + step + DETAIL_PARTS.length) % DETAIL_PARTS.length;
  return DETAIL_PARTS[index] ?? part;
}

function show(view: MachinesView): PaneOutcome<MachinesView> {
  return {kind: 'view', view};
}

function showsCharts({scene, view}: Context): boolean {
  return view.part === 'metrics' || machinesLayout(scene.size, view).isStrip;
}
