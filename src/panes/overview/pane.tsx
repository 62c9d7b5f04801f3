import {Box} from 'ink';
import type {ReactNode} from 'react';
import {monthSoFar, todaySoFar} from '../../domain/billing-history.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {missingLine} from '../../resources/detail.ts';
import {meFeed, organizationFeed} from '../../state/account.ts';
import {creditFeed, deletedUsageFeed, presentBillFeed, usageFeed} from '../../state/billing.ts';
import {flavorsFeed, stocksFeed} from '../../state/catalogue.ts';
import {clusterEventsFeed, clustersFeed} from '../../state/clusters.ts';
import {contractsFeed} from '../../state/contracts.ts';
import {environmentsFeed, quotaFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {firewallsFeed} from '../../state/firewalls.ts';
import type {Triage} from '../../domain/triage/triage.ts';
import {eventsFeed, machinesFeed, observedMachines} from '../../state/machines.ts';
import {isTroubled} from '../../domain/virtual-machine.ts';
import {gpuWants} from '../../state/gpu-load.ts';
import {
  METRICS_INTERVAL_MS,
  TRIAGE_LISTS,
  dueMetrics,
  exceptUnread,
  isJudgedWhole,
  presentTriage,
  silentAmong,
  starterHistories,
  triagedMachines,
  unreadMetrics,
} from '../../state/triage.ts';
import {volumesFeed} from '../../state/volumes.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {formatCounted, formatDuration, formatRateFigure} from '../../ui/format.ts';
import {List} from '../../ui/list.tsx';
import {LIST_FRAME_ROWS} from '../../ui/table.ts';
import type {Line} from '../../ui/text.ts';
import {feedFrame} from '../feed-state.ts';
import {adjustedCursor} from '../list.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {TABS} from '../tabs.ts';
import {OVERVIEW_COMMANDS} from './commands.ts';
import {fixWord} from './fix.ts';
import {MUTE_MENUS} from './mute-commands.ts';
import {type OverviewLayout, overviewLayout} from './layout.ts';
import {Clusters, fullestEnvironments} from './clusters.tsx';
import {Events} from './events.tsx';
import {Exposure} from './exposure.tsx';
import {Fleet} from './fleet.tsx';
import {Money} from './money.tsx';
import {isNewAccount, Preview} from './preview.tsx';
import {
  countsSeconds,
  type FindingRow,
  findingColumns,
  findingRows,
  memberKeys,
  parseFindingFilter,
  SEVERITY_WORDS,
  underCursor,
} from './rows.ts';
import {INITIAL_VIEW, type OverviewView} from './view.ts';
import {KEYS} from '../../actions/keys.ts';

type Context = PaneContext<OverviewView>;

/**
 * Findings are not a collection of records, so this pane does not use `collectionPane`: a line can stand for several
 * findings and unfold, a filter also finds muted ones, and the order is fixed: worst first. So there is no sort order
 * to choose and nothing to mark; a line for several is itself the selection. Cursor, move keys, filter, copy and save
 * use the same functions as every list.
 */
export const overviewPane: PaneDefinition<OverviewView> = {
  ...TABS.overview,
  aliases: ['home', 'now', 'faults', 'triage', 'needs you'],
  initialView: INITIAL_VIEW,
  commands: OVERVIEW_COMMANDS,
  menus: MUTE_MENUS,
  filter: {
    text: view => view.filterText,
    withText: (view, filterText) => ({...view, filterText}),
    mistake: text => {
      const parsed = parseFindingFilter(text);
      return parsed.ok ? undefined : parsed.mistake;
    },
  },
  wants,
  adjust: ({scene, view}) => {
    const height = overviewLayout(scene.size).attention.rows - LIST_FRAME_ROWS;
    const rows = findingRows(scene, view);
    const cursor = adjustedCursor(followed(view, rows), rows, ({key}) => key, {
      height,
      hasChosen: scene.hasChosen,
    });
    return cursor === view ? view : {...view, ...cursor};
  },
  trail: () => ['overview'],
  back: view => {
    if (view.unfolded.size > 0) return {...view, unfolded: new Set()};
    return view.filterText === '' ? undefined : {...view, filterText: ''};
  },
  withCursorOn: view => view,
  table: ({scene, view}) => ({
    columns: ['severity', 'what', 'where', 'since', '$/h', 'fix'],
    rows: findingRows(scene, view).map(row => [
      SEVERITY_WORDS[row.severity],
      row.what,
      row.where,
      row.since === undefined ? '' : formatDuration(row.now - row.since),
      formatRateFigure(row.rate),
      fixWord(row) ?? '',
    ]),
  }),
  // Boxes without edges show their ages in a line of their content.
  isStill: ({scene}) => {
    const found = presentTriage(scene);
    const isDecided = found.findings.length > 0 || isJudgedWhole(scene.store);
    return overviewLayout(scene.size).isWide && isDecided && !countsSeconds(found, scene.now);
  },
  Screen: OverviewScreen,
};

/** If a finding becomes one of several in a line, the cursor moves to that line. */
function followed(view: OverviewView, rows: readonly FindingRow[]): OverviewView {
  const {cursorId} = view;
  if (cursorId === undefined || rows.some(({key}) => key === cursorId)) return view;
  const home = rows.find(row => memberKeys(row).includes(cursorId));
  return home === undefined ? view : {...view, cursorId: home.key};
}

/** Histories take one request per machine: only those are read that tell since when something is wrong. */
const MAX_HISTORIES = 6;

function wants({scene}: Context): readonly Want[] {
  const troubled = (observedMachines(scene.store) ?? []).filter(isTroubled).slice(0, MAX_HISTORIES);
  const clusters = lastValue(scene.store.get(clustersFeed))?.records ?? [];
  const due = dueMetrics(scene);
  const changing = clusters.filter(({status}) => status !== 'ACTIVE').slice(0, MAX_HISTORIES);
  return [
    {feed: machinesFeed, priority: 1},
    {feed: usageFeed, priority: 1},
    {feed: organizationFeed, priority: 2},
    {feed: creditFeed, priority: 2},
    // What the month and today were billed, if the provider says so.
    {feed: presentBillFeed(scene.store, monthSoFar(scene.now)), priority: 3},
    {feed: presentBillFeed(scene.store, todaySoFar(scene.now)), priority: 3},
    {feed: clustersFeed, priority: 2},
    {feed: firewallsFeed, priority: 2},
    {feed: contractsFeed, priority: 3},
    {feed: volumesFeed, priority: 3},
    {feed: flavorsFeed, priority: 4},
    {feed: stocksFeed, priority: 4},
    {feed: deletedUsageFeed, priority: 3},
    {feed: meFeed, priority: 4},
    ...(isNewAccount(scene) ? [{feed: keyPairsFeed, priority: 4}] : []),
    ...gpuWants(5),
    ...due.map(feed => ({feed, priority: 5, isBackground: true})),
    // The quota changes slowly, so machines are read first.
    ...(due.length > 0 ? [] : quotaWants(scene)),
    ...silentAmong(triagedMachines(scene), scene).map(({id}) => ({
      feed: eventsFeed(id),
      priority: 4,
      intervalMs: METRICS_INTERVAL_MS,
      isBackground: true,
    })),
    ...starterHistories(scene).map(feed => ({
      feed,
      priority: 4,
      intervalMs: METRICS_INTERVAL_MS,
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

const HISTORY_INTERVAL_MS = 60_000;
const QUOTA_INTERVAL_MS = 300_000;

function OverviewScreen(context: Context): ReactNode {
  const {scene, view} = context;
  const layout = overviewLayout(scene.size, findingRows(scene, view).length);
  const attention = <AttentionList {...context} place={layout.attention} />;
  const money = <Money scene={scene} layout={layout} />;
  const fleet = <Fleet scene={scene} layout={layout} />;
  const clusters = <Clusters scene={scene} layout={layout} />;
  const events = <Events scene={scene} layout={layout} />;
  const preview = <Preview scene={scene} layout={layout} row={underCursor(context)} />;
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

function AttentionList({scene, view, place}: Context & {readonly place: OverviewLayout['attention']}): ReactNode {
  const rows = findingRows(scene, view);
  const found = presentTriage(scene);
  const isKnown = isJudgedWhole(scene.store) || rows.length > 0 || found.findings.length > 0;
  const isFiltered = view.filterText !== '';
  const count = isFiltered ? `${findingCount(rows)} of ${found.findings.length}` : `${found.findings.length}`;
  const filter = isFiltered ? `  /${view.filterText}` : '';
  return (
    <List
      {...feedFrame(scene, machinesFeed)}
      title={`needs attention${isKnown ? ` ${count}${mutedCount(found)}` : ''}${filter}${unreadWords(scene)}`}
      columns={findingColumns(rows, place.columns)}
      rows={rows}
      idOf={({key}) => key}
      cursor={{id: view.cursorId, index: view.cursorIndex}}
      offset={view.offset}
      empty={emptyLine(scene, view)}
      showsCut
      width={place.columns}
      height={place.rows}
      isFocused
    />
  );
}

/** The findings of the rows, each once: an unfolded line for several comes before its findings. */
function findingCount(rows: readonly FindingRow[]): number {
  return new Set(rows.flatMap(({findings, mutes}) => (mutes.length > 0 ? [] : findings))).size;
}

function mutedCount({muted}: Triage): string {
  return muted.length === 0 ? '' : `, ${muted.length} muted`;
}

/**
 * For how many machines the metrics that rules need are unknown, and whether more findings may still come; short enough
 * for 80 columns.
 */
export function unreadWords(scene: Pick<Scene, 'store' | 'preferences'>): string {
  const {pendingCount, unaskedCount, failedCount} = unreadMetrics(scene);
  const unreadCount = pendingCount + unaskedCount + failedCount;
  if (unreadCount === 0) return '';
  const limit = unaskedCount > 0 ? `limit ${scene.preferences.judgedMachineCount}` : `${failedCount} failed`;
  const more = pendingCount > 0 ? `${pendingCount} to come` : limit;
  return `, ${formatCounted(unreadCount, 'machine')} without metrics: ${more}`;
}

/** "All is well" is only said when everything that could disprove it was read and judged. */
function emptyLine(scene: Scene, view: OverviewView): Line {
  if (view.filterText !== '')
    return [{text: ` nothing matches /${view.filterText}; ${KEYS.back} clears the filter`, tone: 'dim'}];
  if (isJudgedWhole(scene.store)) {
    return [
      {text: ` ${scene.theme.glyphs.check} nothing needs attention now`, tone: 'good'},
      {text: exceptUnread(scene), tone: 'warning'},
    ];
  }
  const missing = TRIAGE_LISTS.find(({feed}) => lastValue(scene.store.get(feed)) === undefined);
  if (missing !== undefined) return missingLine(scene, missing.feed, missing.what);
  const {pendingCount} = unreadMetrics(scene);
  const metrics = ` reading the metrics of ${formatCounted(pendingCount, 'machine')}…`;
  return [{text: pendingCount > 0 ? metrics : ' checking what was read…', tone: 'dim'}];
}
