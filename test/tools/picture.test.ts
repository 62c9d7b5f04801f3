import {Resvg} from '@resvg/resvg-js';
import {describe, expect, test} from 'vitest';
import {createEmulator, type Emulator, written} from '../support/emulator.ts';
import {mixed, paletteColour} from './colours.ts';
import {glyphShape} from './glyph-shapes.ts';
import {screenToSvg, svgToPng} from './picture.ts';

// The screen starts 12 pixels from the left and the top; a cell is 9 by 18.
const MARGIN = 12;
const [WIDTH, HEIGHT] = [9, 18];

describe('the shapes', () => {
  test.each([
    ['box-drawing', 0x2500, 0x257f],
    ['block element', 0x2580, 0x259f],
    ['braille', 0x2801, 0x28ff],
  ])('cover every %s character', (_, first, last) => {
    const missing = range(first, last)
      .map(codePoint => String.fromCodePoint(codePoint))
      .filter(char => (glyphShape(char, {width: WIDTH, height: HEIGHT})?.path ?? '') === '');
    expect(missing).toEqual([]);
  });

  test('leave letters to the font', () => {
    expect([...'Aé$~東'].map(char => glyphShape(char, {width: WIDTH, height: HEIGHT}))).toEqual(
      Array.from({length: 5}, () => undefined),
    );
  });

  test('fill neighbouring cells without a seam', async () => {
    const pixels = await paint('\x1b[38;2;255;0;0m████\r\n████');
    expect(pixels.coloursIn({columns: [0, 4], rows: [0, 2]})).toEqual(['#ff0000']);
    expect(pixels.at(MARGIN + 4 * WIDTH, MARGIN)).not.toBe('#ff0000');
  });

  test('fill the eighths of a cell from the bottom', async () => {
    const pixels = await paint('\x1b[38;2;255;0;0m▄▆');
    // Four eighths of 18 pixels are 9; six are 13.5, so the row above thirteen is half inked.
    expect(inkedRows(pixels, 0)).toEqual(range(9, 17));
    expect(inkedRows(pixels, 1)).toEqual(range(4, 17));
  });

  test.each([
    ['light', '┌─┬─┐', '│ │ │', '└─┴─┘'],
    ['round', '╭─┬─╮', '│ │ │', '╰─┴─╯'],
    ['heavy', '┏━┳━┓', '┃ ┃ ┃', '┗━┻━┛'],
    ['double', '╔═╦═╗', '║ ║ ║', '╚═╩═╝'],
  ])('join %s lines over the edges of cells', async (_, ...lines) => {
    const pixels = await paint(`\x1b[38;2;255;0;0m${lines.join('\r\n')}`);
    for (const edge of [1, 2, 3, 4]) {
      const x = MARGIN + edge * WIDTH;
      expect(pixels.columnAt(x, {rows: [0, 3]}).map(isInk)).toEqual(pixels.columnAt(x - 1, {rows: [0, 3]}).map(isInk));
      expect(pixels.columnAt(x, {rows: [0, 1]})).toContain('#ff0000');
    }
    for (const edge of [1, 2]) {
      const y = MARGIN + edge * HEIGHT;
      expect(pixels.rowAt(y, {columns: [0, 5]}).map(isInk)).toEqual(pixels.rowAt(y - 1, {columns: [0, 5]}).map(isInk));
      expect(pixels.rowAt(y, {columns: [0, 1]})).toContain('#ff0000');
    }
  });

  test('put braille dots on one even grid across cells', async () => {
    const pixels = await paint('\x1b[38;2;255;0;0m⠉⠉⠉⠉');
    const dotRow = MARGIN + Math.floor(HEIGHT / 8);
    const row = pixels.rowAt(dotRow, {columns: [0, 4]});
    const dotStarts = row.flatMap((colour, x) => (isInk(colour) && !isInk(row[x - 1] ?? '') ? [x] : []));
    expect(dotStarts).toHaveLength(8);
    const steps = dotStarts.slice(1).map((x, index) => x - (dotStarts[index] ?? 0));
    // Half of 9 pixels: every step is 4 or 5.
    expect(steps.every(step => step === 4 || step === 5)).toBe(true);
  });

  test('keep signs inside their cells', async () => {
    const signs = [...'▲△▼▽▶▷◀◁■□▪◆◇●○◎◉◌◔◐◑◒◓◕✖✗✕✓✔'];
    const pixels = await paint(`\x1b[38;2;255;0;0m${signs.join(' ')}`, {columns: 80});
    for (const [index, sign] of signs.entries()) {
      expect.soft(inkedRows(pixels, index * 2).length, sign).toBeGreaterThan(3);
      expect.soft(inkedRows(pixels, index * 2 + 1), `beside ${sign}`).toEqual([]);
    }
  });
});

