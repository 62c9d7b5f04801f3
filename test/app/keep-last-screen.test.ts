import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import type {Deck} from '../../src/app/deck.ts';
import {keepLastScreen} from '../../src/app/keep-last-screen.ts';
import {lastScreenFile, readLastScreen} from '../../src/config/last-screen.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {MINUTE_MS, monotonicMs, SECOND_MS} from '../../src/domain/time.ts';
import {openPanes} from '../../src/panes/panes.ts';
import {organizationFeed} from '../../src/state/account.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {createVirtualClock} from '../support/clock.ts';
import {aScene} from './a-scene.ts';

const SHOWN = ['header', 'tabs', 'gpu-1 ACTIVE', 'gpu-2 SHUTOFF', 'message', 'keys'];

type Wish = {
  readonly shown?: readonly string[];
  readonly overlay?: ReturnType<Deck['overlay']>;
  readonly paneIndex?: number;
  readonly columns?: number;
};

/** The parts of a deck showing `SHOWN` that are needed to save it. */
function aShownDeck({overlay, paneIndex = 0, columns = 80, shown = SHOWN}: Wish = {}) {
  const time = createVirtualClock();
  const store = createStore();
  const panes = openPanes();
  const file = lastScreenFile(mkdtempSync(join(tmpdir(), 'keep-last-screen-')), undefined);
  const keep = keepLastScreen(
    {
      panes,
      pane: () => panes[paneIndex] ?? panes[0] ?? panes[1] ?? failed(),
      overlay: () => overlay,
      scene: () => aScene({store, now: time.clock.wallNow(), monotonicNow: time.clock.monotonicNow()}),
      size: () => ({columns, rows: 24}),
    },
    {file, clock: time.clock, screen: {picture: () => ({plain: shown.join('\n'), coloured: ''})}},
  );
  return {time, store, keep, kept: () => readLastScreen(file)};
}

function failed(): never {
  throw new Error('A deck without panes.');
}

function learn(store: WritableStore): void {
  store.writeValue(organizationFeed, {id: 1, name: safeText('acme'), users: []}, monotonicMs(0));
  store.writeValue(machinesFeed, aListing([aVirtualMachine({})]), monotonicMs(0));
}

describe('keepLastScreen', () => {
  it('saves the lines between the tabs and the message line, soon after the start and every minute', async () => {
    const {time, store, kept} = aShownDeck();
    learn(store);
    await time.advance(3 * SECOND_MS);
    expect(kept()).toEqual({
      readAt: createVirtualClock().clock.wallNow(),
      organization: 'acme',
      lines: ['gpu-1 ACTIVE', 'gpu-2 SHUTOFF'],
    });
    store.writeValue(machinesFeed, aListing([]), time.clock.monotonicNow());
    const again = time.clock.wallNow();
    await time.advance(MINUTE_MS);
    expect(kept()?.readAt).toBe(again);
  });

  it('tells when the machines were read, not when it saved them, while the service does not answer', async () => {
    const {time, store, keep, kept} = aShownDeck();
    learn(store);
    const answered = time.clock.wallNow();
    await time.advance(2 * MINUTE_MS);
    store.writeFailure(machinesFeed, {kind: 'timed-out', afterMs: MINUTE_MS}, time.clock.monotonicNow());
    keep();
    expect(kept()?.readAt).toBe(answered);
  });

  it('leaves out the ages in the titles of boxes, which would stand still', () => {
    const {store, keep, kept} = aShownDeck({
      shown: ['', '', '╭─ machines 3 ─ 6s ─╮╭┄ money ┄┄ 1h05 ┄╮', '─ money ── 54s ─', '│ sweep-1  3h45 │', '', ''],
    });
    learn(store);
    keep();
    expect(kept()?.lines).toEqual([
      '╭─ machines 3 ──────╮╭┄ money ┄┄┄┄┄┄┄┄┄╮',
      '─ money ────────',
      '│ sweep-1  3h45 │',
    ]);
  });

  it('saves what is shown at the end', () => {
    const {store, keep, kept} = aShownDeck();
    learn(store);
    keep();
    expect(kept()?.lines).toHaveLength(2);
  });

  it.each<[string, Wish]>([
    ['an overlay', {overlay: {kind: 'leave', shownAt: monotonicMs(0)}}],
    ['another pane', {paneIndex: 1}],
    ['a terminal that is too small for the deck', {columns: 40}],
  ])('saves nothing of %s', (_, wish) => {
    const {store, keep, kept} = aShownDeck(wish);
    learn(store);
    keep();
    expect(kept()).toBeUndefined();
  });

  it('saves nothing before the account and its machines are known', () => {
    const {keep, kept} = aShownDeck();
    keep();
    expect(kept()).toBeUndefined();
  });
});
