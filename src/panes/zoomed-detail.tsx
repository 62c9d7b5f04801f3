import type {ReactNode} from 'react';
import type {Feed} from '../state/feed.ts';
import type {Line} from '../ui/text.ts';
import {TitledBox} from '../ui/titled-box.tsx';
import type {PaneOutcome} from './command.ts';
import {feedFrame} from './feed-state.ts';
import type {OpenDetail, PaneContext, Scene} from './pane.ts';
import {linesInSight, SCROLL_START, type Scroll, scrolled, searchLabel} from './scroll.ts';

/** The part of a pane's view that says whether the row under the cursor takes the whole pane, and how far it is read. */
export type ZoomView = {readonly isZoomed: boolean; readonly scroll: Scroll};

export const ZOOM_START: ZoomView = {isZoomed: false, scroll: SCROLL_START};

/** Cells of the detail's edges. */
const EDGE_CELLS = 4;

/** The detail over the whole pane; undefined where it is not open, or where there is no row to tell of. */
export function zoomedDetail<View extends ZoomView>(
  {scene, view}: PaneContext<View>,
  linesFor: ((width: number) => readonly Line[] | undefined) | undefined,
): OpenDetail<View> | undefined {
  const lines = view.isZoomed ? linesFor?.(scene.size.columns - EDGE_CELLS) : undefined;
  if (lines === undefined) return undefined;
  return {
    page: {lines, rows: Math.max(0, scene.size.rows - 2)},
    scroll: view.scroll,
    withScroll: scroll => ({...view, scroll}),
  };
}

export function ZoomedDetail({
  scene,
  detail: {page, scroll},
  title,
  feed,
}: {
  readonly scene: Scene;
  readonly detail: Pick<OpenDetail<never>, 'page' | 'scroll'>;
  readonly title: string;
  readonly feed: Feed<unknown>;
}): ReactNode {
  const {right = '', ...frame} = feedFrame(scene, feed);
  const found = searchLabel(scroll, page);
  return (
    <TitledBox
      {...frame}
      title={title}
      right={[
        {text: found, tone: 'marked'},
        {text: found === '' ? right : `  ${right}`, tone: 'dim'},
      ]}
      lines={linesInSight(scroll, page).map((line): Line => [{text: ' '}, ...line])}
      width={scene.size.columns}
      height={scene.size.rows}
    />
  );
}

/** The open detail `step` lines further; undefined where none is open. */
export function scrolledDetail<View>(detail: OpenDetail<View> | undefined, step: number): View | undefined {
  return detail?.withScroll(scrolled(detail.scroll, step, detail.page));
}

/** One step back: out of the search, then out of the detail; undefined where it is not open. */
export function zoomedBack<View extends ZoomView>(view: View): View | undefined {
  if (!view.isZoomed) return undefined;
  if (view.scroll.searchText !== '') return {...view, scroll: {...view.scroll, searchText: ''}};
  return {...view, ...ZOOM_START};
}

/** Open or closed, from its beginning. */
export function zoomed<View extends ZoomView>(view: View): PaneOutcome<View> {
  return {kind: 'view', view: {...view, isZoomed: !view.isZoomed, scroll: SCROLL_START}};
}
