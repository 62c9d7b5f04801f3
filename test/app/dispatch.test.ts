import {Box} from 'ink';
import {createElement} from 'react';
import {describe, expect, it} from 'vitest';
import {lockReason} from '../../src/actions/question/action-question.ts';
import type {Deck} from '../../src/app/deck.ts';
import {pasteText, pressKeys, takeInput} from '../../src/app/dispatch.ts';
import {OverlayBox} from '../../src/app/overlay/overlay-box.tsx';
import {isWhollyRead, questionDialog} from '../../src/app/overlay/question-box.tsx';
import {keysLine, messageLine} from '../../src/app/status-bar.ts';
import {assert} from '../../src/domain/assert.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {type BreakerState, UP} from '../../src/state/poller/circuit-breaker.ts';
import {virtualMachineId} from '../../src/domain/virtual-machine.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {dialogLines} from '../../src/ui/dialog.tsx';
import {volumesFeed} from '../../src/state/volumes.ts';
import {aVolume} from '../panes/volumes/a-volume.ts';
import {openForm} from '../../src/ui/form.ts';
import {textOf} from '../../src/ui/text.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import type {VirtualClock} from '../support/clock.ts';
import {shownLines} from '../support/shown-lines.ts';
import {type OpenDeck, openDeck} from './an-open-deck.ts';

function openWithOperations(paneId: string, size: {columns?: number; rows?: number} = {}) {
  const operations = inMemoryOperations();
  const actions = () => operations.begun.map(({action}) => action.kind);
  return {...openDeck(paneId, {operations, ...size}), operations, actions};
}

type Open = ReturnType<typeof openWithOperations>;

describe('a question in a program that stood still', () => {
  const asked = async (stillMs: number) => {
    const open = openWithOperations('machines');
    await open.press('p', 'x');
    await open.time.advance(1000);
    open.time.standStill(stillMs);
    takeInput(open.deck, {kind: 'keys', names: ['y'], isAlone: true});
    return {actions: open.actions(), overlay: open.deck.overlay()?.kind};
  };

  it('is not answered by a key that is read before the clock ticks again', async () => {
    expect(await asked(6500)).toEqual({actions: [], overlay: undefined});
  });

  it.each([710, 3000])('is to be read again after %d ms, before a key that waited meanwhile counts', async stillMs => {
    expect(await asked(stillMs)).toEqual({actions: [], overlay: 'question'});
  });

  it('is answered although the clock ticked a little late', async () => {
    expect(await asked(300)).toEqual({actions: ['vm.stop'], overlay: undefined});
  });

  it('is read from the moment on at which the terminal has taken it', async () => {
    const open = openWithOperations('machines');
    pressKeys(open.deck, ['p', 'x']);
    // Drawing it takes this long, because nobody reads the terminal.
    open.time.standStill(3000);
    await open.time.advance(0);
    takeInput(open.deck, {kind: 'keys', names: ['y'], isAlone: true});
    await open.time.advance(399);
    expect(open.actions()).toEqual([]);
    await open.time.advance(1000);
    takeInput(open.deck, {kind: 'keys', names: ['y'], isAlone: true});
    expect(open.actions()).toEqual(['vm.stop']);
  });
});

describe('the question whether writes are allowed', () => {
  it('is not answered by a y that came too early, nor by its repetitions', async () => {
    const {deck, press, time, told} = openDeck('machines', {unlock: inMemoryOperations});
    await press('W');
    for (const pauseMs of [50, 500, 33, 33]) {
      await time.advance(pauseMs);
      pressKeys(deck, ['y']);
    }
    expect(deck.overlay()).toMatchObject({kind: 'unlock'});
    await time.advance(1000);
    pressKeys(deck, ['y']);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toContain('writes are allowed');
  });
});

describe('a name that is asked for', () => {
  it('is not confirmed by an enter that comes faster than anybody types', async () => {
    const {deck, press, time, actions} = openWithOperations('machines');
    await press('X');
    const open = deck.overlay();
    if (open?.kind !== 'question' || open.question.answer.kind !== 'text') throw new Error('no name is asked for');
    await time.advance(1000);
    for (const key of [...open.question.answer.expected, 'enter']) {
      await time.advance(4);
      pressKeys(deck, [key]);
    }
    expect(actions()).toEqual([]);
    await time.advance(100);
    pressKeys(deck, ['enter']);
    expect(actions()).toEqual(['vm.delete']);
  });
});

describe('a question that is too long for the terminal', () => {
  const SMALLEST = {columns: 60, rows: 16};
  const shown = ({deck}: {deck: Deck}) => {
    const open = deck.overlay();
    if (open?.kind !== 'question') throw new Error('no question is open');
    return dialogLines(questionDialog(open.question, SMALLEST, deck.scene(), {...open, isDryRun: false})).map(textOf);
  };
  const ask = async () => {
    const open = openWithOperations('machines', SMALLEST);
    await open.press('p', 'x');
    return open;
  };

  it('is read page by page, with its subject and the key that cancels always visible', async () => {
    const open = await ask();
    const first = shown(open);
    expect(first).toHaveLength(16);
    expect(first.join('\n')).toMatch(/page 1 of \d; down shows the rest/);
    await open.press('down');
    const last = shown(open);
    for (const page of [first, last]) {
      expect(page[0]).toContain('stop train-02  #7');
      expect(page.join('\n')).toContain('[esc] no');
    }
    expect(first.join('\n')).toContain('What happens');
    expect(last.join('\n')).toContain('Undo');
    expect(last.join('\n')).toMatch(/page (\d) of \1; up goes back/);
  });

  it('says on its last page that its calls are below it, and shows them there', async () => {
    const open = openWithOperations('machines', SMALLEST);
    await open.press('p', 'H', 'down');
    expect(shown(open).join('\n')).toMatch(/page (\d) of \1; up goes back, down lists the calls/);
    await open.press('down');
    expect(shown(open).join('\n')).toContain('calls, page 1 of');
  });

  it('accepts no y before its last line was read, and says so', async () => {
    const {press, actions, told} = await ask();
    await press('y');
    expect(actions()).toEqual([]);
    expect(told()).toBe('not sent: down shows the rest of the question');
    await press('down', 'y');
    expect(actions()).toEqual(['vm.stop']);
  });

  it('offers no y before it was read', async () => {
    const open = await ask();
    expect(shown(open).join('\n')).not.toContain('[y]');
    await open.press('down');
    expect(shown(open).join('\n')).toContain('[y]');
  });

  it('accepts a typed name once it was read, and none before', async () => {
    const {press, actions, told} = openWithOperations('machines', SMALLEST);
    await press('p', 'H', ...'train-02', 'enter');
    expect(actions()).toEqual([]);
    expect(told()).toBe('not sent: down shows the rest of the question');
    await press('down', 'down', 'enter');
    expect(actions()).toEqual(['vm.hibernate']);
  });

  it('must be read again after the terminal was resized', async () => {
    const {deck, press, actions} = await ask();
    await press('down');
    deck.resize({columns: 61, rows: 16});
    await press('y');
    expect(actions()).toEqual([]);
  });

  it('turns one page for keys that arrive together, since the pages between were never visible', async () => {
    const {deck, time, press, actions} = openWithOperations('machines', SMALLEST);
    await press('p', 'H');
    await time.advance(500);
    pressKeys(deck, ['down', 'down', 'pagedown', 'down']);
    expect(shown({deck}).join('\n')).toContain('page 2 of');
    await time.advance(200);
    pressKeys(deck, ['up', 'down', 'down']);
    expect(shown({deck}).join('\n')).toContain('page 2 of');
    expect(actions()).toEqual([]);
  });

  it('accepts no y for a moment on each page', async () => {
    const {deck, time, press, actions} = await ask();
    await press('down');
    await time.advance(200);
    pressKeys(deck, ['y']);
    expect(actions()).toEqual([]);
  });
});

describe('the calls of a question', () => {
  it('are below it, and up returns to the question with the typed text', async () => {
    const {deck, press, operations} = openWithOperations('machines');
    const shown = () => {
      const open = deck.overlay();
      if (open?.kind !== 'question') throw new Error('no question is open');
      const props = questionDialog(open.question, deck.size(), deck.scene(), {...open, isDryRun: false});
      return dialogLines(props).map(textOf).join('\n');
    };
    await press('*', 'p', 'x', ...'stop', 'down');
    expect(shown()).toContain('1: GET /core/virtual-machines/7/stop  train-02');
    expect(shown()).toContain('2: GET /core/virtual-machines/8/stop  dev-1');
    expect(shown()).not.toContain('What happens');
    await press('up');
    expect(shown()).toContain('What happens');
    await press(...' 2', 'enter');
    expect(operations.begun).toHaveLength(1);
  });
});

