import {blankGrid, type Grid, type Row} from './frame.ts';
import {PLAIN, type Style, transition} from './style.ts';

/** Where the terminal writes next, and in which style. An absent column is unknown. */
export type Pen = {readonly style: Style; readonly row: number | undefined; readonly column: number | undefined};

export type Change = {
  /** Everything to send; `''` if nothing changed. */
  readonly output: string;
  readonly pen: Pen;
};

/** Resets colours, moves the cursor home and erases: after it every cell is a plain blank. */
const ERASE_ALL = '\u001b[m\u001b[H\u001b[J';
const ERASE_TO_RIGHT = '\u001b[K';
/** `ESC [ 5 X` has four bytes. */
const SHORTEST_ERASURE = 5;
/** Anything longer than the longest cursor jump is never cheaper. */
const MAX_REWRITTEN_CELLS = 10;

/** The fewest bytes, counting moves and colours, that turn `previous` into `next` on the terminal. */
export function diffGrids(previous: Grid, next: Grid, pen: Pen): Change {
  const writer = new PenWriter(next.columns, pen);
  for (let row = 0; row < next.rows; row++) {
    const before = previous.lines[row];
    const after = next.lines[row];
    if (before === undefined || after === undefined || before === after) continue;
    const known = withoutDoubtful(before, after);
    if (known === undefined) redrawRow(writer, row, after);
    else changeRow(writer, row, known, after);
  }
  return writer.change();
}

/** The same for a terminal whose content is unknown. */
export function drawGrid(next: Grid): Change {
  const {output, pen} = diffGrids(blankGrid(next), next, {style: PLAIN, row: 0, column: 0});
  return {output: `${ERASE_ALL}${output}`, pen};
}

/** Occurs in no frame: marks a cell whose content on the terminal is unknown. */
const DOUBTFUL = '\u0000';

/**
 * The row as far as it is known. Around a character of uncertain width, the terminal may have drawn over the following
 * cells, so those are written again. Undefined if such a character is new: it needs blanks around it, so the row is
 * redrawn.
 */
function withoutDoubtful(before: Row, after: Row): Row | undefined {
  if (after.unsure.some(column => !isSame(before, after, column))) return undefined;
  const gone = before.unsure.filter(column => !isSame(before, after, column));
  if (gone.length === 0) return before;
  const texts = [...before.texts];
  for (const column of gone) texts.fill(DOUBTFUL, column, reachOf(before, column));
  if (after.unsure.some(column => texts[column] === DOUBTFUL)) return undefined;
  return {...before, texts, end: Math.max(before.end, texts.lastIndexOf(DOUBTFUL) + 1)};
}

/** The column after the last cell this character may cover, if the terminal counts more cells for it. */
function reachOf(row: Row, column: number): number {
  return column + Math.max(widthAt(row, column), 2 * [...(row.texts[column] ?? '')].length);
}

/** The column after the last cell from here on that becomes a plain blank, with only plain blanks between. */
function endOfBlanks(before: Row, after: Row, column: number): number {
  let end = column;
  for (let place = column; place < after.end && isPlainBlank(after, place); place++) {
    if (!isSame(before, after, place)) end = place + 1;
  }
  return end;
}

function isPlainBlank(row: Row, column: number): boolean {
  return row.texts[column] === ' ' && row.styles[column] === PLAIN;
}

function erases(count: number, after: Row, before: Row, next: number): boolean {
  if (count < SHORTEST_ERASURE) return false;
  const isFollowed = next < after.end && !isSame(before, after, next);
  const digits = String(count).length;
  return count > 3 + digits + (isFollowed ? 3 + digits : 0);
}

function isSame(before: Row, after: Row, column: number): boolean {
  return before.texts[column] === after.texts[column] && before.styles[column] === after.styles[column];
}

