import type {ComponentType} from 'react';
import type {Subject} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import type {ResourceType} from '../domain/cloud-resource.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import type {RelatedGroup} from '../resources/related.ts';
import type {Column} from '../resources/column.ts';
import {listedRows, type TypedResource} from '../resources/resource.ts';
import type {Feed} from '../state/feed.ts';
import type {Want} from '../state/poll-schedule.ts';
import type {Line} from '../ui/text.ts';
import {hasBesideRoom, isWide} from './collection-layout.ts';
import type {CommandResult} from './command.ts';
import {type Copied, copiedRecord} from './copy-menu.ts';
import {type ListKeys, listKeys} from './list-commands.ts';
import type {PlainTable, Scene} from './pane.ts';
import {historyWants} from './history-lines.ts';
import {hasHistory, partBeside, partDetail, partPreview} from './part-detail.tsx';
import {relatedWants} from './related-lines.ts';
import type {RelatedHere} from './related-menu.ts';
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
import type {Page, Scroll} from './scroll.ts';
import type {Place} from './sizes.ts';
import {KEYS} from '../actions/keys.ts';

/**
 * One list of a collection pane, as its folder declares it: what its rows are, how one is told in full, and what can be
 * done with it. The pane supplies cursor, filter, layout and keys.
 */
export type CollectionPart<Row extends object, Of = undefined, Own = undefined> = Pick<
  ListSource<Row, RowId, Of>,
  'labelsOf' | 'isSameRecord' | 'keptForMs' | 'columnsFor' | 'opensWith'
> & {
  /** The plural, as titles say it: `volumes`. */
  readonly title: SafeText;
  /** Whose age stands beside the title, and whose failure explains an absence; none for what is not read from the service. */
  readonly feed?: Feed<unknown>;
  /** Whose age stands in the edge of the detail, where the list has none of its own. */
  readonly detailFeed?: Feed<unknown>;
  /** In place of the age of the feed, where it gives any. */
  readonly right?: (scene: Scene) => string | undefined;
  /** Said where there are none. */
  readonly none?: SafeText | ((of: Of) => SafeText);
  /** Where a filter finds nothing in a list that shows a part only: which part, and how to see more. */
  readonly reach?: (of: Of) => SafeText;
  /** It belongs to the row under the cursor of the pane's first list, and is empty without one. */
  readonly isNested?: boolean;
  /** What the list is of: the firewall whose rules it shows, by the id of that row. */
  readonly of?: (known: RowScene, id: RowId | undefined, own: Own) => Of | undefined;
  /** The title of a list that is of something. */
  readonly heading?: (of: Of) => SafeText;
  /** Who comes from another pane comes to this list, and finds its object open. */
  readonly isArrival?: boolean;
  readonly wants: readonly Want[];
  /** What is read besides, where it depends on what is known by now. */
  readonly moreWants?: (scene: Scene) => readonly Want[];
  /** In their order; undefined until they were read once. Of what was read and the time alone. */
  readonly rows: (known: RowScene, of: Of | undefined) => readonly Row[] | undefined;
  /** The object's id: the cursor follows it. */
  readonly idOf: (row: Row) => RowId;
  readonly nameOf: (row: Row) => SafeText;
  /** What an action on the row is done to; absent where nothing can be done to any. */
  readonly subjectOf?: (row: Row) => Subject | undefined;
  /** What `C` copies of a row; absent where the command line has no word for such rows. */
  readonly copiedAs?: (row: Row, of: Of | undefined) => Copied | undefined;
  readonly columns: readonly Column<Row>[];
  /** The lines of the detail, at most `width` cells each; the columns as fields where absent. */
  readonly detail?: (row: Row, scene: Scene, width: number) => readonly Line[];
  /** What is read beside the list for the row under the cursor. */
  readonly detailWants?: (row: Row, scene: Scene) => readonly Want[];
  /** What belongs to a row. */
  readonly related?: (row: Row, scene: Scene, of: Of | undefined) => readonly RelatedGroup[];
  /** What fills the room below a short list in a wide terminal; the machines among what belongs to a row where absent. */
  readonly preview?: (row: Row, scene: Scene, place: Place) => Preview;
  /**
   * What stands below the detail of a row in a wide terminal; the history of the row and of what belongs to it where
   * absent, and nothing where it has none.
   */
  readonly beside?: (row: Row, scene: Scene, place: Place) => Preview;
  /** The record under the cursor as the service sends it, read while a person looks at it. */
  readonly record?: (row: Row) => Feed<unknown> | undefined;
  /** What columns cut off is told below the rows, where the detail tells something else. */
  readonly showsCut?: boolean;
  /** A word above the list, such as why it is not whole. */
  readonly note?: (scene: Scene, of: Of | undefined) => SafeText | undefined;
  readonly actions: PartActions<Row, Of>;
};

