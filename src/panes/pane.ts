import {createElement, type FunctionComponent, memo} from 'react';
import type {AssessmentInput} from '../actions/question/assessment-input.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {isAlike} from '../domain/memo.ts';
import type {Mute} from '../domain/triage/mute.ts';
import {type DurationMs, type EpochMs, SECOND_MS} from '../domain/time.ts';
import type {Feed} from '../state/feed.ts';
import type {Latest} from '../state/operations/journal.ts';
import type {LearntActivity} from '../state/learnt-activity.ts';
import type {Want} from '../state/poller/poll-schedule.ts';
import type {SeenChanges} from '../state/timeline.ts';
import type {LinkFacts} from '../state/triage.ts';
import type {Undoable} from '../state/operations/undo.ts';
import type {Theme} from '../ui/theme.ts';
import type {Command, CommandResult, Menu, PaneOutcome, Target} from './command.ts';
import {matchCount, matchText, nextMatch, type Page, type Scroll, searched} from './scroll.ts';

/** What a pane may look at: everything known, and nothing it could change. */
export type Scene = AssessmentInput & {
  /** When the deck was opened: the cost of a shift counts from then. */
  readonly openedAt?: EpochMs;
  /** The pane's own part of the terminal, in cells. */
  readonly size: {readonly columns: number; readonly rows: number};
  readonly theme: Theme;
  /** What was learnt about the machines' activity. */
  readonly activity?: LearntActivity | undefined;
  /** A Prometheus is configured, which may know more than the service. */
  readonly hasPrometheus?: boolean | undefined;
  /** Roughly how long an unread feed must wait for the request budget; 0 if it does not wait for that. */
  readonly budgetWait?: ((feed: Feed<unknown>) => DurationMs) | undefined;
  /** The state of the connection to the service. */
  readonly link?: LinkFacts | undefined;
  /** What the person has muted: the same array until it changes. */
  readonly mutes?: readonly Mute[] | undefined;
  /** The deck is visible on a terminal. */
  readonly isWatched?: boolean | undefined;
  /** A key of this pane was pressed: from then on its cursor stays on its object. */
  readonly hasChosen: boolean;
  /**
   * The same object until something is read, sent or muted, or the clock takes a large step, or a second while an
   * operation is under way or the service is away. No key changes it.
   */
  readonly facts?: object | undefined;
  /** Operations sent from here, including earlier sessions. */
  readonly journal?: (() => Latest) | undefined;
  /** Whether an operation of this session can be undone; undefined for one of another. */
  readonly undoable?: ((operationId: string) => Undoable | undefined) | undefined;
  /** Changes observed since the deck was opened. */
  readonly changes?: Pick<SeenChanges, 'entries' | 'risen'> | undefined;
};

/*
 * What is memoised on what. A repaint has a new scene, so a component that takes one says what in it counts:
 *
 * - A pane (`openPane`) is rendered again for another view, for new facts, and for each second that it shows.
 * - A box of a pane (`memoBox`) is rendered again for new facts and for another value of its other props, so a key costs
 *   the boxes that show something else after it. A box whose content counts seconds is one `countsSeconds` of.
 * - The age at the edge of a box ticks by itself (`TopEdge`), and the box around it stays as it is.
 * - Rows, lines and edges (ui/list.tsx, ui/lines.tsx) are rendered again for other values of their own.
 * - Lines of a page that scrolls and is searched are plain values: charts of machines are kept per reading (`memoPer`).
 */

type BoxOptions = {
  /** Something in it besides the age at its edge counts seconds. */
  readonly countsSeconds?: boolean;
};

/** A component of a scene that is rendered again only for new facts, and for other values of its other props. */
export function memoBox<Props extends {readonly scene: Scene}>(
  Box: FunctionComponent<Props>,
  {countsSeconds = false}: BoxOptions = {},
): FunctionComponent<Props> {
  return memo<Props>(Box, ({scene: before, ...propsBefore}, {scene, ...props}) => {
    // Small objects such as places and views are made anew for each repaint.
    return isSameScene(before, scene, countsSeconds) && isAlike(propsBefore, props);
  });
}

function isSameScene(before: Scene, scene: Scene, countsSeconds: boolean): boolean {
  return (
    before.facts !== undefined &&
    before.facts === scene.facts &&
    before.theme === scene.theme &&
    before.size.columns === scene.size.columns &&
    before.size.rows === scene.size.rows &&
    (!countsSeconds || secondOf(before) === secondOf(scene))
  );
}

/** By the clock of the ages, which goes on where the displayed one is set to a fixed moment. */
function secondOf({monotonicNow}: Scene): number {
  return Math.floor(monotonicNow / SECOND_MS);
}

