import {type IdleVerdict, idleVerdict} from '../domain/money/idle.ts';
import {stoppedSince, type Waste, wasteOf} from '../domain/money/waste.ts';
import type {Preferences} from '../domain/preferences.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type EpochMs, MINUTE_MS} from '../domain/time.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {usageFeed} from './billing.ts';
import type {Feed, Listing} from './feed.ts';
import {eventsFeed, machinesFeed, metricsFeed, observedMachines} from './machines.ts';
import type {Store} from './store.ts';
import {volumesFeed} from './volumes.ts';

type Moment = {
  readonly store: Store;
  readonly now: EpochMs;
  readonly preferences: Pick<Preferences, 'prices' | 'keep' | 'idle'>;
};

/** What is wasted, and what would be if it were not kept on purpose; most money lost first. */
export type JudgedWaste = {readonly waste: readonly Waste[]; readonly kept: readonly Waste[]};

type Known = {readonly version: number; readonly minute: number; readonly judged: JudgedWaste};

const keptByStore = new WeakMap<Store, Known>();

/** The waste that can be told from what was read; undefined until usage and machines came. */
export function presentWaste(moment: Moment): JudgedWaste | undefined {
  const {store, now} = moment;
  const live = lastValue(store.get(usageFeed));
  const machines = observedMachines(store);
  if (live === undefined || machines === undefined) return undefined;
  const [version, minute] = [store.version(), Math.floor(now / MINUTE_MS)];
  const kept = keptByStore.get(store);
  if (kept?.version === version && kept.minute === minute) return kept.judged;
  const judged = judgedWaste(moment, live, machines);
  keptByStore.set(store, {version, minute, judged});
  return judged;
}

function judgedWaste(
  {store, now, preferences}: Moment,
  live: Listing<Parameters<typeof wasteOf>[0]['live'][number]>,
  machines: readonly VirtualMachine[],
): JudgedWaste {
  return wasteOf({
    live: live.records,
    machines,
    volumes: lastValue(store.get(volumesFeed))?.records,
    areWhole: {
      machines: isWhole(store, machinesFeed),
      volumes: isWhole(store, volumesFeed),
      usage: live.isIncomplete === undefined && live.quarantined.length === 0,
    },
    verdicts: new Map(
      machines.flatMap(machine => {
        const metrics = lastValue(store.get(metricsFeed(machine.id, '15d')));
        return metrics === undefined ? [] : [[machine.id, verdictOf(metrics, machine, {now, ...preferences.idle})]];
      }),
    ),
    stoppedAt: new Map(
      machines.flatMap(({id, status}) => {
        const since = stoppedSince(status, lastValue(store.get(eventsFeed(id)))?.records ?? []);
        return since === undefined ? [] : [[id, since]];
      }),
    ),
    prices: preferences.prices,
    keep: preferences.keep,
    now,
  });
}

/** Two weeks of samples are looked through once a reading. */
const verdicts = new WeakMap<MachineMetrics, IdleVerdict>();

function verdictOf(
  metrics: MachineMetrics,
  {flavor}: VirtualMachine,
  windows: Parameters<typeof idleVerdict>[2],
): IdleVerdict {
  const known = verdicts.get(metrics) ?? idleVerdict(metrics, flavor, windows);
  verdicts.set(metrics, known);
  return known;
}

function isWhole(store: Store, feed: Feed<Listing<unknown>>): boolean {
  const listing = lastValue(store.get(feed));
  return listing !== undefined && listing.isIncomplete === undefined && listing.quarantined.length === 0;
}
