import type {ReactNode} from 'react';
import {memoPer} from '../../domain/memo.ts';
import {hourlyUsd} from '../../domain/money.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {VirtualMachine, VirtualMachineId} from '../../domain/virtual-machine.ts';
import {cpuNow, gpuNow, type MachineRow, stateLook, UTILIZATION_LEVELS} from '../../resources/machines.ts';
import {machinesFeed} from '../../state/machines.ts';
import {presentWaste} from '../../state/waste.ts';
import {formatCount, formatCounted} from '../../ui/format.ts';
import {innerWidth} from '../../ui/frame-box.ts';
import {toneOf} from '../../ui/sparkline.ts';
import {cutMiddle, type Line, lineWidth, padEnd, type Span} from '../../ui/text.ts';
import type {Theme, Tone} from '../../ui/theme.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import {listView, withList} from '../list/collection-view.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {RowId} from '../list/resource-list.tsx';
import type {Place} from '../sizes.ts';
import {
  CELL_WIDTHS,
  type FleetCell,
  type FleetGrid,
  type CellGroup,
  firstLine,
  fleetGrid,
  groupCost,
  type MapLine,
  movedInMap,
} from './fleet-map.ts';
import {machinesLayout} from './layout.ts';
import {machinesPart, machineUnderCursor} from './rows.ts';
import {MACHINES_INDEX, type MachinesContext, type MachinesView, type MapColour, type MapGroup} from './view.ts';

type CellLook = Pick<FleetCell, 'glyph' | 'tone' | 'isNotable'>;

const FRAME_ROWS = 2;
/** Below fewer lines of cells, the legend is cut to one. */
const MIN_CELL_ROWS = 3;

/** Every machine as one cell, grouped and coloured as chosen. */
export const FleetMap = memoBox(function FleetMap(context: MachinesContext): ReactNode {
  const {scene, view} = context;
  const {columns, rows} = roomOf(context);
  const {grid, legend} = mapOf(context);
  const under = machineUnderCursor(context);
  const height = rows - FRAME_ROWS - legend.length;
  const first = firstLine(grid, under?.id, height);
  const hidden = [...grid.lines.slice(0, first), ...grid.lines.slice(first + height)];
  const hiddenCount = hidden.flat().reduce((sum, piece) => sum + (piece.kind === 'cells' ? piece.cells.length : 0), 0);
  const {markedIds} = listView(view, MACHINES_INDEX);
  const pen = {cursorId: under?.id, markedIds, theme: scene.theme};
  const painted = grid.lines.slice(first, first + height).map(line => paintedLine(line, grid, pen));
  const padding = Array.from({length: Math.max(0, height - painted.length)}, (): Line => []);
  return (
    <TitledBox
      {...feedFrame(scene, machinesFeed)}
      title={mapTitle(context)}
      lines={[...painted, ...padding, ...legend]}
      more={hiddenCount === 0 ? '' : `+${formatCounted(hiddenCount, 'machine')}`}
      width={columns}
      height={rows}
      isFocused
    />
  );
});

/** The view with the cursor moved by lines or cells on the map. */
export function movedOnMap(
  context: MachinesContext,
  step: {readonly lines: number} | {readonly cells: number},
): MachinesView {
  const {view} = context;
  const cursorId = movedInMap(mapOf(context).grid, machineUnderCursor(context)?.id, step);
  if (cursorId === undefined) return view;
  const cursorIndex = shownMachines(context).rows.findIndex(row => machinesPart.list.idOf(row) === cursorId);
  const list = {...listView(view, MACHINES_INDEX), cursorId, cursorIndex: Math.max(0, cursorIndex)};
  return withList(view, list, MACHINES_INDEX);
}

function shownMachines({scene, view}: MachinesContext) {
  return machinesPart.list.shown({scene, view: listView(view, MACHINES_INDEX)});
}

function roomOf({scene, view}: MachinesContext): Place {
  return {columns: scene.size.columns, rows: machinesLayout(scene.size, view).listRows};
}

type FleetMapContent = {readonly grid: FleetGrid; readonly legend: readonly Line[]};

