import * as z from 'zod';
import {parseStockCount, type Stock, type StockConfiguration, type StockCount} from '../domain/stock.ts';
import {defineRead} from './endpoint.ts';
import {field, isObject, present, readNumber, recordOf, requiredName, text, under} from './fields.ts';

/** A count as a number, or as text such as `10+`. */
const stockCount = field(readStockCount);

const stockRecord = z.object({
  region: text,
  'stock-type': text,
  model: requiredName,
  available: stockCount,
  planned_7_days: stockCount,
  planned_30_days: stockCount,
  planned_100_days: stockCount,
  configurations: field(readConfigurations),
});

/** One record per region and GPU model. The reply has no common form. */
export const stocks = defineRead<object, Stock>({
  id: 'stocks.list',
  template: '/core/stocks',
  collect: body => under(body, 'stocks')?.flatMap(modelsOf),
  record: recordOf(stockRecord, parsed =>
    present({
      regionName: parsed.region,
      stockType: parsed['stock-type'],
      model: parsed.model,
      available: parsed.available,
      plannedIn7Days: parsed.planned_7_days,
      plannedIn30Days: parsed.planned_30_days,
      plannedIn100Days: parsed.planned_100_days,
      configurations: parsed.configurations ?? [],
    }),
  ),
});

/**
 * The models of a region, each with the region's own fields. A region without models is kept as an unreadable record.
 */
function modelsOf(region: unknown): readonly unknown[] {
  if (!isObject(region) || !Array.isArray(region.models)) return [region];
  const {models, ...shared} = region;
  return models.map((model: unknown) => (isObject(model) ? {...shared, ...model} : model));
}

function readStockCount(value: unknown): StockCount | undefined {
  return parseStockCount(typeof value === 'string' ? value : String(readNumber(value)));
}

/** `{"1x": 4, "8x": 0}`: how many machines there are with that many GPUs. */
function readConfigurations(value: unknown): readonly StockConfiguration[] {
  if (!isObject(value)) return [];
  return Object.entries(value)
    .flatMap(([size, count]) => {
      const gpuCount = /^(\d{1,4})x$/.exec(size)?.[1];
      const available = readStockCount(count);
      return gpuCount === undefined || available === undefined ? [] : [{gpuCount: Number(gpuCount), available}];
    })
    .sort((left, right) => left.gpuCount - right.gpuCount);
}
