import {describe, expect, it} from 'vitest';
import {openQuestion} from '../../src/app/overlay/overlay.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import type {MachineStatus} from '../../src/domain/virtual-machine.ts';
import {usageFeed} from '../../src/state/billing.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {A_FLAVOR, aUsageRecord} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

const NAMES: Readonly<Record<number, string>> = {7: 'train-02', 8: 'dev-1'};
type States = Readonly<Record<number, MachineStatus>>;

function machinesAs(states: States) {
  return Object.entries(states).map(([id, status]) =>
    aVirtualMachine({
      id: Number(id),
      name: safeText(NAMES[Number(id)] ?? ''),
      flavor: A_FLAVOR,
      status,
      statusText: safeText(status),
    }),
  );
}

/** A deck over these machines, metered at $4.00 an hour, whose operations end as the test says. */
function openPriced(states: States) {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations});
  let readAt = 1;
  const reads = (now: States, hourly = '4.00') => {
    readAt += 1000;
    open.store.writeValue(machinesFeed, aListing(machinesAs(now)), monotonicMs(readAt));
    const records = Object.keys(now).map(id => aUsageRecord(Number(id), hourly));
    open.store.writeValue(usageFeed, {records, quarantined: []}, monotonicMs(readAt));
  };
  /** The newest operation has brought its machine from the one state into the other. */
  const ends = (was: MachineStatus, is: MachineStatus) => {
    const {action} = operations.begun.at(-1) ?? {};
    const reading = (status: MachineStatus) => {
      readAt += 1000;
      return {startedAt: monotonicMs(readAt), records: machinesAs({[action?.id ?? 0]: status}), isWhole: true};
    };
    operations.reach('CONFIRMED', undefined, {before: reading(was), after: reading(is)});
  };
  const asked = () => {
    const overlay = open.deck.overlay();
    if (overlay?.kind !== 'question') throw new Error('Expected a question.');
    return overlay.question;
  };
  /** What the open question asks about, and what was begun once it was answered and each before had ended. */
  const confirmed = async (was: MachineStatus, is: MachineStatus) => {
    const {answer, steps} = asked();
    const before = operations.begun.length;
    await open.press(...(answer.kind === 'key' ? ['y'] : [...answer.expected.replaceAll(' ', '␣')].map(keyOf)));
    if (answer.kind === 'text') await open.press('enter');
    for (const _ of steps) ends(was, is);
    return {steps, begun: operations.begun.slice(before)};
  };
  reads(states);
  return {...open, operations, reads, ends, asked, confirmed};
}

function keyOf(letter: string): string {
  return letter === '␣' ? 'space' : letter;
}

const ONE = {7: 'ACTIVE'} as const;
const TWO = {7: 'ACTIVE', 8: 'ACTIVE'} as const;
const ONE_OFF = {7: 'SHUTOFF'} as const;
const TWO_OFF = {7: 'SHUTOFF', 8: 'SHUTOFF'} as const;

describe('what a question shows is what is sent once it is confirmed', () => {
  it.each([
    ['one action', ONE, ONE_OFF, ['p', 'x']],
    ['a batch', TWO, TWO_OFF, ['*', 'p', 'x']],
  ] as const)('for %s, its undo and its redo', async (_what, running, off, keys) => {
    const {press, reads, confirmed} = openPriced(running);
    const cost = {words: '$4.00/h afterwards, no change in cost'};
    const expected = Object.keys(running).map(() => ({facts: {flavorName: 'n3-L40x1', cost}}));
    await press(...keys);
    const done = await confirmed('ACTIVE', 'SHUTOFF');
    expect(done.steps).toMatchObject(expected);
    expect(done.begun).toEqual(done.steps);

    reads(off);
    await press('esc', 'z');
    const undone = await confirmed('SHUTOFF', 'ACTIVE');
    expect(undone.steps).toMatchObject(expected);
    expect(undone.begun).toEqual(undone.steps);

    reads(running);
    await press('esc', 'Z');
    const redone = await confirmed('ACTIVE', 'SHUTOFF');
    expect(redone.steps).toMatchObject(expected);
    expect(redone.begun).toEqual(redone.steps);
  });

  it('for the rest of a batch, with what has changed since the batch was confirmed', async () => {
    const {press, reads, operations, confirmed} = openPriced(TWO);
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    operations.reach('NOT_SENT');
    reads(TWO, '5.00');
    await press('r');
    const rest = await confirmed('ACTIVE', 'SHUTOFF');
    const cost = {words: '$5.00/h afterwards, no change in cost'};
    expect(rest.steps).toMatchObject([{facts: {cost}}, {facts: {cost}}]);
    expect(rest.begun).toEqual(rest.steps);
  });
});

describe('the question of the undo of a batch', () => {
  it('stays open for the others when one of them has changed, whichever it is', async () => {
    for (const changed of [7, 8]) {
      const {press, reads, deck, confirmed, operations} = openPriced(TWO);
      await press('*', 'p', 'x');
      await confirmed('ACTIVE', 'SHUTOFF');
      reads(TWO_OFF);
      await press('esc', 'z');
      reads({...TWO_OFF, [changed]: 'ERROR'});
      await press('s');
      expect(deck.overlay()).toMatchObject({
        outdated: {
          text: `${NAMES[changed]}: it was SHUTOFF and is ERROR now. What changed will not be sent.`,
          isOver: false,
        },
      });
      expect(operations.begun).toHaveLength(2);
    }
  });

  it('sends nothing when what was done last is no longer what it asks about', async () => {
    const {press, reads, deck, confirmed, operations, told, asked} = openPriced(TWO);
    await press('p', 'x');
    await confirmed('ACTIVE', 'SHUTOFF');
    reads({7: 'SHUTOFF', 8: 'ACTIVE'});
    await press('z');
    const question = asked();
    await press('esc', 'j', 'p', 'x');
    await confirmed('ACTIVE', 'SHUTOFF');
    reads(TWO_OFF);
    expect(operations.begun).toHaveLength(2);
    deck.setOverlay(openQuestion(question, deck.now()));
    await press('y');
    expect(told()).toBe('undo: not sent: no longer possible');
    expect(operations.begun).toHaveLength(2);
  });
});
