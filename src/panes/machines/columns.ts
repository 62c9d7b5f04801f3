import {oncePer} from '../../domain/memo.ts';
import {type MachineRow, machines, stateCell} from '../../resources/machines.ts';
import type {TableColumn} from '../../ui/table.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import type {Theme} from '../../ui/theme.ts';
import {operationBadge} from '../operation-badge.ts';
import {listColumns} from '../list/list-columns.ts';

/** The list as it opens, and the wide list: figures in place of graphs, and further columns. */
export const MACHINE_COLUMNS: readonly TableColumn<MachineRow>[] = listColumns(machines.columns).map(withBadge);
export const WIDE_COLUMNS: readonly TableColumn<MachineRow>[] = listColumns(machines.columns, 'wideList').map(
  withBadge,
);

const GPU_KEYS = new Set(machines.columns.flatMap(({key, needs}) => (needs === 'gpus' ? [key] : [])));

/** The GPU columns stay empty until something reports GPU metrics. */
export const withoutGpus = oncePer((columns: readonly TableColumn<MachineRow>[]) =>
  columns.filter(({key}) => !GPU_KEYS.has(key)),
);

/** What is under way is shown beside the last observed state, never in its place. */
function withBadge(column: TableColumn<MachineRow>): TableColumn<MachineRow> {
  if (column.key !== 'state') return column;
  return {...column, cell: stateWithBadge};
}

function stateWithBadge(row: MachineRow, width: number, theme: Theme): Line {
  const observed = stateCell(row, width, theme);
  const {operation, now} = row;
  return operation === undefined
    ? observed
    : [...observed, {text: ' '}, operationBadge(operation, now, width - lineWidth(observed) - 1, theme)];
}
