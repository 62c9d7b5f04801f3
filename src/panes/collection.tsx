import {Box} from 'ink';
import type {ComponentType, ReactNode} from 'react';
import {assert} from '../domain/assert.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {Want} from '../state/poll-schedule.ts';
import {Lines} from '../ui/lines.tsx';
import type {Line} from '../ui/text.ts';
import {collectionLayout} from './collection-layout.ts';
import {type BoundPart, type CommandWords, OPEN_KEY, type PartView} from './collection-part.tsx';
import type {Command, PaneOutcome} from './command.ts';
import {copyMenu} from './copy-menu.ts';
import {copiedNames, type ListKeys, markCommands, orderCommands, sortMenu} from './list-commands.ts';
import {LIST_START, moveCommands} from './list.ts';
import type {OpenDetail, PaneContext, PaneDefinition, Scene} from './pane.ts';
import {relatedMenu} from './related-menu.ts';
import {LIST_VIEW, type ListView, NO_MARKS, type RowId} from './resource-list.tsx';
import {SCROLL_START, type Scroll, scrolled} from './scroll.ts';
import {type Place, visibleRows} from './sizes.ts';
import {KEYS} from './keys.ts';

/** What a person has chosen: a list, a row, a filter and an order in each, and whether the detail fills the pane. */
export type CollectionView = {
  readonly partIndex: number;
  readonly lists: readonly ListView<RowId>[];
  /** The row of the first list that those which belong to it are of. */
  readonly ofId: RowId | undefined;
  readonly isZoomed: boolean;
  /** The detail shows the record as the service sent it. */
  readonly isRecord: boolean;
  readonly scroll: Scroll;
};

type Context = PaneContext<CollectionView>;
type CollectionCommand = Command<Context, PaneOutcome<CollectionView>>;

/** How a pane shows all of its lists at once, among boxes of its own; without one it shows one list, and names the others. */
type Arrangement = {
  /** Where the lists stand, in their order. */
  readonly places: (scene: Scene) => readonly Place[];
  readonly Screen: ComponentType<ArrangedProps>;
  /** What the boxes read. */
  readonly wants?: (shown: Pick<ArrangedProps, 'scene' | 'cursorIds'>) => readonly Want[];
};

export type ArrangedProps = {
  readonly scene: Scene;
  /** The list that the keys move. */
  readonly partIndex: number;
  /** The lists as they are drawn, each as large as its place. */
  readonly lists: readonly ReactNode[];
  /** The id of the row under the cursor of each list. */
  readonly cursorIds: readonly (RowId | undefined)[];
};

type CollectionOptions = {
  readonly id: string;
  readonly key: string;
  readonly title: SafeText;
  readonly aliases: readonly string[];
  readonly parts: readonly BoundPart[];
  readonly arrangement?: Arrangement;
  /** Keys beyond the usual ones. */
  readonly commands?: readonly CollectionCommand[];
};

/** What the pane is made of. */
type Shape = Pick<CollectionOptions, 'parts' | 'arrangement'>;