export type PaneContext<View> = {readonly scene: Scene; readonly view: View};

/**
 * One pane, as its folder defines it. `View` is what the person has chosen in it: cursor, filter, sort order, window. A
 * pane of lists is a `collectionPane` (list/collection.tsx), which declares its lists; one that shows something else is
 * written out, as handover/pane.tsx is.
 */
export type PaneDefinition<View> = {
  readonly id: string;
  readonly key: string;
  readonly title: SafeText;
  /** Other names the palette accepts. */
  readonly aliases: readonly string[];
  readonly initialView: View;
  readonly commands: readonly Command<PaneContext<View>, PaneOutcome<View>>[];
  readonly menus?: readonly Menu<PaneContext<View>, PaneOutcome<View>>[];
  /** Absent if it has no rows to filter. */
  readonly filter?: PaneFilter<View>;
  /** The detail that fills the pane, where `/` searches instead of filtering; undefined if a list is shown. */
  readonly openDetail?: (context: PaneContext<View>) => OpenDetail<View> | undefined;
  /** The feeds to read while this pane is visible, most urgent first. */
  readonly wants: (context: PaneContext<View>) => readonly Want[];
  /** Updates the view to what is known: the cursor follows its object, or stays where it was. */
  readonly adjust: (context: PaneContext<View>) => View;
  /** For example `machines › train-02`: where the person is. */
  readonly trail: (context: PaneContext<View>) => readonly string[];
  /** The view one step back; undefined at the pane's root. */
  readonly back: (view: View) => View | undefined;
  /** The view at its list, with filter and sort order as they are; absent if nothing opens over it. */
  readonly atList?: (view: View) => View;
  /** The view when the pane is chosen by its key or name; absent if it stays as it was. */
  readonly chosenAgain?: (view: View) => View;
  /**
   * The view with the cursor on an object, in the list with that title, for a jump from another pane; absent if nothing
   * jumps to objects of this pane.
   */
  readonly withCursorOn?: (view: View, objectId: number, part?: string) => View;
  /** The titles of its lists, if it has several, and the view at one of them. */
  readonly lists?: readonly SafeText[];
  readonly withListOf?: (view: View, title: string) => View;
  /** Whether the cursor is on that object. */
  readonly isCursorOn?: (view: View, objectId: number, part?: string) => boolean;
  /**
   * The view in which the row under the cursor counts as chosen, if the cursor slipped to it from one that is gone;
   * undefined if it did not. Absent without rows.
   */
  readonly settled?: (view: View) => View | undefined;
  /** The view with exactly these objects marked; absent if nothing can be marked. */
  readonly withMarked?: (view: View, objectIds: readonly number[]) => View;
  /** The marked objects; absent if nothing can be marked. */
  readonly markedIds?: (view: View) => ReadonlySet<number | string>;
  /** The marked objects hidden by a filter; absent if nothing can be marked. */
  readonly hiddenMarkedIds?: (context: PaneContext<View>) => ReadonlySet<number | string>;
  readonly table: (context: PaneContext<View>) => PlainTable;
  /** Whether nothing on it counts seconds besides the ages at box edges; absent if something may. */
  readonly isStill?: (context: PaneContext<View>) => boolean;
  readonly Screen: FunctionComponent<PaneContext<View>>;
};

type PaneFilter<View> = {
  readonly text: (view: View) => string;
  readonly withText: (view: View, text: string) => View;
  /** What is wrong with the expression, while it is typed. */
  readonly mistake: (text: string) => SafeText | undefined;
  /** There is no row to filter; absent if a pane always has some. */
  readonly isIdle?: (context: PaneContext<View>) => boolean;
};

export type OpenDetail<View> = {
  readonly page: Page;
  readonly scroll: Scroll;
  readonly withScroll: (scroll: Scroll) => View;
  /** The other parts of the detail that contain the text. */
  readonly placesOf?: (searchText: string) => readonly string[];
};

/** The search in the detail that fills a pane. */
type DetailSearch = {
  readonly text: string;
  /** Its position: `2 of 5 lines`. */
  readonly matchText: string;
  readonly matchCount: number;
  /** Other parts of the detail with matches. */
  readonly places: () => readonly string[];
  readonly find: (text: string) => void;
  readonly next: (direction: 1 | -1) => void;
};

/** The pane's content as a plain table, for saving: one text or number per column and row. */
export type PlainTable = {
  /** The name of the list, if the pane has several. */
  readonly title?: SafeText;
  readonly columns: readonly string[];
  /** Undefined means unknown or none. */
  readonly rows: readonly (readonly (string | number | undefined)[])[];
  /** If what is shown is a document. */
  readonly markdown?: string;
};

