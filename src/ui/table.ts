import {memoPer} from '../domain/memo.ts';
import {type Align, fitLine, type Line, lineWidth, paintLine, type Span} from './text.ts';
import type {Theme, Tone} from './theme.ts';
import {wrapLine} from './wrap.ts';

export type TableColumn<Row> = {
  readonly key: string;
  readonly title: string;
  readonly minWidth: number;
  /** The maximum width; unlimited if absent. */
  readonly maxWidth?: number;
  /** Share of the width that is left over; none if absent. */
  readonly flex?: number;
  /** The width of its longest text: columns with `flex` first grow to this before any gets more. */
  readonly textWidth?: number;
  /** A graph fills its column, whatever the width; it is not measured. */
  readonly isGraph?: true;
  readonly align?: Align;
  /** Its text is words, not a name. */
  readonly isProse?: boolean;
  /** Columns with the highest number are dropped first in a narrow table; 0 (or absent) always stays. */
  readonly priority?: number;
  /** Pure, and called for visible rows only: everything it shows must be in the row. */
  readonly cell: (row: Row, width: number, theme: Theme) => Line;
};

export type PlacedColumn<Row> = {readonly column: TableColumn<Row>; readonly width: number};

/** The cursor follows the object: `index` is where it was last seen, in case it is gone. */
export type TableCursor<Id> = {readonly id: Id | undefined; readonly index: number};

export type Viewport = {readonly offset: number; readonly end: number};

/** The sort column, marked by an arrow in its title. */
export type TableSort = {readonly key: string; readonly isDescending: boolean};

/** The size of a boxed list besides its rows: the box's edges and the column titles. */
export const LIST_FRAME_ROWS = 3;

const COLUMN_GAP = 1;
/** Cursor sign, mark, blank. */
const GUTTER_WIDTH = 3;

/**
 * The visible rows `[offset, end)`: they move only as far as the cursor requires, and never leave space below the last
 * row.
 */
