import type {UsageRecord} from './billing.ts';
import {isBurning} from './cost.ts';
import {compare, divide, isNegative, minutesOf, rational} from './money.ts';
import {resourceKey, spanOf} from './spend.ts';
import type {EpochMs} from './time.ts';

/** What is wrong with a record (cost.md 2.0, 2.1). Its cost is counted as far as it makes sense. */
export type UsageFlag =
  /** Created after now: one of the clocks is wrong. Nothing has accrued. */
  | 'FUTURE'
  /** Terminated before it was created. Its bill is booked at its creation. */
  | 'INVERTED'
  /** Begins before another span of the same resource ended. Both count. */
  | 'OVERLAP'
  /** No usable moment of creation: its bill belongs to no period. */
  | 'NO_START'
  | 'NO_RATE'
  | 'NEGATIVE_RATE'
  | 'NO_COST'
  | 'NEGATIVE_COST'
  /** More time metered than there was: clock or unit trouble. */
  | 'CLOCK';

/** Metered time may exceed the span by as much before it is called clock trouble. */
const MAX_DUTY = rational(1005n, 1000n);

/** Every flaw of the records, in their order. */
export function usageFlags(
  records: readonly UsageRecord[],
  now: EpochMs,
): readonly {readonly record: UsageRecord; readonly flag: UsageFlag}[] {
  const overlapping = overlappingRecords(records, now);
  return records.flatMap(record => {
    const flags = overlapping.has(record) ? [...flagsOf(record, now), 'OVERLAP' as const] : flagsOf(record, now);
    return flags.map(flag => ({record, flag}));
  });
}

function flagsOf(record: UsageRecord, now: EpochMs): UsageFlag[] {
  const {createdAt, terminatedAt, rate, billedCost} = record;
  const flags: UsageFlag[] = [];
  if (createdAt === undefined) flags.push('NO_START');
  else if (createdAt > now) flags.push('FUTURE');
  else if (terminatedAt !== undefined && terminatedAt < createdAt) flags.push('INVERTED');
  else if (hasTooMuchTime(record, now)) flags.push('CLOCK');
  if (rate !== undefined && isNegative(rate)) flags.push('NEGATIVE_RATE');
  else if (rate === undefined && isBurning(record)) flags.push('NO_RATE');
  if (billedCost === undefined) flags.push('NO_COST');
  else if (isNegative(billedCost)) flags.push('NEGATIVE_COST');
  return flags;
}

function hasTooMuchTime(record: UsageRecord, now: EpochMs): boolean {
  const span = spanOf(record, now);
  if (span === undefined || span.from === span.to || record.upTimeMinutes === undefined) return false;
  return compare(divide(record.upTimeMinutes, minutesOf(span.to - span.from)), MAX_DUTY) > 0;
}

function overlappingRecords(records: readonly UsageRecord[], now: EpochMs): ReadonlySet<UsageRecord> {
  const overlapping = new Set<UsageRecord>();
  for (const spans of Map.groupBy(records, resourceKey).values()) {
    if (spans.length < 2) continue;
    let coveredTo = Number.NEGATIVE_INFINITY;
    for (const record of [...spans].sort((left, right) => (left.createdAt ?? 0) - (right.createdAt ?? 0))) {
      const span = spanOf(record, now);
      if (span === undefined) continue;
      if (span.from < coveredTo) overlapping.add(record);
      coveredTo = Math.max(coveredTo, span.to);
    }
  }
  return overlapping;
}
