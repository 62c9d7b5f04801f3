import {lastValue, readAt} from '../domain/snapshot.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {machineFeed, machinesFeed} from './feeds.ts';
import type {Store} from './store.ts';

/**
 * The machines as last observed: the list, with every machine that was read by itself since (an operation watches its
 * machine more often than the list is read). Undefined until the first list has come.
 */
export function observedMachines(store: Store): readonly VirtualMachine[] | undefined {
  const known = observedByStore.get(store);
  const version = store.version();
  if (known?.version === version) return known.machines;
  const machines = observe(store);
  observedByStore.set(store, {version, machines});
  return machines;
}

/** The last answer for each store: the same question is asked by every part of the screen. */
const observedByStore = new WeakMap<
  Store,
  {readonly version: number; readonly machines: readonly VirtualMachine[] | undefined}
>();

function observe(store: Store): readonly VirtualMachine[] | undefined {
  const snapshot = store.get(machinesFeed);
  const listing = lastValue(snapshot);
  const listedAt = readAt(snapshot);
  if (listing === undefined || listedAt === undefined) return undefined;
  let machines: VirtualMachine[] | undefined;
  for (const [index, machine] of listing.records.entries()) {
    const alone = store.get(machineFeed(machine.id));
    if (alone.status === 'waiting' || alone.status === 'failed' || alone.readAt <= listedAt) continue;
    machines ??= [...listing.records];
    machines[index] = alone.value;
  }
  return machines ?? listing.records;
}
