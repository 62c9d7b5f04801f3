import stripAnsi from 'strip-ansi';
import {cellWidth} from '../src/terminal/glyphs.ts';

/**
 * Takes the place of the package `string-width` in the built program: the same widths, without the regular expressions
 * of all emoji, which take 65 ms at each start. A character of the private-use area, which Ink moves about for a line of
 * ours, takes one cell.
 */
export default function stringWidth(
  text: string,
  {countAnsiEscapeCodes = false}: {readonly countAnsiEscapeCodes?: boolean} = {},
): number {
  if (/^[\ue000-\uf8ff]$/.test(text)) return 1;
  const isColoured = !countAnsiEscapeCodes && (text.includes('\u001b') || text.includes('\u009b'));
  return cellWidth(isColoured ? stripAnsi(text) : text);
}
