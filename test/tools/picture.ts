import {type RenderedImage, Resvg} from '@resvg/resvg-js';
import type {Emulator} from '../support/emulator.ts';
import {type Cell, cellAt} from '../support/screen.ts';
import {DARK_PAPER, type Paper, paintOf} from './colours.ts';
import {type Font, loadFont} from './font.ts';
import {glyphShape} from './glyph-shapes.ts';

const CELL = {width: 9, height: 18};
const PADDING = 12;
const TITLE_HEIGHT = 30;
/** Where the letters stand in their cell, from its top. */
const BASELINE = 14;

export type PictureOptions = {
  /** Shown in a bar above the screen, as a window's title. */
  readonly title?: string;
  readonly font?: Font;
  /** The terminal's own two colours; a dark one's where nothing is said. */
  readonly paper?: Paper;
};

/** The visible screen as an SVG picture: every cell stands exactly on its place in a grid of 9×18 units. */
export function screenToSvg(
  emulator: Emulator,
  {title, font = loadFont(), paper = DARK_PAPER}: PictureOptions = {},
): string {
  const top = title === undefined ? PADDING : TITLE_HEIGHT;
  const width = emulator.cols * CELL.width + 2 * PADDING;
  const height = emulator.rows * CELL.height + top + PADDING;
  const fontSize = CELL.width / font.advanceRatio;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${paper.ground}"/>`,
    ...(title === undefined ? [] : titleBar(title, {width, font})),
    `<g transform="translate(${PADDING} ${top})" font-family="${font.family}" font-size="${fontSize.toFixed(4)}">`,
    ...Array.from({length: emulator.rows}, (_, row) => rowToSvg(cellsOf(emulator, row, paper), row, {font, paper})),
    '</g>',
    '</svg>',
  ].join('\n');
}

/** The picture as PNG bytes; `zoom` 2 makes it sharp on dense displays. */
export function svgToPng(svg: string, options: {zoom?: number; font?: Font} = {}): Buffer {
  return renderSvg(svg, options).asPng();
}

/** The picture as pixels, four bytes each: red, green, blue, alpha. */
export function renderSvg(
  svg: string,
  {zoom = 1, font = loadFont()}: {zoom?: number; font?: Font} = {},
): RenderedImage {
  return new Resvg(svg, {
    fitTo: {mode: 'zoom', value: zoom},
    // The fonts of a machine differ; a picture must not.
    font: {loadSystemFonts: false, fontFiles: [...font.files], defaultFontFamily: font.family},
  }).render();
}

type PlacedCell = Cell & {readonly column: number; readonly ink: string; readonly ground: string};

function cellsOf(emulator: Emulator, row: number, paper: Paper): PlacedCell[] {
  return Array.from({length: emulator.cols}, (_, column) => {
    const cell = cellAt(emulator, row, column);
    return {...cell, column, ...paintOf(cell, paper)};
  }).filter(cell => cell.width > 0);
}

function rowToSvg(cells: readonly PlacedCell[], row: number, {font, paper}: {font: Font; paper: Paper}): string {
  const parts = [
    ...grounds(cells, paper),
    ...shapes(cells),
    ...texts(cells, font),
    ...missingSigns(cells, font),
    ...lines(cells),
  ];
  return parts.length === 0 ? '' : `<g transform="translate(0 ${row * CELL.height})">${parts.join('')}</g>`;
}

function grounds(cells: readonly PlacedCell[], paper: Paper): string[] {
  return runs(cells, cell => cell.ground)
    .filter(run => run.first.ground !== paper.ground)
    .map(run => `<rect${span(run)} y="0" height="${CELL.height}" fill="${run.first.ground}"/>`);
}

function shapes(cells: readonly PlacedCell[]): string[] {
  return cells.flatMap(cell => {
    const shape = glyphShape(cell.char, CELL);
    if (shape === undefined) return [];
    const opacity = shape.opacity === 1 ? '' : ` fill-opacity="${shape.opacity}"`;
    return [`<path transform="translate(${left(cell)} 0)" d="${shape.path}" fill="${cell.ink}"${opacity}/>`];
  });
}

