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

  it('keeps the ticket of a place whatever line stands there, and tells that it means another one', () => {
    const tickets = createTickets();
    const first = tickets.place('a', 'one', 0) ?? '';
    const age = tickets.age();
    expect(tickets.place('a', 'one', 0)).toBe(first);
    expect(tickets.age()).toBe(age);
    expect(tickets.place('a', 'two', 0)).toBe(first);
    expect(tickets.lineOf(first)).toMatchObject({painted: 'two', layer: 0});
    expect(tickets.age()).toBeGreaterThan(age);
    expect(tickets.place('b', 'two', 0)).not.toBe(first);
  });

  it('has no ticket for more places than any screen has', () => {
    const tickets = createTickets();
    const given = Array.from({length: 2001}, (_, index) => tickets.place(`slot ${index}`, 'x', 0));
    expect(new Set(given.slice(0, 2000)).size).toBe(2000);
    expect(given[2000]).toBeUndefined();
  });
});