/** A pane of lists: cursor, filter, order, marks, detail and the usual keys, the same in each. */
export function collectionPane(options: CollectionOptions): PaneDefinition<CollectionView> {
  const {id, parts, arrangement} = options;
  const initialView: CollectionView = {
    partIndex: 0,
    lists: parts.map(({initialView: list}) => list),
    ofId: undefined,
    ...CLOSED,
  };
  const current = (view: CollectionView): BoundPart => partAt(parts, view);
  const listHere = keysHere(parts);
  const actions = parts.some(hasActions) ? actionsMenu(id, parts) : undefined;
  const copyAs = parts.some(({hasCommands}) => hasCommands)
    ? copyMenu<Context>(id, ({scene, view}) => current(view).copiedAs(scene, partView(view)))
    : undefined;
  const related = parts.some(({hasRelated}) => hasRelated)
    ? relatedMenu<CollectionView>(
        id,
        ({scene, view}) => current(view).relatedHere(scene, partView(view)),
        ({view}) => !current(view).hasRelated,
      )
    : undefined;
  function Screen(context: Context): ReactNode {
    return <CollectionScreen {...context} shape={options} />;
  }
  return {
    ...options,
    initialView,
    commands: [
      ...collectionCommands(options, listHere),
      ...(actions === undefined ? [] : [actions.command]),
      ...(copyAs === undefined ? [] : [{...copyAs.command, isAbsent: ({view}: Context) => !current(view).hasCommands}]),
      ...(related === undefined ? [] : [related.command]),
      ...(options.commands ?? []),
    ],
    menus: [
      ...(actions === undefined ? [] : [actions.menu]),
      ...(copyAs === undefined ? [] : [copyAs.menu]),
      ...(related === undefined ? [] : [related.menu]),
      sortMenu<CollectionView>(id, listHere),
    ],
    filter: {
      text: view => listView(view).filterText,
      withText: (view, filterText) => withList(view, {...listView(view), filterText}),
      // Every list has columns of its own; what one of them knows is no mistake while it is typed.
      mistake: text => {
        const mistakes = parts.map(part => part.filterMistake(text));
        return mistakes.includes(undefined) ? undefined : mistakes[0];
      },
      isIdle: ({scene, view}) => current(view).nameUnderCursor(scene, partView(view)) === undefined,
    },
    openDetail: context => openDetail(context, options),
    wants: ({scene, view}) =>
      arrangement === undefined
        ? current(view).wants(scene, partView(view))
        : [
            ...parts.flatMap((part, index) => part.wants(scene, partView(view, index))),
            ...(arrangement.wants?.({scene, cursorIds: cursorIds(options, {scene, view})}) ?? []),
          ],
    settle: context => settled(context, options),
    trail: ({scene, view}) => {
      const part = current(view);
      const owner = part.isNested
        ? partAt(parts, {...view, partIndex: 0}).nameUnderCursor(scene, partView(view, 0))
        : undefined;
      const name = part.nameUnderCursor(scene, partView(view));
      return [
        id,
        ...(parts.length > 1 && arrangement === undefined ? [part.title] : []),
        ...(owner === undefined ? [] : [owner]),
        ...(name === undefined ? [] : [name]),
      ];
    },
    back: view => {
      if (view.isZoomed && view.scroll.searchText !== '') return {...view, scroll: {...view.scroll, searchText: ''}};
      if (view.isZoomed) return {...view, ...CLOSED};
      if (listView(view).filterText !== '') return withList(view, {...listView(view), filterText: ''});
      return arrangement === undefined || view.partIndex === 0 ? undefined : {...view, partIndex: 0};
    },
    withCursorOn: (view, objectId, title) => {
      const there = {...view, ...CLOSED, partIndex: partIndexOf(parts, title)};
      const isZoomed = partAt(parts, there).isArrival;
      return withList({...there, isZoomed}, {...listView(there), cursorId: objectId, filterText: ''});
    },
    isCursorOn: (view, objectId, title) => {
      const index = partIndexOf(parts, title);
      // Of lists that stand side by side the one that was led to keeps its cursor while the keys move another.
      const isShown = arrangement !== undefined || index === view.partIndex;
      return isShown && listView(view, index).cursorId === objectId;
    },
    withMarked: (view, ids) => withList(view, {...listView(view), markedIds: new Set(ids)}),
    table: ({scene, view}) => current(view).table(scene, partView(view)),
    Screen,
  };
}

/** The detail as it is where it does not fill the pane. */
const CLOSED = {isZoomed: false, isRecord: false, scroll: SCROLL_START} as const;

function partAt(parts: readonly BoundPart[], {partIndex}: Pick<CollectionView, 'partIndex'>): BoundPart {
  const part = parts[partIndex];
  assert(part !== undefined, 'a collection without this part');
  return part;
}

/** The list of that title; without one the list that other panes lead to. */
function partIndexOf(parts: readonly BoundPart[], title: string | undefined): number {
  return Math.max(
    0,
    parts.findIndex(part => (title === undefined ? part.isArrival : part.title === title)),
  );
}

