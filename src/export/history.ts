import {statesByEvents} from '../domain/machine-states.ts';
import type {BilledDay} from '../domain/money/billed-day.ts';
import {monthStart} from '../domain/money/spend.ts';
import {type Slope, slopesOf, type SpendCurve} from '../domain/money/spend-curve.ts';
import {usdNumber} from '../domain/money.ts';
import type {MachineMetrics, Sample} from '../domain/series.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS} from '../domain/time.ts';
import type {MachineEvent, MachineStatus, VirtualMachine} from '../domain/virtual-machine.ts';
import {BURN, MONTH_TO_DATE, NODE_TOTAL_COST, nodeLabels} from './cost-metrics.ts';
import {COUNTED, countedSamples, MACHINE_STATUS, MEASURES, machineLabels} from './machine-metrics.ts';
import type {Labels} from './metric.ts';

/** One series of the past, in ascending time. */
type PastSeries = {readonly labels: Labels; readonly samples: readonly Sample[]};

/** All series of one name; gauges unless stated. */
export type PastFamily = {
  readonly name: string;
  readonly help: string;
  readonly type?: 'counter';
  readonly series: readonly PastSeries[];
};

export type Period = {readonly start: EpochMs; readonly end: EpochMs};

/** What is still known of a machine's past. */
export type PastMachine = {
  readonly machine: VirtualMachine;
  readonly metrics: MachineMetrics | undefined;
  readonly events: readonly MachineEvent[];
};

/** Series without samples of their own get one this often: Prometheus ends a series after five minutes without any. */
const STEP_MS = 5 * MINUTE_MS;

/** The past of machines and money, as the live metrics would have reported it. */
export function pastFamilies(known: {
  readonly machines: readonly PastMachine[];
  readonly curve: SpendCurve;
  readonly billed: readonly BilledDay[];
  readonly period: Period;
}): readonly PastFamily[] {
  const {machines, curve, billed, period} = known;
  return [
    ...MEASURES.map(({name, help, samples}) => ({
      name,
      help,
      series: machines.map(({machine, metrics}) => ({
        labels: machineLabels(machine),
        samples: metrics === undefined ? [] : samples(metrics, machine.flavor).filter(isIn(period)),
      })),
    })),
    ...COUNTED.map(({name, help, series}) => ({
      name,
      help,
      type: 'counter' as const,
      series: machines.map(({machine, metrics}) => ({
        labels: machineLabels(machine),
        samples: [...countedSamples(metrics?.[series])].filter(isIn(period)),
      })),
    })),
    {...MACHINE_STATUS, series: machines.flatMap(machine => pastStates(machine, period))},
    {...NODE_TOTAL_COST, series: pastMachineCosts(machines, curve, period)},
    {...BURN, series: [{labels: {}, samples: pastBurn(curve, period)}]},
    {...MONTH_TO_DATE, series: [{labels: {}, samples: pastMonthToDate(curve, billed, period)}]},
  ];
}

function isIn({start, end}: Period): (sample: Sample) => boolean {
  return ({sampledAt}) => sampledAt >= start && sampledAt < end;
}

/** The moments of the period at whole steps. */
function stepsOf({start, end}: Period): readonly EpochMs[] {
  const first = Math.ceil(start / STEP_MS);
  const count = Math.max(0, Math.ceil(end / STEP_MS) - first);
  return Array.from({length: count}, (_, index) => epochMs((first + index) * STEP_MS));
}

/** The states known from a machine's events; times without events are left out. */
function pastStates({machine, events}: PastMachine, period: Period): readonly PastSeries[] {
  const samples = new Map<MachineStatus, Sample[]>();
  for (const {status, from, until} of statesByEvents(machine, events)) {
    const start = epochMs(Math.max(from, period.start));
    const end = epochMs(Math.min(until ?? period.end, period.end));
    const own = samples.get(status) ?? [];
    own.push(...stepsOf({start, end}).map(sampledAt => ({sampledAt, value: 1})));
    samples.set(status, own);
  }
  return [...samples].map(([status, own]) => ({labels: {...machineLabels(machine), status}, samples: own}));
}

/** The hourly cost of each machine: its bill spread evenly over its time, since nothing says when it was paused. */
function pastMachineCosts(machines: readonly PastMachine[], curve: SpendCurve, period: Period): readonly PastSeries[] {
  const slopesById = Map.groupBy(
    slopesOf(curve).filter(({record}) => record.resourceType.toLowerCase() === 'vm'),
    ({record}) => record.resourceId,
  );
  return machines.map(({machine}) => {
    const own = slopesById.get(machine.id) ?? [];
    return {
      labels: nodeLabels({id: machine.id, name: machine.name, machine}),
      samples: stepsOf(period).flatMap(sampledAt => {
        const value = own.filter(goesOnAt(sampledAt)).reduce((sum, {perMs}) => sum + perMs * HOUR_MS, 0);
        return own.some(goesOnAt(sampledAt)) ? [{sampledAt, value}] : [];
      }),
    };
  });
}

function goesOnAt(at: EpochMs): (slope: Slope) => boolean {
  return ({from, to}) => from <= at && at < to;
}

function pastBurn(curve: SpendCurve, period: Period): readonly Sample[] {
  return stepsOf(period)
    .filter(sampledAt => sampledAt > curve.startsAt)
    .map(sampledAt => ({sampledAt, value: curve.burnBefore(sampledAt) * HOUR_MS}));
}

/**
 * What each month had cost by then: days by their bills if the provider gives them, spread over the day like the
 * records.
 */
function pastMonthToDate(curve: SpendCurve, billed: readonly BilledDay[], period: Period): readonly Sample[] {
  const bills = new Map<number, number>(billed.map(({start, cost}) => [start, usdNumber(cost)]));
  const spentWithin = (start: number, end: number) => curve.spentBefore(end) - curve.spentBefore(start);
  const dayCost = (day: number) => bills.get(day) ?? spentWithin(day, day + DAY_MS);
  const closedDays = new Map<number, number>();
  const spentBeforeDay = (day: number): number => {
    const known = closedDays.get(day);
    if (known !== undefined) return known;
    let sum = 0;
    for (let each: number = monthStart(epochMs(day)); each < day; each += DAY_MS) sum += dayCost(each);
    closedDays.set(day, sum);
    return sum;
  };
  return stepsOf(period)
    .filter(sampledAt => sampledAt > curve.startsAt)
    .map(sampledAt => {
      const day = Math.floor(sampledAt / DAY_MS) * DAY_MS;
      const ofRecords = spentWithin(day, day + DAY_MS);
      const share = ofRecords > 0 ? spentWithin(day, sampledAt) / ofRecords : (sampledAt - day) / DAY_MS;
      return {sampledAt, value: spentBeforeDay(day) + dayCost(day) * share};
    });
}
