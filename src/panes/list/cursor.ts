import {type SafeText, say} from '../../domain/safe-text.ts';
import {cursorIndexOf, viewportOf} from '../../ui/table.ts';
import type {Command, PaneOutcome} from '../command.ts';
import type {PaneContext} from '../pane.ts';

/** The position in a list: an object, not a line. `cursorIndex` is where it was last seen. */
export type ListCursor<Id> = {
  readonly cursorId: Id | undefined;
  readonly cursorIndex: number;
  /** First visible row. */
  readonly offset: number;
};

export const LIST_START = {cursorId: undefined, cursorIndex: 0, offset: 0} as const;

/** The cursor moved by `step` rows, within the list. */
export function movedCursor<Row, Id>(
  cursor: ListCursor<Id>,
  rows: readonly Row[],
  idOf: (row: Row) => Id,
  step: number,
): ListCursor<Id> {
  const cursorIndex = Math.min(Math.max(0, cursor.cursorIndex + step), Math.max(0, rows.length - 1));
  const row = rows[cursorIndex];
  return {...cursor, cursorIndex, cursorId: row === undefined ? undefined : idOf(row)};
}

/** The row under the cursor: its object's row, or the row at its index while no key has chosen one. */
export function rowAtCursor<Row, Id>(
  cursor: ListCursor<Id>,
  rows: readonly Row[],
  idOf: (row: Row) => Id,
): Row | undefined {
  const there = rows[cursor.cursorIndex];
  if (cursor.cursorId === undefined || (there !== undefined && idOf(there) === cursor.cursorId)) return there;
  return rows.find(row => idOf(row) === cursor.cursorId);
}

/**
 * The cursor after new readings: on its object, or where that was, and visible within `height` rows. Until a key has
 * chosen an object it stays at the top, since the order may still change as readings arrive.
 */
export function adjustedCursor<Row, Id>(
  cursor: ListCursor<Id>,
  rows: readonly Row[],
  idOf: (row: Row) => Id,
  {height, hasChosen}: {readonly height: number; readonly hasChosen: boolean},
): ListCursor<Id> {
  if (!hasChosen && cursor.cursorId === undefined) return cursor;
  const cursorIndex = cursorIndexOf(rows, idOf, {id: cursor.cursorId, index: cursor.cursorIndex});
  const row = rows[cursorIndex];
  const cursorId = row === undefined ? cursor.cursorId : idOf(row);
  const {offset} = viewportOf({rowCount: rows.length, cursorIndex, offset: cursor.offset, height: Math.max(0, height)});
  const isSame = cursorIndex === cursor.cursorIndex && cursorId === cursor.cursorId && offset === cursor.offset;
  return isSame ? cursor : {cursorId, cursorIndex, offset};
}

/** The keys that move, the same in every pane. */
export function moveCommands<View>(
  paneId: string,
  {
    pageRows,
    moved,
  }: {
    readonly pageRows: (context: PaneContext<View>) => number;
    readonly moved: (context: PaneContext<View>, step: number) => View;
  },
): readonly Command<PaneContext<View>, PaneOutcome<View>>[] {
  const move = (
    id: string,
    keys: readonly string[],
    title: SafeText,
    help: string,
    step: (context: PaneContext<View>) => number,
  ): Command<PaneContext<View>, PaneOutcome<View>> => ({
    id: `${paneId}.${id}`,
    title,
    help,
    keys,
    group: 'Move',
    run: context => ({kind: 'view', view: moved(context, step(context))}),
  });
  const half = (context: PaneContext<View>) => Math.ceil(pageRows(context) / 2);
  return [
    move('down', ['j', 'down'], say`down`, 'One row down; an open detail scrolls.', () => 1),
    move('up', ['k', 'up'], say`up`, 'One row up; an open detail scrolls.', () => -1),
    move(
      'top',
      ['g', 'home'],
      say`first`,
      'Goes to the first row, or the beginning of the detail.',
      () => Number.NEGATIVE_INFINITY,
    ),
    move(
      'bottom',
      ['G', 'end'],
      say`last`,
      'Goes to the last row, or the end of the detail.',
      () => Number.POSITIVE_INFINITY,
    ),
    move('page-down', ['ctrl-f', 'pagedown'], say`page down`, 'One page down.', pageRows),
    move('page-up', ['ctrl-b', 'pageup'], say`page up`, 'One page up.', context => -pageRows(context)),
    move('half-down', ['ctrl-d'], say`half page down`, 'Half a page down; it never deletes anything.', half),
    move('half-up', ['ctrl-u'], say`half page up`, 'Half a page up.', context => -half(context)),
  ];
}
