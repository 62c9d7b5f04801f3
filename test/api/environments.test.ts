import {describe, expect, it} from 'vitest';
import {
  createEnvironment,
  deleteEnvironment,
  getEnvironment,
  listEnvironments,
  machineQuota,
  renameEnvironment,
} from '../../src/api/environments.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {readExample, readResult} from './wire-example.ts';

const id = environmentId(84001);
const WHOLE = {
  id: 84001,
  name: 'default-CANADA-1',
  regionName: 'CANADA-1',
  createdAt: Date.UTC(2024, 2, 1, 9, 13),
  isNetworkOptimised: true,
  greenStatus: 'GREEN',
};

describe('environments', () => {
  it('are read with their region, as text or as an object', () => {
    expect(readExample(listEnvironments)).toStrictEqual({
      records: [WHOLE, {id: 84002, name: '', regionName: 'US-1'}],
      quarantined: [{fields: ['id']}],
    });
    expect(getEnvironment.path({id})).toBe('/core/environments/84001');
    expect(readExample(getEnvironment).records).toStrictEqual([WHOLE]);
  });
});

describe('machineQuota', () => {
  it('reads a reply without an envelope', () => {
    expect(machineQuota.path({id})).toBe('/core/environments/84001/vm-quota');
    expect(readExample(machineQuota).records).toStrictEqual([
      {currentCount: 12, maxCount: 250, availableCount: 238, cidr: '10.0.5.0/24'},
    ]);
  });

  it('leaves malformed counts absent, never zero', () => {
    expect(machineQuota.record({current_vms: -1, max_vms: 'all', available_vms: null})).toStrictEqual({
      ok: true,
      value: {},
    });
  });
});

describe('operations on environments', () => {
  it('create one in a region and give its id', () => {
    const spec = {name: safeText('experiments'), regionName: safeText('NORWAY-1')};
    expect(createEnvironment.body({spec})).toStrictEqual({name: 'experiments', region: 'NORWAY-1'});
    expect(readResult(createEnvironment)).toStrictEqual({kind: 'created', ids: [84010], name: 'experiments'});
  });

  it('rename and delete one by its id', () => {
    const name = safeText('research');
    expect([renameEnvironment.method, renameEnvironment.path({id, name})]).toEqual(['PUT', '/core/environments/84001']);
    expect(renameEnvironment.body({id, name})).toStrictEqual({name: 'research'});
    expect([deleteEnvironment.method, deleteEnvironment.path({id})]).toEqual(['DELETE', '/core/environments/84001']);
  });
});
