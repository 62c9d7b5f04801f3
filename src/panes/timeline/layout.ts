import type {Scene} from '../pane.ts';
import {LARGE_COLUMNS, MEDIUM_COLUMNS, type Place} from '../sizes.ts';

/** The parts of the pane, in cells; a part without room has no rows. */
export type TimelineLayout = {
  readonly chart: Place;
  readonly list: Place;
  /** The entry under the cursor, in full. */
  readonly preview: Place;
  readonly isWide: boolean;
};

const CHART_ROWS = 8;
const HIGH_FROM = 40;
const HIGH_CHART_ROWS = 12;
const PREVIEW_ROWS = 9;
const MIN_LIST_ROWS = 6;

/** Only the list below 100 columns; from 100 the chart above it and the entry below it, which is beside it from 160. */
export function timelineLayout({columns, rows}: Scene['size']): TimelineLayout {
  const none = {columns, rows: 0};
  if (columns < MEDIUM_COLUMNS) return {chart: none, list: {columns, rows}, preview: none, isWide: false};
  const wanted = rows >= HIGH_FROM ? HIGH_CHART_ROWS : CHART_ROWS;
  const chartRows = rows - wanted >= MIN_LIST_ROWS ? wanted : 0;
  const left = rows - chartRows;
  const chart = {columns, rows: chartRows};
  if (columns >= LARGE_COLUMNS) {
    const list = Math.floor(columns * 0.62);
    return {chart, list: {columns: list, rows: left}, preview: {columns: columns - list, rows: left}, isWide: true};
  }
  const previewRows = left - PREVIEW_ROWS >= MIN_LIST_ROWS ? PREVIEW_ROWS : 0;
  return {chart, list: {columns, rows: left - previewRows}, preview: {columns, rows: previewRows}, isWide: false};
}
