import {formatCounted} from '../ui/format.ts';
import {cut, type Line, type Span, textOf} from '../ui/text.ts';
import type {Tone} from '../ui/theme.ts';

/** The scroll position in a detail that is longer than its place. */
export type Scroll = {
  /** First visible line. */
  readonly offset: number;
  readonly searchText: string;
  /** The line of the current match. */
  readonly matchIndex: number | undefined;
};

export const SCROLL_START: Scroll = {offset: 0, searchText: '', matchIndex: undefined};

/** All lines of a detail, and how many of them are visible. */
export type Page = {readonly lines: readonly Line[]; readonly rows: number};

/** The first visible line, adjusted because the detail may have become shorter. */
export function offsetOf({offset}: Scroll, {lines, rows}: Page): number {
  return Math.min(Math.max(0, offset), Math.max(0, lines.length - rows));
}

/** Moved by `step` lines, at most to the last line. */
export function scrolled(scroll: Scroll, step: number, page: Page): Scroll {
  return {...scroll, offset: offsetOf({...scroll, offset: offsetOf(scroll, page) + step}, page)};
}

/** The first matching line from the present position on, or else from the beginning. */
export function searched(scroll: Scroll, searchText: string, page: Page): Scroll {
  const matches = matchIndexes(searchText, page);
  const from = scroll.matchIndex ?? offsetOf(scroll, page);
  return atMatch({...scroll, searchText}, matches.find(index => index >= from) ?? matches[0], page);
}

/** The next matching line, or the previous one, wrapping around. */
export function nextMatch(scroll: Scroll, direction: 1 | -1, page: Page): Scroll {
  const matches = matchIndexes(scroll.searchText, page);
  const here = scroll.matchIndex ?? offsetOf(scroll, page);
  const next =
    direction === 1
      ? (matches.find(index => index > here) ?? matches[0])
      : (matches.findLast(index => index < here) ?? matches.at(-1));
  return atMatch(scroll, next, page);
}

function atMatch(scroll: Scroll, matchIndex: number | undefined, page: Page): Scroll {
  const offset = offsetOf(scroll, page);
  const isInSight = matchIndex === undefined || (matchIndex >= offset && matchIndex < offset + page.rows);
  const wanted = isInSight ? offset : matchIndex - Math.floor(page.rows / 2);
  return {...scroll, matchIndex, offset: offsetOf({...scroll, offset: wanted}, page)};
}

/** Width reserved in the edge of a box for the text searched for. */
const MAX_SEARCH_CELLS = 16;

/** For example `/disk 2 of 5 lines`, for the edge of the detail's box; empty without a search. */
export function searchLabel(scroll: Scroll, page: Page): string {
  const {searchText} = scroll;
  return searchText === '' ? '' : `/${cut(searchText, MAX_SEARCH_CELLS)} ${matchText(scroll, page)}`;
}

/** For example `2 of 5 lines`; empty without a search. */
export function matchText({searchText, matchIndex}: Scroll, page: Page): string {
  if (searchText === '') return '';
  const matches = matchIndexes(searchText, page);
  if (matches.length === 0) return 'no match';
  const place = matchIndex === undefined ? 0 : matches.indexOf(matchIndex) + 1;
  return `${place === 0 ? '' : `${place} of `}${formatCounted(matches.length, 'line')}`;
}

/** The lines from the first visible one on, with matches marked. */
export function linesInSight(scroll: Scroll, page: Page): readonly Line[] {
  const offset = offsetOf(scroll, page);
  const lines = page.lines.slice(offset);
  const pattern = patternOf(scroll.searchText);
  if (pattern === undefined) return lines;
  return lines.map((line, index) => marked(line, pattern, offset + index === scroll.matchIndex ? 'caret' : 'marked'));
}

export function matchCount({searchText}: Scroll, page: Page): number {
  return matchIndexes(searchText, page).length;
}

function matchIndexes(searchText: string, {lines}: Page): readonly number[] {
  const pattern = patternOf(searchText);
  if (pattern === undefined) return [];
  return lines.flatMap((line, index) => (textOf(line).search(pattern) === -1 ? [] : [index]));
}

/** The text itself, regardless of case. */
function patternOf(searchText: string): RegExp | undefined {
  return searchText === '' ? undefined : new RegExp(searchText.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
}

function marked(line: Line, pattern: RegExp, tone: Tone): Line {
  const ranges = [...textOf(line).matchAll(pattern)].map(({0: text, index}) => ({
    start: index,
    end: index + text.length,
  }));
  if (ranges.length === 0) return line;
  let start = 0;
  return line.flatMap(span => {
    const cuts = ranges.flatMap(range => [range.start - start, range.end - start]);
    const pieces = splitAt(span, cuts).map(piece => {
      const at = start + piece.at;
      return ranges.some(range => at >= range.start && at < range.end) ? withTone(piece.span, tone) : piece.span;
    });
    start += span.text.length;
    return pieces;
  });
}

function splitAt(span: Span, cuts: readonly number[]): readonly {readonly at: number; readonly span: Span}[] {
  const inside = [0, ...cuts.filter(cut => cut > 0 && cut < span.text.length), span.text.length];
  return inside.slice(0, -1).map((at, index) => ({at, span: {...span, text: span.text.slice(at, inside[index + 1])}}));
}

function withTone({text, tone}: Span, added: Tone): Span {
  const tones = tone === undefined ? [] : typeof tone === 'string' ? [tone] : tone;
  return {text, tone: [...tones, added]};
}
