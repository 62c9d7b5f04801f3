import {describe, expect, it} from 'vitest';
import type {OperationPhase} from '../../src/domain/operation.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

/** The overview of machines gpu-1 to gpu-4, and a way to start one of them as the first half of a fix. */
async function openOverview() {
  const operations = inMemoryOperations();
  const opened = openDeck('overview', {operations});
  const machines = [1, 2, 3, 4].map(id => aVirtualMachine({id, name: safeText(`gpu-${id}`), status: 'ACTIVE'}));
  opened.store.writeValue(machinesFeed, aListing(machines), monotonicMs(0));
  await opened.time.advance(1500);
  // The cursor stands on gpu-1 and gpu-2 was chosen there once: without a reason to move, it stays.
  await opened.press('2', 'g', 'j', '1');
  const start = (id: number, ...phases: readonly OperationPhase[]) => {
    const action = {kind: 'vm.start', id: virtualMachineId(id)} as const;
    operations.begin({action, subjectName: safeText(`gpu-${id}`), followUp: say`p h hibernates it`});
    for (const phase of phases) operations.reach(phase);
  };
  const cursor = () => [1, 2, 3, 4].find(objectId => opened.deck.pane().standsOn({objectId}));
  return {...opened, operations, start, cursor};
}

describe('a machine that was started as the first half of a fix', () => {
  it.each<readonly [OperationPhase]>([
    ['accepted'],
    ['in-progress'],
    ['CONFIRMED'],
  ])('has the cursor when Machines is opened next, once it is %s, and only then', async phase => {
    const {press, start, cursor} = await openOverview();
    start(3, 'sent', phase);
    await press('2');
    expect(cursor()).toBe(3);
    await press('k', '1', '2');
    expect(cursor()).toBe(2);
  });

  it.each<readonly OperationPhase[]>([
    ['NOT_SENT'],
    ['STALE'],
    ['sent', 'REFUSED'],
    ['sent', 'unknown'],
    ['sent', 'unknown', 'NO_EFFECT_SEEN'],
    ['sent', 'accepted', 'CONTRADICTED'],
  ])('does not move the cursor when nothing came of it: %s %s %s', async (...phases) => {
    const {press, start, cursor} = await openOverview();
    start(3, ...phases.filter(phase => phase !== undefined));
    await press('2');
    expect(cursor()).toBe(2);
  });

  it('is followed by the others of its batch, one each time that Machines is opened', async () => {
    const {press, start, cursor} = await openOverview();
    for (const id of [1, 3, 4]) start(id, 'sent', 'accepted');
    const seen: unknown[] = [];
    for (let count = 0; count < 4; count += 1) {
      await press('2');
      seen.push(cursor());
      await press('p', 'esc', '1');
    }
    expect(seen).toEqual([1, 3, 4, 4]);
  });

  it('is not led to while the person is there, nor when Machines is opened on something else', async () => {
    const {deck, press, start, cursor} = await openOverview();
    await press('2');
    start(3, 'sent', 'accepted', 'CONFIRMED');
    await press('1', '2');
    expect(cursor()).toBe(2);
    await press('1');
    start(4, 'sent', 'accepted', 'CONFIRMED');
    deck.goTo('machines', {objectId: 1});
    deck.choose();
    await press('P');
    expect(cursor()).toBe(1);
  });

  it('no longer moves the cursor a quarter of an hour later', async () => {
    const {press, start, cursor, time} = await openOverview();
    start(3, 'sent', 'accepted', 'CONFIRMED');
    await time.advance(15 * MINUTE_MS);
    await press('2');
    expect(cursor()).toBe(2);
  });
});