function listView({partIndex, lists}: CollectionView, index = partIndex): ListView<RowId> {
  return lists[index] ?? LIST_VIEW;
}

function partView(view: CollectionView, index = view.partIndex): PartView {
  const {isRecord, ofId, partIndex} = view;
  return {...listView(view, index), isRecord: isRecord && index === partIndex, ofId};
}

function withList(view: CollectionView, list: ListView<RowId>, index = view.partIndex): CollectionView {
  return {...view, lists: view.lists.with(index, list)};
}

function cursorIds({parts}: Shape, {scene, view}: Context): readonly (RowId | undefined)[] {
  return parts.map((part, index) => part.idUnderCursor(scene, partView(view, index)));
}

/** Keeps the cursors on their objects. A list that belongs to a row begins anew with another row. */
function settled({scene, view}: Context, shape: Shape): CollectionView {
  const {parts, arrangement} = shape;
  if (arrangement === undefined) {
    return settledList({scene, view}, parts, view.partIndex, visibleRows(layoutOf({scene, view}, parts).list));
  }
  return arrangement.places(scene).reduce((before, place, index) => {
    const here = parts[index]?.isNested === true ? ofRowUnderCursor({scene, view: before}, parts) : before;
    return settledList({scene, view: here}, parts, index, visibleRows(place));
  }, view);
}

function settledList(
  {scene, view}: Context,
  parts: readonly BoundPart[],
  index: number,
  height: number,
): CollectionView {
  const before = listView(view, index);
  const list = partAt(parts, {partIndex: index}).settled(scene, partView(view, index), height);
  const isSame =
    list.cursorId === before.cursorId && list.cursorIndex === before.cursorIndex && list.offset === before.offset;
  if (isSame) return view;
  // A detail never shows another object than the one it was opened on: where that is gone the list is back.
  const isOther = index === view.partIndex && before.cursorId !== undefined && list.cursorId !== before.cursorId;
  const {cursorId, cursorIndex, offset} = list;
  return withList({...view, isZoomed: view.isZoomed && !isOther}, {...before, cursorId, cursorIndex, offset}, index);
}

function ofRowUnderCursor({scene, view}: Context, parts: readonly BoundPart[]): CollectionView {
  const ofId = partAt(parts, {partIndex: 0}).idUnderCursor(scene, partView(view, 0));
  if (ofId === view.ofId) return view;
  const lists = view.lists.map((list, index) =>
    parts[index]?.isNested === true ? {...list, ...LIST_START, ...NO_MARKS} : list,
  );
  if (parts[view.partIndex]?.isNested !== true) return {...view, ofId, lists};
  // Where what they belonged to is gone, the keys must not go on in what belongs to something else.
  const partIndex = isThere(view.ofId, {scene, view}, parts) ? view.partIndex : 0;
  return {...view, partIndex, ofId, lists, ...CLOSED};
}

/** Whether the first list still has the row; none yet is no row that is gone. */
function isThere(id: RowId | undefined, {scene, view}: Context, parts: readonly BoundPart[]): boolean {
  if (id === undefined) return true;
  return partAt(parts, {partIndex: 0}).idUnderCursor(scene, {...partView(view, 0), cursorId: id}) === id;
}

/** The list of the open part, as the keys act in it. */
function keysHere(parts: readonly BoundPart[]): (context: Context) => ListKeys<CollectionView> {
  const keys = parts.map(part => part.keys<CollectionView>({get: partView, put: withList}));
  return ({view}) => {
    const here = keys[view.partIndex];
    assert(here !== undefined, 'a collection without this part');
    return here;
  };
}

function layoutOf({scene, view}: Context, parts: readonly BoundPart[]) {
  const part = partAt(parts, view);
  return collectionLayout(scene.size, {
    partCount: parts.length,
    isZoomed: view.isZoomed,
    hasDetail: part.hasDetail(scene),
    rowCount: part.rowsAboveFold(scene, partView(view)),
  });
}

