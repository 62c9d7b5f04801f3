import {describe, expect, it} from 'vitest';
import {paletteEntries, paletteLines, probablyMeant} from '../../src/app/palette.ts';
import {textOf} from '../../src/ui/text.ts';
import {openDeck} from './an-open-deck.ts';

function names(typed: string): readonly string[] {
  return paletteEntries(openDeck('machines').deck, typed).map(({name}) => name);
}

describe('paletteEntries', () => {
  it('puts the exact name before beginnings, and beginnings before the rest', () => {
    const found = names('hib');
    expect(found[0]).toBe('hibernate');
    const rank = (name: string) => (name === 're' ? 0 : name.startsWith('re') ? 1 : 2);
    const ranks = names('re').map(rank);
    expect(ranks).toEqual([...ranks].sort((left, right) => left - right));
  });

  it('means what begins with half a word sooner than what has a synonym that does', () => {
    const found = names('sto');
    expect(found[0]).toBe('stop');
    // The disks are known as storage too.
    expect(found).toContain('Volumes');
    expect(names('storage')[0]).toBe('Volumes');
  });

  it.each(['STOP', '  stop '])('takes %j for stop', typed => {
    expect(names(typed)[0]).toBe('stop');
  });

  it.each(['faults', 'triage'])('finds what needs a person by %s', typed => {
    expect(names(typed)[0]).toBe('Overview');
  });

  it.each(['q', 'quit', 'exit'])('finds the way out first by %s', typed => {
    expect(names(typed)[0]).toBe('quit');
  });

  it.each([
    ['environments', 'environments'],
    ['env', 'environments'],
    ['key-pairs', 'key pairs'],
    ['contracts', 'contracts'],
  ])('finds a list inside a pane by %s', (typed, list) => {
    expect(names(typed)[0]).toBe(list);
  });

  it('opens such a list, and q leads back', () => {
    const {deck} = openDeck('machines');
    paletteEntries(deck, 'environments')[0]?.run();
    expect(deck.pane().trail(deck.scene()).slice(0, 2)).toEqual(['catalogue', 'environments']);
    deck.back();
    expect(deck.pane().id).toBe('machines');
  });

  it.each(['theme', 'colours', 'settings'])('says by %s where the colours are chosen', typed => {
    const {deck, told} = openDeck('machines');
    paletteEntries(deck, typed)[0]?.run();
    expect(told()).toBe('the colours: "theme" in settings.json: auto, dark, light, high-contrast');
  });

  it('offers no more than ten, and nothing for words that nothing has', () => {
    expect(names('')).toHaveLength(10);
    expect(names('no such thing')).toEqual([]);
  });

  it('offers neither moves nor keys of panes, which are names already', () => {
    expect(names('half page')).toEqual([]);
    expect(names('next part')).toEqual([]);
  });

  it('says why an entry does not apply, and keeps it', () => {
    const [entry] = paletteEntries(openDeck('machines').deck, 'stop');
    expect(entry?.disabledReason).toMatch(/^read-only session/);
  });
});

describe('paletteLines', () => {
  it('mark the chosen entry alone, and show a reason in place of the help', () => {
    const entries = paletteEntries(openDeck('machines').deck, 'hib');
    const lines = paletteLines(entries, 0).map(textOf);
    expect(lines).toHaveLength(entries.length);
    expect(lines.map(line => line.startsWith('> '))).toEqual(entries.map((_, index) => index === 0));
    expect(lines[0]).toMatch(/^> p h +hibernate +read-only session/);
  });

  it('say so when no matches', () => {
    expect(paletteLines([], 0).map(textOf)).toEqual(['no matches']);
  });

  it.each([
    ['mahcines', 'machines'],
    ['hibrenate', 'hibernate'],
    ['biling', 'billing'],
    ['espresso', undefined],
  ])('name for %s what was probably meant', (typed, meant) => {
    const {deck} = openDeck('machines');
    expect(paletteEntries(deck, typed)).toEqual([]);
    const words = meant === undefined ? 'no matches' : `no matches; did you mean ${meant}?`;
    expect(paletteLines([], 0, probablyMeant(deck, typed)).map(textOf)).toEqual([words]);
  });
});

it('leads from every pane to what is muted', async () => {
  const {deck, press} = openDeck('machines');
  await press(':', 'm', 'u', 't', 'e', 'd', 'enter');
  expect(deck.pane().id).toBe('overview');
  expect(deck.pane().filterText()).toBe('severity:muted');
  await press('esc');
  expect(deck.pane().id).toBe('machines');
});
