import {
  billingHistory,
  credit,
  lastDayCost,
  machineHistory,
  machineHistoryDetail,
  machineHistoryGraph,
  usage,
} from '../api/billing.ts';
import {calculatePrice} from '../api/price-book.ts';
import type {Credit, UsageRecord} from '../domain/billing.ts';
import {
  type BillingHistory,
  type ChargePeriod,
  type LastDayCost,
  type MachineHistory,
  type MachineHistoryGraph,
  monthBeforeToday,
  monthSoFar,
  todaySoFar,
} from '../domain/billing-history.ts';
import {
  burnRate,
  excludedMachines,
  lastingRunway,
  machineRates,
  meteredRate,
  type Runway,
  volumeRates,
} from '../domain/cost.ts';
import {memoPer, oncePer} from '../domain/memo.ts';
import {mergeUsage} from '../domain/money/spend.ts';
import type {BurnReading} from '../domain/money/anomaly.ts';
import {type BilledDay, type BilledSoFar, carriedMachineBills, type DaySpend} from '../domain/money/billed-day.ts';
import {
  type BillMoment,
  type CarriedBill,
  carriedSoFar,
  nextCarried,
  UNBILLED_MS,
} from '../domain/money/carried-bill.ts';
import {type DayCost, dayCost, dayPair, daysWithin} from '../domain/money/day-cost.ts';
import {burnWindow, type PastBurn, pastBurn} from '../domain/money/burn-change.ts';
import {type BillingFigures, computeFigures} from '../domain/money/figures.ts';
import {hibernatedMachineIds, unsteadyMachineIds} from '../domain/money/paid-times.ts';
import {WEEKDAY_DAYS} from '../domain/money/weekday.ts';
import {hourlyUsd, isPositive, type Rate, type Usd, ZERO_RATE} from '../domain/money.ts';
import {unknownDays} from '../domain/money/report.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {ResourcePrice} from '../domain/price-book.ts';
import {failureOf, lastValue, readAt, type Snapshot} from '../domain/snapshot.ts';
import {
  DAY_MS,
  dayStart,
  type DurationMs,
  type EpochMs,
  epochMs,
  HOUR_MS,
  MINUTE_MS,
  type MonotonicMs,
} from '../domain/time.ts';
import {
  isTransitional,
  type VirtualMachine,
  type VirtualMachineId,
  virtualMachineId,
} from '../domain/virtual-machine.ts';
import {contractsFeed} from './contracts.ts';
import {type Feed, type FeedName, isWhole, listFeed, type Listing, oneFeed} from './feed.ts';
import type {Known, KnownOnce} from './known.ts';
import {eventsFeed, observedMachines} from './machines.ts';
import type {Store} from './store.ts';

export const usageFeed: Feed<Listing<UsageRecord>> = withoutCopies(
  listFeed('usage', MINUTE_MS, usage, {isDeleted: false}),
);

/** Terminated resources. Without them, month-to-date would silently drop what was deleted this month. */
export const deletedUsageFeed: Feed<Listing<UsageRecord>> = withoutCopies(
  listFeed('usage-deleted', 5 * MINUTE_MS, usage, {isDeleted: true}),
);

/** A span that is listed twice is billed once. */
function withoutCopies(feed: Feed<Listing<UsageRecord>>): Feed<Listing<UsageRecord>> {
  return {
    ...feed,
    read: async (client, signal) => {
      const answer = await feed.read(client, signal);
      return answer.ok ? {ok: true, value: eachOnce(answer.value)} : answer;
    },
  };
}

/** The same object for the same answer, so that nothing is computed again. */
const eachOnce = oncePer((listing: Listing<UsageRecord>): Listing<UsageRecord> => {
  const records = mergeUsage(listing.records, []);
  return records.length === listing.records.length ? listing : {...listing, records};
});

export const creditFeed: Feed<Credit> = oneFeed('credit', MINUTE_MS, credit, {});
export const lastDayCostFeed: Feed<LastDayCost> = oneFeed('last-day-cost', HOUR_MS, lastDayCost, {});

