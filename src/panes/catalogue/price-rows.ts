import {hourlyUsd, type Rate, subtractRates} from '../../domain/money.ts';
import type {UnitPrice} from '../../domain/price-book.ts';
import {lastValue} from '../../domain/snapshot.ts';
import type {EpochMs} from '../../domain/time.ts';
import type {Column} from '../../resources/resource.ts';
import {priceBookFeed} from '../../state/catalogue.ts';
import {formatPercent, formatRate} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {numberColumn, rateColumn, textColumn} from '../column.ts';
import {field, momentText} from '../detail.ts';
import type {Scene} from '../pane.ts';

export type PriceRow = {
  readonly price: UnitPrice;
  /** One name may stand several times, each for a time of its own; ids are not promised. */
  readonly index: number;
  readonly now: EpochMs;
};

/** The price book: the dearest unit first. Undefined until it was read. */
export function priceRows({store, now}: Pick<Scene, 'store' | 'now'>): readonly PriceRow[] | undefined {
  return lastValue(store.get(priceBookFeed))
    ?.records.map((price, index) => ({price, index, now}))
    .sort((left, right) => hourly(right.price.rate) - hourly(left.price.rate) || left.index - right.index);
}

function hourly(rate: Rate | undefined): number {
  return rate === undefined ? -1 : hourlyUsd(rate);
}

/** The part of the list price that is left off; undefined where either is unknown, or the list price is nothing. */
export function discountRatio({rate, listRate}: UnitPrice): number | undefined {
  if (rate === undefined || listRate === undefined) return undefined;
  const list = hourlyUsd(listRate);
  return list <= 0 ? undefined : hourlyUsd(subtractRates(listRate, rate)) / list;
}

function periodText({price: {startsAt, endsAt}, now}: PriceRow): string {
  if (startsAt !== undefined && startsAt > now) return 'to come';
  return endsAt !== undefined && endsAt <= now ? 'ended' : 'now';
}

export const PRICE_COLUMNS: readonly Column<PriceRow>[] = [
  textColumn({key: 'unit', title: 'ONE UNIT OF', minWidth: 20, maxWidth: 50, flex: 1}, ({price}) => price.name, {
    tone: 'strong',
  }),
  rateColumn({key: 'price', title: '$/h', minWidth: 9}, ({price}) => price.rate),
  rateColumn({key: 'list', title: 'LIST $/h', minWidth: 9}, ({price}) => price.listRate),
  numberColumn(
    {key: 'discount', title: 'DISCOUNT', minWidth: 8},
    ({price}) => percentPoints(discountRatio(price)),
    points => formatPercent(points / 100),
  ),
  textColumn({key: 'valid', title: 'VALID', minWidth: 8}, periodText, {
    tone: row => (periodText(row) === 'now' ? 'text' : 'dim'),
  }),
];

/** Filters count percent points. */
function percentPoints(ratio: number | undefined): number | undefined {
  return ratio === undefined ? undefined : ratio * 100;
}

/** What one unit costs, before and after the discount, and for how long. */
export function priceLines({price, now}: PriceRow): readonly Line[] {
  return [
    field('price', price.rate === undefined ? undefined : formatRate(price.rate), 'money'),
    field('list price', price.listRate === undefined ? undefined : formatRate(price.listRate)),
    field('discount', discountText(price)),
    field('from', momentText(price.startsAt, now) ?? 'always'),
    field('until', momentText(price.endsAt, now) ?? 'further notice'),
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
