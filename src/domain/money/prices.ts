import {parseDecimal, type Rate, ratePerHour, rational} from '../money.ts';
import {type EpochMs, epochMs} from '../time.ts';
import type {StateBilling} from './state-billing.ts';

/** What things cost where the service does not meter them. Defaults of the program, dated; what it bills always wins. */
export type Prices = {
  readonly publishedAt: EpochMs;
  /** For one GB of shared storage, where the root disk of a hibernated machine is kept. */
  readonly storagePerGb: Rate;
  /** For one public address. */
  readonly publicIp: Rate;
  /** Of a whole machine, by its flavor's name in small letters. */
  readonly byFlavor: ReadonlyMap<string, Rate>;
  /** Of one GPU, by its model in small letters. */
  readonly byGpuModel: ReadonlyMap<string, Rate>;
  /** The flavors whose price a person has set, in place of what was published. */
  readonly ownFlavors: ReadonlySet<string>;
  /** What is billed in a state where a person says that it is otherwise than documented. */
  readonly billingByStatus: ReadonlyMap<string, StateBilling>;
};

/** Published on 2026-08-26, on demand. */
export const PRICES: Prices = {
  publishedAt: epochMs(Date.UTC(2026, 7, 26)),
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
  ownFlavors: new Set(),
  billingByStatus: new Map(),
};

/** The published prices with what a person's settings say in their place: dollars per hour by flavor, billing by state. */
export function pricesWith(own: {
  readonly perHourByFlavor: Readonly<Record<string, number>>;
  readonly billingByState: Readonly<Record<string, StateBilling>>;
}): Prices {
  const ownRates = ratesOf(
    Object.fromEntries(Object.entries(own.perHourByFlavor).map(([flavor, dollars]) => [flavor, String(dollars)])),
  );
  const billing = Object.entries(own.billingByState).map(([state, each]) => [state.toUpperCase(), each] as const);
  return {
    ...PRICES,
    byFlavor: new Map([...PRICES.byFlavor, ...ownRates]),
    ownFlavors: new Set(ownRates.keys()),
    billingByStatus: new Map(billing),
  };
}

function dollarsPerHour(text: string): Rate {
  return ratePerHour(parseDecimal(text) ?? rational(0n, 1n));
}

function ratesOf(dollarsByName: Readonly<Record<string, string>>): ReadonlyMap<string, Rate> {
  return new Map(Object.entries(dollarsByName).map(([name, dollars]) => [name.toLowerCase(), dollarsPerHour(dollars)]));
}
