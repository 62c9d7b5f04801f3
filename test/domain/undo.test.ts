import {describe, expect, it} from 'vitest';
import type {Action} from '../../src/domain/action.ts';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import type {Observation} from '../../src/domain/observation.ts';
import {newOperation, type Operation, staleReason} from '../../src/domain/operation.ts';
import {recordOf} from '../../src/actions/actions.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {undoOf} from '../../src/domain/undo.ts';
import {type VirtualMachine, virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {anOperation} from '../actions/an-operation.ts';
import {aFirewall, aMachine} from '../actions/some-things.ts';

const id = virtualMachineId(7);
const text = safeText;

function look(machine: VirtualMachine, startedAt: number): Observation<VirtualMachine> {
  return {startedAt: monotonicMs(startedAt), records: [machine], isWhole: true};
}

function done(action: Action, was: Partial<VirtualMachine>, is: Partial<VirtualMachine> = {}): Operation {
  return {
    ...anOperation('op-1', {action, subjectName: text('gpu-7')}, epochMs(0)),
    phase: 'CONFIRMED',
    before: look(aMachine(was), 1),
    after: look(aMachine(is), 2),
  };
}

describe('undoOf', () => {
  it.each<[string, Operation, string]>([
    ['a start', done({kind: 'vm.start', id}, {}), 'shuts it down again; it is still billed in full'],
    ['a stop', done({kind: 'vm.stop', id}, {}), 'starts it again'],
    [
      'a hibernation that kept the address',
      done({kind: 'vm.hibernate', id, retainsIp: true}, {floatingIp: text('185.0.2.1')}),
      'restores it if its hardware is in stock',
    ],
    [
      'a hibernation that released the address',
      done({kind: 'vm.hibernate', id, retainsIp: false}, {floatingIp: text('185.0.2.1')}),
      'restores it if its hardware is in stock; the address 185.0.2.1 is lost and a new one is assigned',
    ],
    [
      'a detached address',
      done({kind: 'vm.detach-ip', id}, {floatingIp: text('185.0.2.1')}),
      'attaches another address; 185.0.2.1 is lost',
    ],
    [
      'labels that replaced others',
      done({kind: 'vm.set-labels', id, labels: [text('a')]}, {labels: [text('b'), text('c')]}),
      'restores labels b, c',
    ],
    [
      'labels on a machine without any',
      done({kind: 'vm.set-labels', id, labels: [text('a')]}, {labels: []}),
      'removes all labels again',
    ],
  ])('says what undoing %s will do', (_name, operation, words) => {
    expect(undoOf(operation)).toMatchObject({kind: 'possible', words});
  });

  it('names the firewalls that a machine had, and says when it had none', () => {
    const gate = aFirewall({
      id: firewallId(12),
      name: text('gate'),
      attachments: [{machineId: id, machineName: text('gpu-7')}],
    });
    const set = done({kind: 'vm.set-firewalls', id, firewallIds: []}, {});
    const withFirewalls = (firewalls: readonly Firewall[]) => ({...set, before: {...look(aMachine(), 1), firewalls}});
    expect(undoOf(withFirewalls([gate]))).toMatchObject({words: 'restores firewall gate #12'});
    expect(undoOf(withFirewalls([]))).toMatchObject({words: 'removes all firewalls again'});
  });

  it('restores exactly what was replaced, and states what it replaces now', () => {
    const set = done({kind: 'vm.set-labels', id, labels: [text('a')]}, {labels: [text('b')]});
    expect(undoOf(set)).toMatchObject({
      confirmed: {action: {kind: 'vm.set-labels', id, labels: ['b']}, replaced: ['a']},
    });
    const changed = done(
      {kind: 'vm.set-callback', id, url: text('https://new.example'), isUpdate: true},
      {
        callbackUrl: text('https://old.example'),
      },
    );
    expect(undoOf(changed)).toMatchObject({
      confirmed: {action: {kind: 'vm.set-callback', url: 'https://old.example', isUpdate: true}},
    });
  });

  it('names the machine by its newest known name', () => {
    const latest = look(aMachine({name: text('renamed')}), 3);
    expect(undoOf(done({kind: 'vm.stop', id}, {}), latest)).toMatchObject({confirmed: {subjectName: 'renamed'}});
    const older = look(aMachine({name: text('renamed')}), 1);
    expect(undoOf(done({kind: 'vm.stop', id}, {}), older)).toMatchObject({confirmed: {subjectName: 'gpu-7'}});
  });

  it('is not sent when what its question showed besides name and state has changed, as any other action', () => {
    const stop = done({kind: 'vm.stop', id}, {createdAt: epochMs(1)});
    const undo = undoOf(stop, look(aMachine({createdAt: epochMs(1), status: 'SHUTOFF'}), 3));
    if (undo.kind === 'impossible') throw new Error(undo.reason);
    const start = {id: 'b', confirmedAt: epochMs(5)};
    const operation = newOperation(start, undo.confirmed, recordOf(undo.confirmed.action));
    const reasonIn = (createdAt: number) =>
      staleReason(operation, look(aMachine({createdAt: epochMs(createdAt), status: 'SHUTOFF'}), 4));
    expect(reasonIn(1)).toBeUndefined();
    expect(reasonIn(2)).toBe('it was deleted and created again meanwhile');
  });

  it('is possible only after a confirmed effect, with a known previous state, on a machine that exists', () => {
    const confirmed = done({kind: 'vm.stop', id}, {});
    const {before: _was, ...unseen} = confirmed;
    expect(undoOf({...confirmed, phase: 'in-progress'})).toMatchObject({reason: 'it is still under way'});
    expect(undoOf({...confirmed, phase: 'unknown'})).toMatchObject({reason: 'its outcome is not known yet'});
    expect(undoOf({...confirmed, phase: 'NO_EFFECT_SEEN'})).toMatchObject({reason: 'its effect was not seen'});
    const correction = text('its effect was seen after all');
    expect(undoOf({...confirmed, phase: 'NO_EFFECT_SEEN', correction})).toMatchObject({
      reason: 'its effect was seen late, perhaps by someone else: act on its present state',
    });
    expect(undoOf(unseen)).toMatchObject({reason: 'the previous state is unknown'});
    expect(undoOf(confirmed, {startedAt: monotonicMs(9), records: [], isWhole: true})).toMatchObject({
      kind: 'impossible',
    });
  });
});
