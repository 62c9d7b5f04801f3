import type {Contract} from '../world/account.ts';
import type {ClusterTrouble} from '../world/cluster.ts';
import type {ClusterSpec, FirewallSpec, MachineSpec} from '../world/scenario.ts';
import {leakFullAfterMs} from '../world/workload.ts';
import {type FirewallRow, firewallFrom, MASTERS, OFFICE, PRIVATE, tcp, WORLD} from './working.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ENDING_CONTRACT_ID = 118;
export const LASTING_CONTRACT_ID = 97;
export const STUCK_CLUSTER_ID = 1655;
export const STUCK_AGE_MS = 75 * MINUTE_MS;

const FIREWALL_ROWS: readonly FirewallRow[] = [
  // Somebody once needed ssh while travelling.
  ['edge', 'research-ca', 12.2, 'ssh', [tcp(22, WORLD), tcp(22, OFFICE)], ['jupyter-mira', 'sweep-04']],
  ['lab-old', 'dev sandbox', 81.5, 'Left over from the lab days', [tcp(3389, WORLD), tcp(22, PRIVATE)], []],
];

/** One contract ends in six days and takes what it covers with it; the other has most of a year to go. */
export function contracts(startedAt: number, soonDays = 6): Contract[] {
  return [
    {
      id: LASTING_CONTRACT_ID,
      description: 'L40 inference, one year',
      startsAt: startedAt - 61 * DAY_MS,
      endsAt: startedAt + 304 * DAY_MS,
      expirationPolicy: 1,
      discountPercent: 30,
      discounts: [{flavorName: 'n3-L40x1', count: 2, type: 'flat', code: 'L40-YEAR'}],
    },
    {
      id: ENDING_CONTRACT_ID,
      description: 'H100 training, quarter',
      startsAt: startedAt - (92 - soonDays) * DAY_MS,
      endsAt: startedAt + soonDays * DAY_MS,
      expirationPolicy: 0,
      discountPercent: 30,
      // It covers three, of which one is paid for and does not exist.
      discounts: [
        {flavorName: 'n3-H100x8', count: 1, type: 'percent'},
        {flavorName: 'n3-H100x8-NVLink', count: 2, type: 'percent'},
      ],
    },
  ];
}

/** What an on-call engineer should find, worst first. */
export function troubledMachines(startedAt: number): MachineSpec[] {
  const ago = (ms: number) => startedAt - ms;
  return [...wastedMachines(ago), ...brokenMachines(ago), ...exposedMachines(ago), ...sleepingMachines(ago)];
}

type Ago = (ms: number) => number;

function wastedMachines(ago: Ago): MachineSpec[] {
  return [
    {
      // Stopped to save money, which stopping does not do.
      name: 'train-03',
      flavorName: 'n3-H100-SXM5x8',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: ago(12.6 * DAY_MS),
      labels: ['team=ml'],
      // Not a whole minute: clocks that are compared by the second would take it for one minute or the next.
      past: [{at: ago(9 * HOUR_MS + 14 * MINUTE_MS + 20_000), verb: 'stop'}],
    },
    {
      // Its job ended yesterday, and nobody deleted the machine.
      name: 'train-02',
      flavorName: 'n3-H100x8',
      environmentName: 'research-ca',
      workload: {kind: 'ended', endedAt: ago(26 * HOUR_MS)},
      createdAt: ago(13.1 * DAY_MS),
      labels: ['team=ml', 'prod'],
      contractId: ENDING_CONTRACT_ID,
      volumes: [{name: 'checkpoints-02', sizeGb: 3000}],
    },
    {
      name: 'sweep-04',
      flavorName: 'n3-A100x4',
      environmentName: 'research-ca',
      workload: {kind: 'ended', endedAt: ago(3 * HOUR_MS + 20 * MINUTE_MS)},
      createdAt: ago(4.3 * DAY_MS),
      labels: ['team=ml'],
      hasPublicIp: true,
    },
    {
      name: 'train-05',
      flavorName: 'n3-H100x8-NVLink',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: ago(30.5 * DAY_MS),
      labels: ['team=ml', 'prod'],
      contractId: ENDING_CONTRACT_ID,
    },
  ];
}

