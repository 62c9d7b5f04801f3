import {Box} from 'ink';
import type {ReactNode} from 'react';
import {assert} from '../domain/assert.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {Lines} from '../ui/lines.tsx';
import type {Line} from '../ui/text.ts';
import {collectionLayout, visibleRows} from './collection-layout.ts';
import {type BoundPart, type CommandWords, OPEN_KEY, type PartView} from './collection-part.tsx';
import type {Command, PaneOutcome} from './command.ts';
import {copyMenu} from './copy-menu.ts';
import {moveCommands} from './list.ts';
import {copiedNames, type ListKeys, markCommands, orderCommands, sortMenu} from './list-commands.ts';
import type {OpenDetail, PaneContext, PaneDefinition} from './pane.ts';
import {relatedMenu} from './related-menu.ts';
import {LIST_VIEW, type ListView} from './resource-list.tsx';
import {SCROLL_START, type Scroll, scrolled} from './scroll.ts';

/** What a person has chosen: a list, a row, a filter and an order in each, and whether the detail fills the pane. */
export type CollectionView = {
  readonly partIndex: number;
  readonly lists: readonly ListView<string>[];
  readonly isZoomed: boolean;
  /** The detail shows the record as the service sent it. */
  readonly isRecord: boolean;
  readonly scroll: Scroll;
};

type Context = PaneContext<CollectionView>;
type CollectionCommand = Command<Context, PaneOutcome<CollectionView>>;

/** A pane of plain lists: cursor, filter, detail and the usual keys, the same in each. */
export function collectionPane(options: {
  readonly id: string;
  readonly key: string;
  readonly title: SafeText;
  readonly aliases: readonly string[];
  readonly parts: readonly BoundPart[];
  /** Keys beyond the usual ones. */
  readonly commands?: readonly CollectionCommand[];
}): PaneDefinition<CollectionView> {
  const {id, parts} = options;
  const initialView: CollectionView = {
    partIndex: 0,
    lists: parts.map(() => LIST_VIEW),
    isZoomed: false,
    isRecord: false,
    scroll: SCROLL_START,
  };
  const current = (view: CollectionView): BoundPart => partAt(parts, view);
  const listHere = keysHere(parts);
  const actions = parts.some(hasActions) ? actsMenu(id, parts) : undefined;
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
  return {
    ...options,
    initialView,
    commands: [
      ...collectionCommands(id, parts, listHere),
      ...(actions === undefined ? [] : [actions.command]),
      ...(copyAs === undefined ? [] : [copyAs.command]),
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
      text: view => partView(view).filterText,
      withText: (view, filterText) => withList(view, {...listView(view), filterText}),
      // Every list has columns of its own; what one of them knows is no mistake while it is typed.
      mistake: text => {
        const mistakes = parts.map(part => part.filterMistake(text));
        return mistakes.includes(undefined) ? undefined : mistakes[0];
      },
    },
    openDetail: context => openDetail(context, parts),
    wants: ({scene, view}) => current(view).wants(scene, partView(view)),
    settle: ({scene, view}) => {
      const height = visibleRows(layoutOf({scene, view}, parts).list);
      const before = listView(view);
      const settled = current(view).settled(scene, before, height);
      if (settled === before) return view;
      // A detail never shows another object than the one it was opened on: where that is gone the list is back.
      const isOther = before.cursorId !== undefined && settled.cursorId !== before.cursorId;
      return withList({...view, isZoomed: view.isZoomed && !isOther}, settled);
    },
    trail: ({scene, view}) => {
      const part = current(view);
      const name = part.nameUnderCursor(scene, partView(view));
      const places = parts.length > 1 ? [id, part.title] : [id];
      return name === undefined ? places : [...places, name];
    },
    back: view => {
      if (view.isZoomed && view.scroll.searchText !== '') return {...view, scroll: {...view.scroll, searchText: ''}};
      if (view.isZoomed) return {...view, isZoomed: false, isRecord: false, scroll: SCROLL_START};
      if (partView(view).filterText === '') return undefined;
      return withList(view, {...listView(view), filterText: ''});
    },
    withCursorOn: (view, objectId, title) => {
      const partIndex = Math.max(
        0,
        parts.findIndex(part => part.title === title),
      );
      const there = {...view, partIndex, isZoomed: false, isRecord: false, scroll: SCROLL_START};
      return withList(there, {...listView(there), cursorId: String(objectId), filterText: ''});
    },
    withMarked: (view, ids) => withList(view, {...listView(view), markedIds: new Set(ids.map(String))}),
    table: ({scene, view}) => current(view).table(scene, partView(view)),
    Screen: context => <CollectionScreen {...context} parts={parts} />,
  };
}

