import type {Cluster, ClusterId} from '../../domain/cluster.ts';
import {say} from '../../domain/safe-text.ts';
import {type ClusterRow, clusters} from '../../resources/clusters.ts';
import {type NodeRow, nodeKey, nodeRows, nodes} from '../../resources/nodes.ts';
import {listedRows} from '../../resources/resource.ts';
import {clustersFeed} from '../../state/clusters.ts';
import {LIST_START} from '../list.ts';
import {type ListKeys, listKeys} from '../list-commands.ts';
import type {OpenDetail, PaneContext} from '../pane.ts';
import {type ListAt, resourceList} from '../resource-list.tsx';
import {zoomedDetail} from '../zoomed-detail.tsx';
import type {ClustersView} from './view.ts';

type Context = PaneContext<ClustersView>;

export const clusterList = resourceList<ClusterRow, ClusterId>({
  title: say`clusters`,
  feed: clustersFeed,
  columns: clusters.columns,
  rows: known => listedRows(clusters, known),
  idOf: ({cluster}) => cluster.id,
  subjectOf: ({cluster: {id}}) => ({type: 'cluster', id}),
});

/** The nodes of the cluster under the cursor. */
export const nodeList = resourceList<NodeRow, string, Cluster>({
  title: say`nodes`,
  columns: nodes.columns,
  rows: nodeRows,
  idOf: nodeKey,
  heading: ({name}) => say`nodes of ${name}`,
  showsCut: true,
  none: (_scene, cluster) => (cluster === undefined ? say`` : say`no nodes yet`),
});

export function clusterUnderCursor(context: Context): Cluster | undefined {
  return clusterList.rowUnderCursor(context)?.cluster;
}

export function nodesAt({scene, view}: Context): ListAt<string, Cluster> {
  return {scene, view: view.nodes, of: clusterUnderCursor({scene, view})};
}

const CLUSTER_KEYS = listKeys<ClustersView, ClusterRow, ClusterId, undefined>(
  clusterList,
  {
    at: context => context,
    // Another cluster begins with its first node.
    put: (view, list) => ({
      ...view,
      ...list,
      nodes: list.cursorId === view.cursorId ? view.nodes : {...view.nodes, ...LIST_START},
    }),
  },
  ({cluster}) => cluster.name,
);

const NODE_KEYS = listKeys<ClustersView, NodeRow, string, Cluster>(
  nodeList,
  {at: nodesAt, put: (view, list) => ({...view, nodes: list})},
  ({node}) => node.machineName ?? say`#${node.id ?? 0}`,
);

/** The cluster under the cursor, where it takes the whole pane. */
export function openDetail(context: Context): OpenDetail<ClustersView> | undefined {
  const row = clusterList.rowUnderCursor(context);
  return zoomedDetail(context, width => row && clusters.detail?.(row, context.scene, width));
}

/** The list that the keys move. */
export function listHere({view}: Context): ListKeys<ClustersView> {
  return view.part === 'nodes' ? NODE_KEYS : CLUSTER_KEYS;
}
