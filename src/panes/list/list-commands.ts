import {joinSafe, type SafeText, say} from '../../domain/safe-text.ts';
import type {Command, Menu, PaneOutcome} from '../command.ts';
import type {PaneContext} from '../pane.ts';
import {type ListAt, type ListView, NO_MARKS, type ResourceList, type SortChoice} from './resource-list.tsx';
import {KEYS} from '../../actions/keys.ts';

/** A list as the keys of its pane use it, whatever its rows are. */
export type ListKeys<View> = {
  readonly sortChoices: readonly SortChoice[];
  /** The list's own order in words. */
  readonly orderWords: SafeText | undefined;
  readonly sortKey: (context: PaneContext<View>) => string | undefined;
  readonly isAsOpened: (context: PaneContext<View>) => boolean;
  readonly sorted: (context: PaneContext<View>, choice: SortChoice | undefined) => Ordered<View>;
  readonly moved: (context: PaneContext<View>, step: number) => View;
  readonly widened: (context: PaneContext<View>) => View;
  readonly isEmpty: (context: PaneContext<View>) => boolean;
  readonly markedCount: (context: PaneContext<View>) => number;
  readonly marks: Readonly<Record<MarkName, (context: PaneContext<View>) => View>>;
  /** The names of the marked rows, or of the one under the cursor. */
  readonly chosenNames: (context: PaneContext<View>) => readonly SafeText[];
};

type Ordered<View> = {readonly view: View; readonly isDescending: boolean};
type MarkName = 'mark' | 'markRange' | 'markAll' | 'clearMarks';

/** Where the list is in its pane's view. */
type Lens<View, Id, Of> = {
  readonly at: (context: PaneContext<View>) => ListAt<Id, Of>;
  readonly put: (view: View, list: ListView<Id>) => View;
};

export function listKeys<View, Row extends object, Id, Of>(
  list: ResourceList<Row, Id, Of>,
  {at, put}: Lens<View, Id, Of>,
  nameOf: (row: Row) => SafeText,
): ListKeys<View> {
  const {idOf} = list;
  const ids = (place: ListAt<Id, Of>): readonly Id[] => list.shown(place).rows.map(idOf);
  const changed =
    (change: (place: ListAt<Id, Of>) => ListView<Id>) =>
    (context: PaneContext<View>): View =>
      put(context.view, change(at(context)));
  const withMarks = (view: ListView<Id>, added: readonly Id[]): ListView<Id> => ({
    ...view,
    markedIds: new Set([...view.markedIds, ...added]),
  });
  return {
    sortChoices: list.sortChoices,
    orderWords: list.orderWords,
    sortKey: context => at(context).view.sortKey,
    isAsOpened: context => list.isAsOpened(at(context)),
    sorted: (context, choice) => {
      const view = list.sorted(at(context), choice);
      return {view: put(context.view, view), isDescending: view.isDescending};
    },
    moved: (context, step) => changed(place => list.moved(place, step))(context),
    widened: changed(({view}) => ({...view, isWide: !view.isWide})),
    isEmpty: context => list.rowUnderCursor(at(context)) === undefined,
    markedCount: context => at(context).view.markedIds.size,
    marks: {
      mark: changed(place => {
        const row = list.rowUnderCursor(place);
        if (row === undefined) return place.view;
        const id = idOf(row);
        // On the last row the cursor stays where it is, and a key pressed once too often must not remove the mark.
        if (id === place.view.justMarkedId) return place.view;
        const markedIds = new Set(place.view.markedIds);
        const isMarked = !markedIds.delete(id);
        if (isMarked) markedIds.add(id);
        return {...list.moved(place, 1), markedIds, markAnchor: id, justMarkedId: isMarked ? id : undefined};
      }),
      markRange: changed(place => {
        const range = rangeIds(list, place, ids(place));
        return {...withMarks(place.view, range), markAnchor: range.at(-1)};
      }),
      markAll: changed(place => withMarks(place.view, ids(place))),
      clearMarks: changed(({view}) => ({...view, ...NO_MARKS})),
    },
    chosenNames: context => list.chosen(at(context)).map(nameOf),
  };
}