// What the service itself says was billed. Each is a list of one record, or of none if nothing was billed.

/** A bill grows by the minute, but the service updates it much less often. */
const HISTORY_INTERVAL_MS = 10 * MINUTE_MS;

export function historyFeed(period: ChargePeriod): Feed<Listing<BillingHistory>> {
  const {startsAt, endsAt} = period;
  return listFeed([HISTORY, startsAt, endsAt], HISTORY_INTERVAL_MS, billingHistory, {period});
}

const HISTORY = 'history';

/** The period of a feed of the account's bills; undefined for any other feed. */
function periodIn({kind, of: [startsAt, endsAt]}: FeedName): ChargePeriod | undefined {
  if (kind !== HISTORY || typeof startsAt !== 'number' || typeof endsAt !== 'number') return undefined;
  return {startsAt: epochMs(startsAt), endsAt: epochMs(endsAt)};
}

export function machineHistoriesFeed(period: ChargePeriod): Feed<Listing<MachineHistory>> {
  return listFeed(['machine-histories', spanKey(period)], HISTORY_INTERVAL_MS, machineHistory, {period});
}

export function machineHistoryFeed(id: VirtualMachineId, period: ChargePeriod): Feed<Listing<MachineHistory>> {
  return listFeed(['machine-history', id, spanKey(period)], HISTORY_INTERVAL_MS, machineHistoryDetail, {id, period});
}

export function machineGraphFeed(id: VirtualMachineId, period: ChargePeriod): Feed<Listing<MachineHistoryGraph>> {
  return listFeed(['machine-graph', id, spanKey(period)], HISTORY_INTERVAL_MS, machineHistoryGraph, {id, period});
}

export function machinePriceFeed(id: VirtualMachineId): Feed<ResourcePrice> {
  return oneFeed(['machine-price', id], 5 * MINUTE_MS, calculatePrice, {resourceType: 'virtual-machine', id});
}

function spanKey({startsAt, endsAt}: ChargePeriod): string {
  return `${startsAt}-${endsAt}`;
}

/** The bill of a closed day is final, except that the last two days may still be corrected. */
const CLOSED_DAY_INTERVAL_MS = DAY_MS;
const CORRECTED_DAYS = 2;

/**
 * The bills of the month's closed days, and of earlier days that show what each weekday costs, as far as they reach
 * into the time before now; newest first, one request each. None if the provider keeps no bills.
 */
export function billedDayFeeds(
  store: Store,
  now: EpochMs,
  windowMs: DurationMs = Number.POSITIVE_INFINITY,
): readonly Feed<Listing<BillingHistory>>[] {
  if (billedMonthOf(store, now) === undefined) return [];
  return [...closedDays(now), ...daysBeforeMonth(now)]
    .filter(({endsAt}) => endsAt > now - windowMs)
    .map((period, index) => ({
      ...historyFeed(period),
      intervalMs: index < CORRECTED_DAYS ? HOUR_MS : CLOSED_DAY_INTERVAL_MS,
    }));
}

/** Everything that tells what was billed on the days of the time before now. */
export function billFeedsWithin(store: Store, now: EpochMs, windowMs: DurationMs): readonly Feed<unknown>[] {
  return [
    presentBillFeed(store, monthSoFar(now)),
    presentBillFeed(store, todaySoFar(now)),
    ...billedDayFeeds(store, now, windowMs),
  ];
}

/** The bills of the month and of today. */
export function presentBillFeeds(store: Store, now: EpochMs): readonly Feed<Listing<BillingHistory>>[] {
  return [presentBillFeed(store, monthSoFar(now)), presentBillFeed(store, todaySoFar(now))];
}

/**
 * What the month was billed before today, with which the month and today grow alike. None on its first day, nor in the
 * first minute of a deck, whose requests are for what is shown.
 */
export function earlierBillFeeds(now: EpochMs, openedAt = now): readonly Feed<Listing<BillingHistory>>[] {
  const before = monthBeforeToday(now);
  return before === undefined || now - openedAt < MINUTE_MS ? [] : [historyFeed(before)];
}

