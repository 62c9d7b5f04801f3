import {Box} from 'ink';
import type {ReactNode} from 'react';
import type {Cluster, ClusterNode} from '../../domain/cluster.ts';
import {say} from '../../domain/safe-text.ts';
import {failureOf, lastValue} from '../../domain/snapshot.ts';
import {spendPerDay} from '../../domain/money/spend.ts';
import {usdNumber} from '../../domain/money.ts';
import {DAY_MS, epochMs, MINUTE_MS} from '../../domain/time.ts';
import {type ClusterRow, clusters} from '../../resources/clusters.ts';
import {missingLine} from '../../resources/detail.ts';
import {type NodeRow, nodeKey, nodeRows, nodes} from '../../resources/nodes.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {clusterEventsFeed, clusterNodesFeed, clustersFeed, nodeGroupsFeed} from '../../state/clusters.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {hourFeeds, machinesFeed, observedMachines, observedMachinesOf} from '../../state/machines.ts';
import type {Want} from '../../state/poller/poll-schedule.ts';
import {barChart} from '../../ui/bar-chart.ts';
import {formatDollarTick} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {wrapLine} from '../../ui/wrap.ts';
import {partActions} from '../action-keys.ts';
import {bindPart, type PartActions, resourcePart} from '../list/part.tsx';
import {collectionPane} from '../list/collection.tsx';
import type {ArrangedProps} from '../list/collection-view.ts';
import {copiedRecord} from '../copy-menu.ts';
import {recordedEventLines} from '../event-lines.ts';
import {feedAge, feedFrame} from '../feed-state.ts';
import {chartLines} from '../machine-charts.ts';
import {machineLoadLines} from '../list/rows-table.ts';
import {memoBox, type Scene} from '../pane.ts';
import type {RowId} from '../list/resource-list.tsx';
import type {Place} from '../sizes.ts';
import {TABS} from '../tabs.ts';
import {clustersLayout} from './layout.ts';
import {KEYS} from '../../actions/keys.ts';

const ON_CLUSTER = partActions<ClusterRow>('cluster', ({cluster}) => cluster);

const CLUSTER_ACTIONS: PartActions<ClusterRow> = {
  ...ON_CLUSTER,
  // Outside the menu, r shows what belongs to a cluster.
  commands: ON_CLUSTER.commands.map(command => ({...command, isInMenuAlone: command.key !== KEYS.remove})),
  copy: ({cluster}) => cluster.apiAddress ?? cluster.name,
};

