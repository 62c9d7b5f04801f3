import type {Cluster, NodeGroup} from '../../world/cluster.ts';
import {nodesOf} from '../../world/cluster.ts';
import {
  addNodeGroup,
  createNodes as createClusterNodes,
  deleteNodeGroup,
  deleteNodes,
  updateNodeGroup,
} from '../../world/cluster-operations.ts';
import {notFound, succeeded, unprocessable} from '../answer.ts';
import {readBody} from '../body.ts';
import type {Inquiry, Route} from '../route.ts';
import {EXISTING_NAME, envelope, fields, ID, INTEGER, listOf, RECORD, RECORDS} from '../schema.ts';
import {nodeBody, nodeGroupBody} from './cluster-body.ts';
import {NODE_GROUP_ORDER, rangeComplaint, readGroupOrder} from './cluster-order.ts';
import {withCluster} from './clusters.ts';
import {answered} from './outcome-answer.ts';

const READS = {permission: 'machines:read', action: 'read clusters'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change clusters'} as const;
const GROUPS = '/core/clusters/:cluster_id/node-groups';
const NODES = '/core/clusters/:cluster_id/nodes';
const MOST_NODES = 20;
const NODE_ORDER = fields(
  {},
  {
    count: {type: 'integer', minimum: 1, maximum: MOST_NODES},
    role: {type: 'string', enum: ['worker', 'master']},
    node_group: EXISTING_NAME,
  },
);
const GROUP_CHANGES = fields({}, {min_count: INTEGER, max_count: INTEGER, firewall_ids: listOf(ID)});
const NODE_IDS = fields({ids: listOf(ID)});
const GROUP_REPLY = envelope({node_group: RECORD});

/** The nodes of a cluster and the groups its workers are in. */
export const clusterNodeRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: GROUPS,
    requires: READS,
    describes: {summary: 'List the node groups of a cluster', reply: envelope({node_groups: RECORDS})},
    answer: inCluster(listGroups),
  },
  {
    method: 'POST',
    pattern: GROUPS,
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Add a node group to a cluster',
      body: NODE_GROUP_ORDER,
      reply: GROUP_REPLY,
      replyStatus: 201,
      refusals: [409, 422],
    },
    answer: inCluster(createGroup),
  },
  {
    method: 'GET',
    pattern: `${GROUPS}/:group_id`,
    requires: READS,
    describes: {summary: 'Read a node group', reply: GROUP_REPLY},
    answer: inGroup(getGroup),
  },
  {
    method: 'PATCH',
    pattern: `${GROUPS}/:group_id`,
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Change the limits and the firewalls of a node group',
      body: GROUP_CHANGES,
      reply: GROUP_REPLY,
      refusals: [422],
    },
    answer: inGroup(updateGroup),
  },
  {
    method: 'DELETE',
    pattern: `${GROUPS}/:group_id`,
    requires: OPERATES,
    describes: {summary: 'Delete a node group with its nodes', refusals: [400]},
    answer: inGroup(removeGroup),
  },
  {
    method: 'GET',
    pattern: NODES,
    requires: READS,
    describes: {summary: 'List the nodes of a cluster', reply: envelope({nodes: RECORDS})},
    answer: inCluster(listNodes),
  },
  {
    method: 'POST',
    pattern: NODES,
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Add nodes to a cluster',
      body: NODE_ORDER,
      reply: envelope({nodes: RECORDS}),
      replyStatus: 201,
    },
    answer: inCluster(createNodes),
  },
  {
    method: 'POST',
    pattern: `${NODES}/delete`,
    requires: OPERATES,
    takesBody: true,
    describes: {summary: 'Delete several nodes of a cluster', body: NODE_IDS},
    answer: inCluster(removeNodes),
  },
  {
    method: 'DELETE',
    pattern: `${NODES}/:node_id`,
    requires: OPERATES,
    describes: {summary: 'Delete a node of a cluster', refusals: [400]},
    answer: inCluster(removeNode),
  },
];

type InCluster = (inquiry: Inquiry, cluster: Cluster) => Response;
type InGroup = (inquiry: Inquiry, cluster: Cluster, group: NodeGroup) => Response;

function inCluster(answer: InCluster): Route['answer'] {
  return inquiry => withCluster(inquiry, cluster => answer(inquiry, cluster));
}

