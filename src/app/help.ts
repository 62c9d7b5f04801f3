import {settingNotes} from '../config/settings.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {COMMAND_GROUPS} from '../panes/command.ts';
import type {Line} from '../ui/text.ts';
import {UNKNOWN} from '../ui/format.ts';
import type {Theme, Tone} from '../ui/theme.ts';
import {wrapLine} from '../ui/wrap.ts';
import type {Deck} from './deck.ts';
import {type Binding, firstWays, liveBindings, paneBindings} from './keymap.ts';
import {paletteEntries, SET_COMMAND} from './palette.ts';

const KEY_CELLS = 18;
const TITLE_CELLS = 20;
/** The edges, and the blank after the left one. */
const FRAME_CELLS = 4;

/** Every key with what it does, grouped, and the reason for each that does not apply now. */
export function helpLines(deck: Deck, typed: string): readonly Line[] {
  const width = Math.max(20, deck.scene().size.columns - FRAME_CELLS);
  // Elsewhere a slash begins a search, so people type it here too. On its own it is the key looked for.
  const wanted = typed
    .trim()
    .toLowerCase()
    .replace(/^\/(?=.)/, '');
  const here = firstWays(liveBindings(deck));
  const shown = here.filter(binding => matches(binding, wanted));
  const elsewhere = wanted === '' ? [] : otherPaneLines(deck, wanted, {width, here});
  const signs = [...settingLines(wanted, width), ...signLines(deck, wanted, width)];
  if (shown.length === 0) {
    const found = [...(elsewhere.length > 0 ? elsewhere : namedLines(deck, wanted, width)), ...signs];
    return found.length > 0 ? found : [[{text: `no key matches "${typed}"`, tone: 'warning'}]];
  }
  const keys = COMMAND_GROUPS.flatMap(group => {
    const bindings = shown.filter(binding => binding.group === group);
    return bindings.length === 0
      ? []
      : [
          [{text: group, tone: 'title' as const}],
          ...bindings.flatMap(binding => bindingLines(binding, binding.disabledReason(), width)),
        ];
  });
  return [...keys, ...elsewhere, ...signs];
}

/** The settings of that name: they are changed outside of the deck. */
function settingLines(wanted: string, width: number): readonly Line[] {
  const found = wanted === '' ? [] : settingNotes().filter(({key}) => key.toLowerCase().includes(wanted));
  if (found.length === 0) return [];
  return [
    [{text: `Settings, in a shell: ${SET_COMMAND}`, tone: 'title'}],
    ...found.flatMap(({key, meaning}) => {
      const folded = wrapLine([{text: meaning}], Math.max(10, width - KEY_CELLS - TITLE_CELLS));
      const head = (index: number) => (index === 0 ? `  ${key} ` : '').padEnd(KEY_CELLS + TITLE_CELLS);
      return folded.map((line, index): Line => [{text: head(index), tone: 'strong'}, ...line]);
    }),
  ];
}

const SIGNS = 'Signs';

/** What the signs in rows mean. */
function signLines(deck: Deck, wanted: string, width: number): readonly Line[] {
  const {glyphs} = deck.scene().theme;
  // The heading finds all of them.
  const isHeading = wanted.length > 2 && SIGNS.toLowerCase().startsWith(wanted);
  const found = signsOf(glyphs).filter(
    ([sign, words]) => isHeading || `${sign} ${words}`.toLowerCase().includes(wanted),
  );
  if (found.length === 0) return [];
  const lines = found.flatMap(([sign, words]) =>
    wrapLine([{text: words}], Math.max(10, width - KEY_CELLS)).map(
      (line, index): Line => [{text: (index === 0 ? `  ${sign}` : '').padEnd(KEY_CELLS), tone: 'strong'}, ...line],
    ),
  );
  return [[{text: SIGNS, tone: 'title'}], ...lines];
}

