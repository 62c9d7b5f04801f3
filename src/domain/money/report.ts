import type {UsageRecord} from '../billing.ts';
import type {MachineHistory} from '../billing-history.ts';
import type {Contract} from '../contract.ts';
import {burnRate, isMissed, withoutUsage} from '../cost.ts';
import {memoPer} from '../memo.ts';
import {
  accrue,
  add,
  divide,
  hourlyUsd,
  isPositive,
  minutesOf,
  type Rate,
  rational,
  scaleUsd,
  sumUsd,
  toNumber,
  type Usd,
  usd,
  usdNumber,
  ZERO_RATE,
  ZERO_USD,
} from '../money.ts';
import {say} from '../safe-text.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS} from '../time.ts';
import type {MachineEvent, VirtualMachine} from '../virtual-machine.ts';
import type {Volume} from '../volume.ts';
import {type BurnAnomaly, type BurnIncident, type BurnReading, burnAnomaly, burnIncident} from './anomaly.ts';
import {isRefined, type WholeBill} from './bill-parts.ts';
import {type BilledDay, type BilledSoFar, type DaySource, type DaySpend, spendByDay} from './billed-day.ts';
import {type Commitment, commitmentOf} from './commitment.ts';
import {type Cliff, cliffCost, type Forecast, forecastRemaining} from './forecast.ts';
import {hibernatedRuns} from './hibernated-run.ts';
import {withPaidTimes} from './paid-times.ts';
import type {Prices} from './prices.ts';
import {recordsOf, type Usage, usageOf} from './settled.ts';
import {
  costWithin,
  isUnknownWithin,
  isUnpriced,
  type MonthSoFar,
  monthToDate,
  partsOfBill,
  resourceKey,
  type SpendPeriod,
} from './spend.ts';
import {type SpendCurve, spendCurve} from './spend-curve.ts';
import {isBurnUnknown, unpricedRecords} from './usage-flag.ts';

/** What was read of an account. Anything undefined could not be read, and is unknown in the report. */
export type CostReading = {
  readonly now: EpochMs;
  readonly month: {readonly start: EpochMs; readonly end: EpochMs};
  readonly live: readonly UsageRecord[];
  readonly deleted: readonly UsageRecord[] | undefined;
  readonly billed: readonly BilledDay[];
  /** Closed days before the month, which show what each weekday costs. */
  readonly billedBefore?: readonly BilledDay[] | undefined;
  /** The month's bill so far, if that was requested as one sum. */
  readonly billedMonth?: BilledSoFar | undefined;
  /** What the days of the month before today were billed, if that was requested as one sum. */
  readonly billedBeforeToday?: Usd | undefined;
  /** What each machine was billed in the month, if requested. */
  readonly machineHistories: readonly MachineHistory[] | undefined;
  readonly machines: readonly VirtualMachine[] | undefined;
  /** The histories of machines by id: of those whose bill does not equal rate × time, if no daily bills exist. */
  readonly events?: ReadonlyMap<number, readonly MachineEvent[]> | undefined;
  readonly volumes: readonly Volume[] | undefined;
  readonly contracts: readonly Contract[] | undefined;
  readonly prices: Prices;
  /** The burn rates that this session has read within the last day, without those that a later one exceeds. */
  readonly highestBurns?: readonly BurnReading[] | undefined;
};

/** What an account costs. Everything is exact except the forecast, which is marked as an estimate. */
export type CostReport = {
  readonly reading: CostReading;
  readonly usage: Usage;
  /** Month-to-date from records alone, for comparison with the bill. */
  readonly estimated: MonthSoFar;
  readonly curve: SpendCurve;
  readonly burn: Rate;
  readonly unpriced: readonly UsageRecord[];
  /** Machines without a usage record, of which the burn rate knows nothing either; not those that are new. */
  readonly unmetered: readonly VirtualMachine[];
  readonly days: readonly DaySpend[];
  /** The sum of the days, or the month's bill if that is more; for a past month, all of it. */
  readonly monthToDate: Usd;
  readonly forecast: Forecast;
  readonly projection: Projection;
  readonly anomaly: BurnAnomaly | undefined;
  /** What the burn rate rose to within the last day, if it was an anomaly and has fallen since. */
  readonly incident: BurnIncident | undefined;
  readonly commitments: readonly Commitment[] | undefined;
};

