import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {availability, availableMachines, parseStockCount, type Stock, stockText} from '../../src/domain/stock.ts';

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

function aStock(rest: Partial<Stock> = {}): Stock {
  return {
    model: safeText('L40'),
    regionName: safeText('CANADA-1'),
    configurations: [
      {gpuCount: 1, available: {count: 8, isAtLeast: false}},
      {gpuCount: 2, available: {count: 0, isAtLeast: false}},
      {gpuCount: 8, available: {count: 10, isAtLeast: true}},
    ],
    ...rest,
  };
}

const FLAVOR = {gpuModel: safeText('L40'), gpuCount: 1, regionName: safeText('CANADA-1')};

describe('availableMachines', () => {
  it('matches the model in any case, the region and the GPU count', () => {
    const stocks = [aStock({regionName: safeText('NORWAY-1'), configurations: []}), aStock()];
    expect(availableMachines(FLAVOR, stocks)).toEqual({count: 8, isAtLeast: false});
    expect(availableMachines({...FLAVOR, gpuCount: 8}, stocks)).toEqual({count: 10, isAtLeast: true});
    expect(availableMachines({...FLAVOR, gpuModel: safeText('l40')}, stocks)?.count).toBe(8);
  });

  it('is that of the stock type with the most, whatever their order', () => {
    const none = aStock({
      stockType: safeText('reserved'),
      configurations: [{gpuCount: 1, available: {count: 0, isAtLeast: false}}],
    });
    for (const stocks of [
      [none, aStock()],
      [aStock(), none],
    ])
      expect(availableMachines(FLAVOR, stocks)?.count).toBe(8);
  });

  it.each([
    ['another region', {...FLAVOR, regionName: safeText('US-1')}],
    ['a GPU count that is not listed', {...FLAVOR, gpuCount: 4}],
    ['no GPU', {...FLAVOR, gpuModel: safeText(''), gpuCount: 0}],
    ['no region', {gpuModel: safeText('L40'), gpuCount: 1}],
  ])('is unknown for a flavor with %s', (_name, flavor) => {
    expect(availableMachines(flavor, [aStock()])).toBeUndefined();
  });
});

describe('availability', () => {
  it.each<[string, Parameters<typeof availability>[0], ReturnType<typeof availability>]>([
    ['stock alone', FLAVOR, 'available'],
    ['a stock of zero', {...FLAVOR, gpuCount: 2}, 'none'],
    ['a stock and a flag that agree', {...FLAVOR, isInStock: true}, 'available'],
    ['a flag that says no to a stock', {...FLAVOR, isInStock: false}, 'doubtful'],
    ['a flag that says yes to a stock of zero', {...FLAVOR, gpuCount: 2, isInStock: true}, 'doubtful'],
    ['the flag of a flavor without GPUs', {regionName: safeText('CANADA-1'), isInStock: true}, 'available'],
    ['a flag alone that says no', {isInStock: false}, 'none'],
    ['nothing at all', {}, 'unknown'],
  ])('is judged by %s', (_name, flavor, expected) => {
    expect(availability(flavor, [aStock()])).toBe(expected);
  });
});

describe('stockText', () => {
  it('is read back as the same count', () => {
    for (const text of ['0', '7', '10+']) {
      const count = parseStockCount(text);
      expect(count && stockText(count)).toBe(text);
    }
  });
});