function collectionCommands(
  shape: Pick<CollectionOptions, 'id' | 'parts' | 'arrangement'>,
  listHere: (context: Context) => ListKeys<CollectionView>,
): readonly CollectionCommand[] {
  const {id, parts} = shape;
  const here = ({view}: Context): BoundPart => partAt(parts, view);
  const toPart = (view: CollectionView, step: number): CollectionView => ({
    ...view,
    ...CLOSED,
    partIndex: (view.partIndex + step + parts.length) % parts.length,
  });
  const zoomed = (view: CollectionView): CollectionView => ({...view, ...CLOSED, isZoomed: !view.isZoomed});
  // A row that has a list of its own is opened by going there.
  const nestedIndex = parts.findIndex(({isNested}) => isNested);
  const opened = (view: CollectionView): CollectionView =>
    nestedIndex !== -1 && view.partIndex === 0 ? {...view, partIndex: nestedIndex} : zoomed(view);
  const noRowReason = (context: Context) =>
    here(context).nameUnderCursor(context.scene, partView(context.view)) === undefined
      ? say`there is nothing under the cursor`
      : undefined;
  return [
    ...moveCommands<CollectionView>(id, {
      pageRows: context => pageRows(context, shape),
      moved: (context, step) => {
        const detail = openDetail(context, shape);
        if (detail === undefined) return listHere(context).moved(context, step);
        return detail.withScroll(scrolled(detail.scroll, step, detail.page));
      },
    }),
    ...markCommands<CollectionView>(id, listHere, noRowReason),
    {
      id: `${id}.open`,
      title: say`open`,
      help: 'Opens it: in its own pane or list where it has one, else its details.',
      keys: [KEYS.open],
      group: 'Look',
      effect: 'view',
      isInStatusBar: true,
      disabledReason: context => {
        const reason = here(context).rowActionReason(OPEN_KEY, context.scene, partView(context.view));
        if (reason !== 'absent') return reason;
        const {isZoomed} = context.view;
        return noRowReason(context) ?? (isZoomed ? say`it is open; ${KEYS.back} goes back to the list` : undefined);
      },
      isAbsent: context => context.view.isZoomed && !here(context).hasRowAction(OPEN_KEY),
      run: context => {
        const part = here(context);
        if (!part.hasRowAction(OPEN_KEY)) return {kind: 'view', view: opened(context.view)};
        return part.runRowAction(OPEN_KEY, context.scene, partView(context.view));
      },
    },
    {
      id: `${id}.zoom`,
      title: say`describe`,
      help: 'Its details in the whole pane, and back.',
      keys: [KEYS.describe, '+'],
      group: 'Look',
      effect: 'view',
      disabledReason: noRowReason,
      run: ({view}) => ({kind: 'view', view: zoomed(view)}),
    },
    ...(parts.some(({hasRecord}) => hasRecord) ? [recordCommand(id, here, noRowReason)] : []),
    ...(parts.length > 1 ? partCommands(shape, toPart) : []),
    ...actionCommands(id, parts, ({isInMenuAlone}) => isInMenuAlone !== true),
    ...orderCommands<CollectionView>(id, listHere),
    {
      id: `${id}.copy`,
      title: say`copy`,
      help: 'Copies the name (or address or key) through the terminal, also over SSH; for marked rows the names.',
      keys: ['c'],
      group: 'Look',
      effect: 'view',
      disabledReason: noRowReason,
      run: context => {
        if (listHere(context).markedCount(context) > 0) return copiedNames(listHere(context), context);
        const text = here(context).copied(context.scene, partView(context.view));
        return text === undefined ? {kind: 'done'} : {kind: 'copy', text};
      },
    },
  ];
}

/** As far as a person sees at once: of the open detail, or of the list that the keys move. */
function pageRows({scene, view}: Context, shape: Shape): number {
  const {parts, arrangement} = shape;
  if (arrangement === undefined) return Math.max(1, visibleRows(layoutOf({scene, view}, parts).list));
  if (view.isZoomed) return Math.max(1, scene.size.rows - 2);
  const place = arrangement.places(scene)[view.partIndex];
  return Math.max(1, place === undefined ? 0 : visibleRows(place));
}

function hasActions(part: BoundPart): boolean {
  return part.canCreate || part.commands.length > 0;
}

