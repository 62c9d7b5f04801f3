import {describe, expect, it} from 'vitest';
import {paletteEntries, paletteLines, probablyMeant} from '../../src/app/palette.ts';
import type {Themes} from '../../src/app/themes.ts';
import {safeText, say} from '../../src/domain/safe-text.ts';
import {chooseGlyphs} from '../../src/terminal/glyphs.ts';
import {textOf} from '../../src/ui/text.ts';
import {createTheme, PALETTES} from '../../src/ui/theme.ts';
import {openDeck} from './an-open-deck.ts';

function aTheme(name: 'dark' | 'light') {
  const glyphs = chooseGlyphs({isUtf8: true, preference: undefined});
  return createTheme({depth: 'truecolor', palette: PALETTES[name], glyphs});
}

function names(typed: string): readonly string[] {
  return paletteEntries(openDeck('machines').deck, typed).map(({name}) => name);
}

describe('paletteEntries', () => {
  it('lists the exact name before beginnings, and beginnings before the rest', () => {
    const found = names('hib');
    expect(found[0]).toBe('hibernate');
    const rank = (name: string) => (name === 're' ? 0 : name.startsWith('re') ? 1 : 2);
    const ranks = names('re').map(rank);
    expect(ranks).toEqual([...ranks].sort((left, right) => left - right));
  });

  it('leads to the checks that were not run, which the handover names', () => {
    expect(paletteEntries(openDeck('overview').deck, 'check')[0]?.name).toBe('Handover');
  });

  it('prefers a name that begins with the text over a synonym that does', () => {
    const found = names('sto');
    expect(found[0]).toBe('stop');
    // The volumes are also known as storage.
    expect(found).toContain('Volumes');
    expect(names('storage')[0]).toBe('Volumes');
  });

  it.each(['STOP', '  stop '])('understands %j as stop', typed => {
    expect(names(typed)[0]).toBe('stop');
  });

  it.each(['faults', 'triage'])('finds the overview by %s', typed => {
    expect(names(typed)[0]).toBe('Overview');
  });

  it.each(['q', 'quit', 'exit'])('finds quit first by %s', typed => {
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

  it('opens such a list, and going back returns to the pane before', () => {
    const {deck} = openDeck('machines');
    paletteEntries(deck, 'environments')[0]?.run();
    expect(deck.pane().trail(deck.scene()).slice(0, 2)).toEqual(['catalogue', 'environments']);
    deck.back();
    expect(deck.pane().id).toBe('machines');
  });

  it('says how to change settings when that entry is chosen', () => {
    const {deck, told} = openDeck('machines');
    paletteEntries(deck, 'settings')[0]?.run();
    expect(told()).toBe('skydeck profile show --defaults lists the settings, skydeck profile set changes one');
  });

  it('offers no more than ten entries, and none when nothing matches', () => {
    expect(names('')).toHaveLength(10);
    expect(names('no such thing')).toEqual([]);
  });

  it('offers neither moves nor the keys of panes, which are found by their names', () => {
    expect(names('half page')).toEqual([]);
    expect(names('next part')).toEqual([]);
  });

  it('says why an entry does not apply, and still offers it', () => {
    const [entry] = paletteEntries(openDeck('machines').deck, 'stop');
    expect(entry?.disabledReason).toMatch(/^read-only session/);
  });
});

it('knows the panes by the words that get knows for what they show', () => {
  // `skydeck get history` prints what happened; the journal is what was sent from here.
  expect(
    ['history', 'events', 'journal'].map(typed => paletteEntries(openDeck('machines').deck, typed)[0]?.name),
  ).toEqual(['Timeline', 'Timeline', 'Journal']);
});

describe('paletteLines', () => {
  it('mark only the chosen entry, and show a reason in place of the help', () => {
    const entries = paletteEntries(openDeck('machines').deck, 'hib');
    const lines = paletteLines(entries, 0).map(textOf);
    expect(lines).toHaveLength(entries.length);
    expect(lines.map(line => line.startsWith('> '))).toEqual(entries.map((_, index) => index === 0));
    expect(lines[0]).toMatch(/^> p h +hibernate +read-only session/);
  });

  it('say so when nothing matches', () => {
    expect(paletteLines([], 0).map(textOf)).toEqual(['no matches']);
  });

  it.each([
    ['mahcines', 'machines'],
    ['hibrenate', 'hibernate'],
    ['biling', 'billing'],
    ['espresso', undefined],
  ])('suggest for %s what was probably meant', (typed, meant) => {
    const {deck} = openDeck('machines');
    expect(paletteEntries(deck, typed)).toEqual([]);
    const words = meant === undefined ? 'no matches' : `no matches; did you mean ${meant}?`;
    expect(paletteLines([], 0, probablyMeant(deck, typed)).map(textOf)).toEqual([words]);
  });
});

it('leads from another pane to the muted findings', async () => {
  const {deck, press} = openDeck('machines');
  await press(':', 'm', 'u', 't', 'e', 'd', 'enter');
  expect(deck.pane().id).toBe('overview');
  expect(deck.pane().filterText()).toBe('severity:muted');
  await press('esc');
  expect(deck.pane().id).toBe('machines');
});

describe('the themes', () => {
  const NIGHT = safeText('night');
  const [DARK, LIGHT] = [aTheme('dark'), aTheme('light')];

  function openThemed(keep: Themes['keep'] = async () => ({ok: true})) {
    const kept: string[] = [];
    const opened = openDeck('machines', {
      themes: {
        inUse: 'auto',
        names: () => [say`auto`, say`dark`, say`light`, say`high-contrast`, NIGHT],
        named: name =>
          name === NIGHT
            ? {ok: false, mistake: say`the theme night: not a JSON object`}
            : {ok: true, value: name === 'light' ? LIGHT : DARK},
        keep: name => {
          kept.push(name);
          return keep(name);
        },
      },
    });
    return {...opened, kept};
  }

  it.each(['theme', 'colours', 'colors'])('are listed by :%s, with the one in use', typed => {
    const entries = paletteEntries(openThemed().deck, typed).slice(1, 6);
    expect(entries.map(({name}) => name)).toEqual([
      'theme auto',
      'theme dark',
      'theme light',
      'theme high-contrast',
      'theme night',
    ]);
    expect(entries.map(({disabledReason}) => disabledReason)).toEqual(['in use', ...Array(4).fill(undefined)]);
  });

  it('are listed but not changed by :theme alone', async () => {
    const {press, told, kept} = openThemed();
    await press(':', ...'theme', 'enter');
    expect(told()).toBe('type :theme and one of auto, dark, light, high-contrast, night');
    expect(kept).toEqual([]);
  });

  it('are changed in the running deck, and saved for the next start', async () => {
    const {deck, press, told, kept} = openThemed();
    await press(':', ...'theme', 'space', ...'light', 'enter');
    expect(deck.shown().scene.theme).toBe(LIGHT);
    expect(kept).toEqual(['light']);
    expect(told()).toBe('theme light, kept in settings.json');
    // At once, and not with the next second.
    expect(deck.shown().notification?.text).toBe(told());
    expect(paletteEntries(deck, 'theme light')[0]?.disabledReason).toBe('in use');
  });

  it('last until the deck is closed when the settings cannot be written', async () => {
    const {deck, press, told} = openThemed(async () => ({
      ok: false,
      mistake: say`settings.json cannot be written (EACCES)`,
    }));
    await press(':', ...'theme', 'space', ...'light', 'enter');
    expect(deck.shown().scene.theme).toBe(LIGHT);
    expect(told()).toBe('theme light until you leave: settings.json cannot be written (EACCES)');
  });

  it('are not changed by a file with a mistake, or by an unknown name', async () => {
    const {deck, press, told, kept} = openThemed();
    const before = deck.shown().scene.theme;
    await press(':', ...'theme', 'space', ...'night', 'enter');
    expect(told()).toBe('the theme night: not a JSON object');
    await press(':', ...'theme', 'space', ...'drak', 'enter');
    expect(told()).toBe('no such command or pane; did you mean theme dark?');
    await press(':', ...'theme', 'space', ...'constructor', 'enter');
    expect(told()).toMatch(/^no theme is called "constructor": type one of .*dark/);
    expect(deck.shown().scene.theme).toBe(before);
    expect(kept).toEqual([]);
  });
});
