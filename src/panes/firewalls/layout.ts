import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Scene} from '../pane.ts';

type Place = {readonly columns: number; readonly rows: number};

/** The parts of the pane, in cells. */
export type FirewallsLayout = {
  readonly list: Place;
  readonly attached: Place;
  readonly rules: Place;
  readonly isWide: boolean;
};

const WIDE_FROM = 100;

/** Firewalls and whom they reach at the left, the chosen one's rules at the right; one above the other where narrow. */
export function firewallsLayout({columns, rows}: Scene['size']): FirewallsLayout {
  const attachedRows = Math.min(9, Math.max(3, Math.floor(rows * 0.25)));
  if (columns >= WIDE_FROM) {
    const left = Math.max(50, Math.floor(columns * 0.4));
    return {
      list: {columns: left, rows: rows - attachedRows},
      attached: {columns: left, rows: attachedRows},
      rules: {columns: columns - left, rows},
      isWide: true,
    };
  }
  const listRows = Math.max(5, Math.floor(rows * 0.4));
  return {
    list: {columns, rows: listRows},
    attached: {columns, rows: 3},
    rules: {columns, rows: Math.max(0, rows - listRows - 3)},
    isWide: false,
  };
}

export function visibleRows({rows}: Place): number {
  return Math.max(0, rows - LIST_FRAME_ROWS);
}
