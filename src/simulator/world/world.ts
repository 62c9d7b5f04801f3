import {type AccountKeys, accountKeys, createOrganization, type Organization} from './account.ts';
import type {Cluster} from './cluster.ts';
import {type ClusterOperations, createClusterOperations} from './cluster-operations.ts';
import type {Ground} from './context.ts';
import type {Desk} from './desk.ts';
import {createEnvironmentDesk, type EnvironmentDesk} from './environments.ts';
import type {DeskVerb, ExecutionDetail} from './execution.ts';
import type {Firewall} from './firewall.ts';
import {createFirewallOperations, type FirewallOperations} from './firewall-operations.ts';
import {type OfferedImage, offeredImages} from './images.ts';
import {createKeyPairs, type KeyPairs} from './key-pairs.ts';
import {nanoPerHour, type Verdict} from './lifecycle.ts';
import type {Contract, Environment, Machine, Volume} from './machine.ts';
import {createMachineOperations, type MachineOperations} from './machine-operations.ts';
import {billAt, type Meter} from './metering.ts';
import {type MetricAnswer, metricAnswer, RETENTION_MS} from './metrics.ts';
import {createObjectStorage, type ObjectStorage} from './object-storage.ts';
import type {Verb} from './operations.ts';
import {seedFor} from './random.ts';
import {createReferences} from './references.ts';
import type {RuleFields, RuleOwner, RuleVerdict} from './rules.ts';
import type {Scenario} from './scenario.ts';
import {createStage, type Stage, type WorldOptions} from './stage.ts';
import type {Stock} from './stock.ts';
import type {ClusterParts, ClusterVerb, FirewallVerb, MachineVerb} from './verbs.ts';
import {createVolumeDesk, type VolumeDesk} from './volume-operations.ts';
import {SLOT_MS} from './workload.ts';

/** One operation that really took effect, asked for with a key: on a machine, or on whatever else the verb names. */
export type Execution = {
  readonly verb: Verb | RuleVerb | MachineVerb | FirewallVerb | ClusterVerb | DeskVerb;
  /** Of the machine whose volumes they are, too; 0 for a bucket. */
  readonly id: number;
  readonly at: number;
} & ExecutionDetail &
  ClusterParts;
type RuleVerb = `${'add' | 'remove'}-${RuleOwner['kind']}-rule`;

/**
 * The whole account, without clock, network or chance of its own: the same seed and the same sequence of moments and
 * operations give the same answers. Moments are epoch milliseconds of the world's time.
 */
export type World = {
  readonly organization: Organization;
  readonly keys: AccountKeys;
  readonly environments: readonly Environment[];
  readonly contracts: readonly Contract[];
  /** Live machines, oldest first. */
  readonly machines: readonly Machine[];
  readonly volumes: readonly Volume[];
  readonly clusters: readonly Cluster[];
  readonly firewalls: readonly Firewall[];
  readonly keyPairs: KeyPairs;
  readonly environmentDesk: EnvironmentDesk;
  readonly volumeDesk: VolumeDesk;
  readonly stock: Stock;
  readonly objectStorage: ObjectStorage;
  readonly images: readonly OfferedImage[];
  readonly startedAt: number;
  readonly now: () => number;
  /** Plays everything due up to a moment. A moment that is past changes nothing. */
  readonly advanceTo: (moment: number) => void;
  readonly machineById: (id: number) => Machine | undefined;
  readonly operate: (
    machine: Machine,
    verb: Verb,
    by: {readonly userId: number; readonly retainsIp: boolean},
  ) => Verdict;
  readonly addRule: (owner: RuleOwner, fields: RuleFields, userId: number) => RuleVerdict;
  readonly removeRule: (owner: RuleOwner, ruleId: number, userId: number) => RuleVerdict;
  readonly machineOperations: MachineOperations;
  readonly firewallOperations: FirewallOperations;
  readonly clusterOperations: ClusterOperations;
  /** The longest name a new cluster may have. */
  readonly clusterNameLimit: number;
  readonly executions: () => readonly Execution[];
  /** All billing records, terminated ones included, oldest first. */
  readonly meters: () => readonly Meter[];
  /** Nano-dollars left. */
  readonly creditLeft: () => number;
  /** Metrics of the last `durationMs`, or of all that is kept. */
  readonly metricsOf: (machine: Machine, durationMs: number | undefined) => MetricAnswer;
};

/** As the interface describes it; the live service allows 20 characters. */
const DESCRIBED_CLUSTER_NAME_LIMIT = 50;

