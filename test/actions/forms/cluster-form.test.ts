import {describe, expect, it} from 'vitest';
import type {FormCheck} from '../../../src/actions/forms/form.ts';
import {isQuestionVisible} from '../../app/a-scene.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {usageFeed} from '../../../src/state/billing.ts';
import {stocksFeed} from '../../../src/state/catalogue.ts';
import {clustersFeed} from '../../../src/state/clusters.ts';
import {quotaFeed} from '../../../src/state/environments.ts';
import {adjustedForm, formValues, openForm} from '../../../src/ui/form.ts';
import type {FormValues} from '../../../src/ui/form-field.ts';
import {textOf} from '../../../src/ui/text.ts';
import {aCatalogue, aCluster, factText, NORWAY, write} from '../../panes/a-catalogue.ts';
import {aUsageRecord} from '../../panes/a-known-scene.ts';
import {creationForm} from '../../panes/a-read-scene.ts';

const FILLED: FormValues = {
  name: 'k8s-new',
  environment: 'prod-no',
  keyPair: 'ana',
  version: '1.31.4',
  masterFlavor: 'n1-cpu-medium',
  masterCount: '3',
  mode: 'full',
  group: 'workers',
  flavor: 'n3-L40x2',
  count: '4',
  flavor2: 'none',
};
const SECOND: FormValues = {flavor2: 'n1-cpu-medium', group2: 'cpu', count2: '2'};

function checked(values: FormValues, {scene} = aCatalogue()): FormCheck {
  return creationForm('cluster', scene).check({...FILLED, ...values});
}

describe('the form of a new cluster', () => {
  it('begins with the newest version of the region, three masters and one group', () => {
    const form = creationForm('cluster', aCatalogue().scene);
    const opened = formValues(adjustedForm(openForm(form.fields), form.fieldsFor));
    expect(opened).toMatchObject({environment: 'prod-no', keyPair: 'ana', version: '1.31.4', masterCount: '3'});
    expect(opened).toMatchObject({masterFlavor: 'n1-cpu-medium', flavor2: 'none'});
    expect(Object.keys(opened)).not.toContain('group2');
    // Versions sort by number, so 1.31 is newer than 1.9.
    expect(form.fields.find(({key}) => key === 'version')?.choices).toEqual(['1.31.4', '1.9.0']);
  });

  it('asks for the second group once it has a flavor', () => {
    const {fieldsFor} = creationForm('cluster', aCatalogue().scene);
    const keys = fieldsFor?.({...FILLED, flavor2: 'n1-cpu-medium'}).map(({key}) => key);
    expect(keys).toEqual(expect.arrayContaining(['group2', 'count2']));
  });

  it.each<[string, FormValues, string]>([
    ['no name', {name: ''}, 'name'],
    ['a name of fifty-one characters', {name: 'k'.repeat(51)}, 'name'],
    ['a name with a character that clusters cannot have', {name: 'prod@1'}, 'name'],
    ['a name with a letter of another alphabet', {name: 'büro'}, 'name'],
    ['no key pair', {keyPair: ''}, 'keyPair'],
    ['no version', {version: ''}, 'version'],
    ['a group name of twenty-one characters', {group: 'g'.repeat(21)}, 'group'],
    ['no nodes', {count: '0'}, 'count'],
    ['twenty-one nodes', {count: '21'}, 'count'],
    ['two groups of one name', {...SECOND, group2: 'workers'}, 'group2'],
    ['a second group without nodes', {...SECOND, count2: ''}, 'count2'],
  ])('rejects %s', (_, values, field) => {
    const {mistakes, question} = checked(values);
    expect(Object.keys(mistakes)).toEqual([field]);
    expect(question).toBeUndefined();
  });

  it('rejects a name that is taken', () => {
    const known = aCatalogue();
    write(known, clustersFeed, [aCluster()]);
    expect(checked({name: 'k8s-inf'}, known).mistakes).toEqual({name: 'this name is already taken'});
  });

  it('compares the stock with all groups of a flavor together', () => {
    const known = aCatalogue();
    const available = {count: 5, isAtLeast: false};
    write(known, stocksFeed, [{model: safeText('L40'), available, configurations: [{gpuCount: 2, available}]}]);
    const stockOf = (values: FormValues) =>
      checked(values, known)
        .notes.map(textOf)
        .filter(line => /stock/i.test(line));
    expect(stockOf({})).toEqual(['Stock: 5 machines of this size free now.']);
    // Four and two.
    expect(stockOf({...SECOND, flavor2: 'n3-L40x2'})).toEqual(['Stock: 5 machines with 2 GPU free, 6 asked for.']);
  });

  it('rejects more machines than the environment has room for, masters and gateways included', () => {
    const known = aCatalogue();
    const room = (availableCount: number) =>
      known.store.writeValue(quotaFeed(NORWAY.id), {currentCount: 0, maxCount: 250, availableCount}, monotonicMs(0));
    // 4 workers, 3 masters, a bastion and a load balancer.
    room(9);
    expect(checked({}, known).mistakes).toEqual({});
    room(8);
    expect(checked({}, known)).toMatchObject({
      mistakes: {count: '9 machines in all; the environment has room for 8 more'},
      question: undefined,
    });
    expect(checked({mode: 'standard'}, known).mistakes).toEqual({});
    // Two workers more.
    expect(Object.keys(checked({...SECOND, mode: 'standard'}, known).mistakes)).toEqual(['count']);
  });

  it('reads the quota of the chosen environment while it is open', () => {
    const form = creationForm('cluster', aCatalogue().scene);
    expect(form.wants?.({environment: 'prod-no'}, undefined).map(({feed}) => feed.key)).toContain(
      quotaFeed(NORWAY.id).key,
    );
  });

  it('warns of a name that the live service refuses, but accepts it', () => {
    const warning = /has 21 characters; the live service refuses more than 20/;
    const long = checked({name: 'k'.repeat(21)});
    expect(long.notes.map(textOf).join('\n')).toMatch(warning);
    expect(factText(long.question, 'Warnings')).toMatch(warning);
    expect(
      checked({name: 'k'.repeat(20)})
        .notes.map(textOf)
        .join('\n'),
    ).not.toMatch(warning);
  });

  it('says what all workers cost together, and that masters are free', () => {
    // 4 × 2 × $1.00 = $8.00 an hour, × 730 = $5,840; with 2 × $0.65 more $9.30 and $6,789.
    expect(checked({}).notes.map(textOf)).toContain('at least $8.00/h  $5,840.00 for 730 h  all workers');
    const both = checked(SECOND);
    expect(both.notes.map(textOf)).toContain('at least $9.30/h  $6,789.00 for 730 h  all workers');
    expect(factText(both.question, 'What it costs')).toContain('Masters are free; bastion and load balancer');
    expect(factText(checked({mode: 'standard'}).question, 'What it costs')).not.toContain('bastion');
    expect(factText(both.question, 'Right now')).toContain('5 to 20 minutes');
  });

  it('adds bastion and load balancer at the rates metered in another cluster', () => {
    const known = aCatalogue();
    const node = (role: 'bastion' | 'load-balancer', id: number) => ({
      role,
      roleText: safeText(role),
      status: 'ACTIVE' as const,
      statusText: safeText('ACTIVE'),
      machineId: virtualMachineId(id),
    });
    write(known, clustersFeed, [aCluster({nodes: [node('bastion', 901), node('load-balancer', 902)]})]);
    write(known, usageFeed, [aUsageRecord(901, '0.35'), aUsageRecord(902, '0.36')]);
    // $8.00 + $0.35 + $0.36, × 730 = $6,358.30.
    const costs = factText(checked({}, known).question, 'What it costs');
    expect(costs).toContain('$8.71/h  $6,358.30 for 730 h  workers, bastion and load balancer');
    expect(costs).toContain('bastion and load balancer $0.71/h, as metered in k8s-inf');
    expect(costs).not.toContain('at least');
    expect(factText(checked({mode: 'standard'}, known).question, 'What it costs')).toContain('$8.00/h');
  });
});

