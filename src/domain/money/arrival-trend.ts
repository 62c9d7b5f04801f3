import {DAY_MS, type DurationMs, HOUR_MS} from '../time.ts';
import type {Slope} from './spend-curve.ts';

/** What began longer ago says little about the future. */
const WINDOW_MS: DurationMs = 84 * DAY_MS;
/** No trend is computed from less than four weeks. */
const MIN_WINDOW_MS: DurationMs = 28 * DAY_MS;
const MIN_HOURS = 5;
/** A trend within this many standard deviations of zero may be chance; beyond that it counts more the larger it is. */
const CHANCE_DEVIATIONS = 2;
/** A trend at most doubles or halves the number of new resources. */
const MAX_GROWTH = Math.log(2);

/**
 * The hours in which something began: resources that begin within one hour, like the nodes of a cluster, count once.
 */
export function hoursBegun(slopes: readonly Slope[]): ReadonlySet<number> {
  return new Set(slopes.map(({from}) => Math.floor(from / HOUR_MS)));
}

/**
 * The factor by which more or fewer resources begin after a time than before it, from the beginnings known at `at`; 1
 * if there is no clear trend. From Laplace's test: without a trend, the mean of `n` moments in a window of length T is
 * within T ÷ √(12 n) of its middle.
 */
export function arrivalGrowth(
  hours: Iterable<number>,
  {at, startsAt, afterMs}: {readonly at: number; readonly startsAt: number; readonly afterMs: DurationMs},
): number {
  const windowMs = Math.min(WINDOW_MS, at - startsAt);
  if (windowMs < MIN_WINDOW_MS) return 1;
  let [count, sum] = [0, 0];
  for (const hour of hours) {
    const sinceMs = hour * HOUR_MS - (at - windowMs);
    if (sinceMs <= 0 || sinceMs >= windowMs) continue;
    count += 1;
    sum += sinceMs;
  }
  if (count < MIN_HOURS) return 1;
  const offsetMs = sum / count - windowMs / 2;
  const deviations = (Math.abs(offsetMs) * Math.sqrt(12 * count)) / windowMs;
  const evident = Math.max(0, 1 - (CHANCE_DEVIATIONS / deviations) ** 2);
  const growth = ((12 * offsetMs) / windowMs ** 2) * afterMs * evident;
  return Math.exp(Math.max(-MAX_GROWTH, Math.min(MAX_GROWTH, growth)));
}
