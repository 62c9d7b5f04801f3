import {Box} from 'ink';
import {createElement} from 'react';
import {describe, expect, it} from 'vitest';
import type {TerminalSize} from '../../../src/app/deck.ts';
import {pressKeys} from '../../../src/app/dispatch.ts';
import {boxContent} from '../../../src/app/overlay/box-content.ts';
import {oneTimeSecretLines} from '../../../src/app/overlay/one-time-secret.ts';
import {OneTimeSecretBox} from '../../../src/app/overlay/one-time-secret-box.tsx';
import {keysLine, messageLine} from '../../../src/app/status-bar.ts';
import type {Confirmed} from '../../../src/domain/operation.ts';
import type {OperationResult} from '../../../src/domain/operation-result.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {secret} from '../../../src/domain/secret.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {consoleFeed, machineLogFeed} from '../../../src/state/machines.ts';
import {textOf} from '../../../src/ui/text.ts';
import {inMemoryOperations} from '../../state/in-memory-operations.ts';
import {openPolling} from '../../state/polling.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {openDeck} from '../an-open-deck.ts';

const ID = virtualMachineId(7);
const CONSOLE = consoleFeed(ID, 'job-1');
const LOG = machineLogFeed(ID, '31');
const URL = 'https://console.example/vnc?token=0123456789abcdef';
const KEY: OperationResult = {
  kind: 'access-key',
  id: 4,
  accessKey: safeText('AK-PUBLIC'),
  secretKey: secret('not-to-be-kept-0123'),
};

function open(size?: TerminalSize) {
  const operations = inMemoryOperations();
  const opened = openDeck('machines', {operations, ...size});
  const {deck} = opened;
  const lines = () => {
    const overlay = deck.overlay();
    return overlay?.kind === 'secret' ? oneTimeSecretLines(overlay, deck.scene()).map(textOf).join('\n') : undefined;
  };
  return {...opened, operations, lines};
}

/** The console of train-02, requested by its keys and answered. */
async function askForConsole() {
  const opened = open();
  await opened.press('i', 'c');
  opened.operations.reach('CONFIRMED', {kind: 'console-job', jobId: 'job-1'});
  await opened.time.advance(0);
  return opened;
}

const CREATE: Confirmed = {
  action: {kind: 'access-key.create', spec: {regionName: safeText('CANADA-1')}},
  subjectName: safeText('CANADA-1'),
};

function shownOf({deck}: ReturnType<typeof open>, size: TerminalSize): readonly string[] {
  const overlay = deck.overlay();
  if (overlay?.kind !== 'secret') throw new Error('Expected a secret.');
  const box = createElement(OneTimeSecretBox, {open: overlay, scene: deck.scene(), size});
  return shownLines(createElement(Box, {width: size.columns, height: size.rows}, box), size.columns);
}

function bringAccessKey({operations}: ReturnType<typeof open>, result: OperationResult = KEY): void {
  operations.begin(CREATE);
  operations.reach('accepted', result);
}

