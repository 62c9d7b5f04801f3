import {setTimeout as pause} from 'node:timers/promises';
import type {Steps} from '../domain/steps.ts';
import type {Clock, DurationMs} from '../domain/time.ts';

/** Half a frame: a key pressed meanwhile is still painted in time. */
const SLICE_MS: DurationMs = 8;
/** A limit in case the clock stands still. */
const MAX_SLICE_LENGTH = 500;

/**
 * V8 does not collect young garbage while it marks the old generation, which it does when the event loop is idle. Work
 * that only let the event loop run left 30 MiB of garbage in that time; with short rests, marking ends after a few
 * slices.
 */
const REST_MS: DurationMs = 1;

/** Waits between slices of long work, for keys and for the garbage collector. */
export function restBetweenSlices(): Promise<void> {
  return pause(REST_MS);
}

/** Maps the values in order, with a short rest between slices. */
export function mapInSlices<From, To>(
  values: readonly From[],
  toValue: (value: From) => To,
  clock: Clock,
): Promise<To[]> {
  return inSlices(mapSteps(values, toValue), clock);
}

function* mapSteps<From, To>(values: readonly From[], toValue: (value: From) => To): Steps<To[]> {
  const made: To[] = [];
  for (const value of values) {
    made.push(toValue(value));
    yield;
  }
  return made;
}

/** Long work with a short rest between slices of its steps. */
export async function inSlices<T>(steps: Steps<T>, clock: Clock): Promise<T> {
  let startedAt = clock.monotonicNow();
  let sliceLength = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    sliceLength += 1;
    if (sliceLength < MAX_SLICE_LENGTH && clock.monotonicNow() - startedAt < SLICE_MS) continue;
    await restBetweenSlices();
    startedAt = clock.monotonicNow();
    sliceLength = 0;
  }
}
