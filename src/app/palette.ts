import {closest} from '../domain/closest-word.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import type {Pane} from '../panes/pane.ts';
import type {Line} from '../ui/text.ts';
import type {Deck} from './deck.ts';
import {KEYS} from '../actions/keys.ts';
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

/** Short names familiar from other terminal tools. */
const QUIT_NAMES: ReadonlySet<string> = new Set(['q', 'quit', 'exit']);
const MAX_ENTRIES = 10;

/**
 * What the typed words can mean, best match first: exact names, beginnings, those of other names, anything that
 * contains them.
 */
export function paletteEntries(deck: Deck, typed: string): readonly PaletteEntry[] {
  const wanted = typed.trim().toLowerCase();
  const ranked = allEntries(deck)
    .map(entry => ({entry, rank: rankOf(entry.names, wanted)}))
    .filter(({rank}) => rank < NO_MATCH);
  ranked.sort((left, right) => left.rank - right.rank);
  return ranked.slice(0, MAX_ENTRIES).map(({entry}) => entry);
}

/** The name that was probably meant if none matches. */
export function probablyMeant(deck: Deck, typed: string): SafeText | undefined {
  const names = allEntries(deck).flatMap(entry => entry.names);
  const meant = closest(typed.trim(), names);
  return meant === undefined ? undefined : safeText(meant);
}

/** Why the typed words lead nowhere, with what was probably meant. */
export function noMatchWords(deck: Deck, typed: string): SafeText {
  if (/^set\s/i.test(typed.trim())) return say`in a shell: ${SET_COMMAND}; ${LIST_COMMAND} lists the settings`;
  const meant = probablyMeant(deck, typed);
  if (meant !== undefined) return say`no such command or pane; did you mean ${meant}?`;
  const theme = /^(?:theme|colou?rs) +(.+)$/i.exec(typed.trim())?.[1];
  return theme === undefined
    ? say`no such command or pane; ${KEYS.help} lists them all`
    : say`no theme is called "${safeText(theme)}": type one of ${joined(deck.themes())}`;
}

/** Settings are changed by a command, and these are listed by another. */
export const SET_COMMAND = say`skydeck profile set <setting> <value>`;
const LIST_COMMAND = say`skydeck profile show --defaults`;

const NO_MATCH = 4;

/** The first name is shown. Half a word matches it before a synonym of something else. */
function rankOf(names: readonly string[], wanted: string): number {
  if (names.some(name => name === wanted)) return 0;
  if (names[0]?.startsWith(wanted) === true) return 1;
  if (names.some(name => name.startsWith(wanted))) return 2;
  return names.some(name => name.includes(wanted)) ? 3 : NO_MATCH;
}

type NamedEntry = PaletteEntry & {readonly names: readonly string[]};

function allEntries(deck: Deck): readonly NamedEntry[] {
  return [
    ...paneEntries(deck),
    ...commandEntries(deck),
    ...themeEntries(deck),
    ...settingEntries(deck),
    quitEntry(deck),
  ];
}

/** The panes, and the lists of those that have several. */
function paneEntries(deck: Deck): readonly NamedEntry[] {
  const panes = deck.panes.map(pane => ({
    name: pane.title,
    names: [pane.title.toLowerCase(), ...pane.aliases],
    keysText: pane.key,
    help: `Opens the pane ${pane.title}.`,
    disabledReason: undefined,
    run: () => deck.goTo(pane.id),
  }));
  const lists = deck.panes.flatMap(pane =>
    pane.lists.filter(list => list !== pane.title.toLowerCase()).map(list => listEntry(deck, pane, list)),
  );
  return [...panes, ...lists];
}

function commandEntries(deck: Deck): readonly NamedEntry[] {
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
  const muted = withoutKey({
    name: 'muted',
    names: ['muted', 'unmute', 'acknowledged', 'snoozed', 'kept'],
    help: `Shows the findings that are acknowledged, snoozed or kept; ${KEYS.mute} lists one again.`,
    run: () => deck.goTo('overview', {filterText: MUTED_FILTER}),
  });
  return [...commands, muted];
}

function themeEntries(deck: Deck): readonly NamedEntry[] {
  const list = withoutKey({
    name: 'theme',
    names: ['theme', 'themes', 'colours', 'colors'],
    help: 'Lists the themes; a name after it changes the colours.',
    run: () => deck.notify(say`type :theme and one of ${joined(deck.themes())}`),
  });
  const themes = deck.themes().map(({name, isInUse}) => ({
    ...withoutKey({
      name: `theme ${name}`,
      names: ['theme', 'colours', 'colors'].map(word => `${word} ${name}`),
      help: 'Changes the colours, also for later starts.',
      run: () => void deck.setTheme(name),
    }),
    disabledReason: isInUse ? say`in use` : undefined,
  }));
  return [list, ...themes];
}

/** Settings are changed by a command, so these say which. */
function settingEntries(deck: Deck): readonly NamedEntry[] {
  return [
    withoutKey({
      name: 'settings',
      names: ['settings'],
      help: 'How to list and change settings.',
      run: () => deck.notify(say`${LIST_COMMAND} lists the settings, skydeck profile set changes one`),
    }),
    withoutKey({
      name: 'budget',
      names: ['budget'],
      help: 'How to set a monthly budget.',
      run: () => deck.notify(say`in a shell: skydeck profile set budgetUsdPerMonth 45000; then reopen`),
    }),
  ];
}

function quitEntry(deck: Deck): NamedEntry {
  return {
    name: 'quit',
    names: [...QUIT_NAMES],
    keysText: 'q',
    help: 'Quits skydeck; asks first if operations are under way.',
    disabledReason: undefined,
    run: () => leave(deck),
  };
}

/** What is reached by its name alone, and always possible. */
function withoutKey(entry: Omit<NamedEntry, 'keysText' | 'disabledReason'>): NamedEntry {
  return {...entry, keysText: '', disabledReason: undefined};
}

function joined(themes: readonly {readonly name: SafeText}[]): SafeText {
  return safeText(themes.map(({name}) => name).join(', '));
}

/** A list of a pane that has several, by its name as typed elsewhere too: `key pairs`, `key-pairs`. */
function listEntry(deck: Deck, pane: Pane, list: SafeText) {
  return {
    name: list,
    names: [list, list.replaceAll(' ', '-')],
    keysText: pane.key,
    help: `Opens the list ${list} in ${pane.title}.`,
    disabledReason: undefined,
    run: () => deck.goTo(pane.id, {part: list}),
  };
}

export function paletteLines(entries: readonly PaletteEntry[], cursorIndex: number, meant?: SafeText): readonly Line[] {
  if (entries.length === 0) {
    const instead = meant === undefined ? '' : `; did you mean ${meant}?`;
    return [[{text: `no matches${instead}`, tone: 'warning'}]];
  }
  return entries.map((entry, index) => [
    {text: index === cursorIndex ? '> ' : '  ', tone: 'focus'},
    {text: entry.keysText.padEnd(10), tone: 'key'},
    {text: entry.name.padEnd(22), tone: entry.disabledReason === undefined ? 'strong' : 'dim'},
    {text: entry.disabledReason ?? entry.help, tone: 'dim'},
  ]);
}
