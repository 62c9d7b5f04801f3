import {joinSafe, type SafeText, safeText, say} from '../domain/safe-text.ts';
import {SECOND_MS} from '../domain/time.ts';
import type {Command} from '../panes/command.ts';
import type {Pane, Scene} from '../panes/pane.ts';
import {emptyInput, selectedInput} from '../ui/text-input.ts';
import type {Deck} from './deck.ts';
import {readingPauseSeconds} from './header.ts';
import {leavingWords} from './leaving.ts';
import {
  acknowledgeFinding,
  fixFinding,
  isElsewhere,
  noFindingReason,
  noFixReason,
  showNextFinding,
} from './next-finding.ts';
import {notDoneWords} from './overlay/overlay.ts';
import {askToUndo} from './undo-question.ts';
import type {Outstanding} from './writes.ts';
import {KEYS} from '../actions/keys.ts';

/** A command that belongs to no pane: it acts on the deck itself. */
export type GlobalCommand = Command<Deck, void> & {
  /** If the pane has this key for what is under its cursor, the pane keeps it. */
  readonly isForPanesWithout?: boolean;
};

const SECOND_CTRL_C_MS = 2 * SECOND_MS;

/** The command offered in a read-only session. */
export const UNLOCK_ID = 'unlock';

export const GLOBAL_COMMANDS: readonly GlobalCommand[] = [
  {
    id: 'help',
    title: say`help`,
    help: 'All keys, searchable; says why a key does not apply now.',
    keys: [KEYS.help],
    group: 'Everywhere',
    isInStatusBar: true,
    run: deck => deck.setOverlay({kind: 'help', input: emptyInput, offset: 0}),
  },
  {
    id: 'palette',
    title: say`command`,
    help: 'A command or a pane by name: :vms, :help, :q.',
    keys: [':'],
    group: 'Everywhere',
    isInStatusBar: true,
    run: deck => deck.setOverlay({kind: 'palette', input: emptyInput, cursorIndex: 0}),
  },
  {
    id: 'filter',
    title: say`filter`,
    help: 'Words match any column; also cpu>80, cost>10, age<1d, state:error, label:prod, !word, /regex/. An open detail is searched instead.',
    keys: ['/'],
    group: 'Everywhere',
    isInStatusBar: true,
    disabledReason: deck => deck.pane().filterReason(deck.scene()),
    run: deck => {
      const pane = deck.pane();
      deck.choose();
      pane.adjust(deck.scene());
      const search = pane.search(deck.scene());
      deck.setOverlay(
        search === undefined
          ? {kind: 'filter', input: selectedInput(pane.filterText()), restore: pane.checkpoint()}
          : {kind: 'search', input: selectedInput(search.text), restore: pane.checkpoint()},
      );
    },
  },
  {
    id: 'next-finding',
    title: say`next finding`,
    help: `Opens what the next finding is about, worst first; ${KEYS.back} returns.`,
    keys: [KEYS.nextFinding],
    group: 'Panes',
    run: showNextFinding,
  },
  {
    id: 'fix',
    title: say`fix`,
    help: 'Asks about the action that fixes the finding that led here, or the one about what is under the cursor.',
    keys: [KEYS.fix],
    group: 'Actions',
    isInStatusBar: true,
    isForPanesWithout: true,
    isAbsent: isElsewhere,
    disabledReason: noFixReason,
    run: fixFinding,
  },
  {
    id: 'acknowledge',
    title: say`acknowledge`,
    help: 'Mutes the finding that led here, or the one about what is under the cursor, until it gets worse or starts again.',
    keys: [KEYS.mute],
    group: 'Findings',
    isInStatusBar: true,
    isForPanesWithout: true,
    isAbsent: isElsewhere,
    disabledReason: noFindingReason,
    run: acknowledgeFinding,
  },
  matchCommand({id: 'next-match', title: say`next match`, keys: ['ctrl-n'], direction: 1}),
  matchCommand({id: 'previous-match', title: say`previous match`, keys: ['N', 'ctrl-p'], direction: -1}),
  {
    id: 'back',
    title: say`back`,
    help: 'Closes what is open, leaves the detail, clears the filter; then back to where you came from, at the end to the overview.',
    keys: [KEYS.back, '['],
    group: 'Everywhere',
    run: deck => {
      if (!deck.back()) deck.notify(say`nothing to go back to; ${KEYS.quit} quits`);
    },
  },
  {
    id: 'forward',
    title: say`forward`,
    help: 'Goes forward again after a step back.',
    keys: [']'],
    group: 'Everywhere',
    run: deck => {
      if (!deck.forward()) deck.notify(say`nothing to go forward to`);
    },
  },
  {
    id: 'back-or-leave',
    title: say`back, quit`,
    help: `Goes back like ${KEYS.back}; in the overview it quits, after a confirmation if operations are under way.`,
    keys: [KEYS.quit],
    group: 'Everywhere',
    run: deck => {
      if (deck.isAtRoot() || !deck.back()) leave(deck);
    },
  },
  {
    id: 'leave',
    title: say`interrupt`,
    help: 'Pressed twice, quits from anywhere.',
    keys: [KEYS.interrupt],
    group: 'Everywhere',
    run: deck => {
      const notification = deck.notification();
      const isSecond =
        notification?.text.startsWith(PRESS_AGAIN) === true && deck.now() - notification.shownAt < SECOND_CTRL_C_MS;
      const overlay = deck.overlay();
      // A one-time secret stays open: it cannot be shown again.
      if (overlay?.kind !== 'secret') deck.setOverlay(undefined);
      if (isSecond) return deck.host.leave(0);
      const going = leavingWords(deck.writes.outstanding()) ?? [];
      const notDone = overlay !== undefined && 'shownAt' in overlay ? [notDoneWords(overlay)] : [];
      deck.notify(joinSafe([PRESS_AGAIN, going, notDone].flat(), '; '));
    },
  },
  {
    id: 'progress',
    title: say`progress`,
    help: 'Progress of the last batch: cancel it, or continue with the rest.',
    keys: [KEYS.progress],
    group: 'Actions',
    run: deck => {
      const batch = deck.writes.batch();
      if (batch === undefined) deck.notify(say`no batch was run in this session`);
      else deck.setOverlay({kind: 'plan', ...batch});
    },
  },
  {
    id: 'suspend',
    title: say`suspend`,
    help: 'Suspends skydeck; fg resumes it.',
    keys: [KEYS.suspend],
    group: 'Everywhere',
    run: deck => {
      deck.suspend();
      deck.host.suspend();
    },
  },
  {
    id: 'refresh',
    title: say`refresh`,
    help: 'Refreshes everything on screen.',
    keys: [KEYS.refresh],
    group: 'Everywhere',
    run: deck => {
      deck.poller.refresh();
      // While nothing can be read, the reason is shown in this place instead.
      const scene = deck.scene();
      if (scene.health.status === 'up' && readingPauseSeconds(scene) === undefined) deck.notify(say`refreshing`);
    },
  },
  {
    id: 'redraw',
    title: say`redraw`,
    help: 'Redraws the whole screen.',
    keys: ['ctrl-l'],
    group: 'Everywhere',
    run: deck => deck.host.redraw(),
  },
  {
    id: 'save',
    title: say`save screen`,
    help: 'Saves this screen as text, with colours, as CSV and as JSON.',
    keys: [KEYS.save],
    group: 'Everywhere',
    run: deck => {
      if (deck.isSecretInSight()) deck.notify(say`a secret was just on the screen; try again in a moment`, 'warning');
      else deck.notifyWhole(deck.host.saveScreen(deck.pane().table(deck.scene())));
    },
  },
  {
    id: 'dry-run',
    title: say`dry run`,
    help: 'Dry run on or off: confirming shows the exact calls and sends nothing.',
    keys: [KEYS.dryRun],
    group: 'Safety',
    run: deck => {
      deck.writes.toggleDryRun();
      deck.notify(
        deck.writes.mode().isDryRun ? dryRunWords(deck.writes.outstanding()) : say`dry run is off: confirming sends`,
        'warning',
      );
    },
  },
  {
    id: UNLOCK_ID,
    title: say`allow writes`,
    help: 'In a read-only session: allows writes for 15 minutes, after a question; pressed again, locks them.',
    keys: [KEYS.unlock],
    group: 'Safety',
    run: unlockOrLock,
  },
  {
    id: 'undo',
    title: say`undo`,
    help: 'Withdraws an operation that is still being checked; undoes what was muted last, or asks to undo the last operation from this session.',
    keys: [KEYS.undo],
    group: 'Safety',
    run: deck => askToUndo(deck, 'undo'),
  },
  {
    id: 'redo',
    title: say`redo`,
    help: 'Redoes what was undone last.',
    keys: [KEYS.redo],
    group: 'Safety',
    run: deck => askToUndo(deck, 'redo'),
  },
];

