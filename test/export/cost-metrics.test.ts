import {expect, test} from 'vitest';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {computeFigures} from '../../src/domain/money/figures.ts';
import type {Runway} from '../../src/domain/cost.ts';
import {HOUR_MS} from '../../src/domain/time.ts';
import {costMetrics} from '../../src/export/cost-metrics.ts';
import {aUsageRecord, NOW} from '../panes/a-known-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';

const NOTHING = {
  figures: undefined,
  machines: undefined,
  volumes: undefined,
  waste: undefined,
  wastedUsd: undefined,
  credit: undefined,
  runway: undefined,
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

test('exports no month that lacks what was deleted in it, unless the provider has billed it', () => {
  const live = [{...aUsageRecord(1, '16'), billedCost: usd(rational(16n, 1n))}];
  const ofMonth = (deleted: [] | undefined, known: Parameters<typeof computeFigures>[3] = {}) => {
    const families = costMetrics({...NOTHING, usage: live, figures: computeFigures(live, deleted, NOW, known)});
    const exported = (name: string) => families.find(family => family.name === name)?.samples[0]?.value;
    return [exported('cloudcost_month_to_date_dollars'), exported('cloudcost_burn_hourly_cost')];
  };
  expect(ofMonth([])).toEqual([16, 16]);
  expect(ofMonth(undefined)).toEqual([undefined, 16]);
  expect(ofMonth(undefined, {billedMonth: {cost: usd(rational(90n, 1n)), until: NOW}})).toEqual([90, 16]);
});

test.each<[string, Partial<Runway>, readonly [estimate: string | undefined, seconds: number][]]>([
  [
    'all prices are known',
    {leftMs: 40 * HOUR_MS},
    [
      ['most', 144_000],
      ['list', 144_000],
    ],
  ],
  [
    'a contract may lower a price',
    {leftMs: 52 * HOUR_MS, atListMs: 40 * HOUR_MS},
    [
      ['most', 187_200],
      ['list', 144_000],
    ],
  ],
  ['nothing else is billed', {atListMs: 40 * HOUR_MS}, [['list', 144_000]]],
  ['it has no end', {isEndless: true}, []],
])('exports how long the credit lasts where %s', (_, rest, expected) => {
  const known = {isEndless: false, isAtMost: false, hasUnpriced: false, changingCount: 0, unmeteredCount: 0};
  const families = costMetrics({...NOTHING, usage: undefined, runway: {leftMs: undefined, ...known, ...rest}});
  const {samples} = families.find(({name}) => name === 'cloudcost_credit_runway_seconds') ?? {};
  expect(samples?.map(({labels, value}) => [labels.estimate, value])).toEqual(expected);
});
