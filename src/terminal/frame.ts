import {cellWidth, type GlyphSetName, graphemes, isOneCell, isTwoCells, plainSign} from './glyphs.ts';
import {afterSgr, PLAIN, type Style} from './style.ts';

/** One row of cells. A cell's text is a grapheme; for a wide one, the other cells it covers hold `''`. */
export type Row = {
  readonly texts: readonly string[];
  readonly styles: readonly Style[];
  /** Columns of graphemes whose width terminals disagree about: emoji, marks, rare scripts. */
  readonly unsure: readonly number[];
  /** The column after the last cell that is not a plain blank. */
  readonly end: number;
};

/** A whole frame: `rows` rows of exactly `columns` cells. */
export type Grid = {readonly columns: number; readonly rows: number; readonly lines: readonly Row[]};

export type Size = {readonly columns: number; readonly rows: number};

/** The painted line that a placeholder represents, and its layer. */
export type SlotLine = {readonly painted: string; readonly layer: number};

export type FrameReader = {
  /**
   * Converts frame text into cells. Lines are joined by `\n`, begin in the plain style and contain only SGR sequences;
   * excess text and lines are cut, missing ones are blank.
   */
  readonly read: (frame: string, size: Size) => Grid;
  /** How many control bytes, other sequences and unknown SGR parameters were replaced or dropped instead of sent. */
  readonly refusedCount: () => number;
};

type Cells = {
  readonly texts: string[];
  readonly styles: Style[];
  readonly unsure: number[];
  readonly placeholders: {readonly column: number; readonly placeholder: string}[];
  refusedCount: number;
};

const ESCAPE = 0x1b;
const PLACEHOLDERS = /[\ue000-\uf8ff]/;
const REPLACEMENT = '\ufffd';
/**
 * Lines kept as cells: most lines come back, in another place or a second later. A line of 120 cells takes 3 KiB, and
 * the header alone is a new one each second.
 */
const MAX_REMEMBERED = 256;

export function createFrameReader({
  glyphSet = 'unicode',
  lineOf = () => undefined,
}: {
  readonly glyphSet?: GlyphSetName;
  readonly lineOf?: (placeholder: string) => SlotLine | undefined;
} = {}): FrameReader {
  let refusedCount = 0;
  let last: readonly ReadRow[] = [];
  let lastColumns = 0;
  const rowsOf = latestKept((frame: string) => frame.split('\n'));
  // What Ink itself draws is mostly blanks and placeholders, and the same from one frame to the next.
  const drawn = createLineMemory(text => parse(text, true));
  const painted = createLineMemory(text => parse(text, false));

  function read(frame: string, {columns, rows}: Size): Grid {
    const before = columns === lastColumns ? last : [];
    const texts = rowsOf(frame);
    last = Array.from({length: rows}, (_, index) => readRow(texts[index] ?? '', before[index], columns));
    lastColumns = columns;
    return {columns, rows, lines: last.map(({row}) => row)};
  }

  /** A row is unchanged if it is drawn the same and its placeholders represent the same lines. */
  function readRow(text: string, before: ReadRow | undefined, columns: number): ReadRow {
    const isDrawnSame = before?.text === text;
    const cells = isDrawnSame ? before.cells : drawn(text);
    const lines = cells.placeholders.map(({placeholder}) => lineOf(placeholder));
    const isSame = isDrawnSame && lines.every((line, index) => line === before.lines[index]);
    return isSame ? before : {text, cells, lines, row: rowOf(cells, lines, columns)};
  }

  function rowOf(cells: Cells, lines: readonly (SlotLine | undefined)[], columns: number): Row {
    const composed: Cells = {...cells, texts: [...cells.texts], styles: [...cells.styles], unsure: [...cells.unsure]};
    const layers = cells.placeholders.map(({column}, index) => ({column, line: lines[index]}));
    layers.sort((left, right) => (left.line?.layer ?? 0) - (right.line?.layer ?? 0) || left.column - right.column);
    for (const {column, line} of layers) {
      if (line === undefined) refuse(composed, column);
      else lay(composed, column, painted(line.painted));
    }
    return finished(composed, columns);
  }

  function refuse(cells: Cells, column: number): void {
    cells.texts[column] = plainSign(REPLACEMENT, glyphSet) ?? REPLACEMENT;
    refusedCount += 1;
  }

  function parse(text: string, takesPlaceholders: boolean): Cells {
    const cells = parseLine(text, glyphSet, takesPlaceholders);
    refusedCount += cells.refusedCount;
    return cells;
  }

  return {read, refusedCount: () => refusedCount};
}

