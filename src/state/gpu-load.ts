import type {GpuReads} from '../api/gpu-load.ts';
import type {ReadClient} from '../api/client.ts';
import type {Result} from '../domain/failure.ts';
import {
  type ByHost,
  type GpuHistory,
  type GpuLoad,
  type GpuLoads,
  type GpuActivity,
  ofMachines,
} from '../domain/gpu-load.ts';
import {memoPer} from '../domain/memo.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type DurationMs, MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachine, VirtualMachineId} from '../domain/virtual-machine.ts';
import {type Feed, type FeedId, feedName} from './feed.ts';
import {observedMachines} from './machines.ts';
import type {Want} from './poller/poll-schedule.ts';
import type {Store} from './store.ts';

/** The GPUs of all machines now and over the last hour, with one query a minute. */
export const gpuLoadFeed: Feed<GpuLoads> = gpuFeed('gpu-load', MINUTE_MS, gpus => gpus.loads());

/** Two weeks of all GPUs are a slow query, and the answer changes little within an hour. */
export const gpuActivityFeed: Feed<ByHost<GpuActivity>> = gpuFeed('gpu-activity', 10 * MINUTE_MS, gpus =>
  gpus.activity(),
);

/** The GPUs of one machine over a window, by the name DCGM knows it under. */
export function gpuHistoryFeed(
  {id, host}: {readonly id: VirtualMachineId; readonly host: SafeText},
  {name, windowMs}: {readonly name: string; readonly windowMs: DurationMs},
): Feed<GpuHistory> {
  return gpuFeed(['gpu-history', id, name], 5 * MINUTE_MS, gpus => gpus.history(host, windowMs));
}

function gpuFeed<T>(id: FeedId, intervalMs: DurationMs, read: (gpus: GpuReads) => Promise<Result<T>>): Feed<T> {
  return {
    ...feedName(id),
    intervalMs,
    source: 'prometheus',
    read: ({prometheus}: ReadClient) =>
      prometheus === undefined ? Promise.resolve(NO_PROMETHEUS) : read(prometheus.gpus),
  };
}

const NO_PROMETHEUS = {
  ok: false,
  failure: {kind: 'incomplete', detail: say`GPU load needs a Prometheus, and the profile has none`},
} as const;

/** What has to be read to judge GPUs, if there is a Prometheus. */
export function gpuWants(priority: number): readonly Want[] {
  return [gpuLoadFeed, gpuActivityFeed].map(feed => ({feed, priority}));
}

type OfMachines<T> = ReadonlyMap<VirtualMachineId, T>;

/** The GPU load of each machine known to DCGM; undefined until it was read. */
export function presentGpuLoads(store: Store): OfMachines<GpuLoad> | undefined {
  const loads = lastValue(store.get(gpuLoadFeed));
  if (loads === undefined) return undefined;
  const {field, byHost} = loads;
  const machines = observedMachines(store) ?? NO_MACHINES;
  return loadsOnce(byHost, [machines], () => ofMachines(machines, field, byHost));
}

/** The last two weeks of their GPUs; the load tells which series belongs to which machine. */
export function presentGpuActivity(store: Store): OfMachines<GpuActivity> | undefined {
  const loads = lastValue(store.get(gpuLoadFeed));
  const activity = lastValue(store.get(gpuActivityFeed));
  if (loads === undefined || activity === undefined) return undefined;
  const machines = observedMachines(store) ?? NO_MACHINES;
  return activityOnce(activity, [machines, loads.field], () => ofMachines(machines, loads.field, activity));
}

/** Cached, because every row needs it. */
const loadsOnce = memoPer<ByHost<GpuLoad>, OfMachines<GpuLoad>>();
const activityOnce = memoPer<ByHost<GpuActivity>, OfMachines<GpuActivity>>();

const NO_MACHINES: readonly VirtualMachine[] = [];
