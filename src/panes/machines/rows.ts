import {memoPer, oncePer} from '../../domain/memo.ts';
import {joinSafe, say} from '../../domain/safe-text.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {type MachineRow, machines, stateCell} from '../../resources/machines.ts';
import {listedRows} from '../../resources/resource.ts';
import {openedByFirewalls} from '../../resources/rules.ts';
import {machinesFeed, observedMachines} from '../../state/machines.ts';
import type {TableColumn} from '../../ui/table.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import type {Theme} from '../../ui/theme.ts';
import {partActions} from '../action-keys.ts';
import {listColumns, wideColumns} from '../list/list-columns.ts';
import {bindPart} from '../list/part.tsx';
import {listView, partView} from '../list/collection-view.ts';
import {copiedRecord} from '../copy-menu.ts';
import {feedAge} from '../feed-state.ts';
import {KEYS} from '../../actions/keys.ts';
import {operationBadge, SHORT_CELLS, withBadge} from '../operation-badge.ts';
import {rulesPart} from '../rules-part.ts';
import {MACHINES_INDEX, type MachinesChoice, type MachinesContext, partLabel} from './view.ts';

/** Samples arrive every five seconds at best. A row is computed again this often, and at once after a reading. */
const JUDGED_EVERY_MS: DurationMs = 15 * SECOND_MS;

const LISTED_ACTIONS = partActions<MachineRow>('vm', ({machine}) => machine, 'delete');

export const machinesPart = bindPart<MachineRow, undefined, MachinesChoice>({
  title: say`machines`,
  feed: machinesFeed,
  wants: [],
  rows: known => listedRows(machines, known),
  opensWith: {sortKey: 'cost', isDescending: true},
  idOf: ({machine}) => machine.id,
  nameOf: ({machine}) => machine.name,
  labelsOf: ({machine}) => machine.labels,
  columns: machines.columns,
  columnsFor: ({isWide}, rows) => {
    const columns = isWide ? WIDE_COLUMNS : MACHINE_COLUMNS;
    return haveGpus(rows) ? columns : withoutGpus(columns);
  },
  isSameRecord: (before, row) =>
    before.machine === row.machine && before.rate === row.rate && before.lastRate === row.lastRate,
  keptForMs: JUDGED_EVERY_MS,
  copiedAs: ({machine}) => copiedRecord(machines, machine),
  related: ({machine}, {store}) => machines.related?.(machine, store) ?? [],
  actions: {
    ...LISTED_ACTIONS,
    commands: [
      {
        key: KEYS.edit,
        title: say`edit`,
        help: 'Labels, callback, address, volumes, firewalls, flavor, console and log; in its rules the rule.',
        opens: 'edit',
        run: () => ({kind: 'menu', menuId: 'edit'}),
        many: {run: () => ({kind: 'menu', menuId: 'edit'})},
      },
      ...LISTED_ACTIONS.commands,
    ],
  },
});

const haveGpus = oncePer((rows: readonly MachineRow[]) => rows.some(({gpus}) => gpus !== undefined));

/** The own rules of the machine under the cursor. */
export const machineRulesPart = rulesPart<VirtualMachine, MachinesChoice>({
  of: ({store}, {ofId}) => {
    const observed = observedMachines(store);
    return observed && foundOnce(observed, [ofId], () => observed.find(({id}) => id === ofId));
  },
  right: scene => `${partLabel('rules')}  ${feedAge(scene, machinesFeed)}`,
  none: say`no rules of its own`,
  note: (scene, machine) => {
    const opened = machine === undefined ? [] : openedByFirewalls(scene, machine);
    return opened.length === 0 ? undefined : joinSafe(opened, '  ');
  },
});

/** Cached, because every key asks for it many times. */
const foundOnce = memoPer<readonly VirtualMachine[], VirtualMachine | undefined>();

export function machineRow({scene, view}: MachinesContext): MachineRow | undefined {
  return machinesPart.rowUnderCursor(scene, partView(view, MACHINES_INDEX));
}

export function machineUnderCursor(context: MachinesContext): VirtualMachine | undefined {
  return machineRow(context)?.machine;
}

/** The list as it opens, and the wide list: figures in place of graphs, and further columns. */
export const MACHINE_COLUMNS: readonly TableColumn<MachineRow>[] = listColumns(machines.columns).map(withOperation);
const WIDE_COLUMNS: readonly TableColumn<MachineRow>[] = wideColumns(machines.columns).map(withOperation);

const GPU_KEYS = new Set(machines.columns.flatMap(({key, needs}) => (needs === 'gpus' ? [key] : [])));

/** The GPU columns stay empty until something reports GPU metrics. */
export const withoutGpus = oncePer((columns: readonly TableColumn<MachineRow>[]) =>
  columns.filter(({key}) => !GPU_KEYS.has(key)),
);

/** What is under way is shown beside the last observed state, never in its place. */
function withOperation(column: TableColumn<MachineRow>): TableColumn<MachineRow> {
  if (column.key !== 'state') return column;
  return {...column, cell: stateWithBadge};
}

function stateWithBadge(row: MachineRow, width: number, theme: Theme): Line {
  const observed = stateCell(row, width, theme);
  const {operation, now} = row;
  if (operation === undefined) return observed;
  const room = width - lineWidth(observed) - 1;
  return room >= SHORT_CELLS
    ? [...observed, {text: ' '}, operationBadge(operation, now, room, theme)]
    : withBadge(observed, cells => operationBadge(operation, now, cells, theme), {
        width,
        theme,
        leastRoom: SHORT_CELLS,
      });
}

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
