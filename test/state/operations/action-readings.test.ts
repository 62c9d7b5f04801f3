import {describe, expect, it} from 'vitest';
import {ACTIONS} from '../../../src/actions/actions.ts';
import type {Action} from '../../../src/domain/action.ts';
import {firewallId} from '../../../src/domain/firewall.ts';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {virtualMachineId} from '../../../src/domain/virtual-machine.ts';
import {meFeed, organizationFeed} from '../../../src/state/account.ts';
import {ownUserId, readingsOf} from '../../../src/state/operations/action-readings.ts';
import {definitionOf} from '../../../src/state/operations/action.ts';
import {firewallsFeed} from '../../../src/state/firewalls.ts';
import {eventsFeed, machineFeed, type MachineListing, machinesFeed} from '../../../src/state/machines.ts';
import {bucketsFeed} from '../../../src/state/object-storage.ts';
import {createStore} from '../../../src/state/store.ts';
import {EVERY_ACTION, EVERY_CASE} from '../../actions/every-action.ts';
import {aFirewall, aMachine} from '../../actions/some-things.ts';

const text = safeText;
const id = virtualMachineId(7);
const WHOLE = {quarantined: []};

function at(moment: number) {
  return monotonicMs(moment);
}

function readingsFor(action: Action) {
  return readingsOf(action, ACTIONS);
}

