import type {ComponentType} from 'react';
import type {Subject} from '../../domain/action.ts';
import type {ResourceType} from '../../domain/cloud-resource.ts';
import {nameInWords, type SafeText, say} from '../../domain/safe-text.ts';
import type {RelatedGroup} from '../../resources/related.ts';
import type {Column} from '../../resources/column.ts';
import {type ListableResource, listedRows} from '../../resources/resource.ts';
import type {Feed} from '../../state/feed.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import type {Line} from '../../ui/text.ts';
import {hasBesideRoom, isWide} from './collection-layout.ts';
import type {CommandResult} from '../command.ts';
import {type Copied, copiedRecord, withAddress} from '../copy-menu.ts';
import {type ListKeys, listKeys} from './list-commands.ts';
import {memoBox, type PlainTable, type Scene} from '../pane.ts';
import {historyWants} from '../history-lines.ts';
import {boxedRelated, hasHistory, partBeside, partDetail, partPreview} from './part-detail.tsx';
import {relatedWants} from '../related-lines.ts';
import type {RelatedHere} from '../related-menu.ts';
import {
  type RowScene,
  LIST_VIEW,
  type ListAt,
  type ListSource,
  type ListView,
  type ResourceList,
  type RowId,
  resourceList,
} from './resource-list.tsx';
import type {Page, Scroll} from '../scroll.ts';
import type {Place} from '../sizes.ts';
import {KEYS} from '../../actions/keys.ts';

/**
 * One list of a collection pane as its folder declares it: its rows, their details, and what can be done with them. The
 * pane supplies cursor, filter, layout and keys.
 */
export type CollectionPart<Row extends object, Of = undefined, Own = undefined> = Pick<
  ListSource<Row, RowId, Of>,
  | 'labelsOf'
  | 'isSameRecord'
  | 'keptForMs'
  | 'columnsFor'
  | 'opensWith'
  | 'orderWords'
  | 'empty'
  | 'membersOf'
  | 'sumOf'