describe('the question about a new cluster', () => {
  it('sends exactly what was filled in', () => {
    expect(checked(SECOND).question?.steps[0]).toEqual({
      action: {
        kind: 'cluster.create',
        spec: {
          name: 'k8s-new',
          environmentName: 'prod-no',
          keyPairName: 'ana',
          kubernetesVersion: '1.31.4',
          masterFlavorName: 'n1-cpu-medium',
          masterCount: 3,
          deploymentMode: 'full',
          nodeGroups: [
            {name: 'workers', flavorName: 'n3-L40x2', count: 4},
            {name: 'cpu', flavorName: 'n1-cpu-medium', count: 2},
          ],
        },
      },
      subjectName: 'k8s-new',
      // Four workers with two L40 each, and two with sixteen cores.
      facts: {
        cost: {words: '$9.30/h afterwards', rates: expect.any(Array)},
        others: new Map([
          ['environment prod-no', '#11 in NORWAY-1'],
          ['flavor n3-L40x2', '8 cores, 64 GB, 2 × L40'],
          ['flavor n1-cpu-medium', '8 cores, 64 GB'],
          ['the fingerprint of key pair ana', undefined],
          ['the public key of key pair ana', undefined],
        ]),
      },
    });
  });

  it('fits a terminal of 80 by 24 with two groups and a long name', () => {
    const {question} = checked({...SECOND, name: 'k'.repeat(50)});
    expect(question).toBeDefined();
    if (question !== undefined)
      expect(isQuestionVisible(question, {columns: 80, rows: 24}, aCatalogue().scene)).toBe(true);
  });
});
