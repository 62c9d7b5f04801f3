import type {ComponentType, ReactNode} from 'react';
import {assert} from '../../domain/assert.ts';
import type {SafeText} from '../../domain/safe-text.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {type CollectionLayout, collectionLayout, withBeside} from './collection-layout.ts';
import type {BoundPart, PartView} from './part.tsx';
import {LIST_START} from './cursor.ts';
import type {OpenDetail, PaneContext} from '../pane.ts';
import {LIST_VIEW, type ListView, NO_MARKS, type RowId} from './resource-list.tsx';
import {SCROLL_START, type Scroll} from '../scroll.ts';
import {type Place, visibleRows} from '../sizes.ts';

/**
 * The view of a pane: which list, and in each a row, a filter and a sort order; and whether the detail fills the pane.
 */
export type CollectionView<Own = undefined> = {
  readonly partIndex: number;
  readonly lists: readonly ListView<RowId>[];
  /** The row of the first list that nested lists belong to. */
  readonly ofId: RowId | undefined;
  readonly isZoomed: boolean;
  /** The detail shows the record as the service sent it. */
  readonly isRecord: boolean;
  readonly scroll: Scroll;
  /** Choices of the pane besides its lists, such as a time window. */
  readonly own: Own;
};

export type CollectionContext<Own> = PaneContext<CollectionView<Own>>;

/** The lists of a pane, and how they are arranged. */
export type Shape<Own> = {
  readonly id: string;
  readonly parts: readonly BoundPart<Own>[];
  readonly arrangement?: Arrangement<Own>;
};

/**
 * How a pane shows all of its lists at once, among boxes of its own. Without one it shows one list at a time and names
 * the others.
 */
type Arrangement<Own = undefined> = {
  /**
   * The places of the lists, in order; a list that is not shown has no rows. Without a place, its rows are not even
   * worked out.
   */
  readonly places: (context: CollectionContext<Own>) => readonly (Place | undefined)[];
  readonly Screen: ComponentType<ArrangedProps<Own>>;
  /** The feeds of the boxes. */
  readonly wants?: (shown: CollectionContext<Own> & Pick<ArrangedProps<Own>, 'cursorIds'>) => readonly Want[];
  /** The detail that fills the pane, if `Screen` draws it; otherwise that of the list. */
  readonly openDetail?: (context: CollectionContext<Own>) => OpenDetail<CollectionView<Own>> | undefined;
  /** The view after a move, if the keys move in something other than a list; undefined if they move in the list. */
  readonly moved?: (context: CollectionContext<Own>, step: number) => CollectionView<Own> | undefined;
  /** Why the list's columns and the order of its rows cannot be used while something else is shown in its place. */
  readonly unlistedReason?: (view: CollectionView<Own>) => SafeText | undefined;
  /** Whether nothing on it counts seconds besides the ages at box edges; absent if something may. */
  readonly isStill?: (context: CollectionContext<Own>) => boolean;
  /** One step back within the pane's own content; undefined at its root. */
  readonly back?: (view: CollectionView<Own>) => CollectionView<Own> | undefined;
};

export type ArrangedProps<Own = undefined> = CollectionContext<Own> & {
  /** The lists as drawn, each in its place. */
  readonly lists: readonly ReactNode[];
  /** The id of the row under each list's cursor. */
  readonly cursorIds: readonly (RowId | undefined)[];
};

/** The detail when it does not fill the pane. */
export const CLOSED = {isZoomed: false, isRecord: false, scroll: SCROLL_START} as const;

export function initialView<Own>(parts: readonly BoundPart<Own>[], own: Own): CollectionView<Own> {
  return {partIndex: 0, lists: parts.map(part => part.initialView), ofId: undefined, ...CLOSED, own};
}

export function partAt<Own>(
  parts: readonly BoundPart<Own>[],
  {partIndex}: Pick<CollectionView, 'partIndex'>,
): BoundPart<Own> {
  const part = parts[partIndex];
  assert(part !== undefined, 'a collection without this part');
  return part;
}

export function listView<Own>({partIndex, lists}: CollectionView<Own>, index = partIndex): ListView<RowId> {
  return lists[index] ?? LIST_VIEW;
}

/** The view of one of the lists. */
export function partView<Own>(view: CollectionView<Own>, index = view.partIndex): PartView<Own> {
  const {isRecord, ofId, partIndex, own} = view;
  return {...listView(view, index), isRecord: isRecord && index === partIndex, ofId, own};
}

export function withList<Own>(
  view: CollectionView<Own>,
  list: ListView<RowId>,
  index = view.partIndex,
): CollectionView<Own> {
  return {...view, lists: view.lists.with(index, list)};
}

/** Opens the detail of the row under the cursor over the whole pane, at its beginning, or goes back to the list. */
export function zoomedView<Own>(view: CollectionView<Own>): CollectionView<Own> {
  return settledView({...view, ...CLOSED, isZoomed: !view.isZoomed});
}

/** The view in which the row under the cursor counts as chosen by the person, however the cursor came there. */
export function settledView<Own>(view: CollectionView<Own>): CollectionView<Own> {
  return withList(view, {...listView(view), slippedFrom: undefined});
}

/**
 * The row that was under the cursor until it was gone, if the cursor is now on one that the person did not choose: a key
 * that acts on that one says so first.
 */
export function slippedFrom<Own>(view: CollectionView<Own>): RowId | undefined {
  const list = listView(view);
  return list.markedIds.size > 0 ? undefined : list.slippedFrom;
}

