import * as z from 'zod';
import {compare, type Rate, type Rational, ratePerHour} from '../domain/money.ts';
import type {PricedResource, PricePart, ResourcePrice, UnitPrice} from '../domain/price-book.ts';
import {safeText} from '../domain/safe-text.ts';
import {defineRead} from './endpoint.ts';
import {
  decimal,
  flag,
  inside,
  list,
  mapped,
  moment,
  positiveDecimal,
  present,
  recordOf,
  reference,
  requiredName,
  shortText,
  under,
} from './fields.ts';

const priceRecord = z.object({
  id: reference,
  name: requiredName,
  // Dollars per hour, as a decimal string; zero is written `0E-9`.
  value: positiveDecimal,
  original_value: positiveDecimal,
  discount_applied: flag,
  start_time: moment,
  end_time: moment,
});

const partOfPrice = z.object({
  name: shortText,
  amount: positiveDecimal,
  // Tiny negative values have been seen in the service's sums.
  price: decimal,
  actual_price: decimal,
});

const resourcePriceRecord = z.object({
  infrahub_id: reference,
  name: shortText,
  type: shortText,
  status: shortText,
  price: positiveDecimal,
  actual_price: positiveDecimal,
  resources: list(partOfPrice),
});

/** The price of each unit. The reply is a bare array; in one document, the array under a key. */
export const priceBook = defineRead<object, UnitPrice>({
  id: 'price-book.list',
  template: '/pricebook',
  collect: body => (Array.isArray(body) ? body : under(body, 'pricebook', 'prices', 'data')),
  record: recordOf(priceRecord, parsed =>
    present({
      id: parsed.id,
      name: parsed.name,
      rate: mapped(parsed.value, ratePerHour),
      listRate: mapped(parsed.original_value, ratePerHour),
      isDiscounted: parsed.discount_applied,
      startsAt: parsed.start_time,
      endsAt: parsed.end_time,
    }),
  ),
});

/** The present hourly cost of one resource, part by part, before and after discount. */
export const calculatePrice = defineRead<{readonly resourceType: PricedResource; readonly id: number}, ResourcePrice>({
  id: 'price-book.calculate',
  template: '/pricebook/calculate/resource/{resourceType}/{id}',
  collect: body => under(inside(body, 'calculated_resource_bills'), 'resource'),
  record: recordOf(resourcePriceRecord, parsed =>
    present({
      resourceId: parsed.infrahub_id,
      name: parsed.name ?? safeText(''),
      resourceType: parsed.type,
      statusText: parsed.status,
      ...ratesOf(parsed),
      parts: (parsed.resources ?? []).map(toPart),
    }),
  ),
});

function toPart(parsed: z.output<typeof partOfPrice>): PricePart {
  return present({
    name: parsed.name ?? safeText(''),
    amount: parsed.amount,
    ...ratesOf(parsed),
  });
}

type PriceFields = {readonly price?: Rational | undefined; readonly actual_price?: Rational | undefined};

/**
 * It is not documented which of the two prices includes the discount. No discount raises a price, so it is the lower
 * one.
 */
function ratesOf({price, actual_price}: PriceFields): {
  readonly rate: Rate | undefined;
  readonly listRate: Rate | undefined;
} {
  const [lower, higher] = [price, actual_price].flatMap(each => each ?? []).sort(compare);
  return {rate: mapped(lower, ratePerHour), listRate: mapped(higher, ratePerHour)};
}