/** Returns a line's cells, parsed again only if it was not used recently. */
function createLineMemory(parse: (text: string) => Cells): (text: string) => Cells {
  let known = new Map<string, Cells>();
  let older = known;
  return text => {
    const cells = known.get(text);
    if (cells !== undefined) return cells;
    const found = older.get(text) ?? parse(text);
    if (known.size >= MAX_REMEMBERED / 2) {
      older = known;
      known = new Map();
    }
    known.set(text, found);
    return found;
  };
}

/** A row together with what it was made from. */
type ReadRow = {
  readonly text: string;
  readonly cells: Cells;
  readonly lines: readonly (SlotLine | undefined)[];
  readonly row: Row;
};

/** Keeps the latest answer: most frames are drawn like the one before, and only lines behind placeholders differ. */
function latestKept<T>(make: (text: string) => T): (text: string) => T {
  let known: {readonly text: string; readonly made: T} | undefined;
  return text => {
    if (known?.text !== text) known = {text, made: make(text)};
    return known.made;
  };
}

export function blankGrid({columns, rows}: Size): Grid {
  const blank = finished({texts: [], styles: [], unsure: [], placeholders: [], refusedCount: 0}, columns);
  return {columns, rows, lines: Array.from({length: rows}, () => blank)};
}

/** Puts cells over existing ones; a wide character that is half covered becomes a blank. */
function lay(under: Cells, column: number, over: Cells): void {
  while (under.texts.length < column) add(under, ' ', PLAIN);
  const end = column + over.texts.length;
  blankWideAt(under, column);
  blankWideAt(under, end);
  for (let index = 0; index < over.texts.length; index++) {
    under.texts[column + index] = over.texts[index] ?? ' ';
    under.styles[column + index] = over.styles[index] ?? PLAIN;
  }
  const outside = under.unsure.filter(place => (place < column || place >= end) && under.texts[place] !== ' ');
  under.unsure.splice(0, under.unsure.length, ...outside, ...over.unsure.map(place => place + column));
}

/** If a wide character crosses the edge before `column`, all its cells become blanks. */
function blankWideAt({texts}: Cells, column: number): void {
  if (texts[column] !== '') return;
  let first = column;
  while (first > 0 && texts[first] === '') first -= 1;
  let last = column;
  while (texts[last + 1] === '') last += 1;
  texts.fill(' ', first, last + 1);
}

/** Exactly `columns` cells, with a single style object for equal blanks. The row takes ownership of the cells. */
function finished(cells: Cells, columns: number): Row {
  const {texts, styles} = cells;
  // No half of a wide character can be drawn, so one cut by the edge is left out.
  blankWideAt(cells, columns);
  if (texts.length > columns) {
    texts.length = columns;
    styles.length = columns;
  }
  while (texts.length < columns) {
    texts.push(' ');
    styles.push(PLAIN);
  }
  let end = 0;
  for (let column = 0; column < columns; column++) {
    const style = styles[column] ?? PLAIN;
    if (texts[column] !== ' ') end = column + 1;
    else if (style !== PLAIN) {
      styles[column] = style.onBlank();
      if (styles[column] !== PLAIN) end = column + 1;
    }
  }
  const unsure = cells.unsure.filter(column => column < columns && texts[column] !== ' ');
  return {texts, styles, unsure, end};
}

function parseLine(line: string, glyphSet: GlyphSetName, takesPlaceholders: boolean): Cells {
  const cells: Cells = {texts: [], styles: [], unsure: [], placeholders: [], refusedCount: 0};
  let style = PLAIN;
  let index = 0;
  while (index < line.length) {
    const unit = line.charCodeAt(index);
    const sgrEnd = unit === ESCAPE ? endOfSgr(line, index) : undefined;
    if (sgrEnd !== undefined) {
      const after = afterSgr(style, line.slice(index + 2, sgrEnd - 1));
      style = after.style;
      cells.refusedCount += after.refusedCount;
      index = sgrEnd;
      continue;
    }
    const plainEnd = endOfPlain(line, index);
    if (plainEnd > index) addPlain(cells, line.slice(index, plainEnd), style, glyphSet);
    else addRun(cells, line.slice(index, nextEscape(line, index + 1)), {style, glyphSet, takesPlaceholders});
    index = plainEnd > index ? plainEnd : nextEscape(line, index + 1);
  }
  return cells;
}

