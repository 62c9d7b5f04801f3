import {type BillingFigures, computeFigures} from '../domain/billing-figures.ts';
import {runway} from '../domain/cost.ts';
import type {Usd} from '../domain/money.ts';
import type {Preferences} from '../domain/preferences.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, type EpochMs, MINUTE_MS} from '../domain/time.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from './feeds.ts';
import type {Store} from './store.ts';

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
