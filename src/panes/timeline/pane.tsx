import {Box} from 'ink';
import type {ReactNode} from 'react';
import {lastValue, readAt} from '../../domain/snapshot.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {subjectWords} from '../../domain/timeline/timeline.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {flavorsFeed} from '../../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {machinesByNews} from '../../state/timeline.ts';
import {volumesFeed} from '../../state/volumes.ts';
import {formatCount} from '../../ui/format.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {feedFrame} from '../feed-state.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {visibleRows, type Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {ZOOM_START, ZoomedDetail, zoomedBack} from '../zoomed-detail.tsx';
import {BurnChart} from './burn-chart.tsx';
import {TIMELINE_COMMANDS, TIMELINE_MENUS} from './commands.ts';
import {entryLines} from './entry-lines.ts';
import {timelineLayout} from './layout.ts';
import {openDetail, rowUnderCursor, timeline, timelineAt} from './lists.ts';
import {INITIAL_VIEW, type TimelineView} from './view.ts';
import {KEYS} from '../keys.ts';

type Context = PaneContext<TimelineView>;

/** What happened, in one order: events, billing, findings, what was sent from here, and what changed between two readings. */
export const timelinePane: PaneDefinition<TimelineView> = {
  ...TABS.timeline,
  aliases: ['events', 'changes', 'what changed', 'suspects'],
  initialView: INITIAL_VIEW,
  commands: TIMELINE_COMMANDS,
  menus: TIMELINE_MENUS,
  filter: {
    text: view => view.filterText,
    withText: (view, filterText) => ({...view, filterText}),
    mistake: timeline.filterMistake,
  },
  openDetail,
  wants,
  settle: ({scene, view}) => {
    const settled = timeline.settled(
      {...timelineAt({scene, view}), view},
      visibleRows(timelineLayout(scene.size).list),
    );
    // A detail never shows another entry than the one it was opened on.
    const isOther = view.isZoomed && view.cursorId !== undefined && settled.cursorId !== view.cursorId;
    return isOther ? {...settled, ...ZOOM_START} : settled;
  },
  trail: context => {
    const row = rowUnderCursor(context);
    return row === undefined ? ['timeline'] : ['timeline', subjectWords(row.entry)];
  },
  back: view => zoomedBack(view) ?? (view.filterText === '' ? undefined : {...view, filterText: ''}),
  withCursorOn: (view, id) => ({...view, ...ZOOM_START, filterText: String(id)}),
  table: context => timeline.table(timelineAt(context)),
  Screen: TimelineScreen,
};

/** A history is a request: ten of them a minute leave the pane below thirty requests a minute in all. */
const MAX_HISTORIES = 40;
const HISTORY_INTERVAL_MS = 4 * MINUTE_MS;
/** All at once would use up the minute's requests, and the lists would stand still. */
const MAX_NEW_PER_MINUTE = 10;
/** What just changed has an event soon. */
const CHANGED_WITHIN_MS = 2 * MINUTE_MS;
const MAX_CHANGED = 6;
const MAX_CLUSTERS = 20;
/** Those that a person looks at, or has filtered for, are read as often as in the machine's own pane. */
const MAX_LOOKED_AT = 6;

function wants(context: Context): readonly Want[] {
  const {scene} = context;
  const clusters = lastValue(scene.store.get(clustersFeed))?.records ?? [];
  return [
    {feed: machinesFeed, priority: 1},
    {feed: usageFeed, priority: 1},
    {feed: deletedUsageFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: clustersFeed, priority: 2},
    {feed: volumesFeed, priority: 3},
    {feed: contractsFeed, priority: 3},
    {feed: flavorsFeed, priority: 4},
    {feed: organizationFeed, priority: 3},
    {feed: meFeed, priority: 3},
    {feed: creditFeed, priority: 4},
    ...[...machinesLookedAt(context), ...justChanged(scene)].map(({id}) => ({feed: eventsFeed(id), priority: 2})),
    ...clusters
      .slice(0, MAX_CLUSTERS)
      .map(({id}) => ({feed: clusterEventsFeed(id), priority: 4, intervalMs: HISTORY_INTERVAL_MS})),
    ...historiesInTurn(scene).map(({id}) => ({
      feed: eventsFeed(id),
      priority: 5,
      intervalMs: HISTORY_INTERVAL_MS,
      isBackground: true,
    })),
  ];
}

/** Those whose history was read, and of the others as many as this minute has room for. */
function historiesInTurn(scene: Scene): readonly VirtualMachine[] {
  const {store, monotonicNow} = scene;
  const all = machinesByNews(scene, scene.changes).slice(0, MAX_HISTORIES);
  const at = new Map(all.map(({id}) => [id, readAt(store.get(eventsFeed(id)))]));
  const read = all.filter(({id}) => at.get(id) !== undefined);
  const lately = read.filter(({id}) => monotonicNow - (at.get(id) ?? 0) < MINUTE_MS);
  const unread = all.filter(({id}) => at.get(id) === undefined);
  return [...read, ...unread.slice(0, Math.max(0, MAX_NEW_PER_MINUTE - lately.length))];
}

/** The machines that were seen to change a moment ago, the last first. */
function justChanged({store, now, changes}: Scene): readonly VirtualMachine[] {
  const recent = (changes?.entries() ?? []).filter(({at = 0}) => now - at <= CHANGED_WITHIN_MS);
  const ids = recent.reverse().flatMap(({subjects: [{type, id}]}) => (type === 'vm' && id !== undefined ? [id] : []));
  const machines = new Map(observedMachines(store)?.map(machine => [Number(machine.id), machine]));
  return [...new Set(ids)].slice(0, MAX_CHANGED).flatMap(id => machines.get(id) ?? []);
}

/** The machines of the entry under the cursor, and those whose name the filter says. */
function machinesLookedAt(context: Context): readonly VirtualMachine[] {
  const {scene, view} = context;
  const entry = rowUnderCursor(context)?.entry;
  const words = view.filterText
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word.length > 1);
  const isNamed = ({name}: VirtualMachine) => words.some(word => name.toLowerCase().includes(word));
  return (observedMachines(scene.store) ?? [])
    .filter(machine => isNamed(machine) || entry?.subjects.some(({type, id}) => type === 'vm' && id === machine.id))
    .slice(0, MAX_LOOKED_AT);
}

