import {type SafeText, say} from '../../domain/safe-text.ts';
import {isTransitional, type MachineStatus} from '../../domain/virtual-machine.ts';
import {formatPercent} from '../../ui/format.ts';
import {sparkline} from '../../ui/sparkline.ts';
import type {Column} from '../../ui/table.tsx';
import {type Line, lineWidth, type Span, widthOf} from '../../ui/text.ts';
import type {Theme, Tone} from '../../ui/theme.ts';
import {operationBadge} from '../busy-column.ts';
import {type MachineRow, rowActivity} from './row.ts';
import {MACHINE_VALUES} from './values.ts';

/** A column that the sort menu offers, under its letter. */
export type SortableColumn = {
  readonly key: string;
  readonly title: SafeText;
  readonly sortLetter: string;
  /** Numbers are sought from the top, names from the start. */
  readonly isLargestFirst: boolean;
};

export const sortableColumns: readonly SortableColumn[] = [
  {key: 'name', title: say`name`, sortLetter: 'n', isLargestFirst: false},
  {key: 'state', title: say`state`, sortLetter: 's', isLargestFirst: false},
  {key: 'flavor', title: say`flavor`, sortLetter: 'f', isLargestFirst: false},
  {key: 'cpu', title: say`cpu`, sortLetter: 'c', isLargestFirst: true},
  {key: 'mem', title: say`memory`, sortLetter: 'm', isLargestFirst: true},
  {key: 'in', title: say`network in`, sortLetter: 'i', isLargestFirst: true},
  {key: 'out', title: say`network out`, sortLetter: 'o', isLargestFirst: true},
  {key: 'cost', title: say`$/h`, sortLetter: '$', isLargestFirst: true},
  {key: 'quiet', title: say`quiet since`, sortLetter: 'u', isLargestFirst: true},
  {key: 'age', title: say`age`, sortLetter: 'a', isLargestFirst: false},
  {key: 'address', title: say`address`, sortLetter: 'd', isLargestFirst: false},
  {key: 'region', title: say`region`, sortLetter: 'r', isLargestFirst: false},
];

const NAME: Column<MachineRow> = {key: 'name', title: 'NAME', minWidth: 15, maxWidth: 51, flex: 3, cell: nameCell};
const STATE: Column<MachineRow> = {key: 'state', title: 'STATE', minWidth: 14, maxWidth: 40, flex: 1, cell: stateCell};
const COST: Column<MachineRow> = {key: 'cost', title: '$/h', minWidth: 7, align: 'right', cell: costCell};

/** The table as it opens: graphs stay longest when it gets narrow, since they tell the most. */
export const MACHINE_COLUMNS: readonly Column<MachineRow>[] = [
  NAME,
  STATE,
  plain('flavor', 'FLAVOR', {minWidth: 14, maxWidth: 22, flex: 1, priority: 4}),
  {key: 'cpu', title: 'CPU 1h', minWidth: 12, maxWidth: 66, flex: 3, cell: cpuCell},
  {key: 'mem', title: 'MEM 1h', minWidth: 6, maxWidth: 36, flex: 2, cell: memoryCell},
  plain('in', 'IN/s', {minWidth: 6, align: 'right', priority: 5}),
  plain('out', 'OUT/s', {minWidth: 6, align: 'right', priority: 8}),
  COST,
  plain('quiet', 'QUIET', {minWidth: 5, align: 'right', priority: 6}),
  plain('age', 'AGE', {minWidth: 5, align: 'right', priority: 7}),
  plain('address', 'ADDRESS', {minWidth: 15, priority: 9}),
  plain('region', 'REGION', {minWidth: 9, priority: 10}),
  plain('environment', 'ENVIRONMENT', {minWidth: 16, priority: 11}),
];

/** While something is under way its badge needs room beside the state; graphs give it before the money does. */
export const BUSY_COLUMNS: readonly Column<MachineRow>[] = MACHINE_COLUMNS.map(column => {
  if (column.key === 'state') return {...column, minWidth: 34};
  if (column.key === 'mem') return {...column, priority: 3};
  return column.key === 'cpu' ? {...column, priority: 2} : column;
});