function changeRow(pen: PenWriter, row: number, before: Row, after: Row): void {
  let drawnOver = 0;
  for (let column = 0; column < after.end; ) {
    if (column >= drawnOver && isSame(before, after, column)) {
      column += 1;
      continue;
    }
    const blankEnd = endOfBlanks(before, after, column);
    pen.moveTo(row, column, after);
    if (erases(blankEnd - column, after, before, blankEnd)) {
      pen.erase(`\u001b[${blankEnd - column}X`);
      column = blankEnd;
      continue;
    }
    const width = widthAt(after, column);
    if (after.unsure.includes(column)) drawnOver = drawUnsure(pen, after, column, width);
    else pen.write(after.texts[column] ?? ' ', after.styles[column] ?? PLAIN, width);
    column += width;
  }
  if (drawnOver > after.end) eraseTail(pen, row, after.end, after);
  else blankTail(pen, row, before, after);
}

function redrawRow(pen: PenWriter, row: number, after: Row): void {
  pen.moveTo(row, 0, after);
  pen.erase(ERASE_TO_RIGHT);
  changeRow(pen, row, blankRowOf(pen.columns), after);
}

function blankRowOf(columns: number): Row {
  return blankGrid({columns, rows: 1}).lines[0] ?? {texts: [], styles: [], unsure: [], end: 0};
}

/** Draws it on blanks, and returns how far a terminal that counts more cells may have drawn. */
function drawUnsure(pen: PenWriter, after: Row, column: number, width: number): number {
  const style = after.styles[column] ?? PLAIN;
  const widest = reachOf(after, column);
  // At the right edge, a terminal that counts more cells would wrap into the next row.
  if (widest <= pen.columns) pen.writeUnsure(after.texts[column] ?? ' ', style);
  else pen.write('\ufffd'.repeat(width), style, width);
  return widest;
}

function blankTail(pen: PenWriter, row: number, before: Row, after: Row): void {
  let first = after.end;
  while (first < before.end && isSame(before, after, first)) first += 1;
  if (first >= before.end) return;
  const count = before.end - first;
  if (count > ERASE_TO_RIGHT.length) {
    eraseTail(pen, row, pen.blanksBefore(row, first, after), after);
    return;
  }
  pen.moveTo(row, first, after);
  pen.writeBlanks(count);
}

function eraseTail(pen: PenWriter, row: number, column: number, after: Row): void {
  if (column >= pen.columns) return;
  pen.moveTo(row, column, after);
  pen.erase(ERASE_TO_RIGHT);
}

/** Owns what is sent: where the terminal writes next, in which style, and the bytes that lead there. */
class PenWriter {
  readonly columns: number;
  #output = '';
  #style: Style;
  #row: number | undefined;
  #column: number | undefined;

  constructor(columns: number, {style, row, column}: Pen) {
    this.columns = columns;
    this.#style = style;
    this.#row = row;
    this.#column = column;
  }