const clustersPart = resourcePart(clusters, {
  wants: [
    {feed: machinesFeed, priority: 2},
    {feed: usageFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
    {feed: environmentsFeed, priority: 5},
    {feed: keyPairsFeed, priority: 5},
  ],
  detailWants: ({cluster}, scene) => [
    {feed: clusterEventsFeed(cluster.id), priority: 2},
    {feed: clusterNodesFeed(cluster.id), priority: 2},
    {feed: nodeGroupsFeed(cluster.id), priority: 3},
    ...workWants(cluster, scene),
  ],
  copiedAs: ({cluster}) => ({
    ...copiedRecord(clusters, cluster),
    ...(cluster.apiAddress === undefined ? {} : {address: cluster.apiAddress}),
  }),
  actions: CLUSTER_ACTIONS,
});

/** The nodes of the cluster under the cursor; each leads to its machine. */
const nodesPart = bindPart<NodeRow, Cluster>({
  title: say`nodes`,
  isNested: true,
  of: (known, {ofId}) => clusterOf(known, ofId),
  heading: ({name}) => say`nodes of ${name}`,
  none: ({hasUnreadNodes}) => (hasUnreadNodes === true ? say`its nodes could not be read` : say`no nodes yet`),
  wants: [],
  orderWords: say`trouble first`,
  rows: nodeRows,
  idOf: nodeKey,
  nameOf: ({node}) => nodeName(node),
  columns: nodes.columns,
  showsCut: true,
  copiedAs: ({node}, cluster) =>
    node.id === undefined || cluster === undefined
      ? undefined
      : {
          ...copiedRecord(nodes, node),
          path: clusters.one?.path(cluster.id) ?? '',
          ...(node.floatingIp === undefined ? {} : {address: node.floatingIp}),
        },
  related: ({node}, _scene, cluster) => [
    ...(node.machineId === undefined
      ? []
      : [{kind: 'vm' as const, objects: [{id: node.machineId, name: nodeName(node)}]}]),
    ...(cluster === undefined ? [] : [{kind: 'cluster' as const, objects: [cluster]}]),
  ],
  actions: {
    noCreate: say`not in the deck; skydeck api POST /core/clusters/ID/nodes adds nodes`,
    open: {
      reason: ({node}) => (node.machineId === undefined ? say`the node has no machine yet` : undefined),
      run: ({node}) =>
        node.machineId === undefined ? {kind: 'done'} : {kind: 'go', paneId: 'machines', objectId: node.machineId},
    },
  },
});

export const clustersPane = collectionPane({
  ...TABS.clusters,
  aliases: ['cluster', 'kubernetes', 'k8s'],
  parts: [clustersPart, nodesPart],
  arrangement: {
    places: ({scene}) => {
      const {list, nodes: below} = layoutOf(scene);
      return [list, below];
    },
    Screen: ClustersScreen,
  },
});

function nodeName({id, machineName}: ClusterNode) {
  return machineName ?? say`#${id ?? 0}`;
}

function allClusters({store}: Pick<Scene, 'store'>): readonly Cluster[] {
  return lastValue(store.get(clustersFeed))?.records ?? [];
}

function clusterOf(known: Pick<Scene, 'store'>, id: RowId | undefined): Cluster | undefined {
  return allClusters(known).find(cluster => cluster.id === id);
}

function layoutOf(scene: Pick<Scene, 'size' | 'store'>) {
  const isRefused = failureOf(scene.store.get(clustersFeed)) !== undefined;
  const clusterCount = allClusters(scene).length;
  return clustersLayout(scene.size, isRefused && clusterCount === 0 ? REASON_ROWS : clusterCount);
}

/** Of a list that could not be read: the reason is not cut. */
const REASON_ROWS = 3;

/** All its machines together send at most this many requests. */
const METRIC_READS_PER_MINUTE = 6;

/** Before a cluster is deleted, the question says whether its machines are working. */
function workWants(cluster: Cluster, {store, monotonicNow}: Scene): readonly Want[] {
  const machines = observedMachinesOf(store, cluster);
  const intervalMs = Math.max(1, machines.length / METRIC_READS_PER_MINUTE) * MINUTE_MS;
  return machines
    .flatMap(machine => hourFeeds(store, machine.id, monotonicNow))
    .map(feed => ({feed, priority: 5, intervalMs}));
}

function ClustersScreen({scene, lists: [list, nodeList], cursorIds: [id, key]}: ArrangedProps): ReactNode {
  const layout = layoutOf(scene);
  const isSideBySide = layout.facts.columns < scene.size.columns;
  const cluster = clusterOf(scene, id);
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      {list}
      <Box flexDirection={isSideBySide ? 'row' : 'column'}>
        <Box flexDirection="column">
          {nodeList}
          {layout.machine.rows > 0 && (
            <NodeMachine scene={scene} cluster={cluster} nodeId={key} place={layout.machine} />
          )}
        </Box>
        {layout.facts.rows > 0 && <Facts scene={scene} cluster={cluster} place={layout.facts} />}
      </Box>
      {layout.events.rows > 0 && <Events scene={scene} cluster={cluster} place={layout.events} />}
    </Box>
  );
}

type ClusterBoxProps = {readonly scene: Scene; readonly cluster: Cluster | undefined; readonly place: Place};

/** The metrics of the machine of the node under the cursor. */
const NodeMachine = memoBox(
  function NodeMachine({
    scene,
    cluster,
    nodeId,
    place: {columns: width, rows: height},
  }: ClusterBoxProps & {readonly nodeId: RowId | undefined}): ReactNode {
    const machineId = nodeRows(scene, cluster).find(row => nodeKey(row) === nodeId)?.node.machineId;
    const machine = observedMachines(scene.store)?.find(({id}) => id === machineId);
    return (
      <TitledBox
        {...feedFrame(scene, machinesFeed)}
        title={machine?.name ?? 'machine'}
        lines={machine === undefined ? [] : chartLines(scene, machine, '1h', {columns: width - 2, rows: height - 2})}
        width={width}
        height={height}
      />
    );
  },
  {countsSeconds: true},
);

