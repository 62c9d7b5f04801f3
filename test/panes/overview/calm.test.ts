import {createElement} from 'react';
import {expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {overviewPane} from '../../../src/panes/overview/pane.tsx';
import {rational, usd} from '../../../src/domain/money.ts';
import {LearntActivity} from '../../../src/state/learnt-activity.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from '../../../src/state/billing.ts';
import {gpuLoadFeed, gpuActivityFeed} from '../../../src/state/gpu-load.ts';
import {flavorsFeed} from '../../../src/state/catalogue.ts';
import {contractsFeed} from '../../../src/state/contracts.ts';
import {machinesFeed, metricsFeed} from '../../../src/state/machines.ts';
import type {Feed} from '../../../src/state/feed.ts';
import {exceptUnread, lastTriage, TRIAGE_LISTS} from '../../../src/state/triage.ts';
import {createStore} from '../../../src/state/store.ts';
import {aScene} from '../../app/a-scene.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';

const CALM = /nothing needs attention|needs attention 0/;
const LARGE = {name: safeText('n3-H100x1'), cpuCount: 28, gpuCount: 1, gpuModel: safeText('H100'), ramGb: 100};
const START = monotonicMs(0);
const ABSENT = {kind: 'incomplete', detail: safeText('not there')} as const;

type Account = {readonly isWhole?: boolean; readonly columns?: number; readonly activity?: LearntActivity};

/** An account with one busy machine and nothing else, of which nothing was read yet. */
function aCalmAccount({isWhole = true, columns = 120, activity}: Account = {}) {
  const store = createStore();
  const machine = aVirtualMachine({id: 1});
  const shownAt = (elapsedMs: number) => {
    const scene = aScene({
      store,
      now: NOW,
      monotonicNow: monotonicMs(elapsedMs),
      isWatched: true,
      hasPrometheus: true,
      activity,
      size: {columns, rows: 40},
    });
    const context = {scene, view: overviewPane.initialView};
    return shownLines(createElement(overviewPane.Screen, context), scene.size.columns).join('\n');
  };
  const readLists = () => {
    for (const {feed} of isWhole ? TRIAGE_LISTS : TRIAGE_LISTS.slice(0, -2))
      store.writeValue<unknown>(feed, {records: [], quarantined: []}, START);
    store.writeValue(deletedUsageFeed, {records: [], quarantined: []}, START);
    store.writeValue(machinesFeed, aListing([machine]), START);
    store.writeValue(usageFeed, {records: [aUsageRecord(1, '2.5')], quarantined: []}, START);
    for (const feed of [creditFeed, gpuLoadFeed, gpuActivityFeed]) store.writeFailure<unknown>(feed, ABSENT, START);
  };
  const readMetrics = () => store.writeValue(metricsFeed(machine.id, '1d'), busyMetrics(8), START);
  const fail = (feed: Feed<unknown>) => store.writeFailure(feed, ABSENT, START);
  return {store, shownAt, readLists, readMetrics, fail, machine};
}

it('does not claim calm or count anything until lists and metrics were read and judged', () => {
  const {shownAt, readLists, readMetrics} = aCalmAccount();
  expect(shownAt(1000)).toContain('reading the machines…');
  readLists();
  // Readings within a second are judged together: the last judgement had nothing to look at.
  expect(shownAt(1300)).not.toMatch(CALM);
  expect(shownAt(2500)).toContain('reading the metrics of 1 machine…');
  expect(shownAt(2500)).not.toMatch(CALM);
  readMetrics();
  // The last of the first readings is judged at once, although others were judged a moment ago.
  expect(shownAt(2800)).toMatch(/needs attention 0[\s\S]*nothing needs attention now/);
});

it.each([
  ['a state that is unknown', 'UNKNOWN', 0, '1 machine of unknown state', 'the state of 1 machine is unknown'],
  ['records that cannot be read', 'ACTIVE', 2, '2 records unreadable', '2 machines could not be read'],
] as const)('is not calm with %s, and says so', (_, status, lostCount, note, reason) => {
  const {store, shownAt, readLists, readMetrics, machine} = aCalmAccount();
  readLists();
  readMetrics();
  const quarantined = Array.from({length: lostCount}, () => ({fields: [safeText('id')]}));
  store.writeValue(machinesFeed, {...aListing([{...machine, status}]), quarantined}, monotonicMs(1));
  shownAt(1300);
  const shown = shownAt(2500);
  expect(shown).not.toContain('nothing needs attention');
  expect(shown).toContain(`needs attention 0  ${note}`);
  expect(shown.replaceAll(/[│\s]+/g, ' ')).toContain(`no findings in what could be checked; ${reason}`);
});

it('is calm except for what always fails, and says what that is', () => {
  const {shownAt, readLists, fail, machine} = aCalmAccount();
  readLists();
  fail(metricsFeed(machine.id, '1d'));
  shownAt(1300);
  expect(shownAt(2500).replaceAll(/[│\s]+/g, ' ')).toContain(
    'nothing needs attention now; could not read metrics of 1 machine',
  );
  expect(shownAt(2500)).toContain('1 machine without metrics: 1 failed');
});

it.each([
  80, 120,
])('says in the title at %i columns that findings are counted so far, until each list has answered', columns => {
  const {store, shownAt, readLists, readMetrics, fail, machine} = aCalmAccount({isWhole: false, columns});
  const titleAt = (elapsedMs: number) => /needs attention.*/.exec(shownAt(elapsedMs))?.[0];
  const failed = aVirtualMachine({id: 2, status: 'ERROR', statusText: safeText('ERROR')});
  readLists();
  store.writeValue(machinesFeed, aListing([machine, failed]), START);
  // One machine is in ERROR; contracts and flavors are still to come.
  expect(titleAt(2000)).toMatch(/needs attention 1 so far ─/);
  fail(contractsFeed);
  expect(titleAt(4000)).toMatch(/needs attention \d so far ─/);
  fail(flavorsFeed);
  expect(titleAt(6000)).toMatch(/needs attention \d {2}.*1 machine without metrics/);
  readMetrics();
  expect(titleAt(8000)).not.toContain('so far');
});

it('says in the title how many rules are not checked because a list cannot be read, in 80 columns', () => {
  const {store, shownAt, readLists, readMetrics, fail, machine} = aCalmAccount({isWhole: false, columns: 80});
  const titleAt = (elapsedMs: number) => /needs attention.*/.exec(shownAt(elapsedMs))?.[0];
  const uncheckedCount = () => lastTriage(store)?.unknown.length ?? 0;
  readLists();
  fail(contractsFeed);
  // The flavors are still to come.
  expect(titleAt(2000)).not.toContain('not checked');
  fail(flavorsFeed);
  fail(metricsFeed(machine.id, '1d'));
  expect(titleAt(4000)).toContain(`2  ${uncheckedCount()} checks not run, 1 machine without metrics ─`);
  readMetrics();
  expect(titleAt(6000)).toContain(`2  ${uncheckedCount()} checks not run ─`);
  expect(lastTriage(store)?.unknown.map(({rule}) => rule)).toEqual(
    expect.arrayContaining(['contract-ending', 'out-of-stock']),
  );
});

it('leaves out whole parts of what the title says is not checked, if there is no room for all', () => {
  const {shownAt, readLists, fail, machine} = aCalmAccount({isWhole: false, columns: 62});
  readLists();
  fail(contractsFeed);
  fail(flavorsFeed);
  fail(metricsFeed(machine.id, '1d'));
  const title = /needs attention.*/.exec(shownAt(4000))?.[0];
  expect(title).toMatch(/needs attention 2 {2}\d+ checks not run… ─/);
});

it('does not count a rule whose two weeks of metrics are read for the first time, only one where that failed', () => {
  const {store, shownAt, readLists, fail, machine} = aCalmAccount({activity: new LearntActivity(undefined)});
  const titleAt = (elapsedMs: number) => /needs attention.*/.exec(shownAt(elapsedMs))?.[0];
  readLists();
  store.writeValue(creditFeed, {balance: usd(rational(1_000_000n, 1n))}, START);
  store.writeValue(machinesFeed, aListing([{...machine, flavor: LARGE}]), START);
  // Quiet for a day; whether it is idle depends on the week before.
  store.writeValue(metricsFeed(machine.id, '1d'), busyMetrics(0, {hours: 25}), START);
  // No DCGM, a usage record without a past, and no clock to compare with.
  const others = ['gpu-idle', 'gpu-error', 'gpu-throttled', 'gpu-memory-full', 'burn-anomaly', 'clock-skew'];
  expect(titleAt(4000)).toContain(`${others.length} checks not run`);
  expect(lastTriage(store)?.unknown.map(({rule}) => rule)).toEqual(['idle', ...others]);
  fail(metricsFeed(machine.id, '15d'));
  expect(titleAt(7000)).toContain(`${others.length + 1} checks not run`);
});

it('names the lists that could not be read, whose findings may be muted', () => {
  const {store, readLists, fail} = aCalmAccount({isWhole: false});
  readLists();
  for (const {feed} of TRIAGE_LISTS.slice(-2)) fail(feed);
  const scene = aScene({store});
  expect(exceptUnread(scene)).toBe('; could not read contracts, flavors');
});

it('is not calm when the machines could not be read', () => {
  const {shownAt, fail} = aCalmAccount();
  for (const {feed} of TRIAGE_LISTS) fail(feed);
  shownAt(1300);
  expect(shownAt(2500)).not.toMatch(CALM);
});
