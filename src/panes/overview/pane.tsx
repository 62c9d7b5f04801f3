import {Box} from 'ink';
import type {ReactNode} from 'react';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {creditFeed, deletedUsageFeed, usageFeed} from '../../state/billing.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import type {Feed} from '../../state/feed.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poller.ts';
import {formatDuration, formatRateFigure} from '../../ui/format.ts';
import {Lines, PaintedLines} from '../../ui/lines.tsx';
import {tableBox} from '../../ui/table-box.ts';
import type {Line} from '../../ui/text.ts';
import {feedAge, isOld, missingLine} from '../feed-state.ts';
import {settledCursor} from '../list.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {clustersPart} from './clusters-part.ts';
import {OVERVIEW_COMMANDS} from './commands.ts';
import {eventsPart} from './events-part.ts';
import {exposurePart} from './exposure-part.ts';
import {fleetPart} from './fleet-part.ts';
import {type OverviewLayout, overviewLayout} from './layout.ts';
import {moneyPart} from './money-part.ts';
import {ATTENTION_COLUMNS, attentionRows, isTroubled, parseAttentionFilter} from './rows.ts';
import {INITIAL_VIEW, type OverviewView} from './view.ts';

type Context = PaneContext<OverviewView>;

export const overviewPane: PaneDefinition<OverviewView> = {
  id: 'overview',
  key: '1',
  title: say`Overview`,
  aliases: ['home', 'now', 'faults', 'triage', 'needs you'],
  initialView: INITIAL_VIEW,
  commands: OVERVIEW_COMMANDS,
  menus: [],
  filter: {
    text: view => view.filterText,
    withText: (view, filterText) => ({...view, filterText}),
    mistake: text => {
      const parsed = parseAttentionFilter(text);
      return parsed.ok ? undefined : parsed.mistake;
    },
  },
  wants,
  settle: ({scene, view}) => {
    const height = overviewLayout(scene.size).attention.rows - LIST_FRAME_ROWS;
    const cursor = settledCursor(view, attentionRows(scene, view), ({item}) => item.key, {
      height,
      hasChosen: scene.hasChosen,
    });
    return cursor === view ? view : {...view, ...cursor};
  },
  trail: () => ['overview'],
  back: view => (view.filterText === '' ? undefined : {...view, filterText: ''}),
  withCursorOn: view => view,
  table: ({scene, view}) => ({
    columns: ['severity', 'what', 'where', 'since', '$/h'],
    rows: attentionRows(scene, view).map(({item, now}) => [
      item.severity,
      item.what,
      item.where,
      item.since === undefined ? '' : formatDuration(now - item.since),
      formatRateFigure(item.rate),
    ]),
  }),
  Screen: OverviewScreen,
};

const LIST_FRAME_ROWS = 3;
/** Histories are one request a machine: only those that tell since when something is wrong. */
const MAX_HISTORIES = 6;

function wants({scene}: Context): readonly Want[] {
  const troubled = (observedMachines(scene.store) ?? []).filter(isTroubled).slice(0, MAX_HISTORIES);
  return [
    {feed: machinesFeed, priority: 1},
    {feed: usageFeed, priority: 1},
    {feed: organizationFeed, priority: 2},
    {feed: creditFeed, priority: 2},
    {feed: clustersFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: contractsFeed, priority: 3},
    {feed: deletedUsageFeed, priority: 3},
    {feed: meFeed, priority: 4},
    ...troubled.map(({id}) => ({feed: eventsFeed(id), priority: 4, intervalMs: HISTORY_INTERVAL_MS})),
  ];
}

const HISTORY_INTERVAL_MS = 60_000;

function OverviewScreen(context: Context): ReactNode {
  const {scene} = context;
  const layout = overviewLayout(scene.size);
  const {theme} = scene;
  const attention = <PaintedLines lines={attentionBox(context, layout)} width={layout.attention.columns} />;
  const money = <Lines lines={moneyPart(scene, layout)} width={layout.money.columns} theme={theme} />;
  const fleet = <Lines lines={fleetPart(scene, layout)} width={layout.fleet.columns} theme={theme} />;
  const clusters = <Lines lines={clustersPart(scene, layout)} width={layout.clusters.columns} theme={theme} />;
  const events = <Lines lines={eventsPart(scene, layout)} width={layout.events.columns} theme={theme} />;
  if (!layout.isWide) {
    return (
      <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
        {attention}
        {money}
        {fleet}
        {clusters}
        {events}
      </Box>
    );
  }
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      <Box>
        {attention}
        {money}
      </Box>
      <Box>
        {fleet}
        {clusters}
      </Box>
      <Box>
        <Lines lines={exposurePart(scene, layout)} width={layout.exposure.columns} theme={theme} />
        {events}
      </Box>
    </Box>
  );
}

function attentionBox({scene, view}: Context, layout: OverviewLayout): readonly string[] {
  const rows = attentionRows(scene, view);
  const isKnown = unreadFeed(scene) === undefined || rows.length > 0;
  const filter = view.filterText === '' ? '' : `  /${view.filterText}`;
  const {columns: width, rows: height} = layout.attention;
  return tableBox(
    {
      columns: ATTENTION_COLUMNS,
      rows,
      idOf: ({item}) => item.key,
      cursor: {id: view.cursorId, index: view.cursorIndex},
      offset: view.offset,
      empty: emptyLine(scene, view),
    },
    {
      title: `needs you now${isKnown ? ` ${rows.length}` : ''}${filter}`,
      right: feedAge(scene, machinesFeed),
      width,
      height,
      theme: scene.theme,
      isFocused: true,
      isLinkDown: scene.health.status !== 'up',
      isStale: isOld(scene, machinesFeed),
    },
  );
}

/** Calm is only told when everything that could disturb it was read. */
function emptyLine(scene: Scene, view: OverviewView): Line {
  if (view.filterText !== '')
    return [{text: ` nothing matches /${view.filterText}; esc clears the filter`, tone: 'dim'}];
  const missing = unreadFeed(scene);
  return missing === undefined
    ? [{text: ` ${scene.theme.glyphs.check} nothing needs you now`, tone: 'good'}]
    : missingLine(scene, missing.feed, missing.what);
}

/** The first list that could hold something to worry about and was never read. */
function unreadFeed({store}: Scene): {readonly feed: Feed<unknown>; readonly what: string} | undefined {
  return [
    {feed: machinesFeed, what: 'machines'},
    {feed: usageFeed, what: 'usage'},
    {feed: clustersFeed, what: 'clusters'},
    {feed: firewallsFeed, what: 'firewalls'},
  ].find(({feed}) => lastValue(store.get<unknown>(feed)) === undefined);
}
