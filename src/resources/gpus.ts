import {gpus as gpusEndpoint} from '../api/gpus.ts';
import type {Gpu} from '../domain/gpu.ts';
import {say} from '../domain/safe-text.ts';
import {lastValue} from '../domain/snapshot.ts';
import {type Stock, stockText} from '../domain/stock.ts';
import {gpusFeed, stocksFeed} from '../state/catalogue.ts';
import {machinesFeed} from '../state/machines.ts';
import type {Line} from '../ui/text.ts';
import {field} from './detail.ts';
import {holdersOf} from './flavors.ts';
import {machinesWhere} from './related.ts';
import {type Column, number, text} from './column.ts';
import {rawOf} from './listing.ts';
import {defineResource, type RowInput} from './resource.ts';

/** A GPU model with its stock and its use in this account. */
export type GpuRow = {
  readonly gpu: Gpu;
  readonly stocks: readonly Stock[];
  /** Cards held by our machines, including stopped ones; undefined until machines were read. */
  readonly usedCount: number | undefined;
};

const COLUMNS: readonly Column<GpuRow>[] = [
  {
    key: 'model',
    title: 'MODEL',
    value: ({gpu}) => text(gpu.name),
    list: {minWidth: 22, maxWidth: 40, flex: 1, tone: 'strong'},
  },
  // Dropped first when there is no room: the stock column names the regions too.
  {
    key: 'regions',
    title: 'REGIONS',
    value: ({gpu}) => text(gpu.regionNames.join(' ')),
    list: {minWidth: 18, flex: 1, priority: 2},
  },
  {
    key: 'free',
    title: 'FREE NOW',
    printed: 'wide',
    reads: stocksFeed,
    value: row => text(availableText(row)),
    list: {minWidth: 28, flex: 1},
  },
  {
    key: 'used',
    title: 'IN USE HERE',
    align: 'right',
    printed: 'wide',
    reads: machinesFeed,
    value: ({usedCount}) => number(usedCount),
    list: {minWidth: 11},
  },
];

export const gpus = defineResource<Gpu, GpuRow>({
  names: ['gpus', 'gpu'],
  words: {many: say`GPUs`, one: say`GPU`},
  summary: 'GPU models, with their regions',
  columns: COLUMNS,
  list: async ({client, signal}) => rawOf(await client.readRaw(gpusEndpoint, {}, {signal})),
  parse: gpusEndpoint.record,
  feed: gpusFeed,
  row: gpuRow,
  orderWords: say`by name`,
  order: (left, right) => left.gpu.name.localeCompare(right.gpu.name),
  detail: gpuLines,
  related: ({name}, store) => [machinesWhere(store, ({flavor}) => isSameModel(flavor?.gpuModel ?? '', name))],
  recordIn: ({gpu}) => gpu,
  path: () => gpusEndpoint.path({}),
  idOf: ({name}) => name,
  nameOf: ({name}) => name,
});

function gpuRow({store}: RowInput): (gpu: Gpu) => GpuRow {
  const stocks = lastValue(store.get(stocksFeed))?.records ?? [];
  const machines = lastValue(store.get(machinesFeed))?.records;
  const holders = machines && holdersOf({machines});
  return gpu => ({
    gpu,
    stocks: stocks.filter(({model}) => isSameModel(model, gpu.name)),
    usedCount: holders
      ?.filter(({flavor}) => isSameModel(flavor?.gpuModel ?? '', gpu.name))
      .reduce((sum, {flavor}) => sum + (flavor?.gpuCount ?? 0), 0),
  });
}

function isSameModel(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function availableText({stocks}: GpuRow): string | undefined {
  return stocks.length === 0
    ? undefined
    : stocks.map(({regionName, available}) => `${regionName ?? 'unknown'} ${countText(available)}`).join('  ');
}

function countText(available: Stock['available']): string {
  return available === undefined ? 'unknown' : stockText(available);
}

function gpuLines({gpu, stocks, usedCount}: GpuRow): readonly Line[] {
  return [
    field('regions', gpu.regionNames.length === 0 ? 'none' : gpu.regionNames.join(', ')),
    field('in use here', usedCount === undefined ? undefined : String(usedCount)),
    ...stocks.map(stock =>
      field(
        `in ${stock.regionName ?? 'unknown'}`,
        [
          `${countText(stock.available)} free`,
          ...stock.configurations.map(({gpuCount, available}) => `${gpuCount}x:${stockText(available)}`),
        ].join('  '),
      ),
    ),
  ];
}
