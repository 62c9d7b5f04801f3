import {type ReactNode, useMemo} from 'react';
import {boxEdges, type FrameBoxOptions, frameBox} from './frame-box.ts';
import {PaintedLines} from './lines.tsx';
import {type Line, paintLine} from './text.ts';

/** Lines in a box with a title: exactly `width` by `height` cells. */
export function TitledBox({
  lines,
  layer = 0,
  ...frame
}: FrameBoxOptions & {readonly lines: readonly Line[]; readonly layer?: number}): ReactNode {
  const {width, height, theme, isFocused = false, isStale = false, isLinkDown = false} = frame;
  // The age in the top edge moves every second, and what stands below it seldom does.
  const painted = useMemo(
    () =>
      frameBox(lines, {title: '', width, height, theme, isFocused, isStale, isLinkDown}).map(line =>
        paintLine(line, width, theme),
      ),
    [lines, width, height, theme, isFocused, isStale, isLinkDown],
  );
  const hasEdges = width >= 2 && height >= 2;
  const shown = hasEdges ? [paintLine(boxEdges(frame).top, width, theme), ...painted.slice(1)] : painted;
  return <PaintedLines lines={shown} width={width} layer={layer} />;
}
