import {describe, expect, it} from 'vitest';
import {environmentId} from '../../../src/domain/environment.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import type {Volume} from '../../../src/domain/volume.ts';
import {partActions} from '../../../src/panes/action-keys.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {VOLUME_ACTIONS} from '../../../src/panes/volumes/pane.tsx';
import {volumes} from '../../../src/resources/volumes.ts';
import {permissionsFeed} from '../../../src/state/account.ts';
import {environmentsFeed} from '../../../src/state/environments.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {volumesFeed} from '../../../src/state/volumes.ts';
import {rowsOf} from '../../resources/a-resource.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {inMemoryOperations} from '../../state/in-memory-operations.ts';
import {aReadScene, keysOf, listed, questionOf, questionText, read, submitted, textsOf} from '../a-read-scene.ts';
import {aVolume} from './a-volume.ts';

const {create, edit, remove} = keysOf(VOLUME_ACTIONS);
const MACHINE = aVirtualMachine({
  id: 793_001,
  name: safeText('train-01'),
  status: 'SHUTOFF',
  environmentName: safeText('production-ca'),
});
const ATTACHED: Partial<Volume> = {
  status: 'IN_USE',
  attachments: [{machineId: virtualMachineId(793_001), status: safeText('ATTACHED')}],
};

function sceneWith(volume: Volume, machine = MACHINE, rest: Partial<Scene> = {}) {
  const scene = aReadScene(
    [
      listed(volumesFeed, [volume]),
      listed(environmentsFeed, [{id: environmentId(1), name: safeText('production-ca')}]),
      read(machinesFeed, aListing([machine])),
    ],
    rest,
  );
  const [row] = rowsOf(volumes, scene) ?? [];
  if (row === undefined) throw new Error('the volume has no row');
  return {scene, row};
}

describe('deleting a volume', () => {
  it('requires its full name, and says how much is deleted', () => {
    const {scene, row} = sceneWith(aVolume({name: safeText('scratch-3'), sizeGb: 2000}));
    expect(remove?.reason?.(row, scene)).toBeUndefined();
    const question = questionOf(remove?.run(row, scene));
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'scratch-3'});
    expect(questionText(question)).toContain('The 2,000 GB on it are deleted permanently.');
    expect(questionText(question)).toContain('1: DELETE /core/volumes/38112');
  });

  it('requires the id if the name cannot be typed on every keyboard', () => {
    const {scene, row} = sceneWith(aVolume({name: safeText('データ')}));
    expect(questionOf(remove?.run(row, scene)).answer).toEqual({kind: 'text', what: 'id', expected: '38112'});
  });

  it('is off while it is attached, and in a read-only session', () => {
    const attached = sceneWith(aVolume(ATTACHED));
    expect(remove?.reason?.(attached.row, attached.scene)).toBe('it is attached to 1 machine; detach it first');
    const readOnly = sceneWith(aVolume(), MACHINE, {operations: undefined});
    expect(remove?.reason?.(readOnly.row, readOnly.scene)).toContain('read-only');
  });
});

describe('a new volume', () => {
  const {scene} = sceneWith(aVolume({name: safeText('taken')}));

  it.each<[string, Record<string, string>, string]>([
    ['no name', {}, 'name'],
    ['a name that is taken', {name: 'taken'}, 'name'],
    ['no size', {name: 'new', size: ''}, 'size'],
    ['a fractional size', {name: 'new', size: '1.5'}, 'size'],
    ['a size of zero', {name: 'new', size: '0'}, 'size'],
    ['more than a pebibyte', {name: 'new', size: '1048577'}, 'size'],
  ])('is rejected with %s', (_case, values, key) => {
    const check = submitted(create?.run(scene), values);
    expect(Object.keys(check.mistakes)).toContain(key);
    expect(check.question).toBeUndefined();
  });

  it('shows its price by the hour and for 730 hours', () => {
    const {question} = submitted(create?.run(scene), {name: ' new ', size: '1000'});
    expect(question?.steps[0].action).toEqual({
      kind: 'volume.create',
      spec: {name: 'new', environmentName: 'production-ca', sizeGb: 1000, volumeType: 'Cloud-SSD'},
    });
    // 1000 GB at $0.000096774 an hour; 730 hours of it are 70.645.
    expect(question && questionText(question)).toMatch(/\$0\.0968\/h {2}\$70\.6[45] for 730 h/);
  });

  it('names the environment that must be created first, and the keys that create it', () => {
    expect(create?.reason?.(scene)).toBeUndefined();
    const empty = aReadScene([listed(environmentsFeed, [])]);
    expect(create?.firstStep?.(scene)).toBeUndefined();
    expect(create?.firstStep?.(empty)).toBe('create an environment first: :environments, then n');
    const {mistakes, notes} = submitted(create?.run(empty), {name: 'new', size: '10'});
    expect(mistakes).toEqual({environment: 'no environments'});
    expect(textsOf(notes)).toBe('First create an environment: esc, then :environments and n.');
  });
});

