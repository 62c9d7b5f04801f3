import {notFound, succeeded, unprocessable} from '../answer.ts';
import type {Cluster, NodeGroup} from '../cluster.ts';
import {nodesOf} from '../cluster-nodes.ts';
import type {Inquiry, Route} from '../route.ts';
import {type FieldRule, integer, listOf, oneOf, readBody, text} from './body-fields.ts';
import {nodeBody, nodeGroupBody} from './cluster-body.ts';
import {rangeComplaint, readGroupOrder} from './cluster-order.ts';
import {withCluster} from './clusters.ts';
import {answered} from './outcome-answer.ts';

const READS = {permission: 'machines:read', action: 'read clusters'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change clusters'} as const;
const GROUPS = '/core/clusters/:cluster_id/node-groups';
const NODES = '/core/clusters/:cluster_id/nodes';
const NAME_LIMIT = 250;
const MOST_NODES = 20;
const NODE_FIELDS: Readonly<Record<string, FieldRule>> = {
  count: {check: integer(1, MOST_NODES)},
  role: {check: oneOf(['worker', 'master'])},
  node_group: {check: text(NAME_LIMIT)},
};
const GROUP_CHANGES: Readonly<Record<string, FieldRule>> = {
  min_count: {check: integer(Number.MIN_SAFE_INTEGER)},
  max_count: {check: integer(Number.MIN_SAFE_INTEGER)},
  firewall_ids: {check: listOf(integer(1))},
};

/** The nodes of a cluster and the groups its workers are in. */
export const clusterNodeRoutes: readonly Route[] = [
  {method: 'GET', pattern: GROUPS, requires: READS, answer: inCluster(listGroups)},
  {method: 'POST', pattern: GROUPS, requires: OPERATES, takesBody: true, answer: inCluster(createGroup)},
  {method: 'GET', pattern: `${GROUPS}/:group_id`, requires: READS, answer: inGroup(getGroup)},
  {
    method: 'PATCH',
    pattern: `${GROUPS}/:group_id`,
    requires: OPERATES,
    takesBody: true,
    answer: inGroup(updateGroup),
  },
  {method: 'DELETE', pattern: `${GROUPS}/:group_id`, requires: OPERATES, answer: inGroup(removeGroup)},
  {method: 'GET', pattern: NODES, requires: READS, answer: inCluster(listNodes)},
  {method: 'POST', pattern: NODES, requires: OPERATES, takesBody: true, answer: inCluster(createNodes)},
  {method: 'POST', pattern: `${NODES}/delete`, requires: OPERATES, takesBody: true, answer: inCluster(removeNodes)},
  {method: 'DELETE', pattern: `${NODES}/:node_id`, requires: OPERATES, answer: inCluster(removeNode)},
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
  return answered(world.clusterOperations.addGroup(cluster, reading.order, caller.user.id), group =>
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
  const {fields} = reading;
  const [minCount, maxCount] = [fields.number('min_count'), fields.number('max_count')];
  const complaints = {
    ...rangeComplaint('min_count', minCount ?? 1, 1, MOST_NODES),
    ...rangeComplaint('max_count', maxCount ?? 1, 1, MOST_NODES),
  };
  if (Object.keys(complaints).length > 0) return unprocessable(complaints);
  const firewallIds = fields.has('firewall_ids') ? fields.numbers('firewall_ids') : undefined;
  const change = {minCount, maxCount, firewallIds};
  return answered(world.clusterOperations.updateGroup(cluster, group, change, caller.user.id), updated =>
    succeeded('Node group updated', {node_group: nodeGroupBody(updated, cluster, nodesOf(world, cluster), world)}),
  );
}

function removeGroup({world, caller}: Inquiry, cluster: Cluster, group: NodeGroup): Response {
  return answered(world.clusterOperations.removeGroup(cluster, group, caller.user.id), () =>
    succeeded('Node group deletion scheduled'),
  );
}

function listNodes({world}: Inquiry, cluster: Cluster): Response {
  const nodes = nodesOf(world, cluster).map(machine => nodeBody(machine, cluster));
  return succeeded('Getting nodes successful', {nodes});
}

function createNodes({world, caller, body}: Inquiry, cluster: Cluster): Response {
  const reading = readBody(body, NODE_FIELDS);
  if (!reading.isValid) return reading.refusal;
  const {fields} = reading;
  const role = fields.text('role') === 'master' ? 'master' : 'worker';
  const order = {role, count: fields.number('count') ?? 1, groupName: fields.text('node_group')} as const;
  return answered(world.clusterOperations.addNodes(cluster, order, caller.user.id), machines =>
    succeeded('Node creation scheduled', {nodes: machines.map(machine => nodeBody(machine, cluster))}, 201),
  );
}

function removeNode({world, caller, part}: Inquiry, cluster: Cluster): Response {
  const id = part('node_id');
  if (!/^\d{1,15}$/.test(id)) return notFound(`Node ${id} does not exist in the cluster ${cluster.id}.`);
  return answered(world.clusterOperations.removeNodes(cluster, [Number(id)], caller.user.id), () =>
    succeeded('Node deletion scheduled'),
  );
}

function removeNodes({world, caller, body}: Inquiry, cluster: Cluster): Response {
  const reading = readBody(body, {ids: {check: listOf(integer(1)), isRequired: true}});
  if (!reading.isValid) return reading.refusal;
  return answered(world.clusterOperations.removeNodes(cluster, reading.fields.numbers('ids'), caller.user.id), () =>
    succeeded('Node deletion scheduled'),
  );
}
