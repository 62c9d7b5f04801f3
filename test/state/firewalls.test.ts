import {expect, it} from 'vitest';
import {type Firewall, firewallId} from '../../src/domain/firewall.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {monotonicMs} from '../../src/domain/time.ts';
import {firewallFeed, firewallsFeed, observedFirewalls} from '../../src/state/firewalls.ts';
import {createStore, type WritableStore} from '../../src/state/store.ts';

function aFirewall(id: number, name: string): Firewall {
  return {
    id: firewallId(id),
    name: safeText(name),
    status: 'SUCCESS',
    statusText: safeText('SUCCESS'),
    rules: [],
    attachments: [],
  };
}

/** Two firewalls, listed at the moment 100. */
function openStore(): WritableStore {
  const store = createStore();
  const records = [aFirewall(1, 'listed-1'), aFirewall(2, 'listed-2')];
  store.writeValue(firewallsFeed, {records, quarantined: []}, monotonicMs(100));
  return store;
}

function names(store: WritableStore): readonly string[] | undefined {
  return observedFirewalls(store)?.map(({name}) => name);
}

it('knows no firewalls until the list was read, even if one was read on its own', () => {
  const store = createStore();
  store.writeValue(firewallFeed(firewallId(1)), aFirewall(1, 'alone'), monotonicMs(50));
  expect(observedFirewalls(store)).toBeUndefined();
});

it.each([
  ['after the list', 101, ['alone', 'listed-2']],
  ['with the list', 100, ['listed-1', 'listed-2']],
  ['before the list', 99, ['listed-1', 'listed-2']],
])('uses the newer reading when a firewall was read %s', (_, readAt, expected) => {
  const store = openStore();
  store.writeValue(firewallFeed(firewallId(1)), aFirewall(1, 'alone'), monotonicMs(readAt));
  expect(names(store)).toEqual(expected);
});

it('keeps the last reading of a firewall while it cannot be read', () => {
  const store = openStore();
  store.writeValue(firewallFeed(firewallId(1)), aFirewall(1, 'alone'), monotonicMs(101));
  store.writeFailure(firewallFeed(firewallId(1)), {kind: 'timed-out', afterMs: 15_000}, monotonicMs(102));
  store.writeFailure(firewallFeed(firewallId(2)), {kind: 'timed-out', afterMs: 15_000}, monotonicMs(102));
  expect(names(store)).toEqual(['alone', 'listed-2']);
});

it('adds no firewall that is not in the list', () => {
  const store = openStore();
  store.writeValue(firewallFeed(firewallId(9)), aFirewall(9, 'gone'), monotonicMs(101));
  expect(names(store)).toEqual(['listed-1', 'listed-2']);
});