/** One step back: out of the search, the detail, the filter, the pane's own content, the list of a row. */
export function viewBefore<Own>(
  view: CollectionView<Own>,
  {arrangement}: Pick<Shape<Own>, 'arrangement'>,
): CollectionView<Own> | undefined {
  if (view.isZoomed && view.scroll.searchText !== '') return {...view, scroll: {...view.scroll, searchText: ''}};
  if (view.isZoomed) return {...view, ...CLOSED};
  if (listView(view).filterText !== '') return withList(view, {...listView(view), filterText: ''});
  const ownStep = arrangement?.back?.(view);
  if (ownStep !== undefined) return ownStep;
  return arrangement === undefined || view.partIndex === 0 ? undefined : {...view, ...CLOSED, partIndex: 0};
}

export function cursorIds<Own>(
  {parts}: Shape<Own>,
  places: readonly (Place | undefined)[],
  {scene, view}: CollectionContext<Own>,
): readonly (RowId | undefined)[] {
  return parts.map((part, index) =>
    places[index] === undefined ? undefined : part.idUnderCursor(scene, partView(view, index)),
  );
}

/** Keeps cursors on their objects. A list nested in a row starts over when the row changes. */
export function adjustedView<Own>({scene, view}: CollectionContext<Own>, shape: Shape<Own>): CollectionView<Own> {
  const {parts, arrangement} = shape;
  if (arrangement === undefined) {
    return adjustedList({scene, view}, parts, view.partIndex, visibleRows(layoutOf({scene, view}, parts).list));
  }
  return arrangement.places({scene, view}).reduce((before, place, index) => {
    if (place === undefined) return before;
    const here = parts[index]?.isNested === true ? ofRowUnderCursor({scene, view: before}, parts) : before;
    return adjustedList({scene, view: here}, parts, index, visibleRows(place));
  }, view);
}

function adjustedList<Own>(
  {scene, view}: CollectionContext<Own>,
  parts: readonly BoundPart<Own>[],
  index: number,
  height: number,
): CollectionView<Own> {
  const before = listView(view, index);
  const list = partAt(parts, {partIndex: index}).adjusted(scene, partView(view, index), height);
  const isSame =
    list.cursorId === before.cursorId && list.cursorIndex === before.cursorIndex && list.offset === before.offset;
  if (isSame) return view;
  // A detail never shows another object than the one it was opened on: if that is gone, the list is shown again.
  const isOther = index === view.partIndex && before.cursorId !== undefined && list.cursorId !== before.cursorId;
  const cursor = {
    cursorId: list.cursorId,
    cursorIndex: list.cursorIndex,
    offset: list.offset,
    slippedFrom: list.slippedFrom,
  };
  return withList({...view, isZoomed: view.isZoomed && !isOther}, {...before, ...cursor}, index);
}

function ofRowUnderCursor<Own>(
  {scene, view}: CollectionContext<Own>,
  parts: readonly BoundPart<Own>[],
): CollectionView<Own> {
  const ofId = partAt(parts, {partIndex: 0}).idUnderCursor(scene, partView(view, 0));
  if (ofId === view.ofId) return view;
  const lists = view.lists.map((list, index) =>
    parts[index]?.isNested === true ? {...list, ...LIST_START, ...NO_MARKS} : list,
  );
  if (parts[view.partIndex]?.isNested !== true) return {...view, ofId, lists};
  // If the parent row is gone, the keys must not go on in the list of another row.
  const partIndex = isThere(view.ofId, {scene, view}, parts) ? view.partIndex : 0;
  return {...view, partIndex, ofId, lists, ...CLOSED};
}

/** Whether the first list still has the row. Before it was read, no row counts as gone. */
function isThere<Own>(
  id: RowId | undefined,
  {scene, view}: CollectionContext<Own>,
  parts: readonly BoundPart<Own>[],
): boolean {
  if (id === undefined) return true;
  return partAt(parts, {partIndex: 0}).idUnderCursor(scene, {...partView(view, 0), cursorId: id}) === id;
}

/** The places of one list and its detail. */
export function layoutOf<Own>(
  {scene, view}: CollectionContext<Own>,
  parts: readonly BoundPart<Own>[],
): CollectionLayout {
  const part = partAt(parts, view);
  return collectionLayout(scene.size, {
    partCount: parts.length,
    isZoomed: view.isZoomed,
    hasDetail: part.hasDetail(scene, partView(view)),
    hasBeside: hasBesideNow(part, view),
    rowCount: part.rowsAboveFold(scene, partView(view)),
    totalCount: part.totalCount(scene, partView(view)),
  });
}

/** A raw record is read at full width. */
export function hasBesideNow<Own>({hasBeside}: BoundPart<Own>, {isRecord}: CollectionView<Own>): boolean {
  return hasBeside && !isRecord;
}

/** As much as is visible at once: of the open detail, or of the list with the focus. */
export function pageRows<Own>({scene, view}: CollectionContext<Own>, {parts, arrangement}: Shape<Own>): number {
  if (arrangement === undefined) return Math.max(1, visibleRows(layoutOf({scene, view}, parts).list));
  if (view.isZoomed) return Math.max(1, scene.size.rows - 2);
  const place = arrangement.places({scene, view})[view.partIndex];
  return Math.max(1, place === undefined ? 0 : visibleRows(place));
}

export function openDetail<Own>(
  context: CollectionContext<Own>,
  {parts, arrangement}: Shape<Own>,
): OpenDetail<CollectionView<Own>> | undefined {
  const {scene, view} = context;
  if (!view.isZoomed) return undefined;
  if (arrangement?.openDetail !== undefined) return arrangement.openDetail(context);
  const part = partAt(parts, view);
  const place =
    arrangement === undefined
      ? layoutOf(context, parts).detail
      : withBeside(scene.size, hasBesideNow(part, view)).detail;
  if (place.rows === 0) return undefined;
  return {
    page: part.detailPage(scene, partView(view), place),
    scroll: view.scroll,
    withScroll: scroll => ({...view, scroll}),
  };
}
