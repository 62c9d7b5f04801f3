import {cellWidth, graphemes, isOneCell, isTwoCells} from '../terminal/glyphs.ts';
import type {Theme, Tones} from './theme.ts';

/**
 * A run of text in one tone. The text is ours or `SafeText`; a span never contains colours or line breaks of its own.
 */
export type Span = {
  readonly text: string;
  readonly tone?: Tones;
  /** If a line is too long, names are cut first, in the middle: names of one kind differ at their ends. */
  readonly isName?: boolean;
  /** Remarks, each worth something alone: cut between two of them, where there is room for one. */
  readonly isParts?: boolean;
  /** What a command prints instead, if the text names a key of the deck. */
  readonly inCommand?: string;
};

export type Line = readonly Span[];

export type Align = 'left' | 'right' | 'center';

const REPLACEMENT = '\ufffd';

/** The width of a text in the terminal, in cells. */
export function widthOf(text: string): number {
  return cellWidth(text);
}

/** The text in at most `width` cells; an ellipsis marks what was cut. */
export function cut(text: string, width: number, ellipsis = '…'): string {
  if (width <= 0) return '';
  const shown = visible(text);
  if (widthOf(shown) <= width) return shown;
  const mark = widthOf(ellipsis) <= width ? ellipsis : '';
  return `${take(shown, width - widthOf(mark))}${mark}`;
}

/** The text in at most `width` cells with both its ends: `hyperp…ep-01` stays different from `hyperp…ep-20`. */
export function cutMiddle(text: string, width: number, ellipsis = '…'): string {
  const shown = visible(text);
  if (widthOf(shown) <= width) return shown;
  const room = width - widthOf(ellipsis);
  if (room < 2) return cut(shown, width, ellipsis);
  const start = take(shown, Math.ceil(room / 2));
  return `${start}${ellipsis}${takeEnd(shown, room - widthOf(start))}`;
}

/**
 * `stop train…#7: not sent`: what became of the subject, or what is checked, stays whole, if that leaves a part of its
 * name; other text is cut in the middle.
 */
export function cutSubject(text: string, width: number): string {
  const shown = visible(text);
  const end = shown.search(/: (?:not sent|checking)/);
  const room = end === -1 ? 0 : width - widthOf(shown.slice(end));
  if (widthOf(shown) <= width || room < MIN_NAME_CELLS) return cutMiddle(shown, width);
  return `${cutMiddle(shown.slice(0, end), room)}${shown.slice(end)}`;
}

/** Exactly `width` cells, left-aligned. */
export function padEnd(text: string, width: number, ellipsis?: string): string {
  return fitText(text, width, {align: 'left', ellipsis});
}

/** Exactly `width` cells, right-aligned. */
export function padStart(text: string, width: number, ellipsis?: string): string {
  return fitText(text, width, {align: 'right', ellipsis});
}

/** Exactly `width` cells, whatever the text. */
export function fitText(
  text: string,
  width: number,
  {align = 'left', ellipsis}: {readonly align?: Align | undefined; readonly ellipsis?: string | undefined} = {},
): string {
  if (width <= 0) return '';
  const shown = cut(text, width, ellipsis);
  const placed = place(shown, width - widthOf(shown), align);
  // Some characters combine with their neighbours, even a space; then only a plain spelling has a certain width.
  return widthOf(placed) === width ? placed : place(...plainPlacement(shown, width), align);
}

export function lineWidth(line: Line): number {
  return line.reduce((cells, span) => cells + widthOf(span.text), 0);
}

export function textOf(line: Line): string {
  return line.map(span => span.text).join('');
}

/** The line in at most `width` cells; the tones stay. */
export function cutLine(line: Line, width: number, ellipsis = '…'): Line {
  const shown = withShorterNames(line.map(visibleSpan), width, ellipsis);
  if (lineWidth(shown) <= width) return shown;
  const spans: Span[] = [];
  let left = width - widthOf(ellipsis);
  for (const span of shown) {
    const cells = widthOf(span.text);
    if (cells > left) {
      const part = (span.isParts === true ? fittingParts(span.text, left) : undefined) ?? take(span.text, left);
      const text = left >= 0 ? `${part}${ellipsis}` : take(ellipsis, width);
      return [...spans, {...span, text}];
    }
    spans.push(span);
    left -= cells;
  }
  return spans;
}

const MIN_NAME_CELLS = 8;

/** Names are shortened until the line fits, one after the other, but never so far that they cannot be told apart. */
function withShorterNames(line: Line, width: number, ellipsis: string): Line {
  let missing = lineWidth(line) - width;
  return line.map(span => {
    const cells = widthOf(span.text);
    if (span.isName !== true || missing <= 0 || cells <= MIN_NAME_CELLS) return span;
    const text = cutMiddle(span.text, Math.max(Math.min(width, MIN_NAME_CELLS), cells - missing), ellipsis);
    missing -= cells - widthOf(text);
    return {...span, text};
  });
}

