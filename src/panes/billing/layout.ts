import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Scene} from '../pane.ts';
import {LARGE_COLUMNS, MEDIUM_COLUMNS, type Place} from '../sizes.ts';

/** The parts of the pane, in cells; a part without room has none. */
export type BillingLayout = {
  readonly now: Place;
  readonly month: Place;
  readonly spenders: Place;
  readonly waste: Place;
  /** Below the waste: how to end the item under its cursor. */
  readonly wasteDetail: Place;
  /** Whether spenders and waste fit side by side. */
  readonly isSideBySide: boolean;
  /** The line of the next thirty days. */
  readonly ahead: Place;
  readonly contracts: Place;
  /** Too low for contracts below the other lists: the list with the focus takes all the space. */
  readonly isOneList: boolean;
  /** In place of spenders and waste, and of the contracts too if the month has no box of its own. */
  readonly history: Place;
  /** The month by day, above the history, if the month has no box of its own. */
  readonly days: Place;
};

const NOW_COLUMNS = 46;
const NOW_ROWS = 7;
const CHART_ROWS = 16;
const CONTRACT_ROWS = 5;
/** Enough for one contract. */
const MIN_CONTRACT_ROWS = LIST_FRAME_ROWS + 1;
const MIN_LIST_ROWS = 5;
const DAYS_ROWS = 12;
/** Enough for edges, labels and bars that can be told apart. */
const MIN_DAYS_ROWS = 6;
const AHEAD_FROM_ROWS = 16;
const WASTE_COLUMNS = 56;
/** With how to end each. */
const LARGE_WASTE_COLUMNS = 78;
/** From this height on, several rows of waste fit above the advice for one. */
const ROOM_FOR_WASTE_DETAIL = 20;
const WASTE_DETAIL_ROWS = 12;
const HIGH_FROM = 42;
const HIGH_CHART_ROWS = 19;

/** Now and the month side by side if they fit, spenders and waste below, contracts last. */
export function billingLayout({columns, rows}: Scene['size']): BillingLayout {
  const isWide = columns >= MEDIUM_COLUMNS;
  const chartRows = rows >= HIGH_FROM ? HIGH_CHART_ROWS : CHART_ROWS;
  const topRows = Math.min(isWide ? chartRows : NOW_ROWS, Math.max(2, Math.floor(rows * 0.5)));
  const belowRows = Math.min(CONTRACT_ROWS, rows - topRows - MIN_LIST_ROWS);
  const isOneList = belowRows < MIN_CONTRACT_ROWS;
  const nowColumns = isWide ? NOW_COLUMNS : columns;
  const aheadRows = rows >= AHEAD_FROM_ROWS ? 1 : 0;
  const listRows = Math.max(0, rows - topRows - aheadRows - (isOneList ? 0 : belowRows));
  const contractRows = isOneList ? listRows : belowRows;
  const besideColumns = columns >= LARGE_COLUMNS ? LARGE_WASTE_COLUMNS : WASTE_COLUMNS;
  const wasteColumns = isWide ? besideColumns : 0;
  const wasteDetailRows = isWide && listRows >= ROOM_FOR_WASTE_DETAIL ? WASTE_DETAIL_ROWS : 0;
  const historyRows = Math.max(0, isWide ? listRows : rows - topRows - aheadRows);
  const roomForDays = isWide ? 0 : Math.min(DAYS_ROWS, historyRows - MIN_LIST_ROWS);
  const daysRows = roomForDays < MIN_DAYS_ROWS ? 0 : roomForDays;
  return {
    now: {columns: nowColumns, rows: topRows},
    month: {columns: isWide ? columns - nowColumns : 0, rows: topRows},
    spenders: {columns: columns - wasteColumns, rows: listRows},
    // If they are not side by side, the one with the focus is shown.
    waste: {columns: isWide ? wasteColumns : columns, rows: listRows - wasteDetailRows},
    wasteDetail: {columns: wasteColumns, rows: wasteDetailRows},
    isSideBySide: isWide,
    ahead: {columns, rows: aheadRows},
    contracts: {columns, rows: contractRows},
    isOneList,
    history: {columns, rows: historyRows - daysRows},
    days: {columns, rows: daysRows},
  };
}
