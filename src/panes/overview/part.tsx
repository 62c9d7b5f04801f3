import type {ReactNode} from 'react';
import type {Feed} from '../../state/feed.ts';
import {moreLines} from '../../ui/frame-box.ts';
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
  hidden,
}: BoxProps & {
  readonly title: Line | string;
  readonly feed: Feed<unknown>;
  readonly place: OverviewLayout['money'];
  readonly lines: readonly Line[];
  /** What the lines from this one on stand for, such as `33 machines`. If absent, lines are counted. */
  readonly hidden?: (from: number) => string;
}): ReactNode {
  if (height === 0) return undefined;
  const frame = feedFrame(scene, feed);
  const lineCount = height - (layout.isWide ? 2 : 1);
  const more =
    hidden === undefined || lines.length <= lineCount ? moreLines(lines.length - lineCount) : `+${hidden(lineCount)}`;
  if (!layout.isWide) {
    const right = (at?: Moment) => `${more === '' ? '' : `${more}  `}${frame.right(at)}`;
    return <TitledLines {...frame} title={title} right={right} lines={lines} width={width} height={height} />;
  }
  // A single line is wrapped, and then there are more lines than are known here.
  const told = hidden === undefined ? undefined : more;
  return <TitledBox {...frame} title={title} lines={lines} more={told} width={width} height={height} />;
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