export function costReport(reading: CostReading): CostReport {
  const {now, month, billed} = reading;
  const byRecords = recordsReport(reading);
  const {usage, estimated, curve, anomaly, commitments} = byRecords;
  const sums = {month: reading.billedMonth, before: reading.billedBeforeToday};
  const {days, total} = spendByDay(usage, {days: billed, ...sums}, {...month, now});
  const known = knownMonthToDate({monthToDate: total, estimated, days, usage, reading});
  return {
    reading,
    ...byRecords,
    days,
    monthToDate: total,
    forecast: forecastRemaining({
      curve,
      now,
      monthEnd: month.end,
      cliffs: cliffsOf(commitments),
      billed: [...(reading.billedBefore ?? []), ...billed],
      hasStep: isLasting(anomaly, now),
    }),
    projection: projectionOf(known, knownBurn({...byRecords, reading}), {
      ...month,
      now,
      ends: commitments?.flatMap(endOf),
    }),
  };
}

/** What the records tell by themselves. */
type RecordsReport = Pick<
  CostReport,
  'usage' | 'estimated' | 'curve' | 'burn' | 'unpriced' | 'unmetered' | 'anomaly' | 'incident' | 'commitments'
>;

/** Bills of sixty days arrive one by one, and change none of it. */
function recordsReport(reading: CostReading): RecordsReport {
  const {now, month, live, deleted, machines, contracts, prices, highestBurns, events = NO_EVENTS} = reading;
  const facts = [deleted, machines, contracts, prices, highestBurns, ...[...events].flat()];
  const inputs = [now, month.start, month.end, ...facts];
  return byRecordsOnce(live, inputs, () => reportOfRecords({...reading, events}));
}

const byRecordsOnce = memoPer<readonly UsageRecord[], RecordsReport>();

function reportOfRecords(reading: CostReading & {readonly events: NonNullable<CostReading['events']>}): RecordsReport {
  const {now, month, live, deleted} = reading;
  const usage = usageOf(withPaidTimes(live, reading), deleted ?? NOTHING, {month, now});
  const {settled, open} = usage;
  const curve = spendCurve(open, now, settled.curve);
  const estimate = monthToDate(open, {monthStart: month.start, monthEnd: month.end, now});
  const {rate: burn} = burnRate(live);
  const presentPerHour = hourlyUsd(burn) - futurePerHour(live, now);
  const runOf = hibernatedRuns(reading);
  return {
    usage,
    estimated: {
      total: sumUsd([settled.total, estimate.total]),
      unpricedCount: settled.unpricedCount + estimate.unpricedCount,
    },
    curve,
    burn,
    unpriced: unpricedRecords(live),
    unmetered: withoutUsage(reading.machines ?? [], live).filter(machine => isMissed(machine, reading)),
    // Without deleted resources, every past hour would look cheaper than it was.
    anomaly: deleted === undefined ? undefined : burnAnomaly(curve, now, presentPerHour, runOf),
    incident: deleted === undefined ? undefined : burnIncident(curve, now, presentPerHour, runOf, reading.highestBurns),
    commitments: commitmentsOf(reading, usage),
  };
}

/** How many resources are missing from the burn rate. */
export function unpricedCount({unpriced, unmetered}: Pick<CostReport, 'unpriced' | 'unmetered'>): number {
  return unpriced.length + unmetered.length;
}

/** The burn rate, if known: undefined if something is billed and none of it has a usable rate. */
export function knownBurn({
  burn,
  reading,
  unpriced,
}: Pick<CostReport, 'burn' | 'reading' | 'unpriced'>): Rate | undefined {
  return unpriced.length > 0 && isBurnUnknown(reading.live) ? undefined : burn;
}