describe('a question', () => {
  it('says that it accepts no keys until it does', async () => {
    const {deck, time} = openWithOperations('machines');
    const shown = () => {
      const overlay = deck.overlay();
      assert(overlay?.kind === 'question', 'a question is open');
      const box = createElement(OverlayBox, {overlay, shown: deck.present()});
      return shownLines(createElement(Box, {width: 100, height: 40}, box), 100).join('\n');
    };
    pressKeys(deck, ['p', 'x']);
    expect(shown()).toContain('keys are accepted in a moment');
    await time.advance(500);
    expect(shown()).not.toContain('keys are accepted in a moment');
    expect(shown()).toContain('y sends it; other keys cancel');
  });

  it('is answered by one y, which begins the action on the machine that was shown', async () => {
    const {deck, press, operations} = openWithOperations('machines');
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'stop train-02  #7'}});
    await press('y');
    expect(deck.overlay()).toBeUndefined();
    expect(operations.begun).toEqual([
      {
        action: {kind: 'vm.stop', id: 7},
        subjectName: 'train-02',
        status: 'ACTIVE',
        facts: {flavorName: 'n3-H100x8', isUnderContract: false, cost: {words: 'unknown', rates: expect.any(Array)}},
      },
    ]);
  });

  it('ignores a y that was typed before it could be read', async () => {
    const {deck, time, actions} = openWithOperations('machines');
    pressKeys(deck, ['p', 'x', 'y']);
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    await time.advance(399);
    pressKeys(deck, ['y']);
    expect(actions()).toEqual([]);
    // A key that is held repeats after up to a second, and then quickly.
    for (const pauseMs of [660, 33, 33, 999]) {
      await time.advance(pauseMs);
      pressKeys(deck, ['y']);
    }
    expect(actions()).toEqual([]);
    await time.advance(1000);
    pressKeys(deck, ['y']);
    expect(actions()).toEqual(['vm.stop']);
  });

  it('ignores a y among other keys, and one right after another key', async () => {
    const {deck, time, press, actions} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(500);
    pressKeys(deck, ['y', 'y']);
    await time.advance(100);
    pressKeys(deck, ['y']);
    expect(actions()).toEqual([]);
    expect(deck.overlay()).toMatchObject({kind: 'question'});
  });

  it.each(['y', 'y\r', 'train-02\r'])('does not accept a pasted %j, and is closed by it', async text => {
    const {deck, time, press, actions, told} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(500);
    pasteText(deck, text);
    expect(actions()).toEqual([]);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe('stop train-02  #7: not sent. A paste closes a question; ask again');
  });

  it('is closed as soon as a paste begins', async () => {
    const {deck, time, press, actions} = openWithOperations('machines');
    await press('p', 'H');
    await time.advance(500);
    takeInput(deck, {kind: 'pasting'});
    await press(...'train-02', 'enter');
    expect(actions()).toEqual([]);
    expect(deck.overlay()?.kind).not.toBe('question');
  });

  it('says of a y in one burst with enter why nothing is sent, although enter closes the question', async () => {
    for (const [keys, why] of [
      ['p x', 'stop train-02  #7: not sent: enter came together with other keys'],
      ['s', 'ssh was not started: keys came together; press s again'],
      ['W', 'still read-only: keys came together; press W again'],
    ] as const) {
      const open = keys === 'W' ? openDeck('machines', {unlock: inMemoryOperations}) : openWithOperations('machines');
      await open.press(...keys.split(' '));
      await open.time.advance(1000);
      takeInput(open.deck, {kind: 'keys', names: ['y', 'enter'], isAlone: false});
      expect([open.deck.overlay(), open.told()]).toEqual([undefined, why]);
    }
    const {press, time, deck, told} = openWithOperations('machines');
    await press('s');
    await time.advance(1000);
    // Escape never counts as alone.
    takeInput(deck, {kind: 'keys', names: ['esc'], isAlone: false});
    expect(told() ?? '').not.toContain('together');
  });

  it('keeps the reason why a y was not taken when keys after it in one burst copy, or come too early', async () => {
    const {press, time, deck, told, actions, asked} = openWithOperations('machines');
    const burst = (...names: string[]) => takeInput(deck, {kind: 'keys', names, isAlone: false});
    await press('p', 'x');
    const early = 'not sent: y came before the question could be read; press y again';
    burst('y', 'j');
    expect(told()).toBe(early);
    burst('y', 'u');
    expect(told()).toBe(`${early}; copied the line`);
    await time.advance(1500);
    burst('y', 'c');
    expect(told()).toBe('not sent: y came together with other keys; press it again; copied the line');
    await time.advance(1500);
    await press('c');
    expect(told()).toBe('copied the line');
    expect([asked.length, actions()]).toEqual([3, []]);
    expect(deck.overlay()).toMatchObject({kind: 'question'});
  });

  it('keeps its reason for closing a question when the paste arrives in two chunks', async () => {
    const {deck, press, told} = openWithOperations('machines');
    await press('p', 'x');
    takeInput(deck, {kind: 'pasting'});
    const why = told();
    expect(why).toContain('A paste closes a question; ask again');
    takeInput(deck, {kind: 'paste', text: 'abc'});
    expect(told()).toBe(why);
  });

  it('says why an enter in one burst with the typed text sends nothing', async () => {
    const {deck, time, press, actions, told} = openWithOperations('machines');
    const burst = () => takeInput(deck, {kind: 'keys', names: [...'train-02', 'enter'], isAlone: false});
    await press('p', 'H');
    burst();
    expect(told()).toBe('not sent: enter came before the question could be read; type train-02');
    await time.advance(500);
    burst();
    expect(told()).toBe('not sent: enter came together with other keys; press it again');
    expect(actions()).toEqual([]);
    await press('enter');
    expect(actions()).toEqual(['vm.hibernate']);
  });

  it('ignores a y that does not arrive alone', async () => {
    const {deck, time, press, actions} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(500);
    takeInput(deck, {kind: 'keys', names: ['y'], isAlone: false});
    expect(actions()).toEqual([]);
    await press('y');
    expect(actions()).toEqual(['vm.stop']);
  });

  it.each([
    'enter',
    'space',
    'Y',
    'n',
    'down',
    'x',
  ])('does not accept %s as a confirmation, nor a y after it', async key => {
    const {deck, press, actions, told} = openWithOperations('machines');
    await press('p', 'x', key);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe('stop train-02  #7: not sent');
    await press('y');
    expect(actions()).toEqual([]);
  });

  it('does not let text typed at it act as keys of the list behind it', async () => {
    const {deck, press, time, told} = openWithOperations('machines');
    await press('p', 'x', ...'top v p');
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe('the question is closed: keys do nothing until you pause for 2 s from now or press esc');
    await time.advance(2_000);
    await press('p');
    expect(deck.overlay()).toMatchObject({kind: 'menu'});
  });

  it('drops what is typed for a question that has closed, until the typing pauses', async () => {
    const {deck, press, actions, time} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(61_000);
    expect(deck.overlay()).toBeUndefined();
    await press('p', 'x');
    expect(deck.overlay()).toBeUndefined();
    await time.advance(2_000);
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    expect(actions()).toEqual([]);
  });

  it('drops to its end a name whose typing began as the question expired', async () => {
    const {deck, press, time, told} = openWithOperations('machines');
    await press('p', 'H');
    await time.advance(60_000);
    expect(told()).toBe('no answer for 60 s: hibernate train-02  #7: not sent');
    await time.advance(1_000);
    await press(...'train-02-train-02');
    expect(told()).toBe('the question is closed: keys do nothing until you pause for 2 s from now or press esc');
    expect(deck.overlay()).toBeUndefined();
    expect(deck.pane().id).toBe('machines');
  });

  it('drops no key of somebody who comes back a minute after it expired', async () => {
    const {deck, press, time} = openWithOperations('machines');
    await press('p', 'H');
    await time.advance(120_000);
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'stop train-02  #7'}});
  });

  it.each([
    ['a paste closed it', (deck: Deck) => pasteText(deck, 'st')],
    ['ctrl-z closed it', (deck: Deck) => pressKeys(deck, ['ctrl-z'])],
    ['a minute without an answer closed it', (_deck: Deck, time: VirtualClock) => time.advance(59_000)],
  ])('does not let a late answer act as keys after %s', async (_how, close) => {
    const {deck, press, time, told} = openWithOperations('machines');
    await press('p', 'H');
    await time.advance(1_000);
    await close(deck, time);
    expect(deck.overlay()).toBeUndefined();
    // Only now does the person begin to type the answer.
    await time.advance(3_000);
    await press(...'train-02');
    expect(told()).toBe('the question is closed: keys do nothing until you pause for 2 s from now or press esc');
    expect(deck.overlay()).toBeUndefined();
    await press('enter');
    expect(told()).toBe('keys work again');
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
  });

  it.each([
    ['as the last thing before', 0, undefined],
    ['at once after', 4_000, undefined],
    ['12 s after, which was a pause,', 12_000, 'menu'],
  ])('drops a key typed %s the return from a suspension that closed it', async (_when, waitMs, opened) => {
    const {deck, press, time, told, actions} = openWithOperations('machines');
    await press('p', 'x', 'ctrl-z');
    await time.advance(30_000);
    // A key that waited in the terminal is read before the deck is told that it goes on.
    if (waitMs === 0) await press('y', 'p');
    deck.resume();
    expect(told()).toBe('skydeck was suspended: stop train-02  #7: not sent');
    await time.advance(waitMs);
    await press('p');
    expect(deck.overlay()?.kind).toBe(opened);
    expect(actions()).toEqual([]);
  });

  it.each([
    ['ssh', 's', 'no answer for 60 s: ssh was not started'],
    ['unlock', 'W', 'no answer for 60 s: still read-only'],
  ])('expires like any other when it is about %s', async (kind, key, words) => {
    const {deck, press, told, time, asked} = openDeck('machines', {unlock: inMemoryOperations});
    await press(key);
    expect(deck.overlay()).toMatchObject({kind});
    await time.advance(61_000);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe(words);
    await press('y');
    expect(asked).toEqual([]);
    expect(deck.overlay()).toBeUndefined();
    expect(deck.writes.mode().access).toBe('locked');
  });

  it('is cancelled by escape, which says that nothing was sent', async () => {
    const {deck, press, actions, told} = openWithOperations('machines');
    await press('p', 'x', 'esc', 'y');
    expect(deck.overlay()?.kind).not.toBe('question');
    expect(actions()).toEqual([]);
    expect(told()).toBe('stop train-02  #7: not sent');
  });

  it('ignores a y when it cannot be read completely', async () => {
    const {deck, press, actions} = openWithOperations('machines');
    await press('p', 'x');
    deck.resize({columns: 60, rows: 16});
    await press('y');
    deck.resize({columns: 20, rows: 5});
    await press('y');
    expect(actions()).toEqual([]);
  });

  it('ignores a y that was held down while it was not visible', async () => {
    const {deck, press, actions, time} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(1000);
    deck.resize({columns: 20, rows: 5});
    pressKeys(deck, ['y']);
    await time.advance(1);
    deck.resize({columns: 120, rows: 40});
    pressKeys(deck, ['y']);
    await time.advance(399);
    pressKeys(deck, ['y']);
    expect(actions()).toEqual([]);
    await time.advance(1000);
    await press('y');
    expect(actions()).toEqual(['vm.stop']);
  });

  it('waits while a person reads, for up to a minute', async () => {
    const {deck, press, actions, time} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(58_000);
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    await press('y');
    expect(actions()).toEqual(['vm.stop']);
  });

  it('leads to the cheaper action by its own key, with a question of its own', async () => {
    const {deck, press, actions} = openWithOperations('machines');
    await press('p', 'x', 'tab');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'hibernate train-02  #7'}});
    expect(actions()).toEqual([]);
    await press('y');
    expect(actions()).toEqual(['vm.hibernate']);
  });

  it('is not asked again while the action before it is under way', async () => {
    const {deck, press, actions, told} = openWithOperations('machines');
    await press('p', 'x', 'y', 'p', 'x');
    expect(deck.overlay()).toBeUndefined();
    expect(actions()).toEqual(['vm.stop']);
    expect(told()).toMatch(/^stop: stop train-02 #7/);
  });

  it('names the operation that locks the machine when another action was begun meanwhile', async () => {
    const {press, operations, actions, told} = openWithOperations('machines');
    await press('p', 'x');
    operations.begin({action: {kind: 'vm.hard-reboot', id: virtualMachineId(7)}, subjectName: safeText('train-02')});
    await press('y');
    expect(actions()).toEqual(['vm.hard-reboot']);
    expect(told()).toMatch(/^stop: not sent\. hard reboot train-02 #7/);
  });
});

