import {assert} from '../../domain/assert.ts';
import {type SafeText, say} from '../../domain/safe-text.ts';
import type {BoundPart, CommandWords} from './part.tsx';
import {
  CLOSED,
  type CollectionContext,
  type CollectionView,
  openDetail,
  pageRows,
  partAt,
  partView,
  type Shape,
  withList,
  zoomedView,
} from './collection-view.ts';
import type {Command, Menu, PaneOutcome} from '../command.ts';
import {copyMenu} from '../copy-menu.ts';
import {KEYS} from '../../actions/keys.ts';
import {copiedNames, type ListKeys, markCommands, orderCommands, sortMenu} from './list-commands.ts';
import {moveCommands} from './cursor.ts';
import {relatedMenu} from '../related-menu.ts';
import {scrolled} from '../scroll.ts';

export type CollectionCommand<Own> = Command<CollectionContext<Own>, PaneOutcome<CollectionView<Own>>>;
export type CollectionMenu<Own> = Menu<CollectionContext<Own>, PaneOutcome<CollectionView<Own>>>;

type Keys<Own> = {readonly commands: readonly CollectionCommand<Own>[]; readonly menus: readonly CollectionMenu<Own>[]};

/** The standard keys and menus of a pane of lists. A key that the pane defines itself is left out. */
export function collectionKeys<Own>(shape: Shape<Own>, own: Keys<Own>): Keys<Own> {
  const {id, parts, arrangement} = shape;
  const listHere = keysHere(parts);
  const withMenus = [actionsMenu(id, parts), copyAs(id, parts), related(id, parts)].filter(each => each !== undefined);
  const taken = new Set(own.commands.flatMap(({keys}) => keys));
  const usual = [
    ...moveCommands<CollectionView<Own>>(id, {
      pageRows: context => pageRows(context, shape),
      moved: (context, step) => movedView(context, step, shape, listHere),
    }),
    ...markCommands<CollectionView<Own>>(
      id,
      listHere,
      context => noRowReason(context, parts),
      arrangement?.unlistedReason,
    ),
    openCommand(id, parts),
    zoomCommand(id, parts),
    recordCommand(id, parts),
    ...(parts.length > 1 ? partCommands(shape) : []),
    ...actionCommands(id, parts, ({isInMenuAlone}) => isInMenuAlone !== true),
    ...orderCommands<CollectionView<Own>>(id, listHere, arrangement?.unlistedReason),
    copyCommand(id, parts, listHere),
    ...withMenus.map(({command}) => command),
  ].filter(({keys}) => !keys.some(key => taken.has(key)));
  const opened = new Set([...usual, ...own.commands].flatMap(({opens}) => opens ?? []));
  const menus = [...withMenus.map(({menu}) => menu), sortMenu<CollectionView<Own>>(id, listHere)];
  return {
    commands: [...own.commands, ...usual],
    menus: [...menus.filter(menu => opened.has(menu.id) && !own.menus.some(each => each.id === menu.id)), ...own.menus],
  };
}

function hereIn<Own>(parts: readonly BoundPart<Own>[]): (context: CollectionContext<Own>) => BoundPart<Own> {
  return ({view}) => partAt(parts, view);
}

/** The list of the open part, as the keys use it. */
function keysHere<Own>(
  parts: readonly BoundPart<Own>[],
): (context: CollectionContext<Own>) => ListKeys<CollectionView<Own>> {
  const keys = parts.map(part => part.keys<CollectionView<Own>>({get: partView, put: withList}));
  return ({view}) => {
    const here = keys[view.partIndex];
    assert(here !== undefined, 'a collection without this part');
    return here;
  };
}

function noRowReason<Own>(
  {scene, view}: CollectionContext<Own>,
  parts: readonly BoundPart<Own>[],
): SafeText | undefined {
  const name = partAt(parts, view).nameUnderCursor(scene, partView(view));
  return name === undefined ? say`there is nothing under the cursor` : undefined;
}

/** An open detail scrolls; otherwise the cursor moves, in the list or in what the pane shows instead. */
function movedView<Own>(
  context: CollectionContext<Own>,
  step: number,
  shape: Shape<Own>,
  listHere: (context: CollectionContext<Own>) => ListKeys<CollectionView<Own>>,
): CollectionView<Own> {
  const detail = openDetail(context, shape);
  if (detail !== undefined) return detail.withScroll(scrolled(detail.scroll, step, detail.page));
  return shape.arrangement?.moved?.(context, step) ?? listHere(context).moved(context, step);
}

