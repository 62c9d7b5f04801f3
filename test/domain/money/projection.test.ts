import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {projectMonth} from '../../../src/domain/money/report.ts';
import {parseDecimal, ratePerHour, rational, toMicroUsd, usd} from '../../../src/domain/money.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../../src/domain/time.ts';

const START = epochMs(Date.UTC(2026, 10, 1));
const END = epochMs(Date.UTC(2026, 11, 1));
const dollars = (text: string) => usd(parseDecimal(text) ?? rational(0n, 1n));
const perHour = (text: string) => ratePerHour(parseDecimal(text) ?? rational(0n, 1n));

describe('projectMonth', () => {
  test('adds the burn rate of the hours that are left', () => {
    const now = epochMs(END - 10 * HOUR_MS);
    // 100 + 10 h × 2.50 $/h
    expect(
      toMicroUsd(projectMonth(dollars('100'), perHour('2.5'), {start: START, end: END, now}).ifNothingChanges),
    ).toBe(125_000_000);
  });

  test('counts the contracts that end in the rest of the month, and no others', () => {
    const now = epochMs(END - 10 * HOUR_MS);
    const ends = [
      {at: epochMs(END - 4 * HOUR_MS), rise: perHour('-2')},
      {at: epochMs(END - 2 * HOUR_MS), rise: perHour('0.5')},
      {at: END, rise: perHour('-9')},
      {at: now, rise: perHour('-9')},
    ];
    // 100 + 10 h × 2.50 − 4 h × 2 + 2 h × 0.50
    expect(
      toMicroUsd(projectMonth(dollars('100'), perHour('2.5'), {start: START, end: END, now, ends}).ifNothingChanges),
    ).toBe(118_000_000);
  });

  test('extends what was spent over the whole month', () => {
    const now = epochMs(START + 10 * DAY_MS);
    const {runRate} = projectMonth(dollars('100'), perHour('2.5'), {start: START, end: END, now});
    // 100 × 30 d ÷ 10 d
    expect(runRate && toMicroUsd(runRate)).toBe(300_000_000);
  });

  test('has no run rate before any time has passed', () => {
    expect(projectMonth(dollars('0'), perHour('1'), {start: START, end: END, now: START}).runRate).toBeUndefined();
  });

  test('equals the month-to-date at the end of the month', () => {
    fc.assert(
      fc.property(fc.integer({min: 0, max: 10_000_000}), fc.integer({min: 0, max: 100_000}), (cents, hourlyCents) => {
        const spent = dollars(`${cents / 100}`);
        const projected = projectMonth(spent, perHour(`${hourlyCents / 100}`), {start: START, end: END, now: END});
        expect(toMicroUsd(projected.ifNothingChanges)).toBe(toMicroUsd(spent));
        expect(projected.runRate && toMicroUsd(projected.runRate)).toBe(toMicroUsd(spent));
      }),
    );
  });
});