describe('a console', () => {
  it('is asked for without a question, since it changes nothing', async () => {
    const {press, operations, deck} = open();
    await press('i', 'c');
    expect(operations.begun).toEqual([{action: {kind: 'vm.request-console', id: 7}, subjectName: 'train-02'}]);
    expect(deck.overlay()).toBeUndefined();
  });

  it('is read until it is ready, shown, copied without being repeated, and forgotten when it is closed', async () => {
    const {deck, time, store, wanted, lines, press, asked, told} = await askForConsole();
    expect(deck.overlay()).toMatchObject({kind: 'secret', secret: {title: 'console of train-02  #7'}});
    expect(wanted('overlay')).toEqual([CONSOLE.key]);
    // As wide as with two digits, so that the box does not grow at ten seconds.
    expect(lines()).toContain('.  0 s of at most 60');
    const keys = () => textOf(keysLine(deck.present(), 80)).trim();
    expect(keys()).toBe('<esc>close');
    store.writeValue(CONSOLE, {status: 'pending'}, deck.now());
    expect(lines()).toContain('of at most 60');
    store.writeValue(CONSOLE, {status: 'ready', url: secret(URL)}, deck.now());
    deck.changed();
    expect(lines()).toContain(URL);
    expect(keys()).toBe('<c>copy <esc>close');
    await time.advance(0);
    expect(wanted('overlay')).toEqual([]);
    await press('c');
    expect(asked).toEqual([`copy ${URL}`]);
    expect(told()).toBe('copied');
    await press('esc');
    expect(deck.overlay()).toBeUndefined();
    expect(store.get(CONSOLE)).toEqual({status: 'waiting'});
  });

  it('is read for a minute and no longer, and then the failure is shown', async () => {
    const {deck, time, wanted, lines, store} = await askForConsole();
    await time.advance(59_000);
    expect(wanted('overlay')).toEqual([CONSOLE.key]);
    store.writeFailure(CONSOLE, {kind: 'service-error', httpStatus: 500, message: safeText('oops')}, deck.now());
    await time.advance(2000);
    expect(wanted('overlay')).toEqual([]);
    expect(lines()).toMatch(/^not ready after 60 s: .*500/);
  });

  it('waits until an open menu is closed, and is shown once', async () => {
    const {deck, press, operations, told} = open();
    await press('i', 'c', 'p');
    operations.reach('CONFIRMED', {kind: 'console-job', jobId: 'job-1'});
    expect(deck.overlay()).toMatchObject({kind: 'menu'});
    expect(told()).toContain('shown as soon as this is closed');
    await press('esc');
    expect(deck.overlay()).toMatchObject({kind: 'secret'});
    await press('esc');
    operations.reach('CONFIRMED', {kind: 'console-job', jobId: 'job-1'});
    expect(deck.overlay()).toBeUndefined();
  });

  it('is not shown when the answer never came', async () => {
    const {deck, press, operations} = open();
    await press('i', 'c');
    operations.reach('unknown');
    expect(deck.overlay()).toBeUndefined();
  });
});

describe('a log', () => {
  it('is shown from its end, without its final line break, and scrolls', async () => {
    const {deck, press, operations, store, lines} = open();
    await press('i', 'g');
    expect(operations.begun).toMatchObject([{action: {kind: 'vm.request-logs', id: 7, lineCount: 500}}]);
    operations.reach('CONFIRMED', {kind: 'log-request', requestId: '31'});
    const all = Array.from({length: 100}, (_, index) => safeText(`line ${index}`));
    store.writeValue(LOG, {status: 'ready', lines: [...all, safeText('')]}, deck.now());
    expect(lines()?.split('\n')).toEqual(all);
    // The pane has 46 rows of 50 and the box two edges: 44 lines are visible, 56 are above them.
    await press('k', 'pageup');
    expect(deck.overlay()).toMatchObject({offset: 45});
    await press('pageup');
    expect(deck.overlay()).toMatchObject({offset: 56});
    await press('G');
    expect(deck.overlay()).toMatchObject({offset: 0});
    await press('esc');
    expect(store.get(LOG)).toEqual({status: 'waiting'});
  });

  it('that is too large is not read again', async () => {
    const {deck, press, operations, store, lines, wanted, time} = open();
    await press('i', 'g');
    operations.reach('CONFIRMED', {kind: 'log-request', requestId: '31'});
    await time.advance(0);
    expect(wanted('overlay')).toEqual([LOG.key]);
    const detail = safeText('a body of more than 8 MiB');
    store.writeFailure(LOG, {kind: 'odd-answer', detail, isTooLarge: true}, deck.now());
    deck.changed();
    await time.advance(0);
    expect(lines()).toBe('an unreadable answer: a body of more than 8 MiB');
    expect(wanted('overlay')).toEqual([]);
  });
});