function brokenMachines(ago: Ago): MachineSpec[] {
  const leakSinceMs = 30 * HOUR_MS;
  return [
    {
      name: 'etl-03',
      flavorName: 'n3-RTX-A6000x1',
      environmentName: 'production-no',
      workload: {kind: 'batch'},
      createdAt: ago(24.2 * DAY_MS),
      labels: ['team=data'],
      past: [{at: ago(27 * MINUTE_MS), verb: 'hibernate', fails: true, takesMs: 6 * MINUTE_MS}],
    },
    {
      name: 'infer-04',
      flavorName: 'n3-L40x1',
      environmentName: 'production-ca',
      workload: {kind: 'leaking', fullAfterMs: leakFullAfterMs(leakSinceMs, 0.965)},
      createdAt: ago(40.9 * DAY_MS),
      labels: ['prod', 'team=serving'],
      hasPublicIp: true,
      worldPorts: [443],
      past: [{at: ago(leakSinceMs + MINUTE_MS), verb: 'hard-reboot', takesMs: MINUTE_MS}],
    },
    {
      name: 'infer-06',
      flavorName: 'n3-A100x1',
      environmentName: 'production-no',
      workload: {kind: 'crashed', crashedAt: ago(2 * HOUR_MS + 10 * MINUTE_MS)},
      createdAt: ago(33.1 * DAY_MS),
      labels: ['prod', 'team=serving'],
      hasPublicIp: true,
      worldPorts: [443],
    },
  ];
}

function exposedMachines(ago: Ago): MachineSpec[] {
  return [
    {
      name: 'labeling-01',
      flavorName: 'n3-RTX-A6000x1',
      environmentName: 'production-no',
      workload: {kind: 'interactive'},
      createdAt: ago(11.4 * DAY_MS),
      labels: ['team=data'],
      hasPublicIp: true,
      worldPorts: [22],
    },
    {
      name: 'jupyter-mira',
      flavorName: 'n3-A100x1',
      environmentName: 'research-ca',
      workload: {kind: 'interactive'},
      createdAt: ago(2.6 * DAY_MS),
      labels: [],
      hasPublicIp: true,
      worldPorts: [22, 8888],
    },
  ];
}

function sleepingMachines(ago: Ago): MachineSpec[] {
  return [
    {
      // Hibernating when the world opens, hibernated six seconds later.
      name: 'dev-noe',
      flavorName: 'n3-RTX-A6000x2',
      environmentName: 'dev sandbox',
      workload: {kind: 'interactive'},
      createdAt: ago(8.8 * DAY_MS),
      labels: ['team=ml'],
      hasPublicIp: true,
      past: [{at: ago(11 * MINUTE_MS), verb: 'hibernate', takesMs: 11 * MINUTE_MS + 6000}],
    },
    {
      name: 'dev-ines',
      flavorName: 'n3-RTX-A6000x1',
      environmentName: 'dev sandbox',
      workload: {kind: 'interactive'},
      createdAt: ago(50.2 * DAY_MS),
      labels: ['team=platform'],
      past: [{at: ago(3.1 * DAY_MS), verb: 'hibernate'}],
    },
    {
      // Its flavor is out of stock, so a restore will fail.
      name: 'sweep-02',
      flavorName: 'n3-H100x2',
      environmentName: 'research-ca',
      workload: {kind: 'training'},
      createdAt: ago(35.9 * DAY_MS),
      labels: ['team=ml'],
      hasPublicIp: true,
      past: [{at: ago(6.4 * DAY_MS), verb: 'hibernate', retainsIp: true}],
    },
    {
      name: 'ci-runner-02',
      flavorName: 'n1-cpu-medium',
      environmentName: 'dev sandbox',
      workload: {kind: 'interactive'},
      createdAt: ago(45.5 * DAY_MS),
      labels: ['team=ci'],
      past: [
        {at: ago(75 * MINUTE_MS), verb: 'stop'},
        {at: ago(50 * MINUTE_MS), verb: 'start'},
      ],
    },
  ];
}

/** One firewall that allows ssh from everywhere, and one that nobody uses any more. */
export function troubledFirewalls(startedAt: number): FirewallSpec[] {
  return FIREWALL_ROWS.map(row => firewallFrom(row, startedAt));
}

/** A worker dropped out half an hour ago; one repair failed, another is under way. */
export function lostWorker(startedAt: number, workerName: string): ClusterTrouble {
  const ago = (minutes: number) => startedAt - minutes * MINUTE_MS;
  return {
    status: 'RECONCILING',
    reason: `1 of 2 workers is not ready: ${workerName} has not been heard from for 26 minutes`,
    events: [
      {at: ago(25), reason: 'ClusterReconcileRequest', message: 'Cluster is to be reconciled.'},
      {at: ago(13), reason: 'ClusterReconcileFailed', message: `${workerName} did not join the cluster in time.`},
      {at: ago(12), reason: 'ClusterReconcileRequest', message: 'Cluster is to be reconciled.'},
    ],
  };
}

/** In transition for longer than the service allows. */
export function stuckCluster(startedAt: number): ClusterSpec {
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
