import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {missingLine} from '../../resources/detail.ts';
import {type MachineRow, machines as machineResource, plainNameCell} from '../../resources/machines.ts';
import {listedRows, type TypedResource} from '../../resources/resource.ts';
import {type TableColumn, tableLines} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {listColumns} from './list-columns.ts';
import type {Scene} from '../pane.ts';

/** Some rows of a kind in the columns of its list, without a cursor: those that belong to something else. */
export function rowsTable<R, Row>(
  resource: TypedResource<R, Row>,
  scene: Scene,
  isWanted: (row: Row) => boolean,
  width: number,
): readonly Line[] {
  const rows = listedRows(resource, scene)?.filter(isWanted);
  if (rows === undefined) {
    const {feed, words} = resource;
    return [feed === undefined ? [{text: ' not read yet', tone: 'dim'}] : missingLine(scene, feed, words.many)];
  }
  if (rows.length === 0) return [[{text: ' none', tone: 'dim'}]];
  return tableLines(rows, () => false, {columns: listColumns(resource.columns), width, theme: scene.theme});
}

/** The columns of the list of machines that distinguish machines shown beside another object. */
const SHOWN_COLUMNS: ReadonlySet<string> = new Set(['name', 'state', 'flavor', 'cost', 'address', 'age']);
const SHOWN_LOAD_COLUMNS: ReadonlySet<string> = new Set(['name', 'cpu', 'mem']);
const ALL_COLUMNS: readonly TableColumn<MachineRow>[] = listColumns(machineResource.columns);
const COLUMNS = ALL_COLUMNS.filter(({key}) => SHOWN_COLUMNS.has(key));
/** Beside a cluster, a name needs no word that it is a node. */
const LOAD_COLUMNS = ALL_COLUMNS.filter(({key}) => SHOWN_LOAD_COLUMNS.has(key)).map(column =>
  column.key === 'name' ? {...column, cell: ({machine}: MachineRow) => plainNameCell(machine)} : column,
);

/** Machines that belong to something else, in the columns of their own list, without a cursor. */
export function machineTableLines(scene: Scene, machines: readonly VirtualMachine[], width: number): readonly Line[] {
  return linesIn(COLUMNS, scene, machines, width);
}

/** Small graphs of each machine's last hour. */
export function machineLoadLines(scene: Scene, machines: readonly VirtualMachine[], width: number): readonly Line[] {
  return linesIn(LOAD_COLUMNS, scene, machines, width);
}

function linesIn(
  columns: readonly TableColumn<MachineRow>[],
  scene: Scene,
  machines: readonly VirtualMachine[],
  width: number,
): readonly Line[] {
  const rowOf = machineResource.row(scene);
  const rows = machines.map(machine => rowOf(machine));
  return tableLines(rows, () => false, {columns, width, theme: scene.theme});
}
