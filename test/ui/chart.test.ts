import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {chooseGlyphs, GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {axisChart, type ChartOptions, chartSummary} from '../../src/ui/chart.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';

const percent = (value: number) => `${Math.round(value)}%`;

function chart(values: readonly (number | undefined)[], over: Partial<ChartOptions> = {}): readonly string[] {
  const options: ChartOptions = {width: 16, height: 4, format: percent, glyphs: GLYPH_SETS.unicode, ...over};
  return axisChart(values, options).map(textOf);
}

describe('axisChart', () => {
  it('fills an area below the values, dot by dot', () => {
    // Sixteen rows of dots, the topmost 0: 25 % ends in row 11 (the last of the third cell), 50 % in 8, 75 % in 4.
    expect(chart([0, 25, 50, 75, 100], {min: 0, max: 100, isArea: true, width: 15, height: 4})).toEqual([
      '100%┤        ⣿⣿',
      '    │      ⣿⣿⣿⣿',
      '    │  ⣀⣀⣿⣿⣿⣿⣿⣿',
      '  0%┤⣀⣀⣿⣿⣿⣿⣿⣿⣿⣿',
    ]);
  });

  it('draws with plain characters in the ASCII set', () => {
    expect(chart([0, 0, 100, 100], {min: 0, max: 100, glyphs: GLYPH_SETS.ascii, width: 13, height: 3})).toEqual([
      '100%|   .----',
      '    |   |    ',
      "  0%|---'    ",
    ]);
  });

  it('draws a line where that was chosen, with the characters of the set', () => {
    const glyphs = chooseGlyphs({isUtf8: true, charts: 'line'});
    expect(chart([0, 0, 100, 100], {min: 0, max: 100, glyphs, width: 13, height: 3})).toEqual([
      '100%┤   ╭────',
      '    │   │    ',
      '  0%┤───╯    ',
    ]);
  });

  it('leaves a gap empty, with dots on the ground', () => {
    const [top, , , ground] = chart([50, 50, undefined, undefined, 50, 50], {min: 0, max: 50, width: 16});
    expect(top).toBe('50%┤⠉⠉⠉⠉    ⠉⠉⠉⠉');
    expect(ground).toBe(' 0%┤    ····    ');
  });

  it('shows a level without any range high above the ground, and zero on it', () => {
    expect(chart([7, 7, 7])[0]).toContain('⠉');
    expect(chart([0, 0, 0])[3]).toContain('⣀');
  });

  it('loses no peak of many samples', () => {
    const values = Array.from({length: 5000}, (_, index) => (index === 1234 ? 100 : 1));
    expect(chart(values, {max: 100})[0]).toMatch(/[⠁-⣿]/);
    expect(chart(values, {max: 100, glyphs: GLYPH_SETS.ascii})[0]).toMatch(/[.|'-]/);
  });

  it('draws a threshold where no data stands', () => {
    const lines = chart([1, 1, 1], {min: 0, max: 100, threshold: 100});
    expect(lines[0]).toBe('100%┤┄┄┄┄┄┄┄┄┄┄┄');
  });

  it('writes the times below, the first at the left and the last at the right', () => {
    const lines = chart([1, 2, 3], {width: 30, height: 5, times: ['19:58', '20:28', '20:58']});
    expect(lines.at(-1)).toBe('   19:58      20:28      20:58');
  });

  it('drops a time that has no room', () => {
    expect(chart([1, 2, 3], {width: 15, height: 5, times: ['19:58', '20:28', '20:58']}).at(-1)).toBe('   19:58  20:58');
  });

  it('says that there are no samples', () => {
    expect(chart([]).join('')).toContain('no samples');
    expect(chart([undefined, Number.NaN]).join('')).toContain('no samples');
  });

  it('takes exactly its size, whatever the values', () => {
    const value = fc.oneof(fc.double({min: -1e9, max: 1e9}), fc.constant(undefined));
    const size = fc.integer({min: 0, max: 40});
    fc.assert(
      fc.property(
        fc.array(value, {maxLength: 80}),
        size,
        fc.integer({min: 0, max: 12}),
        fc.boolean(),
        fc.boolean(),
        (values, width, height, isArea, isAscii) => {
          const glyphs = isAscii ? GLYPH_SETS.ascii : GLYPH_SETS.unicode;
          const lines = axisChart(values, {width, height, isArea, glyphs, format: percent, times: ['a', 'b']});
          expect(lines.length).toBe(width < 1 ? 0 : height);
          expect(lines.filter(line => lineWidth(line) !== width)).toEqual([]);
        },
      ),
      {numRuns: 500},
    );
  });
});

describe('chartSummary', () => {
  it.each([
    [[3, undefined, 97, 61], 'last 61%  max 97%  min 3%'],
    [[3, 61, undefined], 'last 61%  max 61%  min 3%'],
    [[undefined], 'no samples'],
  ])('tells what is in %o', (values, expected) => {
    expect(chartSummary(values, percent)).toBe(expected);
  });
});
