import {describe, expect, it} from 'vitest';
import {candidate, questionFor, reasonAgainst} from '../../../src/actions/question/question-for.ts';
import {deleteMachine} from '../../../src/actions/machines/deletion.ts';
import type {Question} from '../../../src/actions/question/question.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import type {VirtualMachine} from '../../../src/domain/virtual-machine.ts';
import type {Scene} from '../../../src/panes/pane.ts';
import {permissionsFeed} from '../../../src/state/account.ts';
import {createStore} from '../../../src/state/store.ts';
import {aScene} from '../../app/a-scene.ts';
import {factText, write} from '../../panes/a-catalogue.ts';
import {A_FLAVOR, aContract, aKnownScene, aUsageRecord, busyMetrics, IDLE} from '../../panes/a-known-scene.ts';
import {aVirtualMachine} from '../../state/a-machine.ts';

const SCENE = aKnownScene({usage: [aUsageRecord(7, '2.00')]});

function aMachine(rest: Partial<Omit<VirtualMachine, 'id'>> = {}): VirtualMachine {
  return aVirtualMachine({id: 7, name: safeText('train-02'), flavor: A_FLAVOR, ...rest});
}

function deleteQuestion(machine: VirtualMachine, scene: Scene): Question {
  const question = questionFor([candidate(deleteMachine.with({id: machine.id}), machine, scene)], scene);
  if (question === undefined) throw new Error('nothing is asked before a machine is deleted');
  return question;
}

function deleteReason(machine: VirtualMachine, scene: Scene): string | undefined {
  return reasonAgainst(deleteMachine.with({id: machine.id}), machine, scene);
}

