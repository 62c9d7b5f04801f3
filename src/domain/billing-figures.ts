import type {UsageRecord} from './billing.ts';
import {burnRate, isBurning, usableRate} from './cost.ts';
import {
  costWithin,
  mergeUsage,
  monthEnd,
  monthStart,
  monthToDate,
  resourceKey,
  type Spend,
  spendPerDay,
} from './money/spend.ts';
import {
  accrue,
  add,
  allocate,
  divide,
  type MicroUsd,
  minutesOf,
  type Rate,
  scaleUsd,
  sumRates,
  sumUsd,
  toMicroUsd,
  type Usd,
  usd,
  ZERO_USD,
} from './money.ts';
import type {SafeText} from './safe-text.ts';
import type {EpochMs} from './time.ts';

/** What the usage records say about this month. What could not be computed is absent, and counted. */
export type BillingFigures = {
  readonly burn: Rate;
  /** Active records without a usable rate: they are missing in the burn rate. */
  readonly unpricedCount: number;
  readonly month: {readonly start: EpochMs; readonly end: EpochMs};
  readonly monthToDate: Usd;
  readonly monthUnpricedCount: number;
  /** The list of deleted resources has not come: the month is missing what was deleted in it. */
  readonly lacksDeleted: boolean;
  readonly projection: Projection;
  readonly days: readonly Spend[];
  readonly spenders: readonly Spender[];
};

/** What one resource has cost this month; the parts of all spenders add up to the month exactly. */
export type Spender = {
  readonly key: string;
  readonly resourceId: number;
  readonly resourceType: string;
  readonly name: SafeText;
  readonly spent: MicroUsd;
  /** Of the month-to-date; undefined while nothing was spent. */
  readonly shareRatio: number | undefined;
  /** Of the costliest: what its bar shows. */
  readonly barRatio: number;
  /** What it costs now; undefined where that is not known. */
  readonly rate: Rate | undefined;
  readonly isActive: boolean;
};

export function computeFigures(
  live: readonly UsageRecord[],
  deleted: readonly UsageRecord[] | undefined,
  now: EpochMs,
): BillingFigures {
  const records = mergeUsage(live, deleted ?? []);
  const month = {start: monthStart(now), end: monthEnd(now)};
  const burn = burnRate(live);
  const spent = monthToDate(records, {monthStart: month.start, now});
  return {
    burn: burn.rate,
    unpricedCount: burn.unpricedCount,
    month,
    monthToDate: spent.total,
    monthUnpricedCount: spent.unpricedCount,
    lacksDeleted: deleted === undefined,
    projection: projectMonth(spent.total, burn.rate, {...month, now}),
    days: spendPerDay(records, {start: month.start, end: now, now}),
    spenders: spendersOf(records, {start: month.start, now}),
  };
}

function spendersOf(
  records: readonly UsageRecord[],
  {start, now}: {readonly start: EpochMs; readonly now: EpochMs},
): readonly Spender[] {
  const spans = [...Map.groupBy(records, resourceKey)];
  const costs = spans.map(([, group]) => sumUsd(group.map(record => costWithin(record, {start, end: now, now}))));
  const parts = allocate(costs);
  const whole = {total: parts.reduce<number>((sum, part) => sum + part, 0), largest: Math.max(0, ...parts)};
  return spans
    .map(([key, group], index) => spenderOf(key, group, parts[index], whole))
    .filter(({spent, isActive}) => spent > 0 || isActive)
    .sort((left, right) => right.spent - left.spent || left.resourceId - right.resourceId);
}

function spenderOf(
  key: string,
  group: readonly UsageRecord[],
  part: MicroUsd | undefined,
  whole: {readonly total: number; readonly largest: number},
): Spender {
  const newest = group.reduce((left, right) => ((right.createdAt ?? 0) > (left.createdAt ?? 0) ? right : left));
  const burning = group.filter(isBurning);
  const rates = burning.flatMap(record => usableRate(record) ?? []);
  const spent = part ?? toMicroUsd(ZERO_USD);
  return {
    key,
    resourceId: newest.resourceId,
    resourceType: newest.resourceType,
    name: newest.name,
    spent,
    shareRatio: whole.total > 0 ? spent / whole.total : undefined,
    barRatio: whole.largest > 0 ? spent / whole.largest : 0,
    rate: rates.length === burning.length ? sumRates(rates) : undefined,
    isActive: burning.length > 0,
  };
}

/** The month's end by two plain methods (cost.md 2.4 b and c). Neither is a forecast: both say what they assume. */
type Projection = {
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