export function createWorld(options: WorldOptions): World {
  const {scenario, startedAt, seed} = options;
  const stage = createStage(options);
  for (const blueprint of scenario.blueprints) stage.plan(blueprint);
  for (const volume of scenario.unattachedVolumes) stage.planVolume(volume);
  stage.advanceTo(startedAt);
  stage.endPast();
  for (const line of scenario.script) stage.perform(line);
  const creditAtStart = startingCredit(scenario, stage.machines, stage.volumes);
  const billedAtStart = billedTotal(stage.meters, startedAt);
  const recordedSince = Math.floor((startedAt - RETENTION_MS) / SLOT_MS) * SLOT_MS;
  const executions: Execution[] = [];
  const noted = (step: 'add' | 'remove', owner: RuleOwner, verdict: RuleVerdict): RuleVerdict => {
    if (verdict.kind === 'accepted') {
      const id = owner.kind === 'firewall' ? owner.firewall.id : owner.machine.id;
      executions.push({verb: `${step}-${owner.kind}-rule`, id, at: stage.now(), ruleId: verdict.rule.id});
    }
    return verdict;
  };
  const creditLeft = () => creditAtStart - (billedTotal(stage.meters, stage.now()) - billedAtStart);
  const desk: Desk = {
    now: stage.now,
    schedule: stage.schedule,
    seed,
    pace: options.isFaithful ? 'faithful' : 'quick',
    note: (verb, id, detail) => executions.push({verb, id, at: stage.now(), ...detail}),
  };
  const keyPairs = createKeyPairs(desk, stage.environments);
  const images = offeredImages(startedAt, scenario.isNewAccount);
  const ground: Ground = {
    ...stage.ground,
    references: createReferences(keyPairs.all, images),
    creditLeft,
    executed: (verb, id, parts) => executions.push({verb, id, at: stage.now(), ...parts}),
  };
  const firewallOperations = createFirewallOperations(ground);
  return {
    organization: createOrganization(startedAt, scenario.isNewAccount),
    keys: accountKeys(seed),
    environments: stage.environments,
    contracts: scenario.contracts,
    machines: stage.machines,
    volumes: stage.volumes,
    clusters: stage.clusters,
    firewalls: stage.firewalls,
    keyPairs,
    environmentDesk: createEnvironmentDesk(desk, {
      environments: stage.environments,
      meters: stage.meters,
      issue: stage.issueEnvironment,
      contentsOf: environment => contentsOf(environment, stage, keyPairs),
    }),
    volumeDesk: createVolumeDesk(desk, stage),
    stock: stage.stock,
    objectStorage: createObjectStorage(desk, scenario.isNewAccount),
    images,
    startedAt,
    now: stage.now,
    advanceTo: stage.advanceTo,
    machineById: id => stage.machinesById.get(id),
    operate: (machine, verb, by) => {
      const verdict = stage.operate(machine, verb, {...by, pace: options.isFaithful ? 'faithful' : 'quick'});
      if (verdict.isAccepted) executions.push({verb, id: machine.id, at: stage.now()});
      return verdict;
    },
    addRule: (owner, fields, userId) => noted('add', owner, stage.addRule(owner, fields, userId)),
    removeRule: (owner, ruleId, userId) => noted('remove', owner, stage.removeRule(owner, ruleId, userId)),
    machineOperations: createMachineOperations(ground, options.allowsResize ?? false),
    firewallOperations,
    clusterOperations: createClusterOperations(ground, firewallOperations),
    clusterNameLimit: options.clusterNameLimit ?? DESCRIBED_CLUSTER_NAME_LIMIT,
    executions: () => executions,
    meters: () => stage.meters,
    creditLeft,
    metricsOf: (machine, durationMs) => {
      const now = stage.now();
      const from = now - Math.min(durationMs ?? RETENTION_MS, RETENTION_MS);
      const {cpuCount, gpuCount, ramGb} = machine.flavor;
      const {createdAt, boots, workload: plan} = machine;
      const source = {
        seed: seedFor(seed, machine.id),
        plan,
        cpuCount,
        gpuCount,
        ramGb,
        createdAt,
        boots,
        recordedSince,
      };
      return metricAnswer(source, {from, until: Math.min(now, scenario.metricsEndAt ?? now), now});
    },
  };
}

function contentsOf({id}: Environment, stage: Stage, keyPairs: KeyPairs): Readonly<Record<string, number>> {
  const count = (all: readonly {readonly environment: Environment}[]) =>
    all.filter(({environment}) => environment.id === id).length;
  return {
    'virtual machines': count(stage.machines),
    volumes: count(stage.volumes),
    clusters: count(stage.clusters),
    firewalls: count(stage.firewalls),
    'key pairs': count(keyPairs.all),
  };
}

function startingCredit(scenario: Scenario, machines: readonly Machine[], volumes: readonly Volume[]): number {
  if ('dollars' in scenario.credit) return scenario.credit.dollars * 1e9;
  const burn =
    machines.reduce((sum, machine) => sum + (machine.meter.isExcluded ? 0 : nanoPerHour(machine)), 0) +
    volumes.reduce((sum, volume) => sum + volume.meter.nanoPerHour, 0);
  return burn * scenario.credit.runwayHours;
}

function billedTotal(meters: readonly Meter[], now: number): number {
  return meters.reduce((sum, meter) => sum + billAt(meter, now).nanoDollars, 0);
}