/** Needed for every key and every frame, so it is computed again only when something in it has changed. */
function mapOf(context: MachinesContext): FleetMapContent {
  const {scene, view} = context;
  const {columns, rows} = roomOf(context);
  const shown = shownMachines({scene, view});
  const waste = view.own.map.colour === 'waste' ? presentWaste(scene)?.waste : undefined;
  const {group, colour} = view.own.map;
  const {filterText, markedIds} = listView(view, MACHINES_INDEX);
  const dependencies = [
    group,
    colour,
    waste,
    filterText,
    markedIds.size > 0,
    shown.totalCount,
    columns,
    rows,
    scene.theme.glyphs.name,
  ];
  return mapOnce(shown.rows, dependencies, () => {
    const isFiltered = shown.rows.length < (shown.totalCount ?? 0);
    const legendOf = (density: FleetGrid['density']) =>
      legendLines(context, shown.rows, {density, isFiltered, width: innerWidth(columns) - 1});
    const inside = rows - FRAME_ROWS;
    const usual = legendOf('named');
    const legendRows = inside - usual.length < MIN_CELL_ROWS ? 1 : usual.length;
    const room = {columns: innerWidth(columns) - 2, rows: inside - legendRows};
    const grid = fleetGrid(groupsOf(context, shown.rows), room);
    const legend = grid.density === 'halves' ? legendOf('halves') : usual;
    const blank = Array.from({length: Math.max(0, legendRows - legend.length)}, (): Line => []);
    return {grid, legend: [...blank, ...legend.slice(0, legendRows)]};
  });
}

const mapOnce = memoPer<readonly MachineRow[], FleetMapContent>();

/** Sorted by the group's name, so that groups keep their places while machines come and go. */
function groupsOf({scene, view}: MachinesContext, shown: readonly MachineRow[]): readonly CellGroup[] {
  const {group, colour} = view.own.map;
  const list = listView(view, MACHINES_INDEX);
  const isWhole = list.filterText.trim() === '';
  const all = isWhole ? shown : machinesPart.list.shown({scene, view: {...list, filterText: ''}}).rows;
  const matching = isWhole ? undefined : new Set(shown.map(machinesPart.list.idOf));
  const look = lookOf(colour, scene);
  const byName = Map.groupBy(all, ({machine}) => groupName(machine, group));
  return [...byName]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, rows]) => ({
      name,
      facts: `  ${formatCounted(rows.length, 'machine')}  ${groupCost(rows)}`,
      cells: rows.map(row => ({
        id: row.machine.id,
        name: row.machine.name,
        ...look(row),
        isDimmed: matching?.has(row.machine.id) === false,
      })),
    }));
}

function groupName(machine: VirtualMachine, group: MapGroup): string {
  switch (group) {
    case 'environment':
      return machine.environmentName ?? 'no environment';
    case 'flavor':
      return machine.flavor?.name ?? 'unknown flavor';
    case 'label':
      return machine.labels[0] ?? 'no label';
    case 'region':
      return machine.regionName ?? 'unknown region';
  }
}

function lookOf(colour: MapColour, scene: Scene): (row: MachineRow) => CellLook {
  switch (colour) {
    case 'cpu':
      return row => utilizationLook(row, cpuNow(row), scene.theme);
    case 'gpu':
      return row => utilizationLook(row, gpuNow(row), scene.theme);
    case 'waste':
      return wasteLook(scene);
    case 'state':
      return row => stateCellLook(row, scene.theme);
  }
}

/** Tenths of utilization: 9 is 90 % and more. */
function utilizationLook(row: MachineRow, ratio: number | undefined, theme: Theme): CellLook {
  if (row.machine.status !== 'ACTIVE') return {...stateCellLook(row, theme), tone: 'dim', isNotable: false};
  if (ratio === undefined) return {glyph: theme.glyphs.gap, tone: 'dim', isNotable: false};
  const tone = toneOf(ratio, UTILIZATION_LEVELS, 'good');
  return {glyph: String(Math.min(9, Math.floor(ratio * 10))), tone, isNotable: tone !== 'good'};
}