/** The line in exactly `width` cells. */
export function fitLine(line: Line, width: number, {align = 'left', ellipsis}: FitOptions = {}): Line {
  const cells = plainWidth(line);
  // Most lines fit, so they are measured only once.
  const fits = cells !== undefined && cells <= width;
  const short = fits ? line : cutLine(line, width, ellipsis);
  const missing = width - (fits ? cells : lineWidth(short));
  if (missing <= 0) return short;
  const before = align === 'left' ? 0 : align === 'right' ? missing : Math.floor(missing / 2);
  return [
    ...(before > 0 ? [{text: ' '.repeat(before)}] : []),
    ...short,
    ...(missing > before ? [{text: ' '.repeat(missing - before)}] : []),
  ];
}

type FitOptions = {readonly align?: Align | undefined; readonly ellipsis?: string | undefined};

/**
 * One string with its SGR codes, exactly `width` cells wide. `base` applies to every span and to the padding: the
 * cursor's background, or the dimming of old data.
 */
export function paintLine(line: Line, width: number, theme: Theme, base?: Tones): string {
  if (width <= 0) return '';
  const fitted = fitLine(line, width, {ellipsis: theme.glyphs.ellipsis});
  const isExact = (plainWidth(fitted) ?? widthOf(textOf(fitted))) === width;
  return paintSpans(isExact ? fitted : plainLine(fitted, width), theme, base);
}

function paintSpans(line: Line, theme: Theme, base: Tones | undefined): string {
  let painted = '';
  let run = '';
  let runCodes = '';
  for (const span of line) {
    const codes = theme.sgr(together(base, span.tone));
    if (codes !== runCodes) {
      painted += coloured(run, runCodes);
      run = '';
      runCodes = codes;
    }
    run += span.text;
  }
  return painted + coloured(run, runCodes);
}

function coloured(text: string, codes: string): string {
  return codes === '' || text === '' ? text : `\u001b[${codes}m${text}\u001b[0m`;
}

function together(base: Tones | undefined, tone: Tones | undefined): Tones | undefined {
  if (base === undefined) return tone;
  if (tone === undefined) return base;
  return [...(typeof base === 'string' ? [base] : base), ...(typeof tone === 'string' ? [tone] : tone)];
}

/** The width of a line of plain characters, which no neighbour changes; undefined if it contains any other. */
function plainWidth(line: Line): number | undefined {
  let cells = 0;
  for (const {text} of line) {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (isOneCell(unit)) cells += 1;
      else if (isTwoCells(unit)) cells += 2;
      else return undefined;
    }
  }
  return cells;
}

/** Whether every character is of the plain kind. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (!isOneCell(unit) && !isTwoCells(unit)) return false;
  }
  return true;
}

/**
 * The text as it will appear in cells: anything without width (a lone mark, a control byte) becomes a sign of one cell.
 */
function visible(text: string): string {
  if (isPlain(text)) return text;
  return graphemes(text)
    .map(grapheme => (widthOf(grapheme) === 0 ? REPLACEMENT : grapheme))
    .join('');
}

function visibleSpan(span: Span): Span {
  const text = visible(span.text);
  return text === span.text ? span : {...span, text};
}

/** Whole graphemes from the start, in at most `width` cells. */
function take(text: string, width: number): string {
  if (isPlain(text) && widthOf(text) === text.length) return text.slice(0, Math.max(0, width));
  let taken = '';
  let cells = 0;
  for (const grapheme of graphemes(text)) {
    cells += widthOf(grapheme);
    if (cells > width) return taken;
    taken += grapheme;
  }
  return taken;
}

/** Whole graphemes from the end, in at most `width` cells. */
function takeEnd(text: string, width: number): string {
  let taken = '';
  let cells = 0;
  for (const grapheme of [...graphemes(text)].reverse()) {
    cells += widthOf(grapheme);
    if (cells > width) return taken;
    taken = grapheme + taken;
  }
  return taken;
}

function place(text: string, missing: number, align: Align): string {
  const before = align === 'left' ? 0 : align === 'right' ? missing : Math.floor(missing / 2);
  return `${' '.repeat(before)}${text}${' '.repeat(missing - before)}`;
}

function plainPlacement(text: string, width: number): readonly [string, number] {
  const plain = take(spelledPlainly(text), width);
  return [plain, width - widthOf(plain)];
}

/** Keeps the characters with a certain width and replaces the others by a mark of one cell. */
function spelledPlainly(text: string): string {
  return graphemes(text)
    .map(grapheme => (isPlain(grapheme) ? grapheme : REPLACEMENT))
    .join('');
}

function plainLine(line: Line, width: number): Line {
  return fitLine(
    line.map(span => ({...span, text: spelledPlainly(span.text)})),
    width,
    {ellipsis: ''},
  );
}

/**
 * The first parts of a hint, error or note that fit: of `$1.00/h  16 cores, 128 GB` perhaps the price. Undefined if not
 * even the first does.
 */
export function fittingParts(text: string, cells: number): string | undefined {
  if (widthOf(text) <= cells) return text;
  const ends = [...text.matchAll(/[;,:] | {2}/g)].map(({index}) => text.slice(0, index));
  return ends.findLast(part => widthOf(part) <= cells);
}
