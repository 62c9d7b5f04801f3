import * as z from 'zod';
import {isTooLargeRate} from '../domain/cost.ts';
import {compare, type Rate, type Rational, ratePerHour} from '../domain/money.ts';
import type {PricedResource, PricePart, ResourcePrice, UnitPrice} from '../domain/price-book.ts';
import {safeText, say} from '../domain/safe-text.ts';
import {defineRead, type Quarantined} from './endpoint.ts';
import {
  decimal,
  field,
  flag,
  inside,
  list,
  mapped,
  moment,
  positiveDecimal,
  present,
  readPositiveDecimal,
  recordOf,
  reference,
  requiredName,
  shortText,
  under,
} from './fields.ts';
import {numberText} from './json.ts';

type HourlyPrice = {readonly rate?: Rate; readonly isImpossible: boolean};

/** Dollars per hour. A number that cannot be a price is unknown, and told from none: its record is marked. */
const hourlyPrice = field((value: unknown): HourlyPrice => {
  const rate = mapped(readPositiveDecimal(value), ratePerHour);
  if (rate !== undefined && !isTooLargeRate(rate)) return {rate, isImpossible: false};
  return {isImpossible: numberText(value) !== undefined};
});

const priceRecord = z.object({
  id: reference,
  name: requiredName,
  // A decimal string; zero is written `0E-9`.
  value: hourlyPrice,
  original_value: hourlyPrice,
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
  record: recordOf(
    priceRecord,
    parsed =>
      present({
        id: parsed.id,
        name: parsed.name,
        rate: parsed.value.rate,
        // Beside a price that cannot be one, the list price is as doubtful.
        listRate: parsed.value.isImpossible ? undefined : parsed.original_value.rate,
        isDiscounted: parsed.discount_applied,
        startsAt: parsed.start_time,
        endsAt: parsed.end_time,
      }),
    ({id, ...prices}) => impossiblePrices(id, prices),
  ),
});

type Prices = Pick<z.output<typeof priceRecord>, 'value' | 'original_value'>;

function impossiblePrices(id: number | undefined, {value, original_value}: Prices): Quarantined | undefined {
  const fields = [
    ...(value.isImpossible ? [say`value`] : []),
    ...(original_value.isImpossible ? [say`original_value`] : []),
  ];
  return fields.length === 0 ? undefined : present({id: mapped(id, each => say`${each}`), fields});
}

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
  const rates = [price, actual_price].flatMap(each => (each === undefined ? [] : ratePerHour(each)));
  const [rate, listRate] = rates.filter(each => !isTooLargeRate(each)).sort(compare);
  return {rate, listRate};
}