/** Figures in place of graphs, and what else is known. */
export const WIDE_COLUMNS: readonly Column<MachineRow>[] = [
  NAME,
  STATE,
  plain('flavor', 'FLAVOR', {minWidth: 14, maxWidth: 22, flex: 1}),
  COST,
  {key: 'cpu', title: 'CPU', minWidth: 5, priority: 4, cell: cpuCell},
  {key: 'mem', title: 'MEM', minWidth: 5, priority: 4, cell: memoryCell},
  plain('region', 'REGION', {minWidth: 9, priority: 2}),
  plain('environment', 'ENVIRONMENT', {minWidth: 16, priority: 3}),
  plain('labels', 'LABELS', {minWidth: 12, maxWidth: 40, flex: 1, priority: 3}),
  plain('address', 'ADDRESS', {minWidth: 15, priority: 5}),
  plain('age', 'AGE', {minWidth: 5, align: 'right', priority: 7}),
  plain('in', 'IN/s', {minWidth: 6, align: 'right', priority: 8}),
  plain('out', 'OUT/s', {minWidth: 6, align: 'right', priority: 8}),
  plain('quiet', 'QUIET', {minWidth: 5, align: 'right', priority: 9}),
  plain('id', 'ID', {minWidth: 7, align: 'right', priority: 7}),
  plain('contract', 'CONTRACT', {minWidth: 8, align: 'right', priority: 8}),
  plain('cluster', 'CLUSTER', {minWidth: 7, align: 'right', priority: 8}),
];

function plain(
  key: string,
  title: string,
  shape: Pick<Column<MachineRow>, 'minWidth' | 'maxWidth' | 'flex' | 'align' | 'priority'>,
): Column<MachineRow> {
  return {
    key,
    title,
    ...shape,
    cell: row => {
      const value = MACHINE_VALUES.get(key)?.(row);
      return value === undefined ? UNKNOWN : [{text: value.text}];
    },
  };
}

const UNKNOWN: Line = [{text: '–', tone: 'dim'}];

const NODE_TAG = ' node';

function nameCell({machine}: MachineRow, width: number): Line {
  // A node's power belongs to its cluster; the row says so where that does not cost the name its end.
  const hasTag = machine.clusterId !== undefined && widthOf(machine.name) + NODE_TAG.length <= width;
  const node: Line = hasTag ? [{text: NODE_TAG, tone: 'dim'}] : [];
  return [{text: machine.name === '' ? `#${machine.id}` : machine.name, tone: 'strong'}, ...node];
}

type StateShape = keyof Theme['glyphs']['states'];

const STATE_LOOKS: Readonly<Partial<Record<MachineStatus, {readonly shape: StateShape; readonly tone: Tone}>>> = {
  ACTIVE: {shape: 'active', tone: 'good'},
  SHUTOFF: {shape: 'shutoff', tone: 'warning'},
  HIBERNATED: {shape: 'hibernated', tone: 'notice'},
  ERROR: {shape: 'error', tone: 'danger'},
  DELETED: {shape: 'deleted', tone: 'dim'},
};

/** What is under way stands beside what was last observed, and never in its place. */
export function stateCell({machine, operation, isBilledStopped, now}: MachineRow, width: number, theme: Theme): Line {
  const look = STATE_LOOKS[machine.status] ?? {
    shape: isTransitional(machine.status) ? ('transitional' as const) : ('unknown' as const),
    tone: 'notice' as const,
  };
  const word = machine.status === 'UNKNOWN' ? `${machine.statusText}?` : machine.statusText;
  const observed: Line = [
    {text: `${theme.glyphs.states[look.shape]} `, tone: look.tone},
    {text: word, tone: look.tone},
    // A stopped machine costs what a running one does; the sign stands where the state is read.
    ...(isBilledStopped ? [{text: '$', tone: 'money'} as const] : []),
  ];
  return operation === undefined
    ? observed
    : [...observed, {text: ' '}, operationBadge(operation, now, width - lineWidth(observed) - 1, theme)];
}

const FIGURE_CELLS = 5;
/** From here on a processor or a memory has little left. */
const HIGH_RATIO = 0.9;

function cpuCell(row: MachineRow, width: number, theme: Theme): Line {
  return trendCell(rowActivity(row, graphCells(width))?.cpu, width, theme);
}

function memoryCell(row: MachineRow, width: number, theme: Theme): Line {
  return trendCell(rowActivity(row, graphCells(width))?.memory, width, theme);
}

function graphCells(width: number): number {
  return Math.max(1, width - FIGURE_CELLS - 1);
}

function trendCell(
  trend: {readonly latest: number | undefined; readonly bins: readonly (number | undefined)[]} | undefined,
  width: number,
  theme: Theme,
): Line {
  const ratio = trend?.latest;
  const figure: Span = {
    text: formatPercent(ratio).padStart(FIGURE_CELLS - 1),
    tone: ratio === undefined ? 'dim' : ratio >= HIGH_RATIO ? 'warning' : 'text',
  };
  if (width < FIGURE_CELLS + 2) return [figure];
  const cells = graphCells(width);
  const bins = trend?.bins ?? Array.from({length: cells}, () => undefined);
  const thresholds = [{from: HIGH_RATIO, tone: 'warning' as const}];
  return [figure, {text: ' '}, ...sparkline(bins, {width: cells, glyphs: theme.glyphs, max: 1, thresholds})];
}

function costCell(row: MachineRow): Line {
  const value = MACHINE_VALUES.get('cost')?.(row);
  return value === undefined ? UNKNOWN : [{text: value.text, tone: 'money'}];
}
