import fc from 'fast-check';
import {eastAsianWidthType} from 'get-east-asian-width';
import stringWidth from 'string-width';
import {describe, expect, it, vi} from 'vitest';
import {anyText} from '../support/any-text.ts';
import {sweepOf} from '../support/tier.ts';
import {
  cellWidth,
  chooseGlyphs,
  GLYPH_SETS,
  type Glyphs,
  graphemes,
  isOneCell,
  isTwoCells,
  plainSign,
} from '../../src/terminal/glyphs.ts';

function glyphsIn({
  name: _name,
  charts: _charts,
  chartLines,
  states,
  levels,
  barParts,
  ...rest
}: Glyphs): readonly string[] {
  return [...Object.values(rest), ...Object.values(states), ...levels, ...barParts, ...chartLines];
}

const sets = Object.values(GLYPH_SETS);

describe('GLYPH_SETS', () => {
  it.each(sets.map(set => [set.name, set] as const))('takes one cell for every glyph: %s', (_name, set) => {
    expect(glyphsIn(set).filter(glyph => stringWidth(glyph) !== 1)).toEqual([]);
  });

  it.each(sets.map(set => [set.name, set] as const))('has a different shape for every state: %s', (_name, set) => {
    const shapes = Object.values(set.states);
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it.each(sets.map(set => [set.name, set] as const))('has a gap different from every level: %s', (_name, set) => {
    expect(new Set([...set.levels, set.gap]).size).toBe(9);
  });

  it('keeps characters that some terminals draw two cells wide out of the narrow-safe set', () => {
    const wideSomewhere = glyphsIn(GLYPH_SETS['narrow-safe']).filter(
      glyph => eastAsianWidthType(glyph.codePointAt(0) ?? 0) === 'ambiguous',
    );
    expect(wideSomewhere).toEqual([]);
  });

  it('keeps everything but printable ASCII out of the ASCII set', () => {
    expect(glyphsIn(GLYPH_SETS.ascii).filter(glyph => !/^[ -~]$/.test(glyph))).toEqual([]);
  });
});

describe('chooseGlyphs', () => {
  it.each([
    [{isUtf8: true}, 'unicode'],
    [{isUtf8: true, preference: 'narrow-safe'}, 'narrow-safe'],
    [{isUtf8: true, preference: 'ascii'}, 'ascii'],
    [{isUtf8: false}, 'ascii'],
    [{isUtf8: false, preference: 'unicode'}, 'ascii'],
  ] as const)('for %o, chooses the set %s', (wish, name) => {
    expect(chooseGlyphs(wish).name).toBe(name);
  });
});

describe('plainSign', () => {
  it.each([
    ['–', 'unicode', undefined],
    ['–', 'narrow-safe', '-'],
    ['你', 'narrow-safe', undefined],
    ['a', 'ascii', undefined],
    ['…', 'ascii', '~'],
    ['é', 'ascii', '?'],
    ['🙂', 'ascii', '?'],
  ] as const)('replaces %s in the %s set by %s', (character, set, sign) => {
    expect(plainSign(character, set)).toBe(sign);
  });
});

describe('isOneCell and isTwoCells', () => {
  it('agree with the full table when they are sure', () => {
    const wrong = Array.from({length: 0x10000}, (_, unit) => unit).filter(unit => {
      const width = stringWidth(String.fromCharCode(unit));
      return (isOneCell(unit) && width !== 1) || (isTwoCells(unit) && width !== 2);
    });
    expect(wrong).toEqual([]);
  });

  it('are sure about the characters of a deck', () => {
    const used = `${sets.flatMap(glyphsIn).join('')}abc XYZ 0123 $%–…éü⣿⠂你한`;
    expect(
      [...used].filter(character => !isOneCell(character.charCodeAt(0)) && !isTwoCells(character.charCodeAt(0))),
    ).toEqual([]);
  });
});

describe('graphemes', () => {
  it('are those of the Unicode rules, whatever characters stand side by side', () => {
    const anyUnit = fc.integer({min: 0, max: 0xffff}).map(unit => String.fromCharCode(unit));
    const joining = fc.constantFrom(
      '\u0301',
      '\u200d',
      '\ufe0f',
      '\u30fc',
      '\u3099',
      '\r',
      '\n',
      '🚀',
      '推',
      '\ue001',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(anyUnit, joining), {maxLength: 8}), parts => {
        const text = parts.join('');
        expect(graphemes(text)).toEqual(Array.from(new Intl.Segmenter('en').segment(text), ({segment}) => segment));
      }),
      {numRuns: sweepOf({sample: 1000, deep: 20_000})},
    );
  });

  it('are single characters only where no character can join', async () => {
    vi.resetModules();
    const {graphemes: split} = await import('../../src/terminal/glyphs.ts');
    let askedCount = 0;
    const asking = {segment: () => [{segment: `asked ${++askedCount}`}]};
    const spy = vi.spyOn(Intl, 'Segmenter').mockImplementation(function segmenter() {
      return asking as unknown as Intl.Segmenter;
    });
    const codes = [...Array(0x2_0000).keys(), ...Array.from({length: 0x1000}, (_, index) => 0xe_0000 + index)];
    const alone = codes
      .filter(code => code < 0xd800 || code > 0xdfff)
      .map(code => String.fromCodePoint(code))
      .filter(character => split(`${character}a`)[0] === character);
    spy.mockRestore();
    expect(askedCount).toBeGreaterThan(0);
    expect(alone).toContain('🚀');
    const mixed = [...alone, ...alone.toReversed()];
    expect(Array.from(new Intl.Segmenter('en').segment(mixed.join('')), ({segment}) => segment)).toEqual(mixed);
  });

  it('need no segmenter for the lines that Ink draws and the names of most accounts', async () => {
    vi.resetModules();
    const unused = await import('../../src/terminal/glyphs.ts');
    const made = vi.spyOn(Intl, 'Segmenter');
    expect(unused.graphemes(`\ue001${' '.repeat(5)}\uf8ff推論サーバー`)).toHaveLength(13);
    expect(unused.graphemes('🚀')).toEqual(['🚀']);
    expect(made).not.toHaveBeenCalled();
    unused.graphemes('e\u0301a');
    expect(made).toHaveBeenCalledOnce();
  });
});

