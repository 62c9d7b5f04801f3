/** A grid of dots, two by four to a cell. */
export type BrailleCanvas = {
  /** Sets the dots of one column from `from` to `to`, inclusive, in either order; rows count from the top. */
  readonly column: (column: number, from: number, to: number) => void;
  /** The cells row by row; an empty one is U+2800. */
  readonly rows: () => readonly (readonly string[])[];
};

const BLANK = 0x2800;
/** The bit of each dot, by row and by left or right column (Unicode's numbering of braille dots). */
const DOT_BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

export function brailleCanvas(columns: number, rows: number): BrailleCanvas {
  const bits = new Uint8Array(columns * rows);

  function set(x: number, y: number): void {
    const bit = DOT_BITS[y % 4]?.[x % 2] ?? 0;
    const index = Math.floor(y / 4) * columns + Math.floor(x / 2);
    bits[index] = (bits[index] ?? 0) | bit;
  }

  return {
    column: (column, from, to) => {
      for (let row = Math.min(from, to); row <= Math.max(from, to); row++) set(column, row);
    },
    rows: () =>
      Array.from({length: rows}, (_, row) =>
        Array.from({length: columns}, (_unused, column) =>
          String.fromCharCode(BLANK + (bits[row * columns + column] ?? 0)),
        ),
      ),
  };
}
