import type {IBufferCell} from '@xterm/headless';
import {type Emulator, visibleLines} from './emulator.ts';
import type {TerminalModes} from './terminal-modes.ts';

/** `default`, a palette index 0–255, or `#rrggbb`. */
export type CellColour = 'default' | number | `#${string}`;

export type Cell = {
  /** Empty for the right half of a wide character. */
  readonly char: string;
  /** 0 for the right half of a wide character, 2 for its left half. */
  readonly width: number;
  readonly fg: CellColour;
  readonly bg: CellColour;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strikethrough: boolean;
  readonly inverse: boolean;
  readonly invisible: boolean;
};

/** The cell at a row and a column of the visible screen, both counted from 0. */
export function cellAt(emulator: Emulator, row: number, column: number): Cell {
  const buffer = emulator.buffer.active;
  const cell = buffer.getLine(buffer.viewportY + row)?.getCell(column);
  if (cell === undefined || row < 0 || row >= emulator.rows || column >= emulator.cols) {
    throw new Error(`The screen of ${emulator.cols}×${emulator.rows} has no cell at row ${row}, column ${column}.`);
  }
  const width = cell.getWidth();
  return {
    char: cell.getChars() === '' && width > 0 ? ' ' : cell.getChars(),
    width,
    fg: foregroundOf(cell),
    bg: backgroundOf(cell),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
    inverse: cell.isInverse() !== 0,
    invisible: cell.isInvisible() !== 0,
  };
}

/** The screen as text, in a frame with its size and modes, for the message of a failed wait. */
export function pictureInWords(emulator: Emulator, modes: TerminalModes): string {
  const lines = visibleLines(emulator);
  const lastUsedRow = lines.findLastIndex(line => line !== '');
  const told = [
    `${emulator.cols}×${emulator.rows}`,
    modes.isAltScreen ? 'alternate screen' : 'main screen',
    modes.isCursorHidden ? 'cursor hidden' : 'cursor shown',
    ...(modes.isSynchronizedUpdate ? ['inside a synchronized update'] : []),
  ].join(', ');
  const body = lastUsedRow === -1 ? ['│ (blank)'] : lines.slice(0, lastUsedRow + 1).map(line => `│${line}`);
  return [`┌─ ${told}`, ...body, '└─'].join('\n');
}

function foregroundOf(cell: IBufferCell): CellColour {
  if (cell.isFgDefault()) return 'default';
  return cell.isFgRGB() ? hexColour(cell.getFgColor()) : cell.getFgColor();
}

function backgroundOf(cell: IBufferCell): CellColour {
  if (cell.isBgDefault()) return 'default';
  return cell.isBgRGB() ? hexColour(cell.getBgColor()) : cell.getBgColor();
}

function hexColour(colour: number): `#${string}` {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
