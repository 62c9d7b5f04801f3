import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {chooseGlyphs, GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {axisChart, type ChartOptions, chartSummary, mirroredChart} from '../../src/ui/chart.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';

const percent = (value: number) => `${Math.round(value)}%`;

function chart(values: readonly (number | undefined)[], over: Partial<ChartOptions> = {}): readonly string[] {
  const options: ChartOptions = {width: 16, height: 4, format: percent, glyphs: GLYPH_SETS.unicode, ...over};
  return axisChart(values, options).map(textOf);
}

describe('axisChart', () => {
  it('fills an area below the values, dot by dot', () => {
    // Sixteen rows of dots, the topmost 0: 25 % ends in row 11 (the last of the third cell), 50 % in 8, 75 % in 4.
    expect(chart([0, 25, 50, 75, 100], {max: 100, isArea: true, width: 15, height: 4})).toEqual([
      '100%┤        ⣿⣿',
      '    │      ⣿⣿⣿⣿',
      '    │  ⣀⣀⣿⣿⣿⣿⣿⣿',
      '  0%┤⣀⣀⣿⣿⣿⣿⣿⣿⣿⣿',
    ]);
  });

  it('draws with plain characters in the ASCII set', () => {
    expect(chart([0, 0, 100, 100], {max: 100, glyphs: GLYPH_SETS.ascii, width: 13, height: 3})).toEqual([
      '100%|   .----',
      '    |   |    ',
      "  0%|---'    ",
    ]);
  });

  it('draws a line when that is chosen, with the characters of the set', () => {
    const glyphs = chooseGlyphs({isUtf8: true, charts: 'line'});
    expect(chart([0, 0, 100, 100], {max: 100, glyphs, width: 13, height: 3})).toEqual([
      '100%┤   ╭────',
      '    │   │    ',
      '  0%┤───╯    ',
    ]);
  });

  it('leaves a gap empty, with dots on the bottom row', () => {
    const [top, , , ground] = chart([50, 50, undefined, undefined, 50, 50], {width: 16});
    expect(top).toBe('60%┤⠤⠤⠤⠤    ⠤⠤⠤⠤');
    expect(ground).toBe(' 0%┤    ····    ');
  });

  it('shows a constant level on the top row, and a constant zero on the bottom row', () => {
    expect(chart([7, 7, 7])[0]).toMatch(/[⠁-⣿]/);
    expect(chart([0, 0, 0])[3]).toContain('⣀');
  });

  it('shows a single peak among many samples', () => {
    const values = Array.from({length: 5000}, (_, index) => (index === 1234 ? 100 : 1));
    expect(chart(values, {max: 100})[0]).toMatch(/[⠁-⣿]/);
    expect(chart(values, {max: 100, glyphs: GLYPH_SETS.ascii})[0]).toMatch(/[.|'-]/);
  });

  it('draws every column in the tone of the level that it reaches, and the label of the axis too', () => {
    const levels = [
      {from: 75, tone: 'warning'},
      {from: 90, tone: 'danger'},
    ] as const;
    const options = {width: 13, height: 3, max: 100, isArea: true, format: percent, glyphs: GLYPH_SETS.unicode, levels};
    const lines = axisChart([10, 10, 80, 80, 95, 95], options);
    expect(lines[2]?.map(({tone}) => tone)).toEqual(['dim', 'dim', 'series', 'warning', 'danger']);
    expect(lines[0]?.[0]).toEqual({text: '100%', tone: 'danger'});
  });

  it('ends the axis at a round figure above the data', () => {
    const lines = chart([95, 95], {height: 9, width: 16});
    expect(lines.map(line => line.slice(0, 4))).toEqual([
      '100%',
      '    ',
      ' 75%',
      '    ',
      ' 50%',
      '    ',
      ' 25%',
      '    ',
      '  0%',
    ]);
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

describe('mirroredChart', () => {
  const directions = [
    {name: 'in', values: [40, 40], tone: 'series'},
    {name: 'out', values: [20, 20], tone: 'accent'},
  ] as const;
  const options = {width: 9, height: 6, format: String, isArea: true, glyphs: GLYPH_SETS.unicode};

  it('draws one direction upwards from zero and the other downwards, on one scale and each with its name', () => {
    const lines = mirroredChart(...directions, options);
    // Twelve rows of dots for 40: 20 is half of them, from row 6 on.
    expect(lines.map(textOf)).toEqual([' 40┤⣿⣿⣿⣿⣿', ' in│⣿⣿⣿⣿⣿', '  0┤⣿⣿⣿⣿⣿', '   │⣿⣿⣿⣿⣿', 'out│⠛⠛⠛⠛⠛', ' 40┤     ']);
    expect([lines[0]?.at(-1)?.tone, lines[3]?.at(-1)?.tone]).toEqual(['series', 'accent']);
  });

  it('draws downwards with plain characters too', () => {
    const [up, down] = directions;
    const values = [0, 0, 0, 40, 40];
    expect(
      mirroredChart({...up, values}, {...down, values}, {...options, glyphs: GLYPH_SETS.ascii}).map(textOf),
    ).toEqual([' 40|  .--', ' in|  |  ', "  0|--'  ", '   |--.  ', 'out|  |  ', " 40|  '--"]);
  });

  it('marks a gap at zero on both sides', () => {
    const [up, down] = directions;
    const values = [undefined, undefined, 40, 40];
    const lines = mirroredChart({...up, values}, {...down, values}, options).map(textOf);
    expect([lines[2], lines[3]]).toEqual(['  0┤··⢸⣿⣿', '   │··⢸⣿⣿']);
  });
});

describe('chartSummary', () => {
  it.each([
    [[3, undefined, 97, 61], 61, 'last 61%  max 97%  min 3%'],
    [[3, 61, undefined], 61, 'last 61%  max 61%  min 3%'],
    [[3, 61], undefined, 'max 61%  min 3%'],
    [[undefined], undefined, 'no samples'],
  ])('gives the last, the greatest and the least value of %o, last %s', (values, last, expected) => {
    expect(chartSummary(values, percent, {last})).toBe(expected);
  });
});