/** Whole dollars per hour that are wasted; a plus from nine on. */
function wasteLook(scene: Scene): (row: MachineRow) => CellLook {
  const lost = new Map(
    (presentWaste(scene)?.waste ?? []).flatMap(({resourceType, resourceId, rate}) =>
      resourceType === 'vm' && rate !== undefined ? [[resourceId, hourlyUsd(rate)] as const] : [],
    ),
  );
  return ({machine}) => {
    const usd = lost.get(machine.id);
    if (usd === undefined) return {glyph: scene.theme.glyphs.gap, tone: 'dim', isNotable: false};
    const tone: Tone = usd >= MUCH_USD ? 'danger' : 'warning';
    return {glyph: usd > 9 ? '+' : String(Math.floor(usd)), tone, isNotable: true};
  };
}

const MUCH_USD = 10;

function stateCellLook({machine}: MachineRow, theme: Theme): CellLook {
  const {shape, tone} = stateLook(machine);
  return {glyph: theme.glyphs.states[shape], tone, isNotable: shape !== 'active'};
}

type Pen = {
  readonly cursorId: VirtualMachineId | undefined;
  readonly markedIds: ReadonlySet<RowId>;
  readonly theme: Theme;
};

/** Each piece at its column. */
function paintedLine(line: MapLine, {density}: FleetGrid, pen: Pen): Line {
  const spans: Span[] = [{text: ' '}];
  let column = 0;
  for (const piece of line) {
    const drawn = drawnPiece(piece, density, pen);
    spans.push({text: ' '.repeat(piece.column - column)}, ...drawn);
    column = piece.column + lineWidth(drawn);
  }
  return spans;
}

function drawnPiece(piece: MapLine[number], density: FleetGrid['density'], pen: Pen): Line {
  if (piece.kind === 'title') {
    return [
      {text: piece.name, tone: 'header'},
      {text: piece.facts, tone: 'dim'},
    ];
  }
  const [cell, below] = piece.cells;
  if (cell === undefined) return [];
  switch (density) {
    case 'named':
      return [cellSpan(cell, pen), markSpan(cell, pen), nameSpan(cell, pen)];
    case 'apart':
      return [cellSpan(cell, pen), markSpan(cell, pen)];
    case 'close':
      return [cellSpan(pen.markedIds.has(cell.id) ? {...cell, ...markLook(pen)} : cell, pen)];
    case 'halves':
      return [halves(cell, below, pen)];
  }
}

/** A marked machine has the colour of marks; the title counts them. */
function cellSpan({id, glyph, tone, isDimmed}: FleetCell, {cursorId, markedIds}: Pen): Span {
  const shown: Tone = markedIds.has(id) ? 'marked' : isDimmed ? 'dim' : tone;
  return {text: isDimmed ? '.' : glyph, tone: id === cursorId ? [shown, 'caret'] : shown};
}

/** Without room beside the cell, the mark takes its place. */
function markLook({theme: {glyphs}}: Pen): Pick<FleetCell, 'glyph' | 'isDimmed'> {
  return {glyph: glyphs.mark, isDimmed: false};
}

function markSpan({id}: FleetCell, {markedIds, theme: {glyphs}}: Pen): Span {
  return markedIds.has(id) ? {text: glyphs.mark, tone: 'marked'} : {text: ' '};
}

function nameSpan({id, name, isDimmed}: FleetCell, {cursorId, theme: {glyphs}}: Pen): Span {
  const width = CELL_WIDTHS.named.cell - 2;
  const tone: Tone = id === cursorId ? 'strong' : isDimmed ? 'dim' : 'text';
  return {text: padEnd(cutMiddle(name, width, glyphs.ellipsis), width), tone};
}

