import {say} from '../../domain/safe-text.ts';
import {clusters} from '../../resources/clusters.ts';
import type {Command, PaneOutcome} from '../command.ts';
import {copiedRecord, copyMenu} from '../copy-menu.ts';
import {moveCommands} from '../list.ts';
import {orderCommands, sortMenu} from '../list-commands.ts';
import type {PaneContext} from '../pane.ts';
import {creationCommands, keyCommands} from '../action-keys.ts';
import {relatedMenu} from '../related-menu.ts';
import {scrolledDetail, ZOOM_START, zoomCommand} from '../zoomed-detail.tsx';
import {clustersLayout, visibleRows} from './layout.ts';
import {clusterList, clusterUnderCursor, listHere, nodeList, nodesAt, openDetail} from './lists.ts';
import type {ClustersView} from './view.ts';

type Context = PaneContext<ClustersView>;

const COPY_AS = copyMenu<Context>('clusters', context => {
  const cluster = clusterUnderCursor(context);
  if (cluster === undefined) return undefined;
  const {apiAddress: address} = cluster;
  return {...copiedRecord(clusters, cluster), ...(address === undefined ? {} : {address})};
});

const RELATED = relatedMenu<ClustersView>('clusters', context => {
  const cluster = clusterUnderCursor(context);
  if (cluster === undefined) return undefined;
  return {name: cluster.name, groups: clusters.related?.(cluster, context.scene.store) ?? []};
});

const ON_CLUSTER = keyCommands<ClustersView>({
  id: 'clusters',
  type: 'cluster',
  chosen: context => [clusterUnderCursor(context)].filter(each => each !== undefined),
});

export const CLUSTERS_COMMANDS: readonly Command<Context, PaneOutcome<ClustersView>>[] = [
  ...moveCommands<ClustersView>('clusters', {
    pageRows,
    moved: (context, step) => scrolledDetail(openDetail(context), step) ?? listHere(context).moved(context, step),
  }),
  {
    id: 'clusters.open',
    title: say`open`,
    help: 'From the list to the nodes; from a node to its machine.',
    keys: ['enter'],
    group: 'Look',
    effect: 'view',
    isInStatusBar: true,
    isAbsent: ({view}) => view.isZoomed,
    disabledReason: context => {
      if (clusterUnderCursor(context) === undefined) return say`there is no cluster under the cursor`;
      if (context.view.part === 'clusters') return undefined;
      return nodeList.rowUnderCursor(nodesAt(context))?.node.machineId === undefined
        ? say`the node has no machine yet`
        : undefined;
    },
    run: context => {
      const {view} = context;
      if (view.part === 'clusters') return {kind: 'view', view: {...view, part: 'nodes'}};
      const machineId = nodeList.rowUnderCursor(nodesAt(context))?.node.machineId;
      return machineId === undefined ? {kind: 'done'} : {kind: 'go', paneId: 'machines', objectId: machineId};
    },
  },
  {
    id: 'clusters.next-part',
    title: say`next part`,
    help: 'Between the clusters and the nodes of the chosen one.',
    keys: ['tab', 'shift-tab'],
    group: 'Panes',
    effect: 'view',
    isInStatusBar: true,
    run: ({view}) => ({
      kind: 'view',
      view: {...view, ...ZOOM_START, part: view.part === 'clusters' ? 'nodes' : 'clusters'},
    }),
  },
  ...creationCommands<ClustersView>('clusters', 'cluster'),
  {
    id: 'clusters.actions',
    title: say`actions`,
    help: 'Everything that can be done to the cluster: reconcile it, delete it, or why not.',
    keys: ['a', 'i'],
    group: 'Actions',
    effect: 'view',
    isInStatusBar: true,
    opens: 'actions',
    disabledReason: context =>
      clusterUnderCursor(context) === undefined ? say`there is no cluster under the cursor` : undefined,
    run: () => ({kind: 'menu', menuId: 'actions'}),
  },
  ...ON_CLUSTER.filter(({id}) => id === 'clusters.delete'),
  zoomCommand<ClustersView>('clusters', noClusterReason),
  ...orderCommands<ClustersView>('clusters', listHere),
  {
    id: 'clusters.copy',
    title: say`copy address`,
    help: 'Copies the address of the cluster, through the terminal, also over SSH.',
    keys: ['c'],
    group: 'Look',
    effect: 'view',
    disabledReason: context =>
      clusterUnderCursor(context)?.apiAddress === undefined ? say`it has no address yet` : undefined,
    run: context => {
      const address = clusterUnderCursor(context)?.apiAddress;
      return address === undefined ? {kind: 'done'} : {kind: 'copy', text: address};
    },
  },
  COPY_AS.command,
  RELATED.command,
];

export const CLUSTERS_MENUS = [
  COPY_AS.menu,
  RELATED.menu,
  sortMenu<ClustersView>('clusters', listHere),
  {
    id: 'actions',
    title: (context: Context) => {
      const cluster = clusterUnderCursor(context);
      return cluster === undefined
        ? say`actions`
        : say`actions for ${cluster.name} #${cluster.id}, ${cluster.statusText}`;
    },
    commands: ON_CLUSTER,
  },
];

function noClusterReason(context: Context) {
  return clusterUnderCursor(context) === undefined ? say`there is no cluster under the cursor` : undefined;
}

function pageRows({scene, view}: Context): number {
  const layout = clustersLayout(scene.size, clusterList.shown({scene, view}).rows.length);
  return Math.max(1, visibleRows(view.part === 'nodes' ? layout.nodes : layout.list));
}
