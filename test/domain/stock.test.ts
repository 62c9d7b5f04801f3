import {describe, expect, it} from 'vitest';
import {parseStockCount} from '../../src/domain/stock.ts';

describe('parseStockCount', () => {
  it.each([
    ['0', {count: 0, isAtLeast: false}],
    ['7', {count: 7, isAtLeast: false}],
    [' 10+ ', {count: 10, isAtLeast: true}],
    ['', undefined],
    ['many', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['+10', undefined],
    ['9999999999', undefined],
  ])('reads "%s" as %j', (text, expected) => {
    expect(parseStockCount(text)).toEqual(expected);
  });
});
