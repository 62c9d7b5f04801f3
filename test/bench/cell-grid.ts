import type {Emulator} from '../support/emulator.ts';
import {type Cell, cellAt} from '../support/screen.ts';

/** How a cell looks, in SGR parameters. Equal looks are the same object. */
export type Look = {
  readonly key: string;
  /** Parameters that switch attributes on, sorted. */
  readonly attributes: readonly string[];
  readonly foreground: string;
  readonly background: string;
};

export type GridCell = {
  /** Empty for the right half of a wide character. */
  readonly text: string;
  readonly look: Look;
};

export type CellGrid = {
  readonly columns: number;
  readonly lines: readonly (readonly GridCell[])[];
  readonly cursor: {readonly row: number; readonly column: number};
  /** How the next character would look. */
  readonly pen: Look;
};

const looks = new Map<string, Look>();

export const PLAIN_LOOK: Look = lookOf([], '', '');

/** What the terminal shows now. For a blank only what is visible counts: not the foreground, not bold. */
export function gridOf(emulator: Emulator, pen: Look): CellGrid {
  const {cursorX, cursorY} = emulator.buffer.active;
  return {
    columns: emulator.cols,
    lines: Array.from({length: emulator.rows}, (_, row) =>
      Array.from({length: emulator.cols}, (_, column) => gridCell(cellAt(emulator, row, column))),
    ),
    cursor: {row: cursorY, column: cursorX},
    pen,
  };
}

function gridCell(cell: Cell): GridCell {
  const seenOnBlank = [
    ...(cell.underline ? ['4'] : []),
    ...(cell.inverse ? ['7'] : []),
    ...(cell.strikethrough ? ['9'] : []),
  ];
  const background = colourCode(cell.bg, 40);
  if (cell.char === ' ' && seenOnBlank.length === 0) return {text: ' ', look: lookOf([], '', background)};
  const onLetters = [...(cell.bold ? ['1'] : []), ...(cell.dim ? ['2'] : []), ...(cell.italic ? ['3'] : [])];
  return {text: cell.char, look: lookOf([...onLetters, ...seenOnBlank], colourCode(cell.fg, 30), background)};
}

export function lookOf(attributes: readonly string[], foreground: string, background: string): Look {
  const key = `${attributes.join(';')}/${foreground}/${background}`;
  const known = looks.get(key);
  if (known !== undefined) return known;
  const fresh: Look = {key, attributes, foreground, background};
  looks.set(key, fresh);
  return fresh;
}

/** The shortest parameters for a colour. The sixteen basic colours have codes of their own. */
function colourCode(colour: Cell['fg'], base: 30 | 40): string {
  if (colour === 'default') return '';
  if (typeof colour === 'number') {
    if (colour < 8) return String(base + colour);
    return colour < 16 ? String(base + 52 + colour) : `${base + 8};5;${colour}`;
  }
  const channels = [1, 3, 5].map(start => Number.parseInt(colour.slice(start, start + 2), 16));
  return `${base + 8};2;${channels.join(';')}`;
}
