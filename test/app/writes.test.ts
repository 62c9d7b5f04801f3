import {describe, expect, it} from 'vitest';
import {takeInput} from '../../src/app/dispatch.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {HOUR_MS, MINUTE_MS, SECOND_MS} from '../../src/domain/time.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {type PlanStep, startPlan} from '../../src/state/operations/plan.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

function openReadOnly() {
  const operations = inMemoryOperations();
  let madeCount = 0;
  const unlock = () => {
    madeCount += 1;
    return operations;
  };
  const open = openDeck('machines', {unlock});
  return {
    ...open,
    operations,
    madeCount: () => madeCount,
    actions: () => operations.begun.map(({action}) => action.kind),
  };
}

describe('a dry run', () => {
  it('shows the exact calls after a complete confirmation, and sends nothing', async () => {
    const operations = inMemoryOperations();
    const {deck, press} = openDeck('machines', {operations});
    await press('D', 'p', 'x', 'y');
    expect(deck.overlay()).toMatchObject({kind: 'calls', steps: [{action: {kind: 'vm.stop', id: 7}}]});
    expect(operations.begun).toEqual([]);
  });

  it('copies the calls as skydeck commands and as curl, without a key', async () => {
    const {press, asked} = openDeck('machines', {operations: inMemoryOperations()});
    await press('D', 'p', 'x', 'y', 'c', 'u');
    expect(asked).toEqual([
      'copy skydeck vm stop 7',
      'copy curl --fail-with-body --request GET "$SKYDECK_BASE_URL"/core/virtual-machines/7/stop --header "api_key: $SKYDECK_API_KEY"',
    ]);
  });

  it('says how many actions confirmed before are still sent', async () => {
    const operations = inMemoryOperations();
    const {press, told} = openDeck('machines', {operations});
    await press('D');
    expect(told()).toBe('dry run: nothing is sent until D is pressed again');
    await press('D', '*', 'p', 'x', ...'stop', 'space', '2', 'enter', 'esc', 'D');
    expect(told()).toBe('dry run, but 2 confirmed before are still sent (P, x cancels; z withdraws)');
    operations.reach('accepted');
    await press('D', 'D');
    expect(told()).toBe('dry run, but 1 confirmed before is still sent (P, x cancels; z withdraws)');
    operations.reach('accepted');
    await press('D', 'D');
    expect(told()).toBe('dry run: nothing is sent until D is pressed again');
  });

  it('ends when its key is pressed again', async () => {
    const operations = inMemoryOperations();
    const {deck, press} = openDeck('machines', {operations});
    await press('D');
    expect(deck.writes.mode().isDryRun).toBe(true);
    await press('D', 'p', 'x', 'y');
    expect(operations.begun).toHaveLength(1);
  });
});

describe('a deck that is stopped', () => {
  it('stops its operations, also those that were allowed later', async () => {
    const open = inMemoryOperations();
    openDeck('machines', {operations: open}).deck.stop();
    expect(open.isStopped()).toBe(true);
    const {deck, press, operations} = openReadOnly();
    await press('W', 'y');
    expect(operations.isStopped()).toBe(false);
    deck.stop();
    expect(operations.isStopped()).toBe(true);
  });
});

