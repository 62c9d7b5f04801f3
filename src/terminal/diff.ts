import {blankGrid, type Grid, type Row} from './frame.ts';
import {PLAIN, type Style, transition} from './style.ts';

/** What the terminal writes with next, and where. An absent column is one we cannot be sure of. */
export type Pen = {readonly style: Style; readonly row: number | undefined; readonly column: number | undefined};

export type Change = {
  /** Everything to send, `''` where nothing changed. */
  readonly output: string;
  readonly pen: Pen;
};

/** Forgets colours, goes home, erases: after it every cell is a plain blank. */
const ERASE_ALL = '\u001b[m\u001b[H\u001b[J';
const ERASE_TO_RIGHT = '\u001b[K';
/** `ESC [ 5 X` has four bytes. */
const SHORTEST_ERASURE = 5;
/** A longer way round is never shorter than the longest jump. */
const MAX_REWRITTEN_CELLS = 10;

/** What makes the terminal show `next` while it shows `previous`, in the fewest bytes that moves and colours allow. */
export function diffGrids(previous: Grid, next: Grid, pen: Pen): Change {
  const writer = createWriter(next.columns, pen);
  for (let row = 0; row < next.rows; row++) {
    const before = previous.lines[row];
    const after = next.lines[row];
    if (before === undefined || after === undefined || before === after) continue;
    const known = withoutDoubtful(before, after);
    if (known === undefined) writer.redrawRow(row, after);
    else writer.changeRow(row, known, after);
  }
  return writer.change();
}

/** The same on a terminal of which nothing is known. */
export function drawGrid(next: Grid): Change {
  const {output, pen} = diffGrids(blankGrid(next), next, {style: PLAIN, row: 0, column: 0});
  return {output: `${ERASE_ALL}${output}`, pen};
}

/** Stands in no frame: a cell of which it is not known what the terminal shows. */
const DOUBTFUL = '\u0000';

/**
 * The row as far as it is known. Where a character of unsure width goes, the terminal may have drawn over the cells behind
 * it, so those have to be written again. Undefined where one comes: it is to stand on blanks, and the row is drawn anew.
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

/** The column behind the last cell that a terminal may have drawn the character in, if it counts more cells. */
function reachOf(row: Row, column: number): number {
  return column + Math.max(widthAt(row, column), 2 * [...(row.texts[column] ?? '')].length);
}

/** The column behind the last cell from here on that becomes a plain blank, with nothing but plain blanks between. */
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

type Writer = {
  readonly changeRow: (row: number, before: Row, after: Row) => void;
  readonly redrawRow: (row: number, after: Row) => void;
  readonly change: () => Change;
};

