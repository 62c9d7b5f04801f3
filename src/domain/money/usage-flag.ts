import type {UsageRecord} from '../billing.ts';
import {isBurning, isTooLargeRate, usableRate} from '../cost.ts';
import {oncePer} from '../memo.ts';
import {compare, isNegative, minutesOf, multiply, rational} from '../money.ts';
import {type EpochMs, epochMs} from '../time.ts';
import {isTooLargeCost, resourceKey, usableCost} from './spend.ts';

/** What is odd about a usage record. A record may have several flags; none is corrected silently. */
type UsageFlag =
  /** Created after now: it accrues nothing, and its rate still counts. */
  | 'FUTURE'
  /** Terminated before it was created: its bill is booked where it was created. */
  | 'INVERTED'
  /** Two billing spans of one resource overlap: both are counted. */
  | 'OVERLAP'
  /** Active, with a negative rate, which is not usable. */
  | 'NEGATIVE_RATE'
  /** Active, with a rate higher than anything can cost, which is not usable either. */
  | 'RATE_TOO_LARGE'
  /** Active, without a number for a rate. */
  | 'NO_RATE'
  /** A negative bill, which is not usable: rate × time is used instead. */
  | 'NEGATIVE_BILL'
  /** A bill larger than anything can have cost, which is not usable either. */
  | 'BILL_TOO_LARGE'
  /** No number for a bill: rate × time is used instead. */
  | 'NO_BILL'
  /** No creation time: it belongs to no day. */
  | 'NO_CREATE_TIME'
  /** Metered for longer than it has existed: a clock or a unit is wrong. */
  | 'UP_TIME_TOO_LONG';

export type FlaggedUsage = {readonly record: UsageRecord; readonly flag: UsageFlag};

/** Metered time may exceed the span by rounding; beyond this some clock is wrong. */
const MAX_DUTY = rational(1005n, 1000n);

/** Everything odd about these records, which are those of `mergeUsage`. Records excluded from billing are skipped. */
export function usageFlags(records: readonly UsageRecord[], now: EpochMs): readonly FlaggedUsage[] {
  const billed = records.filter(record => !record.isExcludedFromBilling);
  const overlapping = overlappingSpans(billed, now);
  return billed.flatMap(record =>
    [...ownFlags(record, now), ...(overlapping.has(record) ? (['OVERLAP'] as const) : [])].map(flag => ({
      record,
      flag,
    })),
  );
}

const IMPOSSIBLE: ReadonlySet<UsageFlag> = new Set<UsageFlag>([
  'NEGATIVE_RATE',
  'RATE_TOO_LARGE',
  'NEGATIVE_BILL',
  'BILL_TOO_LARGE',
]);

/** How many records have a rate or a bill that cannot be: the number is not used. */
export const impossibleCount = oncePer((records: readonly UsageRecord[]) => {
  const billed = records.filter(record => !record.isExcludedFromBilling);
  return billed.filter(record => amountFlags(record).some(flag => IMPOSSIBLE.has(flag))).length;
});

/** Active records missing from the burn rate because they have no usable rate. */
export function unpricedRecords(live: readonly UsageRecord[]): readonly UsageRecord[] {
  return live.filter(record => isBurning(record) && usableRate(record) === undefined);
}

/** Whether nothing is known about what is billed: there are records, but none has a usable rate or bill. */
export function areCostsUnreadable(records: readonly UsageRecord[]): boolean {
  const billed = records.filter(record => !record.isExcludedFromBilling);
  return billed.length > 0 && billed.every(each => usableRate(each) === undefined && usableCost(each) === undefined);
}

/** Whether the present burn rate is unknown rather than zero: something is billed, and none of it has a usable rate. */
export function isBurnUnknown(live: readonly UsageRecord[]): boolean {
  const burning = live.filter(isBurning);
  return burning.length > 0 && burning.every(record => usableRate(record) === undefined);
}

function ownFlags(record: UsageRecord, now: EpochMs): readonly UsageFlag[] {
  const {createdAt, terminatedAt} = record;
  const flags: UsageFlag[] = [];
  if (createdAt === undefined) flags.push('NO_CREATE_TIME');
  else if (createdAt > now) flags.push('FUTURE');
  if (createdAt !== undefined && terminatedAt !== undefined && terminatedAt < createdAt) flags.push('INVERTED');
  flags.push(...amountFlags(record));
  if (isMeteredTooLong(record, now)) flags.push('UP_TIME_TOO_LONG');
  return flags;
}

function amountFlags({isActive, rate, billedCost}: UsageRecord): readonly UsageFlag[] {
  const flags: UsageFlag[] = [];
  if (isActive && rate === undefined) flags.push('NO_RATE');
  if (isActive && rate !== undefined && isNegative(rate)) flags.push('NEGATIVE_RATE');
  if (isActive && rate !== undefined && isTooLargeRate(rate)) flags.push('RATE_TOO_LARGE');
  if (billedCost === undefined) flags.push('NO_BILL');
  else if (isNegative(billedCost)) flags.push('NEGATIVE_BILL');
  else if (isTooLargeCost(billedCost)) flags.push('BILL_TOO_LARGE');
  return flags;
}

function isMeteredTooLong({createdAt, terminatedAt, upTimeMinutes}: UsageRecord, now: EpochMs): boolean {
  const end = Math.min(terminatedAt ?? now, now);
  if (createdAt === undefined || upTimeMinutes === undefined || end <= createdAt) return false;
  return compare(upTimeMinutes, multiply(minutesOf(end - createdAt), MAX_DUTY)) > 0;
}

/** The spans that begin before an earlier span of the same resource has ended. */
function overlappingSpans(records: readonly UsageRecord[], now: EpochMs): ReadonlySet<UsageRecord> {
  const overlapping = new Set<UsageRecord>();
  for (const spans of Map.groupBy(records, resourceKey).values()) {
    if (spans.length < 2) continue;
    const ascending = spans
      .flatMap(record => (record.createdAt === undefined ? [] : [{record, from: record.createdAt}]))
      .sort((left, right) => left.from - right.from);
    let until = epochMs(Number.NEGATIVE_INFINITY);
    for (const {record, from} of ascending) {
      if (from < until) overlapping.add(record);
      until = epochMs(Math.max(until, record.terminatedAt ?? Math.max(now, from)));
    }
  }
  return overlapping;
}
