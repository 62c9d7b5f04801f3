import {Box} from 'ink';
import {type ReactNode, useMemo} from 'react';
import {lastValue} from '../../domain/snapshot.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {
  billedDayFeeds,
  billingFigures,
  creditFeed,
  deletedUsageFeed,
  presentBillFeeds,
  earlierBillFeeds,
  usageFeed,
} from '../../state/billing.ts';
import {flavorsFeed, priceBookFeed, stocksFeed} from '../../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import {eventsFeed, machinesFeed, troubledMachines} from '../../state/machines.ts';
import {gpuWants} from '../../state/gpu-load.ts';
import {
  METRICS_INTERVAL_MS,
  dueMetrics,
  isJudgedWhole,
  presentTriage,
  silentAmong,
  burnHistories,
  triagedMachines,
} from '../../state/triage.ts';
import {idleAmong} from '../../state/waste.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {choosingPane} from '../list/collection.tsx';
import {type ArrangedProps, type CollectionView, listView, partView, withList} from '../list/collection-view.ts';
import {LIST_START} from '../list/cursor.ts';
import type {PaneDefinition, Scene} from '../pane.ts';
import {TABS} from '../tabs.ts';
import {OVERVIEW_COMMANDS} from './commands.ts';
import {EVIDENCE_WINDOW_MS} from './evidence.ts';
import {findingsPart, type OverviewChoice, type OverviewContext, rowUnderCursor} from './findings-part.ts';
import {MUTE_MENUS} from './mute-commands.ts';
import {type OverviewLayout, overviewLayout, withWholeText} from './layout.ts';
import {Clusters, fullestEnvironments} from './clusters.tsx';
import {Events} from './events.tsx';
import {Exposure} from './exposure.tsx';
import {Fleet} from './fleet.tsx';
import {Money} from './money.tsx';
import {isNewAccount, Preview, previewRows, previewTextRows} from './preview.tsx';
import {countsSeconds} from './rows.ts';

/** What needs attention now, beside boxes about the whole account. */
export const overviewPane: PaneDefinition<CollectionView<OverviewChoice>> = {
  ...choosingPane<OverviewChoice>({
    ...TABS.overview,
    aliases: ['home', 'now', 'faults', 'triage', 'needs you'],
    parts: [findingsPart],
    own: {unfolded: new Set()},
    commands: OVERVIEW_COMMANDS,
    menus: MUTE_MENUS,
    arrangement: {
      places: context => [layoutOf(context).attention],
      wants,
      Screen: OverviewScreen,
      isStill: ({scene}) => {
        const found = presentTriage(scene);
        const isDecided = found.findings.length > 0 || isJudgedWhole(scene.store);
        return isDecided && !countsSeconds(found, scene.now);
      },
      back: view => (view.own.unfolded.size === 0 ? undefined : {...view, own: {unfolded: new Set()}}),
    },
  }),
  // Whoever comes back sees the worst first: a cursor that was left at the top is there again, and nothing above
  // another one is hidden without need.
  chosenAgain: view => {
    const list = listView(view);
    const cursor = list.cursorIndex === 0 ? LIST_START : {offset: 0};
    return withList(view, {...list, ...cursor});
  },
};

function layoutOf({scene, view}: OverviewContext): OverviewLayout {
  const rows = findingsPart.shownRows(scene, partView(view));
  return overviewLayout(scene.size, {findingCount: rows.length, previewRows: place => previewRows(rows, place)});
}

/** Histories take one request per machine: only those that show since when something is wrong are read. */
const MAX_HISTORIES = 6;