/** Lines for a box of a place. */
export type Preview = {readonly title: string; readonly lines: readonly Line[]};

/** What the keys of the pane do in this part; a key without an entry is off, and says so. */
export type PartActions<Row, Of = undefined> = {
  readonly open?: RowAction<Row, Of>;
  readonly create?: {
    readonly reason?: (scene: Scene, of?: Of) => SafeText | undefined;
    readonly run: (scene: Scene, of?: Of, row?: Row) => CommandResult;
  };
  /** Where a new one comes from, where none can be made here. */
  readonly noCreate?: SafeText;
  /** What can be done to a row, in the order of the menu. */
  readonly commands?: readonly PartCommand<Row, Of>[];
  readonly copy?: (row: Row) => SafeText | undefined;
  /** What is copied of each where several are marked; the name where absent. */
  readonly copyMarked?: (row: Row) => SafeText;
};

/** What is done to a row, or to all marked ones. */
type RowAction<Subject, Of> = {
  /** Why it does not apply to this row now; undefined where it does. */
  readonly reason?: (subject: Subject, scene: Scene, of?: Of) => SafeText | undefined;
  readonly run: (subject: Subject, scene: Scene, of?: Of) => CommandResult;
};

export const OPEN_KEY = 'enter';

export type PartCommand<Row, Of = undefined> = RowAction<Row, Of> &
  CommandWords & {
    /** The same for many rows, where there is such an action. */
    readonly many?: RowAction<readonly Row[], Of>;
  };

/** A key as the status bar, the menu and help tell it. */
export type CommandWords = {
  readonly key: string;
  readonly title: SafeText;
  readonly help: string;
  /** Reached by the menu of actions alone, where the same key means something else outside of it. */
  readonly isInMenuAlone?: boolean;
  /** The menu that the key opens. */
  readonly opens?: string;
};

/** Where a person stands in a part. */
export type PartView<Own = undefined> = ListView<RowId> & {
  /** What a person has chosen in the pane beside its lists. */
  readonly own: Own;
  /** The detail shows the record as the service sent it. */
  readonly isRecord?: boolean;
  /** The row of the pane's first list that this one belongs to. */
  readonly ofId?: RowId | undefined;
};

export type PartProps<Own> = {
  readonly scene: Scene;
  readonly view: PartView<Own>;
  readonly place: Place;
};

type PartListProps<Own> = PartProps<Own> & {
  /** The keys act in another list of the pane. */
  readonly isFocused?: boolean;
  /** In place of the age of the feed. */
  readonly right?: string;
};

