import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {
  type Background,
  type ColourDepth,
  channels,
  createTheme,
  nearestOf256,
  TONES,
  type Tone,
} from '../../src/ui/theme.ts';

const glyphs = GLYPH_SETS.unicode;

function themeOf(depth: ColourDepth, background: Background = 'dark') {
  return createTheme({depth, background, glyphs});
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

describe('createTheme', () => {
  it('uses no colour at all at depth none, and tells what matters by weight', () => {
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

  it.each([
    ['dark', '#000000'],
    ['dark', '#1e1e1e'],
    ['light', '#ffffff'],
  ] as const)('can be read on a %s background such as %s', (background, behind) => {
    const faint = coloursOn(background).filter(({tone, hex}) => contrast(hex, behind) < (tone === 'border' ? 3 : 4.5));
    expect(faint).toEqual([]);
  });

  it.each([
    ['dark', '#33374d'],
    ['light', '#dbe4ff'],
  ] as const)('can be read in the row under the cursor: %s', (background, behind) => {
    const faint = coloursOn(background).filter(({tone, hex}) => tone !== 'border' && contrast(hex, behind) < 3.5);
    expect(faint).toEqual([]);
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

/** The colours of the theme's signs and words, as a terminal of 24 bits is told them. */
function coloursOn(background: Background): readonly {readonly tone: Tone; readonly hex: string}[] {
  const theme = themeOf('truecolor', background);
  return TONES.flatMap(tone => {
    const [, ...channels] = /38;2;(\d+);(\d+);(\d+)/.exec(theme.sgr(tone)) ?? [];
    if (channels.length === 0) return [];
    return [{tone, hex: `#${channels.map(channel => Number(channel).toString(16).padStart(2, '0')).join('')}`}];
  });
}
