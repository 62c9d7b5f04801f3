import {describe, expect, it} from 'vitest';
import type {Gpu} from '../../../src/domain/gpu.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {Stock} from '../../../src/domain/stock.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import {GPU_COLUMNS, gpuLines, gpuRows} from '../../../src/panes/catalogue/gpu-rows.ts';
import {gpusFeed, stocksFeed} from '../../../src/state/catalogue.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {aReadScene, listed, read, textsOf} from '../a-read-scene.ts';

const CANADA = safeText('CANADA-1');
const L40: Gpu = {name: safeText('L40'), regionNames: [CANADA, safeText('NORWAY-1')]};
const H100: Gpu = {name: safeText('H100'), regionNames: []};
const L40_STOCK: Stock = {
  model: safeText('l40'),
  regionName: CANADA,
  available: {count: 5, isAtLeast: true},
  configurations: [{gpuCount: 8, available: {count: 0, isAtLeast: false}}],
};

function holding(id: number, gpuModel: string, gpuCount: number, status: VirtualMachine['status']): VirtualMachine {
  return aVirtualMachine({id, status, flavor: {name: safeText('n3'), gpuModel: safeText(gpuModel), gpuCount}});
}

function cell(row: NonNullable<ReturnType<typeof gpuRows>>[number] | undefined, key: string): string | undefined {
  const column = GPU_COLUMNS.find(each => each.key === key);
  if (row === undefined || column === undefined) throw new Error(`no cell ${key}`);
  return column.value(row)?.text;
}

describe('gpuRows', () => {
  it('are the models by name, with what is free and the cards our machines hold, asleep ones not', () => {
    const machines = [
      holding(1, 'L40', 2, 'ACTIVE'),
      holding(2, 'l40', 4, 'SHUTOFF'),
      holding(3, 'L40', 8, 'HIBERNATED'),
      holding(4, 'A100', 1, 'ACTIVE'),
    ];
    const scene = aReadScene([
      listed(gpusFeed, [L40, H100]),
      listed(stocksFeed, [L40_STOCK]),
      read(machinesFeed, aListing(machines)),
    ]);
    const [h100, l40] = gpuRows(scene) ?? [];
    expect([h100, l40].map(row => cell(row, 'model'))).toEqual(['H100', 'L40']);
    expect([h100, l40].map(row => cell(row, 'used'))).toEqual(['0', '6']);
    expect(cell(l40, 'regions')).toBe('CANADA-1 NORWAY-1');
    expect(cell(l40, 'free')).toBe('CANADA-1 5+');
    if (l40 === undefined) throw new Error('no L40');
    expect(textsOf(gpuLines(l40))).toMatch(/in CANADA-1 +5\+ free {2}8×: 0$/);
  });

  it('are unknown until they were read, and say nothing of machines that were not', () => {
    expect(gpuRows(aReadScene([]))).toBeUndefined();
    const [l40] = gpuRows(aReadScene([listed(gpusFeed, [L40])])) ?? [];
    expect(l40).toMatchObject({usedCount: undefined, stocks: []});
    if (l40 === undefined) throw new Error('no L40');
    expect(textsOf(gpuLines(l40))).toMatch(/in use here +–$/);
  });
});
