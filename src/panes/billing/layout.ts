import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Scene} from '../pane.ts';

type Place = {readonly columns: number; readonly rows: number};

/** The parts of the pane, in cells; a part without room has none. */
export type BillingLayout = {
  readonly now: Place;
  readonly month: Place;
  readonly spenders: Place;
  readonly contracts: Place;
};

const NOW_COLUMNS = 46;
const NOW_ROWS = 7;
const CHART_ROWS = 14;
const TWO_COLUMNS_FROM = 100;
const CONTRACT_ROWS = 6;

/** Now and the month side by side where there is room, the spenders below, the contracts last. */
export function billingLayout({columns, rows}: Scene['size']): BillingLayout {
  const isWide = columns >= TWO_COLUMNS_FROM;
  const topRows = Math.min(isWide ? CHART_ROWS : NOW_ROWS, Math.max(2, Math.floor(rows * 0.45)));
  const contractRows = Math.min(CONTRACT_ROWS, Math.max(2, rows - topRows - 5));
  const nowColumns = isWide ? NOW_COLUMNS : columns;
  return {
    now: {columns: nowColumns, rows: topRows},
    month: {columns: isWide ? columns - nowColumns : 0, rows: topRows},
    spenders: {columns, rows: Math.max(0, rows - topRows - contractRows)},
    contracts: {columns, rows: contractRows},
  };
}

export function visibleRows({rows}: Place): number {
  return Math.max(0, rows - LIST_FRAME_ROWS);
}