  change(): Change {
    return {output: this.#output, pen: {style: this.#style, row: this.#row, column: this.#column}};
  }

  moveTo(row: number, column: number, after: Row): void {
    if (this.#row === row && this.#column === column) return;
    const best = cheapest(this.#waysTo(row, column, after), after, column);
    this.#output += best.bytes;
    this.#style = best.style;
    this.#row = row;
    this.#column = column;
  }

  /** The text of one cell; `width` is how far the cursor moves. */
  write(text: string, style: Style, width: number): void {
    this.#setStyle(text, style);
    this.#output += text;
    this.#advance(width);
  }

  writeBlanks(count: number): void {
    this.#setStyleForBlank(PLAIN);
    this.#output += ' '.repeat(count);
    this.#advance(count);
  }

  /** A character that terminals measure differently; afterwards the column is unknown. */
  writeUnsure(text: string, style: Style): void {
    this.#setStyle(text, style);
    this.#output += text;
    this.#column = undefined;
  }

  /** Erases plain blanks; the cursor stays in front of them. */
  erase(sequence: string): void {
    this.#setStyleForBlank(PLAIN);
    this.#output += sequence;
  }

  /** If only blanks lie between the cursor and `first`, starts at the cursor: erasing those as well saves a move. */
  blanksBefore(row: number, first: number, after: Row): number {
    if (this.#row !== row || this.#column === undefined || this.#column > first) return first;
    for (let column = this.#column; column < first; column++) if (!isPlainBlank(after, column)) return first;
    return this.#column;
  }

  #advance(width: number): void {
    if (this.#column === undefined) return;
    // Terminals differ in where the cursor is after the last column.
    this.#column = this.#column + width < this.columns ? this.#column + width : undefined;
  }

  #setStyle(text: string, wanted: Style): void {
    if (text === ' ') return this.#setStyleForBlank(wanted);
    this.#output += transition(this.#style, wanted);
    this.#style = wanted;
  }

  /** A blank shows no foreground colour, so a style that differs only there need not change. */
  #setStyleForBlank(wanted: Style): void {
    if (this.#style.onBlank() === wanted) return;
    this.#output += transition(this.#style, wanted);
    this.#style = wanted;
  }

  #waysTo(row: number, column: number, after: Row): readonly [CursorPath, ...CursorPath[]] {
    const style = this.#style;
    const ways: [CursorPath, ...CursorPath[]] = [{bytes: absolute(row, column), style}];
    if (this.#row === undefined) return ways;
    if (this.#row === row) ways.push({bytes: `\u001b[${column + 1}G`, style});
    if (this.#row <= row) {
      const start = `${this.#column === 0 ? '' : '\r'}${'\n'.repeat(row - this.#row)}`;
      ways.push(...this.#waysAlong(0, column, after).map(way => ({...way, bytes: `${start}${way.bytes}`})));
    }
    if (this.#column !== undefined) {
      const vertical = relative(Math.abs(row - this.#row), row > this.#row ? 'B' : 'A');
      ways.push(
        ...this.#waysAlong(this.#column, column, after).map(way => ({...way, bytes: `${vertical}${way.bytes}`})),
      );
    }
    return ways;
  }

  /** Ways to move along one row: not at all, by a jump, or by rewriting what is there. */
  #waysAlong(from: number, to: number, after: Row): readonly CursorPath[] {
    const style = this.#style;
    if (from === to) return [{bytes: '', style}];
    const jump: CursorPath = {bytes: relative(Math.abs(to - from), to > from ? 'C' : 'D'), style};
    const rewritten = to > from && to - from <= MAX_REWRITTEN_CELLS ? rewrite(style, {from, to}, after) : undefined;
    return rewritten === undefined ? [jump] : [jump, rewritten];
  }
}

function absolute(row: number, column: number): string {
  const place = column === 0 ? (row === 0 ? '' : `${row + 1}`) : `${row + 1};${column + 1}`;
  return `\u001b[${place}H`;
}

/** The cells between two columns, rewritten; undefined if that is not safe. */
function rewrite(
  style: Style,
  {from, to}: {readonly from: number; readonly to: number},
  after: Row,
): CursorPath | undefined {
  if (after.unsure.some(column => column >= from && column < to) || after.texts[from] === '') return undefined;
  let bytes = '';
  let current = style;
  for (let column = from; column < to; column++) {
    const text = after.texts[column] ?? ' ';
    if (text === '') continue;
    const wanted = after.styles[column] ?? PLAIN;
    if (text !== ' ' || current.onBlank() !== wanted) {
      bytes += transition(current, wanted);
      current = wanted;
    }
    bytes += text;
  }
  return {bytes, style: current};
}

/** The bytes that lead to a place, and the style afterwards. */
type CursorPath = {readonly bytes: string; readonly style: Style};

/** The way with the fewest bytes, including those that set the style needed at its end. */
function cheapest(ways: readonly [CursorPath, ...CursorPath[]], after: Row, column: number): CursorPath {
  const target = after.styles[column] ?? PLAIN;
  const isBlank = after.texts[column] === ' ';
  let [best] = ways;
  let fewest = Number.POSITIVE_INFINITY;
  for (const way of ways) {
    const isRight = isBlank && way.style.onBlank() === target;
    const bytes = byteLength(way.bytes) + (isRight ? 0 : transition(way.style, target).length);
    if (bytes < fewest) [best, fewest] = [way, bytes];
  }
  return best;
}

function relative(count: number, final: 'A' | 'B' | 'C' | 'D'): string {
  return count === 0 ? '' : `\u001b[${count === 1 ? '' : count}${final}`;
}

function widthAt(row: Row, column: number): number {
  let width = 1;
  while (row.texts[column + width] === '') width += 1;
  return width;
}

/** Length in UTF-8, without encoding. */
function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Half of a surrogate pair: each half counts two of the pair's four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
