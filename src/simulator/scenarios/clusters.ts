import type {ClusterBlueprint, ClusterTrouble} from '../world/scenario.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const SERVING_CLUSTER_ID = 1612;
export const EMBEDDING_CLUSTER_ID = 1637;
export const STUCK_CLUSTER_ID = 1655;

export const SERVING_AGE_DAYS = 36.5;
export const EMBEDDING_AGE_DAYS = 27.3;
export const STUCK_AGE_MS = 75 * MINUTE_MS;

const MASTERS = 'n1-cpu-medium';

/** Two clusters at work; the second can be in trouble. */
export function workingClusters(startedAt: number, trouble?: ClusterTrouble): ClusterBlueprint[] {
  const embedding: ClusterBlueprint = {
    id: EMBEDDING_CLUSTER_ID,
    name: 'embed',
    environmentName: 'production-no',
    kubernetesVersion: '1.34.3',
    masterFlavorName: MASTERS,
    createdAt: wholeSecond(startedAt - EMBEDDING_AGE_DAYS * DAY_MS),
    nodeGroups: [{name: 'a6000', flavorName: 'n3-RTX-A6000x2', count: 2, maxCount: 6}],
  };
  return [
    {
      id: SERVING_CLUSTER_ID,
      name: 'serve',
      environmentName: 'production-ca',
      kubernetesVersion: '1.35.1',
      masterFlavorName: MASTERS,
      createdAt: wholeSecond(startedAt - SERVING_AGE_DAYS * DAY_MS),
      nodeGroups: [{name: 'l40', flavorName: 'n3-L40x2', count: 3, maxCount: 8}],
    },
    trouble === undefined ? embedding : {...embedding, trouble},
  ];
}

/** A worker left the cluster half an hour ago; one repair has failed, another is under way. */
export function lostWorker(startedAt: number, workerName: string): ClusterTrouble {
  const ago = (minutes: number) => startedAt - minutes * MINUTE_MS;
  return {
    status: 'RECONCILING',
    reason: `1 of 2 workers is not ready: ${workerName} has not been heard of for 26 minutes`,
    events: [
      {at: ago(25), reason: 'ClusterReconcileRequest', message: 'Cluster is to be reconciled.'},
      {at: ago(13), reason: 'ClusterReconcileFailed', message: `${workerName} did not join the cluster in time.`},
      {at: ago(12), reason: 'ClusterReconcileRequest', message: 'Cluster is to be reconciled.'},
    ],
  };
}

/** On its way for longer than the service allows itself. */
export function stuckClusterBlueprint(startedAt: number): ClusterBlueprint {
  return {
    id: STUCK_CLUSTER_ID,
    name: 'k8s-batch',
    environmentName: 'research-ca',
    kubernetesVersion: '1.35.1',
    masterFlavorName: MASTERS,
    createdAt: startedAt - STUCK_AGE_MS,
    nodeGroups: [{name: 'a100', flavorName: 'n3-A100x2', count: 3, maxCount: 3}],
    trouble: {
      status: 'CREATING',
      reason: 'Waiting for 2 of 3 workers of the group a100',
      events: [
        {
          at: startedAt - 68 * MINUTE_MS,
          reason: 'NodeCreationFailed',
          message: 'k8s-batch-worker-2 could not be created: the host did not answer.',
        },
      ],
    },
  };
}

function wholeSecond(moment: number): number {
  return Math.floor(moment / 1000) * 1000;
}
