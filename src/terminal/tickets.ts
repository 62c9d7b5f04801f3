import type {TicketLine} from './frame.ts';

/**
 * Painted lines on their way past Ink. A ticket is a character of the private-use area, which safe text never holds;
 * Ink moves it about as one cell, and the frame reader puts the line back where the ticket has come to stand.
 */
export type Tickets = {
  /**
   * The ticket of a place on the screen, which keeps it whatever line it gets: a line that changes then needs no new
   * frame from Ink. Undefined when there are more places than any screen has.
   */
  readonly place: (slot: string, painted: string, layer: number) => string | undefined;
  readonly lineOf: (ticket: string) => TicketLine | undefined;
  /** Grows whenever a ticket means another line than before. */
  readonly age: () => number;
};

const FIRST_TICKET = 0xe000;
/** A screen has a few hundred lines beside and above each other, and the area has 6,400 characters. */
const MAX_SLOTS = 2000;

type Ticketed = TicketLine & {readonly ticket: string};

export function createTickets(): Tickets {
  const placed = new Map<string, TicketLine>();
  const slots = new Map<string, Ticketed>();
  let age = 0;

  function place(slot: string, painted: string, layer: number): string | undefined {
    const known = slots.get(slot);
    if (known !== undefined && known.painted === painted && known.layer === layer) return known.ticket;
    if (known === undefined && slots.size >= MAX_SLOTS) return undefined;
    const ticket = known?.ticket ?? String.fromCharCode(FIRST_TICKET + slots.size);
    const entry: Ticketed = {painted, layer, ticket};
    slots.set(slot, entry);
    placed.set(ticket, entry);
    age += 1;
    return ticket;
  }

  return {
    place,
    lineOf: ticket => placed.get(ticket),
    age: () => age,
  };
}
