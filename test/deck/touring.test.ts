import {expect, test} from 'vitest';
import type {DurationMs} from '../../src/domain/time.ts';
import {type App, openApp} from '../support/program.ts';
import {openSimulator} from '../support/simulator.ts';
import {testTime} from '../support/virtual-time.ts';

const PATIENT = {timeout: 120_000};
/** The panes in their order, and back to the first. */
const TOUR = ['2', '3', '4', '5', '6', '7', '8', '9', '0', '1'];
/** Of the hundred a minute twenty are kept for operations. */
const MAX_READS = 80;

async function pass(app: App, durationMs: DurationMs): Promise<void> {
  const {clock} = testTime();
  const end = clock.monotonicNow() + durationMs;
  await app.becomes('later', () => clock.monotonicNow() >= end, {withinMs: durationMs + 1000});
}

async function openRead() {
  const simulator = await openSimulator();
  const app = await openApp({simulator});
  await pass(app, 10_000);
  return {app, simulator};
}

test('a tour of all panes in twenty seconds finds each list read, and none waiting for requests', PATIENT, async () => {
  const {app, simulator} = await openRead();
  for (const key of TOUR) {
    await app.press(key);
    await pass(app, 2_000);
    expect(app.text()).not.toContain('waits for the request budget');
  }
  const asked = simulator.requests().map(({path}) => path.replace(/\?.*/, ''));
  expect(asked.length).toBeLessThanOrEqual(MAX_READS);
  for (const list of ['/object-storage/buckets', '/core/keypairs', '/auth/roles', '/core/dashboard']) {
    expect(asked).toContain(list);
  }
  // A day that was read a moment ago holds the hour of the rows; of the machine under the cursor it is read as well.
  const metrics = Map.groupBy(
    asked.filter(path => path.endsWith('/metrics')),
    path => path,
  );
  const again = [...metrics.values()].filter(({length}) => length > 1);
  expect(metrics.size).toBeGreaterThan(30);
  expect(again.length).toBeLessThanOrEqual(1);
});

test('switching quickly through the panes reads their lists alone', PATIENT, async () => {
  const {app, simulator} = await openRead();
  const before = simulator.requests().length;
  for (const key of TOUR) {
    await app.press(key);
    await pass(app, 400);
  }
  const paths = simulator.requests().slice(before);
  const ofOne = paths.filter(({path}) => /\/\d+(\/|$)/.test(path.replace(/\?.*/, '')));
  // The first pane is not passed through yet when it is opened.
  expect(ofOne.map(({path}) => path).filter(path => !path.includes('/metrics'))).toEqual([]);
  expect(paths.length).toBeLessThan(25);
});
