import {describe, expect, it} from 'vitest';
import {calculatePrice, priceBook} from '../../src/api/price-book.ts';
import {ratePerHour, rational} from '../../src/domain/money.ts';
import {readExample} from './wire-example.ts';

const hourly = (numerator: bigint, denominator: bigint) => ratePerHour(rational(numerator, denominator));

describe('priceBook', () => {
  it('reads a bare array of decimal texts and of numbers, exactly', () => {
    expect(readExample(priceBook)).toStrictEqual({
      records: [
        {
          id: 1,
          name: 'RTX-A4000',
          rate: hourly(15n, 100n),
          listRate: hourly(20n, 100n),
          isDiscounted: true,
          startsAt: Date.UTC(2026, 0, 1),
        },
        {id: 2, name: 'Cloud-SSD', rate: hourly(96774n, 10n ** 9n), isDiscounted: false},
        {id: 3, name: 'traffic', rate: hourly(0n, 1n), listRate: hourly(0n, 1n), isDiscounted: false},
        {id: 4, name: 'ghost'},
      ],
      quarantined: [{fields: ['name']}],
    });
  });

  it('reads the same array under a key', () => {
    expect(priceBook.collect({status: true, pricebook: [{name: 'L40', value: '1'}]})).toHaveLength(1);
    expect(priceBook.collect([])).toEqual([]);
  });
});

describe('calculatePrice', () => {
  it('reads the cost of a resource per hour, part by part; the lower of two prices includes the discount', () => {
    expect(calculatePrice.path({resourceType: 'virtual-machine', id: 793001})).toBe(
      '/pricebook/calculate/resource/virtual-machine/793001',
    );
    expect(readExample(calculatePrice).records).toStrictEqual([
      {
        resourceId: 793001,
        name: 'trainer-1',
        resourceType: 'virtual-machine',
        statusText: 'ACTIVE',
        rate: hourly(2n, 1n),
        listRate: hourly(25n, 10n),
        parts: [
          {
            name: 'A100-80G-PCIe',
            amount: rational(1n, 1n),
            rate: hourly(19n, 10n),
            listRate: hourly(24n, 10n),
          },
          {
            name: 'publicip',
            amount: rational(1n, 1n),
            rate: hourly(1n, 10n),
            listRate: hourly(1n, 10n),
          },
        ],
      },
    ]);
  });

  it('gives no list price when there is only one price', () => {
    expect(calculatePrice.record({name: 'x', price: 3})).toStrictEqual({
      ok: true,
      value: {name: 'x', rate: hourly(3n, 1n), parts: []},
    });
  });
});