describe('an answer that is not taken', () => {
  const ASKED = [
    ['p x', 'y', 'not sent'],
    ['s', 'y', 'ssh was not started'],
    ['W', 'y', 'still read-only'],
  ] as const;
  const ask = async (keys: string) => {
    const open = keys === 'W' ? openDeck('machines', {unlock: inMemoryOperations}) : openWithOperations('machines');
    await open.press(...keys.split(' '));
    return open;
  };

  it.each(ASKED)('says why and what to do: %s', async (keys, answer, notDone) => {
    const {deck, time, told} = await ask(keys);
    const answered = (arrival: {isAlone: boolean; aloneInMs?: number}) => {
      takeInput(deck, {kind: 'keys', names: [answer], ...arrival});
      return told();
    };
    const drawn = `${notDone}: y came before the question could be read; press y again`;
    await time.advance(399);
    expect(answered({isAlone: true})).toBe(drawn);
    // It may be held down.
    await time.advance(999);
    expect(answered({isAlone: true})).toBe(drawn);
    await time.advance(1000);
    deck.resize({columns: 100, rows: 40});
    await time.advance(399);
    expect(answered({isAlone: true})).toBe(drawn);
    await time.advance(1000);
    expect(answered({isAlone: false})).toBe(`${notDone}: y came together with other keys; press it again`);
    await time.advance(1000);
    expect(answered({isAlone: false, aloneInMs: 4200})).toBe(
      `${notDone}: other input came just before y; press y again in 5 s`,
    );
    await time.advance(1000);
    expect(answered({isAlone: true}) ?? '').not.toContain(notDone);
    expect(deck.overlay()).toBeUndefined();
  });

  // The box may cover the status bar, so its reason stands in it, whatever its height.
  it.each([
    ['help', '?', 'close'],
    ['palette', ':', 'close'],
    ['menu', 'p', 'close'],
    ['form', 'i l', 'cancel'],
    ['question', 'p x', 'no'],
  ])('says in its title what esc does: %s', async (_box, keys, does) => {
    for (const columns of [60, 80, 120]) {
      const open = openWithOperations('machines', {columns, rows: 24});
      await open.press(...keys.split(' '));
      expect(boxOf(open)).toMatch(new RegExp(`╭─ .* esc = ${does} ─╮`));
    }
  });

  it.each([
    [80, 16],
    [80, 24],
    [120, 35],
  ])('says why in the box itself at %d×%d, and no longer once another key is pressed', async (columns, rows) => {
    const size = {columns, rows};
    for (const [asked, answer, reason] of [
      ['space down space p h', [...'nonsense', 'enter'], 'not sent: nonsense is not hibernate 2; type it again'],
      ['space down space p h', ['enter'], 'not sent: type hibernate 2 first'],
      ['p H', ['enter'], 'not sent: type train-02 first'],
      ['s', ['y'], 'ssh was not started: y came together with other keys; press it again'],
      ['W', ['y'], 'still read-only: y came together with other keys; press it again'],
      ['p x', ['y'], 'not sent: y came together with other keys; press it again'],
    ] as const) {
      const open =
        asked === 'W'
          ? openDeck('machines', {unlock: inMemoryOperations, ...size})
          : openWithOperations('machines', size);
      const {deck, press, time} = open;
      await press(...asked.split(' '));
      await time.advance(500);
      while (isUnread(open)) await press('down');
      await time.advance(1000);
      takeInput(deck, {kind: 'keys', names: answer, isAlone: false});
      expect(boxOf(open), asked).toContain(reason);
      expect(barOf(open), asked).not.toContain(reason);
      await press('n');
      if (deck.overlay() !== undefined) expect(boxOf(open), asked).not.toContain(reason);
    }
  });

  it('says so of a y right after another key', async () => {
    const {deck, press, time, told, actions} = openWithOperations('machines');
    await press('p', 'x', 'c');
    await time.advance(149);
    pressKeys(deck, ['y']);
    expect(told()).toBe('not sent: y came right after another key; press it again');
    await press('y');
    expect(actions()).toEqual(['vm.stop']);
  });

  it('says so of a name, letter by letter, and of its enter', async () => {
    const {deck, press, time, told, actions} = openWithOperations('machines');
    await press('p', 'H', ...'train-0');
    deck.resize({columns: 100, rows: 40});
    pressKeys(deck, ['2']);
    expect(told()).toBe('not typed: 2 came before the question could be read; type it again');
    await press('2');
    deck.resize({columns: 101, rows: 40});
    pressKeys(deck, ['enter']);
    expect(told()).toBe('not sent: enter came before the question could be read; press enter again');
    await time.advance(500);
    takeInput(deck, {kind: 'keys', names: ['enter'], isAlone: false, aloneInMs: 900});
    expect(told()).toBe('not sent: other input came just before enter; press enter again in 1 s');
    await press('enter');
    expect(actions()).toEqual(['vm.hibernate']);
  });
});

describe('a question whose subject somebody else changes', () => {
  const NAMES = new Map([
    [7, 'train-02'],
    [8, 'dev-1'],
  ]);
  const readAs = async ({store, time}: OpenDeck, stopped: readonly number[]) => {
    const machines = [...NAMES].map(([id, name]) => {
      const status = stopped.includes(id) ? 'SHUTOFF' : 'ACTIVE';
      return aVirtualMachine({id, name: safeText(name), status, statusText: safeText(status)});
    });
    store.writeValue(machinesFeed, aListing(machines), time.clock.monotonicNow());
    await time.advance(300);
  };

  it('says what has changed, and accepts no answer any more', async () => {
    const open = openWithOperations('machines');
    await readAs(open, []);
    await open.press('p', 'x');
    await readAs(open, [7]);
    expect(boxOf(open)).toContain('train-02: it was ACTIVE and is SHUTOFF now. This question no longer applies.');
    expect(boxOf(open)).not.toContain('[y]');
    await open.press('y', 'y', 'q', 'x', 'enter');
    expect(open.actions()).toEqual([]);
    expect(open.told()).toBe('not sent: the question no longer applies; esc closes it');
    // It stays that way, whatever is read next.
    await readAs(open, []);
    await open.press('y');
    expect(open.actions()).toEqual([]);
    await open.press('esc');
    expect(open.deck.overlay()).toBeUndefined();
  });

  it('about many must be read again before it is answered for the others', async () => {
    const open = openWithOperations('machines');
    await readAs(open, []);
    await open.press('*', 'p', 'x');
    await open.time.advance(500);
    await readAs(open, [8]);
    expect(boxOf(open)).toContain('dev-1: it was ACTIVE and is SHUTOFF now. What changed will not be sent.');
    const changed = open.deck.overlay();
    // The end of an answer that was being typed is not accepted.
    pressKeys(open.deck, ['s']);
    expect(open.deck.overlay()).toMatchObject({input: {text: ''}});
    expect(changed).toMatchObject({kind: 'question', outdated: {isOver: false}});
    await open.press(...'stop', 'space', '2', 'enter');
    expect(open.actions()).not.toEqual([]);
  });
});

function boxOf({deck}: OpenDeck): string {
  const overlay = deck.overlay();
  assert(overlay !== undefined, 'a box is open');
  const {columns: width, rows: height} = deck.size();
  const box = createElement(OverlayBox, {overlay, shown: deck.present()});
  return shownLines(createElement(Box, {width, height}, box), width).join('\n');
}

function isUnread({deck}: OpenDeck): boolean {
  const overlay = deck.overlay();
  return overlay?.kind === 'question' && !isWhollyRead(overlay, deck.size(), deck.scene());
}

function barOf({deck}: OpenDeck): string {
  return textOf(messageLine(deck.present(), deck.size().columns));
}

