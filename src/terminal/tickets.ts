import type {TicketLine} from './frame.ts';

/**
 * Painted lines on their way past Ink. A ticket is a character of the private-use area, which safe text never holds;
 * Ink moves it about as one cell, and the frame reader puts the line back where the ticket has come to stand.
 */
export type Tickets = {
  readonly ticketFor: (painted: string, layer: number) => string | undefined;
  /**
   * The ticket of a place on the screen, which keeps it whatever line it gets: a line that changes then needs no new
   * frame from Ink. Undefined when there are more places than any screen has.
   */
  readonly place: (slot: string, painted: string, layer: number) => string | undefined;
  readonly hold: (ticket: string) => void;
  readonly release: (ticket: string) => void;
  readonly lineOf: (ticket: string) => TicketLine | undefined;
  /** Grows whenever a ticket means another line than before. */
  readonly age: () => number;
};

const FIRST_TICKET = 0xe000;
const TICKET_COUNT = 0xf900 - FIRST_TICKET;
/** More lines than one frame can hold: what was asked for last may not be held yet. */
const ALWAYS_KEPT = 2048;

/** A screen has a few hundred lines beside and above each other. */
const MAX_SLOTS = 2000;

type Ticketed = TicketLine & {readonly ticket: string};
type Entry = Ticketed & {heldCount: number};

export function createTickets(): Tickets {
  // In the order of the last request, so that the longest unused come first.
  const byLine = new Map<string, Entry>();
  const byTicket = new Map<string, Entry>();
  const placed = new Map<string, TicketLine>();
  const slots = new Map<string, Ticketed>();
  const free: string[] = [];
  let givenCount = 0;
  let age = 0;

  function ticketFor(painted: string, layer: number): string | undefined {
    const key = `${layer}:${painted}`;
    const known = byLine.get(key);
    const ticket = known?.ticket ?? nextTicket();
    if (ticket === undefined) return undefined;
    const entry = known ?? {painted, layer, ticket, heldCount: 0};
    byLine.delete(key);
    byLine.set(key, entry);
    byTicket.set(ticket, entry);
    return ticket;
  }

  function place(slot: string, painted: string, layer: number): string | undefined {
    const known = slots.get(slot);
    if (known !== undefined && known.painted === painted && known.layer === layer) return known.ticket;
    if (known === undefined && slots.size >= MAX_SLOTS) return undefined;
    const ticket = known?.ticket ?? nextTicket();
    if (ticket === undefined) return undefined;
    const entry: Ticketed = {painted, layer, ticket};
    slots.set(slot, entry);
    placed.set(ticket, entry);
    age += 1;
    return ticket;
  }

  function nextTicket(): string | undefined {
    if (givenCount < TICKET_COUNT) {
      givenCount += 1;
      return String.fromCharCode(FIRST_TICKET + givenCount - 1);
    }
    if (free.length === 0) takeBack();
    return free.pop();
  }

  function takeBack(): void {
    let left = byLine.size - ALWAYS_KEPT;
    for (const [key, entry] of byLine) {
      if (left <= 0) break;
      left -= 1;
      if (entry.heldCount > 0) continue;
      byLine.delete(key);
      byTicket.delete(entry.ticket);
      free.push(entry.ticket);
    }
    age += 1;
  }

  function count(ticket: string, change: 1 | -1): void {
    const entry = byTicket.get(ticket);
    if (entry !== undefined) entry.heldCount = Math.max(0, entry.heldCount + change);
  }

  return {
    ticketFor,
    place,
    hold: ticket => count(ticket, 1),
    release: ticket => count(ticket, -1),
    lineOf: ticket => placed.get(ticket) ?? byTicket.get(ticket),
    age: () => age,
  };
}
