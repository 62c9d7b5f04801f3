import {FLAVORS, KUBERNETES_VERSIONS, kubernetesImage, REGIONS, type Region} from '../../world/catalogue.ts';
import type {Cluster} from '../../world/cluster.ts';
import {invalidInput, notFound, succeeded} from '../answer.ts';
import {pageOf} from '../paging.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, PAGE_QUERY, pagedList, RECORD, RECORDS, TEXT} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';
import {clusterBody} from './cluster-body.ts';
import {flavorBody} from './flavor-body.ts';
import {regionBody} from './region-body.ts';

const READS = {permission: 'machines:read', action: 'read clusters'} as const;
const MASTER_FLAVOR_NAMES: ReadonlySet<string> = new Set(['n1-cpu-small', 'n1-cpu-medium', 'n1-cpu-large']);

// The two fixed paths stand before the one with an id, which would take them for ids.
export const clusterRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/clusters',
    describes: {summary: 'List clusters', query: {...PAGE_QUERY, environment: TEXT}, reply: pagedList('clusters')},
    requires: READS,
    answer: listClusters,
  },
  {
    method: 'GET',
    pattern: '/core/clusters/master-flavors',
    describes: {summary: 'List the flavors a master can have', reply: envelope({flavors: RECORDS})},
    answer: masterFlavors,
  },
  {
    method: 'GET',
    pattern: '/core/clusters/versions',
    describes: {
      summary: 'List the Kubernetes versions of each region',
      query: {region: TEXT},
      reply: envelope({versions: RECORDS}),
      refusals: [404],
    },
    answer: versions,
  },
  {
    method: 'GET',
    pattern: '/core/clusters/:cluster_id',
    describes: {summary: 'Read a cluster', reply: envelope({cluster: RECORD})},
    requires: READS,
    answer: inquiry =>
      withCluster(inquiry, cluster =>
        succeeded('Getting cluster successful', {cluster: clusterBody(cluster, inquiry.world)}),
      ),
  },
  {
    method: 'GET',
    pattern: '/core/clusters/:cluster_id/events',
    describes: {summary: 'Read the history of a cluster', reply: envelope({cluster_events: RECORDS})},
    requires: READS,
    answer: inquiry => withCluster(inquiry, cluster => eventsOf(inquiry, cluster)),
  },
];

/** Answers about the cluster the path names, or says that there is none. */
export function withCluster({world, part}: Inquiry, answer: (cluster: Cluster) => Response): Response {
  const cluster = world.clusters.find(({id}) => String(id) === part('cluster_id'));
  return cluster === undefined ? notFound(`Cluster ${part('cluster_id')} does not exist.`) : answer(cluster);
}

function listClusters({world, query}: Inquiry): Response {
  const search = query('search')?.toLowerCase() ?? '';
  const environment = query('environment');
  const found = world.clusters.filter(cluster => {
    const isThere = environment === undefined || cluster.environment.name === environment;
    return isThere && (cluster.name.toLowerCase().includes(search) || String(cluster.id).includes(search));
  });
  const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting clusters successful', {
    clusters: page.records.map(cluster => clusterBody(cluster, world)),
    ...page.keys,
  });
}

function masterFlavors(): Response {
  const labels = [
    {id: 11, label: 'no-snapshot'},
    {id: 12, label: 'no-hibernation'},
  ];
  const flavors = FLAVORS.filter(({name}) => MASTER_FLAVOR_NAMES.has(name)).map(flavor => ({
    ...flavorBody(flavor, flavor.isInStock),
    display_name: flavor.name,
    ephemeral: null,
    labels,
  }));
  return succeeded('Getting master flavors successful', {flavors});
}

/** One row for each region and version. */
function versions({query}: Inquiry): Response {
  const regionName = query('region');
  const regions = REGIONS.filter(region => regionName === undefined || region.name === regionName);
  if (regions.length === 0) return notFound(`The region ${regionName} does not exist.`);
  const rows = regions.flatMap(region =>
    KUBERNETES_VERSIONS.map((version, index) => versionBody(version, region.id * 10 + index, region)),
  );
  return succeeded('Getting cluster versions successful', {versions: rows});
}

function versionBody(version: string, id: number, region: Region) {
  const image = kubernetesImage(version);
  const listedAt = bareTimestamp(Date.UTC(2026, 1, 3, 9));
  return {
    id,
    version,
    region: regionBody(region),
    image: {
      id: image.id,
      name: image.name,
      region_name: region.name,
      type: image.os,
      labels: [{id: 31, label: 'k8s'}],
    },
    created_at: listedAt,
    updated_at: listedAt,
  };
}

function eventsOf({world}: Inquiry, cluster: Cluster): Response {
  const events = cluster.events.map(event => ({
    id: event.id,
    cluster_id: cluster.id,
    user_id: event.userId,
    org_id: world.organization.id,
    time: bareTimestamp(event.at),
    type: event.type,
    reason: event.reason,
    object: cluster.name,
    message: event.message,
  }));
  return succeeded('Getting cluster events successful', {cluster_events: events});
}
