import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Scene} from '../pane.ts';
import {LARGE_COLUMNS, type Place} from '../sizes.ts';

/** The parts of the pane, in cells; a part without room has none. */
export type ClustersLayout = {
  readonly list: Place;
  readonly nodes: Place;
  /** The machine of the node under the cursor; no rows if it does not fit. */
  readonly machine: Place;
  readonly facts: Place;
  readonly events: Place;
};

const TWO_COLUMNS_FROM = 120;
const FACT_COLUMNS = 48;
const MAX_LIST_ROWS = 14;
const MIN_NODE_ROWS = 8;
const MIN_CHART_ROWS = 12;
/**
 * Trouble comes first in the box below the nodes, so a single line inside its edges is worth showing; edges alone are
 * not.
 */
const MIN_FACT_ROWS = 3;
const MAX_FACT_ROWS = 5;
const MIN_NODE_LIST_ROWS = 5;
/**
 * Before the facts get more than their minimum, there is room for a node in trouble with its reason, and for the next
 * one.
 */
const GOOD_NODE_LIST_ROWS = 6;

/** The list takes what it needs, the chosen cluster the rest: nodes and facts side by side, events last. */
export function clustersLayout({columns, rows}: Scene['size'], clusterCount: number): ClustersLayout {
  const listRows = Math.min(Math.max(1, clusterCount) + LIST_FRAME_ROWS, MAX_LIST_ROWS, Math.ceil(rows * 0.4));
  const left = rows - listRows;
  const eventRows = left >= 12 ? Math.min(10, Math.floor(left * 0.35)) : 0;
  const nodeRows = left - eventRows;
  const isWide = columns >= TWO_COLUMNS_FROM;
  // Charts need a minimum of rows.
  const machineRows =
    columns >= LARGE_COLUMNS && nodeRows >= MIN_NODE_ROWS + MIN_CHART_ROWS ? Math.ceil(nodeRows * 0.55) : 0;
  const factRows = isWide ? nodeRows : factRowsBelow(nodeRows);
  return {
    list: {columns, rows: listRows},
    nodes: {
      columns: isWide ? columns - FACT_COLUMNS : columns,
      rows: isWide ? nodeRows - machineRows : nodeRows - factRows,
    },
    machine: {columns: columns - FACT_COLUMNS, rows: machineRows},
    facts: {columns: isWide ? FACT_COLUMNS : columns, rows: factRows},
    events: {columns, rows: eventRows},
  };
}

function factRowsBelow(nodeRows: number): number {
  if (nodeRows < MIN_NODE_LIST_ROWS + MIN_FACT_ROWS) return 0;
  return Math.min(MAX_FACT_ROWS, Math.max(MIN_FACT_ROWS, nodeRows - GOOD_NODE_LIST_ROWS));
}
