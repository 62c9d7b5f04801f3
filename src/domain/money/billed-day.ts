import type {UsageRecord} from '../billing.ts';
import type {MachineHistory} from '../billing-history.ts';
import {isBurning, usableRate} from '../cost.ts';
import {memoPer, oncePer} from '../memo.ts';
import {
  accrue,
  compare,
  divide,
  isNegative,
  isPositive,
  largerUsd,
  minutesOf,
  negateUsd,
  rational,
  scaleUsd,
  subtractUsd,
  sumUsd,
  type Usd,
  usdNumber,
  ZERO_USD,
} from '../money.ts';
import {DAY_MS, type DurationMs, type EpochMs, epochMs, MINUTE_MS} from '../time.ts';
import {type BillPart, isRefined} from './bill-parts.ts';
import type {Usage} from './settled.ts';
import {
  costWithin,
  endOf,
  isUnknownWithin,
  partsOfBill,
  type Spend,
  type SpendPeriod,
  spendPerDay,
  usableCost,
  usageBySpan,
} from './spend.ts';

/** What the provider billed from the start of a UTC day until `until`. */
export type BilledDay = {readonly start: EpochMs; readonly until: EpochMs; readonly cost: Usd};

/** What the provider billed from some moment, such as the start of a month, until `until`, as one sum. */
export type BilledSoFar = {readonly until: EpochMs; readonly cost: Usd};

/**
 * How a day's figure is known, best first: from the provider's own bill; from the growth of record amounts between own
 * samples; from the events of machines not billed all the time; or only from records, spread evenly.
 */
export type DaySource = 'billed' | 'samples' | 'events' | 'usage';

/** For a time other than a day: the provider's bill, or the records. */
export type SpentSource = Extract<DaySource, 'billed' | 'usage'>;

export type DaySpend = Spend & {readonly source: DaySource};

/** The days of a time, and what it cost as a whole: the sum of the days, or more if its own bill says so. */
export type SpentByDay = {readonly days: readonly DaySpend[]; readonly total: Usd};

/**
 * Cost per UTC day of `[start, end)`, up to now: the billed amount if the provider gives one, plus what the records add
 * since then; the records alone for every other day. If the provider gives the month's total, days without a bill share
 * the rest in proportion to the records. `before`: what the days before today were billed, as one sum; today then has
 * the rest of the month, so that both grow alike, as far as its own billing explains it. What remains is in no day.
 */
export function spendByDay(
  usage: Usage,
  billed: {
    readonly days: readonly BilledDay[];
    readonly month?: BilledSoFar | undefined;
    readonly before?: Usd | undefined;
  },
  period: {readonly start: EpochMs; readonly end: EpochMs; readonly now: EpochMs},
): SpentByDay {
  const {now} = period;
  const estimated = estimatedOnce(usage, [period.start, period.end, now], () => estimatedDays(usage, period));
  const addedSince = (until: EpochMs, end: EpochMs) =>
    [usage.settled.records, usage.open].flatMap(records => accruedSince(records, until, {end, now}));
  const billedByStart = new Map(billed.days.map(day => [day.start, day]));
  const sources = estimated.every(({start}) => billedByStart.has(start))
    ? []
    : estimatedSources(usage, estimated, period);
  const days = estimated.map((day, index): DaySpend => {
    const bill = billedByStart.get(day.start);
    if (bill === undefined) return {...day, source: sources[index] ?? 'usage'};
    return {...day, cost: sumUsd([bill.cost, ...addedSince(bill.until, day.end)]), source: 'billed'};
  });
  if (billed.month === undefined) return {days, total: totalOf(days)};
  const total = sumUsd([billed.month.cost, ...addedSince(billed.month.until, period.end)]);
  const today = estimated.at(-1);
  if (today === undefined || today.end <= now) return withTotal(sharing(days, total), total);
  const lag = sumUsd(addedSince(epochMs(now - MAX_BILL_GAP_MS), period.end));
  return withMonth(days, {total, before: billed.before}, {recorded: today.cost, lag});
}

/** The bills of the month and of today are each read this often, and not at the same time. */
const MAX_BILL_GAP_MS: DurationMs = 10 * MINUTE_MS;