describe('the secret of an access key', () => {
  it('is shown once, and closed only by a second escape', async () => {
    const opened = open();
    const {deck, press, lines, told, operations} = opened;
    bringAccessKey(opened);
    expect(lines()).toContain('not-to-be-kept-0123');
    expect(lines()).toContain('AK-PUBLIC');
    await press('esc');
    expect(told()).toMatch(/not shown again/);
    const message = textOf(messageLine(deck.present(), 60));
    expect(message).toContain('not shown again: c copies it, esc again closes it');
    expect(operations.dropped).toEqual([]);
    await press('esc');
    expect(deck.overlay()).toBeUndefined();
    expect(operations.dropped).toEqual(['op-1']);
  });

  it('takes another esc after it was copied too, since a terminal may not have taken the copy', async () => {
    const opened = open();
    bringAccessKey(opened);
    await opened.press('c', 'esc');
    expect(opened.asked).toEqual(['copy not-to-be-kept-0123']);
    expect(opened.told()).toMatch(/not shown again/);
    expect(opened.deck.overlay()).toMatchObject({kind: 'secret'});
    await opened.press('esc');
    expect(opened.deck.overlay()).toBeUndefined();
  });

  it('is not closed at once if it is too long for a clipboard, since nothing was copied', async () => {
    const opened = open();
    bringAccessKey(opened, {...KEY, secretKey: secret('k'.repeat(5000))});
    await opened.press('c');
    expect(opened.asked).toEqual([]);
    expect(opened.told()).toBe('too long for a clipboard: nothing was copied');
    expect(opened.lines()).not.toContain('Copied.');
    await opened.press('esc');
    expect(opened.told()).toMatch(/not shown again/);
    expect(opened.deck.overlay()).toMatchObject({kind: 'secret'});
  });

  it.each([
    [60, 16],
    [80, 24],
    [200, 50],
  ])('keeps its warnings on the screen however long it is, and says that it is cut (%i×%i)', (columns, rows) => {
    const opened = open({columns, rows});
    bringAccessKey(opened, {...KEY, secretKey: secret('0123456789'.repeat(3000))});
    const lines = shownOf(opened, {columns, rows});
    const text = lines.join('\n');
    // The two lines below it have the message and the keys.
    const lineCount = lines.filter(line => line.trim() !== '').length;
    expect([lines.slice(0, 2), lineCount, lines.slice(-2)]).toEqual([['', ''], rows - 4, ['', '']]);
    expect(text).toContain('access key  AK-PUBLIC');
    expect(text).toContain('The secret key is shown only this once.');
    expect(text).toContain('It is not saved or logged.');
    expect(text).toContain('[c] copy   [esc] close');
    const [mark, hidden = ''] = /and ([\d,]+) more characters; down shows them {2,}/.exec(text) ?? [];
    expect(mark).toBeDefined();
    const shownCount = (/0123456789[0-9│\s]*/.exec(text)?.[0] ?? '').replaceAll(/\D/g, '').length;
    expect(shownCount + Number(hidden.replaceAll(',', ''))).toBe(30_000);
  });

  it.each([
    [60, 16],
    [80, 24],
    [200, 50],
  ])('is shown whole, page by page, if it is too long for the box and for a clipboard (%i×%i)', async (columns, rows) => {
    const opened = open({columns, rows});
    const {press} = opened;
    const whole = Array.from({length: 1000}, (_, index) => String(index).padStart(5, '0')).join('');
    bringAccessKey(opened, {...KEY, secretKey: secret(whole)});
    const page = () => shownOf(opened, {columns, rows}).join('\n');
    const digitsOf = (text: string) => [...text.matchAll(/\d{5,}/g)].map(([digits]) => digits).join('');
    const first = page();
    const pages = [digitsOf(first)];
    for (let count = 0; count < 50 && page().includes('more characters; down shows them'); count += 1) {
      await press('down');
      pages.push(digitsOf(page()));
    }
    // The last page is as full as the others, so it repeats what is on the one before.
    const last = pages.pop() ?? '';
    expect(whole.startsWith(pages.join(''))).toBe(true);
    expect(whole.endsWith(last)).toBe(true);
    expect(pages.join('').length + last.length).toBeGreaterThanOrEqual(whole.length);
    expect(page()).toMatch(/its end; up shows the [\d,]+ characters before/);
    await press('down');
    await press('home');
    expect(page()).toBe(first);
    await press('end', 'up');
    expect(page()).toContain('more characters; down shows them');
  });

  it('says that it can be copied whole where it is only too long for the box', () => {
    const opened = open({columns: 60, rows: 16});
    bringAccessKey(opened, {...KEY, secretKey: secret('k'.repeat(4096))});
    expect(shownOf(opened, {columns: 60, rows: 16}).join('\n')).toMatch(
      /and [\d,]+ more characters; down shows them, c copies all/,
    );
  });

  it('is neither copied nor closed by a key that was meant for the screen it opened over', async () => {
    const opened = open();
    bringAccessKey(opened);
    await opened.time.advance(399);
    pressKeys(opened.deck, ['esc', 'esc', 'c']);
    expect(opened.asked).toEqual([]);
    expect(opened.deck.overlay()).toMatchObject({kind: 'secret', isWarned: false, isCopied: false});
    await opened.time.advance(1);
    pressKeys(opened.deck, ['c']);
    expect(opened.asked).toEqual(['copy not-to-be-kept-0123']);
  });

  it.each(['ctrl-c', 'ctrl-z', 'q', '2', 'enter', 'space', 'y', ':'])('is not closed by %s', async key => {
    const opened = open();
    bringAccessKey(opened);
    await opened.press(key);
    expect(opened.deck.overlay()).toMatchObject({kind: 'secret'});
    expect(opened.operations.dropped).toEqual([]);
  });

  const LOST = 'the secret key is not shown again';

  it('is among what leaving ends, while its answer is awaited and until it was shown and closed', async () => {
    const opened = open();
    const {deck, press, told, operations, asked, time} = opened;
    const leavingTold = async () => {
      await press('ctrl-c');
      const words = told();
      // After that, ctrl-c is a first one again.
      await time.advance(2000);
      return words;
    };
    operations.begin(CREATE);
    expect(await leavingTold()).toBe('ctrl-c again quits; 1 action was not sent yet and will not be sent');
    operations.reach('sent');
    expect(await leavingTold()).toBe(`ctrl-c again quits; 1 operation is under way and continues; ${LOST}`);
    // Its answer arrives while a menu is open.
    await press('p');
    operations.reach('CONFIRMED', KEY);
    expect(await leavingTold()).toBe(`ctrl-c again quits; ${LOST}`);
    expect(deck.overlay()).toMatchObject({kind: 'secret'});
    expect(await leavingTold()).toBe(`ctrl-c again quits; ${LOST}`);
    await press('esc', 'esc');
    expect(await leavingTold()).toBe('ctrl-c again quits');
    expect(asked).toEqual([]);
  });

  it('is not left by q without a question', async () => {
    const opened = open();
    const {deck, press, operations, asked} = opened;
    operations.begin(CREATE);
    operations.reach('sent');
    await press('q', 'q');
    expect(deck.overlay()).toMatchObject({kind: 'leave'});
    expect(boxContent(deck, deck.overlay())).toMatchObject({outstanding: {secret: [{phase: 'sent'}]}});
    expect(asked).toEqual([]);
  });

  it.each(['q', 'esc', 'y', 'c'])('is neither left nor closed by %s in a terminal too small to show it', async key => {
    const opened = open({columns: 59, rows: 24});
    const {deck, press, asked, operations, told} = opened;
    bringAccessKey(opened);
    await press(key, key);
    expect(deck.overlay()).toMatchObject({kind: 'secret'});
    expect([asked, operations.dropped]).toEqual([[], []]);
    await press('ctrl-c');
    expect(told()).toBe(`ctrl-c again quits; 1 operation is under way and continues; ${LOST}`);
  });

  it('never goes into a saved screen, not even right after it was closed', async () => {
    const opened = open();
    const {deck, time, press, told} = opened;
    bringAccessKey(opened);
    await press('ctrl-s');
    expect(told()).toBe('what is shown here is not saved');
    await press('c', 'esc');
    pressKeys(deck, ['esc', 'ctrl-s']);
    expect(deck.overlay()).toBeUndefined();
    expect(told()).toMatch(/^a secret was just on the screen/);
    await time.advance(1000);
    pressKeys(deck, ['ctrl-s']);
    expect(told()).toMatch(/^saved/);
  });

  it('is in nothing that is printed about the operation', () => {
    const opened = open();
    bringAccessKey(opened);
    expect(JSON.stringify([opened.deck.overlay(), opened.operations.all()])).not.toContain('not-to-be-kept');
  });
});

describe('a reading that was forgotten', () => {
  it('does not come back with an answer that is still on its way', async () => {
    const {time, store, poller, feed, answer} = openPolling();
    poller.want('overlay', [{feed: feed('console'), priority: 0}]);
    await time.advance(1000);
    expect(store.get(feed('console'))).toMatchObject({status: 'fresh'});
    answer(() => ({takesMs: 5000}));
    const reading = poller.readNow(feed('console'));
    poller.want('overlay', []);
    poller.forget(feed('console'));
    expect(store.get(feed('console'))).toEqual({status: 'waiting'});
    await time.advance(6000);
    await reading;
    expect(store.get(feed('console'))).toEqual({status: 'waiting'});
  });
});
