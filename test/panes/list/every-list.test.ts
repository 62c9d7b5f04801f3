import {describe, expect, it} from 'vitest';
import {pressKeys} from '../../../src/app/dispatch.ts';
import {openPanes} from '../../../src/panes/panes.ts';
import {openDeck} from '../../app/an-open-deck.ts';

/** What every list of the deck can do, by its keys; `/` and `ctrl-s` are the deck's own. */
const KEYS_OF_LISTS = {
  sort: 'o',
  reverse: 'O',
  wide: 'ctrl-w',
  describe: 'd',
  zoom: '+',
  open: 'enter',
  mark: 'space',
  'mark range': 'V',
  'mark all': '*',
  'clear marks': 'M',
  copy: 'c',
  'copy as': 'C',
  JSON: 'y',
} as const;

/** A document, which has no rows. */
const DOCUMENTS = ['handover'];

const LISTS = openPanes()
  .filter(({id}) => !DOCUMENTS.includes(id))
  .flatMap(({id, lists}) => (lists.length === 0 ? [{pane: id, list: id}] : lists.map(list => ({pane: id, list}))));

it.each([
  ['overview', 'worst first'],
  ['clusters', 'trouble first'],
  ['timeline', 'newest first'],
  ['machines', '$/h'],
])('the sort menu of %s says: %s', (paneId, order) => {
  const {deck} = openDeck(paneId);
  const menu = deck.pane().menus.find(({id}) => id === 'sort');
  expect(menu?.title(deck.scene())).toBe(`sort by (now ${order})`);
});

describe.each(LISTS)('the list $list of the pane $pane', ({pane: paneId, list}) => {
  function open() {
    const {deck} = openDeck(paneId);
    if (list !== paneId) deck.goTo(paneId, {part: list});
    return deck;
  }

  it.each(Object.entries(KEYS_OF_LISTS))('has the key to %s, or a sentence for why not', (_name, key) => {
    const deck = open();
    const commands = deck.pane().commands.filter(({keys}) => keys.includes(key));
    expect(commands).toHaveLength(1);
    const reason = commands[0]?.disabledReason(deck.scene());
    if (commands[0]?.isAbsent(deck.scene()) === true) expect(reason).toBeDefined();
    expect(reason ?? 'works').toMatch(/^\S.*[^.]$/);
  });

  it('says in the sort menu what it is sorted by', () => {
    const deck = open();
    const menu = deck.pane().menus.find(({id}) => id === 'sort');
    expect(menu?.title(deck.scene())).toMatch(/^sort by \(now (?!default|unsorted).+\)$/);
  });

  it('can be filtered by every column it has, and saved as a table with their titles', () => {
    const deck = open();
    const {columns, rows} = deck.pane().table(deck.scene());
    expect(columns.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toHaveLength(columns.length);
    pressKeys(deck, ['/']);
    expect(deck.overlay() === undefined ? deck.notification()?.text : 'open').toMatch(/open|nothing to filter/);
  });
});