describe('readingsOf', () => {
  it.each(
    EVERY_CASE,
  )('%s is watched by the expected number of feeds, the first read at least every ten seconds', (kind, {confirmed}) => {
    const {feeds} = readingsFor(confirmed.action);
    const [first] = feeds;
    expect(first?.intervalMs).toBeLessThanOrEqual(10_000);
    expect(feeds.length).toBe(kind === 'vm.hard-reboot' ? 4 : kind === 'vm.set-firewalls' ? 2 : 1);
  });

  it("gives the machine's own reading, nothing after a failure, and no records once the service answers not found", () => {
    const store = createStore();
    const {newest} = readingsFor({kind: 'vm.stop', id});
    expect(newest(store)).toBeUndefined();
    store.writeValue(machineFeed(id), aMachine(), at(5));
    expect(newest(store)).toEqual({startedAt: 5, records: [aMachine()], isWhole: true});
    store.writeFailure(machineFeed(id), {kind: 'cut', detail: text('why')}, at(6));
    expect(newest(store)).toBeUndefined();
    store.writeFailure(machineFeed(id), {kind: 'not-found', message: text('gone')}, at(7));
    expect(newest(store)).toEqual({startedAt: 7, records: [], isWhole: true});
  });

  it('marks a list as incomplete when it came in part', () => {
    const store = createStore();
    const {newest} = readingsFor(EVERY_ACTION['vm.create'].confirmed.action);
    store.writeValue(machinesFeed, {...WHOLE, records: [aMachine()], missingOnce: new Set<typeof id>()}, at(5));
    expect(newest(store)).toMatchObject({isWhole: true, records: [{id: 7}]});
    const torn = {...WHOLE, records: [], missingOnce: new Set<typeof id>(), incompleteReason: 'page-limit'} as const;
    store.writeValue(machinesFeed, torn, at(6));
    expect(newest(store)).toMatchObject({isWhole: false});
  });

  it('does not treat a bucket as gone while a region does not answer', () => {
    const store = createStore();
    const {newest} = readingsFor(EVERY_ACTION['bucket.delete'].confirmed.action);
    store.writeValue(bucketsFeed, {...WHOLE, records: [], absentParts: [text('CANADA-1')]}, at(5));
    expect(newest(store)).toMatchObject({isWhole: false});
    store.writeValue(bucketsFeed, {...WHOLE, records: []}, at(6));
    expect(newest(store)).toMatchObject({isWhole: true});
  });

  const LIST_READ = EVERY_CASE.filter(([, {confirmed}]) => {
    const {feeds} = definitionOf(ACTIONS, confirmed.action);
    return confirmed.action.id === undefined || feeds.one === undefined;
  });

  it('uses a list for what the service does not return on its own', () => {
    const kinds = LIST_READ.map(([kind]) => kind);
    const deletions = ['environment.delete', 'key-pair.delete', 'access-key.delete', 'bucket.delete'];
    expect(kinds).toEqual(expect.arrayContaining([...deletions, 'vm.create', 'volume.create']));
  });

  it.each(LIST_READ)('%s treats the list as incomplete when a record, page or region is missing', (_kind, {
    confirmed,
  }) => {
    const {feeds, newest} = readingsFor(confirmed.action);
    const gaps = [
      {quarantined: [{id: text('5'), fields: ['name']}]},
      {incompleteReason: 'page-limit'},
      {absentParts: [text('CANADA-1')]},
    ];
    for (const gap of gaps) {
      const store = createStore();
      store.writeValue(feeds[0], {...WHOLE, records: [], ...gap}, at(5));
      expect(newest(store), JSON.stringify(gap)).toMatchObject({isWhole: false});
    }
    const store = createStore();
    store.writeValue(feeds[0], {...WHOLE, records: []}, at(5));
    expect(newest(store)).toMatchObject({isWhole: true});
  });

  it("prefers the list when it is newer and contains the machine, but never when only the machine's own reading is asked for", () => {
    const store = createStore();
    const {newest} = readingsFor({kind: 'vm.stop', id});
    const list = (listing: Partial<MachineListing>, moment: number) =>
      store.writeValue(machinesFeed, {...WHOLE, records: [aMachine({status: 'SHUTOFF'})], ...listing}, at(moment));
    store.writeValue(machineFeed(id), aMachine(), at(5));
    list({}, 4);
    expect(newest(store)).toMatchObject({startedAt: 5, records: [{status: 'ACTIVE'}]});
    list({}, 6);
    expect(newest(store)).toEqual({startedAt: 6, records: [aMachine({status: 'SHUTOFF'})], isWhole: true});
    expect(newest(store, 'alone')).toMatchObject({startedAt: 5, records: [{status: 'ACTIVE'}]});
    for (const kept of [
      {records: []},
      {missingOnce: new Set([id])},
      {quarantined: [{id: text('7'), fields: [text('name')]}]},
      {incompleteReason: 'page-limit'},
      {absentParts: [text('CANADA-1')]},
    ] as const) {
      list(kept, 7);
      expect(newest(store), JSON.stringify(kept)).toMatchObject({startedAt: 5});
      expect(readingsFor({kind: 'vm.stop', id}).list?.lacksSince(store, at(6))).toBe(true);
    }
    list({quarantined: [{id: text('8'), fields: [text('name')]}]}, 7);
    expect(newest(store)).toMatchObject({startedAt: 7});
    expect(readingsFor({kind: 'vm.stop', id}).list?.lacksSince(store, at(6))).toBe(false);
  });

  it('waits for both readings, dates them by the older one, and leaves out firewalls from an incomplete list', () => {
    const store = createStore();
    const {newest} = readingsFor({kind: 'vm.set-firewalls', id, firewallIds: [firewallId(30)]});
    store.writeValue(machineFeed(id), aMachine(), at(9));
    expect(newest(store)).toBeUndefined();
    store.writeValue(firewallsFeed, {...WHOLE, records: [aFirewall()]}, at(4));
    expect(newest(store)).toMatchObject({startedAt: 4, firewalls: [{id: 30}]});
    for (const part of [{quarantined: [{fields: []}]}, {incompleteReason: 'page-limit'} as const]) {
      store.writeValue(firewallsFeed, {...WHOLE, ...part, records: [aFirewall()]}, at(4));
      expect(newest(store)).not.toHaveProperty('firewalls');
    }
  });

  it('adds the event history, and when its reading started, once it was read', () => {
    const store = createStore();
    const {newest} = readingsFor({kind: 'vm.hard-reboot', id});
    store.writeValue(machineFeed(id), aMachine(), at(9));
    expect(newest(store)).not.toHaveProperty('events');
    store.writeValue(eventsFeed(id), {...WHOLE, records: []}, at(3));
    expect(newest(store)).toMatchObject({startedAt: 9, events: [], eventsStartedAt: 3});
    store.writeValue(eventsFeed(id), {...WHOLE, records: []}, at(9));
    expect(newest(store)).toMatchObject({startedAt: 9, events: [], eventsStartedAt: 9});
  });
});

describe('ownUserId', () => {
  it('is the id of the user with our email address, ignoring case', () => {
    const store = createStore();
    expect(ownUserId(store)).toBeUndefined();
    store.writeValue(meFeed, {email: text('Me@Example.org')}, at(1));
    expect(ownUserId(store)).toBeUndefined();
    const users = [
      {id: 11, email: text('other@example.org'), grantedRoles: []},
      {id: 12, email: text('me@example.org'), grantedRoles: []},
      {id: 13, grantedRoles: []},
    ];
    store.writeValue(organizationFeed, {id: 1, name: text('org'), users}, at(1));
    expect(ownUserId(store)).toBe(12);
    store.writeValue(meFeed, {email: text('nobody@example.org')}, at(2));
    expect(ownUserId(store)).toBeUndefined();
  });
});