function inGroup(answer: InGroup): Route['answer'] {
  return inCluster((inquiry, cluster) => {
    const id = inquiry.part('group_id');
    const group = cluster.nodeGroups.find(each => String(each.id) === id);
    if (group === undefined) return notFound(`Node group ${id} does not exist in the cluster ${cluster.id}.`);
    return answer(inquiry, cluster, group);
  });
}

function listGroups({world}: Inquiry, cluster: Cluster): Response {
  const nodes = nodesOf(world, cluster);
  const groups = cluster.nodeGroups.map(group => nodeGroupBody(group, cluster, nodes, world));
  return succeeded('Getting node groups successful', {node_groups: groups});
}

function getGroup({world}: Inquiry, cluster: Cluster, group: NodeGroup): Response {
  const body = nodeGroupBody(group, cluster, nodesOf(world, cluster), world);
  return succeeded('Getting node group successful', {node_group: body});
}

function createGroup({world, caller, body}: Inquiry, cluster: Cluster): Response {
  const reading = readGroupOrder(body);
  if (!reading.isValid) return reading.refusal;
  return answered(addNodeGroup(world, cluster, reading.order, caller.user.id), group =>
    succeeded(
      'Node group creation scheduled',
      {node_group: nodeGroupBody(group, cluster, nodesOf(world, cluster), world)},
      201,
    ),
  );
}

function updateGroup({world, caller, body}: Inquiry, cluster: Cluster, group: NodeGroup): Response {
  const reading = readBody(body, GROUP_CHANGES);
  if (!reading.isValid) return reading.refusal;
  const sent = reading.fields;
  const [minCount, maxCount] = [sent.integer('min_count'), sent.integer('max_count')];
  const complaints = {
    ...rangeComplaint('min_count', minCount ?? 1, 1, MOST_NODES),
    ...rangeComplaint('max_count', maxCount ?? 1, 1, MOST_NODES),
  };
  if (Object.keys(complaints).length > 0) return unprocessable(complaints);
  const firewallIds = sent.has('firewall_ids') ? sent.integers('firewall_ids') : undefined;
  const change = {minCount, maxCount, firewallIds};
  return answered(updateNodeGroup(world, cluster, group, change, caller.user.id), updated =>
    succeeded('Node group updated', {node_group: nodeGroupBody(updated, cluster, nodesOf(world, cluster), world)}),
  );
}

function removeGroup({world, caller}: Inquiry, cluster: Cluster, group: NodeGroup): Response {
  return answered(deleteNodeGroup(world, cluster, group, caller.user.id), () =>
    succeeded('Node group deletion scheduled'),
  );
}

function listNodes({world}: Inquiry, cluster: Cluster): Response {
  const nodes = nodesOf(world, cluster).map(machine => nodeBody(machine, cluster));
  return succeeded('Getting nodes successful', {nodes});
}

function createNodes({world, caller, body}: Inquiry, cluster: Cluster): Response {
  const reading = readBody(body, NODE_ORDER);
  if (!reading.isValid) return reading.refusal;
  const sent = reading.fields;
  const role = sent.text('role') === 'master' ? 'master' : 'worker';
  const order = {role, count: sent.integer('count') ?? 1, groupName: sent.text('node_group')} as const;
  return answered(createClusterNodes(world, cluster, order, caller.user.id), machines =>
    succeeded('Node creation scheduled', {nodes: machines.map(machine => nodeBody(machine, cluster))}, 201),
  );
}

function removeNode({world, caller, part}: Inquiry, cluster: Cluster): Response {
  const id = part('node_id');
  if (!/^\d{1,15}$/.test(id)) return notFound(`Node ${id} does not exist in the cluster ${cluster.id}.`);
  return answered(deleteNodes(world, cluster, [Number(id)], caller.user.id), () =>
    succeeded('Node deletion scheduled'),
  );
}

function removeNodes({world, caller, body}: Inquiry, cluster: Cluster): Response {
  const reading = readBody(body, NODE_IDS);
  if (!reading.isValid) return reading.refusal;
  return answered(deleteNodes(world, cluster, reading.fields.integers('ids'), caller.user.id), () =>
    succeeded('Node deletion scheduled'),
  );
}
