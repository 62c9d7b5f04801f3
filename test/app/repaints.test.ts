import {expect, test} from 'vitest';
import {Repaints} from '../../src/app/repaints.ts';
import {createVirtualClock} from '../support/clock.ts';

function openRepaints() {
  const {clock, advance} = createVirtualClock();
  const repaints = new Repaints(clock);
  const painted: number[] = [];
  let version = 0;
  const read = () => {
    version += 1;
    repaints.soon(String(version), () => painted.push(version));
  };
  return {advance, repaints, painted, read};
}

test('paints the first readings at once, and the next ones soon after', async () => {
  const {advance, painted, read} = openRepaints();
  read();
  await advance(1);
  expect(painted).toEqual([1]);
  read();
  await advance(20);
  expect(painted).toEqual([1, 2]);
});

test('paints once for readings that arrive together', async () => {
  const {advance, painted, read} = openRepaints();
  read();
  await advance(1000);
  read();
  read();
  await advance(20);
  expect(painted).toEqual([1, 3]);
});

test('paints readings at most four times a second', async () => {
  const {advance, painted, read} = openRepaints();
  for (let reading = 0; reading < 20; reading += 1) {
    read();
    await advance(50);
  }
  expect(painted.length).toBeGreaterThan(2);
  expect(painted.length).toBeLessThanOrEqual(5);
});

test('paints no readings while they are held back, and the first one afterwards', async () => {
  const {advance, repaints, painted, read} = openRepaints();
  let isHeld = true;
  repaints.holdReadings(() => isHeld);
  read();
  await advance(1000);
  expect(painted).toEqual([]);
  isHeld = false;
  read();
  await advance(1000);
  expect(painted).toEqual([2]);
});