/** A command bound to its pane's present view: what the keymap dispatches. */
export type BoundCommand = Command<Scene, CommandResult> &
  Required<Pick<Command<Scene, CommandResult>, 'consequence' | 'disabledReason' | 'isAbsent'>>;

type BoundMenu = Omit<Menu<Scene, CommandResult>, 'commands' | 'choices'> & {
  readonly commands: readonly BoundCommand[];
  /** Everything the menu offers now. */
  readonly offered: (scene: Scene) => readonly BoundCommand[];
};

/** An open pane with its view inside, so that the deck can hold panes of different kinds side by side. */
export type Pane = {
  readonly id: string;
  readonly key: string;
  readonly title: SafeText;
  /** Other names the palette accepts. */
  readonly aliases: readonly string[];
  /** The titles of its lists, if it has several. */
  readonly lists: readonly SafeText[];
  readonly commands: readonly BoundCommand[];
  /** The present view, to be restored later. */
  readonly checkpoint: () => () => void;
  readonly menus: readonly BoundMenu[];
  readonly filterText: () => string;
  readonly setFilterText: (text: string) => void;
  readonly filterMistake: (text: string) => SafeText | undefined;
  /** Why there is nothing to filter or search here. */
  readonly filterReason: (scene: Scene) => SafeText | undefined;
  /** Undefined if no detail fills the pane. */
  readonly search: (scene: Scene) => DetailSearch | undefined;
  /** Goes one step back inside the pane; false at its root. */
  readonly goBack: () => boolean;
  /** Closes what is open over its list; false if nothing is. */
  readonly goToList: () => boolean;
  /** How many steps its root is away. */
  readonly depth: () => number;
  /** Puts the cursor on an object, or on the first that a filter finds. */
  readonly goTo: (target: Target) => void;
  /** Whether the cursor is still on the object, or on one of several that are still marked, or the filter is set. */
  readonly standsOn: (target: Target) => boolean;
  /** Whether the cursor had slipped to its row from one that is gone; from then on that row counts as chosen. */
  readonly settle: () => boolean;
  readonly markedIds: () => ReadonlySet<number | string>;
  readonly hiddenMarkedIds: (scene: Scene) => ReadonlySet<number | string>;
  /** Removes all marks if one of these objects is marked. */
  readonly clearMarksOf: (objectIds: readonly (number | string)[]) => void;
  readonly table: (scene: Scene) => PlainTable;
  readonly wants: (scene: Scene) => readonly Want[];
  readonly adjust: (scene: Scene) => void;
  readonly trail: (scene: Scene) => readonly string[];
  /** Whether it may stay unchanged while only seconds pass. */
  readonly isStill: (scene: Scene) => boolean;
  readonly Screen: FunctionComponent<{readonly scene: Scene}>;
};

/** The person's present view of an open pane. */
type Held<View> = {view: View};

/** Opens a pane. Its view is kept here from now on, and only its own commands change it. */
export function openPane<View>(definition: PaneDefinition<View>): Pane {
  const held: Held<View> = {view: definition.initialView};
  const Screen = paneScreen(definition);
  const at = (scene: Scene): PaneContext<View> => ({scene, view: held.view});
  const {filter, menus = []} = definition;
  return {
    id: definition.id,
    key: definition.key,
    title: definition.title,
    aliases: definition.aliases,
    lists: definition.lists ?? [],
    commands: definition.commands.map(command => boundCommand(command, held)),
    menus: menus.map(menu => boundMenu(menu, held)),
    filterText: () => filter?.text(held.view) ?? '',
    checkpoint: () => {
      const {view} = held;
      return () => {
        held.view = view;
      };
    },
    setFilterText: text => {
      held.view = filter?.withText(held.view, text) ?? held.view;
    },
    filterMistake: text => filter?.mistake(text),
    filterReason: scene => {
      const isIdle = filter === undefined || (filter.text(held.view) === '' && filter.isIdle?.(at(scene)) === true);
      if (!isIdle) return undefined;
      return definition.openDetail?.(at(scene)) === undefined ? say`there is nothing to filter` : undefined;
    },
    search: scene => {
      const detail = definition.openDetail?.(at(scene));
      return detail === undefined ? undefined : searchIn(detail, held);
    },
    wants: scene => definition.wants(at(scene)),
    adjust: scene => {
      held.view = definition.adjust(at(scene));
    },
    trail: scene => definition.trail(at(scene)),
    isStill: scene => definition.isStill?.(at(scene)) === true,
    goBack: () => {
      const previous = definition.back(held.view);
      if (previous !== undefined) held.view = previous;
      return previous !== undefined;
    },
    goToList: () => {
      const view = definition.atList?.(held.view) ?? held.view;
      const hasClosed = viewsBefore(view, definition).length < viewsBefore(held.view, definition).length;
      if (hasClosed) held.view = view;
      held.view = definition.chosenAgain?.(held.view) ?? held.view;
      return hasClosed;
    },
    depth: () => viewsBefore(held.view, definition).length,
    goTo: target => {
      held.view = viewAt(target, held.view, definition);
    },
    standsOn: ({objectId, markedIds, filterText, part}) => {
      if (objectId === undefined) return filterText === (filter?.text(held.view) ?? '');
      const marked = definition.markedIds?.(held.view) ?? new Set();
      const ids = markedIds?.filter(id => marked.has(id)) ?? [objectId];
      return ids.some(id => definition.isCursorOn?.(held.view, id, part) === true);
    },
    settle: () => {
      const view = definition.settled?.(held.view);
      held.view = view ?? held.view;
      return view !== undefined;
    },
    markedIds: () => definition.markedIds?.(held.view) ?? new Set(),
    hiddenMarkedIds: scene => definition.hiddenMarkedIds?.(at(scene)) ?? new Set(),
    clearMarksOf: objectIds => {
      const markedIds = definition.markedIds?.(held.view) ?? new Set();
      if (!objectIds.some(id => markedIds.has(id))) return;
      held.view = definition.withMarked?.(held.view, []) ?? held.view;
    },
    table: scene => definition.table(at(scene)),
    // The view changes with commands and readings; a repaint with a new scene follows each change.
    Screen: ({scene}) => createElement(Screen, at(scene)),
  };
}

