import {setImmediate as turn} from 'node:timers/promises';
import fc from 'fast-check';
import {render} from 'ink-testing-library';
import {describe, expect, it} from 'vitest';
import {App} from '../../src/app/app.tsx';
import type {Deck} from '../../src/app/deck.ts';
import {pressKeys} from '../../src/app/dispatch.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {machinesFeed} from '../../src/state/machines.ts';
import {createLineSlots} from '../../src/terminal/line-slots.ts';
import {aListing, aVirtualMachine} from '../state/a-machine.ts';
import {inMemoryOperations} from '../state/in-memory-operations.ts';
import {sweepOf} from '../support/tier.ts';
import {aConnection} from './a-scene.ts';
import {openDeck} from './an-open-deck.ts';

const SESSIONS = sweepOf({sample: 2, deep: 60});
const EVENTS = 30;
const KEYS = [...'1234567890jkpsxyzZDnic?:/aqfwmeo$[]MdrRvVuFgGt.lh', 'tab', 'enter', 'esc', 'space', 'ctrl-r'];

/** A finding ended while the help was open: judged in one paint, noted in the next, and drawn by none. */
const ENDED_BELOW_HELP = [
  '1',
  'A READING',
  '1',
  '?',
  '1',
  'HALF A SECOND',
  '1',
  '1',
  'HALF A SECOND',
  '1',
  'HALF A SECOND',
  '1',
];

/** What the deck shows when it is mounted now, and from then on. */
function mount(deck: Deck) {
  const slots = createLineSlots();
  const {lastFrame, unmount} = render(<App deck={deck} connection={aConnection()} slots={slots} />);
  const seen = () =>
    (lastFrame() ?? '').replaceAll(
      /[\ue000-\uf8ff] */g,
      placeholder => slots.lineOf(placeholder.trim())?.painted ?? '?',
    );
  return {seen, unmount};
}

/** Drawing follows over a few turns. */
async function turns(): Promise<void> {
  for (let count = 0; count < 6; count += 1) await turn();
}

describe('what is on the screen', () => {
  it('is what a deck that is mounted now would show, whatever was pressed, read and sent', async () => {
    const event = fc.constantFrom(...KEYS, 'CONFIRMED', 'A READING', 'HALF A SECOND');
    const session = fc.array(event, {minLength: EVENTS, maxLength: EVENTS});
    await fc.assert(
      fc.asyncProperty(session, async events => {
        const operations = inMemoryOperations();
        const {deck, store, time} = openDeck('machines', {columns: 120, rows: 35, operations});
        await time.advance(100);
        const {seen, unmount} = mount(deck);
        for (const [count, each] of events.entries()) {
          if (each === 'CONFIRMED') {
            if (operations.all().length > 0) operations.reach('CONFIRMED');
          } else if (each === 'A READING') {
            const listing = aListing([aVirtualMachine({id: 7, name: safeText(`machine-${count}`)})]);
            store.writeValue(machinesFeed, listing, deck.now());
            await time.advance(260);
          } else if (each === 'HALF A SECOND') await time.advance(500);
          else pressKeys(deck, [each]);
          await turns();
          const anew = mount(deck);
          await turns();
          // What is judged only while it is drawn is painted by the next seconds, in what was mounted before as well.
          for (let second = 0; second < 2 && deck.shown().scene.facts !== deck.scene().facts; second += 1) {
            await time.advance(1000);
            await turns();
          }
          expect(seen()).toBe(anew.seen());
          anew.unmount();
        }
        unmount();
        deck.stop();
      }),
      {numRuns: SESSIONS, examples: [[ENDED_BELOW_HELP]]},
    );
  });
});
