import {expect, test} from 'vitest';
import {rational, usd} from '../../src/domain/money.ts';
import {costMetrics} from '../../src/export/cost-metrics.ts';
import {aUsageRecord} from '../panes/a-known-scene.ts';

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
