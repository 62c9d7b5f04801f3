import {assert} from '../domain/assert.ts';
import type {Operation} from '../domain/operation.ts';
import {type DurationMs, MINUTE_MS, type MonotonicMs, SECOND_MS} from '../domain/time.ts';
import {readingsOf} from './action-readings.ts';
import type {Want} from './poll-schedule.ts';

/** How fast the object is read while an operation is under way: brisk at first, then patient. */
const WATCH_PACES: readonly {readonly untilMs: number; readonly intervalMs: number}[] = [
  {untilMs: 2 * MINUTE_MS, intervalMs: 2.5 * SECOND_MS},
  {untilMs: 15 * MINUTE_MS, intervalMs: 10 * SECOND_MS},
  {untilMs: Number.POSITIVE_INFINITY, intervalMs: 30 * SECOND_MS},
];
/** Before all that is only looked at. */
export const WATCH_PRIORITY = 0;
/** Nothing is locked by what may come late. */
const LATE_INTERVAL_MS = 10 * SECOND_MS;

/** What is read of an operation under way, and how often. */
export function watchWants(operation: Operation, now: MonotonicMs): readonly Want[] {
  if (operation.sentAt === undefined) return [];
  const elapsedMs = now - operation.sentAt;
  const pace = WATCH_PACES.find(({untilMs}) => elapsedMs < untilMs);
  assert(pace !== undefined, 'the last watch pace has no end');
  return wantsOf(operation, pace.intervalMs);
}

/** What is read for an effect that may come late. */
export function lateWants(operation: Operation): readonly Want[] {
  return wantsOf(operation, LATE_INTERVAL_MS);
}

function wantsOf(operation: Operation, intervalMs: DurationMs): readonly Want[] {
  return readingsOf(operation).feeds.map(feed => ({feed, priority: WATCH_PRIORITY, intervalMs}));
}
