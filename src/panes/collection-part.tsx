import type {ComponentType, ReactNode} from 'react';
import type {Subject} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import type {ResourceType} from '../domain/cloud-resource.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {foldedLines, recordLines, wrappedField} from '../resources/detail.ts';
import type {RelatedGroup} from '../resources/related.ts';
import {type Column, listedRows, type TypedResource} from '../resources/resource.ts';
import type {Feed} from '../state/feed.ts';
import type {Want} from '../state/poll-schedule.ts';
import {type Line, lineWidth} from '../ui/text.ts';
import {TitledBox} from '../ui/titled-box.tsx';
import {wrapLine} from '../ui/wrap.ts';
import {isWide} from './collection-layout.ts';
import type {CommandResult} from './command.ts';
import {type Copied, copiedRecord} from './copy-menu.ts';
import {feedFrame} from './feed-state.ts';
import {type ListKeys, listKeys} from './list-commands.ts';
import type {PlainTable, Scene} from './pane.ts';
import {relatedPreview, relatedWants} from './related-lines.ts';
import type {RelatedHere} from './related-menu.ts';
import {type KnownToRows, LIST_VIEW, type ListAt, type ListView, type RowId, resourceList} from './resource-list.tsx';
import {linesInSight, type Page, type Scroll, searchLabel} from './scroll.ts';
import type {Place} from './sizes.ts';
import {KEYS} from './keys.ts';

/**
 * One list of a collection pane, as its folder declares it: what its rows are, how one is told in full, and what can be
 * done with it. The pane supplies cursor, filter, layout and keys.
 */
export type CollectionPart<Row extends object, Of = undefined> = {
  /** The plural, as titles say it: `volumes`. */
  readonly title: SafeText;
  /** Whose age stands beside the title, and whose failure explains an absence; none for what is not read from the service. */
  readonly feed?: Feed<unknown>;
  /** Said where there are none. */
  readonly none?: SafeText;
  /** It belongs to the row under the cursor of the pane's first list, and is empty without one. */
  readonly isNested?: boolean;
  /** What the list is of: the firewall whose rules it shows, by the id of that row. */
  readonly of?: (known: KnownToRows, id: RowId | undefined) => Of | undefined;
  /** The title of a list that is of something. */
  readonly heading?: (of: Of) => SafeText;
  /** How the list opens, where not in its own order. */
  readonly opensWith?: Partial<ListView<RowId>>;
  /** Who comes from another pane comes to this list, and finds its object open. */
  readonly isArrival?: boolean;
  readonly wants: readonly Want[];
  /** What is read besides, where it depends on what is known by now. */
  readonly moreWants?: (scene: Scene) => readonly Want[];
  /** In their order; undefined until they were read once. Of what was read and the time alone. */
  readonly rows: (known: KnownToRows, of: Of | undefined) => readonly Row[] | undefined;
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
  /** The record under the cursor as the service sends it, read while a person looks at it. */
  readonly record?: (row: Row) => Feed<unknown> | undefined;
  /** What columns cut off is told below the rows, where the detail tells something else. */
  readonly showsCut?: boolean;
  /** A word above the list, such as why it is not whole. */
  readonly note?: (scene: Scene) => SafeText | undefined;
  readonly actions: PartActions<Row, Of>;
};

/** Lines for a box of a place. */
export type Preview = {readonly title: string; readonly lines: readonly Line[]};

/** What the keys of the pane do in this part; a key without an entry is off, and says so. */
export type PartActions<Row, Of = undefined> = {
  readonly open?: RowAction<Row, Of>;
  readonly create?: {
    readonly reason?: (scene: Scene, of?: Of) => SafeText | undefined;
    readonly run: (scene: Scene, of?: Of) => CommandResult;
  };
  /** What can be done to a row, in the order of the menu. */
  readonly commands?: readonly PartCommand<Row, Of>[];
  readonly copy?: (row: Row) => SafeText | undefined;
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
};

/** Where a person stands in a part. */
export type PartView = ListView<RowId> & {
  /** The detail shows the record as the service sent it. */
  readonly isRecord?: boolean;
  /** The row of the pane's first list that this one belongs to. */
  readonly ofId?: RowId | undefined;
};

