import {LIST_FRAME_ROWS} from '../ui/table.ts';

/** A part of the terminal, in cells. A part without room has no rows. */
export type Place = {readonly columns: number; readonly rows: number};

/** The widths from which panes show more: related information beside the list, then a third box. */
export const MEDIUM_COLUMNS = 100;
export const LARGE_COLUMNS = 160;

/** The number of rows a list can show in its place. */
export function visibleRows({rows}: Place): number {
  return Math.max(0, rows - LIST_FRAME_ROWS);
}