export function viewportOf({
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
 * The present index of the cursor's object. Tries its previous place first, so that a key costs no search; if the
 * object is gone, the cursor keeps its place.
 */
export function cursorIndexOf<Row, Id>(rows: readonly Row[], idOf: (row: Row) => Id, cursor: TableCursor<Id>): number {
  const place = Math.min(Math.max(0, cursor.index), Math.max(0, rows.length - 1));
  const there = rows[place];
  if (cursor.id === undefined || there === undefined || idOf(there) === cursor.id) return place;
  const found = rows.findIndex(row => idOf(row) === cursor.id);
  return found === -1 ? place : found;
}

/** Which columns are shown and how wide, together at most `width` cells with one blank between two. */
export function layoutColumns<Row>(columns: readonly TableColumn<Row>[], width: number): readonly PlacedColumn<Row>[] {
  let shown = [...columns];
  while (neededWidth(shown) > width) {
    const victim = leastWanted(shown);
    if (victim === undefined) break;
    shown = shown.filter(column => column !== victim);
  }
  const widths = shortened(shown, neededWidth(shown) - width);
  // Graphs come before the rest of a long name: one such name would leave no list any graphs.
  const isGraphed = shown.some(({isGraph}) => isGraph === true);
  const rounds: readonly ((column: TableColumn<Row>) => number)[] = [
    ({textWidth = 0}) => (isGraphed ? Math.min(textWidth, MOST_NAME_CELLS) : textWidth),
    ({isGraph}) => (isGraph === true ? Number.POSITIVE_INFINITY : 0),
    ({textWidth = 0}) => textWidth,
    () => Number.POSITIVE_INFINITY,
  ];
  rounds.reduce((left, wanted) => shareOut(widths, left, wanted), width - neededWidth(shown));
  return cutToRoom(
    shown.map(column => ({column, width: widths.get(column) ?? column.minWidth})),
    width,
  );
}

/** Most names are no longer. */
const MOST_NAME_CELLS = 28;

/** Text is not cut below this if figures need the space: still enough to tell rows apart. */
const LEAST_TEXT_CELLS = 8;

/** The minimum widths; if together they are `excess` cells too wide, the widest texts are shortened cell by cell. */
function shortened<Row>(columns: readonly TableColumn<Row>[], excess: number): Map<TableColumn<Row>, number> {
  const widths = new Map(columns.map(column => [column, column.minWidth]));
  for (let left = excess; left > 0; left -= 1) {
    const texts = [...widths].filter(([{flex = 0}, width]) => flex > 0 && width > LEAST_TEXT_CELLS);
    const [widest] = texts.toSorted(([, first], [, second]) => second - first);
    if (widest === undefined) break;
    widths.set(widest[0], widest[1] - 1);
  }
  return widths;
}

/** The columns that fit a list `width` cells wide. */
export function columnsInSight<Row>(columns: readonly TableColumn<Row>[], width: number): readonly TableColumn<Row>[] {
  return layoutColumns(columns, width - GUTTER_WIDTH).map(({column}) => column);
}

function neededWidth(columns: readonly TableColumn<never>[]): number {
  return columns.reduce((sum, column) => sum + column.minWidth, 0) + COLUMN_GAP * Math.max(0, columns.length - 1);
}

function leastWanted<Row>(columns: readonly TableColumn<Row>[]): TableColumn<Row> | undefined {
  let victim: TableColumn<Row> | undefined;
  for (const column of columns) {
    const priority = column.priority ?? 0;
    if (priority > 0 && priority >= (victim?.priority ?? 0)) victim = column;
  }
  return victim;
}

/**
 * Distributes spare width to the columns with `flex`, in rounds, as long as one can still grow towards what it wants.
 * Returns what is left.
 */
function shareOut<Row>(
  widths: Map<TableColumn<Row>, number>,
  room: number,
  wanted: (column: TableColumn<Row>) => number,
): number {
  const limit = (column: TableColumn<Row>) => Math.min(wanted(column), column.maxWidth ?? Number.POSITIVE_INFINITY);
  let left = room;
  while (left > 0) {
    const growing = [...widths].filter(([column, width]) => (column.flex ?? 0) > 0 && width < limit(column));
    const shares = growing.reduce((sum, [column]) => sum + (column.flex ?? 0), 0);
    if (shares === 0) return left;
    const roundRoom = left;
    for (const [column, width] of growing) {
      const share = Math.max(1, Math.floor((roundRoom * (column.flex ?? 0)) / shares));
      const grown = Math.min(width + Math.min(share, left), limit(column));
      widths.set(column, grown);
      left -= grown - width;
    }
  }
  return 0;
}

/** Hardly any screen shows more rows; text further down may be cut. */
const MAX_MEASURED_ROWS = 60;

/** The columns with the width of their longest text; figures are never cut, so their columns are as wide as the widest. */
function measured<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  theme: Theme,
  textWidths: typeof textWidthsOf<Row> = textWidthsOf,
): readonly TableColumn<Row>[] {
  const widths = rows.slice(0, MAX_MEASURED_ROWS).map(row => textWidths(row, columns, theme));
  return columns.map((column, index) => {
    if (!isMeasured(column)) return column;
    const widest = Math.max(0, ...widths.map(each => each[index] ?? 0));
    return isFigure(column) ? withRoomFor(column, widest) : {...column, textWidth: widest};
  });
}

/** Half an amount looks like an amount: names beside it are shortened instead. */
function withRoomFor<Row>(column: TableColumn<Row>, width: number): TableColumn<Row> {
  return width > column.minWidth ? {...column, minWidth: width} : column;
}

function isFigure({flex = 0, align}: TableColumn<never>): boolean {
  return flex === 0 && align === 'right';
}

function isMeasured(column: TableColumn<never>): boolean {
  const {flex = 0, isGraph} = column;
  return isGraph !== true && (flex > 0 || isFigure(column));
}

function textWidthsOf<Row>(row: Row, columns: readonly TableColumn<Row>[], theme: Theme): readonly number[] {
  return columns.map(column => (isMeasured(column) ? lineWidth(column.cell(row, column.minWidth, theme)) : 0));
}

/**
 * Measures columns for rows. Returns the same column objects while their widths do not change, so that painted rows
 * stay valid. A row is measured once, since a row that has changed is a new object.
 */
export function columnMeasure<Row extends object>(): typeof measured<Row> {
  let known:
    | {readonly columns: unknown; readonly rows: unknown; readonly fitted: readonly TableColumn<Row>[]}
    | undefined;
  const widthsOnce = memoPer<Row, readonly number[]>();
  return (columns, rows, theme) => {
    if (known !== undefined && known.columns === columns && known.rows === rows) return known.fitted;
    const fresh = measured(columns, rows, theme, row =>
      widthsOnce(row, [columns, theme], () => textWidthsOf(row, columns, theme)),
    );
    const isSame =
      known?.columns === columns &&
      fresh.every(({textWidth, minWidth}, index) => {
        const before = known?.fitted[index];
        return textWidth === before?.textWidth && minWidth === before?.minWidth;
      });
    known = {columns, rows, fitted: isSame && known !== undefined ? known.fitted : fresh};
    return known.fitted;
  };
}

/** Columns that stay even without room are cut at the right edge. */
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

/** How rows are painted: everything but the row itself. */
export type TableLook<Row> = {
  readonly columns: readonly TableColumn<Row>[];
  /** The width of a whole row, including cursor and mark before the first column. */
  readonly width: number;
  readonly theme: Theme;
  /** Whether this table has the focus. */
  readonly isFocused: boolean;
  /** The data is older than it should be: all rows are dim. */
  readonly isStale: boolean;
};

/** A row's position in the list, besides its content. */
export type RowPlace = {readonly isUnderCursor: boolean; readonly isMarked: boolean};

export type TablePainter<Row extends object> = {
  /** Content of a row that its columns cut, in full, words before names: `REASON kubelet stopped posting status`. */
  cutWords(row: Row): readonly Line[];
  readonly title: (sort: TableSort | undefined) => string;
  /** A method, so that a painter of one row type can be passed along with its rows. */
  row(row: Row, place: RowPlace): string;
};

/** Paints titles and rows, each exactly `width` cells. A painted row is cached for as long as the row object exists. */
export function tablePainter<Row extends object>(look: TableLook<Row>): TablePainter<Row> {
  const placed = layoutColumns(look.columns, look.width - GUTTER_WIDTH);
  const paintedOnce = memoPer<Row, string>();
  return {
    cutWords: row => cutWords(row, placed, look),
    title: sort => paintTitle(placed, sort, look),
    row: (row, place) =>
      paintedOnce(row, [place.isUnderCursor, place.isMarked], () => paintRow(row, place, placed, look)),
  };
}

function cutWords<Row>(
  row: Row,
  placed: readonly PlacedColumn<Row>[],
  {theme, width}: TableLook<Row>,
): readonly Line[] {
  // Not all of it may have room: a cause is worth more than the rest of a name.
  const wordsFirst = placed.toSorted(
    (left, right) => Number(right.column.isProse ?? false) - Number(left.column.isProse ?? false),
  );
  return wordsFirst.flatMap(({column, width: columnWidth}) => {
    const whole = column.cell(row, columnWidth, theme);
    if (lineWidth(whole) <= columnWidth) return [];
    const lines = wrapLine([{text: `${column.title} `, tone: 'dim'}, ...whole], width - GUTTER_WIDTH - 1);
    return lines.map((line): Line => [{text: ' '.repeat(GUTTER_WIDTH)}, ...line]);
  });
}

function paintTitle<Row>(
  placed: readonly PlacedColumn<Row>[],
  sort: TableSort | undefined,
  {theme, width}: TableLook<Row>,
): string {
  const cells = placed.map(({column, width: columnWidth}) => {
    const arrow = sort?.key === column.key ? (sort.isDescending ? theme.glyphs.down : theme.glyphs.up) : '';
    const title: Line = [{text: `${column.title}${arrow}`, tone: arrow === '' ? 'header' : ['header', 'accent']}];
    return fitLine(title, columnWidth, {align: column.align, ellipsis: ''});
  });
  return paintLine([{text: ' '.repeat(GUTTER_WIDTH)}, ...withGaps(cells)], width, theme);
}

/** Titles and rows as lines, for a table inside something that scrolls as a whole. */
export function tableLines<Row>(
  rows: readonly Row[],
  isUnderCursor: (row: Row) => boolean,
  {columns, width, theme}: Pick<TableLook<Row>, 'columns' | 'width' | 'theme'>,
): readonly Line[] {
  const placed = layoutColumns(measured(columns, rows, theme), width - GUTTER_WIDTH);
  const titles = placed.map(({column, width: cells}) =>
    fitLine([{text: column.title, tone: 'header'}], cells, {align: column.align, ellipsis: ''}),
  );
  const look = {columns, width, theme, isFocused: true, isStale: false};
  return [
    [{text: ' '.repeat(GUTTER_WIDTH)}, ...withGaps(titles)],
    ...rows.map(row => rowLine(row, {isUnderCursor: isUnderCursor(row), isMarked: false}, placed, look)),
  ];
}

function paintRow<Row>(row: Row, place: RowPlace, placed: readonly PlacedColumn<Row>[], look: TableLook<Row>): string {
  const base: readonly Tone[] = [
    ...(look.isStale ? ['stale' as const] : []),
    ...(place.isUnderCursor && look.isFocused ? ['cursor' as const] : []),
  ];
  return paintLine(rowLine(row, place, placed, look), look.width, look.theme, base);
}

function rowLine<Row>(
  row: Row,
  {isUnderCursor, isMarked}: RowPlace,
  placed: readonly PlacedColumn<Row>[],
  {theme, isFocused}: TableLook<Row>,
): Line {
  const cursorGlyph = isFocused ? theme.glyphs.cursor : theme.glyphs.otherCursor;
  const gutter: Line = [
    // The shape of the cursor also shows which list has the focus.
    {text: isUnderCursor ? cursorGlyph : ' ', tone: isFocused ? 'focus' : 'dim'},
    // If the cursor is shown by inversion, colour without a sign would look like a stain.
    isMarked ? {text: theme.glyphs.mark, tone: 'marked'} : {text: ' '},
    {text: ' '},
  ];
  const cells = placed.map(({column, width: columnWidth}) =>
    fitLine(column.cell(row, columnWidth, theme), columnWidth, {align: column.align, ellipsis: theme.glyphs.ellipsis}),
  );
  return [...gutter, ...withGaps(cells)];
}

function withGaps(cells: readonly Line[]): Line {
  return cells.flatMap((cell, index) => (index === 0 ? cell : [GAP, ...cell]));
}

const GAP: Span = {text: ' '.repeat(COLUMN_GAP)};
