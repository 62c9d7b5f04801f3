import {costWithin, printedDollars} from '../../world/metering.ts';
import {json, succeeded} from '../answer.ts';
import {LAST_DAY, PAYMENT, THRESHOLD} from '../billing-records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, fields, listOf, NUMBER, TEXT} from '../schema.ts';
import {zuluTimestamp} from '../timestamps.ts';

const READS = {permission: 'billing:read', action: 'read billing'} as const;
const DAY_MS = 86_400_000;
const THRESHOLDS = [
  {id: 1, threshold: 50, subscribed: true, title: 'Low credit', tooltip: 'Sent when credit falls below this.'},
  {id: 2, threshold: 10, subscribed: true, title: 'Very low credit', tooltip: 'Sent once more, nearer to the end.'},
  {id: 3, threshold: 0, subscribed: false, title: 'No credit', tooltip: 'Sent when resources are suspended.'},
];
const PAYMENTS: readonly (readonly [daysAgo: number, amount: number, status: string])[] = [
  [3.4, 20_000, 'succeeded'],
  [3.41, 20_000, 'failed'],
  [31.2, 25_000, 'succeeded'],
  [61.9, 18_000, 'succeeded'],
];

/** The rest of billing: what was paid, and when somebody is warned. */
export const paymentRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/billing/billing/last-day-cost',
    requires: READS,
    describes: {summary: 'Read what yesterday has cost', reply: envelope({data: LAST_DAY})},
    answer: lastDayCost,
  },
  {
    method: 'GET',
    pattern: '/billing/billing/threshold',
    requires: READS,
    describes: {summary: 'List when somebody is warned', reply: envelope({thresholds: listOf(THRESHOLD)})},
    answer: () =>
      succeeded('Getting thresholds successful', {
        thresholds: THRESHOLDS.map(({title, tooltip, ...threshold}) => ({
          ...threshold,
          interface_title: title,
          interface_tooltip: tooltip,
        })),
      }),
  },
  {
    method: 'GET',
    pattern: '/billing/payment/payment-details',
    requires: READS,
    describes: {summary: 'List payments', reply: envelope({data: listOf(PAYMENT)})},
    answer: payments,
  },
  {
    method: 'GET',
    pattern: '/billing/auto-topup/status',
    requires: READS,
    describes: {
      summary: 'Say whether credit is bought by itself',
      reply: fields({status: TEXT, threshold_amount: NUMBER, topup_amount: NUMBER}),
    },
    // The status is a word here.
    answer: () => json({status: 'disabled', threshold_amount: 0, topup_amount: 0}),
  },
];

/** Yesterday is the last whole day in UTC; machines of a cluster are counted with their cluster. */
function lastDayCost({world}: Inquiry): Response {
  const until = Math.floor(world.now() / DAY_MS) * DAY_MS;
  const sums = {instances: 0, volumes: 0, clusters: 0};
  for (const meter of world.meters) {
    const {paid} = costWithin(meter, {from: until - DAY_MS, until});
    if (meter.resourceType === 'volume') sums.volumes += paid;
    else if (meter.compute?.clusterId === undefined) sums.instances += paid;
    else sums.clusters += paid;
  }
  return succeeded('Getting last day cost successful', {
    data: {
      instances_cost: printedDollars(sums.instances),
      volumes_cost: printedDollars(sums.volumes),
      clusters_cost: printedDollars(sums.clusters),
      total_cost: printedDollars(sums.instances + sums.volumes + sums.clusters),
    },
  });
}

function payments({world}: Inquiry): Response {
  const {organization, startedAt} = world;
  // A new account has paid nothing yet: its credit is a gift.
  const rows = PAYMENTS.filter(([daysAgo]) => startedAt - daysAgo * DAY_MS > organization.createdAt);
  const data = rows.map(([daysAgo, amount, status], index) => ({
    payment_id: `sim_payment_${organization.id}_${rows.length - index}`,
    amount,
    currency: 'USD',
    status,
    created_at: zuluTimestamp(startedAt - daysAgo * DAY_MS),
  }));
  return succeeded('Getting payment details successful', {data});
}
