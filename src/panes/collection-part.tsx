import type {ComponentType, ReactNode} from 'react';
import type {Subject} from '../domain/action.ts';
import {assert} from '../domain/assert.ts';
import type {ResourceType} from '../domain/cloud-resource.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {type SafeText, say} from '../domain/safe-text.ts';
import {recordLines} from '../resources/detail.ts';
import type {RelatedGroup} from '../resources/related.ts';
import {type Column, listedRows, type TypedResource} from '../resources/resource.ts';
import type {Feed} from '../state/feed.ts';
import type {Want} from '../state/poll-schedule.ts';
import {type Line, lineWidth} from '../ui/text.ts';
import {TitledBox} from '../ui/titled-box.tsx';
import {wrapLine} from '../ui/wrap.ts';
import type {CommandResult} from './command.ts';
import {type Copied, copiedRecord} from './copy-menu.ts';
import {feedFrame} from './feed-state.ts';
import {type ListKeys, listKeys} from './list-commands.ts';
import type {PlainTable, Scene} from './pane.ts';
import {relatedLines} from './related-lines.ts';
import type {RelatedHere} from './related-menu.ts';
import {type KnownToRows, LIST_VIEW, type ListView, resourceList} from './resource-list.tsx';
import {linesInSight, type Page, type Scroll, searchLabel} from './scroll.ts';

/**
 * One list of a collection pane, as its folder declares it: what its rows are, how one is told in full, and what can be
 * done with it. The pane supplies cursor, filter, layout and keys.
 */
export type CollectionPart<Row extends object> = {
  /** The plural, as titles say it: `volumes`. */
  readonly title: SafeText;
  /** Whose age stands beside the title, and whose failure explains an absence; none for what is not read from the service. */
  readonly feed?: Feed<unknown>;
  /** Said where there are none. */
  readonly none?: SafeText;
  readonly wants: readonly Want[];
  /** What is read besides, where it depends on what is known by now. */
  readonly moreWants?: (scene: Scene) => readonly Want[];
  /** In their order; undefined until they were read once. Of what was read and the time alone. */
  readonly rows: (known: KnownToRows) => readonly Row[] | undefined;
  /** The object's id as text: the cursor follows it. */
  readonly idOf: (row: Row) => string;
  readonly nameOf: (row: Row) => SafeText;
  /** What an action on the row is done to; absent where nothing can be done to any. */
  readonly subjectOf?: (row: Row) => Subject | undefined;
  /** What `C` copies of a row; absent where the command line has no word for such rows. */
  readonly copiedAs?: (row: Row) => Copied;
  readonly columns: readonly Column<Row>[];
  /** The lines of the detail, at most `width` cells each. */
  readonly detail: (row: Row, scene: Scene, width: number) => readonly Line[];
  /** What is read beside the list for the row under the cursor. */
  readonly detailWants?: (row: Row) => readonly Want[];
  /** What belongs to a row. */
  readonly related?: (row: Row, scene: Scene) => readonly RelatedGroup[];
  /** What fills the room below a short list in a wide terminal; the machines among what belongs to a row where absent. */
  readonly preview?: (row: Row, scene: Scene, place: Place) => Preview;
  /** The record under the cursor as the service sends it, read while a person looks at it. */
  readonly record?: (row: Row) => Feed<unknown> | undefined;
  /** What columns cut off is told below the rows, where the detail tells something else. */
  readonly showsCut?: boolean;
  /** A word above the list, such as why it is not whole. */
  readonly note?: (scene: Scene) => SafeText | undefined;
  readonly actions: PartActions<Row>;
};

export type Place = {readonly columns: number; readonly rows: number};

/** Lines for a box of a place. */
export type Preview = {readonly title: string; readonly lines: readonly Line[]};

/** What the keys of the pane do in this part; a key without an entry is off, and says so. */
export type PartActions<Row> = {
  readonly open?: RowAction<Row>;
  readonly create?: {
    readonly reason?: (scene: Scene) => SafeText | undefined;
    readonly run: (scene: Scene) => CommandResult;
  };
  /** What can be done to a row, in the order of the menu. */
  readonly commands?: readonly PartCommand<Row>[];
  readonly copy?: (row: Row) => SafeText | undefined;
};

type RowAction<Row> = {
  /** Why it does not apply to this row now; undefined where it does. */
  readonly reason?: (row: Row, scene: Scene) => SafeText | undefined;
  readonly run: (row: Row, scene: Scene) => CommandResult;
};

export const OPEN_KEY = 'enter';

