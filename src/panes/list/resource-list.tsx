import type {ComponentType, ReactNode} from 'react';
import type {Subject} from '../../domain/action.ts';
import {type FilterOutcome, type FilterRow, matchesFilter, parseFilter} from '../../domain/filter.ts';
import {oncePer} from '../../domain/memo.ts';
import type {Rate} from '../../domain/money.ts';
import {rowOrder} from '../../domain/row-order.ts';
import {isEnded} from '../../domain/operation.ts';
import {type SafeText, safeText} from '../../domain/safe-text.ts';
import {type DurationMs, SECOND_MS} from '../../domain/time.ts';
import {type Column, otherNames, plainValue, searchedText, sortValue} from '../../resources/column.ts';
import type {Feed} from '../../state/feed.ts';
import {List} from '../../ui/list.tsx';
import {columnMeasure, type TableColumn} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {feedFrame} from '../feed-state.ts';
import {listColumns, sortedColumns, wideColumns} from './list-columns.ts';
import {emptyLine, type ListContent, titleLine} from './list-words.ts';
import {LIST_START, type ListCursor, movedCursor, rowAtCursor, adjustedCursor} from './cursor.ts';
import {withBadges} from '../operation-badge.ts';
import type {PlainTable, Scene} from '../pane.ts';
import type {Place} from '../sizes.ts';

/** What identifies a row: the id of its object, or a key of its own. */
export type RowId = string | number;

/** The view of a list: its row, filter, sort order and marks. */
export type ListView<Id> = ListCursor<Id> & {
  readonly filterText: string;
  /** Undefined: the list's own order. */
  readonly sortKey: string | undefined;
  readonly isDescending: boolean;
  /** More columns in place of graphs. */
  readonly isWide: boolean;
  /** Rows selected for an action on all of them. A mark stays on its object, even while a filter hides it. */
  readonly markedIds: ReadonlySet<Id>;
  /** The last row marked, where a range begins. */
  readonly markAnchor: Id | undefined;
  /** The row that the last key marked. */
  readonly justMarkedId: Id | undefined;
  /** The row that was under the cursor until it was gone, and the cursor came to another one without a key. */
  readonly slippedFrom: Id | undefined;
};

export const NO_MARKS: Pick<ListView<never>, 'markedIds' | 'markAnchor' | 'justMarkedId'> = {
  markedIds: new Set(),
  markAnchor: undefined,
  justMarkedId: undefined,
};

export const LIST_VIEW: ListView<never> = {
  ...LIST_START,
  filterText: '',
  sortKey: undefined,
  isDescending: false,
  isWide: false,
  slippedFrom: undefined,
  ...NO_MARKS,
};

/** The parts of the scene that rows may be made from. */
export type RowScene = Pick<
  Scene,
  | 'store'
  | 'now'
  | 'monotonicNow'
  | 'operations'
  | 'journal'
  | 'undoable'
  | 'changes'
  | 'mutes'
  | 'preferences'
  | 'activity'
  | 'link'
  | 'isWatched'
  | 'hasPrometheus'
>;

