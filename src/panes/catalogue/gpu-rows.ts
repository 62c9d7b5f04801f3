import type {Gpu} from '../../domain/gpu.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {type Stock, stockText} from '../../domain/stock.ts';
import type {Column} from '../../resources/resource.ts';
import {gpusFeed, stocksFeed} from '../../state/catalogue.ts';
import {machinesFeed} from '../../state/machines.ts';
import type {Line} from '../../ui/text.ts';
import {numberColumn, textColumn} from '../column.ts';
import {field} from '../detail.ts';
import type {Scene} from '../pane.ts';
import {holdersOf} from './flavor-rows.ts';

/** A model with what can be had of it, and what is in use here. */
export type GpuRow = {
  readonly gpu: Gpu;
  readonly stocks: readonly Stock[];
  /** Cards that our machines hold, stopped ones too; undefined until machines were read. */
  readonly usedCount: number | undefined;
};

/** The models by name. Undefined until they were read. */
export function gpuRows({store}: Pick<Scene, 'store'>): readonly GpuRow[] | undefined {
  const gpus = lastValue(store.get(gpusFeed))?.records;
  const stocks = lastValue(store.get(stocksFeed))?.records ?? [];
  const machines = lastValue(store.get(machinesFeed))?.records;
  return gpus
    ?.map(gpu => ({
      gpu,
      stocks: stocks.filter(({model}) => isSameModel(model, gpu.name)),
      usedCount:
        machines &&
        holdersOf({machines})
          .filter(({flavor}) => isSameModel(flavor?.gpuModel ?? '', gpu.name))
          .reduce((sum, {flavor}) => sum + (flavor?.gpuCount ?? 0), 0),
    }))
    .sort((left, right) => left.gpu.name.localeCompare(right.gpu.name));
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

export const GPU_COLUMNS: readonly Column<GpuRow>[] = [
  textColumn({key: 'model', title: 'MODEL', minWidth: 22, maxWidth: 40, flex: 1}, ({gpu}) => gpu.name, {
    tone: 'strong',
  }),
  // What is free names its regions too, so these go first where there is no room for both.
  textColumn({key: 'regions', title: 'REGIONS', minWidth: 18, flex: 1, priority: 2}, ({gpu}) =>
    gpu.regionNames.join(' '),
  ),
  textColumn({key: 'free', title: 'FREE NOW', minWidth: 28, flex: 1}, availableText),
  numberColumn({key: 'used', title: 'IN USE HERE', minWidth: 11}, ({usedCount}) => usedCount, String),
];

export function gpuLines({gpu, stocks, usedCount}: GpuRow): readonly Line[] {
  return [
    field('regions', gpu.regionNames.length === 0 ? 'none' : gpu.regionNames.join(', ')),
    field('in use here', usedCount === undefined ? undefined : String(usedCount)),
    ...stocks.map(stock =>
      field(
        `in ${stock.regionName ?? 'unknown'}`,
        [
          `${countText(stock.available)} free`,
          ...stock.configurations.map(({gpuCount, available}) => `${gpuCount}×: ${stockText(available)}`),
        ].join('  '),
      ),
    ),
  ];
}