export type PartCommand<Row> = RowAction<Row> & CommandWords;

/** A key as the status bar, the menu and help tell it. */
export type CommandWords = {readonly key: string; readonly title: SafeText; readonly help: string};

/** Where a person stands in a part. */
export type PartView = ListView<string> & {
  /** The detail shows the record as the service sent it. */
  readonly isRecord?: boolean;
};

type PartProps = {
  readonly scene: Scene;
  readonly view: PartView;
  readonly place: {readonly columns: number; readonly rows: number};
};

/** A part with its rows' type inside, so that a pane can hold lists of different things side by side. */
export type BoundPart = {
  readonly title: SafeText;
  readonly wants: (scene: Scene, view: PartView) => readonly Want[];
  readonly filterMistake: (text: string) => SafeText | undefined;
  readonly settled: (scene: Scene, view: PartView, height: number) => ListView<string>;
  readonly keys: <View>(lens: PartLens<View>) => ListKeys<View>;
  readonly List: ComponentType<PartProps>;
  /** False where there are none: a filter that leaves none over leaves the detail in its place. */
  readonly hasDetail: (scene: Scene) => boolean;
  /** The row under the cursor in full, as far as it was scrolled. */
  readonly Detail: ComponentType<PartProps & {readonly scroll: Scroll}>;
  /** What the detail can be scrolled through in its place. */
  readonly detailPage: (scene: Scene, view: PartView, place: PartProps['place']) => Page;
  /** Rows that are shown; undefined where nothing could stand below them. */
  readonly rowsAboveFold: (scene: Scene, view: PartView) => number | undefined;
  readonly PreviewBox: ComponentType<PartProps>;
  readonly nameUnderCursor: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly table: (scene: Scene, view: PartView) => PlainTable;
  readonly hasRecord: boolean;
  readonly hasRelated: boolean;
  readonly relatedHere: (scene: Scene, view: PartView) => RelatedHere | undefined;
  readonly commands: readonly CommandWords[];
  readonly hasRowAction: (key: string) => boolean;
  /** Why a key is off here; `absent` where this part has no such action at all. */
  readonly rowActionReason: (key: string, scene: Scene, view: PartView) => SafeText | 'absent' | undefined;
  readonly runRowAction: (key: string, scene: Scene, view: PartView) => CommandResult;
  readonly create: PartActions<never>['create'];
  readonly copied: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly hasCommands: boolean;
  readonly copiedAs: (scene: Scene, view: PartView) => Copied | undefined;
};

/** Where the part's list stands in the view of its pane. */
type PartLens<View> = {
  readonly get: (view: View) => ListView<string>;
  readonly put: (view: View, list: ListView<string>) => View;
};

/** Cells of the detail's edges. */
const DETAIL_EDGE_CELLS = 4;

/** A part that lists a kind of resource, made of its declaration; the pane adds what can be done with it. */
export function resourcePart<R, Row extends object>(
  resource: TypedResource<R, Row>,
  part: Partial<CollectionPart<Row>> & Pick<CollectionPart<Row>, 'wants' | 'actions'>,
): BoundPart {
  const {words, columns, feed, detail, related, rawFeed, path, subjects, recordIn, idOf, nameOf} = resource;
  assert(recordIn !== undefined, `${words.many} do not say what their rows are made of`);
  const idIn = (row: Row) => idOf?.(recordIn(row));
  return bindPart<Row>({
    title: words.many,
    columns,
    rows: known => listedRows(resource, known),
    detail: (row, scene, width) => detail?.(row, scene, width) ?? [],
    idOf: row => String(idIn(row)),
    nameOf: row => {
      const [id, name = say``] = [idIn(row), nameOf?.(recordIn(row))];
      return typeof id === 'number' ? say`${name}  #${id}` : name;
    },
    ...(subjects === undefined ? {} : {subjectOf: row => subjectWith(subjects.type, idIn(row))}),
    ...(feed === undefined ? {} : {feed}),
    ...(related === undefined ? {} : {related: (row, {store}) => related(recordIn(row), store)}),
    ...(rawFeed === undefined ? {} : {record: row => rawFeed(recordIn(row))}),
    ...(path === undefined ? {} : {copiedAs: row => copiedRecord(resource, recordIn(row))}),
    ...part,
  });
}

function subjectWith(type: ResourceType, id: number | SafeText | undefined): Subject | undefined {
  return typeof id === 'number' ? {type, id} : undefined;
}

