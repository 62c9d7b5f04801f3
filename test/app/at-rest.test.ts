import {describe, expect, it} from 'vitest';
import {firewallsFeed} from '../../src/state/firewalls.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {lastTriage, TRIAGE_LISTS} from '../../src/state/triage.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {openDeck} from './an-open-deck.ts';

const SECOND_MS = 1000;

/** On a pane that shows no seconds, so that it is painted again only for a reason. */
function openStillDeck(): ReturnType<typeof openDeck> {
  const open = openDeck('machines', {columns: 80, rows: 24});
  for (const {feed} of TRIAGE_LISTS) open.store.writeValue(feed, aListing([]), monotonicMs(0));
  return open;
}

describe('the deck at rest', () => {
  it('paints only the clock, and everything else from time to time', async () => {
    const {deck, time} = openDeck('machines');
    await time.advance(SECOND_MS);
    const before = deck.shown();
    await time.advance(5 * SECOND_MS);
    expect(deck.shown().scene.now - before.scene.now).toBe(5 * SECOND_MS);
    expect(deck.shown().scene.facts).toBe(before.scene.facts);
    await time.advance(10 * SECOND_MS);
    expect(deck.shown().scene.facts).not.toBe(before.scene.facts);
  });

  it.each([
    ['machines', 120, 35],
    ['machines', 80, 24],
    ['overview', 120, 35],
    ['overview', 80, 24],
  ])('does not repaint %s at %s×%s, which show no seconds, but keeps reporting them', async (pane, columns, rows) => {
    const {deck, store, time} = openDeck(pane, {columns, rows});
    for (const {feed} of TRIAGE_LISTS) store.writeValue(feed, aListing([]), monotonicMs(0));
    // The findings are new for a minute, and count its seconds.
    await time.advance(2 * MINUTE_MS);
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
    expect(deck.shown().scene.now - before.scene.now).toBe(SECOND_MS);
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
    const open = openStillDeck();
    await open.time.advance(SECOND_MS);
    const before = open.deck.shown();
    await open.time.advance(SECOND_MS);
    expect(open.deck.shown()).toBe(before);
    await happens(open);
    await open.time.advance(SECOND_MS);
    expect(open.deck.shown()).not.toBe(before);
  });

  it('knows the same facts after a key, and others after a reading', async () => {
    const {deck, store, time, press} = openDeck('machines');
    await time.advance(SECOND_MS);
    const before = deck.shown();
    const {facts} = before.scene;
    await press('j', ':', 'x');
    expect(deck.shown()).not.toBe(before);
    expect(deck.shown().scene.facts).toBe(facts);
    store.writeValue(machinesFeed, aListing([]), monotonicMs(2000));
    await time.advance(SECOND_MS);
    expect(deck.shown().scene.facts).not.toBe(facts);
  });

  it('asks for what new findings call for, also if they were judged in a second in which nothing else was new', async () => {
    const {store, time, wanted} = openDeck('overview');
    store.writeValue(firewallsFeed, {records: [], quarantined: []}, monotonicMs(0));
    await time.advance(2.7 * SECOND_MS);
    // The second reading comes less than a second after the first was judged, so it is judged later.
    for (const id of [7, 8]) {
      store.writeValue(machinesFeed, aListing([aVirtualMachine({id})]), monotonicMs(2100));
      await time.advance(0.6 * SECOND_MS);
    }
    const [judged, wants] = [lastTriage(store), wanted('pane')];
    await time.advance(0.5 * SECOND_MS);
    expect(lastTriage(store)).not.toBe(judged);
    await time.advance(SECOND_MS);
    expect(wanted('pane')).not.toBe(wants);
  });

  it('has new facts each second while an operation is under way', async () => {
    const operations = inMemoryOperations();
    const {deck, time, press} = openDeck('machines', {operations, columns: 120, rows: 35});
    await press('p', 'x');
    await time.advance(SECOND_MS);
    await press('y');
    expect(operations.begun).toHaveLength(1);
    await time.advance(SECOND_MS);
    const {facts} = deck.shown().scene;
    await time.advance(SECOND_MS);
    expect(deck.shown().scene.facts).not.toBe(facts);
    operations.reach('CONFIRMED');
    await time.advance(SECOND_MS);
    const after = deck.shown().scene.facts;
    await time.advance(SECOND_MS);
    expect(deck.shown().scene.facts).toBe(after);
  });

  it('paints everything each second while an overlay is open', async () => {
    const {deck, time, press} = openStillDeck();
    await press(':');
    const before = deck.shown();
    expect(deck.overlay()).toBeDefined();
    await time.advance(SECOND_MS);
    expect(deck.shown()).not.toBe(before);
  });
});