function wants({scene}: OverviewContext): readonly Want[] {
  const troubled = troubledMachines(scene.store).slice(0, MAX_HISTORIES);
  const clusters = lastValue(scene.store.get(clustersFeed))?.records ?? [];
  const due = dueMetrics(scene);
  const triaged = triagedMachines(scene);
  const changing = clusters.filter(({status}) => status !== 'ACTIVE').slice(0, MAX_HISTORIES);
  return [
    {feed: machinesFeed, priority: 1},
    {feed: usageFeed, priority: 1},
    {feed: organizationFeed, priority: 2},
    {feed: creditFeed, priority: 2},
    // What the month and today were billed, if the provider says so, and yesterday for the chart.
    ...presentBillFeeds(scene.store, scene.now).map(feed => ({feed, priority: 3})),
    ...earlierBillFeeds(scene.now, scene.openedAt).map(feed => ({feed, priority: 4, isBackground: true})),
    ...billedDayFeeds(scene.store, scene.now, EVIDENCE_WINDOW_MS).map(feed => ({
      feed,
      priority: 6,
      isBackground: true,
    })),
    {feed: clustersFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: contractsFeed, priority: 3},
    {feed: volumesFeed, priority: 3},
    {feed: flavorsFeed, priority: 4},
    {feed: stocksFeed, priority: 4},
    {feed: deletedUsageFeed, priority: 3},
    {feed: meFeed, priority: 4},
    {feed: priceBookFeed, priority: 6},
    ...(isNewAccount(scene) ? [{feed: keyPairsFeed, priority: 4}] : []),
    ...gpuWants(5),
    ...due.map(feed => ({feed, priority: 5, isBackground: true})),
    // The quota changes slowly, so machines are read first.
    ...(due.length > 0 ? [] : quotaWants(scene)),
    ...[...silentAmong(triaged, scene), ...idleAmong(triaged, scene)].map(({id}) => ({
      feed: eventsFeed(id),
      priority: 4,
      intervalMs: METRICS_INTERVAL_MS,
      isBackground: true,
    })),
    // Until they tell when the machines of an ended rise stopped running, they are read more often.
    ...burnHistories(scene).map(feed => ({
      feed,
      priority: 4,
      intervalMs: billingFigures(scene)?.incident?.isEstimated === true ? HISTORY_INTERVAL_MS : METRICS_INTERVAL_MS,
      isBackground: true,
    })),
    ...changing.map(({id}) => ({feed: clusterEventsFeed(id), priority: 4, intervalMs: HISTORY_INTERVAL_MS})),
    ...troubled.map(({id}) => ({feed: eventsFeed(id), priority: 4, intervalMs: HISTORY_INTERVAL_MS})),
  ];
}

function quotaWants({store}: Scene): readonly Want[] {
  return [environmentsFeed, ...fullestEnvironments(store).map(({id}) => quotaFeed(id))].map(feed => ({
    feed,
    priority: 6,
    intervalMs: QUOTA_INTERVAL_MS,
    isBackground: true,
  }));
}

const HISTORY_INTERVAL_MS = MINUTE_MS;
const QUOTA_INTERVAL_MS = 5 * MINUTE_MS;

function OverviewScreen({lists: [attention], ...context}: ArrangedProps<OverviewChoice>): ReactNode {
  const {scene} = context;
  const {columns, rows} = scene.size;
  const shown = findingsPart.shownRows(scene, partView(context.view));
  const row = rowUnderCursor(context);
  const textRows = previewTextRows(row, columns);
  const layout = useMemo(() => {
    const found = {
      findingCount: shown.length,
      previewRows: (place: Parameters<typeof previewRows>[1]) => previewRows(shown, place),
    };
    return withWholeText(overviewLayout({columns, rows}, found), textRows);
  }, [columns, rows, shown, textRows]);
  const money = <Money scene={scene} layout={layout} />;
  const fleet = <Fleet scene={scene} layout={layout} />;
  const clusters = <Clusters scene={scene} layout={layout} />;
  const events = <Events scene={scene} layout={layout} />;
  const preview = <Preview scene={scene} layout={layout} row={row} />;
  if (!layout.isWide) {
    return (
      <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
        {attention}
        {preview}
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
        {preview}
        <Exposure scene={scene} layout={layout} />
        {events}
      </Box>
    </Box>
  );
}
