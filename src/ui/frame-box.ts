import {formatCounted} from './format.ts';
import type {Moment} from './moment.ts';
import {cutLine, fitLine, type Line, lineWidth, type Span} from './text.ts';
import type {Theme, Tone} from './theme.ts';
import {wrapLine} from './wrap.ts';

/** A text that changes every second. Without a moment, as it was when the box was made. */
type CountedText = (at?: Moment) => Line | string;

export type FrameBoxOptions = {
  readonly title: Line | string;
  /** At the right of the top edge: the data's age, a count, a key. */
  readonly right?: Line | string | CountedText;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
  /** At the right of the bottom edge, such as `+33 machines`: what is out of sight. If absent, lines without room are counted. */
  readonly more?: string | undefined;
  /** This box has the focus. */
  readonly isFocused?: boolean;
  /** The data is older than it should be. */
  readonly isStale?: boolean;
  /** Answers have stopped: the edge is dotted. */
  readonly isLinkDown?: boolean;
};

const MIN_TITLE_ROOM = 4;

/** Width inside the left and right edges. */
export function innerWidth(width: number): number {
  return Math.max(0, width - 2);
}

/**
 * A box `╭─ title ───── 3s ─╮` around lines: exactly `height` lines of `width` cells. If the box is too small for
 * edges, only the lines, cut.
 */
export function frameBox(lines: readonly Line[], options: FrameBoxOptions): readonly Line[] {
  const {width, height, theme} = options;
  if (width < 2 || height < 2) return lines.slice(0, Math.max(0, height)).map(line => fitLine(line, width));
  const shown = loneLine(lines, innerWidth(width));
  const {side, bottom} = boxEdges(options, options.more ?? moreLines(shown.length - (height - 2)));
  const inside = Array.from({length: height - 2}, (_, index) => {
    const line = fitLine(shown[index] ?? [], innerWidth(width), {ellipsis: theme.glyphs.ellipsis});
    return [side, ...(options.isStale === true ? staleLine(line) : line), side];
  });
  return [topEdge(options), ...inside, bottom];
}

/** How many lines have no room; empty if all have. */
export function moreLines(hiddenCount: number): string {
  return hiddenCount > 0 ? `+${formatCounted(hiddenCount, 'more line')}` : '';
}

/** A single line in a box explains why there is nothing else, so it is wrapped instead of cut. */
export function loneLine(lines: readonly Line[], width: number): readonly Line[] {
  const [line, ...others] = lines;
  if (line === undefined || others.length > 0 || lineWidth(line) <= width) return lines;
  return wrapLine(line, width);
}

/** The top edge of a box: at least two cells wide. */
export function topEdge(options: Omit<FrameBoxOptions, 'height'>): Line {
  const {topLeft, topRight} = options.theme.glyphs;
  return edge({
    ...options,
    start: topLeft,
    end: topRight,
    horizontal: horizontalOf(options),
    tone: borderTone(options),
  });
}

function horizontalOf({theme: {glyphs}, isLinkDown}: Pick<FrameBoxOptions, 'theme' | 'isLinkDown'>): string {
  return isLinkDown === true ? glyphs.dottedHorizontal : glyphs.horizontal;
}

/** The other edges, around lines drawn elsewhere; `more` says at the bottom what does not fit. */
export function boxEdges(
  options: Pick<FrameBoxOptions, 'width' | 'theme' | 'isFocused' | 'isLinkDown'>,
  more = '',
): {
  readonly side: Span;
  readonly bottom: Line;
} {
  const {width, theme, isLinkDown = false} = options;
  const {glyphs} = theme;
  const tone = borderTone(options);
  const horizontal = horizontalOf(options);
  return {
    side: {text: isLinkDown ? glyphs.dottedVertical : glyphs.vertical, tone},
    bottom: [
      {text: glyphs.bottomLeft, tone},
      ...bottomInside(Math.max(0, width - 2), more, {text: horizontal, tone}),
      {text: glyphs.bottomRight, tone},
    ],
  };
}

/** `──── +7 more ─`, or the edge alone. */
function bottomInside(width: number, words: string, {text: horizontal, tone}: Span): Line {
  const more = ` ${words} `;
  if (words === '' || width < more.length + 2) return [{text: horizontal.repeat(width), ...(tone && {tone})}];
  return [
    {text: horizontal.repeat(width - more.length - 1), ...(tone && {tone})},
    {text: more, tone: 'dim'},
    {text: horizontal, ...(tone && {tone})},
  ];
}

/** `─ TITLE (6) ─────── 3s ─`: the heading of a part without room for a box. */
export function rule(options: Omit<FrameBoxOptions, 'height'>): Line {
  return edge({...options, start: '', end: '', horizontal: horizontalOf(options), tone: borderTone(options)});
}

function edge(
  options: Omit<FrameBoxOptions, 'height'> & {
    readonly start: string;
    readonly end: string;
    readonly horizontal: string;
    readonly tone: Tone;
  },
): Line {
  const {width, theme, start, end, horizontal, tone} = options;
  const border = (cells: number): Span => ({text: horizontal.repeat(Math.max(0, cells)), tone});
  // Between the corners: one piece of edge, the title between blanks, at least one piece, the right text, one piece.
  const room = width - start.length - end.length - 3;
  if (room < MIN_TITLE_ROOM) return fitLine([{text: start, tone}, border(room + 3), {text: end, tone}], width);
  const {ellipsis} = theme.glyphs;
  const title = spans(options.title, titleTone(options));
  const text = typeof options.right === 'function' ? options.right() : (options.right ?? '');
  const right = padded(spans(text, 'dim'));
  // The text at the right is usually the data's age. It is kept and the title cut, as long as half the width remains.
  const hasRight = lineWidth(right) <= Math.max(room / 2, room - lineWidth(title) - 2);
  const label = hasRight ? right : [];
  const name = padded(cutLine(title, room - lineWidth(label) - 2, ellipsis));
  const filler = border(1 + room - lineWidth(label) - lineWidth(name));
  return fitLine([{text: start, tone}, border(1), ...name, filler, ...label, border(1), {text: end, tone}], width);
}

function padded(line: Line): Line {
  return lineWidth(line) === 0 ? [] : [{text: ' '}, ...line, {text: ' '}];
}

function spans(text: Line | string, tone: Tone): Line {
  return typeof text === 'string' ? [{text, tone}] : text;
}

/** The line dimmed, because its data is older than it should be. */
export function staleLine(line: Line): Line {
  return line.map(({text, tone}) => {
    const tones = tone === undefined ? [] : typeof tone === 'string' ? [tone] : tone;
    return {text, tone: [...tones, 'stale']};
  });
}

function borderTone({isFocused, isLinkDown}: Pick<FrameBoxOptions, 'isFocused' | 'isLinkDown'>): Tone {
  if (isLinkDown === true) return 'warning';
  return isFocused === true ? 'focus' : 'border';
}

function titleTone({isFocused}: Pick<FrameBoxOptions, 'isFocused'>): Tone {
  return isFocused === true ? 'focus' : 'title';
}
