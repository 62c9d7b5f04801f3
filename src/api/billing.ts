import * as z from 'zod';
import type {Credit, UsageRecord} from '../domain/billing.ts';
import {ratePerMinute, usd} from '../domain/money.ts';
import {safeText} from '../domain/safe-text.ts';
import {defineRead} from './endpoint.ts';
import {decimal, flag, moment, positiveDecimal, present, recordOf, requiredId, text, under} from './fields.ts';

const usageRecord = z.object({
  resource_id: requiredId,
  resource_type: z
    .string()
    .min(1)
    .transform(type => safeText(type)),
  name: text,
  create_time: moment,
  terminate_time: moment,
  bill_per_minute: positiveDecimal,
  total_up_time: positiveDecimal,
  total_bill: positiveDecimal,
  active: flag,
  exclude_billing: flag,
});

const creditRecord = z.object({credit: decimal, threshold: decimal});

/** The billing spans of living resources, or of terminated ones, which the service leaves out unless asked. */
export const usage = defineRead<{readonly isDeleted: boolean}, UsageRecord>({
  id: 'billing.usage',
  template: '/billing/billing/usage',
  query: ({isDeleted}) => ({deleted: isDeleted}),
  collect: body => under(body, 'data'),
  record: recordOf(usageRecord, toUsageRecord),
});

/** The prepaid balance; a balance below zero is real and means that resources are being suspended. */
export const credit = defineRead<object, Credit>({
  id: 'billing.credit',
  template: '/billing/user-credit/credit',
  collect: body => under(body, 'data'),
  record: recordOf(creditRecord, parsed =>
    present({
      balance: parsed.credit && usd(parsed.credit),
      threshold: parsed.threshold && usd(parsed.threshold),
    }),
  ),
});

function toUsageRecord(parsed: z.output<typeof usageRecord>): UsageRecord {
  return present({
    resourceId: parsed.resource_id,
    resourceType: parsed.resource_type,
    name: parsed.name ?? safeText(''),
    createdAt: parsed.create_time,
    terminatedAt: parsed.terminate_time,
    rate: parsed.bill_per_minute && ratePerMinute(parsed.bill_per_minute),
    upTimeMinutes: parsed.total_up_time,
    billedCost: parsed.total_bill && usd(parsed.total_bill),
    isActive: parsed.active ?? parsed.terminate_time === undefined,
    isExcludedFromBilling: parsed.exclude_billing ?? false,
  });
}
