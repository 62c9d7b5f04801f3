import type {FittedColumn} from '../ui/fitted-table.ts';
import type {CommandIo} from './command-io.ts';

/** A column of printed text. */
export type TextColumn = {readonly title: string; readonly align?: 'right' | undefined};

const GAP = '  ';

/** The cells that each column takes, its title and all its cells counted. `widthOf` counts the cells of a text in a terminal. */
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

/** As wide as a table may be; undefined where programs read it, which get the whole. */
export function terminalColumns({stdout}: Pick<CommandIo, 'stdout'>): number | undefined {
  return stdout.isTTY === true && stdout.columns !== undefined && stdout.columns > 0 ? stdout.columns : undefined;
}

/** Rows under their titles, which fit the terminal where they are printed on one. */
export async function terminalTable(
  io: Pick<CommandIo, 'stdout'>,
  columns: readonly FittedColumn[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const room = terminalColumns(io);
  if (room !== undefined) {
    const {fitTable, fittedText} = await import('../ui/fitted-table.ts');
    const fit = fitTable(columns, rows, room);
    if (fit !== undefined) return fittedText(columns, [columns.map(({title}) => title), ...rows], fit);
  }
  const {widthOf} = await import('../ui/text.ts');
  return tableText(columns, rows, widthOf);
}

/** Rows alone, in columns of these widths. */
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