/** A list as its pane declares it; `Of` is what it belongs to, such as the firewall whose rules it shows. */
export type ListSource<Row, Id, Of> = {
  /** The plural, as used in titles: `volumes`. */
  readonly title: SafeText;
  /**
   * The feed whose age is shown beside the title, and whose failure explains missing data; none for what is not read
   * from the service.
   */
  readonly feed?: Feed<unknown>;
  /** The feed that its rows are made from, if the list has no `feed` of its own. */
  readonly detailFeed?: Feed<unknown>;
  /** It belongs to a row of another list. */
  readonly isNested?: boolean;
  readonly columns: readonly Column<Row>[];
  /** In their own order; undefined until they were read. A row object is kept while everything in it stays the same. */
  readonly rows: (known: RowScene, of: Of | undefined) => readonly Row[] | undefined;
  readonly idOf: (row: Row) => Id;
  readonly labelsOf?: (row: Row) => readonly string[];
  /** The subject of an action on the row; one of the columns shows what is under way. */
  readonly subjectOf?: (row: Row) => Subject | undefined;
  /** Shown if there are no rows. */
  readonly none?: (scene: Scene, of: Of | undefined) => SafeText;
  /** Shown in place of the rows until there are any, if that takes more than a few words. */
  readonly empty?: (scene: Scene) => Line;
  /** Shown if a filter finds nothing in a list that shows only a part: which part, and how to see more. */
  readonly reach?: (of: Of) => SafeText;
  /** The title of a list that belongs to something. */
  readonly heading?: (of: Of) => SafeText;
  /** A remark above the list, such as why it is incomplete. */
  readonly note?: (scene: Scene, of: Of | undefined) => SafeText | undefined;
  /** More rows may come of what is still being read: the count is the one so far. */
  readonly isCounting?: (scene: Scene) => boolean;
  /** Shows what columns cut off the row under the cursor below the rows: for lists without a detail. */
  readonly showsCut?: boolean | ((scene: Scene) => boolean);
  /**
   * Whether columns not read for each record have the same value in both rows; if absent, their values are compared.
   */
  readonly isSameRecord?: (before: Row, row: Row) => boolean;
  /** The initial sort order, if not the list's own. */
  readonly opensWith?: Partial<ListView<Id>>;
  /** The list's own order in words: `worst first`. */
  readonly orderWords?: SafeText;
  /** How long a row is reused while only time passes. */
  readonly keptForMs?: DurationMs;
  /** The columns, if they depend on the rows or on the width of the list. */
  readonly columnsFor?: (view: ListView<Id>, rows: readonly Row[], width: number) => readonly TableColumn<Row>[];
  /**
   * The ids of the rows that this row stands for. Unfolded, they are shown below it in every sort order; when they are
   * folded, a cursor on one of them moves to this row.
   */
  readonly membersOf?: (row: Row) => readonly Id[];
  /** The count and the total price of rows, if these are not the number of rows and the sum of their prices. */
  readonly sumOf?: (rows: readonly Row[]) => {
    readonly count: number;
    readonly rate: Rate | undefined;
    readonly isRateAtLeast: boolean;
  };
};

/** The scene, the list's part of the view, and what the list belongs to. */
export type ListAt<Id, Of> = {readonly scene: Scene; readonly view: ListView<Id>; readonly of?: Of | undefined};

/** The rows shown, filtered and sorted, and the count of all; undefined until they were read. */
export type ShownRows<Row> = {
  readonly rows: readonly Row[];
  /** All rows, including those hidden by a filter, in their own order. */
  readonly all: readonly Row[];
  readonly totalCount: number | undefined;
};

export type SortChoice = {
  readonly key: string;
  readonly name: SafeText;
  readonly letter: string;
  readonly isLargestFirst: boolean;
};

/** One list of a pane: its rows as shown, where the cursor goes, and its box. */
export type ResourceList<Row extends object, Id, Of = undefined> = {
  readonly title: SafeText;
  readonly sortChoices: readonly SortChoice[];
  /** Its own order in words. */
  readonly orderWords: SafeText | undefined;
  readonly filterMistake: (text: string) => SafeText | undefined;
  readonly shown: (at: ListRowsAt<Of>) => ShownRows<Row>;
  readonly rowUnderCursor: (at: ListAt<Id, Of>) => Row | undefined;
  /** The marked rows that still exist, including those hidden by a filter. */
  readonly marked: (at: ListAt<Id, Of>) => readonly Row[];
  /** The marked rows hidden by a filter. */
  readonly hiddenMarked: (at: ListAt<Id, Of>) => readonly Row[];
  /** The marked rows, else the one under the cursor. */
  readonly chosen: (at: ListAt<Id, Of>) => readonly Row[];
  readonly idOf: (row: Row) => Id;
  readonly moved: (at: ListAt<Id, Of>, step: number) => ListView<Id>;
  /** The cursor on its object, or where that was, visible within `height` rows. */
  readonly adjusted: <V extends ListView<Id>>(at: ListAt<Id, Of> & {readonly view: V}, height: number) => V;
  /**
   * Sorted by a column, or reversed if already sorted by it; without a column, in its initial order. The cursor moves
   * to the first row.
   */
  readonly sorted: (at: ListAt<Id, Of>, choice: Pick<SortChoice, 'key' | 'isLargestFirst'> | undefined) => ListView<Id>;
  readonly isAsOpened: (at: ListAt<Id, Of>) => boolean;
  readonly emptyLine: (at: ListAt<Id, Of>) => Line;
  /** Every column as plain values, for a file. */
  readonly table: (at: ListAt<Id, Of>) => PlainTable;
  readonly Box: ComponentType<ListBoxProps<Id, Of>>;
};

