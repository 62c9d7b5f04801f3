import {setImmediate as turn} from 'node:timers/promises';
import {Box} from 'ink';
import {render} from 'ink-testing-library';
import {type ReactElement, StrictMode} from 'react';
import {afterEach, describe, expect, it} from 'vitest';
import {App} from '../../src/app/app.tsx';
import {createLineSlots, type LineSlots} from '../../src/terminal/line-slots.ts';
import {PaintedLines, PastInk, type Slots} from '../../src/ui/lines.tsx';
import {aConnection} from './a-scene.ts';
import {openDeck} from './an-open-deck.ts';

/*
 * On React's development form, whose StrictMode renders everything twice, and mounts, unmounts and mounts it again:
 * what does not clean up after itself, or changes something while it renders, is then seen twice or not at all.
 */

let lastUnmount = () => {};
afterEach(() => lastUnmount());

/** Renders one tree at a time, and tells Ink's frame with the lines that its placeholders stand for. */
function mount(tree: (slots: Slots) => ReactElement, slots: LineSlots = createLineSlots()) {
  lastUnmount();
  const {stdin, lastFrame, frames, rerender, unmount} = render(tree(slots));
  lastUnmount = unmount;
  const seen = () =>
    (lastFrame() ?? '').replaceAll(
      /[\ue000-\uf8ff] */g,
      placeholder => slots.lineOf(placeholder.trim())?.painted ?? '?',
    );
  return {stdin, frames, unmount, seen, change: (next: (slots: Slots) => ReactElement) => rerender(next(slots))};
}

describe('StrictMode', () => {
  const screen = (lines: readonly string[], isOpen: boolean) => (slots: Slots) => (
    <StrictMode>
      <PastInk slots={slots}>
        <Box width={10} height={3}>
          <PaintedLines lines={lines} width={5} />
          <PaintedLines lines={['right']} width={5} />
          {isOpen && (
            <Box position="absolute">
              <PaintedLines lines={['above']} width={5} layer={1} />
            </Box>
          )}
        </Box>
      </PastInk>
    </StrictMode>
  );

  it('shows each line once, and releases each placeholder once', () => {
    const slots = createLineSlots();
    const placeholders: (string | undefined)[] = [];
    const open = () => {
      const slot = slots.open();
      placeholders.push(slot?.placeholder);
      return slot;
    };
    const {frames, seen, change, unmount} = mount(screen(['left1', 'left2'], false), {...slots, open});
    expect(seen().trimEnd()).toBe('left1right\nleft2');
    const drawnBefore = frames.length;
    change(screen(['other', 'lines'], false));
    expect(frames.length).toBe(drawnBefore);
    change(screen(['other', 'lines', 'more'], true));
    expect(seen()).toBe('aboveright\nlines\nmore');
    expect(placeholders.length).toBe(5);
    unmount();
    const again = placeholders.map(() => slots.open()?.placeholder);
    expect(again.toSorted()).toEqual(placeholders.toSorted());
  });

  it('shows the deck as it is without it, and each key counts once', async () => {
    const shownAfter = async (keys: readonly string[], isStrict: boolean) => {
      const {deck} = openDeck('machines', {columns: 100, rows: 40});
      const app = (slots: Slots) => <App deck={deck} connection={aConnection()} slots={slots} />;
      const {seen, stdin} = mount(isStrict ? slots => <StrictMode>{app(slots)}</StrictMode> : app);
      for (const key of keys) {
        stdin.write(key);
        for (let count = 0; count < 6; count += 1) await turn();
      }
      return seen();
    };
    for (const keys of [[], ['j'], ['k'], ['p'], ['?', 'q', 'u']]) {
      expect(await shownAfter(keys, true)).toBe(await shownAfter(keys, false));
    }
    expect(await shownAfter(['j'], false)).not.toBe(await shownAfter(['k'], false));
  });
});