describe('a question that is open when the service stops answering', () => {
  const asked = async (...keys: readonly string[]) => {
    const operations = inMemoryOperations();
    const outage: {health: BreakerState} = {health: UP};
    const open = openDeck('machines', {operations, columns: 120, rows: 35, health: () => outage.health});
    await open.press('p', ...keys);
    const fail = () => {
      const failure = {kind: 'timed-out', afterMs: 5000} as const;
      const rest = {retryAt: monotonicMs(99_000), failure, attemptCount: 1, goodAnswerCount: 0};
      outage.health = {status: 'down', since: open.deck.now(), ...rest};
      open.deck.changed();
    };
    const recover = () => {
      outage.health = UP;
      open.deck.changed();
    };
    return {...open, fail, recover, sent: () => operations.begun.map(({action}) => action.kind)};
  };

  it.each([
    ['a key', ['x'], ['y'], 'vm.stop'],
    ['a name', ['H'], [...'train-02', 'enter'], 'vm.hibernate'],
  ])('says so and takes no answer by %s until it answers again', async (_, keys, answer, kind) => {
    const open = await asked(...keys);
    await open.time.advance(500);
    open.fail();
    await open.time.advance(27_000);
    open.deck.changed();
    expect(boxOf(open)).toContain('link down 27s: nothing can be sent. What is said below may have changed since.');
    // Its label is not that of what the question says of the machine.
    expect(boxOf(open)).toMatch(/Service +link down 27s/);
    expect(boxOf(open).split('Right now').length - 1).toBeLessThan(2);
    expect(boxOf(open)).not.toContain('[y]');
    expect(boxOf(open)).toContain('no answer is taken now; esc cancels');
    expect(boxOf(open)).not.toMatch(/y sends it|and enter/);
    expect(textOf(keysLine(open.deck.present(), 120))).not.toMatch(/<y>|<type>/);
    for (const key of answer) {
      await open.press(key);
      expect(open.told()).toMatch(/^not sent: link down \d\ds: nothing can be sent$/);
    }
    expect(open.sent()).toEqual([]);
    open.recover();
    expect(boxOf(open)).not.toContain('link down');
    expect(boxOf(open)).toContain('keys are accepted in a moment');
    // A key on its way was meant for the question as it was.
    pressKeys(open.deck, [answer.at(-1) ?? '']);
    expect(open.sent()).toEqual([]);
    await open.time.advance(2000);
    expect(boxOf(open)).toMatch(answer.length === 1 ? /y sends it/ : /type the name train-02 and enter/);
    await open.press(...answer);
    expect(open.sent()).toEqual([kind]);
  });
});

it('a name that was begun is kept while the service does not answer, and no key for it is offered meanwhile', async () => {
  const operations = inMemoryOperations();
  const outage: {health: BreakerState} = {health: UP};
  const {deck, press, time} = openDeck('machines', {operations, health: () => outage.health});
  await press('p', 'H', ...'train');
  const failure = {kind: 'timed-out', afterMs: 5000} as const;
  const rest = {retryAt: monotonicMs(99_000), failure, attemptCount: 1, goodAnswerCount: 0};
  outage.health = {status: 'down', since: deck.now(), ...rest};
  deck.changed();
  await press('ctrl-u');
  expect(textOf(keysLine(deck.present(), 80)).trim()).toBe('<esc>no');
  outage.health = UP;
  deck.changed();
  await time.advance(500);
  expect(textOf(keysLine(deck.present(), 80))).toContain('<ctrl-u>clear');
  await press(...'-02', 'enter');
  expect(operations.begun).toHaveLength(1);
});

describe('a question with a typed answer', () => {
  // The address would be released permanently, so the name must be typed.
  it('accepts only Enter after the whole name, and no y', async () => {
    const {deck, press, actions} = openWithOperations('machines');
    await press('p', 'H');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {answer: {expected: 'train-02'}}});
    await press('enter', 'y', 'backspace', ...'train-0', 'enter');
    expect(actions()).toEqual([]);
    await press(...'train-02', 'enter');
    expect(actions()).toEqual(['vm.hibernate']);
  });

  it('has the other action and the key that cancels in its key line, on a narrow terminal too', async () => {
    const {deck, press} = openWithOperations('machines', {columns: 80, rows: 24});
    await press('*', 'p', 'x');
    const keys = '<type>the words, then enter <tab>hibernate 2 instead <esc>no';
    expect(textOf(keysLine(deck.present(), 80)).trim()).toBe(keys);
    await press('s');
    expect(textOf(keysLine(deck.present(), 80)).trim()).toBe(keys.replace('<tab>', '<ctrl-u>clear <tab>'));
  });

  it('names a wrong one and removes it, so that the next begins anew', async () => {
    const {deck, press, actions, told} = openWithOperations('machines');
    const keys = () => textOf(keysLine(deck.present(), 120));
    await press('p', 'H');
    expect(keys()).toContain('<type>the name, then enter <esc>no');
    await press('y', ...'train-02');
    expect(keys()).toContain('<type>the name, then enter <ctrl-u>clear <esc>no');
    await press('enter');
    expect(told()).toBe('not sent: ytrain-02 is not train-02; type it again');
    expect(deck.overlay()).toMatchObject({input: {text: '', cursor: 0}});
    await press('enter');
    expect(told()).toBe('not sent: type train-02 first');
    await press(...'train-02', 'enter');
    expect(actions()).toEqual(['vm.hibernate']);
  });

  it('ignores letters before it could have been read', async () => {
    const {deck, actions} = openWithOperations('machines');
    pressKeys(deck, ['p', 'H', ...'train-02', 'enter']);
    expect(deck.overlay()).toMatchObject({kind: 'question', input: {text: ''}});
    expect(actions()).toEqual([]);
  });
});

describe('a menu', () => {
  const menuLines = ({deck}: OpenDeck, size: {columns: number; rows: number}) => {
    const open = deck.overlay();
    assert(open?.kind === 'menu', 'a menu is open');
    const box = createElement(OverlayBox, {overlay: open, shown: deck.present()});
    const lines = shownLines(createElement(Box, {width: size.columns, height: size.rows}, box), size.columns);
    return lines.map(line => line.replace(/^│ |\s*│$/gu, ''));
  };

  it('says a reason once, in full, when it has no room beside each action', async () => {
    const size = {columns: 80, rows: 24};
    const open = openWithOperations('machines', size);
    const detail = safeText('the service failed (500): Something went wrong on our side');
    await open.press('p', 'x', 'y');
    open.operations.reach('unknown', undefined, {detail});
    await open.press('p');
    const lines = menuLines(open, size);
    const told =
      'stop train-02 #7: outcome unknown: the service failed (500): Something went wrong on our side; watching, not sent again';
    expect(lines.join(' ')).toContain(told);
    expect(lines.filter(line => line.includes('outcome'))).toHaveLength(1);
    expect(lines.filter(line => /^..[a-zA-Z] .* off$/.test(line)).length).toBeGreaterThan(4);
  });

  it('says what is cut beside an action in full below, when the cursor is on it', async () => {
    const size = {columns: 60, rows: 24};
    const open = openWithOperations('machines', size);
    await open.press('p');
    const count = menuLines(open, size).length;
    const cut = menuLines(open, size).findIndex(line => line.endsWith('…'));
    const shown = menuLines(open, size).findIndex(line => line.includes('▶'));
    expect(cut).toBeGreaterThan(0);
    await open.press(...Array.from({length: cut - shown}, () => 'down'));
    const lines = menuLines(open, size);
    expect(lines).toHaveLength(count);
    expect(lines[cut]).toMatch(/resize .*now n3-H100x8; .*…$/);
    // Wherever the line is folded.
    const below = lines.slice(cut + 1).join(' ');
    expect(below.replaceAll(/\s+/gu, ' ')).toContain('resize now n3-H100x8; not enabled for most accounts');
  });

  it.each(['esc', 'q'])('is closed by %s without a message', async key => {
    const {deck, press, told, asked} = openWithOperations('machines');
    await press('p', key);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('stays open at a key it does not have, so that what follows does nothing to the screen behind', async () => {
    const {deck, press, told} = openWithOperations('machines');
    await press('p', '2');
    expect(told()).toBe('2: no such key in this menu; esc closes it');
    await press('p', ...'n1');
    expect(deck.overlay()).toMatchObject({kind: 'menu', menuId: 'power'});
    expect(deck.pane().id).toBe('machines');
    await press('down');
    expect(told()).toBeUndefined();
  });

  describe.each(['p', 'o', 'C', 'a'])('opened with %s', opener => {
    it.each([
      [':', 'palette'],
      ['?', 'help'],
      ['/', 'filter'],
    ])('leaves %s to the deck, and the rest is typed there', async (key, kind) => {
      const {deck, press, operations} = openWithOperations('machines');
      await press(opener);
      expect(deck.overlay()).toMatchObject({kind: 'menu'});
      await press(key, ...'wait2p');
      expect(deck.overlay()).toMatchObject({kind, input: {text: 'wait2p'}});
      expect(deck.pane().id).toBe('machines');
      expect(operations.begun).toEqual([]);
    });
  });

  it('runs the line under the cursor when enter is pressed', async () => {
    const {deck, press, operations} = openWithOperations('machines');
    await press('p', 'down');
    expect(deck.overlay()).toMatchObject({kind: 'menu', cursorIndex: 1});
    const second = deck.pane().menus.find(({id}) => id === 'power')?.commands[1];
    await press('enter');
    const asked = deck.overlay();
    await press('esc', 'p', second?.keys[0] ?? '');
    expect(asked).toMatchObject({kind: 'question'});
    expect(deck.overlay()).toMatchObject({question: {title: asked?.kind === 'question' ? asked.question.title : ''}});
    expect(operations.begun).toEqual([]);
  });

  it('explains every action in one column, and scrolls it, where two columns would cut the words', async () => {
    const {deck, press} = openWithOperations('machines', {columns: 80, rows: 20});
    const box = () => {
      const overlay = deck.overlay();
      assert(overlay?.kind === 'menu', 'a menu is open');
      const menu = createElement(OverlayBox, {overlay, shown: deck.present()});
      return shownLines(createElement(Box, {width: 80, height: 20}, menu), 80);
    };
    await press('a');
    expect(box().join('\n')).toMatch(/action 1 of \d+, \+\d+ more below/);
    expect(box().filter(line => line.includes('…'))).toEqual([]);
    expect(box().join('\n')).toContain('off: it already has the address 192.0.2.7');
    await press('up', ...Array.from({length: 40}, () => 'down'));
    expect(box().join('\n')).toMatch(/▶ X +delete/);
  });

  it('keeps its cursor within its lines', async () => {
    const {deck, press} = openWithOperations('machines');
    await press('r', 'up');
    expect(deck.overlay()).toMatchObject({kind: 'menu', cursorIndex: 0});
    const count =
      deck
        .pane()
        .menus.find(({id}) => id === 'related')
        ?.offered(deck.scene()).length ?? 0;
    await press(...Array.from({length: count + 2}, () => 'down'));
    expect(deck.overlay()).toMatchObject({kind: 'menu', cursorIndex: count - 1});
  });

  it('says why an action does not apply and asks nothing', async () => {
    const {deck, press, told} = openWithOperations('machines');
    await press('p', 's');
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe('start: already ACTIVE');
  });

  it('says in a read-only session that there are no operations', async () => {
    const {deck, press, told} = openDeck('machines');
    await press('p', 'x', 'y');
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toContain('read-only session');
  });
});

describe('keys that arrive in one event', () => {
  it('each act on what the one before left behind', () => {
    const {deck, asked} = openWithOperations('machines');
    pressKeys(deck, ['j', 'c']);
    // Without prices the machines are sorted by id.
    expect(asked).toEqual(['copy dev-1']);
    pressKeys(deck, ['k', 'c']);
    expect(asked).toEqual(['copy dev-1', 'copy train-02']);
  });
});

it('names that are too many for a clipboard are not said to be copied', async () => {
  const {deck, press, asked, told, store} = openWithOperations('machines');
  // 300 names of 16 characters, each with a blank or a line break after it, are 5099 bytes; a clipboard takes 4096.
  const machines = Array.from({length: 300}, (_, index) =>
    aVirtualMachine({id: index + 1, name: safeText(`machine-${String(index).padStart(8, '0')}`)}),
  );
  store.writeValue(machinesFeed, aListing(machines), monotonicMs(1));
  deck.changed();
  await press('*', 'c');
  expect(asked).toEqual([]);
  expect(told()).toBe('too long for a clipboard: nothing was copied');
});

describe('the palette', () => {
  it.each(['q', 'quit', 'exit'])('quits by :%s', async name => {
    const {press, asked} = openWithOperations('machines');
    await press(':', ...name, 'enter');
    expect(asked).toEqual(['leave 0']);
  });

  it('opens a pane by one of its other names', async () => {
    const {deck, press} = openWithOperations('billing');
    await press(':', ...'vms', 'enter');
    expect(deck.pane().id).toBe('machines');
    expect(deck.overlay()).toBeUndefined();
  });

  it('says that an unknown name is no command or pane', async () => {
    const {press, told, asked} = openWithOperations('machines');
    await press(':', ...'rm', 'space', ...'everything', 'enter');
    expect(told()).toContain('no such command or pane');
    expect(asked).toEqual([]);
  });

  it('says how a setting is changed to those who try it here', async () => {
    const {press, told} = openWithOperations('machines');
    await press(':', ...'set', 'space', ...'idle', 'space', ...'30m', 'enter');
    expect(told()).toBe(
      'in a shell: skydeck profile set <setting> <value>; skydeck profile show --defaults lists the settings',
    );
  });

  it('suggests what a misspelt name probably means, and does not run it', async () => {
    const {deck, press, told, asked} = openWithOperations('machines');
    await press(':', ...'biling', 'enter');
    expect(told()).toContain('no such command or pane; did you mean billing?');
    expect(deck.pane().id).toBe('machines');
    expect(asked).toEqual([]);
  });

  it('takes pasted text as typed text, and runs nothing', async () => {
    const {deck, press, asked} = openWithOperations('machines');
    await press(':');
    pasteText(deck, 'quit');
    expect(deck.overlay()).toMatchObject({kind: 'palette', input: {text: 'quit'}});
    expect(asked).toEqual([]);
  });

  it('asks the same question about an action as its keys do', async () => {
    const {deck, press, actions} = openWithOperations('machines');
    await press(':', ...'stop', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'stop train-02  #7'}});
    expect(actions()).toEqual([]);
  });
});

