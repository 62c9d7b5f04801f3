import {Table} from '@alcalzone/ink-table';
import {renderToString} from 'ink';
import {widthOf} from './text.ts';

/** One record of a printed table: what stands in each column, by its title. */
export type SummaryRow = Readonly<Record<string, string>>;

/** Wider than any summary, so that no line is folded: whoever prints it cuts it. */
const PRINT_COLUMNS = 400;
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
  }: {readonly rightAligned?: readonly string[]; readonly hasBoxCharacters: boolean},
): string {
  const columns = Object.keys(rows[0] ?? {}).map(key => ({
    key,
    align: rightAligned.includes(key) ? ('right' as const) : ('left' as const),
  }));
  const wide = rows.flatMap(row => Object.values(row)).filter(value => widthOf(value) !== value.length);
  const data = rows.map(row => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, standIn(value)])));
  const drawn = renderToString(<Table data={data} columns={columns} />, {columns: PRINT_COLUMNS});
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
