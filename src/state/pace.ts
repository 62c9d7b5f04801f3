import type {Preferences} from '../domain/preferences.ts';
import {type DurationMs, SECOND_MS} from '../domain/time.ts';
import type {Feed} from './feed.ts';
import type {Want} from './poll-schedule.ts';

/** The pace that the feeds are made for: that of the list of machines. */
const MADE_FOR_MS: DurationMs = 10 * SECOND_MS;

/** How often a feed is read at a person's own pace: the lists that change follow it, all else keeps its own. */
export function pacedInterval(
  {intervalMs, isPaced}: Feed<unknown>,
  {refreshMs}: Pick<Preferences, 'refreshMs'>,
): DurationMs {
  return isPaced === true ? (intervalMs * refreshMs) / MADE_FOR_MS : intervalMs;
}

export function paced(wants: readonly Want[], preferences: Pick<Preferences, 'refreshMs'>): readonly Want[] {
  if (preferences.refreshMs === MADE_FOR_MS) return wants;
  return wants.map(want => ({...want, feed: {...want.feed, intervalMs: pacedInterval(want.feed, preferences)}}));
}
