import {expect, test} from 'vitest';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {costMetrics} from '../../src/export/cost-metrics.ts';
import {aUsageRecord} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

const NOTHING = {
  figures: undefined,
  machines: undefined,
  volumes: undefined,
  waste: undefined,
  wastedUsd: undefined,
  credit: undefined,
  budget: undefined,
};

test('exports no cost of a resource of which a part is unknown', () => {
  const span = (hourly: string | undefined, dollars: bigint | undefined) => ({
    ...aUsageRecord(1, hourly),
    ...(dollars === undefined ? {} : {billedCost: usd(rational(dollars, 1n))}),
  });
  const costs = (...usage: ReturnType<typeof span>[]) =>
    ['cloudcost_resource_hourly_cost', 'cloudcost_resource_cost_dollars_total'].map(
      name => costMetrics({...NOTHING, usage}).find(family => family.name === name)?.samples[0]?.value,
    );
  expect(costs(span('2', 5n), span('1', 7n))).toEqual([3, 12]);
  expect(costs(span('2', 5n), span(undefined, undefined))).toEqual([undefined, undefined]);
});

test('exports the price of a GPU only while its machine holds it', () => {
  const prices = (status: 'ACTIVE' | 'HIBERNATED') =>
    costMetrics({
      ...NOTHING,
      usage: [aUsageRecord(1, '16')],
      machines: [aVirtualMachine({id: 1, status, flavor: {name: safeText('n3-H100x8'), gpuCount: 8}})],
    }).find(({name}) => name === 'node_gpu_hourly_cost')?.samples[0]?.value;
  expect([prices('ACTIVE'), prices('HIBERNATED')]).toEqual([2, undefined]);
});