/** A part with its rows' type inside, so that a pane can hold lists of different things side by side. */
export type BoundPart<Own = undefined> = {
  readonly title: SafeText;
  /** It belongs to the row under the cursor of the pane's first list. */
  readonly isNested: boolean;
  readonly isArrival: boolean;
  /** Its age stands in its edge. */
  readonly hasFeed: boolean;
  readonly initialView: ListView<RowId>;
  readonly wants: (scene: Scene, view: PartView<Own>) => readonly Want[];
  /** What stands below the list and the detail needs besides, which a pane with an arrangement of its own does not show. */
  readonly besideWants: (scene: Scene, view: PartView<Own>) => readonly Want[];
  readonly filterMistake: (text: string) => SafeText | undefined;
  readonly adjusted: (scene: Scene, view: PartView<Own>, height: number) => ListView<RowId>;
  readonly keys: <View>(lens: PartLens<View, Own>) => ListKeys<View>;
  readonly List: ComponentType<PartListProps<Own>>;
  /** False where there are none: a filter that leaves none over leaves the detail in its place. */
  readonly hasDetail: (scene: Scene, view: PartView<Own>) => boolean;
  /** The row under the cursor in full, as far as it was scrolled. */
  readonly Detail: ComponentType<PartProps<Own> & {readonly scroll: Scroll}>;
  /** What the detail can be scrolled through in its place. */
  readonly detailPage: (scene: Scene, view: PartView<Own>, place: Place) => Page;
  /** Rows that are shown; undefined where nothing could stand below them. */
  readonly rowsAboveFold: (scene: Scene, view: PartView<Own>) => number | undefined;
  /** Rows with those that a filter hides; undefined while they were never read. */
  readonly totalCount: (scene: Scene, view: PartView<Own>) => number | undefined;
  readonly PreviewBox: ComponentType<PartProps<Own>>;
  /** Whether something can stand below the detail. */
  readonly hasBeside: boolean;
  readonly BesideBox: ComponentType<PartProps<Own>>;
  readonly idUnderCursor: (scene: Scene, view: PartView<Own>) => RowId | undefined;
  readonly nameUnderCursor: (scene: Scene, view: PartView<Own>) => SafeText | undefined;
  readonly markedCount: (scene: Scene, view: PartView<Own>) => number;
  /** The marked rows that a filter hides: actions are meant for them too. */
  readonly hiddenMarkedIds: (scene: Scene, view: PartView<Own>) => ReadonlySet<RowId>;
  readonly table: (scene: Scene, view: PartView<Own>) => PlainTable;
  readonly hasRecord: boolean;
  readonly hasRelated: boolean;
  readonly relatedHere: (scene: Scene, view: PartView<Own>) => RelatedHere | undefined;
  readonly commands: readonly CommandWords[];
  readonly hasRowAction: (key: string) => boolean;
  /** Why a key is off here; `absent` where this part has no such action at all. */
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

/** A part, and its rows as those who declare it know them. */
export type RowPart<Row extends object, Of, Own = undefined> = BoundPart<Own> & {
  readonly list: ResourceList<Row, RowId, Of>;
  readonly rowUnderCursor: (scene: Scene, view: PartView<Own>) => Row | undefined;
};

/** Where the part's list stands in the view of its pane. */
type PartLens<View, Own> = {
  readonly get: (view: View) => PartView<Own>;
  readonly put: (view: View, list: ListView<RowId>) => View;
};

/** A part that lists a kind of resource, made of its declaration; the pane adds what can be done with it. */
export function resourcePart<R, Row extends object>(
  resource: TypedResource<R, Row>,
  part: Partial<CollectionPart<Row>> & Pick<CollectionPart<Row>, 'wants' | 'actions'>,
): BoundPart {
  const {words, columns, feed, detail, related, rawFeed, path, one, type, subjects, recordIn, idOf, nameOf} = resource;
  assert(recordIn !== undefined, `${words.many} do not say what their rows are made of`);
  const idIn = (row: Row) => idOf?.(recordIn(row));
  return bindPart<Row>({
    title: words.many,
    columns,
    rows: known => listedRows(resource, known),
    ...(detail === undefined ? {} : {detail}),
    idOf: row => idIn(row) ?? '',
    nameOf: row => {
      const [id, name = say``] = [idIn(row), nameOf?.(recordIn(row))];
      return typeof id === 'number' ? say`${name}  #${id}` : name;
    },
    ...(type === undefined || subjects === undefined ? {} : {subjectOf: row => subjectWith(type, idIn(row))}),
    ...(feed === undefined ? {} : {feed}),
    ...(related === undefined ? {} : {related: (row, {store}) => related(recordIn(row), store)}),
    ...(rawFeed === undefined ? {} : {record: row => rawFeed(recordIn(row))}),
    ...(path === undefined && one === undefined ? {} : {copiedAs: row => copiedRecord(resource, recordIn(row))}),
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
    List: ({scene, view, right = part.right?.(scene), ...rest}) => (
      <list.Box {...at(scene, view)} {...(right === undefined ? {} : {right})} {...rest} />
    ),
    ...partDetail(rows),
    ...partPreview(rows),
    ...partBeside(rows),
    rowUnderCursor,
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
    markedCount: (scene, view) => list.marked(at(scene, view)).length,
    hiddenMarkedIds: (scene, view) => new Set(list.hiddenMarked(at(scene, view)).map(part.idOf)),
    table: (scene, view) => list.table(at(scene, view)),
    hasRecord: part.record !== undefined,
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
      return row === undefined ? undefined : part.copiedAs?.(row, ofAt(scene, view));
    },
  };
}

/** The rows of a part, from where a person stands in it. */
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
    showsCut: part.showsCut === true,
    none: (scene, of) => noneText(part, scene, of),
  });
  const ofAt = (scene: Scene, {ofId, own}: PartView<Own>) => part.of?.(scene, ofId, own);
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
  const canCreate = create !== undefined && create.reason?.(scene, of) === undefined;
  return say`${own ?? say`this account has no ${title}`}${canCreate ? say`; ${KEYS.create} creates one` : say``}`;
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
  const related = part.related?.(row, scene, ofAt(scene, view)) ?? [];
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

/** What the keys do to the row under the cursor, or to the marked ones where there are any; enter opens the one. */
function rowActions<Row extends object, Of, Own>({
  part,
  list,
  at,
  ofAt,
  rowUnderCursor,
}: PartRows<Row, Of, Own>): Pick<BoundPart<Own>, 'commands' | 'hasRowAction' | 'rowActionReason' | 'runRowAction'> {
  const {open, commands = []} = part.actions;
  const markedRows = (key: string, scene: Scene, view: PartView<Own>) =>
    key === OPEN_KEY ? [] : list.marked(at(scene, view));
  const commandAt = (key: string) => commands.find(command => command.key === key);
  const actionAt = (key: string): RowAction<Row, Of> | undefined => (key === OPEN_KEY ? open : commandAt(key));
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
