import fc from 'fast-check';
import {describe, expect, it} from 'vitest';
import {monthSoFar, todaySoFar} from '../../src/domain/billing-history.ts';
import {type BillingFigures, topSpenders} from '../../src/domain/money/figures.ts';
import {knownBurn} from '../../src/domain/money/report.ts';
import {assert} from '../../src/domain/assert.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {lastValue} from '../../src/domain/snapshot.ts';
import {PRICES} from '../../src/domain/money/prices.ts';
import {parseDecimal, rational, type Usd, usd, usdNumber} from '../../src/domain/money.ts';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {
  billedDayFeeds,
  billingFigures,
  creditFeed,
  deletedUsageFeed,
  historyFeed,
  learnBills,
  machineGraphFeed,
  machineHistoriesFeed,
  machineHistoryFeed,
  machinePriceFeed,
  presentBillFeed,
  presentDaysSince,
  presentRates,
  presentRunway,
  usageFeed,
} from '../../src/state/billing.ts';
import type {Feed} from '../../src/state/feed.ts';
import {createStore, type Store, type WritableStore} from '../../src/state/store.ts';
import {openClients, openServer} from '../api/loopback.ts';
import {wireExample} from '../api/wire-example.ts';
import {aUsageRecord, dollarsPerHour} from '../panes/a-known-scene.ts';

const MINUTE_START = epochMs(Date.UTC(2026, 10, 20, 21));

/** One machine at two dollars an hour. */
function openStore(): WritableStore {
  const store = createStore();
  store.writeValue(usageFeed, {records: [aUsageRecord(1, '2')], quarantined: []}, monotonicMs(1));
  return store;
}

function withBill(store: WritableStore, period: ReturnType<typeof monthSoFar>, cost: string): WritableStore {
  store.writeValue(historyFeed(period), {records: [{billedCost: dollars(cost)}], quarantined: []}, monotonicMs(1));
  return store;
}

function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}

