import {usableRate, withAddress} from '../cost.ts';
import {oncePer} from '../memo.ts';
import {toNumber} from '../money.ts';
import {MINUTE_MS} from '../time.ts';
import {hasAddress, type VirtualMachine} from '../virtual-machine.ts';
import {runningRate} from './commitment.ts';
import type {CostReading} from './report.ts';
import {hibernatedAt, type Slope} from './spend-curve.ts';

/** How a presently hibernated machine ran, from the start of its span: until when, and its rate in dollars. */
type HibernatedRun = {readonly until: number; readonly perMs: number; readonly hibernatedPerMs: number};

/** The run of a span, at the machine's price; undefined if that is unknown. */
export type RunOf = (slope: Slope) => HibernatedRun | undefined;

/**
 * Records spread a bill over its whole span, so a hibernated machine is taken to have run until its events say that it
 * was hibernated, or else until its bill at its price is used up.
 */
export function hibernatedRuns({
  now,
  machines = NO_MACHINES,
  contracts,
  prices,
}: Pick<CostReading, 'now' | 'machines' | 'contracts' | 'prices'>): RunOf {
  return slope => {
    const {record, from, perMs: average} = slope;
    const machine = record.resourceType.toLowerCase() === 'vm' ? byIdOnce(machines).get(record.resourceId) : undefined;
    const running = machine && runningRate(machine, contracts, {prices, now, machines});
    const full = machine && withAddress(running, hasAddress(machine), prices);
    const present = usableRate(record);
    if (full === undefined || present === undefined) return undefined;
    const [perMs, hibernatedPerMs] = [toNumber(full) / MINUTE_MS, toNumber(present) / MINUTE_MS];
    if (perMs <= average) return undefined;
    const byBill = from + ((now - from) * (average - hibernatedPerMs)) / (perMs - hibernatedPerMs);
    return {until: hibernatedAt(slope) ?? Math.max(from, byBill), perMs, hibernatedPerMs};
  };
}

const NO_MACHINES: readonly VirtualMachine[] = [];
const byIdOnce = oncePer(
  (machines: readonly VirtualMachine[]): ReadonlyMap<number, VirtualMachine> =>
    new Map(machines.map(machine => [machine.id, machine])),
);