function partAt(parts: readonly BoundPart[], {partIndex}: CollectionView): BoundPart {
  const part = parts[partIndex];
  assert(part !== undefined, 'a collection without this part');
  return part;
}

function listView({partIndex, lists}: CollectionView): ListView<string> {
  return lists[partIndex] ?? LIST_VIEW;
}

function partView(view: CollectionView): PartView {
  return {...listView(view), isRecord: view.isRecord};
}

function withList(view: CollectionView, list: ListView<string>): CollectionView {
  return {...view, lists: view.lists.with(view.partIndex, list)};
}

/** The list of the open part, as the keys act in it. */
function keysHere(parts: readonly BoundPart[]): (context: Context) => ListKeys<CollectionView> {
  const keys = parts.map(part => part.keys<CollectionView>({get: listView, put: withList}));
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
  id: string,
  parts: readonly BoundPart[],
  listHere: (context: Context) => ListKeys<CollectionView>,
): readonly CollectionCommand[] {
  const here = ({view}: Context): BoundPart => partAt(parts, view);
  const toPart = (view: CollectionView, step: number): CollectionView => ({
    ...view,
    partIndex: (view.partIndex + step + parts.length) % parts.length,
    isZoomed: false,
    isRecord: false,
    scroll: SCROLL_START,
  });
  const zoomed = (view: CollectionView): CollectionView => ({
    ...view,
    isZoomed: !view.isZoomed,
    isRecord: false,
    scroll: SCROLL_START,
  });
  const noRowReason = (context: Context) =>
    here(context).nameUnderCursor(context.scene, partView(context.view)) === undefined
      ? say`there is nothing under the cursor`
      : undefined;
  return [
    ...moveCommands<CollectionView>(id, {
      pageRows: context => Math.max(1, visibleRows(layoutOf(context, parts).list)),
      moved: (context, step) => {
        const detail = openDetail(context, parts);
        if (detail === undefined) return listHere(context).moved(context, step);
        return detail.withScroll(scrolled(detail.scroll, step, detail.page));
      },
    }),
    ...markCommands<CollectionView>(id, listHere, noRowReason),
    {
      id: `${id}.open`,
      title: say`open`,
      help: 'Opens it: in its own pane where it has one, else its details.',
      keys: ['enter'],
      group: 'Look',
      effect: 'view',
      isInStatusBar: true,
      disabledReason: context => {
        const reason = here(context).rowActionReason(OPEN_KEY, context.scene, partView(context.view));
        if (reason !== 'absent') return reason;
        const {isZoomed} = context.view;
        return noRowReason(context) ?? (isZoomed ? say`it is open; esc goes back to the list` : undefined);
      },
      isAbsent: context => context.view.isZoomed && !here(context).hasRowAction(OPEN_KEY),
      run: context => {
        const part = here(context);
        if (!part.hasRowAction(OPEN_KEY)) return {kind: 'view', view: zoomed(context.view)};
        return part.runRowAction(OPEN_KEY, context.scene, partView(context.view));
      },
    },
    {
      id: `${id}.zoom`,
      title: say`describe`,
      help: 'Its details in the whole pane, and back.',
      keys: ['d', '+'],
      group: 'Look',
      effect: 'view',
      disabledReason: noRowReason,
      run: ({view}) => ({kind: 'view', view: zoomed(view)}),
    },
    ...(parts.some(({hasRecord}) => hasRecord) ? [recordCommand(id, here, noRowReason)] : []),
    ...(parts.length > 1 ? partCommands(id, toPart) : []),
    ...actionCommands(id, parts),
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

function hasActions(part: BoundPart): boolean {
  return part.create !== undefined || part.commands.length > 0;
}

/** What changes something: making one, and what can be done to the one under the cursor. */
function actionCommands(id: string, parts: readonly BoundPart[]): readonly CollectionCommand[] {
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
      if (reason === 'absent') return say`not for ${part.title}`;
      return listView(context.view).markedIds.size > 0 ? say`only for one at a time; M clears the marks` : reason;
    },
    isAbsent: context => !here(context).hasRowAction(key),
    run: context => here(context).runRowAction(key, context.scene, partView(context.view)),
  });
  const byKey = Map.groupBy(
    parts.flatMap(({commands}) => commands),
    ({key}) => key,
  );
  const words = [...byKey].flatMap(([key, [first, ...others]]) =>
    first === undefined ? [] : [{...first, ...(others.length === 0 ? {} : COMMON_WORDS.get(key))}],
  );
  return [
    ...(parts.some(({create}) => create !== undefined) ? [createCommand(id, here)] : []),
    ...words.map(rowCommand),
  ];
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['i', 'edit'],
  ['X', 'remove'],
]);

