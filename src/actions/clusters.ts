import * as z from 'zod';
import {
  createCluster as createEndpoint,
  deleteCluster as deleteEndpoint,
  reconcileCluster as reconcileEndpoint,
} from '../api/clusters.ts';
import {present} from '../api/fields.ts';
import {TARGET, TRANSITION, UNCHANGED} from '../domain/action.ts';
import {type ClusterSpec, CREATION_LIMIT_MS, DEPLOYMENT_MODES, isBeingReconciled} from '../domain/cluster.ts';
import {say} from '../domain/safe-text.ts';
import {MINUTE_MS} from '../domain/time.ts';
import {actionMaking, actionOn, deletion, isElsewhere, stateProgress} from './define.ts';
import {cluster, number, text} from './parameters.ts';

const nodeGroupSpec = z
  .object({name: text, flavorName: text, count: number, minCount: number.optional(), maxCount: number.optional()})
  .transform(present);
const clusterSpec: z.ZodType<ClusterSpec> = z
  .object({
    name: text,
    environmentName: text,
    keyPairName: text,
    kubernetesVersion: text,
    masterFlavorName: text,
    masterCount: number.optional(),
    deploymentMode: z.enum(DEPLOYMENT_MODES).optional(),
    nodeGroups: z.array(nodeGroupSpec),
  })
  .transform(present);

export const createCluster = actionMaking({
  kind: 'cluster.create',
  parameters: z.object({spec: clusterSpec}),
  endpoint: createEndpoint,
  verb: say`create`,
  words: () => say`create cluster`,
  overdueAfterMs: CREATION_LIMIT_MS,
  isMade: ({spec}, {name}) => name === spec.name,
  progress: cluster => stateProgress(cluster, {going: ['CREATING', 'RECONCILING'], made: ['ACTIVE']}),
});

const deleteCluster = actionOn({
  kind: 'cluster.delete',
  parameters: z.object({id: cluster}),
  endpoint: deleteEndpoint,
  ...deletion('cluster', 30 * MINUTE_MS),
});

const reconcileCluster = actionOn({
  kind: 'cluster.reconcile',
  parameters: z.object({id: cluster}),
  endpoint: reconcileEndpoint,
  verb: say`reconcile`,
  overdueAfterMs: 30 * MINUTE_MS,
  obstacle: (_action, cluster) => {
    if (isBeingReconciled(cluster)) return say`it is reconciling already`;
    const {status, statusText} = cluster;
    return status === 'DELETING' || status === 'DELETED' ? say`it is ${statusText}` : undefined;
  },
  // Like a reboot it may end in the state it began in: only having been seen on its way proves anything then.
  evidence: (_action, cluster, {hasSeenTransition, initialStatus, before}) => {
    if (isBeingReconciled(cluster)) return TRANSITION;
    const {status} = cluster;
    const began = initialStatus ?? before?.records[0]?.status;
    if (status === 'ACTIVE' && (hasSeenTransition || (began !== undefined && began !== 'ACTIVE'))) return TARGET;
    return hasSeenTransition ? isElsewhere(cluster) : UNCHANGED;
  },
  undo: () => say`a reconciliation cannot be taken back`,
});

export const CLUSTERS = [createCluster, deleteCluster, reconcileCluster] as const;
