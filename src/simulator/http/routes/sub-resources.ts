import {existsWithin, type Meter, type Period, pricedStretches, printedDollars} from '../../world/metering.ts';
import {succeeded} from '../answer.ts';
import {noData, PERIOD_NAMES, PERIOD_QUERY, stepsOf, stepTime, withPeriod} from '../billing-period.ts';
import {HISTORY} from '../billing-records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope} from '../schema.ts';
import {attributesOf} from './history-body.ts';

const READS = {permission: 'billing:read', action: 'read billing'} as const;
const KINDS = ['gpu', 'cpu', 'ram', 'disk', 'ephemeral', 'publicip'] as const;
type Split = Record<(typeof KINDS)[number], number>;

/** What the parts of a machine have cost. Memory and ephemeral disks come with the GPU, at no price of their own. */
export const subResourceRoutes: readonly Route[] = ['', '/graph'].map(suffix => ({
  method: 'GET',
  pattern: `/billing/billing/virtual-machine/:vm_id/sub-resource${suffix}`,
  requires: READS,
  describes: {
    summary: `Read what the parts of a virtual machine were billed${suffix === '' ? '' : ', step by step'}`,
    query: PERIOD_QUERY,
    requiredQuery: PERIOD_NAMES,
    reply: envelope({sub_resources_costs: HISTORY}),
  },
  answer: inquiry => withPeriod(inquiry, period => subResources(inquiry, period, suffix !== '')),
}));

function subResources({world, part}: Inquiry, period: Period, withGraph: boolean): Response {
  const meter = world.meters.find(
    ({resourceType, resourceId}) => resourceType === 'vm' && String(resourceId) === part('vm_id'),
  );
  if (meter === undefined || !existsWithin(meter, period)) return noData();
  const {granularityS, steps} = stepsOf(period);
  const whole = splitWithin(meter, period);
  const bills = KINDS.map(kind => [`${kind}_incurred_bill`, printedDollars(whole[kind])]);
  const perStep = withGraph ? steps.map(step => ({step, split: splitWithin(meter, step)})) : [];
  const graphs = KINDS.map(kind => [
    `${kind}_incurred_bill_graph`,
    perStep.map(({step, split}) => ({datetime: stepTime(step, granularityS), value: printedDollars(split[kind])})),
  ]);
  const metrics = Object.fromEntries(withGraph ? [...bills, ...graphs] : bills);
  return succeeded('Getting sub resource costs successful', {
    sub_resources_costs: {
      org_id: world.organization.id,
      billing_history: [{attributes: attributesOf(meter), metrics}],
      total_count: 1,
      ...(withGraph ? {granularity: granularityS} : {}),
    },
  });
}

function splitWithin(meter: Meter, period: Period): Split {
  const split: Split = {gpu: 0, cpu: 0, ram: 0, disk: 0, ephemeral: 0, publicip: 0};
  for (const {state, paid, nanoPerHour, addressNanoPerHour} of pricedStretches(meter, period)) {
    const forAddress = nanoPerHour === 0 ? 0 : (paid * addressNanoPerHour) / nanoPerHour;
    split.publicip += forAddress;
    if (state === 'HIBERNATED') split.disk += paid - forAddress;
    else if (meter.compute?.flavor.gpu === '') split.cpu += paid - forAddress;
    else split.gpu += paid - forAddress;
  }
  return split;
}
