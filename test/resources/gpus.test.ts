import {describe, expect, it} from 'vitest';
import type {Gpu} from '../../src/domain/gpu.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {Stock} from '../../src/domain/stock.ts';
import type {VirtualMachine} from '../../src/domain/virtual-machine.ts';
import {gpus} from '../../src/resources/gpus.ts';
import {gpusFeed, stocksFeed} from '../../src/state/catalogue.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {aReadScene, listed, read} from '../panes/a-read-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

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

describe('models of GPUs', () => {
  it('are sorted by name, with the free GPUs and those our machines hold, without hibernated machines', () => {
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
    const [h100, l40] = rowsOf(gpus, scene) ?? [];
    expect([h100, l40].map(row => cellOf(gpus, row, 'model')?.text)).toEqual(['H100', 'L40']);
    expect([h100, l40].map(row => cellOf(gpus, row, 'used')?.text)).toEqual(['0', '6']);
    expect(cellOf(gpus, l40, 'regions')?.text).toBe('CANADA-1 NORWAY-1');
    expect(cellOf(gpus, l40, 'free')?.text).toBe('CANADA-1 5+');
    expect(detailOf(gpus, l40, aReadScene([]))).toMatch(/in CANADA-1 +5\+ free {2}8x:0$/);
  });

  it('are unknown until they are read, and show an unknown use until the machines are read', () => {
    expect(rowsOf(gpus, aReadScene([]))).toBeUndefined();
    const [l40] = rowsOf(gpus, aReadScene([listed(gpusFeed, [L40])])) ?? [];
    expect(l40).toMatchObject({usedCount: undefined, stocks: []});
    expect(detailOf(gpus, l40, aReadScene([]))).toMatch(/in use here +–$/);
  });
});
