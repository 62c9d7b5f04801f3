import type {ClusterNode} from '../world/machine.ts';
import type {Blueprint, EnvironmentBlueprint} from '../world/scenario.ts';
import type {SteadyKind} from '../world/workload.ts';
import {EMBEDDING_AGE_DAYS, EMBEDDING_CLUSTER_ID, SERVING_AGE_DAYS, SERVING_CLUSTER_ID} from './clusters.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const ENVIRONMENTS: readonly EnvironmentBlueprint[] = [
  {name: 'production-ca', regionName: 'CANADA-1'},
  {name: 'research-ca', regionName: 'CANADA-1'},
  {name: 'production-no', regionName: 'NORWAY-1'},
  {name: 'dev sandbox', regionName: 'NORWAY-1'},
];

/** The worker that a scenario can lose. */
export const LOST_WORKER_NAME = 'embed-worker-1';

type Row = readonly [
  name: string,
  flavorName: string,
  environmentName: string,
  kind: SteadyKind,
  daysAgo: number,
  labels: string,
  extra?: Partial<Blueprint>,
];

const HTTPS: Partial<Blueprint> = {hasPublicIp: true, worldPorts: [443]};

// Machines that do their work: nothing in this list is to be found by anybody.
const ROWS: readonly Row[] = [
  ['bastion', 'n1-cpu-small', 'production-ca', 'gateway', 88.4, 'prod,role=access', {hasPublicIp: true}],
  ['train-01', 'n3-H100-SXM5x8', 'research-ca', 'training', 13.2, 'team=ml,prod', withVolume('datasets-01', 4000)],
  ['train-04', 'n3-A100x8-NVLink', 'research-ca', 'training', 21.7, 'team=ml', withVolume('datasets-04', 2000)],
  ['infer-01', 'n3-L40x1', 'production-ca', 'serving', 61.3, 'prod,team=serving', HTTPS],
  ['infer-02', 'n3-L40x1', 'production-ca', 'serving', 61.3, 'prod,team=serving', HTTPS],
  ['infer-03', 'n3-L40x2', 'production-ca', 'serving', 40.9, 'prod,team=serving', HTTPS],
  ['infer-05', 'n3-A100x1', 'production-no', 'serving', 33.1, 'prod,team=serving', HTTPS],
  ['推論サーバー-東京-01', 'n3-RTX-A6000x1', 'production-no', 'serving', 52.5, 'prod,team=serving,客先=東京'],
  ['etl-01', 'n1-cpu-large', 'production-no', 'batch', 71.8, 'team=data', withVolume('etl-landing', 1000)],
  [
    'postgres-main',
    'n1-cpu-xxlarge',
    'production-ca',
    'serving',
    83.6,
    'prod,team=platform',
    withVolume('pg-data', 2000),
  ],
  ['nightly-regression-suite-runner-for-driver-r570-01', 'n3-RTX-A4000x4', 'dev sandbox', 'cron', 18.9, 'team=ci'],
  ['ci-runner-01', 'n1-cpu-large', 'dev sandbox', 'interactive', 45.5, 'team=ci'],
  ['🚀-launch-demo', 'n3-L40x1', 'production-ca', 'serving', 5.2, 'team=growth', HTTPS],
  ['dev-tomasz', 'n3-RTX-A6000x1', 'dev sandbox', 'interactive', 16.3, 'team=ml', {hasPublicIp: true}],
  ['dev-aoi', 'n3-RTX-A4000x1', 'dev sandbox', 'interactive', 9.8, 'team=ml', {hasPublicIp: true}],
  ['backup-gateway', 'n1-cpu-small', 'production-no', 'cron', 77.7, 'prod,team=platform', withVolume('backups', 8000)],
];

