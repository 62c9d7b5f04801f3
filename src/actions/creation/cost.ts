import {type CostChange, listRate, listSource} from '../../domain/cost.ts';
import type {Flavor} from '../../domain/flavor.ts';
import {unitSource} from '../../domain/money/prices.ts';
import {
  accrue,
  isPositive,
  minutesOf,
  type Rate,
  rational,
  scaleRate,
  subtractRates,
  sumRates,
  ZERO_RATE,
} from '../../domain/money.ts';
import {largest} from '../../domain/stock.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {PRICED_MONTH_MS} from '../../domain/time.ts';
import {type MachineFlavor, mayHaveAddress} from '../../domain/virtual-machine.ts';
import {presentRates} from '../../state/billing.ts';
import {stocksFeed} from '../../state/catalogue.ts';
import type {Known} from '../../state/known.ts';
import {machinesFeed} from '../../state/machines.ts';
import {formatGigabytes, formatRate, formatSavings, formatUsd} from '../../ui/format.ts';
import type {Line, Span} from '../../ui/text.ts';

export type CreationInput = Pick<Known, 'store' | 'preferences' | 'now'>;

/** Something new, which cost nothing before. */
export function addedCost(rate: Rate | undefined): CostChange {
  return {
    before: ZERO_RATE,
    after: rate,
    savings: rate && subtractRates(ZERO_RATE, rate),
    savingIsUncertain: false,
    isListPrice: true,
  };
}

/** Something that ends, and costs nothing afterwards. */
export function endedCost(rate: Rate | undefined, savingIsUncertain = false, isListPrice = false): CostChange {
  return {before: rate, after: ZERO_RATE, savings: rate, savingIsUncertain, isListPrice};
}

export type FlavorPrice = {
  readonly rate: Rate;
  /** Of the account's price list, published, set by the person, or observed on a machine of the same flavor. */
  readonly source: ReturnType<typeof listSource> | 'metered';
};

/**
 * What one machine of a flavor costs: the list price, or else the metered rate of a running machine. The list price
 * comes first, because the metered rate may include a discount that a new machine does not get.
 */
export function flavorPrice(known: CreationInput, flavor: Flavor | MachineFlavor): FlavorPrice | undefined {
  const {prices} = known.preferences;
  const listed = listRate(flavor, prices);
  if (listed !== undefined) return {rate: listed, source: listSource(flavor, prices)};
  const alike = lastValue(known.store.get(machinesFeed))?.records.find(
    machine => machine.status === 'ACTIVE' && machine.flavor?.name === flavor.name && !mayHaveAddress(machine),
  );
  const metered = alike === undefined ? undefined : presentRates(known.store).get(alike.id);
  return metered === undefined ? undefined : {rate: metered, source: 'metered'};
}

/** New machines of a flavor, each with a public address or without. */
export type NewMachines = {
  readonly flavor: Flavor | undefined;
  readonly count: number;
  readonly hasAddress: boolean;
};

/** What new machines cost, and where the price comes from. */
export function creationCost(known: CreationInput, wanted: NewMachines): readonly Line[] {
  const {flavor, count} = wanted;
  const price = flavor && flavorPrice(known, flavor);
  const rate = creationRate(known, wanted);
  if (price === undefined || rate === undefined) return [UNPRICED];
  const all = count === 1 ? '' : `all ${count}, `;
  return [costLine(rate, `${all}${sourceOf(price)}`)];
}

/** What new machines cost together; undefined if their price is unknown. */
export function creationRate(known: CreationInput, {flavor, count, hasAddress}: NewMachines): Rate | undefined {
  const price = flavor && flavorPrice(known, flavor);
  return price && machinesRate(price.rate, count, hasAddress ? unitPrice(known, 'publicIp').rate : undefined);
}

/** The price of several machines, each with its public address if it gets one. */
function machinesRate(each: Rate, count: number, address: Rate | undefined): Rate {
  return times(address === undefined ? each : sumRates([each, address]), count);
}

/** What one GB of storage or one public address costs, and where the price comes from, as part of a cost line. */
export function unitPrice(
  {preferences: {prices}}: Pick<CreationInput, 'preferences'>,
  unit: Parameters<typeof unitSource>[0],
): {readonly rate: Rate; readonly source: string} {
  return {rate: prices[unit], source: UNIT_SOURCES[unitSource(unit, prices)]};
}

const UNIT_SOURCES: Readonly<Record<ReturnType<typeof unitSource>, string>> = {
  listed: 'at the price in the price list',
  own: 'at the price in your settings',
  published: 'at the published price',
};

