import type {UsageRecord} from '../billing.ts';
import {
  compare,
  isPositive,
  negateUsd,
  rational,
  scaleUsd,
  subtractUsd,
  sumUsd,
  type Usd,
  usdNumber,
} from '../money.ts';
import {nameInWords, type SafeText, say} from '../safe-text.ts';
import {totalOf} from './billed-day.ts';
import {type CostReport, recordCosts} from './report.ts';
import {recordsOf} from './settled.ts';
import {costWithin, resourceKey} from './spend.ts';
import {wasPaused} from './spend-curve.ts';

/** A larger difference is shown on the screen. */
const TOLERATED_DIFFERENCE = rational(5n, 1000n);

/** By how much the provider's bill differs from the records for the billed days; undefined if it gives none. */
export function billedDifference({
  usage,
  days,
  reading: {now},
}: CostReport): {readonly billed: Usd; readonly estimated: Usd; readonly isLarge: boolean} | undefined {
  const closed = days.filter(({source, end}) => source === 'billed' && end <= now);
  if (closed.length === 0) return undefined;
  const billed = totalOf(closed);
  const estimated = sumUsd(
    closed.flatMap(({start, end}) => recordsOf(usage).map(record => costWithin(record, {start, end, now}))),
  );
  const gap = subtractUsd(billed, estimated);
  const size = {numerator: gap.numerator < 0n ? -gap.numerator : gap.numerator, denominator: gap.denominator};
  return {billed, estimated, isLarge: isPositive(size) && compare(size, scaleUsd(billed, TOLERATED_DIFFERENCE)) > 0};
}

/**
 * Why the month's bill differs from evenly spread records: the machine whose own bill differs most, or a rest that no
 * machine explains. Undefined if unknown.
 */
export function differenceReason(report: CostReport): SafeText | undefined {
  const {monthToDate, usage, reading} = report;
  const paused = new Set([
    ...recordsOf(usage)
      .filter(record => isPaused(record, reading.now))
      .map(resourceKey),
    ...(reading.machines ?? []).flatMap(({id, status}) => (status === 'HIBERNATED' ? [`vm ${id}`] : [])),
  ]);
  if (reading.machineHistories === undefined) return paused.size === 0 ? undefined : say`machines were hibernated`;
  const period = {start: reading.month.start, end: reading.month.end, now: reading.now};
  const costs = recordCosts(report);
  const gaps = [...Map.groupBy(costs, ({record}) => resourceKey(record))].map(([key, own]) => {
    const estimates = own.map(({record}) => negateUsd(costWithin(record, period)));
    const dollars = Math.abs(usdNumber(sumUsd([...own.map(({cost}) => cost), ...estimates])));
    return {key, name: own[0]?.record.name, dollars};
  });
  const attributed = sumUsd(costs.map(({cost}) => negateUsd(cost)));
  const unattributed = Math.abs(usdNumber(sumUsd([monthToDate, attributed])));
  const [largest] = gaps.sort((left, right) => right.dollars - left.dollars);
  if (largest?.name === undefined || largest.dollars < unattributed) {
    return unattributed < SMALLEST_DOLLARS ? undefined : say`fees or buckets beyond the usage`;
  }
  if (largest.dollars < SMALLEST_DOLLARS) return undefined;
  return paused.has(largest.key)
    ? say`${nameInWords(largest.name)} was hibernated`
    : say`mostly ${nameInWords(largest.name)}`;
}

/** A difference of less than a cent is rounding. */
const SMALLEST_DOLLARS = 0.01;

function isPaused(record: UsageRecord, now: number): boolean {
  const {createdAt, terminatedAt} = record;
  return wasPaused(record, Math.min(terminatedAt ?? now, now) - (createdAt ?? now));
}