const CLUSTER_ROWS: readonly Row[] = [
  servingRow('serve-master-0', 'n1-cpu-medium', {role: 'master'}),
  servingRow('serve-master-1', 'n1-cpu-medium', {role: 'master'}),
  servingRow('serve-load-balancer', 'n1-cpu-small', {role: 'load-balancer'}),
  servingRow('serve-worker-0', 'n3-L40x2', {role: 'worker', groupName: 'l40'}),
  servingRow('serve-worker-1', 'n3-L40x2', {role: 'worker', groupName: 'l40'}),
  servingRow('serve-worker-2', 'n3-L40x2', {role: 'worker', groupName: 'l40'}),
  embeddingRow('embed-master-0', 'n1-cpu-medium', {role: 'master'}),
  embeddingRow('embed-master-1', 'n1-cpu-medium', {role: 'master'}),
  embeddingRow('embed-worker-0', 'n3-RTX-A6000x2', {role: 'worker', groupName: 'a6000'}),
  embeddingRow(LOST_WORKER_NAME, 'n3-RTX-A6000x2', {role: 'worker', groupName: 'a6000'}),
];

/** Twenty-six machines at work, ten of them the nodes of two clusters. */
export function ordinaryFleet(startedAt: number): Blueprint[] {
  return [...ROWS, ...CLUSTER_ROWS].map(row => blueprintOf(row, startedAt));
}

/** Made four minutes before the world opens: too young for metrics. */
export function youngMachine(startedAt: number): Blueprint {
  return {
    name: 'eval-02',
    flavorName: 'n3-H100x1',
    environmentName: 'research-ca',
    workload: {kind: 'training'},
    createdAt: startedAt - 4 * MINUTE_MS,
    labels: ['team=ml'],
  };
}

/** Resources that are gone: some ended this month, some in the month before. */
export function deletedFleet(startedAt: number): Blueprint[] {
  const opened = new Date(startedAt);
  const monthStart = Date.UTC(opened.getUTCFullYear(), opened.getUTCMonth());
  const lastMonthStart = Date.UTC(opened.getUTCFullYear(), opened.getUTCMonth() - 1);
  const during = (start: number, end: number, part: number) => Math.floor((start + (end - start) * part) / 1000) * 1000;
  const ends = [
    ...[0.12, 0.37, 0.58, 0.9].map(part => during(lastMonthStart, monthStart, part)),
    ...[0.15, 0.4, 0.66, 0.93].map(part => during(monthStart, startedAt, part)),
  ];
  const flavors = [
    'n3-A100x4',
    'n3-H100x8',
    'n1-cpu-large',
    'n3-L40x4',
    'n3-A100x2',
    'n3-H100x4',
    'n3-L40x1',
    'n3-H100x1',
  ];
  return ends.map((deletedAt, index) => ({
    name: `sweep-${String(index + 11).padStart(3, '0')}`,
    flavorName: flavors[index] ?? 'n3-L40x1',
    environmentName: index % 2 === 0 ? 'research-ca' : 'production-ca',
    workload: {kind: 'training'},
    createdAt: deletedAt - (7 + index * 9) * HOUR_MS,
    deletedAt,
    labels: ['team=ml'],
  }));
}

function blueprintOf(
  [name, flavorName, environmentName, kind, daysAgo, labels, extra]: Row,
  startedAt: number,
): Blueprint {
  const createdAt = Math.floor((startedAt - daysAgo * DAY_MS) / 1000) * 1000;
  return {name, flavorName, environmentName, workload: {kind}, createdAt, labels: labels.split(','), ...extra};
}

function withVolume(name: string, sizeGb: number): Partial<Blueprint> {
  return {volumes: [{name, sizeGb}]};
}

type Node = Omit<ClusterNode, 'clusterId'>;

function servingRow(name: string, flavorName: string, node: Node): Row {
  const kind = node.role === 'worker' ? 'serving' : 'gateway';
  const cluster = {clusterId: SERVING_CLUSTER_ID, ...node};
  const extra: Partial<Blueprint> = node.role === 'load-balancer' ? {...HTTPS, cluster} : {cluster};
  return [name, flavorName, 'production-ca', kind, SERVING_AGE_DAYS, 'prod,team=serving', extra];
}

function embeddingRow(name: string, flavorName: string, node: Node): Row {
  const kind = node.role === 'worker' ? 'batch' : 'gateway';
  const cluster = {clusterId: EMBEDDING_CLUSTER_ID, ...node};
  return [name, flavorName, 'production-no', kind, EMBEDDING_AGE_DAYS, 'prod,team=data', {cluster}];
}