/**
 * The bills of the month and of today are read at different times, and neither exceeds what is billed: the larger sum
 * counts. Thus the month does not shrink when another of its bills arrives. Today has the rest of the month if its
 * records explain that, or its bill with the `lag` of its reading. A larger rest is not of today, but for example a
 * correction of a closed day.
 */
function withMonth(
  days: readonly DaySpend[],
  {total, before}: {readonly total: Usd; readonly before: Usd | undefined},
  {recorded, lag}: {readonly recorded: Usd; readonly lag: Usd},
): SpentByDay {
  const [earlier, today] = [days.slice(0, -1), days.at(-1)];
  const sum = earlier.every(({source}) => source === 'billed') ? totalOf(earlier) : undefined;
  const known = sum ?? before;
  if (today === undefined || known === undefined) return withTotal(sharing(days, total), total);
  const isBilled = today.source === 'billed';
  const least = isBilled ? today.cost : ZERO_USD;
  // Each period is billed by the whole minute, so the bill of several days may exceed the sum of theirs.
  const month = largerUsd(total, sumUsd([largerUsd(known, before ?? known), least]));
  const rest = subtractUsd(month, known);
  const isExplained = compare(rest, sumUsd([largerUsd(recorded, least), lag])) <= 0;
  const isToday = isExplained && (isBilled || compare(total, known) >= 0);
  const last: DaySpend = isToday ? {...today, cost: rest, source: 'billed'} : today;
  return withTotal([...sharing(earlier, known), last], month);
}

function withTotal(days: readonly DaySpend[], total: Usd): SpentByDay {
  return {days, total: largerUsd(total, totalOf(days))};
}

/**
 * The total billed between two readings of usage, up to `end`: the difference of their bills, which may be negative
 * after a correction. What is metered without a bill counts at its rate in the first reading.
 */
export function billedBetween(
  before: readonly UsageRecord[],
  after: readonly UsageRecord[],
  {from, until, end}: {readonly from: EpochMs; readonly until: EpochMs; readonly end: EpochMs},
): Usd {
  const known = usageBySpan(before, []);
  const added = sumUsd(
    [...usageBySpan(after, [])].map(([key, record]) => addedBy(record, known.get(key), {from, until})),
  );
  if (end >= until) return added;
  return end <= from ? ZERO_USD : scaleUsd(added, rational(BigInt(end - from), BigInt(until - from)));
}

function addedBy(
  record: UsageRecord,
  before: UsageRecord | undefined,
  {from, until}: {readonly from: EpochMs; readonly until: EpochMs},
): Usd {
  if (record.isExcludedFromBilling) return ZERO_USD;
  const bill = usableCost(record);
  const billBefore = before === undefined ? undefined : usableCost(before);
  if (bill !== undefined && billBefore !== undefined) return sumUsd([bill, negateUsd(billBefore)]);
  const rate = before === undefined || bill !== undefined || !isBurning(before) ? undefined : usableRate(before);
  if (rate !== undefined) return accrue(rate, minutesOf(Math.max(0, until - Math.max(from, record.createdAt ?? from))));
  return costWithin(record, {start: from, end: until, now: until});
}

/** Machines are billed by the minute: below this, the bill may be off by a tenth or more. */
export const SHORTEST_BILL_MS: DurationMs = 10 * MINUTE_MS;
/** The bill of a shorter time is too inexact. */
const SHORT_TIME_MS: DurationMs = 20 * MINUTE_MS;

/**
 * What was spent since a moment: as billed if the provider covers a long enough part of it, otherwise from records.
 * Records spread a bill evenly over its span, so a machine that is hibernated now counts with its average; for a short
 * time see `costOfShort`.
 */
export function spentSince(records: readonly UsageRecord[], {since, now, billed, isSteady}: SpentInput): SpentSince {
  if (billed !== undefined && billed.until - since >= SHORTEST_BILL_MS) {
    const spent = sumUsd([billed.cost, ...accruedSince(records, billed.until, {end: now, now})]);
    return {spent, source: 'billed', isAtLeast: false, unpricedCount: 0};
  }
  const period = {start: since, end: now, now};
  const isShort = now - since < SHORT_TIME_MS;
  const known = records.map(record =>
    isShort
      ? costOfShort(record, period, isSteady?.(record) === true)
      : {cost: costWithin(record, period), isAtLeast: false},
  );
  // Over a short time the present rate shows what something costs, whenever it began.
  const isUnknown = (record: UsageRecord) =>
    isUnknownWithin(record, period) && !(isShort && isBurning(record) && usableRate(record) !== undefined);
  const unpricedCount = records.filter(isUnknown).length;
  const spent = sumUsd(known.map(({cost}) => cost));
  return {
    spent: unpricedCount > 0 && !isPositive(spent) ? undefined : spent,
    source: 'usage',
    isAtLeast: known.some(({isAtLeast}) => isAtLeast),
    unpricedCount,
  };
}

