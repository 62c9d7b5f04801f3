import {Box} from 'ink';
import type {ReactNode} from 'react';
import {nameInWords, say} from '../../domain/safe-text.ts';
import {lastValue, readAt} from '../../domain/snapshot.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import type {VirtualMachine} from '../../domain/virtual-machine.ts';
import {nextWindow, WINDOWS_MS} from '../../domain/window.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {billFeedsWithin, creditFeed, deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {flavorsFeed, priceBookFeed} from '../../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, machinesFeed, observedById, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {machinesByNews} from '../../state/timeline.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {TimelineRow} from '../../resources/timeline.ts';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {choosingPane} from '../list/collection.tsx';
import {type ArrangedProps, listView, partView, zoomedView} from '../list/collection-view.ts';
import {feedFrame} from '../feed-state.ts';
import {historyLines} from '../history-lines.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {BurnChart} from './burn-chart.tsx';
import {entryLines} from './entry-lines.ts';
import {timelineLayout} from './layout.ts';
import {rowUnderCursor, type TimelineChoice, type TimelineContext, timelinePart} from './part.ts';
import {KEYS} from '../../actions/keys.ts';

/**
 * Everything that happened, in one order: events, billing, findings, operations sent from here, and changes between two
 * readings.
 */
export const timelinePane = choosingPane<TimelineChoice>({
  ...TABS.timeline,
  aliases: ['events', 'history', 'changes', 'what changed', 'suspects'],
  parts: [timelinePart],
  own: {window: '1d'},
  arrangement: {
    places: ({scene}) => [timelineLayout(scene.size).list],
    wants,
    Screen: TimelineScreen,
  },
  commands: [
    {
      id: 'timeline.zoom',
      title: say`suspects`,
      help: 'Shows the whole entry and the suspects for its step; pressed again, goes back.',
      keys: [KEYS.describe, '+'],
      group: 'Look',
      isInStatusBar: true,
      disabledReason: context =>
        rowUnderCursor(context) === undefined ? say`there is nothing under the cursor` : undefined,
      run: ({view}) => ({kind: 'view', view: zoomedView(view)}),
    },
    {
      id: 'timeline.window',
      title: say`window`,
      help: 'The last 1h, 6h, 1d, 7d or 30d.',
      keys: ['w'],
      group: 'Look',
      isInStatusBar: true,
      run: ({view}) => ({kind: 'view', view: {...view, own: {window: nextWindow(view.own.window)}}}),
    },
  ],
});

/** A history takes a request: ten a minute keep the pane below thirty requests a minute in all. */
const MAX_HISTORIES = 40;
const HISTORY_INTERVAL_MS = 4 * MINUTE_MS;
/** All at once would use up the minute's requests, and the lists would stop updating. */
const MAX_NEW_PER_MINUTE = 10;
/** Something that just changed will soon have an event. */
const CHANGED_WITHIN_MS = 2 * MINUTE_MS;
const MAX_CHANGED = 6;
const MAX_CLUSTERS = 20;
/** Those that a person looks at or has filtered for are read as often as in the machine's own pane. */
const MAX_LOOKED_AT = 6;

function wants(context: TimelineContext): readonly Want[] {
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
    ...billFeedsWithin(scene.store, scene.now, WINDOWS_MS[context.view.own.window]).map(feed => ({
      feed,
      priority: 4,
      isBackground: true,
    })),
    {feed: flavorsFeed, priority: 4},
    {feed: organizationFeed, priority: 3},
    {feed: meFeed, priority: 3},
    {feed: creditFeed, priority: 4},
    {feed: priceBookFeed, priority: 4},
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

/** Those whose history was read, and as many of the others as this minute has room for. */
function historiesInTurn(scene: Scene): readonly VirtualMachine[] {
  const {store, monotonicNow} = scene;
  const all = machinesByNews(scene, scene.changes).slice(0, MAX_HISTORIES);
  const at = new Map(all.map(({id}) => [id, readAt(store.get(eventsFeed(id)))]));
  const read = all.filter(({id}) => at.get(id) !== undefined);
  const lately = read.filter(({id}) => monotonicNow - (at.get(id) ?? 0) < MINUTE_MS);
  const unread = all.filter(({id}) => at.get(id) === undefined);
  return [...read, ...unread.slice(0, Math.max(0, MAX_NEW_PER_MINUTE - lately.length))];
}

/** The machines seen to change a moment ago, most recent first. */
function justChanged({store, now, changes}: Scene): readonly VirtualMachine[] {
  const recent = (changes?.entries() ?? []).filter(({at = 0}) => now - at <= CHANGED_WITHIN_MS);
  const ids = recent.reverse().flatMap(({subjects: [{type, id}]}) => (type === 'vm' && id !== undefined ? [id] : []));
  const machines = observedById(store);
  return [...new Set(ids)].slice(0, MAX_CHANGED).flatMap(id => machines.get(id) ?? []);
}

/** The machines of the entry under the cursor, and those the filter names. */
function machinesLookedAt(context: TimelineContext): readonly VirtualMachine[] {
  const {scene, view} = context;
  const entry = rowUnderCursor(context)?.entry;
  const words = listView(view)
    .filterText.toLowerCase()
    .split(/\s+/)
    .filter(word => word.length > 1);
  const isNamed = ({name}: VirtualMachine) => words.some(word => name.toLowerCase().includes(word));
  return (observedMachines(scene.store) ?? [])
    .filter(machine => isNamed(machine) || entry?.subjects.some(({type, id}) => type === 'vm' && id === machine.id))
    .slice(0, MAX_LOOKED_AT);
}

function TimelineScreen({lists: [list], ...context}: ArrangedProps<TimelineChoice>): ReactNode {
  const {scene} = context;
  const layout = timelineLayout(scene.size);
  const chosen = rowUnderCursor(context);
  const preview = layout.preview.rows > 0 && <Preview scene={scene} row={chosen} place={layout.preview} />;
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {layout.chart.rows > 0 && (
        <BurnChart
          scene={scene}
          window={context.view.own.window}
          rows={timelinePart.shownRows(scene, partView(context.view))}
          chosen={chosen}
          place={layout.chart}
        />
      )}
      <Box flexDirection={layout.isWide ? 'row' : 'column'}>
        {list}
        {preview}
      </Box>
    </Box>
  );
}

/** A history with fewer rows shows nothing. */
const MIN_HISTORY_ROWS = 8;

/** What else is known about the entry's object, in the room that the entry leaves. */
function pastLines(scene: Scene, {entry}: TimelineRow, width: number, room: number): readonly Line[] {
  const [{type, id, name}] = entry.subjects;
  if (id === undefined) return [];
  const title: Line = [{text: `history of ${nameInWords(name)}`, tone: 'title'}];
  return [[], title, ...historyLines(scene, {subjects: new Set([`${type} ${id}`])}, width - 4, room - 4)];
}

const Preview = memoBox(
  function Preview({
    scene,
    row,
    place: {columns: width, rows: height},
  }: {
    readonly scene: Scene;
    readonly row: TimelineRow | undefined;
    readonly place: Place;
  }): ReactNode {
    const entry = row === undefined ? [] : entryLines(scene, row, width - 4);
    const isCut = entry.length > height - 2;
    const room = height - 2 - entry.length;
    const lines =
      row === undefined || room < MIN_HISTORY_ROWS ? entry : [...entry, ...pastLines(scene, row, width, room)];
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
  },
  {countsSeconds: true},
);
