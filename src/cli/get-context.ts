import {usage} from '../api/billing.ts';
import {listVirtualMachines, virtualMachineMetrics} from '../api/virtual-machines.ts';
import {machineRates} from '../domain/cost.ts';
import {describeFailure, type Failure} from '../domain/failure.ts';
import type {Filter} from '../domain/filter.ts';
import {HOUR_MS} from '../domain/time.ts';
import {type MachineActivity, machineActivity} from '../domain/utilization.ts';
import {METRIC_COLUMNS, machines} from '../resources/machines.ts';
import type {Reader, Resource, RowContext} from '../resources/resource.ts';
import type {Account} from './account.ts';
import {type CommandIo, complain} from './command-io.ts';
import type {PrintOptions} from './print-records.ts';
import type {Progress} from './progress.ts';

/** A question to `get`, understood. */
export type Asked = {
  readonly io: CommandIo;
  readonly account: Account;
  readonly resource: Resource;
  readonly reader: Reader;
  readonly filter: Filter;
  readonly expression: string;
  readonly options: PrintOptions;
  readonly progress: Progress;
};

/** The columns that need more than the records: only those that are printed or that the filter names. */
export function neededColumns({
  resource,
  filter,
  options,
}: Pick<Asked, 'resource' | 'filter' | 'options'>): ReadonlySet<string> {
  if (resource !== machines) return new Set();
  const named = filter.terms.flatMap(({condition}) => ('column' in condition ? (condition.column ?? []) : 'cost'));
  const isTable = ['table', 'wide', 'csv'].includes(options.format);
  return new Set([...named.filter(key => key === 'cost' || METRIC_COLUMNS.has(key)), ...(isTable ? ['cost'] : [])]);
}

export async function contextFor(asked: Asked, raw: readonly unknown[]): Promise<RowContext> {
  const {account, reader, io} = asked;
  const needed = neededColumns(asked);
  const plain = {now: account.clock.wallNow()};
  if (needed.size === 0 || raw.length === 0) return plain;
  const metered = needed.has('cost')
    ? await reader.client.read(usage, {isDeleted: false}, {signal: io.gone})
    : undefined;
  if (metered?.ok === false) complain(io, `what machines cost is unknown: ${describeFailure(metered.failure)}`);
  const rates = metered?.ok === true ? {rates: machineRates(metered.value.records)} : {};
  const isMeasured = [...METRIC_COLUMNS].some(key => needed.has(key));
  const activities = isMeasured ? {activities: await activitiesOf(asked, raw)} : {};
  return {...plain, now: account.clock.wallNow(), ...rates, ...activities};
}

/** The metrics of every machine that runs, a request each; the budget of the process sets the pace. */
async function activitiesOf(
  {reader, account, io}: Asked,
  raw: readonly unknown[],
): Promise<ReadonlyMap<number, MachineActivity>> {
  const activities = new Map<number, MachineActivity>();
  let failure: Failure | undefined;
  for (const [index, each] of raw.entries()) {
    const reading = listVirtualMachines.record(each);
    if (!reading.ok || reading.value.status !== 'ACTIVE') continue;
    reader.progress(`metrics ${index + 1} of ${raw.length}`);
    const {id, flavor} = reading.value;
    const read = await reader.client.read(virtualMachineMetrics, {id, duration: '1h'}, {signal: io.gone});
    const [metrics] = read.ok ? read.value.records : [];
    if (!read.ok) failure ??= read.failure;
    if (metrics === undefined) continue;
    const now = account.clock.wallNow();
    activities.set(id, machineActivity(metrics, flavor, {now, windowMs: HOUR_MS, binCount: 1}));
  }
  if (failure !== undefined) complain(io, `not all metrics could be read: ${describeFailure(failure)}`);
  return activities;
}
