import {MARK} from '../domain/safe-text.ts';
import {graphemes} from '../terminal/glyphs.ts';
import {type Line, lineWidth, type Span, textOf, widthOf} from './text.ts';

/** A blank with a combining mark counts as a letter: dropped at a line break, it would leave the mark behind. */
const BLANK = `\\s(?!${MARK.source})`;
const WORD = new RegExp(`(?:(?!${BLANK}).)+(?:${BLANK})*|(?:${BLANK})+`, 'gsu');
const FIRST_BLANKS = new RegExp(`^(?:${BLANK})+`, 'u');

/**
 * A line wrapped at its blanks to at most `width` cells, each part indented like its beginning; a longer word is cut
 * into pieces.
 */
export function wrapLine(line: Line, width: number): readonly Line[] {
  if (lineWidth(line) <= width || width < 1) return [line];
  const indentCells = widthOf(FIRST_BLANKS.exec(textOf(line))?.[0] ?? '');
  if (indentCells === 0 || indentCells > width / 2) return brokenLine(line, width);
  return brokenLine(line, width - indentCells).map(part => [{text: ' '.repeat(indentCells)}, ...part]);
}

function brokenLine(line: Line, width: number): readonly Line[] {
  const lines: Span[][] = [[]];
  let used = 0;
  for (const word of line.flatMap(words).flatMap(span => pieces(span, width))) {
    const cells = widthOf(word.text);
    if (used + widthOf(word.text.trimEnd()) > width) {
      lines.push([]);
      used = 0;
    }
    // A blank at a line break would only indent the next line.
    const text = used === 0 ? word.text.replace(FIRST_BLANKS, '') : word.text;
    if (text !== '') lines.at(-1)?.push({...word, text});
    used += text === word.text ? cells : widthOf(text);
  }
  return lines.map(trimmed);
}

/** A label, and beside it text that may need several lines, all starting in the same column. */
export function hangingLines(label: Line, value: Line, width: number): readonly Line[] {
  const cells = lineWidth(label);
  return wrapLine(value, Math.max(1, width - cells)).map((line, index) => [
    ...(index === 0 ? label : [{text: ' '.repeat(cells)}]),
    ...line,
  ]);
}

/** The blank at a line break takes no cell. */
function trimmed(line: readonly Span[]): Line {
  const last = line.at(-1);
  return last === undefined ? line : [...line.slice(0, -1), {...last, text: last.text.trimEnd()}];
}

/** The words of a span, each with the blanks after it. */
function words(span: Span): readonly Span[] {
  return (span.text.match(WORD) ?? []).map(text => ({...span, text}));
}

function pieces(word: Span, width: number): readonly Span[] {
  if (widthOf(word.text.trimEnd()) <= width) return [word];
  const cut: string[] = [''];
  for (const grapheme of graphemes(word.text)) {
    if (widthOf(`${cut.at(-1)}${grapheme}`) > width) cut.push('');
    cut[cut.length - 1] += grapheme;
  }
  return cut.map(text => ({...word, text}));
}
