import {describe, expect, it} from 'vitest';
import type {ColourDepth} from '../../src/terminal/abilities.ts';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {channels, createTheme, nearestOf256, PALETTES, parsePalette, TONES, type Tone} from '../../src/ui/theme.ts';

const glyphs = GLYPH_SETS.unicode;

type PaletteName = keyof typeof PALETTES;

function themeOf(depth: ColourDepth, name: PaletteName = 'dark') {
  return createTheme({depth, palette: PALETTES[name], glyphs});
}

/**
 * For each theme, the backgrounds it is made for and the least ratios: those of WCAG 2 are 4.5 to 1 for text, 7 for high
 * contrast, and 3 for lines that only divide.
 */
const CONTRASTS: Readonly<
  Record<
    PaletteName,
    {
      readonly behind: readonly string[];
      readonly least: number;
      readonly leastOfEdges: number;
      readonly leastUnderCursor: number;
    }
  >
> = {
  dark: {behind: ['#000000', '#1e1e1e'], least: 4.5, leastOfEdges: 3, leastUnderCursor: 3.5},
  light: {behind: ['#ffffff'], least: 4.5, leastOfEdges: 3, leastUnderCursor: 3.5},
  'high-contrast': {behind: ['#000000'], least: 7, leastOfEdges: 7, leastUnderCursor: 7},
};

/** All themes: one without an entry in the table above fails. */
function paletteNames(): readonly PaletteName[] {
  return Object.keys(PALETTES) as PaletteName[];
}

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(left: string, right: string): number {
  const luminance = (hex: string) => {
    const [red, green, blue] = channels(hex).map(channel => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  };
  const [lighter, darker] = [luminance(left), luminance(right)].sort((one, other) => other - one);
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05);
}

