import {json, succeeded} from '../answer.ts';
import {isClusterNameTaken} from '../cluster-creation.ts';
import type {Inquiry, Route} from '../route.ts';
import {clusterBody} from './cluster-body.ts';
import {readClusterOrder} from './cluster-order.ts';
import {withCluster} from './clusters.ts';
import {answered} from './outcome-answer.ts';

/** Clusters as a whole: made, deleted, repaired. */
export const clusterChangeRoutes: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/core/clusters',
    requires: {permission: 'machines:operate', action: 'create clusters'},
    takesBody: true,
    answer: createCluster,
  },
  {
    method: 'GET',
    pattern: '/core/clusters/name-availability/:name',
    requires: {permission: 'machines:read', action: 'read clusters'},
    answer: nameAvailability,
  },
  {
    method: 'DELETE',
    pattern: '/core/clusters/:cluster_id',
    requires: {permission: 'machines:operate', action: 'delete clusters'},
    answer: inquiry =>
      withCluster(inquiry, cluster =>
        answered(inquiry.world.clusterOperations.remove(cluster, inquiry.caller.user.id), () =>
          succeeded('Cluster deletion scheduled'),
        ),
      ),
  },
  {
    method: 'POST',
    pattern: '/core/clusters/:cluster_id/reconcile',
    requires: {permission: 'machines:operate', action: 'reconcile clusters'},
    answer: inquiry =>
      withCluster(inquiry, cluster =>
        answered(inquiry.world.clusterOperations.reconcile(cluster, inquiry.caller.user.id), () =>
          succeeded('Cluster reconciliation scheduled'),
        ),
      ),
  },
];

function createCluster({world, caller, body}: Inquiry): Response {
  const reading = readClusterOrder(body, world.clusterNameLimit);
  if (!reading.isValid) return reading.refusal;
  return answered(world.clusterOperations.create(reading.order, caller.user.id), cluster =>
    succeeded('Cluster creation scheduled', {cluster: clusterBody(cluster, world)}, 201),
  );
}

// This answer has no envelope.
function nameAvailability({world, part}: Inquiry): Response {
  const name = part('name');
  const available = !isClusterNameTaken(world, name);
  return json({name, available, message: `The name ${name} is ${available ? 'available' : 'taken'}.`});
}
