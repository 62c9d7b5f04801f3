import {EventEmitter} from 'node:events';
import {expect, it} from 'vitest';
import {HeldFrame} from '../../src/app/held-frame.ts';
import {openDeck} from './an-open-deck.ts';

it('gives way at once if the list of machines was read before it was held', async () => {
  const {deck, time} = openDeck('overview');
  const told: string[] = [];
  const screen = {
    hold: () => told.push('held'),
    holdAt: () => {},
    release: () => told.push('released'),
    size: () => ({columns: 120, rows: 35}),
    stdout: new EventEmitter(),
  };
  new HeldFrame(deck, {screen}, {clock: time.clock, onShown: () => told.push('shown')});
  await time.advance(10);
  expect(told).toEqual(['held', 'released', 'shown']);
  await time.advance(5000);
  expect(told).toHaveLength(3);
});
