import {describe, expect, it} from 'vitest';
import {ACTIONS} from '../../src/actions/actions.ts';
import {assert} from '../../src/domain/assert.ts';
import type {CloudResource} from '../../src/domain/cloud-resource.ts';
import type {Listing} from '../../src/state/feed.ts';
import {keyPairsFeed} from '../../src/state/key-pairs.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {candidatesOf, outdatedBy, questionFor} from '../../src/actions/question/question-for.ts';
import {type Action, typeOf} from '../../src/domain/action.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import type {Scene} from '../../src/panes/pane.ts';
import {definitionOf} from '../../src/state/operations/action.ts';
import {A_FLAVOR, aKnownScene, aUsageRecord} from '../panes/a-known-scene.ts';
import {aReadScene, listed, read} from '../panes/a-read-scene.ts';
import {aVirtualMachine} from '../state/a-machine.ts';
import {EVERY_CASE, type World} from './every-action.ts';
import {aFirewall, aMachine, aVolume, disk, inForce, keyPair, wall} from './some-things.ts';

const REPEATED = {quarantined: [], incompleteReason: 'repeated-id'} as const;

function machinesAs(states: Readonly<Record<number, MachineStatus>>): Scene {
  const machines = Object.entries(states).map(([id, status]) =>
    aVirtualMachine({id: Number(id), name: safeText(`train-0${id}`), status, statusText: safeText(status)}),
  );
  return aKnownScene({machines});
}

function stopping(ids: readonly number[], scene: Scene) {
  const actions = ids.map(id => ({kind: 'vm.stop', id: virtualMachineId(id)}) as const);
  const question = questionFor(candidatesOf(actions, scene), scene);
  if (question === undefined) throw new Error('nothing is asked');
  return question;
}

