import {describe, expect, it} from 'vitest';
import {recordOf} from '../../../src/actions/actions.ts';
import {type Action, subjectOf} from '../../../src/domain/action.ts';
import {newOperation, type Operation} from '../../../src/domain/operation.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {secret} from '../../../src/domain/secret.ts';
import {epochMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {OperationBook} from '../../../src/state/operations/operation-book.ts';

const OWN = {kind: 'own'} as const;
const GPU_7 = virtualMachineId(7);

function operation(id: string, action: Action = {kind: 'vm.stop', id: GPU_7}): Operation {
  return newOperation({id, confirmedAt: epochMs(0)}, {action, subjectName: safeText('gpu-7')}, recordOf(action));
}

function onMachine(number: number): Operation {
  return operation(`op-${number}`, {kind: 'vm.stop', id: virtualMachineId(number)});
}

function aBook(...operations: readonly Operation[]): OperationBook {
  const book = new OperationBook();
  for (const each of operations) book.add(each, OWN);
  return book;
}

describe('the lock on an object', () => {
  it('stays while another operation on the object is still open', () => {
    const [first, second] = [operation('first'), operation('second')];
    const book = aBook(first, second);
    expect(book.openOn(subjectOf(first.action))?.id).toBe('first');
    book.update({...first, phase: 'CONFIRMED'}, true);
    expect(book.openOn(subjectOf(first.action))?.id).toBe('second');
    book.update({...second, phase: 'REFUSED'}, true);
    expect(book.openOn(subjectOf(first.action))).toBeUndefined();
  });

  it('is released without affecting an operation on another object', () => {
    const [first, other] = [onMachine(7), onMachine(8)];
    const book = aBook(first, other);
    book.update({...first, phase: 'CONFIRMED'}, true);
    expect(book.openOn(subjectOf(first.action))).toBeUndefined();
    expect(book.openOn(subjectOf(other.action))?.id).toBe('op-8');
  });

  it('is released when an operation is dropped because it belongs to another account', () => {
    const first = operation('first');
    const book = aBook(first);
    book.drop(first);
    expect([book.get('first'), book.openOn(subjectOf(first.action))]).toEqual([undefined, undefined]);
    book.add(operation('next'), OWN);
    expect(book.openOn(subjectOf(first.action))?.id).toBe('next');
  });

  it('is not taken by a job, which waits only for another job like it', () => {
    const stop = operation('stop');
    const console = operation('console', {kind: 'vm.request-console', id: GPU_7});
    const book = aBook(console);
    expect(book.openOn(subjectOf(stop.action))).toBeUndefined();
    expect(book.holderOf(stop)).toBeUndefined();
    expect(book.holderOf(console)?.id).toBe('console');
  });
});

it('counts every change, so that comparing versions shows whether there is news', () => {
  const first = operation('first');
  const book = aBook();
  const versions = [book.version];
  book.add(first, OWN);
  versions.push(book.version);
  book.update({...first, phase: 'sent'}, false);
  versions.push(book.version);
  book.drop(first);
  versions.push(book.version);
  expect(versions).toEqual([0, 1, 2, 3]);
});

it('notifies listeners of news only, and not after they unsubscribe', () => {
  const first = operation('first');
  const book = aBook();
  const told: string[] = [];
  const stop = book.subscribe(({phase}) => told.push(phase));
  book.add(first, OWN);
  book.update({...first, phase: 'sent'}, false);
  book.update({...first, phase: 'accepted'}, true);
  stop();
  book.update({...first, phase: 'CONFIRMED'}, true);
  expect(told).toEqual(['preflight', 'accepted']);
});

it('knows where each operation came from, and rejects one that was never begun', () => {
  const journal = {kind: 'journal', organizationId: 1, writer: undefined} as const;
  const book = new OperationBook();
  book.add(operation('found'), journal);
  book.update({...operation('found'), phase: 'sent'}, true);
  expect(book.originOf('found')).toBe(journal);
  expect(() => book.update(operation('never'), true)).toThrow('operation never was never begun');
});

it('remembers 500 operations, newest first, and forgets the oldest that ended but none that is open', () => {
  const book = aBook(...Array.from({length: 500}, (_, index) => onMachine(index + 1)));
  for (const number of [2, 3, 4]) book.update({...onMachine(number), phase: 'CONFIRMED'}, false);
  expect(book.all()).toHaveLength(500);
  book.add(onMachine(501), OWN);
  expect(book.all()).toHaveLength(500);
  expect([1, 2, 3].map(number => book.get(`op-${number}`)?.phase)).toEqual(['preflight', undefined, 'CONFIRMED']);
  expect([book.all().at(0)?.id, book.all().at(-1)?.id]).toEqual(['op-501', 'op-1']);
  expect(book.open()).toHaveLength(498);
});

it('tells of the end of an operation before it forgets it', () => {
  const book = aBook(...Array.from({length: 500}, (_, index) => onMachine(index + 1)));
  const last = onMachine(501);
  const told: (readonly [Operation, Operation | undefined])[] = [];
  book.subscribe(changed => told.push([changed, book.get(changed.id)]));
  book.add(last, OWN);
  const ended: Operation = {...last, phase: 'NOT_SENT'};
  book.update(ended, true);
  expect(told).toEqual([
    [last, last],
    [ended, ended],
  ]);
  expect(book.get(last.id)).toBeUndefined();
});

it('drops only the secret half of a key, without notifying listeners', () => {
  const result = {kind: 'access-key', id: 1, accessKey: safeText('AK80'), secretKey: secret('CANARY')} as const;
  const made = {...operation('made'), result};
  const created = {...onMachine(8), result: {kind: 'created', ids: [8]} as const};
  const book = aBook(made, created, onMachine(9));
  const told: string[] = [];
  book.subscribe(({id}) => told.push(id));
  for (const id of ['made', 'op-8', 'op-9', 'unknown']) book.dropSecret(id);
  const left = book.get('made')?.result;
  expect(left).toMatchObject({kind: 'access-key', id: 1, accessKey: 'AK80'});
  expect(left?.kind === 'access-key' && left.secretKey.reveal()).toBe('');
  expect(book.get('op-8')).toBe(created);
  expect(told).toEqual([]);
});
