import * as z from 'zod';
import {
  CLUSTER_STATUSES,
  type Cluster,
  type ClusterEvent,
  type ClusterId,
  type ClusterNode,
  type ClusterSpec,
  clusterId,
  type KubernetesVersion,
  NODE_ROLES,
  NODE_STATUSES,
  type NodeGroup,
  type NodeGroupSpec,
  type NodeRole,
} from '../domain/cluster.ts';
import type {Flavor} from '../domain/flavor.ts';
import {type SafeText, safeText} from '../domain/safe-text.ts';
import {virtualMachineId} from '../domain/virtual-machine.ts';
import {defineOperation, defineRead, saysYes} from './endpoint.ts';
import {readEvent} from './event-records.ts';
import {
  count,
  field,
  flag,
  inside,
  labels,
  list,
  moment,
  nameOf,
  part,
  present,
  recordOf,
  reference,
  requiredId,
  requiredText,
  shortText,
  text,
  under,
  wholeList,
} from './fields.ts';
import {isPresent, withoutSecrets} from './hidden-fields.ts';
import {nameAvailability} from './name-availability.ts';
import {creation} from './operation-results.ts';
import {environment, flavorFields, knownStatus, machineFlavor, toMachineFlavor} from './resource-parts.ts';

const CLUSTER = '/core/clusters/{id}';
const PAGE_SIZE = 200;
const NO_TEXT = safeText('');

type OneCluster = {readonly id: ClusterId};

const nodeGroupPart = z.object({
  id: reference,
  name: shortText,
  role: shortText,
  flavor: machineFlavor,
  count,
  min_count: count,
  max_count: count,
  firewall_ids: list(requiredId),
});

const nodePart = z.object({
  id: reference,
  role: shortText,
  status: shortText,
  status_reason: text,
  node_group_name: shortText,
  created_at: moment,
  instance: part({id: reference, name: shortText, status: shortText, fixed_ip: shortText, floating_ip: shortText}),
});

const clusterRecord = z.object({
  id: requiredId,
  name: shortText,
  status: shortText,
  status_reason: text,
  is_reconciling: flag,
  kubernetes_version: shortText,
  environment_name: shortText,
  environment_region: shortText,
  environment,
  api_address: text,
  // The kubeconfig is never kept; only whether there is one.
  kube_config: field(isPresent),
  keypair_name: shortText,
  keypair: nameOf,
  image: nameOf,
  master_flavor: machineFlavor,
  master_count: count,
  node_count: count,
  node_flavor: machineFlavor,
  node_groups: list(nodeGroupPart),
  nodes: wholeList(nodePart),
  created_at: moment,
});

const versionRecord = z.object({
  id: reference,
  version: requiredText,
  region: nameOf,
  image: nameOf,
});

const masterFlavorRecord = z.object({
  ...flavorFields,
  id: requiredId,
  name: requiredText,
  region_name: shortText,
  stock_available: flag,
  labels,
});

/** All clusters with their nodes. The answer contains each cluster's kubeconfig, which is not passed on. */
export const listClusters = defineRead<object, Cluster>({
  id: 'clusters.list',
  template: '/core/clusters',
  collect: body => withoutSecrets(under(body, 'clusters', 'cluster'), 'kube_config'),
  record: recordOf(clusterRecord, toCluster),
  paging: {pageParameter: 'page', sizeParameter: 'pageSize', pageSize: PAGE_SIZE},
});

export const getCluster = defineRead<OneCluster, Cluster>({
  id: 'clusters.get',
  template: CLUSTER,
  isById: true,
  collect: body => withoutSecrets(under(body, 'cluster', 'clusters'), 'kube_config'),
  record: recordOf(clusterRecord, toCluster),
});

/** The cluster's whole history, in the service's order. */
export const clusterEvents = defineRead<OneCluster, ClusterEvent>({
  id: 'clusters.events',
  comesInPieces: true,
  template: `${CLUSTER}/events`,
  collect: body => under(body, 'cluster_events'),
  record: readEvent,
});

/** The node groups alone: the size the cluster should have. */
export const nodeGroups = defineRead<OneCluster, NodeGroup>({
  id: 'clusters.node-groups',
  template: `${CLUSTER}/node-groups`,
  collect: body => under(body, 'node_groups', 'node_group'),
  record: recordOf(nodeGroupPart, toNodeGroup),
});

/** The nodes alone: what the cluster has. Each is also in the list of machines. */
export const clusterNodes = defineRead<OneCluster, ClusterNode>({
  id: 'clusters.nodes',
  comesInPieces: true,
  template: `${CLUSTER}/nodes`,
  collect: body => under(body, 'nodes', 'node'),
  record: recordOf(nodePart, toNode),
});

export const clusterNameAvailability = nameAvailability<{readonly name: SafeText}>({
  id: 'clusters.name-availability',
  template: '/core/clusters/name-availability/{name}',
});

/** Takes 5 to 20 minutes. The reply already lists the nodes to be created. */
export const createCluster = defineOperation<{readonly spec: ClusterSpec}>({
  id: 'clusters.create',
  method: 'POST',
  template: '/core/clusters',
  body: ({spec}) => creationBody(spec),
  ...creation('cluster'),
});

export const deleteCluster = defineOperation<OneCluster>({id: 'clusters.delete', method: 'DELETE', template: CLUSTER});

/** For a cluster in trouble; refused while a reconciliation is running. Repeat with care. */
export const reconcileCluster = defineOperation<OneCluster>({
  id: 'clusters.reconcile',
  method: 'POST',
  template: `${CLUSTER}/reconcile`,
  // Its `status` is documented as text, which may be the cluster's own.
  isAccepted: body => saysYes(body) || inside(body, 'cluster') !== undefined,
});