export type SpentInput = {
  readonly since: EpochMs;
  readonly now: EpochMs;
  readonly billed: BilledSoFar | undefined;
  /** Whether what a record is about was in its present state all the time. */
  readonly isSteady?: ((record: UsageRecord) => boolean) | undefined;
};

export type SpentSince = {
  /** Undefined if nothing of it is known. */
  readonly spent: Usd | undefined;
  /** The provider's bill, or usage records. */
  readonly source: SpentSource;
  /** Something in it cost more before, and it is not known until when. */
  readonly isAtLeast: boolean;
  /** How many records are missing in it, because their price or time is unknown. */
  readonly unpricedCount: number;
};

/**
 * What a record cost over a short time: by the times of its bill if samples or events tell them, otherwise at its
 * present rate, which is too low if it cost more before and nothing says that this was before the period.
 */
function costOfShort(
  record: UsageRecord,
  period: SpendPeriod,
  isSteady: boolean,
): {readonly cost: Usd; readonly isAtLeast: boolean} {
  const {start, now} = period;
  const rate = isBurning(record) ? usableRate(record) : undefined;
  const parts = (partsOfBill(record, now) ?? []).filter(({to}) => to > start);
  if (rate === undefined || parts.some(({source}) => source !== 'usage')) {
    return {cost: costWithin(record, period), isAtLeast: false};
  }
  const costMore = ({from, to, cost}: BillPart) => compare(cost, accrue(rate, minutesOf(to - from))) > 0;
  return {
    cost: sumUsd(accruedSince([record], start, period)),
    isAtLeast: !isSteady && parts.some(part => !part.isSteady && costMore(part)),
  };
}

/** How much a bill has grown since it was read: everything metered now, at its present rate. */
export function accruedSince(
  records: readonly UsageRecord[],
  until: EpochMs,
  {end, now}: {readonly end: EpochMs; readonly now: EpochMs},
): readonly Usd[] {
  const to = Math.min(end, now);
  if (until >= to) return [];
  return records.flatMap(record => {
    const rate = isBurning(record) ? usableRate(record) : undefined;
    if (rate !== undefined)
      return accrue(rate, minutesOf(Math.max(0, to - Math.max(until, record.createdAt ?? until))));
    return endOf(record) >= until ? costWithin(record, {start: until, end, now}) : [];
  });
}

/**
 * The bills of machines, each with its growth since it was read, in the same way as for the bill of the whole account.
 */
export function carriedMachineBills(
  histories: readonly MachineHistory[],
  records: readonly UsageRecord[],
  period: {readonly until: EpochMs; readonly end: EpochMs; readonly now: EpochMs},
): readonly MachineHistory[] {
  const ofMachines = Map.groupBy(records, ({resourceType, resourceId}) =>
    resourceType.toLowerCase() === 'vm' ? resourceId : undefined,
  );
  const carried = new Set<number>();
  return histories.map(history => {
    const {machineId, billedCost} = history;
    if (machineId === undefined || billedCost === undefined || carried.has(machineId)) return history;
    // A machine that was created again has several bills; only that of its present span grows.
    carried.add(machineId);
    const added = accruedSince(ofMachines.get(machineId) ?? [], period.until, period);
    return {...history, billedCost: sumUsd([billedCost, ...added])};
  });
}

/** The same however many bills are known. */
const estimatedOnce = memoPer<Usage, readonly Spend[]>();

function estimatedDays({settled, open}: Usage, period: Parameters<typeof spendByDay>[2]): readonly Spend[] {
  return spendPerDay(open, period)
    .filter(({start}) => start < period.now)
    .map((day, index) => ({...day, cost: sumUsd([day.cost, settled.days[index]?.cost ?? ZERO_USD])}));
}