/** From the last mark to the cursor, in list order; only the row under the cursor if no mark is visible. */
function rangeIds<Row extends object, Id, Of>(
  list: ResourceList<Row, Id, Of>,
  place: ListAt<Id, Of>,
  ids: readonly Id[],
): readonly Id[] {
  const row = list.rowUnderCursor(place);
  if (row === undefined) return [];
  const here = ids.indexOf(list.idOf(row));
  const {markAnchor} = place.view;
  const anchor = markAnchor === undefined ? -1 : ids.indexOf(markAnchor);
  const start = anchor === -1 ? here : anchor;
  const range = ids.slice(Math.min(start, here), Math.max(start, here) + 1);
  return here < start ? range.reverse() : range;
}

type ListCommand<View> = Command<PaneContext<View>, PaneOutcome<View>>;
/** Why columns and the order of rows cannot be used now: something else is shown in place of the list. */
type UnlistedReason<View> = (view: View) => SafeText | undefined;
type Here<View> = (context: PaneContext<View>) => ListKeys<View>;

/** A list that may be hidden behind an open detail, where its keys would change something invisible. */
type Zoomable = {readonly isZoomed: boolean};

function behindReason({view}: {readonly view: Zoomable}): SafeText | undefined {
  return view.isZoomed ? say`a detail is open; ${KEYS.back} goes back to the list` : undefined;
}

/** Why there is nothing to sort. */
function unsortableReason<View extends Zoomable>(here: Here<View>, context: PaneContext<View>): SafeText | undefined {
  return behindReason(context) ?? (here(context).isEmpty(context) ? say`there is nothing to sort` : undefined);
}

const BEHIND_A_DETAIL = {isAbsent: ({view}: {readonly view: Zoomable}) => view.isZoomed, disabledReason: behindReason};

/** Sort, reverse, wide: the same keys in every list. */
export function orderCommands<View extends Zoomable>(
  paneId: string,
  here: Here<View>,
  unlistedReason: UnlistedReason<View> = () => undefined,
): readonly ListCommand<View>[] {
  return [
    {
      ...BEHIND_A_DETAIL,
      id: `${paneId}.wide`,
      title: say`wide`,
      help: 'More columns, in place of any graphs.',
      keys: ['ctrl-w'],
      group: 'Look',
      disabledReason: context => behindReason(context) ?? unlistedReason(context.view),
      run: context => ({kind: 'view', view: here(context).widened(context)}),
    },
    {
      ...BEHIND_A_DETAIL,
      id: `${paneId}.sort`,
      title: say`sort`,
      help: 'Opens the sort menu; then the letter of the column, once more to reverse the order.',
      keys: [KEYS.sort],
      group: 'Look',
      isInStatusBar: true,
      opens: 'sort',
      disabledReason: context => unsortableReason(here, context),
      run: () => ({kind: 'menu', menuId: 'sort'}),
    },
    {
      ...BEHIND_A_DETAIL,
      id: `${paneId}.reverse`,
      title: say`reverse`,
      help: 'Reverses the order.',
      keys: ['O'],
      group: 'Look',
      disabledReason: context =>
        unsortableReason(here, context) ??
        (here(context).sortKey(context) === undefined ? say`sort by a column first (${KEYS.sort})` : undefined),
      run: context => {
        const choice = here(context).sortChoices.find(({key}) => key === here(context).sortKey(context));
        return choice === undefined ? {kind: 'done'} : sortedBy(here(context), context, choice);
      },
    },
  ];
}

