import {type Align, fitLine, type Line, paintLine, type Span} from './text.ts';
import type {Theme, Tone} from './theme.ts';

export type Column<Row> = {
  readonly key: string;
  readonly title: string;
  readonly minWidth: number;
  /** No wider than this, however much room there is; without a limit if absent. */
  readonly maxWidth?: number;
  /** Share of the room that is left over; none if absent. */
  readonly flex?: number;
  readonly align?: Align;
  /** Columns with the highest number are left out first where the table is narrow; 0 (or absent) always stays. */
  readonly priority?: number;
  /** Pure, and called for visible rows only: what it shows has to be in the row. */
  readonly cell: (row: Row, width: number, theme: Theme) => Line;
};

export type PlacedColumn<Row> = {readonly column: Column<Row>; readonly width: number};

/** The cursor follows the object: `index` is where it was last seen, for when it is gone. */
export type TableCursor<Id> = {readonly id: Id | undefined; readonly index: number};

export type Viewport = {readonly offset: number; readonly end: number};

export type TableProps<Row extends object, Id> = {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => Id;
  readonly cursor: TableCursor<Id>;
  /** First visible row of the frame before: the rows stay where they were as long as the cursor is in sight. */
  readonly offset: number;
  /** Height with the title row. */
  readonly height: number;
  readonly width: number;
  readonly theme: Theme;
  readonly markedIds?: ReadonlySet<Id>;
  readonly sort?: {readonly key: string; readonly isDescending: boolean};
  /** The data is older than it should be: all rows are dim. */
  readonly isStale?: boolean;
  /** Whether the keys move this table's cursor. */
  readonly isFocused?: boolean;
  /** Shown where there are no rows. */
  readonly empty?: Line;
};

const COLUMN_GAP = 1;
/** Cursor sign, mark, blank. */
const GUTTER_WIDTH = 3;
const TITLE_ROWS = 1;

/** The whole table as painted lines, `height` of them: titles, visible rows, blank rows. */
export function tableLines<Row extends object, Id>(props: TableProps<Row, Id>): readonly string[] {
  const {columns, rows, cursor, width, height, theme} = props;
  const placed = layoutColumns(columns, width - GUTTER_WIDTH);
  const cursorIndex = cursorIndexOf(rows, props.idOf, cursor);
  const rowHeight = Math.max(0, height - TITLE_ROWS);
  const viewport = windowRows({rowCount: rows.length, cursorIndex, offset: props.offset, height: rowHeight});
  const lines = [titleLine(placed, props)];
  const paint = rowPainter(placed, width, theme);
  for (let index = viewport.offset; index < viewport.end; index++) {
    const row = rows[index];
    if (row === undefined) break;
    const isUnderCursor = index === cursorIndex;
    const isMarked = props.markedIds?.has(props.idOf(row)) ?? false;
    lines.push(
      paint(row, {isUnderCursor, isMarked, isFocused: props.isFocused ?? true, isStale: props.isStale ?? false}),
    );
  }
  if (rows.length === 0 && lines.length < height) lines.push(paintLine(props.empty ?? [], width, theme));
  while (lines.length < height) lines.push(paintLine([], width, theme));
  return lines.slice(0, Math.max(0, height));
}

/** The visible rows `[offset, end)`: they move only as far as the cursor needs, and never leave room below the last. */
export function windowRows({
  rowCount,
  cursorIndex,
  offset,
  height,
}: {
  readonly rowCount: number;
  readonly cursorIndex: number;
  readonly offset: number;
  readonly height: number;
}): Viewport {
  if (height <= 0 || rowCount <= 0) return {offset: 0, end: 0};
  const lastOffset = Math.max(0, rowCount - height);
  const cursor = Math.min(Math.max(0, cursorIndex), rowCount - 1);
  const wanted = Math.min(Math.max(offset, cursor - height + 1), cursor);
  const first = Math.min(Math.max(0, wanted), lastOffset);
  return {offset: first, end: Math.min(rowCount, first + height)};
}

/**
 * Where the cursor's object stands now. Looks at the place where it was first, so that a key costs no search; an
 * object that is gone leaves the cursor at its place.
 */
export function cursorIndexOf<Row, Id>(rows: readonly Row[], idOf: (row: Row) => Id, cursor: TableCursor<Id>): number {
  const place = Math.min(Math.max(0, cursor.index), Math.max(0, rows.length - 1));
  const there = rows[place];
  if (cursor.id === undefined || there === undefined || idOf(there) === cursor.id) return place;
  const found = rows.findIndex(row => idOf(row) === cursor.id);
  return found === -1 ? place : found;
}

/** Which columns are shown and how wide, in all at most `width` cells with one blank between two. */
export function layoutColumns<Row>(columns: readonly Column<Row>[], width: number): readonly PlacedColumn<Row>[] {
  let shown = [...columns];
  while (neededWidth(shown) > width) {
    const victim = leastWanted(shown);
    if (victim === undefined) break;
    shown = shown.filter(column => column !== victim);
  }
  const widths = new Map(shown.map(column => [column, column.minWidth]));
  shareOut(widths, width - neededWidth(shown));
  return cutToRoom(
    shown.map(column => ({column, width: widths.get(column) ?? column.minWidth})),
    width,
  );
}

