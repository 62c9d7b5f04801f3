import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {BillSample, UsageRecord} from '../../../src/domain/billing.ts';
import {type CostReading, costReport, recordCosts, spendByHour} from '../../../src/domain/money/report.ts';
import {costWithin, spendPerDay} from '../../../src/domain/money/spend.ts';
import {allocate, rational, sumUsd, toMicroUsd, usd, usdNumber} from '../../../src/domain/money.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs, HOUR_MS} from '../../../src/domain/time.ts';
import {type MachineEvent, type VirtualMachine, virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {sweepOf} from '../../support/tier.ts';
import {aCostReading, anyRecords, aRecord, at, dollars, NOW, perHour} from './a-usage-record.ts';

const runs = {numRuns: sweepOf({sample: 60, deep: 10_000})};

function aSample(moment: string, billed: string, isFirst = false): BillSample {
  return {at: at(moment), billedCost: dollars(billed), isFirst};
}

function daysOf(record: UsageRecord, fields: Partial<CostReading> = {}) {
  const {days, monthToDate} = costReport(aCostReading([record], fields));
  return {
    days: days.map(({cost}) => usdNumber(cost)),
    sources: days.map(({source}) => source),
    total: usdNumber(monthToDate),
  };
}

// Ten days and six hours, 246 h: at 2 $/h until noon of the 9th (204 h), then hibernated at no cost.
const HIBERNATED = aRecord({rate: perHour('0'), billedCost: dollars('408')});
const RUNNING = {days: [...Array.from({length: 8}, () => 48), 24, 0, 0], total: 408};

describe('the samples that the deck has taken', () => {
  test('show on which days a machine was hibernated, and do not change the total', () => {
    const samples = [
      aSample('2026-11-01T00:05:00Z', '0.1666666667', true),
      aSample('2026-11-09T12:00:00Z', '408'),
      aSample('2026-11-11T05:55:00Z', '408'),
    ];
    const {days, sources, total} = daysOf({...HIBERNATED, samples});
    expect(total).toBe(408);
    expect(days.map(cost => Math.round(cost * 1e4) / 1e4)).toEqual(RUNNING.days);
    expect(sources).toEqual(Array.from({length: 11}, () => 'samples'));
    // Without them its 408 $ are spread over 246 h, at 1.658 $/h.
    const even = daysOf(HIBERNATED);
    expect(even.days[10]).toBeCloseTo((408 * 6) / 246, 9);
    expect(even.sources).toEqual(Array.from({length: 11}, () => 'usage'));
  });

  test('leave a day before the first sample or without one to an even spread, and say so', () => {
    const samples = [
      aSample('2026-11-04T00:00:00Z', '144', true),
      aSample('2026-11-06T00:00:00Z', '240'),
      // No sample was taken for three days: 168 $ came in them, and nothing says when.
      aSample('2026-11-09T12:00:00Z', '408', true),
      aSample('2026-11-11T05:30:00Z', '408'),
    ];
    const {days, sources, total} = daysOf({...HIBERNATED, samples});
    expect(total).toBe(408);
    expect(days).toEqual([48, 48, 48, 48, 48, 48, 48, 48, 24, 0, 0]);
    const spread = ['usage', 'usage', 'usage'];
    expect(sources).toEqual([...spread, 'samples', 'samples', ...spread, 'usage', 'samples', 'samples']);
  });

  test('book a correction of the bill when it was seen, as a negative cost', () => {
    const samples = [aSample('2026-11-10T00:00:00Z', '432', true), aSample('2026-11-10T12:00:00Z', '392')];
    const corrected = aRecord({rate: perHour('2'), billedCost: dollars('428'), samples});
    // 2 $/h until the 10th, 40 $ taken back at noon of that day, then 18 h at 2 $/h.
    const {days, total} = daysOf(corrected);
    expect(total).toBe(428);
    expect(days.slice(8)).toEqual([48, -40 + 24, 12]);
  });

  test('change nothing when a record was billed evenly all the time', () => {
    const steady = aRecord({rate: perHour('2'), billedCost: dollars('492')});
    const samples = [aSample('2026-11-03T00:00:00Z', '96', true)];
    expect(daysOf({...steady, samples}).days).toEqual(daysOf(steady).days);
  });

  test('show the hours of a day that has no bill', () => {
    const samples = [aSample('2026-11-11T00:00:00Z', '480', true), aSample('2026-11-11T03:00:00Z', '489')];
    const record = aRecord({rate: perHour('1'), billedCost: dollars('492'), samples});
    const hours = spendByHour(costReport(aCostReading([record])), 7).map(
      ({dollars: each}) => Math.round(each * 1e6) / 1e6,
    );
    expect(hours).toEqual([3, 3, 3, 1, 1, 1, 0]);
  });
});

describe("a machine's events", () => {
  const machine: VirtualMachine = {
    id: virtualMachineId(1),
    name: safeText('train-01'),
    status: 'HIBERNATED',
    statusText: safeText('HIBERNATED'),
    labels: [],
    rules: [],
    volumes: [],
  };
  const event = (moment: string, reason: string): MachineEvent => ({
    occurredAt: at(moment),
    reason: safeText(reason),
    message: safeText(''),
  });
  const created = [
    event('2026-11-01T00:00:00Z', 'InstanceCreationRequest'),
    event('2026-11-01T00:00:00Z', 'InstanceCreationSuccess'),
  ];
  const slept = [
    event('2026-11-09T12:00:00Z', 'HibernateInstanceRequest'),
    event('2026-11-09T12:10:00Z', 'HibernateInstanceSuccess'),
  ];
  const told = (events: readonly MachineEvent[], fields: Partial<VirtualMachine> = {}) =>
    daysOf(HIBERNATED, {machines: [{...machine, ...fields}], events: new Map([[1, events]])});

  test('spread its bill over the time that it ran', () => {
    const {days, sources, total} = told([...created, ...slept]);
    expect(total).toBe(408);
    expect(days).toEqual(RUNNING.days);
    expect(sources.slice(0, 9)).toEqual(Array.from({length: 9}, () => 'events'));
  });

  test('leave the cost of its disk to the time that it was hibernated', () => {
    // 100 GB at $0.000096774 per GB and hour: of 8 × 1.35 $/h for as many A100, a share of 0.000896.
    const flavor = {name: safeText('n3-A100x8'), gpuModel: safeText('A100-80G-PCIe'), gpuCount: 8, rootDiskGb: 100};
    const {days, total} = told([...created, ...slept], {flavor});
    const [full, stored] = [8 * 1.35, 100 * 0.000_096_774];
    // Running for 204 h, and hibernated from 12:10 on the 9th for 41 h 50 min.
    const perFull = 408 / (204 * full + (42 - 10 / 60) * stored);
    expect(total).toBe(408);
    expect(days[0]).toBeCloseTo(24 * full * perFull, 9);
    expect(days[9]).toBeCloseTo(24 * stored * perFull, 9);
  });

  test.each<[string, readonly MachineEvent[]]>([
    ['do not lead to its present state', created],
    ['do not go back to its start', slept],
    ['include a change that failed', [...created, event('2026-11-04T00:00:00Z', 'HibernateInstanceFailed'), ...slept]],
  ])('are not used when they %s', (_, events) => {
    const {days, sources} = told(events);
    expect(days[10]).toBeCloseTo((408 * 6) / 246, 9);
    expect(sources).toEqual(Array.from({length: 11}, () => 'usage'));
  });
});

describe('properties of refined bills', {timeout: 300_000}, () => {
  const moments = fc.array(fc.record({share: fc.integer({min: 1, max: 999}), micro: fc.bigInt(0n, 10n ** 10n)}), {
    maxLength: 6,
  });
  const refined = fc.array(fc.tuple(anyRecords(1), moments, fc.boolean()), {maxLength: 8}).map(all =>
    all.flatMap(([[record], sampled, isFirst], index): UsageRecord[] => {
      if (record?.createdAt === undefined) return [];
      const from = record.createdAt;
      const length = (record.terminatedAt ?? NOW) - from;
      const samples = sampled
        .map(({share, micro}) => ({
          at: epochMs(Math.round(from + (length * share) / 1000)),
          billedCost: usd(rational(micro, 1_000_000n)),
          isFirst,
        }))
        .sort((left, right) => left.at - right.at);
      return [{...record, resourceId: index + 1, samples}];
    }),
  );

  test('days and hours add up to the bill, whatever was sampled', () => {
    fc.assert(
      fc.property(refined, records => {
        for (const record of records) {
          const {createdAt = NOW, billedCost} = record;
          const start = epochMs(Math.floor(createdAt / DAY_MS) * DAY_MS);
          const whole = {start, end: epochMs(NOW + DAY_MS), now: NOW};
          const days = spendPerDay([record], whole);
          const hourCount = (days.length * DAY_MS) / HOUR_MS;
          const hours = Array.from({length: Math.min(hourCount, 48)}, (_, hour) => {
            const from = epochMs(start + hour * HOUR_MS);
            return costWithin(record, {start: from, end: epochMs(from + HOUR_MS), now: NOW});
          });
          const firstDays = sumUsd(days.slice(0, 2).map(({cost}) => cost));
          expect(toMicroUsd(sumUsd(hours))).toBe(toMicroUsd(firstDays));
          if (billedCost === undefined || billedCost.numerator < 0n) continue;
          expect(toMicroUsd(sumUsd(days.map(({cost}) => cost)))).toBe(toMicroUsd(billedCost));
        }
      }),
      runs,
    );
  });

  test('days, spenders and the month have the same sum', () => {
    fc.assert(
      fc.property(refined, records => {
        const report = costReport(aCostReading(records));
        const total = toMicroUsd(report.monthToDate);
        const sum = (parts: readonly number[]) => parts.reduce((left, right) => left + right, 0);
        expect(sum(allocate(report.days.map(({cost}) => cost)))).toBe(total);
        expect(sum(allocate(recordCosts(report).map(({cost}) => cost)))).toBe(total);
      }),
      runs,
    );
  });
});