describe('billingFigures', () => {
  it('are unknown until usage has been read', () => {
    expect(billingFigures(at(createStore()))).toBeUndefined();
  });

  it('are reused within a minute and recomputed later', () => {
    const store = openStore();
    const first = billingFigures(at(store));
    expect(billingFigures(at(store, MINUTE_START + MINUTE_MS - 1))).toBe(first);
    const next = billingFigures(at(store, MINUTE_START + HOUR_MS));
    expect(usdGrowth(first?.monthToDate, next?.monthToDate)).toEqual(dollars('2'));
  });

  it('are recomputed after each reading of either list', () => {
    const store = openStore();
    const before = billingFigures(at(store));
    expect(before?.lacksDeleted).toBe(true);
    store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(2));
    expect(billingFigures(at(store))?.lacksDeleted).toBe(false);
    const two = [aUsageRecord(1, '2'), aUsageRecord(2, '5')];
    store.writeValue(usageFeed, {records: two, quarantined: []}, monotonicMs(3));
    expect(billingFigures(at(store))?.burn).toEqual(dollarsPerHour('7'));
  });

  it('count a span once that the service lists twice', async () => {
    const [machine, other] = [aUsageRecord(1, '2'), aUsageRecord(2, '5')];
    const client = {
      read: async () => ({ok: true as const, value: {records: [machine, other, {...machine}], quarantined: []}}),
    };
    const read = await usageFeed.read(client as never, new AbortController().signal);
    assert(read.ok, 'it was answered');
    const store = createStore();
    store.writeValue(usageFeed, read.value, monotonicMs(1));
    expect(billingFigures(at(store))?.burn).toEqual(dollarsPerHour('7'));
  });

  it('are recomputed when the prices change', () => {
    const store = openStore();
    const first = billingFigures(at(store));
    expect(billingFigures({...at(store), preferences: {...DEFAULT_PREFERENCES, prices: {...PRICES}}})).not.toBe(first);
  });

  it('carry the bills of machines forward like that of the month, so their sum does not fall behind it', () => {
    const store = createStore();
    const period = monthSoFar(MINUTE_START);
    store.writeValue(
      usageFeed,
      {records: [aUsageRecord(1, '60'), aUsageRecord(2, '30')], quarantined: []},
      monotonicMs(1),
    );
    store.writeValue(historyFeed(period), {records: [{billedCost: dollars('150')}], quarantined: []}, monotonicMs(1));
    const bill = (machineId: number, cost: string) => ({
      machineId,
      name: safeText(`gpu-${machineId}`),
      billedCost: dollars(cost),
      usedByState: [],
    });
    const bills = {records: [bill(1, '100'), bill(2, '50')], quarantined: []};
    store.writeValue(machineHistoriesFeed(period), bills, monotonicMs(1));
    const later = {...at(store, MINUTE_START + 9 * MINUTE_MS), monotonicNow: monotonicMs(1 + 9 * MINUTE_MS)};
    const figures = billingFigures(later);
    // Bills lag by a minute at most: eight more minutes, at a dollar and at half a dollar.
    expect(figures?.monthToDate).toEqual(dollars('162'));
    expect(figures && topSpenders(figures).map(({name, spent}) => [name, spent])).toEqual([
      ['gpu-1', 108_000_000],
      ['gpu-2', 54_000_000],
    ]);
  });

  it('keep what the bill of a closed day does not change, and add up as if all had arrived at once', () => {
    const [store, atOnce] = [openStore(), createStore()];
    const usage = lastValue(store.get(usageFeed));
    // Two dollars more than its closed days, below: an hour of the machine.
    const days = billedDayFeeds(withBill(store, monthSoFar(MINUTE_START), '624'), MINUTE_START);
    withBill(atOnce, monthSoFar(MINUTE_START), '624');
    if (usage !== undefined) atOnce.writeValue(usageFeed, usage, monotonicMs(1));
    const figuresOf = (of: Store, second: number) => {
      const figures = billingFigures(at(of, epochMs(MINUTE_START + second * 1000)));
      assert(figures !== undefined, 'usage was read');
      return figures;
    };
    const first = figuresOf(store, 0);
    for (const [index, feed] of days.entries()) {
      const bill = {records: [{billedCost: dollars(String(30 + (index % 7)))}], quarantined: []};
      for (const each of [store, atOnce]) each.writeValue(feed, bill, monotonicMs(2 + index));
      const figures = figuresOf(store, 1 + (index % 58));
      expect(figures.curve).toBe(first.curve);
      expect(topSpenders(figures)).toBe(topSpenders(first));
    }
    const last = figuresOf(store, 59);
    const {days: afresh, monthToDate, forecast, projection} = figuresOf(atOnce, 0);
    expect(last).toMatchObject({days: afresh, monthToDate, forecast, projection});
    // Nineteen closed days; today has the rest of the month's bill.
    expect(last.days.filter(({source}) => source === 'billed')).toHaveLength(20);
  });

  it("use today's bill for today, whether or not earlier days were requested", () => {
    // The machine cost $1,000 until yesterday and is hibernated since: $0.50 today. Usage alone spreads the
    // total evenly.
    const store = createStore();
    const begun = epochMs(Date.UTC(2026, 10, 1));
    const record = {...aUsageRecord(1, '0.02'), createdAt: begun, billedCost: dollars('1000.5')};
    store.writeValue(usageFeed, {records: [record], quarantined: []}, monotonicMs(1));
    store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(1));
    const bill = (cost: string) => ({records: [{billedCost: dollars(cost)}], quarantined: []});
    store.writeValue(historyFeed(monthSoFar(MINUTE_START)), bill('1000.5'), monotonicMs(1));
    const todayOf = () => billingFigures(at(store))?.days.at(-1)?.cost;
    expect(usdNumber(todayOf() ?? dollars('0'))).toBeGreaterThan(40);
    store.writeValue(historyFeed(todaySoFar(MINUTE_START)), bill('0.5'), monotonicMs(2));
    expect(todayOf()).toEqual(dollars('0.5'));
    expect(billingFigures(at(store))?.monthToDate).toEqual(dollars('1000.5'));
  });

  it("take the weekday pattern from last month's bills too, but add none of them to this month's figures", () => {
    // Ten days of the month are closed, so eighteen of the 28 closed days belong to the month before.
    const now = epochMs(Date.UTC(2026, 10, 11, 6));
    const store = createStore();
    const record = {...aUsageRecord(1, '0.1'), createdAt: epochMs(now - 100 * DAY_MS), billedCost: dollars('14400')};
    store.writeValue(usageFeed, {records: [record], quarantined: []}, monotonicMs(1));
    store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(1));
    const bill = (cost: string) => ({records: [{billedCost: dollars(cost)}], quarantined: []});
    store.writeValue(historyFeed(monthSoFar(now)), bill('1476'), monotonicMs(1));
    const flat = billingFigures(at(store, now));
    const feeds = billedDayFeeds(store, now);
    expect(feeds).toHaveLength(28);
    for (let index = 0; index < 28; index += 1) {
      const startsAt = epochMs(Date.UTC(2026, 10, 10 - index));
      const isWeekend = [0, 6].includes(new Date(startsAt).getUTCDay());
      const feed = historyFeed({startsAt, endsAt: epochMs(startsAt + DAY_MS)});
      expect(feeds[index]?.key).toBe(feed.key);
      store.writeValue(feed, bill(isWeekend ? '84' : '168'), monotonicMs(1));
    }
    const shaped = billingFigures(at(store, now));
    expect(shaped?.monthToDate).toEqual(flat?.monthToDate);
    expect(shaped?.days).toHaveLength(11);
    if (flat?.forecast.status !== 'ready' || shaped?.forecast.status !== 'ready') throw new Error('no forecast');
    // 13.75 days from Monday to Friday at 168 / 144 and six at 84 / 144; with four days of each weekday, four
    // fifths of the difference counts.
    const factor = 1 + ((13.75 * (24 / 144) - 6 * (60 / 144)) / 19.75) * (4 / 5);
    expect(shaped.forecast.remaining / flat.forecast.remaining).toBeCloseTo(factor, 9);
  });

  it('treat a bill read before its day ended as covering only part of the day', () => {
    // Read as today's bill an hour before midnight, $10 so far; then a dollar an hour, and nobody asked again.
    const store = createStore();
    const midnight = epochMs(Date.UTC(2026, 10, 21));
    const record = {...aUsageRecord(1, '1'), createdAt: epochMs(midnight - DAY_MS), billedCost: dollars('11')};
    store.writeValue(usageFeed, {records: [record], quarantined: []}, monotonicMs(1));
    const bill = {records: [{billedCost: dollars('10')}], quarantined: []};
    store.writeValue(historyFeed(todaySoFar(MINUTE_START)), bill, monotonicMs(1));
    const now = epochMs(midnight + HOUR_MS);
    const figures = billingFigures({...at(store, now), monotonicNow: monotonicMs(1 + 2 * HOUR_MS)});
    expect(figures?.days.at(-2)).toMatchObject({source: 'billed', cost: dollars('11')});
  });
});

