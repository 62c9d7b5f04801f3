import {billAt, type Meter, printedDollars, printedRate} from '../../world/metering.ts';
import type {World} from '../../world/world.ts';
import {succeeded} from '../answer.ts';
import {CREDIT, USAGE} from '../billing-records.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, listOf, TEXT} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';

const READS_BILLING = {permission: 'billing:read', action: 'read billing'} as const;
const CREDIT_THRESHOLD_DOLLARS = 50;

export const billingRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/billing/billing/usage',
    describes: {
      summary: 'List billing records',
      query: {deleted: FLAG, environment: TEXT},
      reply: envelope({data: listOf(USAGE)}),
    },
    requires: READS_BILLING,
    answer: usage,
  },
  {
    method: 'GET',
    pattern: '/billing/user-credit/credit',
    describes: {summary: 'Read the credit that is left', reply: envelope({data: CREDIT})},
    requires: READS_BILLING,
    answer: ({world}) => {
      const credit = printedDollars(world.creditLeft());
      const data = {credit, threshold: CREDIT_THRESHOLD_DOLLARS, can_create_instance: credit > 0};
      return succeeded('Getting user credit successful', {data});
    },
  },
];

/**
 * The billing records. The default is live resources only. Whether `deleted=true` adds the terminated records or
 * gives them alone is not documented; here it gives them alone, and a client that merges both answers is right
 * either way.
 */
function usage({world, query}: Inquiry): Response {
  const wantsDeleted = query('deleted')?.toLowerCase() === 'true';
  const environment = query('environment');
  const records = world.meters
    .filter(meter => (meter.terminatedAt !== null) === wantsDeleted)
    .filter(meter => environment === undefined || isIn(meter, environment))
    .map(meter => usageBody(meter, world));
  return succeeded('Getting usage successful', {data: records});
}

function isIn(meter: Meter, environment: string): boolean {
  return meter.environmentName === environment || String(meter.environmentId) === environment;
}

function usageBody(meter: Meter, world: World) {
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
