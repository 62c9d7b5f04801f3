import {THRESHOLDS} from '../../world/account.ts';
import * as z from 'zod';
import {billAt, costWithin, type Meter, printedDollars, printedRate} from '../../world/metering.ts';
import type {World} from '../../world/world.ts';
import {json, notFound, succeeded} from '../answers.ts';
import {type Route, route} from '../route.ts';
import {envelope, FLAG, ID, NUMBER, TEXT} from '../schema.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';

// Usage, payments and warning thresholds.

const READS = {permission: 'billing:read', action: 'read billing'} as const;
const CREDIT_THRESHOLD_DOLLARS = 50;
const COUNTRIES = ['Canada', 'Germany', 'Japan', 'Norway', 'United Kingdom', 'United States'];
const DAY_MS = 86_400_000;
const PAYMENTS: readonly (readonly [daysAgo: number, amount: number, status: string])[] = [
  [3.4, 20_000, 'succeeded'],
  [3.41, 20_000, 'failed'],
  [31.2, 25_000, 'succeeded'],
  [61.9, 18_000, 'succeeded'],
];

const USAGE = z.object({
  resource_id: ID,
  resource_type: z.enum(['vm', 'volume']),
  name: TEXT,
  organization_id: ID,
  bill_per_minute: NUMBER.meta({description: 'Dollars; null once terminated.'}).nullable(),
  create_time: TEXT,
  terminate_time: TEXT.nullable(),
  total_up_time: NUMBER.meta({description: 'Minutes.'}),
  total_bill: NUMBER.meta({description: 'Dollars.'}),
  active: FLAG,
  exclude_billing: FLAG,
});
const CREDIT = z.object({credit: NUMBER, threshold: NUMBER, can_create_instance: FLAG});
const LAST_DAY = z.object({
  instances_cost: NUMBER,
  volumes_cost: NUMBER,
  clusters_cost: NUMBER,
  total_cost: NUMBER,
});
const THRESHOLD = z.object({
  id: ID,
  threshold: NUMBER,
  subscribed: FLAG,
  interface_title: TEXT,
  interface_tooltip: TEXT,
});
const PAYMENT = z.object({payment_id: TEXT, amount: NUMBER, currency: TEXT, status: TEXT, created_at: TEXT});

export const billingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/billing/alive',
    summary: 'Check whether billing responds',
    // This answer is a bare object.
    reply: z.object({message: TEXT}),
    answer: () => json({message: 'alive'}),
  }),
  route({
    method: 'GET',
    path: '/billing/user/countries',
    summary: 'List the countries that can be billed',
    reply: z.object({status: FLAG, countries: z.array(TEXT)}),
    answer: () => json({status: true, countries: COUNTRIES}),
  }),
  route({
    method: 'GET',
    path: '/billing/billing/usage',
    summary: 'List billing records',
    requires: READS,
    query: z.object({deleted: FLAG.optional(), environment: TEXT.optional()}),
    reply: envelope({data: z.array(USAGE)}),
    // The default is existing resources only. It is not documented whether `deleted=true` adds the terminated records
    // or returns only them. Here it returns only them; a client that merges both answers is right either way.
    answer: ({world, query}) => {
      const wantsDeleted = query('deleted')?.toLowerCase() === 'true';
      const place = query('environment');
      const found = world.meters.filter(
        ({terminatedAt, environmentName, environmentId}) =>
          (terminatedAt !== null) === wantsDeleted &&
          (place === undefined || environmentName === place || String(environmentId) === place),
      );
      return succeeded('Getting usage successful', {data: found.map(meter => usageBody(meter, world))});
    },
  }),
  route({
    method: 'GET',
    path: '/billing/user-credit/credit',
    summary: 'Read the remaining credit',
    requires: READS,
    reply: envelope({data: CREDIT}),
    answer: ({world}) => {
      const credit = printedDollars(world.creditLeft());
      const data = {credit, threshold: CREDIT_THRESHOLD_DOLLARS, can_create_instance: credit > 0};
      return succeeded('Getting user credit successful', {data});
    },
  }),
  route({
    method: 'GET',
    path: '/billing/billing/last-day-cost',
    summary: 'Read what yesterday cost',
    requires: READS,
    reply: envelope({data: LAST_DAY}),
    answer: ({world}) => succeeded('Getting last day cost successful', {data: lastDayBody(world)}),
  }),
  route({
    method: 'GET',
    path: '/billing/billing/threshold',
    summary: 'List the warnings about low credit',
    requires: READS,
    reply: envelope({thresholds: z.array(THRESHOLD)}),
    answer: ({world}) =>
      succeeded('Getting thresholds successful', {thresholds: THRESHOLDS.map(each => thresholdBody(each, world))}),
  }),
  route({
    method: 'PUT',
    path: '/billing/billing/threshold/:threshold_id',
    summary: 'Turn a warning about low credit on or off',
    requires: READS,
    body: z.strictObject({subscribe: FLAG}),
    reply: envelope({threshold: THRESHOLD}),
    refusals: [404],
    answer: ({world, param, read}) =>
      read(({subscribe}) => {
        const threshold = THRESHOLDS.find(({id}) => String(id) === param('threshold_id'));
        if (threshold === undefined) return notFound(`Threshold ${param('threshold_id')} does not exist.`);
        if (subscribe) world.subscribedIds.add(threshold.id);
        else world.subscribedIds.delete(threshold.id);
        world.executed('change-threshold', threshold.id);
        return succeeded('Threshold updated', {threshold: thresholdBody(threshold, world)});
      }),
  }),
  route({
    method: 'GET',
    path: '/billing/payment/payment-details',
    summary: 'List payments',
    requires: READS,
    reply: envelope({data: z.array(PAYMENT)}),
    answer: ({world}) => succeeded('Getting payment details successful', {data: paymentBodies(world)}),
  }),
  route({
    method: 'GET',
    path: '/billing/auto-topup/status',
    summary: 'Check whether credit is bought automatically',
    requires: READS,
    // The status is a word here.
    reply: z.object({status: TEXT, threshold_amount: NUMBER, topup_amount: NUMBER}),
    answer: () => json({status: 'disabled', threshold_amount: 0, topup_amount: 0}),
  }),
];

