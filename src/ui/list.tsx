import {Box} from 'ink';
import {memo, type ReactNode, useMemo} from 'react';
import {formatHidden} from './format.ts';
import {boxEdges, type FrameBoxOptions, innerWidth, loneLine} from './frame-box.ts';
import {PaintedLine} from './lines.tsx';
import {
  cursorIndexOf,
  LIST_FRAME_ROWS,
  type RowPlace,
  type TableColumn,
  type TableCursor,
  type TablePainter,
  type TableSort,
  tablePainter,
  viewportOf,
} from './table.ts';
import {type Line, paintLine} from './text.ts';
import {TopEdge} from './titled-box.tsx';

/** The content of a list. A row object is replaced whenever anything in it changes. */
export type ListProps<Row extends object, Id> = FrameBoxOptions & {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => Id;
  readonly cursor: TableCursor<Id>;
  /** First visible row of the previous frame: rows stay in place as long as the cursor is visible. */
  readonly offset: number;
  readonly markedIds?: ReadonlySet<Id>;
  readonly sort?: TableSort;
  /** Shown if there are no rows. */
  readonly empty?: Line;
  /** How many things rows stand for, where that is not their number: the bottom edge counts those out of sight. */
  readonly countOf?: (rows: readonly Row[]) => number;
  /** Shows what columns cut off the row under the cursor below the rows; for lists without a detail beside them. */
  readonly showsCut?: boolean;
};

const MAX_CUT_ROWS = 3;

/**
 * Rows in columns, in a titled box of `width` by `height` cells: only visible rows are painted, each only when it has
 * changed.
 */
export function List<Row extends object, Id>(props: ListProps<Row, Id>): ReactNode {
  const {columns, rows, idOf, cursor, markedIds, width, height, theme} = props;
  const {isFocused = false, isStale = false} = props;
  const inner = innerWidth(width);
  const painter = useMemo(
    () => tablePainter({columns, width: inner, theme, isFocused, isStale}),
    [columns, inner, theme, isFocused, isStale],
  );
  const cursorIndex = cursorIndexOf(rows, idOf, cursor);
  const lineCount = Math.max(0, height - LIST_FRAME_ROWS);
  const underCursor = rows[cursorIndex];
  const cut = props.showsCut === true && underCursor !== undefined ? painter.cutWords(underCursor) : [];
  // The row itself stays visible above its full text.
  const foot = cut.slice(0, Math.min(MAX_CUT_ROWS, Math.max(0, lineCount - 1)));
  const rowCount = lineCount - foot.length;
  const empty = rows.length === 0 ? loneLine([props.empty ?? []], inner) : [];
  const {offset, end} = viewportOf({rowCount: rows.length, cursorIndex, offset: props.offset, height: rowCount});
  const edges = boxEdges(props, rowCount === 0 ? '' : hiddenWords(props, {offset, end}));
  const side = theme.paint(edges.side.tone, edges.side.text);
  const blank = ' '.repeat(inner);
  // A smaller box has no room for content.
  if (height < 2) return undefined;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <TopEdge
        title={props.title}
        {...(props.right === undefined ? {} : {right: props.right})}
        width={width}
        theme={theme}
        isFocused={isFocused}
        isLinkDown={props.isLinkDown === true}
      />
      {height > 2 && <PaintedLine painted={`${side}${painter.title(props.sort)}${side}`} />}
      {Array.from({length: rowCount}, (_, line) => {
        const index = offset + line;
        const row = index < end ? rows[index] : undefined;
        if (row === undefined) {
          const text = empty[line] === undefined ? blank : paintLine(empty[line], inner, theme);
          // biome-ignore lint/suspicious/noArrayIndexKey: each line keeps its component, whichever row it shows.
          return <PaintedLine key={line} painted={`${side}${text}${side}`} />;
        }
        const isMarked = markedIds?.has(idOf(row)) ?? false;
        return (
          <ListRow
            // biome-ignore lint/suspicious/noArrayIndexKey: each line keeps its component, whichever row it shows.
            key={line}
            row={row}
            painter={painter}
            side={side}
            isUnderCursor={index === cursorIndex}
            isMarked={isMarked}
          />
        );
      })}
      {foot.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: each line keeps its component, whatever it shows.
        <PaintedLine key={lineCount + index} painted={`${side}${paintLine(line, inner, theme)}${side}`} />
      ))}
      <PaintedLine painted={paintLine(edges.bottom, width, theme)} />
    </Box>
  );
}

/** The rows out of sight; nothing if all are in sight. */
function hiddenWords<Row extends object, Id>(
  {rows, countOf}: Pick<ListProps<Row, Id>, 'rows' | 'countOf'>,
  {offset, end}: {readonly offset: number; readonly end: number},
): string {
  // What stands for several may stand for what is in sight as well, which is not counted twice.
  const hidden = (hiddenRows: number, from: number, to: number) =>
    countOf === undefined ? hiddenRows : countOf(rows) - countOf(rows.slice(from, to)) || hiddenRows;
  return formatHidden(hidden(offset, offset, rows.length), hidden(rows.length - end, 0, end));
}

const ListRow = memo(function ListRow({
  row,
  painter,
  side,
  ...place
}: RowPlace & {readonly row: object; readonly painter: TablePainter<object>; readonly side: string}): ReactNode {
  return <PaintedLine painted={`${side}${painter.row(row, place)}${side}`} />;
});
