import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createEventQueue} from '../../../src/simulator/world/event-queue.ts';

test('returns due events by time, and those of the same time in the order they were added', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({min: 0, max: 20})), fc.integer({min: 0, max: 20}), (moments, now) => {
      const queue = createEventQueue();
      const taken: string[] = [];
      for (const [index, at] of moments.entries()) queue.schedule(at, () => taken.push(`${at} ${index}`));
      for (let event = queue.takeDue(now); event !== undefined; event = queue.takeDue(now)) event.run();
      const expected = [...moments.entries()]
        .filter(([, at]) => at <= now)
        .toSorted(([firstIndex, first], [secondIndex, second]) => first - second || firstIndex - secondIndex)
        .map(([index, at]) => `${at} ${index}`);
      expect(taken).toEqual(expected);
    }),
  );
});