function thresholdBody(
  {id, threshold, title, tooltip}: (typeof THRESHOLDS)[number],
  {subscribedIds}: World,
): z.output<typeof THRESHOLD> {
  return {id, threshold, subscribed: subscribedIds.has(id), interface_title: title, interface_tooltip: tooltip};
}

function usageBody(meter: Meter, world: World): z.output<typeof USAGE> {
  const bill = billAt(meter, world.now());
  return {
    resource_id: meter.resourceId,
    resource_type: meter.resourceType,
    name: meter.name,
    organization_id: world.organization.id,
    bill_per_minute: meter.terminatedAt === null ? printedRate(meter.nanoPerHour) : null,
    create_time: bareTimestamp(meter.createdAt),
    terminate_time: meter.terminatedAt === null ? null : bareTimestamp(meter.terminatedAt),
    total_up_time: bill.minutes,
    total_bill: printedDollars(bill.nanoDollars),
    active: meter.terminatedAt === null,
    exclude_billing: meter.isExcluded,
  };
}

/** Yesterday is the last whole day in UTC; machines of a cluster are counted with their cluster. */
function lastDayBody(world: World): z.output<typeof LAST_DAY> {
  const until = Math.floor(world.now() / DAY_MS) * DAY_MS;
  const sums = {instances: 0, volumes: 0, clusters: 0};
  for (const meter of world.meters) {
    const {paid} = costWithin(meter, {from: until - DAY_MS, until});
    if (meter.resourceType === 'volume') sums.volumes += paid;
    else if (meter.compute?.clusterId === undefined) sums.instances += paid;
    else sums.clusters += paid;
  }
  return {
    instances_cost: printedDollars(sums.instances),
    volumes_cost: printedDollars(sums.volumes),
    clusters_cost: printedDollars(sums.clusters),
    total_cost: printedDollars(sums.instances + sums.volumes + sums.clusters),
  };
}

function paymentBodies({organization, startedAt}: World): z.output<typeof PAYMENT>[] {
  // A new account has paid nothing yet: its credit is a gift.
  const rows = PAYMENTS.filter(([daysAgo]) => startedAt - daysAgo * DAY_MS > organization.createdAt);
  return rows.map(([daysAgo, amount, status], index) => ({
    payment_id: `sim_payment_${organization.id}_${rows.length - index}`,
    amount,
    currency: 'USD',
    status,
    created_at: zuluTimestamp(startedAt - daysAgo * DAY_MS),
  }));
}
