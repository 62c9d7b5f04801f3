import {say} from '../../domain/safe-text.ts';
import type {TimelineEntry} from '../../domain/timeline/entry.ts';
import {stemOf} from '../../domain/cloud-resource.ts';
import {placeOf} from '../../resources/resources.ts';
import {nextWindow} from '../../domain/window.ts';
import type {Command, CommandResult, PaneOutcome} from '../command.ts';
import {copiedNames, markCommands, orderCommands, sortMenu} from '../list-commands.ts';
import {moveCommands} from '../list.ts';
import type {PaneContext} from '../pane.ts';
import {visibleRows} from '../sizes.ts';
import {scrolledDetail, zoomed} from '../zoomed-detail.tsx';
import {timelineLayout} from './layout.ts';
import {openDetail, rowUnderCursor, TIMELINE_KEYS} from './lists.ts';
import type {TimelineView} from './view.ts';
import {KEYS} from '../keys.ts';

type Context = PaneContext<TimelineView>;

const here = () => TIMELINE_KEYS;

export const TIMELINE_COMMANDS: readonly Command<Context, PaneOutcome<TimelineView>>[] = [
  ...moveCommands<TimelineView>('timeline', {
    pageRows: ({scene}) => Math.max(1, visibleRows(timelineLayout(scene.size).list)),
    moved: (context, step) => scrolledDetail(openDetail(context), step) ?? TIMELINE_KEYS.moved(context, step),
  }),
  ...markCommands<TimelineView>('timeline', here, noRowReason),
  {
    id: 'timeline.open',
    title: say`open`,
    help: 'What the entry is about, in its own pane; several machines as a filtered list.',
    keys: [KEYS.open],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: context => {
      const row = rowUnderCursor(context);
      if (row === undefined) return say`there is nothing under the cursor`;
      return placeOfEntry(row.entry) === undefined
        ? say`it is about the whole account; ${KEYS.describe} shows the entry`
        : undefined;
    },
    run: context => {
      const row = rowUnderCursor(context);
      return (row && placeOfEntry(row.entry)) ?? {kind: 'done'};
    },
  },
  {
    id: 'timeline.zoom',
    title: say`suspects`,
    help: 'The entry whole and the suspects for its step, in the whole pane, and back.',
    keys: [KEYS.describe, '+'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    disabledReason: noRowReason,
    run: ({view}) => zoomed(view),
  },
  {
    id: 'timeline.window',
    title: say`window`,
    help: 'The last 1h, 6h, 1d, 7d or 30d.',
    keys: ['w'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    run: ({view}) => ({kind: 'view', view: {...view, window: nextWindow(view.window)}}),
  },
  ...orderCommands<TimelineView>('timeline', here),
  {
    id: 'timeline.copy',
    title: say`copy`,
    help: 'Copies the entry as a line, through the terminal, also over SSH; for marked rows all of them.',
    keys: ['c'],
    group: 'Look',
    effect: 'view',
    disabledReason: noRowReason,
    run: context => copiedNames(TIMELINE_KEYS, context),
  },
];

export const TIMELINE_MENUS = [sortMenu<TimelineView>('timeline', here)];

function noRowReason(context: Context) {
  return rowUnderCursor(context) === undefined ? say`there is nothing under the cursor` : undefined;
}

/** Where the objects of an entry are shown: one under the cursor, a row of names by a filter. */
function placeOfEntry({subjects}: TimelineEntry): Extract<CommandResult, {kind: 'go'}> | undefined {
  const placed = subjects.flatMap(({type, id, name}) => {
    const place = placeOf(type, id);
    return place === undefined ? [] : [{name, place}];
  });
  const [first, ...others] = placed;
  if (first === undefined) return undefined;
  const {name, place} = first;
  const stem = stemOf(name);
  const isRow =
    others.length > 0 && stem !== '' && !/\s/.test(stem) && others.every(each => stemOf(each.name) === stem);
  return isRow ? {kind: 'go', paneId: place.paneId, filterText: stem} : {kind: 'go', ...place};
}
