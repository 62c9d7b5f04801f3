import {describe, expect, it} from 'vitest';
import {budgetUse} from '../../../src/domain/money/budget.ts';
import {ratePerHour, rational, usd} from '../../../src/domain/money.ts';
import {DAY_MS, epochMs} from '../../../src/domain/time.ts';

const START = Date.UTC(2026, 10, 1);
const month = {start: epochMs(START), end: epochMs(START + 30 * DAY_MS)};
const dollars = (amount: number) => usd(rational(BigInt(amount), 1n));
const perHour = (amount: number) => ratePerHour(rational(BigInt(amount), 1n));
const alertRatios = [1, 0.5, 0.8];

describe('budgetUse', () => {
  it('gives the share, the pace and the time when the present burn rate reaches the next share', () => {
    // 600 of 1,000 dollars after 15 of 30 days; 200 more at 5 $/h take 40 hours.
    const now = epochMs(START + 15 * DAY_MS);
    const figures = {monthToDate: dollars(600), burn: perHour(5), month};
    expect(budgetUse(figures, {budget: dollars(1000), alertRatios}, now)).toEqual({
      ratio: 0.6,
      pace: 1.2,
      next: {ratio: 0.8, at: now + 40 * 3_600_000},
    });
  });

  it.each([
    ['without a time when nothing burns', 600, 0, {ratio: 0.8, at: undefined}],
    [
      'with its time when the burn rate reaches it within the month',
      400,
      1,
      {ratio: 0.5, at: epochMs(START + 15 * DAY_MS + 100 * 3_600_000)},
    ],
    ['without a time when the month ends before it', 100, 1, {ratio: 0.5, at: undefined}],
    ['as undefined when every share is spent', 1001, 5, undefined],
  ])('gives the next share %s', (_what, spent, burn, next) => {
    const figures = {monthToDate: dollars(spent), burn: perHour(burn), month};
    const use = budgetUse(figures, {budget: dollars(1000), alertRatios}, epochMs(START + 15 * DAY_MS));
    expect(use?.next).toEqual(next);
  });

  it('has no pace at the first moment of a month, and no use of a budget of zero', () => {
    const figures = {monthToDate: dollars(0), burn: perHour(5), month};
    expect(budgetUse(figures, {budget: dollars(1000), alertRatios}, month.start)?.pace).toBeUndefined();
    expect(budgetUse(figures, {budget: dollars(0), alertRatios}, month.start)).toBeUndefined();
  });
});
