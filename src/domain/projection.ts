import {accrue, add, divide, minutesOf, type Rate, scaleUsd, type Usd, usd} from './money.ts';
import type {EpochMs} from './time.ts';

/** The month's end by two plain methods (cost.md 2.4 b and c). Neither is a forecast: both say what they assume. */
export type Projection = {
  /** Month-to-date plus the present burn rate until the month ends: "if nothing changes". */
  readonly ifNothingChanges: Usd;
  /** Month-to-date extended over the whole month; undefined in the first moment of a month. */
  readonly runRate: Usd | undefined;
};

export function projectMonth(
  monthToDate: Usd,
  burn: Rate,
  {start, end, now}: {readonly start: EpochMs; readonly end: EpochMs; readonly now: EpochMs},
): Projection {
  const remaining = minutesOf(Math.max(0, end - now));
  const ifNothingChanges = usd(add(monthToDate, accrue(burn, remaining)));
  const runRate =
    now > start ? scaleUsd(monthToDate, divide(minutesOf(end - start), minutesOf(now - start))) : undefined;
  return {ifNothingChanges, runRate};
}
