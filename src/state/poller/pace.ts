import type {Preferences} from '../../domain/preferences.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import type {Feed} from '../feed.ts';
import type {Want} from './poll-schedule.ts';

/** The interval that feeds are designed for: that of the list of machines. */
const MADE_FOR_MS: DurationMs = 10 * SECOND_MS;

/** A feed's interval when `refreshSeconds` is set: lists that change follow the setting, all others keep their own. */
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
