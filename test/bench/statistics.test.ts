import {describe, expect, test} from 'vitest';
import {median, medianRatio, percentile, slopeOf} from './statistics.ts';

describe('median', () => {
  test.each<[name: string, values: readonly number[], expected: number]>([
    ['of one value is that value', [7], 7],
    ['of three is the middle one, in any order', [9, 1, 4], 4],
    ['of four is the mean of the middle two', [1, 10, 2, 4], 3],
    ['of no values is NaN', [], Number.NaN],
  ])('%s', (_name, values, expected) => {
    expect(median(values)).toBe(expected);
  });
});

describe('percentile', () => {
  test.each<[name: string, share: number, expected: number]>([
    ['half of a hundred', 0.5, 50],
    ['ninety-nine of a hundred', 0.99, 99],
    ['all', 1, 100],
    ['none', 0, 1],
  ])('is the value that %s do not exceed', (_name, share, expected) => {
    const hundred = Array.from({length: 100}, (_, index) => 100 - index);
    expect(percentile(hundred, share)).toBe(expected);
  });
});

test('compares values measured together, not the medians', () => {
  // The machine became ten times slower in the last round. The ratio of the medians would be 20.
  expect(medianRatio([20, 40, 400], [10, 2, 200])).toBe(2);
});

test.each([
  ['values on a line', [1, 3, 5, 7], 2, 0],
  // The sum of the squares left over is 2.4: √(2.4 / 3 / 10) times the t of three degrees of freedom, 2.353.
  ['values around a line', [2, 4, 5, 4, 5], 0.6, 0.6655],
])('the slope of %s is known to a bound', (_name, values, slope, bound) => {
  expect(slopeOf(values).slope).toBeCloseTo(slope, 4);
  expect(slopeOf(values).bound).toBeCloseTo(bound, 3);
});
