import {describe, expect, it} from 'vitest';
import {credit, usage} from '../../src/api/billing.ts';
import {rational} from '../../src/domain/money.ts';
import {readExample} from './wire-example.ts';

describe('usage', () => {
  it('reads rates, times and bills exactly, from the text of the numbers', () => {
    expect(readExample(usage)).toStrictEqual({
      records: [
        {
          resourceId: 793001,
          resourceType: 'vm',
          name: 'trainer-1',
          createdAt: Date.UTC(2026, 3, 1, 10),
          rate: rational(41666666666666664n, 10n ** 18n),
          upTimeMinutes: rational(14405n, 10n),
          billedCost: rational(6002n, 100n),
          isActive: true,
          isExcludedFromBilling: false,
        },
        {
          resourceId: 38001,
          resourceType: 'volume',
          name: 'data',
          createdAt: Date.UTC(2026, 3, 1, 10, 5),
          rate: rational(16n, 10n ** 7n),
          upTimeMinutes: rational(10n, 1n),
          billedCost: rational(0n, 1n),
          isActive: true,
          isExcludedFromBilling: true,
        },
      ],
      quarantined: [],
    });
  });

  it('leaves out numbers that are no price, and never makes them zero', () => {
    expect(readExample(usage, 'billing.usage.deleted')).toStrictEqual({
      records: [
        {
          resourceId: 792000,
          resourceType: 'vm',
          name: 'gone',
          createdAt: Date.UTC(2026, 2, 1),
          terminatedAt: Date.UTC(2026, 2, 1, 1),
          upTimeMinutes: rational(60n, 1n),
          billedCost: rational(15n, 100n),
          isActive: false,
          isExcludedFromBilling: false,
        },
        {
          resourceId: 792001,
          resourceType: 'vm',
          name: 'negative',
          createdAt: Date.UTC(2026, 2, 1),
          isActive: true,
          isExcludedFromBilling: false,
        },
      ],
      quarantined: [{fields: ['resource_type']}],
    });
  });

  it('asks for living and for terminated resources apart', () => {
    expect(usage.query({isDeleted: false})).toEqual({deleted: false});
    expect(usage.query({isDeleted: true})).toEqual({deleted: true});
  });
});

describe('credit', () => {
  it('reads the balance and the threshold, as numbers or as text', () => {
    expect(readExample(credit).records).toStrictEqual([
      {balance: rational(123456n, 100n), threshold: rational(10n, 1n)},
    ]);
  });

  it('reads a balance below zero to the last digit', () => {
    expect(readExample(credit, 'billing.credit.below-zero').records).toStrictEqual([
      {balance: rational(-30000000000000004n, 10n ** 17n)},
    ]);
  });

  it('keeps an unusable balance absent', () => {
    expect(credit.record({credit: 'unlimited'})).toStrictEqual({ok: true, value: {}});
  });
});
