import type {ReactNode} from 'react';
import type {Feed} from '../../state/feed.ts';
import {formatCount} from '../../ui/format.ts';
import {staleLine} from '../../ui/frame-box.ts';
import type {Moment} from '../../ui/moment.ts';
import {type Line, lineWidth} from '../../ui/text.ts';
import {TitledBox, TitledLines} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import type {Scene} from '../pane.ts';
import type {OverviewLayout} from './layout.ts';

export type BoxProps = {readonly scene: Scene; readonly layout: OverviewLayout};

/** A box if there is room for its edges, otherwise the content under a title line. */
export function Part({
  title,
  scene,
  feed,
  place: {columns: width, rows: height},
  layout,
  lines,
}: BoxProps & {
  readonly title: string;
  readonly feed: Feed<unknown>;
  readonly place: OverviewLayout['money'];
  readonly lines: readonly Line[];
}): ReactNode {
  if (height === 0) return undefined;
  const frame = feedFrame(scene, feed);
  if (!layout.isWide) {
    const hiddenCount = lines.length - (height - 1);
    const more = hiddenCount > 0 ? `+${formatCount(hiddenCount)} more  ` : '';
    const shown = frame.isStale === true ? lines.map(staleLine) : lines;
    const right = (at?: Moment) => `${more}${frame.right(at)}`;
    return <TitledLines {...frame} title={title} right={right} lines={shown} width={width} height={height} />;
  }
  return <TitledBox {...frame} title={title} lines={lines} width={width} height={height} />;
}

/** As many as fit in full, and how many do not. */
export function inOneLine(words: readonly Line[], width: number, label: Line = []): Line {
  let line: Line = label;
  for (const [index, word] of words.entries()) {
    const rest = words.length - index;
    const joined: Line = index === 0 ? [...line, ...word] : [...line, {text: '  '}, ...word];
    // Says what was left out, within the given width.
    const room = rest === 1 ? width : width - `  +${rest} more`.length;
    if (index > 0 && lineWidth(joined) > room) return [...line, {text: `  +${rest} more`, tone: 'dim'}];
    line = joined;
  }
  return line;
}
