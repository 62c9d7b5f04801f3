import type {Column} from '../../resources/column.ts';
import type {FittedColumn} from '../../ui/fitted-table.ts';
import type {CommandIo} from '../command-io.ts';

/** A column of printed text. */
export type TextColumn = {readonly title: string; readonly align?: 'right' | undefined};

const GAP = '  ';

/** The width of each column: its title and all its cells. `widthOf` gives the width of a text in a terminal. */
export function columnWidths(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  widthOf: (text: string) => number,
): readonly number[] {
  return columns.map(({title}, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(title)),
  );
}

/** Rows under their titles, each column as wide as its widest cell; nothing is cut, since scripts read it too. */
export function tableText(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  widthOf: (text: string) => number,
): string {
  const widths = columnWidths(columns, rows, widthOf);
  return rowsText(columns, [columns.map(({title}) => title), ...rows], {widths, widthOf});
}

/** The maximum width of a table; undefined for programs, which get everything. */
export function terminalColumns({stdout}: Pick<CommandIo, 'stdout'>): number | undefined {
  return stdout.isTTY === true && stdout.columns !== undefined && stdout.columns > 0 ? stdout.columns : undefined;
}

/**
 * A declared table as printed: its columns, of which a narrow terminal drops first what the deck's list drops, and the
 * texts of its rows.
 */
export function printedTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  absent: string,
): readonly [columns: readonly FittedColumn[], rows: readonly (readonly string[])[]] {
  return [
    columns.map(column => ({...column, rank: column.list?.priority ?? 0})),
    rows.map(row => columns.map(({value}) => value(row)?.text ?? absent)),
  ];
}

/** Prints rows under their titles. */
export type TablePrinter = (columns: readonly FittedColumn[], rows: readonly (readonly string[])[]) => string;

/** Tables are fitted to the terminal; programs get them whole. */
export async function tablePrinter(io: Pick<CommandIo, 'stdout'>): Promise<TablePrinter> {
  const {fitTable, fittedText} = await import('../../ui/fitted-table.ts');
  const {widthOf} = await import('../../ui/text.ts');
  const room = terminalColumns(io);
  return (columns, rows) => {
    const fit = room === undefined ? undefined : fitTable(columns, rows, room);
    return fit === undefined
      ? tableText(columns, rows, widthOf)
      : fittedText(columns, [columns.map(({title}) => title), ...rows], fit);
  };
}

/** Rows under their titles, fitted to the terminal if printed on one. */
export async function terminalTable(
  io: Pick<CommandIo, 'stdout'>,
  columns: readonly FittedColumn[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  return (await tablePrinter(io))(columns, rows);
}

/**
 * A table whose last column is to be copied whole: if the terminal is too narrow for it, it is printed on a line of its
 * own below each row.
 */
export async function tableWithLines(
  io: Pick<CommandIo, 'stdout'>,
  columns: readonly FittedColumn[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const {fitTable, fittedText} = await import('../../ui/fitted-table.ts');
  const room = terminalColumns(io);
  if (room === undefined || fitTable(columns, rows, room) === undefined) return terminalTable(io, columns, rows);
  const {widthOf} = await import('../../ui/text.ts');
  const [head, cells] = [columns.slice(0, -1), rows.map(row => row.slice(0, -1))];
  const fit = fitTable(head, cells, room) ?? {
    shown: head.map((_, index) => index),
    widths: columnWidths(head, cells, widthOf),
  };
  const titles = fittedText(head, [head.map(({title}) => title)], fit);
  const lines = rows.map((row, index) => {
    const last = row.at(-1) ?? '';
    return `${fittedText(head, [cells[index] ?? []], fit)}${last === '' ? '' : `    ${last}\n`}`;
  });
  return [titles, ...lines].join('');
}

/** The rows without titles, in columns of these widths. */
export function rowsText(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  {widths, widthOf}: {readonly widths: readonly number[]; readonly widthOf: (text: string) => number},
): string {
  const line = (cells: readonly string[]) =>
    columns
      .map(({align}, index) => {
        const cell = cells[index] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
        return align === 'right' ? space + cell : cell + space;
      })
      .join(GAP)
      .trimEnd();
  return rows.map(cells => `${line(cells)}\n`).join('');
}
