import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {stripVTControlCharacters} from 'node:util';
import fc from 'fast-check';
import {render} from 'ink-testing-library';
import {afterEach, describe, expect, it, onTestFinished} from 'vitest';
import {App} from '../../src/app/app.tsx';
import type {Deck} from '../../src/app/deck.ts';
import type {Themes} from '../../src/app/themes.ts';
import {monthSoFar} from '../../src/domain/billing-history.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs, SECOND_MS} from '../../src/domain/time.ts';
import {historyFeed, usageFeed} from '../../src/state/billing.ts';
import type {Theme} from '../../src/ui/theme.ts';
import {type BreakerState, UP} from '../../src/state/poller/circuit-breaker.ts';
import {createLineSlots, type LineSlots} from '../../src/terminal/line-slots.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {sweepOf} from '../support/tier.ts';
import {anyInput, END, inPieces, START} from '../terminal/any-input.ts';
import {type Hands, letLoose} from '../tools/simulation/fingers.ts';
import {aConnection, THEME} from './a-scene.ts';
import {openDeck} from './an-open-deck.ts';

/** A frame costs a hundred times what a key costs, so most random sessions run on the deck itself. */
const SESSIONS = sweepOf({sample: 8, deep: 20});
const PASTES = sweepOf({sample: 10, deep: 200});
const EVENTS = 12;
let lastUnmount = () => {};
afterEach(() => lastUnmount());

/** Mounts the deck on a terminal of its own that accepts typed bytes; only one at a time. */
function mount(deck: Deck, onLine: (painted: string) => void = () => undefined) {
  lastUnmount();
  const {stdin, unmount} = render(
    <App deck={deck} connection={aConnection()} slots={heard(createLineSlots(), onLine)} />,
  );
  lastUnmount = unmount;
  const write = async (bytes: string) => {
    stdin.write(bytes);
    await turns();
  };
  return {write, paste: (text: string) => write(`\u001b[200~${text}\u001b[201~`)};
}

/** A key is handled at once; drawing follows over a few turns. */
async function turns(): Promise<void> {
  for (let count = 0; count < 4; count += 1) await turn();
}

function heard({open}: LineSlots, onLine: (painted: string) => void): Pick<LineSlots, 'open'> {
  return {
    open: () => {
      const slot = open();
      if (slot === undefined) return undefined;
      return {
        ...slot,
        show: line => {
          onLine(line.painted);
          slot.show(line);
        },
      };
    },
  };
}

function mounted(deck: Deck): Hands {
  return mount(deck).write;
}

/** A theme that notes the tones of what is painted. */
function aListeningTheme() {
  const painted: string[] = [];
  const theme: Theme = {
    ...THEME,
    sgr: tones => {
      painted.push([tones ?? []].flat().join(' '));
      return THEME.sgr(tones);
    },
  };
  const themes: Themes = {
    inUse: 'listening',
    names: () => [safeText('listening')],
    named: () => ({ok: true, value: theme}),
    keep: async () => ({ok: true}),
  };
  return {painted, themes};
}

function openQuestion() {
  const operations = inMemoryOperations();
  const open = openDeck('machines', {operations, columns: 100, rows: 40});
  const terminal = mount(open.deck);
  return {...open, ...terminal, operations};
}

async function ask({write, time}: ReturnType<typeof openQuestion>): Promise<void> {
  await write('p');
  await time.advance(500);
  await write('x');
}

