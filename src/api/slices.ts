import {setImmediate as nextTurn} from 'node:timers/promises';
import type {Clock, DurationMs} from '../domain/time.ts';

/** Half a frame: a key pressed meanwhile is still painted in time. */
const SLICE_MS: DurationMs = 8;
/** A limit in case the clock stands still. */
const MAX_SLICE_LENGTH = 500;

/** Maps the values in order, letting the event loop run between slices. */
export async function mapInSlices<From, To>(
  values: readonly From[],
  toValue: (value: From) => To,
  clock: Clock,
): Promise<To[]> {
  const made: To[] = [];
  let startedAt = clock.monotonicNow();
  let sliceLength = 0;
  for (const value of values) {
    if (sliceLength >= MAX_SLICE_LENGTH || clock.monotonicNow() - startedAt >= SLICE_MS) {
      await nextTurn();
      startedAt = clock.monotonicNow();
      sliceLength = 0;
    }
    sliceLength += 1;
    made.push(toValue(value));
  }
  return made;
}