describe('a bill that is older than the usage', () => {
  const bill = (cost: string) => ({records: [{billedCost: dollars(cost)}], quarantined: []});
  const usageAt = (store: WritableStore, perHour: string, minutes: number) => {
    const record = {...aUsageRecord(1, perHour), createdAt: epochMs(MINUTE_START - DAY_MS)};
    store.writeValue(usageFeed, {records: [record], quarantined: []}, monotonicMs(minutes * MINUTE_MS));
  };
  const monthFeed = historyFeed(monthSoFar(MINUTE_START));
  const monthAfter = (store: Store, minutes: number) => {
    const moment = {
      ...at(store, MINUTE_START + minutes * MINUTE_MS),
      monotonicNow: monotonicMs(minutes * MINUTE_MS),
    };
    learnBills(moment);
    return billingFigures(moment)?.monthToDate;
  };

  it('grows at the metered rates, so hibernating a batch never lowers the month to date', () => {
    const store = createStore();
    usageAt(store, '300', 0);
    store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(0));
    store.writeValue(monthFeed, bill('27500'), monotonicMs(0));
    expect(monthAfter(store, 0)).toEqual(dollars('27500'));
    // Five minutes at $300 an hour, the last of which may not be billed yet.
    expect(monthAfter(store, 5)).toEqual(dollars('27520'));
    usageAt(store, '60', 5);
    expect(monthAfter(store, 5)).toEqual(dollars('27525'));
    // And three at $60, of which two are billed.
    expect(monthAfter(store, 8)).toEqual(dollars('27527'));
    usageAt(store, '60', 8);
    expect(monthAfter(store, 8)).toEqual(dollars('27528'));
  });

  // Machines priced in cents a minute, each running in spans of seconds within half an hour, billed by the
  // whole minute.
  type Metered = {readonly cents: number; readonly runs: readonly (readonly [from: number, until: number])[]};
  const metered: fc.Arbitrary<Metered> = fc.record({
    cents: fc.integer({min: 1, max: 500}),
    runs: fc
      .uniqueArray(fc.integer({min: 0, max: 1800}), {minLength: 2, maxLength: 6})
      .map(edges => edges.toSorted((left, right) => left - right))
      .map(edges =>
        Array.from({length: edges.length >> 1}, (_, run) => [edges[2 * run] ?? 0, edges[2 * run + 1] ?? 0]),
      ),
  }) as fc.Arbitrary<Metered>;
  const secondsRun = ({runs}: Metered, at: number) =>
    runs.reduce((sum, [from, until]) => sum + Math.max(0, Math.min(until, at) - from), 0);
  const centsBilled = (machine: Metered, at: number) => machine.cents * Math.floor(secondsRun(machine, at) / 60);
  const isRunning = ({runs}: Metered, at: number) => runs.some(([from, until]) => from <= at && at < until);
  const recordAt = (machine: Metered, index: number, at: number) => ({
    ...aUsageRecord(index + 1, String(isRunning(machine, at) ? (machine.cents * 60) / 100 : 0)),
    createdAt: epochMs(MINUTE_START - DAY_MS),
    billedCost: dollars((100 + centsBilled(machine, at) / 100).toFixed(2)),
  });

  it('never shrinks from poll to poll, and is never more than what is billed', () => {
    const seconds = (min: number, max: number) => fc.array(fc.integer({min, max}), {minLength: 30, maxLength: 40});
    fc.assert(
      fc.property(
        fc.array(metered, {minLength: 1, maxLength: 4}),
        seconds(40, 75),
        seconds(60, 600),
        (machines, usageGaps, billGaps) => {
          const store = createStore();
          store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(0));
          const times = (gaps: readonly number[]) => {
            let second = 0;
            return [0, ...gaps.map(gap => (second += gap))];
          };
          const polls = [
            ...times(usageGaps).map(second => ({second, isBill: false})),
            ...times(billGaps).map(second => ({second, isBill: true})),
          ]
            .filter(({second}) => second <= 1800)
            .toSorted((left, right) => left.second - right.second);
          let shown = 0;
          for (const {second, isBill} of polls) {
            const total = machines.reduce((sum, machine) => sum + centsBilled(machine, second), 0);
            const readAt = monotonicMs(second * 1000);
            if (isBill) store.writeValue(monthFeed, bill((500 + total / 100).toFixed(2)), readAt);
            else {
              const records = machines.map((machine, index) => recordAt(machine, index, second));
              store.writeValue(usageFeed, {records, quarantined: []}, readAt);
            }
            if (second === 0) continue;
            const month = usdNumber(monthAfter(store, second / 60) ?? dollars('0'));
            expect(month).toBeGreaterThanOrEqual(shown - 1e-9);
            expect(month).toBeLessThanOrEqual(500 + total / 100 + 1e-9);
            if (isBill) expect(month).toBeCloseTo(500 + total / 100, 6);
            shown = month;
          }
        },
      ),
      {numRuns: 40},
    );
  });

  it('never shrinks without a new bill, however long usage readings fail', () => {
    const gaps = (max: number) => fc.array(fc.integer({min: 40, max}), {minLength: 30, maxLength: 40});
    fc.assert(
      fc.property(
        fc.array(metered, {minLength: 1, maxLength: 4}),
        gaps(900),
        gaps(900),
        (machines, usageGaps, bills) => {
          const store = createStore();
          store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(0));
          const times = (each: readonly number[]) => {
            let second = 0;
            return new Set([0, ...each.map(gap => (second += gap))]);
          };
          const [usageTimes, billTimes] = [times(usageGaps), times(bills)];
          let shown = 0;
          for (let second = 0; second <= 1800; second += 1) {
            const total = machines.reduce((sum, machine) => sum + centsBilled(machine, second), 0);
            const readAt = monotonicMs(second * 1000);
            const records = machines.map((machine, index) => recordAt(machine, index, second));
            if (usageTimes.has(second)) store.writeValue(usageFeed, {records, quarantined: []}, readAt);
            if (billTimes.has(second)) store.writeValue(monthFeed, bill((500 + total / 100).toFixed(2)), readAt);
            // The screen looks every 20 seconds, and whenever something was read.
            if (second === 0 || !(second % 20 === 0 || usageTimes.has(second) || billTimes.has(second))) continue;
            const month = usdNumber(monthAfter(store, second / 60) ?? dollars('0'));
            if (!billTimes.has(second)) expect(month).toBeGreaterThanOrEqual(shown - 1e-9);
            shown = month;
          }
        },
      ),
      {numRuns: 40},
    );
  });

  it('grows alike for today and the month once the days before are billed, whichever bill comes when', () => {
    const gaps = (min: number, max: number) => fc.array(fc.integer({min, max}), {minLength: 30, maxLength: 40});
    const anySecond = fc.integer({min: 1, max: 1500});
    const today = todaySoFar(MINUTE_START);
    const before = {startsAt: monthSoFar(MINUTE_START).startsAt, endsAt: today.startsAt};
    const closedDay = (index: number) => {
      const startsAt = epochMs(before.startsAt + index * DAY_MS);
      return historyFeed({startsAt, endsAt: epochMs(startsAt + DAY_MS)});
    };
    const timesAfter = (each: readonly number[]) => {
      let second = 0;
      return [0, ...each.map(gap => (second += gap))];
    };
    fc.assert(
      fc.property(
        fc.array(metered, {minLength: 1, maxLength: 4}),
        fc.record({usage: gaps(40, 75), month: gaps(60, 600), today: gaps(60, 600)}),
        fc.option(anySecond),
        fc.option(fc.array(anySecond, {minLength: 19, maxLength: 19})),
        (machines, reads, beforeSecond, closedSeconds) => {
          const store = createStore();
          store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(0));
          // Nineteen days of $25, and $25 of today before the half hour.
          const billedToday = (second: number) =>
            25 + machines.reduce((sum, machine) => sum + centsBilled(machine, second), 0) / 100;
          const usageOf = (second: number) => ({
            records: machines.map((machine, index) => recordAt(machine, index, second)),
            quarantined: [],
          });
          const polls: readonly (readonly [second: number, feed: Feed<unknown>, value: unknown])[] = [
            ...timesAfter(reads.usage).map(each => [each, usageFeed, usageOf(each)] as const),
            ...timesAfter(reads.month).map(each => [each, monthFeed, bill(`${475 + billedToday(each)}`)] as const),
            ...timesAfter(reads.today).map(each => [each, historyFeed(today), bill(`${billedToday(each)}`)] as const),
            ...(beforeSecond === null ? [] : [[beforeSecond, historyFeed(before), bill('475')] as const]),
            ...(closedSeconds ?? []).map((each, index) => [each, closedDay(index), bill('25')] as const),
          ];
          const closedFrom = closedSeconds === null ? Infinity : Math.max(...closedSeconds);
          const knownFrom = Math.min(beforeSecond ?? Infinity, closedFrom);
          const looks = Array.from({length: 90}, (_, index) => 20 * (index + 1));
          const seconds = new Set([...looks, ...polls.map(([second]) => second)]);
          let [shownMonth, shownToday] = [0, 0];
          for (const second of [...seconds].toSorted((left, right) => left - right)) {
            for (const [at, feed, value] of polls) {
              if (at === second) store.writeValue(feed, value, monotonicMs(second * 1000));
            }
            if (second === 0 || second > 1800) continue;
            const month = usdNumber(monthAfter(store, second / 60) ?? dollars('0'));
            const moment = {...at(store, MINUTE_START + second * 1000), monotonicNow: monotonicMs(second * 1000)};
            const spentToday = usdNumber(billingFigures(moment)?.days.at(-1)?.cost ?? dollars('0'));
            const billed = billedToday(second);
            // Between readings of usage, what was metered last is taken to go on: a bill may correct that.
            expect(month).toBeGreaterThanOrEqual(Math.min(shownMonth, 475 + billed) - 1e-9);
            expect(spentToday).toBeGreaterThanOrEqual(Math.min(shownToday, billed) - 1e-9);
            if (second >= knownFrom) expect(month - spentToday).toBeCloseTo(475, 6);
            [shownMonth, shownToday] = [month, spentToday];
          }
        },
      ),
      {numRuns: 40, endOnFailure: true},
    );
  });

  it('is read within a minute after the burn rate changes, and every ten minutes again once it was read', () => {
    const store = createStore();
    const period = monthSoFar(MINUTE_START);
    const interval = () => presentBillFeed(store, period).intervalMs;
    usageAt(store, '300', 0);
    store.writeValue(monthFeed, bill('27500'), monotonicMs(0));
    monthAfter(store, 0);
    usageAt(store, '300', 1);
    monthAfter(store, 1);
    expect(interval()).toBe(10 * MINUTE_MS);
    usageAt(store, '60', 2);
    monthAfter(store, 2);
    expect(interval()).toBe(MINUTE_MS);
    store.writeValue(monthFeed, bill('27510'), monotonicMs(3 * MINUTE_MS));
    expect(monthAfter(store, 3)).toEqual(dollars('27510'));
    expect(interval()).toBe(10 * MINUTE_MS);
  });
});

