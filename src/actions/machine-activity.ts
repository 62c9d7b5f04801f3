import type {MachineMetrics} from '../domain/series.ts';
import {lastValue} from '../domain/snapshot.ts';
import {HOUR_MS} from '../domain/time.ts';
import {type MachineActivity, machineActivity, sampleAge} from '../domain/utilization.ts';
import type {VirtualMachine} from '../domain/virtual-machine.ts';
import {metricsFeed} from '../state/machines.ts';
import {formatDuration, formatPercent} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import type {Known} from './known.ts';

type Clocked = Pick<Known, 'store' | 'now'>;

function metricsOf({store}: Clocked, {id}: VirtualMachine): MachineMetrics | undefined {
  return lastValue(store.get(metricsFeed(id, '1h')));
}

/** What the machine did in its last hour; undefined until its metrics were read once. */
function activityOf(known: Clocked, machine: VirtualMachine): MachineActivity | undefined {
  const metrics = metricsOf(known, machine);
  const {now} = known;
  return metrics === undefined
    ? undefined
    : machineActivity(metrics, machine.flavor, {now, windowMs: HOUR_MS, binCount: 1});
}

/** Only a running machine works, whatever its last samples say. */
export function isWorking(scene: Clocked, machine: VirtualMachine): 'yes' | 'no' | 'unknown' {
  return machine.status === 'ACTIVE' ? (activityOf(scene, machine)?.isWorking ?? 'unknown') : 'no';
}

/** Whether an action would cut off work, as far as is known; nothing of a machine that does not run. */
export function workLines(scene: Clocked, machine: VirtualMachine): readonly Line[] {
  if (machine.status !== 'ACTIVE') return [];
  const activity = activityOf(scene, machine);
  if (activity === undefined || activity.isWorking === 'unknown') {
    return [[{text: `Whether it is working right now is unknown: ${whyUnknown(scene, machine)}.`, tone: 'warning'}]];
  }
  const figures = `cpu ${formatPercent(activity.cpu.latest)}, memory ${formatPercent(activity.memory.latest)}`;
  if (activity.isWorking === 'yes') return [[{text: `It is WORKING right now: ${figures}.`, tone: 'danger'}]];
  return [[{text: `It is quiet: ${figures}.${hasGpu(machine) ? ' GPU load is not reported by this API.' : ''}`}]];
}

function whyUnknown(scene: Clocked, machine: VirtualMachine): string {
  const metrics = metricsOf(scene, machine);
  const age = metrics === undefined ? undefined : sampleAge(metrics, scene.now);
  if (age === undefined) return 'no metrics yet';
  return age.isOld ? `its newest sample is ${formatDuration(age.ageMs)} old` : 'not enough metrics';
}

/** Also where it is not known to have none. */
export function hasGpu({flavor}: VirtualMachine): boolean {
  return flavor?.gpuCount !== 0;
}
