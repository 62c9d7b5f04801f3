import {Box, Text} from 'ink';
import {memo, type ReactNode} from 'react';
import {type Line, paintLine} from './text.ts';
import type {Theme, Tones} from './theme.ts';

/** Lines of exactly `width` cells, one under the other. A higher `layer` lies above a lower one. */
export function Lines({
  lines,
  width,
  theme,
  base,
  layer = 0,
}: {
  readonly lines: readonly Line[];
  readonly width: number;
  readonly theme: Theme;
  readonly base?: Tones;
  readonly layer?: number;
}): ReactNode {
  return <PaintedLines lines={lines.map(line => paintLine(line, width, theme, base))} width={width} layer={layer} />;
}

/** Lines that are already strings of exactly `width` cells, with their SGR codes inside; `compose` lays them in layers. */
export function PaintedLines({
  lines,
  width,
}: {
  readonly lines: readonly string[];
  readonly width: number;
  readonly layer?: number;
}): ReactNode {
  return (
    <Box flexDirection="column" width={width} height={lines.length} flexShrink={0}>
      {lines.map((line, index) => (
        // Lines have no identity of their own: the place is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: the place in the column is the identity of a line.
        <PaintedLine key={index} painted={line} />
      ))}
    </Box>
  );
}

const PaintedLine = memo(function PaintedLine({painted}: {readonly painted: string}): ReactNode {
  return <Text wrap="truncate">{painted}</Text>;
});