it('the days since a moment are added up once a minute, also while the bills of some were not read', () => {
  const store = openStore();
  const since = epochMs(MINUTE_START - 60 * DAY_MS);
  const days = presentDaysSince(at(store), since);
  expect(presentDaysSince(at(store, MINUTE_START + MINUTE_MS - 1), since)).toBe(days);
  expect(presentDaysSince(at(store, MINUTE_START + MINUTE_MS), since)).not.toBe(days);
});

it('asking for figures changes nothing: only what is learnt from readings does', () => {
  const [asked, unasked] = [createStore(), createStore()];
  const period = monthSoFar(MINUTE_START);
  const bill = {records: [{billedCost: dollars('100')}], quarantined: []};
  const record = {createdAt: epochMs(MINUTE_START - DAY_MS), billedCost: dollars('48')};
  const usage = (perHour: string) => ({records: [{...aUsageRecord(1, perHour), ...record}], quarantined: []});
  const month = [asked, unasked].map(store => {
    const moment = (minutes: number) => ({
      ...at(store, MINUTE_START + minutes * MINUTE_MS),
      monotonicNow: monotonicMs(1 + minutes * MINUTE_MS),
    });
    store.writeValue(usageFeed, usage('2'), monotonicMs(1));
    store.writeValue(historyFeed(period), bill, monotonicMs(1));
    learnBills(moment(0));
    // Usage fails for half an hour, and then says that the machine stopped at once.
    if (store === asked) billingFigures(moment(30));
    store.writeValue(usageFeed, usage('0'), monotonicMs(1 + 30 * MINUTE_MS));
    if (store === asked) billingFigures(moment(30));
    expect(presentBillFeed(store, period).intervalMs).toBe(10 * MINUTE_MS);
    return billingFigures(moment(30))?.monthToDate;
  });
  expect(month).toEqual([dollars('100'), dollars('100')]);
});

