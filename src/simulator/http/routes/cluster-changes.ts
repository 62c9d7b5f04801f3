import {
  createCluster as createWorldCluster,
  deleteCluster,
  isClusterNameTaken,
  reconcile,
} from '../../world/cluster-operations.ts';
import {json, succeeded} from '../answer.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, fields, RECORD, TEXT} from '../schema.ts';
import {clusterBody} from './cluster-body.ts';
import {CLUSTER_ORDER, readClusterOrder} from './cluster-order.ts';
import {withCluster} from './clusters.ts';
import {answered} from './outcome-answer.ts';

/** Clusters as a whole: made, deleted, repaired. */
export const clusterChangeRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/core/clusters',
    requires: {permission: 'machines:operate', action: 'create clusters'},
    takesBody: true,
    describes: {
      summary: 'Create a cluster',
      body: CLUSTER_ORDER,
      reply: envelope({cluster: RECORD}),
      replyStatus: 201,
      refusals: [404, 409, 422],
    },
    answer: createCluster,
  },
  {
    method: 'GET',
    pattern: '/core/clusters/name-availability/:name',
    requires: {permission: 'machines:read', action: 'read clusters'},
    describes: {
      summary: 'Ask whether a name is free for a cluster',
      reply: fields({name: TEXT, available: FLAG, message: TEXT}),
    },
    answer: nameAvailability,
  },
  {
    method: 'DELETE',
    pattern: '/core/clusters/:cluster_id',
    requires: {permission: 'machines:operate', action: 'delete clusters'},
    describes: {summary: 'Delete a cluster with its nodes', refusals: [400]},
    answer: inquiry =>
      withCluster(inquiry, cluster =>
        answered(deleteCluster(inquiry.world, cluster, inquiry.caller.user.id), () =>
          succeeded('Cluster deletion scheduled'),
        ),
      ),
  },
  {
    method: 'POST',
    pattern: '/core/clusters/:cluster_id/reconcile',
    requires: {permission: 'machines:operate', action: 'reconcile clusters'},
    describes: {summary: 'Bring a cluster back to what it was told to be', refusals: [400]},
    answer: inquiry =>
      withCluster(inquiry, cluster =>
        answered(reconcile(inquiry.world, cluster, inquiry.caller.user.id), () =>
          succeeded('Cluster reconciliation scheduled'),
        ),
      ),
  },
];

function createCluster({world, caller, body}: Inquiry): Response {
  const reading = readClusterOrder(body, world.clusterNameLimit);
  if (!reading.isValid) return reading.refusal;
  return answered(createWorldCluster(world, reading.order, caller.user.id), cluster =>
    succeeded('Cluster creation scheduled', {cluster: clusterBody(cluster, world)}, 201),
  );
}

// This answer has no envelope.
function nameAvailability({world, part}: Inquiry): Response {
  const name = part('name');
  const available = !isClusterNameTaken(world, name);
  return json({name, available, message: `The name ${name} is ${available ? 'available' : 'taken'}.`});
}
