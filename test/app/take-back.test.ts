import {describe, expect, it} from 'vitest';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {textOf} from '../../src/ui/text.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

const ADDRESS = safeText('192.0.2.7');
const own = {clientAddress: safeText('203.0.113.9'), serverPort: 22, serverAddress: ADDRESS};

function seen(status: MachineStatus, startedAt: number) {
  const record = aVirtualMachine({
    id: 7,
    name: safeText('train-02'),
    floatingIp: ADDRESS,
    status,
    statusText: safeText(status),
  });
  return {startedAt: monotonicMs(startedAt), records: [record], isWhole: true};
}

/** A deck in which train-02 was started from here, and that was confirmed. */
async function started(ownConnection: typeof own | undefined) {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations, ...(ownConnection === undefined ? {} : {ownConnection})});
  const before = seen('SHUTOFF', 1);
  open.store.writeValue(machinesFeed, aListing(before.records), monotonicMs(1));
  await open.press('p', 's', 'y');
  const after = seen('ACTIVE', 2000);
  open.store.writeValue(machinesFeed, aListing(after.records), monotonicMs(2000));
  operations.reach('CONFIRMED', undefined, {before, after});
  await open.press('z');
  const overlay = open.deck.overlay();
  if (overlay?.kind !== 'question') throw new Error('Expected a question.');
  return {...open, operations, question: overlay.question};
}

describe('the question of an undo', () => {
  it('has the cost, the calls and the weight of the action itself', async () => {
    const {question} = await started(undefined);
    expect(question).toMatchObject({title: 'undo: train-02  #7', answer: {kind: 'key'}, takesBack: 'undo'});
    const labels = question.facts.map(({label}) => label);
    expect(labels).toEqual(expect.arrayContaining(['What happens', 'What it costs', 'Calls', 'Undo']));
    const calls = question.facts.find(({label}) => label === 'Calls')?.lines.map(textOf) ?? [];
    expect(calls[0]).toBe('1: GET /core/virtual-machines/7/stop');
  });

  it('takes the full name where the action itself would', async () => {
    const {question, press, operations} = await started(own);
    expect(question.answer).toEqual({kind: 'text', what: 'name', expected: 'train-02'});
    expect(question.facts.flatMap(({lines}) => lines.map(textOf)).join(' ')).toContain('Your own SSH session');
    await press('y', 'enter');
    expect(operations.begun).toHaveLength(1);
  });
});