function TimelineScreen(context: Context): ReactNode {
  const {scene, view} = context;
  const layout = timelineLayout(scene.size);
  const detail = openDetail(context);
  if (detail !== undefined) return <ZoomedDetail scene={scene} detail={detail} title="entry" feed={machinesFeed} />;
  const list = <timeline.Box {...timelineAt(context)} place={layout.list} right={readText(scene)} />;
  const preview = layout.preview.rows > 0 && <Preview {...context} place={layout.preview} />;
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {layout.chart.rows > 0 && <BurnChart scene={scene} view={view} place={layout.chart} />}
      {layout.isWide ? (
        <Box>
          {list}
          {preview}
        </Box>
      ) : (
        <>
          {list}
          {preview}
        </>
      )}
    </Box>
  );
}

function Preview({place: {columns: width, rows: height}, ...context}: Context & {readonly place: Place}): ReactNode {
  const {scene} = context;
  const row = rowUnderCursor(context);
  const lines = row === undefined ? [] : entryLines(context, row, width - 4);
  const isCut = lines.length > height - 2;
  return (
    <TitledBox
      {...feedFrame(scene, machinesFeed)}
      title="entry"
      right={isCut ? `${KEYS.describe} shows all` : ''}
      lines={lines.map(line => [{text: ' '}, ...line])}
      width={width}
      height={height}
    />
  );
}

/** Of how many machines the events are known: each history is a request, so those of a large fleet are not all read. */
function readText({store}: Scene): string {
  const machines = observedMachines(store);
  if (machines === undefined) return '';
  const readCount = machines.filter(({id}) => lastValue(store.get(eventsFeed(id))) !== undefined).length;
  return `events of ${formatCount(readCount)} of ${formatCount(machines.length)} machines read`;
}
