import {type SafeText, say} from '../domain/safe-text.ts';
import type {CommandGroup} from '../panes/command.ts';
import type {BoundCommand, Pane} from '../panes/pane.ts';
import type {Deck} from './deck.ts';
import {GLOBAL_COMMANDS, type GlobalCommand, paneCommands, UNLOCK_ID} from './global-commands.ts';
import {runPaneCommand} from './run-pane-command.ts';

/** One key binding in words; help, palette and the README's table are lists of these. */
export type Binding = {
  /** Where the key applies: two bindings of one context may not share a key. */
  readonly context: string;
  readonly keys: readonly string[];
  /** As pressed from the pane: `p x` is the menu's key and then the command's. */
  readonly keysText: string;
  readonly title: SafeText;
  readonly help: string;
  readonly lists: readonly SafeText[];
  readonly group: CommandGroup;
  readonly isInStatusBar: boolean;
};

/** A binding in a running deck: why it is disabled now, and how to run it. */
export type LiveBinding = Binding & {
  readonly disabledReason: () => SafeText | undefined;
  /** The key does not apply to what the pane shows. */
  readonly isAbsent: () => boolean;
  readonly run: () => void;
};

/**
 * What a key does in the open pane when nothing lies over it, the pane's own commands first; undefined if nothing. A
 * command that does not apply to what the pane shows leaves its key to one of the deck's that does.
 */
export function boundTo(deck: Deck, key: string): (() => void) | undefined {
  const ofPane = deck.pane().commands.find(({keys}) => keys.includes(key));
  const ofDeck = deckCommands(deck.panes).find(({keys}) => keys.includes(key));
  const isLeftToDeck = ofDeck?.isAbsent?.(deck) === false && ofPane?.isAbsent(deck.scene()) === true;
  if (ofPane !== undefined && !isLeftToDeck) return () => runPaneCommand(deck, ofPane);
  return ofDeck === undefined ? undefined : () => runDeckCommand(deck, ofDeck);
}

export type OfferedCommand = Pick<BoundCommand, 'keys' | 'title'>;

/** The commands to show in the status bar now: applicable and not disabled. Computed for every repaint. */
export function offeredCommands(deck: Deck): readonly OfferedCommand[] {
  const scene = deck.scene();
  const isLocked = deck.writes.mode().access === 'locked';
  const ofPane = deck.pane().commands.filter(({isInStatusBar}) => isInStatusBar === true);
  const ofDeck = commandsBeside(
    deck.pane().commands.filter(command => !command.isAbsent(scene)),
    GLOBAL_COMMANDS,
  ).filter(({isInStatusBar}) => isInStatusBar === true);
  // A menu of actions opens in a read-only session too and gives the reason for each, so its key is not worth offering.
  const isOffered = ({group}: Pick<BoundCommand, 'group'>) => !(isLocked && group === 'Actions');
  const offered = ofPane.filter(
    command => isOffered(command) && !command.isAbsent(scene) && command.disabledReason(scene) === undefined,
  );
  return [
    // First, so that a narrow terminal has room for them.
    ...GLOBAL_COMMANDS.filter(({id}) => isLocked && id === UNLOCK_ID),
    ...ofDeck.filter(command => command.isAbsent !== undefined && isOffered(command) && canRun(deck, command)),
    // While rows are marked the next action applies to them, so the key that clears the marks comes before the others.
    ...[...offered.filter(({group}) => group === 'Pick'), ...offered.filter(({group}) => group !== 'Pick')].map(
      ({keys, title, titleHere}) => ({keys, title: titleHere?.(scene) ?? title}),
    ),
    ...ofDeck.filter(command => command.isAbsent === undefined && canRun(deck, command)),
  ];
}

/** Every key that works in the open pane, the pane's own first. */
export function liveBindings(deck: Deck): readonly LiveBinding[] {
  const ofPane = paneBindings(deck.pane()).map(({command, ...binding}) => ({
    ...binding,
    disabledReason: () => command.disabledReason(deck.scene()),
    isAbsent: () => command.isAbsent(deck.scene()),
    run: () => runPaneCommand(deck, command),
  }));
  const beside = commandsBeside(deck.pane().commands, deckCommands(deck.panes));
  const ofDeck = beside.map(command => ({
    ...bind(command, EVERYWHERE, ''),
    disabledReason: () => command.disabledReason?.(deck),
    isAbsent: () => command.isAbsent?.(deck) === true,
    run: () => runDeckCommand(deck, command),
  }));
  return [...ofPane, ...ofDeck];
}

/** Those whose keys the pane's commands leave to the deck. */
function commandsBeside(
  commandsOfPane: Pane['commands'],
  commands: readonly GlobalCommand[],
): readonly GlobalCommand[] {
  const ofPane = new Set(commandsOfPane.flatMap(({keys}) => keys));
  return commands.filter(
    ({isForPanesWithout, keys}) => isForPanesWithout !== true || !keys.some(key => ofPane.has(key)),
  );
}

function canRun(deck: Deck, {isAbsent, disabledReason}: GlobalCommand): boolean {
  return isAbsent?.(deck) !== true && disabledReason?.(deck) === undefined;
}

function runDeckCommand(deck: Deck, command: GlobalCommand): void {
  if (command.isForPanesWithout === true) {
    // It acts on what is under the cursor, as a key of the pane does.
    deck.choose();
    deck.pane().adjust(deck.scene());
  }
  const reason = command.disabledReason?.(deck);
  if (reason === undefined) command.run(deck);
  else deck.refuse(say`${command.title}: ${reason}`, 'warning');
}

function deckCommands(panes: readonly Pane[]): readonly GlobalCommand[] {
  return [...paneCommands(panes), ...GLOBAL_COMMANDS];
}

/** The keys of one pane, including those of its menus. */
export function paneBindings(pane: Pane): readonly (Binding & {readonly command: BoundCommand})[] {
  const direct = pane.commands.map(command => bind(command, pane.id, ''));
  const inMenus = pane.menus.flatMap(menu => {
    const opener = pane.commands.find(({opens}) => opens === menu.id)?.keys[0] ?? '';
    return menu.commands.map(command => bind(command, `${pane.id} ${menu.id}`, `${opener} `));
  });
  return [...direct, ...inMenus];
}

/** Commands in several menus of a pane, listed once: the first way to it is the shortest. */
export function firstWays<B extends Pick<Binding, 'context' | 'title' | 'help'>>(bindings: readonly B[]): readonly B[] {
  const paneOf = ({context}: B) => context.split(' ')[0];
  return bindings.filter(
    (binding, index) =>
      bindings.findIndex(
        each => each.title === binding.title && each.help === binding.help && paneOf(each) === paneOf(binding),
      ) === index,
  );
}

export function globalBindings(panes: readonly Pane[]): readonly (Binding & {readonly command: GlobalCommand})[] {
  return deckCommands(panes).map(command => bind(command, EVERYWHERE, ''));
}

/** The context of the deck's own keys. */
export const EVERYWHERE = 'everywhere';

function bind<
  C extends Pick<Binding, 'keys' | 'title' | 'help' | 'group'> & {
    readonly isInStatusBar?: boolean;
    readonly lists?: readonly SafeText[];
  },
>(command: C, context: string, opener: string): Binding & {readonly command: C} {
  const {keys, title, help, lists = [], group, isInStatusBar = false} = command;
  return {context, keys, keysText: `${opener}${keys.join(' ')}`, title, help, lists, group, isInStatusBar, command};
}