> & {
  /** The plural, as used in titles: `volumes`. */
  readonly title: SafeText;
  /**
   * The feed whose age is shown beside the title, and whose failure explains missing data; none for what is not read
   * from the service.
   */
  readonly feed?: Feed<unknown>;
  /** The feed whose age is shown at the edge of the detail, if the list has none. */
  readonly detailFeed?: Feed<unknown>;
  /** Shown instead of the feed's age, if it returns anything. */
  readonly right?: (scene: Scene) => string | undefined;
  /** Shown if there are no rows. */
  readonly none?: SafeText | ((of: Of) => SafeText);
  /** Shown if a filter finds nothing in a list that shows only a part: which part, and how to see more. */
  readonly reach?: (of: Of) => SafeText;
  /** Belongs to the row under the cursor of the pane's first list, and is empty without one. */
  readonly isNested?: boolean;
  /** What the list is of: the firewall whose rules it shows, the window of time. */
  readonly of?: (known: RowScene, view: PartView<Own>) => Of | undefined;
  /** The title of a list that is of something. */
  readonly heading?: (of: Of) => SafeText;
  /** Jumps from other panes lead to this list, with their object open. */
  readonly isArrival?: boolean;
  readonly wants: readonly Want[];
  /** Further feeds to read, depending on what is known by now. */
  readonly moreWants?: (scene: Scene) => readonly Want[];
  /** In display order; undefined until they were read. Depends only on what was read and on the time. */
  readonly rows: (known: RowScene, of: Of | undefined) => readonly Row[] | undefined;
  /** The object's id, which the cursor follows. */
  readonly idOf: (row: Row) => RowId;
  readonly nameOf: (row: Row) => SafeText;
  /** The same within our own words, with quotes around what could be mistaken for them. */
  readonly nameInWordsOf?: (row: Row) => SafeText;
  /** The subject of an action on the row; absent if rows have no actions. */
  readonly subjectOf?: (row: Row) => Subject | undefined;
  /** What `C` copies of a row; absent if the command line has no name for such rows. */
  readonly copiedAs?: (row: Row, of: Of | undefined) => Copied | undefined;
  readonly columns: readonly Column<Row>[];
  /** The lines of the detail, at most `width` cells wide; if absent, the columns as fields. */
  readonly detail?: (row: Row, scene: Scene, width: number) => readonly Line[];
  /** Feeds to read for the row under the cursor, besides the list. */
  readonly detailWants?: (row: Row, scene: Scene) => readonly Want[];
  /** Objects related to a row. */
  readonly related?: (row: Row, scene: Scene, of: Of | undefined) => readonly RelatedGroup[];
  /** Only the menu names them: the part has no boxes of what is related, and reads nothing for them. */
  readonly isRelatedInMenuAlone?: true;
  /** Fills the room below a short list in a wide terminal; if absent, the machines among the related objects do. */
  readonly preview?: (row: Row, scene: Scene, place: Place) => Preview;
  /**
   * Fills the room below the detail in a wide terminal; if absent, the history of the row and of related objects does,
   * or nothing if there is none.
   */
  readonly beside?: (row: Row, scene: Scene, place: Place) => Preview;
  /** The record under the cursor as the service sends it, read while the person looks at it. */
  readonly record?: (row: Row) => Feed<unknown> | undefined;
  /** The same of a row that is no record of the service: what a command prints of it with `-o json`. */
  readonly ownRecord?: (row: Row, scene: Scene) => unknown;
  /** Why a row has no record, if it is not that the API returns such records only as a list. */
  readonly noRecord?: (row: Row) => SafeText | undefined;
  /** Shows what columns cut off below the rows, for lists whose detail shows something else. */
  readonly showsCut?: boolean | ((scene: Scene) => boolean);
  /** A remark above the list, such as why it is incomplete. */
  readonly note?: (scene: Scene, of: Of | undefined) => SafeText | undefined;
  /** More rows may come of what is still being read: the count is the one so far. */
  readonly isCounting?: (scene: Scene) => boolean;
  readonly actions: PartActions<Row, Of>;
};

/** Lines for a box of a given size. */
export type Preview = {readonly title: string; readonly lines: readonly Line[]};

/** What the pane's keys do in this part; a key without an entry is disabled and says so. */
export type PartActions<Row, Of = undefined> = {
  readonly open?: RowAction<Row, Of>;
  readonly create?: {
    readonly reason?: (scene: Scene, of?: Of) => SafeText | undefined;
    /** What has to be created before. */
    readonly firstStep?: (scene: Scene) => SafeText | undefined;
    readonly run: (scene: Scene, of?: Of, row?: Row) => CommandResult;
  };
  /** Where new ones come from, if none can be created here. */
  readonly noCreate?: SafeText;
  /** The actions on a row, in the order of the menu. */
  readonly commands?: readonly PartCommand<Row, Of>[];
  readonly copy?: (row: Row) => SafeText | undefined;
  /** What is copied for each marked row; the name if absent. */
  readonly copyMarked?: (row: Row) => SafeText;
};

/** Acts on a row, or on all marked rows. */
type RowAction<Subject, Of> = {
  /** Why it does not apply to this row now; undefined if it does. */
  readonly reason?: (subject: Subject, scene: Scene, of?: Of) => SafeText | undefined;
  readonly run: (subject: Subject, scene: Scene, of?: Of) => CommandResult;
};

export type PartCommand<Row, Of = undefined> = RowAction<Row, Of> &
  CommandWords & {
    /** The same for many rows, if there is such an action. */
    readonly many?: RowAction<readonly Row[], Of>;
  };

/** A key as described in the status bar, the menu and help. */
export type CommandWords = {
  readonly key: string;
  readonly title: SafeText;
  readonly help: string;
  /** Only reachable through the menu of actions, because its key means something else outside it. */
  readonly isInMenuAlone?: boolean;
  /** The menu that the key opens. */
  readonly opens?: string;
};

