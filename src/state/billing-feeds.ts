import {billingHistory, machineHistory, machineHistoryDetail, machineHistoryGraph} from '../api/billing.ts';
import {calculatePrice} from '../api/price-book.ts';
import type {BillingHistory, ChargePeriod, MachineHistory, MachineHistoryGraph} from '../domain/billing-history.ts';
import type {ResourcePrice} from '../domain/price-book.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feeds.ts';

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
