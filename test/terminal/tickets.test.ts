import {describe, expect, it} from 'vitest';
import {createTickets} from '../../src/terminal/tickets.ts';

describe('createTickets', () => {
  it('gives the same line on the same layer the same ticket', () => {
    const tickets = createTickets();
    const ticket = tickets.ticketFor('a line', 0);
    expect(tickets.ticketFor('a line', 0)).toBe(ticket);
    expect(tickets.ticketFor('a line', 1)).not.toBe(ticket);
    expect(tickets.lineOf(ticket ?? '')).toMatchObject({painted: 'a line', layer: 0});
  });

  it('keeps a ticket that is held, and takes the oldest of the others back', () => {
    const tickets = createTickets();
    const held = tickets.ticketFor('held', 0) ?? '';
    const loose = tickets.ticketFor('loose', 0) ?? '';
    tickets.hold(held);
    for (let count = 0; count < 20_000; count++) expect(tickets.ticketFor(`line ${count}`, 0)).toBeDefined();
    expect(tickets.lineOf(held)?.painted).toBe('held');
    expect(tickets.lineOf(loose)?.painted).not.toBe('loose');
    expect(tickets.age()).toBeGreaterThan(0);
  });

  it('takes a released ticket back in time', () => {
    const tickets = createTickets();
    const ticket = tickets.ticketFor('once held', 0) ?? '';
    tickets.hold(ticket);
    tickets.hold(ticket);
    tickets.release(ticket);
    tickets.release(ticket);
    for (let count = 0; count < 20_000; count++) tickets.ticketFor(`line ${count}`, 0);
    expect(tickets.lineOf(ticket)?.painted).not.toBe('once held');
  });

  it('has none to give when all are held', () => {
    const tickets = createTickets();
    for (let count = 0; count < 6400; count++) tickets.hold(tickets.ticketFor(`line ${count}`, 0) ?? '');
    expect(tickets.ticketFor('one more', 0)).toBeUndefined();
  });
});