describe('the runway', () => {
  const creditLeft = (
    known: Parameters<typeof presentRunway>[0],
    figures: BillingFigures | undefined,
    preferences: Parameters<typeof presentRunway>[2],
  ) => presentRunway(known, figures && knownBurn(figures), preferences)?.leftMs;

  it.each<[string, Usd | undefined, number | undefined]>([
    ['ten dollars at two an hour', dollars('10'), 5 * HOUR_MS],
    ['nothing', dollars('0'), 0],
    ['less than nothing', dollars('-3'), 0],
    ['an unknown balance', undefined, undefined],
  ])('is the balance divided by the burn rate, and never negative: %s', (_, balance, expected) => {
    const store = openStore();
    store.writeValue(creditFeed, balance === undefined ? {} : {balance}, monotonicMs(2));
    expect(creditLeft({store}, billingFigures(at(store)), {credit: undefined, prices: PRICES})).toBe(expected);
  });

  it('uses the credit from the settings when the service reports no balance, once it was asked', () => {
    const store = openStore();
    const figures = billingFigures(at(store));
    const own = {credit: dollars('30'), prices: PRICES};
    expect(creditLeft({store}, figures, own)).toBeUndefined();
    store.writeValue(creditFeed, {}, monotonicMs(2));
    expect(creditLeft({store}, figures, own)).toBe(15 * HOUR_MS);
    store.writeValue(creditFeed, {balance: dollars('10')}, monotonicMs(3));
    expect(creditLeft({store}, figures, own)).toBe(5 * HOUR_MS);
  });

  it('goes down while the service is away: what was spent since the credit was read is gone', () => {
    const store = openStore();
    store.writeValue(creditFeed, {balance: dollars('10')}, monotonicMs(0));
    const figures = billingFigures(at(store));
    const leftAfter = (hours: number) =>
      creditLeft({store, monotonicNow: monotonicMs(hours * HOUR_MS)}, figures, {credit: undefined, prices: PRICES});
    // Ten dollars at two an hour.
    expect([0, 2, 7].map(leftAfter)).toEqual([5 * HOUR_MS, 3 * HOUR_MS, 0]);
  });

  it('is unknown until both credit and usage were read', () => {
    const store = openStore();
    expect(creditLeft({store}, billingFigures(at(store)), {credit: undefined, prices: PRICES})).toBeUndefined();
    store.writeValue(creditFeed, {balance: dollars('10')}, monotonicMs(2));
    expect(creditLeft({store}, undefined, {credit: undefined, prices: PRICES})).toBeUndefined();
  });
});