/** One record per region and version; some documents show versions as plain text. */
export const clusterVersions = defineRead<{readonly region?: string}, KubernetesVersion>({
  id: 'clusters.versions',
  template: '/core/clusters/versions',
  query: ({region}) => ({region}),
  collect: body => under(body, 'versions')?.map(each => (typeof each === 'string' ? {version: each} : each)),
  record: recordOf(versionRecord, ({id, version, region, image}) =>
    present({id, version, regionName: region, imageName: image}),
  ),
});

/** Flavors that masters can run on: those without a GPU, free of charge for masters. */
export const masterFlavors = defineRead<object, Flavor>({
  id: 'clusters.master-flavors',
  template: '/core/clusters/master-flavors',
  collect: body => under(body, 'flavors'),
  record: recordOf(masterFlavorRecord, parsed =>
    present({
      ...toMachineFlavor(parsed),
      id: parsed.id,
      name: parsed.name,
      regionName: parsed.region_name,
      isInStock: parsed.stock_available,
      labels: parsed.labels ?? [],
    }),
  ),
});

function creationBody(spec: ClusterSpec): object {
  return present({
    name: spec.name,
    environment_name: spec.environmentName,
    keypair_name: spec.keyPairName,
    kubernetes_version: spec.kubernetesVersion,
    master_flavor_name: spec.masterFlavorName,
    master_count: spec.masterCount,
    deployment_mode: spec.deploymentMode,
    image_name: spec.imageName,
    node_flavor_name: spec.nodeFlavorName,
    node_count: spec.nodeCount,
    node_groups: spec.nodeGroups.length === 0 ? undefined : spec.nodeGroups.map(groupBody),
  });
}

function groupBody({name, flavorName, count, minCount, maxCount}: NodeGroupSpec): object {
  return present({
    name,
    role: 'worker',
    flavor_name: flavorName,
    count,
    min_count: minCount,
    max_count: maxCount,
  });
}

function toCluster(parsed: z.output<typeof clusterRecord>): Cluster {
  return present({
    id: clusterId(parsed.id),
    name: parsed.name ?? NO_TEXT,
    status: knownStatus(CLUSTER_STATUSES, parsed.status),
    statusText: parsed.status ?? NO_TEXT,
    statusReason: parsed.status_reason,
    isReconciling: parsed.is_reconciling,
    kubernetesVersion: parsed.kubernetes_version,
    environmentName: parsed.environment_name ?? parsed.environment?.name,
    regionName: parsed.environment_region ?? parsed.environment?.region,
    apiAddress: parsed.api_address,
    keyPairName: parsed.keypair_name ?? parsed.keypair,
    imageName: parsed.image,
    masterFlavor: parsed.master_flavor && toMachineFlavor(parsed.master_flavor),
    masterCount: parsed.master_count,
    nodeGroups: nodeGroupsOf(parsed),
    nodes: eachOnce((parsed.nodes?.elements ?? []).map(toNode)),
    hasUnreadNodes: parsed.nodes?.isWhole === true && parsed.nodes.elements.every(isTold) ? undefined : (true as const),
    hasKubeConfig: parsed.kube_config ?? false,
    createdAt: parsed.created_at,
  });
}

/** A node without a readable state or role says nothing of how many workers there are. */
function isTold({status, role}: z.output<typeof nodePart>): boolean {
  return status !== undefined && role !== undefined;
}

/** Before node groups existed, a cluster had one flavor and one worker count: read as a single group without a name. */
function nodeGroupsOf(parsed: z.output<typeof clusterRecord>): NodeGroup[] {
  const groups = (parsed.node_groups ?? []).map(toNodeGroup);
  const {node_count, node_flavor} = parsed;
  if (groups.length > 0 || (node_count === undefined && node_flavor === undefined)) return groups;
  const flavor = node_flavor && toMachineFlavor(node_flavor);
  return [present({name: NO_TEXT, flavor, count: node_count, firewallIds: []})];
}

function toNodeGroup(parsed: z.output<typeof nodeGroupPart>): NodeGroup {
  return present({
    id: parsed.id,
    name: parsed.name ?? NO_TEXT,
    role: parsed.role,
    flavor: parsed.flavor && toMachineFlavor(parsed.flavor),
    count: parsed.count,
    minCount: parsed.min_count,
    maxCount: parsed.max_count,
    firewallIds: parsed.firewall_ids ?? [],
  });
}

/** A node that is listed twice is one. */
function eachOnce(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  const firstAt = new Map(nodes.map(({id}, index) => [id, index] as const).reverse());
  return nodes.filter(({id}, index) => id === undefined || firstAt.get(id) === index);
}

function toNode(parsed: z.output<typeof nodePart>): ClusterNode {
  const {instance} = parsed;
  return present({
    id: parsed.id,
    role: toRole(parsed.role),
    roleText: parsed.role ?? NO_TEXT,
    status: knownStatus(NODE_STATUSES, parsed.status),
    statusText: parsed.status ?? NO_TEXT,
    statusReason: parsed.status_reason,
    nodeGroupName: parsed.node_group_name,
    machineId: instance?.id === undefined ? undefined : virtualMachineId(instance.id),
    machineName: instance?.name,
    machineStatus: instance?.status,
    fixedIp: instance?.fixed_ip,
    floatingIp: instance?.floating_ip,
    createdAt: parsed.created_at,
  });
}

function toRole(word: SafeText | undefined): NodeRole {
  const normalised = word?.toLowerCase().replaceAll(/[_ ]/g, '-');
  return NODE_ROLES.find(role => role === normalised) ?? 'other';
}
