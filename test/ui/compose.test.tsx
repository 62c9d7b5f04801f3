import {Box} from 'ink';
import {render} from 'ink-testing-library';
import type {ReactNode} from 'react';
import {describe, expect, it} from 'vitest';
import {createTickets} from '../../src/terminal/tickets.ts';
import {compose} from '../../src/ui/compose.tsx';
import {PaintedLines} from '../../src/ui/lines.tsx';

function Pane({lines}: {readonly lines: readonly string[]}): ReactNode {
  return <PaintedLines lines={lines} width={5} />;
}

function screen({left = ['left1', 'left2'], right = ['right'], isOpen = false} = {}): ReactNode {
  return (
    <Box width={10} height={3}>
      <Pane lines={left} />
      <PaintedLines lines={right} width={5} />
      {isOpen && (
        <Box position="absolute">
          <PaintedLines lines={['above']} width={5} layer={1} />
        </Box>
      )}
    </Box>
  );
}

function drawn(boxes: ReactNode): string {
  return render(<Box>{boxes}</Box>).lastFrame() ?? '';
}

describe('compose', () => {
  it('leaves boxes of tickets, one for each line, in their order', () => {
    const placed: string[] = [];
    compose(screen({isOpen: true}), (_slot, painted, layer) => {
      placed.push(`${painted}/${layer}`);
      return 'x';
    });
    expect(placed).toEqual(['left1/0', 'left2/0', 'right/0', 'above/1']);
  });

  it('lays tickets out as Ink lays out the lines themselves', () => {
    const tickets = createTickets();
    const {boxes} = compose(screen(), tickets.place);
    const frame = drawn(boxes);
    const shown = frame.replaceAll(/[\ue000-\uf8ff] */g, ticket => tickets.lineOf(ticket.trim())?.painted ?? '?');
    expect(shown.split('\n').slice(0, 2)).toEqual(['left1right', 'left2']);
  });

  it('has the same layout and the same tickets where only lines differ', () => {
    const tickets = createTickets();
    const first = compose(screen(), tickets.place);
    const frame = drawn(first.boxes);
    const second = compose(screen({left: ['other', 'lines']}), tickets.place);
    expect(second.layout).toBe(first.layout);
    expect(drawn(second.boxes)).toBe(frame);
  });

  it.each([
    ['another number of lines', screen({left: ['one']})],
    ['a box more', screen({isOpen: true})],
  ])('has another layout with %s', (_, other) => {
    const {place} = createTickets();
    expect(compose(other, place).layout).not.toBe(compose(screen(), place).layout);
  });

  it('leaves lines to Ink where there are no tickets, and their text is part of the layout then', () => {
    const none = () => undefined;
    const {boxes, layout} = compose(screen(), none);
    expect(drawn(boxes).split('\n').slice(0, 2)).toEqual(['left1right', 'left2']);
    expect(compose(screen({left: ['other', 'lines']}), none).layout).not.toBe(layout);
  });

  it('takes nothing but boxes and lines', () => {
    expect(() => compose(<Box>text</Box>, () => 'x')).toThrow('something else than boxes');
  });
});
