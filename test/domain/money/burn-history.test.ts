import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../../src/domain/billing.ts';
import {burnBins, burnHistory} from '../../../src/domain/money/burn-history.ts';
import {computeFigures} from '../../../src/domain/money/figures.ts';
import {rational} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import {aContract} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';
import {aRecord, at, dollars, NOW, perHour} from './a-usage-record.ts';

// At $10 an hour since the first of the month: ten days, and six hours of today.
const STEADY = aRecord({resourceId: 1, billedCost: dollars('2460'), rate: perHour('10')});
// Four hours old: three hours at its list price of $1.90, and one at a cent since it was hibernated.
const HIBERNATED = aRecord({
  resourceId: 2,
  createdAt: epochMs(NOW - 4 * HOUR_MS),
  billedCost: dollars('5.71'),
  rate: perHour('0.01'),
});
const MACHINE = aVirtualMachine({
  id: 2,
  status: 'HIBERNATED',
  flavor: {name: safeText('n1-cpu-xlarge'), cpuCount: 16, gpuCount: 0},
});

function history(records: readonly UsageRecord[], known: Parameters<typeof computeFigures>[3] = {}) {
  const told = burnHistory(computeFigures(records, [], NOW, known));
  return {...told, hoursAgo: (hours: number) => told.burnBefore(NOW - hours * HOUR_MS) * HOUR_MS};
}

