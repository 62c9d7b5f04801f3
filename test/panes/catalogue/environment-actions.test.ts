import {describe, expect, it} from 'vitest';
import type {MachineQuota} from '../../../src/domain/environment.ts';
import {environmentId} from '../../../src/domain/environment.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {partActions} from '../../../src/panes/action-keys.ts';
import {contentsText, type EnvironmentRow, environments} from '../../../src/resources/environments.ts';
import {regionsFeed} from '../../../src/state/catalogue.ts';
import {clustersFeed} from '../../../src/state/clusters.ts';
import {environmentsFeed, quotaFeed} from '../../../src/state/environments.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {keyPairsFeed} from '../../../src/state/key-pairs.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {detailOf, rowsOf} from '../../resources/a-resource.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {aReadScene, keysOf, listed, questionOf, questionText, read, submitted, textsOf} from '../a-read-scene.ts';
import {aVolume} from '../volumes/a-volume.ts';

const FULL = {id: environmentId(1), name: safeText('a-full')};
const EMPTY = {id: environmentId(2), name: safeText('b-empty'), regionName: safeText('CANADA-1')};
const LISTS = [
  listed(environmentsFeed, [EMPTY, FULL]),
  read(machinesFeed, aListing([1, 2].map(id => aVirtualMachine({id, environmentName: FULL.name})))),
  listed(volumesFeed, [aVolume({environmentName: safeText('renamed since'), environmentId: FULL.id})]),
  listed(clustersFeed, []),
  listed(firewallsFeed, []),
  listed(keyPairsFeed, []),
  listed(regionsFeed, [
    {name: safeText('CANADA-1'), hasFloatingIp: true, hasVolumes: true},
    {name: safeText('US-1'), hasFloatingIp: false, hasVolumes: false},
  ]),
];
const scene = aReadScene(LISTS);
const [full, empty] = rowsOf(environments, scene) ?? [];
if (full === undefined || empty === undefined) throw new Error('an environment has no row');

const ENVIRONMENT_ACTIONS = keysOf(partActions<EnvironmentRow>('environment', ({environment}) => environment));

describe('the contents of an environment', () => {
  it('are matched by its id if a record has one, otherwise by its name', () => {
    expect(contentsText(full)).toBe('2 machines, 1 volume');
    expect(contentsText(empty)).toBe('');
  });

  it('are unknown for a kind whose list was not read', () => {
    const [row] = rowsOf(environments, aReadScene([listed(environmentsFeed, [FULL])])) ?? [];
    expect(row?.contents.machine).toBeUndefined();
  });
});

describe('the quota of an environment', () => {
  it('is shown with what is left and a gauge', () => {
    const quota = read(quotaFeed(FULL.id), {currentCount: 50, maxCount: 200, availableCount: 150});
    const text = detailOf(environments, full, aReadScene([...LISTS, quota]));
    expect(text).toContain('50 of 200 machines, 150 left  25%');
    // A quarter of twelve cells.
    expect(text).toMatch(/room\s+━{3}(?!━)/);
  });

  it('is computed when the service leaves out what is left, and unknown when that is impossible', () => {
    const textFor = (quota: MachineQuota) =>
      detailOf(environments, full, aReadScene([...LISTS, read(quotaFeed(FULL.id), quota)]));
    expect(textFor({currentCount: 250, maxCount: 250})).toContain('0 left  100%');
    expect(textFor({currentCount: 3})).toContain('3 of – machines, – left  –');
  });
});

describe('deleting an environment', () => {
  it('says beforehand that the service would refuse to delete one that is not empty', () => {
    expect(ENVIRONMENT_ACTIONS.remove?.reason?.(full, scene)).toBe(
      'not empty: 2 machines, 1 volume; the service would refuse',
    );
    expect(ENVIRONMENT_ACTIONS.remove?.reason?.(empty, scene)).toBeUndefined();
  });

  it('requires its name, and says which lists could not be checked', () => {
    const question = questionOf(ENVIRONMENT_ACTIONS.remove?.run(empty, scene));
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'b-empty'});
    expect(questionText(question)).not.toContain('Not known');
    const unread = aReadScene(LISTS.slice(0, 2));
    const [blind] = rowsOf(environments, unread)?.slice(1) ?? [];
    const doubtful = blind && questionText(questionOf(ENVIRONMENT_ACTIONS.remove?.run(blind, unread)));
    expect(doubtful).toContain('Unknown whether it has clusters, volumes, firewalls, key pairs');
  });
});

describe('a new environment', () => {
  const make = (values: Record<string, string>) => submitted(ENVIRONMENT_ACTIONS.create?.run(scene), values);

  it('is created in a region that the service has', () => {
    expect(make({name: 'lab', region: 'US-1'}).question?.steps[0].action).toEqual({
      kind: 'environment.create',
      spec: {name: 'lab', regionName: 'US-1'},
    });
  });

  it('shows what its region lacks', () => {
    expect(textsOf(make({name: 'lab', region: 'US-1'}).notes)).toBe('US-1 has no public addresses and no volumes.');
    expect(make({name: 'lab', region: 'CANADA-1'}).notes).toEqual([]);
  });

  it('cannot have the name of another one, in any region', () => {
    expect(make({name: 'a-full', region: 'US-1'}).mistakes).toHaveProperty('name');
    expect(make({}).mistakes).toHaveProperty('name');
  });

  it('needs a known region', () => {
    expect(ENVIRONMENT_ACTIONS.create?.reason?.(aReadScene([]))).toBe('no region is known');
  });
});

describe('renaming an environment', () => {
  it('requires a new name that no other one has', () => {
    const rename = (name: string) => submitted(ENVIRONMENT_ACTIONS.edit?.run(full, scene), {name});
    expect(rename('lab').question?.steps[0].action).toEqual({kind: 'environment.rename', id: 1, name: 'lab'});
    expect(rename('b-empty').mistakes).toEqual({name: 'this name is already taken'});
  });
});