describe('leaving', () => {
  it('is not confirmed by a paste', async () => {
    const {deck, press, asked} = openWithOperations('machines');
    await press('p', 'x', 'y', 'q', 'q');
    expect(deck.overlay()).toMatchObject({kind: 'leave'});
    pasteText(deck, 'y');
    await press('y');
    expect(asked).toEqual([]);
  });

  it('is asked about while something is under way, and only y leaves', async () => {
    const {deck, press, asked} = openWithOperations('machines');
    await press('p', 'x', 'y', 'q', 'q');
    expect(deck.overlay()).toMatchObject({kind: 'leave'});
    await press('enter');
    expect(deck.overlay()).toBeUndefined();
    expect(asked).toEqual([]);
    await press('q', 'y');
    expect(asked).toEqual(['leave 0']);
  });

  it('says how much of a batch continues, and how much will not be sent', async () => {
    const {deck, press, operations, asked} = openWithOperations('machines');
    operations.fillBudget();
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    operations.reach('accepted');
    await press('esc', 'q', 'q');
    const box = () => {
      const overlay = deck.overlay();
      assert(overlay?.kind === 'leave', 'it is asked about');
      const leaving = createElement(OverlayBox, {overlay, shown: deck.present()});
      return shownLines(createElement(Box, {width: 100, height: 40}, leaving), 100)
        .join(' ')
        .replaceAll(/[│\s]+/g, ' ');
    };
    expect(box()).toContain('1 operation is under way and continues; 1 was not sent yet and will not be sent.');
    // Everything that was sent has ended, and the rest still waits for the request budget.
    operations.reach('CONFIRMED');
    expect(box()).toContain('1 action was not sent yet and will not be sent.');
    await press('n', 'q');
    expect(deck.overlay()).toMatchObject({kind: 'leave'});
    await press('y');
    expect(asked).toEqual(['leave 0']);
  });

  it('does not ask a second time about an action that waits in a batch', async () => {
    const {press, operations, deck} = openWithOperations('machines');
    operations.fillBudget();
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    operations.reach('accepted');
    await press('esc', 'p', 'x');
    expect(deck.overlay()).toBeUndefined();
    const reasons = [7, 8].map(id => lockReason(deck.scene(), {type: 'vm', id: virtualMachineId(id)}));
    expect(reasons).toEqual([
      'stop train-02 #7: accepted, watching for the effect',
      'it waits in a batch that is under way; P shows it',
    ]);
    expect(operations.begun).toHaveLength(1);
    operations.emptyBudget();
    expect(operations.begun).toHaveLength(2);
  });

  it('counts the actions of a resumed batch', async () => {
    const {deck, press, operations} = openWithOperations('machines');
    await press('*', 'p', 'x', ...'stop', 'space', '2', 'enter');
    operations.reach('NOT_SENT');
    // Another action in between.
    await press('esc', 'space', 'p', 'x', 'y');
    operations.reach('CONFIRMED');
    expect(operations.begun).toHaveLength(2);
    operations.fillBudget();
    await press('P', 'r', ...'stop', 'space', '2', 'enter');
    operations.reach('accepted');
    expect(deck.writes.outstanding()).toMatchObject({
      sent: [{phase: 'accepted'}],
      unsent: [{action: {kind: 'vm.stop'}}],
    });
  });

  it('is confirmed by one y that arrives alone and not too early, like every other question', async () => {
    const {deck, press, asked, time} = openWithOperations('machines');
    await press('p', 'x', 'y', 'q', 'q');
    await time.advance(1000);
    pressKeys(deck, ['y', 'y']);
    // The two arrived together; the question stays open, and its waiting time starts again.
    pressKeys(deck, ['y']);
    expect(asked).toEqual([]);
    expect(deck.overlay()).toMatchObject({kind: 'leave'});
    await time.advance(1000);
    await press('y');
    expect(asked).toEqual(['leave 0']);
  });

  it('says after the first ctrl-c what would not be sent', async () => {
    const {press, asked, told, operations} = openWithOperations('machines');
    await press('p', 'x', 'ctrl-c');
    expect(told()).toBe('ctrl-c again quits; stop train-02  #7: not sent');
    await press('p', 'x', 'y', 'ctrl-c');
    expect(told()).toBe('ctrl-c again quits; 1 action was not sent yet and will not be sent');
    operations.reach('accepted');
    await press('j', 'ctrl-c');
    expect(told()).toBe('ctrl-c again quits; 1 operation is under way and continues');
    await press('ctrl-c');
    expect(asked).toEqual(['leave 0']);
  });

  it('takes ctrl-c twice within two seconds, over any overlay', async () => {
    const {press, asked, time} = openWithOperations('machines');
    await press('p', 'x', 'ctrl-c');
    expect(asked).toEqual([]);
    await time.advance(2000);
    await press('ctrl-c', 'ctrl-c');
    expect(asked).toEqual(['leave 0']);
  });
});

describe('the choices of a field', () => {
  const fields = [
    {key: 'flavor', label: 'flavor', initial: 'a100', choices: ['l40', 'a100', 'h100']},
    {key: 'name', label: 'name', initial: ''},
  ];
  const form = {title: say`new`, fields, check: () => ({mistakes: {}, notes: [], question: undefined})};

  function openTheForm() {
    const opened = openWithOperations('machines');
    opened.deck.setOverlay({kind: 'form', form, state: openForm(fields)});
    const flavor = () => {
      const overlay = opened.deck.overlay();
      return overlay?.kind === 'form' ? overlay.state.inputs.flavor?.text : undefined;
    };
    return {...opened, flavor};
  }

  it('open as a list with /, which letters narrow and enter chooses from', async () => {
    const {deck, press, flavor} = openTheForm();
    await press('/');
    expect(deck.overlay()).toMatchObject({picker: {cursorIndex: 1}});
    await press('1', '0', '0', 'down', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'form', picker: undefined});
    expect(flavor()).toBe('h100');
  });

  it('stay as they were on esc, which leads back to the form', async () => {
    const {deck, press, flavor} = openTheForm();
    await press('/', 'up', 'esc');
    expect([deck.overlay()?.kind, flavor()]).toEqual(['form', 'a100']);
  });

  it('take pasted text as a filter', async () => {
    const {deck, press, told, flavor} = openTheForm();
    await press('/');
    pasteText(deck, 'zebra');
    await press('enter');
    expect(told()).toBe('no match; backspace edits the text');
    expect(flavor()).toBe('a100');
  });

  it('stay closed on enter, which belongs to the form, however many they are; choosing one moves to the next field', async () => {
    const {deck, press} = openWithOperations('machines');
    const many = fields.with(0, {key: 'flavor', label: 'flavor', initial: 'a', choices: ['a', 'b', 'c', 'd', 'e']});
    deck.setOverlay({kind: 'form', form: {...form, fields: many}, state: openForm(many)});
    expect(textOf(keysLine(deck.present(), 120))).toContain('</>list');
    await press('enter');
    expect(deck.overlay()).not.toHaveProperty('picker');
    await press('/');
    expect(deck.overlay()).toMatchObject({picker: {cursorIndex: 0}});
    await press('down', 'enter');
    expect(deck.overlay()).toMatchObject({picker: undefined, state: {fieldIndex: 1, inputs: {flavor: {text: 'b'}}}});
  });

  it('do not open for free text, where / is a letter', async () => {
    const {deck, press} = openTheForm();
    expect(textOf(keysLine(deck.present(), 120))).toContain('</>list');
    await press('tab');
    expect(textOf(keysLine(deck.present(), 120))).not.toContain('</>');
    await press('/');
    expect(deck.overlay()).toMatchObject({kind: 'form', state: {inputs: {name: {text: '/'}}}});
  });
});

