import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {lastBins, sparkline, toneOf} from '../../src/ui/sparkline.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';

const glyphs = GLYPH_SETS.unicode;

describe('sparkline', () => {
  it.each([
    ['rising', [0, 1, 2, 3, 4, 5, 6, 7], 7, '▁▁▂▃▄▅▆▇'],
    ['gaps as dots, and zero as the lowest bar', [undefined, 0, undefined, 7], 7, '·▁·▇'],
    ['a value above the scale at its top', [4, 70], 7, '▄▇'],
    ['values on a scale of their own', [1, 2, 4], undefined, '▂▄▇'],
    ['all zero', [0, 0], undefined, '▁▁'],
    ['values that are not finite numbers as gaps', [Number.NaN, Number.POSITIVE_INFINITY], 8, '··'],
    ['only gaps', [undefined, undefined], undefined, '··'],
  ] as const)('draws %s', (_name, bins, max, expected) => {
    expect(textOf(sparkline(bins, {width: bins.length, glyphs, max}))).toBe(expected);
  });

  it('shows the newest bins, and gaps before the first', () => {
    expect(textOf(sparkline([8, 8, 0], {width: 2, glyphs, max: 8}))).toBe('▇▁');
    expect(textOf(sparkline([8], {width: 4, glyphs, max: 8}))).toBe('···▇');
  });

  it('leaves the top of its row free, so that graphs below each other do not merge', () => {
    for (const set of [GLYPH_SETS.unicode, GLYPH_SETS['narrow-safe']]) {
      expect(textOf(sparkline([1], {width: 1, glyphs: set}))).not.toBe(set.levels.at(-1));
    }
  });

  it('colours by threshold, run by run', () => {
    const thresholds = [
      {from: 0.9, tone: 'danger'},
      {from: 0.5, tone: 'warning'},
    ] as const;
    expect(sparkline([0.1, 0.2, 0.5, 0.95, undefined], {width: 5, glyphs, max: 1, thresholds})).toEqual([
      {text: '▁▂', tone: 'series'},
      {text: '▄', tone: 'warning'},
      {text: '▇', tone: 'danger'},
      {text: '·', tone: 'dim'},
    ]);
  });

  it('takes exactly its width in every glyph set, whatever the bins', () => {
    const bins = fc.array(fc.oneof(fc.double(), fc.constant(undefined)), {maxLength: 30});
    fc.assert(
      fc.property(
        bins,
        fc.integer({min: 0, max: 20}),
        fc.constantFrom(...Object.values(GLYPH_SETS)),
        (values, width, set) => {
          expect(lineWidth(sparkline(values, {width, glyphs: set}))).toBe(width);
        },
      ),
    );
  });

  it('never draws a higher value lower', () => {
    const value = fc.double({min: 0, max: 1, noNaN: true});
    fc.assert(
      fc.property(value, value, (left, right) => {
        const [low, high] = [Math.min(left, right), Math.max(left, right)];
        const drawn = [...textOf(sparkline([low, high], {width: 2, glyphs, max: 1}))].map(level =>
          glyphs.levels.indexOf(level),
        );
        expect(drawn[0]).toBeLessThanOrEqual(drawn[1] ?? -1);
      }),
    );
  });
});

describe('toneOf', () => {
  it.each([
    [0.4, 'good'],
    [0.5, 'warning'],
    [0.9, 'danger'],
  ] as const)('gives %d the tone of the highest threshold it reaches', (value, tone) => {
    const thresholds = [
      {from: 0.5, tone: 'warning'},
      {from: 0.9, tone: 'danger'},
    ] as const;
    expect(toneOf(value, thresholds, 'good')).toBe(tone);
  });
});

describe('lastBins', () => {
  it('keeps the newest and fills up at the front', () => {
    expect([lastBins([1, 2, 3], 2), lastBins([1], 3), lastBins([1], 0)]).toEqual([
      [2, 3],
      [undefined, undefined, 1],
      [],
    ]);
  });
});
