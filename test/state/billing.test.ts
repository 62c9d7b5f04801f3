import {describe, expect, it} from 'vitest';
import {parseDecimal, rational, type Usd, usd} from '../../src/domain/money.ts';
import {epochMs, HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {billingFigures, creditLeft} from '../../src/state/billing.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from '../../src/state/feeds.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {aUsageRecord, dollarsPerHour} from '../panes/a-known-scene.ts';

const MINUTE_START = epochMs(Date.UTC(2026, 10, 20, 21));

/** One machine at two dollars an hour. */
function openStore(): WritableStore {
  const store = createStore();
  store.writeValue(usageFeed, {records: [aUsageRecord(1, '2')], quarantined: []}, monotonicMs(1));
  return store;
}

function dollars(text: string): Usd {
  return usd(parseDecimal(text) ?? rational(0n, 1n));
}

describe('billingFigures', () => {
  it('are unknown until the usage was read', () => {
    expect(billingFigures(createStore(), MINUTE_START)).toBeUndefined();
  });

  it('are computed once in a minute and afresh in the next', () => {
    const store = openStore();
    const first = billingFigures(store, MINUTE_START);
    expect(billingFigures(store, epochMs(MINUTE_START + MINUTE_MS - 1))).toBe(first);
    const next = billingFigures(store, epochMs(MINUTE_START + HOUR_MS));
    expect(usdGrowth(first?.monthToDate, next?.monthToDate)).toEqual(dollars('2'));
  });

  it('are computed afresh with each reading of either list', () => {
    const store = openStore();
    const before = billingFigures(store, MINUTE_START);
    expect(before?.lacksDeleted).toBe(true);
    store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, monotonicMs(2));
    expect(billingFigures(store, MINUTE_START)?.lacksDeleted).toBe(false);
    const two = [aUsageRecord(1, '2'), aUsageRecord(2, '5')];
    store.writeValue(usageFeed, {records: two, quarantined: []}, monotonicMs(3));
    expect(billingFigures(store, MINUTE_START)?.burn).toEqual(dollarsPerHour('7'));
  });
});

describe('creditLeft', () => {
  it.each<[string, Usd | undefined, number | undefined]>([
    ['ten dollars at two an hour', dollars('10'), 5 * HOUR_MS],
    ['nothing', dollars('0'), 0],
    ['less than nothing', dollars('-3'), 0],
    ['an unknown balance', undefined, undefined],
  ])('with %s', (_, balance, expected) => {
    const store = openStore();
    store.writeValue(creditFeed, balance === undefined ? {} : {balance}, monotonicMs(2));
    expect(creditLeft(store, billingFigures(store, MINUTE_START), {credit: undefined})).toBe(expected);
  });

  it('goes by the settings where the service does not say, once it was asked', () => {
    const store = openStore();
    const figures = billingFigures(store, MINUTE_START);
    const own = {credit: dollars('30')};
    expect(creditLeft(store, figures, own)).toBeUndefined();
    store.writeValue(creditFeed, {}, monotonicMs(2));
    expect(creditLeft(store, figures, own)).toBe(15 * HOUR_MS);
    store.writeValue(creditFeed, {balance: dollars('10')}, monotonicMs(3));
    expect(creditLeft(store, figures, own)).toBe(5 * HOUR_MS);
  });

  it('is unknown until both credit and usage were read', () => {
    const store = openStore();
    expect(creditLeft(store, billingFigures(store, MINUTE_START), {credit: undefined})).toBeUndefined();
    store.writeValue(creditFeed, {balance: dollars('10')}, monotonicMs(2));
    expect(creditLeft(store, undefined, {credit: undefined})).toBeUndefined();
  });
});

function usdGrowth(from: Usd | undefined, to: Usd | undefined): Usd {
  if (from === undefined || to === undefined) throw new Error('Expected figures.');
  return usd(
    rational(to.numerator * from.denominator - from.numerator * to.denominator, to.denominator * from.denominator),
  );
}
