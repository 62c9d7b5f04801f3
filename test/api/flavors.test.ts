import {describe, expect, it} from 'vitest';
import {flavors} from '../../src/api/flavors.ts';
import {readExample} from './wire-example.ts';

describe('flavors', () => {
  it('flattens the groups, whose region and GPU apply when a flavor has none', () => {
    expect(readExample(flavors)).toStrictEqual({
      records: [
        {
          id: 7,
          name: 'n1-cpu-small',
          regionName: 'CANADA-1',
          cpuCount: 4,
          ramGb: 4,
          rootDiskGb: 100,
          gpuCount: 0,
          isInStock: true,
          hasNoHibernation: false,
          labels: [],
        },
        {
          id: 95,
          name: 'n3-RTX-A4000x1',
          regionName: 'NORWAY-1',
          cpuCount: 6,
          ramGb: 24.5,
          rootDiskGb: 100,
          ephemeralDiskGb: 0,
          gpuModel: 'RTX-A4000',
          gpuCount: 1,
          isInStock: false,
          hasNoHibernation: true,
          labels: ['no-hibernation'],
        },
      ],
      quarantined: [],
    });
  });

  it('quarantines a group without flavors and a flavor without an id, but not their neighbours', () => {
    const raw = flavors.collect({data: [{gpu: 'L40'}, {flavors: [{name: 'nameless id'}, {id: 3, name: 'good'}]}]});
    expect(raw?.map(each => flavors.record(each))).toStrictEqual([
      {ok: false, fields: ['id', 'name']},
      {ok: false, fields: ['id']},
      {ok: true, value: {id: 3, name: 'good', labels: []}},
    ]);
  });

  it('knows by its label that a flavor cannot be hibernated, even when the flag of its features says otherwise', () => {
    const record = {id: 7, name: 'n1', labels: [{id: 12, label: 'no-hibernation'}], features: {no_hibernation: false}};
    expect(flavors.record(record)).toMatchObject({ok: true, value: {hasNoHibernation: true}});
  });

  it('leaves out a size that no machine has', () => {
    const sizes = {ram: 1e300, disk: 2 ** 20 + 1, ephemeral: 2 ** 20};
    const record = flavors.record({id: 7, name: 'n1', ...sizes});
    expect(record).toStrictEqual({ok: true, value: {id: 7, name: 'n1', ephemeralDiskGb: 2 ** 20, labels: []}});
  });

  it('asks for one region or for all', () => {
    expect(flavors.query({region: 'CANADA-1'})).toEqual({region: 'CANADA-1'});
    expect(flavors.query({})).toEqual({});
  });
});