/** A search is active in the detail that fills the pane. */
export function isSearched(pane: Pane, scene: Scene): boolean {
  return (pane.search(scene)?.text ?? '') !== '';
}

/** Moves to the next matching line, or says that there is none. */
export function goToMatch(deck: Deck, direction: 1 | -1): void {
  deck.pane().search(deck.scene())?.next(direction);
  notifyNoMatch(deck);
}

/** A search without matches stays active until it is ended, so that its keys do nothing else meanwhile. */
export function notifyNoMatch(deck: Deck): void {
  const search = deck.pane().search(deck.scene());
  if (search === undefined || search.text === '' || search.matchCount > 0) return;
  const places = search.places();
  const here = say`no match for "${safeText(search.text)}"`;
  const more =
    places.length === 0
      ? say``
      : say`, but ${joinSafe(
          places.map(place => safeText(place)),
          ', ',
        )} (${KEYS.nextPart})`;
  deck.notify(say`${here}${more}; ${KEYS.back} ends the search`, 'warning');
}

function matchCommand({
  direction,
  ...about
}: Pick<GlobalCommand, 'id' | 'title' | 'keys'> & {readonly direction: 1 | -1}): GlobalCommand {
  return {
    ...about,
    help: `The ${direction === 1 ? 'next match (also n)' : 'previous match'} in an open detail.`,
    group: 'Everywhere',
    run: deck => {
      if (isSearched(deck.pane(), deck.scene())) goToMatch(deck, direction);
      else deck.notify(say`no search yet; / in an open detail searches it`);
    },
  };
}

