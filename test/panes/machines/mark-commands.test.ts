import {describe, expect, it} from 'vitest';
import {keysLine} from '../../../src/app/status-bar.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {machinesFeed, observedMachines} from '../../../src/state/machines.ts';
import {textOf} from '../../../src/ui/text.ts';
import {openDeck} from '../../app/an-open-deck.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {inMemoryOperations} from '../../state/in-memory-operations.ts';

function openMachines() {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations});
  return {...open, operations, ids: () => operations.begun.map(({action}) => ('id' in action ? action.id : undefined))};
}

describe('hibernating with the address released', () => {
  it('is offered only if there is an address, and for the one of many that has one asks for its name', async () => {
    const {deck, press, told} = openMachines();
    // dev-1 is second and has no address; train-02 has one.
    await press('j', 'p', 'H');
    expect(told()).toContain('no public address');
    expect(deck.overlay()?.kind).not.toBe('question');
    await press('*', 'p', 'H');
    expect(deck.overlay()).toMatchObject({
      kind: 'question',
      // A released address cannot be restored, so the only one left of many is asked about like a single machine.
      question: {title: 'hibernate train-02  #7', answer: {expected: 'train-02'}},
    });
  });
});

describe('marked machines', () => {
  it('are asked about together, and begun one after the other', async () => {
    const {deck, press, operations, ids} = openMachines();
    await press('space', 'space', 'p', 'x');
    expect(deck.overlay()).toMatchObject({
      kind: 'question',
      question: {title: 'stop 2 machines', purpose: {mode: 'batch'}},
    });
    await press(...'stop', 'space', '2', 'enter');
    expect(deck.overlay()?.kind).toBe('plan');
    expect(ids()).toHaveLength(1);
    operations.reach('accepted');
    expect(ids().sort()).toEqual([7, 8]);
  });

  it('stay marked when the key is pressed once too often on the last row, until the cursor is moved', async () => {
    const {press, told, asked} = openMachines();
    const marked = async () => {
      await press('c');
      return asked.at(-1);
    };
    await press('space', 'space', 'space', 'space');
    expect(told()).toBe('the last row stays marked; M clears the marks');
    expect(await marked()).toBe('copy train-02 dev-1');
    await press('k', 'j', 'space');
    expect(await marked()).toBe('copy train-02');
    await press('space');
    expect(await marked()).toBe('copy train-02 dev-1');
  });

  it('are not sent when another count is typed than the one shown', async () => {
    const {deck, press, ids} = openMachines();
    await press('*', 'p', 'x', ...'stop', 'space', '3', 'enter');
    expect(deck.overlay()?.kind).toBe('question');
    expect(ids()).toEqual([]);
  });

  it('stop at the first whose outcome is unknown, and send the rest on request', async () => {
    const {deck, press, operations, ids} = openMachines();
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    operations.reach('unknown');
    expect(ids()).toHaveLength(1);
    await press('r');
    expect(ids()).toHaveLength(1);
    operations.reach('CONFIRMED');
    await press('r', ...'stop', 'space', '1', 'enter');
    expect(ids()).toHaveLength(2);
    expect(deck.overlay()?.kind).toBe('plan');
  });

  it('can be cancelled between two actions', async () => {
    const {press, operations, ids} = openMachines();
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter', 'x');
    operations.reach('CONFIRMED');
    expect(ids()).toHaveLength(1);
  });

  it('are a range from the last mark to the cursor, and none after M', async () => {
    const {deck, press} = openMachines();
    await press('space', 'V', 'p', 'x');
    expect(deck.overlay()).toMatchObject({question: {title: 'stop 2 machines'}});
    await press('esc', 'M', 'p', 'x');
    expect(deck.overlay()).toMatchObject({question: {steps: [{action: {kind: 'vm.stop'}}]}});
    expect(deck.overlay()).not.toMatchObject({question: {purpose: {mode: 'batch'}}});
  });

  it.each([
    ['dev', '1 of them'],
    ['etl', 'all of them'],
  ])('stay marked while the filter %s hides them', async (filter, hidden) => {
    const {deck, press, store} = openMachines();
    await press('*');
    const machines = (observedMachines(store) ?? []).concat(aVirtualMachine({id: 9, name: safeText('etl-01')}));
    store.writeValue(machinesFeed, aListing(machines), monotonicMs(0));
    await press('/', ...filter, 'enter', 'p', 'x');
    expect(deck.overlay()).toMatchObject({question: {title: `stop 2 machines, ${hidden} hidden by the filter`}});
  });

  it('are offered to be cleared, first of all keys, while there are any', async () => {
    const {deck, press} = openMachines();
    const keys = () => textOf(keysLine(deck.present(), 60));
    expect(keys()).not.toContain('<M>');
    await press('space');
    expect(keys()).toMatch(/^ <M>clear 1 mark /);
    await press('*');
    expect(keys()).toMatch(/^ <M>clear 2 marks /);
    await press('M');
    expect(keys()).not.toContain('<M>');
  });

  it('are no longer marked once an action was sent to them, so the next one is for the row under the cursor', async () => {
    const {deck, press, operations} = openMachines();
    await press('*', 'p', 'x', 'esc', 'p', 'x');
    expect(deck.overlay()).toMatchObject({question: {title: 'stop 2 machines'}});
    await press(...'stop', 'space', '2', 'enter');
    operations.reach('CONFIRMED');
    operations.reach('CONFIRMED');
    await press('esc', 'p', 'x');
    expect(deck.overlay()).toMatchObject({question: {steps: {length: 1}}});
  });
});
