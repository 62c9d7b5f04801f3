import {expect, it} from 'vitest';
import type {Failure} from '../../src/domain/failure.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {organizationFeed} from '../../src/state/account.ts';
import {openDeck} from './an-open-deck.ts';

const AWAY: Failure = {kind: 'service-error', httpStatus: 503, message: safeText('away')};

it('reads the organization, which the header names, until it is known, whatever pane is open', async () => {
  const {store, time, wanted} = openDeck('catalogue');
  await time.advance(0);
  expect(wanted('pane')).not.toContain(organizationFeed.key);
  expect(wanted('header')).toEqual([organizationFeed.key]);
  store.writeFailure(organizationFeed, AWAY, monotonicMs(0));
  await time.advance(1000);
  expect(wanted('header')).toEqual([organizationFeed.key]);
  store.writeValue(organizationFeed, {id: 1, name: safeText('acme'), users: []}, monotonicMs(0));
  await time.advance(1000);
  expect(wanted('header')).toEqual([]);
});

it('wants what a reading calls for at once, also right after switching from pane to pane', async () => {
  const {store, time, press, wanted} = openDeck('catalogue');
  await press('1');
  await press('2');
  expect(wanted('header')).toEqual([organizationFeed.key]);
  store.writeValue(organizationFeed, {id: 1, name: safeText('acme'), users: []}, monotonicMs(0));
  await time.advance(300);
  expect(wanted('header')).toEqual([]);
});
