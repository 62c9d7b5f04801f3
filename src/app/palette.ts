import type {Line} from '../ui/text.ts';
import type {Deck} from './deck.ts';
import {KEYS} from '../panes/keys.ts';
import {MUTED_FILTER} from '../panes/overview/rows.ts';
import {leave} from './global-commands.ts';
import {firstWays, liveBindings} from './keymap.ts';

export type PaletteEntry = {
  readonly name: string;
  readonly keysText: string;
  readonly help: string;
  readonly disabledReason: string | undefined;
  readonly run: () => void;
};

/** Short names that people of other terminal tools type without thinking. */
const QUIT_NAMES: ReadonlySet<string> = new Set(['q', 'quit', 'exit']);
const MAX_ENTRIES = 10;

/** What the typed words can mean, best first: exact names, beginnings, those of other names, anything that contains them. */
export function paletteEntries(deck: Deck, typed: string): readonly PaletteEntry[] {
  const wanted = typed.trim().toLowerCase();
  const ranked = allEntries(deck)
    .map(entry => ({entry, rank: rankOf(entry.names, wanted)}))
    .filter(({rank}) => rank < NO_MATCH);
  ranked.sort((left, right) => left.rank - right.rank);
  return ranked.slice(0, MAX_ENTRIES).map(({entry}) => entry);
}

const NO_MATCH = 4;

/** The first name is the one that is shown; half a word means it sooner than a synonym of something else. */
function rankOf(names: readonly string[], wanted: string): number {
  if (names.some(name => name === wanted)) return 0;
  if (names[0]?.startsWith(wanted) === true) return 1;
  if (names.some(name => name.startsWith(wanted))) return 2;
  return names.some(name => name.includes(wanted)) ? 3 : NO_MATCH;
}

function allEntries(deck: Deck): readonly (PaletteEntry & {readonly names: readonly string[]})[] {
  const panes = deck.panes.map(pane => ({
    name: pane.title,
    names: [pane.title.toLowerCase(), ...pane.aliases],
    keysText: pane.key,
    help: `Opens the pane ${pane.title}.`,
    disabledReason: undefined,
    run: () => deck.goTo(pane.id),
  }));
  const commands = firstWays(liveBindings(deck))
    .filter(({group}) => group !== 'Panes' && group !== 'Move')
    .map(binding => ({
      name: binding.title,
      names: [binding.title.toLowerCase()],
      keysText: binding.keysText,
      help: binding.help,
      disabledReason: binding.disabledReason(),
      run: binding.run,
    }));
  const quit = {
    name: 'quit',
    names: [...QUIT_NAMES],
    keysText: 'q',
    help: 'Quits skydeck; asks first if operations are under way.',
    disabledReason: undefined,
    run: () => leave(deck),
  };
  const muted = {
    name: 'muted',
    names: ['muted', 'unmute', 'acknowledged', 'snoozed', 'kept'],
    keysText: '',
    help: `Shows the findings that are acknowledged, snoozed or kept; ${KEYS.mute} lists one again.`,
    disabledReason: undefined,
    run: () => deck.goTo('overview', {filterText: MUTED_FILTER}),
  };
  return [...panes, ...commands, muted, quit];
}

export function paletteLines(entries: readonly PaletteEntry[], cursorIndex: number): readonly Line[] {
  if (entries.length === 0) return [[{text: 'no matches', tone: 'warning'}]];
  return entries.map((entry, index) => [
    {text: index === cursorIndex ? '> ' : '  ', tone: 'focus'},
    {text: entry.keysText.padEnd(10), tone: 'key'},
    {text: entry.name.padEnd(22), tone: entry.disabledReason === undefined ? 'strong' : 'dim'},
    {text: entry.disabledReason ?? entry.help, tone: 'dim'},
  ]);
}
