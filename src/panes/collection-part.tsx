import type {ComponentType, ReactNode} from 'react';
import type {Subject} from '../domain/action.ts';
import {describeOperation} from '../domain/describe-operation.ts';
import {type Filter, type FilterOutcome, type FilterRow, matchesFilter, parseFilter} from '../domain/filter.ts';
import {type SafeText, safeText, say} from '../domain/safe-text.ts';
import {SECOND_MS} from '../domain/time.ts';
import {missingLine, recordLines} from '../resources/detail.ts';
import {type Column, listedRows, type TypedResource} from '../resources/resource.ts';
import type {Feed} from '../state/feed.ts';
import type {Want} from '../state/poll-schedule.ts';
import {List} from '../ui/list.tsx';
import {type Line, lineWidth} from '../ui/text.ts';
import {TitledBox} from '../ui/titled-box.tsx';
import {wrapLine} from '../ui/wrap.ts';
import {withBusyColumn} from './busy-column.ts';
import type {CommandResult} from './command.ts';
import type {Copied} from './copy-menu.ts';
import {feedFrame} from './feed-state.ts';
import {type ListCursor, movedCursor, rowAtCursor, settledCursor} from './list.ts';
import {listColumns} from './list-columns.ts';
import type {PlainTable, Scene} from './pane.ts';
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
  /** In their order; undefined until they were read once. Of what was read and the time alone: they are kept for a second. */
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
  /** The record under the cursor as the service sends it, read while a person looks at it. */
  readonly record?: (row: Row) => Feed<unknown> | undefined;
  /** A word above the list, such as why it is not whole. */
  readonly note?: (scene: Scene) => SafeText | undefined;
  readonly actions: PartActions<Row>;
};

/** What rows may be made of. */
type KnownToRows = Pick<Scene, 'store' | 'now' | 'operations' | 'journal' | 'undoable' | 'preferences'>;

/** What the keys of the pane do in this part; a key without an entry is off, and says so. */
export type PartActions<Row> = {
  readonly open?: RowAction<Row>;
  readonly create?: {
    readonly reason?: (scene: Scene) => SafeText | undefined;
    readonly run: (scene: Scene) => CommandResult;
  };
  readonly edit?: RowAction<Row>;
  readonly remove?: RowAction<Row>;
  readonly copy?: (row: Row) => SafeText | undefined;
};

type RowAction<Row> = {
  /** Why it does not apply to this row now; undefined where it does. */
  readonly reason?: (row: Row, scene: Scene) => SafeText | undefined;
  readonly run: (row: Row, scene: Scene) => CommandResult;
};

export type RowActionName = 'open' | 'edit' | 'remove';

/** Where a person stands in a part. */
export type PartView = {
  readonly cursor: ListCursor<string>;
  readonly filterText: string;
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
  readonly moved: (scene: Scene, view: PartView, step: number) => ListCursor<string>;
  readonly settled: (scene: Scene, view: PartView, height: number) => ListCursor<string>;
  readonly List: ComponentType<PartProps>;
  /** False where there are none: a filter that leaves none over leaves the detail in its place. */
  readonly hasDetail: (scene: Scene) => boolean;
  /** The row under the cursor in full, as far as it was scrolled. */
  readonly Detail: ComponentType<PartProps & {readonly scroll: Scroll}>;
  /** What the detail can be scrolled through in its place. */
  readonly detailPage: (scene: Scene, view: PartView, place: PartProps['place']) => Page;
  readonly nameUnderCursor: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly table: (scene: Scene, view: PartView) => PlainTable;
  readonly hasRecord: boolean;
  readonly hasRowAction: (name: RowActionName) => boolean;
  /** Why a key is off here; `absent` where this part has no such action at all. */
  readonly rowActionReason: (name: RowActionName, scene: Scene, view: PartView) => SafeText | 'absent' | undefined;
  readonly runRowAction: (name: RowActionName, scene: Scene, view: PartView) => CommandResult;
  readonly create: PartActions<never>['create'];
  readonly copied: (scene: Scene, view: PartView) => SafeText | undefined;
  readonly hasCommands: boolean;
  readonly copiedAs: (scene: Scene, view: PartView) => Copied | undefined;
};

/** A list is asked for many times a frame, and its rows are joined from whole other lists. */
type KeptRows<Row> = {
  readonly store: Scene['store'];
  readonly version: number;
  readonly second: number;
  readonly rows: readonly Row[] | undefined;
};

/** Cells of the detail's edges. */
const DETAIL_EDGE_CELLS = 4;

/** A part that lists a kind of resource, made of its declaration; the pane adds what can be done with it. */
export function resourcePart<R, Row extends object>(
  resource: TypedResource<R, Row>,
  part: Omit<CollectionPart<Row>, 'title' | 'feed' | 'rows' | 'columns' | 'detail'> & {readonly title?: SafeText},
): BoundPart {
  return bindPart({
    title: safeText(resource.names[0]),
    columns: resource.columns,
    rows: known => listedRows(resource, known),
    detail: (row, scene, width) => resource.detail?.(row, scene, width) ?? [],
    ...(resource.feed === undefined ? {} : {feed: resource.feed}),
    ...part,
  });
}