describe('the mounted app', () => {
  it('at rest draws each second only the lines that count seconds, and no row', async () => {
    const {deck, time} = openDeck('machines', {columns: 120, rows: 35});
    const drawn: string[] = [];
    mount(deck, painted => drawn.push(painted));
    await time.advance(2 * SECOND_MS);
    drawn.length = 0;
    await time.advance(3 * SECOND_MS);
    await turns();
    const [header, edges] = [drawn.filter(line => line.includes('data ')), drawn.filter(line => line.includes('╭─'))];
    expect(header).toHaveLength(3);
    expect(edges).toHaveLength(3);
    expect(drawn).toHaveLength(6);
  });

  it('paints the boxes of a pane again for a reading, and not for a key that changes none of them', async () => {
    const {painted, themes} = aListeningTheme();
    const {deck, store, time} = openDeck('overview', {columns: 120, rows: 35, themes});
    const {write} = mount(deck);
    await deck.setTheme(safeText('listening'));
    const burnRatePaints = async (happens: () => unknown) => {
      painted.length = 0;
      await happens();
      await turns();
      expect(painted).not.toEqual([]);
      return painted.filter(tones => tones === 'money strong').length;
    };
    expect(await burnRatePaints(() => write(' '))).toBe(0);
    expect(await burnRatePaints(() => write(':'))).toBe(0);
    expect(await burnRatePaints(() => write('m'))).toBe(0);
    await write('\u001b');
    await time.advance(SECOND_MS);
    const reading = async () => {
      store.writeValue(usageFeed, {records: [], quarantined: []}, monotonicMs(2000));
      await time.advance(SECOND_MS);
    };
    expect(await burnRatePaints(reading)).toBeGreaterThan(0);
  });

  it.each([
    [120, 35],
    [80, 30],
  ])('counts the age of a bill that could not be read again, at %s×%s', async (columns, rows) => {
    const drawn: string[] = [];
    const {deck, store, time} = openDeck('overview', {columns, rows});
    mount(deck, painted => drawn.push(painted));
    const month = historyFeed(monthSoFar(deck.shown().scene.now));
    store.writeValue(usageFeed, {records: [], quarantined: []}, monotonicMs(0));
    store.writeValue(month, {records: [{billedCost: usd(rational(90n, 1n))}], quarantined: []}, monotonicMs(0));
    store.writeFailure(month, {kind: 'timed-out', afterMs: 5000}, monotonicMs(0));
    await time.advance(4 * SECOND_MS);
    await turns();
    expect(drawn.join('\n')).toMatch(/billed 2s ago.*billed 3s ago.*billed 4s ago/s);
  });

  it('counts the seconds of an outage on a pane that is still otherwise', async () => {
    const drawn: string[] = [];
    const outage: {health: BreakerState} = {health: UP};
    const operations = inMemoryOperations();
    const {deck, time} = openDeck('machines', {operations, columns: 120, rows: 35, health: () => outage.health});
    mount(deck, painted => drawn.push(painted));
    outage.health = {
      status: 'down',
      since: deck.now(),
      retryAt: monotonicMs(60_000),
      failure: {kind: 'timed-out', afterMs: 5000},
      attemptCount: 1,
      goodAnswerCount: 0,
    };
    await time.advance(2 * SECOND_MS);
    await turns();
    expect(drawn.join('\n')).toMatch(/link down 1s: nothing can be sent.*link down 2s: nothing can be sent/s);
  });

  it.each([
    [['p', 'x'], /stop train-02 #7: a question is open, the deck needs 60×16 to show it; q quits/],
    [['p', 'x', 'esc'], /terminal too small: the deck needs 60×16; q quits/],
  ])('says in a terminal that is too small whether a question is open: after %s', async (keys, told) => {
    const drawn: string[] = [];
    const {deck, press} = openDeck('machines', {operations: inMemoryOperations(), columns: 80, rows: 24});
    await press(...keys);
    deck.resize({columns: 59, rows: 15});
    mount(deck, painted => drawn.push(painted));
    await turns();
    expect(stripVTControlCharacters(drawn.join(' ')).replaceAll(/\s+/g, ' ')).toMatch(told);
  });

  it('begins an action on a single y, once the question could have been read', async () => {
    const open = openQuestion();
    await ask(open);
    expect(open.deck.overlay()).toMatchObject({kind: 'question'});
    await open.write('y');
    expect(open.operations.begun).toEqual([]);
    await open.time.advance(1000);
    await open.write('y');
    expect(open.operations.begun).toEqual([]);
    // Nothing has followed it.
    await open.time.advance(20);
    await turns();
    expect(open.operations.begun).toHaveLength(1);
  });

  it('begins nothing for fifty Enter and y within a tenth of a second', async () => {
    for (const keys of ['y\r', '\r', 'y']) {
      const open = openQuestion();
      await ask(open);
      await open.time.advance(1000);
      for (let count = 0; count < 50; count += 1) {
        await open.write(keys[count % keys.length] ?? '');
        await open.time.advance(2);
      }
      await open.time.advance(1000);
      expect(open.operations.begun).toEqual([]);
    }
  });

  it('begins nothing for fifty y in one chunk, nor for a paste of them', async () => {
    const open = openQuestion();
    await ask(open);
    await open.time.advance(1000);
    await open.write('y'.repeat(50));
    expect(open.deck.overlay()).toMatchObject({kind: 'question'});
    await open.time.advance(1000);
    await open.paste('y\r'.repeat(25));
    expect(open.operations.begun).toEqual([]);
    expect(open.deck.overlay()).toBeUndefined();
  });

  it.each([
    ['a y after the paste', `${START}a ${END}y`],
    ['a y before the paste', `y${START}a ${END}`],
    ['a paste that contains paste markers', `${START}${START}y${END}y${END}`],
    ['only the end of a paste', `${END}y`],
    ['a backspace after a y', 'y\u007f'],
    ['an arrow after a y', 'y\u001b[A'],
    ['a y after an arrow', '\u001b[Ay'],
  ])('begins nothing for one chunk with %s', async (_name, chunk) => {
    const open = openQuestion();
    await ask(open);
    await open.time.advance(1000);
    await open.write(chunk);
    expect(open.operations.begun).toEqual([]);
  });

  it('begins nothing for input that starts as a paste, whatever it contains and however it is split', async () => {
    const pieces = inPieces(
      anyInput.map(rest => START + rest),
      149,
    );
    await fc.assert(
      fc.asyncProperty(pieces, async given => {
        const open = openQuestion();
        await ask(open);
        await open.time.advance(1000);
        for (const {chunk, pauseMs} of given) {
          await open.write(chunk);
          await open.time.advance(pauseMs);
        }
        expect(open.operations.begun).toEqual([]);
      }),
      {numRuns: PASTES},
    );
  });

  it('sends nothing without a complete confirmation, whatever is typed and pasted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skydeck-app-'));
    onTestFinished(() => rmSync(folder, {recursive: true, force: true}));
    let yesCount = 0;
    for (let seed = 1; seed <= SESSIONS; seed += 1) {
      const session = await letLoose(seed, {folder, eventCount: EVENTS, handsOn: mounted});
      expect(session.violations).toEqual([]);
      yesCount += session.begunCount;
    }
    expect(yesCount).toBeGreaterThan(0);
  });
});
