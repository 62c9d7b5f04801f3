import {expect, test} from 'vitest';
import {monthSoFar} from '../../src/domain/billing-history.ts';
import {parseDecimal, rational, toMicroUsd, type Usd, usd} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, monotonicMs} from '../../src/domain/time.ts';
import {
  dayCostFeeds,
  deletedUsageFeed,
  historyFeed,
  machineHistoriesFeed,
  presentDayCost,
  usageFeed,
} from '../../src/state/billing.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {aUsageRecord} from '../panes/a-known-scene.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 21));
const YESTERDAY = epochMs(Date.UTC(2026, 10, 19));
const FIRST_OF_MONTH = epochMs(Date.UTC(2026, 10, 1));
const READ_AT = monotonicMs(1);

test('is the usage of each machine where the provider keeps no bills', () => {
  const store = openStore();
  store.writeValue(historyFeed(monthSoFar(NOW)), {records: [], quarantined: []}, READ_AT);
  // One and two dollars an hour: nothing is asked for, since there are no bills.
  expect(dayCostFeeds(at(store), YESTERDAY)).toEqual([]);
  expect(shown(store, YESTERDAY)).toEqual({
    total: [72_000_000, 72_000_000],
    groups: [
      ['gpu-2', 48_000_000, 48_000_000, 0],
      ['gpu-1', 24_000_000, 24_000_000, 0],
    ],
    isBilledByMachine: false,
    failed: undefined,
  });
});

test('is known for the first of a month and the day before it too', () => {
  const store = openStore();
  store.writeValue(historyFeed(monthSoFar(NOW)), {records: [], quarantined: []}, READ_AT);
  expect(shown(store, FIRST_OF_MONTH)?.total).toEqual([72_000_000, 72_000_000]);
  expect(shown(store, epochMs(FIRST_OF_MONTH - DAY_MS))?.total).toEqual([72_000_000, 72_000_000]);
});

test('has what each machine was billed, and names what no machine explains', () => {
  const store = openStore();
  bill(store, monthSoFar(NOW), '1000');
  const feeds = dayCostFeeds(at(store), YESTERDAY);
  expect(feeds.map(({key}) => key)).toEqual(
    [YESTERDAY, YESTERDAY - DAY_MS]
      .map(start => ({startsAt: epochMs(start), endsAt: epochMs(start + DAY_MS)}))
      .flatMap(period => [historyFeed(period).key, machineHistoriesFeed(period).key]),
  );
  // Gpu-2 was hibernated for most of yesterday, and one dollar belongs to no machine.
  bill(store, dayOf(YESTERDAY), '30', {1: '24', 2: '5'});
  // Until all of it was read, an estimate would be mistaken for a bill.
  expect(presentDayCost(at(store), YESTERDAY).status).toBe('waiting');
  bill(store, dayOf(YESTERDAY - DAY_MS), '72', {1: '24', 2: '48'});
  expect(shown(store, YESTERDAY)).toEqual({
    total: [30_000_000, 72_000_000],
    groups: [
      ['gpu-1', 24_000_000, 24_000_000, 0],
      ['gpu-2', 5_000_000, 48_000_000, -43_000_000],
      ['not attributed', 1_000_000, 0, 1_000_000],
    ],
    isBilledByMachine: true,
    failed: undefined,
  });
});

test('estimates machines whose bills cannot be read, and says which reading failed', () => {
  const store = openStore();
  bill(store, monthSoFar(NOW), '1000');
  bill(store, dayOf(YESTERDAY), '72');
  bill(store, dayOf(YESTERDAY - DAY_MS), '72', {1: '24', 2: '48'});
  const unread = machineHistoriesFeed(dayOf(YESTERDAY));
  store.writeFailure(unread, {kind: 'timed-out', afterMs: 15_000}, READ_AT);
  const {groups, isBilledByMachine, failed} = shown(store, YESTERDAY) ?? {};
  expect(groups?.map(([key, spent]) => [key, spent])).toEqual([
    ['gpu-2', 48_000_000],
    ['gpu-1', 24_000_000],
  ]);
  expect([isBilledByMachine, failed]).toEqual([false, unread.key]);
});

test('is unknown, not nothing, if no record says what it costs and there is no bill', () => {
  const store = createStore();
  store.writeValue(usageFeed, {records: [{...aUsageRecord(1, undefined), createdAt: BEGUN}], quarantined: []}, READ_AT);
  store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, READ_AT);
  store.writeValue(historyFeed(monthSoFar(NOW)), {records: [], quarantined: []}, READ_AT);
  expect(presentDayCost(at(store), YESTERDAY)).toEqual({status: 'unknown'});
});

const BEGUN = epochMs(Date.UTC(2026, 9, 1));

/** Two machines since the first of October, at one and at two dollars an hour. */
function openStore(): WritableStore {
  const store = createStore();
  const records = [aUsageRecord(1, '1'), aUsageRecord(2, '2')].map(each => ({...each, createdAt: BEGUN}));
  store.writeValue(usageFeed, {records, quarantined: []}, READ_AT);
  store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, READ_AT);
  store.writeValue(machinesFeed, {records: [], quarantined: []}, READ_AT);
  return store;
}

function bill(
  store: WritableStore,
  period: ReturnType<typeof monthSoFar>,
  total: string,
  ofMachines?: Readonly<Record<number, string>>,
): void {
  store.writeValue(historyFeed(period), {records: [{billedCost: dollars(total)}], quarantined: []}, READ_AT);
  if (ofMachines === undefined) return;
  const records = Object.entries(ofMachines).map(([id, cost]) => ({
    machineId: Number(id),
    name: safeText(`gpu-${id}`),
    billedCost: dollars(cost),
    usedByState: [],
  }));
  store.writeValue(machineHistoriesFeed(period), {records, quarantined: []}, READ_AT);
}

function shown(store: WritableStore, start: typeof NOW) {
  const reading = presentDayCost(at(store), start);
  if (reading.status !== 'known') return undefined;
  const {cost, isBilledByMachine, failed} = reading;
  return {
    total: [toMicroUsd(cost.day.cost), cost.dayBefore && toMicroUsd(cost.dayBefore.cost)],
    groups: cost.groups?.map(({key, spent, spentBefore, change}) => [key, spent, spentBefore, change]),
    isBilledByMachine,
    failed: failed?.key,
  };
}

function dayOf(start: number) {
  return {startsAt: epochMs(start), endsAt: epochMs(start + DAY_MS)};
}

function at(store: WritableStore) {
  return {store, now: NOW, preferences: DEFAULT_PREFERENCES};
}

function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}
