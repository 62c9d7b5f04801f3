import * as z from 'zod';
import type {BillingHistory, MachineHistory, MachineHistoryGraph} from '../domain/billing-history.ts';
import {type Rational, ratePerHour, usd} from '../domain/money.ts';
import {safeText} from '../domain/safe-text.ts';
import {SECOND_MS} from '../domain/time.ts';
import {
  decimal,
  field,
  inside,
  isObject,
  list,
  mapped,
  moment,
  part,
  positiveDecimal,
  present,
  readNumber,
  recordOf,
  reference,
  shortText,
} from './fields.ts';

// A billing history is a list of entries, each with `attributes` that name a resource and `metrics` that say what it
// cost.

const BILL = 'incurred_bill';
const LIST_BILL = 'non_discounted_bill';
const STATE_PREFIX = 'usage_time_';

/** Seconds, possibly negative: such values have been seen. */
const seconds = field(readNumber);

const attributesPart = part({
  infrahub_id: reference,
  resource_name: shortText,
  status: shortText,
  contract_id: reference,
});

const organizationEntry = z.object({metrics: z.object({[BILL]: decimal, [LIST_BILL]: decimal})});

const machineEntry = z.object({
  attributes: attributesPart,
  metrics: z.looseObject({
    [BILL]: decimal,
    [LIST_BILL]: decimal,
    price_per_hour: positiveDecimal,
    non_discounted_price_per_hour: positiveDecimal,
    usage_time: seconds,
  }),
});

const graphEntry = z.object({
  attributes: attributesPart,
  granularity: seconds,
  metrics: z.object({
    [BILL]: decimal,
    incurred_bill_graph: list(z.object({datetime: moment, value: decimal})),
    granularity: seconds,
  }),
});

/**
 * The entries of a history reply. Its key holds an object with either a nested `billing_history` list or the one entry
 * itself. Fields beside the list (its granularity) are copied into the entries.
 */
export function historyEntries(body: unknown, key: string): readonly unknown[] | undefined {
  const holder = inside(body, key);
  if (holder === undefined) return undefined;
  const {billing_history: entries, granularity} = holder;
  if (entries === undefined) return 'metrics' in holder ? [holder] : undefined;
  const lent = granularity === undefined ? {} : {granularity};
  const all = Array.isArray(entries) ? entries : [entries];
  return all.map((entry: unknown) => (isObject(entry) ? {...lent, ...entry} : entry));
}

export const readOrganizationHistory = recordOf(organizationEntry, ({metrics}): BillingHistory => {
  return present({billedCost: mapped(metrics[BILL], usd), listCost: mapped(metrics[LIST_BILL], usd)});
});

export const readMachineHistory = recordOf(machineEntry, ({attributes, metrics}): MachineHistory => {
  return present({
    machineId: attributes?.infrahub_id,
    name: attributes?.resource_name ?? safeText(''),
    statusText: attributes?.status,
    contractId: attributes?.contract_id,
    billedCost: mapped(metrics[BILL], usd),
    listCost: mapped(metrics[LIST_BILL], usd),
    rate: mapped(metrics.price_per_hour, ratePerHour),
    listRate: mapped(metrics.non_discounted_price_per_hour, ratePerHour),
    usedMs: mapped(metrics.usage_time, toMs),
    usedByState: Object.entries(metrics).flatMap(([name, value]) => {
      const used = name.startsWith(STATE_PREFIX) ? readNumber(value) : undefined;
      return used === undefined ? [] : [{state: safeText(name.slice(STATE_PREFIX.length)), usedMs: toMs(used)}];
    }),
  });
});

export const readMachineGraph = recordOf(graphEntry, ({attributes, granularity, metrics}): MachineHistoryGraph => {
  return present({
    machineId: attributes?.infrahub_id,
    name: attributes?.resource_name ?? safeText(''),
    billedCost: mapped(metrics[BILL], usd),
    stepMs: mapped(granularity ?? metrics.granularity, toMs),
    steps: (metrics.incurred_bill_graph ?? []).flatMap(toStep),
  });
});

function toStep({
  datetime,
  value,
}: {
  readonly datetime?: MachineHistoryGraph['steps'][number]['startsAt'] | undefined;
  readonly value?: Rational | undefined;
}): MachineHistoryGraph['steps'] {
  return datetime === undefined || value === undefined ? [] : [{startsAt: datetime, billedCost: usd(value)}];
}

function toMs(value: number): number {
  return value * SECOND_MS;
}
