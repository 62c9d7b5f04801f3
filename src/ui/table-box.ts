import {type FrameBoxOptions, frameBox, innerWidth} from './frame-box.ts';
import {type TableProps, tableLines} from './table.tsx';
import {paintLine} from './text.ts';

/** A table in a titled box, as painted lines of `width` cells. The box's width and height are those of the whole. */
export function tableBox<Row extends object, Id>(
  table: Omit<TableProps<Row, Id>, 'width' | 'height' | 'theme'>,
  frame: FrameBoxOptions,
): readonly string[] {
  const {width, height, theme} = frame;
  const [top = [], ...rest] = frameBox([], {...frame, height: 2});
  const [bottom = []] = rest;
  const side = theme.paint(
    edgeTone(frame),
    frame.isLinkDown === true ? theme.glyphs.dottedVertical : theme.glyphs.vertical,
  );
  const rows = tableLines({
    ...table,
    width: innerWidth(width),
    height: Math.max(0, height - 2),
    theme,
    isFocused: frame.isFocused ?? false,
    isStale: frame.isStale ?? false,
  });
  return [paintLine(top, width, theme), ...rows.map(row => `${side}${row}${side}`), paintLine(bottom, width, theme)];
}

/** As the box paints its own edges. */
function edgeTone({isLinkDown, isFocused}: FrameBoxOptions): 'warning' | 'focus' | 'border' {
  if (isLinkDown === true) return 'warning';
  return isFocused === true ? 'focus' : 'border';
}