type ListRowsAt<Of> = {
  readonly scene: RowScene;
  readonly view: Pick<ListView<unknown>, 'filterText' | 'sortKey' | 'isDescending'> & {readonly isWide?: boolean};
  readonly of?: Of | undefined;
};

type ListBoxProps<Id, Of> = ListAt<Id, Of> & {
  readonly place: Place;
  readonly isFocused?: boolean;
  /** Shown instead of the feed's age. */
  readonly right?: string;
};

export function resourceList<Row extends object, Id extends RowId, Of = undefined>(
  source: ListSource<Row, Id, Of>,
): ResourceList<Row, Id, Of> {
  const {title, columns, idOf} = source;
  const also = otherNames(columns);
  const parse = (text: string): FilterOutcome =>
    parseFilter(text, source.labelsOf === undefined ? columns : [...columns, {key: 'label'}], also);
  const {sortKey, isDescending} = {...LIST_VIEW, ...source.opensWith};
  const opening = {sortKey, isDescending};
  const placements = {narrow: listColumns(columns), wide: wideColumns(columns)};
  const rowsOf = shownRows(source, parse, {narrow: keysOf(placements.narrow), wide: keysOf(placements.wide)});

  const rowUnderCursor = (at: ListAt<Id, Of>) => rowAtCursor(at.view, rowsOf(at).rows, idOf);
  const contentOf = (at: ListAt<Id, Of>) => ({at, shown: rowsOf(at), filter: parse(at.view.filterText)});

  const marks = marksIn(rowsOf, source);
  const shownList = {
    source,
    placements,
    sorted: sortedColumns(columns),
    fitted: columnMeasure<Row>(),
    contentOf,
    ...marks,
  };
  function Box(props: ListBoxProps<Id, Of>): ReactNode {
    return <ListBox {...props} list={shownList} />;
  }

  return {
    title,
    idOf,
    sortChoices: sortChoicesOf(columns),
    orderWords: source.orderWords,
    filterMistake: text => {
      const parsed = parse(text);
      return parsed.ok ? undefined : parsed.mistake;
    },
    shown: rowsOf,
    rowUnderCursor,
    ...marks,
    chosen: at => {
      const under = rowUnderCursor(at);
      const rows = marks.marked(at);
      return rows.length > 0 || under === undefined ? rows : [under];
    },
    moved: (at, step) => ({
      ...at.view,
      ...movedCursor(at.view, rowsOf(at).rows, idOf, step),
      justMarkedId: undefined,
      slippedFrom: undefined,
    }),
    adjusted: (at, height) => {
      const {rows, all} = rowsOf(at);
      const onLine = onLineOf(at.view, rows, source);
      const cursor = adjustedCursor<Row, Id>(onLine, rows, idOf, {height, hasChosen: at.scene.hasChosen});
      if (cursor === at.view) return at.view;
      const {cursorId} = onLine;
      const isOther = cursorId !== undefined && cursorId !== cursor.cursorId;
      const isGone = isOther && all.every(row => idOf(row) !== cursorId);
      return {...at.view, ...cursor, slippedFrom: isGone ? cursorId : at.view.slippedFrom};
    },
    sorted: (at, choice) => {
      const isSame = at.view.sortKey === choice?.key;
      const order =
        choice === undefined
          ? opening
          : {sortKey: choice.key, isDescending: isSame ? !at.view.isDescending : choice.isLargestFirst};
      const view = {...at.view, ...order};
      const [first] = rowsOf({...at, view}).rows;
      return {...view, ...LIST_START, slippedFrom: undefined, cursorId: first === undefined ? undefined : idOf(first)};
    },
    isAsOpened: ({view}) => view.sortKey === opening.sortKey && view.isDescending === opening.isDescending,
    emptyLine: at => emptyLine(source, contentOf(at)),
    table: at => plainTable(columns, rowsOf(at).rows),
    Box,
  };
}

/** The marked rows, and those among them that a filter hides. */
function marksIn<Row extends object, Id, Of>(
  rowsOf: (at: ListRowsAt<Of>) => ShownRows<Row>,
  {idOf}: Pick<ListSource<Row, Id, Of>, 'idOf'>,
): Pick<ResourceList<Row, Id, Of>, 'marked' | 'hiddenMarked'> {
  function marked({scene, view, of}: ListAt<Id, Of>): readonly Row[] {
    if (view.markedIds.size === 0) return [];
    const {rows} = rowsOf({scene, of, view: {...view, filterText: ''}});
    return rows.filter(row => view.markedIds.has(idOf(row)));
  }
  return {
    marked,
    hiddenMarked: at => {
      if (at.view.filterText.trim() === '') return [];
      const all = marked(at);
      const shown = new Set(all.length === 0 ? [] : rowsOf(at).rows);
      return all.filter(row => !shown.has(row));
    },
  };
}