function texts(cells: readonly PlacedCell[], font: Font): string[] {
  const written = cells.filter(cell => isWritten(cell, font));
  return runs(written, cell => [cell.ink, cell.bold, cell.italic, isSimple(cell.char) || cell.column].join()).map(
    run => {
      const style = `${run.first.bold ? ' font-weight="bold"' : ''}${run.first.italic ? ' font-style="italic"' : ''}`;
      const text = escapeXml(run.cells.map(cell => cell.char).join(''));
      return `<text x="${left(run.first)}" y="${BASELINE}" fill="${run.first.ink}"${style}>${text}</text>`;
    },
  );
}

/** A box in place of a character the font has not, with its code point, so that a picture tells what stood there. */
function missingSigns(cells: readonly PlacedCell[], font: Font): string[] {
  return cells.flatMap(cell => {
    if (isBlank(cell) || glyphShape(cell.char, CELL) !== undefined || isCovered(cell.char, font)) return [];
    const width = cell.width * CELL.width;
    const code = (cell.char.codePointAt(0) ?? 0).toString(16).toUpperCase();
    const [upper, lower] = [code.slice(0, Math.ceil(code.length / 2)), code.slice(Math.ceil(code.length / 2))];
    const digits = (text: string, y: number): string =>
      `<text x="${left(cell) + width / 2}" y="${y}" font-size="${cell.width === 1 ? 4.5 : 6.5}" text-anchor="middle" fill="${cell.ink}">${text}</text>`;
    return [
      `<rect x="${left(cell) + 0.5}" y="2.5" width="${width - 1}" height="${CELL.height - 5}" fill="none" stroke="${cell.ink}"/>`,
      digits(upper, 8.5),
      digits(lower, 14),
    ];
  });
}

function lines(cells: readonly PlacedCell[]): string[] {
  const lineAt = (y: number, isDrawn: (cell: PlacedCell) => boolean): string[] =>
    runs(cells.filter(isDrawn), cell => cell.ink).map(
      run => `<rect${span(run)} y="${y}" height="1" fill="${run.first.ink}"/>`,
    );
  return [...lineAt(BASELINE + 2, cell => cell.underline), ...lineAt(CELL.height / 2, cell => cell.strikethrough)];
}

type Run = {readonly first: PlacedCell; readonly cells: readonly PlacedCell[]; readonly endColumn: number};

/** Neighbouring cells with the same key, drawn as one. */
function runs(cells: readonly PlacedCell[], keyOf: (cell: PlacedCell) => string): Run[] {
  const found: {first: PlacedCell; cells: PlacedCell[]; endColumn: number}[] = [];
  for (const cell of cells) {
    const last = found.at(-1);
    if (last !== undefined && last.endColumn === cell.column && keyOf(last.first) === keyOf(cell)) {
      last.cells.push(cell);
      last.endColumn += cell.width;
    } else {
      found.push({first: cell, cells: [cell], endColumn: cell.column + cell.width});
    }
  }
  return found;
}

function isWritten(cell: PlacedCell, font: Font): boolean {
  return !isBlank(cell) && glyphShape(cell.char, CELL) === undefined && isCovered(cell.char, font);
}

// Other scripts join or turn around inside a run, which would move the letters out of their cells.
function isSimple(char: string): boolean {
  return /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Mn}]+$/u.test(char);
}

function isBlank(cell: PlacedCell): boolean {
  return cell.invisible || cell.char.trim() === '';
}

function isCovered(char: string, font: Font): boolean {
  return [...char].every(part => font.covers(part.codePointAt(0) ?? 0));
}

function left(cell: PlacedCell): number {
  return cell.column * CELL.width;
}

function span({first, endColumn}: Run): string {
  return ` x="${left(first)}" width="${(endColumn - first.column) * CELL.width}"`;
}

function titleBar(title: string, {width, font}: {width: number; font: Font}): string[] {
  return [
    `<text x="${width / 2}" y="20" text-anchor="middle" font-family="${font.family}" font-size="12" fill="#7d8797">${escapeXml(title)}</text>`,
  ];
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, sign => `&#${sign.charCodeAt(0)};`);
}