/** The view state of a part. */
export type PartView<Own = undefined> = ListView<RowId> & {
  /** What the person has chosen in the pane besides its lists. */
  readonly own: Own;
  /** The detail shows the record as the service sent it. */
  readonly isRecord?: boolean;
  /** The row of the pane's first list that this list belongs to. */
  readonly ofId?: RowId | undefined;
};

export type PartProps<Own> = {
  readonly scene: Scene;
  readonly view: PartView<Own>;
  readonly place: Place;
};

type PartListProps<Own> = PartProps<Own> & {
  /** False while the keys act on another list of the pane. */
  readonly isFocused?: boolean;
  /** Shown instead of the feed's age. */
  readonly right?: string;
};

/** A part with its row type hidden, so that a pane can hold lists of different kinds side by side. */
export type BoundPart<Own = undefined> = {
  readonly title: SafeText;
  /** Belongs to the row under the cursor of the pane's first list. */
  readonly isNested: boolean;
  readonly isArrival: boolean;
  /** It has an age, shown at its edge. */
  readonly hasFeed: boolean;
  readonly initialView: ListView<RowId>;
  readonly wants: (scene: Scene, view: PartView<Own>) => readonly Want[];
  /** Feeds for the boxes below the list and the detail, which a pane with its own layout does not show. */
  readonly besideWants: (scene: Scene, view: PartView<Own>) => readonly Want[];
  readonly filterMistake: (text: string) => SafeText | undefined;
  readonly adjusted: (scene: Scene, view: PartView<Own>, height: number) => ListView<RowId>;
  readonly keys: <View>(lens: PartLens<View, Own>) => ListKeys<View>;
  readonly List: ComponentType<PartListProps<Own>>;
  /** False if there are no rows; a filter that hides them all leaves the detail in its place. */
  readonly hasDetail: (scene: Scene, view: PartView<Own>) => boolean;
  /** The detail of the row under the cursor, at its scroll position. */
  readonly Detail: ComponentType<PartProps<Own> & {readonly scroll: Scroll}>;
  /** The lines the detail can scroll through in its place. */
  readonly detailPage: (scene: Scene, view: PartView<Own>, place: Place) => Page;
  /** Visible rows; undefined if nothing could be shown below them. */
  readonly rowsAboveFold: (scene: Scene, view: PartView<Own>) => number | undefined;
  /** Rows, including those hidden by a filter; undefined until they were read. */
  readonly totalCount: (scene: Scene, view: PartView<Own>) => number | undefined;
  readonly PreviewBox: ComponentType<PartProps<Own>>;
  /** Whether something can be shown below the detail. */
  readonly hasBeside: boolean;
  readonly BesideBox: ComponentType<PartProps<Own>>;
  readonly idUnderCursor: (scene: Scene, view: PartView<Own>) => RowId | undefined;
  readonly nameUnderCursor: (scene: Scene, view: PartView<Own>) => SafeText | undefined;
  readonly nameInWordsUnderCursor: (scene: Scene, view: PartView<Own>) => SafeText | undefined;
  readonly markedCount: (scene: Scene, view: PartView<Own>) => number;
  /** The marked rows hidden by a filter: actions apply to them too. */
  readonly hiddenMarkedIds: (scene: Scene, view: PartView<Own>) => ReadonlySet<RowId>;
  readonly table: (scene: Scene, view: PartView<Own>) => PlainTable;
  /** Why the row under the cursor has no record to show. */
  readonly recordReason: (scene: Scene, view: PartView<Own>) => SafeText | undefined;
  readonly hasRelated: boolean;
  readonly relatedHere: (scene: Scene, view: PartView<Own>) => RelatedHere | undefined;
  readonly commands: readonly CommandWords[];
  readonly hasRowAction: (key: string) => boolean;
  /** Why a key is disabled here; `absent` if this part has no such action. */
  readonly rowActionReason: (key: string, scene: Scene, view: PartView<Own>) => SafeText | 'absent' | undefined;
  readonly runRowAction: (key: string, scene: Scene, view: PartView<Own>) => CommandResult;
  readonly canCreate: boolean;
  readonly noCreate?: SafeText;
  readonly createReason: (scene: Scene, view: PartView<Own>) => SafeText | undefined;
  readonly runCreate: (scene: Scene, view: PartView<Own>) => CommandResult;
  readonly copied: (scene: Scene, view: PartView<Own>) => SafeText | undefined;
  readonly hasCommands: boolean;
  readonly copiedAs: (scene: Scene, view: PartView<Own>) => Copied | undefined;
};

