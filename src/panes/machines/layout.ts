import type {Scene} from '../pane.ts';
import {LARGE_COLUMNS, MEDIUM_COLUMNS} from '../sizes.ts';
import type {DetailPart, MachinesView} from './view.ts';

/** How the pane divides its part of the terminal, in cells. */
export type MachinesLayout = {
  readonly listRows: number;
  readonly detailRows: number;
  readonly detailColumns: number;
  /** The column of actions with their prices; zero if it does not fit. */
  readonly actionColumns: number;
  /** Recent events beside the actions; zero if they do not fit. */
  readonly eventColumns: number;
  /** The detail is a strip of a few lines, without charts. */
  readonly isStrip: boolean;
};

const ACTION_COLUMNS = 48;
const EVENT_COLUMNS = 44;
const STRIP_ROWS = 7;
const MIN_LIST_ROWS = 6;
const MIN_DETAIL_ROWS = 12;

/**
 * Parts with short lines, which leave room for actions and events even when open; charts and records take all the
 * width.
 */
const PARTS_OF_LINES: ReadonlySet<DetailPart> = new Set(['record', 'volumes', 'cost']);

/**
 * The breakpoints of the three sizes: a strip below 100 columns and under the map, charts and actions from 100, events
 * beside them from 160.
 */
export function machinesLayout(size: Scene['size'], view: Pick<MachinesView, 'isZoomed' | 'own'>): MachinesLayout {
  const {columns, rows} = size;
  const actionColumns = columns >= MEDIUM_COLUMNS ? ACTION_COLUMNS : 0;
  const eventColumns = columns >= LARGE_COLUMNS ? EVENT_COLUMNS : 0;
  const detailColumns = columns - actionColumns - eventColumns;
  const shared = {actionColumns, eventColumns, detailColumns};
  if (view.isZoomed) {
    const whole = {listRows: 0, detailRows: rows, isStrip: false};
    if (columns >= LARGE_COLUMNS && PARTS_OF_LINES.has(view.own.part)) return {...shared, ...whole};
    return {...whole, detailColumns: columns, actionColumns: 0, eventColumns: 0};
  }
  if (view.own.map.isOpen || columns < MEDIUM_COLUMNS || rows < MIN_LIST_ROWS + MIN_DETAIL_ROWS) {
    const detailRows = rows >= MIN_LIST_ROWS + STRIP_ROWS ? STRIP_ROWS : 0;
    return {
      listRows: rows - detailRows,
      detailRows,
      detailColumns: columns,
      actionColumns: 0,
      eventColumns: 0,
      isStrip: true,
    };
  }
  const detailRows = Math.max(MIN_DETAIL_ROWS, Math.round(rows * 0.52));
  return {...shared, listRows: rows - detailRows, detailRows, isStrip: false};
}
