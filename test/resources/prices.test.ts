import {describe, expect, it} from 'vitest';
import type {UnitPrice} from '../../src/domain/price-book.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, epochMs} from '../../src/domain/time.ts';
import {prices} from '../../src/resources/prices.ts';
import {priceBookFeed} from '../../src/state/catalogue.ts';
import {dollarsPerHour, NOW} from '../panes/a-known-scene.ts';
import {aReadScene, listed} from '../panes/a-read-scene.ts';
import {cellOf, detailOf, rowsOf} from './a-resource.ts';

function price(name: string, hourly?: string, list = hourly): UnitPrice {
  return {
    name: safeText(name),
    ...(hourly === undefined ? {} : {rate: dollarsPerHour(hourly)}),
    ...(list === undefined ? {} : {listRate: dollarsPerHour(list)}),
  };
}

const cell = (of: UnitPrice, column: string) => cellOf(prices, {...of, now: NOW}, column);

describe('prices', () => {
  it('lists the highest price first, and those without a usable price last', () => {
    const records = [price('vCPU', '0.002'), price('odd'), price('H100', '2.50'), price('free', '0')];
    const rows = rowsOf(prices, aReadScene([listed(priceBookFeed, records)]));
    expect(rows?.map(row => row.name)).toEqual(['H100', 'vCPU', 'free', 'odd']);
  });
});

describe('a discount', () => {
  it.each<[string, UnitPrice, number | undefined]>([
    ['20 for a fifth off', price('L40', '0.80', '1.00'), 20],
    ['0 for no discount', price('L40', '1.00'), 0],
    ['unknown without a price', price('L40'), undefined],
    ['unknown for a list price of zero', price('free', '0', '0'), undefined],
  ])('in percentage points is %s', (_case, unit, expected) => {
    const points = cell(unit, 'discount')?.number;
    if (expected === undefined) expect(points).toBeUndefined();
    else expect(points).toBeCloseTo(expected, 6);
  });

  it('is shown in percent, and as a plain number in a file', () => {
    expect(cell(price('L40', '0.80', '1.00'), 'discount')).toMatchObject({text: '20%', plain: '20'});
    expect(cell(price('L40', '2', '3'), 'discount')?.plain).toBe('33.3333333333');
  });
});

describe('a price', () => {
  it('is marked as future, now or ended', () => {
    const [before, after] = [epochMs(NOW - DAY_MS), epochMs(NOW + DAY_MS)];
    expect(cell({...price('L40', '1'), startsAt: after}, 'valid')?.text).toBe('future');
    expect(cell({...price('L40', '1'), startsAt: before, endsAt: after}, 'valid')?.text).toBe('now');
    expect(cell({...price('L40', '1'), endsAt: before}, 'valid')?.text).toBe('ended');
  });

  it.each([
    ['0.000137', '0.000137', '$0.000137/h'],
    ['0.000096774', '0.000096774', '$0.000096774/h'],
    ['0.00672043', '0.00672043', '$0.00672043/h'],
    ['0.05', '0.0500', '$0.0500/h'],
    ['2.5', '2.50', '$2.50/h'],
    ['0', '0.00', '$0.00/h'],
    ['0.0000000004', '<0.000000001', '<$0.000000001/h'],
  ])('of a small unit keeps its digits: %s', (hourly, figure, text) => {
    const unit = {...price('Cloud-SSD', hourly, '1'), now: NOW};
    expect(cell(unit, 'price')?.text).toBe(figure);
    expect(detailOf(prices, unit, aReadScene([]))).toContain(` ${text}`);
  });

  it('shows no amount if the service gave none', () => {
    expect(detailOf(prices, {...price('odd'), now: NOW}, aReadScene([]))).not.toMatch(/\$0/);
  });
});
