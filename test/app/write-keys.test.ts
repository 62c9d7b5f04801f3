import {expect, it} from 'vitest';
import {pressPlan} from '../../src/app/write-keys.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import type {Plan} from '../../src/state/plan.ts';
import {openDeck} from './an-open-deck.ts';

function aPlan() {
  const asked: string[] = [];
  const plan: Plan = {
    mode: 'batch',
    progress: () => ({status: 'stopped', steps: []}),
    subscribe: () => () => {},
    cancel: () => void asked.push('cancel'),
    resume: () => asked.push('resume') > 0,
  };
  return {asked, overlay: {kind: 'plan', plan, title: safeText('stop 3 machines')} as const};
}

it('takes up the rest of a batch by a key of its own, not by one among others', () => {
  const {deck} = openDeck('machines');
  const {asked, overlay} = aPlan();
  pressPlan(deck, overlay, 'r', false);
  expect(asked).toEqual([]);
  pressPlan(deck, overlay, 'r', true);
  expect(asked).toEqual(['resume']);
});

it('stops a batch by any x: to do less needs no care', () => {
  const {deck} = openDeck('machines');
  const {asked, overlay} = aPlan();
  pressPlan(deck, overlay, 'x', false);
  expect(asked).toEqual(['cancel']);
});
