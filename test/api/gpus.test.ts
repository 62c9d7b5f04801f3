import {expect, it} from 'vitest';
import {gpus} from '../../src/api/gpus.ts';
import {readExample} from './wire-example.ts';

it('reads GPU models with the regions that have them', () => {
  expect(readExample(gpus)).toStrictEqual({
    records: [
      {id: 5, name: 'H100-80G-PCIe', regionNames: ['CANADA-1'], createdAt: Date.UTC(2024, 0, 10, 8)},
      {name: 'L40', regionNames: ['CANADA-1'], updatedAt: Date.UTC(2025, 1, 1, 10)},
    ],
    quarantined: [{fields: ['name']}],
  });
});
