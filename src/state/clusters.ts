import {
  clusterEvents,
  clusterNameAvailability,
  clusterNodes,
  clusterVersions,
  getCluster,
  listClusters,
  masterFlavors,
  nodeGroups,
} from '../api/clusters.ts';
import type {Cluster, ClusterEvent, ClusterId, ClusterNode, KubernetesVersion, NodeGroup} from '../domain/cluster.ts';
import type {Flavor} from '../domain/flavor.ts';
import type {SafeText} from '../domain/safe-text.ts';
import {HOUR_MS, MINUTE_MS, SECOND_MS} from '../domain/time.ts';
import type {NameAvailability} from '../domain/virtual-machine.ts';
import {type Feed, type Listing, listFeed, oneFeed} from './feed.ts';

export const clustersFeed: Feed<Listing<Cluster>> = {
  ...listFeed('clusters', 15 * SECOND_MS, listClusters, {}),
  isPaced: true,
};

export function clusterFeed(id: ClusterId): Feed<Cluster> {
  return oneFeed(['cluster', id], 2.5 * SECOND_MS, getCluster, {id});
}

export function clusterEventsFeed(id: ClusterId): Feed<Listing<ClusterEvent>> {
  return listFeed(['cluster-events', id], 30 * SECOND_MS, clusterEvents, {id});
}

export function nodeGroupsFeed(id: ClusterId): Feed<Listing<NodeGroup>> {
  return listFeed(['node-groups', id], 30 * SECOND_MS, nodeGroups, {id});
}

export function clusterNodesFeed(id: ClusterId): Feed<Listing<ClusterNode>> {
  return {...listFeed(['cluster-nodes', id], 15 * SECOND_MS, clusterNodes, {id}), isPaced: true};
}

/** Whether the service would accept this name: asked while a form is filled in, but never for every letter. */
export function clusterNameFeed(name: SafeText): Feed<NameAvailability> {
  return oneFeed(['cluster-name', name], MINUTE_MS, clusterNameAvailability, {name});
}

export const clusterVersionsFeed: Feed<Listing<KubernetesVersion>> = listFeed(
  'cluster-versions',
  HOUR_MS,
  clusterVersions,
  {},
);
export const masterFlavorsFeed: Feed<Listing<Flavor>> = listFeed('master-flavors', HOUR_MS, masterFlavors, {});
