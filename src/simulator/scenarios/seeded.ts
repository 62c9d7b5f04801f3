import type {Contract} from '../world/account.ts';
import type {ClusterNode, ClusterTrouble} from '../world/cluster.ts';
import type {InboundRule} from '../world/rules.ts';
import type {ClusterSpec, FirewallSpec, MachineSpec, Scenario, UnattachedVolumeSpec} from '../world/scenario.ts';
import {leakFullAfterMs} from '../world/workload.ts';
import {firewallFrom, MASTERS, OFFICE, tcp} from './working.ts';

// Each kind of trouble once, named after the rule that finds it; and beside it a near miss that is no trouble, with
// `-near` added to the name.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Seeded = Pick<Scenario, 'machines' | 'clusters' | 'firewalls' | 'contracts' | 'unattachedVolumes'>;

/** Everything wrong in one account at once; credit and burn rate concern the whole account. */
export function troubles(startedAt: number): Seeded {
  return {
    machines: [...troubledMachines(startedAt), ...sweep(startedAt, 24)],
    clusters: [
      creating('cluster-not-ready', 1801, startedAt - 75 * MINUTE_MS),
      withWorkers('cluster-nodes', 1802, startedAt),
    ],
    firewalls: [
      firewall(startedAt, 'rule-pending', [{...tcp(22, OFFICE), isPending: true}], 11 * MINUTE_MS),
      firewall(startedAt, 'redundant-rules', [tcp(8080, OFFICE), tcp(8080, OFFICE)]),
      {...firewall(startedAt, 'unattached-firewall', [tcp(22, OFFICE)]), machineNames: []},
    ],
    contracts: [
      contract(startedAt, {description: 'contract-ending', id: 601, days: 29}),
      contract(startedAt, {description: 'discount-ending', id: 602, days: 200, discountDays: 13}),
    ],
    unattachedVolumes: [volume('unattached-volume', startedAt - 8 * DAY_MS)],
  };
}

/** The near misses, which are all well. */
export function nearMisses(startedAt: number): Seeded {
  return {
    machines: [...nearlyTroubledMachines(startedAt), ...sweep(startedAt, 1)],
    clusters: [
      creating('cluster-not-ready-near', 1803, startedAt - 15 * MINUTE_MS),
      withWorkers('cluster-nodes-near', 1804, startedAt),
    ],
    firewalls: [
      firewall(startedAt, 'rule-pending-near', [{...tcp(22, OFFICE), isPending: true}], 5 * MINUTE_MS),
      firewall(startedAt, 'redundant-rules-near', [tcp(8080, OFFICE), tcp(8081, OFFICE)]),
      firewall(startedAt, 'unattached-firewall-near', [tcp(22, OFFICE)]),
    ],
    contracts: [
      contract(startedAt, {description: 'contract-ending-near', id: 603, days: 31}),
      contract(startedAt, {description: 'discount-ending-near', id: 604, days: 200, discountDays: 15}),
    ],
    unattachedVolumes: [volume('unattached-volume-near', startedAt - 6 * DAY_MS)],
  };
}

function troubledMachines(startedAt: number): MachineSpec[] {
  const ago = (minutes: number) => startedAt - minutes * MINUTE_MS;
  return [
    machine(startedAt, 'machine-in-error', {past: [{at: ago(60), verb: 'hibernate', fails: true}]}),
    machine(startedAt, 'power-state-mismatch', {power: {at: ago(60), state: 'CRASHED'}}),
    machine(startedAt, 'stuck-transition', {createdAt: ago(120), isStuck: true}),
    machine(startedAt, 'silent-metrics', {metricsEndAt: ago(40)}),
    machine(startedAt, 'saturated', {workload: {kind: 'holding', coresRatio: 0.995, memoryRatio: 0.4}}),
    machine(startedAt, 'fallen-silent', {workload: {kind: 'ended', endedAt: ago(180)}}),
    leaking(startedAt, 'memory-leak', 0.85),
    machine(startedAt, 'idle', {workload: {kind: 'idle'}, createdAt: ago(20 * 1440)}),
    machine(startedAt, 'stopped-but-billed', {past: [{at: ago(60), verb: 'stop'}]}),
    machine(startedAt, 'ghost-spend', {unlistedAt: ago(60)}),
    machine(startedAt, 'open-to-world', {hasPublicIp: true, worldPorts: [22]}),
    machine(startedAt, 'unguarded-address', {hasPublicIp: true, hasNoInboundRule: true}),
    machine(startedAt, 'out-of-stock', {flavorName: 'n3-H100x2', past: [{at: ago(600), verb: 'hibernate'}]}),
    worker(startedAt, {clusterName: 'cluster-nodes', clusterId: 1802, index: 0}),
    worker(startedAt, {
      clusterName: 'cluster-nodes',
      clusterId: 1802,
      index: 1,
      trouble: {status: 'ERROR', reason: 'the host did not answer'},
    }),
  ];
}

