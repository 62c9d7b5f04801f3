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
import {type BillingFigures, computeFigures} from '../domain/billing-figures.ts';
import type {
  BillingHistory,
  ChargePeriod,
  LastDayCost,
  MachineHistory,
  MachineHistoryGraph,
} from '../domain/billing-history.ts';
import {machineRates, runway} from '../domain/cost.ts';
import type {Rate, Usd} from '../domain/money.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {ResourcePrice} from '../domain/price-book.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';
import type {Store} from './store.ts';

export const usageFeed: Feed<Listing<UsageRecord>> = listFeed('usage', MINUTE_MS, usage, {isDeleted: false});

/** Terminated resources: without them a month-to-date silently drops what was deleted this month. */
export const deletedUsageFeed: Feed<Listing<UsageRecord>> = listFeed('usage-deleted', 5 * MINUTE_MS, usage, {
  isDeleted: true,
});

export const creditFeed: Feed<Credit> = oneFeed('credit', MINUTE_MS, credit, {});
export const lastDayCostFeed: Feed<LastDayCost> = oneFeed('last-day-cost', HOUR_MS, lastDayCost, {});

// What the service itself says was billed. Each is a list of one or none: none is its word for nothing billed.

/** A bill grows by the minute, but the service takes its time to add it up. */
const HISTORY_INTERVAL_MS = 10 * MINUTE_MS;

export function historyFeed(period: ChargePeriod): Feed<Listing<BillingHistory>> {
  return listFeed(`history:${spanKey(period)}`, HISTORY_INTERVAL_MS, billingHistory, {period});
}

export function machineHistoriesFeed(period: ChargePeriod): Feed<Listing<MachineHistory>> {
  return listFeed(`machine-histories:${spanKey(period)}`, HISTORY_INTERVAL_MS, machineHistory, {period});
}

export function machineHistoryFeed(id: VirtualMachineId, period: ChargePeriod): Feed<Listing<MachineHistory>> {
  return listFeed(`machine-history:${id}:${spanKey(period)}`, HISTORY_INTERVAL_MS, machineHistoryDetail, {id, period});
}

export function machineGraphFeed(id: VirtualMachineId, period: ChargePeriod): Feed<Listing<MachineHistoryGraph>> {
  return listFeed(`machine-graph:${id}:${spanKey(period)}`, HISTORY_INTERVAL_MS, machineHistoryGraph, {id, period});
}

export function machinePriceFeed(id: VirtualMachineId): Feed<ResourcePrice> {
  return oneFeed(`machine-price:${id}`, 5 * MINUTE_MS, calculatePrice, {resourceType: 'virtual-machine', id});
}

function spanKey({startsAt, endsAt}: ChargePeriod): string {
  return `${startsAt}-${endsAt}`;
}

type Kept = {readonly deleted: object | undefined; readonly minute: number; readonly figures: BillingFigures};

/** The last figures of each reading of the usage, dropped with it. */
const keptByReading = new WeakMap<object, Kept>();

/** The month's figures of now; undefined until the usage was read once. Computed once a minute and for each reading. */
export function billingFigures(store: Store, now: EpochMs): BillingFigures | undefined {
  const live = lastValue(store.get(usageFeed));
  if (live === undefined) return undefined;
  const deleted = lastValue(store.get(deletedUsageFeed));
  const minute = Math.floor(now / MINUTE_MS);
  const kept = keptByReading.get(live);
  if (kept !== undefined && kept.deleted === deleted && kept.minute === minute) return kept.figures;
  const figures = computeFigures(live.records, deleted?.records, now);
  keptByReading.set(live, {deleted, minute, figures});
  return figures;
}

/** The prepaid credit, and whether the service says so: where it does not, a person's settings may. */
export function knownCredit(
  store: Store,
  {credit: own}: Pick<Preferences, 'credit'>,
): {readonly balance: Usd; readonly isOwn: boolean} | undefined {
  const told = store.get(creditFeed);
  const balance = lastValue(told)?.balance;
  if (balance !== undefined) return {balance, isOwn: false};
  return own === undefined || told.status === 'waiting' ? undefined : {balance: own, isOwn: true};
}

/** How long the prepaid credit lasts at the present burn rate; undefined where either is unknown. */
export function creditLeft(
  store: Store,
  figures: BillingFigures | undefined,
  preferences: Pick<Preferences, 'credit'>,
): DurationMs | undefined {
  const credit = knownCredit(store, preferences);
  return credit === undefined || figures === undefined ? undefined : runway(credit, figures.burn);
}

/** What the service meters now for each machine; a machine is missing where it says nothing usable. */
export function presentRates(store: Store): ReadonlyMap<number, Rate> {
  const usage = lastValue(store.get(usageFeed));
  if (usage === undefined) return NO_RATES;
  const known = ratesByReading.get(usage);
  if (known !== undefined) return known;
  const rates = machineRates(usage.records);
  ratesByReading.set(usage, rates);
  return rates;
}

const NO_RATES: ReadonlyMap<number, Rate> = new Map();
/** Made once for each reading of the usage, and dropped with it. */
const ratesByReading = new WeakMap<object, ReadonlyMap<number, Rate>>();
