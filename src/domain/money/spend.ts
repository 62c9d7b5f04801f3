import type {UsageRecord} from '../billing.ts';
import {usableRate} from '../cost.ts';
import {memoPer} from '../memo.ts';
import {
  accrue,
  compare,
  divide,
  isNegative,
  isPositive,
  minutesOf,
  type Rate,
  ratePerMinute,
  rational,
  sumUsd,
  type Usd,
  usd,
  ZERO_USD,
} from '../money.ts';
import {DAY_MS, type EpochMs, epochMs} from '../time.ts';
import {type BillPart, billParts, costOfParts, isRefined} from './bill-parts.ts';

/** The half-open period `[start, end)`, seen at `now`: nothing accrues after that. */
export type SpendPeriod = {readonly start: EpochMs; readonly end: EpochMs; readonly now: EpochMs};

/**
 * Merges both usage lists. A span is identified by resource type, id and creation; of two readings of one span, the one
 * with more metered time is newer, and if equal, the terminated one.
 */
export function mergeUsage(live: readonly UsageRecord[], deleted: readonly UsageRecord[]): readonly UsageRecord[] {
  return [...usageBySpan(live, deleted).values()];
}

/** The same, by the key of the span. */
export function usageBySpan(
  live: readonly UsageRecord[],
  deleted: readonly UsageRecord[],
): ReadonlyMap<string, UsageRecord> {
  const bySpan = new Map<string, UsageRecord>();
  for (const records of [live, deleted]) {
    for (const record of records) {
      const key = spanKey(record);
      const known = bySpan.get(key);
      if (known === undefined || isNewer(record, known)) bySpan.set(key, record);
    }
  }
  return bySpan;
}

/** Metered at this share of its usual rate or less, a machine is hibernated. */
export const HIBERNATED_SHARE = rational(1n, 10n);

/** The average rate of the metered time: bill ÷ time, or else the present rate. */
export function effectiveRate(record: UsageRecord): Rate | undefined {
  const billed = usableCost(record);
  const minutes = record.upTimeMinutes;
  return billed !== undefined && minutes !== undefined && isPositive(minutes)
    ? ratePerMinute(divide(billed, minutes))
    : usableRate(record);
}

/**
 * What a record cost within a period, exactly: its bill spread over its span, evenly unless more is known, so that
 * adjoining periods add up to the bill; without a bill, rate × time. A bill without a span is booked at the start of
 * the span. Zero for an unpriced record: check `isUnpriced`.
 */
export function costWithin(record: UsageRecord, period: SpendPeriod): Usd {
  const {numerator, denominator} = shareWithin(record, period);
  return usd(rational(numerator, denominator));
}

/** The same as a fraction that is not in lowest terms, which a sum of many does not need. */
function shareWithin(record: UsageRecord, {start, end, now}: SpendPeriod): Usd {
  const span = spanOf(record, now);
  if (span === undefined) return ZERO_USD;
  if (span.from === span.to) return start <= span.from && span.from < end ? (usableCost(record) ?? ZERO_USD) : ZERO_USD;
  const parts = isRefined(record) ? partsWithin(record, span) : undefined;
  if (parts !== undefined) return costOfParts(parts, {start, end});
  return shareOf(record, span, Math.min(span.to, end) - Math.max(span.from, start));
}

/** Whether the cost of a record cannot be computed: it has no price, or nothing says when it was billed. */
export function isUnpriced(record: UsageRecord, now: EpochMs): boolean {
  if (record.isExcludedFromBilling) return false;
  return isUndated(record, now) || (usableCost(record) ?? usableRate(record)) === undefined;
}

/** Whether the start of a record is missing or impossible: nothing is billed before it begins. */
export function isUndated(record: UsageRecord, now: EpochMs): boolean {
  const {createdAt} = record;
  return createdAt === undefined || (createdAt > now && isPositive(usableCost(record) ?? ZERO_USD));
}

/** Whether a record may have cost something within a period, by an unknown amount. */
export function isUnknownWithin(record: UsageRecord, {start, end, now}: SpendPeriod): boolean {
  if (!isUnpriced(record, now)) return false;
  const {createdAt, terminatedAt} = record;
  const hasBegun = createdAt === undefined || isUndated(record, now) || createdAt < Math.min(end, now);
  return hasBegun && (terminatedAt === undefined || terminatedAt > start);
}

export type MonthSoFar = {readonly total: Usd; readonly unpricedCount: number};

/** Accrued since the month began, and how many records of the month are unpriced and missing from it. */
export function monthToDate(
  records: readonly UsageRecord[],
  {monthStart, now, monthEnd = now}: {readonly monthStart: EpochMs; readonly monthEnd?: EpochMs; readonly now: EpochMs},
): MonthSoFar {
  const period = {start: monthStart, end: epochMs(Math.min(monthEnd, now)), now};
  return {
    total: sumUsd(records.map(record => shareWithin(record, period))),
    unpricedCount: records.filter(record => isUnknownWithin(record, period)).length,
  };
}