function openCommand<Own>(id: string, parts: readonly BoundPart<Own>[]): CollectionCommand<Own> {
  const here = hereIn(parts);
  // A row that has a list of its own is opened by going to that list.
  const nestedIndex = parts.findIndex(({isNested}) => isNested);
  const opened = (view: CollectionView<Own>): CollectionView<Own> =>
    nestedIndex !== -1 && view.partIndex === 0 ? {...view, partIndex: nestedIndex} : zoomedView(view);
  return {
    id: `${id}.open`,
    title: say`open`,
    help: 'Opens it in its own pane or list if it has one, otherwise its details.',
    keys: [KEYS.open],
    group: 'Look',
    isInStatusBar: true,
    disabledReason: context => {
      const reason = here(context).rowActionReason(KEYS.open, context.scene, partView(context.view));
      if (reason !== 'absent') return reason;
      const isOpen = context.view.isZoomed;
      return noRowReason(context, parts) ?? (isOpen ? say`it is open; ${KEYS.back} goes back to the list` : undefined);
    },
    isAbsent: context => context.view.isZoomed && !here(context).hasRowAction(KEYS.open),
    run: context => {
      const part = here(context);
      if (!part.hasRowAction(KEYS.open)) return {kind: 'view', view: opened(context.view)};
      return part.runRowAction(KEYS.open, context.scene, partView(context.view));
    },
  };
}

function zoomCommand<Own>(id: string, parts: readonly BoundPart<Own>[]): CollectionCommand<Own> {
  return {
    id: `${id}.zoom`,
    title: say`describe`,
    help: 'Shows its details in the whole pane; pressed again, goes back.',
    keys: [KEYS.describe, '+'],
    group: 'Look',
    disabledReason: context => noRowReason(context, parts),
    run: ({view}) => ({kind: 'view', view: zoomedView(view)}),
  };
}

function recordCommand<Own>(id: string, parts: readonly BoundPart<Own>[]): CollectionCommand<Own> {
  return {
    id: `${id}.json`,
    title: say`JSON`,
    help: 'The raw record as the service sends it; of what skydeck works out itself, what -o json prints.',
    keys: ['y'],
    group: 'Look',
    disabledReason: ({scene, view}) => partAt(parts, view).recordReason(scene, partView(view)),
    run: ({view}) => ({kind: 'view', view: {...view, ...CLOSED, isZoomed: true, isRecord: true}}),
  };
}

function copyCommand<Own>(
  id: string,
  parts: readonly BoundPart<Own>[],
  listHere: (context: CollectionContext<Own>) => ListKeys<CollectionView<Own>>,
): CollectionCommand<Own> {
  return {
    id: `${id}.copy`,
    title: say`copy`,
    help: 'Copies the name (or address or key) through the terminal, also over SSH; for marked rows the names.',
    keys: [KEYS.copy],
    group: 'Look',
    disabledReason: context => noRowReason(context, parts),
    run: context => {
      if (listHere(context).markedCount(context) > 0) return copiedNames(listHere(context), context);
      const text = partAt(parts, context.view).copied(context.scene, partView(context.view));
      return text === undefined ? {kind: 'done'} : {kind: 'copy', text};
    },
  };
}

/** Among boxes of its own, a pane shows no list while a detail fills it, so there is no next one. */
function partCommands<Own>({id, parts, arrangement}: Shape<Own>): readonly CollectionCommand<Own>[] {
  const isBehind = (view: CollectionView<Own>) => arrangement !== undefined && view.isZoomed;
  const step = (key: string, title: SafeText, help: string, count: number): CollectionCommand<Own> => ({
    id: `${id}.${key}`,
    title,
    help,
    lists: parts.map(each => each.title),
    keys: [key],
    group: 'Panes',
    isInStatusBar: count > 0,
    disabledReason: ({view}) => (isBehind(view) ? say`details are open; ${KEYS.back} closes them` : undefined),
    isAbsent: ({view}) => isBehind(view),
    run: ({view}) => {
      const partIndex = (view.partIndex + count + parts.length) % parts.length;
      return {kind: 'view', view: {...view, ...CLOSED, partIndex}};
    },
  });
  return [
    step(KEYS.nextPart, say`next part`, 'The next list of the pane.', 1),
    step('shift-tab', say`previous part`, 'The previous list of the pane.', -1),
  ];
}

function hasActions<Own>(part: BoundPart<Own>): boolean {
  return part.canCreate || part.commands.length > 0;
}

/** Commands that change something: create, and what can be done to the row under the cursor. */
function actionCommands<Own>(
  id: string,
  parts: readonly BoundPart<Own>[],
  isWanted: (words: CommandWords) => boolean = () => true,
): readonly CollectionCommand<Own>[] {
  const byKey = Map.groupBy(parts.flatMap(({commands}) => commands).filter(isWanted), ({key}) => key);
  const words = [...byKey].flatMap(([key, [first, ...others]]) =>
    first === undefined ? [] : [{...first, ...(others.length === 0 ? {} : COMMON_WORDS.get(key))}],
  );
  const rowCommands = words.map(each => rowCommand(id, each, parts));
  return parts.some(({canCreate}) => canCreate) ? [createCommand(id, parts), ...rowCommands] : rowCommands;
}

