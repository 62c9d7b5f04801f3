import type {ReactNode} from 'react';
import {type FrameBoxOptions, frameBox} from './frame-box.ts';
import {Lines} from './lines.tsx';
import type {Line} from './text.ts';

/** Lines in a box with a title: exactly `width` by `height` cells. */
export function TitledBox({
  lines,
  layer = 0,
  ...frame
}: FrameBoxOptions & {readonly lines: readonly Line[]; readonly layer?: number}): ReactNode {
  return <Lines lines={frameBox(lines, frame)} width={frame.width} theme={frame.theme} layer={layer} />;
}