type PartProps = {
  readonly scene: Scene;
  readonly view: PartView;
  readonly place: Place;
};

type PartListProps = PartProps & {
  /** The keys act in another list of the pane. */
  readonly isFocused?: boolean;
  /** In place of the age of the feed. */
  readonly right?: string;
};

/** A part with its rows' type inside, so that a pane can hold lists of different things side by side. */
export type BoundPart = {
  readonly title: SafeText;
  /** It belongs to the row under the cursor of the pane's first list. */
  readonly isNested: boolean;
  readonly isArrival: boolean;
  /** Its age stands in its edge. */
  readonly hasFeed: boolean;
  readonly initialView: ListView<RowId>;
  readonly wants: (scene: Scene, view: PartView) => readonly Want[];
  readonly filterMistake: (text: string) => SafeText | undefined;
  readonly settled: (scene: Scene, view: PartView, height: number) => ListView<RowId>;
  readonly keys: <View>(lens: PartLens<View>) => ListKeys<View>;
  readonly List: ComponentType<PartListProps>;
  /** False where there are none: a filter that leaves none over leaves the detail in its place. */
  readonly hasDetail: (scene: Scene) => boolean;
  /** The row under the cursor in full, as far as it was scrolled. */
  readonly Detail: ComponentType<PartProps & {readonly scroll: Scroll}>;
  /** What the detail can be scrolled through in its place. */
  readonly detailPage: (scene: Scene, view: PartView, place: PartProps['place']) => Page;
  /** Rows that are shown; undefined where nothing could stand below them. */
  readonly rowsAboveFold: (scene: Scene, view: PartView) => number | undefined;
  readonly PreviewBox: ComponentType<PartProps>;
  readonly idUnderCursor: (scene: Scene, view: PartView) => RowId | undefined;
  readonly nameUnderCursor: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly markedCount: (scene: Scene, view: PartView) => number;
  readonly table: (scene: Scene, view: PartView) => PlainTable;
  readonly hasRecord: boolean;
  readonly hasRelated: boolean;
  readonly relatedHere: (scene: Scene, view: PartView) => RelatedHere | undefined;
  readonly commands: readonly CommandWords[];
  readonly hasRowAction: (key: string) => boolean;
  /** Why a key is off here; `absent` where this part has no such action at all. */
  readonly rowActionReason: (key: string, scene: Scene, view: PartView) => SafeText | 'absent' | undefined;
  readonly runRowAction: (key: string, scene: Scene, view: PartView) => CommandResult;
  readonly canCreate: boolean;
  readonly createReason: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly runCreate: (scene: Scene, view: PartView) => CommandResult;
  readonly copied: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly hasCommands: boolean;
  readonly copiedAs: (scene: Scene, view: PartView) => Copied | undefined;
};

/** Where the part's list stands in the view of its pane. */
type PartLens<View> = {
  readonly get: (view: View) => PartView;
  readonly put: (view: View, list: ListView<RowId>) => View;
};

/** Cells of the detail's edges. */
const DETAIL_EDGE_CELLS = 4;

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

