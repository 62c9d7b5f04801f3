import * as z from 'zod';
import type {Credit, UsageRecord} from '../domain/billing.ts';
import type {
  BillingHistory,
  ChargePeriod,
  LastDayCost,
  MachineHistory,
  MachineHistoryGraph,
} from '../domain/billing-history.ts';
import {ratePerMinute, usd} from '../domain/money.ts';
import {safeText} from '../domain/safe-text.ts';
import {type EpochMs, isoText} from '../domain/time.ts';
import type {VirtualMachineId} from '../domain/virtual-machine.ts';
import {defineRead, type Query} from './endpoint.ts';
import {
  decimal,
  flag,
  isObject,
  mapped,
  moment,
  positiveDecimal,
  present,
  recordOf,
  reference,
  requiredId,
  requiredText,
  shortText,
  under,
} from './fields.ts';
import {historyEntries, readMachineGraph, readMachineHistory, readOrganizationHistory} from './history-records.ts';

const HISTORY = '/billing/billing/history';
const MACHINE_HISTORY = `${HISTORY}/virtual-machine`;
const PAGE_SIZE = 100;

type InPeriod = {readonly period: ChargePeriod};
type MachinePeriod = InPeriod & {readonly id: VirtualMachineId};

const usageRecord = z.object({
  resource_id: requiredId,
  organization_id: reference,
  resource_type: requiredText,
  name: shortText,
  create_time: moment,
  terminate_time: moment,
  // A negative rate or bill is not a price, but not "no price" either: domain flags it.
  bill_per_minute: decimal,
  total_up_time: positiveDecimal,
  total_bill: decimal,
  active: flag,
  exclude_billing: flag,
});

const creditRecord = z.object({credit: decimal, threshold: decimal});

/** The billing spans of existing resources, or of terminated ones, which the service leaves out unless asked. */
export const usage = defineRead<{readonly isDeleted: boolean}, UsageRecord>({
  id: 'billing.usage',
  comesInPieces: true,
  template: '/billing/billing/usage',
  query: ({isDeleted}) => ({deleted: isDeleted}),
  collect: body => under(body, 'data'),
  record: recordOf(usageRecord, toUsageRecord),
});

/** The prepaid balance. A negative balance is real and means that resources are being suspended. */
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

const lastDayRecord = z.object({
  instances_cost: decimal,
  volumes_cost: decimal,
  clusters_cost: decimal,
  total_cost: decimal,
});

/** What yesterday cost. */
export const lastDayCost = defineRead<object, LastDayCost>({
  id: 'billing.last-day-cost',
  template: '/billing/billing/last-day-cost',
  collect: body => under(body, 'data'),
  record: recordOf(lastDayRecord, parsed =>
    present({
      machines: mapped(parsed.instances_cost, usd),
      volumes: mapped(parsed.volumes_cost, usd),
      clusters: mapped(parsed.clusters_cost, usd),
      total: mapped(parsed.total_cost, usd),
    }),
  ),
});

/** What the organization was billed in a period; no record if it was billed nothing. */
export const billingHistory = defineRead<InPeriod, BillingHistory>({
  id: 'billing.history',
  template: HISTORY,
  query: periodQuery,
  collect: body => historyEntries(body, 'billing_history'),
  record: readOrganizationHistory,
  readsFailure: nothingUnder('billing_history'),
});

/** What each machine was billed in a period, including deleted ones. */
export const machineHistory = defineRead<InPeriod, MachineHistory>({
  id: 'billing.machine-history',
  template: MACHINE_HISTORY,
  query: periodQuery,
  collect: body => historyEntries(body, 'billing_history_vm'),
  record: readMachineHistory,
  paging: {pageParameter: 'page', sizeParameter: 'per_page', pageSize: PAGE_SIZE},
  readsFailure: nothingUnder('billing_history_vm'),
});

/** The same for one machine, with the time spent in each state. */
export const machineHistoryDetail = defineRead<MachinePeriod, MachineHistory>({
  id: 'billing.machine-history-detail',
  template: `${MACHINE_HISTORY}/{id}`,
  query: periodQuery,
  collect: body => historyEntries(body, 'billing_history_vm_details'),
  record: readMachineHistory,
  readsFailure: nothingUnder('billing_history_vm_details'),
});

/** The same for one machine, step by step. */
export const machineHistoryGraph = defineRead<MachinePeriod, MachineHistoryGraph>({
  id: 'billing.machine-history-graph',
  template: `${MACHINE_HISTORY}/{id}/graph`,
  query: periodQuery,
  collect: body => historyEntries(body, 'billing_history_vm_details'),
  record: readMachineGraph,
  readsFailure: nothingUnder('billing_history_vm_details'),
});

/** In practice both ends are required. The service takes UTC and refuses time zones and fractions of a second. */
function periodQuery({period}: InPeriod): Query {
  return {start_date: withoutZone(period.startsAt), end_date: withoutZone(period.endsAt)};
}

function withoutZone(moment: EpochMs): string {
  return isoText(moment).slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}

/** The service answers 404 if nothing was billed in the period; a 404 without its reason means an unknown path. */
function nothingUnder(key: string): (httpStatus: number, body: unknown) => unknown {
  return (httpStatus, body) =>
    httpStatus === 404 && isObject(body) && body.error_reason === 'not_found'
      ? {[key]: {billing_history: []}}
      : undefined;
}

function toUsageRecord(parsed: z.output<typeof usageRecord>): UsageRecord {
  return present({
    resourceId: parsed.resource_id,
    organizationId: parsed.organization_id,
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
