import {Box} from 'ink';
import type {ReactNode} from 'react';
import {type Cluster, clusterId} from '../../domain/cluster.ts';
import {say} from '../../domain/safe-text.ts';
import {lastValue} from '../../domain/snapshot.ts';
import {MINUTE_MS} from '../../domain/time.ts';
import {clusters} from '../../resources/clusters.ts';
import {missingLine} from '../../resources/detail.ts';
import {permissionsFeed} from '../../state/account.ts';
import {usageFeed} from '../../state/billing.ts';
import {clusterEventsFeed, clusterNodesFeed, clustersFeed, nodeGroupsFeed} from '../../state/clusters.ts';
import {environmentsFeed} from '../../state/environments.ts';
import {keyPairsFeed} from '../../state/key-pairs.ts';
import {machinesFeed, metricsFeed, observedMachines} from '../../state/machines.ts';
import type {Want} from '../../state/poll-schedule.ts';
import {formatUtcFull} from '../../ui/format.ts';
import type {Line} from '../../ui/text.ts';
import {TitledBox} from '../../ui/titled-box.tsx';
import {hangingLines, wrapLine} from '../../ui/wrap.ts';
import {feedAge, feedFrame} from '../feed-state.ts';
import {chartLines} from '../machine-charts.ts';
import type {PaneContext, PaneDefinition, Scene} from '../pane.ts';
import {ZOOM_START, ZoomedDetail, zoomedBack} from '../zoomed-detail.tsx';
import {CLUSTERS_COMMANDS, CLUSTERS_MENUS} from './commands.ts';
import {type ClustersLayout, clustersLayout, visibleRows} from './layout.ts';
import {clusterList, clusterUnderCursor, nodeList, nodesAt, openDetail} from './lists.ts';
import {type ClustersView, INITIAL_VIEW} from './view.ts';

type Context = PaneContext<ClustersView>;

export const clustersPane: PaneDefinition<ClustersView> = {
  id: 'clusters',
  key: '3',
  title: say`Clusters`,
  aliases: ['cluster', 'kubernetes', 'k8s', 'nodes'],
  initialView: INITIAL_VIEW,
  commands: CLUSTERS_COMMANDS,
  menus: CLUSTERS_MENUS,
  filter: {
    text: view => view.filterText,
    // The keys go where the filter acts: another cluster must not come under them unseen.
    withText: (view, filterText) => ({...view, filterText, part: 'clusters'}),
    mistake: clusterList.filterMistake,
  },
  wants,
  settle,
  trail: context => {
    const cluster = clusterUnderCursor(context);
    return cluster === undefined ? ['clusters'] : ['clusters', cluster.name];
  },
  openDetail,
  back: view => {
    const back = zoomedBack(view);
    if (back !== undefined) return back;
    if (view.part === 'nodes') return {...view, part: 'clusters'};
    return view.filterText === '' ? undefined : {...view, filterText: ''};
  },
  withCursorOn: (view, id) => ({...view, cursorId: clusterId(id), filterText: '', part: 'clusters', ...ZOOM_START}),
  withMarked: (view, ids) => ({...view, markedIds: new Set(ids.map(clusterId))}),
  table: clusterList.table,
  Screen: ClustersScreen,
};

function wants(context: Context): readonly Want[] {
  const cluster = clusterUnderCursor(context);
  return [
    {feed: clustersFeed, priority: 1},
    {feed: machinesFeed, priority: 2},
    {feed: usageFeed, priority: 3},
    {feed: permissionsFeed, priority: 4},
    {feed: environmentsFeed, priority: 5},
    {feed: keyPairsFeed, priority: 5},
    ...(cluster === undefined
      ? []
      : [
          {feed: clusterEventsFeed(cluster.id), priority: 2},
          {feed: clusterNodesFeed(cluster.id), priority: 2},
          {feed: nodeGroupsFeed(cluster.id), priority: 3},
          ...workWants(cluster, context.scene),
        ]),
  ];
}

/** Its machines together ask this often at most. */
const METRIC_READS_PER_MINUTE = 6;

/** Whether its machines work is told before the cluster is deleted. */
function workWants({id}: Cluster, {store}: Scene): readonly Want[] {
  const machines = (observedMachines(store) ?? []).filter(({clusterId: of}) => of === id);
  const intervalMs = Math.max(1, machines.length / METRIC_READS_PER_MINUTE) * MINUTE_MS;
  return machines.map(machine => ({feed: metricsFeed(machine.id, '1h'), priority: 5, intervalMs}));
}

