import {describe, expect, it} from 'vitest';
import type {Deck} from '../../../src/app/deck.ts';
import {boxMessage, keysLine} from '../../../src/app/status-bar.ts';
import {planChoices} from '../../../src/app/overlay/write-boxes.tsx';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {machinesFeed} from '../../../src/state/machines.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {inMemoryOperations} from '../../state/in-memory-operations.ts';
import {textOf} from '../../../src/ui/text.ts';
import {openDeck} from '../an-open-deck.ts';

/** A batch that stops both machines of the deck; the test decides how the first one ends. */
async function stoppedAtTheFirst() {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations});
  await open.press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
  const actions = () => operations.begun.map(({action}) => ('id' in action ? action.id : undefined));
  return {...open, operations, actions};
}

/** The keys of the progress box, and how many actions `r` would continue with. */
function offered(deck: Deck): readonly string[] {
  const overlay = deck.overlay();
  const choices = overlay?.kind === 'plan' ? planChoices(overlay.plan, deck.scene()) : [];
  return choices.map(({key, label}) => (key === 'r' ? `r${label.replace('continue with the rest', '')}` : key));
}

describe('the rest of a batch', () => {
  it('is asked about like the batch itself, and nothing is sent on a single letter', async () => {
    const {deck, press, operations, actions} = await stoppedAtTheFirst();
    operations.reach('unknown');
    operations.reach('CONFIRMED');
    expect(actions()).toHaveLength(1);
    await press('r');
    expect(actions()).toHaveLength(1);
    expect(deck.overlay()).toMatchObject({
      kind: 'question',
      question: {title: 'what is left: stop dev-1  #8', answer: {kind: 'text', expected: 'stop 1'}},
    });
    const overlay = deck.overlay();
    const labels = overlay?.kind === 'question' ? overlay.question.facts.map(({label}) => label) : [];
    expect(labels).toContain('What it costs');
    await press('y', 'enter');
    expect(actions()).toHaveLength(1);
    await press('backspace', ...'stop', 'space', '1', 'enter');
    expect(actions()).toHaveLength(2);
    expect(new Set(actions())).toEqual(new Set([7, 8]));
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
  });

  it('takes the full name of the last one for what a single action takes it for', async () => {
    const operations = inMemoryOperations();
    const {deck, press} = openDeck('machines', {operations});
    await press('*', 'X', ...'delete', 'space', '2', 'enter');
    operations.reach('unknown');
    operations.reach('CONFIRMED');
    const [begun] = operations.begun;
    await press('r');
    const name = begun?.subjectName === 'dev-1' ? 'train-02' : 'dev-1';
    expect(deck.overlay()).toMatchObject({
      kind: 'question',
      question: {
        title: expect.stringMatching(`^what is left: delete machine ${name}`),
        answer: {kind: 'text', expected: name},
      },
    });
  });

  it('is not offered while the outcome of one is unknown', async () => {
    const {deck, press, told, operations} = await stoppedAtTheFirst();
    operations.reach('unknown');
    await press('r');
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
    expect(told()).toBe('not sent: the outcome of an action is unknown, and it is still watched');
    expect(offered(deck)).toEqual(['esc']);
  });

  it('is not offered while the answer to one is awaited', async () => {
    const {deck, press, told, operations} = await stoppedAtTheFirst();
    operations.reach('sent');
    await press('x', 'r');
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
    expect(told()).toBe('not sent: the answer to an action is still awaited');
    expect(offered(deck)).toEqual(['esc']);
    operations.reach('accepted');
    expect(offered(deck)).toEqual(['r: 1', 'esc']);
  });

  it('is counted without what can no longer be sent, and r says why when that is all of it', async () => {
    const {deck, press, told, operations, store, actions} = await stoppedAtTheFirst();
    operations.reach('NOT_SENT');
    expect(offered(deck)).toEqual(['r: 2', 'esc']);
    const [sent] = actions();
    const machine = (id: number, isStopped: boolean) =>
      aVirtualMachine({
        id,
        name: safeText(id === 7 ? 'train-02' : 'dev-1'),
        ...(isStopped ? {status: 'SHUTOFF' as const, statusText: safeText('SHUTOFF')} : {}),
      });
    store.writeValue(machinesFeed, aListing([7, 8].map(id => machine(id, id === sent))), monotonicMs(0));
    expect(offered(deck)).toEqual(['r: 1', 'esc']);
    store.writeValue(machinesFeed, aListing([7, 8].map(id => machine(id, true))), monotonicMs(0));
    expect(offered(deck)).toEqual(['esc']);
    await press('r');
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
    expect(told()).toMatch(/^the rest cannot be sent now: .*SHUTOFF/);
    expect(actions()).toHaveLength(1);
  });

  it('says why z undoes nothing while the outcome of one is unknown', async () => {
    const {press, told, operations} = await stoppedAtTheFirst();
    operations.reach('unknown');
    await press('z');
    expect(told()).toBe('undo: the last one is still under way');
  });

  it('is cancelled by x without a question, since doing less needs no care', async () => {
    const {press, operations, actions} = await stoppedAtTheFirst();
    await press('x');
    operations.reach('CONFIRMED');
    expect(actions()).toHaveLength(1);
  });

  it('says why x has nothing to cancel, and of any other key that the box does not have it', async () => {
    const {deck, press, told, operations} = await stoppedAtTheFirst();
    operations.reach('CONFIRMED');
    operations.reach('CONFIRMED');
    await press('x');
    expect(told()).toBe('nothing to cancel: no action is waiting to be sent');
    await press('P');
    expect(told()).toBe('this is the progress that P shows; esc closes it');
    await press('j');
    expect(told()).toBe('j: no such key in this box; esc closes it');
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
  });

  it.each([
    [':', 'palette'],
    ['?', 'help'],
  ])('keeps %s available while its progress is open', async (key, kind) => {
    const {deck, press} = await stoppedAtTheFirst();
    await press(key);
    expect(deck.overlay()).toMatchObject({kind});
    await press('esc', 'P');
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
  });

  it('can be shown again after its box was closed', async () => {
    const {deck, press, told} = await stoppedAtTheFirst();
    const box = deck.overlay();
    await press('esc');
    expect([deck.overlay(), told()]).toEqual([undefined, 'P shows it again']);
    await press('P');
    expect(deck.overlay()).toEqual(box);
  });

  it('does not exist before there was a batch', async () => {
    const {deck, press, told} = openDeck('machines', {operations: inMemoryOperations()});
    await press('P');
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toContain('no batch was run in this session');
  });
});