function paneScreen<View>({Screen, isStill}: PaneDefinition<View>): FunctionComponent<PaneContext<View>> {
  return memo<PaneContext<View>>(Screen, (before, after) => {
    const countsSeconds = isStill?.(after) !== true;
    return before.view === after.view && isSameScene(before.scene, after.scene, countsSeconds);
  });
}

function boundCommand<View>(command: Command<PaneContext<View>, PaneOutcome<View>>, held: Held<View>): BoundCommand {
  const at = (scene: Scene): PaneContext<View> => ({scene, view: held.view});
  return {
    ...command,
    titleHere: scene => command.titleHere?.(at(scene)),
    consequence: scene => command.consequence?.(at(scene)),
    ableCount: scene => command.ableCount?.(at(scene)),
    disabledReason: scene => command.disabledReason?.(at(scene)),
    isAbsent: scene => command.isAbsent?.(at(scene)) === true,
    run: scene => {
      const outcome = command.run(at(scene));
      if (outcome.kind !== 'view') return outcome;
      held.view = outcome.view;
      return outcome.says === undefined ? {kind: 'done'} : {kind: 'say', text: outcome.says};
    },
  };
}

function boundMenu<View>(menu: Menu<PaneContext<View>, PaneOutcome<View>>, held: Held<View>): BoundMenu {
  const commands = menu.commands.map(command => boundCommand(command, held));
  return {
    id: menu.id,
    title: scene => menu.title({scene, view: held.view}),
    commands,
    offered: scene => [
      ...commands,
      ...(menu.choices?.({scene, view: held.view}).map(command => boundCommand(command, held)) ?? []),
    ],
  };
}

function searchIn<View>({page, scroll, withScroll, placesOf}: OpenDetail<View>, held: Held<View>): DetailSearch {
  return {
    text: scroll.searchText,
    matchText: matchText(scroll, page),
    matchCount: matchCount(scroll, page),
    places: () => placesOf?.(scroll.searchText) ?? [],
    find: text => {
      held.view = withScroll(searched(scroll, text, page));
    },
    next: direction => {
      held.view = withScroll(nextMatch(scroll, direction, page));
    },
  };
}

/** The views before this one, up to the root of the pane. */
function viewsBefore<View>(view: View, {back}: Pick<PaneDefinition<View>, 'back'>): readonly View[] {
  const views: View[] = [];
  for (let before = back(view); before !== undefined; before = back(before)) views.push(before);
  return views;
}

function viewAt<View>(
  {objectId, markedIds = [], filterText, part}: Target,
  view: View,
  definition: PaneDefinition<View>,
): View {
  const inList = part === undefined ? view : (definition.withListOf?.(view, part) ?? view);
  const onObject = objectId === undefined ? inList : (definition.withCursorOn?.(view, objectId, part) ?? inList);
  // Otherwise the next action would apply to marks made earlier, and not to what the person came for.
  const marked = objectId === undefined ? inList : (definition.withMarked?.(onObject, markedIds) ?? onObject);
  if (filterText === undefined) return marked;
  return definition.filter?.withText(viewsBefore(marked, definition).at(-1) ?? marked, filterText) ?? marked;
}
