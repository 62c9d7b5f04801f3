import {describe, expect, test} from 'vitest';
import type {UsageRecord} from '../../src/domain/billing.ts';
import {parseDecimal, ratePerHour, rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {usageFlags} from '../../src/domain/usage-flags.ts';

const NOW = epochMs(Date.UTC(2026, 10, 11));
const DAY_AGO = epochMs(NOW - DAY_MS);
const ONE = rational(1n, 1n);
const SOUND: UsageRecord = {
  resourceId: 1,
  resourceType: safeText('vm'),
  name: safeText('train-01'),
  createdAt: DAY_AGO,
  rate: ratePerHour(ONE),
  upTimeMinutes: rational(1440n, 1n),
  billedCost: usd(ONE),
  isActive: true,
  isExcludedFromBilling: false,
};

describe('usageFlags', () => {
  test('finds nothing wrong with a sound record, nor with a pause inside it', () => {
    expect(usageFlags([SOUND, {...SOUND, resourceId: 2, upTimeMinutes: rational(700n, 1n)}], NOW)).toEqual([]);
  });

  test('asks no rate of a terminated record', () => {
    const {rate: _, ...withoutRate} = SOUND;
    expect(flagsOf({...withoutRate, isActive: false, terminatedAt: NOW})).toEqual([]);
    expect(flagsOf(withoutRate)).toEqual(['NO_RATE']);
  });

  test.each<[Partial<UsageRecord>, string]>([
    [{createdAt: epochMs(NOW + 1)}, 'FUTURE'],
    [{terminatedAt: epochMs(DAY_AGO - 1)}, 'INVERTED'],
    [{rate: ratePerHour(parseDecimal('-1') ?? ONE)}, 'NEGATIVE_RATE'],
    [{billedCost: usd(rational(-1n, 1n))}, 'NEGATIVE_COST'],
    // 0.5 % of a day are 7.2 minutes.
    [{upTimeMinutes: rational(1448n, 1n)}, 'CLOCK'],
  ])('marks %o', (fields, flag) => {
    expect(flagsOf({...SOUND, ...fields})).toEqual([flag]);
  });

  test('tolerates half a percent of extra time', () => {
    expect(flagsOf({...SOUND, upTimeMinutes: rational(1447n, 1n)})).toEqual([]);
  });

  test('marks a record without a moment of creation or a bill', () => {
    const {createdAt: _, billedCost: __, ...bare} = SOUND;
    expect(flagsOf(bare)).toEqual(['NO_START', 'NO_COST']);
  });

  test('marks the later of two overlapping spans of one resource, and no neighbours', () => {
    const first = {...SOUND, createdAt: epochMs(NOW - 3 * DAY_MS), terminatedAt: DAY_AGO, upTimeMinutes: ONE};
    const touching = {...SOUND, upTimeMinutes: ONE};
    const overlapping = {...SOUND, createdAt: epochMs(DAY_AGO - 1), upTimeMinutes: ONE};
    expect(usageFlags([touching, first], NOW)).toEqual([]);
    expect(usageFlags([overlapping, first], NOW)).toEqual([{record: overlapping, flag: 'OVERLAP'}]);
    expect(usageFlags([{...overlapping, resourceId: 2}, first], NOW)).toEqual([]);
  });
});

function flagsOf(record: UsageRecord): string[] {
  return usageFlags([record], NOW).map(({flag}) => flag);
}
