import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {cutMiddle, padEnd, padStart, textOf, widthOf} from './text.ts';
import {wrapLine} from './wrap.ts';

const GAP = '  ';

/** A column of printed text that may be cut if the terminal is too narrow. */
export type FittedColumn = {
  readonly title: string;
  readonly align?: 'right' | undefined;
  /** The column with the highest number is dropped first; one with 0 stays. */
  readonly rank: number;
  /** Text that must stay readable in full: wrapped where other columns are cut in the middle. */
  readonly isProse?: boolean | undefined;
};

/** Which columns fit a terminal, and how wide each is. */
export type TableFit = {readonly shown: readonly number[]; readonly widths: readonly number[]};

/** Text is shortened before a column is dropped, but only to the width of most names. */
const ENOUGH_CELLS = 24;
/** The width it is cut to if there is no other way. */
const FEWEST_CELLS = 8;
/** Words wrapped to fewer cells are hard to read. */
const FEWEST_PROSE_CELLS = 12;

/** How a table fits this many cells; undefined if it fits unchanged. */
export function fitTable(
  columns: readonly FittedColumn[],
  rows: readonly (readonly string[])[],
  room: number,
): TableFit | undefined {
  const natural = columns.map(({title}, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(title)),
  );
  let shown = columns.map((_, index) => index);
  if (totalWidth(shown, natural) <= room) return undefined;
  const enough = columns.map(({title, align}, index) => {
    const width = natural[index] ?? 0;
    return align === 'right' ? width : Math.min(width, Math.max(widthOf(title), ENOUGH_CELLS));
  });
  while (totalWidth(shown, enough) > room) {
    const least = leastImportant(columns, shown);
    if (least === undefined) break;
    shown = shown.filter(index => index !== least);
  }
  const least = columns.map((column, index) => {
    const width = enough[index] ?? 0;
    return column.isProse === true ? Math.min(width, usualWidth(column, rows, index)) : width;
  });
  const fits = totalWidth(shown, least) <= room;
  return {shown, widths: fits ? grown(columns, shown, {least, natural, room}) : shrunk(columns, shown, least, room)};
}

/** The width that half of its cells are content with: a text that few rows have leaves its room to names. */
function usualWidth({title}: FittedColumn, rows: readonly (readonly string[])[], index: number): number {
  const widths = rows.map(row => widthOf(row[index] ?? '')).sort((one, other) => one - other);
  return Math.max(FEWEST_PROSE_CELLS, widthOf(title), widths[Math.floor(widths.length / 2)] ?? 0);
}

function totalWidth(shown: readonly number[], widths: readonly number[]): number {
  return shown.reduce((sum, index) => sum + (widths[index] ?? 0), GAP.length * (shown.length - 1));
}

/** Of equally important columns, the last. */
function leastImportant(columns: readonly FittedColumn[], shown: readonly number[]): number | undefined {
  const rankOf = (index: number) => columns[index]?.rank ?? 0;
  const greatest = Math.max(0, ...shown.map(rankOf));
  return greatest === 0 ? undefined : shown.findLast(index => rankOf(index) === greatest);
}

/** Spare width goes to the columns that were narrowed, from the first on; to text that can be wrapped last. */
function grown(
  columns: readonly FittedColumn[],
  shown: readonly number[],
  {
    least,
    natural,
    room,
  }: {readonly least: readonly number[]; readonly natural: readonly number[]; readonly room: number},
): readonly number[] {
  const widths = [...least];
  let spare = room - totalWidth(shown, widths);
  const isWrapped = (index: number) => columns[index]?.isProse === true;
  for (const index of shown.toSorted((one, other) => Number(isWrapped(one)) - Number(isWrapped(other)))) {
    const more = Math.min(Math.max(0, spare), (natural[index] ?? 0) - (widths[index] ?? 0));
    widths[index] = (widths[index] ?? 0) + more;
    spare -= more;
  }
  return widths;
}

/** The widest text is cut first, a cell at a time. */
function shrunk(
  columns: readonly FittedColumn[],
  shown: readonly number[],
  least: readonly number[],
  room: number,
): readonly number[] {
  const widths = [...least];
  const texts = shown.filter(index => columns[index]?.align !== 'right');
  for (let over = totalWidth(shown, widths) - room; over > 0; over -= 1) {
    const widest = Math.max(...texts.map(index => widths[index] ?? 0));
    const index = texts.findLast(each => widths[each] === widest);
    if (index === undefined || widest <= FEWEST_CELLS) break;
    widths[index] = widest - 1;
  }
  return widths;
}

/** The rows in the columns that fit, with titles if wanted. */
export function fittedText(
  columns: readonly FittedColumn[],
  rows: readonly (readonly string[])[],
  {shown, widths}: TableFit,
): string {
  const lineOf = (cells: readonly string[]) =>
    shown
      .map(index => {
        const pad = columns[index]?.align === 'right' ? padStart : padEnd;
        return pad(cells[index] ?? '', widths[index] ?? 0);
      })
      .join(GAP)
      .trimEnd();
  return rows
    .flatMap(cells => {
      const folded = columns.map((column, index) => cellLines(column, cells[index] ?? '', widths[index] ?? 0));
      const height = Math.max(...shown.map(index => folded[index]?.length ?? 1));
      return Array.from({length: height}, (_, line) => `${lineOf(folded.map(lines => lines[line] ?? ''))}\n`);
    })
    .join('');
}

function cellLines({isProse}: FittedColumn, cell: string, width: number): readonly string[] {
  if (widthOf(cell) <= width) return [cell];
  return isProse === true ? wrapLine([{text: cell}], width).map(textOf) : [cutMiddle(cell, width)];
}

/** What is not shown of a table, and how to see it. */
export function leftOutWords(columns: readonly FittedColumn[], {shown}: TableFit, room: number): SafeText {
  const hidden = columns.filter((_, index) => !shown.includes(index)).map(({title}) => safeText(title));
  return hidden.length === 0
    ? say`shortened to ${room} columns; -o wide prints all`
    : say`left out at ${room} columns: ${joinSafe(hidden, ', ')}; -o wide or --columns prints them`;
}
