import type {ClusterNode, ClusterTrouble} from '../world/cluster.ts';
import type {KeyPairSpec} from '../world/key-pairs.ts';
import type {AccessKeySpec, BucketSpec} from '../world/object-storage.ts';
import type {InboundRule} from '../world/rules.ts';
import type {ClusterSpec, EnvironmentSpec, FirewallSpec, MachineSpec} from '../world/scenario.ts';
import type {SteadyKind} from '../world/workload.ts';

// An account in which everything works: triage must find nothing in this file.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const ENVIRONMENTS: readonly EnvironmentSpec[] = [
  {name: 'production-ca', regionName: 'CANADA-1'},
  {name: 'research-ca', regionName: 'CANADA-1'},
  {name: 'production-no', regionName: 'NORWAY-1'},
  {name: 'dev sandbox', regionName: 'NORWAY-1'},
];

const SERVING_CLUSTER_ID = 1612;
const EMBEDDING_CLUSTER_ID = 1637;

const SERVING_AGE_DAYS = 36.5;
const EMBEDDING_AGE_DAYS = 27.3;

/** The flavor of masters. */
export const MASTERS = 'n1-cpu-medium';

/** The worker that a scenario can lose. */
export const LOST_WORKER_NAME = 'embed-worker-1';

type MachineRow = readonly [
  name: string,
  flavorName: string,
  environmentName: string,
  kind: SteadyKind,
  daysAgo: number,
  labels: string,
  extra?: Partial<MachineSpec>,
];

const HTTPS: Partial<MachineSpec> = {hasPublicIp: true, worldPorts: [443]};

