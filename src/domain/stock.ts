import type {SafeText} from './safe-text.ts';

/** How many of one GPU model are available in one region, now and in future. */
export type Stock = {
  readonly regionName?: SafeText;
  readonly stockType?: SafeText;
  readonly model: SafeText;
  readonly available?: StockCount;
  readonly plannedIn7Days?: StockCount;
  readonly plannedIn30Days?: StockCount;
  readonly plannedIn100Days?: StockCount;
  /** How many machines of each size are available, smallest first. */
  readonly configurations: readonly StockConfiguration[];
};

/** A number of units; the service writes large ones as `10+`. */
export type StockCount = {readonly count: number; readonly isAtLeast: boolean};

export type StockConfiguration = {readonly gpuCount: number; readonly available: StockCount};

/** Reads `7` and `10+`. Undefined for anything else. */
export function parseStockCount(text: string): StockCount | undefined {
  const match = /^(\d{1,9})(\+?)$/.exec(text.trim());
  return match === null ? undefined : {count: Number(match[1]), isAtLeast: match[2] === '+'};
}

/** The stock-related part of a flavor: the GPUs of its machines, and their region. */
type StockedFlavor = {
  readonly gpuModel?: SafeText;
  readonly gpuCount?: number;
  readonly regionName?: SafeText;
  readonly isInStock?: boolean;
};

/** The stocks of a flavor's GPU model in its region, one of each type. Empty for a flavor without GPUs. */
function stocksOf({gpuModel, regionName}: StockedFlavor, stocks: readonly Stock[]): readonly Stock[] {
  if (gpuModel === undefined || gpuModel === '' || regionName === undefined) return [];
  const model = gpuModel.toLowerCase();
  return stocks.filter(stock => stock.model.toLowerCase() === model && stock.regionName === regionName);
}

/** Of these the one with the most available. */
export function stockOf(flavor: StockedFlavor, stocks: readonly Stock[]): Stock | undefined {
  const own = stocksOf(flavor, stocks);
  const most = largest(own.flatMap(({available}) => available ?? []));
  return own.find(({available}) => available === most) ?? own[0];
}

/** How many machines of a flavor are available now: the stock of its size. Undefined if that is not given. */
export function availableMachines(flavor: StockedFlavor, stocks: readonly Stock[]): StockCount | undefined {
  const sizes = stocksOf(flavor, stocks).flatMap(({configurations}) => configurations);
  return largest(sizes.flatMap(({gpuCount, available}) => (gpuCount === flavor.gpuCount ? [available] : [])));
}

/** Of several rows for the same thing, in stocks of different types, the one with the most. */
export function largest(counts: readonly StockCount[]): StockCount | undefined {
  const [first] = counts.toSorted((left, right) => right.count - left.count);
  return first;
}

/**
 * Whether machines of a flavor are available now: by the stock of its size, or else by the flavor's own flag. The two
 * are read at different times; `doubtful` if they disagree.
 */
export function availability(
  flavor: StockedFlavor,
  stocks: readonly Stock[],
): 'available' | 'none' | 'doubtful' | 'unknown' {
  const machines = availableMachines(flavor, stocks);
  const byStock = machines === undefined ? undefined : machines.count > 0;
  const byFlag = flavor.isInStock;
  if (byStock !== undefined && byFlag !== undefined && byStock !== byFlag) return 'doubtful';
  const isAvailable = byStock ?? byFlag;
  return isAvailable === undefined ? 'unknown' : isAvailable ? 'available' : 'none';
}

/** `7`, `10+`. */
export function stockText({count, isAtLeast}: StockCount): string {
  return isAtLeast ? `${count}+` : String(count);
}
