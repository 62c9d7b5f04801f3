import {contracts, getContract} from '../api/contracts.ts';
import type {Contract} from '../domain/contract.ts';
import type {Rate} from '../domain/money.ts';
import {runningRate} from '../domain/money/commitment.ts';
import type {Preferences} from '../domain/preferences.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type EpochMs, MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';
import type {Store} from './store.ts';

export const contractsFeed: Feed<Listing<Contract>> = listFeed('contracts', 5 * MINUTE_MS, contracts, {});

export function contractFeed(id: number): Feed<Contract> {
  return oneFeed(['contract', id], 5 * MINUTE_MS, getContract, {id});
}

/** The price of a machine while it runs, by the contracts as last read; undefined if it is not known. */
export function presentRunningRate(
  machine: VirtualMachine,
  {
    store,
    preferences: {prices},
    now,
  }: {readonly store: Store; readonly preferences: Pick<Preferences, 'prices'>; readonly now: EpochMs},
): Rate | undefined {
  return runningRate(machine, lastValue(store.get(contractsFeed))?.records, {prices, now});
}
