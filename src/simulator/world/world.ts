import {
  SUBSCRIBED_AT_FIRST,
  type AccountKeys,
  type Contract,
  createOrganization,
  type Organization,
  seededKeys,
} from './account.ts';
import {type ApiKey, startingApiKeys} from './api-keys.ts';
import {type OfferedImage, offeredImages} from './catalogue.ts';
import type {Cluster} from './cluster.ts';
import type {Environment} from './environments.ts';
import {createEventQueue} from './event-queue.ts';
import {createFactory, type Factory} from './factory.ts';
import type {Firewall} from './firewalls.ts';
import {createJobs, type Jobs} from './jobs.ts';
import {type KeyPair, startingKeyPairs} from './key-pairs.ts';
import {nanoPerHour, type Pace} from './lifecycle.ts';
import type {Machine} from './machine.ts';
import {createOutbox, type Outbox} from './machine-operations.ts';
import {billAt, type Meter} from './metering.ts';
import {type MetricAnswer, metricAnswer, RETENTION_MS} from './metrics.ts';
import {createObjectStorage, type ObjectStorage} from './object-storage.ts';
import type {ExecutedVerb, Execution, ExecutionDetail} from './operation.ts';
import {seedFor} from './random.ts';
import {type MachineSpec, playHistory, playScript, type Scenario} from './scenario.ts';
import {addImageSources, type Snapshot} from './snapshots.ts';
import {createStock, type Stock} from './stock.ts';
import {meterVolume, releaseVolumes, type Volume} from './volumes.ts';
import {SLOT_MS} from './workload.ts';

export type WorldOptions = {
  readonly seed: number;
  readonly startedAt: number;
  readonly isFaithful: boolean;
  readonly scenario: Scenario;
  /** The keys made from the seed by default. */
  readonly keys?: AccountKeys;
  /** The service has disabled resizing; this enables it. */
  readonly allowsResize?: boolean;
  /** The longest name a new cluster may have. */
  readonly clusterNameLimit?: number;
};

/**
 * The whole account, without clock, network or randomness of its own: the same seed and the same sequence of moments
 * and operations give the same answers. Moments are epoch milliseconds of the world's time. The functions that change
 * it are beside what they change; each change made by a request records an execution.
 */
export type World = {
  readonly seed: number;
  readonly startedAt: number;
  readonly allowsResize: boolean;
  readonly clusterNameLimit: number;
  readonly organization: Organization;
  readonly keys: AccountKeys;
  /** The keys that requests may use. */
  readonly apiKeys: ApiKey[];
  /** Warnings about the credit, by id. */
  readonly subscribedIds: Set<number>;
  /** A user and a category of e-mails, for each that the user has turned off. */
  readonly unwantedEmails: Set<string>;
  readonly contracts: readonly Contract[];
  readonly images: OfferedImage[];
  readonly snapshots: Snapshot[];
  readonly environments: Environment[];
  /** Existing machines, oldest first. */
  readonly machines: Machine[];
  readonly volumes: Volume[];
  readonly clusters: Cluster[];
  readonly firewalls: Firewall[];
  readonly keyPairs: KeyPair[];
  readonly objectStorage: ObjectStorage;
  /** All billing records, including terminated ones, oldest first. */
  readonly meters: Meter[];
  readonly stock: Stock;
  readonly factory: Factory;
  readonly jobs: Jobs;
  readonly outbox: Outbox;
  readonly executions: readonly Execution[];
  /** Grows with every event: while it stays the same, only values that count time change. */
  readonly changeCount: () => number;
  readonly now: () => number;
  /** How long transitions take from now on. */
  readonly pace: () => Pace;
  readonly schedule: (at: number, run: () => void) => void;
  /** Plays everything due up to a moment. A moment in the past changes nothing. */
  readonly advanceTo: (moment: number) => void;
  /** Records that an operation took effect. */
  readonly executed: (verb: ExecutedVerb, id: number, detail?: ExecutionDetail) => void;
  readonly machineById: (id: number) => Machine | undefined;
  /** Adds a new machine to the lists, in CREATING; what happens next is up to the caller. */
  readonly addMachine: (spec: MachineSpec) => Machine;
  /** Removes a deleted machine from the lists and detaches its volumes. */
  readonly removeMachine: (machine: Machine) => void;
  /** Adds a volume to the lists; it is billed from then on. */
  readonly addVolume: (volume: Volume) => void;
  /** Nano-dollars left. */
  readonly creditLeft: () => number;
  /** Metrics of the last `durationMs`, or everything that is kept. */
  readonly metricsOf: (machine: Machine, durationMs: number | undefined) => MetricAnswer;
};

/** As documented; the live service allows 20 characters. */
export const DESCRIBED_CLUSTER_NAME_LIMIT = 50;

