import {describe, expect, it} from 'vitest';
import {availabilityWants, nameIn, takenMistake} from '../../../src/actions/forms/form-values.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {clusterNameFeed} from '../../../src/state/clusters.ts';
import {machineNameFeed} from '../../../src/state/machines.ts';
import {aReadScene, failing, read} from '../../panes/a-read-scene.ts';

const feed = clusterNameFeed(safeText('train'));

describe('availabilityWants', () => {
  it('asks about a valid name once the person has left its field, and about nothing before', () => {
    const asked = (values: Readonly<Record<string, string>>, present: string | undefined) =>
      availabilityWants(values, present, clusterNameFeed).map(want => want.feed.key);
    expect(asked({name: ' train '}, 'version')).toEqual([feed.key]);
    expect(asked({name: 'train'}, undefined)).toEqual([feed.key]);
    expect(asked({name: 'train'}, 'name')).toEqual([]);
    expect(asked({name: ' '}, 'version')).toEqual([]);
    expect(asked({name: 'x'.repeat(51)}, 'version')).toEqual([]);
    expect(asked({}, 'version')).toEqual([]);
  });

  it('asks nothing when the form cannot say what to ask', () => {
    expect(availabilityWants({name: 'train'}, 'count', () => undefined)).toEqual([]);
  });

  it('asks about the trimmed name, and about a number of machines', () => {
    expect(nameIn({name: '  train\t'})).toBe('train');
    expect(machineNameFeed(safeText('train'), 3).key).not.toBe(machineNameFeed(safeText('train'), 4).key);
  });
});

describe('takenMistake', () => {
  it.each([
    ['nothing for a name that is available', {isAvailable: true, message: safeText('')}, undefined],
    ['that a name is taken', {isAvailable: false, message: safeText('')}, 'the service says it is taken'],
    ['the reason of the service', {isAvailable: false, message: safeText('used by vm 7')}, 'the service: used by vm 7'],
  ])('reports %s', (_case, answer, expected) => {
    expect(takenMistake(aReadScene([read(feed, answer)]), feed)).toBe(expected);
  });

  it('reports nothing about a name it could not ask about', () => {
    expect(takenMistake(aReadScene([]), feed)).toBeUndefined();
    expect(takenMistake(failing(aReadScene([]), feed), feed)).toBeUndefined();
  });
});