function neededWidth(columns: readonly Column<never>[]): number {
  return columns.reduce((sum, column) => sum + column.minWidth, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

function leastWanted<Row>(columns: readonly Column<Row>[]): Column<Row> | undefined {
  let victim: Column<Row> | undefined;
  for (const column of columns) {
    const priority = column.priority ?? 0;
    if (priority > 0 && priority >= (victim?.priority ?? 0)) victim = column;
  }
  return victim;
}

/** Gives the room that is left to the columns with `flex`, round by round while one of them can still grow. */
function shareOut<Row>(widths: Map<Column<Row>, number>, room: number): void {
  let left = room;
  while (left > 0) {
    const growing = [...widths].filter(
      ([column, width]) => (column.flex ?? 0) > 0 && width < (column.maxWidth ?? Number.POSITIVE_INFINITY),
    );
    const shares = growing.reduce((sum, [column]) => sum + (column.flex ?? 0), 0);
    if (shares === 0) return;
    const roundRoom = left;
    for (const [column, width] of growing) {
      const share = Math.max(1, Math.floor((roundRoom * (column.flex ?? 0)) / shares));
      const grown = Math.min(width + Math.min(share, left), column.maxWidth ?? Number.POSITIVE_INFINITY);
      widths.set(column, grown);
      left -= grown - width;
    }
  }
}

/** Columns that stay even where there is no room for them are cut at the right edge. */
function cutToRoom<Row>(placed: readonly PlacedColumn<Row>[], width: number): readonly PlacedColumn<Row>[] {
  const cut: PlacedColumn<Row>[] = [];
  let left = width;
  for (const {column, width: wanted} of placed) {
    if (left <= 0) break;
    cut.push({column, width: Math.min(wanted, left)});
    left -= wanted + COLUMN_GAP;
  }
  return cut;
}

function titleLine<Row extends object, Id>(placed: readonly PlacedColumn<Row>[], props: TableProps<Row, Id>): string {
  const {sort, theme, width} = props;
  const cells = placed.map(({column, width: columnWidth}) => {
    const arrow = sort?.key === column.key ? (sort.isDescending ? theme.glyphs.down : theme.glyphs.up) : '';
    const title: Line = [{text: `${column.title}${arrow}`, tone: arrow === '' ? 'header' : ['header', 'accent']}];
    return fitLine(title, columnWidth, {align: column.align, ellipsis: ''});
  });
  return paintLine([{text: ' '.repeat(GUTTER_WIDTH)}, ...withGaps(cells)], width, theme);
}

function withGaps(cells: readonly Line[]): Line {
  return cells.flatMap((cell, index) => (index === 0 ? cell : [GAP, ...cell]));
}

const GAP: Span = {text: ' '.repeat(COLUMN_GAP)};

type RowFlags = {
  readonly isUnderCursor: boolean;
  readonly isMarked: boolean;
  readonly isFocused: boolean;
  readonly isStale: boolean;
};

type PaintedRow = {readonly key: string; readonly theme: Theme; readonly painted: string};

/** The last painting of each row, dropped with the row itself. */
const paintedRows = new WeakMap<object, PaintedRow>();

function rowPainter<Row extends object>(
  placed: readonly PlacedColumn<Row>[],
  width: number,
  theme: Theme,
): (row: Row, flags: RowFlags) => string {
  const layoutKey = `${width}:${placed.map(({column, width: columnWidth}) => `${column.key}${columnWidth}`).join(',')}`;
  return (row, flags) => {
    const key = `${layoutKey}:${flags.isUnderCursor}${flags.isMarked}${flags.isFocused}${flags.isStale}`;
    const known = paintedRows.get(row);
    if (known !== undefined && known.key === key && known.theme === theme) return known.painted;
    const painted = paintRow(row, flags, {placed, width, theme});
    paintedRows.set(row, {key, theme, painted});
    return painted;
  };
}

function paintRow<Row>(
  row: Row,
  {isUnderCursor, isMarked, isFocused, isStale}: RowFlags,
  {placed, width, theme}: {placed: readonly PlacedColumn<Row>[]; width: number; theme: Theme},
): string {
  const gutter: Line = [
    {text: isUnderCursor ? theme.glyphs.cursor : ' ', tone: isFocused ? 'focus' : 'dim'},
    {text: isMarked ? theme.glyphs.mark : ' ', tone: 'marked'},
    {text: ' '},
  ];
  const cells = placed.map(({column, width: columnWidth}) =>
    fitLine(column.cell(row, columnWidth, theme), columnWidth, {align: column.align, ellipsis: theme.glyphs.ellipsis}),
  );
  const base: readonly Tone[] = [
    ...(isStale ? ['stale' as const] : []),
    ...(isUnderCursor && isFocused ? ['cursor' as const] : []),
  ];
  return paintLine([...gutter, ...withGaps(cells)], width, theme, base);
}