describe('the text', () => {
  test('stands in its own cells from the first to the last column', async () => {
    const pixels = await paint(`\x1b[38;2;255;0;0mM${' '.repeat(78)}M`, {columns: 80});
    expect(inkedRows(pixels, 0).length).toBeGreaterThan(8);
    expect(inkedRows(pixels, 1)).toEqual([]);
    expect(inkedRows(pixels, 78)).toEqual([]);
    expect(inkedRows(pixels, 79)).toEqual(inkedRows(pixels, 0));
  });

  test('keeps its step over a long run', async () => {
    const pixels = await paint(`\x1b[38;2;255;0;0m${'i'.repeat(80)}`, {columns: 80});
    const patterns = [0, 40, 79].map(column => pixels.rowAt(MARGIN + 10, {columns: [column, column + 1]}).map(isInk));
    expect(patterns[1]).toEqual(patterns[0]);
    expect(patterns[2]).toEqual(patterns[0]);
  });

  test('is one element for a run of one style', async () => {
    const svg = await svgOf('plain\x1b[1mbold\x1b[0m next');
    expect(svg).toContain('>plain</text>');
    expect(svg).toMatch(/<text x="45" [^>]*font-weight="bold">bold<\/text>/);
    expect(svg).toMatch(/<text x="90" [^>]*>next<\/text>/);
  });

  test('cannot break out of the picture', async () => {
    const svg = await svgOf('</text><script>&"');
    expect(svg).not.toContain('<script>');
    expect(svg).toContain('&#60;/text&#62;&#60;script&#62;&#38;&#34;');
  });

  test('gives way to a box with the code where the font has no such character', async () => {
    const svg = await svgOf('東🚀');
    // U+6771 and U+1F680, each in two cells of 9.
    expect(svg).toMatch(/<rect x="0.5" y="2.5" width="17" [^>]*><text [^>]*>67<\/text><text [^>]*>71<\/text>/);
    expect(svg).toMatch(/<rect x="18.5" y="2.5" width="17" [^>]*><text [^>]*>1F6<\/text><text [^>]*>80<\/text>/);
  });

  test('is underlined and struck through by lines of its colour', async () => {
    const pixels = await paint('\x1b[38;2;255;0;0;4;9m  ');
    expect(inkedRows(pixels, 0)).toEqual([9, 16]);
  });
});

describe('the colours', () => {
  test.each([
    // The cube steps through 0, 95, 135, 175, 215, 255; 208 − 16 = 5·36 + 2·6 + 0.
    [208, '#ff8700'],
    [16, '#000000'],
    [231, '#ffffff'],
    // Greys are 8 + 10·n: 244 is the thirteenth after 232.
    [244, '#808080'],
    [255, '#eeeeee'],
  ])('of palette index %i are those of every terminal', (index, expected) => {
    expect(paletteColour(index)).toBe(expected);
  });

  test('of the ground are merged into one run', async () => {
    const svg = await svgOf('\x1b[48;2;1;2;3m    \x1b[48;2;4;5;6m  \x1b[0m  ');
    expect(svg.match(/<rect x="\d+" width="\d+" y="0" height="18" fill="#\w+"\/>/g)).toEqual([
      '<rect x="0" width="36" y="0" height="18" fill="#010203"/>',
      '<rect x="36" width="18" y="0" height="18" fill="#040506"/>',
    ]);
  });

  test('change places when inverse', async () => {
    const pixels = await paint('\x1b[38;2;255;0;0;48;2;0;0;255;7m█ ');
    expect(pixels.at(MARGIN + 4, MARGIN + 9)).toBe('#0000ff');
    expect(pixels.at(MARGIN + WIDTH + 4, MARGIN + 9)).toBe('#ff0000');
  });

  test('move towards the ground when dim', async () => {
    // 0.6 · 200 + 0.4 · 100 = 160; 0.6 · 100 = 60; 0.4 · 50 = 20.
    expect(mixed('#c86400', '#640032', 0.6)).toBe('#a03c14');
    const pixels = await paint('\x1b[38;2;200;100;0;48;2;100;0;50;2m█');
    expect(pixels.at(MARGIN + 4, MARGIN + 9)).toBe('#a03c14');
  });

  test('hide what is invisible', async () => {
    const pixels = await paint('\x1b[38;2;255;0;0;8m█M');
    expect([inkedRows(pixels, 0), inkedRows(pixels, 1)]).toEqual([[], []]);
  });
});

