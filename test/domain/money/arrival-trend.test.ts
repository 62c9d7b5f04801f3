import {expect, test} from 'vitest';
import {arrivalGrowth} from '../../../src/domain/money/arrival-trend.ts';
import {DAY_MS, HOUR_MS} from '../../../src/domain/time.ts';

const HOURS = 84 * 24;
const AT = 100_000 * HOUR_MS;
const FIRST = AT / HOUR_MS - HOURS;

/** The hours of `count` beginnings, spread evenly over a part of the 84 days before `AT`. */
function even(count: number, [from, until]: readonly [from: number, until: number]): readonly number[] {
  const [first, last] = [FIRST + from * HOURS, FIRST + until * HOURS];
  return Array.from({length: count}, (_, index) => Math.round(first + ((index + 0.5) / count) * (last - first)));
}

const growth = (hours: readonly number[], {days = 7, knownDays = 200} = {}) =>
  arrivalGrowth(hours, {at: AT, startsAt: AT - knownDays * DAY_MS, afterMs: days * DAY_MS});

test.each([
  ['is none when as much begins at all times', growth(even(48, [0, 1])), 1],
  // The mean lies 21 of 84 days off the middle, at 6 deviations: 12 × 21 × 7 ÷ 84² × (1 − (2 ÷ 6)²) = 0.2222.
  ['falls when nothing began lately', growth(even(48, [0, 0.5])), Math.exp(-0.2222)],
  ['rises when everything began lately', growth(even(48, [0.5, 1])), Math.exp(0.2222)],
  ['is at least a half', growth(even(48, [0, 0.5]), {days: 60}), 0.5],
  ['is at most double', growth(even(48, [0.5, 1]), {days: 60}), 2],
  // Five beginnings: 21 of 84 days are 1.9 deviations.
  ['is none when it may be chance', growth(even(5, [0, 0.5])), 1],
  ['is none with four beginnings only', growth(even(4, [0.9, 1])), 1],
  ['is none with less than four weeks of history', growth(even(48, [0.8, 1]), {knownDays: 27}), 1],
  ['is that of the last twelve weeks only', growth([...even(48, [-4, -0.01]), ...even(48, [0, 1])]), 1],
])('the growth of beginnings %s', (_, measured, expected) => {
  expect(measured).toBeCloseTo(expected, 3);
});