export function times(rate: Rate, count: number): Rate {
  return scaleRate(rate, rational(BigInt(count), 1n));
}

/** For example `$2.00/h  $1,460.00 for 730 h`, and where the price comes from. */
export function costLine(rate: Rate, source: string): Line {
  const month = formatUsd(accrue(rate, minutesOf(PRICED_MONTH_MS)));
  return [
    {text: `${formatRate(rate)}  ${month} for 730 h`, tone: 'money'},
    {text: `  ${source}`, tone: 'dim'},
  ];
}

/**
 * For example `now $2.00/h  after $0.00/h  (saves $2.00/h)`, for deletions; under a contract this is the most it can
 * save, and the least if the cost of a part is unknown.
 */
export function endingCostLine(
  rate: Rate | undefined,
  source?: string,
  isUncertain = false,
  further?: 'unknown' | undefined,
): Line {
  if (rate === undefined) return [{text: 'The savings are unknown.', tone: 'money'}];
  const least = further === undefined ? '' : 'at least ';
  return [
    {text: `now ${least}${formatRate(rate)}  after ${formatRate(ZERO_RATE)}`, tone: 'money'},
    {text: `  (${formatSavings(rate, isUncertain, further)})`, tone: 'dim'},
    contractSpan(rate, isUncertain),
    ...(source === undefined ? [] : [{text: `  ${source}`, tone: 'dim' as const}]),
  ];
}

/** Beside a saving: why it is only `up to` that. */
export function contractSpan(savings: Rate | undefined, isUncertain: boolean): Span {
  const isLess = isUncertain && savings !== undefined && isPositive(savings);
  return {text: isLess ? '  less if a contract is charged anyway' : '', tone: 'dim'};
}

export const UNPRICED: Line = [{text: 'The cost is unknown: no price was published.', tone: 'warning'}];

function sourceOf({source}: FlavorPrice): string {
  return SOURCES[source];
}

const SOURCES: Readonly<Record<FlavorPrice['source'], string>> = {
  ...UNIT_SOURCES,
  metered: 'as metered for a running machine of this flavor',
};

/** For example `$1.00/h  16 cores, 128 GB, 1 × L40`: a flavor's facts, in the room beside its name. */
export function flavorHint(known: CreationInput, flavor: Flavor | undefined): string {
  if (flavor === undefined) return '';
  const price = flavorPrice(known, flavor);
  const stock = flavor.isInStock === false ? 'OUT OF STOCK  ' : '';
  return `${stock}${price === undefined ? '' : `${formatRate(price.rate)}  `}${flavorWords(flavor)}`;
}

export function flavorWords({cpuCount, ramGb, gpuCount, gpuModel}: Flavor): string {
  const gpu = gpuCount === undefined || gpuCount === 0 ? [] : [`${gpuCount} × ${gpuModel ?? 'GPU'}`];
  return [`${cpuCount ?? '?'} cores`, formatGigabytes(ramGb), ...gpu].join(', ');
}

/** Whether that many are available now; a definite no comes as a warning. */
export function stockLine(known: CreationInput, flavor: Flavor, count: number): Line {
  const {name, isInStock, gpuCount} = flavor;
  const free = freeCount(known, flavor);
  if (isInStock === false) return [{text: `${name} is out of stock: the service will refuse it.`, tone: 'danger'}];
  if (free !== undefined && !free.isAtLeast && free.count < count) {
    return [{text: `Stock: ${free.count} machines with ${gpuCount} GPU free, ${count} asked for.`, tone: 'danger'}];
  }
  if (free !== undefined) {
    return [{text: `Stock: ${free.count}${free.isAtLeast ? '+' : ''} machines of this size free now.`, tone: 'dim'}];
  }
  return isInStock === true
    ? [{text: `${name} is in stock now.`, tone: 'dim'}]
    : [{text: `Whether ${name} is in stock is unknown.`, tone: 'warning'}];
}

/** How many machines of this size the region's stock allows; undefined if the service does not say. */
function freeCount({store}: CreationInput, {gpuModel, gpuCount, regionName}: Flavor) {
  if (gpuModel === undefined || gpuCount === undefined || gpuCount === 0) return undefined;
  const stocks = (lastValue(store.get(stocksFeed))?.records ?? []).filter(
    each =>
      each.model.toLowerCase() === gpuModel.toLowerCase() &&
      (each.regionName === undefined || regionName === undefined || each.regionName === regionName),
  );
  const sizes = stocks.flatMap(({configurations}) => configurations);
  return largest(sizes.flatMap(size => (size.gpuCount === gpuCount ? [size.available] : [])));
}