/** Whether some of it is still to come, so that the burn history of that time is an estimate. */
export function areBillsAwaited({store, now}: Pick<Known, 'store' | 'now'>, windowMs: DurationMs): boolean {
  if (isWaiting(store, historyFeed(monthSoFar(now)))) return true;
  if (billedMonthOf(store, now) === undefined) return false;
  return billFeedsWithin(store, now, windowMs).some(feed => isWaiting(store, feed));
}

function isWaiting(store: Store, feed: Feed<unknown>): boolean {
  return store.get(feed).status === 'waiting';
}

function closedDays(now: EpochMs): readonly ChargePeriod[] {
  const {startsAt, endsAt} = monthSoFar(now);
  return daysUntil(todaySoFar(now).startsAt, Math.round((endsAt - startsAt) / DAY_MS) - 1);
}

function daysBeforeMonth(now: EpochMs): readonly ChargePeriod[] {
  return daysUntil(monthSoFar(now).startsAt, Math.max(0, WEEKDAY_DAYS - closedDays(now).length));
}

/** This many whole days, newest first. */
function daysUntil(end: EpochMs, count: number): readonly ChargePeriod[] {
  return Array.from({length: count}, (_, index) => {
    const endsAt = epochMs(end - index * DAY_MS);
    return {startsAt: epochMs(endsAt - DAY_MS), endsAt};
  });
}

function billedMonthOf(store: Store, now: EpochMs): Usd | undefined {
  return lastValue(store.get(historyFeed(monthSoFar(now))))?.records[0]?.billedCost;
}

/** Histories take one request per machine; those of the costliest machines matter most. */
const MAX_HISTORIES = 12;

/** If the provider keeps no bills: the events that tell when machines were billed whose rate changed. */
export function unsteadyEventFeeds(known: Pick<Known, 'store' | 'now'>): readonly ReturnType<typeof eventsFeed>[] {
  return unsteadyIds(known).map(eventsFeed);
}

function unsteadyIds({store, now}: Pick<Known, 'store' | 'now'>): readonly VirtualMachineId[] {
  const usage = lastValue(store.get(usageFeed));
  if (usage === undefined || store.get(historyFeed(monthSoFar(now))).status === 'waiting') return [];
  if (billedMonthOf(store, now) !== undefined) return [];
  return unsteadyOnce(usage, [Math.floor(now / HOUR_MS)], () =>
    unsteadyMachineIds(usage.records, now).slice(0, MAX_HISTORIES).map(virtualMachineId),
  );
}

/** The events of hibernated machines say when they stopped running, as far as they were read for something else. */
const hibernatedIds = oncePer((usage: Listing<UsageRecord>) =>
  hibernatedMachineIds(usage.records).slice(0, MAX_HIBERNATED).map(virtualMachineId),
);

/** An incident rarely has more machines; each is looked up after every reading. */
const MAX_HIBERNATED = 50;

const unsteadyOnce = memoPer<Listing<UsageRecord>, readonly VirtualMachineId[]>();