export function bindPart<Row extends object>(part: CollectionPart<Row>): BoundPart {
  const noRow = say`there is nothing under the cursor`;
  const {title, feed, columns, idOf, actions} = part;
  const keys = columns.map(({key}) => key);
  const shownColumns = listColumns(columns);
  const parse = (text: string): FilterOutcome => parseFilter(text, keys);

  let kept: KeptRows<Row> | undefined;

  function allRows(scene: Scene): readonly Row[] | undefined {
    const {store, now, operations} = scene;
    const version = store.version() + (operations?.version() ?? 0);
    const second = Math.floor(now / SECOND_MS);
    if (kept?.store !== store || kept.version !== version || kept.second !== second) {
      kept = {store, version, second, rows: part.rows(scene)};
    }
    return kept.rows;
  }

  function shownRows(scene: Scene, {filterText}: PartView): readonly Row[] | undefined {
    const rows = allRows(scene);
    if (rows === undefined || filterText.trim() === '') return rows;
    const parsed = parse(filterText);
    return parsed.ok ? rows.filter(row => matches(parsed.filter, row)) : rows;
  }

  function matches(filter: Filter, row: Row): boolean {
    const cells = new Map(columns.map(column => [column.key, column.value(row)]));
    const filterRow: FilterRow = {
      cell: key => cells.get(key),
      shownTexts: () => [...cells.values()].map(cell => cell?.text ?? ''),
    };
    return matchesFilter(filter, filterRow);
  }

  function rowUnderCursor(scene: Scene, view: PartView): Row | undefined {
    return rowAtCursor(view.cursor, shownRows(scene, view) ?? [], idOf);
  }

  function emptyLine(scene: Scene, {filterText}: PartView): Line {
    const all = allRows(scene);
    if (all === undefined) return feed === undefined ? [] : missingLine(scene, feed, title);
    if (all.length > 0) return [{text: ` none matches /${filterText}; esc clears the filter`, tone: 'dim'}];
    const canMake = actions.create !== undefined && actions.create.reason?.(scene) === undefined;
    const none = part.none ?? say`this account has no ${title}`;
    return [{text: ` ${none}${canMake ? '; n makes one' : ''}`, tone: 'dim'}];
  }

  function listTitle(scene: Scene, view: PartView): Line {
    const all = allRows(scene)?.length;
    const filter = view.filterText === '' ? '' : `  /${view.filterText}`;
    const note = part.note?.(scene);
    const count = all === undefined ? title : `${title} ${shownRows(scene, view)?.length ?? 0} of ${all}${filter}`;
    return [
      {text: count, tone: 'focus'},
      ...(note === undefined ? [] : [{text: `  ${note}`, tone: 'warning' as const}]),
    ];
  }

  function detailOf(scene: Scene, view: PartView, columnCount: number): readonly Line[] {
    const row = rowUnderCursor(scene, view);
    const width = columnCount - DETAIL_EDGE_CELLS;
    const record = row === undefined || view.isRecord !== true ? undefined : part.record?.(row);
    if (record !== undefined) return recordLines(scene, record);
    if (row !== undefined) return [...busyLines(scene, row, width), ...part.detail(row, scene, width)];
    // The list has one line for why it is not there; a reason that is longer stands here in full.
    const reason = emptyLine(scene, view);
    return allRows(scene) === undefined && lineWidth(reason) > width ? wrapLine(reason, width) : [];
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

  function PartList({scene, view, place}: PartProps): ReactNode {
    const rows = shownRows(scene, view) ?? [];
    const {subjectOf} = part;
    return (
      <List
        {...frame(scene)}
        title={listTitle(scene, view)}
        columns={
          subjectOf === undefined ? shownColumns : withBusyColumn(shownColumns, rows, subjectOf, scene, place.columns)
        }
        rows={rows}
        idOf={idOf}
        cursor={{id: view.cursor.cursorId, index: view.cursor.cursorIndex}}
        offset={view.cursor.offset}
        empty={emptyLine(scene, view)}
        width={place.columns}
        height={place.rows}
        isFocused
      />
    );
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

  return {
    title,
    filterMistake: text => {
      const parsed = parse(text);
      return parsed.ok ? undefined : parsed.mistake;
    },
    wants: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      const ofRow = row === undefined ? [] : (part.detailWants?.(row) ?? []);
      const record = row === undefined || view.isRecord !== true ? undefined : part.record?.(row);
      const ofRecord: readonly Want[] = record === undefined ? [] : [{feed: record, priority: 1}];
      return [...part.wants, ...(part.moreWants?.(scene) ?? []), ...ofRow, ...ofRecord];
    },
    moved: (scene, view, step) => movedCursor(view.cursor, shownRows(scene, view) ?? [], idOf, step),
    settled: (scene, view, height) =>
      settledCursor(view.cursor, shownRows(scene, view) ?? [], idOf, {height, hasChosen: scene.hasChosen}),
    List: PartList,
    hasDetail: scene => allRows(scene)?.length !== 0,
    Detail: PartDetail,
    detailPage,
    nameUnderCursor: (scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? undefined : part.nameOf(row);
    },
    table: (scene, view) => ({
      columns: keys,
      rows: (shownRows(scene, view) ?? []).map(row => columns.map(column => column.value(row)?.text ?? '')),
    }),
    hasRecord: part.record !== undefined,
    hasRowAction: name => actions[name] !== undefined,
    rowActionReason: (name, scene, view) => {
      const action = actions[name];
      if (action === undefined) return 'absent';
      const row = rowUnderCursor(scene, view);
      return row === undefined ? noRow : action.reason?.(row, scene);
    },
    runRowAction: (name, scene, view) => {
      const row = rowUnderCursor(scene, view);
      return row === undefined ? {kind: 'done'} : (actions[name]?.run(row, scene) ?? {kind: 'done'});
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