export function bindPart<Row extends object, Of = undefined>(part: CollectionPart<Row, Of>): BoundPart {
  const {title, feed, columns, idOf, nameOf, actions} = part;
  const list = resourceList<Row, RowId, Of>({
    title,
    ...(feed === undefined ? {} : {feed}),
    columns,
    rows: part.rows,
    idOf,
    ...(part.heading === undefined ? {} : {heading: part.heading}),
    ...(part.subjectOf === undefined ? {} : {subjectOf: part.subjectOf}),
    ...(part.note === undefined ? {} : {note: part.note}),
    showsCut: part.showsCut === true,
    none: (scene, of) => {
      if (part.isNested === true && of === undefined) return say``;
      const canMake = actions.create !== undefined && actions.create.reason?.(scene, of) === undefined;
      return say`${part.none ?? say`this account has no ${title}`}${canMake ? say`; ${KEYS.create} creates one` : say``}`;
    },
  });

  function ofAt(scene: Scene, {ofId}: PartView): Of | undefined {
    return part.of?.(scene, ofId);
  }

  function at(scene: Scene, view: PartView): ListAt<RowId, Of> {
    return {scene, view, of: ofAt(scene, view)};
  }

  function rowUnderCursor(scene: Scene, view: PartView): Row | undefined {
    return list.rowUnderCursor(at(scene, view));
  }

  function detailOf(scene: Scene, view: PartView, columnCount: number): readonly Line[] {
    const row = rowUnderCursor(scene, view);
    const width = columnCount - DETAIL_EDGE_CELLS;
    const record = row === undefined || view.isRecord !== true ? undefined : part.record?.(row);
    if (record !== undefined) return recordLines(scene, record);
    if (row !== undefined) {
      const lines = part.detail === undefined ? fieldLines(columns, row, width) : part.detail(row, scene, width);
      return [...busyLines(scene, row, width), ...foldedLines(lines, width)];
    }
    // The list has one line for why it is not there; a reason that is longer stands here in full.
    const reason = list.emptyLine(at(scene, view));
    return list.shown(at(scene, view)).totalCount === undefined && lineWidth(reason) > width
      ? wrapLine(reason, width)
      : [];
  }

  function busyLines(scene: Scene, row: Row, width: number): readonly Line[] {
    const subject = part.subjectOf?.(row);
    const operation = subject === undefined ? undefined : scene.operations?.openOn(subject);
    return operation === undefined ? [] : wrapLine([{text: describeOperation(operation).text, tone: 'accent'}], width);
  }

  function frame(scene: Scene): ReturnType<typeof feedFrame> {
    const {theme, health} = scene;
    return feed === undefined ? {theme, isLinkDown: health.status !== 'up'} : feedFrame(scene, feed);
  }

  function PartList({scene, view, ...rest}: PartListProps): ReactNode {
    return <list.Box {...at(scene, view)} {...rest} />;
  }

  function detailPage(scene: Scene, view: PartView, place: PartProps['place']): Page {
    return {lines: detailOf(scene, view, place.columns), rows: Math.max(0, place.rows - 2)};
  }

  function PartDetail({scene, view, place, scroll}: PartProps & {readonly scroll: Scroll}): ReactNode {
    const row = rowUnderCursor(scene, view);
    const page = detailPage(scene, view, place);
    const lines = linesInSight(scroll, page);
    const found = searchLabel(scroll, page);
    const {right = '', ...rest} = frame(scene);
    return (
      <TitledBox
        {...rest}
        title={row === undefined ? '' : part.nameOf(row)}
        right={[
          {text: found, tone: 'marked'},
          {text: found === '' || right === '' ? right : `  ${right}`, tone: 'dim'},
        ]}
        lines={lines.map(line => [{text: ' '}, ...line])}
        width={place.columns}
        height={place.rows}
      />
    );
  }

  const hasPreview = part.preview !== undefined || part.related !== undefined;

  function nameInCommands(row: Row): SafeText {
    return part.copiedAs?.(row, undefined)?.name ?? nameOf(row);
  }

  function relatedTo(row: Row, scene: Scene, view: PartView): readonly RelatedGroup[] {
    return part.related?.(row, scene, ofAt(scene, view)) ?? [];
  }

  function PreviewBox({scene, view, place}: PartProps): ReactNode {
    const row = rowUnderCursor(scene, view);
    const preview = row === undefined ? {title: '', lines: []} : previewOf(row, scene, view, place);
    return <TitledBox {...frame(scene)} {...preview} width={place.columns} height={place.rows} />;
  }

  function previewOf(row: Row, scene: Scene, view: PartView, place: Place): Preview {
    if (part.preview !== undefined) return part.preview(row, scene, place);
    return {title: `related to ${nameOf(row)}`, lines: relatedPreview(scene, relatedTo(row, scene, view), place)};
  }

  return {
    title,
    isNested: part.isNested === true,
    isArrival: part.isArrival === true,
    hasFeed: feed !== undefined,
    initialView: {...LIST_VIEW, ...part.opensWith},
    rowsAboveFold: (scene, view) => (hasPreview ? list.shown(at(scene, view)).rows.length : undefined),
    PreviewBox,
    filterMistake: list.filterMistake,
    wants: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      const ofRow = row === undefined ? [] : (part.detailWants?.(row, scene) ?? []);
      const isBeside = part.isNested !== true && isWide(scene.size);
      const ofRelated = row === undefined || !isBeside ? [] : relatedWants(scene, relatedTo(row, scene, view));
      const record = row === undefined || view.isRecord !== true ? undefined : part.record?.(row);
      const ofRecord: readonly Want[] = record === undefined ? [] : [{feed: record, priority: 1}];
      return [...part.wants, ...(part.moreWants?.(scene) ?? []), ...ofRow, ...ofRelated, ...ofRecord];
    },
    settled: (scene, view, height) => list.settled(at(scene, view), height),
    keys: ({get, put}) => listKeys(list, {at: ({scene, view}) => at(scene, get(view)), put}, nameInCommands),
    List: PartList,
    hasDetail: scene => list.shown({scene, view: LIST_VIEW}).totalCount !== 0,
    Detail: PartDetail,
    detailPage,
    idUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : idOf(row);
    },
    nameUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : nameOf(row);
    },
    markedCount: (scene, view) => list.marked(at(scene, view)).length,
    table: (scene, view) => list.table(at(scene, view)),
    hasRecord: part.record !== undefined,
    hasRelated: part.related !== undefined,
    relatedHere: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : {name: nameOf(row), groups: relatedTo(row, scene, view)};
    },
    ...rowActions(actions, {
      ofAt,
      rowUnderCursor,
      markedRows: (scene, view) => list.marked(at(scene, view)),
    }),
    canCreate: actions.create !== undefined,
    createReason: (scene, view) => actions.create?.reason?.(scene, ofAt(scene, view)),
    runCreate: (scene, view) => actions.create?.run(scene, ofAt(scene, view)) ?? {kind: 'done'},
    copied: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : (actions.copy ?? nameInCommands)(row);
    },
    hasCommands: part.copiedAs !== undefined,
    copiedAs: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : part.copiedAs?.(row, ofAt(scene, view));
    },
  };
}

