import type {Window} from '../../domain/window.ts';
import {sentFrom} from '../../actions/sent.ts';
import {type SafeText, safeText, say} from '../../domain/safe-text.ts';
import {subjectWords} from '../../domain/timeline/timeline.ts';
import {formatUtcFull} from '../../ui/format.ts';
import {listKeys} from '../list-commands.ts';
import type {OpenDetail, PaneContext} from '../pane.ts';
import {type ListAt, resourceList} from '../resource-list.tsx';
import {zoomedDetail} from '../zoomed-detail.tsx';
import {entryLines} from './entry-lines.ts';
import {TIMELINE_COLUMNS, type TimelineRow, timelineRows, windowStart} from '../../resources/timeline.ts';
import type {TimelineView} from './view.ts';

type Context = PaneContext<TimelineView>;

export const timeline = resourceList<TimelineRow, string, Window>({
  title: say`entries`,
  columns: TIMELINE_COLUMNS,
  rows: (known, window) => timelineRows(known, {since: windowStart(known.now, window ?? '1d'), sent: sentFrom(known)}),
  idOf: ({key}) => key,
  heading: window => say`timeline, ${WINDOW_WORDS[window]}`,
  none: (_scene, window) => say`nothing is known to have happened in the ${WINDOW_WORDS[window ?? '1d']}`,
  showsCut: true,
});

const WINDOW_WORDS: Readonly<Record<Window, SafeText>> = {
  '1h': say`last hour`,
  '6h': say`last 6 hours`,
  '1d': say`last day`,
  '7d': say`last 7 days`,
  '30d': say`last 30 days`,
};

export function timelineAt({scene, view}: Context): ListAt<string, Window> {
  return {scene, view, of: view.window};
}

export function rowUnderCursor(context: Context): TimelineRow | undefined {
  return timeline.rowUnderCursor(timelineAt(context));
}

export const TIMELINE_KEYS = listKeys<TimelineView, TimelineRow, string, Window>(
  timeline,
  {at: timelineAt, put: (view, list) => ({...view, ...list})},
  ({entry}) => say`${safeText(formatUtcFull(entry.at))} ${subjectWords(entry)}: ${entry.what}`,
);

/** The entry under the cursor, where it takes the whole pane. */
export function openDetail(context: Context): OpenDetail<TimelineView> | undefined {
  const row = rowUnderCursor(context);
  return zoomedDetail(context, width => row && entryLines(context, row, width));
}
