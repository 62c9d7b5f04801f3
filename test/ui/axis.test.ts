import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {axisTicks, roundAxis, type Scale} from '../../src/ui/axis.ts';

const [K, M] = [1024, 1024 ** 2];

describe('roundAxis', () => {
  it.each([
    ['a ratio', 1, 'decimal', [0, 0.25, 0.5, 0.75, 1]],
    ['dollars of a day', 3229, 'decimal', [0, 1000, 2000, 3000, 4000]],
    ['a round value', 1000, 'decimal', [0, 250, 500, 750, 1000]],
    ['cents', 0.07, 'decimal', [0, 0.02, 0.04, 0.06, 0.08]],
    ['megabytes', 95 * M, 'binary', [0, 25 * M, 50 * M, 75 * M, 100 * M]],
    ['just above a round value', 103 * M, 'binary', [0, 50 * M, 100 * M, 150 * M]],
    ['near the next unit', 900 * K, 'binary', [0, 256 * K, 512 * K, 768 * K, M]],
    ['single bytes', 3, 'binary', [0, 1, 2, 3]],
    ['bytes without fractions', 9, 'binary', [0, 5, 10]],
    ['zero', 0, 'binary', [0]],
  ] satisfies readonly (readonly [
    string,
    number,
    Scale,
    readonly number[],
  ])[])('is round for %s', (_name, largest, scale, ticks) => {
    const axis = roundAxis(largest, scale);
    expect(axis.ticks.map(tick => Number(tick.toPrecision(9)))).toEqual(ticks);
    expect(axis.top).toBe(axis.ticks.at(-1) === 0 ? 1 : axis.ticks.at(-1));
  });

  it('has room for any value, and is at most twice as high, except for fractions of a byte', () => {
    const value = fc.double({min: 1e-9, max: 1e300, noNaN: true});
    fc.assert(
      fc.property(value, fc.constantFrom<Scale>('decimal', 'binary'), (largest, scale) => {
        const {top, ticks} = roundAxis(largest, scale);
        expect(top).toBeGreaterThanOrEqual(largest * (1 - 1e-8));
        if (scale === 'decimal' || largest >= 1) expect(top).toBeLessThanOrEqual(largest * 2);
        expect(ticks.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('axisTicks', () => {
  function labels(rows: number) {
    const rowOf = (value: number) => Math.round((1 - value) * (rows - 1));
    return axisTicks(roundAxis(1), rows, rowOf).map(value => (value === undefined ? '' : `${value * 100}%`));
  }

  it.each([
    [9, ['100%', '', '75%', '', '50%', '', '25%', '', '0%']],
    // Five ticks would be two and three rows apart.
    [10, ['100%', '', '', '', '', '50%', '', '', '', '0%']],
    [7, ['100%', '', '', '50%', '', '', '0%']],
    [5, ['100%', '', '50%', '', '0%']],
    [4, ['100%', '', '', '0%']],
    [3, ['100%', '', '0%']],
    [1, ['100%']],
  ])('keeps the ticks that are evenly spaced on %d rows', (rows, expected) => {
    expect(labels(rows)).toEqual(expected);
  });
});