/** The index after `ESC [ digits and semicolons m`; undefined for any other sequence. */
function endOfSgr(line: string, start: number): number | undefined {
  if (line[start + 1] !== '[') return undefined;
  let index = start + 2;
  while (isParameter(line.charCodeAt(index))) index += 1;
  return line[index] === 'm' ? index + 1 : undefined;
}

function isParameter(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x3b;
}

/** The end of a run of characters with certain width; the last one counts only if nothing after it can join it. */
function endOfPlain(line: string, start: number): number {
  let index = start;
  while (index < line.length && isSure(line.charCodeAt(index))) index += 1;
  const isClosed = index === line.length || line.charCodeAt(index) === ESCAPE;
  return isClosed ? index : Math.max(start, index - 1);
}

function isSure(unit: number): boolean {
  return isOneCell(unit) || isTwoCells(unit);
}

function nextEscape(line: string, from: number): number {
  const found = line.indexOf('\u001b', from);
  return found === -1 ? line.length : found;
}

function addPlain({texts, styles}: Cells, run: string, style: Style, glyphSet: GlyphSetName): void {
  for (let index = 0; index < run.length; index++) {
    const text = run.charAt(index);
    const sign = glyphSet === 'unicode' ? undefined : plainSign(text, glyphSet);
    texts.push(sign ?? text);
    styles.push(style);
    if (!isTwoCells(run.charCodeAt(index))) continue;
    texts.push(sign ?? '');
    styles.push(style);
  }
}

type RunOptions = {readonly style: Style; readonly glyphSet: GlyphSetName; readonly takesPlaceholders: boolean};

/** Characters that have to be examined one by one. */
function addRun(cells: Cells, run: string, {style, glyphSet, takesPlaceholders}: RunOptions): void {
  for (const segment of graphemes(run)) {
    const unit = segment.charCodeAt(0);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) {
      addControls(cells, segment, style, glyphSet);
    } else if (takesPlaceholders && PLACEHOLDERS.test(segment)) {
      cells.placeholders.push({column: cells.texts.length, placeholder: segment});
      add(cells, ' ', style);
    } else {
      addGrapheme(cells, segment, style, glyphSet);
    }
  }
}

/** Each control byte is shown as a visible sign; none is sent. */
function addControls(cells: Cells, segment: string, style: Style, glyphSet: GlyphSetName): void {
  for (const character of segment) {
    const unit = character.charCodeAt(0);
    const sign = unit < 0x20 ? String.fromCharCode(0x2400 + unit) : unit === 0x7f ? '\u2421' : REPLACEMENT;
    addText(cells, sign, 1, style, glyphSet);
    cells.refusedCount += 1;
  }
}

function addGrapheme(cells: Cells, segment: string, style: Style, glyphSet: GlyphSetName): void {
  const width = cellWidth(segment);
  const unit = segment.charCodeAt(0);
  if (width === 0 || PLACEHOLDERS.test(segment)) {
    // A character without width would be drawn over the one before it.
    addText(cells, REPLACEMENT, Math.max(1, width), style, glyphSet);
    return;
  }
  const isUnsure = segment.length > 1 || !isSure(unit);
  if (isUnsure && glyphSet !== 'ascii') cells.unsure.push(cells.texts.length);
  addText(cells, segment, width, style, glyphSet);
}

function addText(cells: Cells, text: string, width: number, style: Style, glyphSet: GlyphSetName): void {
  const sign = plainSign(text, glyphSet);
  for (let cell = 0; cell < width; cell++) add(cells, sign ?? (cell === 0 ? text : ''), style);
}

function add(cells: Cells, text: string, style: Style): void {
  cells.texts.push(text);
  cells.styles.push(style);
}
