import {Box} from 'ink';
import {type ReactNode, useMemo} from 'react';
import {type FrameBoxOptions, frameBox, topEdge} from './frame-box.ts';
import {PaintedLine, PaintedLines} from './lines.tsx';
import {useMoment} from './moment.ts';
import {type Line, paintLine} from './text.ts';

type TopEdgeProps = Omit<FrameBoxOptions, 'height'> & {readonly layer?: number};

/** Lines in a box with a title: exactly `width` by `height` cells. */
export function TitledBox({
  lines,
  layer = 0,
  ...frame
}: FrameBoxOptions & {readonly lines: readonly Line[]; readonly layer?: number}): ReactNode {
  const {width, height, theme, isFocused = false, isStale = false, isLinkDown = false} = frame;
  // The top edge changes far more often than what is below it.
  const painted = useMemo(
    () =>
      frameBox(lines, {title: '', width, height, theme, isFocused, isStale, isLinkDown}).map(line =>
        paintLine(line, width, theme),
      ),
    [lines, width, height, theme, isFocused, isStale, isLinkDown],
  );
  const below = useMemo(() => painted.slice(1), [painted]);
  if (width < 2 || height < 2) return <PaintedLines lines={painted} width={width} layer={layer} />;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <TopEdge {...frame} layer={layer} />
      <PaintedLines lines={below} width={width} layer={layer} />
    </Box>
  );
}

/** The top edge of a box. An age in it updates every second by itself. */
export function TopEdge({layer = 0, ...options}: TopEdgeProps): ReactNode {
  const {right = '', width, theme} = options;
  const at = useMoment(typeof right === 'function');
  const edge = topEdge({...options, right: typeof right === 'function' ? right(at) : right});
  return <PaintedLine painted={paintLine(edge, width, theme)} layer={layer} />;
}
