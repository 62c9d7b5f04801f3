import {expect, it} from 'vitest';
import {regions} from '../../src/api/regions.ts';
import {readExample} from './wire-example.ts';

it('reads regions, including one that no document knows', () => {
  expect(readExample(regions)).toStrictEqual({
    records: [
      {id: 1, name: 'NORWAY-1', country: 'NO', greenStatus: 'GREEN', hasFloatingIp: true, hasVolumes: true},
      {id: 3, name: 'US-1', country: 'US', greenStatus: 'NOT_GREEN', hasFloatingIp: true},
      {name: 'MOON-1', greenStatus: 'MOONLIT'},
    ],
    quarantined: [{fields: ['name']}],
  });
});
