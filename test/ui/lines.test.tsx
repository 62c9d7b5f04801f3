import {Box} from 'ink';
import {render} from 'ink-testing-library';
import type {ReactElement} from 'react';
import {describe, expect, it} from 'vitest';
import {GLYPH_SETS} from '../../src/terminal/glyphs.ts';
import {createLineSlots, type LineSlots} from '../../src/terminal/line-slots.ts';
import {Lines, PaintedLines, PastInk, type Slots} from '../../src/ui/lines.tsx';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';

const theme = createTheme({depth: 'none', palette: PALETTES.dark, glyphs: GLYPH_SETS.unicode});

function screen(
  slots: Slots,
  {left = ['left1', 'left2'], right = ['right'], isOpen = false, isShifted = false} = {},
): ReactElement {
  return (
    <PastInk slots={slots}>
      <Box width={10} height={3} marginLeft={isShifted ? 1 : 0}>
        <PaintedLines lines={left} width={5} />
        <PaintedLines lines={right} width={5} />
        {isOpen && (
          <Box position="absolute">
            <PaintedLines lines={['above']} width={5} layer={1} />
          </Box>
        )}
      </Box>
    </PastInk>
  );
}

/** Ink's frame with the lines that its placeholders stand for. */
function filled(frame: string | undefined, {lineOf}: LineSlots): string {
  return (frame ?? '').replaceAll(/[\ue000-\uf8ff] */g, placeholder => lineOf(placeholder.trim())?.painted ?? '?');
}

describe('Lines', () => {
  it('shows its lines cut and padded, one under the other', () => {
    const {lastFrame} = render(<Lines lines={[[{text: 'a long line'}], [{text: 'short'}]]} width={6} theme={theme} />);
    expect(lastFrame()).toBe('a lon…\nshort');
  });
});

describe('PastInk', () => {
  it('has Ink lay out a placeholder in place of each line', () => {
    const slots = createLineSlots();
    const {lastFrame} = render(screen(slots));
    expect(lastFrame()).not.toContain('left');
    expect(filled(lastFrame(), slots).trimEnd()).toBe('left1right\nleft2');
  });

  it('does not let Ink draw when only the content of its lines changes', () => {
    const slots = createLineSlots();
    const {frames, lastFrame, rerender} = render(screen(slots));
    const drawnBefore = frames.length;
    rerender(screen(slots, {left: ['other', 'lines'], right: ['too']}));
    expect(frames.length).toBe(drawnBefore);
    expect(filled(lastFrame(), slots).trimEnd()).toBe('othertoo\nlines');
  });

  it.each<[string, Parameters<typeof screen>[1], string]>([
    ['an additional line', {right: ['right', 'again']}, 'left1right\nleft2again'],
    ['a removed line', {left: ['left1']}, 'left1right'],
    ['a box above', {isOpen: true}, 'above'],
    ['a moved box', {isShifted: true}, ' left1right\n left2'],
  ])('lets Ink draw %s', (_name, change, expected) => {
    const slots = createLineSlots();
    const {lastFrame, rerender} = render(screen(slots));
    rerender(screen(slots, change));
    expect(filled(lastFrame(), slots)).toContain(expected);
  });

  it('writes each line with its layer', () => {
    const slots = createLineSlots();
    const {lastFrame} = render(screen(slots, {left: [], right: [], isOpen: true}));
    expect(slots.lineOf((lastFrame() ?? '').trim())).toEqual({painted: 'above', layer: 1});
  });

  it('releases the placeholders of lines that are gone', () => {
    const slots = createLineSlots();
    let openCount = 0;
    const counted: Slots = {
      open: () => {
        const slot = slots.open();
        if (slot === undefined) return undefined;
        openCount += 1;
        const close = (): void => {
          openCount -= 1;
          slot.close();
        };
        return {...slot, close};
      },
    };
    const {rerender, unmount} = render(screen(counted));
    rerender(screen(counted, {left: ['one', 'two', 'three'], isOpen: true}));
    expect(openCount).toBe(5);
    rerender(screen(counted, {left: []}));
    expect(openCount).toBe(1);
    unmount();
    expect(openCount).toBe(0);
  });

  it('leaves a line and its changes to Ink when there is no placeholder for it', () => {
    const none: Slots = {open: () => undefined};
    const {lastFrame, rerender} = render(screen(none));
    expect(lastFrame()).toContain('left1right');
    rerender(screen(none, {left: ['other', 'lines']}));
    expect(lastFrame()).toContain('otherright');
  });
});
