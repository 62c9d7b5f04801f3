import {readAt} from '../domain/snapshot.ts';
import type {Feed} from '../state/feed.ts';
import {pacedInterval} from '../state/poller/pace.ts';
import {formatDuration} from '../ui/format.ts';
import type {FrameBoxOptions} from '../ui/frame-box.ts';
import type {Moment} from '../ui/moment.ts';
import type {Scene} from './pane.ts';

/** The age of what a feed shows; empty until it was read. */
export function feedAge({store, monotonicNow}: Pick<Scene, 'store' | 'monotonicNow'>, feed: Feed<unknown>): string {
  const at = readAt(store.get(feed));
  return at === undefined ? '' : formatDuration(monotonicNow - at);
}

/** Whether a feed is overdue: the last reading failed, or was five intervals ago. */
function isOld(
  {store, monotonicNow, preferences}: Pick<Scene, 'store' | 'monotonicNow' | 'preferences'>,
  feed: Feed<unknown>,
): boolean {
  const snapshot = store.get(feed);
  const at = readAt(snapshot);
  const limitMs = OLD_INTERVALS * pacedInterval(feed, preferences);
  return snapshot.status === 'stale' || (at !== undefined && monotonicNow - at > limitMs);
}

const OLD_INTERVALS = 5;

/**
 * How a box shows the state of its feed: its age at the right, dim if it is old, with a dotted border while the link is
 * down.
 */
export function feedFrame(
  scene: Pick<Scene, 'store' | 'monotonicNow' | 'preferences' | 'health' | 'theme'>,
  feed: Feed<unknown>,
): Pick<FrameBoxOptions, 'theme' | 'isLinkDown' | 'isStale'> & {readonly right: (at?: Moment) => string} {
  return {
    theme: scene.theme,
    right: at => feedAge({...scene, ...at}, feed),
    isLinkDown: scene.health.status !== 'up',
    isStale: isOld(scene, feed),
  };
}