/** This month's figures as of now; undefined until usage was read. Recomputed every minute and after each reading. */
export function billingFigures({
  store,
  now: present,
  monotonicNow,
  preferences,
}: KnownOnce): BillingFigures | undefined {
  const live = lastValue(store.get(usageFeed));
  if (live === undefined) return undefined;
  const period = monthSoFar(present);
  const deleted = lastValue(store.get(deletedUsageFeed));
  const before = monthBeforeToday(present);
  const bills = [period, todaySoFar(present), ...(before === undefined ? [] : [before])].map(each =>
    lastValue(store.get(historyFeed(each))),
  );
  const machineHistories = lastValue(store.get(machineHistoriesFeed(period)));
  // The bills of closed days are final: they arrive one by one, and what they do not change stays as of its moment.
  const minute = Math.floor(present / MINUTE_MS);
  // A change of a machine reaches its bill only with the next reading of usage.
  const isListed = observedMachines(store) !== undefined;
  const moment = momentOnce(live, [deleted, ...bills, machineHistories, isListed, minute], () => ({
    now: present,
    monotonicNow,
    machines: observedMachines(store),
  }));
  const {now, machines} = moment;
  const days = [...closedDays(now), todaySoFar(now)];
  const daysBefore = daysBeforeMonth(now);
  const told = [...new Set([...unsteadyIds({store, now}), ...hibernatedIds(live)])];
  const histories = told.map(id => lastValue(store.get(eventsFeed(id))));
  const contracts = lastValue(store.get(contractsFeed));
  const highestBurns = learntByStore.get(store)?.highestBurns;
  const read = [
    moment,
    contracts,
    highestBurns,
    ...[...days, ...daysBefore].map(day => lastValue(store.get(historyFeed(day)))),
    ...histories,
  ];
  return figuresOnce(live, [...read, preferences.prices], () => {
    const known = {store, now, monotonicNow: moment.monotonicNow};
    return computeFigures(live.records, deleted?.records, now, {
      billed: days.flatMap(day => billedDay(day, known)),
      billedBefore: daysBefore.flatMap(day => billedDay(day, known)),
      billedMonth: billedSoFar(period, known),
      billedBeforeToday: before && billedSoFar(before, known)?.cost,
      machineHistories: machineHistories && machineBillsSoFar(machineHistories.records, period, known),
      machines,
      events: new Map(told.flatMap((id, index) => (histories[index] ? [[id, histories[index].records]] : []))),
      contracts: contracts?.records,
      prices: preferences.prices,
      highestBurns,
    });
  });
}

/** What figures are as of. */
type FiguresMoment = Pick<KnownOnce, 'now' | 'monotonicNow'> & {
  readonly machines: readonly VirtualMachine[] | undefined;
};

const momentOnce = memoPer<Listing<UsageRecord>, FiguresMoment>();
const figuresOnce = memoPer<Listing<UsageRecord>, BillingFigures>();

type BillingInput = Omit<KnownOnce, 'preferences'>;

/** What a period was billed, as far as the newest readings show; undefined if the provider does not say. */
export function billedSoFar(period: ChargePeriod, known: BillingInput): BilledSoFar | undefined {
  const {store, now, monotonicNow} = known;
  const snapshot = store.get(historyFeed(period));
  const cost = lastValue(snapshot)?.records[0]?.billedCost;
  if (cost === undefined) return undefined;
  const isOver = now - readingAge(snapshot, monotonicNow) >= period.endsAt;
  if (isOver) return {cost, until: period.endsAt};
  return carriedSoFar(carriedBill(period, cost, known), billMoment(known));
}

/** What each machine was billed in a period, as far as the newest readings show. */
function machineBillsSoFar(
  histories: readonly MachineHistory[],
  period: ChargePeriod,
  {store, now, monotonicNow}: BillingInput,
): readonly MachineHistory[] {
  const ageMs = readingAge(store.get(machineHistoriesFeed(period)), monotonicNow);
  const until = epochMs(Math.min(period.endsAt, now, now - ageMs + UNBILLED_MS));
  const records = lastValue(store.get(usageFeed))?.records ?? [];
  return machineBillsOnce(histories, [records, until, period.endsAt, now], () =>
    carriedMachineBills(histories, records, {until, end: period.endsAt, now}),
  );
}

const machineBillsOnce = memoPer<readonly MachineHistory[], readonly MachineHistory[]>();

/**
 * The bills of periods that were not over, and the highest burn rates of the last day, as learnt from the readings until
 * then; dropped with the store.
 */
type LearntBills = {
  readonly bills: ReadonlyMap<string, CarriedBill>;
  readonly at: BillMoment;
  readonly usage: Listing<UsageRecord> | undefined;
  readonly highestBurns: readonly BurnReading[];
};

const learntByStore = new WeakMap<Store, LearntBills>();

