import {describe, expect, it} from 'vitest';
import {keysLine, messageLine, restOfMessageLine} from '../../src/app/status-bar.ts';
import type {Failure} from '../../src/domain/failure.ts';
import {keyPairId} from '../../src/domain/key-pair.ts';
import {environmentId} from '../../src/domain/environment.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {epochMs, monotonicMs} from '../../src/domain/time.ts';
import {type BreakerState, UP} from '../../src/state/poller/circuit-breaker.ts';
import {keyPairsFeed} from '../../src/state/key-pairs.ts';
import {environmentsFeed} from '../../src/state/environments.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {aListing} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

describe('messageLine', () => {
  it('shows the whole path while there is no message', () => {
    const {deck} = openDeck('machines', {columns: 80});
    expect(textOf(messageLine(deck.present(), 80)).trim()).toMatch(/^machines › (?:train-02|dev-1)$/);
  });

  it('shows why a key did nothing, and the beginning of the path after it', () => {
    const {deck} = openDeck('machines', {columns: 80});
    const reason = say`delete: not empty, so refused (405): 7 machines, 2 firewalls`;
    deck.notify(reason);
    const line = messageLine(deck.present(), 80);
    expect(textOf(line)).toContain(reason);
    expect(textOf(line)).toContain('machines');
    expect(lineWidth(line)).toBeLessThanOrEqual(80);
  });

  it('says in words that the request budget is used up, and leaves the seconds to the header', () => {
    const link = {clockOffsetMs: 0, requestsLastMinute: 80, requestCeiling: 100};
    const shown = openDeck('machines', {columns: 80}).deck.present();
    const textAfter = (waitMs: number) =>
      textOf(messageLine({...shown, scene: {...shown.scene, link, budgetWait: () => waitMs}}, 80)).trim();
    expect(textAfter(39_400)).toMatch(/^reading pauses: 80 of 100 requests a minute used, the rest is for operations$/);
    expect(textAfter(0)).not.toContain('pauses');
  });

  it('does not say that it refreshes while the request budget is used up: the reason stays in its place', async () => {
    const link = {clockOffsetMs: 0, requestsLastMinute: 80, requestCeiling: 100};
    const lineAfterKey = async (budgetWaitMs: number) => {
      const {deck, press} = openDeck('machines', {columns: 80, budgetWaitMs});
      await press('ctrl-r');
      const shown = deck.present();
      return textOf(messageLine({...shown, scene: {...shown.scene, link}}, 80)).trim();
    };
    expect(await lineAfterKey(39_400)).toMatch(/^reading pauses: 80 of 100 requests a minute used/);
    expect(await lineAfterKey(0)).toMatch(/^refreshing /);
  });

  it.each([
    ['machines', false, 'no machines: n creates one; skydeck profile add connects another account'],
    ['overview', false, 'no machines: 2 n creates one; skydeck profile add connects another account'],
    ['machines', true, 'no machines: n creates one; skydeck profile add connects an account'],
  ])('says on an empty account how to begin: %s, simulated %s', (paneId, isSimulated, text) => {
    const {deck, store} = openDeck(paneId, {columns: 80, operations: inMemoryOperations(), isSimulated});
    store.writeValue(machinesFeed, aListing([]), monotonicMs(1));
    store.writeValue(machinesFeed, aListing([]), monotonicMs(2));
    deck.changed();
    expect(textOf(messageLine(deck.present(), 80)).trim()).toMatch(new RegExp(`^${text}(?:  |$)`));
    deck.notify(say`saved`);
    expect(textOf(messageLine(deck.present(), 80))).not.toContain(text);
  });

  it.each([
    ['no environment: :env, then n', []],
    ['no key pair: :key-pairs, then n', [{id: environmentId(1), name: safeText('test')}]],
  ])('says on an empty account what must be created before a machine: %s', (step, environments) => {
    const {deck, store} = openDeck('machines', {columns: 80, operations: inMemoryOperations()});
    for (const readAt of [1, 2]) store.writeValue(machinesFeed, aListing([]), monotonicMs(readAt));
    const readAt = monotonicMs(2);
    store.writeValue(environmentsFeed, {records: environments, quarantined: []}, readAt);
    store.writeValue(keyPairsFeed, {records: [], quarantined: []}, readAt);
    deck.changed();
    expect(textOf(messageLine(deck.present(), 80)).trim()).toBe(
      `${step}; skydeck profile add connects another account`,
    );
  });

  it('offers no key that needs a row on an empty list, and such a key says so', async () => {
    const {deck, store, press, told} = openDeck('machines', {columns: 200, operations: inMemoryOperations()});
    for (const readAt of [1, 2]) store.writeValue(machinesFeed, aListing([]), monotonicMs(readAt));
    deck.changed();
    expect(textOf(keysLine(deck.present(), 200)).trim()).toBe('<n>new <:>command <?>help');
    await press('/');
    expect(told()).toBe('filter: there is nothing to filter');
    await press('o');
    expect(told()).toBe('sort: there is nothing to sort');
  });

  it.each([
    ['overview', true, ' a simulated account; skydeck profile add connects yours '],
    ['overview', false, ''],
    ['machines', true, ''],
  ])('says in the first pane of the simulator how to connect a real account: %s, simulated %s', (paneId, isSimulated, text) => {
    const {deck} = openDeck(paneId, {columns: 80, isSimulated});
    expect(textOf(messageLine(deck.present(), 80))).toMatch(new RegExp(`^${text}`));
    if (text === '') expect(textOf(messageLine(deck.present(), 80))).not.toContain('profile add');
  });

  it('does not offer to create a first machine when nothing may be sent', () => {
    const {deck, store} = openDeck('machines', {columns: 80});
    for (const readAt of [1, 2]) store.writeValue(machinesFeed, aListing([]), monotonicMs(readAt));
    expect(textOf(messageLine(deck.present(), 80))).toMatch(/^ no machines; skydeck profile add/);
  });

  it('shows the path beside a message in whole parts, from the pane on', async () => {
    const {deck, press} = openDeck('firewalls', {columns: 80});
    await press('tab');
    const whole = textOf(messageLine(deck.present(), 80)).trim();
    expect(whole).toMatch(/^firewalls › bastion {2}#5 › ./);
    const shownBeside = (cells: number) => {
      deck.notify(safeText('x'.repeat(cells)));
      return textOf(messageLine(deck.present(), 80)).replaceAll('x', '').trim();
    };
    expect([20, 52, 64, 70].map(shownBeside)).toEqual([whole, 'firewalls › bastion  #5', 'firewalls', '']);
  });

  it('shows the path of a saved file to its end', async () => {
    const {deck, press} = openDeck('machines', {
      columns: 80,
      saved: say`saved as txt,ansi; machines as csv,json: ~/.local/state/skydeck/screens/skydeck-2026-11-20T00-00-00-000Z.*`,
    });
    await press('ctrl-s');
    const told = [messageLine(deck.present(), 80), restOfMessageLine(deck.present(), 80) ?? []].map(line =>
      textOf(line).trim(),
    );
    expect(told[1]).toBe('~/.local/state/skydeck/screens/skydeck-2026-11-20T00-00-00-000Z.*');
  });

  const DOWN = {status: 'down', since: monotonicMs(5_000), retryAt: monotonicMs(60_000)} as const;
  const away = (requestKind: string, failure: Failure): BreakerState => {
    return {...DOWN, requestKind, failure, attemptCount: 1, goodAnswerCount: 0};
  };
  const refused: Failure = {kind: 'not-sent', detail: say`connection refused (127.0.0.1:8083)`};

  it.each<[string, Failure, string]>([
    ['machines', refused, 'ctrl-r retries; machines: not read: connection refused (127.0.0.1:8083)'],
    ['me', refused, 'ctrl-r retries; your user: not read: connection refused (127.0.0.1:8083)'],
    ['key-pairs', {kind: 'timed-out', afterMs: 15_000}, 'ctrl-r retries; key pairs: not read: timed out after 15 s'],
    [
      'usage',
      {kind: 'service-error', httpStatus: 503, message: say`later`},
      'ctrl-r retries; usage: not read: the service failed (503): later',
    ],
  ])('says what cannot be read, in words that no outcome of an operation has: %s', (requestKind, failure, text) => {
    const {deck} = openDeck('machines', {columns: 80, health: () => away(requestKind, failure)});
    expect(`${textOf(messageLine(deck.present(), 80))}  `).toContain(` ${text}  `);
  });

  it('keeps what became of an operation when the service goes away', async () => {
    const operations = inMemoryOperations();
    const outage: {health: BreakerState} = {health: UP};
    const {deck, press, time} = openDeck('machines', {columns: 80, operations, health: () => outage.health});
    const shown = () => textOf(messageLine(deck.present(), 80)).trim();
    await press('p', 'x', 'esc');
    const refusal = shown();
    expect(refusal).toMatch(/^stop train-02 +#7: not sent/);
    outage.health = away('machines', refused);
    await time.advance(1_000);
    expect(shown()).toBe(refusal);
    deck.notify(say`refreshing`);
    expect(shown()).toMatch(/^ctrl-r retries; machines: not read: /);
  });

  it('counts the seconds of an operation from its confirmation until it is sent', async () => {
    const operations = inMemoryOperations();
    const {deck, press, time} = openDeck('machines', {
      columns: 80,
      operations: {...operations, all: () => operations.all().map(each => ({...each, confirmedAt}))},
    });
    const confirmedAt = epochMs(time.clock.wallNow());
    await press('p', 'x', 'y');
    const line = () =>
      [messageLine(deck.present(), 80), restOfMessageLine(deck.present(), 80) ?? []]
        .map(textOf)
        .join(' ')
        .replaceAll(/ +/g, ' ');
    expect(line()).toMatch(/^ stop train-02 #7: checking that nothing has changed; z withdraws it /);
    await time.advance(3000);
    const figures = () => /: checking its state, (\d+) s; sent if answered within (\d+) s; z withdraws it/.exec(line());
    const [before = -1, left = -1] = figures()?.slice(1).map(Number) ?? [];
    expect(before + left).toBe(30);
    await time.advance(10_000);
    expect(figures()?.slice(1).map(Number)).toEqual([before + 10, left - 10]);
    await time.advance(20_000);
    expect(line()).toMatch(/: checking its state, \d+ s; too old to be sent now; z withdraws it/);
  });

  it('says to its end until when the first of a batch may be sent, beside the progress box', async () => {
    const operations = inMemoryOperations();
    const {deck, press, time} = openDeck('machines', {
      columns: 80,
      operations: {...operations, all: () => operations.all().map(each => ({...each, confirmedAt}))},
    });
    const confirmedAt = epochMs(time.clock.wallNow());
    await press('*', 'p', 'x', ...'stop 2', 'enter');
    await time.advance(3000);
    expect(deck.overlay()).toMatchObject({kind: 'plan'});
    const told = [messageLine(deck.present(), 80), restOfMessageLine(deck.present(), 80) ?? []].map(line =>
      textOf(line).trim(),
    );
    expect(told.join(' ')).toMatch(/: checking its state, \d+ s; sent if answered within \d+ s; z withdraws it/);
  });

  it('shows an operation that is checked rather than one that was sent, and why a key did nothing before either', async () => {
    const operations = inMemoryOperations();
    const {deck, press} = openDeck('machines', {columns: 120, operations});
    await press('p', 'x', 'y');
    operations.reach('sent');
    await press('j', 'p', 'x', 'y');
    expect(textOf(messageLine(deck.present(), 120))).toMatch(/^ stop .*: checking .*; z withdraws it {2}and 1 more/);
    deck.refuse(say`x: no action here`);
    expect(textOf(messageLine(deck.present(), 120))).toMatch(/^ x: no action here/);
  });

  it('withdraws with z what is being checked, at once and without a question', async () => {
    const operations = inMemoryOperations();
    const {deck, press, told} = openDeck('machines', {columns: 120, operations});
    await press('p', 'x', 'y', 'z');
    expect(deck.overlay()).toBeUndefined();
    expect(operations.all().map(({phase}) => phase)).toEqual(['NOT_SENT']);
    expect(told()).toMatch(/^stop .*: not sent: withdrawn$/);
    await press('z');
    expect(told()).toBe('nothing to undo in this session');
  });

  it('gives the whole line to a reason that needs it', () => {
    const {deck} = openDeck('machines', {columns: 80});
    const reason = say`stop nightly-regression-suite-runner-for-driver-r570-01  #793380: not sent`;
    deck.notify(reason);
    const line = messageLine(deck.present(), 80);
    expect(textOf(line).trim()).toBe(reason);
    expect(lineWidth(line)).toBeLessThanOrEqual(80);
  });

  it('cuts the name of what was not sent, and never that it was not sent', () => {
    const {deck} = openDeck('machines', {columns: 80});
    const name = 'nightly-regression-suite-runner-for-driver-r570-01  #793380';
    const answer = 'not sent: y came together with other keys';
    const cutTo = (columns: number) => textOf(messageLine(deck.present(), columns)).trim();
    deck.notify(safeText(`stop ${name}: ${answer}`));
    for (const columns of [80, 100])
      expect(cutTo(columns)).toMatch(/^stop .*….*: not sent: y came together with other keys$/);
    deck.notify(safeText(`stop ${name}: not sent; enter asks again, esc closes the form`));
    expect(cutTo(80)).toMatch(/^stop .*….*: not sent; enter asks again, esc closes the form$/);
  });

  it('continues a message that does not fit beside the path in the line below, to its end', () => {
    const {deck} = openDeck('machines', {columns: 80});
    const refusal = 'create machine web: refused (400): Input payload validation failed: name: is longer than 50';
    deck.notify(safeText(refusal), 'danger');
    const told = [messageLine(deck.present(), 80), restOfMessageLine(deck.present(), 80) ?? []].map(line =>
      textOf(line).trim(),
    );
    expect(told[0]).toMatch(/^create machine web: refused /);
    expect(told.join(' ')).toBe(refusal);
    deck.notify(say`done`);
    expect(restOfMessageLine(deck.present(), 80)).toBeUndefined();
  });

  it.each(['text', 'good'] as const)('keeps the keys visible below a success, whose outcome stays: %s', tone => {
    const {deck} = openDeck('machines', {columns: 80});
    deck.notify(say`stop nightly-regression-suite-runner-for-driver-r570-01 #793380: confirmed; z to undo`, tone);
    expect(restOfMessageLine(deck.present(), 80)).toBeUndefined();
    const line = messageLine(deck.present(), 80);
    expect(textOf(line)).toMatch(/^ stop nightly-\S*….*#793380: confirmed; z to undo *$/);
    expect(lineWidth(line)).toBeLessThanOrEqual(80);
  });

  it.each([
    ['in two lines', false, /^stop train-02 #7: outcome unknown: the .*…/],
    ['beside the keys of a menu', true, /^stop train-02 #7: outcome/],
  ])('keeps the end of a warning that does not fit, which says what follows: %s', async (_where, isMenu, begin) => {
    const {deck, press} = openDeck('machines', {columns: 80});
    if (isMenu) await press('p');
    const cause = 'the service failed (500): Something went wrong on our side, and it says so at length '.repeat(2);
    deck.notify(safeText(`stop train-02 #7: outcome unknown: ${cause}; watching, not sent again`), 'warning');
    const told = [messageLine(deck.present(), 80), restOfMessageLine(deck.present(), 80) ?? []].map(line =>
      textOf(line).trim(),
    );
    expect(told.join(' ').trim()).toMatch(begin);
    expect(told.join(' ').trim()).toMatch(/; watching, not sent again$/);
  });

  it.each([
    [
      80,
      'hibernate train-02 #793390',
      /^hibernate train-02 #793390: outcome unknown: no.*…; watching, not sent again$/,
    ],
    [60, 'hibernate nightly-regression-suite #793390', /^hib.*….*#793390: outcome unknown…; watching, not sent again$/],
  ])('drops the cause of an unknown outcome, then some of the name, in %i columns', async (columns, name, words) => {
    const {deck, press} = openDeck('machines', {columns});
    await press('p');
    const cause = 'no answer; a change was seen since, which is no proof yet';
    deck.notify(safeText(`${name}: outcome unknown: ${cause}; watching, not sent again`), 'warning');
    expect(textOf(messageLine(deck.present(), columns)).trim()).toMatch(words);
    expect(lineWidth(messageLine(deck.present(), columns))).toBeLessThanOrEqual(columns);
  });

  it('is never wider than the terminal, however long the reason', () => {
    const {deck} = openDeck('machines', {columns: 60});
    deck.notify(safeText('a reason '.repeat(20)));
    const line = messageLine(deck.present(), 60);
    expect(lineWidth(line)).toBeLessThanOrEqual(60);
  });
});

describe('keysLine', () => {
  it('offers another window only when there are charts that it changes', async () => {
    const {deck, press} = openDeck('machines');
    const hints = () => textOf(keysLine(deck.present(), 200));
    expect(hints()).toContain('<w>window');
    await press('tab');
    expect(hints()).not.toContain('<w>');
    await press('w');
    expect(textOf(messageLine(deck.present(), 200))).toContain('no charts here; m shows them');
  });

  it.each([
    'machines',
    'clusters',
    'firewalls',
    'volumes',
  ])('offers no action in %s while nothing may be sent', paneId => {
    // It has no operations yet; allowing writes creates them.
    const {deck} = openDeck(paneId, {unlock: () => inMemoryOperations()});
    const keys = [...textOf(keysLine(deck.present(), 200)).matchAll(/<([^>]+)>/g)].map(([, key]) => key);
    expect(keys).not.toEqual(expect.arrayContaining([expect.stringMatching(/^[painXf]$/)]));
    expect(keys).toContain('W');
    // A narrow terminal has room for it too.
    expect(textOf(keysLine(deck.present(), 80))).toContain('<W>allow writes');
  });

  it.each(['machines', 'firewalls', 'catalogue', 'overview'])('always has room for help: %s', paneId => {
    const line = keysLine(openDeck(paneId, {columns: 80}).deck.present(), 80);
    expect(textOf(line)).toContain('<?>help');
    expect(lineWidth(line)).toBeLessThanOrEqual(80);
  });

  it('names each key once: what a letter means in a menu is shown there', () => {
    const {deck} = openDeck('firewalls', {operations: inMemoryOperations()});
    const keys = [...textOf(keysLine(deck.present(), 200)).matchAll(/<([^>]+)>/g)].map(([, key]) => key);
    expect(keys).toEqual([...new Set(keys)]);
    expect(keys).toContain('n');
  });

  it('names the keys that create, change and delete only when there is something they can do', async () => {
    const {deck, press, store} = openDeck('catalogue', {operations: inMemoryOperations()});
    const hints = () => textOf(keysLine(deck.present(), 200));
    expect(hints()).not.toMatch(/<n>|<i>|<X>/);
    // Flavors, images, key pairs.
    await press('tab', 'tab');
    expect(hints()).not.toMatch(/<i>|<X>/);
    const ours = {id: keyPairId(1), name: safeText('ours'), environmentName: safeText('lab')};
    store.writeValue(keyPairsFeed, {records: [ours], quarantined: []}, monotonicMs(0));
    expect(hints()).toMatch(/<i>edit <X>delete/);
  });

  it('names no key that would send something in a read-only session', () => {
    const {deck} = openDeck('firewalls');
    expect(textOf(keysLine(deck.present(), 200))).not.toMatch(/<n>|<i>|<X>/);
  });
});

describe('the hints of a question', () => {
  it('name the keys of the calls of a dry run as the box does', async () => {
    const {deck, press} = openDeck('machines', {operations: inMemoryOperations()});
    await press('D', 'p', 'x', 'y');
    expect(deck.overlay()?.kind).toBe('calls');
    expect(textOf(keysLine(deck.present(), 80)).trim()).toBe(
      '<c>copy as commands <u>copy as curl, without the key <esc, q, enter>close',
    );
  });

  it('say what y does: sends, or in a dry run shows the calls', async () => {
    const {deck, press} = openDeck('machines', {operations: inMemoryOperations()});
    await press('p', 'x');
    expect(textOf(keysLine(deck.present(), 80))).toMatch(/<y>send /);
    await press('esc', 'D', 'p', 'x');
    expect(textOf(keysLine(deck.present(), 80))).toMatch(/<y>show the calls /);
  });
});