/** The columns of the current list, each under its letter. */
export function sortMenu<View>(paneId: string, here: Here<View>): Menu<PaneContext<View>, PaneOutcome<View>> {
  return {
    id: 'sort',
    title: context => {
      const now = here(context).sortChoices.find(({key}) => key === here(context).sortKey(context));
      return say`sort by (now ${now?.name ?? here(context).orderWords ?? say`default order`})`;
    },
    commands: [],
    choices: context => [
      {
        id: `${paneId}.sort.own`,
        title: say`default order`,
        help: 'The default order of the list.',
        keys: ['-'],
        group: 'Look',
        disabledReason: inPane => (here(inPane).isAsOpened(inPane) ? say`already in this order` : undefined),
        run: inPane => ({
          kind: 'view',
          view: here(inPane).sorted(inPane, undefined).view,
          says: say`in the default order`,
        }),
      },
      ...here(context).sortChoices.map(
        (choice): ListCommand<View> => ({
          id: `${paneId}.sort.${choice.key}`,
          title: choice.name,
          help: `Sorts by ${choice.name}; once more reverses the order.`,
          keys: [choice.letter],
          group: 'Look',
          run: inPane => sortedBy(here(inPane), inPane, choice),
        }),
      ),
    ],
  };
}

function sortedBy<View>(keys: ListKeys<View>, context: PaneContext<View>, choice: SortChoice): PaneOutcome<View> {
  const isSame = keys.sortKey(context) === choice.key;
  const {view, isDescending} = keys.sorted(context, choice);
  const order = isDescending ? say`descending` : say`ascending`;
  return {
    kind: 'view',
    view,
    says: isSame ? say`order reversed: by ${choice.name}, ${order}` : say`sorted by ${choice.name}, ${order}`,
  };
}

/** The keys that select rows, to act on all of them or to copy their names. */
export function markCommands<View extends Zoomable>(
  paneId: string,
  here: Here<View>,
  noRowReason: (context: PaneContext<View>) => SafeText | undefined,
  unlistedReason: UnlistedReason<View> = () => undefined,
): readonly ListCommand<View>[] {
  const LAST_STAYS = say`the last row stays marked; ${KEYS.clearMarks} clears the marks`;
  const offReason = (name: MarkName, context: PaneContext<View>) => {
    if (name === 'markRange') return noRowReason(context) ?? unlistedReason(context.view);
    if (name !== 'clearMarks') return noRowReason(context);
    return here(context).markedCount(context) === 0 ? say`nothing is marked` : undefined;
  };
  const command = (
    name: MarkName,
    words: Pick<ListCommand<View>, 'id' | 'title' | 'titleHere' | 'help' | 'keys' | 'isInStatusBar'>,
  ): ListCommand<View> => ({
    ...words,
    id: `${paneId}.${words.id}`,
    group: 'Pick',
    isAbsent: BEHIND_A_DETAIL.isAbsent,
    disabledReason: context => behindReason(context) ?? offReason(name, context),
    run: context => {
      const view = here(context).marks[name](context);
      const count = (inPane: PaneContext<View>) => here(inPane).markedCount(inPane);
      const isAtEnd = name === 'mark' && count({...context, view}) === count(context);
      return {kind: 'view', view, ...(isAtEnd ? {says: LAST_STAYS} : {})};
    },
  });
  return [
    command('mark', {
      id: 'mark',
      title: say`mark`,
      help: 'Marks or unmarks the row, and moves to the next.',
      keys: ['space'],
    }),
    command('markRange', {
      id: 'mark-range',
      title: say`mark range`,
      help: 'Marks all rows from the last marked one to the one under the cursor.',
      keys: ['V', 'ctrl-space'],
    }),
    command('markAll', {
      id: 'mark-all',
      title: say`mark all`,
      help: 'Marks all rows that the filter shows.',
      keys: ['*'],
    }),
    command('clearMarks', {
      id: 'clear-marks',
      title: say`clear marks`,
      titleHere: context => {
        const count = here(context).markedCount(context);
        return count === 1 ? say`clear 1 mark` : say`clear ${count} marks`;
      },
      help: 'Removes all marks.',
      keys: [KEYS.clearMarks],
      isInStatusBar: true,
    }),
  ];
}

/** Copies the name of the row under the cursor, or the names of the marked rows in the form a command accepts. */
export function copiedNames<View>(keys: ListKeys<View>, context: PaneContext<View>): PaneOutcome<View> {
  const names = keys.chosenNames(context);
  return names.length === 0 ? {kind: 'done'} : {kind: 'copy', text: joinSafe(names)};
}