/**
 * Learns from what was read: how bills grow with usage, the totals reached with earlier usage, and the highest burn
 * rates. Called again and again by whatever shows figures for longer than one reading; asking for figures itself changes nothing.
 */
export function learnBills(known: BillingInput): void {
  const bills = openPeriods(known).flatMap((period): [string, CarriedBill][] => {
    const cost = lastValue(known.store.get(historyFeed(period)))?.records[0]?.billedCost;
    return cost === undefined ? [] : [[historyFeed(period).key, carriedBill(period, cost, known)]];
  });
  const usage = lastValue(known.store.get(usageFeed));
  const highestBurns = highestBurnsWith(usage, known);
  learntByStore.set(known.store, {bills: new Map(bills), at: billMoment(known), usage, highestBurns});
}

/** Each burn rate of the last day than which none was higher since: the first is the highest. */
function highestBurnsWith(
  usage: Listing<UsageRecord> | undefined,
  {store, now, monotonicNow}: BillingInput,
): readonly BurnReading[] {
  const learnt = learntByStore.get(store);
  const highest = learnt?.highestBurns ?? NO_READINGS;
  if (usage === undefined || usage === learnt?.usage) return highest;
  const read = {
    at: now - readingAge(store.get(usageFeed), monotonicNow),
    perHour: hourlyUsd(burnRate(usage.records).rate),
  };
  return [...highest.filter(({at, perHour}) => perHour > read.perHour && at > now - DAY_MS), read];
}

const NO_READINGS: readonly BurnReading[] = [];

/** The periods of bills that were read before they were over, until a day after their end. */
function openPeriods({store, now, monotonicNow}: BillingInput): readonly ChargePeriod[] {
  return billedPeriodsOnce(store, [store.version()], () => [...store.names()].flatMap(name => periodIn(name) ?? []))
    .filter(({endsAt}) => endsAt >= now - DAY_MS)
    .filter(period => now - readingAge(store.get(historyFeed(period)), monotonicNow) < period.endsAt);
}

const billedPeriodsOnce = memoPer<Store, readonly ChargePeriod[]>();

function carriedBill(period: ChargePeriod, read: Usd, known: BillingInput): CarriedBill {
  const {store} = known;
  const feed = historyFeed(period);
  const learnt = learntByStore.get(store);
  const usage = lastValue(store.get(usageFeed))?.records;
  return nextCarried({endsAt: period.endsAt, billAt: readAt(store.get(feed)), read, usage}, billMoment(known), {
    bill: learnt?.bills.get(feed.key),
    at: learnt?.at,
  });
}

function billMoment({store, now, monotonicNow}: BillingInput): BillMoment {
  return {now, monotonicNow, usageAt: readAt(store.get(usageFeed))};
}

/**
 * The bill of a period that reaches to now. If the burn rate changed after it was read, it is read again within a
 * minute.
 */
export function presentBillFeed(store: Store, period: ChargePeriod): Feed<Listing<BillingHistory>> {
  const feed = historyFeed(period);
  const isOvertaken = learntByStore.get(store)?.bills.get(feed.key)?.isOvertaken === true;
  return isOvertaken ? {...feed, intervalMs: MINUTE_MS} : feed;
}

/** Ten-minute steps, so that for a while the same half hour of the past is requested. */
const PAST_STEP_MS = 10 * MINUTE_MS;
/** Bills of more machines than this take too many pages for one reading. */
export const MAX_BILLED_MACHINES = 500;

function pastWindow(now: EpochMs, agoMs: DurationMs): ChargePeriod {
  return burnWindow(epochMs(Math.floor((now - agoMs) / PAST_STEP_MS) * PAST_STEP_MS));
}

/** The feeds that give the burn rate at a past moment, if the provider keeps bills. */
export function billedBurnFeeds(
  {store, now}: Pick<Known, 'store' | 'now'>,
  agoMs: DurationMs,
): readonly Feed<unknown>[] {
  return billedMonthOf(store, now) === undefined ? [] : windowFeeds(store, pastWindow(now, agoMs));
}

