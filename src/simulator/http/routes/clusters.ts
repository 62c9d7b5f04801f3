import * as z from 'zod';
import {FLAVORS, KUBERNETES_VERSIONS, kubernetesImage, REGIONS, type Region} from '../../world/catalogue.ts';
import {type Cluster, kubeConfigOf, type NodeGroup, nodesOf} from '../../world/cluster.ts';
import {
  type ClusterRequest,
  createCluster,
  deleteCluster,
  isClusterNameTaken,
  type NodeGroupRequest,
  reconcile,
} from '../../world/cluster-operations.ts';
import {holdsFor} from '../../world/firewalls.ts';
import type {Machine} from '../../world/machine.ts';
import {DESCRIBED_CLUSTER_NAME_LIMIT, type World} from '../../world/world.ts';
import {answered, invalidInput, json, notFound, succeeded, unprocessable} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {EXISTING_NAME, envelope, FLAG, ID, INTEGER, optional, PAGE_QUERY, pagedList, TEXT, text} from '../schema.ts';
import {bareTimestamp} from '../timestamps.ts';
import {FLAVOR, FLAVOR_PART, flavorBody, flavorPart, REGION, regionBody} from './catalogue.ts';
import {floatingIpStatus} from './virtual-machines.ts';

const READS = {permission: 'machines:read', action: 'read clusters'} as const;
const MASTER_FLAVOR_NAMES: ReadonlySet<string> = new Set(['n1-cpu-small', 'n1-cpu-medium', 'n1-cpu-large']);
const GROUP_NAME_LIMIT = 20;
export const MOST_WORKERS = 20;
const MIN_MASTERS = 2;
const MOST_MASTERS = 3;
/** The group name of workers requested by flavor and count only. */
const ONLY_GROUP_NAME = 'default';
/** Spaces are allowed inside the name only. */
const NAME_PATTERN = /^[\w-](?:[\w -]*[\w-])?$/;

export const NODE_GROUP = z.object({
  id: ID,
  cluster_id: ID,
  name: TEXT,
  role: TEXT,
  flavor: FLAVOR_PART,
  count: INTEGER,
  min_count: INTEGER.nullable(),
  max_count: INTEGER.nullable(),
  firewall_ids: z.array(ID),
  firewalls: z.array(z.object({id: ID, name: TEXT, status: TEXT})),
  created_at: TEXT,
  updated_at: TEXT.nullable(),
});
export const NODE = z.object({
  id: ID.nullable(),
  node_group_id: ID.nullable(),
  node_group_name: TEXT.nullable(),
  role: z.enum(['bastion', 'load-balancer', 'master', 'worker']),
  status: TEXT,
  status_reason: TEXT.nullable(),
  is_bastion: FLAG,
  requires_public_ip: FLAG,
  created_at: TEXT,
  updated_at: TEXT.nullable(),
  instance: z
    .object({
      id: ID,
      name: TEXT,
      status: TEXT,
      fixed_ip: TEXT.nullable(),
      floating_ip: TEXT.nullable(),
      floating_ip_status: TEXT,
      contract_id: ID.nullable(),
      image_id: INTEGER.nullable(),
    })
    .nullable(),
});
const CLUSTER = z.object({
  id: ID,
  name: TEXT,
  environment_name: TEXT,
  environment_region: TEXT,
  kubernetes_version: TEXT,
  api_address: TEXT.nullable(),
  kube_config: TEXT.nullable(),
  status: TEXT,
  status_reason: TEXT.nullable(),
  green_status: TEXT,
  master_flavor: FLAVOR_PART,
  master_count: INTEGER,
  keypair_name: TEXT,
  created_at: TEXT,
  image: z.object({name: TEXT}),
  node_groups: z.array(NODE_GROUP),
  nodes: z.array(NODE),
  is_reconciling: FLAG,
});
const VERSION = z.object({
  id: ID,
  version: TEXT,
  region: REGION,
  image: z.object({
    id: ID,
    name: TEXT,
    region_name: TEXT,
    type: TEXT,
    labels: z.array(z.object({id: ID, label: TEXT})),
  }),
  created_at: TEXT,
  updated_at: TEXT,
});
const CLUSTER_EVENT = z.object({
  id: ID,
  cluster_id: ID,
  user_id: ID,
  org_id: ID,
  time: TEXT,
  type: TEXT,
  reason: TEXT,
  object: TEXT.meta({description: 'The name of the cluster.'}),
  message: TEXT,
});

