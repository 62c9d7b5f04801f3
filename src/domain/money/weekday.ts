import {usdNumber} from '../money.ts';
import {DAY_MS} from '../time.ts';
import type {BilledDay} from './billed-day.ts';
import type {SpendCurve} from './spend-curve.ts';

/** Four of each weekday; bills of earlier days are not requested. */
export const WEEKDAY_DAYS = 28;
/** For each weekday, so two weeks. */
const MIN_DAYS = 2;
/** Days without any difference, added to each weekday so that a few days change little. */
const FLAT_DAYS = 1;

/**
 * The ratio between the cost of a coming time, by its weekdays, and what usage records suggest. Records spread a bill
 * evenly over its span, so machines hibernated at weekends appear to cost the same every day; daily bills show
 * otherwise. Only the shape of the week is taken from the bills: a difference that is the same every day changes
 * nothing. 1 if less than two weeks of closed days are known.
 */
export function weekdayFactor(
  days: readonly BilledDay[],
  curve: Pick<SpendCurve, 'spentBefore'>,
  {start, end}: {readonly start: number; readonly end: number},
): number {
  const ratios: number[][] = Array.from({length: 7}, () => []);
  for (const day of days) {
    const dayEnd = day.start + DAY_MS;
    const expected = curve.spentBefore(dayEnd) - curve.spentBefore(day.start);
    if (day.until >= dayEnd && expected > 0) ratios[weekdayOf(day.start)]?.push(usdNumber(day.cost) / expected);
  }
  if (end <= start || ratios.some(({length}) => length < MIN_DAYS)) return 1;
  const medians = ratios.map(median);
  const level = medians.reduce((sum, each) => sum + each, 0) / 7;
  if (level <= 0) return 1;
  const factors = medians.map((each, weekday) => {
    const known = ratios[weekday]?.length ?? 0;
    return 1 + (each / level - 1) * (known / (known + FLAT_DAYS));
  });
  let sum = 0;
  for (let at = start; at < end; ) {
    const next = Math.min(end, (Math.floor(at / DAY_MS) + 1) * DAY_MS);
    sum += (factors[weekdayOf(at)] ?? 1) * (next - at);
    at = next;
  }
  return sum / (end - start);
}

/** The day of the week, 0 to 6; which one is 0 does not matter. */
function weekdayOf(at: number): number {
  return Math.floor(at / DAY_MS) % 7;
}

/** One day with a fee or a correction says nothing about its weekday. */
function median(values: readonly number[]): number {
  const ascending = values.toSorted((left, right) => left - right);
  const middle = (ascending.length - 1) / 2;
  return ((ascending[Math.floor(middle)] ?? 0) + (ascending[Math.ceil(middle)] ?? 0)) / 2;
}
