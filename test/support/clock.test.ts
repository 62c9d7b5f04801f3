import {expect, test} from 'vitest';
import {epochMs} from '../../src/domain/time.ts';
import {createVirtualClock} from './clock.ts';

test('runs timers in the order they fall due, and those due together in the order they were set', async () => {
  const {clock, advance} = createVirtualClock();
  const ran: string[] = [];
  clock.after(20, () => ran.push('late'));
  clock.after(10, () => ran.push('first of two'));
  clock.after(10, () => ran.push('second of two'));
  await advance(15);
  expect(ran).toEqual(['first of two', 'second of two']);
  await advance(5);
  expect(ran).toEqual(['first of two', 'second of two', 'late']);
});

test('shows each timer the time it fell due, on both clocks', async () => {
  const {clock, advance} = createVirtualClock({wallStart: epochMs(1_000_000)});
  const seen: number[] = [];
  clock.after(30, () => seen.push(clock.monotonicNow(), clock.wallNow()));
  await advance(100);
  expect(seen).toEqual([30, 1_000_030]);
  expect([clock.monotonicNow(), clock.wallNow()]).toEqual([100, 1_000_100]);
});

test('runs timers set by a timer or by a promise that a timer resolved, within the same advance', async () => {
  const {clock, advance, pendingCount} = createVirtualClock();
  const ran: number[] = [];
  const wait = (delayMs: number) => new Promise<void>(resolve => clock.after(delayMs, resolve));
  const loop = (async () => {
    for (let round = 0; round < 3; round += 1) {
      await wait(10);
      await Promise.resolve();
      ran.push(clock.monotonicNow());
    }
  })();
  await advance(30);
  await loop;
  expect(ran).toEqual([10, 20, 30]);
  expect(pendingCount()).toBe(0);
});

test('never runs a cancelled timer', async () => {
  const {clock, advance, pendingCount} = createVirtualClock();
  let hasRun = false;
  const cancel = clock.after(10, () => {
    hasRun = true;
  });
  expect(pendingCount()).toBe(1);
  cancel();
  await advance(20);
  expect({hasRun, pending: pendingCount()}).toEqual({hasRun: false, pending: 0});
});

test('moves the wall clock without moving the monotonic one or running timers', async () => {
  const {clock, advance, shiftWall, pendingCount} = createVirtualClock({wallStart: epochMs(5000)});
  clock.after(100, () => {});
  shiftWall(-2000);
  await advance(50);
  expect([clock.wallNow(), clock.monotonicNow(), pendingCount()]).toEqual([3050, 50, 1]);
});

test('refuses a delay that is not a finite number', () => {
  const {clock} = createVirtualClock();
  expect(() => clock.after(Number.NaN, () => {})).toThrow('finite delay');
});
