import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Scene} from '../pane.ts';
import {LARGE_COLUMNS, MEDIUM_COLUMNS, type Place} from '../sizes.ts';

/** The parts of a collection pane, in cells: a line that names its lists if there are several, the list, the detail. */
export type CollectionLayout = {
  readonly tabs: Place;
  readonly list: Place;
  readonly detail: Place;
  /** To the right of the detail, which has the full width of a terminal wide enough for both. */
  readonly beside: Place;
  /** Below a short list in a wide terminal: what belongs to the row under the cursor. */
  readonly preview: Place;
  readonly isWide: boolean;
};

const MIN_LIST_ROWS = 8;
const MIN_PREVIEW_ROWS = 6;

/**
 * The list above its detail, or beside it in a wide terminal; only the detail if it is zoomed, and only the list if
 * there is no detail.
 */
export function collectionLayout(
  {columns, rows}: Scene['size'],
  {
    partCount,
    isZoomed,
    hasDetail,
    hasBeside = false,
    rowCount,
    totalCount,
  }: {
    readonly partCount: number;
    readonly isZoomed: boolean;
    readonly hasDetail: boolean;
    readonly hasBeside?: boolean;
    /** Rows of the list; undefined if there is nothing to show below them. */
    readonly rowCount?: number | undefined;
    /** Including rows hidden by a filter, so that no edge moves while one is typed; undefined until they were read. */
    readonly totalCount?: number | undefined;
  },
): CollectionLayout {
  const tabs = {columns, rows: partCount > 1 && rows > 1 ? 1 : 0};
  const rest = Math.max(0, rows - tabs.rows);
  const isWideHere = isWide({columns});
  const none = {columns, rows: 0};
  if (!hasDetail) return {tabs, list: {columns, rows: rest}, detail: none, beside: none, preview: none, isWide: false};
  if (isZoomed) {
    const places = withBeside({columns, rows: rest}, hasBeside);
    return {tabs, list: none, ...places, preview: none, isWide: false};
  }
  if (isWideHere) {
    const list = Math.floor(columns * 0.68);
    const wanted = rowCount === undefined ? rest : Math.max(MIN_LIST_ROWS, rowCount + LIST_FRAME_ROWS);
    const listRows = rest - wanted < MIN_PREVIEW_ROWS ? rest : wanted;
    return {
      tabs,
      list: {columns: list, rows: listRows},
      detail: {columns: columns - list, rows: rest},
      beside: none,
      preview: {columns: list, rows: rest - listRows},
      isWide: true,
    };
  }
  const least = Math.min(Math.max(0, rest - 5), Math.max(6, Math.floor(rest * 0.38)));
  // Rows that a short list does not need are given to the detail.
  const free = totalCount === undefined ? 0 : rest - Math.max(MIN_LIST_ROWS, totalCount + LIST_FRAME_ROWS);
  const detailRows = Math.max(least, free);
  const places = withBeside({columns, rows: detailRows}, hasBeside);
  return {tabs, list: {columns, rows: rest - detailRows}, ...places, preview: none, isWide: false};
}

/** A detail over the full width, with related information to its right if it fits. */
export function withBeside(place: Place, hasBeside: boolean): {readonly detail: Place; readonly beside: Place} {
  if (!hasBeside || !hasBesideRoom(place)) return {detail: place, beside: {...place, rows: 0}};
  const besideColumns = Math.floor(place.columns * 0.42);
  return {
    detail: {...place, columns: place.columns - besideColumns},
    beside: {...place, columns: besideColumns},
  };
}

/** Whether the history of a row, or the other information beside it, fits at all. */
export function hasBesideRoom({columns}: Pick<Place, 'columns'>): boolean {
  return columns >= MEDIUM_COLUMNS;
}

/** The detail's height when something is below it: high enough that its edge rarely moves from row to row. */
export function detailRowsAbove(place: Place, lineCount: number): number {
  const wanted = Math.max(lineCount + DETAIL_EDGE_ROWS, Math.floor(place.rows * 0.3));
  return place.rows - wanted < MIN_PREVIEW_ROWS ? place.rows : wanted;
}

const DETAIL_EDGE_ROWS = 2;

/** Whether the detail is beside the list, with room below it. */
export function isWide({columns}: Pick<Scene['size'], 'columns'>): boolean {
  return columns >= LARGE_COLUMNS;
}