function at(store: Store, now: number = MINUTE_START) {
  return {store, now: epochMs(now), preferences: DEFAULT_PREFERENCES};
}

function usdGrowth(from: Usd | undefined, to: Usd | undefined): Usd {
  if (from === undefined || to === undefined) throw new Error('Expected figures.');
  return usd(
    rational(to.numerator * from.denominator - from.numerator * to.denominator, to.denominator * from.denominator),
  );
}

const NOW = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12));
const PERIOD = monthSoFar(NOW);
const SEVEN = virtualMachineId(7);
const HISTORY = '/billing/billing/history';
const QUERY = 'start_date=2026-11-01T00%3A00%3A00&end_date=2026-11-21T00%3A00%3A00';

const LISTS: readonly (readonly [Feed<unknown>, example: string, path: string, records: readonly object[]])[] = [
  [historyFeed(PERIOD), 'billing.history', `${HISTORY}?${QUERY}`, [{billedCost: expect.anything()}]],
  [
    machineHistoryFeed(SEVEN, PERIOD),
    'billing.machine-history-detail',
    `${HISTORY}/virtual-machine/7?${QUERY}`,
    [{usedMs: 480_000}],
  ],
  [
    machineGraphFeed(SEVEN, PERIOD),
    'billing.machine-history-graph',
    `${HISTORY}/virtual-machine/7/graph?${QUERY}`,
    [{stepMs: DAY_MS}],
  ],
];