/** Every column of the rows as plain values. An age is in seconds, as its heading says. */
function plainTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): PlainTable {
  const values = rows.map(row => columns.map(column => column.value(row)));
  return {
    columns: columns.map(({key}, index) => (values.some(row => row[index]?.isAge) ? `${key}_seconds` : key)),
    rows: values.map(row => row.map(value => (value === undefined ? undefined : plainValue(value)))),
  };
}

/** A list as its box shows it. */
type ShownList<Row extends object, Id, Of> = Pick<ResourceList<Row, Id, Of>, 'marked' | 'hiddenMarked'> & {
  readonly source: ListSource<Row, Id, Of>;
  readonly placements: Readonly<Record<'narrow' | 'wide', readonly TableColumn<Row>[]>>;
  readonly sorted: ReturnType<typeof sortedColumns<Row>>;
  readonly fitted: ReturnType<typeof columnMeasure<Row>>;
  readonly contentOf: (at: ListAt<Id, Of>) => ListContent<Row, Id, Of>;
};

function ListBox<Row extends object, Id extends RowId, Of>({
  list: {source, placements, sorted, fitted, contentOf, marked, hiddenMarked},
  place,
  isFocused = true,
  right,
  ...at
}: ListBoxProps<Id, Of> & {readonly list: ShownList<Row, Id, Of>}): ReactNode {
  const {feed, subjectOf, idOf, sumOf} = source;
  const {scene, view} = at;
  const {theme, health} = scene;
  const content = contentOf(at);
  const {rows, all} = content.shown;
  const chosen = source.columnsFor?.(view, all, place.columns) ?? (view.isWide ? placements.wide : placements.narrow);
  // Widths follow from all rows, so that neither a filter nor a sort order moves a column.
  const placed = fitted(sorted(chosen, view.sortKey), all, theme);
  const columns = subjectOf === undefined ? placed : withBadges(placed, subjectOf, scene);
  const frame = feed === undefined ? {theme, isLinkDown: health.status !== 'up'} : feedFrame(scene, feed);
  return (
    <List
      {...frame}
      {...(right === undefined ? {} : {right})}
      title={titleLine(source, content, {
        columns,
        unsorted: chosen,
        width: place.columns,
        marked: marked(at),
        hiddenMarkedCount: hiddenMarked(at).length,
      })}
      columns={columns}
      rows={rows}
      idOf={idOf}
      cursor={{id: view.cursorId, index: view.cursorIndex}}
      offset={view.offset}
      markedIds={view.markedIds}
      {...(view.sortKey === undefined ? {} : {sort: {key: view.sortKey, isDescending: view.isDescending}})}
      empty={emptyLine(source, content)}
      {...(sumOf === undefined ? {} : {countOf: (some: readonly Row[]) => sumOf(some).count})}
      showsCut={typeof source.showsCut === 'function' ? source.showsCut(scene) : source.showsCut === true}
      width={place.columns}
      height={place.rows}
      isFocused={isFocused}
    />
  );
}

function keysOf(columns: readonly {readonly key: string}[]): ReadonlySet<string> {
  return new Set(columns.map(({key}) => key));
}

/** Letters that leave a menu. */
const CLOSING = new Set(['q']);

