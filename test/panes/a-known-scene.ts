import type {UsageRecord} from '../../src/domain/billing.ts';
import type {Cluster} from '../../src/domain/cluster.ts';
import {type Contract, expirationPolicy} from '../../src/domain/contract.ts';
import type {Firewall} from '../../src/domain/firewall.ts';
import type {Flavor} from '../../src/domain/flavor.ts';
import {parseDecimal, type Rate, ratePerHour, rational} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics, Series} from '../../src/domain/series.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {type Window, WINDOWS} from '../../src/domain/window.ts';
import type {MachineFlavor, SecurityRule, VirtualMachine} from '../../src/domain/virtual-machine.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {flavorsFeed} from '../../src/state/catalogue.ts';
import type {Volume} from '../../src/domain/volume.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {volumesFeed} from '../../src/state/volumes.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed, metricsFeed} from '../../src/state/machines.ts';
import {createStore} from '../../src/state/store.ts';
import {aScene} from '../app/a-scene.ts';
import {aListing} from '../state/a-machine.ts';

export const NOW = epochMs(Date.UTC(2026, 10, 20, 20, 58, 12));
const READ_AT = monotonicMs(100_000);
const STEP_MS = 5 * MINUTE_MS;
const GIGABYTE = 1024 ** 3;

/** A session in which nothing is under way. */
export const IDLE: NonNullable<Scene['operations']> = {openOn: () => undefined, all: () => [], version: () => 0};

/** A scene in which the lists given here were read, and the others were not. */
export function aKnownScene(
  known: {
    readonly machines?: readonly VirtualMachine[];
    readonly usage?: readonly UsageRecord[];
    readonly flavors?: readonly Flavor[];
    readonly firewalls?: readonly Firewall[];
    readonly clusters?: readonly Cluster[];
    readonly volumes?: readonly Volume[];
    readonly contracts?: readonly Contract[];
    readonly metrics?: ReadonlyMap<VirtualMachine['id'], MachineMetrics>;
    /** Metrics for windows longer than an hour. */
    readonly longMetrics?: Partial<Record<Window, ReadonlyMap<VirtualMachine['id'], MachineMetrics>>>;
  },
  rest: Partial<Scene> = {},
): Scene {
  const store = createStore();
  if (known.machines !== undefined) store.writeValue(machinesFeed, aListing(known.machines), READ_AT);
  if (known.usage !== undefined) store.writeValue(usageFeed, {records: known.usage, quarantined: []}, READ_AT);
  if (known.flavors !== undefined) store.writeValue(flavorsFeed, {records: known.flavors, quarantined: []}, READ_AT);
  if (known.firewalls !== undefined) {
    store.writeValue(firewallsFeed, {records: known.firewalls, quarantined: []}, READ_AT);
  }
  if (known.volumes !== undefined) store.writeValue(volumesFeed, {records: known.volumes, quarantined: []}, READ_AT);
  if (known.clusters !== undefined) store.writeValue(clustersFeed, {records: known.clusters, quarantined: []}, READ_AT);
  if (known.contracts !== undefined) {
    store.writeValue(contractsFeed, {records: known.contracts, quarantined: []}, READ_AT);
  }
  for (const [id, metrics] of known.metrics ?? []) store.writeValue(metricsFeed(id, '1h'), metrics, READ_AT);
  for (const window of WINDOWS) {
    for (const [id, metrics] of known.longMetrics?.[window] ?? []) {
      store.writeValue(metricsFeed(id, window), metrics, READ_AT);
    }
  }
  return aScene({store, operations: IDLE, now: NOW, ...rest});
}

/** Contract 118, which ends in this many days and deletes what it covers, unless the test says otherwise. */
export function aContract(days: number | undefined, rest: Partial<Contract> = {}): Contract {
  return {
    id: 118,
    status: 'ACTIVE',
    statusText: safeText('ACTIVE'),
    expirationPolicy: expirationPolicy(0),
    discounts: [],
    ...(days === undefined ? {} : {endsAt: epochMs(NOW + days * DAY_MS)}),
    ...rest,
  };
}

/** A machine's active record, at dollars per hour. */
export function aUsageRecord(resourceId: number, hourly: string | undefined): UsageRecord {
  return {
    resourceId,
    resourceType: safeText('vm'),
    name: safeText(`gpu-${resourceId}`),
    createdAt: epochMs(NOW - 60 * MINUTE_MS),
    isActive: true,
    isExcludedFromBilling: false,
    ...(hourly === undefined ? {} : {rate: dollarsPerHour(hourly)}),
  };
}

export function dollarsPerHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

/** Sixteen processors, one graphics card, 128 GB of memory and a root disk of 100 GB. */
export const A_FLAVOR: MachineFlavor = {
  name: safeText('n3-L40x1'),
  cpuCount: 16,
  ramGb: 128,
  rootDiskGb: 100,
  ephemeralDiskGb: 0,
  gpuModel: safeText('L40'),
  gpuCount: 1,
};

/** The last hours of a machine that kept this many cores busy all the time, with half its memory in use. */
export function busyMetrics(cores: number, {hours = 1}: {readonly hours?: number} = {}): MachineMetrics {
  const stepCount = (hours * HOUR_MS) / STEP_MS;
  const series = (valueAt: (index: number) => number): Series =>
    Array.from({length: stepCount + 1}, (_, index) => ({
      sampledAt: epochMs(NOW - (stepCount - index) * STEP_MS),
      value: valueAt(index),
    }));
  return {
    cpu: series(index => index * cores * 1e9 * (STEP_MS / 1000)),
    memory: series(() => 64 * GIGABYTE),
    networkIn: series(() => 0),
    networkOut: series(() => 0),
    diskRead: series(() => 0),
    diskWrite: series(() => 0),
  };
}

/** States of rules that are being added or removed, failed, or are unknown: none of these is known to be in force. */
export const NOT_IN_FORCE = ['DELETING', 'FAILED', 'CREATING', 'pending', 'DELETED', 'DELETE_FAILED', '', 'MELTING'];

/** `ingress tcp/22 0.0.0.0/0`, unless the test says otherwise. */
export function aRule(rest: Partial<SecurityRule> = {}): SecurityRule {
  return {
    id: 501,
    direction: safeText('ingress'),
    protocol: safeText('tcp'),
    etherType: safeText('IPv4'),
    remoteIpPrefix: safeText('0.0.0.0/0'),
    portRangeMin: 22,
    portRangeMax: 22,
    status: safeText('SUCCESS'),
    ...rest,
  };
}
