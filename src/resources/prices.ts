import {say} from '../domain/safe-text.ts';
import {priceBook} from '../api/price-book.ts';
import {hourlyUsd, type Rate, subtractRates} from '../domain/money.ts';
import type {UnitPrice} from '../domain/price-book.ts';
import {priceBookFeed} from '../state/catalogue.ts';
import {formatPercent, formatUnitPrice, formatUnitPriceFigure} from '../ui/format.ts';
import type {Line} from '../ui/text.ts';
import {field, momentText} from './detail.ts';
import {type Column, moment, percent, rate, text, type Value} from './column.ts';
import {rawOf} from './listing.ts';
import {type Dated, dated, defineResource} from './resource.ts';

type PriceRow = Dated<UnitPrice>;

const COLUMNS: readonly Column<PriceRow>[] = [
  {
    key: 'unit',
    title: 'UNIT',
    value: ({name}) => text(name),
    list: {minWidth: 20, maxWidth: 50, flex: 1, tone: 'strong'},
  },
  {
    key: 'price',
    title: '$/h',
    align: 'right',
    unit: 'dollars',
    value: price => unitPrice(price.rate),
    list: {minWidth: 11, tone: 'money'},
  },
  {
    key: 'list',
    title: 'LIST $/h',
    align: 'right',
    unit: 'dollars',
    value: price => unitPrice(price.listRate),
    list: {minWidth: 11, tone: 'money'},
  },
  {
    key: 'discount',
    title: 'DISCOUNT',
    align: 'right',
    unit: 'percent',
    value: price => percent(discountRatio(price)),
    list: {minWidth: 8},
  },
  {
    key: 'valid',
    title: 'VALID',
    value: row => text(periodText(row)),
    list: {minWidth: 8, tone: row => (periodText(row) === 'now' ? 'text' : 'dim')},
  },
  {key: 'from', title: 'FROM', printed: 'wide', value: ({startsAt}) => moment(startsAt)},
  {key: 'until', title: 'UNTIL', printed: 'wide', value: ({endsAt}) => moment(endsAt)},
];

export const prices = defineResource<UnitPrice, PriceRow>({
  names: ['prices', 'price'],
  summary: 'unit prices, with the discounts of the account',
  columns: COLUMNS,
  list: async ({client, signal}) => rawOf(await client.readRaw(priceBook, {}, {signal})),
  parse: priceBook.record,
  feed: priceBookFeed,
  row: dated,
  orderWords: say`dearest first`,
  order: (left, right) => hourly(right.rate) - hourly(left.rate),
  detail: priceLines,
  recordIn: price => price,
  path: () => priceBook.path({}),
  idOf: ({id}) => id,
  nameOf: ({name}) => name,
});

function hourly(value: Rate | undefined): number {
  return value === undefined ? -1 : hourlyUsd(value);
}

function unitPrice(value: Rate | undefined): Value | undefined {
  const known = rate(value);
  return value && known && {...known, text: formatUnitPriceFigure(value)};
}

/** Discount as a share of the list price; undefined if either price is unknown or the list price is zero. */
function discountRatio({rate: own, listRate}: UnitPrice): number | undefined {
  if (own === undefined || listRate === undefined) return undefined;
  const list = hourlyUsd(listRate);
  return list <= 0 ? undefined : hourlyUsd(subtractRates(listRate, own)) / list;
}

function periodText({startsAt, endsAt, now}: PriceRow): string {
  if (startsAt !== undefined && startsAt > now) return 'future';
  return endsAt !== undefined && endsAt <= now ? 'ended' : 'now';
}

/** What one unit costs, before and after the discount, and for which period. */
function priceLines(price: PriceRow): readonly Line[] {
  return [
    field('price', price.rate === undefined ? undefined : formatUnitPrice(price.rate), 'money'),
    field('list price', price.listRate === undefined ? undefined : formatUnitPrice(price.listRate)),
    field('discount', discountText(price)),
    field('from', momentText(price.startsAt, price.now) ?? 'always'),
    field('until', momentText(price.endsAt, price.now) ?? 'open-ended'),
    field('id', price.id === undefined ? undefined : String(price.id)),
    [],
    [{text: 'For one unit: a vCPU, a GB of RAM or of disk, a GPU, a public address.', tone: 'dim'}],
  ];
}

function discountText(price: UnitPrice): string | undefined {
  const ratio = discountRatio(price);
  if (ratio !== undefined && ratio !== 0) return formatPercent(ratio);
  return price.isDiscounted === undefined ? undefined : price.isDiscounted ? 'yes' : 'none';
}
