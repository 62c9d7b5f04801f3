import {runway} from '../cost.ts';
import {add, divide, isPositive, rational, scaleUsd, toNumber, type Rate, type Usd, usd} from '../money.ts';
import {type EpochMs, epochMs} from '../time.ts';
import type {BillingFigures} from './figures.ts';

/** How much of a month's budget is spent. */
export type BudgetUse = {
  readonly ratio: number;
  /**
   * The share of the budget divided by the share of the month: above 1 the budget ends before the month. Undefined at
   * the very start of a month.
   */
  readonly pace: number | undefined;
  /** The next share to report, and when the present burn rate reaches it; no moment if not in this month, or if that rate is unknown. */
  readonly next: {readonly ratio: number; readonly at: EpochMs | undefined} | undefined;
};

/** Undefined for a budget of zero, of which there are no shares. */
export function budgetUse(
  {monthToDate, burn, month}: Pick<BillingFigures, 'monthToDate' | 'month'> & {readonly burn: Rate | undefined},
  {budget, alertRatios}: {readonly budget: Usd; readonly alertRatios: readonly number[]},
  now: EpochMs,
): BudgetUse | undefined {
  if (!isPositive(budget)) return undefined;
  const ratio = toNumber(divide(monthToDate, budget));
  const elapsed = (now - month.start) / (month.end - month.start);
  const nextRatio = alertRatios.filter(each => each > ratio).sort((left, right) => left - right)[0];
  return {
    ratio,
    pace: elapsed > 0 ? ratio / elapsed : undefined,
    next: nextRatio === undefined ? undefined : {ratio: nextRatio, at: reachedAt(nextRatio)},
  };

  function reachedAt(share: number): EpochMs | undefined {
    const wanted = scaleUsd(budget, rational(BigInt(Math.round(share * 1e6)), 1_000_000n));
    const leftMs = runway({balance: usd(add(wanted, scaleUsd(monthToDate, rational(-1n, 1n))))}, burn);
    const at = leftMs === undefined ? undefined : epochMs(now + leftMs);
    return at !== undefined && at < month.end ? at : undefined;
  }
}
