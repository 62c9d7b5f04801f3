import type {ReactNode} from 'react';
import type {Cancel} from '../domain/time.ts';
import type {Tickets} from '../terminal/tickets.ts';
import {compose} from '../ui/compose.tsx';
import type {Deck} from './deck.ts';

/** What Ink is given to lay out: boxes with a ticket for each line. */
export type View = {
  readonly boxes: () => ReactNode;
  readonly subscribe: (listener: () => void) => Cancel;
  /** Ink has drawn these boxes. */
  readonly laidOut: (boxes: ReactNode) => void;
};

/**
 * Draws what the deck is now. Mostly only lines have changed and stand where they stood: a cursor moved, a second
 * passed. Then the lines go to the terminal past React and Ink, which would lay out all of the screen for one digit.
 */
export function createView({
  deck,
  screen,
  whole,
}: {
  readonly deck: Pick<Deck, 'subscribe'>;
  readonly screen: {readonly tickets: Pick<Tickets, 'place'>; readonly refresh: () => void};
  readonly whole: () => ReactNode;
}): View {
  const listeners = new Set<() => void>();
  let current = compose(whole(), screen.tickets.place);
  let drawn: ReactNode;

  deck.subscribe(() => {
    const next = compose(whole(), screen.tickets.place);
    if (next.layout === current.layout && drawn === current.boxes) {
      screen.refresh();
      return;
    }
    current = next;
    for (const listener of listeners) listener();
  });

  return {
    boxes: () => current.boxes,
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    laidOut: boxes => {
      drawn = boxes;
    },
  };
}
