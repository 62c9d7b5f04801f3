import {billingHistory, machineHistory, machineHistoryDetail, machineHistoryGraph} from '../api/billing.ts';
import {calculatePrice} from '../api/price-book.ts';
import type {BillingHistory, ChargePeriod, MachineHistory, MachineHistoryGraph} from '../domain/billing-history.ts';
import type {ResourcePrice} from '../domain/price-book.ts';
import {MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {type Feed, type Listing, readListing, readOne} from './feeds.ts';

// What the service itself says was billed. Each is a list of one or none: none is its word for nothing billed.

/** A bill grows by the minute, but the service takes its time to add it up. */
const HISTORY_INTERVAL_MS = 10 * MINUTE_MS;

export function historyFeed(period: ChargePeriod): Feed<Listing<BillingHistory>> {
  return {
    key: `history:${spanKey(period)}`,
    intervalMs: HISTORY_INTERVAL_MS,
    read: (client, signal) => readListing(client.read(billingHistory, {period}, {signal})),
  };
}

export function machineHistoriesFeed(period: ChargePeriod): Feed<Listing<MachineHistory>> {
  return {
    key: `machine-histories:${spanKey(period)}`,
    intervalMs: HISTORY_INTERVAL_MS,
    read: (client, signal) => readListing(client.read(machineHistory, {period}, {signal})),
  };
}

export function machineHistoryFeed(id: VirtualMachineId, period: ChargePeriod): Feed<Listing<MachineHistory>> {
  return {
    key: `machine-history:${id}:${spanKey(period)}`,
    intervalMs: HISTORY_INTERVAL_MS,
    read: (client, signal) => readListing(client.read(machineHistoryDetail, {id, period}, {signal})),
  };
}

export function machineGraphFeed(id: VirtualMachineId, period: ChargePeriod): Feed<Listing<MachineHistoryGraph>> {
  return {
    key: `machine-graph:${id}:${spanKey(period)}`,
    intervalMs: HISTORY_INTERVAL_MS,
    read: (client, signal) => readListing(client.read(machineHistoryGraph, {id, period}, {signal})),
  };
}

export function machinePriceFeed(id: VirtualMachineId): Feed<ResourcePrice> {
  return {
    key: `machine-price:${id}`,
    intervalMs: 5 * MINUTE_MS,
    read: (client, signal) => readOne(client.read(calculatePrice, {resourceType: 'virtual-machine', id}, {signal})),
  };
}

function spanKey({startsAt, endsAt}: ChargePeriod): string {
  return `${startsAt}-${endsAt}`;
}