function createWriter(columns: number, pen: Pen): Writer {
  let output = '';
  let {style, row: penRow, column: penColumn} = pen;
  const blankRow = blankGrid({columns, rows: 1}).lines[0] ?? {texts: [], styles: [], unsure: [], end: 0};

  function changeRow(row: number, before: Row, after: Row): void {
    let drawnOver = 0;
    for (let column = 0; column < after.end; ) {
      if (column >= drawnOver && isSame(before, after, column)) {
        column += 1;
        continue;
      }
      const blankEnd = endOfBlanks(before, after, column);
      if (erases(blankEnd - column, after, before, blankEnd)) {
        eraseCells(row, column, blankEnd - column, after);
        column = blankEnd;
        continue;
      }
      moveTo(row, column, after);
      const width = widthAt(after, column);
      if (after.unsure.includes(column)) drawnOver = writeUnsure(after, column, width);
      else writeCell(after, column, width);
      column += width;
    }
    if (drawnOver > after.end) eraseTail(row, after.end, after);
    else blankTail(row, before, after);
  }

  /** Blanks as a count. The cursor stays before them, so what follows at once has to be worth the way. */
  function eraseCells(row: number, column: number, count: number, after: Row): void {
    moveTo(row, column, after);
    setStyleForBlank(PLAIN);
    output += `\u001b[${count}X`;
  }

  function redrawRow(row: number, after: Row): void {
    moveTo(row, 0, after);
    setStyleForBlank(PLAIN);
    output += ERASE_TO_RIGHT;
    changeRow(row, blankRow, after);
  }

  function blankTail(row: number, before: Row, after: Row): void {
    let first = after.end;
    while (first < before.end && isSame(before, after, first)) first += 1;
    if (first >= before.end) return;
    const count = before.end - first;
    if (count > ERASE_TO_RIGHT.length) {
      eraseTail(row, blanksFromPen(row, first, after), after);
      return;
    }
    moveTo(row, first, after);
    setStyleForBlank(PLAIN);
    output += ' '.repeat(count);
    advance(count);
  }

  /** Where only blanks lie between the pen and the tail, erasing them as well saves the way. */
  function blanksFromPen(row: number, first: number, after: Row): number {
    if (penRow !== row || penColumn === undefined || penColumn > first) return first;
    for (let column = penColumn; column < first; column++) if (!isPlainBlank(after, column)) return first;
    return penColumn;
  }

  function eraseTail(row: number, column: number, after: Row): void {
    if (column >= columns) return;
    moveTo(row, column, after);
    setStyleForBlank(PLAIN);
    output += ERASE_TO_RIGHT;
  }

  function writeCell(after: Row, column: number, width: number): void {
    const text = after.texts[column] ?? ' ';
    setStyle(text, after.styles[column] ?? PLAIN);
    output += text;
    advance(width);
  }

  /** Draws it on blanks and tells how far a terminal that counts more cells may have drawn. */
  function writeUnsure(after: Row, column: number, width: number): number {
    const text = after.texts[column] ?? ' ';
    const widest = reachOf(after, column);
    setStyle(text, after.styles[column] ?? PLAIN);
    // At the right edge a terminal that counts more cells would wrap into the next row.
    const fits = widest <= columns;
    output += fits ? text : '\ufffd'.repeat(width);
    if (fits) penColumn = undefined;
    else advance(width);
    return widest;
  }

  function advance(width: number): void {
    if (penColumn === undefined) return;
    // Behind the last column terminals differ in where the cursor is.
    penColumn = penColumn + width < columns ? penColumn + width : undefined;
  }

  function setStyle(text: string, wanted: Style): void {
    if (text === ' ') setStyleForBlank(wanted);
    else {
      output += transition(style, wanted);
      style = wanted;
    }
  }

  /** A blank shows no foreground, so a style that differs only there may stay. */
  function setStyleForBlank(wanted: Style): void {
    if (style.onBlank() === wanted) return;
    output += transition(style, wanted);
    style = wanted;
  }

  function moveTo(row: number, column: number, after: Row): void {
    if (penRow === row && penColumn === column) return;
    const best = cheapest(waysTo(row, column, after), after, column);
    output += best.bytes;
    style = best.style;
    penRow = row;
    penColumn = column;
  }

  function waysTo(row: number, column: number, after: Row): readonly [Way, ...Way[]] {
    const ways: [Way, ...Way[]] = [absolute(row, column)];
    if (penRow === undefined) return ways;
    if (penRow === row) ways.push({bytes: `\u001b[${column + 1}G`, style});
    if (penRow <= row) {
      const start = `${penColumn === 0 ? '' : '\r'}${'\n'.repeat(row - penRow)}`;
      ways.push(...waysAlong(0, column, after).map(way => ({...way, bytes: `${start}${way.bytes}`})));
    }
    if (penColumn !== undefined) {
      const vertical = relative(Math.abs(row - penRow), row > penRow ? 'B' : 'A');
      ways.push(...waysAlong(penColumn, column, after).map(way => ({...way, bytes: `${vertical}${way.bytes}`})));
    }
    return ways;
  }

  function absolute(row: number, column: number): Way {
    const place = column === 0 ? (row === 0 ? '' : `${row + 1}`) : `${row + 1};${column + 1}`;
    return {bytes: `\u001b[${place}H`, style};
  }

  /** Ways along one row: none at all, a jump, or writing again what already stands between. */
  function waysAlong(from: number, to: number, after: Row): readonly Way[] {
    if (from === to) return [{bytes: '', style}];
    const jump: Way = {bytes: relative(Math.abs(to - from), to > from ? 'C' : 'D'), style};
    const rewritten = to > from && to - from <= MAX_REWRITTEN_CELLS ? rewrite(from, to, after) : undefined;
    return rewritten === undefined ? [jump] : [jump, rewritten];
  }

  function rewrite(from: number, to: number, after: Row): Way | undefined {
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

  return {changeRow, redrawRow, change: () => ({output, pen: {style, row: penRow, column: penColumn}})};
}

/** Bytes that lead to a place, and the style the pen has there. */
type Way = {readonly bytes: string; readonly style: Style};

/** The way with the fewest bytes, counting those that change the pen to what is written at its end. */
function cheapest(ways: readonly [Way, ...Way[]], after: Row, column: number): Way {
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

/** Bytes in UTF-8, without making them. */
function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Half of a surrogate pair: the four bytes of the pair count two and two.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}