/** A part with its row type visible, for the code that declares it. */
export type RowPart<Row extends object, Of, Own = undefined> = BoundPart<Own> & {
  readonly list: ResourceList<Row, RowId, Of>;
  readonly rowUnderCursor: (scene: Scene, view: PartView<Own>) => Row | undefined;
  /**
   * The rows as they are shown; and the rows that a key for several acts on: the marked ones, or else the one under the
   * cursor.
   */
  readonly shownRows: (scene: Scene, view: PartView<Own>) => readonly Row[];
  readonly chosenRows: (scene: Scene, view: PartView<Own>) => readonly Row[];
};

/** Where the part's list is in the view of its pane. */
type PartLens<View, Own> = {
  readonly get: (view: View) => PartView<Own>;
  readonly put: (view: View, list: ListView<RowId>) => View;
};

/**
 * A part that lists a kind of resource, made from its declaration; the pane adds the actions, and in `wants` what it
 * reads besides the list.
 */
export function resourcePart<R, Row extends object>(
  resource: ListableResource<R, Row>,
  {wants = [], ...part}: Partial<CollectionPart<Row>> & Pick<CollectionPart<Row>, 'actions'>,
): BoundPart {
  const {words, columns, orderWords, detail, related, rawFeed, path, one, type, subjects, recordIn, idOf, nameOf} =
    resource;
  const feed = part.feed ?? resource.feed;
  const idIn = (row: Row) => idOf?.(recordIn(row));
  const nameIn = (row: Row) => nameOf?.(recordIn(row)) ?? say``;
  const withId = (name: SafeText, row: Row, gap: SafeText) => {
    const id = idIn(row);
    return typeof id === 'number' ? say`${name}${gap}#${id}` : name;
  };
  return bindPart<Row>({
    title: words.many,
    columns,
    rows: known => listedRows(resource, known),
    ...(detail === undefined ? {} : {detail}),
    idOf: row => idIn(row) ?? '',
    nameOf: row => withId(nameIn(row), row, say`  `),
    ...(part.nameOf === undefined ? {nameInWordsOf: row => withId(nameInWords(nameIn(row)), row, say` `)} : {}),
    ...(type === undefined || subjects === undefined ? {} : {subjectOf: row => subjectWith(type, idIn(row))}),
    ...(feed === undefined ? {} : {feed}),
    ...(related === undefined ? {} : {related: (row, {store}) => related(recordIn(row), store)}),
    ...(orderWords === undefined ? {} : {orderWords}),
    ...(rawFeed === undefined ? {} : {record: row => rawFeed(recordIn(row))}),
    ...(path === undefined && one === undefined ? {} : {copiedAs: row => copiedRecord(resource, recordIn(row))}),
    wants: feed === undefined || wants.some(want => want.feed === feed) ? wants : [{feed, priority: 1}, ...wants],
    ...part,
  });
}

function subjectWith(type: ResourceType, id: number | SafeText | undefined): Subject | undefined {
  return typeof id === 'number' ? {type, id} : undefined;
}

