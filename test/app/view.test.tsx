import {Box} from 'ink';
import {describe, expect, it} from 'vitest';
import {createView} from '../../src/app/view.ts';
import {createTickets} from '../../src/terminal/tickets.ts';
import {PaintedLines} from '../../src/ui/lines.tsx';

function openView() {
  let lines: readonly string[] = ['one'];
  let tell: () => void = () => undefined;
  const counts = {refreshed: 0, laidOut: 0};
  const tickets = createTickets();
  const view = createView({
    deck: {
      subscribe: listener => {
        tell = listener;
        return () => undefined;
      },
    },
    screen: {tickets, refresh: () => (counts.refreshed += 1)},
    whole: () => (
      <Box>
        <PaintedLines lines={lines} width={3} />
      </Box>
    ),
  });
  view.subscribe(() => (counts.laidOut += 1));
  const change = (next: readonly string[]) => {
    lines = next;
    tell();
  };
  return {view, tickets, counts, change};
}

describe('createView', () => {
  it('sends lines that changed where they stand past Ink', () => {
    const {view, counts, change} = openView();
    const boxes = view.boxes();
    view.laidOut(boxes);
    change(['two']);
    expect(counts).toEqual({refreshed: 1, laidOut: 0});
    expect(view.boxes()).toBe(boxes);
  });

  it('lets Ink lay out anew what stands elsewhere', () => {
    const {view, counts, change} = openView();
    const boxes = view.boxes();
    view.laidOut(boxes);
    change(['one', 'two']);
    expect(counts).toEqual({refreshed: 0, laidOut: 1});
    expect(view.boxes()).not.toBe(boxes);
  });

  it('goes through Ink until Ink has drawn the layout', () => {
    const {view, counts, change} = openView();
    change(['two']);
    change(['three']);
    expect(counts).toEqual({refreshed: 0, laidOut: 2});
    view.laidOut(view.boxes());
    change(['four']);
    expect(counts).toEqual({refreshed: 1, laidOut: 2});
  });
});
