import {LIST_FRAME_ROWS} from '../ui/table.ts';

/** A part of the terminal, in cells. A part without room has no rows. */
export type Place = {readonly columns: number; readonly rows: number};

/** The widths from which panes show more: what goes with the list, then a third box beside the two. */
export const MEDIUM_COLUMNS = 100;
export const LARGE_COLUMNS = 160;

/** The rows of a list that its place has room for. */
export function visibleRows({rows}: Place): number {
  return Math.max(0, rows - LIST_FRAME_ROWS);
}
