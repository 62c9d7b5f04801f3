import type {UsageRecord} from '../billing.ts';
import {sumUsd, type Usd} from '../money.ts';
import {DAY_MS, type EpochMs, epochMs} from '../time.ts';
import {costWithin, type Spend, spendPerDay} from './spend.ts';

/** What the provider says it billed from the start of a UTC day until `until`. */
export type BilledDay = {readonly start: EpochMs; readonly until: EpochMs; readonly cost: Usd};

/** Where a day's figure comes from: the provider's own bill, or the usage records spread evenly over their time. */
type DaySource = 'billed' | 'usage';

export type DaySpend = Spend & {readonly source: DaySource};

/**
 * Cost per UTC day of `[start, end)`, up to now: what was billed where the provider says so, with what the records add
 * since it said it, and the records alone for every other day (cost.md 2.2). A month is the sum of its days.
 */
export function spendByDay(
  records: readonly UsageRecord[],
  billed: readonly BilledDay[],
  period: {readonly start: EpochMs; readonly end: EpochMs; readonly now: EpochMs},
): readonly DaySpend[] {
  const billedByStart = new Map(billed.map(day => [day.start, day]));
  return spendPerDay(records, period)
    .filter(({start}) => start < period.now)
    .map((day): DaySpend => {
      const bill = billedByStart.get(day.start);
      if (bill === undefined) return {...day, source: 'usage'};
      const since = {start: bill.until, end: day.end, now: period.now};
      const added = since.start >= Math.min(since.end, period.now) ? [] : records.map(each => costWithin(each, since));
      return {...day, cost: sumUsd([bill.cost, ...added]), source: 'billed'};
    });
}

export function totalOf(days: readonly DaySpend[]): Usd {
  return sumUsd(days.map(({cost}) => cost));
}

/** The UTC days of a period that have begun, each with the end of what can have been billed of it. */
export function billableDays(period: {
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly now: EpochMs;
}): readonly {readonly start: EpochMs; readonly until: EpochMs}[] {
  const last = Math.min(period.end, period.now);
  const count = Math.max(0, Math.ceil((last - period.start) / DAY_MS));
  return Array.from({length: count}, (_, index) => {
    const start = epochMs(period.start + index * DAY_MS);
    return {start, until: epochMs(Math.min(start + DAY_MS, last))};
  });
}
