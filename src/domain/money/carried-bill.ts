import type {UsageRecord} from '../billing.ts';
import {burnRate} from '../cost.ts';
import {add, compare, hourlyUsd, largerUsd, subtractUsd, sumUsd, type Usd, usd} from '../money.ts';
import {type DurationMs, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, type MonotonicMs} from '../time.ts';
import {accruedSince, type BilledSoFar, billedBetween} from './billed-day.ts';

/** The newest reading of the bill of a period that was not over, and of usage. */
export type BillReading = {
  readonly endsAt: EpochMs;
  readonly billAt: MonotonicMs | undefined;
  readonly read: Usd;
  readonly usage: readonly UsageRecord[] | undefined;
};

/** A bill carried forward with the newest usage, which is read every minute; bills are read less often. */
export type CarriedBill = BillReading & {
  /** When this usage was first read. */
  readonly usageAt: MonotonicMs | undefined;
  /** An earlier bill plus what its records were billed since; undefined until usage was read after a bill. */
  readonly added: Usd | undefined;
  /** The total a late bill has to reach, and since when it has been below that. */
  readonly expected: {readonly cost: Usd; readonly since: MonotonicMs} | undefined;
  /** Whether the burn rate has changed since the bill was read. */
  readonly isOvertaken: boolean;
  /** The total reached with earlier usage since the bill was read. */
  readonly least: Usd | undefined;
};

/** A moment by both clocks, and when usage had last been read by then. Without the second clock, it was just read. */
export type BillMoment = {
  readonly now: EpochMs;
  readonly monotonicNow: MonotonicMs | undefined;
  readonly usageAt: MonotonicMs | undefined;
};

/** What was learnt of a bill before its newest readings, and the last moment when it was known so. */
export type KnownBill = {readonly bill: CarriedBill | undefined; readonly at: BillMoment | undefined};

/** Usage is billed by the whole minute, so a bill may lag by that much. */
export const UNBILLED_MS: DurationMs = MINUTE_MS;

/** The bill with the newest readings; the known one itself if nothing was read since. */
export function nextCarried(reading: BillReading, moment: BillMoment, {bill: known, at}: KnownBill): CarriedBill {
  const {billAt, read, usage} = reading;
  const {usageAt} = moment;
  const isNewBill = known?.billAt !== billAt;
  if (known !== undefined && !isNewBill && known.usage === usage) return known;
  const least = known === undefined || isNewBill || at === undefined ? undefined : totalAt(known, at);
  const next = {...reading, usageAt, least};
  const fresh = isReadAfter(usageAt, billAt) ? read : undefined;
  const restarted = {...next, added: fresh, expected: undefined, isOvertaken: false};
  if (known === undefined || compare(read, known.read) < 0) return restarted;
  const until = epochMs(moment.now - ageOf(usageAt, moment));
  const added = known.usage === usage ? known.added : addedTo(known, next, until);
  const expected = isNewBill ? expectedOf(known, {...next, added}) : known.expected;
  const isOvertaken = !isNewBill && (known.isOvertaken || !isSameBurn(known.usage, usage));
  return isLate(expected, billAt) ? restarted : {...next, added, expected, isOvertaken};
}

/**
 * What the period was billed, as far as the readings show. While readings fail, the last metered rates are
 * extrapolated. The total so reached stays until more was billed or a new bill says less, even if something stopped in
 * the meantime and cost less.
 */
export function carriedSoFar(bill: CarriedBill, moment: BillMoment): BilledSoFar {
  const soFar = readSoFar(bill, moment);
  if (bill.least === undefined) return soFar;
  const ahead = costAhead(bill, moment, soFar);
  const isLess = compare(bill.least, add(soFar.cost, ahead)) > 0;
  return isLess ? {...soFar, cost: subtractUsd(bill.least, ahead)} : soFar;
}

/** What was billed until then, and what was metered since. */
function totalAt(bill: CarriedBill, moment: BillMoment): Usd {
  const soFar = readSoFar(bill, moment);
  const total = sumUsd([soFar.cost, costAhead(bill, moment, soFar)]);
  return bill.least === undefined ? total : largerUsd(bill.least, total);
}

/** Takes the larger of two readings: neither exceeds what is billed, and so the month never shrinks between them. */
function readSoFar({endsAt, billAt, read, added}: CarriedBill, moment: BillMoment): BilledSoFar {
  const {now} = moment;
  const billAgeMs = ageOf(billAt, moment);
  const ageMs = added === undefined ? billAgeMs : Math.min(billAgeMs, ageOf(moment.usageAt, moment));
  const unbilledMs = Math.max(0, UNBILLED_MS - Math.max(0, now - endsAt));
  return {
    cost: added === undefined ? read : largerUsd(read, added),
    until: epochMs(Math.min(endsAt, now, now - ageMs + unbilledMs)),
  };
}

function costAhead({usage = [], endsAt}: CarriedBill, {now}: BillMoment, {until}: BilledSoFar): Usd {
  return sumUsd(accruedSince(usage, until, {end: endsAt, now}));
}

function addedTo(
  known: CarriedBill,
  {usage, usageAt}: Pick<CarriedBill, 'usage' | 'usageAt'>,
  until: EpochMs,
): Usd | undefined {
  if (usage === undefined || !isReadAfter(usageAt, known.billAt)) return undefined;
  if (known.added === undefined || known.usage === undefined) return known.read;
  const from = epochMs(until - ((usageAt ?? 0) - (known.usageAt ?? 0)));
  const period = {from, until, end: known.endsAt};
  return largerUsd(known.read, usd(add(known.added, billedBetween(known.usage, usage, period))));
}

/** The provider's bill may be this late. After that, usage the bill still does not contain is not counted. */
const MAX_BILL_DELAY_MS: DurationMs = HOUR_MS;

function expectedOf(
  {expected}: CarriedBill,
  {read, added, billAt}: Pick<CarriedBill, 'read' | 'added' | 'billAt'>,
): CarriedBill['expected'] {
  if (expected !== undefined && compare(read, expected.cost) < 0) return expected;
  if (added === undefined || billAt === undefined || compare(read, added) >= 0) return undefined;
  return {cost: added, since: billAt};
}

function isLate(expected: CarriedBill['expected'], billAt: MonotonicMs | undefined): boolean {
  return expected !== undefined && billAt !== undefined && billAt - expected.since > MAX_BILL_DELAY_MS;
}

function isReadAfter(left: MonotonicMs | undefined, right: MonotonicMs | undefined): boolean {
  return left !== undefined && right !== undefined && left >= right;
}

function ageOf(at: MonotonicMs | undefined, {monotonicNow}: Pick<BillMoment, 'monotonicNow'>): DurationMs {
  return at === undefined || monotonicNow === undefined ? 0 : Math.max(0, monotonicNow - at);
}

function isSameBurn(left: CarriedBill['usage'], right: CarriedBill['usage']): boolean {
  if (left === undefined || right === undefined) return left === right;
  return hourlyUsd(burnRate(left).rate) === hourlyUsd(burnRate(right).rate);
}
