import {compare, isPositive, parseDecimal, type Rate, ratePerHour, rational} from '../money.ts';
import type {UnitPrice} from '../price-book.ts';
import type {EpochMs} from '../time.ts';
import type {StateBilling} from './state-billing.ts';

/** Prices used if the service meters nothing. A metered price takes precedence. */
export type Prices = {
  /** For one GB of shared storage, which holds the root disk of a hibernated machine. */
  readonly storagePerGb: Rate;
  /** For one public address. */
  readonly publicIp: Rate;
  /** Of a whole machine, by its flavor's name in lower case. */
  readonly byFlavor: ReadonlyMap<string, Rate>;
  /** Of one GPU, by its model in lower case. */
  readonly byGpuModel: ReadonlyMap<string, Rate>;
  /**
   * The account's price list, by the name of the unit in lower case; empty if it was not read, and without a rate for a
   * unit whose price could not be read.
   */
  readonly listed: ReadonlyMap<string, Rate | undefined>;
  /** Flavors whose price a person has set instead of the published one. */
  readonly ownFlavors: ReadonlySet<string>;
  /** GPU models whose price a person has set; it overrides the published price of flavors with such GPUs. */
  readonly ownGpuModels: ReadonlySet<string>;
  /** How a state is billed, if a person says that it differs from the documentation. */
  readonly billingByStatus: ReadonlyMap<string, StateBilling>;
};

/** Published on 2026-08-26, on demand. */
export const PRICES: Prices = {
  storagePerGb: dollarsPerHour('0.000096774'),
  publicIp: dollarsPerHour('0.00672043'),
  byFlavor: ratesOf({
    'n1-cpu-small': '0.35',
    'n1-cpu-medium': '0.65',
    'n1-cpu-large': '1.30',
    'n1-cpu-xlarge': '1.90',
    'n1-cpu-xxlarge': '3.74',
    'n3-h200-sxm5x8': '31.92',
    'n3-rtx-a6000x1-spot': '0.40',
    'n3-a100x1-spot': '1.08',
  }),
  byGpuModel: ratesOf({
    'h100-80g-sxm5': '3.20',
    'h100-80g-pcie-nvlink': '2.60',
    'h100-80g-pcie': '2.50',
    'a100-80g-pcie-nvlink': '1.40',
    'a100-80g-pcie': '1.35',
    l40: '1.00',
    'rtx-a6000': '0.50',
    'rtx-a4000': '0.15',
  }),
  listed: new Map(),
  ownFlavors: new Set(),
  ownGpuModels: new Set(),
  billingByStatus: new Map(),
};

/** Prices and billing from a person's settings: dollars per hour, billing by state. */
export type OwnPrices = {
  readonly perHourByFlavor?: Readonly<Record<string, number>> | undefined;
  readonly perHourByGpuModel?: Readonly<Record<string, number>> | undefined;
  readonly storagePerGbHour?: number | undefined;
  readonly addressPerHour?: number | undefined;
  readonly billingByState?: Readonly<Record<string, StateBilling>> | undefined;
};

/** The published prices, replaced by those in a person's settings. */
export function pricesWith(own: OwnPrices): Prices {
  const byFlavor = ownRates(own.perHourByFlavor ?? {});
  const byGpuModel = ownRates(own.perHourByGpuModel ?? {});
  const billing = Object.entries(own.billingByState ?? {}).map(([state, each]) => [state.toUpperCase(), each] as const);
  return {
    ...PRICES,
    storagePerGb: own.storagePerGbHour === undefined ? PRICES.storagePerGb : dollarsPerHour(`${own.storagePerGbHour}`),
    publicIp: own.addressPerHour === undefined ? PRICES.publicIp : dollarsPerHour(`${own.addressPerHour}`),
    byFlavor: new Map([...PRICES.byFlavor, ...byFlavor]),
    byGpuModel: new Map([...PRICES.byGpuModel, ...byGpuModel]),
    ownFlavors: new Set(byFlavor.keys()),
    ownGpuModels: new Set(byGpuModel.keys()),
    billingByStatus: new Map(billing),
  };
}

/** Storage and addresses in the account's price list, by their names without blanks and signs. */
const LISTED_UNITS = {storagePerGb: 'cloudssd', publicIp: 'publicip'} as const;

type Unit = keyof typeof LISTED_UNITS;

/**
 * The prices, with those of the account's price list that are in force: of storage and addresses instead of any other
 * price, of flavors and GPUs instead of a published one. The same object if there are none.
 */
export function withPriceBook(prices: Prices, book: readonly UnitPrice[], now: EpochMs): Prices {
  const listed = listedRates(book.filter(price => isInForce(price, now)));
  if (listed.size === 0) return prices;
  return {
    ...prices,
    listed,
    storagePerGb: listedUnit('storagePerGb', listed) ?? prices.storagePerGb,
    publicIp: listedUnit('publicIp', listed) ?? prices.publicIp,
  };
}

function isInForce({startsAt, endsAt}: UnitPrice, now: EpochMs): boolean {
  return (startsAt === undefined || startsAt <= now) && (endsAt === undefined || endsAt > now);
}

/** The higher of several prices counts, as a discount may not apply to something new; one of zero says nothing. */
function listedRates(book: readonly UnitPrice[]): Prices['listed'] {
  const listed = new Map<string, Rate | undefined>();
  for (const {name, rate, listRate} of book) {
    const key = name.toLowerCase();
    const highest = highestOf([listed.get(key), rate, listRate]);
    const isUnread = rate === undefined && listRate === undefined;
    if (highest !== undefined || isUnread) listed.set(key, highest);
  }
  return listed;
}

function listedUnit(unit: Unit, listed: Prices['listed']): Rate | undefined {
  const isOfUnit = (name: string) => name.replaceAll(/[^a-z]/g, '') === LISTED_UNITS[unit];
  return highestOf([...listed].map(([name, rate]) => (isOfUnit(name) ? rate : undefined)));
}

function highestOf(rates: readonly (Rate | undefined)[]): Rate | undefined {
  const [highest] = rates
    .flatMap(rate => (rate !== undefined && isPositive(rate) ? rate : []))
    .sort((left, right) => compare(right, left));
  return highest;
}

/** Where the price of storage or of an address comes from: the account's price list, a person's settings, or neither. */
export function unitSource(unit: Unit, prices: Prices): 'listed' | 'own' | 'published' {
  if (listedUnit(unit, prices.listed) !== undefined) return 'listed';
  return prices[unit] === PRICES[unit] ? 'published' : 'own';
}

function ownRates(dollarsByName: Readonly<Record<string, number>>): ReadonlyMap<string, Rate> {
  return ratesOf(Object.fromEntries(Object.entries(dollarsByName).map(([name, dollars]) => [name, String(dollars)])));
}

function dollarsPerHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

function ratesOf(dollarsByName: Readonly<Record<string, string>>): ReadonlyMap<string, Rate> {
  return new Map(Object.entries(dollarsByName).map(([name, dollars]) => [name.toLowerCase(), dollarsPerHour(dollars)]));
}
