import {contracts, getContract} from '../api/contracts.ts';
import type {Contract} from '../domain/contract.ts';
import type {Rate} from '../domain/money.ts';
import {contractRate, runningRate} from '../domain/money/commitment.ts';
import {lastValue} from '../domain/snapshot.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';
import {observedMachines} from './machines.ts';
import type {KnownOnce} from './known.ts';

export const contractsFeed: Feed<Listing<Contract>> = listFeed('contracts', 5 * MINUTE_MS, contracts, {});

export function contractFeed(id: number): Feed<Contract> {
  return oneFeed(['contract', id], 5 * MINUTE_MS, getContract, {id});
}

/**
 * The price of a machine while it runs, by the contracts as last read, and if `starting` are started together with it;
 * undefined if it is not known.
 */
export function presentRunningRate(
  machine: VirtualMachine,
  {store, preferences: {prices}, now}: KnownOnce,
  starting?: readonly VirtualMachine[],
): Rate | undefined {
  return runningRate(machine, lastValue(store.get(contractsFeed))?.records, {
    prices,
    now,
    machines: observedMachines(store),
    starting,
  });
}

/** The part of that which comes from a contract: undefined if no contract lowers the machine's price. */
export function presentContractRate(
  machine: VirtualMachine,
  {store, preferences: {prices}, now}: KnownOnce,
  starting?: readonly VirtualMachine[],
): Rate | undefined {
  return contractRate(machine, lastValue(store.get(contractsFeed))?.records ?? [], {
    prices,
    now,
    machines: observedMachines(store),
    starting,
  });
}