/** Month-to-date, if known: undefined if no bill was read and no record says what it cost in the month. */
export function knownMonthToDate({
  monthToDate: total,
  estimated,
  days,
  usage,
  reading: {billedMonth, month, now},
}: Pick<CostReport, 'monthToDate' | 'estimated' | 'days' | 'usage' | 'reading'>): Usd | undefined {
  const isBilled = billedMonth !== undefined || days.some(({source}) => source === 'billed');
  const isKnown =
    isPositive(total) || (estimated.unpricedCount === 0 && !isBeforeRecords(month, recordsOf(usage), now));
  return isBilled || isKnown ? total : undefined;
}

/** Whether a time was over before the first record began: without a bill, nothing tells what it cost. */
export function isBeforeRecords(
  {end}: {readonly end: EpochMs},
  records: readonly UsageRecord[],
  now: EpochMs,
): boolean {
  return end < now && !records.some(({createdAt}) => createdAt === undefined || createdAt < end);
}

/** Days with neither bill nor records: their cost is unknown, not zero. */
export function unknownDays({
  days,
  usage,
  reading: {month, now},
}: Pick<CostReport, 'days' | 'usage' | 'reading'>): ReadonlySet<DaySpend> {
  const records = recordsOf(usage);
  const unpriced = records.filter(record => isUnpriced(record, now));
  const isNoneKnown = isBeforeRecords(month, records, now);
  const isUnknown = ({start, end}: DaySpend) =>
    isNoneKnown || unpriced.some(record => isUnknownWithin(record, {start, end, now}));
  return new Set(days.filter(day => day.source !== 'billed' && !isPositive(day.cost) && isUnknown(day)));
}

const NOTHING: readonly UsageRecord[] = [];
const NO_EVENTS: ReadonlyMap<number, readonly MachineEvent[]> = new Map();

/**
 * Records that begin in the future, in dollars per hour. They are charged now but are not a step, since there is no
 * past to rise above.
 */
function futurePerHour(live: readonly UsageRecord[], now: EpochMs): number {
  const future = live.filter(({createdAt}) => createdAt !== undefined && createdAt > now);
  return future.length === 0 ? 0 : hourlyUsd(burnRate(future).rate);
}

/** A more recent step may be a short run of many machines; an older one can be expected to last. */
const LASTING_STEP_MS = DAY_MS;

/** Whether the burn rate has made a step that can be expected to last for the rest of the month. */
export function isLasting(anomaly: BurnAnomaly | undefined, now: number): boolean {
  return anomaly !== undefined && now - anomaly.aboveSince >= LASTING_STEP_MS;
}

/** The month's end by two simple methods. Neither is a forecast: both state their assumption. */
type Projection = {
  /**
   * Month-to-date plus the present burn rate until the month ends ("if nothing changes"), including contracts that end
   * in it. Undefined before that while the burn rate is unknown.
   */
  readonly ifNothingChanges: Usd | undefined;
  /** Month-to-date extended over the whole month; undefined at the very start of a month. */
  readonly runRate: Usd | undefined;
};

function projectionOf(
  monthToDate: Usd | undefined,
  burn: Rate | undefined,
  terms: Parameters<typeof projectMonth>[2],
): Projection {
  if (monthToDate === undefined) return {ifNothingChanges: undefined, runRate: undefined};
  const projection = projectMonth(monthToDate, burn ?? ZERO_RATE, terms);
  // At its end, no burn rate adds to the month.
  const isKnown = burn !== undefined || terms.now >= terms.end;
  return isKnown ? projection : {...projection, ifNothingChanges: undefined};
}

export function projectMonth(
  monthToDate: Usd,
  burn: Rate,
  {
    start,
    end,
    now,
    ends = [],
  }: {
    readonly start: EpochMs;
    readonly end: EpochMs;
    readonly now: EpochMs;
    /** What the ends of contracts add to the burn rate, and when. */
    readonly ends?: readonly {readonly at: EpochMs; readonly rise: Rate}[] | undefined;
  },
): Projection & {readonly ifNothingChanges: Usd} {
  const elapsedMs = Math.min(now, end) - start;
  const ahead = accrue(burn, minutesOf(Math.max(0, end - now)));
  const rises = ends.flatMap(({at, rise}) => (at > now && at < end ? accrue(rise, minutesOf(end - at)) : []));
  return {
    ifNothingChanges: sumUsd([monthToDate, ahead, ...rises]),
    runRate: elapsedMs > 0 ? scaleUsd(monthToDate, divide(minutesOf(end - start), minutesOf(elapsedMs))) : undefined,
  };
}