it.each(
  LISTS.map(([feed, ...rest]) => [rest[0], feed, ...rest] as const),
)('%s is read for the month', async (_title, feed, example, path, records) => {
  const server = await openServer((_request, response) => response.end(wireExample(example)));
  expect(await feed.read(openClients(server.baseUrl).reads)).toMatchObject({ok: true, value: {records}});
  expect(server.seen.map(({url}) => url)).toEqual([`/v1${path}`]);
});

it('the bills of all machines are read for the month', async () => {
  const server = await openServer((_request, response) => response.end(wireExample('billing.machine-history')));
  const reading = await machineHistoriesFeed(PERIOD).read(openClients(server.baseUrl).reads);
  expect(reading).toMatchObject({
    ok: true,
    value: {records: expect.arrayContaining([expect.objectContaining({machineId: 793001})])},
  });
  expect(server.seen[0]?.url).toContain(`/v1${HISTORY}/virtual-machine?${QUERY}`);
});

it("treats the service's 404 for nothing billed as an empty list, not as a failure", async () => {
  const server = await openServer((_request, response) => {
    response.statusCode = 404;
    response.end(wireExample('billing.history.nothing'));
  });
  const reading = await historyFeed(PERIOD).read(openClients(server.baseUrl).reads);
  expect(reading).toEqual({ok: true, value: {records: [], quarantined: []}});
});