export function bindPart<Row extends object, Of = undefined, Own = undefined>(
  part: CollectionPart<Row, Of, Own>,
): RowPart<Row, Of, Own> {
  const {title, feed, actions} = part;
  const rows = partRows(part);
  const {list, at, ofAt, rowUnderCursor} = rows;
  return {
    title,
    isNested: part.isNested === true,
    isArrival: part.isArrival === true,
    hasFeed: feed !== undefined,
    initialView: {...LIST_VIEW, ...part.opensWith},
    filterMistake: list.filterMistake,
    wants: (scene, view) => wantsOf(rows, scene, view),
    besideWants: (scene, view) => besideWantsOf(rows, scene, view),
    adjusted: (scene, view, height) => list.adjusted(at(scene, view), height),
    keys: ({get, put}) =>
      listKeys(
        list,
        {at: ({scene, view}) => at(scene, get(view)), put},
        actions.copyMarked ?? (row => nameInCommands(part, row)),
      ),
    List: memoBox(
      ({scene, view, right = part.right?.(scene), ...rest}) => (
        <list.Box {...at(scene, view)} {...(right === undefined ? {} : {right})} {...rest} />
      ),
      {countsSeconds: true},
    ),
    ...partDetail(rows),
    ...partPreview(rows),
    ...partBeside(rows),
    rowUnderCursor,
    shownRows: (scene, view) => list.shown(at(scene, view)).rows,
    chosenRows: (scene, view) => list.chosen(at(scene, view)),
    list,
    totalCount: (scene, view) => list.shown(at(scene, view)).totalCount,
    idUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : part.idOf(row);
    },
    nameUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : part.nameOf(row);
    },
    nameInWordsUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row && (part.nameInWordsOf?.(row) ?? nameInWords(part.nameOf(row)));
    },
    markedCount: (scene, view) => list.marked(at(scene, view)).length,
    hiddenMarkedIds: (scene, view) => new Set(list.hiddenMarked(at(scene, view)).map(part.idOf)),
    table: (scene, view) => list.table(at(scene, view)),
    recordReason: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      if (row === undefined) return say`there is nothing under the cursor`;
      const hasRecord = part.record !== undefined || part.ownRecord !== undefined;
      const listOnly = say`the API returns ${part.title} only as a list, so there is no raw record`;
      return part.noRecord?.(row) ?? (hasRecord ? undefined : listOnly);
    },
    ...rowActions(rows),
    canCreate: actions.create !== undefined,
    ...(actions.noCreate === undefined ? {} : {noCreate: actions.noCreate}),
    createReason: (scene, view) =>
      actions.create === undefined
        ? (actions.noCreate ?? say`not available for ${part.title}`)
        : actions.create.reason?.(scene, ofAt(scene, view)),
    runCreate: (scene, view) =>
      actions.create?.run(scene, ofAt(scene, view), rowUnderCursor(scene, view)) ?? {kind: 'done'},
    copied: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      if (row === undefined) return undefined;
      return actions.copy === undefined ? nameInCommands(part, row) : actions.copy(row);
    },
    hasCommands: part.copiedAs !== undefined,
    copiedAs: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      const copied = row === undefined ? undefined : part.copiedAs?.(row, ofAt(scene, view));
      return copied && withAddress(copied, scene.store);
    },
  };
}

/** The rows of a part, for a given view. */
export type PartRows<Row extends object, Of, Own> = {
  readonly part: CollectionPart<Row, Of, Own>;
  readonly list: ResourceList<Row, RowId, Of>;
  readonly ofAt: (scene: Scene, view: PartView<Own>) => Of | undefined;
  readonly at: (scene: Scene, view: PartView<Own>) => ListAt<RowId, Of>;
  readonly rowUnderCursor: (scene: Scene, view: PartView<Own>) => Row | undefined;
};

function partRows<Row extends object, Of, Own>(part: CollectionPart<Row, Of, Own>): PartRows<Row, Of, Own> {
  const list = resourceList<Row, RowId, Of>({
    ...part,
    none: (scene, of) => noneText(part, scene, of),
  });
  const ofAt = (scene: Scene, view: PartView<Own>) => part.of?.(scene, view);
  const at = (scene: Scene, view: PartView<Own>): ListAt<RowId, Of> => ({scene, view, of: ofAt(scene, view)});
  return {part, list, ofAt, at, rowUnderCursor: (scene, view) => list.rowUnderCursor(at(scene, view))};
}

