import {expect, it} from 'vitest';
import {monotonicMs} from '../../src/domain/time.ts';
import {usageFeed} from '../../src/state/feeds.ts';
import {presentRates} from '../../src/state/rates.ts';
import {createStore} from '../../src/state/store.ts';
import {aUsageRecord, dollarsPerHour} from '../panes/a-known-scene.ts';

const usage = (hourly: string | undefined) => ({
  records: [aUsageRecord(1, hourly), aUsageRecord(2, '3')],
  quarantined: [],
});

it('knows no rate before the usage was read', () => {
  expect(presentRates(createStore()).size).toBe(0);
});

it('gives the metered rate of each machine, and none where the service says nothing usable', () => {
  const store = createStore();
  store.writeValue(usageFeed, usage(undefined), monotonicMs(1));
  expect([...presentRates(store)]).toEqual([[2, dollarsPerHour('3')]]);
});

it('makes the rates anew with each reading and keeps them between two', () => {
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