/** A forecast figure as exact dollars, including month-to-date; known to the micro-dollar at best. */
export function monthEndAt(monthToDate: Usd, remaining: number): Usd {
  return usd(add(monthToDate, rational(BigInt(Math.round(remaining * 1e6)), 1_000_000n)));
}

function endOf({contract, cliff}: Commitment): readonly {readonly at: EpochMs; readonly rise: Rate}[] {
  return contract.endsAt === undefined || cliff === undefined ? [] : [{at: contract.endsAt, rise: cliff}];
}

/** Whether a contract may end before the month does at an unknown change, which the month's end then lacks. */
export function lacksContractEnds({commitments, reading: {now, month}}: CostReport): boolean {
  return (
    commitments?.some(({contract: {endsAt}, cliff}) => {
      const isEndKnown = endsAt !== undefined && (endsAt <= now || endsAt >= month.end);
      return !isEndKnown && cliff === undefined;
    }) ?? true
  );
}

function cliffsOf(commitments: readonly Commitment[] | undefined): readonly Cliff[] {
  return (commitments ?? []).flatMap(endOf).map(({at, rise}) => ({at, perMs: toNumber(rise) / MINUTE_MS}));
}

/** The expected cost of a coming day, with lower and upper bound, in dollars, for a chart. */
export type DayForecast = {
  readonly start: EpochMs;
  readonly dollars: number;
  readonly low80: number;
  readonly high80: number;
};

/** The forecast by day, from tomorrow on: the same every day except for contracts that end by then. */
export function forecastByDay({forecast, commitments, reading: {now, month}}: CostReport): readonly DayForecast[] {
  if (forecast.status !== 'ready' || now >= month.end) return [];
  const {remaining, low80, high80} = forecast;
  const [least, most] = remaining > 0 ? [low80 / remaining, high80 / remaining] : [0, 0];
  const cliffs = cliffsOf(commitments);
  const plain = (remaining - cliffCost(cliffs, now, month.end)) / (month.end - now);
  const tomorrow = Math.floor(now / DAY_MS + 1) * DAY_MS;
  return Array.from({length: Math.max(0, Math.round((month.end - tomorrow) / DAY_MS))}, (_, index) => {
    const start = epochMs(tomorrow + index * DAY_MS);
    const end = start + DAY_MS;
    const changes = cliffs.reduce(
      (sum, {at, perMs}) => (at > now && at < end ? sum + perMs * (end - Math.max(at, start)) : sum),
      0,
    );
    const dollars = Math.max(0, plain * DAY_MS + changes);
    return {start, dollars, low80: dollars * least, high80: dollars * most};
  });
}

/** Contracts in force now, in force at some time in the month, or still named by machines. */
function commitmentsOf(
  {contracts, machines, prices, now, month}: CostReading,
  usage: Usage,
): readonly Commitment[] | undefined {
  const known = () => ({records: recordsOf(usage), machines, prices, now, since: month.start});
  return contracts
    ?.map(contract => commitmentOf(contract, known()))
    .filter(({contract, machines: own = []}) => (contract.endsAt ?? now) >= month.start || own.length > 0);
}

/**
 * The name for what was billed beyond the records: contract fees, buckets, or a difference between bill and records.
 */
export const NOT_ATTRIBUTED = say`not attributed`;

/** `isUnknown`: it may have cost more, by an unknown amount. */
export type RecordCost = {readonly record: UsageRecord; readonly cost: Usd; readonly isUnknown: boolean};

/**
 * What each record cost in the month: spread evenly over its time, or, if the provider says what its machine was
 * billed, that amount spread over the machine's spans.
 */