/** Every column can be sorted by: under the letter it declares, or the first free letter of its name. */
function sortChoicesOf<Row>(columns: readonly Column<Row>[]): readonly SortChoice[] {
  const taken = new Set([...CLOSING, ...columns.flatMap(({sort}) => sort?.letter ?? [])]);
  return columns.map(({key, align, sort}) => {
    const letter = sort?.letter ?? [...key, ...key.toUpperCase(), ...ALPHABET].find(each => !taken.has(each)) ?? '';
    taken.add(letter);
    return {key, name: safeText(key), isLargestFirst: align === 'right' && key !== 'id', ...sort, letter};
  });
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * The rows and the inputs they were made from. They are needed many times per frame, and computed again only when an
 * input changed.
 */
type MadeRows<Row, Id> = {
  readonly store: Scene['store'];
  readonly key: string;
  readonly of: unknown;
  /** As the list's source gave them, and with the row objects that were kept. */
  readonly given: readonly Row[] | undefined;
  readonly rows: readonly Row[] | undefined;
  readonly byId: ReadonlyMap<Id, Row>;
};

type ChosenRows<Row> = {readonly all: readonly Row[]; readonly key: string; readonly rows: readonly Row[]};

/** The keys of the columns in the list. */
type ColumnKeys = Readonly<Record<'narrow' | 'wide', ReadonlySet<string>>>;

/** The rows as shown, cached until an input changes. */
function shownRows<Row extends object, Id extends RowId, Of>(
  source: ListSource<Row, Id, Of>,
  parse: (text: string) => FilterOutcome,
  keys: ColumnKeys,
): (at: ListRowsAt<Of>) => ShownRows<Row> {
  const {columns, idOf, keptForMs = SECOND_MS} = source;
  const byKey = new Map(columns.map(column => [column.key, column]));
  let made: MadeRows<Row, Id> | undefined;
  let chosen: ChosenRows<Row> | undefined;
  const filtered = rowFilter(source, parse, keys);

  function allRows(known: RowScene, of: Of | undefined): readonly Row[] | undefined {
    const {store, operations, now} = known;
    const isUnderWay = operations?.all().some(({phase}) => !isEnded(phase)) ?? false;
    const second = Math.floor(now / (isUnderWay ? SECOND_MS : keptForMs));
    const key = `${store.version()} ${operations?.version() ?? 0} ${second}`;
    const before = made?.store === store && made.of === of ? made : undefined;
    if (before?.key === key) return before.rows;
    const given = source.rows(known, of);
    if (before !== undefined && given === before.given) {
      made = {...before, key};
      return before.rows;
    }
    const fresh = given?.map(row => keptRow(before?.byId.get(idOf(row)), row, keptForMs));
    if (fresh !== undefined && before?.rows !== undefined && isSameList(fresh, before.rows)) {
      made = {...before, key, given};
      return before.rows;
    }
    made = {store, key, of, given, rows: fresh, byId: new Map(fresh?.map(row => [idOf(row), row]))};
    return fresh;
  }

  return ({scene, view, of}) => {
    const all = allRows(scene, of);
    if (all === undefined) return {rows: [], all: [], totalCount: undefined};
    const {sortKey, isDescending, filterText, isWide = false} = view;
    const key = `${sortKey} ${isDescending} ${isWide} ${filterText}`;
    if (chosen === undefined || chosen.all !== all || chosen.key !== key) {
      const column = byKey.get(sortKey ?? '');
      const isWhole = filterText.trim() === '';
      const before = chosen?.key === key && isWhole && column !== undefined ? chosen : undefined;
      const patched =
        before === undefined || column === undefined ? undefined : inTheirPlaces(before, all, column, source);
      const rows =
        patched ??
        (column === undefined
          ? filtered(all, filterText, isWide)
          : sortedRows(filtered(all, filterText, isWide), column, {idOf, isDescending, lineOf: linesOf(all, source)}));
      chosen = {all, key, rows};
    }
    return {rows: chosen.rows, all, totalCount: all.length};
  };
}

/** The rows that match the filter. */
function rowFilter<Row extends object>(
  {columns, labelsOf}: Pick<ListSource<Row, never, never>, 'columns' | 'labelsOf'>,
  parse: (text: string) => FilterOutcome,
  keys: ColumnKeys,
): (all: readonly Row[], text: string, isWide: boolean) => readonly Row[] {
  const byKey = new Map(columns.map(column => [column.key, column]));
  /** A filter checks all rows at each letter and each reading, and most rows are unchanged since the last time. */
  const textsOf = oncePer((_: Row) => new Map<Column<Row>, string>());

  function filterRow(row: Row, searched: readonly Column<Row>[]): FilterRow {
    return {
      cell: key => byKey.get(key)?.value(row),
      shownTexts: () => searched.map(column => searchedTextOf(row, column)),
      ...(labelsOf === undefined ? {} : {labels: labelsOf(row)}),
    };
  }

  function searchedTextOf(row: Row, column: Column<Row>): string {
    const texts = textsOf(row);
    const text = texts.get(column) ?? searchedText(column.value(row));
    texts.set(column, text);
    return text;
  }

  return (all, text, isWide) => {
    if (text.trim() === '') return all;
    const parsed = parse(text);
    // An expression with a mistake hides nothing; the mistake is shown where it is typed.
    if (!parsed.ok) return all;
    const inList = columns.filter(({key}) => (isWide ? keys.wide : keys.narrow).has(key));
    // A word is looked for in the visible columns first; the other columns are searched only if none contains it.
    const terms = parsed.filter.terms.map(term => {
      const found = {terms: [{...term, isNegated: false}]};
      const isInList = all.some(row => matchesFilter(found, filterRow(row, inList)));
      return {filter: {terms: [term]}, searched: isInList ? inList : columns};
    });
    return all.filter(row => terms.every(({filter, searched}) => matchesFilter(filter, filterRow(row, searched))));
  };
}

function sortedRows<Row, Id extends RowId>(
  rows: readonly Row[],
  column: Column<Row>,
  {
    idOf,
    isDescending,
    lineOf,
  }: {readonly idOf: (row: Row) => Id; readonly isDescending: boolean; readonly lineOf: (row: Row) => Row},
): readonly Row[] {
  // Each value is computed once, not once for each comparison.
  const keyed = rows.map(row => {
    const line = lineOf(row);
    return {row, id: idOf(line), value: sortValue(column, line)};
  });
  const order = rowOrder<(typeof keyed)[number]>({
    value: each => each.value,
    id: each => each.id,
    direction: isDescending ? 'descending' : 'ascending',
  });
  return keyed.sort(order).map(({row}) => row);
}

type Lines<Row, Id> = Pick<ListSource<Row, Id, never>, 'idOf' | 'membersOf'>;

/** The row for several that a row is shown below; the row itself if there is none. */
function linesOf<Row, Id>(all: readonly Row[], {idOf, membersOf}: Lines<Row, Id>): (row: Row) => Row {
  if (membersOf === undefined) return row => row;
  const lines = new Map(all.flatMap(line => membersOf(line).map(id => [id, line] as const)));
  return row => lines.get(idOf(row)) ?? row;
}

/** Moves the cursor to the row for several if its own row has been folded into that. */
function onLineOf<Row, Id>(
  cursor: ListCursor<Id>,
  rows: readonly Row[],
  {idOf, membersOf}: Lines<Row, Id>,
): ListCursor<Id> {
  const {cursorId} = cursor;
  if (membersOf === undefined || cursorId === undefined || rowAtCursor(cursor, rows, idOf) !== undefined) return cursor;
  const line = rows.find(row => membersOf(row).includes(cursorId));
  return line === undefined ? cursor : {...cursor, cursorId: idOf(line)};
}

/** The previous row object if nothing in it has changed; times count as the same for a while. */
function keptRow<Row extends object>(before: Row | undefined, row: Row, keptForMs: DurationMs): Row {
  if (before === undefined) return row;
  const everyMs = 'operation' in row && row.operation !== undefined ? SECOND_MS : keptForMs;
  for (const name in row) {
    const was = before[name];
    const is = row[name];
    if (was === is) continue;
    const isSameMoment = name === 'now' && Math.floor(Number(was) / everyMs) === Math.floor(Number(is) / everyMs);
    if (!isSameMoment) return row;
  }
  return before;
}

function isSameList<Row>(rows: readonly Row[], before: readonly Row[]): boolean {
  return before.length === rows.length && rows.every((row, index) => row === before[index]);
}

/** With more rows than this to compare, sorting again costs no more. */
const MAX_COMPARED = 200;

/**
 * A reading usually changes a few rows and no order: those are then replaced in place. Undefined if the list must be
 * sorted again.
 */
function inTheirPlaces<Row extends object, Id>(
  shown: ChosenRows<Row>,
  all: readonly Row[],
  column: Column<Row>,
  {idOf, isSameRecord}: Pick<ListSource<Row, Id, never>, 'idOf' | 'isSameRecord'>,
): readonly Row[] | undefined {
  if (shown.all.length !== all.length) return undefined;
  const changes = new Map<Row, Row>();
  let comparedCount = 0;
  for (const [index, row] of all.entries()) {
    const before = shown.all[index];
    if (before === row || before === undefined) continue;
    if (idOf(before) !== idOf(row)) return undefined;
    if (column.reads === 'each' || isSameRecord?.(before, row) !== true) {
      comparedCount += 1;
      const isSamePlace = sortValue(column, before) === sortValue(column, row);
      if (!isSamePlace || comparedCount > MAX_COMPARED) return undefined;
    }
    changes.set(before, row);
  }
  return shown.rows.map(row => changes.get(row) ?? row);
}
