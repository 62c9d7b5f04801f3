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
  text,
  under,
} from './fields.ts';

const priceRecord = z.object({
  id: reference,
  name: requiredName,
  // Dollars an hour, as a decimal string; zero comes as `0E-9`.
  value: positiveDecimal,
  original_value: positiveDecimal,
  discount_applied: flag,
  start_time: moment,
  end_time: moment,
});

const partOfPrice = z.object({
  name: text,
  amount: positiveDecimal,
  // Tiny negative parts have been seen in sums of the service.
  price: decimal,
  actual_price: decimal,
});

const resourcePriceRecord = z.object({
  infrahub_id: reference,
  name: text,
  type: text,
  status: text,
  price: positiveDecimal,
  actual_price: positiveDecimal,
  resources: list(partOfPrice),
});

/** What each unit costs. The reply is a bare array, in one document the array under a key. */
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

/** What one resource costs an hour now, part by part, before and after discount. */
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

type Prices = {readonly price?: Rational | undefined; readonly actual_price?: Rational | undefined};

/** Which of the two prices has the discount in it is not documented; since none makes a thing dearer, it is the lower. */
function ratesOf({price, actual_price}: Prices): {
  readonly rate: Rate | undefined;
  readonly listRate: Rate | undefined;
} {
  const [lower, higher] = [price, actual_price].flatMap(each => each ?? []).sort(compare);
  return {rate: mapped(lower, ratePerHour), listRate: mapped(higher, ratePerHour)};
}
