import {describe, expect, it} from 'vitest';
import type {UnitPrice} from '../../../src/domain/price-book.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../../src/domain/time.ts';
import {discountRatio, PRICE_COLUMNS, priceLines, priceRows} from '../../../src/panes/catalogue/price-rows.ts';
import {priceBookFeed} from '../../../src/state/catalogue.ts';
import {dollarsPerHour, NOW} from '../a-known-scene.ts';
import {aReadScene, listed, textsOf} from '../a-read-scene.ts';

function price(name: string, hourly?: string, list = hourly): UnitPrice {
  return {
    name: safeText(name),
    ...(hourly === undefined ? {} : {rate: dollarsPerHour(hourly)}),
    ...(list === undefined ? {} : {listRate: dollarsPerHour(list)}),
  };
}

const cell = (of: UnitPrice, column: string) =>
  PRICE_COLUMNS.find(({key}) => key === column)?.value({price: of, index: 0, now: NOW});

describe('priceRows', () => {
  it('puts the dearest first, and what has no usable price last', () => {
    const prices = [price('vCPU', '0.002'), price('odd'), price('H100', '2.50'), price('free', '0')];
    const rows = priceRows(aReadScene([listed(priceBookFeed, prices)]));
    expect(rows?.map(row => row.price.name)).toEqual(['H100', 'vCPU', 'free', 'odd']);
  });
});

describe('discountRatio', () => {
  it.each<[string, UnitPrice, number | undefined]>([
    ['a fifth', price('L40', '0.80', '1.00'), 0.2],
    ['nothing', price('L40', '1.00'), 0],
    ['nothing known', price('L40'), undefined],
    ['a list price of zero', price('free', '0', '0'), undefined],
  ])('is %s', (_case, unit, expected) => {
    const ratio = discountRatio(unit);
    if (expected === undefined) expect(ratio).toBeUndefined();
    else expect(ratio).toBeCloseTo(expected, 9);
  });

  it('is filtered in percent points', () => {
    expect(cell(price('L40', '0.80', '1.00'), 'discount')?.text).toBe('20%');
    expect(cell(price('L40', '0.80', '1.00'), 'discount')?.number).toBeCloseTo(20, 6);
  });
});

describe('a price', () => {
  it('holds for its time: to come, now, ended', () => {
    const [before, after] = [epochMs(NOW - DAY_MS), epochMs(NOW + DAY_MS)];
    expect(cell({...price('L40', '1'), startsAt: after}, 'valid')?.text).toBe('to come');
    expect(cell({...price('L40', '1'), startsAt: before, endsAt: after}, 'valid')?.text).toBe('now');
    expect(cell({...price('L40', '1'), endsAt: before}, 'valid')?.text).toBe('ended');
  });

  it('is told without a number where the service gave none', () => {
    expect(textsOf(priceLines({price: price('odd'), index: 0, now: NOW}))).not.toMatch(/\$0/);
  });
});
