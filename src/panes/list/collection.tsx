/**
 * Every list of the deck is the same list. Three terms, each built on the one after it:
 *
 * - A *collection* (this file) is a pane made of lists. It shows them one at a time, or all at once in an arrangement of
 *   its own, and supplies layout, keys and the way back.
 * - A *part* (part.tsx) is one list of a collection with what belongs to its rows: detail, feeds, related objects and
 *   actions. It is what a pane declares.
 * - A *list* (resource-list.tsx) is rows of one kind in a titled box, with cursor, filter, sort order and marks.
 *
 * Start with a short pane, such as volumes/pane.tsx or journal/pane.tsx, then read `CollectionPart` in part.tsx,
 * `choosingPane` below, and `resourceList` in resource-list.tsx. The other files hold one concern each: `collection-*`
 * those of a pane, `part-detail` that of a part, `list-*` and `cursor` those of a list. `rows-table` shows rows of a kind
 * where they are no list: without a cursor, as part of something else.
 */

import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {SafeText} from '../../domain/safe-text.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {Lines} from '../../ui/lines.tsx';
import type {Line} from '../../ui/text.ts';
import {type CollectionCommand, collectionKeys, type CollectionMenu} from './collection-commands.ts';
import type {BoundPart} from './part.tsx';
import {
  CLOSED,
  type CollectionContext,
  type CollectionView,
  cursorIds,
  hasBesideNow,
  initialView,
  layoutOf,
  listView,
  openDetail,
  partAt,
  partView,
  adjustedView,
  settledView,
  type Shape,
  slippedFrom,
  viewBefore,
  withList,
} from './collection-view.ts';
import {type CollectionLayout, detailRowsAbove, withBeside} from './collection-layout.ts';
import {KEYS} from '../../actions/keys.ts';
import type {PaneDefinition} from '../pane.ts';
import {NO_MARKS} from './resource-list.tsx';

type CollectionOptions<Own> = Shape<Own> & {
  readonly key: string;
  readonly title: SafeText;
  readonly aliases: readonly string[];
  /** The initial choices of the pane besides its lists. */
  readonly own: Own;
  /** Keys added to the standard ones, or replacing them. */
  readonly commands?: readonly CollectionCommand<Own>[];
  readonly menus?: readonly CollectionMenu<Own>[];
};

/** A pane of lists: cursor, filter, sort order, marks, detail and the standard keys, the same in each. */
export function collectionPane(
  options: Omit<CollectionOptions<undefined>, 'own'>,
): PaneDefinition<CollectionView<undefined>> {
  return choosingPane({...options, own: undefined});
}

/** A pane of lists with further choices of its own. */
export function choosingPane<Own>(options: CollectionOptions<Own>): PaneDefinition<CollectionView<Own>> {
  const {parts, own, commands = [], menus = []} = options;
  function Screen(context: CollectionContext<Own>): ReactNode {
    return <CollectionScreen {...context} shape={options} />;
  }
  return {
    ...options,
    ...collectionKeys(options, {commands, menus}),
    initialView: initialView(parts, own),
    filter: {
      text: view => listView(view).filterText,
      // The cursor stays on its object; if that is filtered out, on the first that is found.
      withText: (view, filterText) =>
        withList(view, {...listView(view), filterText, cursorIndex: 0, slippedFrom: undefined}),
      // Each list has its own columns, so a column that only one of them knows is not a mistake while it is typed.
      mistake: text => {
        const mistakes = parts.map(part => part.filterMistake(text));
        return mistakes.includes(undefined) ? undefined : mistakes[0];
      },
      isIdle: ({scene, view}) => partAt(parts, view).nameUnderCursor(scene, partView(view)) === undefined,
    },
    openDetail: context => openDetail(context, options),
    wants: context => wantsOf(context, options),
    adjust: context => adjustedView(context, options),
    trail: context => trailOf(context, options),
    isStill: context => options.arrangement?.isStill?.(context) === true,
    back: view => viewBefore(view, options),
    atList: view => ({...view, ...CLOSED, partIndex: options.arrangement === undefined ? view.partIndex : 0}),
    withCursorOn: (view, objectId, title) => {
      const there = {...view, ...CLOSED, partIndex: partIndexOf(parts, title)};
      const isZoomed = partAt(parts, there).isArrival;
      return withList(
        {...there, isZoomed},
        {...listView(there), cursorId: objectId, slippedFrom: undefined, filterText: ''},
      );
    },
    ...(parts.length < 2 ? {} : {lists: parts.map(({title}) => title)}),
    withListOf: (view, title) => ({...view, ...CLOSED, partIndex: partIndexOf(parts, title)}),
    isCursorOn: (view, objectId, title) => {
      const index = partIndexOf(parts, title);
      // If lists are side by side, the one a jump led to keeps its cursor while the keys move another.
      const isShown = options.arrangement !== undefined || index === view.partIndex;
      return isShown && listView(view, index).cursorId === objectId;
    },
    settled: view => (slippedFrom(view) === undefined ? undefined : settledView(view)),
    withMarked: (view, ids) => withList(view, {...listView(view), ...NO_MARKS, markedIds: new Set(ids)}),
    markedIds: view => listView(view).markedIds,
    hiddenMarkedIds: ({scene, view}) => partAt(parts, view).hiddenMarkedIds(scene, partView(view)),
    table: ({scene, view}) => {
      const part = partAt(parts, view);
      const table = part.table(scene, partView(view));
      return parts.length < 2 ? table : {...table, title: part.title};
    },
    Screen,
  };
}

