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

/** The bills of the last `count` closed days before today. */
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

describe('the weekday factor of a coming period, compared to what the records say', () => {
  test.each([
    // A Saturday is billed 140 / 240 of what the records say; four of them weigh four to one against a flat day.
    ['is lower for a Saturday when four Saturdays cost less', factor(bills(28, ofWeekday)), 1 - (100 / 240) * (4 / 5)],
    ['is more cautious with two weeks of bills', factor(bills(14, ofWeekday)), 1 - (100 / 240) * (2 / 3)],
    ['is 1 with less than two weeks of bills', factor(bills(13, ofWeekday)), 1],
    ['is 1 for a whole week', factor(bills(28, ofWeekday), {start: NOW, end: epochMs(NOW + 7 * DAY_MS)}), 1],
    ['is 1 when every day costs the same amount more', factor(bills(28, () => 300)), 1],
    [
      'is not changed by one day with a fee in it',
      factor(bills(28, (start, index) => (index === 3 ? 9000 : ofWeekday(start)))),
      1 - (100 / 240) * (4 / 5),
    ],
    ['is 1 when nothing was billed', factor(bills(28, () => 0)), 1],
    ['is 1 for an empty period', factor(bills(28, ofWeekday), {start: SATURDAY, end: SATURDAY}), 1],
  ])('%s', (_, told, expected) => {
    expect(told).toBeCloseTo(expected, 9);
  });

  test('does not count a day that is not over', () => {
    const open = bills(14, ofWeekday).map((day, index) =>
      index === 0 ? {...day, until: epochMs(day.start + HOUR_MS)} : day,
    );
    expect(factor(open)).toBe(1);
  });
});

test('a forecast of the rest of a month takes the remaining weekdays into account, and an ending contract as before', () => {
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
