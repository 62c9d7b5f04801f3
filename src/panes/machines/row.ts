import type {Rate} from '../../domain/money.ts';
import type {Operation} from '../../domain/operation.ts';
import type {MachineMetrics} from '../../domain/series.ts';
import {type DurationMs, type EpochMs, HOUR_MS} from '../../domain/time.ts';
import {type MachineActivity, machineActivity} from '../../domain/utilization.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';

/** All that a row shows, so that a row is painted again only when one of these has changed. */
export type MachineRow = {
  readonly machine: VirtualMachine;
  readonly rate: Rate | undefined;
  /** The last hour, as read; undefined until it was read once. */
  readonly metrics: MachineMetrics | undefined;
  readonly operation: Operation | undefined;
  /** It is shut off, and billed in full all the same. */
  readonly isBilledStopped: boolean;
  /** The moment the row was made for: ages, and whether samples are current, are judged by it. */
  readonly now: EpochMs;
};

const ROW_WINDOW_MS: DurationMs = HOUR_MS;

/** What the machine did in the last hour, in `binCount` bins; computed once for a row and a width. */
export function rowActivity(row: MachineRow, binCount: number): MachineActivity | undefined {
  const {metrics} = row;
  if (metrics === undefined) return undefined;
  const known = activities.get(row)?.get(binCount);
  if (known !== undefined) return known;
  const activity = activityIn({...row, metrics}, binCount);
  activities.set(row, new Map([...(activities.get(row) ?? []), [binCount, activity]]));
  return activity;
}

function activityIn(
  {machine, metrics, now}: Pick<MachineRow, 'machine' | 'now'> & {readonly metrics: MachineMetrics},
  binCount: number,
): MachineActivity {
  return machineActivity(metrics, machine.flavor, {now, windowMs: ROW_WINDOW_MS, binCount});
}

const activities = new WeakMap<MachineRow, ReadonlyMap<number, MachineActivity>>();
