import type {PaidTime, UsageRecord} from '../billing.ts';
import {usableRate} from '../cost.ts';
import {
  accrue,
  add,
  compare,
  divide,
  isNegative,
  isPositive,
  minutesOf,
  multiply,
  type Rational,
  rational,
  scaleUsd,
  subtractUsd,
  sumUsd,
  type Usd,
  ZERO_USD,
} from '../money.ts';
import {type DurationMs, HOUR_MS, MINUTE_MS} from '../time.ts';

/** A part of a record's bill, spread evenly over `[from, to)`. Negative if the provider corrected the bill. */
export type BillPart = {
  readonly from: number;
  readonly to: number;
  readonly cost: Usd;
  /** How the time of billing is known: from own samples, from the machine's events, or only from the record. */
  readonly source: 'samples' | 'events' | 'usage';
  /** Billed at the record's rate all the time, so that spreading it evenly is right. */
  readonly isSteady: boolean;
};

/** Between samples no further apart than this, a bill is taken to grow evenly. */
export const MAX_SAMPLE_GAP_MS: DurationMs = 1.5 * HOUR_MS;
/** A change of price or size shows as a difference larger than this share. */
const MAX_DRIFT = rational(5n, 1000n);
/** Bills are by the whole minute. */
const METER_STEP = minutesOf(MINUTE_MS);
const WHOLE_DUTY = rational(995n, 1000n);

/** The bill over the record's whole time. */
export type WholeBill = {readonly from: number; readonly to: number; readonly cost: Usd};

/** Whether anything besides the record itself tells when it was billed. */
export function isRefined({samples, paidTimes}: UsageRecord): boolean {
  return (samples ?? paidTimes) !== undefined;
}

/**
 * A bill in parts that add up to it: between two samples, the growth; elsewhere over the billed times known from the
 * machine's events; otherwise evenly.
 */
export function billParts(record: UsageRecord, {from, to, cost}: WholeBill): readonly BillPart[] {
  const samples = (record.samples ?? []).filter(
    ({at}, index, all) => at > (all[index - 1]?.at ?? from) && at > from && at < to,
  );
  const anchors = [
    {at: from, billedCost: ZERO_USD, isFirst: true},
    ...samples,
    {at: to, billedCost: cost, isFirst: true},
  ];
  return anchors.slice(1).flatMap(({at, billedCost, isFirst}, index) => {
    const before = anchors[index];
    if (before === undefined) return [];
    const part = {from: before.at, to: at, cost: subtractUsd(billedCost, before.billedCost)};
    const isSampled = !isFirst || (samples.length > 0 && at - before.at <= MAX_SAMPLE_GAP_MS);
    return partsOf(record, part, isSampled);
  });
}

function partsOf(record: UsageRecord, part: WholeBill, isSampled: boolean): readonly BillPart[] {
  const {from, to, cost} = part;
  // A correction covers no time: it is booked when it was seen.
  if (isNegative(cost)) return [{...part, from: Math.max(from, to - 1), source: 'samples', isSteady: true}];
  if (isSampled) return [{...part, source: 'samples', isSteady: true}];
  if (isSteady(record, part)) return [{...part, source: 'usage', isSteady: true}];
  const paid = paidWithin(record.paidTimes ?? [], from, to);
  const total = sumOf(paid.map(({weight}) => weight));
  if (!isPositive(total)) return [{...part, source: 'usage', isSteady: false}];
  return paid.map(({from: start, to: end, weight}) => ({
    from: start,
    to: end,
    cost: scaleUsd(cost, divide(weight, total)),
    source: 'events',
    isSteady: true,
  }));
}

/** Whether a bill equals the record's rate times its duration; without a rate, whether it was metered all the time. */
function isSteady(record: UsageRecord, {from, to, cost}: WholeBill): boolean {
  const rate = usableRate(record);
  const minutes = minutesOf(to - from);
  if (rate === undefined) {
    const {upTimeMinutes} = record;
    return upTimeMinutes !== undefined && compare(upTimeMinutes, multiply(minutes, WHOLE_DUTY)) >= 0;
  }
  const expected = accrue(rate, minutes);
  const gap = subtractUsd(cost, expected);
  const tolerated = add(accrue(rate, METER_STEP), scaleUsd(expected, MAX_DRIFT));
  return compare({...gap, numerator: gap.numerator < 0n ? -gap.numerator : gap.numerator}, tolerated) <= 0;
}

/** The billed parts of a time, each with its minutes at full price; none if the events do not cover all of it. */
function paidWithin(
  times: readonly PaidTime[],
  from: number,
  to: number,
): readonly {readonly from: number; readonly to: number; readonly weight: Rational}[] {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined || first.from > from || last.until < to) return [];
  return times.flatMap(({from: start, until, share}) => {
    const [begin, end] = [Math.max(start, from), Math.min(until, to)];
    return begin >= end ? [] : [{from: begin, to: end, weight: multiply(minutesOf(end - begin), share)}];
  });
}

/** The share of the parts within `[start, end)`. */
export function costOfParts(
  parts: readonly BillPart[],
  {start, end}: {readonly start: number; readonly end: number},
): Usd {
  return sumUsd(
    parts.flatMap(({from, to, cost}) => {
      const overlapMs = Math.min(to, end) - Math.max(from, start);
      if (overlapMs <= 0) return [];
      return overlapMs === to - from
        ? cost
        : scaleUsd(cost, rational(BigInt(Math.round(overlapMs)), BigInt(Math.round(to - from))));
    }),
  );
}

function sumOf(values: readonly Rational[]): Rational {
  return values.reduce(add, ZERO_USD);
}
