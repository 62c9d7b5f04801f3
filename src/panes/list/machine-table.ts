import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {type MachineRow, machines as machineResource} from '../../resources/machines.ts';
import {type TableColumn, tableLines} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {listColumns} from './list-columns.ts';
import type {Scene} from '../pane.ts';

/** The columns of the list of machines that distinguish machines shown beside another object. */
const SHOWN_COLUMNS: ReadonlySet<string> = new Set(['name', 'state', 'flavor', 'cost', 'address', 'age']);
const SHOWN_LOAD_COLUMNS: ReadonlySet<string> = new Set(['name', 'cpu', 'mem']);
const ALL_COLUMNS: readonly TableColumn<MachineRow>[] = listColumns(machineResource.columns);
const COLUMNS = ALL_COLUMNS.filter(({key}) => SHOWN_COLUMNS.has(key));
const LOAD_COLUMNS = ALL_COLUMNS.filter(({key}) => SHOWN_LOAD_COLUMNS.has(key));

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
