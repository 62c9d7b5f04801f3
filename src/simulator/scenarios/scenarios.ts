import type {MachineSpec, Scenario, UnattachedVolumeSpec} from '../world/scenario.ts';
import {generatedEnvironments, generatedMachines} from './generated.ts';
import {nearMisses, troubles} from './seeded.ts';
import {
  contracts,
  LASTING_CONTRACT_ID,
  lostWorker,
  STUCK_AGE_MS,
  STUCK_CLUSTER_ID,
  stuckCluster,
  troubledFirewalls,
  troubledMachines,
} from './troubled.ts';
import {
  deletedMachines,
  ENVIRONMENTS,
  LOST_WORKER_NAME,
  personalKeyPairs,
  workingClusters,
  workingFirewalls,
  workingMachines,
  workingStorage,
  youngMachine,
} from './working.ts';

export type ScenarioOptions = {
  readonly startedAt: number;
  readonly seed: number;
  /** The number of machines, if not the scenario's own. */
  readonly vmCount?: number | undefined;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const BIG_COUNT = 10_000;
const STALE_FOR_MS = 40 * MINUTE_MS;
const ON_CALL_RUNWAY_HOURS = 41;
const NEAR_RUNWAY_HOURS = 55;
const CALM_RUNWAY_HOURS = 100 * 24;
const WORKER_LOST_FOR_MS = 26 * MINUTE_MS;

const SCENARIOS = {
  'on-call': onCall,
  calm,
  'runaway-spend': runawaySpend,
  'stale-metrics': (options: ScenarioOptions) => ({...onCall(options), metricsEndAt: options.startedAt - STALE_FOR_MS}),
  'stuck-cluster': stuckClusterAccount,
  troubles: ({startedAt}: ScenarioOptions) => ({
    ...seededAccount(startedAt, troubles(startedAt), nearMisses(startedAt)),
    credit: {runwayHours: ON_CALL_RUNWAY_HOURS},
  }),
  'near-misses': ({startedAt}: ScenarioOptions) => ({
    ...seededAccount(startedAt, nearMisses(startedAt)),
    credit: {runwayHours: NEAR_RUNWAY_HOURS},
  }),
  empty,
  big,
} as const satisfies Readonly<Record<string, (options: ScenarioOptions) => Scenario>>;

export type ScenarioName = keyof typeof SCENARIOS;
export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS);

/** The world of a scenario, at the requested size. */
export function scenarioNamed(name: ScenarioName, options: ScenarioOptions): Scenario {
  // Without machines, what was attached to them would be left over, so a new account has nothing at all.
  if (options.vmCount === 0) return empty();
  const scenario = SCENARIOS[name](options);
  return name === 'big' || options.vmCount === undefined ? scenario : resized(scenario, options.vmCount, options);
}

export function isScenarioName(name: string): name is ScenarioName {
  return Object.hasOwn(SCENARIOS, name);
}

function onCall({startedAt}: ScenarioOptions): Scenario {
  return {
    ...quietAccount(startedAt),
    // Troubled machines first, so that fewer machines still include them.
    machines: [
      ...troubledMachines(startedAt),
      youngMachine(startedAt),
      ...withoutWorker(underContract(workingMachines(startedAt)), startedAt),
      ...deletedMachines(startedAt),
    ],
    contracts: contracts(startedAt),
    clusters: workingClusters(startedAt, lostWorker(startedAt, LOST_WORKER_NAME)),
    firewalls: [...troubledFirewalls(startedAt), ...workingFirewalls(startedAt)],
    unattachedVolumes: [
      {name: 'scratch-3', sizeGb: 2000, environmentName: 'research-ca', createdAt: startedAt - 31 * DAY_MS},
    ],
    credit: {runwayHours: ON_CALL_RUNWAY_HOURS},
    script: [{kind: 'toggle', machineName: 'ci-runner-02', firstAfterMs: 2000, everyMs: 14_000}],
  };
}

function calm({startedAt}: ScenarioOptions): Scenario {
  return quietAccount(startedAt);
}

// A sweep started this morning without a limit: one machine a minute, each of the costliest kind.
function runawaySpend({startedAt}: ScenarioOptions): Scenario {
  const sweep = (index: number): Omit<MachineSpec, 'createdAt'> => ({
    name: `hyperparam-sweep-${String(index + 1).padStart(2, '0')}`,
    flavorName: 'n3-H100-SXM5x8',
    environmentName: 'research-ca',
    workload: {kind: 'training'},
    labels: ['sweep=2b'],
  });
  const started = Array.from({length: 9}, (_, index) => ({
    ...sweep(index),
    createdAt: startedAt - (9 - index) * 25 * MINUTE_MS,
  }));
  const account = quietAccount(startedAt);
  return {
    ...account,
    machines: [...started, ...account.machines],
    unattachedVolumes: unattached('sweep-results', 3, startedAt - 2 * HOUR_MS),
    credit: {runwayHours: 30},
    script: Array.from({length: 16}, (_, index) => ({
      kind: 'create' as const,
      afterMs: 5000 + index * MINUTE_MS,
      machine: sweep(started.length + index),
    })),
  };
}