export function bindPart<Row extends object>(part: CollectionPart<Row>): BoundPart {
  const noRow = say`there is nothing under the cursor`;
  const {title, feed, columns, idOf, nameOf, actions} = part;
  const list = resourceList<Row, string>({
    title,
    ...(feed === undefined ? {} : {feed}),
    columns,
    rows: part.rows,
    idOf,
    ...(part.subjectOf === undefined ? {} : {subjectOf: part.subjectOf}),
    ...(part.note === undefined ? {} : {note: part.note}),
    showsCut: part.showsCut === true,
    none: scene => {
      const canMake = actions.create !== undefined && actions.create.reason?.(scene) === undefined;
      return say`${part.none ?? say`this account has no ${title}`}${canMake ? say`; n creates one` : say``}`;
    },
  });

  /** What a key does to a row here; enter opens it. */
  function actionAt(key: string): RowAction<Row> | undefined {
    return key === OPEN_KEY ? actions.open : actions.commands?.find(command => command.key === key);
  }

  function rowUnderCursor(scene: Scene, view: PartView): Row | undefined {
    return list.rowUnderCursor({scene, view});
  }

  function detailOf(scene: Scene, view: PartView, columnCount: number): readonly Line[] {
    const row = rowUnderCursor(scene, view);
    const width = columnCount - DETAIL_EDGE_CELLS;
    const record = row === undefined || view.isRecord !== true ? undefined : part.record?.(row);
    if (record !== undefined) return recordLines(scene, record);
    if (row !== undefined) return [...busyLines(scene, row, width), ...part.detail(row, scene, width)];
    // The list has one line for why it is not there; a reason that is longer stands here in full.
    const reason = list.emptyLine({scene, view});
    return list.shown({scene, view}).totalCount === undefined && lineWidth(reason) > width
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

  function PartList(props: PartProps): ReactNode {
    return <list.Box {...props} />;
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

  function previewOf(row: Row, scene: Scene, place: Place): Preview {
    if (part.preview !== undefined) return part.preview(row, scene, place);
    const groups = part.related?.(row, scene) ?? [];
    return {title: `related to ${nameOf(row)}`, lines: relatedLines(scene, groups, place.columns - 2)};
  }

  function PreviewBox({scene, view, place}: PartProps): ReactNode {
    const row = rowUnderCursor(scene, view);
    const preview = row === undefined ? {title: '', lines: []} : previewOf(row, scene, place);
    return <TitledBox {...frame(scene)} {...preview} width={place.columns} height={place.rows} />;
  }

  return {
    title,
    rowsAboveFold: (scene, view) => (hasPreview ? list.shown({scene, view}).rows.length : undefined),
    PreviewBox,
    filterMistake: list.filterMistake,
    wants: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      const ofRow = row === undefined ? [] : (part.detailWants?.(row) ?? []);
      const record = row === undefined || view.isRecord !== true ? undefined : part.record?.(row);
      const ofRecord: readonly Want[] = record === undefined ? [] : [{feed: record, priority: 1}];
      return [...part.wants, ...(part.moreWants?.(scene) ?? []), ...ofRow, ...ofRecord];
    },
    settled: (scene, view, height) => list.settled({scene, view}, height),
    keys: ({get, put}) => listKeys(list, {at: ({scene, view}) => ({scene, view: get(view)}), put}, nameOf),
    List: PartList,
    hasDetail: scene => list.shown({scene, view: LIST_VIEW}).totalCount !== 0,
    Detail: PartDetail,
    detailPage,
    nameUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : part.nameOf(row);
    },
    table: (scene, view) => list.table({scene, view}),
    hasRecord: part.record !== undefined,
    hasRelated: part.related !== undefined,
    relatedHere: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : {name: nameOf(row), groups: part.related?.(row, scene) ?? []};
    },
    commands: (actions.commands ?? []).map(({key, title: words, help}) => ({key, title: words, help})),
    hasRowAction: key => actionAt(key) !== undefined,
    rowActionReason: (key, scene, view) => {
      const action = actionAt(key);
      if (action === undefined) return 'absent';
      const row = rowUnderCursor(scene, view);
      return row === undefined ? noRow : action.reason?.(row, scene);
    },
    runRowAction: (key, scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? {kind: 'done'} : (actionAt(key)?.run(row, scene) ?? {kind: 'done'});
    },
    create: actions.create,
    copied: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : (actions.copy ?? part.nameOf)(row);
    },
    hasCommands: part.copiedAs !== undefined,
    copiedAs: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : part.copiedAs?.(row);
    },
  };
}