function signsOf({states, ...glyphs}: Theme['glyphs']): readonly (readonly [sign: string, words: string])[] {
  return [
    [states.active, 'ACTIVE'],
    [states.shutoff, 'SHUTOFF'],
    [states.hibernated, 'HIBERNATED'],
    [states.error, 'ERROR, or WARNING of a cluster'],
    [states.deleted, 'DELETED'],
    [states.rising, 'starting: CREATING, BUILD, STARTING, RESTORING'],
    [states.falling, 'stopping: STOPPING, HIBERNATING, DELETING'],
    [states.transitional, 'other changes: REBOOTING, RECONCILING; in a batch: under way'],
    [states.unknown, 'a state that skydeck does not know'],
    ['SHUTOFF$', 'stopped, but billed like a running machine'],
    ['4m', 'in a graph or after a figure: the age of its newest value, if that is old'],
    ['63%!', 'the figure is old, and its age does not fit'],
    [glyphs.gap, 'in a graph: no sample'],
    [UNKNOWN, 'unknown, or none'],
    ['230.40+', 'at least this much: part of it is unknown'],
    [`${glyphs.live}1m12`, 'beside a name: how long an operation has been under way; ? if its outcome is unknown'],
    [
      glyphs.mark,
      'marked; on the map of a large fleet in place of the sign of its state; in the header: the service answers',
    ],
    [glyphs.cursor, `the cursor; ${glyphs.otherCursor} in a list without the focus`],
    [`${glyphs.down} ${glyphs.up}`, 'after a column title: the list is sorted by it, descending or ascending'],
    [glyphs.ellipsis, 'text was cut; the detail shows all of it'],
  ];
}

/** Keys of other panes that do what no key does here, under the name of their pane. */
function otherPaneLines(
  deck: Deck,
  wanted: string,
  {width, here}: {readonly width: number; readonly here: readonly Binding[]},
): readonly Line[] {
  const others = deck.panes.filter(pane => pane.id !== deck.pane().id);
  const isHere = ({title}: Binding, words: string) =>
    here.some(each => each.title === title && wordsOf(each) === words);
  return others.flatMap((pane): readonly Line[] => {
    const found = firstWays(paneBindings(pane)).filter(
      binding => matches(binding, wanted) && !isHere(binding, wordsOf(binding)),
    );
    return found.length === 0
      ? []
      : [
          [{text: `in ${pane.title} (${pane.key === '' ? `:${pane.aliases[0]}` : pane.key})`, tone: 'title'}],
          ...found.flatMap(binding => bindingLines(binding, undefined, width)),
        ];
  });
}

/** Panes without a key, which are opened by name. */
function namedLines(deck: Deck, wanted: string, width: number): readonly Line[] {
  const entries = wanted === '' ? [] : paletteEntries(deck, wanted);
  return entries.flatMap(({name, help}) => keyLines({keysText: `:${name}`, title: name}, [{text: help}], width));
}

export function helpLineCount(deck: Deck, typed: string): number {
  return helpLines(deck, typed).length;
}

function matches(binding: Binding, wanted: string): boolean {
  return `${binding.keysText} ${binding.title} ${wordsOf(binding)}`.toLowerCase().includes(wanted);
}

/** What the key does, and for which lists if its pane has several. */
function wordsOf({help, lists}: Binding): string {
  return lists.length === 0 ? help : `${help} Lists: ${lists.join(', ')}.`;
}

function bindingLines(binding: Binding, reason: SafeText | undefined, width: number): readonly Line[] {
  return reason === undefined
    ? keyLines(binding, [{text: wordsOf(binding)}], width)
    : keyLines({...binding, tone: 'dim'}, [{text: `off: ${reason}`, tone: 'warning'}], width);
}

/** A long sentence wraps under its own beginning. */
function keyLines(
  {keysText, title, tone = 'strong'}: {readonly keysText: string; readonly title: string; readonly tone?: Tone},
  explanation: Line,
  width: number,
): readonly Line[] {
  const head: Line = [
    {text: `  ${keysText}`.padEnd(KEY_CELLS), tone: 'key'},
    {text: title.padEnd(TITLE_CELLS), tone},
  ];
  const indent: Line = [{text: ' '.repeat(KEY_CELLS + TITLE_CELLS)}];
  const folded = wrapLine(explanation, Math.max(10, width - KEY_CELLS - TITLE_CELLS));
  return folded.map((line, index): Line => [...(index === 0 ? head : indent), ...line]);
}