// Numbers out of range are refused in another form than other mistakes, so the schema has no ranges.
export const NODE_GROUP_REQUEST = z.strictObject({
  name: text(1, GROUP_NAME_LIMIT),
  role: z.enum(['worker']),
  flavor_name: EXISTING_NAME,
  count: optional(INTEGER),
  min_count: optional(INTEGER),
  max_count: optional(INTEGER),
  firewall_ids: optional(z.array(ID)),
});
// No `image_name`, which the description has and the service's own specification does not: the version has its image.
const CLUSTER_REQUEST = z.strictObject({
  name: text(1, DESCRIBED_CLUSTER_NAME_LIMIT).regex(NAME_PATTERN),
  environment_name: EXISTING_NAME,
  keypair_name: EXISTING_NAME,
  kubernetes_version: EXISTING_NAME,
  master_flavor_name: EXISTING_NAME,
  master_count: optional(INTEGER),
  deployment_mode: optional(z.enum(['full', 'standard'])),
  node_flavor_name: optional(EXISTING_NAME),
  node_count: optional(INTEGER),
  node_groups: optional(z.array(NODE_GROUP_REQUEST)),
});

type ClusterBody = z.output<typeof CLUSTER_REQUEST>;
type Complaints = Readonly<Record<string, readonly string[]>>;

