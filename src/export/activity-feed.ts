import {type MachineMetrics, packedSeries, type Sample, type Series} from '../domain/series.ts';
import {lastValue, readAt} from '../domain/snapshot.ts';
import {DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS, type MonotonicMs} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import type {Feed} from '../state/feed.ts';
import {metricsFeed} from '../state/machines.ts';
import type {Store} from '../state/store.ts';

const HISTORY_MS: DurationMs = 15 * DAY_MS;
/** What is read anew has to reach back to what is known, with time to spare for the way here. */
const MAX_HOUR_OLD_MS: DurationMs = 50 * MINUTE_MS;
const MAX_DAY_OLD_MS: DurationMs = 23 * HOUR_MS;
/** Samples of minutes are enough to judge days: finer ones are kept of the last hour alone. */
const KEPT_SPACING_MS: DurationMs = 4 * MINUTE_MS;

/**
 * Two weeks of a machine's metrics, as `metricsFeed` gives them. They are a megabyte, so they are read once; afterwards
 * only what is new since is read, and joined to what is known.
 */
export function activityFeed(
  id: VirtualMachineId,
  {store, monotonicNow}: {readonly store: Store; readonly monotonicNow: () => MonotonicMs},
): Feed<MachineMetrics> {
  const whole = metricsFeed(id, '15d');
  const hour = metricsFeed(id, '1h');
  return {
    ...whole,
    intervalMs: hour.intervalMs,
    read: (client, signal) => {
      const snapshot = store.get(whole);
      const at = readAt(snapshot);
      const ageMs = at === undefined || lastValue(snapshot) === undefined ? undefined : monotonicNow() - at;
      const isOld = ageMs === undefined || ageMs > MAX_DAY_OLD_MS;
      const next = isOld ? whole : ageMs > MAX_HOUR_OLD_MS ? metricsFeed(id, '1d') : hour;
      return next.read(client, signal);
    },
    merge: joinedMetrics,
  };
}

/** Both readings as one: of each series what the older has, and behind it what is new in the other. */
export function joinedMetrics(older: MachineMetrics, newer: MachineMetrics): MachineMetrics {
  const joined: {-readonly [Name in keyof MachineMetrics]: MachineMetrics[Name]} = {...older};
  for (const [name, series] of Object.entries(newer) as [keyof MachineMetrics, Series][]) {
    joined[name] = joinedSeries(older[name] ?? [], series);
  }
  return joined;
}

function joinedSeries(older: Series, newer: Series): Series {
  const end = older.at(-1)?.sampledAt ?? Number.NEGATIVE_INFINITY;
  const added = [...newer].filter(({sampledAt}) => sampledAt > end);
  const last = added.at(-1)?.sampledAt;
  return last === undefined ? older : packedSeries(thinned([...older, ...added], last));
}

function thinned(samples: readonly Sample[], now: number): readonly Sample[] {
  let kept = Number.NEGATIVE_INFINITY;
  return samples.filter(({sampledAt}) => {
    const ageMs = now - sampledAt;
    if (ageMs > HISTORY_MS || (ageMs > HOUR_MS && sampledAt - kept < KEPT_SPACING_MS)) return false;
    kept = sampledAt;
    return true;
  });
}