function nearlyTroubledMachines(startedAt: number): MachineSpec[] {
  const ago = (minutes: number) => startedAt - minutes * MINUTE_MS;
  const restarted = [
    {at: ago(240), verb: 'stop'},
    {at: ago(120), verb: 'start'},
  ] as const;
  return [
    machine(startedAt, 'machine-in-error-near', {past: [{at: ago(600), verb: 'hibernate'}]}),
    // The power state a host reports if it does not know.
    machine(startedAt, 'power-state-mismatch-near', {power: {at: ago(60), state: 'NOSTATE'}}),
    machine(startedAt, 'stuck-transition-near', {createdAt: ago(10), isStuck: true}),
    machine(startedAt, 'silent-metrics-near', {metricsEndAt: ago(8)}),
    machine(startedAt, 'saturated-near', {workload: {kind: 'holding', coresRatio: 0.95, memoryRatio: 0.93}}),
    machine(startedAt, 'fallen-silent-near', {workload: {kind: 'ended', endedAt: ago(15)}}),
    // Full in a little more than a day.
    leaking(startedAt, 'memory-leak-near', 0.69),
    machine(startedAt, 'idle-near', {workload: {kind: 'cron'}, createdAt: ago(20 * 1440)}),
    machine(startedAt, 'stopped-but-billed-near', {past: restarted}),
    // Lists and usage are read at different moments.
    machine(startedAt, 'ghost-spend-near', {createdAt: ago(8), unlistedAt: ago(2)}),
    machine(startedAt, 'open-to-world-near', {hasPublicIp: true, worldPorts: [443]}),
    machine(startedAt, 'unguarded-address-near', {hasPublicIp: true}),
    machine(startedAt, 'out-of-stock-near', {past: [{at: ago(600), verb: 'hibernate'}]}),
    worker(startedAt, {clusterName: 'cluster-nodes-near', clusterId: 1804, index: 0}),
    worker(startedAt, {
      clusterName: 'cluster-nodes-near',
      clusterId: 1804,
      index: 1,
      trouble: {status: 'RECONCILING', reason: 'kubelet is restarted'},
    }),
  ];
}

function machine(startedAt: number, name: string, rest: Partial<MachineSpec>): MachineSpec {
  return {
    name,
    flavorName: 'n3-RTX-A6000x1',
    environmentName: 'research-ca',
    workload: {kind: 'training'},
    createdAt: startedAt - 9 * DAY_MS,
    ...rest,
  };
}

/** The share of memory in use now, thirty hours after boot. */
function leaking(startedAt: number, name: string, ratio: number): MachineSpec {
  const upMs = 30 * HOUR_MS;
  return machine(startedAt, name, {
    workload: {kind: 'leaking', fullAfterMs: leakFullAfterMs(upMs, ratio)},
    past: [{at: startedAt - upMs - MINUTE_MS, verb: 'hard-reboot', takesMs: MINUTE_MS}],
  });
}

/** Costly machines that somebody started three hours ago; one alone would be nothing unusual. */
function sweep(startedAt: number, count: number): MachineSpec[] {
  const flavorName = count === 1 ? 'n3-RTX-A6000x1' : 'n3-H100-SXM5x8';
  return Array.from({length: count}, (_, index) =>
    machine(startedAt, `burn-anomaly-${count === 1 ? 'near' : index + 1}`, {
      flavorName,
      createdAt: startedAt - 3 * HOUR_MS - (count - index) * MINUTE_MS,
    }),
  );
}

function creating(name: string, id: number, createdAt: number): ClusterSpec {
  const trouble: ClusterTrouble = {status: 'CREATING', reason: 'Waiting for the masters', events: []};
  return {...cluster(name, id), createdAt, trouble};
}

function withWorkers(name: string, id: number, startedAt: number): ClusterSpec {
  return {...cluster(name, id), createdAt: startedAt - 9 * DAY_MS};
}

function cluster(name: string, id: number): Omit<ClusterSpec, 'createdAt'> {
  return {
    id,
    name,
    environmentName: 'research-ca',
    kubernetesVersion: '1.35.1',
    masterFlavorName: MASTERS,
    nodeGroups: [{name: 'a6000', flavorName: 'n3-RTX-A6000x1', count: 2, maxCount: 3}],
  };
}

function worker(
  startedAt: number,
  {
    clusterName,
    clusterId,
    index,
    trouble,
  }: {
    readonly clusterName: string;
    readonly clusterId: number;
    readonly index: number;
    readonly trouble?: ClusterNode['trouble'];
  },
): MachineSpec {
  return machine(startedAt, `${clusterName}-worker-${index}`, {
    cluster: {clusterId, role: 'worker', groupName: 'a6000', ...(trouble === undefined ? {} : {trouble})},
  });
}

function firewall(startedAt: number, name: string, inbound: readonly InboundRule[], ageMs = 30 * DAY_MS): FirewallSpec {
  const row = [name, 'research-ca', ageMs / DAY_MS, '', inbound, ['train-01']] as const;
  return firewallFrom(row, startedAt);
}

function contract(
  startedAt: number,
  {
    description,
    id,
    days,
    discountDays,
  }: {readonly description: string; readonly id: number; readonly days: number; readonly discountDays?: number},
): Contract {
  const ends = discountDays === undefined ? {} : {endsAt: startedAt + discountDays * DAY_MS};
  return {
    id,
    description,
    startsAt: startedAt - 92 * DAY_MS,
    endsAt: startedAt + days * DAY_MS,
    expirationPolicy: 1,
    discountPercent: 30,
    discounts: [{flavorName: 'n3-A100x1', count: 2, type: 'percent', ...ends}],
  };
}

function volume(name: string, createdAt: number): UnattachedVolumeSpec {
  return {name, sizeGb: 500, environmentName: 'research-ca', createdAt};
}