export function recordCosts({usage, reading}: CostReport): readonly RecordCost[] {
  const {month, now, machineHistories} = reading;
  const period = {start: month.start, end: epochMs(Math.min(month.end, now)), now};
  // If the month itself is only estimated, bills of machines would not add up to it.
  return recordCostsWithin(recordsOf(usage), period, isMonthBilled(reading) ? machineHistories : undefined);
}

/** Whether the provider says what the month was billed, or a day of it. */
export function isMonthBilled({billed, billedMonth}: Pick<CostReading, 'billed' | 'billedMonth'>): boolean {
  return billed.length > 0 || billedMonth !== undefined;
}

/** The same for any time, with the bills of machines for exactly that time; undefined if the provider does not say. */
export function recordCostsWithin(
  records: readonly UsageRecord[],
  period: SpendPeriod,
  histories: CostReading['machineHistories'],
): readonly RecordCost[] {
  const costs = records.map(record => ({
    record,
    cost: costWithin(record, period),
    isUnknown: isUnknownWithin(record, period),
  }));
  const billed = machineBills(histories ?? []);
  if (billed.size === 0) return costs;
  const estimated = new Map(
    [...Map.groupBy(costs, ({record}) => resourceKey(record))].map(([key, own]) => [
      key,
      {
        estimate: sumUsd(own.map(({cost}) => cost)),
        unknownCount: own.filter(({isUnknown}) => isUnknown).length,
      },
    ]),
  );
  return costs.map(each => {
    const key = resourceKey(each.record);
    const [bill, {estimate, unknownCount} = NO_ESTIMATE] = [billed.get(key), estimated.get(key)];
    if (bill === undefined) return each;
    if (isPositive(estimate)) return {...each, cost: scaleUsd(each.cost, divide(bill, estimate)), isUnknown: false};
    if (!each.isUnknown) return each;
    return {...each, cost: scaleUsd(bill, rational(1n, BigInt(unknownCount))), isUnknown: false};
  });
}

const NO_ESTIMATE = {estimate: ZERO_USD, unknownCount: 0};

/** By resource: a machine that was created again has several. */
function machineBills(histories: NonNullable<CostReading['machineHistories']>): ReadonlyMap<string, Usd> {
  const bills = new Map<string, Usd>();
  for (const {machineId, billedCost} of histories) {
    if (machineId === undefined || billedCost === undefined) continue;
    const key = `vm ${machineId}`;
    bills.set(key, sumUsd([bills.get(key) ?? ZERO_USD, billedCost]));
  }
  return bills;
}

/** What an hour cost, in dollars, for a chart and therefore not exact. */
export type HourSpend = {readonly start: EpochMs; readonly dollars: number; readonly source: DaySource};

/**
 * The last hours, including the present one. The provider bills by day: the hours of a billed day share its bill in
 * proportion to the records; all others use records spread evenly.
 */
export function spendByHour({curve, days, usage, reading: {now}}: CostReport, count: number): readonly HourSpend[] {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const first = last - (count - 1) * HOUR_MS;
  const refinedBetween = refinements(recordsOf(usage), {from: Math.floor(first / DAY_MS) * DAY_MS, now});
  const between = (start: number, end: number) =>
    curve.spentBefore(end) - curve.spentBefore(start) + refinedBetween(start, end);
  return Array.from({length: count}, (_, index): HourSpend => {
    const start = epochMs(first + index * HOUR_MS);
    const byRecords = Math.max(0, between(start, Math.min(start + HOUR_MS, now)));
    const day = days.find(({start: from, end}) => from <= start && start < end);
    const ofDay = day?.source === 'billed' ? between(day.start, Math.min(day.end, now)) : 0;
    if (day === undefined || ofDay <= 0) return {start, dollars: byRecords, source: sourceOfHour(day)};
    return {start, dollars: (byRecords * usdNumber(day.cost)) / ofDay, source: 'billed'};
  });
}

/** A day's bill that says nothing about its hours is ignored. */
function sourceOfHour(day: DaySpend | undefined): DaySource {
  return day === undefined || day.source === 'billed' ? 'usage' : day.source;
}