// The two fixed paths come before the one with an id, which would match them as ids.
export const clusterRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/core/clusters',
    summary: 'Create a cluster',
    requires: {permission: 'machines:operate', action: 'create clusters'},
    body: CLUSTER_REQUEST,
    reply: envelope({cluster: CLUSTER}),
    replyStatus: 201,
    refusals: [404, 409, 422],
    answer: ({world, caller, read}) =>
      read(body => {
        const refusal = bodyRefusal(body, world);
        if (refusal !== undefined) return refusal;
        return answered(createCluster(world, requestOf(body), caller.user.id), cluster =>
          succeeded('Cluster creation scheduled', {cluster: clusterBody(cluster, world)}, 201),
        );
      }),
  }),
  route({
    method: 'GET',
    path: '/core/clusters/name-availability/:name',
    summary: 'Check whether a name is free for a cluster',
    requires: READS,
    // This answer is a bare object.
    reply: z.object({name: TEXT, available: FLAG, message: TEXT}),
    answer: ({world, param}) => {
      const name = param('name');
      const available = !isClusterNameTaken(world, name);
      return json({name, available, message: `The name ${name} is ${available ? 'available' : 'taken'}.`});
    },
  }),
  route({
    method: 'GET',
    path: '/core/clusters',
    summary: 'List clusters',
    isTimeless: true,
    requires: READS,
    query: PAGE_QUERY.extend({environment: TEXT.optional()}),
    reply: pagedList('clusters', CLUSTER),
    answer: request => {
      const {world, query} = request;
      const place = query('environment');
      const isFound = finder(request);
      const found = world.clusters.filter(
        ({id, name, environment}) => (place === undefined || environment.name === place) && isFound(name, id),
      );
      return answerPage(request, found, {
        message: 'Getting clusters successful',
        name: 'clusters',
        bodyOf: cluster => clusterBody(cluster, world),
      });
    },
  }),
  route({
    method: 'GET',
    path: '/core/clusters/master-flavors',
    summary: 'List the flavors a master can have',
    reply: envelope({flavors: z.array(FLAVOR)}),
    answer: () => succeeded('Getting master flavors successful', {flavors: masterFlavors()}),
  }),
  route({
    method: 'GET',
    path: '/core/clusters/versions',
    summary: 'List the Kubernetes versions of each region',
    query: z.object({region: TEXT.optional()}),
    reply: envelope({versions: z.array(VERSION)}),
    refusals: [404],
    answer: ({query}) => {
      const regionName = query('region');
      const regions = REGIONS.filter(region => regionName === undefined || region.name === regionName);
      if (regions.length === 0) return notFound(`The region ${regionName} does not exist.`);
      return succeeded('Getting cluster versions successful', {versions: regions.flatMap(versionsIn)});
    },
  }),
  route({
    method: 'GET',
    path: '/core/clusters/:cluster_id',
    summary: 'Read a cluster',
    requires: READS,
    reply: envelope({cluster: CLUSTER}),
    answer: request =>
      withCluster(request, cluster =>
        succeeded('Getting cluster successful', {cluster: clusterBody(cluster, request.world)}),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/core/clusters/:cluster_id',
    summary: 'Delete a cluster with its nodes',
    requires: {permission: 'machines:operate', action: 'delete clusters'},
    refusals: [400],
    answer: request =>
      withCluster(request, cluster =>
        answered(deleteCluster(request.world, cluster, request.caller.user.id), () =>
          succeeded('Cluster deletion scheduled'),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: '/core/clusters/:cluster_id/reconcile',
    summary: 'Reconcile a cluster with its specification',
    requires: {permission: 'machines:operate', action: 'reconcile clusters'},
    refusals: [400],
    answer: request =>
      withCluster(request, cluster =>
        answered(reconcile(request.world, cluster, request.caller.user.id), () =>
          succeeded('Cluster reconciliation scheduled'),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: '/core/clusters/:cluster_id/events',
    summary: 'Read the history of a cluster',
    requires: READS,
    reply: envelope({cluster_events: z.array(CLUSTER_EVENT)}),
    answer: request =>
      withCluster(request, cluster =>
        succeeded('Getting cluster events successful', {cluster_events: eventsOf(cluster, request.world)}),
      ),
  }),
];

/** Answers about the cluster in the path, or says that there is none. */
export function withCluster(
  {world, param}: Pick<RouteRequest, 'world' | 'param'>,
  answer: (cluster: Cluster) => Response,
): Response {
  const cluster = world.clusters.find(({id}) => String(id) === param('cluster_id'));
  return cluster === undefined ? notFound(`Cluster ${param('cluster_id')} does not exist.`) : answer(cluster);
}

export function nodeGroupBody(group: NodeGroup, cluster: Cluster, world: World): z.output<typeof NODE_GROUP> {
  const members = nodesOf(world, cluster).filter(({cluster: node}) => node?.groupName === group.name);
  const firewalls = world.firewalls.filter(firewall => members.some(({id}) => holdsFor(firewall, id)));
  return {
    id: group.id,
    cluster_id: cluster.id,
    name: group.name,
    role: 'worker',
    flavor: flavorPart(group.flavor),
    count: group.count,
    min_count: group.minCount,
    max_count: group.maxCount,
    firewall_ids: firewalls.map(({id}) => id),
    firewalls: firewalls.map(({id, name, status}) => ({id, name, status})),
    created_at: bareTimestamp(group.createdAt),
    updated_at: group.updatedAt === null ? null : bareTimestamp(group.updatedAt),
  };
}

export function nodeBody(machine: Machine, cluster: Cluster): z.output<typeof NODE> {
  const node = machine.cluster;
  const group = cluster.nodeGroups.find(({name}) => name === node?.groupName);
  const isUp = machine.stableStatus !== undefined;
  return {
    id: node?.nodeId ?? null,
    node_group_id: group?.id ?? null,
    node_group_name: group?.name ?? null,
    role: node?.role ?? 'worker',
    status: node?.trouble?.status ?? nodeStatus(machine, cluster),
    status_reason: node?.trouble?.reason ?? null,
    is_bastion: node?.role === 'bastion',
    requires_public_ip: machine.requiresPublicIp,
    created_at: bareTimestamp(machine.createdAt),
    updated_at: null,
    instance: {
      id: machine.id,
      name: machine.name,
      status: machine.status,
      fixed_ip: isUp ? (machine.fixedIp ?? null) : null,
      floating_ip: machine.floatingIp ?? null,
      floating_ip_status: floatingIpStatus(machine),
      contract_id: machine.contract?.id ?? null,
      image_id: machine.image.id,
    },
  };
}

/** A requested node group, for an existing cluster or a new one. */
export function groupRequestOf(body: z.output<typeof NODE_GROUP_REQUEST>): NodeGroupRequest {
  return {
    name: body.name,
    flavorName: body.flavor_name,
    count: body.count ?? 1,
    minCount: body.min_count ?? 1,
    maxCount: body.max_count ?? MOST_WORKERS,
    firewallIds: body.firewall_ids ?? [],
  };
}

export function groupComplaints({count, minCount, maxCount}: NodeGroupRequest, prefix = ''): Complaints {
  return {
    ...rangeComplaint(`${prefix}max_count`, maxCount, 1, MOST_WORKERS),
    ...rangeComplaint(`${prefix}min_count`, minCount, 1, Math.min(maxCount, MOST_WORKERS)),
    ...rangeComplaint(`${prefix}count`, count, Math.max(1, minCount), Math.min(maxCount, MOST_WORKERS)),
  };
}

export function rangeComplaint(name: string, value: number, least: number, most: number): Complaints {
  return value >= least && value <= most ? {} : {[name]: [`Must be from ${least} to ${most}.`]};
}

/**
 * Invalid names and types are refused with 400; numbers out of range, and workers given twice or not at all, with 422.
 */
function bodyRefusal(body: ClusterBody, {clusterNameLimit}: World): Response | undefined {
  if ([...body.name].length > clusterNameLimit) {
    return invalidInput({name: `is longer than ${clusterNameLimit} characters`});
  }
  const complaints: Complaints = {
    ...rangeComplaint('master_count', body.master_count ?? MIN_MASTERS, MIN_MASTERS, MOST_MASTERS),
    ...workerComplaints(body),
  };
  return Object.keys(complaints).length > 0 ? unprocessable(complaints) : undefined;
}

/** Workers must be given, in exactly one of two ways. */
function workerComplaints(body: ClusterBody): Complaints {
  const {node_flavor_name: flavorName, node_count: count, node_groups: groups = []} = body;
  const isByFlavor = flavorName !== undefined || count !== undefined;
  if (isByFlavor && groups.length > 0) {
    return {node_groups: ['Cannot be combined with node_flavor_name and node_count.']};
  }
  if (groups.length > 0) return groupsComplaints(groups.map(groupRequestOf));
  return {
    ...(flavorName === undefined ? {node_flavor_name: ['Is required without node_groups.']} : {}),
    ...(count === undefined
      ? {node_count: ['Is required without node_groups.']}
      : rangeComplaint('node_count', count, 1, MOST_WORKERS)),
  };
}

function groupsComplaints(groups: readonly NodeGroupRequest[]): Complaints {
  const names = new Set(groups.map(({name}) => name));
  if (names.size < groups.length) return {node_groups: ['Each needs a name of its own.']};
  return Object.assign({}, ...groups.map((group, index) => groupComplaints(group, `node_groups.${index}.`)));
}

function requestOf(body: ClusterBody): ClusterRequest {
  const {node_flavor_name: flavorName = '', node_count: count = 1, node_groups: groups = []} = body;
  const only = {name: ONLY_GROUP_NAME, flavorName, count, minCount: 1, maxCount: MOST_WORKERS, firewallIds: []};
  return {
    name: body.name,
    environmentName: body.environment_name,
    keyPairName: body.keypair_name,
    kubernetesVersion: body.kubernetes_version,
    masterFlavorName: body.master_flavor_name,
    masterCount: body.master_count ?? MIN_MASTERS,
    isFull: body.deployment_mode !== 'standard',
    groups: groups.length > 0 ? groups.map(groupRequestOf) : [only],
  };
}

function masterFlavors(): z.output<typeof FLAVOR>[] {
  const labels = [
    {id: 11, label: 'no-snapshot'},
    {id: 12, label: 'no-hibernation'},
  ];
  return FLAVORS.filter(({name}) => MASTER_FLAVOR_NAMES.has(name)).map(flavor => ({
    ...flavorBody(flavor, flavor.isInStock),
    display_name: flavor.name,
    ephemeral: null,
    labels,
  }));
}

/** One row per region and version. */
function versionsIn(region: Region): z.output<typeof VERSION>[] {
  const listedAt = bareTimestamp(Date.UTC(2026, 1, 3, 9));
  return KUBERNETES_VERSIONS.map((version, index) => {
    const {id, name, os} = kubernetesImage(version);
    return {
      id: region.id * 10 + index,
      version,
      region: regionBody(region),
      image: {id, name, region_name: region.name, type: os, labels: [{id: 31, label: 'k8s'}]},
      created_at: listedAt,
      updated_at: listedAt,
    };
  });
}

/** A cluster in the list and by itself: both contain its kubeconfig. */
function clusterBody(cluster: Cluster, world: World): z.output<typeof CLUSTER> {
  const nodes = nodesOf(world, cluster);
  const {environment} = cluster;
  return {
    id: cluster.id,
    name: cluster.name,
    environment_name: environment.name,
    environment_region: environment.regionName,
    kubernetes_version: cluster.kubernetesVersion,
    api_address: cluster.apiAddress,
    kube_config: kubeConfigOf(cluster),
    status: cluster.status,
    status_reason: cluster.statusReason,
    green_status: REGIONS.find(({name}) => name === environment.regionName)?.greenStatus ?? 'NOT_GREEN',
    master_flavor: flavorPart(cluster.masterFlavor),
    master_count: nodes.filter(({cluster: node}) => node?.role === 'master').length,
    keypair_name: cluster.keyPairName,
    created_at: bareTimestamp(cluster.createdAt),
    image: {name: kubernetesImage(cluster.kubernetesVersion).name},
    node_groups: cluster.nodeGroups.map(group => nodeGroupBody(group, cluster, world)),
    nodes: nodes.map(machine => nodeBody(machine, cluster)),
    is_reconciling: cluster.status === 'RECONCILING' || cluster.status === 'CREATING',
  };
}

/** A cluster does not notice that its machines are stopped; it notices those that never started. */
function nodeStatus({status, cluster: node}: Machine, cluster: Cluster): string {
  if (status === 'ERROR' || status === 'DELETING') return status;
  if (node?.phase !== undefined) return node.phase;
  if (status === 'CREATING' || status === 'BUILD') return 'CREATING';
  // Workers wait for the whole cluster; among nodes this state is written with a hyphen.
  return cluster.status === 'CREATING' && node?.role === 'worker' ? 'PRE-ACTIVE' : 'ACTIVE';
}

function eventsOf(cluster: Cluster, {organization}: World): z.output<typeof CLUSTER_EVENT>[] {
  return cluster.events.map(event => ({
    id: event.id,
    cluster_id: cluster.id,
    user_id: event.userId,
    org_id: organization.id,
    time: bareTimestamp(event.at),
    type: event.type,
    reason: event.reason,
    object: cluster.name,
    message: event.message,
  }));
}
