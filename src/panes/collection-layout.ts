import {LIST_FRAME_ROWS} from '../ui/table.ts';
import type {Scene} from './pane.ts';

type Place = {readonly columns: number; readonly rows: number};

/** The parts of a collection pane, in cells: one line that names its lists where there are several, the list, the detail. */
export type CollectionLayout = {
  readonly tabs: Place;
  readonly list: Place;
  readonly detail: Place;
  readonly isWide: boolean;
};

const WIDE_FROM = 160;

/**
 * The list above its detail; beside it where the terminal is wide; the detail alone where it is zoomed, and the list alone
 * where there is nothing to tell in detail.
 */
export function collectionLayout(
  {columns, rows}: Scene['size'],
  {
    partCount,
    isZoomed,
    hasDetail,
  }: {readonly partCount: number; readonly isZoomed: boolean; readonly hasDetail: boolean},
): CollectionLayout {
  const tabs = {columns, rows: partCount > 1 && rows > 1 ? 1 : 0};
  const rest = Math.max(0, rows - tabs.rows);
  const isWide = columns >= WIDE_FROM;
  if (!hasDetail) return {tabs, list: {columns, rows: rest}, detail: {columns, rows: 0}, isWide: false};
  if (isZoomed) return {tabs, list: {columns, rows: 0}, detail: {columns, rows: rest}, isWide: false};
  if (isWide) {
    const list = Math.floor(columns * 0.64);
    return {tabs, list: {columns: list, rows: rest}, detail: {columns: columns - list, rows: rest}, isWide};
  }
  const detailRows = Math.min(Math.max(0, rest - 5), Math.max(6, Math.floor(rest * 0.38)));
  return {tabs, list: {columns, rows: rest - detailRows}, detail: {columns, rows: detailRows}, isWide};
}

export function visibleRows({rows}: Place): number {
  return Math.max(0, rows - LIST_FRAME_ROWS);
}