// A cluster that has been creating for over an hour: one worker never came up, another failed.
function stuckClusterAccount({startedAt}: ScenarioOptions): Scenario {
  const account = quietAccount(startedAt);
  const node = (
    name: string,
    role: 'master' | 'worker' | 'bastion',
    extra: Partial<MachineSpec> = {},
  ): MachineSpec => ({
    name: `k8s-batch-${name}`,
    flavorName: role === 'worker' ? 'n3-A100x2' : 'n1-cpu-medium',
    environmentName: 'research-ca',
    workload: {kind: role === 'worker' ? 'idle' : 'gateway'},
    createdAt: startedAt - STUCK_AGE_MS + MINUTE_MS,
    labels: ['team=ml'],
    cluster: {clusterId: STUCK_CLUSTER_ID, role, ...(role === 'worker' ? {groupName: 'a100'} : {})},
    ...extra,
  });
  const broken = {at: startedAt - 70 * MINUTE_MS, verb: 'hibernate', fails: true, takesMs: 2 * MINUTE_MS} as const;
  return {
    ...account,
    machines: [
      node('bastion', 'bastion', {hasPublicIp: true}),
      node('master-0', 'master'),
      node('master-1', 'master'),
      node('worker-0', 'worker'),
      node('worker-1', 'worker', {isStuck: true}),
      node('worker-2', 'worker', {past: [broken]}),
      ...account.machines,
    ],
    clusters: [...account.clusters, stuckCluster(startedAt)],
    unattachedVolumes: unattached('pvc-k8s-batch', 1, startedAt - 50 * MINUTE_MS),
  };
}

function empty(): Scenario {
  return {
    machines: [],
    environments: [],
    contracts: [],
    clusters: [],
    firewalls: [],
    unattachedVolumes: [],
    keyPairs: [],
    buckets: [],
    accessKeys: [],
    credit: {dollars: 25},
    isNewAccount: true,
    script: [],
  };
}

function big({startedAt, seed, vmCount = BIG_COUNT}: ScenarioOptions): Scenario {
  return {
    ...quietAccount(startedAt),
    environments: [...ENVIRONMENTS, ...generatedEnvironments(vmCount)],
    machines: [
      ...generatedMachines({count: vmCount, seed, startedAt, withTroubles: true}),
      ...deletedMachines(startedAt),
    ],
    clusters: [],
    firewalls: [],
    unattachedVolumes: unattached('archive', 12, startedAt - 3 * DAY_MS),
  };
}

/** Volumes attached to nothing, not yet or no longer, a day apart. */
function unattached(name: string, count: number, latestAt: number): UnattachedVolumeSpec[] {
  return Array.from({length: count}, (_, index) => ({
    name: `${name}-${String(index + 1).padStart(2, '0')}`,
    sizeGb: 500 * (1 + (index % 4)),
    environmentName: index % 3 === 2 ? 'production-no' : 'research-ca',
    createdAt: latestAt - (count - 1 - index) * DAY_MS,
  }));
}

/** A working account with nothing wrong in it. */
function quietAccount(startedAt: number): Scenario {
  return {
    machines: [youngMachine(startedAt), ...underContract(workingMachines(startedAt)), ...deletedMachines(startedAt)],
    environments: ENVIRONMENTS,
    contracts: contracts(startedAt).filter(contract => contract.id === LASTING_CONTRACT_ID),
    clusters: workingClusters(startedAt),
    firewalls: workingFirewalls(startedAt),
    unattachedVolumes: [],
    keyPairs: personalKeyPairs(startedAt),
    ...workingStorage(startedAt),
    credit: {runwayHours: CALM_RUNWAY_HOURS},
    isNewAccount: false,
    script: [],
  };
}

/** A working account, and the troubles seeded in it. */
function seededAccount(startedAt: number, ...seeds: readonly ReturnType<typeof troubles>[]): Scenario {
  const account = quietAccount(startedAt);
  return {
    ...account,
    machines: [...seeds.flatMap(({machines}) => machines), ...account.machines],
    clusters: [...account.clusters, ...seeds.flatMap(({clusters}) => clusters)],
    firewalls: [...seeds.flatMap(({firewalls}) => firewalls), ...account.firewalls],
    contracts: [...account.contracts, ...seeds.flatMap(({contracts: seeded}) => seeded)],
    unattachedVolumes: seeds.flatMap(({unattachedVolumes}) => unattachedVolumes),
  };
}

function underContract(machines: readonly MachineSpec[]): MachineSpec[] {
  const covered = new Set(['infer-01', 'infer-02']);
  return machines.map(machine => (covered.has(machine.name) ? {...machine, contractId: LASTING_CONTRACT_ID} : machine));
}

/** The lost worker's machine still runs; only its work has ended, and the cluster misses the node. */
function withoutWorker(machines: readonly MachineSpec[], startedAt: number): MachineSpec[] {
  const trouble = {status: 'RECONCILING', reason: 'kubelet stopped posting its state'};
  return machines.map(machine =>
    machine.name === LOST_WORKER_NAME && machine.cluster !== undefined
      ? {
          ...machine,
          workload: {kind: 'ended', endedAt: startedAt - WORKER_LOST_FOR_MS},
          cluster: {...machine.cluster, trouble},
        }
      : machine,
  );
}

function resized(scenario: Scenario, vmCount: number, {seed, startedAt}: ScenarioOptions): Scenario {
  const live = scenario.machines.filter(machine => machine.deletedAt === undefined);
  const deleted = scenario.machines.filter(machine => machine.deletedAt !== undefined);
  const missingCount = Math.max(0, vmCount - live.length);
  const extra = generatedMachines({count: missingCount, seed, startedAt, withTroubles: false});
  const kept = live.slice(0, vmCount);
  return {
    ...scenario,
    // A cluster disappears with the last of its machines.
    clusters: scenario.clusters.filter(({id}) => kept.some(({cluster}) => cluster?.clusterId === id)),
    environments: [...scenario.environments, ...generatedEnvironments(missingCount)],
    machines: [...kept, ...extra, ...deleted],
  };
}
