import {expect, it} from 'vitest';
import {mapInSlices} from '../../src/api/slices.ts';
import {type Clock, epochMs, monotonicMs} from '../../src/domain/time.ts';

/** A clock that advances by a millisecond each time it is read. */
function tickingClock(): Clock {
  let now = 0;
  return {
    wallNow: () => epochMs(0),
    monotonicNow: () => {
      now += 1;
      return monotonicMs(now);
    },
    after: () => () => {},
  };
}

it('lets the event loop turn between slices of 8 ms, and keeps the order', async () => {
  const numbers = Array.from({length: 80}, (_, index) => index);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const doubled = await mapInSlices(numbers, number => 2 * number, tickingClock());
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(9);
  expect(doubled).toEqual(numbers.map(number => 2 * number));
});
