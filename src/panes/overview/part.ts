import type {Feed} from '../../state/feed.ts';
import {frameBox, rule, staleLine} from '../../ui/frame-box.ts';
import type {Line} from '../../ui/text.ts';
import {feedAge, isOld} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';

export type Place = {readonly columns: number; readonly rows: number};

/** A box where there is room for its edges, else a line with the title above the content. */
export function part(
  title: string,
  scene: Scene,
  feed: Feed<unknown>,
  place: Place,
  layout: OverviewLayout,
  lines: readonly Line[],
): readonly Line[] {
  if (place.rows === 0) return [];
  if (layout.isWide) return box(title, scene, feed, place, lines);
  const isLinkDown = scene.health.status !== 'up';
  const head = rule({title, right: feedAge(scene, feed), width: place.columns, theme: scene.theme, isLinkDown});
  return [head, ...(isOld(scene, feed) ? lines.map(staleLine) : lines)].slice(0, place.rows);
}

function box(
  title: string,
  scene: Scene,
  feed: Feed<unknown>,
  {columns: width, rows: height}: Place,
  lines: readonly Line[],
): readonly Line[] {
  const isLinkDown = scene.health.status !== 'up';
  const room = Math.max(0, height - 2);
  const hiddenCount = lines.length - room;
  const right = hiddenCount > 0 ? `${hiddenCount} more  ${feedAge(scene, feed)}` : feedAge(scene, feed);
  return frameBox(lines, {title, right, width, height, theme: scene.theme, isLinkDown, isStale: isOld(scene, feed)});
}
