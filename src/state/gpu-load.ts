import type {GpuReads} from '../api/gpu-load.ts';
import type {ReadClient} from '../api/client.ts';
import type {Result} from '../domain/failure.ts';
import {
  type ByHost,
  type GpuHistory,
  type GpuLoad,
  type GpuLoads,
  type GpuPast,
  ofMachines,
} from '../domain/gpu-load.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachine, VirtualMachineId} from '../domain/virtual-machine.ts';
import type {Feed} from './feed.ts';
import {observedMachines} from './machines.ts';
import type {Want} from './poll-schedule.ts';
import type {Store} from './store.ts';

/** The GPUs of all machines now and in the last hour, by one question a minute. */
export const gpuLoadFeed: Feed<GpuLoads> = gpuFeed('gpu-load', MINUTE_MS, gpus => gpus.loads());

/** Two weeks of all GPUs are a slow query, and its answer changes little within an hour. */
export const gpuPastFeed: Feed<ByHost<GpuPast>> = gpuFeed('gpu-past', 10 * MINUTE_MS, gpus => gpus.pasts());

/** The GPUs of one machine over a window, by the name that they have it under. */
export function gpuHistoryFeed(
  {id, host}: {readonly id: VirtualMachineId; readonly host: SafeText},
  {name, windowMs}: {readonly name: string; readonly windowMs: DurationMs},
): Feed<GpuHistory> {
  return gpuFeed(`gpu-history:${id}:${name}`, 5 * MINUTE_MS, gpus => gpus.history(host, windowMs));
}

function gpuFeed<T>(key: string, intervalMs: DurationMs, read: (gpus: GpuReads) => Promise<Result<T>>): Feed<T> {
  return {
    key,
    intervalMs,
    source: 'prometheus',
    read: ({prometheus}: ReadClient) =>
      prometheus === undefined ? Promise.resolve(NO_PROMETHEUS) : read(prometheus.gpus),
  };
}

const NO_PROMETHEUS = {
  ok: false,
  failure: {kind: 'incomplete', detail: say`GPU load comes from a Prometheus, and the profile names none`},
} as const;

/** What has to be read to judge GPUs, where there is a Prometheus. */
export function gpuWants(priority: number): readonly Want[] {
  return [gpuLoadFeed, gpuPastFeed].map(feed => ({feed, priority}));
}

type OfMachines<T> = ReadonlyMap<VirtualMachineId, T>;

/** The load of the GPUs of each machine that DCGM knows; undefined until it was read. */
export function presentGpuLoads(store: Store): OfMachines<GpuLoad> | undefined {
  const loads = lastValue(store.get(gpuLoadFeed));
  return loads === undefined ? undefined : joined(store, loads, loads.byHost);
}

/** Their last two weeks; the load says which machine is meant. */
export function presentGpuPasts(store: Store): OfMachines<GpuPast> | undefined {
  const loads = lastValue(store.get(gpuLoadFeed));
  const pasts = lastValue(store.get(gpuPastFeed));
  return loads === undefined || pasts === undefined ? undefined : joined(store, loads, pasts);
}

type Joined = {readonly machines: readonly VirtualMachine[]; readonly values: OfMachines<unknown>};

/** Every row needs it, so it is computed once for each reading and list. */
const joinedByReading = new WeakMap<ByHost<unknown>, Joined>();

function joined<T>(store: Store, {field}: GpuLoads, byHost: ByHost<T>): OfMachines<T> {
  const machines = observedMachines(store) ?? NO_MACHINES;
  const known = joinedByReading.get(byHost);
  // A reading decides the type of what is joined to it; the map of all readings cannot say so, hence the cast.
  if (known?.machines === machines) return known.values as OfMachines<T>;
  const values = ofMachines(machines, field, byHost);
  joinedByReading.set(byHost, {machines, values});
  return values;
}

const NO_MACHINES: readonly VirtualMachine[] = [];