function noneText<Row extends object, Of, Own>(
  {title, isNested, none, actions: {create}}: CollectionPart<Row, Of, Own>,
  scene: Scene,
  of: Of | undefined,
): SafeText {
  if (isNested === true && of === undefined) return say``;
  const own = typeof none === 'function' ? of && none(of) : none;
  const words = own ?? say`this account has no ${title}`;
  if (create === undefined || create.reason?.(scene, of) !== undefined) return words;
  return say`${words}; ${create.firstStep?.(scene) ?? say`${KEYS.create} creates one`}`;
}

function wantsOf<Row extends object, Of, Own>(
  {part, rowUnderCursor}: PartRows<Row, Of, Own>,
  scene: Scene,
  view: PartView<Own>,
): readonly Want[] {
  const shared = [...part.wants, ...(part.moreWants?.(scene) ?? [])];
  const row = rowUnderCursor(scene, view);
  if (row === undefined) return shared;
  const record = view.isRecord === true ? part.record?.(row) : undefined;
  return [
    ...shared,
    ...(part.detailWants?.(row, scene) ?? []),
    ...(record === undefined ? [] : [{feed: record, priority: 1}]),
  ];
}

function besideWantsOf<Row extends object, Of, Own>(
  {part, rowUnderCursor, ofAt}: PartRows<Row, Of, Own>,
  scene: Scene,
  view: PartView<Own>,
): readonly Want[] {
  const row = rowUnderCursor(scene, view);
  if (row === undefined || part.isNested === true || !hasBesideRoom(scene.size)) return [];
  const related = boxedRelated(part)?.(row, scene, ofAt(scene, view)) ?? [];
  return [
    ...(isWide(scene.size) ? relatedWants(scene, related) : []),
    ...(part.beside === undefined && hasHistory(part) ? historyWants(scene, related) : []),
  ];
}

function nameInCommands<Row extends object, Of, Own>(
  {copiedAs, nameOf}: CollectionPart<Row, Of, Own>,
  row: Row,
): SafeText {
  return copiedAs?.(row, undefined)?.name ?? nameOf(row);
}

/** What the keys do to the row under the cursor, or to the marked ones if there are any; enter opens one. */
function rowActions<Row extends object, Of, Own>({
  part,
  list,
  at,
  ofAt,
  rowUnderCursor,
}: PartRows<Row, Of, Own>): Pick<BoundPart<Own>, 'commands' | 'hasRowAction' | 'rowActionReason' | 'runRowAction'> {
  const {open, commands = []} = part.actions;
  const markedRows = (key: string, scene: Scene, view: PartView<Own>) =>
    key === KEYS.open ? [] : list.marked(at(scene, view));
  const commandAt = (key: string) => commands.find(command => command.key === key);
  const actionAt = (key: string): RowAction<Row, Of> | undefined => (key === KEYS.open ? open : commandAt(key));
  return {
    commands,
    hasRowAction: key => actionAt(key) !== undefined,
    rowActionReason: (key, scene, view) => {
      const action = actionAt(key);
      if (action === undefined) return 'absent';
      const of = ofAt(scene, view);
      const marked = markedRows(key, scene, view);
      if (marked.length > 0) {
        const many = commandAt(key)?.many;
        return many === undefined
          ? say`only for one at a time; ${KEYS.clearMarks} clears the marks`
          : many.reason?.(marked, scene, of);
      }
      const row = rowUnderCursor(scene, view);
      return row === undefined ? say`there is nothing under the cursor` : action.reason?.(row, scene, of);
    },
    runRowAction: (key, scene, view) => {
      const of = ofAt(scene, view);
      const marked = markedRows(key, scene, view);
      const row = rowUnderCursor(scene, view);
      if (marked.length > 0) return commandAt(key)?.many?.run(marked, scene, of) ?? {kind: 'done'};
      return row === undefined ? {kind: 'done'} : (actionAt(key)?.run(row, scene, of) ?? {kind: 'done'});
    },
  };
}
