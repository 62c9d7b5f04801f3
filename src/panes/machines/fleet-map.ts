import {sumRates, ZERO_RATE} from '../../domain/money.ts';
import type {VirtualMachineId} from '../../domain/virtual-machine.ts';
import type {MachineRow} from '../../resources/machines.ts';
import {formatRate} from '../../ui/format.ts';
import {widthOf} from '../../ui/text.ts';
import type {Tone} from '../../ui/theme.ts';
import type {Place} from '../sizes.ts';

/** One machine: a glyph and a tone that mean the same. */
export type FleetCell = {
  readonly id: VirtualMachineId;
  readonly name: string;
  readonly glyph: string;
  readonly tone: Tone;
  /** It stands out, even if two machines share a character and have no glyph of their own. */
  readonly isNotable: boolean;
  /** Does not match the filter: it keeps its place, and the cursor skips it. */
  readonly isDimmed: boolean;
};

/** `facts` follow the name if the group has lines of its own. */
export type CellGroup = {readonly name: string; readonly facts: string; readonly cells: readonly FleetCell[]};

/** A machine without a known rate is missing in the sum, which a plus sign says; one excluded from billing is free. */
export function groupCost(rows: readonly Pick<MachineRow, 'rate' | 'isExcluded'>[]): string {
  const rates = rows.flatMap(({rate, isExcluded}) => (isExcluded ? ZERO_RATE : (rate ?? [])));
  if (rates.length === 0) return 'rate unknown';
  return `${formatRate(sumRates(rates))}${rates.length < rows.length ? '+' : ''}`;
}

/**
 * `named`: the name beside each cell; `apart`: a space between cells; `close`: no space, and groups follow each other
 * like words; `halves`: the same, with two machines in one character, one above the other.
 */
type Density = 'named' | 'apart' | 'close' | 'halves';

/** The width of a cell in characters, and the space to the next. */
export const CELL_WIDTHS: Readonly<Record<Density, {readonly cell: number; readonly space: number}>> = {
  named: {cell: 22, space: 2},
  apart: {cell: 1, space: 1},
  close: {cell: 1, space: 0},
  halves: {cell: 1, space: 0},
};

/** What a line shows at a column: the title of a group, or a character's machines. */
type MapPiece = {readonly column: number} & (
  | {readonly kind: 'title'; readonly name: string; readonly facts: string}
  | {readonly kind: 'cells'; readonly cells: readonly FleetCell[]}
);

export type MapLine = readonly MapPiece[];

export type FleetGrid = {readonly density: Density; readonly lines: readonly MapLine[]};

/** The groups in the loosest density that fits; in the closest if none fits. */
export function fleetGrid(groups: readonly CellGroup[], room: Place): FleetGrid {
  for (const density of ['named', 'apart'] as const) {
    const lines = groups.flatMap(group => linesOf(group, density, room.columns));
    if (lines.length <= room.rows) return {density, lines};
  }
  const close = flowing(groups, room.columns, 1);
  if (close.length <= room.rows) return {density: 'close', lines: close};
  return {density: 'halves', lines: flowing(groups, room.columns, 2)};
}

function linesOf({cells, ...group}: CellGroup, density: 'named' | 'apart', columns: number): readonly MapLine[] {
  const {cell, space} = CELL_WIDTHS[density];
  const rows = chunks(cells, Math.max(1, Math.floor((columns + space) / (cell + space))));
  return [
    [{kind: 'title', column: 0, name: group.name, facts: group.facts}],
    ...rows.map(row =>
      row.map((each, index) => ({kind: 'cells' as const, column: index * (cell + space), cells: [each]})),
    ),
  ];
}

function flowing(groups: readonly CellGroup[], columns: number, cellsPerCharacter: 1 | 2): readonly MapLine[] {
  const lines: MapPiece[][] = [[]];
  let column = 0;
  const add = (piece: (at: number) => MapPiece, width: number, needed = width) => {
    if (column > 0 && column + needed > columns) {
      lines.push([]);
      column = 0;
    }
    lines.at(-1)?.push(piece(column));
    column += width;
  };
  for (const {name, cells} of groups) {
    const width = widthOf(name) + 1;
    // A name at the end of a line would be separated from its group.
    add(at => ({kind: 'title', column: at, name, facts: ''}), width, width + 1);
    for (const each of chunks(cells, cellsPerCharacter)) add(at => ({kind: 'cells', column: at, cells: each}), 1);
    column += 1;
  }
  return lines;
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({length: Math.ceil(items.length / size)}, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The machine this many lines below or cells to the right, skipping dimmed ones; the same machine at an edge. */
export function movedInMap(
  {lines}: FleetGrid,
  id: VirtualMachineId | undefined,
  step: {readonly lines: number} | {readonly cells: number},
): VirtualMachineId | undefined {
  const stops = lines.map(stopsOf).filter(line => line.length > 0);
  const all = stops.flat();
  const here = all.findIndex(stop => stop.id === id);
  if (here === -1) return all[0]?.id;
  if ('cells' in step) return all[within(here + step.cells, all.length)]?.id;
  const line = stops.findIndex(each => each.some(stop => stop.id === id));
  return nearest(stops[within(line + step.lines, stops.length)] ?? [], all[here]?.column ?? 0);
}

type Stop = {readonly id: VirtualMachineId; readonly column: number};

function stopsOf(line: MapLine): readonly Stop[] {
  return line.flatMap(piece =>
    piece.kind === 'title'
      ? []
      : piece.cells.flatMap(({id, isDimmed}) => (isDimmed ? [] : [{id, column: piece.column}])),
  );
}

function nearest(stops: readonly Stop[], column: number): VirtualMachineId | undefined {
  const distance = (stop: Stop) => Math.abs(stop.column - column);
  return stops.reduce<Stop | undefined>(
    (best, stop) => (best === undefined || distance(stop) < distance(best) ? stop : best),
    undefined,
  )?.id;
}

function within(index: number, count: number): number {
  return Math.min(Math.max(0, index), count - 1);
}

/** The first visible line, in whole pages, so that the map stays still while the cursor moves within one. */
export function firstLine({lines}: FleetGrid, id: VirtualMachineId | undefined, height: number): number {
  const page = Math.max(1, height);
  const line = lines.findIndex(pieces =>
    pieces.some(piece => piece.kind === 'cells' && piece.cells.some(cell => cell.id === id)),
  );
  return Math.min(Math.max(0, lines.length - page), Math.floor(Math.max(0, line) / page) * page);
}