describe('burnHistory', () => {
  test('does not drop to zero where the present burn rate is unknown, which the bill shows until now', () => {
    const {rate: _rate, ...unpriced} = STEADY;
    const {hoursAgo} = history([unpriced]);
    expect([0, 5].map(hoursAgo)).toEqual([10, 10].map(each => expect.closeTo(each)));
  });

  test('ends at the present burn rate, and has a hibernated machine at the rate it had while it ran', () => {
    const {hoursAgo, ...told} = history([STEADY, HIBERNATED], {machines: [MACHINE]});
    expect([0, 0.5, 2, 3.5, 5].map(hoursAgo)).toEqual([10.01, 10.01, 11.9, 11.9, 10].map(each => expect.closeTo(each)));
    expect(burnBins(told, {now: NOW, windowMs: 8 * HOUR_MS, count: 4})).toEqual(
      [10, 10, 11.9, 10.01].map(each => expect.closeTo(each)),
    );
  });

  test('shows a peak that is shorter than a bin in its bin', () => {
    // Twenty minutes at $6 an hour, three hours ago.
    const peak = aRecord({
      resourceId: 3,
      createdAt: epochMs(NOW - 3.5 * HOUR_MS),
      terminatedAt: epochMs(NOW - 3.5 * HOUR_MS + HOUR_MS / 3),
      isActive: false,
      billedCost: dollars('2'),
    });
    const {hoursAgo: _, ...told} = history([STEADY, peak]);
    expect(burnBins(told, {now: NOW, windowMs: 8 * HOUR_MS, count: 4})).toEqual(
      [10, 10, 16, 10].map(each => expect.closeTo(each)),
    );
    expect(told.highestWithin(NOW - 8 * HOUR_MS, NOW) * HOUR_MS).toBeCloseTo(16);
    expect(told.highestWithin(NOW - 3 * HOUR_MS, NOW) * HOUR_MS).toBeCloseTo(10);
    // The newest bin shows the present rate, even when it was higher a moment ago.
    const [, before, now] = burnBins(history([STEADY, HIBERNATED], {machines: [MACHINE]}), {
      now: NOW,
      windowMs: 6 * HOUR_MS,
      count: 3,
    });
    expect([before, now]).toEqual([11.9, 10.01].map(each => expect.closeTo(each)));
  });

  test('has a hibernated machine with a public address at its price and that of its address while it ran', () => {
    // Three hours at $1.90 and $0.00672043, and one at a cent.
    const record = {...HIBERNATED, billedCost: dollars('5.73016129')};
    const {hoursAgo} = history([record], {machines: [{...MACHINE, floatingIp: safeText('192.0.2.7')}]});
    expect(hoursAgo(2)).toBeCloseTo(1.90672043, 8);
    // It ran until an hour ago.
    expect([0.999, 1.001].map(hoursAgo)).toEqual([expect.closeTo(0.01, 8), expect.closeTo(1.90672043, 8)]);
  });

  test('ends at the present burn rate when a hibernated machine has no known price', () => {
    const {hoursAgo} = history([STEADY, HIBERNATED]);
    // Its past is then the average: $5.71 over four hours.
    expect([0, 0.5, 2].map(hoursAgo)).toEqual([10.01, 11.4275, 11.4275].map(each => expect.closeTo(each)));
  });

  test('has a hibernated machine running until its events say that it was hibernated', () => {
    const happened = (hoursAgo: number, reason: string) => ({
      occurredAt: epochMs(NOW - hoursAgo * HOUR_MS),
      reason: safeText(reason),
      message: safeText(''),
    });
    const events = [happened(4, 'InstanceCreationSuccess'), happened(0.75, 'HibernateInstanceSuccess')];
    const {hoursAgo} = history([STEADY, HIBERNATED], {machines: [MACHINE], events: new Map([[2, events]])});
    expect([0.5, 0.8, 3.5].map(hoursAgo)).toEqual([10.01, 11.9, 11.9].map(each => expect.closeTo(each)));
  });

  test('has the highest rate of an ended rise as the finding tells it', () => {
    // Twelve machines at $10/h for three hours, hibernated an hour ago; without their prices the bill is spread evenly.
    const sweeps = Array.from({length: 12}, (_, index) =>
      aRecord({
        resourceId: 10 + index,
        name: safeText(`sweep-${index}`),
        createdAt: epochMs(NOW - 4 * HOUR_MS),
        upTimeMinutes: rational(180n, 1n),
        billedCost: dollars('30'),
        rate: perHour('0.01'),
      }),
    );
    const {highestWithin} = history([STEADY, ...sweeps]);
    expect(highestWithin(NOW - 2 * HOUR_MS, NOW) * HOUR_MS).toBeCloseTo(10 + 12 * 10);
    expect(highestWithin(NOW - 0.5 * HOUR_MS, NOW) * HOUR_MS).toBeLessThan(130);
  });

  test('has a hibernated machine under a contract at the price of its contract while it ran', () => {
    const contract = aContract(30, {
      id: 7,
      discounts: [
        {
          resourceName: safeText('n1-cpu-xlarge'),
          terms: {kind: 'percent', percent: rational(30n, 1n)},
          statusText: safeText('active'),
        },
      ],
    });
    const machine = {...MACHINE, contractId: 7};
    // Three hours at 70% of $1.90, and one at a cent.
    const covered = {...HIBERNATED, billedCost: dollars('4')};
    const {hoursAgo} = history([STEADY, covered], {machines: [machine], contracts: [contract]});
    expect([0.5, 2, 3.5].map(hoursAgo)).toEqual([10.01, 11.33, 11.33].map(each => expect.closeTo(each)));
    // Without the contracts its price is unknown, and its past the average: $4 over four hours.
    expect(history([STEADY, covered], {machines: [machine]}).hoursAgo(2)).toBeCloseTo(11);
  });

  test('is scaled to the bill on a day that has one, so that the mean of the day is its bill', () => {
    const yesterday = at('2026-11-10T00:00:00Z');
    const billed = [{start: yesterday, until: epochMs(yesterday + DAY_MS), cost: dollars('228')}];
    const {hoursAgo, dayMeanPerHour} = history([STEADY], {billed});
    expect([0, 5, 24, 31].map(hoursAgo)).toEqual([10, 10, 9.5, 10].map(each => expect.closeTo(each)));
    expect(dayMeanPerHour(NOW - DAY_MS)).toBeCloseTo(9.5);
    expect(dayMeanPerHour(NOW - 2 * DAY_MS)).toBeCloseTo(10);
  });

  test('is not scaled to the bill of the first minutes of a day, which is by whole minutes', () => {
    const midnight = at('2026-11-11T00:00:00Z');
    // Ten days at $10 an hour, and half a minute of which nothing was billed yet.
    const record = {...STEADY, billedCost: dollars('2400')};
    const billed = [{start: midnight, until: epochMs(midnight + 30_000), cost: dollars('0')}];
    const {dayMeanPerHour} = burnHistory(computeFigures([record], [], epochMs(midnight + 30_000), {billed}));
    expect(dayMeanPerHour(midnight)).toBeCloseTo(10, 1);
  });
});
