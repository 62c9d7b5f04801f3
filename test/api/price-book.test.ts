import {describe, expect, it} from 'vitest';
import {calculatePrice, priceBook} from '../../src/api/price-book.ts';
import {ratePerHour, rational} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
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

  it('takes a price that nothing can cost as unknown, with its list price, and marks the record', () => {
    const price = (value: string, original_value: string) =>
      priceBook.record({id: 7, name: 'L40', value, original_value});
    const id = safeText('7');
    const rest = {id: 7, name: 'L40'};
    expect(price('100000', '1')).toEqual({
      ok: true,
      value: {...rest, rate: hourly(100_000n, 1n), listRate: hourly(1n, 1n)},
    });
    for (const impossible of ['100000.01', '-5', '1e300']) {
      expect(price(impossible, '1')).toEqual({ok: true, value: rest, lost: [{id, fields: ['value']}]});
    }
    // The last is larger than any number that is read at all.
    for (const tooLarge of ['1e11', '1e300', '-1', '-1e300']) {
      expect(price('1', tooLarge)).toEqual({
        ok: true,
        value: {...rest, rate: hourly(1n, 1n)},
        lost: [{id, fields: ['original_value']}],
      });
    }
  });

  it('takes an absent price as unknown, without a mark', () => {
    expect(priceBook.record({name: 'L40'})).toStrictEqual({ok: true, value: {name: 'L40'}});
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

  it('passes over a price that nothing can cost', () => {
    const part = {name: 'gpu', price: '1e11', actual_price: '-0.000001'};
    expect(calculatePrice.record({name: 'x', price: '1e11', actual_price: 3, resources: [part]})).toEqual({
      ok: true,
      value: {name: 'x', rate: hourly(3n, 1n), parts: [{name: 'gpu', rate: hourly(-1n, 1_000_000n)}]},
    });
  });

  it('gives no list price when there is only one price', () => {
    expect(calculatePrice.record({name: 'x', price: 3})).toStrictEqual({
      ok: true,
      value: {name: 'x', rate: hourly(3n, 1n), parts: []},
    });
  });
});