/** What changes something: making one, and what can be done to the one under the cursor. */
function actionCommands(
  id: string,
  parts: readonly BoundPart[],
  isWanted: (words: CommandWords) => boolean = () => true,
): readonly CollectionCommand[] {
  const here = ({view}: Context): BoundPart => partAt(parts, view);
  const rowCommand = ({key, title, help}: CommandWords): CollectionCommand => ({
    title,
    help,
    id: `${id}.${NAMES.get(key) ?? key}`,
    keys: [key],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    disabledReason: context => {
      const part = here(context);
      const reason = part.rowActionReason(key, context.scene, partView(context.view));
      return reason === 'absent' ? say`not available for ${part.title}` : reason;
    },
    isAbsent: context => !here(context).hasRowAction(key),
    run: context => here(context).runRowAction(key, context.scene, partView(context.view)),
  });
  const byKey = Map.groupBy(parts.flatMap(({commands}) => commands).filter(isWanted), ({key}) => key);
  const words = [...byKey].flatMap(([key, [first, ...others]]) =>
    first === undefined ? [] : [{...first, ...(others.length === 0 ? {} : COMMON_WORDS.get(key))}],
  );
  return [...(parts.some(({canCreate}) => canCreate) ? [createCommand(id, here)] : []), ...words.map(rowCommand)];
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [KEYS.edit, 'edit'],
  [KEYS.remove, 'remove'],
]);

/** Of keys that several lists of a pane have. */
const COMMON_WORDS: ReadonlyMap<string, Omit<CommandWords, 'key'>> = new Map([
  [KEYS.edit, {title: say`edit`, help: 'Edits what is under the cursor; opens a form.'}],
  [KEYS.remove, {title: say`delete`, help: 'Deletes what is under the cursor; asks first.'}],
]);

/** The key `a` and the menu it opens: every action, with its key or why it is off. */
function actionsMenu(id: string, parts: readonly BoundPart[]) {
  const command: CollectionCommand = {
    id: `${id}.actions`,
    title: say`actions`,
    help: 'All actions here, each with its key or why it is unavailable.',
    keys: ['a'],
    group: 'Actions',
    effect: 'view',
    opens: 'actions',
    disabledReason: ({view}) => {
      const part = partAt(parts, view);
      return hasActions(part) ? undefined : say`no actions for ${part.title}`;
    },
    isAbsent: ({view}) => !hasActions(partAt(parts, view)),
    run: () => ({kind: 'menu', menuId: 'actions'}),
  };
  const menu = {
    id: 'actions',
    title: ({scene, view}: Context): SafeText => {
      const part = partAt(parts, view);
      const markedCount = part.markedCount(scene, partView(view));
      if (markedCount > 0) return say`actions for ${markedCount} marked ${part.title}`;
      const name = part.nameUnderCursor(scene, partView(view));
      return name === undefined ? say`actions in ${part.title}` : say`actions for ${name}`;
    },
    commands: actionCommands(`${id}.actions`, parts),
  };
  return {command, menu};
}

/** Among boxes of its own a pane shows no list while a detail fills it, so there is no next one to go to. */
function partCommands(
  {id, arrangement}: Pick<CollectionOptions, 'id' | 'arrangement'>,
  toPart: (view: CollectionView, step: number) => CollectionView,
): readonly CollectionCommand[] {
  const step = (key: string, title: SafeText, help: string, count: number): CollectionCommand => ({
    id: `${id}.${key}`,
    title,
    help,
    keys: [key],
    group: 'Panes',
    effect: 'view',
    isInStatusBar: count > 0,
    disabledReason: ({view}) =>
      arrangement !== undefined && view.isZoomed ? say`details are open; ${KEYS.back} closes them` : undefined,
    isAbsent: ({view}) => arrangement !== undefined && view.isZoomed,
    run: ({view}) => ({kind: 'view', view: toPart(view, count)}),
  });
  return [
    step(KEYS.nextPart, say`next part`, 'The next list of the pane.', 1),
    step('shift-tab', say`previous part`, 'The list of the pane before.', -1),
  ];
}