export function createWorld(options: WorldOptions): World {
  const {scenario, startedAt, seed} = options;
  const organization = createOrganization(startedAt, scenario.isNewAccount);
  const keys = options.keys ?? seededKeys(seed);
  const factory = createFactory(scenario, startedAt);
  const timeline = createTimeline();
  const {now} = timeline;
  const {machines, meters, ...inventory} = createInventory(factory, now);
  const executions: Execution[] = [];
  let isOpen = false;
  let creditAtStart = 0;
  let billedAtStart = 0;

  const world: World = {
    seed,
    startedAt,
    allowsResize: options.allowsResize ?? false,
    clusterNameLimit: options.clusterNameLimit ?? DESCRIBED_CLUSTER_NAME_LIMIT,
    organization,
    keys,
    apiKeys: startingApiKeys(organization, keys),
    subscribedIds: new Set(SUBSCRIBED_AT_FIRST),
    unwantedEmails: new Set(),
    contracts: scenario.contracts,
    images: offeredImages(startedAt, scenario.isNewAccount),
    snapshots: [],
    environments: factory.environments,
    machines,
    meters,
    ...inventory,
    clusters: [],
    firewalls: [],
    keyPairs: startingKeyPairs(factory, scenario.keyPairs),
    objectStorage: createObjectStorage(scenario, seed),
    stock: createStock(machines),
    factory,
    jobs: createJobs(),
    outbox: createOutbox(),
    executions,
    changeCount: () => timeline.eventCount() + executions.length,
    now,
    // The past was made by the real service and took its time; what follows goes at the requested pace.
    pace: () => (options.isFaithful || !isOpen ? 'faithful' : 'quick'),
    schedule: timeline.schedule,
    advanceTo: timeline.advanceTo,
    executed: (verb, id, detail) => executions.push({verb, id, at: now(), ...detail}),
    creditLeft: () => creditAtStart - (billedTotal(meters, now()) - billedAtStart),
    metricsOf: (machine, durationMs) => metricsOf(machine, durationMs, {seed, startedAt, scenario, now: now()}),
  };

  playHistory(world, scenario);
  addImageSources(world, organization.users[0]?.id ?? 0);
  world.stock.open();
  isOpen = true;
  playScript(world, scenario);
  creditAtStart = startingCredit(scenario, world);
  billedAtStart = billedTotal(meters, startedAt);
  return world;
}

/** Owns the present moment and the scheduled events. */
function createTimeline(): Pick<World, 'now' | 'schedule' | 'advanceTo'> & {readonly eventCount: () => number} {
  const queue = createEventQueue();
  let moment = Number.NEGATIVE_INFINITY;
  let eventCount = 0;
  return {
    now: () => moment,
    eventCount: () => eventCount,
    schedule: queue.schedule,
    advanceTo: target => {
      for (let event = queue.takeDue(target); event !== undefined; event = queue.takeDue(target)) {
        moment = event.at;
        eventCount += 1;
        event.run();
      }
      moment = Math.max(moment, target);
    },
  };
}

/** Owns the machines and volumes, and their bills. */
function createInventory(
  factory: Factory,
  now: () => number,
): Pick<World, 'machines' | 'volumes' | 'meters' | 'machineById' | 'addMachine' | 'removeMachine' | 'addVolume'> {
  const machines: Machine[] = [];
  const machinesById = new Map<number, Machine>();
  const volumes: Volume[] = [];
  const meters: Meter[] = [];

  function addVolume(volume: Volume): void {
    volumes.push(volume);
    meters.push(volume.meter);
    meterVolume(volume, volume.createdAt);
  }

  return {
    machines,
    volumes,
    meters,
    machineById: id => machinesById.get(id),
    addMachine: spec => {
      const machine = factory.machine({...spec, createdAt: now()});
      machines.push(machine);
      machinesById.set(machine.id, machine);
      meters.push(machine.meter);
      for (const {volume} of machine.attachments) addVolume(volume);
      return machine;
    },
    removeMachine: machine => {
      releaseVolumes(machine, now());
      machines.splice(machines.indexOf(machine), 1);
      machinesById.delete(machine.id);
    },
    addVolume,
  };
}

function metricsOf(
  machine: Machine,
  durationMs: number | undefined,
  {seed, startedAt, scenario, now}: Pick<WorldOptions, 'seed' | 'startedAt' | 'scenario'> & {readonly now: number},
): MetricAnswer {
  const from = now - Math.min(durationMs ?? RETENTION_MS, RETENTION_MS);
  const {cpuCount, gpuCount, ramGb} = machine.flavor;
  const {createdAt, boots, workload: plan} = machine;
  const recordedSince = Math.floor((startedAt - RETENTION_MS) / SLOT_MS) * SLOT_MS;
  const source = {seed: seedFor(seed, machine.id), plan, cpuCount, gpuCount, ramGb, createdAt, boots, recordedSince};
  const until = Math.min(now, machine.metricsEndAt ?? now, scenario.metricsEndAt ?? now);
  return metricAnswer(source, {from, until, now});
}

function startingCredit({credit}: Scenario, {machines, volumes}: World): number {
  if ('dollars' in credit) return credit.dollars * 1e9;
  const burn =
    machines.reduce((sum, machine) => sum + (machine.meter.isExcluded ? 0 : nanoPerHour(machine)), 0) +
    volumes.reduce((sum, volume) => sum + volume.meter.nanoPerHour, 0);
  return burn * credit.runwayHours;
}

function billedTotal(meters: readonly Meter[], now: number): number {
  return meters.reduce((sum, meter) => sum + billAt(meter, now).nanoDollars, 0);
}
