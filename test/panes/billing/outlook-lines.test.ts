import {expect, it} from 'vitest';
import {monthSoFar} from '../../../src/domain/billing-history.ts';
import {rational, type Usd, usd} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS, MINUTE_MS} from '../../../src/domain/time.ts';
import type {MachineMetrics} from '../../../src/domain/series.ts';
import {type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {computeFigures, topSpenders} from '../../../src/domain/money/figures.ts';
import {
  anomalyLines,
  changeLines,
  gapsLine,
  narrowWaste,
  projectionLine,
  shiftLines,
  sumsLine,
} from '../../../src/panes/billing/outlook-lines.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {historyFeed, machineHistoriesFeed} from '../../../src/state/billing.ts';
import {LearntActivity} from '../../../src/state/learnt-activity.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';
import {aReadScene, listed} from '../a-read-scene.ts';

/** Two machines, at $4 and $3 an hour, for an hour. */
const FIGURES = computeFigures([aUsageRecord(1, '4'), aUsageRecord(2, '3')], [], NOW);

it.each([
  ['were not read', {}, true],
  ['were read, and there is none', {contracts: []}, false],
  ['were read, but not what one covers that ends this month', {contracts: [aContract(3)]}, true],
  ['end after the month', {contracts: [aContract(40)]}, false],
])('says that the end of the month is without the ends of contracts when these %s', (_when, known, isWithout) => {
  const words = textOf(projectionLine(computeFigures([aUsageRecord(1, '4')], [], NOW, known)));
  expect(words.includes('without ends of contracts')).toBe(isWithout);
});

it('says that days and spenders add up to the month, or by how much they do not', () => {
  expect(textOf(sumsLine(FIGURES, topSpenders(FIGURES), '✔'))).toBe('  ✔ days and spenders add up');
  const [first] = topSpenders(FIGURES);
  const short = first === undefined ? [] : [first];
  expect(textOf(sumsLine(FIGURES, short, '✔'))).toBe('  spenders $3.00 short');
  // When there is no room for the meaning of the sign, only gaps are shown.
  expect(textOf(gapsLine(FIGURES, topSpenders(FIGURES)))).toBe('');
  expect(textOf(gapsLine(FIGURES, short))).toBe('  spenders $3.00 short');
});

it('says by how much the days miss the bill of the month, which is in none of them', () => {
  // Twenty days, each billed $5, and a month of $150.
  const billed = Array.from({length: 20}, (_, index) => {
    const start = epochMs(FIGURES.month.start + index * DAY_MS);
    return {start, until: epochMs(Math.min(start + DAY_MS, NOW)), cost: usd(rational(5n, 1n))};
  });
  const billedMonth = {cost: usd(rational(150n, 1n)), until: NOW};
  const figures = computeFigures(FIGURES.reading.live, [], NOW, {billed, billedMonth});
  expect(textOf(gapsLine(figures, topSpenders(figures)))).toBe('  days $50.00 short');
});

it('says what no spender explains instead of that everything adds up', () => {
  // Two machines at $7 an hour for an hour; the provider billed $24 in the month, and $7 for the machines.
  const billedMonth = {cost: usd(rational(24n, 1n)), until: NOW};
  const bills = [4n, 3n].map((cost, index) => ({
    machineId: index + 1,
    name: safeText(`gpu-${index + 1}`),
    billedCost: usd(rational(cost, 1n)),
    usedByState: [],
  }));
  const figuresOf = (cost: Usd) =>
    computeFigures(FIGURES.reading.live, [], NOW, {billedMonth: {...billedMonth, cost}, machineHistories: bills});
  const shown = (figures: typeof FIGURES) => textOf(sumsLine(figures, topSpenders(figures), '✔'));
  expect(shown(figuresOf(billedMonth.cost))).toBe('  ✔ days add up, $17.00 not attributed to a resource');
  expect(shown(figuresOf(usd(rational(4n, 1n))))).toBe('  ✔ days add up, -$3.00 not attributed to a resource');
  // Bills are by the minute: two minutes at $7 an hour are $0.23.
  expect(shown(figuresOf(usd(rational(72n, 10n))))).toBe('  ✔ days and spenders add up');
});

it('marks what was spent as at least that only if a machine may have cost more since the deck was opened', () => {
  // Ten days at $6 an hour are $1,440, so it cost more before it was hibernated.
  const record = {...aUsageRecord(1, '6'), createdAt: epochMs(NOW - 10 * DAY_MS), billedCost: usd(rational(5000n, 1n))};
  const openedAt = epochMs(NOW - 9 * MINUTE_MS);
  const shown = (states: readonly (readonly ['ACTIVE' | 'HIBERNATED', number])[]) => {
    const activity = new LearntActivity(undefined);
    for (const [status, minutesAgo] of states) {
      activity.learnStates([{id: virtualMachineId(1), status}], epochMs(NOW - minutesAgo * MINUTE_MS));
    }
    const scene = aKnownScene({}, {openedAt, activity});
    return shiftLines(scene, computeFigures([record], [], NOW), {labelCells: 12, width: 80})
      .map(textOf)
      .join('');
  };
  // Nine minutes at $6 an hour.
  expect(
    shown([
      ['HIBERNATED', 9],
      ['HIBERNATED', 1],
    ]),
  ).toContain('$0.90  ');
  expect(
    shown([
      ['ACTIVE', 9],
      ['HIBERNATED', 5],
    ]),
  ).toContain('$0.90+');
  // Nothing was read in the first minutes.
  expect(shown([['HIBERNATED', 5]])).toContain('$0.90+');
});

it('says of a rise that was partly ended since when the burn rate is above the usual', () => {
  const started = (id: number, hourly: string, hoursAgo: number) => ({
    ...aUsageRecord(id, hourly),
    createdAt: epochMs(NOW - hoursAgo * HOUR_MS),
  });
  // $20/h for two days, then $50/h for machine 2, which was deleted an hour ago, and $30/h for machine 3.
  const deleted = {...started(2, '50', 5), isActive: false, terminatedAt: epochMs(NOW - HOUR_MS)};
  const figures = computeFigures([started(1, '20', 48), started(3, '30', 3)], [deleted], NOW);
  const [line, cause] = anomalyLines(figures).map(textOf);
  // Five hours before 20:58Z.
  expect(line).toMatch(/^ \+\$30\.00\/h now, above the usual since 20 Nov 15:58Z /);
  expect(cause).toMatch(/^ caused by gpu-3/);
});

it('shows the earlier burn rate and the record that changed it most, its name shortened in the middle if needed', () => {
  // The provider keeps no bills, so the earlier rate is an estimate.
  const scene = aReadScene([listed(historyFeed(monthSoFar(NOW)), [])]);
  const shown = (width: number) => changeLines(scene, FIGURES, {labelCells: 10, width}).map(textOf);
  expect(shown(60)).toEqual([
    ' 1 h ago   ~$0.00/h',
    '   since   +$4.00/h gpu-1, 1 more',
    ' 24 h ago  ~$0.00/h',
    '   since   +$4.00/h gpu-1, 1 more',
  ]);
  expect(shown(32)[1]).toBe('   since   +$4.00/h gp…1, 1 more');
  const beside = changeLines(scene, FIGURES, {labelCells: 9, width: 78, causes: 'beside'});
  expect(beside.map(textOf)).toEqual([
    ' 1 h ago  ~$0.00/h  since +$4.00/h gpu-1, 1 more',
    ' 24 h ago ~$0.00/h  since +$4.00/h gpu-1, 1 more',
  ]);
});

it('shows no earlier burn rate while its bills are being read, and keeps one until the next half hour was read', () => {
  const bill = (dollars: bigint) => [{billedCost: usd(rational(dollars, 1n))}];
  const month = listed(historyFeed(monthSoFar(NOW)), bill(70n));
  const awaited = [' 1 h ago  reading bills…', ' 24 h ago reading bills…'];
  // Both run for a day: nothing began in the half hour.
  const records = [aUsageRecord(1, '4'), aUsageRecord(2, '3')].map(each => ({
    ...each,
    createdAt: epochMs(NOW - DAY_MS),
  }));
  const figures = computeFigures(records, [], NOW);
  const shown = (scene: Scene) => changeLines(scene, figures, {labelCells: 9, width: 78, causes: 'beside'}).map(textOf);
  expect(shown(aReadScene([]))).toEqual(awaited);
  expect(shown(aReadScene([month]))).toEqual(awaited);
  // From 19:35 to 20:05, an hour ago in steps of ten minutes.
  const halfHour = (minutes: number) => {
    const period = {
      startsAt: epochMs(Date.UTC(2026, 10, 20, 19, 35 + minutes)),
      endsAt: epochMs(Date.UTC(2026, 10, 20, 20, 5 + minutes)),
    };
    return [listed(historyFeed(period), bill(4n)), listed(machineHistoriesFeed(period), [])];
  };
  const machines = listed(machinesFeed, [aVirtualMachine({id: 1}), aVirtualMachine({id: 2})]);
  // $4 in half an hour, and $7 an hour now.
  const [anHourAgo] = shown(aReadScene([month, machines, ...halfHour(0)]));
  expect(anHourAgo).toMatch(/^ 1 h ago {2}\$8\.00\/h {2}-13%/);
  const [later] = shown(aReadScene([month, machines, ...halfHour(0)], {now: epochMs(NOW + 2 * MINUTE_MS)}));
  expect(later).toMatch(/^ 1 h ago {2}\$8\.00\/h {2}-13%/);
});

it('says in a narrow pane too that the waste is incomplete until all running machines were judged', () => {
  const shown = (
    status: 'SHUTOFF' | 'ACTIVE',
    metrics: ReadonlyMap<VirtualMachine['id'], MachineMetrics>,
    volumes = {volumes: []} as object,
  ) => {
    const machines = [aVirtualMachine({id: 1, status, flavor: A_FLAVOR}), aVirtualMachine({id: 2, flavor: A_FLAVOR})];
    const usage = [aUsageRecord(1, '25.60'), aUsageRecord(2, '1')];
    return textOf(narrowWaste(aKnownScene({machines, usage, metrics, ...volumes}))).trim();
  };
  const judged = new Map([1, 2].map(id => [virtualMachineId(id), busyMetrics(4, {hours: 24})]));
  expect(shown('SHUTOFF', new Map())).toBe('waste at least $25.60/h');
  expect(shown('SHUTOFF', judged)).toBe('waste $25.60/h (tab)');
  expect(shown('ACTIVE', new Map())).toBe('waste: 2 not judged');
  expect(shown('ACTIVE', judged)).toBe('');
  expect(shown('SHUTOFF', judged, {})).toBe('waste at least $25.60/h');
  expect(shown('ACTIVE', judged, {})).toBe('waste: volumes unknown');
});

it('does not count a machine as unjudged that is too new to be idle', () => {
  const machine = aVirtualMachine({id: 1, flavor: A_FLAVOR, createdAt: epochMs(NOW - 6 * DAY_MS)});
  const scene = aKnownScene({volumes: [], machines: [machine], usage: [aUsageRecord(1, '1')], metrics: new Map()});
  expect(textOf(narrowWaste(scene))).toBe('');
});
