/** A column of printed text. */
export type TextColumn = {readonly title: string; readonly align?: 'right' | undefined};

const GAP = '  ';

/**
 * Rows under their titles, each column as wide as its widest cell; nothing is cut, since scripts and eyes read it alike.
 * `widthOf` counts the cells a text takes in a terminal.
 */
export function tableText(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  widthOf: (text: string) => number,
): string {
  const widths = columns.map(({title}, index) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[index] ?? '')), widthOf(title)),
  );
  const line = (cells: readonly string[]) =>
    columns
      .map(({align}, index) => {
        const cell = cells[index] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(cell)));
        return align === 'right' ? space + cell : cell + space;
      })
      .join(GAP)
      .trimEnd();
  return [columns.map(({title}) => title), ...rows].map(cells => `${line(cells)}\n`).join('');
}