function windowFeeds(store: Store, period: ChargePeriod): readonly Feed<unknown>[] {
  const isSmall = (observedMachines(store)?.length ?? Number.POSITIVE_INFINITY) <= MAX_BILLED_MACHINES;
  return [historyFeed(period), ...(isSmall ? [machineHistoriesFeed(period)] : [])];
}

/**
 * The burn rate billed at that moment, or a step earlier until that was read; `awaited` before either was. Undefined if
 * the provider does not say.
 */
export function billedBurn(
  {store, now}: Pick<Known, 'store' | 'now'>,
  agoMs: DurationMs,
): PastBurn | 'awaited' | undefined {
  if (isWaiting(store, historyFeed(monthSoFar(now)))) return 'awaited';
  if (billedMonthOf(store, now) === undefined) return undefined;
  const period = [now, epochMs(now - PAST_STEP_MS)]
    .map(each => pastWindow(each, agoMs))
    .find(each => !windowFeeds(store, each).some(feed => isWaiting(store, feed)));
  if (period === undefined) return 'awaited';
  const bill = lastValue(store.get(historyFeed(period)));
  const cost = bill?.records[0]?.billedCost;
  const machines = lastValue(store.get(machineHistoriesFeed(period)));
  if (bill === undefined || cost === undefined) return undefined;
  return pastBurnOnce(bill, [machines, period.startsAt], () => pastBurn(cost, machines?.records, period));
}

/** Cached, because the pane asks every second. */
const pastBurnOnce = memoPer<Listing<BillingHistory>, PastBurn>();

/** What is read for the cost of one day and the day before it by machine; nothing if the provider keeps no bills. */
export function dayCostFeeds({store, now}: Pick<Known, 'store' | 'now'>, start: EpochMs): readonly Feed<unknown>[] {
  if (billedMonthOf(store, now) === undefined) return [];
  return dayAndBefore(start).flatMap(period =>
    windowFeeds(store, period).map(feed => (period.endsAt > now ? feed : {...feed, intervalMs: HOUR_MS})),
  );
}

function dayAndBefore(start: EpochMs): readonly [day: ChargePeriod, before: ChargePeriod] {
  const dayAt = (startsAt: EpochMs) => ({startsAt, endsAt: epochMs(startsAt + DAY_MS)});
  return [dayAt(start), dayAt(epochMs(start - DAY_MS))];
}

/** One day by machine: what it waits for, that its cost is unknown, or what it cost. */
export type DayReading =
  | {readonly status: 'waiting'; readonly feed: Feed<unknown>}
  | {readonly status: 'unknown'}
  | {
      readonly status: 'known';
      readonly cost: DayCost;
      /** Whether the provider says what each machine was billed, so that the groups are no estimates. */
      readonly isBilledByMachine: boolean;
      /** The first reading that failed: what it would have told is estimated. */
      readonly failed: Feed<unknown> | undefined;
    };

/** What one day of the account cost by machine, beside the day before, as far as bills and usage tell. */
export function presentDayCost(known: KnownOnce, start: EpochMs): DayReading {
  const {store, now} = known;
  const figures = billingFigures(known);
  if (figures === undefined) return {status: 'waiting', feed: usageFeed};
  const feeds = [deletedUsageFeed, historyFeed(monthSoFar(now)), ...dayCostFeeds(known, start)];
  const awaited = feeds.find(feed => isWaiting(store, feed));
  if (awaited !== undefined) return {status: 'waiting', feed: awaited};
  return dayReadingOnce(figures, [start, ...feeds.map(feed => store.get(feed))], () => {
    const periods = dayAndBefore(start);
    const billed = periods.flatMap(period => billedDay(period, known));
    const around = {start: epochMs(start - DAY_MS), end: epochMs(start + DAY_MS)};
    const pair = dayPair({...figures, days: daysWithin(figures, around, billed)}, start);
    if (pair === undefined) return {status: 'unknown'};
    const [bills, billsBefore] = periods.map(period => {
      const histories = lastValue(store.get(machineHistoriesFeed(period)));
      return histories && machineBillsSoFar(histories.records, period, known);
    });
    const billsOf = (day: DayCost['day'] | undefined, histories: typeof bills) =>
      day?.source === 'billed' ? histories : undefined;
    const machineBills = {day: billsOf(pair.day, bills), dayBefore: billsOf(pair.dayBefore, billsBefore)};
    // Usage names its resources itself; only other groupings need the lists.
    const inventory = {machines: new Map(), volumes: new Map()};
    const unread = feeds.filter(feed => lastValue(store.get(feed)) === undefined);
    return {
      status: 'known',
      cost: dayCost(figures, pair, {by: 'vm', inventory, bills: machineBills}),
      isBilledByMachine: machineBills.day !== undefined,
      failed: unread.find(feed => failureOf(store.get(feed)) !== undefined),
    };
  });
}