describe('an open question', () => {
  const question = stopping([3], machinesAs({3: 'ACTIVE'}));
  const all = stopping([3, 4, 5], machinesAs({3: 'ACTIVE', 4: 'ACTIVE', 5: 'ACTIVE'}));

  it('stays valid while its subject is as it was shown', () => {
    expect(outdatedBy(question, machinesAs({3: 'ACTIVE'}))).toBeUndefined();
    // Nothing was read, or not this list.
    expect(outdatedBy(question, aReadScene([]))).toBeUndefined();
  });

  it('ends when somebody else has changed its subject, and says what changed', () => {
    expect(outdatedBy(question, machinesAs({3: 'SHUTOFF'}))).toEqual({
      text: 'train-03: it was ACTIVE and is SHUTOFF now. This question no longer applies.',
      isOver: true,
    });
    expect(outdatedBy(question, machinesAs({4: 'ACTIVE'}))).toEqual({
      text: 'train-03: the machine no longer exists. This question no longer applies.',
      isOver: true,
    });
  });

  it.each([
    ['machines', {kind: 'vm.stop', id: virtualMachineId(7)}, machinesFeed, aMachine()],
    ['key pairs', {kind: 'key-pair.delete', id: keyPair.id}, keyPairsFeed, keyPair],
  ] as const)('ends when the list of %s has its id twice, and no other is asked', (_kind, action, feed, subject) => {
    const alone = aReadScene([listed<CloudResource>(feed, [subject])]);
    const twice = aReadScene([
      read<Listing<CloudResource>>(feed, {...REPEATED, records: [subject], repeatedIds: [`${subject.id}`]}),
    ]);
    const asked = questionFor(candidatesOf([action], alone), alone);
    assert(asked !== undefined, 'it is asked');
    const reason = `the list has the id ${subject.id} twice, so which one is meant is unknown`;
    expect(outdatedBy(asked, twice)).toEqual({
      text: `${subject.name}: ${reason}. This question no longer applies.`,
      isOver: true,
    });
    expect(candidatesOf([action], twice)).toMatchObject([{reason}]);
    // From a service that spells the two ids differently.
    expect(candidatesOf([action], aReadScene([listed<CloudResource>(feed, [subject, subject])]))).toMatchObject([
      {reason},
    ]);
  });

  const flavor = {...A_FLAVOR, gpuModel: safeText('unheard of')};
  const running = aVirtualMachine({id: 7, name: safeText('train-07'), status: 'ACTIVE', flavor});
  const metered = (hourly: string | undefined, machine = running) =>
    aKnownScene({machines: [machine], usage: [aUsageRecord(7, hourly)]});
  const STOP = {kind: 'vm.stop', id: running.id} as const;
  const HIBERNATE = {kind: 'vm.hibernate', id: running.id, retainsIp: true} as const;
  const DELETE = {kind: 'vm.delete', id: running.id} as const;

  it.each<[string, Action, string | undefined, string | undefined]>([
    ['costs more afterwards', STOP, '3.00', '$3.00/h afterwards, no change in cost'],
    ['has no known price any more', STOP, undefined, 'unknown'],
    ['costs less', STOP, '1.00', undefined],
    ['costs the same', STOP, '2.00', undefined],
    ['costs as good as the same', STOP, '2.001', undefined],
    // 100 GB of storage at $0.000096774.
    ['saves less', HIBERNATE, '1.00', '$0.0097/h afterwards, saves $0.99/h'],
    ['saves more', HIBERNATE, '3.00', undefined],
    ['saves less', DELETE, '1.00', '$0.00/h afterwards, saves $1.00/h'],
    ['saves an unknown amount', DELETE, undefined, '$0.00/h afterwards, savings unknown'],
  ])('ends when its subject %s: %j', (_what, action, hourly, words) => {
    const scene = metered('2.00');
    const asked = questionFor(candidatesOf([action], scene), scene);
    assert(asked !== undefined, 'it is asked');
    expect(outdatedBy(asked, scene)).toBeUndefined();
    const text = `train-07: the cost is not as shown: now ${words}. This question no longer applies.`;
    expect(outdatedBy(asked, metered(hourly))).toEqual(words === undefined ? undefined : {text, isOver: true});
  });

  it.each<[string, Action, string]>([
    ['delete', DELETE, '$0.00/h afterwards, saves up to $2.00/h'],
    // 100 GB of storage at $0.000096774.
    ['hibernate', HIBERNATE, '$0.0097/h afterwards, saves up to $1.99/h'],
  ])('to %s ends when a contract makes what it saves uncertain, not when a contract ends', (_what, action, words) => {
    const [without, under] = [metered('2.00'), metered('2.00', {...running, contractId: 41})];
    const asked = (scene: Scene) => questionFor(candidatesOf([action], scene), scene);
    const [certain, uncertain] = [asked(without), asked(under)];
    assert(certain !== undefined && uncertain !== undefined, 'both are asked');
    const text = `train-07: the cost is not as shown: now ${words}. This question no longer applies.`;
    expect(outdatedBy(certain, under)).toEqual({text, isOver: true});
    expect(outdatedBy(uncertain, without)).toBeUndefined();
    expect(outdatedBy(uncertain, under)).toBeUndefined();
  });

  it('stays valid when a cost becomes known that was not', () => {
    const scene = metered(undefined);
    const asked = questionFor(candidatesOf([STOP], scene), scene);
    assert(asked !== undefined, 'it is asked');
    expect(outdatedBy(asked, metered('2.00'))).toBeUndefined();
  });

  it.each<[string, Action, Scene, Scene, string]>([
    [
      'a volume that is attached',
      {kind: 'vm.attach-volumes', id: running.id, volumeIds: [disk]},
      aKnownScene({machines: [running], volumes: [aVolume({name: safeText('data'), sizeGb: 100})]}),
      aKnownScene({machines: [running], volumes: [aVolume({name: safeText('data'), sizeGb: 500})]}),
      'train-07: the size of volume #50 is now 500 GB',
    ],
    [
      'a machine that a firewall is attached to',
      {kind: 'firewall.set-attachments', id: wall, machineIds: [running.id]},
      aKnownScene({machines: [running], firewalls: [aFirewall()]}),
      aKnownScene({machines: [{...running, name: safeText('prod-db')}], firewalls: [aFirewall()]}),
      'edge: machine #7 is now prod-db',
    ],
    [
      'a rule of a firewall that is attached',
      {kind: 'firewall.set-attachments', id: wall, machineIds: [running.id]},
      aKnownScene({machines: [running], firewalls: [aFirewall()]}),
      aKnownScene({machines: [running], firewalls: [aFirewall({rules: [inForce]})]}),
      'edge: rule #9 was added meanwhile',
    ],
    [
      'the name of a firewall that a machine gets',
      {kind: 'vm.set-firewalls', id: running.id, firewallIds: [wall]},
      aKnownScene({machines: [running], firewalls: [aFirewall()]}),
      aKnownScene({machines: [running], firewalls: [aFirewall({name: safeText('open')})]}),
      'train-07: firewall #30 is now open',
    ],
    [
      'a rule of a firewall that a machine gets',
      {kind: 'vm.set-firewalls', id: running.id, firewallIds: [wall]},
      aKnownScene({machines: [running], firewalls: [aFirewall()]}),
      aKnownScene({machines: [running], firewalls: [aFirewall({rules: [inForce]})]}),
      'train-07: rule #9 of firewall #30 was added meanwhile',
    ],
  ])('ends when %s is not as shown', (_what, action, was, is, reason) => {
    const asked = questionFor(candidatesOf([action], was), was);
    assert(asked !== undefined, 'it is asked');
    expect(outdatedBy(asked, was)).toBeUndefined();
    expect(outdatedBy(asked, is)).toEqual({text: `${reason}. This question no longer applies.`, isOver: true});
  });

  it('about many continues with those that are unchanged', () => {
    expect(outdatedBy(all, machinesAs({3: 'SHUTOFF', 4: 'ACTIVE', 5: 'STOPPING'}))).toEqual({
      text: 'train-03: it was ACTIVE and is SHUTOFF now, and 1 more changed. What changed will not be sent.',
      isOver: false,
    });
    expect(outdatedBy(all, machinesAs({3: 'SHUTOFF', 4: 'SHUTOFF', 5: 'SHUTOFF'}))?.isOver).toBe(true);
  });

  it.each(EVERY_CASE)('about %s is not ended by the readings it was asked with', (kind, {confirmed, start}) => {
    const {list} = definitionOf(ACTIONS, confirmed.action).feeds;
    const records = start[typeOf(kind) as keyof World] ?? [];
    expect(
      outdatedBy({steps: [confirmed], purpose: {kind: 'begin', mode: 'chain'}}, aReadScene([listed(list, records)])),
    ).toBeUndefined();
  });
});
