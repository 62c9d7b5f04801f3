import {expect, test} from 'vitest';
import {scenarioNamed} from '../../../src/simulator/scenarios/scenarios.ts';
import {createWorld} from '../../../src/simulator/world/world.ts';
import {HOUR_MS, SECOND_MS, STARTED_AT} from '../a-simulator.ts';

test('the volumes of a deleted machine still exist, unattached and billed', () => {
  const scenario = scenarioNamed('empty', {startedAt: STARTED_AT, seed: 1});
  const world = createWorld({
    seed: 1,
    startedAt: STARTED_AT,
    isFaithful: false,
    scenario: {
      ...scenario,
      environments: [{name: 'lab', regionName: 'CANADA-1'}],
      machines: [
        {
          name: 'trial',
          flavorName: 'n3-L40x1',
          environmentName: 'lab',
          workload: {kind: 'training'},
          createdAt: STARTED_AT - HOUR_MS,
          volumes: [{name: 'results', sizeGb: 100}],
          deletedAt: STARTED_AT + 10 * SECOND_MS,
        },
      ],
    },
  });
  const [volume] = world.volumes;
  expect(volume).toMatchObject({status: 'in-use', attachments: [{status: 'ATTACHED'}]});
  world.advanceTo(STARTED_AT + 30 * SECOND_MS);
  expect(world.machines).toEqual([]);
  expect(volume).toMatchObject({status: 'available', attachments: [{status: 'DETACHED'}]});
  // The published 96,774 nano-dollars per gigabyte and hour.
  expect(volume?.meter).toMatchObject({nanoPerHour: 9_677_400, terms: {state: 'AVAILABLE'}});
});