/** The sources of a day's figure. */
type Marks = {isSampled: boolean; isByEvents: boolean; spreadDollars: number};

/** Up to this share of a day may be spread evenly, and be partly wrong. */
const TOLERATED_SPREAD = 0.005;

/** The sources of the days of a period that have no bill: each day has the source of its least certain part. */
function estimatedSources(
  {settled, open}: Usage,
  days: readonly Spend[],
  period: Parameters<typeof spendByDay>[2],
): readonly DaySource[] {
  // If nothing refines a record, there is only one source.
  if (!hasRefined(settled.records) && !open.some(isRefined)) return [];
  const marks = [
    settledMarks(settled.records, [period.start, period.end], () => marksOf(settled.records, period)),
    marksOf(open, period),
  ];
  return days.map(({cost}, index): DaySource => {
    const own = marks.flatMap(each => each[index] ?? []);
    const spread = own.reduce((sum, {spreadDollars}) => sum + spreadDollars, 0);
    if (spread > TOLERATED_SPREAD * Math.abs(usdNumber(cost))) return 'usage';
    if (own.some(({isByEvents}) => isByEvents)) return 'events';
    return own.some(({isSampled}) => isSampled) ? 'samples' : 'usage';
  });
}

function marksOf(records: readonly UsageRecord[], period: Parameters<typeof spendByDay>[2]): readonly Marks[] {
  const {start, now} = period;
  const marks = Array.from(
    {length: dayCountOf(period)},
    (): Marks => ({
      isSampled: false,
      isByEvents: false,
      spreadDollars: 0,
    }),
  );
  for (const record of records) {
    for (const {from, to, cost, source, isSteady} of partsOfBill(record, now) ?? []) {
      const perMs = usdNumber(cost) / (to - from);
      const first = Math.max(0, Math.floor((from - start) / DAY_MS));
      for (let index = first; index < marks.length && start + index * DAY_MS < to; index += 1) {
        const [day, dayStart] = [marks[index], start + index * DAY_MS];
        if (day === undefined) continue;
        if (source === 'samples') day.isSampled = true;
        else if (source === 'events') day.isByEvents = true;
        else if (!isSteady) day.spreadDollars += perMs * (Math.min(to, dayStart + DAY_MS) - Math.max(from, dayStart));
      }
    }
  }
  return marks;
}

/** Cached for the many records that no longer change. */
const hasRefined = oncePer((records: readonly UsageRecord[]) => records.some(isRefined));
const settledMarks = memoPer<readonly UsageRecord[], readonly Marks[]>();

function dayCountOf({start, end}: {readonly start: EpochMs; readonly end: EpochMs}): number {
  return Math.ceil((end - start) / DAY_MS);
}

/** Days without a bill share what the others leave of the total. */
function sharing(days: readonly DaySpend[], total: Usd): readonly DaySpend[] {
  const open = days.filter(({source}) => source !== 'billed');
  const known = sumUsd(days.flatMap(({source, cost}) => (source === 'billed' ? [cost] : [])));
  const rest = sumUsd([total, negateUsd(known)]);
  if (open.length === 0 || isNegative(rest)) return days;
  const estimate = sumUsd(open.map(({cost}) => cost));
  const last = open.at(-1);
  const factor = isPositive(estimate) ? divide(rest, estimate) : undefined;
  // What remains for a single day is its bill, unless it is more than its records explain: then it may be a fee or a
  // correction. Several days share it in proportion to the records.
  const isBill = open.length === 1 && compare(rest, scaleUsd(estimate, MOST_EXPLAINED)) <= 0;
  return days.map((day): DaySpend => {
    if (day.source === 'billed') return day;
    const source = isBill ? 'billed' : day.source;
    if (factor !== undefined) return {...day, cost: scaleUsd(day.cost, factor), source};
    return {...day, cost: day === last ? rest : ZERO_USD, source};
  });
}

/** Bills are by the whole minute, and may exceed the records by this much. */
const MOST_EXPLAINED = rational(1005n, 1000n);

export function totalOf(days: readonly DaySpend[]): Usd {
  return sumUsd(days.map(({cost}) => cost));
}

/** The UTC days of a period that have begun, each with the latest moment that can have been billed. */
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
