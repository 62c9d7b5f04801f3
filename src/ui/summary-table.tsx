import {Table} from '@alcalzone/ink-table';
import {renderToString} from 'ink';
import type {FittedColumn} from './fitted-table.ts';
import {cut, widthOf} from './text.ts';

/** The service allows names of fifty characters, but may send longer ones. */
const MAX_CELL_WIDTH = 64;
/** Around each cell: a blank on both sides, and an edge. */
const EDGE_WIDTH = 3;
/** The library colours its edges; a printed table has no colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins a colour.
const SGR = /\u001b\[[\d;]*m/g;
const PLAIN_EDGES: ReadonlyMap<string, string> = new Map([
  ...[...'┌┬┐├┼┤└┴┘'].map(corner => [corner, '+'] as const),
  ['─', '-'],
  ['│', '|'],
]);

/**
 * A small static table as text, one line per row, for printing. No two columns may have the same title. Not for the
 * deck: four rows take some 40 ms, cells have no tones, and no column gives way on a narrow terminal (`tableLines`: 1 ms).
 */
export function summaryTable(
  columns: readonly Pick<FittedColumn, 'title' | 'align'>[],
  rows: readonly (readonly string[])[],
  {
    hasBoxCharacters,
    maxCellWidth = MAX_CELL_WIDTH,
  }: {
    readonly hasBoxCharacters: boolean;
    /** Anything longer is cut. */
    readonly maxCellWidth?: number;
  },
): string {
  const cells = rows.map(row => row.map(value => cut(value, maxCellWidth, hasBoxCharacters ? '…' : '~')));
  const wide = cells.flat().filter(value => widthOf(value) !== value.length);
  const data = cells.map(row =>
    Object.fromEntries(columns.map(({title}, index) => [title, standIn(row[index] ?? '')])),
  );
  // As wide as the table, so that no line is wrapped: a placeholder split in two could not be recognised.
  const width = columns.length * (maxCellWidth + EDGE_WIDTH) + 1;
  const aligned = columns.map(({title, align}) => ({key: title, align: align ?? ('left' as const)}));
  const drawn = renderToString(<Table data={data} columns={aligned} />, {columns: width});
  const text = withoutRowEdges(drawn.replaceAll(SGR, '')).replaceAll(STAND_IN, () => wide.shift() ?? '');
  return hasBoxCharacters ? text : text.replaceAll(/[┌┬┐├┼┤└┴┘─│]/g, edge => PLAIN_EDGES.get(edge) ?? edge);
}

/** The library draws an edge below every row; one below the titles is enough. */
function withoutRowEdges(drawn: string): string {
  const lines = drawn.split('\n');
  const firstEdge = lines.findIndex(line => line.startsWith('├'));
  return lines.filter((line, index) => !line.startsWith('├') || index === firstEdge).join('\n');
}

/**
 * The library counts code units, a terminal cells. Text for which these differ is drawn as private-use characters, one
 * per cell, and restored afterwards in the order it was drawn.
 */
function standIn(value: string): string {
  const cells = widthOf(value);
  return cells === value.length ? value : `\ue000${'\ue001'.repeat(Math.max(0, cells - 1))}`;
}

const STAND_IN = /\ue000\ue001*/gu;