function recordCommand(
  id: string,
  here: (context: Context) => BoundPart,
  noRowReason: (context: Context) => SafeText | undefined,
): CollectionCommand {
  return {
    id: `${id}.json`,
    title: say`JSON`,
    help: 'The raw record as the service sends it.',
    keys: ['y'],
    group: 'Look',
    effect: 'view',
    disabledReason: context => {
      const part = here(context);
      return part.hasRecord ? noRowReason(context) : say`the service has no request for one of the ${part.title} alone`;
    },
    run: ({view}) => ({kind: 'view', view: {...view, ...CLOSED, isZoomed: true, isRecord: true}}),
  };
}

function createCommand(id: string, here: (context: Context) => BoundPart): CollectionCommand {
  return {
    id: `${id}.new`,
    title: say`new`,
    help: 'Creates a new one: a form, then a confirmation.',
    keys: [KEYS.create],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    disabledReason: context => {
      const {canCreate, title, createReason} = here(context);
      return canCreate ? createReason(context.scene, partView(context.view)) : say`not available for ${title}`;
    },
    isAbsent: context => !here(context).canCreate,
    run: context => here(context).runCreate(context.scene, partView(context.view)),
  };
}

function openDetail(context: Context, shape: Shape): OpenDetail<CollectionView> | undefined {
  const {scene, view} = context;
  const {parts, arrangement} = shape;
  if (!view.isZoomed) return undefined;
  const detail = arrangement === undefined ? layoutOf(context, parts).detail : scene.size;
  if (detail.rows === 0) return undefined;
  return {
    page: partAt(parts, view).detailPage(scene, partView(view), detail),
    scroll: view.scroll,
    withScroll: scroll => ({...view, scroll}),
  };
}

type ScreenProps = Context & {readonly shape: Shape};

function CollectionScreen({shape, ...context}: ScreenProps): ReactNode {
  const {parts, arrangement} = shape;
  const {scene, view} = context;
  if (arrangement === undefined) return <OneList {...context} parts={parts} />;
  const {Detail} = partAt(parts, view);
  if (view.isZoomed) return <Detail scene={scene} view={partView(view)} place={scene.size} scroll={view.scroll} />;
  const lists = arrangement.places(scene).map((place, index) => {
    const {List, title, hasFeed} = partAt(parts, {partIndex: index});
    const isFocused = index === view.partIndex;
    return (
      <List
        key={title}
        scene={scene}
        view={partView(view, index)}
        place={place}
        isFocused={isFocused}
        // What has no age of its own tells there how the keys get to it.
        {...(hasFeed || isFocused ? {} : {right: KEYS.nextPart})}
      />
    );
  });
  return (
    <arrangement.Screen scene={scene} partIndex={view.partIndex} lists={lists} cursorIds={cursorIds(shape, context)} />
  );
}

function OneList({parts, ...context}: Context & {readonly parts: readonly BoundPart[]}): ReactNode {
  const {scene, view} = context;
  const layout = layoutOf(context, parts);
  const {theme} = scene;
  const {List, Detail, PreviewBox} = partAt(parts, view);
  const shown = {scene, view: partView(view)};
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {layout.tabs.rows > 0 && <Lines lines={[tabsLine(parts, view)]} width={layout.tabs.columns} theme={theme} />}
      <Box flexDirection={layout.isWide ? 'row' : 'column'}>
        <Box flexDirection="column">
          {layout.list.rows > 0 && <List {...shown} place={layout.list} />}
          {layout.preview.rows > 0 && <PreviewBox {...shown} place={layout.preview} />}
        </Box>
        {layout.detail.rows > 0 && <Detail {...shown} place={layout.detail} scroll={view.scroll} />}
      </Box>
    </Box>
  );
}

/** The lists of the pane, the open one marked by its brackets too. */
function tabsLine(parts: readonly BoundPart[], {partIndex}: CollectionView): Line {
  return parts.map(({title}, index) =>
    index === partIndex ? {text: ` [${title}]`, tone: 'focus'} : {text: `  ${title} `, tone: 'dim'},
  );
}