/** Of keys that several lists of a pane have. */
const COMMON_WORDS: ReadonlyMap<string, Omit<CommandWords, 'key'>> = new Map([
  ['i', {title: say`edit`, help: 'Changes what is under the cursor, by form.'}],
  ['X', {title: say`delete`, help: 'Deletes what is under the cursor, after a question.'}],
]);

/** The key `a` and the menu it opens: every action, with its key or why it is off. */
function actsMenu(id: string, parts: readonly BoundPart[]) {
  const command: CollectionCommand = {
    id: `${id}.actions`,
    title: say`actions`,
    help: 'Everything that can be done here, to what is under the cursor or by making a new one, or why not.',
    keys: ['a'],
    group: 'Actions',
    effect: 'view',
    opens: 'actions',
    disabledReason: ({view}) => {
      const part = partAt(parts, view);
      return hasActions(part) ? undefined : say`nothing can be done to ${part.title}`;
    },
    isAbsent: ({view}) => !hasActions(partAt(parts, view)),
    run: () => ({kind: 'menu', menuId: 'actions'}),
  };
  const menu = {
    id: 'actions',
    title: ({scene, view}: Context): SafeText => {
      const part = partAt(parts, view);
      const name = part.nameUnderCursor(scene, partView(view));
      return name === undefined ? say`actions in ${part.title}` : say`actions for ${name}`;
    },
    commands: actionCommands(`${id}.actions`, parts),
  };
  return {command, menu};
}

function partCommands(
  id: string,
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
    run: ({view}) => ({kind: 'view', view: toPart(view, count)}),
  });
  return [
    step('tab', say`next part`, 'The next list of the pane.', 1),
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
      return part.hasRecord
        ? noRowReason(context)
        : say`the service has no request for a single one of the ${part.title}`;
    },
    run: ({view}) => ({kind: 'view', view: {...view, isZoomed: true, isRecord: true, scroll: SCROLL_START}}),
  };
}

function createCommand(id: string, here: (context: Context) => BoundPart): CollectionCommand {
  return {
    id: `${id}.new`,
    title: say`new`,
    help: 'Creates a new one: a form, then a confirmation.',
    keys: ['n'],
    group: 'Actions',
    effect: 'operation',
    isInStatusBar: true,
    disabledReason: context => {
      const {create, title} = here(context);
      return create === undefined ? say`not for ${title}` : create.reason?.(context.scene);
    },
    isAbsent: context => here(context).create === undefined,
    run: context => here(context).create?.run(context.scene) ?? {kind: 'done'},
  };
}

function openDetail(context: Context, parts: readonly BoundPart[]): OpenDetail<CollectionView> | undefined {
  const {scene, view} = context;
  const {detail} = layoutOf(context, parts);
  if (!view.isZoomed || detail.rows === 0) return undefined;
  return {
    page: partAt(parts, view).detailPage(scene, partView(view), detail),
    scroll: view.scroll,
    withScroll: scroll => ({...view, scroll}),
  };
}

function CollectionScreen({parts, ...context}: Context & {readonly parts: readonly BoundPart[]}): ReactNode {
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