describe('ssh to a machine', () => {
  it('shows the command, and runs it after a y that arrives alone', async () => {
    const {deck, press, asked, told} = openWithOperations('machines');
    await press('s');
    expect(deck.overlay()).toMatchObject({kind: 'ssh', words: ['ssh', '--', 'ubuntu@192.0.2.7']});
    pressKeys(deck, ['y', 'x']);
    expect(asked).toEqual([]);
    await press('s', 'y');
    expect(asked).toEqual(['run ssh -- ubuntu@192.0.2.7']);
    expect([deck.overlay(), told()]).toEqual([undefined, 'back from train-02']);
  });

  it.each([
    ['SHUTOFF', ['train-02 is SHUTOFF, so it may not answer']],
    ['ACTIVE', []],
  ] as const)('warns about a machine that is not running: %s', async (status, warnings) => {
    const {deck, store, press} = openDeck('machines', {columns: 80, rows: 24});
    const address = {floatingIp: safeText('192.0.2.7'), imageName: safeText('Ubuntu Server 24.04 LTS')};
    const machine = {id: 7, name: safeText('train-02'), status, statusText: safeText(status), ...address};
    store.writeValue(machinesFeed, aListing([aVirtualMachine(machine)]), monotonicMs(1));
    deck.changed();
    await press('s');
    const overlay = deck.overlay();
    assert(overlay?.kind === 'ssh', 'ssh is asked about');
    const box = createElement(OverlayBox, {overlay, shown: deck.present()});
    const lines = shownLines(createElement(Box, {width: 80, height: 24}, box), 80);
    const told = lines.map(line => line.replaceAll('│', '').trim()).filter(line => line.includes('may not answer'));
    expect(told).toEqual(warnings);
  });

  it('is not started by a paste, and is copied by C s', async () => {
    const {deck, press, asked} = openWithOperations('machines');
    await press('s');
    pasteText(deck, 'y');
    await press('y', 'esc', 'C', 's');
    expect(asked).toEqual(['copy ssh -- ubuntu@192.0.2.7']);
  });

  it('says why it is not possible', async () => {
    const {press, asked, told} = openWithOperations('machines');
    await press('j', 's');
    expect(told()).toBe('ssh: dev-1 has no address');
    expect(asked).toEqual([]);
  });
});

describe('the GPUs of a machine', () => {
  it('are read over ssh after a y, as long as the box is open', async () => {
    const {deck, press, asked} = openWithOperations('machines');
    await press('u');
    expect(deck.overlay()).toMatchObject({kind: 'ssh', shows: 'gpus'});
    pasteText(deck, 'y');
    await press('y', 'u', 'x');
    expect(asked).toEqual([]);
    await press('esc', 'u', 'y');
    expect(asked).toEqual(['watch ssh -T -o BatchMode=yes -o ConnectTimeout=10 --']);
    const open = deck.overlay();
    expect(open?.kind === 'gpus' ? open.watch.readings().map(({latest}) => latest.utilization) : []).toEqual([0.87]);
    // Only the keys that close it do anything.
    await press('x', 'p', 'y');
    expect(deck.overlay()?.kind).toBe('gpus');
    await press('esc');
    expect([deck.overlay(), asked.at(-1)]).toEqual([undefined, 'watch no more']);
  });

  it('are not read when there are none', async () => {
    const {deck, press, asked, told} = openWithOperations('machines');
    await press('j', 'u', 'y');
    expect([deck.overlay(), told(), asked]).toEqual([undefined, expect.stringContaining('no GPU'), []]);
  });
});

describe('an open detail', () => {
  it.each(['o', 'O', 'space', 'V', '*', 'ctrl-w'])('does not pass %s on to the list behind it', async key => {
    const {deck, press, told} = openDeck('machines');
    await press('enter', key);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toMatch(/^[a-z ]+: a detail is open; esc goes back to the list$/);
    expect(textOf(keysLine(deck.present(), 200))).not.toContain('<o>');
    await press('esc');
    expect(textOf(keysLine(deck.present(), 200))).toContain('<o>sort');
  });
});

describe('an applied filter', () => {
  const filtered = async (...keys: readonly string[]) => {
    const open = openDeck('machines', {columns: 120});
    await open.press('/', ...'train', 'enter', '/', ...keys);
    return {
      ...open,
      filter: () => open.deck.pane().filterText(),
      keys: () => textOf(keysLine(open.deck.present(), 120)),
    };
  };

  it('is replaced by what is typed, and edited after a move', async () => {
    expect((await filtered(...'dev')).filter()).toBe('dev');
    expect((await filtered('right', ...'-02')).filter()).toBe('train-02');
    expect((await filtered('enter')).filter()).toBe('train');
  });

  it('says that it is not applied when it is not understood', async () => {
    const {deck, press, told} = openDeck('machines', {columns: 120});
    await press('/', '/', ...'gpu', 'enter');
    expect(deck.pane().filterText()).toBe('/gpu');
    expect(told()).toBe('filter not applied: /gpu: the closing / is missing; without the first / it is a word.');
  });

  it('is cleared by one key, and restored by escape', async () => {
    const {press, filter, keys} = await filtered();
    expect(keys()).toContain('<type>new filter <right>add to it <ctrl-u>clear <enter>keep <esc>cancel');
    await press('ctrl-u');
    expect(filter()).toBe('');
    expect(keys()).toContain('<type>filter <enter>keep');
    await press('esc');
    expect(filter()).toBe('train');
  });
});