/** How much more was spent between two moments than on the curve, which spreads each bill evenly. In dollars. */
function refinements(
  records: readonly UsageRecord[],
  {from: since, now}: {readonly from: number; readonly now: EpochMs},
): (start: number, end: number) => number {
  const changes = records.filter(isRefined).flatMap(record => {
    const parts = partsOfBill(record, now) ?? [];
    const [first, last] = [parts[0], parts.at(-1)];
    if (first === undefined || last === undefined) return [];
    const whole = {from: first.from, to: last.to, cost: sumUsd(parts.map(({cost}) => cost))};
    const dollarsPerMs = ({from, to, cost}: WholeBill) => usdNumber(cost) / (to - from);
    return [
      {...whole, perMs: -dollarsPerMs(whole)},
      ...parts.filter(({to}) => to > since).map(part => ({...part, perMs: dollarsPerMs(part)})),
    ];
  });
  return (start, end) =>
    changes.reduce((sum, {from, to, perMs}) => sum + perMs * Math.max(0, Math.min(to, end) - Math.max(from, start)), 0);
}

/** How much of a month's budget is spent, and when its shares are reached. */
export type BudgetPace = {
  readonly budget: Usd;
  /** The share of the budget divided by the share of the month; above 1 the budget ends before the month. */
  readonly pace: number | undefined;
  /**
   * When each share was or will be reached at the present burn rate; undefined if not in this month. None while the
   * month is unknown.
   */
  readonly crossings: readonly {readonly ratio: number; readonly at: EpochMs | undefined}[];
};

/** Undefined for a budget of zero, of which there are no shares. */
export function budgetPace(report: CostReport, budget: Usd, ratios: readonly number[]): BudgetPace | undefined {
  if (!isPositive(budget)) return undefined;
  const monthToDate = knownMonthToDate(report);
  if (monthToDate === undefined) return {budget, pace: undefined, crossings: []};
  const {month, now} = report.reading;
  const elapsed = (Math.min(now, month.end) - month.start) / (month.end - month.start);
  const spent = toNumber(divide(monthToDate, budget));
  return {
    budget,
    pace: elapsed > 0 ? spent / elapsed : undefined,
    crossings: ratios.map(ratio => ({ratio, at: crossing(report, usdNumber(budget) * ratio)})),
  };
}

function crossing({days, monthToDate, burn, reading: {now, month}}: CostReport, dollars: number): EpochMs | undefined {
  let sum = 0;
  for (const {start, end, cost} of days) {
    const spent = usdNumber(cost);
    if (sum + spent >= dollars && spent > 0) {
      return epochMs(Math.round(start + ((dollars - sum) / spent) * (Math.min(end, now) - start)));
    }
    sum += spent;
  }
  const perMs = toNumber(burn) / MINUTE_MS;
  const at = perMs > 0 ? now + (dollars - usdNumber(monthToDate)) / perMs : Number.POSITIVE_INFINITY;
  return at < month.end ? epochMs(Math.round(Math.max(now, at))) : undefined;
}

/**
 * What one GPU costs per hour: over all billed GPUs, and over those in running machines. Undefined without any. A
 * machine that is free in its state adds no GPUs, and a hibernated one keeps none.
 */
export function gpuPrices(
  machines: readonly VirtualMachine[],
  rates: ReadonlyMap<number, Rate>,
): {readonly billedPerHour: number | undefined; readonly runningPerHour: number | undefined} {
  let [perHour, billedCount, runningCount] = [0, 0, 0];
  for (const {id, flavor, status} of machines) {
    const [count, rate] = [flavor?.gpuCount ?? 0, rates.get(id)];
    if (count <= 0 || rate === undefined || !isPositive(rate) || status === 'HIBERNATED') continue;
    perHour += toNumber(rate) * 60;
    billedCount += count;
    if (status === 'ACTIVE') runningCount += count;
  }
  return {
    billedPerHour: billedCount > 0 ? perHour / billedCount : undefined,
    runningPerHour: runningCount > 0 ? perHour / runningCount : undefined,
  };
}
