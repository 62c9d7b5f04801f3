import * as z from 'zod';
import {type Cluster, type NodeGroup, nodesOf} from '../../world/cluster.ts';
import {
  addNodeGroup,
  createNodes,
  deleteNodeGroup,
  deleteNodes,
  updateNodeGroup,
} from '../../world/cluster-operations.ts';
import {answered, notFound, succeeded, unprocessable} from '../answers.ts';
import {type Route, type RouteRequest, route} from '../route.ts';
import {EXISTING_NAME, envelope, ID, INTEGER, optional} from '../schema.ts';
import {
  groupComplaints,
  groupRequestOf,
  MOST_WORKERS,
  NODE,
  NODE_GROUP,
  NODE_GROUP_REQUEST,
  nodeBody,
  nodeGroupBody,
  rangeComplaint,
  withCluster,
} from './clusters.ts';

// The nodes of a cluster, and the groups of its workers.

const READS = {permission: 'machines:read', action: 'read clusters'} as const;
const OPERATES = {permission: 'machines:operate', action: 'change clusters'} as const;
const GROUPS = '/core/clusters/:cluster_id/node-groups';
const NODES = '/core/clusters/:cluster_id/nodes';
const GROUP_REPLY = envelope({node_group: NODE_GROUP});

export const clusterNodeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: GROUPS,
    summary: 'List the node groups of a cluster',
    requires: READS,
    reply: envelope({node_groups: z.array(NODE_GROUP)}),
    answer: request =>
      withCluster(request, cluster => {
        const groups = cluster.nodeGroups.map(group => nodeGroupBody(group, cluster, request.world));
        return succeeded('Getting node groups successful', {node_groups: groups});
      }),
  }),
  route({
    method: 'POST',
    path: GROUPS,
    summary: 'Add a node group to a cluster',
    requires: OPERATES,
    body: NODE_GROUP_REQUEST,
    reply: GROUP_REPLY,
    replyStatus: 201,
    refusals: [409, 422],
    answer: request =>
      withCluster(request, cluster =>
        request.read(body => {
          const asked = groupRequestOf(body);
          const complaints = groupComplaints(asked);
          if (Object.keys(complaints).length > 0) return unprocessable(complaints);
          return answered(addNodeGroup(request.world, cluster, asked, request.caller.user.id), group =>
            succeeded('Node group creation scheduled', {node_group: nodeGroupBody(group, cluster, request.world)}, 201),
          );
        }),
      ),
  }),
  route({
    method: 'GET',
    path: `${GROUPS}/:group_id`,
    summary: 'Read a node group',
    requires: READS,
    reply: GROUP_REPLY,
    answer: request =>
      withGroup(request, (group, cluster) =>
        succeeded('Getting node group successful', {node_group: nodeGroupBody(group, cluster, request.world)}),
      ),
  }),
  route({
    method: 'PATCH',
    path: `${GROUPS}/:group_id`,
    summary: 'Change the limits and the firewalls of a node group',
    requires: OPERATES,
    body: z.strictObject({
      min_count: optional(INTEGER),
      max_count: optional(INTEGER),
      firewall_ids: optional(z.array(ID)),
    }),
    reply: GROUP_REPLY,
    refusals: [422],
    answer: request =>
      withGroup(request, (group, cluster) =>
        request.read(({min_count: minCount, max_count: maxCount, firewall_ids: firewallIds}) => {
          const complaints = {
            ...rangeComplaint('min_count', minCount ?? 1, 1, MOST_WORKERS),
            ...rangeComplaint('max_count', maxCount ?? 1, 1, MOST_WORKERS),
          };
          if (Object.keys(complaints).length > 0) return unprocessable(complaints);
          const change = {minCount, maxCount, firewallIds};
          return answered(
            updateNodeGroup(request.world, cluster, {group, change, userId: request.caller.user.id}),
            updated => succeeded('Node group updated', {node_group: nodeGroupBody(updated, cluster, request.world)}),
          );
        }),
      ),
  }),
  route({
    method: 'DELETE',
    path: `${GROUPS}/:group_id`,
    summary: 'Delete a node group with its nodes',
    requires: OPERATES,
    refusals: [400],
    answer: request =>
      withGroup(request, (group, cluster) =>
        answered(deleteNodeGroup(request.world, cluster, group, request.caller.user.id), () =>
          succeeded('Node group deletion scheduled'),
        ),
      ),
  }),
  route({
    method: 'GET',
    path: NODES,
    summary: 'List the nodes of a cluster',
    requires: READS,
    reply: envelope({nodes: z.array(NODE)}),
    answer: request =>
      withCluster(request, cluster => {
        const nodes = nodesOf(request.world, cluster).map(machine => nodeBody(machine, cluster));
        return succeeded('Getting nodes successful', {nodes});
      }),
  }),
  route({
    method: 'POST',
    path: NODES,
    summary: 'Add nodes to a cluster',
    requires: OPERATES,
    body: z.strictObject({
      count: optional(z.int().min(1).max(MOST_WORKERS)),
      role: optional(z.enum(['worker', 'master'])),
      node_group: optional(EXISTING_NAME),
    }),
    reply: envelope({nodes: z.array(NODE)}),
    replyStatus: 201,
    answer: request =>
      withCluster(request, cluster =>
        request.read(({count = 1, role = 'worker', node_group: groupName}) =>
          answered(createNodes(request.world, cluster, {role, count, groupName}, request.caller.user.id), machines =>
            succeeded('Node creation scheduled', {nodes: machines.map(machine => nodeBody(machine, cluster))}, 201),
          ),
        ),
      ),
  }),
  route({
    method: 'POST',
    path: `${NODES}/delete`,
    summary: 'Delete several nodes of a cluster',
    requires: OPERATES,
    body: z.strictObject({ids: z.array(ID)}),
    answer: request =>
      withCluster(request, cluster =>
        request.read(({ids}) =>
          answered(deleteNodes(request.world, cluster, ids, request.caller.user.id), () =>
            succeeded('Node deletion scheduled'),
          ),
        ),
      ),
  }),
  route({
    method: 'DELETE',
    path: `${NODES}/:node_id`,
    summary: 'Delete a node of a cluster',
    requires: OPERATES,
    refusals: [400],
    answer: request =>
      withCluster(request, cluster => {
        const id = request.param('node_id');
        if (!/^\d{1,15}$/.test(id)) return notFound(`Node ${id} does not exist in the cluster ${cluster.id}.`);
        return answered(deleteNodes(request.world, cluster, [Number(id)], request.caller.user.id), () =>
          succeeded('Node deletion scheduled'),
        );
      }),
  }),
];

function withGroup(
  request: Pick<RouteRequest, 'world' | 'param'>,
  answer: (group: NodeGroup, cluster: Cluster) => Response,
): Response {
  return withCluster(request, cluster => {
    const id = request.param('group_id');
    const group = cluster.nodeGroups.find(each => String(each.id) === id);
    return group === undefined
      ? notFound(`Node group ${id} does not exist in the cluster ${cluster.id}.`)
      : answer(group, cluster);
  });
}
