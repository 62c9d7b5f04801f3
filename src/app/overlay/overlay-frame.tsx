import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {Scene} from '../../panes/pane.ts';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';

/** Header and tabs stay visible above it. */
const TOP_ROWS = 2;
/** Above the panes, whose lines are on layer 0. */
const OVERLAY_LAYER = 1;

/** Lines in a box over the pane, from its first row on. */
export function OverlayFrame({
  title,
  right,
  lines,
  height,
  scene,
}: {
  readonly title: Line | string;
  readonly right: string;
  readonly lines: readonly Line[];
  readonly height: number;
  readonly scene: Scene;
}): ReactNode {
  const {columns: width} = scene.size;
  return (
    <Box position="absolute" top={TOP_ROWS} left={0} width={width} height={height}>
      <TitledBox
        title={title}
        right={right}
        lines={lines.map(line => [{text: ' '}, ...line])}
        width={width}
        height={height}
        theme={scene.theme}
        layer={OVERLAY_LAYER}
        isFocused
      />
    </Box>
  );
}
