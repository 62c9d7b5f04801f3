import {describe, expect, it} from 'vitest';
import {messageLine} from '../../src/app/status-bar.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {lineWidth, textOf} from '../../src/ui/text.ts';
import {openDeck} from './an-open-deck.ts';

describe('messageLine', () => {
  it('says where one is, whole, while there is nothing to tell', () => {
    const {deck} = openDeck('machines', {columns: 80});
    expect(textOf(messageLine(deck, 80)).trim()).toMatch(/^machines › (?:train-02|dev-1)$/);
  });

  it('tells why a key did nothing before where one is, and keeps the beginning of both', () => {
    const {deck} = openDeck('machines', {columns: 80});
    const reason = say`delete: not empty, so refused (405): 7 machines, 2 firewalls`;
    deck.notify(reason);
    const line = messageLine(deck, 80);
    expect(textOf(line)).toContain(reason);
    expect(textOf(line)).toContain('machines');
    expect(lineWidth(line)).toBeLessThanOrEqual(80);
  });

  it('never leaves the terminal, however long the reason', () => {
    const {deck} = openDeck('machines', {columns: 60});
    deck.notify(safeText('a reason '.repeat(20)));
    const line = messageLine(deck, 60);
    expect(lineWidth(line)).toBeLessThanOrEqual(60);
    expect(textOf(line)).toContain('machines');
  });
});
