import type {SafeText} from './safe-text.ts';

/** How many of one GPU model can be had in one region, now and by plan. */
export type Stock = {
  readonly regionName?: SafeText;
  readonly stockType?: SafeText;
  readonly model: SafeText;
  readonly available?: StockCount;
  readonly plannedIn7Days?: StockCount;
  readonly plannedIn30Days?: StockCount;
  readonly plannedIn100Days?: StockCount;
  /** How many machines of each size can be had, smallest first. */
  readonly configurations: readonly StockConfiguration[];
};

/** A number of units; the service writes a plenty as `10+`. */
export type StockCount = {readonly count: number; readonly isAtLeast: boolean};

export type StockConfiguration = {readonly gpuCount: number; readonly available: StockCount};

/** Reads `7` and `10+`. Undefined for anything else. */
export function parseStockCount(text: string): StockCount | undefined {
  const match = /^(\d{1,9})(\+?)$/.exec(text.trim());
  return match === null ? undefined : {count: Number(match[1]), isAtLeast: match[2] === '+'};
}

/** A flavor as far as stock goes: the GPUs of a machine of it, and where. */
type StockedFlavor = {
  readonly gpuModel?: SafeText;
  readonly gpuCount?: number;
  readonly regionName?: SafeText;
  readonly isInStock?: boolean;
};

/** The stock of a flavor's GPU model in its region. Undefined for a flavor without GPUs, and where none is listed. */
export function stockOf({gpuModel, regionName}: StockedFlavor, stocks: readonly Stock[]): Stock | undefined {
  if (gpuModel === undefined || gpuModel === '' || regionName === undefined) return undefined;
  const model = gpuModel.toLowerCase();
  return stocks.find(stock => stock.model.toLowerCase() === model && stock.regionName === regionName);
}

/** How many machines of a flavor can be had now: what its size has in the stock. Undefined where that is not said. */
export function availableMachines(flavor: StockedFlavor, stocks: readonly Stock[]): StockCount | undefined {
  return stockOf(flavor, stocks)?.configurations.find(({gpuCount}) => gpuCount === flavor.gpuCount)?.available;
}

/**
 * Whether machines of a flavor can be had now: by the stock of its size, else by the flavor's own flag. The two are
 * read at different times; `doubtful` where they disagree.
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
