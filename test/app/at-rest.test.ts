import {describe, expect, it} from 'vitest';
import {machinesFeed} from '../../src/state/machines.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {openDeck} from './an-open-deck.ts';

const SECOND_MS = 1000;

describe('the deck at rest', () => {
  it('paints only the clock, and everything else from time to time', async () => {
    const {deck, time} = openDeck('machines');
    await time.advance(SECOND_MS);
    const before = deck.shown();
    await time.advance(5 * SECOND_MS);
    expect(deck.shown().now - before.now).toBe(5 * SECOND_MS);
    expect(deck.shown().revision).toBe(before.revision);
    await time.advance(10 * SECOND_MS);
    expect(deck.shown().revision).not.toBe(before.revision);
  });

  it('does not repaint a pane that shows no seconds, but keeps reporting them', async () => {
    const {deck, time} = openDeck('machines', {columns: 120, rows: 35});
    await time.advance(SECOND_MS);
    const [before, {now}] = [deck.shown(), deck.seconds.latest()];
    await time.advance(5 * SECOND_MS);
    expect(deck.shown()).toBe(before);
    expect(deck.seconds.latest().now - now).toBe(5 * SECOND_MS);
  });

  it('repaints a pane that shows ages every second', async () => {
    const {deck, time, press} = openDeck('machines', {columns: 120, rows: 35});
    await press('e');
    await time.advance(SECOND_MS);
    const before = deck.shown();
    await time.advance(SECOND_MS);
    expect(deck.shown().now - before.now).toBe(SECOND_MS);
  });

  it.each<[string, (open: ReturnType<typeof openDeck>) => unknown]>([
    ['a key', ({press}) => press('j')],
    ['a resize', ({deck}) => deck.resize({columns: 120, rows: 40})],
    ['a notification', ({deck}) => deck.notify(safeText('alert command: exit code 1'))],
    ['a reading', ({store}) => store.writeValue(machinesFeed, aListing([aVirtualMachine({id: 9})]), monotonicMs(2000))],
    [
      'a failed reading',
      ({store}) => store.writeFailure(machinesFeed, {kind: 'timed-out', afterMs: 5000}, monotonicMs(2000)),
    ],
  ])('paints everything within a second of %s', async (_, happens) => {
    const open = openDeck('machines');
    await open.time.advance(SECOND_MS);
    const before = open.deck.shown();
    await happens(open);
    await open.time.advance(SECOND_MS);
    expect(open.deck.shown().revision).not.toBe(before.revision);
  });

  it('paints everything each second while an overlay is open', async () => {
    const {deck, time, press} = openDeck('machines');
    await press(':');
    const before = deck.shown();
    expect(deck.overlay()).toBeDefined();
    await time.advance(SECOND_MS);
    expect(deck.shown().revision).not.toBe(before.revision);
  });
});
