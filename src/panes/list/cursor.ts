import {say} from '../../domain/safe-text.ts';
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
  type Context = PaneContext<View>;
  const move = (
    id: string,
    {
      step,
      ...words
    }: Pick<Command<Context, PaneOutcome<View>>, 'keys' | 'title' | 'help'> & {
      readonly step: (context: Context) => number;
    },
  ): Command<Context, PaneOutcome<View>> => ({
    id: `${paneId}.${id}`,
    ...words,
    group: 'Move',
    run: context => ({kind: 'view', view: moved(context, step(context))}),
  });
  const half = (context: Context) => Math.ceil(pageRows(context) / 2);
  return [
    move('down', {
      keys: ['j', 'down'],
      title: say`down`,
      help: 'One row down; an open detail scrolls.',
      step: () => 1,
    }),
    move('up', {
      keys: ['k', 'up'],
      title: say`up`,
      help: 'One row up; an open detail scrolls.',
      step: () => -1,
    }),
    move('top', {
      keys: ['g', 'home'],
      title: say`first`,
      help: 'Goes to the first row, or the beginning of the detail.',
      step: () => Number.NEGATIVE_INFINITY,
    }),
    move('bottom', {
      keys: ['G', 'end'],
      title: say`last`,
      help: 'Goes to the last row, or the end of the detail.',
      step: () => Number.POSITIVE_INFINITY,
    }),
    move('page-down', {
      keys: ['ctrl-f', 'pagedown'],
      title: say`page down`,
      help: 'One page down.',
      step: pageRows,
    }),
    move('page-up', {
      keys: ['ctrl-b', 'pageup'],
      title: say`page up`,
      help: 'One page up.',
      step: context => -pageRows(context),
    }),
    move('half-down', {
      keys: ['ctrl-d'],
      title: say`half page down`,
      help: 'Half a page down; it never deletes anything.',
      step: half,
    }),
    move('half-up', {
      keys: ['ctrl-u'],
      title: say`half page up`,
      help: 'Half a page up.',
      step: context => -half(context),
    }),
  ];
}
