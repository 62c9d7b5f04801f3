import type {TicketLine} from './frame.ts';

/**
 * Painted lines on their way past Ink. A ticket is a character of the private-use area, which safe text never holds;
 * Ink moves it about as one cell, and the frame reader puts the line back where the ticket has come to stand.
 */
export type Tickets = {
  readonly ticketFor: (painted: string, layer: number) => string | undefined;
  readonly hold: (ticket: string) => void;
  readonly release: (ticket: string) => void;
  readonly lineOf: (ticket: string) => TicketLine | undefined;
  /** Grows whenever tickets were taken back: the same ticket may mean another line from then on. */
  readonly age: () => number;
};

const FIRST_TICKET = 0xe000;
const TICKET_COUNT = 0xf900 - FIRST_TICKET;
/** More lines than one frame can hold: what was asked for last may not be held yet. */
const ALWAYS_KEPT = 2048;

type Entry = TicketLine & {readonly ticket: string; heldCount: number};

export function createTickets(): Tickets {
  // In the order of the last request, so that the longest unused come first.
  const byLine = new Map<string, Entry>();
  const byTicket = new Map<string, Entry>();
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
    hold: ticket => count(ticket, 1),
    release: ticket => count(ticket, -1),
    lineOf: ticket => byTicket.get(ticket),
    age: () => age,
  };
}