/**
 * What each UTC day from that of a moment until today cost, by its start: as billed if the bill was read, otherwise by
 * usage. Days whose cost is unknown are missing, and without the list of deleted resources those without a bill.
 */
export function presentDaysSince(known: KnownOnce, since: EpochMs): ReadonlyMap<EpochMs, DaySpend> {
  const {store, now, monotonicNow} = known;
  const figures = billingFigures(known);
  if (figures === undefined) return NO_DAYS;
  const {start: monthBegin} = figures.month;
  const start = dayStart(since);
  const before = daysUntil(monthBegin, Math.max(0, (monthBegin - start) / DAY_MS));
  return daysSinceOnce(figures, [start, ...before.map(day => lastValue(store.get(historyFeed(day))))], () => {
    const billed = before.flatMap(day => billedDay(day, {store, now, monotonicNow}));
    const days = daysWithin(figures, {start, end: epochMs(dayStart(now) + DAY_MS)}, billed);
    const unknown = unknownDays({...figures, days});
    const isKnown = (day: DaySpend) => day.source === 'billed' || !(figures.lacksDeleted || unknown.has(day));
    return new Map(days.filter(isKnown).map(day => [day.start, day]));
  });
}

const NO_DAYS: ReadonlyMap<EpochMs, DaySpend> = new Map();
const daysSinceOnce = memoPer<BillingFigures, typeof NO_DAYS>();

const dayReadingOnce = memoPer<BillingFigures, DayReading>();

function readingAge(snapshot: Snapshot<unknown>, now: MonotonicMs | undefined): DurationMs {
  const at = readAt(snapshot);
  return at === undefined || now === undefined ? 0 : Math.max(0, now - at);
}

function billedDay(day: ChargePeriod, known: BillingInput): readonly BilledDay[] {
  const billed = billedSoFar(day, known);
  return billed === undefined ? [] : [{start: day.startsAt, ...billed}];
}

/** The prepaid credit, and whether it comes from the service. If not, it may come from a person's settings. */
export function knownCredit(
  store: Store,
  {credit: own}: Pick<Preferences, 'credit'>,
): {readonly balance: Usd; readonly isOwn: boolean} | undefined {
  const snapshot = store.get(creditFeed);
  const balance = lastValue(snapshot)?.balance;
  if (balance !== undefined) return {balance, isOwn: false};
  return own === undefined || snapshot.status === 'waiting' ? undefined : {balance: own, isOwn: true};
}

/** When usage or credit was read, if two later readings should have come since; undefined otherwise. */
export function oldReadingAt(
  feed: Feed<unknown>,
  {store, now, monotonicNow}: Pick<Known, 'store' | 'now' | 'monotonicNow'>,
): EpochMs | undefined {
  const ageMs = readingAge(store.get(feed), monotonicNow);
  return ageMs > 2 * feed.intervalMs ? epochMs(now - ageMs) : undefined;
}

/**
 * How long the prepaid credit lasts at the current burn rate, and how sure that is; undefined if the credit is unknown.
 * What was spent since the credit was read is gone, however long the service has been away.
 */