/** Cost per UTC day. The first and the last may be parts of days; days that have not begun at `now` are left out. */
export function spendPerDay(records: readonly UsageRecord[], period: SpendPeriod): readonly Spend[] {
  const edges = dayEdges(period);
  const lastIndex = edges.length - 1;
  const parts: Usd[][] = edges.map(() => []);
  // Whole days within one span cost the same, so a span only notes where they begin and end, however many there are.
  const changes: Usd[][] = edges.map(() => []);
  const dayIndex = (moment: number) => Math.floor(moment / DAY_MS) - Math.floor(period.start / DAY_MS);
  for (const record of records) {
    const span = spanOf(record, period.now);
    if (span === undefined) continue;
    const first = Math.max(0, dayIndex(span.from));
    const last = Math.min(lastIndex, dayIndex(span.to));
    const areDaysAlike = !isRefined(record);
    for (let index = first; index <= last; index += areDaysAlike ? Math.max(1, last - first) : 1) {
      const edge = edges[index];
      if (edge !== undefined) parts[index]?.push(shareWithin(record, {...edge, now: period.now}));
    }
    if (last - first < 2 || !areDaysAlike) continue;
    const whole = shareOf(record, span, DAY_MS);
    changes[first + 1]?.push(whole);
    if (last < lastIndex) changes[last]?.push(usd({numerator: -whole.numerator, denominator: whole.denominator}));
  }
  let wholes = ZERO_USD;
  return edges.map((edge, index) => {
    // The last day is never a whole one: a span ends in it, or goes on after it.
    wholes = index === lastIndex ? ZERO_USD : sumUsd([wholes, ...(changes[index] ?? [])]);
    return {...edge, cost: sumUsd([wholes, ...(parts[index] ?? [])])};
  });
}

export type Spend = {readonly start: EpochMs; readonly end: EpochMs; readonly cost: Usd};

/** First moment of the UTC month. */
export function monthStart(now: EpochMs): EpochMs {
  return monthBegin(now, 0);
}

/** First moment after the UTC month. */
export function monthEnd(now: EpochMs): EpochMs {
  return monthBegin(now, 1);
}

/** No machine or volume has cost that much, so a larger bill cannot be right. */
const MAX_COST = usd(rational(1_000_000_000n, 1n));

/** A record's bill, if the service gives a plausible one. */
export function usableCost({billedCost}: UsageRecord): Usd | undefined {
  return billedCost === undefined || isNegative(billedCost) || isTooLargeCost(billedCost) ? undefined : billedCost;
}

/** Whether a bill is larger than anything can have cost. */
export function isTooLargeCost(cost: Usd): boolean {
  return compare(cost, MAX_COST) > 0;
}

/** When a record's last cost is booked; infinite while it goes on. */
export function endOf({createdAt, terminatedAt, isActive}: UsageRecord): number {
  return terminatedAt === undefined || isActive ? Infinity : Math.max(terminatedAt, createdAt ?? 0);
}

type MinuteRange = {readonly from: number; readonly to: number};

/** The time a record has been billed for; empty if it ended before it began. None if it accrues nothing. */
function spanOf(record: UsageRecord, now: EpochMs): MinuteRange | undefined {
  const {createdAt: from, terminatedAt} = record;
  if (record.isExcludedFromBilling || from === undefined || from > now) return undefined;
  return {from, to: Math.max(from, Math.min(terminatedAt ?? now, now))};
}

/** The bill of a record in parts, by when it was billed; undefined if it has no bill or no time. */
export function partsOfBill(record: UsageRecord, now: EpochMs): readonly BillPart[] | undefined {
  const span = spanOf(record, now);
  return span === undefined || span.from === span.to ? undefined : partsWithin(record, span);
}

function partsWithin(record: UsageRecord, span: MinuteRange): readonly BillPart[] | undefined {
  const cost = usableCost(record);
  return cost && partsOnce(record, [span.to], () => billParts(record, {...span, cost}));
}

/** Cached, because every day of a month asks for it. */
const partsOnce = memoPer<UsageRecord, readonly BillPart[]>();

/** Not in lowest terms. */
function shareOf(record: UsageRecord, span: MinuteRange, overlapMs: number): Usd {
  if (overlapMs <= 0) return ZERO_USD;
  const billed = usableCost(record);
  const spanMs = span.to - span.from;
  if (billed !== undefined) {
    if (overlapMs === spanMs) return billed;
    return usd({
      numerator: billed.numerator * BigInt(Math.round(overlapMs)),
      denominator: billed.denominator * BigInt(Math.round(spanMs)),
    });
  }
  const rate = usableRate(record);
  return rate === undefined ? ZERO_USD : accrue(rate, minutesOf(overlapMs));
}

function dayEdges({start, end, now}: SpendPeriod): {start: EpochMs; end: EpochMs}[] {
  const edges: {start: EpochMs; end: EpochMs}[] = [];
  for (let edge = start; edge < end && edge <= now; ) {
    const next = epochMs(Math.min(end, (Math.floor(edge / DAY_MS) + 1) * DAY_MS));
    edges.push({start: edge, end: next});
    edge = next;
  }
  return edges;
}

/** Identifies the resource of a record, which all its spans share. */
export function resourceKey(record: UsageRecord): string {
  return `${record.resourceType.toLowerCase()} ${record.resourceId}`;
}

/** Identifies the span of a record: its type, resource and creation. */
export function spanKey(record: UsageRecord): string {
  return `${resourceKey(record)} ${record.createdAt}`;
}

/** Orders any two readings of one span, so that the result does not depend on which list came first. */
export function isNewer(candidate: UsageRecord, known: UsageRecord): boolean {
  const nothing = rational(-1n, 1n);
  const byTime = compare(candidate.upTimeMinutes ?? nothing, known.upTimeMinutes ?? nothing);
  if (byTime !== 0) return byTime > 0;
  const byEnd = Number(candidate.terminatedAt !== undefined) - Number(known.terminatedAt !== undefined);
  if (byEnd !== 0) return byEnd > 0;
  return compare(candidate.billedCost ?? nothing, known.billedCost ?? nothing) > 0;
}

function monthBegin(now: EpochMs, monthsLater: number): EpochMs {
  const date = new Date(now);
  return epochMs(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1));
}