describe('the picture', () => {
  test('has the size of the screen, its margins and its title', async () => {
    const emulator = createEmulator({columns: 100, rows: 30});
    expect(screenToSvg(emulator)).toContain('width="924" height="564"');
    const titled = screenToSvg(emulator, {title: 'on-call <1>'});
    // The bar of 30 takes the place of the upper margin of 12.
    expect(titled).toContain('width="924" height="582"');
    expect(titled).toContain('>on-call &#60;1&#62;</text>');
  });

  test('is a PNG of as many pixels as the zoom asks for', async () => {
    const svg = screenToSvg(createEmulator({columns: 10, rows: 2}));
    const png = svgToPng(svg, {zoom: 2});
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // 10 · 9 + 24 and 2 · 18 + 24, twice.
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([228, 120]);
  });

  test('shows what is visible now, not what was scrolled away', async () => {
    const svg = await svgOf('gone\r\n2\r\n3\r\n4\r\nlast');
    expect(svg).toContain('>last</text>');
    expect(svg).not.toContain('gone');
  });
});

type Span = readonly [first: number, end: number];

type Pixels = {
  readonly at: (x: number, y: number) => string;
  readonly rowAt: (y: number, area: {columns: Span}) => string[];
  readonly columnAt: (x: number, area: {rows: Span}) => string[];
  readonly coloursIn: (area: {columns: Span; rows: Span}) => string[];
};

async function screenWith(text: string, {columns = 20}: {columns?: number} = {}): Promise<Emulator> {
  const emulator = createEmulator({columns, rows: 4});
  await written(emulator, text);
  return emulator;
}

async function svgOf(text: string): Promise<string> {
  return screenToSvg(await screenWith(text));
}

/** The pixels of the PNG itself: drawn as an image into a new picture, whose bytes can be read. */
async function paint(text: string, size?: {columns?: number}): Promise<Pixels> {
  const png = svgToPng(screenToSvg(await screenWith(text, size)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const href = `data:image/png;base64,${png.toString('base64')}`;
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${href}"/></svg>`;
  const {pixels} = new Resvg(image).render();
  const at = (x: number, y: number): string =>
    `#${pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 3).toString('hex')}`;
  const spread = ([first, end]: Span, unit: number): number[] => range(MARGIN + first * unit, MARGIN + end * unit - 1);
  return {
    at,
    rowAt: (y, {columns}) => spread(columns, WIDTH).map(x => at(x, y)),
    columnAt: (x, {rows}) => spread(rows, HEIGHT).map(y => at(x, y)),
    coloursIn: ({columns, rows}) => [
      ...new Set(spread(columns, WIDTH).flatMap(x => spread(rows, HEIGHT).map(y => at(x, y)))),
    ],
  };
}

/** The pixel rows of a cell in the first line that carry red ink. */
function inkedRows(pixels: Pixels, column: number): number[] {
  return range(0, HEIGHT - 1).filter(row => pixels.rowAt(MARGIN + row, {columns: [column, column + 1]}).some(isInk));
}

/** Red above the ground's own 0x11, by more than smoothing leaves at the rim of a neighbour. */
function isInk(colour: string): boolean {
  return Number.parseInt(colour.slice(1, 3), 16) > 0x40;
}

function range(first: number, last: number): number[] {
  return Array.from({length: last - first + 1}, (_, index) => first + index);
}