/** What the keys do to the row under the cursor, or to the marked ones where there are any; enter opens the one. */
function rowActions<Row, Of>(
  {open, commands = []}: PartActions<Row, Of>,
  here: {
    readonly ofAt: (scene: Scene, view: PartView) => Of | undefined;
    readonly rowUnderCursor: (scene: Scene, view: PartView) => Row | undefined;
    readonly markedRows: (scene: Scene, view: PartView) => readonly Row[];
  },
): Pick<BoundPart, 'commands' | 'hasRowAction' | 'rowActionReason' | 'runRowAction'> {
  const commandAt = (key: string) => commands.find(command => command.key === key);
  const actionAt = (key: string): RowAction<Row, Of> | undefined => (key === OPEN_KEY ? open : commandAt(key));
  return {
    commands,
    hasRowAction: key => actionAt(key) !== undefined,
    rowActionReason: (key, scene, view) => {
      const action = actionAt(key);
      if (action === undefined) return 'absent';
      const of = here.ofAt(scene, view);
      const marked = key === OPEN_KEY ? [] : here.markedRows(scene, view);
      if (marked.length > 0) {
        const many = commandAt(key)?.many;
        return many === undefined
          ? say`only for one at a time; ${KEYS.clearMarks} clears the marks`
          : many.reason?.(marked, scene, of);
      }
      const row = here.rowUnderCursor(scene, view);
      return row === undefined ? say`there is nothing under the cursor` : action.reason?.(row, scene, of);
    },
    runRowAction: (key, scene, view) => {
      const of = here.ofAt(scene, view);
      const marked = key === OPEN_KEY ? [] : here.markedRows(scene, view);
      const row = here.rowUnderCursor(scene, view);
      if (marked.length > 0) return commandAt(key)?.many?.run(marked, scene, of) ?? {kind: 'done'};
      return row === undefined ? {kind: 'done'} : (actionAt(key)?.run(row, scene, of) ?? {kind: 'done'});
    },
  };
}

/** Every column that has something to say, as a field: for rows of which nothing more is known. */
function fieldLines<Row>(columns: readonly Column<Row>[], row: Row, width: number): readonly Line[] {
  return columns.flatMap(column => {
    const value = column.value(row);
    return value === undefined ? [] : wrappedField(column.title.toLowerCase(), value.text, width);
  });
}
