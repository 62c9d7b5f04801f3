import * as z from 'zod';
import {CONTRACT_STATUSES, type Contract, type Discount, discountTerms, expirationPolicy} from '../domain/contract.ts';
import {safeText} from '../domain/safe-text.ts';
import {defineRead} from './endpoint.ts';
import {
  count,
  decimal,
  field,
  list,
  moment,
  present,
  readNumber,
  recordOf,
  reference,
  requiredId,
  shortText,
  text,
  under,
} from './fields.ts';
import {knownStatus} from './resource-parts.ts';

const PAGE_SIZE = 100;

/** An integer that may be negative: remaining days go below zero. */
const wholeNumber = field(readWholeNumber);

const discountPart = z.object({
  id: reference,
  // The same field, under the documented name and the name the service uses.
  resource: shortText,
  resource_name: shortText,
  resource_id: reference,
  resource_count: count,
  remaining_count: count,
  discount_type: shortText,
  discount_amount: decimal,
  discount_percent: decimal,
  discount_status: shortText,
  discount_code: shortText,
  validity_days: wholeNumber,
  start_date: moment,
  end_date: moment,
});

const contractRecord = z.object({
  id: requiredId,
  org_id: reference,
  created_at: moment,
  start_date: moment,
  end_date: moment,
  status: shortText,
  description: text,
  expiration_policy: wholeNumber,
  discounts: list(discountPart),
});

/** All contracts with their discounts. For a single contract, the service puts the object under the same plural key. */
export const contracts = defineRead<object, Contract>({
  id: 'contracts.list',
  template: '/pricebook/contracts',
  collect: body => under(body, 'contracts', 'contract'),
  record: recordOf(contractRecord, toContract),
  paging: {pageParameter: 'page', sizeParameter: 'per_page', pageSize: PAGE_SIZE},
});

export const getContract = defineRead<{readonly id: number}, Contract>({
  id: 'contracts.get',
  template: '/pricebook/contracts/{id}',
  isById: true,
  collect: body => under(body, 'contracts', 'contract'),
  record: recordOf(contractRecord, toContract),
});

function toContract(parsed: z.output<typeof contractRecord>): Contract {
  return present({
    id: parsed.id,
    description: parsed.description,
    organizationId: parsed.org_id,
    status: knownStatus(CONTRACT_STATUSES, parsed.status),
    statusText: parsed.status ?? safeText(''),
    createdAt: parsed.created_at,
    startsAt: parsed.start_date,
    endsAt: parsed.end_date,
    expirationPolicy: expirationPolicy(parsed.expiration_policy),
    discounts: (parsed.discounts ?? []).map(toDiscount),
  });
}

function toDiscount(parsed: z.output<typeof discountPart>): Discount {
  return present({
    id: parsed.id,
    resourceName: parsed.resource_name ?? parsed.resource,
    resourceId: parsed.resource_id,
    resourceCount: parsed.resource_count,
    remainingCount: parsed.remaining_count,
    terms: discountTerms({
      type: parsed.discount_type,
      amount: parsed.discount_amount,
      percent: parsed.discount_percent,
    }),
    typeText: parsed.discount_type,
    statusText: parsed.discount_status,
    code: parsed.discount_code,
    validityDays: parsed.validity_days,
    startsAt: parsed.start_date,
    endsAt: parsed.end_date,
  });
}

function readWholeNumber(value: unknown): number | undefined {
  const number = readNumber(value);
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
}
