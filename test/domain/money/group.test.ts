import fc from 'fast-check';
import {expect, test} from 'vitest';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {type Grouping, groupsWorthALine, spendGroups} from '../../../src/domain/money/group.ts';
import {recordCosts} from '../../../src/domain/money/report.ts';
import {sumUsd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {volumeId} from '../../../src/domain/volume.ts';
import {HOUR_MS, epochMs, SECOND_MS} from '../../../src/domain/time.ts';
import {plainValue} from '../../../src/resources/column.ts';
import {monthCostColumns} from '../../../src/resources/cost.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aRecord, at, dollars, NOW, perHour} from './a-usage-record.ts';

const INVENTORY = {machines: new Map(), volumes: new Map()};

/** Machines created in the months before, at as many different moments, so that each cost is another fraction. */
function manyMachines(count: number) {
  return Array.from({length: count}, (_, index) =>
    aRecord({
      resourceId: index + 1,
      name: safeText(`train-${index + 1}`),
      createdAt: epochMs(at('2026-10-03T01:02:03Z') + index * 1337 * SECOND_MS),
      billedCost: dollars(`${100 + index}.123456`),
      rate: perHour('1.5'),
    }),
  );
}

test.each([1, 3, 8, 12, 20, 40, 200])('the costs of %i machines leave nothing that is not attributed', count => {
  const report = computeFigures(manyMachines(count), [], NOW);
  const groups = spendGroups(recordCosts(report), 'vm', {inventory: INVENTORY, total: report.monthToDate});
  expect(groups.map(({key}) => key).sort()).toEqual(
    manyMachines(count)
      .map(({name}) => String(name))
      .sort(),
  );
});

// The remainder of rounded bills, 0.3 cents too much or too little.
test.each(['4.997', '5.003'])('less than half a cent that is not attributed has no line of its own: %s', total => {
  const costs = [{record: aRecord({name: safeText('a'), rate: perHour('2')}), cost: dollars('5')}];
  const groups = spendGroups(costs, 'vm', {inventory: INVENTORY, total: dollars(total)});
  expect(groups.map(({key}) => key).toSorted()).toEqual(['a', 'not attributed']);
  expect(groupsWorthALine(groups).map(({key}) => key)).toEqual(['a']);
});

test('a cent that is not attributed has a line, and so has what burns but cost nothing yet', () => {
  const costs = [{record: aRecord({name: safeText('a'), rate: perHour('2')}), cost: dollars('0')}];
  const groups = spendGroups(costs, 'vm', {inventory: INVENTORY, total: dollars('0.01')});
  expect(
    groupsWorthALine(groups)
      .map(({key}) => key)
      .toSorted(),
  ).toEqual(['a', 'not attributed']);
});

const grouped = (by: Grouping, total: string) => {
  const ended = {isActive: false, terminatedAt: epochMs(NOW - HOUR_MS)};
  const costs = [
    {record: aRecord({name: safeText('a'), rate: perHour('2')}), cost: dollars('5')},
    {record: aRecord({name: safeText('free'), resourceId: 2, rate: perHour('0')}), cost: dollars('0')},
    {record: aRecord({name: safeText('old'), resourceId: 3, ...ended}), cost: dollars('0.0000001')},
    {record: aRecord({name: safeText('odd'), resourceId: 4, ...ended}), cost: dollars('0'), isUnknown: true},
  ];
  return spendGroups(costs, by, {inventory: INVENTORY, total: sumUsd([dollars(total)])});
};

test('what is not attributed is a group, above or below zero; what ended and cost nothing is none', () => {
  for (const [total, rest] of [
    ['7', 2_000_000],
    ['1', -4_000_000],
  ] as const) {
    const groups = new Map(grouped('vm', total).map(({key, spent}) => [key, spent]));
    expect(groups).toEqual(
      new Map([
        ['a', 5_000_000],
        ['not attributed', rest],
        ['free', 0],
        ['odd', undefined],
      ]),
    );
  }
});

test('a group of which only a part is known says so', () => {
  const unpriced = aRecord({resourceId: 2, name: safeText('b')});
  const {rate: _rate, ...unknown} = unpriced;
  const costs = [
    {record: aRecord({resourceId: 1, name: safeText('a'), rate: perHour('2')}), cost: dollars('5')},
    {record: unknown, cost: dollars('0'), isUnknown: true},
  ];
  const groups = (by: 'vm' | 'type') => spendGroups(costs, by, {inventory: INVENTORY, total: dollars('5')});
  expect(groups('type')).toEqual([
    {key: 'vm', spent: 5_000_000, perHour: 2_000_000, isSpentAtLeast: true, isPerHourAtLeast: true},
  ]);
  expect(groups('vm')).toEqual([
    {key: 'a', spent: 5_000_000, perHour: 2_000_000},
    {key: 'b', spent: undefined, perHour: undefined},
  ]);
  const [type] = groups('type');
  const cells = monthCostColumns('type', dollars('5')).map(({value}) => type && value(type));
  expect(cells.map(cell => cell?.text)).toEqual(['vm', '$2.00+', '$5.00+', '100%']);
  // A file has the figures, which add up.
  expect(cells.map(cell => cell && plainValue(cell))).toEqual(['vm', 2, 5, '100%']);
});

test.each([
  ['0.016430133', '$0.0164'],
  ['0.00000049', '$0.00'],
  ['25.6', '$25.60'],
])('a group at %s dollars an hour has the digits that rates have', (hourly, text) => {
  const costs = [{record: aRecord({rate: perHour(hourly)}), cost: dollars('5')}];
  const [group] = spendGroups(costs, 'type', {inventory: INVENTORY, total: dollars('5')});
  const column = monthCostColumns('type', dollars('5')).find(({key}) => key === 'per_hour_usd');
  expect(group && column?.value(group)?.text).toBe(text);
});

test('the labels of machines and of their volumes share all of the money, in any order, and none is counted twice', () => {
  const labels = fc.array(
    fc.constantFrom('a', 'b', 'team=x', 'team=y').map(label => safeText(label)),
    {maxLength: 5},
  );
  const money = fc.integer({min: 0, max: 10 ** 9});
  const resource = fc.record({labels, micro: money, hourly: money, volumeMicro: money});
  fc.assert(
    fc.property(fc.array(resource, {minLength: 1, maxLength: 8}), fc.integer({min: -1000, max: 1000}), (each, rest) => {
      const machines = (of: (own: readonly VirtualMachine['labels'][number][]) => VirtualMachine['labels']) =>
        new Map(each.map((one, id) => [id, aVirtualMachine({id, labels: of(one.labels)})]));
      const volumes = new Map(
        each.map((_, id) => [
          id,
          {
            ...{id: volumeId(id), name: safeText('data'), statusText: safeText('in-use'), status: 'IN_USE' as const},
            attachments: [{machineId: virtualMachineId(id), status: safeText('ATTACHED')}],
          },
        ]),
      );
      const costs = each.flatMap(({micro, hourly, volumeMicro}, resourceId) => [
        {record: aRecord({resourceId, rate: perHour(`${hourly}e-6`)}), cost: dollars(`${micro}e-6`)},
        {record: aRecord({resourceId, resourceType: safeText('volume')}), cost: dollars(`${volumeMicro}e-6`)},
      ]);
      const total = each.reduce((sum, {micro, volumeMicro}) => sum + micro + volumeMicro, rest);
      const by = (inventory: Parameters<typeof spendGroups>[2]['inventory'], given = costs) =>
        spendGroups(given, 'label', {inventory, total: dollars(`${total}e-6`)});
      const groups = by({machines: machines(own => own), volumes});
      const sum = (amounts: readonly (number | undefined)[]) =>
        amounts.reduce<number>((left, right) => left + (right ?? 0), 0);
      expect(sum(groups.map(({spent}) => spent))).toBe(total);
      expect(sum(groups.map(({perHour: rate}) => rate))).toBe(sum(each.map(({hourly}) => hourly)));
      expect(by({machines: machines(own => [...own, ...own]), volumes})).toEqual(groups);
      // What one label has alone is at least all of the machines with no other.
      for (const {key, spent = 0} of groups.filter(group => group.key !== 'not attributed')) {
        const sole = each.filter(one => one.labels.length > 0 && one.labels.every(label => label === key));
        expect(spent).toBeGreaterThanOrEqual(sum(sole.map(({micro, volumeMicro}) => micro + volumeMicro)));
      }
    }),
  );
});
