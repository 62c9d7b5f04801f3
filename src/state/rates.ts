import {machineRates} from '../domain/cost.ts';
import type {Rate} from '../domain/money.ts';
import {lastValue} from '../domain/snapshot.ts';
import {usageFeed} from './feeds.ts';
import type {Store} from './store.ts';

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
