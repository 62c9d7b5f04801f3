import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Scene} from '../pane.ts';
import {LARGE_COLUMNS, MEDIUM_COLUMNS, type Place} from '../sizes.ts';

/**
 * The parts of the pane, in cells. They depend on the most rules of any firewall, so that nothing moves with the
 * cursor.
 */
export type FirewallsLayout = {
  readonly list: Place;
  readonly attached: Place;
  readonly rules: Place;
  /** Everything open to the world; no rows if it does not fit. */
  readonly open: Place;
  /** The history of the firewall and its machines; no rows if the open rules need the room. */
  readonly history: Place;
  readonly isWide: boolean;
};

const MIN_LARGE_ROWS = 30;
const MIN_PART_ROWS = 8;
/** From this height on, three machines get a row each. */
const ROOM_FOR_MACHINES = 18;

/** Firewalls and their machines at the left, the chosen one's rules at the right; stacked if narrow. */
export function firewallsLayout(
  {columns, rows}: Scene['size'],
  counts: {readonly firewalls: number; readonly rules: number},
): FirewallsLayout {
  if (columns >= MEDIUM_COLUMNS && rows >= MIN_LARGE_ROWS) return largeLayout(columns, rows, counts);
  const attachedRows = Math.min(9, Math.max(3, Math.floor(rows * 0.25)));
  if (columns >= MEDIUM_COLUMNS) {
    const left = leftColumns(columns);
    return {
      list: {columns: left, rows: rows - attachedRows},
      attached: {columns: left, rows: attachedRows},
      rules: {columns: columns - left, rows},
      open: {columns: columns - left, rows: 0},
      history: {columns: columns - left, rows: 0},
      isWide: true,
    };
  }
  const listRows = Math.max(5, Math.floor(rows * 0.4));
  const narrowRows = rows < ROOM_FOR_MACHINES ? 3 : 5;
  return {
    list: {columns, rows: listRows},
    attached: {columns, rows: narrowRows},
    rules: {columns, rows: Math.max(0, rows - listRows - narrowRows)},
    open: {columns, rows: 0},
    history: {columns, rows: 0},
    isWide: false,
  };
}

/** Rules need about the same at every width; extra width goes to the machines. */
function leftColumns(columns: number): number {
  return columns >= LARGE_COLUMNS ? Math.floor(columns * 0.45) : Math.max(50, Math.floor(columns * 0.4));
}

/** The list as high as it needs, and the machines behind it; the rules above everything that is open. */
function largeLayout(
  columns: number,
  rows: number,
  {firewalls, rules}: {readonly firewalls: number; readonly rules: number},
): FirewallsLayout {
  const left = leftColumns(columns);
  const listRows = Math.min(Math.max(MIN_PART_ROWS, firewalls + LIST_FRAME_ROWS), Math.floor(rows * 0.6));
  const ruleRows = Math.min(Math.max(MIN_PART_ROWS, rules + LIST_FRAME_ROWS), Math.floor(rows * 0.6));
  const below = rows - ruleRows;
  const historyRows = Math.floor(below * 0.4);
  const openRows = historyRows < MIN_PART_ROWS ? below : below - historyRows;
  return {
    list: {columns: left, rows: listRows},
    attached: {columns: left, rows: rows - listRows},
    rules: {columns: columns - left, rows: ruleRows},
    open: {columns: columns - left, rows: openRows},
    history: {columns: columns - left, rows: below - openRows},
    isWide: true,
  };
}
