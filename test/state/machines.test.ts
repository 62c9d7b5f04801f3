import {describe, expect, it} from 'vitest';
import type {Cluster} from '../../src/domain/cluster.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineMetrics} from '../../src/domain/series.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {clustersFeed} from '../../src/state/clusters.ts';
import {hourMetrics, machineFeed, machinesFeed, metricsFeed, observedMachines} from '../../src/state/machines.ts';
import {createStore, type Store} from '../../src/state/store.ts';
import {aCluster} from '../actions/some-things.ts';
import {aListing, aVirtualMachine} from './a-machine.ts';

const failure: Failure = {kind: 'cut', detail: safeText('reset')};
const [active, other] = [aVirtualMachine({id: 1}), aVirtualMachine({id: 2})];
const stopping = aVirtualMachine({id: 1, status: 'STOPPING'});

function listedAt(moment: number) {
  const store = createStore();
  store.writeValue(machinesFeed, aListing([active, other]), monotonicMs(moment));
  return store;
}

describe('observedMachines', () => {
  it('is unknown until a list was read, even when the list failed and a machine was read on its own', () => {
    const store = createStore();
    expect(observedMachines(store)).toBeUndefined();
    store.writeFailure(machinesFeed, failure, monotonicMs(1));
    store.writeValue(machineFeed(active.id), active, monotonicMs(2));
    expect(observedMachines(store)).toBeUndefined();
  });

  it('is the list, with machines replaced by newer readings of their own', () => {
    const store = listedAt(10);
    expect(observedMachines(store)).toEqual([active, other]);
    store.writeValue(machineFeed(active.id), stopping, monotonicMs(12));
    expect(observedMachines(store)).toEqual([stopping, other]);
  });

  it.each([9, 10])('does not let a reading begun at %i replace a list begun at 10', moment => {
    const store = listedAt(10);
    store.writeValue(machineFeed(active.id), stopping, monotonicMs(moment));
    expect(observedMachines(store)).toEqual([active, other]);
  });

  it('keeps the last reading of a machine when its own reading fails', () => {
    const store = listedAt(10);
    store.writeFailure(machineFeed(other.id), failure, monotonicMs(11));
    store.writeValue(machineFeed(active.id), stopping, monotonicMs(12));
    store.writeFailure(machineFeed(active.id), failure, monotonicMs(14));
    expect(observedMachines(store)).toEqual([stopping, other]);
  });

  it('leaves out a machine whose own reading says that it does not exist, at once and until a list has it again', () => {
    const notFound: Failure = {kind: 'not-found', message: safeText('no such machine')};
    const store = listedAt(10);
    store.writeValue(machineFeed(active.id), stopping, monotonicMs(12));
    store.writeFailure(machineFeed(active.id), notFound, monotonicMs(14));
    expect(observedMachines(store)).toEqual([other]);
    // The next list lacks it too: one list alone proves nothing, but its own reading does.
    store.writeValue(machinesFeed, aListing([other]), monotonicMs(16));
    expect(observedMachines(store)).toEqual([other]);
    store.writeValue(machinesFeed, aListing([active, other]), monotonicMs(20));
    expect(observedMachines(store)).toEqual([active, other]);
  });

  it('keeps a machine that a list lacks once when its own reading was of no help', () => {
    const store = listedAt(10);
    store.writeFailure(machineFeed(active.id), failure, monotonicMs(14));
    store.writeValue(machinesFeed, aListing([other]), monotonicMs(16));
    expect(
      observedMachines(store)
        ?.map(({id}) => Number(id))
        .toSorted(),
    ).toEqual([1, 2]);
  });

  it('names the cluster that lists a machine as its node, where its own record leaves that open', () => {
    const silent = aVirtualMachine({id: 3, isNodeUnknown: true});
    const odd = aVirtualMachine({id: 4, hasUnreadCluster: true});
    const own = aVirtualMachine({id: 5, clusterId: 41});
    // Its record says that it is no node.
    const free = aVirtualMachine({id: 6});
    const unlisted = aVirtualMachine({id: 7, isNodeUnknown: true});
    const machines = [silent, odd, own, free, unlisted];
    const nodes = [silent, odd, own, free].map(({id}) => ({...NODE, machineId: id}));
    const store = createStore();
    store.writeValue(machinesFeed, aListing([...machines, other]), monotonicMs(1));
    expect(observedMachines(store)).toEqual([...machines, other]);
    store.writeValue(clustersFeed, {records: [aCluster({nodes})], quarantined: []}, monotonicMs(2));
    const seen = observedMachines(store);
    expect(seen?.map(({clusterId}) => clusterId)).toEqual([40, 40, 41, undefined, undefined, undefined]);
    expect(seen?.filter(({isNodeUnknown}) => isNodeUnknown === true)).toEqual([]);
    // The same records, so that nothing is drawn again.
    store.writeValue(machineFeed(active.id), active, monotonicMs(3));
    expect(observedMachines(store)).toBe(seen);
  });
});

const NODE = {role: 'worker', roleText: safeText('worker'), status: 'ACTIVE', statusText: safeText('ACTIVE')} as const;

it.each<[string, Partial<Cluster>, object]>([
  ['a cluster has nodes that could not be read', {hasUnreadNodes: true}, {}],
  ['a node names no machine', {nodes: [NODE]}, {}],
  ['the list of clusters is incomplete', {}, {incompleteReason: 'page 2 timed out'}],
  ['a cluster could not be read', {}, {quarantined: [{fields: [safeText('id')]}]}],
])('does not know whether a machine that no cluster lists is a node while %s', (_, known, listing) => {
  const silent = aVirtualMachine({id: 3, isNodeUnknown: true});
  const store = createStore();
  store.writeValue(machinesFeed, aListing([silent, other]), monotonicMs(1));
  const clusters = {records: [aCluster(known)], quarantined: [], ...listing};
  store.writeValue(clustersFeed, clusters, monotonicMs(2));
  expect(observedMachines(store)).toEqual([silent, other]);
});

describe('hourMetrics', () => {
  const metrics: MachineMetrics = {};

  /** The store, and how often a feed was looked up in it. */
  function counted(): {
    readonly store: Store;
    readonly written: ReturnType<typeof createStore>;
    readonly lookups: () => number;
  } {
    const written = createStore();
    let count = 0;
    const get: Store['get'] = feed => {
      count += 1;
      return written.get(feed);
    };
    return {store: {...written, get}, written, lookups: () => count};
  }

  it('is looked up only for machines of which something was read', () => {
    const {store, written, lookups} = counted();
    written.writeValue(metricsFeed(active.id, '1h'), metrics, monotonicMs(1));
    expect(hourMetrics(store, other.id)).toBeUndefined();
    expect(lookups()).toBe(0);
    expect(hourMetrics(store, active.id)).toBe(metrics);
  });

  it('is there as soon as it was read, and gone when it is forgotten', () => {
    const {store, written} = counted();
    const feed = metricsFeed(active.id, '1d');
    expect(hourMetrics(store, active.id)).toBeUndefined();
    written.writeValue(feed, metrics, monotonicMs(1));
    expect(hourMetrics(store, active.id)).toBe(metrics);
    written.forget(feed);
    expect(hourMetrics(store, active.id)).toBeUndefined();
  });
});