/** Keeps both cursors on their objects. */
function settle({scene, view}: Context): ClustersView {
  const layout = clustersLayout(scene.size, clusterList.shown({scene, view}).rows.length);
  const found = clusterList.settled({scene, view}, visibleRows(layout.list));
  // A detail never shows another cluster than the one it was opened on.
  const isOther = view.isZoomed && view.cursorId !== undefined && found.cursorId !== view.cursorId;
  const settled = isOther ? {...found, ...ZOOM_START} : found;
  const nodes = nodeList.settled(nodesAt({scene, view: settled}), visibleRows(layout.nodes));
  return nodes === settled.nodes ? settled : {...settled, nodes};
}

function ClustersScreen(context: Context): ReactNode {
  const {scene, view} = context;
  const layout = clustersLayout(scene.size, clusterList.shown({scene, view}).rows.length);
  const isSideBySide = layout.facts.columns < scene.size.columns;
  const detail = openDetail(context);
  const cluster = clusterUnderCursor(context);
  if (detail !== undefined && cluster !== undefined) {
    const title = `cluster ${cluster.name} #${cluster.id}`;
    return <ZoomedDetail scene={scene} detail={detail} title={title} feed={clustersFeed} />;
  }
  return (
    <Box flexDirection="column" width={scene.size.columns} height={scene.size.rows}>
      <clusterList.Box {...context} place={layout.list} isFocused={view.part === 'clusters'} />
      <Box flexDirection={isSideBySide ? 'row' : 'column'}>
        <Box flexDirection="column">
          <nodeList.Box
            {...nodesAt(context)}
            place={layout.nodes}
            isFocused={view.part === 'nodes'}
            right="enter = its machine"
          />
          {layout.machine.rows > 0 && <NodeMachine {...context} place={layout.machine} />}
        </Box>
        {layout.facts.rows > 0 && <Facts {...context} place={layout.facts} />}
      </Box>
      {layout.events.rows > 0 && <Events {...context} place={layout.events} />}
    </Box>
  );
}

type PartProps = Context & {readonly place: ClustersLayout['list']};

/** How the machine of the node under the cursor does. */
function NodeMachine({place: {columns: width, rows: height}, ...context}: PartProps): ReactNode {
  const {scene} = context;
  const machineId = nodeList.rowUnderCursor(nodesAt(context))?.node.machineId;
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
}

function Facts({place: {columns: width, rows: height}, ...context}: PartProps): ReactNode {
  const {scene} = context;
  const row = clusterList.rowUnderCursor(context);
  return (
    <TitledBox
      {...feedFrame(scene, clustersFeed)}
      title={row === undefined ? 'cluster' : `${row.cluster.name} #${row.cluster.id}`}
      lines={row === undefined ? [] : (clusters.detail?.(row, scene, width - 2) ?? [])}
      width={width}
      height={height}
    />
  );
}

function Events({place: {columns: width, rows: height}, ...context}: PartProps): ReactNode {
  const {scene} = context;
  const cluster = clusterUnderCursor(context);
  const lines = cluster === undefined ? [] : eventLines(scene, cluster, width - 2);
  const count = cluster && lastValue(scene.store.get(clusterEventsFeed(cluster.id)))?.records.length;
  return (
    <TitledBox
      {...feedFrame(scene, clustersFeed)}
      title={count === undefined ? 'events' : `events ${count}`}
      right={cluster === undefined ? '' : feedAge(scene, clusterEventsFeed(cluster.id))}
      lines={lines}
      width={width}
      height={height}
    />
  );
}

function eventLines(scene: Scene, cluster: Cluster, width: number): readonly Line[] {
  const feed = clusterEventsFeed(cluster.id);
  const listing = lastValue(scene.store.get(feed));
  if (listing === undefined) return wrapLine(missingLine(scene, feed, 'events'), width);
  const newestFirst = [...listing.records].sort((left, right) => (right.occurredAt ?? 0) - (left.occurredAt ?? 0));
  return newestFirst.flatMap(event =>
    hangingLines(
      [{text: ` ${formatUtcFull(event.occurredAt)}  `, tone: 'dim'}],
      [
        {text: event.reason, tone: /fail|error/i.test(`${event.type ?? ''} ${event.reason}`) ? 'danger' : 'text'},
        {text: `  ${event.message}`},
      ],
      width,
    ),
  );
}