const Facts = memoBox(
  function Facts({scene, cluster, place: {columns: width, rows: height}}: ClusterBoxProps): ReactNode {
    const facts = cluster && clusters.detail?.(clusters.row(scene)(cluster, undefined), scene, width - 2);
    const place = {columns: width - 2, rows: height - 2};
    const lines = cluster && facts && withCost(withLoad(facts, scene, cluster, place), scene, cluster, place);
    return (
      <TitledBox
        {...feedFrame(scene, clustersFeed)}
        title={cluster === undefined ? 'cluster' : `${cluster.name} #${cluster.id}`}
        lines={lines ?? []}
        width={width}
        height={height}
      />
    );
  },
  {countsSeconds: true},
);

/** The facts, and below them, if there is room, the metrics of the cluster's machines. */
function withLoad(facts: readonly Line[], scene: Scene, cluster: Cluster, {columns, rows}: Place): readonly Line[] {
  const machines = observedMachinesOf(scene.store, cluster);
  if (machines.length === 0 || rows - facts.length < MIN_LOAD_ROWS) return facts;
  const title: Line = [{text: ' load of its machines, 1h', tone: 'title'}];
  return [...facts, [], title, ...machineLoadLines(scene, machines, columns)];
}

/** A blank line, the title, the column names and two machines. */
const MIN_LOAD_ROWS = 5;

/** Below them, the daily cost of its present machines, spread evenly as in the usage records. */
function withCost(facts: readonly Line[], scene: Scene, cluster: Cluster, {columns, rows}: Place): readonly Line[] {
  const height = Math.min(MAX_COST_ROWS, rows - facts.length - 2);
  const usage = lastValue(scene.store.get(usageFeed));
  if (usage === undefined || height < MIN_COST_ROWS) return facts;
  const ids = new Set<number>(observedMachinesOf(scene.store, cluster).map(machine => machine.id));
  const records = usage.records.filter(
    ({resourceType, resourceId}) =>
      resourceType.toLowerCase() === 'vm' && resourceId !== undefined && ids.has(resourceId),
  );
  if (records.length === 0) return facts;
  const {now} = scene;
  const start = epochMs(Math.floor(now / DAY_MS) * DAY_MS - (COST_DAYS - 1) * DAY_MS);
  const bars = spendPerDay(records, {start, end: now, now}).map(day => ({
    value: usdNumber(day.cost),
    label: String(new Date(day.start).getUTCDate()),
  }));
  const format = (value: number) => formatDollarTick(value).padStart(6);
  const title: Line = [{text: ' $ per day of its machines, estimated', tone: 'title'}];
  const chart = barChart(bars, {width: columns - 1, height, format, glyphs: scene.theme.glyphs});
  return [...facts, [], title, ...chart.map((line): Line => [{text: ' '}, ...line])];
}

const COST_DAYS = 14;
const MIN_COST_ROWS = 5;
const MAX_COST_ROWS = 10;

const Events = memoBox(
  function Events({scene, cluster, place: {columns: width, rows: height}}: ClusterBoxProps): ReactNode {
    const lines = cluster === undefined ? [] : eventLines(scene, cluster, width - 2);
    const count = cluster && lastValue(scene.store.get(clusterEventsFeed(cluster.id)))?.records.length;
    return (
      <TitledBox
        {...feedFrame(scene, clustersFeed)}
        title={count === undefined ? 'events' : `events ${count}`}
        right={at => (cluster === undefined ? '' : feedAge({...scene, ...at}, clusterEventsFeed(cluster.id)))}
        lines={lines}
        width={width}
        height={height}
      />
    );
  },
  {countsSeconds: true},
);

function eventLines(scene: Scene, cluster: Cluster, width: number): readonly Line[] {
  const feed = clusterEventsFeed(cluster.id);
  const listing = lastValue(scene.store.get(feed));
  if (listing === undefined) return wrapLine(missingLine(scene, feed, 'events'), width);
  return recordedEventLines(listing.records, scene, width);
}