const MACHINE_ROWS: readonly MachineRow[] = [
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

const CLUSTER_ROWS: readonly MachineRow[] = [
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

export const WORLD = '0.0.0.0/0';
const WORLD_V6 = '::/0';
/** The office network; a range reserved for documentation. */
export const OFFICE = '203.0.113.0/24';
export const PRIVATE = '10.0.0.0/16';

export type FirewallRow = readonly [
  name: string,
  environmentName: string,
  daysAgo: number,
  description: string,
  inbound: readonly InboundRule[],
  machineNames: readonly string[],
];

const WEB: readonly InboundRule[] = [tcp(80, WORLD), tcp(443, WORLD), tcp(443, WORLD_V6)];
const KUBERNETES: readonly InboundRule[] = [
  tcp(6443, PRIVATE),
  tcp(10_250, PRIVATE),
  {protocol: 'udp', port: 8472, from: PRIVATE},
];

const FIREWALL_ROWS: readonly FirewallRow[] = [
  ['web', 'production-ca', 86.1, 'What customers reach', WEB, ['infer-01', 'infer-02', 'infer-03', 'infer-04']],
  [
    'k8s-serve',
    'production-ca',
    36.5,
    'Between the nodes of the cluster serve',
    KUBERNETES,
    ['serve-master-0', 'serve-master-1', 'serve-worker-0', 'serve-worker-1', 'serve-worker-2'],
  ],
  [
    'office-ssh',
    'research-ca',
    62.4,
    'People, from the office',
    [tcp(22, OFFICE)],
    ['train-01', 'train-04', 'eval-02'],
  ],
  ['web-no', 'production-no', 70.9, '', WEB, ['infer-05', '推論サーバー-東京-01']],
  [
    'k8s-embed',
    'production-no',
    27.3,
    'Between the nodes of the cluster embed',
    KUBERNETES,
    ['embed-master-0', 'embed-master-1', 'embed-worker-0', 'embed-worker-1'],
  ],
  [
    'dev',
    'dev sandbox',
    44,
    'Notebooks and ssh, from the office',
    [tcp(22, OFFICE), tcp(8888, OFFICE), {protocol: 'icmp', from: OFFICE}],
    ['dev-tomasz', 'dev-aoi'],
  ],
];

type KeyPairRow = readonly [name: string, environmentName: string, type: 'ssh-rsa' | 'ssh-ed25519', daysAgo: number];

/** Personal keys, besides the key pair that each environment's team shares. */
const KEY_PAIR_ROWS: readonly KeyPairRow[] = [
  ['ines-laptop', 'production-ca', 'ssh-ed25519', 171.2],
  ['ci-deploy', 'production-ca', 'ssh-rsa', 118.6],
  ['tomasz-workstation-that-replaces-the-one-from-2024', 'research-ca', 'ssh-ed25519', 62.9],
  ['ines-laptop', 'research-ca', 'ssh-ed25519', 60.1],
  ['佐藤の鍵', 'production-no', 'ssh-ed25519', 51.4],
  ['noe', 'dev sandbox', 'ssh-rsa', 8.3],
];

type BucketRow = readonly [name: string, daysAgo: number, objectCount: number, sizeGb: number];
type AccessKeyRow = readonly [description: string | null, daysAgo: number];

const BUCKET_ROWS: readonly BucketRow[] = [
  ['checkpoints', 148.2, 18_204, 41_380.25],
  ['datasets-raw', 131.7, 2_481_907, 96_112.5],
  ['ci-artifacts', 96.4, 310_552, 812.75],
  ['nightly-backups.postgres-main.production', 83.1, 742, 5_630],
  ['model-weights-of-everything-that-was-ever-released-to-customers', 40.8, 96, 2_204.5],
  ['scratch', 3.2, 0, 0],
];

const ACCESS_KEY_ROWS: readonly AccessKeyRow[] = [
  ['training jobs', 148.1],
  ['CI', 96.4],
  ['nightly backups of postgres-main', 83],
  [null, 52.6],
  ['佐藤のノートパソコン', 20.3],
];

/** Twenty-six working machines, ten of them nodes of two clusters. */
export function workingMachines(startedAt: number): MachineSpec[] {
  return [...MACHINE_ROWS, ...CLUSTER_ROWS].map(row => specOf(row, startedAt));
}

/** Created four minutes before the world opens: too young for metrics. */
export function youngMachine(startedAt: number): MachineSpec {
  return {
    name: 'eval-02',
    flavorName: 'n3-H100x1',
    environmentName: 'research-ca',
    workload: {kind: 'training'},
    createdAt: startedAt - 4 * MINUTE_MS,
    labels: ['team=ml'],
  };
}

/** Deleted resources: some ended this month, some the month before. */
export function deletedMachines(startedAt: number): MachineSpec[] {
  const opened = new Date(startedAt);
  const monthStart = Date.UTC(opened.getUTCFullYear(), opened.getUTCMonth());
  const lastMonthStart = Date.UTC(opened.getUTCFullYear(), opened.getUTCMonth() - 1);
  const during = (start: number, end: number, part: number) => Math.floor((start + (end - start) * part) / 1000) * 1000;
  const ends = [
    ...[0.12, 0.37, 0.58, 0.9].map(part => during(lastMonthStart, monthStart, part)),
    // In the first minutes of a month they would still be under way.
    ...[0.15, 0.4, 0.66, 0.93].map(part => Math.min(during(monthStart, startedAt, part), startedAt - 2 * MINUTE_MS)),
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

function specOf(
  [name, flavorName, environmentName, kind, daysAgo, labels, extra]: MachineRow,
  startedAt: number,
): MachineSpec {
  const createdAt = daysBefore(startedAt, daysAgo);
  return {name, flavorName, environmentName, workload: {kind}, createdAt, labels: labels.split(','), ...extra};
}

function withVolume(name: string, sizeGb: number): Partial<MachineSpec> {
  return {volumes: [{name, sizeGb}]};
}

type Node = Omit<ClusterNode, 'clusterId'>;

function servingRow(name: string, flavorName: string, node: Node): MachineRow {
  const kind = node.role === 'worker' ? 'serving' : 'gateway';
  const cluster = {clusterId: SERVING_CLUSTER_ID, ...node};
  const extra: Partial<MachineSpec> = node.role === 'load-balancer' ? {...HTTPS, cluster} : {cluster};
  return [name, flavorName, 'production-ca', kind, SERVING_AGE_DAYS, 'prod,team=serving', extra];
}

function embeddingRow(name: string, flavorName: string, node: Node): MachineRow {
  const kind = node.role === 'worker' ? 'batch' : 'gateway';
  const cluster = {clusterId: EMBEDDING_CLUSTER_ID, ...node};
  return [name, flavorName, 'production-no', kind, EMBEDDING_AGE_DAYS, 'prod,team=data', {cluster}];
}

/** Two working clusters; the second can be in trouble. */
export function workingClusters(startedAt: number, trouble?: ClusterTrouble): ClusterSpec[] {
  const embedding: ClusterSpec = {
    id: EMBEDDING_CLUSTER_ID,
    name: 'embed',
    environmentName: 'production-no',
    kubernetesVersion: '1.34.3',
    masterFlavorName: MASTERS,
    createdAt: daysBefore(startedAt, EMBEDDING_AGE_DAYS),
    nodeGroups: [{name: 'a6000', flavorName: 'n3-RTX-A6000x2', count: 2, maxCount: 6}],
  };
  return [
    {
      id: SERVING_CLUSTER_ID,
      name: 'serve',
      environmentName: 'production-ca',
      kubernetesVersion: '1.35.1',
      masterFlavorName: MASTERS,
      createdAt: daysBefore(startedAt, SERVING_AGE_DAYS),
      nodeGroups: [{name: 'l40', flavorName: 'n3-L40x2', count: 3, maxCount: 8}],
    },
    trouble === undefined ? embedding : {...embedding, trouble},
  ];
}

/** Firewalls as they should be: web ports open to the world, everything else only to those who need it. */
export function workingFirewalls(startedAt: number): FirewallSpec[] {
  return FIREWALL_ROWS.map(row => firewallFrom(row, startedAt));
}

export function firewallFrom(
  [name, environmentName, daysAgo, description, inbound, machineNames]: FirewallRow,
  startedAt: number,
): FirewallSpec {
  return {name, description, environmentName, createdAt: daysBefore(startedAt, daysAgo), inbound, machineNames};
}

export function tcp(port: number, from: string): InboundRule {
  return {protocol: 'tcp', port, from};
}

export function personalKeyPairs(startedAt: number): KeyPairSpec[] {
  return KEY_PAIR_ROWS.map(([name, environmentName, type, daysAgo]) => ({
    name,
    environmentName,
    type,
    createdAt: daysBefore(startedAt, daysAgo),
  }));
}

/** The account's object storage. */
export function workingStorage(startedAt: number): {buckets: BucketSpec[]; accessKeys: AccessKeySpec[]} {
  return {
    buckets: BUCKET_ROWS.map(([name, daysAgo, objectCount, sizeGb]) => ({
      name,
      createdAt: daysBefore(startedAt, daysAgo),
      objectCount,
      sizeGb,
    })),
    accessKeys: ACCESS_KEY_ROWS.map(([description, daysAgo]) => ({
      description,
      createdAt: daysBefore(startedAt, daysAgo),
    })),
  };
}

/** In whole seconds, as the service counts. */
function daysBefore(startedAt: number, days: number): number {
  return Math.floor((startedAt - days * DAY_MS) / 1000) * 1000;
}