/** The list with this title; without a title, the list that other panes jump to. */
function partIndexOf<Own>(parts: readonly BoundPart<Own>[], title: string | undefined): number {
  return Math.max(
    0,
    parts.findIndex(part => (title === undefined ? part.isArrival : part.title === title)),
  );
}

function wantsOf<Own>({scene, view}: CollectionContext<Own>, shape: Shape<Own>): readonly Want[] {
  const {parts, arrangement} = shape;
  if (arrangement === undefined) {
    const part = partAt(parts, view);
    return [...part.wants(scene, partView(view)), ...part.besideWants(scene, partView(view))];
  }
  const places = arrangement.places({scene, view});
  return [
    ...parts.flatMap((part, index) => (places[index] === undefined ? [] : part.wants(scene, partView(view, index)))),
    ...(view.isZoomed ? partAt(parts, view).besideWants(scene, partView(view)) : []),
    ...(arrangement.wants?.({scene, view, cursorIds: cursorIds(shape, places, {scene, view})}) ?? []),
  ];
}

function trailOf<Own>({scene, view}: CollectionContext<Own>, {id, parts, arrangement}: Shape<Own>): readonly string[] {
  const part = partAt(parts, view);
  const [first] = parts;
  const owner = part.isNested ? first?.nameUnderCursor(scene, partView(view, 0)) : undefined;
  const name = part.nameUnderCursor(scene, partView(view));
  const hidden = part.hiddenMarkedIds(scene, partView(view)).size;
  return [
    ...(hidden === 0 ? [] : [`${hidden} marked hidden by the filter`]),
    id,
    ...(parts.length > 1 && arrangement === undefined ? [part.title] : []),
    ...(owner === undefined ? [] : [owner]),
    ...(name === undefined ? [] : [name]),
  ];
}

type ScreenProps<Own> = CollectionContext<Own> & {readonly shape: Shape<Own>};

function CollectionScreen<Own>({shape, ...context}: ScreenProps<Own>): ReactNode {
  const {parts, arrangement} = shape;
  if (arrangement === undefined) return <OneList {...context} parts={parts} />;
  const {scene, view} = context;
  if (view.isZoomed && arrangement.openDetail === undefined) {
    const part = partAt(parts, view);
    return <PartDetail {...context} part={part} places={withBeside(scene.size, hasBesideNow(part, view))} />;
  }
  const places = arrangement.places(context);
  const lists = places.map((place, index) => {
    if (place === undefined) return undefined;
    const {List, title, hasFeed} = partAt(parts, {partIndex: index});
    const isFocused = index === view.partIndex;
    return (
      <List
        key={title}
        scene={scene}
        view={partView(view, index)}
        place={place}
        isFocused={isFocused}
        // A list without an age shows there which key gives it the focus.
        {...(hasFeed || isFocused ? {} : {right: KEYS.nextPart})}
      />
    );
  });
  return <arrangement.Screen {...context} lists={lists} cursorIds={cursorIds(shape, places, context)} />;
}

function OneList<Own>({parts, ...context}: CollectionContext<Own> & Pick<Shape<Own>, 'parts'>): ReactNode {
  const {scene, view} = context;
  const layout = layoutOf(context, parts);
  const {theme} = scene;
  const part = partAt(parts, view);
  const {List, PreviewBox, BesideBox, hasBeside, detailPage} = part;
  const shown = {scene, view: partView(view)};
  const besideRows =
    layout.isWide && hasBeside
      ? layout.detail.rows -
        detailRowsAbove(layout.detail, detailPage(scene, partView(view), layout.detail).lines.length)
      : 0;
  const detail = {...layout.detail, rows: layout.detail.rows - besideRows};
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {layout.tabs.rows > 0 && <Lines lines={[tabsLine(parts, view)]} width={layout.tabs.columns} theme={theme} />}
      <Box flexDirection={layout.isWide ? 'row' : 'column'}>
        <Box flexDirection="column">
          {layout.list.rows > 0 && <List {...shown} place={layout.list} />}
          {layout.preview.rows > 0 && <PreviewBox {...shown} place={layout.preview} />}
        </Box>
        <Box flexDirection="column">
          {detail.rows > 0 && <PartDetail {...context} part={part} places={{detail, beside: layout.beside}} />}
          {besideRows > 0 && <BesideBox {...shown} place={{...layout.detail, rows: besideRows}} />}
        </Box>
      </Box>
    </Box>
  );
}

/** The detail of the row under the cursor, with related information to its right if there is a place for it. */
function PartDetail<Own>({
  part: {Detail, BesideBox},
  places: {detail, beside},
  scene,
  view,
}: CollectionContext<Own> & {
  readonly part: BoundPart<Own>;
  readonly places: Pick<CollectionLayout, 'detail' | 'beside'>;
}): ReactNode {
  const shown = {scene, view: partView(view)};
  return (
    <Box>
      <Detail {...shown} place={detail} scroll={view.scroll} />
      {beside.rows > 0 && <BesideBox {...shown} place={beside} />}
    </Box>
  );
}

/** The names of the pane's lists; brackets mark the open one. */
function tabsLine<Own>(parts: readonly BoundPart<Own>[], {partIndex}: CollectionView<Own>): Line {
  return parts.map(({title}, index) =>
    index === partIndex ? {text: ` [${title}]`, tone: 'focus'} : {text: `  ${title} `, tone: 'dim'},
  );
}