describe('a read-only session', () => {
  it('has no operations until writes are allowed, and creates them once', async () => {
    const {deck, press, madeCount, actions} = openReadOnly();
    await press('p', 'x', 'y');
    expect([madeCount(), actions()]).toEqual([0, []]);
    await press('W', 'y');
    expect(deck.writes.mode().access).toBe('unlocked');
    await press('p', 'x', 'y');
    expect([madeCount(), actions()]).toEqual([1, ['vm.stop']]);
  });

  it.each(['enter', 'Y', 'n', 'space', 'esc'])('stays locked after %s', async key => {
    const {deck, press, madeCount} = openReadOnly();
    await press('W', key);
    expect([deck.writes.mode().access, madeCount()]).toEqual(['locked', 0]);
  });

  it('locks again after 15 minutes, and closes an open question', async () => {
    const {deck, time, press, actions} = openReadOnly();
    await press('W', 'y');
    await time.advance(15 * 60_000 - 3000);
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    await time.advance(4000);
    expect(deck.overlay()).toBeUndefined();
    expect(deck.writes.mode().access).toBe('locked');
    await press('p', 'x', 'y');
    expect(actions()).toEqual([]);
  });

  it.each([
    -5 * HOUR_MS,
    5 * HOUR_MS,
  ])('locks after the same 15 minutes when the wall clock is moved by %d ms', async shiftMs => {
    const {press, time, deck} = openDeck('machines', {unlock: inMemoryOperations});
    await press('W', 'y');
    time.shiftWall(shiftMs);
    await time.advance(14 * MINUTE_MS);
    expect(deck.writes.mode().access).toBe('unlocked');
    await time.advance(MINUTE_MS + SECOND_MS);
    expect(deck.writes.mode().access).toBe('locked');
  });

  it.each([
    -5 * HOUR_MS,
    5 * HOUR_MS,
  ])('closes its question after the same minute when the wall clock is moved by %d ms', async shiftMs => {
    const {press, time, deck} = openDeck('machines', {unlock: inMemoryOperations});
    await press('W');
    time.shiftWall(shiftMs);
    await time.advance(50 * SECOND_MS);
    expect(deck.overlay()?.kind).toBe('unlock');
    await time.advance(11 * SECOND_MS);
    expect(deck.overlay()).toBeUndefined();
  });

  it('is locked before a key counts that waited while the computer slept', async () => {
    const operations = inMemoryOperations();
    const {press, time, deck, told} = openDeck('machines', {unlock: () => operations});
    await press('W', 'y', 'i');
    time.standStill(2 * HOUR_MS);
    // Requests the console, which asks nothing.
    takeInput(deck, {kind: 'keys', names: ['c'], isAlone: true});
    expect(operations.begun).toEqual([]);
    expect(told()).toBe('console: read-only session; W allows writes for a while');
  });

  it('withdraws what is still being checked when it is locked', async () => {
    const {press, operations} = openReadOnly();
    await press('W', 'y', 'p', 'x', 'y', 'W');
    expect(operations.all().map(({phase, detail}) => [phase, detail])).toEqual([['NOT_SENT', 'withdrawn']]);
  });

  it('sends nothing more of a batch when it is locked between two actions', async () => {
    const {press, operations, actions} = openReadOnly();
    await press('W', 'y', '*', 'p', 'x', ...'stop', 'space', '2', 'enter', 'esc', 'W');
    operations.reach('CONFIRMED');
    expect(actions()).toEqual(['vm.stop']);
  });

  it('sends nothing more of a batch when the time was over during a sleep, before the clock ticks', async () => {
    const {press, time, operations, actions, told} = openReadOnly();
    await press('W', 'y');
    await time.advance(13 * MINUTE_MS);
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    time.sleep(4 * MINUTE_MS);
    operations.reach('CONFIRMED');
    expect(actions()).toEqual(['vm.stop']);
    await time.advance(SECOND_MS);
    expect(told()).toBe('writes are locked again; 1 was not sent');
  });

  it('sends nothing more of a batch that waited for the budget when the time was over during a sleep', async () => {
    const {press, time, operations, actions, told} = openReadOnly();
    await press('W', 'y');
    await time.advance(13 * MINUTE_MS);
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    operations.fillBudget();
    operations.reach('CONFIRMED');
    time.sleep(4 * MINUTE_MS);
    // The timer of the budget may fire before the clock ticks.
    operations.emptyBudget();
    expect(actions()).toEqual(['vm.stop']);
    expect(told()).toBe('writes are locked again; 1 was not sent');
  });

  it('says when it is locked what is half done, and how many actions are not sent', async () => {
    const {deck, press, operations, told} = openReadOnly();
    await press('W', 'y');
    const stop = (id: number, ifNotDone = safeText('')): PlanStep => ({
      action: {kind: 'vm.stop', id: virtualMachineId(id)},
      subjectName: safeText(`gpu-${id}`),
      ifNotDone,
    });
    for (const [mode, ...steps] of [
      ['chain', stop(1), stop(2, safeText('both rules are there now'))],
      ['batch', stop(3), stop(4), stop(5)],
    ] as const) {
      const [first, ...rest] = steps;
      const start = startPlan(operations, [first, ...rest], {mode, tell: () => {}});
      if (start.status === 'locked') throw new Error('Expected the plan to begin.');
      deck.writes.began(start.plan, 'done');
      if (mode === 'chain') operations.reach('CONFIRMED');
    }
    operations.reach('accepted');
    await press('W');
    expect(told()).toBe('writes are locked again; 3 were not sent; both rules are there now');
  });

  it('is locked at once by the same key', async () => {
    const {deck, press} = openReadOnly();
    await press('W', 'y', 'W');
    expect(deck.writes.mode().access).toBe('locked');
  });
});

describe('undo and redo', () => {
  it('say that there is nothing to undo or redo when nothing was done', async () => {
    const {press, told} = openDeck('machines', {operations: inMemoryOperations()});
    await press('z');
    expect(told()).toBe('nothing to undo in this session');
    await press('Z');
    expect(told()).toBe('nothing to redo');
  });

  it('do not undo what is still under way', async () => {
    const operations = inMemoryOperations();
    const {deck, press, told} = openDeck('machines', {operations});
    await press('p', 'x', 'y');
    operations.reach('accepted');
    await press('z');
    expect(told()).toBe('undo: the last one is still under way');
    expect(deck.overlay()).toBeUndefined();
  });

  it('are refused in a read-only session', async () => {
    for (const key of ['z', 'Z']) {
      const {press, told} = openReadOnly();
      await press(key);
      expect(told()).toBe('this session is read-only; W allows writes for a while');
    }
  });
});