describe('the calls of a dry run', () => {
  it.each(['esc', 'q', 'enter'])('are closed by %s, as their keys say, and by no other key', async key => {
    const {deck, press, told} = openDeck('machines', {operations: inMemoryOperations()});
    await press('D', 'p', 'x', 'y');
    expect(deck.overlay()).toMatchObject({kind: 'calls'});
    expect(textOf(keysLine(deck.present(), 120))).toContain('<esc, q, enter>close');
    await press('j');
    expect(told()).toBe('j: no such key in this box; esc closes it');
    await press(key);
    expect(deck.overlay()).toBeUndefined();
  });
});

describe('a question', () => {
  it('can be copied as a command and as curl, and stays open', async () => {
    const operations = inMemoryOperations();
    const {deck, press, asked} = openDeck('machines', {operations});
    await press('p', 'x', 'c', 'u');
    expect(asked).toEqual(['copy skydeck vm stop 7', expect.stringMatching(/^copy curl .*\/7\/stop/)]);
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    expect(operations.begun).toEqual([]);
  });

  it('says in its box what was copied, since the box may cover the message line', async () => {
    const {deck, press, asked, store} = openDeck('machines', {operations: inMemoryOperations()});
    const said = () => boxMessage(deck.present())?.text;
    await press('p', 'x', 'c');
    expect(said()).toBe('copied the line');
    await press('esc', 'D', 'p', 'x', 'y', 'u');
    expect(said()).toBe('copied the line');
    await press('j');
    expect(said()).toBe('j: no such key in this box; esc closes it');
    await press('esc');
    // `skydeck vm stop 1` and ` && ` are 21 bytes, for the ids of three digits 23: more than 4096 in all.
    const many = Array.from({length: 200}, (_, index) => aVirtualMachine({id: index + 1}));
    store.writeValue(machinesFeed, aListing(many), monotonicMs(1));
    deck.changed();
    await press('*', 'p', 'x', ...'stop', 'space', ...'200', 'enter', 'c');
    expect(said()).toBe('too long for a clipboard: nothing was copied');
    expect(asked).toHaveLength(2);
  });

  it('says that the typed text is not the expected one', async () => {
    const operations = inMemoryOperations();
    const {deck, press, told} = openDeck('machines', {operations});
    await press('*', 'p', 'x', ...'stop', 'space', '3', 'enter');
    expect(told()).toBe('not sent: stop 3 is not stop 2; type it again');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    expect(operations.begun).toEqual([]);
  });
});