function rowCommand<Own>(
  id: string,
  {key, title, help, opens}: CommandWords,
  parts: readonly BoundPart<Own>[],
): CollectionCommand<Own> {
  const here = hereIn(parts);
  return {
    title,
    help,
    lists: titlesOf(parts, part => part.hasRowAction(key)),
    id: `${id}.${NAMES.get(key) ?? key}`,
    keys: [key],
    group: 'Actions',
    isInStatusBar: true,
    ...(opens === undefined ? {} : {opens}),
    disabledReason: context => {
      const part = here(context);
      const reason = part.rowActionReason(key, context.scene, partView(context.view));
      return reason === 'absent' ? say`not available for ${part.title}` : reason;
    },
    isAbsent: context => !here(context).hasRowAction(key),
    run: context => here(context).runRowAction(key, context.scene, partView(context.view)),
  };
}

/** In a pane of several lists, those with such a part. */
function titlesOf<Own>(
  parts: readonly BoundPart<Own>[],
  isWanted: (part: BoundPart<Own>) => boolean,
): readonly SafeText[] {
  return parts.length < 2 ? [] : parts.filter(isWanted).map(({title}) => title);
}

const NAMES: ReadonlyMap<string, string> = new Map([
  [KEYS.edit, 'edit'],
  [KEYS.remove, 'remove'],
]);

/** A key that several lists of a pane define. */
const COMMON_WORDS: ReadonlyMap<string, Omit<CommandWords, 'key'>> = new Map([
  [
    KEYS.edit,
    {title: say`edit`, help: 'Edits what is under the cursor: opens a form, or a menu of what can be edited.'},
  ],
  [KEYS.remove, {title: say`delete`, help: 'Deletes what is under the cursor; asks first.'}],
]);

function createCommand<Own>(id: string, parts: readonly BoundPart<Own>[]): CollectionCommand<Own> {
  const here = hereIn(parts);
  return {
    id: `${id}.new`,
    title: say`new`,
    help: 'Creates a new one: a form, then a confirmation.',
    lists: titlesOf(parts, ({canCreate}) => canCreate),
    keys: [KEYS.create],
    group: 'Actions',
    isInStatusBar: true,
    disabledReason: context => {
      return here(context).createReason(context.scene, partView(context.view));
    },
    isAbsent: context => !here(context).canCreate,
    run: context => here(context).runCreate(context.scene, partView(context.view)),
  };
}

/** The key `a` and its menu: every action, with its key or why it is disabled. */
function actionsMenu<Own>(id: string, parts: readonly BoundPart<Own>[]): CommandWithMenu<Own> | undefined {
  if (!parts.some(hasActions)) return undefined;
  const command: CollectionCommand<Own> = {
    id: `${id}.actions`,
    title: say`actions`,
    help: 'All actions here, each with its key or why it is unavailable.',
    keys: ['a'],
    group: 'Actions',
    opens: 'actions',
    disabledReason: ({view}) => {
      const part = partAt(parts, view);
      if (hasActions(part)) return undefined;
      return part.noCreate ?? say`no actions for ${part.title}`;
    },
    isAbsent: ({view}) => !hasActions(partAt(parts, view)),
    run: () => ({kind: 'menu', menuId: 'actions'}),
  };
  const menu: CollectionMenu<Own> = {
    id: 'actions',
    title: ({scene, view}) => {
      const part = partAt(parts, view);
      const markedCount = part.markedCount(scene, partView(view));
      if (markedCount > 0) return say`actions for ${markedCount} marked ${part.title}`;
      const name = part.nameInWordsUnderCursor(scene, partView(view));
      return name === undefined ? say`actions in ${part.title}` : say`actions for ${name}`;
    },
    commands: actionCommands(`${id}.actions`, parts),
  };
  return {command, menu};
}

type CommandWithMenu<Own> = {readonly command: CollectionCommand<Own>; readonly menu: CollectionMenu<Own>};

function copyAs<Own>(id: string, parts: readonly BoundPart<Own>[]): CommandWithMenu<Own> | undefined {
  if (!parts.some(({hasCommands}) => hasCommands)) return undefined;
  const {command, menu} = copyMenu<CollectionContext<Own>>(id, ({scene, view}) =>
    partAt(parts, view).copiedAs(scene, partView(view)),
  );
  return {
    command: {
      ...command,
      disabledReason: context => noRowReason(context, parts) ?? command.disabledReason?.(context),
      isAbsent: ({view}) => !partAt(parts, view).hasCommands,
    },
    menu,
  };
}

function related<Own>(id: string, parts: readonly BoundPart<Own>[]): CommandWithMenu<Own> | undefined {
  if (!parts.some(({hasRelated}) => hasRelated)) return undefined;
  return relatedMenu<CollectionView<Own>>(
    id,
    ({scene, view}) => partAt(parts, view).relatedHere(scene, partView(view)),
    ({view}) => !partAt(parts, view).hasRelated,
  );
}
