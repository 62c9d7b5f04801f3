import {describe, expect, it} from 'vitest';
import {createTickets} from '../../src/terminal/tickets.ts';

describe('createTickets', () => {
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