/** Two machines in one character: a half is filled if its machine stands out; a mark on either takes its place. */
function halves(top: FleetCell, bottom: FleetCell | undefined, {cursorId, markedIds, theme: {glyphs}}: Pen): Span {
  const stands = (cell: FleetCell | undefined) => cell?.isNotable === true && !cell.isDimmed;
  const [isTop, isBottom] = [stands(top), stands(bottom)];
  const shown = isTop ? top : isBottom ? (bottom ?? top) : top;
  const half = isTop ? glyphs.upperHalf : glyphs.lowerHalf;
  const text =
    isTop && isBottom ? glyphs.levels.at(-1) : isTop || isBottom ? half : bottom === undefined ? glyphs.gap : ':';
  const isMarked = markedIds.has(top.id) || (bottom !== undefined && markedIds.has(bottom.id));
  const own = isTop || isBottom ? worst(isTop ? top : undefined, isBottom ? bottom : undefined, shown) : 'dim';
  const tone: Tone = isMarked ? 'marked' : own;
  const hasCursor = cursorId !== undefined && (top.id === cursorId || bottom?.id === cursorId);
  return {text: isMarked ? glyphs.mark : (text ?? glyphs.gap), tone: hasCursor ? [tone, 'caret'] : tone};
}

function worst(top: FleetCell | undefined, bottom: FleetCell | undefined, otherwise: FleetCell): Tone {
  const tones = [top?.tone, bottom?.tone];
  return WORST_FIRST.find(tone => tones.includes(tone)) ?? otherwise.tone;
}

const WORST_FIRST: readonly Tone[] = ['danger', 'warning', 'notice'];

/** The edge also has corners and the age: the counts are not cut for what the legend says as well. */
const EDGE_CELLS = 12;

function mapTitle(context: MachinesContext): Line {
  const {scene, view} = context;
  const {rows, totalCount = 0} = shownMachines({scene, view});
  const list = listView(view, MACHINES_INDEX);
  const {filterText} = list;
  const markedCount = machinesPart.list.marked({scene, view: list}).length;
  const hiddenCount = machinesPart.list.hiddenMarked({scene, view: list}).length;
  const choice = {text: `  by ${view.own.map.group}, ${COLOUR_WORDS[view.own.map.colour]}`, tone: 'accent'} as const;
  const titleWith = (...chosen: Line): Line => [
    {text: say`machines`, tone: 'focus'},
    {text: ` ${formatCount(rows.length)} of ${formatCount(totalCount)}`, tone: 'strong'},
    {text: filterText === '' ? '' : ` /${filterText}`, tone: 'accent'},
    ...chosen,
    {text: markedCount === 0 ? '' : `  ${markedCount} marked`, tone: 'key'},
    {text: hiddenCount === 0 ? '' : `, ${hiddenCount} hidden`, tone: 'warning'},
  ];
  const whole = titleWith(choice);
  return lineWidth(whole) <= roomOf(context).columns - EDGE_CELLS ? whole : titleWith();
}

export const COLOUR_WORDS: Readonly<Record<MapColour, SafeText>> = {
  cpu: say`CPU utilization`,
  gpu: say`GPU utilization`,
  waste: say`money wasted`,
  state: say`state`,
};

/** What is drawn, as many lines as it needs: the colours, the states among the machines, marks, what the filter hides. */
function legendLines(
  {scene: {theme}, view}: MachinesContext,
  shown: readonly MachineRow[],
  {
    density,
    isFiltered,
    width,
  }: {readonly density: FleetGrid['density']; readonly isFiltered: boolean; readonly width: number},
): readonly Line[] {
  const {glyphs} = theme;
  const {colour} = view.own.map;
  const isMarked = listView(view, MACHINES_INDEX).markedIds.size > 0;
  const entries: readonly Line[] = [
    ...(density === 'halves' ? halvesLegend(colour, theme) : LEGENDS[colour](theme, shown)),
    ...(isMarked ? [entry(glyphs.mark, 'marked', 'marked')] : []),
    ...(isFiltered && density !== 'halves' ? [entry('.', 'dim', 'not in the filter')] : []),
  ];
  const lines: Span[][] = [[]];
  for (const each of entries) {
    const line = lines.at(-1) ?? [];
    if (line.length > 0 && lineWidth(line) + 2 + lineWidth(each) > width) lines.push([{text: ' '}, ...each]);
    else line.push({text: line.length === 0 ? ' ' : '  '}, ...each);
  }
  return lines;
}