describe('a message', () => {
  it('about a saved screen disappears when something opens over that screen', async () => {
    const {press, told} = openDeck('machines', {saved: safeText('saved as txt,ansi,csv,json: /a/path')});
    await press('ctrl-s');
    expect(told()).toContain('saved as txt');
    await press('j');
    expect(told()).toContain('saved as txt');
    await press('?');
    expect(told()).toBeUndefined();
  });

  it.each([
    'j',
    'down',
    'G',
    'p',
  ])('about a key that did nothing disappears when the cursor moves or a menu opens: %s', async key => {
    const {press, told} = openDeck('machines');
    await press('p', 'x');
    expect(told()).toMatch(/^stop: /);
    await press(key);
    expect(told()).toBeUndefined();
  });

  it('about dropped keys disappears as soon as a question opens', async () => {
    const {deck, press, time, told} = openWithOperations('machines');
    await press('p', 'x');
    await time.advance(60_000);
    await press('p');
    expect(told()).toBe('the question is closed: keys do nothing until you pause for 2 s from now or press esc');
    await time.advance(2_000);
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    expect(told()).toBeUndefined();
  });

  it('about what a person did stays while the cursor moves', async () => {
    const {press, told} = openDeck('machines');
    await press('c', 'j', 'k');
    expect(told()).toMatch(/^copied /);
  });

  it('about a wrong answer disappears at the next key', async () => {
    const {press, told} = openWithOperations('machines');
    await press('X', 'x', 'enter');
    expect(told()).toMatch(/^not sent: /);
    await press('backspace');
    expect(told()).toBeUndefined();
  });

  it('about an operation stays while keys are pressed in a box', async () => {
    const {press, told, operations} = openWithOperations('machines');
    await press('p', 'x', 'y');
    operations.reach('NO_EFFECT_SEEN');
    const outcome = told();
    expect(outcome).toMatch(/no effect seen/);
    await press(':', 'v', 'backspace');
    expect(told()).toBe(outcome);
  });

  describe('about an operation that failed, or whose outcome is unknown,', () => {
    it.each([
      'unknown',
      'CONTRADICTED',
      'NO_EFFECT_SEEN',
    ] as const)('stays until a key was pressed: %s', async phase => {
      const {press, told, operations, time} = openWithOperations('machines');
      await press('p', 'x', 'y');
      operations.reach(phase);
      const outcome = told();
      expect(outcome).toMatch(/^stop train-02 #7: (?:outcome unknown|failed|no effect seen)/);
      await time.advance(600_000);
      expect(told()).toBe(outcome);
      await press('j');
      expect(told()).toBe(outcome);
      await time.advance(14_000);
      expect(told()).toBeUndefined();
    });

    it('is back after a message that hid it before it could be read', async () => {
      const {press, told, operations, time} = openWithOperations('machines');
      await press('p', 'x', 'y');
      operations.reach('CONTRADICTED');
      const outcome = told();
      await press('c');
      expect(told()).toMatch(/^copied /);
      await time.advance(6_000);
      expect(told()).toBe(outcome);
    });

    it('is back after the next operation, but never beside its question', async () => {
      const {deck, press, told, operations, time} = openWithOperations('machines');
      await press('p', 'x', 'y');
      operations.reach('CONTRADICTED');
      const outcome = told();
      await press('j', 'p', 'x');
      expect(deck.overlay()).toMatchObject({kind: 'question'});
      await time.advance(3_000);
      expect(told()).toBeUndefined();
      await press('y');
      operations.reach('CONFIRMED');
      expect(told()).toBe('stop dev-1 #8: confirmed');
      await time.advance(6_000);
      expect(told()).toBe(outcome);
    });

    it('gives way to a later one that is as bad', async () => {
      const {press, told, operations} = openWithOperations('machines');
      await press('p', 'x', 'y');
      operations.reach('CONTRADICTED');
      await press('j', 'p', 'x', 'y');
      operations.reach('REFUSED');
      expect(told()).toBe('stop dev-1 #8: refused');
    });
  });

  it('about the last operation disappears when the question of the next one opens', async () => {
    const {deck, press, told} = openWithOperations('machines');
    await press('c');
    expect(told()).toMatch(/^copied /);
    await press('p', 'x');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    expect(told()).toBeUndefined();
  });

  it('belongs to the screen on which it was shown', async () => {
    const {deck, press, told} = openWithOperations('machines');
    await press('x');
    expect(told()).toBe('x: no action here; ? lists the keys');
    await press('4');
    expect(told()).toBeUndefined();
    deck.notify(safeText('saved'));
    await press('esc');
    expect(told()).toBeUndefined();
  });
});

describe('a key that has no action here', () => {
  it.each(['x', 'Q', 'ctrl-t', 'delete'])('is answered with a message: %s', async key => {
    const {press, told} = openWithOperations('overview');
    await press(key);
    expect(told()).toBe(`${key}: no action here; ? lists the keys`);
  });

  it.each([
    ['n', 'new: not in the deck; skydeck api POST /core/clusters/ID/nodes adds nodes'],
    ['a', 'actions: not in the deck; skydeck api POST /core/clusters/ID/nodes adds nodes'],
  ])('says in a list that creates nothing what creates it: %s', async (key, text) => {
    const {press, told} = openWithOperations('clusters');
    await press('tab', key);
    expect(told()).toBe(text);
  });

  it('is not enter on a volume, which opens it as everything else; its menu names the volume', async () => {
    const {deck, store, press} = openWithOperations('volumes');
    store.writeValue(volumesFeed, {records: [aVolume()], quarantined: []}, monotonicMs(1));
    deck.changed();
    const menu = deck.pane().menus.find(({id}) => id === 'actions');
    expect(menu?.title(deck.scene())).toBe('actions for disk-38112 #38112');
    await press('enter');
    expect(deck.pane().id).toBe('volumes');
    expect(deck.pane().search(deck.scene())).toBeDefined();
  });

  it('is shown by its code when it is not visible', async () => {
    const {press, told} = openWithOperations('overview');
    await press('\u202e');
    expect(told()).toBe('<U+202E>: no action here; ? lists the keys');
  });
});

describe('the way back', () => {
  const place = ({deck}: Pick<ReturnType<typeof openWithOperations>, 'deck'>) => [
    deck.pane().id,
    deck.pane().filterText(),
    ...deck.pane().trail(deck.scene()).slice(1),
  ];

  it.each([
    'esc',
    'q',
    '[',
  ])('leads by %s to the previous pane, filter and cursor, and by ] forward again', async key => {
    const open = openWithOperations('machines');
    const {press} = open;
    await press('/', ...'dev', 'enter', '4');
    expect(place(open)).toEqual(['firewalls', '', 'bastion  #5']);
    await press(key);
    expect(place(open)).toEqual(['machines', 'dev', 'dev-1']);
    await press(']');
    expect(place(open)).toEqual(['firewalls', '', 'bastion  #5']);
  });

  it('leads from the target of a jump back to where it began, and q leaves only at the root', async () => {
    const open = openWithOperations('overview');
    const {deck, press, asked} = open;
    deck.goTo('machines', {objectId: 8});
    deck.choose();
    await press('enter');
    expect(deck.pane().search(deck.scene())).toBeDefined();
    await press('q');
    expect(place(open)).toEqual(['machines', '', 'dev-1']);
    expect(deck.pane().search(deck.scene())).toBeUndefined();
    await press('q');
    expect(deck.pane().id).toBe('overview');
    expect(asked).toEqual([]);
    await press(']', ']');
    expect(deck.pane().search(deck.scene())).toBeDefined();
    await press('q', 'q', 'q');
    expect(asked).toEqual(['leave 0']);
  });

  it('leads back into a detail with its search', async () => {
    const {deck, press} = openWithOperations('machines', {columns: 100, rows: 18});
    await press('d', '/', ...'region', 'enter', '4', 'esc');
    expect(deck.pane().search(deck.scene())?.text).toBe('region');
  });

  it('says at the root that there is nothing to go back to, and how to quit', async () => {
    const {deck, press, told} = openWithOperations('overview');
    await press('esc');
    expect(told()).toBe('nothing to go back to; q quits');
    expect(deck.pane().id).toBe('overview');
    await press(']');
    expect(told()).toContain('nothing to go forward to');
  });

  it('is short, however many panes were chosen by number', async () => {
    const {deck, press, asked} = openWithOperations('overview');
    for (let count = 0; count < 100; count += 1) await press('2', '4', '6');
    await press('q');
    expect(deck.pane().id).toBe('firewalls');
    await press('q');
    expect(deck.pane().id).toBe('overview');
    expect(asked).toEqual([]);
    await press('q');
    expect(asked).toEqual(['leave 0']);
  });

  it('ends at the overview, where q quits as soon as it is chosen', async () => {
    const {press, asked} = openWithOperations('machines');
    await press('4', '6', '1', 'q');
    expect(asked).toEqual(['leave 0']);
  });

  it('leads by [ from the overview to the place before, and from there to the overview again', async () => {
    const open = openWithOperations('machines');
    await open.press('/', ...'dev', 'enter', '1', '[');
    expect(place(open)).toEqual(['machines', 'dev', 'dev-1']);
    await open.press('esc', 'esc');
    expect(open.deck.pane().id).toBe('overview');
    await open.press(']', ']');
    expect(place(open)).toEqual(['machines', 'dev', 'dev-1']);
  });

  it('has an end, however many jumps were made', async () => {
    const {deck, press, asked} = openWithOperations('overview');
    for (let count = 0; count < 100; count += 1) {
      deck.goTo('machines', {objectId: 8});
      deck.goTo('firewalls', {objectId: 5});
    }
    for (let count = 0; count < 52; count += 1) await press('q');
    expect(asked).toEqual(['leave 0']);
  });
});

describe('a pane that is chosen by its number', () => {
  it('opens at its list, with the filter that it had', async () => {
    const {deck, press} = openWithOperations('machines');
    await press('/', ...'dev', 'enter', 'enter', '4');
    await press('2');
    expect(deck.pane().search(deck.scene())).toBeUndefined();
    expect(deck.pane().filterText()).toBe('dev');
  });

  it('closes its detail if it is already open, and q opens the detail again', async () => {
    const {deck, press} = openWithOperations('machines');
    await press('enter', '2');
    expect(deck.pane().search(deck.scene())).toBeUndefined();
    await press('q');
    expect(deck.pane().search(deck.scene())).toBeDefined();
  });
});

describe('a filter', () => {
  it('narrows the list as it is typed, is kept by enter, and is undone by escape', async () => {
    const {deck, press} = openWithOperations('machines');
    await press('/', ...'dev', 'enter');
    expect(deck.pane().filterText()).toBe('dev');
    await press('/', 'x', 'esc');
    expect(deck.pane().filterText()).toBe('dev');
    await press('/');
    await press('right');
    pasteText(deck, '-1');
    expect(deck.pane().filterText()).toBe('dev-1');
  });
});

describe('among the rules of a firewall', () => {
  it('the keys act on the list that a filter changes', async () => {
    const {deck, press, told} = openWithOperations('firewalls');
    await press('tab', '/', ...'ingress', 'enter', 'X');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'remove rule on bastion  #5'}});
    await press('esc', '/', ...'nosuch', 'enter', 'X');
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe('delete: there is nothing under the cursor');
  });
});

describe('an open detail', () => {
  it('is closed when its resource is gone, and shows no other one', async () => {
    const {deck, press, store} = openWithOperations('machines');
    await press('d');
    // A machine that is missing once may be missing by mistake.
    for (const readAt of [1, 2]) {
      store.writeValue(
        machinesFeed,
        aListing([aVirtualMachine({id: 8, name: safeText('dev-1')})]),
        monotonicMs(readAt),
      );
    }
    deck.changed();
    expect(deck.pane().trail(deck.scene())).toEqual(['machines', 'dev-1']);
    expect(deck.pane().search(deck.scene())).toBeUndefined();
  });

  it('is searched by /, and its resource stays the same', async () => {
    const {deck, press} = openWithOperations('machines');
    await press('d', '/', ...'train', 'enter');
    expect(deck.pane().filterText()).toBe('');
    expect(deck.pane().trail(deck.scene())).toEqual(['machines', 'train-02']);
    await press('esc', 'X');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {steps: [{action: {id: 7}}]}});
  });

  it('moves to a match while the search is typed, and back on escape', async () => {
    const {deck, press} = openWithOperations('machines', {columns: 100, rows: 18});
    const search = () => deck.pane().search(deck.scene());
    await press('d', '/', ...'region');
    expect(search()).toMatchObject({text: 'region', matchText: expect.stringMatching(/^1 of \d+ lines?$/)});
    await press('esc');
    expect(search()).toMatchObject({text: '', matchText: ''});
  });

  it('moves to the next match by n and back by N during a search, and then n is new again', async () => {
    const {deck, press, told} = openWithOperations('machines', {columns: 100, rows: 18});
    const matchText = () => deck.pane().search(deck.scene())?.matchText;
    await press('d', '/', 'i', 'enter', 'n');
    expect(matchText()).toMatch(/^2 of /);
    await press('ctrl-n');
    expect(matchText()).toMatch(/^3 of /);
    await press('N', 'ctrl-p');
    expect(matchText()).toMatch(/^1 of /);
    await press('esc', 'N');
    expect(told()).toContain('no search yet');
    await press('n');
    expect(deck.overlay()).toMatchObject({kind: 'form'});
  });

  it('says that there is no match, and n opens no form until the search has ended', async () => {
    const {deck, press, told} = openWithOperations('machines');
    await press('d', '/', ...'quince', 'enter');
    expect(told()).toBe('no match for "quince"; esc ends the search');
    await press('n');
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toBe('no match for "quince"; esc ends the search');
    await press('esc', 'n');
    expect(deck.overlay()).toMatchObject({kind: 'form'});
  });

  it('names the other parts that have a match', async () => {
    const {press, told} = openWithOperations('machines');
    await press('$', '/', ...'root disk', 'enter');
    expect(told()).toMatch(/^no match for "root disk", but .*record.* \(tab\); esc ends the search$/);
  });

  it('takes pasted text into its search', async () => {
    const {deck, press} = openWithOperations('machines');
    await press('d', '/');
    pasteText(deck, 'train');
    expect(deck.pane().search(deck.scene())?.text).toBe('train');
  });

  it('scrolls back at once from its end', async () => {
    const {deck, press} = openWithOperations('machines', {columns: 100, rows: 18});
    const firstLine = () => {
      const [title] = shownLines(createElement(deck.pane().Screen, {scene: deck.scene()}), 100);
      return Number(/ (\d+)-\d+ of \d+ /.exec(title ?? '')?.[1]);
    };
    await press('d', 'G');
    const last = firstLine();
    expect(last).toBeGreaterThan(1);
    await press('G', 'j', 'k');
    expect(firstLine()).toBe(last - 1);
    await press('j', 'ctrl-u');
    expect(firstLine()).toBeLessThan(last);
  });
});

