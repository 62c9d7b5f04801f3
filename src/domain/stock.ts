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
