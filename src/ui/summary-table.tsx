import {Table} from '@alcalzone/ink-table';
import {renderToString} from 'ink';
import {cut, widthOf} from './text.ts';

/** One record of a printed table: what stands in each column, by its title. */
export type SummaryRow = Readonly<Record<string, string>>;

/** The service allows names of fifty characters, and sends what it likes. */
const MAX_CELL_WIDTH = 64;
/** Beside each cell: a blank on both sides, and an edge. */
const EDGE_WIDTH = 3;
/** The library colours its edges; a printed table has no colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what begins a colour.
const SGR = /\u001b\[[\d;]*m/g;
const PLAIN_EDGES: ReadonlyMap<string, string> = new Map([
  ...[...'┌┬┐├┼┤└┴┘'].map(corner => [corner, '+'] as const),
  ['─', '-'],
  ['│', '|'],
]);

/** A small static table as text, one line a row, for printing. Figures are right-aligned where `rightAligned` names them. */
export function summaryTable(
  rows: readonly SummaryRow[],
  {
    rightAligned = [],
    hasBoxCharacters,
    maxCellWidth = MAX_CELL_WIDTH,
  }: {
    readonly rightAligned?: readonly string[];
    readonly hasBoxCharacters: boolean;
    /** What is longer is cut. */
    readonly maxCellWidth?: number;
  },
): string {
  const columns = Object.keys(rows[0] ?? {}).map(key => ({
    key,
    align: rightAligned.includes(key) ? ('right' as const) : ('left' as const),
  }));
  const cells = rows.map(row =>
    Object.entries(row).map(([key, value]) => [key, cut(value, maxCellWidth, hasBoxCharacters ? '…' : '~')] as const),
  );
  const wide = cells.flatMap(row => row.map(([, value]) => value)).filter(value => widthOf(value) !== value.length);
  const data = cells.map(row => Object.fromEntries(row.map(([key, value]) => [key, standIn(value)])));
  // As wide as the table, so that no line is folded: a stand-in in two parts could not be told for what it is.
  const width = columns.length * (maxCellWidth + EDGE_WIDTH) + 1;
  const drawn = renderToString(<Table data={data} columns={columns} />, {columns: width});
  const text = withoutRowEdges(drawn.replaceAll(SGR, '')).replaceAll(STAND_IN, () => wide.shift() ?? '');
  return hasBoxCharacters ? text : text.replaceAll(/[┌┬┐├┼┤└┴┘─│]/g, edge => PLAIN_EDGES.get(edge) ?? edge);
}

/** The library draws an edge below every row; below the titles one is enough. */
function withoutRowEdges(drawn: string): string {
  const lines = drawn.split('\n');
  const firstEdge = lines.findIndex(line => line.startsWith('├'));
  return lines.filter((line, index) => !line.startsWith('├') || index === firstEdge).join('\n');
}

/**
 * The library counts code units where a terminal counts cells. A text for which the two differ is drawn as private-use
 * characters, one a cell, and put back afterwards, in the order in which it was drawn.
 */
function standIn(value: string): string {
  const cells = widthOf(value);
  return cells === value.length ? value : `\ue000${'\ue001'.repeat(Math.max(0, cells - 1))}`;
}

const STAND_IN = /\ue000\ue001*/gu;
