import {Box} from 'ink';
import {type ReactNode, useMemo} from 'react';
import {type FrameBoxOptions, frameBox, rule, staleLine, topEdge} from './frame-box.ts';
import {Lines, PaintedLine, PaintedLines} from './lines.tsx';
import {useMoment} from './moment.ts';
import {type Line, paintLine} from './text.ts';

type TopEdgeProps = Omit<FrameBoxOptions, 'height'> & {readonly layer?: number};

/** Lines in a box with a title: exactly `width` by `height` cells. */
export function TitledBox({
  lines,
  layer = 0,
  ...frame
}: FrameBoxOptions & {readonly lines: readonly Line[]; readonly layer?: number}): ReactNode {
  const {width, height, theme, more, isFocused = false, isStale = false, isLinkDown = false} = frame;
  // The top edge changes far more often than what is below it.
  const painted = useMemo(
    () =>
      frameBox(lines, {title: '', width, height, theme, more, isFocused, isStale, isLinkDown}).map(line =>
        paintLine(line, width, theme),
      ),
    [lines, width, height, theme, more, isFocused, isStale, isLinkDown],
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
  const right = useCounted(options.right);
  return <PaintedLine painted={paintLine(topEdge({...options, right}), options.width, options.theme)} layer={layer} />;
}

/** Lines under a heading, for a part without room for edges: at most `height` lines. An age in the heading updates too. */
export function TitledLines({lines, ...options}: FrameBoxOptions & {readonly lines: readonly Line[]}): ReactNode {
  const {width, height, theme} = options;
  const seen = lines.slice(0, height - 1);
  const shown = options.isStale === true ? seen.map(staleLine) : seen;
  const right = useCounted(options.right);
  return (
    <Box flexDirection="column" width={width} height={shown.length + 1} flexShrink={0}>
      <PaintedLine painted={paintLine(rule({...options, right}), width, theme)} />
      <Lines lines={shown} width={width} theme={theme} />
    </Box>
  );
}

/** A text at the right of an edge, counted up every second if it counts. */
function useCounted(text: FrameBoxOptions['right'] = ''): Line | string {
  const at = useMoment(typeof text === 'function');
  return typeof text === 'function' ? text(at) : text;
}
