import {BUSY_FROM_RATIO, type GpuLoad, gpuFigures, isOldLoad} from '../../domain/gpu-load.ts';
import {mayRunOn} from '../../domain/own-connection.ts';
import {type MachineMetrics, metricsSince} from '../../domain/series.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type DurationMs, HOUR_MS, MINUTE_MS} from '../../domain/time.ts';
import {type MachineActivity, machineActivity, machineWork, sampleAge} from '../../domain/utilization.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {presentGpuLoads} from '../../state/gpu-load.ts';
import type {LearntActivity} from '../../state/learnt-activity.ts';
import {metricsFeed} from '../../state/machines.ts';
import {formatDuration, formatPercent, formatSampleAge} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import type {AssessmentInput} from '../question/assessment-input.ts';

type Clocked = Pick<AssessmentInput, 'store' | 'now'> & {
  readonly activity?: Pick<LearntActivity, 'activeSince'> | undefined;
};

/**
 * The reading with the newest sample, of any window; of several such readings, the one with the shortest steps. Without
 * what was measured before the machine was last seen to start, which is no evidence of what it does now.
 */
function metricsOf({store, now, activity}: Clocked, machine: VirtualMachine): MachineMetrics | undefined {
  const ageOf = (metrics: MachineMetrics) => {
    const age = sampleAge(metrics, now);
    return age === undefined || age.aheadMs !== undefined ? Number.POSITIVE_INFINITY : age.ageMs;
  };
  const [first, ...others] = WINDOWS.flatMap(window => lastValue(store.get(metricsFeed(machine.id, window))) ?? []);
  const newest = others.reduce((best, each) => (best === undefined || ageOf(each) < ageOf(best) ? each : best), first);
  const startedAt = activity?.activeSince(machine);
  return newest === undefined || startedAt === undefined ? newest : metricsSince(newest, startedAt);
}

const WINDOWS = ['1h', '6h', '1d', '7d', '15d'] as const;

/** The machine's metrics of the last hour; undefined until they were read. */
function activityOf(known: Clocked, machine: VirtualMachine): MachineActivity | undefined {
  const metrics = metricsOf(known, machine);
  const {now} = known;
  return metrics === undefined
    ? undefined
    : machineActivity(metrics, machine.flavor, {now, windowMs: HOUR_MS, binCount: 1});
}

/** The load of its GPUs, 0 to 1, from DCGM; undefined if nothing current reports it. */
function gpuLoadOf(known: Clocked, machine: VirtualMachine): number | undefined {
  const load = gpusOf(known, machine);
  return load === undefined || isOldLoad(load, known.now) ? undefined : gpuFigures(load).utilization;
}

/** What DCGM last reported since the machine was seen to start. */
function gpusOf({store, activity}: Clocked, machine: VirtualMachine): GpuLoad | undefined {
  const load = presentGpuLoads(store)?.get(machine.id);
  return load !== undefined && load.sampledAt >= (activity?.activeSince(machine) ?? 0) ? load : undefined;
}

/**
 * Only a running machine is working, whatever its last samples say. A busy GPU counts as work even if its host waits
 * for it.
 */
export function isWorking(scene: Clocked, machine: VirtualMachine): 'yes' | 'no' | 'unknown' {
  if (machine.status !== 'ACTIVE') return 'no';
  if ((gpuLoadOf(scene, machine) ?? 0) > BUSY_FROM_RATIO) return 'yes';
  return activityOf(scene, machine)?.isWorking ?? 'unknown';
}

/**
 * Whether to warn that work would be cut off: it is working, or was when last measured and has not been seen to stop.
 * Metrics that stopped arriving do not make a machine quiet.
 */
export function mayBeWorking(scene: Clocked, machine: VirtualMachine): boolean {
  const verdict = isWorking(scene, machine);
  return verdict === 'yes' || (verdict === 'unknown' && workedWhenLastSeen(scene, machine));
}

function workedWhenLastSeen(scene: Clocked, machine: VirtualMachine): boolean {
  const load = gpusOf(scene, machine);
  if (load !== undefined && (gpuFigures(load).utilization ?? 0) > BUSY_FROM_RATIO) return true;
  const metrics = metricsOf(scene, machine);
  const age = metrics === undefined ? undefined : sampleAge(metrics, scene.now);
  if (metrics === undefined || age === undefined) return false;
  // The time of that measurement is unknown, so it is no evidence of quiet either.
  if (age.aheadMs !== undefined) return true;
  return machineWork(metrics, machine.flavor, age.sampledAt).isWorking === 'yes';
}

