import {NANO_PER_DOLLAR} from '../../world/catalogue.ts';
import {
  costWithin,
  type Meter,
  minutesWithin,
  type Period,
  paidInSteps,
  printedDollars,
  secondsByState,
  stateOf,
} from '../../world/metering.ts';
import {seedFor} from '../../world/random.ts';
import type {World} from '../../world/world.ts';
import {stepsOf, stepTime} from '../billing-period.ts';

const SECONDS_PER_MINUTE = 60;

/** Which resource a record of the history is about. */
export function attributesOf(meter: Meter) {
  const isVolume = meter.resourceType === 'volume';
  return {
    id: uuidOf(`${meter.resourceType} ${meter.resourceId}`),
    infrahub_id: meter.resourceId,
    resource_name: meter.name,
    // Billing spells the states of volumes in capitals.
    status: stateOf(meter),
    ...(isVolume ? {} : {contract_id: meter.compute?.contractId ?? null}),
  };
}

/** What a resource has cost in a period, as it stands in the list. */
export function metricsOf(meter: Meter, period: Period) {
  const {paid, list} = costWithin(meter, period);
  return {
    incurred_bill: printedDollars(paid),
    non_discounted_bill: printedDollars(list),
    price_per_hour: meter.nanoPerHour / NANO_PER_DOLLAR,
    non_discounted_price_per_hour: meter.terms.listNanoPerHour / NANO_PER_DOLLAR,
    usage_time: minutesWithin(meter, period) * SECONDS_PER_MINUTE,
  };
}

/** As it stands alone: with the time in every billed state. */
export function detailedMetricsOf(meter: Meter, period: Period) {
  const byState = [...secondsByState(meter, period)].map(([state, seconds]) => [`usage_time_${state}`, seconds]);
  return {...metricsOf(meter, period), ...Object.fromEntries(byState)};
}

/** The sum of some meters step by step; what is in the steps adds up to the bill beside them. */
export function graphOf(meters: readonly Meter[], period: Period) {
  const {granularityS, steps} = stepsOf(period);
  const sums = steps.map(() => 0);
  for (const meter of meters) {
    for (const [index, paid] of paidInSteps(meter, steps).entries()) sums[index] = (sums[index] ?? 0) + paid;
  }
  const points = steps.map((step, index) => ({
    datetime: stepTime(step, granularityS),
    value: printedDollars(sums[index] ?? 0),
  }));
  return {granularityS, points, total: printedDollars(sums.reduce((total, sum) => total + sum, 0))};
}

/** The account as a whole: machines under a contract stand apart from the others. */
export function organizationMetrics(meters: readonly Meter[], period: Period) {
  const sums = {paid: 0, list: 0, vm: 0, contract: 0, volume: 0};
  for (const meter of meters) {
    const {paid, list} = costWithin(meter, period);
    sums.paid += paid;
    sums.list += list;
    if (meter.resourceType === 'volume') sums.volume += paid;
    else if (meter.compute?.contractId === undefined) sums.vm += paid;
    else sums.contract += paid;
  }
  return {
    incurred_bill: printedDollars(sums.paid),
    non_discounted_bill: printedDollars(sums.list),
    vm_cost: printedDollars(sums.vm),
    volume_cost: printedDollars(sums.volume),
    contract_cost: printedDollars(sums.contract),
    snapshot_cost: 0,
    bucket_cost: 0,
    ais_cost: 0,
  };
}

/** The account as billing knows it. */
export function organizationAttributes({organization}: World) {
  return {id: uuidOf(`organization ${organization.id}`)};
}

/** A number that looks like the service's own and is the same for the same subject. */
function uuidOf(subject: string): string {
  const part = (index: number) => (seedFor(index, subject) >>> 0).toString(16).padStart(8, '0');
  const [a, b, c, d] = [part(1), part(2), part(3), part(4)];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
}
