import {expect, it} from 'vitest';
import {DEFAULT_PREFERENCES} from '../../src/domain/preferences.ts';
import {markdownOf} from '../../src/domain/handover.ts';
import {rational, usd} from '../../src/domain/money.ts';
import {safeText} from '../../src/domain/safe-text.ts';
import {DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS, monotonicMs} from '../../src/domain/time.ts';
import {creditFeed, usageFeed} from '../../src/state/billing.ts';
import {contractsFeed} from '../../src/state/contracts.ts';
import {type HandoverAction, presentHandover} from '../../src/state/handover.ts';
import {eventsFeed, machinesFeed} from '../../src/state/machines.ts';
import {createStore, type Store} from '../../src/state/store.ts';
import {TRIAGE_LISTS} from '../../src/state/triage.ts';
import {A_FLAVOR, aUsageRecord} from '../panes/a-known-scene.ts';
import {aListing, aVirtualMachine} from './a-machine.ts';

const NOW = epochMs(Date.UTC(2026, 10, 20, 12));

const MACHINE = aVirtualMachine({id: 1, status: 'HIBERNATED', flavor: A_FLAVOR, contractId: 9});
const HIBERNATED: HandoverAction = {
  action: {kind: 'vm.hibernate', id: MACHINE.id, retainsIp: true},
  targetStatus: 'HIBERNATED',
  confirmedAt: epochMs(NOW - HOUR_MS),
  words: safeText('hibernate gpu-1'),
  phase: 'CONFIRMED',
  detail: undefined,
  correction: undefined,
};

function linesOf(store: Store, sent: HandoverAction): readonly string[] {
  const moment = {store, now: NOW, monotonicNow: monotonicMs(2), preferences: DEFAULT_PREFERENCES};
  return presentHandover(moment, {since: epochMs(NOW - DAY_MS), sent: [sent]}).map(markdownOf);
}

it('names what was left of a batch as not sent', () => {
  const left: HandoverAction = {...HIBERNATED, phase: 'NOT_SENT', detail: safeText('cancelled')};
  expect(linesOf(createStore(), left).join('\n')).toContain('hibernate gpu-1: not sent: cancelled');
});

