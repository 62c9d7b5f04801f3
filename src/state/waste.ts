import {memoPer} from '../domain/memo.ts';
import {type Activity, type IdleVerdict, idleVerdict} from '../domain/money/idle.ts';
import {type JudgedWaste, stoppedSince, wasteOf} from '../domain/money/waste.ts';
import type {MachineMetrics} from '../domain/series.ts';
import {lastValue} from '../domain/snapshot.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {restartOf} from '../domain/triage/finding.ts';
import {capacityOf} from '../domain/utilization.ts';
import {isStopped, type VirtualMachine} from '../domain/virtual-machine.ts';
import {usageFeed} from './billing.ts';
import {type Feed, isWhole, type Listing} from './feed.ts';
import {presentGpuActivity} from './gpu-load.ts';
import type {KnownOnce} from './known.ts';
import {eventsRead, machinesFeed, observedMachines} from './machines.ts';
import type {Store} from './store.ts';
import {keptHere, knownMetrics, metricsReadAt, type TriageInput} from './triage.ts';
import {volumesFeed} from './volumes.ts';

type WasteInput = KnownOnce & Pick<TriageInput, 'activity'>;

/** The waste that can be told from what was read; undefined until usage and machines arrived. */
export function presentWaste(known: WasteInput): JudgedWaste | undefined {
  const {store, now, preferences} = known;
  const live = lastValue(store.get(usageFeed));
  const machines = observedMachines(store);
  if (live === undefined || machines === undefined) return undefined;
  const minute = Math.floor(now / MINUTE_MS);
  return judgedOnce(store, [store.version(), minute, preferences], () => judgedWaste(known, live, machines));
}

const judgedOnce = memoPer<Store, JudgedWaste>();

function judgedWaste(
  known: WasteInput,
  live: Listing<Parameters<typeof wasteOf>[0]['live'][number]>,
  machines: readonly VirtualMachine[],
): JudgedWaste {
  const {store, now, preferences} = known;
  return wasteOf({
    live: live.records,
    machines,
    volumes: lastValue(store.get(volumesFeed))?.records,
    areWhole: {
      machines: isReadWhole(store, machinesFeed),
      volumes: isReadWhole(store, volumesFeed),
      usage: isWhole(live),
    },
    verdicts: new Map(
      machines.flatMap(machine => {
        const verdict = presentVerdict(machine, known);
        return verdict === undefined ? [] : [[machine.id, verdict]];
      }),
    ),
    stoppedAt: new Map(
      machines.filter(isStopped).flatMap(machine => {
        const events = eventsRead(store, machine.id) ?? [];
        const since = stoppedSince(machine.status, events, known.activity?.changedAfter(machine));
        return since === undefined ? [] : [[machine.id, since]];
      }),
    ),
    idleMs: preferences.idle.idleMs,
    prices: preferences.prices,
    keep: keptHere(store, preferences),
    now,
  });
}

/**
 * Whether a running machine is working, as triage judges it, from its newest reading and what was learnt before.
 * Undefined if nothing was read.
 */
export function presentVerdict(machine: VirtualMachine, known: WasteInput): IdleVerdict | undefined {
  const {monotonicNow, preferences} = known;
  const metrics = machine.status === 'ACTIVE' ? knownMetrics(machine, known) : undefined;
  if (metrics === undefined) return undefined;
  const now = monotonicNow === undefined ? known.now : metricsReadAt(machine, {...known, monotonicNow});
  const runs = known.activity?.runsOf(machine) ?? NO_RUNS;
  const gpus = presentGpuActivity(known.store)?.get(machine.id);
  const startedAt = restartOf(machine, {
    activeSince: each => known.activity?.activeSince(each),
    eventsOf: ({id}) => eventsRead(known.store, id),
  });
  const {flavor} = machine;
  const dependencies = [runs, gpus, startedAt, preferences.idle, Math.floor(now / MINUTE_MS), ...capacityOf(flavor)];
  return verdictOnce(metrics, dependencies, () =>
    idleVerdict(metrics, flavor, {now, runs, gpus, startedAt, ...preferences.idle}),
  );
}

const NO_RUNS: readonly Activity[] = [];

/** Machines judged idle. Their events may say that they were started or restored lately, so that they are not. */
export function idleAmong(machines: readonly VirtualMachine[], known: WasteInput): readonly VirtualMachine[] {
  return machines.filter(machine => presentVerdict(machine, known)?.verdict === 'idle');
}

/** Cached, because going through two weeks takes long. */
const verdictOnce = memoPer<MachineMetrics, IdleVerdict>();

function isReadWhole(store: Store, feed: Feed<Listing<unknown>>): boolean {
  const listing = lastValue(store.get(feed));
  return listing !== undefined && isWhole(listing);
}