it('reads the price of a machine', async () => {
  const server = await openServer((_request, response) => response.end(wireExample('price-book.calculate')));
  const reading = await machinePriceFeed(SEVEN).read(openClients(server.baseUrl).reads);
  expect(reading).toMatchObject({ok: true, value: {resourceId: 793001}});
  expect(server.seen.map(({url}) => url)).toEqual(['/v1/pricebook/calculate/resource/virtual-machine/7']);
});

describe('the feed keys', () => {
  const feedsAt = (now: number) => {
    const period = monthSoFar(epochMs(now));
    return [
      historyFeed(period),
      machineHistoriesFeed(period),
      machineHistoryFeed(SEVEN, period),
      machineGraphFeed(SEVEN, period),
    ];
  };
  const keysAt = (now: number) => feedsAt(now).map(({key}) => key);

  it('stay the same all day and change the next day', () => {
    expect(keysAt(NOW + 60_000)).toEqual(keysAt(NOW));
    for (const [index, key] of keysAt(NOW + DAY_MS).entries()) expect(key).not.toBe(keysAt(NOW)[index]);
  });

  it('differ from one another and from machine to machine', () => {
    const keys = [...keysAt(NOW), machineHistoryFeed(virtualMachineId(8), PERIOD).key, machinePriceFeed(SEVEN).key];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const usage = (hourly: string | undefined) => ({
  records: [aUsageRecord(1, hourly), aUsageRecord(2, '3')],
  quarantined: [],
});

describe('presentRates', () => {
  it('is empty until usage has been read', () => {
    expect(presentRates(createStore()).size).toBe(0);
  });

  it('gives the metered rate of each machine, and none when the service gives no usable one', () => {
    const store = createStore();
    store.writeValue(usageFeed, usage(undefined), monotonicMs(1));
    expect([...presentRates(store)]).toEqual([[2, dollarsPerHour('3')]]);
  });

  it('recomputes the rates after each reading and reuses them in between', () => {
    const store = createStore();
    store.writeValue(usageFeed, usage('1'), monotonicMs(1));
    const first = presentRates(store);
    expect(presentRates(store)).toBe(first);
    store.writeValue(usageFeed, usage('2'), monotonicMs(2));
    expect(presentRates(store).get(1)).toEqual(dollarsPerHour('2'));
    expect(first.get(1)).toEqual(dollarsPerHour('1'));
  });

  it('keeps the last rates while the usage cannot be read', () => {
    const store = createStore();
    store.writeValue(usageFeed, usage('1'), monotonicMs(1));
    store.writeFailure(usageFeed, {kind: 'timed-out', afterMs: 15_000}, monotonicMs(2));
    expect(presentRates(store).get(1)).toEqual(dollarsPerHour('1'));
  });
});

it.each([
  ['nothing was read before', []],
  // Before the rise began, and more than a day before its end.
  ['a higher one was read 6 hours before', [-6 * 60]],
  ['a higher one was read nearly a day before', [5 - 24 * 60]],
  ['two higher ones were read before', [5 - 24 * 60, -6 * 60]],
])('tells no lower highest burn rate of a rise than it read itself: %s', (_, minutesBefore) => {
  const store = createStore();
  const begun = epochMs(MINUTE_START - 30 * DAY_MS);
  const steady = {...aUsageRecord(1, '10'), createdAt: begun, billedCost: dollars('7200')};
  // Metered at $50 an hour, but billed $40 an hour for the five hours that it ran.
  const sweep = {
    createdAt: epochMs(MINUTE_START - 5 * HOUR_MS),
    upTimeMinutes: rational(300n, 1n),
    billedCost: dollars('200'),
  };
  const readAt = (minutes: number, perHour: string) => {
    const records = [steady, {...aUsageRecord(2, perHour), ...sweep}];
    const monotonicNow = monotonicMs(2 * DAY_MS + minutes * MINUTE_MS);
    store.writeValue(usageFeed, {records, quarantined: []}, monotonicNow);
    const moment = {...at(store, MINUTE_START + minutes * MINUTE_MS), monotonicNow};
    learnBills(moment);
    return billingFigures(moment)?.incident;
  };
  store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(1));
  for (const minutes of minutesBefore) readAt(minutes, '290');
  expect(readAt(0, '50')).toBeUndefined();
  expect(readAt(10, '0.01')).toMatchObject({peakPerHour: 60, peakAt: MINUTE_START});
});