describe('a form', () => {
  const PREFIX = '198.51.100.0/24';

  it('leads through its question to the action, and begins nothing before', async () => {
    const {deck, press, operations} = openWithOperations('firewalls');
    await press('tab', 'n');
    expect(deck.overlay()).toMatchObject({kind: 'form'});
    await press('s', 'tab', 'tab', 'tab', 'tab');
    pasteText(deck, PREFIX);
    await press('enter');
    expect(deck.overlay()).toMatchObject({kind: 'question', question: {title: 'add rule on bastion  #5'}});
    expect(operations.begun).toEqual([]);
    await press('y');
    expect(operations.begun).toMatchObject([
      {action: {kind: 'firewall.add-rule', id: 5, rule: {remoteIpPrefix: PREFIX, portRangeMin: 22, portRangeMax: 22}}},
    ]);
  });

  it('moves to the field with the mistake instead of asking', async () => {
    const {deck, press, actions} = openWithOperations('firewalls');
    await press('tab', 'n', 'tab', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'form', state: {fieldIndex: 4}});
    pasteText(deck, '198.51.100.0/99');
    await press('enter', 'y', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'form'});
    expect(actions()).toEqual([]);
  });

  it.each([
    'enter',
    'esc',
    'n',
    'left',
  ])('comes back with its values after %s at its question, and then esc closes it', async key => {
    const {deck, press, actions, told} = openWithOperations('firewalls');
    await press('tab', 'n', 's', 'tab', 'tab', 'tab', 'tab');
    pasteText(deck, PREFIX);
    await press('enter', key);
    expect(deck.overlay()).toMatchObject({
      kind: 'form',
      state: {inputs: {prefix: {text: PREFIX}, ports: {text: '22'}}},
    });
    expect(told()).toBe('add rule on bastion  #5: not sent; enter asks again, esc closes the form');
    // A y that was meant for the question is a letter in the form.
    await press('y');
    expect([deck.overlay()?.kind, actions()]).toEqual(['form', []]);
    await press('backspace', 'enter');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    // The keys of the form are not those of the question.
    expect(told()).toBeUndefined();
    await press('esc');
    expect(told()).toContain('enter asks again');
    await press('esc');
    expect([deck.overlay(), actions()]).toEqual([undefined, []]);
    // With the form, its keys are gone: enter would now open what is under the cursor.
    expect(told()).toBeUndefined();
  });

  it.each([
    ['a paste', async ({deck}: Open) => takeInput(deck, {kind: 'pasting'})],
    ['typed words', async ({press}: Open) => press('a')],
  ])('comes back unchanged when %s closed its question, and drops what is still being typed', async (_what, close) => {
    const open = openWithOperations('firewalls');
    const {deck, press, time, actions, told} = open;
    await press('tab', 'n', 's', 'tab', 'tab', 'tab', 'tab');
    pasteText(deck, PREFIX);
    await press('enter');
    await time.advance(500);
    await close(open);
    expect(told()).toContain('add rule on bastion  #5: not sent');
    pasteText(deck, 'y');
    await press(...'dd rule', 'y');
    const state = {fieldIndex: 4, inputs: {prefix: {text: PREFIX}, ports: {text: '22'}}};
    expect(deck.overlay()).toMatchObject({kind: 'form', state});
    await time.advance(2_000);
    await press('enter');
    expect(deck.overlay()).toMatchObject({kind: 'question'});
    expect(actions()).toEqual([]);
  });

  it('comes back when nobody answered its question, and is closed with it when writes are locked', async () => {
    const {deck, press, time} = openDeck('firewalls', {unlock: inMemoryOperations});
    await press('W', 'y', 'tab', 'n', 's', 'tab', 'tab', 'tab', 'tab');
    pasteText(deck, PREFIX);
    await press('enter');
    await time.advance(63_000);
    expect(deck.overlay()).toMatchObject({kind: 'form', state: {inputs: {prefix: {text: PREFIX}}}});
    await time.advance(13.5 * 60_000);
    await press('enter');
    expect(deck.overlay()?.kind).toBe('question');
    await time.advance(30_000);
    expect(deck.writes.mode().access).toBe('locked');
    expect(deck.overlay()).toBeUndefined();
  });

  it('replaces a preset by what is typed, unless it is edited first', async () => {
    const {deck, press} = openWithOperations('machines');
    const keys = () => textOf(keysLine(deck.present(), 120));
    const count = () => {
      const overlay = deck.overlay();
      return overlay?.kind === 'form' ? overlay.state.inputs.count?.text : undefined;
    };
    await press('n');
    expect(keys()).toContain('<type>fill in');
    while (!keys().includes('<type>replace <right>edit')) await press('tab');
    expect(count()).toBe('1');
    await press('3');
    expect(count()).toBe('3');
    await press('tab', 'shift-tab', '2');
    expect(count()).toBe('32');
    await press('esc', 'n');
    while (!keys().includes('<type>replace <right>edit')) await press('tab');
    await press('right', '3');
    expect(count()).toBe('13');
    await press('esc', 'n');
    while (!keys().includes('<type>replace <right>edit')) await press('tab');
    pasteText(deck, '4');
    expect(count()).toBe('4');
  });

  it('takes the letters of commands as text', async () => {
    const {deck, press} = openWithOperations('firewalls');
    await press('tab', 'n', 'tab', 'tab', 'tab', 'tab', 'q', '2', ':', 'backspace');
    expect(deck.pane().id).toBe('firewalls');
    expect(deck.overlay()).toMatchObject({kind: 'form', state: {inputs: {prefix: {text: 'q2'}}}});
    await press('esc');
    expect(deck.overlay()).toBeUndefined();
  });

  it('for an edit adds the new rule first, and removes the old one once that is confirmed', async () => {
    const {press, operations, actions} = openWithOperations('firewalls');
    await press('tab', 'i', 'tab', 'tab', 'tab', 'tab', 'tab', 'right', 'backspace', '3', 'enter', 'y');
    expect(operations.begun).toMatchObject([{action: {kind: 'firewall.add-rule', rule: {portRangeMin: 23}}}]);
    operations.reach('CONFIRMED');
    expect(actions()).toEqual(['firewall.add-rule', 'firewall.remove-rule']);
    expect(operations.begun.at(-1)).toMatchObject({action: {ruleId: 501}});
  });

  it('for an edit says how things stand when the new rule is refused', async () => {
    const {press, operations, actions, told} = openWithOperations('firewalls');
    await press('tab', 'i', 'tab', 'tab', 'tab', 'tab', 'tab', 'right', 'backspace', '3', 'enter', 'y');
    operations.reach('REFUSED');
    expect(actions()).toEqual(['firewall.add-rule']);
    expect(told()).toContain('the old one is unchanged');
  });
});

it('the next part of a machine is offered where parts are shown, and not under the short list', async () => {
  const {deck, press, told} = openWithOperations('machines', {columns: 80, rows: 24});
  const keys = () => textOf(keysLine(deck.present(), 200));
  expect(keys()).not.toContain('next part');
  await press('tab');
  expect(told()).toBe('next part: no parts here; enter opens the machine with them');
  await press('enter');
  expect(keys()).toContain('<tab>next part');
});

describe('a terminal that is too small', () => {
  it('ignores all keys except those that quit', async () => {
    const {deck, press, asked} = openWithOperations('machines', {columns: 59, rows: 40});
    await press('p', 'x', 'y', '?');
    expect(deck.overlay()).toBeUndefined();
    await press('q');
    expect(asked).toEqual(['leave 0']);
  });

  it('asks before it quits while something is under way, and quits on a deliberate y', async () => {
    const {deck, press, asked} = openWithOperations('machines');
    await press('p', 'x', 'y');
    deck.resize({columns: 59, rows: 40});
    await press('y', 'q');
    expect(deck.overlay()?.kind).toBe('leave');
    pressKeys(deck, ['y']);
    expect(asked).toEqual([]);
    await press('j');
    expect(deck.overlay()).toBeUndefined();
    await press('q', 'y');
    expect(asked).toEqual(['leave 0']);
  });
});

describe('marked rows that a filter hides', () => {
  it('are counted in the title of the question and in the path', async () => {
    const {deck, press} = openDeck('machines', {operations: inMemoryOperations()});
    await press('space', 'down', 'space', '/', ...'dev', 'enter');
    expect(deck.pane().trail(deck.scene())).toContain('1 marked hidden by the filter');
    await press('X');
    const overlay = deck.overlay();
    expect(overlay?.kind === 'question' && overlay.question.title).toMatch(
      /^delete 2 machines, 1 of them hidden by the filter$/,
    );
    await press('esc', 'esc');
    expect(deck.pane().trail(deck.scene()).join()).not.toContain('hidden');
    await press('X');
    const whole = deck.overlay();
    expect(whole?.kind === 'question' && whole.question.title).toBe('delete 2 machines');
  });
});

it('says of quitting what the next start does with what is under way', async () => {
  const open = openWithOperations('machines');
  await open.press('p', 'x', 'y');
  open.operations.reach('accepted');
  await open.press('1', 'q');
  expect(open.deck.overlay()?.kind).toBe('leave');
  expect(boxOf(open)).toContain('The next start goes on watching what is under way.');
});