/** The difference of two colours as CIE 1976 defines it: of 2.3 just visible, side by side. */
function difference(left: string, right: string): number {
  const lab = (hex: string) => {
    const [red = 0, green = 0, blue = 0] = channels(hex).map(channel => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    const [x = 0, y = 0, z = 0] = [
      (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
      0.2126 * red + 0.7152 * green + 0.0722 * blue,
      (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    ].map(share => (share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const [one, other] = [lab(left), lab(right)];
  return Math.hypot(...one.map((value, index) => value - (other[index] ?? 0)));
}

describe('createTheme', () => {
  it('uses no colour at all at depth none, and shows what matters by weight', () => {
    const theme = themeOf('none');
    const codes = TONES.flatMap(tone => theme.sgr(tone).split(';')).filter(code => code !== '');
    expect(codes.filter(code => !['1', '2', '4', '7'].includes(code))).toEqual([]);
    expect([theme.sgr('danger'), theme.sgr('cursor'), theme.sgr('dim'), theme.sgr('text')]).toEqual([
      '1',
      '7',
      '2',
      '',
    ]);
  });

  it.each([
    ['16', '1;31'],
    ['256', `1;38;5;${nearestOf256('#ff6b6b')}`],
    ['truecolor', '1;38;2;255;107;107'],
  ] as const)('paints danger at depth %s', (depth, codes) => {
    expect(themeOf(depth).paint('danger', 'CRIT')).toBe(`\u001b[${codes}mCRIT\u001b[0m`);
  });

  it('adds the cursor’s background to any other tone', () => {
    expect(themeOf('truecolor').sgr(['cursor', 'good'])).toBe('38;2;95;215;135;48;2;51;55;77');
    expect(themeOf('16').sgr(['cursor', 'good'])).toBe('7;32');
  });

  it('leaves plain and empty text alone', () => {
    const theme = themeOf('256');
    expect([theme.paint('text', 'a'), theme.paint(undefined, 'b'), theme.paint('danger', '')]).toEqual(['a', 'b', '']);
  });

  it.each(
    paletteNames().flatMap(name => CONTRASTS[name].behind.map(behind => [name, behind] as const)),
  )('has enough contrast: %s on %s', (name, behind) => {
    const {least, leastOfEdges} = CONTRASTS[name];
    const faint = coloursOf(name).filter(
      ({tone, hex}) => contrast(hex, behind) < (tone === 'border' ? leastOfEdges : least),
    );
    expect(faint).toEqual([]);
  });

  it.each(paletteNames())('has enough contrast in the row under the cursor: %s', name => {
    const behind = PALETTES[name].cursor.hex;
    expect(themeOf('truecolor', name).sgr('cursor')).toBe(`48;2;${channels(behind).join(';')}`);
    const {leastUnderCursor} = CONTRASTS[name];
    const faint = coloursOf(name).filter(
      ({tone, hex}) => tone !== 'border' && contrast(hex, behind) < leastUnderCursor,
    );
    expect(faint).toEqual([]);
  });

  it.each(paletteNames())('tells a warning from an amount of money, which stands beside most of them: %s', name => {
    const {warning, money, good, danger} = PALETTES[name];
    expect(difference(warning.hex, money.hex)).toBeGreaterThan(25);
    expect(difference(warning.hex, danger.hex)).toBeGreaterThan(25);
    expect(difference(money.hex, good.hex)).toBeGreaterThan(25);
  });

  it('makes nothing faint in the high-contrast theme', () => {
    for (const depth of ['16', '256', 'truecolor'] as const) {
      const codes = TONES.flatMap(tone => themeOf(depth, 'high-contrast').sgr(tone).split(';', 1));
      expect(codes).not.toContain('2');
    }
  });
});

describe('parsePalette', () => {
  it('takes what it does not name from the theme that it extends', () => {
    const parsed = parsePalette({extends: 'light', colors: {danger: '#AA0000', text: '#111111'}});
    const theme = createTheme({depth: 'truecolor', palette: parsed.ok ? parsed.palette : {}, glyphs});
    expect(theme.sgr('danger')).toBe('1;38;2;170;0;0');
    expect(theme.sgr(undefined)).toBe('38;2;17;17;17');
    expect(theme.sgr('good')).toBe(themeOf('truecolor', 'light').sgr('good'));
  });

  it('extends the dark theme when it does not say which', () => {
    expect(parsePalette({})).toEqual({ok: true, palette: PALETTES.dark});
  });

  it.each<[string, unknown, RegExp]>([
    ['a list', [], /not a JSON object/],
    ['null', null, /not a JSON object/],
    ['an unknown key', {colours: {}}, /colours: .*extends, colors/],
    ['an unknown theme', {extends: 'neon'}, /extends: .*dark, light, high-contrast/],
    ['a name that every object has', {extends: 'constructor'}, /extends: .*dark/],
    ['colours that are not an object', {colors: 'red'}, /colors: not a JSON object/],
    ['an unknown colour', {colors: {dangr: '#ff0000'}}, /colors\.dangr: .*danger/],
    ['a colour by name', {colors: {danger: 'red'}}, /colors\.danger: .*#rrggbb/],
    ['a short colour', {colors: {danger: '#f00'}}, /colors\.danger: .*#rrggbb/],
    ['an escape sequence', {colors: {danger: '#ff00\u001b['}}, /colors\.danger: .*#rrggbb/],
  ])('names the key and what is allowed: %s', (_name, value, mistake) => {
    const parsed = parsePalette(value);
    expect(parsed.ok ? '' : parsed.mistake).toMatch(mistake);
  });
});

describe('nearestOf256', () => {
  it.each([
    ['#000000', 16],
    ['#ffffff', 231],
    ['#ff0000', 196],
    ['#5f87af', 67],
    ['#808080', 244],
  ])('finds for %s the colour %i', (hex, index) => {
    expect(nearestOf256(hex)).toBe(index);
  });
});

/** The colours of the theme's characters, as they are sent to a 24-bit terminal. */
function coloursOf(name: PaletteName): readonly {readonly tone: Tone; readonly hex: string}[] {
  const theme = themeOf('truecolor', name);
  return TONES.flatMap(tone => {
    const [, ...channels] = /38;2;(\d+);(\d+);(\d+)/.exec(theme.sgr(tone)) ?? [];
    if (channels.length === 0) return [];
    return [{tone, hex: `#${channels.map(channel => Number(channel).toString(16).padStart(2, '0')).join('')}`}];
  });
}