export function presentRunway(
  {store, monotonicNow}: Pick<KnownOnce, 'store' | 'monotonicNow'>,
  burn: Rate | undefined,
  preferences: Pick<Preferences, 'credit' | 'prices'>,
): Runway | undefined {
  const credit = knownCredit(store, preferences);
  if (credit === undefined) return undefined;
  const {prices} = preferences;
  const [usage, machines] = [lastValue(store.get(usageFeed)), observedMachines(store)];
  const atReading = runwayOnce(store, [credit.balance, burn, usage, machines, prices], () => {
    const records = usage?.records ?? [];
    return lastingRunway(credit, burn, {records, isWhole: usage === undefined || isWhole(usage), machines, prices});
  });
  if (credit.isOwn) return atReading;
  const ageMs = readingAge(store.get(creditFeed), monotonicNow);
  const left = (ms: DurationMs | undefined) => (ms === undefined ? undefined : Math.max(0, ms - ageMs));
  return {...atReading, leftMs: left(atReading.leftMs), atListMs: left(atReading.atListMs)};
}

const runwayOnce = memoPer<Store, Runway>();

/** The metered rate of each machine; machines without a usable rate are missing. */
export const presentRates = ofUsage(machineRates, new Map());

/**
 * The last rate above zero that was metered of each machine: the one to order them by while a machine changes its state
 * and its new rate is not known.
 */
export function lastRates(store: Store): ReadonlyMap<number, Rate> {
  const kept = lastRatesOf(store);
  const rates = presentRates(store);
  if (kept.readFrom !== rates) {
    const machines = observedMachines(store) ?? [];
    kept.last = new Map(
      machines.flatMap(({id}) => {
        const [rate, before] = [rates.get(id), kept.last.get(id)];
        const last = rate !== undefined && isPositive(rate) ? rate : before;
        return last === undefined ? [] : [[id, last]];
      }),
    );
    kept.readFrom = rates;
  }
  return kept.last;
}

const lastRatesOf = oncePer(
  (_: Store): {readFrom?: ReturnType<typeof presentRates>; last: ReadonlyMap<number, Rate>} => ({last: new Map()}),
);

/** Machines excluded from billing now; none before the first reading. */
export const presentlyExcluded = ofUsage(excludedMachines, new Set());

/** The rate of each machine that has one; those excluded from billing, such as cluster masters, are free. */
export function knownRates(
  machines: readonly VirtualMachine[],
  {store, preferences}: Pick<Known, 'store' | 'preferences'>,
): readonly Rate[] {
  const [rates, excluded] = [presentRates(store), presentlyExcluded(store)];
  return machines.flatMap(machine =>
    excluded.has(machine.id) ? ZERO_RATE : (meteredRate(machine, rates.get(machine.id), preferences.prices) ?? []),
  );
}

/**
 * The number of machines whose part of the burn rate will change by itself: those that changed state since usage was
 * read, so that their new rate is not known, and those that are free only while they change it.
 */
export function changingCount({store, preferences}: Pick<Known, 'store' | 'preferences'>): number {
  const [machines, rates] = [observedMachines(store), presentRates(store)];
  if (machines === undefined) return 0;
  const {prices} = preferences;
  const isChanging = (machine: VirtualMachine) => {
    const rate = rates.get(machine.id);
    if (rate === undefined) return false;
    const isFreeMeanwhile = isTransitional(machine.status) && !isPositive(rate);
    return isFreeMeanwhile || meteredRate(machine, rate, prices) === undefined;
  };
  return changingCountOnce(machines, [rates, prices], () => machines.filter(isChanging).length);
}

const changingCountOnce = memoPer<readonly VirtualMachine[], number>();

/** The metered rate of each volume. */
export const presentVolumeRates = ofUsage(volumeRates, new Map());

/** Of the last reading of usage; `none` before the first. */
function ofUsage<Made>(make: (records: readonly UsageRecord[]) => Made, none: Made): (store: Store) => Made {
  return store => {
    const usage = lastValue(store.get(usageFeed));
    return usage === undefined ? none : make(usage.records);
  };
}