/** What was confirmed before is sent all the same. */
function dryRunWords({unsent: {length}}: Outstanding): SafeText {
  if (length === 0) return say`dry run: nothing is sent until ${KEYS.dryRun} is pressed again`;
  const still = length === 1 ? say`1 confirmed before is still sent` : say`${length} confirmed before are still sent`;
  return say`dry run, but ${still} (${KEYS.progress}, x cancels; ${KEYS.undo} withdraws)`;
}

function unlockOrLock(deck: Deck): void {
  switch (deck.writes.mode().access) {
    case 'open':
      return deck.notify(say`this session is not read-only`);
    case 'unlocked':
      return deck.notify(deck.writes.lock());
    case 'locked':
      return deck.setOverlay({kind: 'unlock', shownAt: deck.now()});
  }
}

const PRESS_AGAIN = say`${KEYS.interrupt} again quits`;

/** One command for each tab. */
export function paneCommands(panes: readonly Pane[]): readonly GlobalCommand[] {
  // A pane without a key can only be opened by name.
  const keyed = panes.filter(({key}) => key !== '');
  return keyed.map(pane => ({
    id: `pane.${pane.id}`,
    title: say`${pane.title}`,
    help: `Opens the pane ${pane.title}.`,
    lists: pane.lists,
    keys: [pane.key],
    group: 'Panes',
    run: deck => deck.goTo(pane.id),
  }));
}

/** Quits at once, or asks first while something would go on without the deck or end with it. */
export function leave(deck: Deck): void {
  if (leavingWords(deck.writes.outstanding()) !== undefined) deck.setOverlay({kind: 'leave', shownAt: deck.now()});
  else deck.host.leave(0);
}
