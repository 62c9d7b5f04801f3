import {describe, expect, test} from 'vitest';
import type {BilledDay} from '../../../src/domain/money/billed-day.ts';
import {forecastRemaining} from '../../../src/domain/money/forecast.ts';
import {spendCurve} from '../../../src/domain/money/spend-curve.ts';
import {weekdayFactor} from '../../../src/domain/money/weekday.ts';
import {rational, usd} from '../../../src/domain/money.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import {aRecord, at, MONTH, NOW, perHour} from './a-usage-record.ts';

const TODAY = at('2026-11-11T00:00:00Z');
/** $240 a day by the records, for a hundred days. */
const CURVE = spendCurve(
  [aRecord({createdAt: epochMs(NOW - 100 * DAY_MS), billedCost: usd(rational(24_000n, 1n)), rate: perHour('10')})],
  NOW,
);
const isWeekend = (start: EpochMs) => [0, 6].includes(new Date(start).getUTCDay());
/** $280 from Monday to Friday, $140 on Saturday and Sunday: $240 a day as well. */
const ofWeekday = (start: EpochMs): number => (isWeekend(start) ? 140 : 280);

/** So many closed days before today. */
function bills(count: number, dollarsOf: (start: EpochMs, index: number) => number): readonly BilledDay[] {
  return Array.from({length: count}, (_, index) => {
    const start = epochMs(TODAY - (index + 1) * DAY_MS);
    const cost = usd(rational(BigInt(Math.round(dollarsOf(start, index) * 1e6)), 1_000_000n));
    return {start, until: epochMs(start + DAY_MS), cost};
  });
}

const SATURDAY = at('2026-11-14T00:00:00Z');
const saturday = {start: SATURDAY, end: epochMs(SATURDAY + DAY_MS)};
const factor = (days: readonly BilledDay[], period = saturday) => weekdayFactor(days, CURVE, period);

describe('what the weekdays of a time ahead cost, to what the records say', () => {
  test.each([
    // A Saturday is billed 140 / 240 of what the records say; four of them count as four to one flat day.
    ['is less of a Saturday, four of which cost less', factor(bills(28, ofWeekday)), 1 - (100 / 240) * (4 / 5)],
    ['is told more cautiously by two weeks', factor(bills(14, ofWeekday)), 1 - (100 / 240) * (2 / 3)],
    ['is not told by less than two weeks', factor(bills(13, ofWeekday)), 1],
    ['is not told by a whole week', factor(bills(28, ofWeekday), {start: NOW, end: epochMs(NOW + 7 * DAY_MS)}), 1],
    ['is not told by what comes on top of every day', factor(bills(28, () => 300)), 1],
    [
      'is not told by one day with a fee in it',
      factor(bills(28, (start, index) => (index === 3 ? 9000 : ofWeekday(start)))),
      1 - (100 / 240) * (4 / 5),
    ],
    ['is not told where nothing was billed', factor(bills(28, () => 0)), 1],
    ['is not told of no time at all', factor(bills(28, ofWeekday), {start: SATURDAY, end: SATURDAY}), 1],
  ])('%s', (_, told, expected) => {
    expect(told).toBeCloseTo(expected, 9);
  });

  test('is not told by a day that is not over', () => {
    const open = bills(14, ofWeekday).map((day, index) =>
      index === 0 ? {...day, until: epochMs(day.start + HOUR_MS)} : day,
    );
    expect(factor(open)).toBe(1);
  });
});

test('a forecast of the rest of a month counts the weekdays that are left, and a contract that ends as before', () => {
  const asked = {curve: CURVE, now: NOW, monthEnd: MONTH.end, hasStep: false};
  const cliffs = [{at: epochMs(NOW + 10 * DAY_MS), perMs: -4 / HOUR_MS}];
  const remaining = (fields: object) => {
    const forecast = forecastRemaining({...asked, cliffs: [], ...fields});
    if (forecast.status !== 'ready') throw new Error('no forecast');
    return forecast.remaining;
  };
  const billed = bills(28, ofWeekday);
  // From Wednesday at six: 0.75 and 13 days from Monday to Friday, six at the weekend.
  const days = 13.75 * (1 + (40 / 240) * (4 / 5)) + 6 * (1 - (100 / 240) * (4 / 5));
  expect(remaining({billed})).toBeCloseTo(240 * days, 3);
  expect(remaining({billed, cliffs}) - remaining({billed})).toBeCloseTo(remaining({cliffs}) - remaining({}), 6);
});
