import {stocks} from '../api/stocks.ts';
import type {Stock, StockCount} from '../domain/stock.ts';
import {text, type Value} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, undated} from './resource.ts';

export const stock = defineResource<Stock, Stock>({
  names: ['stock', 'stocks'],
  summary: 'GPUs available now, and planned',
  columns: [
    {key: 'region', title: 'REGION', value: ({regionName}) => text(regionName)},
    {key: 'model', title: 'MODEL', value: ({model}) => text(model)},
    {key: 'available', title: 'AVAILABLE', align: 'right', value: ({available}) => stockCount(available)},
    {key: 'sizes', title: 'MACHINES BY GPUS', value: configurationsOf},
    {key: 'in-7-days', title: 'IN 7 D', align: 'right', value: ({plannedIn7Days}) => stockCount(plannedIn7Days)},
    {key: 'in-30-days', title: 'IN 30 D', align: 'right', value: ({plannedIn30Days}) => stockCount(plannedIn30Days)},
    {key: 'in-100-days', title: 'IN 100 D', align: 'right', value: each => stockCount(each.plannedIn100Days)},
    {key: 'type', title: 'TYPE', printed: 'wide', value: ({stockType}) => text(stockType)},
  ],
  list: async ({client, signal}) => rawOf(await client.readRaw(stocks, {}, {signal})),
  parse: stocks.record,
  row: undated,
  nameOf: ({model}) => model,
});

function stockCount(available: StockCount | undefined): Value | undefined {
  if (available === undefined) return undefined;
  return {text: `${available.count}${available.isAtLeast ? '+' : ''}`, number: available.count};
}

function configurationsOf({configurations}: Stock): Value | undefined {
  return text(configurations.map(({gpuCount, available}) => `${gpuCount}x:${stockCount(available)?.text}`).join(' '));
}
