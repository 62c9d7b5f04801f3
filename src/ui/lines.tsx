import {Box, type DOMElement, Text} from 'ink';
import {
  createContext,
  memo,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'react';
import {type Line, paintLine} from './text.ts';
import type {Theme, Tones} from './theme.ts';

/*
 * How lines get past Ink, which is the one place where the deck is more than plain components.
 *
 * Ink lays out and draws the whole screen for every change of any text, and measures coloured text grapheme by grapheme:
 * 39 ms for a key at 200×50. So Ink never sees a painted line:
 * - A mounted line owns one placeholder character for its whole life. That is the text that Ink lays out and draws.
 * - The line itself is written to its slot in an effect. A change of a line is then no change of Ink's tree at all, and
 *   React commits it without telling Ink. It has to be `useEffect`: after insertion and layout effects Ink draws.
 * - A `<Box>` that is rendered again has new props, and Ink lays out and draws after every such commit. `PastInk` lets it
 *   do so only where the layout tree has changed. So what a box looks like (edges, backgrounds) belongs to lines too.
 * - The terminal's writer replaces placeholders by lines and sends what differs, once a turn.
 * All of it needs React to render at once (no `concurrent: true`): an abandoned render would keep its placeholders.
 *
 * Without slots around them, as in tests of single components, lines go through Ink as they are.
 */

/** A slot for a line past Ink, supplied by the terminal's writer. */
type Slot = {
  readonly placeholder: string;
  readonly show: (line: {readonly painted: string; readonly layer: number}) => void;
  readonly close: () => void;
};
export type Slots = {readonly open: () => Slot | undefined};

const SlotsContext = createContext<Slots | undefined>(undefined);

/** The root of the screen: lines below it bypass Ink, and Ink draws only if they have moved. */
export function PastInk({slots, children}: {readonly slots: Slots; readonly children: ReactNode}): ReactNode {
  const box = useRef<DOMElement>(null);
  useLayoutEffect(() => drawOnlyNewLayouts(box), []);
  return (
    <SlotsContext value={slots}>
      <Box ref={box}>{children}</Box>
    </SlotsContext>
  );
}

/** Returns what undoes it. */
function drawOnlyNewLayouts({current}: RefObject<DOMElement | null>): (() => void) | undefined {
  const root = rootOf(current);
  if (root === null) return undefined;
  const {yogaNode, onComputeLayout, onRender} = root;
  let hasChanged = true;
  root.onComputeLayout = () => {
    hasChanged = yogaNode?.isDirty() ?? true;
    if (hasChanged) onComputeLayout?.();
  };
  root.onRender = () => {
    if (hasChanged) onRender?.();
  };
  return () => Object.assign(root, {onComputeLayout, onRender});
}

function rootOf(element: DOMElement | null): DOMElement | null {
  return element?.parentNode === undefined ? element : rootOf(element.parentNode);
}

/** A finished line: a string of exactly its width in cells, including SGR codes. */
export const PaintedLine = memo(function PaintedLine({
  painted,
  layer = 0,
}: {
  readonly painted: string;
  /** Higher layers cover lower ones. */
  readonly layer?: number;
}): ReactNode {
  const slots = useContext(SlotsContext);
  // Not the initial value of a state, which StrictMode asks for twice.
  const opened = useRef<Slot | undefined>(undefined);
  opened.current ??= slots?.open();
  const slot = opened.current;
  useEffect(() => slot?.show({painted, layer}), [slot, painted, layer]);
  // Mounted again, as StrictMode does, it shows the line above again, and has its placeholder back.
  useEffect(() => () => slot?.close(), [slot]);
  return <Drawn text={slot?.placeholder ?? painted} />;
});

/** What Ink draws. Separate from the line, because every rendering of a `<Text>` is a change for Ink. */
const Drawn = memo(function Drawn({text}: {readonly text: string}): ReactNode {
  return <Text wrap="truncate">{text}</Text>;
});

type PaintedLinesProps = {
  readonly lines: readonly string[];
  readonly width: number;
  readonly layer?: number;
};

/** Painted lines, one below the other; not touched while every line is the same. */
export const PaintedLines = memo(function PaintedLines({lines, width, layer = 0}: PaintedLinesProps): ReactNode {
  return (
    <Box flexDirection="column" width={width} height={lines.length} flexShrink={0}>
      {lines.map((line, index) => (
        // Lines have no identity of their own: the place is the key.
        // biome-ignore lint/suspicious/noArrayIndexKey: the place in the column is the identity of a line.
        <PaintedLine key={index} painted={line} layer={layer} />
      ))}
    </Box>
  );
}, isSamePainting);

function isSamePainting(before: PaintedLinesProps, after: PaintedLinesProps): boolean {
  return (
    before.width === after.width &&
    before.layer === after.layer &&
    before.lines.length === after.lines.length &&
    before.lines.every((line, index) => line === after.lines[index])
  );
}

/** Lines of exactly `width` cells, one below the other. A higher `layer` covers a lower one. */
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
  const painted = useMemo(() => lines.map(line => paintLine(line, width, theme, base)), [lines, width, theme, base]);
  return <PaintedLines lines={painted} width={width} layer={layer} />;
}