describe('attaching and detaching', () => {
  it.each(['SHUTOFF', 'ACTIVE'] as const)('offers a machine of its environment that is %s', status => {
    const {scene, row} = sceneWith(aVolume(), {...MACHINE, status});
    expect(edit?.reason?.(row, scene)).toBeUndefined();
    const {question} = submitted(edit?.run(row, scene), {});
    expect(question?.steps[0].action).toEqual({kind: 'vm.attach-volumes', id: 793_001, volumeIds: [38_112]});
  });

  it.each<[string, Partial<typeof MACHINE>]>([
    ['hibernated', {status: 'HIBERNATED'}],
    ['of another environment', {environmentName: safeText('research-ca')}],
    ['a node of a cluster', {clusterId: 1611}],
  ])('offers no machine that is %s', (_case, rest) => {
    const {scene, row} = sceneWith(aVolume(), {...MACHINE, ...rest});
    expect(edit?.reason?.(row, scene)).toBe('no machine of its environment is ACTIVE or SHUTOFF');
  });

  it('does neither when the list of machines or of volumes has the id twice', () => {
    const twice = (volume: Volume, ids: {readonly machine?: string[]; readonly volume?: string[]}) => {
      const {scene, row} = sceneWith(volume);
      const scenes = aReadScene([
        read(volumesFeed, {quarantined: [], records: [volume], ...(ids.volume && {repeatedIds: ids.volume})}),
        read(machinesFeed, {...aListing([MACHINE]), ...(ids.machine && {repeatedIds: ids.machine})}),
      ]);
      return {row, scene: {...scene, ...scenes}};
    };
    const machineTwice = 'the list has machine #793001 twice, so which one is meant is unknown';
    const free = twice(aVolume(), {machine: ['793001']});
    expect(submitted(edit?.run(free.row, free.scene), {})).toMatchObject({
      mistakes: {machine: machineTwice},
      question: undefined,
    });
    const attached = twice(aVolume(ATTACHED), {machine: ['793001']});
    expect(edit?.reason?.(attached.row, attached.scene)).toBe(machineTwice);
    const both = twice(aVolume(), {volume: ['38112']});
    expect(edit?.reason?.(both.row, both.scene)).toBe(
      'the list has volume #38112 twice, so which one is meant is unknown',
    );
  });

  it('detaches from a stopped machine by one key, and from a running one by its name and with a warning', () => {
    const atRest = sceneWith(aVolume(ATTACHED));
    expect(questionOf(edit?.run(atRest.row, atRest.scene)).answer).toEqual({kind: 'key'});
    const running = sceneWith(aVolume(ATTACHED), {...MACHINE, status: 'ACTIVE'});
    const question = questionOf(edit?.run(running.row, running.scene));
    expect(question.answer).toMatchObject({kind: 'text', expected: 'train-01'});
    expect(questionText(question)).toContain('unmount them first');
  });

  it.each<[string, Partial<Volume>]>([
    ['attach', {}],
    ['detach', ATTACHED],
  ])('is off when the role does not allow to %s', (verb, state) => {
    const {scene, row} = sceneWith(aVolume(state));
    expect(edit?.reason?.(row, scene)).toBeUndefined();
    const permission = {resource: safeText('volumes'), method: safeText('GET'), endpoint: safeText('/core/volumes')};
    const machines = read(machinesFeed, aListing([MACHINE]));
    expect(edit?.reason?.(row, aReadScene([machines, listed(permissionsFeed, [permission])]))).toBe(
      `the role of this key does not allow POST /core/virtual-machines/793001/${verb}-volumes`,
    );
  });

  it('leaves a protected attachment alone', () => {
    const attachments = [{machineId: virtualMachineId(793_001), status: safeText('ATTACHED'), isProtected: true}];
    const {scene, row} = sceneWith(aVolume({...ATTACHED, attachments}));
    expect(edit?.reason?.(row, scene)).toBe('the attachment is protected');
  });
});

describe('a new resource', () => {
  it.each([
    'volume',
    'firewall',
    'key-pair',
    'cluster',
  ] as const)('of type %s begins in the environment of the row', type => {
    const names = ['production-ca', 'research-ca'];
    const environments = names.map((name, index) => ({id: environmentId(index + 1), name: safeText(name)}));
    const scene = aReadScene([listed(environmentsFeed, environments)]);
    const row = aVolume({environmentName: safeText('research-ca')});
    const environmentIn = (volume?: Volume) => {
      const outcome = partActions<Volume>(type, each => each).create?.run(scene, undefined, volume);
      if (outcome?.kind !== 'form') throw new Error(`no form but ${outcome?.kind}`);
      return outcome.form.fields.find(({key}) => key === 'environment')?.initial;
    };
    expect(environmentIn(row)).toBe('research-ca');
    expect(environmentIn()).not.toBe('research-ca');
  });
});

describe('a volume with an operation under way', () => {
  it('cannot be attached by a second one: the first one is shown in place of the form', () => {
    const operations = inMemoryOperations();
    const scene = sceneWith(aVolume({environmentName: safeText('production-ca')}), MACHINE, {operations});
    expect(edit?.reason?.(scene.row, scene.scene)).toBeUndefined();
    operations.begin({
      action: {kind: 'vm.attach-volumes', id: MACHINE.id, volumeIds: [scene.row.volume.id]},
      subjectName: MACHINE.name,
    });
    operations.reach('in-progress');
    expect(edit?.reason?.(scene.row, scene.scene)).toMatch(/^attach volume .* to train-01 #793001: under way$/);
    operations.reach('CONFIRMED');
    expect(edit?.reason?.(scene.row, scene.scene)).toBeUndefined();
  });
});
