import {expect, it} from 'vitest';
import {stocks} from '../../src/api/stocks.ts';
import {readExample} from './wire-example.ts';

const exactly = (count: number) => ({count, isAtLeast: false});
const atLeast = (count: number) => ({count, isAtLeast: true});

it('reads one record per region and model, with "at least" counts and sizes in order', () => {
  expect(readExample(stocks)).toStrictEqual({
    records: [
      {
        regionName: 'CANADA-1',
        stockType: 'GPU',
        model: 'H100-80G-PCIe',
        available: exactly(2),
        plannedIn7Days: exactly(8),
        plannedIn30Days: atLeast(10),
        configurations: [
          {gpuCount: 1, available: exactly(2)},
          {gpuCount: 2, available: exactly(1)},
          {gpuCount: 4, available: exactly(0)},
          {gpuCount: 8, available: exactly(0)},
          {gpuCount: 10, available: exactly(0)},
        ],
      },
      {
        regionName: 'CANADA-1',
        stockType: 'GPU',
        model: 'L40',
        available: atLeast(10),
        configurations: [{gpuCount: 1, available: atLeast(10)}],
      },
      {regionName: 'NORWAY-1', stockType: 'GPU', model: 'RTX-A6000', available: exactly(7), configurations: []},
    ],
    // A model without a name, one that is plain text, and a region without models.
    quarantined: [{fields: ['model']}, {fields: ['the record itself']}, {fields: ['model']}],
  });
});