/** The documented interval of samples: nothing newer may exist. */
const RIGHT_NOW_MS: DurationMs = 5 * MINUTE_MS;

/** ` as of 12m ago`, by the oldest reading that says whether they work; nothing if all are of this moment. */
export function asOf(scene: Clocked, machines: readonly VirtualMachine[]): string {
  const ages = machines.map(machine => {
    if ((gpuLoadOf(scene, machine) ?? 0) > BUSY_FROM_RATIO) return 0;
    const metrics = metricsOf(scene, machine);
    return (metrics && sampleAge(metrics, scene.now)?.ageMs) ?? 0;
  });
  const oldestMs = Math.max(0, ...ages);
  return oldestMs > RIGHT_NOW_MS ? ` as of ${formatDuration(oldestMs)} ago` : '';
}

/** Whether an action would cut off work, as far as known; nothing for a machine that is not running. */
export function workLines(scene: Clocked, machine: VirtualMachine): readonly Line[] {
  if (machine.status !== 'ACTIVE') return [];
  const activity = activityOf(scene, machine);
  const verdict = isWorking(scene, machine);
  if (verdict === 'unknown') {
    return [[{text: `Whether it is working right now is unknown: ${whyUnknown(scene, machine)}.`, tone: 'warning'}]];
  }
  const gpu = gpuLoadOf(scene, machine);
  const figures = [
    ...(gpu === undefined ? [] : [`GPU ${formatPercent(gpu)}`]),
    ...(activity === undefined
      ? []
      : [`cpu ${formatPercent(activity.cpu.latest)}`, `memory ${formatPercent(activity.memory.latest)}`]),
  ].join(', ');
  const age = asOf(scene, [machine]);
  if (verdict === 'yes') return [[{text: `It is WORKING${age || ' right now'}: ${figures}.`, tone: 'danger'}]];
  const unknown = isGpuUnknown(scene, machine) ? ' GPU load is not reported by this API.' : '';
  return [[{text: `It is quiet${age}: ${figures}.${unknown}`}]];
}

function whyUnknown(scene: Clocked, machine: VirtualMachine): string {
  const metrics = metricsOf(scene, machine);
  const age = metrics === undefined ? undefined : sampleAge(metrics, scene.now);
  const startedAt = scene.activity?.activeSince(machine);
  const since =
    startedAt === undefined
      ? ''
      : ` since it was seen to start ${formatDuration(Math.max(0, scene.now - startedAt))} ago`;
  if (age === undefined) {
    const isUnread = WINDOWS.some(window => scene.store.get(metricsFeed(machine.id, window)).status === 'failed');
    return isUnread ? 'its metrics could not be read' : `no metrics yet${since}`;
  }
  return age.isOld ? `its newest sample is ${formatSampleAge(age)}` : `not enough metrics${since}`;
}

/** Also if it is not known to have none. */
export function hasGpu({flavor}: VirtualMachine): boolean {
  return flavor?.gpuCount !== 0;
}

/** Nothing reports whether its GPUs are working. */
export function isGpuUnknown(scene: Clocked, machine: VirtualMachine): boolean {
  return hasGpu(machine) && gpuLoadOf(scene, machine) === undefined;
}

/** Whether stopping the machine may end the SSH session that the deck itself runs in. */
export function holdsOwnSession(
  machine: VirtualMachine,
  {ownConnection}: Pick<AssessmentInput, 'ownConnection'>,
): boolean {
  return ownConnection !== undefined && mayRunOn(ownConnection, machine);
}

/** The last action possible from here deserves a warning. */
export function ownSessionLines(
  machine: VirtualMachine,
  scene: Pick<AssessmentInput, 'ownConnection'>,
): readonly Line[] {
  if (!holdsOwnSession(machine, scene)) return [];
  const text = `Your own SSH session is connected to ${scene.ownConnection?.serverAddress}, an address of this machine: it may be cut off.`;
  return [[{text, tone: 'danger'}]];
}