/** A sign in its colour, and what it means. */
function entry(sign: string, tone: Tone, words: string): Line {
  return [
    {text: sign, tone},
    {text: ` ${words}`, tone: 'dim'},
  ];
}

function halvesLegend(colour: MapColour, {glyphs}: Theme): readonly Line[] {
  return [
    [{text: 'two machines per character, one above the other', tone: 'dim'}],
    [{text: `${glyphs.upperHalf} `, tone: 'dim'}, ...NOTABLE[colour]],
    entry(':', 'dim', 'all others'),
  ];
}

function notableUtilization(what: string): Line {
  return [
    {text: `${what} from 75%`, tone: 'warning'},
    {text: ', ', tone: 'dim'},
    {text: 'from 90%', tone: 'danger'},
  ];
}

/** Machines that are not running have no utilization and show their state. */
function utilizationLegend(what: string): Legend {
  return ({glyphs}, shown) => [
    [
      {text: `tenths of the ${what} in use: `, tone: 'dim'},
      {text: '0-7', tone: 'good'},
      {text: ', ', tone: 'dim'},
      {text: '7-8', tone: 'warning'},
      {text: ' busy (75%), ', tone: 'dim'},
      {text: '9', tone: 'danger'},
      {text: ' nearly full (90%)', tone: 'dim'},
    ],
    entry(glyphs.gap, 'dim', 'not measured'),
    ...stateEntries(
      glyphs,
      shown.filter(({machine}) => machine.status !== 'ACTIVE'),
    ).map(([{text: sign = ''} = {text: ''}, words = {text: ''}]): Line => [{text: sign, tone: 'dim'}, words]),
  ];
}

type Legend = (theme: Theme, shown: readonly MachineRow[]) => readonly Line[];

/** One entry for each sign among the machines, in a constant order. */
function stateEntries({states}: Theme['glyphs'], shown: readonly MachineRow[]): readonly Line[] {
  const tones = new Map(shown.map(({machine}) => stateLook(machine)).map(({shape, tone}) => [shape, tone]));
  return STATE_WORDS.flatMap(([shape, words]) => {
    const tone = tones.get(shape);
    return tone === undefined ? [] : [entry(states[shape], tone, words)];
  });
}

const STATE_WORDS: readonly (readonly [shape: keyof Theme['glyphs']['states'], words: string])[] = [
  ['active', 'ACTIVE'],
  ['shutoff', 'SHUTOFF'],
  ['hibernated', 'HIBERNATED'],
  ['error', 'ERROR'],
  ['rising', 'starting'],
  ['falling', 'stopping'],
  ['transitional', 'rebooting'],
  ['deleted', 'DELETED'],
  ['unknown', 'unknown state'],
];

/** What stands out, in its colour. */
const NOTABLE: Readonly<Record<MapColour, Line>> = {
  cpu: notableUtilization('CPU'),
  gpu: notableUtilization('GPUs'),
  waste: [
    {text: 'wasted', tone: 'warning'},
    {text: ', ', tone: 'dim'},
    {text: `from $${MUCH_USD}/h`, tone: 'danger'},
  ],
  state: [
    {text: 'SHUTOFF', tone: 'warning'},
    {text: ', ', tone: 'dim'},
    {text: 'HIBERNATED or changing', tone: 'notice'},
    {text: ', ', tone: 'dim'},
    {text: 'ERROR', tone: 'danger'},
  ],
};

const LEGENDS: Readonly<Record<MapColour, Legend>> = {
  cpu: utilizationLegend('CPU'),
  gpu: utilizationLegend('GPUs'),
  waste: ({glyphs}) => [
    [
      {text: 'wasted: ', tone: 'dim'},
      {text: '0-9', tone: 'warning'},
      {text: ' dollars an hour', tone: 'dim'},
    ],
    entry('+', 'danger', 'more'),
    entry(glyphs.gap, 'dim', 'none known'),
  ],
  state: ({glyphs}, shown) => stateEntries(glyphs, shown),
};