it('counts findings as at least while the state of a machine is unknown, and says which checks that leaves out', () => {
  const store = createStore();
  const listed = (status: 'ERROR' | 'UNKNOWN') => [
    aVirtualMachine({id: 1, name: safeText('web'), status: 'ERROR'}),
    aVirtualMachine({id: 2, status}),
  ];
  store.writeValue(machinesFeed, aListing(listed('UNKNOWN')), monotonicMs(1));
  for (const {feed} of TRIAGE_LISTS.filter(each => each.feed !== machinesFeed))
    store.writeValue<unknown>(feed, {records: [], quarantined: []}, monotonicMs(1));
  const lines = linesOf(store, HIBERNATED);
  expect(lines[4]).toMatch(/^## Open findings \(at least \d+\)$/);
  expect(lines).toContainEqual(expect.stringMatching(/^- machine in error, .*: the state of 1 machine is unknown$/));
  store.writeValue(machinesFeed, aListing(listed('ERROR')), monotonicMs(2));
  expect(linesOf(store, HIBERNATED)[4]).toMatch(/^## Open findings \(\d+\)$/);
});

it('does not say what a machine under contract saves before the contracts were read', () => {
  const store = createStore();
  store.writeValue(machinesFeed, aListing([MACHINE]), monotonicMs(1));
  store.writeValue(usageFeed, {records: [aUsageRecord(1, '0.01')], quarantined: []}, monotonicMs(1));
  const savings = () => linesOf(store, HIBERNATED).find(line => line.includes('hibernated:'));
  expect(savings()).toBe('1 machine hibernated: it is unknown how much that saves');
  store.writeValue(contractsFeed, {records: [], quarantined: []}, monotonicMs(2));
  // An L40 is $1.00 an hour, less the metered $0.01.
  expect(savings()).toBe('1 machine hibernated: saves up to $0.99/h');
});

it('says of when rates and credit are that were not read for minutes, and never calls them those of now', () => {
  const linesAfter = (minutes: number) => {
    const store = createStore();
    store.writeValue(machinesFeed, aListing([MACHINE]), monotonicMs(1));
    store.writeValue(usageFeed, {records: [aUsageRecord(1, '20')], quarantined: []}, monotonicMs(1));
    store.writeValue(creditFeed, {balance: usd(rational(60n, 1n))}, monotonicMs(1));
    const monotonicNow = monotonicMs(1 + minutes * MINUTE_MS);
    const moment = {store, now: NOW, monotonicNow, preferences: DEFAULT_PREFERENCES};
    return presentHandover(moment, {since: epochMs(NOW - DAY_MS), sent: []}).map(markdownOf);
  };
  // $60 last 3 h at $20 an hour.
  expect(linesAfter(2)).toEqual(expect.arrayContaining(['- $20.00/h now', '- credit $60.00']));
  const late = linesAfter(10);
  expect(late).toEqual(
    expect.arrayContaining([
      '- $20.00/h as of 2026-11-20 11:50Z: not read since',
      '- credit $60.00 as of 2026-11-20 11:50Z: not read since',
      '- runway 2 h 50 min, until 2026-11-20 14:50Z, at the rate of 2026-11-20 11:50Z',
    ]),
  );
  const [ending] = late.filter(line => line.includes('credit ends in'));
  expect(ending).toContain('at $20.00/h, as of 2026-11-20 11:50Z, the credit lasts 2 h 50 min');
  expect(late.join('\n')).not.toMatch(/\/h now/);
});

it('says which machines are stopped and still billed, with what is metered or else the price of their flavor', () => {
  const store = createStore();
  const stopped = (of: Store = store) => linesOf(of, HIBERNATED).filter(line => line.includes('stopped but'));
  const shutOff = (id: number, flavor: typeof A_FLAVOR | undefined) =>
    aVirtualMachine({id, status: 'SHUTOFF', ...(flavor && {flavor})});
  const machines = [aVirtualMachine({id: 1, status: 'ACTIVE', flavor: A_FLAVOR}), shutOff(2, A_FLAVOR)];
  store.writeValue(machinesFeed, aListing(machines.slice(0, 1)), monotonicMs(1));
  store.writeValue(
    usageFeed,
    {records: [aUsageRecord(1, '1'), aUsageRecord(2, '2.5')], quarantined: []},
    monotonicMs(1),
  );
  expect(stopped()).toEqual([]);
  store.writeValue(machinesFeed, aListing(machines), monotonicMs(2));
  expect(stopped()).toEqual(['- 1 machine is stopped but still billed: $2.50/h']);
  // An L40 is $1.00 an hour where nothing is metered; the price of the last one is unknown.
  store.writeValue(machinesFeed, aListing([...machines, shutOff(3, A_FLAVOR), shutOff(4, undefined)]), monotonicMs(3));
  expect(stopped()).toEqual(['- 3 machines are stopped but still billed: $3.50/h, without 1 machine of unknown price']);
  const other = createStore();
  other.writeValue(machinesFeed, aListing([shutOff(4, undefined)]), monotonicMs(1));
  expect(stopped(other)).toEqual(['- 1 machine is stopped but still billed, at an unknown price']);
});

it('counts an effect that was seen late, and reports it as such', () => {
  const store = createStore();
  store.writeValue(machinesFeed, aListing([MACHINE]), monotonicMs(1));
  store.writeValue(usageFeed, {records: [aUsageRecord(1, '0.01')], quarantined: []}, monotonicMs(1));
  store.writeValue(contractsFeed, {records: [], quarantined: []}, monotonicMs(2));
  const correction = safeText('its effect was seen after all');
  const text = linesOf(store, {...HIBERNATED, phase: 'NO_EFFECT_SEEN', detail: correction, correction}).join('\n');
  expect(text).toContain('1 machine hibernated: saves up to $0.99/h');
  expect(text).toContain('hibernate gpu-1: its effect was seen after all');
  expect(text).not.toContain('no effect seen');
});

it('counts what a machine cost until its events say that it was hibernated', () => {
  const store = createStore();
  const [createdAt, hibernatedAt] = [epochMs(NOW - 2 * HOUR_MS), epochMs(NOW - 3 * MINUTE_MS)];
  // An L40 at $1.00 an hour for 117 minutes.
  const record = {
    ...aUsageRecord(1, '0.0001'),
    createdAt,
    upTimeMinutes: rational(117n, 1n),
    billedCost: usd(rational(195n, 100n)),
  };
  const event = (reason: string, occurredAt: EpochMs) => ({
    reason: safeText(reason),
    message: safeText(''),
    occurredAt,
  });
  store.writeValue(machinesFeed, aListing([{...MACHINE, createdAt}]), monotonicMs(1));
  store.writeValue(usageFeed, {records: [record], quarantined: []}, monotonicMs(1));
  const spent = () => {
    const moment = {store, now: NOW, monotonicNow: monotonicMs(2), preferences: DEFAULT_PREFERENCES};
    const lines = presentHandover(moment, {since: epochMs(NOW - 9 * MINUTE_MS), sent: []}).map(markdownOf);
    return lines.find(line => line.includes('since then'));
  };
  expect(spent()).toContain('- at least $0.00 since then');
  store.writeValue(
    eventsFeed(MACHINE.id),
    {
      records: [event('InstanceCreationSuccess', createdAt), event('HibernateInstanceSuccess', hibernatedAt)],
      quarantined: [],
    },
    monotonicMs(2),
  );
  // Six minutes of it.
  expect(spent()).toContain('- $0.10 since then');
});