describe('deleting a machine', () => {
  it('says what is lost, what it saves, and asks for the full name', () => {
    const flavor = {...A_FLAVOR, ephemeralDiskGb: 750};
    const question = deleteQuestion(aMachine({flavor, floatingIp: safeText('192.0.2.7')}), SCENE);
    const happens = factText(question, 'What happens');
    expect(happens).toContain('its root disk of 100 GB and 750 GB of ephemeral disk');
    expect(happens).toContain('192.0.2.7 is released permanently');
    expect(factText(deleteQuestion(aMachine({hasUnreadAddress: true}), SCENE), 'What happens')).toContain(
      'Its public address, which could not be read, is released permanently if it has one.',
    );
    expect(factText(question, 'What it costs')).toBe('now $2.00/h  after $0.00/h  (saves $2.00/h)');
    expect(factText(question, 'Calls')).toContain('1: DELETE /core/virtual-machines/7');
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'train-02'});
    expect(question.steps).toEqual([
      {
        action: {kind: 'vm.delete', id: 7},
        subjectName: 'train-02',
        status: 'ACTIVE',
        facts: {
          flavorName: 'n3-L40x1',
          isUnderContract: false,
          named: new Map([
            ['its address', '192.0.2.7'],
            ['its root disk', '100 GB'],
            ['its ephemeral disk', '750 GB'],
            ['the full list of its volumes', 'read'],
          ]),
          cost: {words: '$0.00/h afterwards, saves $2.00/h', rates: expect.any(Array)},
        },
      },
    ]);
  });

  it('names the volumes that stay, and what they continue to cost', () => {
    const volumes = [
      {volumeId: 1, name: safeText('data'), sizeGb: 1000, status: safeText('ATTACHED')},
      {volumeId: 2, name: safeText('old'), sizeGb: 500, status: safeText('DETACHED')},
      {volumeId: 3, name: safeText('more'), sizeGb: 3000, status: safeText('ATTACHED')},
    ];
    // At the published price: 4,000 GB × $0.000096774 = $0.387096 an hour.
    expect(factText(deleteQuestion(aMachine({volumes}), SCENE), 'What it costs')).toContain(
      'Its 2 volumes stay, billed at $0.39/h: data, more',
    );
  });

  it('asks for the id when the name cannot be typed on every keyboard', () => {
    expect(deleteQuestion(aMachine({name: safeText('機械')}), SCENE).answer).toEqual({
      kind: 'text',
      what: 'words',
      expected: 'id 7',
    });
  });

  it.each(['y', 'No', 'a1'])('asks for the id too when the name is one that fingers type by themselves: %s', name => {
    const {answer} = deleteQuestion(aMachine({name: safeText(name)}), SCENE);
    expect(answer).toEqual({kind: 'text', what: 'name and id', expected: `${name} #7`});
  });

  it('calls a saving under a contract an upper limit, and says when the contract ends', () => {
    const scene = aKnownScene({usage: [aUsageRecord(7, '2.00')], contracts: [aContract(5)]});
    const question = deleteQuestion(aMachine({contractId: 118}), scene);
    expect(factText(question, 'What it costs')).toContain(
      '(saves up to $2.00/h)  less if a contract is charged anyway',
    );
    expect(factText(question, 'Warnings')).toContain('Contract #118 ends in 5 days, then DELETES what it covers.');
  });

  it('says that a failed machine saves nothing, and that the price of an unmetered one is the published one', () => {
    // The published price of its one L40 is a dollar an hour.
    const scene = aKnownScene({usage: []});
    const failed = deleteQuestion(aMachine({status: 'ERROR', statusText: safeText('ERROR')}), scene);
    expect(factText(failed, 'What it costs')).toBe('now $0.00/h  after $0.00/h  (no change in cost)');
    expect(factText(deleteQuestion(aMachine(), scene), 'What it costs').split('\n')).toEqual([
      'now $1.00/h  after $0.00/h  (saves $1.00/h)',
      'The full rate is the published price, not a metered one.',
    ]);
  });

  it.each<[Partial<VirtualMachine>, string]>([
    [{status: 'BUILD'}, 'nothing is billed while it is in BUILD'],
    [{flavor: {name: safeText('x-unheard-of')}}, 'no price is known for its flavor x-unheard-of'],
    [{hasUnreadAddress: true}, 'its public address could not be read'],
    [{status: 'HIBERNATED', flavor: {name: A_FLAVOR.name}}, 'the size of its root disk is not known'],
  ])('says why it is unknown what it saves: %j', (fields, why) => {
    const {status = 'ACTIVE'} = fields;
    const machine = {...aMachine({status, statusText: safeText(status)}), ...fields};
    const question = deleteQuestion(machine, aKnownScene({usage: []}));
    expect(factText(question, 'What it costs')).toBe(`The savings are unknown: ${why}.`);
  });

  it.each([
    ['nothing is known', undefined, 'Warnings', 'Whether it is working right now is unknown: no metrics yet.'],
    ['it is working', busyMetrics(4), 'Warnings', 'It is WORKING right now: cpu 25%, memory 50%.'],
    [
      'it is quiet',
      busyMetrics(0.01),
      'Right now',
      /^It is quiet: cpu <1%, memory 50%. .*GPU load is not reported by this API\.$/,
    ],
  ])('says whether the machine is working when %s', (_, metrics, label, told) => {
    const machine = aMachine();
    const known = metrics === undefined ? new Map() : new Map([[machine.id, metrics]]);
    expect(factText(deleteQuestion(machine, aKnownScene({metrics: known})), label)).toMatch(told);
  });

  it('does not mention GPU load when there is no GPU', () => {
    const machine = aMachine({flavor: {...A_FLAVOR, gpuCount: 0}});
    const scene = aKnownScene({metrics: new Map([[machine.id, busyMetrics(0.01)]])});
    expect(factText(deleteQuestion(machine, scene), 'Right now')).toMatch(/^It is quiet: cpu <1%, memory 50%\.$/);
  });

  it.each<[string, Partial<Omit<VirtualMachine, 'id'>>, Partial<Scene>, RegExp | undefined]>([
    ['is possible for a failed machine', {status: 'ERROR'}, {}, undefined],
    ['must wait until the machine is created', {status: 'CREATING'}, {}, /^it is CREATING/],
    ['is not asked for twice', {status: 'DELETING'}, {}, /^already DELETING/],
    ['leaves nodes to their cluster', {clusterId: 9}, {}, /cluster #9/],
    ['respects a lock', {isLocked: true}, {}, /locked/],
    ['is not available in a read-only session', {}, {operations: undefined}, /^read-only/],
  ])('%s', (_, machine, scene, reason) => {
    const told = deleteReason(aMachine(machine), {...SCENE, ...scene});
    if (reason === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(reason);
  });

  it('says beforehand what the role of the key does not allow', () => {
    const store = createStore();
    const scene = aScene({store, operations: IDLE});
    const permission = (method: string) => ({
      resource: safeText('virtual-machine'),
      method: safeText(method),
      endpoint: safeText('/core/virtual-machines/{vm_id}'),
    });
    write({store}, permissionsFeed, [permission('GET')]);
    expect(deleteReason(aMachine(), scene)).toMatch(/role of this key does not allow DELETE/);
    write({store}, permissionsFeed, [permission('GET'), permission('DELETE')]);
    expect(deleteReason(aMachine(), scene)).toBeUndefined();
  });
});
