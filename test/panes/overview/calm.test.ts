import {createElement} from 'react';
import {expect, it} from 'vitest';
import {safeText} from '../../../src/domain/safe-text.ts';
import {monotonicMs} from '../../../src/domain/time.ts';
import {overviewPane} from '../../../src/panes/overview/pane.tsx';
import {creditFeed, usageFeed} from '../../../src/state/billing.ts';
import {gpuLoadFeed, gpuPastFeed} from '../../../src/state/gpu-load.ts';
import {machinesFeed, metricsFeed} from '../../../src/state/machines.ts';
import {TRIAGE_LISTS} from '../../../src/state/triage.ts';
import {createStore} from '../../../src/state/store.ts';
import {aScene} from '../../app/a-scene.ts';
import {aListing, aVirtualMachine} from '../../state/a-machine.ts';
import {shownLines} from '../../support/shown-lines.ts';
import {aUsageRecord, busyMetrics, NOW} from '../a-known-scene.ts';

const CALM = /nothing needs attention|needs attention 0/;
const START = monotonicMs(0);
const ABSENT = {kind: 'incomplete', detail: safeText('not there')} as const;

/** An account with one machine at work; everything else in it is empty. Nothing was read. */
function aCalmAccount() {
  const store = createStore();
  const machine = aVirtualMachine({id: 1});
  const shownAt = (elapsedMs: number) => {
    const scene = aScene({store, now: NOW, monotonicNow: monotonicMs(elapsedMs), isWatched: true, hasPrometheus: true});
    const context = {scene, view: overviewPane.initialView};
    return shownLines(createElement(overviewPane.Screen, context), scene.size.columns).join('\n');
  };
  const readLists = () => {
    for (const {feed} of TRIAGE_LISTS) store.writeValue<unknown>(feed, {records: [], quarantined: []}, START);
    store.writeValue(machinesFeed, aListing([machine]), START);
    store.writeValue(usageFeed, {records: [aUsageRecord(1, '2.5')], quarantined: []}, START);
    for (const feed of [creditFeed, gpuLoadFeed, gpuPastFeed]) store.writeFailure<unknown>(feed, ABSENT, START);
  };
  const readMetrics = () => store.writeValue(metricsFeed(machine.id, '1d'), busyMetrics(8), START);
  return {shownAt, readLists, readMetrics};
}

it('promises no calm and counts nothing until the lists were read, the metrics were, and both were judged', () => {
  const {shownAt, readLists, readMetrics} = aCalmAccount();
  expect(shownAt(1000)).toContain('reading the machines…');
  readLists();
  // What is read within a second is judged together: the last judgement had nothing to look at.
  expect(shownAt(1300)).not.toMatch(CALM);
  expect(shownAt(2500)).toContain('reading the metrics of 1 machine…');
  expect(shownAt(2500)).not.toMatch(CALM);
  readMetrics();
  expect(shownAt(2800)).toContain('checking what was read…');
  expect(shownAt(2800)).not.toMatch(CALM);
  expect(shownAt(4000)).toMatch(/needs attention 0[\s\S]*nothing needs attention now/);
});