/** Where widths change from one character to the next; elsewhere long runs of ideographs and syllables have the same width. */
const MIXED_PARTS = [
  [0, 0x3400],
  [0xa000, 0xac00],
  [0xf900, 0x11000],
  [0x16fe0, 0x17000],
  [0x1b000, 0x20000],
] as const;
const STEP = sweepOf({sample: 64, deep: 1});

describe('cellWidth', () => {
  it('counts every character as Ink does', () => {
    const codes = Array.from({length: 0x40000}, (_, code) => code).filter(
      code => code % STEP === 0 || MIXED_PARTS.some(([first, end]) => code >= first && code < end),
    );
    const wrong = codes.filter(
      code => cellWidth(String.fromCodePoint(code)) !== stringWidth(String.fromCodePoint(code)),
    );
    expect(wrong).toEqual([]);
  });

  it('counts every cluster as Ink does', () => {
    const joining = fc.constantFrom(
      ...[
        'a',
        '1',
        ' ',
        '\u0301',
        '\u0903',
        '\u200d',
        '\ufe0f',
        '\u20e3',
        '👩',
        '💻',
        '🏽',
        '🇫',
        '🇷',
        '❤',
        '©',
        '\u0600',
        '\u0d4e',
      ],
      ...[
        'क',
        '्',
        'ि',
        'ा',
        '\u1100',
        '\u1161',
        '\u11a8',
        '\ua960',
        '\ud7b0',
        '한',
        '你',
        'ｶ',
        'ﾞ',
        '\t',
        '\u00ad',
        '\u061c',
      ],
    );
    const text = fc.oneof(fc.string({unit: joining, maxLength: 8}), anyText({maxLength: 6}));
    fc.assert(
      fc.property(text, value => {
        fc.pre(!value.includes('\u001b') && !value.includes('\u009b'));
        expect(cellWidth(value)).toBe(stringWidth(value));
      }),
      {numRuns: 5000},
    );
  });

  it('is the sum of the widths of its graphemes', () => {
    fc.assert(
      fc.property(anyText({maxLength: 10}), text => {
        expect(graphemes(text).reduce((sum, grapheme) => sum + cellWidth(grapheme), 0)).toBe(cellWidth(text));
      }),
    );
  });
});
