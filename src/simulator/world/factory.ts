import {AUTOSCALER_USER_ID} from './account.ts';
import {flavorNamed, IMAGES, type Image, kubernetesImage, PLAIN_IMAGE} from './catalogue.ts';
import {type Cluster, clusterFrom} from './cluster.ts';
import {ENVIRONMENT_ID_STEP, type Environment, FIRST_ENVIRONMENT_ID, networkNumber} from './environments.ts';
import type {Firewall} from './firewalls.ts';
import type {Machine} from './machine.ts';
import {createMeter} from './metering.ts';
import {inboundRule, outboundRules, type SecurityRule} from './rules.ts';
import type {
  ClusterSpec,
  EnvironmentSpec,
  FirewallSpec,
  MachineSpec,
  Scenario,
  UnattachedVolumeSpec,
  VolumeSpec,
} from './scenario.ts';
import {attach, type Volume} from './volumes.ts';

/** Assigns ids and addresses and creates the resources that carry them. */
export type Factory = {
  readonly environments: Environment[];
  /** Adds an environment. */
  readonly environment: (spec: EnvironmentSpec, createdAt: number) => Environment;
  readonly machine: (spec: MachineSpec) => Machine;
  /** A volume attached to nothing. */
  readonly volume: (spec: UnattachedVolumeSpec) => Volume;
  readonly cluster: (spec: ClusterSpec) => Cluster;
  /** A firewall, attached to the machines its spec names. */
  readonly firewall: (spec: FirewallSpec, machines: readonly Machine[]) => Firewall;
  readonly ruleId: () => number;
  readonly attachmentId: () => number;
  readonly firewallAttachmentId: () => number;
  readonly clusterId: () => number;
  readonly nodeGroupId: () => number;
  readonly eventId: () => number;
  readonly keyPairId: () => number;
  readonly publicIp: () => string;
  /** Who created a machine: the autoscaler for clusters and CI runners, people for the rest. */
  readonly creatorOf: (machine: Machine) => number;
};

const LAST_MACHINE_ID = 793_412;
const FIRST_VOLUME_ID = 38_104;
const FIRST_RULE_ID = 1_604_220;
const FIRST_ATTACHMENT_ID = 51_877;
const FIRST_NODE_ID = 9204;
const FIRST_FIREWALL_ID = 31_207;
const FIRST_FIREWALL_ATTACHMENT_ID = 12_408;
const FIRST_KEY_PAIR_ID = 21_906;
/** Above the ids of the clusters that scenarios define, with their groups and events. */
const FIRST_CLUSTER_ID = 1702;
const FIRST_NODE_GROUP_ID = 1204;
const FIRST_EVENT_ID = 218_400;
const PEOPLE_IDS: readonly [number, ...number[]] = [5102, 5109, 5117, 5121];
const DAY_MS = 86_400_000;
const ENVIRONMENT_AGE_DAYS = 200;
/** 198.18.0.0/15 is reserved for tests: no address in it belongs to anybody. */
const PUBLIC_NETWORK = {first: 198, second: 18};
/** The office network; a range reserved for documentation. */
const OFFICE_PREFIX = '203.0.113.0/24';

export function createFactory(scenario: Scenario, startedAt: number): Factory {
  const ids = createIds(scenario.machines.length);
  const places = createPlaces(scenario, startedAt, ids.environment);
  const volumeIn = (environment: Environment, spec: VolumeSpec, createdAt: number) =>
    volumeFrom({id: ids.volume(), environment, spec, createdAt});
  return {
    ...places,
    ruleId: ids.rule,
    attachmentId: ids.attachment,
    firewallAttachmentId: ids.firewallAttachment,
    clusterId: ids.cluster,
    nodeGroupId: ids.nodeGroup,
    eventId: ids.event,
    keyPairId: ids.keyPair,
    publicIp: publicIps(),
    cluster: spec => clusterFrom(spec, places.environmentNamed(spec.environmentName)),
    firewall: (spec, machines) => firewallFrom(spec, machines, places.environmentNamed(spec.environmentName), ids),
    volume: spec => volumeIn(places.environmentNamed(spec.environmentName), spec, spec.createdAt),
    creatorOf: machine =>
      machine.cluster !== undefined || machine.name.startsWith('ci-')
        ? AUTOSCALER_USER_ID
        : (PEOPLE_IDS[machine.id % PEOPLE_IDS.length] ?? PEOPLE_IDS[0]),
    machine: spec => {
      const environment = places.environmentNamed(spec.environmentName);
      const id = ids.machine();
      const nodeId = spec.cluster === undefined ? 0 : ids.node();
      return {
        ...newMachine(spec, {id, nodeId, environment, scenario}),
        rules: rulesOf(spec, ids.rule),
        attachments: (spec.volumes ?? []).map((volumeSpec, index) => {
          const volume = volumeIn(environment, volumeSpec, spec.createdAt);
          const place = {machineId: id, index, at: spec.createdAt, isProtected: false};
          return attach(volume, {id: ids.attachment(), ...place});
        }),
        fixedIp: places.fixedIp(environment),
      };
    },
  };
}

// Ids grow by about two, because other customers take some, and end at this year's magnitude.
function createIds(machineCount: number) {
  return {
    environment: countFrom(FIRST_ENVIRONMENT_ID, ENVIRONMENT_ID_STEP),
    machine: countFrom(LAST_MACHINE_ID - machineCount * 2, 2),
    volume: countFrom(FIRST_VOLUME_ID, 3),
    rule: countFrom(FIRST_RULE_ID, 1),
    attachment: countFrom(FIRST_ATTACHMENT_ID, 1),
    node: countFrom(FIRST_NODE_ID, 1),
    firewall: countFrom(FIRST_FIREWALL_ID, 4),
    firewallAttachment: countFrom(FIRST_FIREWALL_ATTACHMENT_ID, 1),
    keyPair: countFrom(FIRST_KEY_PAIR_ID, 3),
    cluster: countFrom(FIRST_CLUSTER_ID, 3),
    nodeGroup: countFrom(FIRST_NODE_GROUP_ID, 1),
    event: countFrom(FIRST_EVENT_ID, 1),
  };
}

type Ids = ReturnType<typeof createIds>;

/** The environments and the private addresses in them. */
function createPlaces(scenario: Scenario, startedAt: number, nextId: () => number) {
  const environments: Environment[] = [];
  const environmentsByFirstName = new Map<string, Environment>();
  const fixedIps = new Map<number, () => number>();

  function addEnvironment({name, regionName}: EnvironmentSpec, createdAt: number): Environment {
    const environment = {id: nextId(), name, regionName, createdAt};
    environments.push(environment);
    return environment;
  }

  for (const [index, spec] of scenario.environments.entries()) {
    const ageMs = scenario.isNewAccount ? 3_000_000 : (ENVIRONMENT_AGE_DAYS - index) * DAY_MS;
    environmentsByFirstName.set(spec.name, addEnvironment(spec, startedAt - ageMs));
  }

  return {
    environments,
    environment: addEnvironment,
    environmentNamed: (name: string): Environment => {
      // Scenarios refer to resources by the names they gave them.
      const environment = environments.find(each => each.name === name) ?? environmentsByFirstName.get(name);
      if (environment === undefined) throw new Error(`The scenario has no environment ${name}.`);
      return environment;
    },
    fixedIp: (environment: Environment): string => {
      const next = fixedIps.get(environment.id) ?? countFrom(4, 1);
      fixedIps.set(environment.id, next);
      const host = next();
      return `10.0.${(networkNumber(environment) + Math.floor(host / 250)) % 250}.${host % 250}`;
    },
  };
}

function newMachine(
  spec: MachineSpec,
  {
    id,
    nodeId,
    environment,
    scenario,
  }: {
    readonly id: number;
    readonly nodeId: number;
    readonly environment: Environment;
    readonly scenario: Scenario;
  },
): Omit<Machine, 'rules' | 'attachments' | 'fixedIp'> {
  const {name, createdAt, contractId, cluster} = spec;
  const flavor = flavorNamed(spec.flavorName, environment.regionName);
  return {
    id,
    name,
    environment,
    flavor,
    image: spec.image ?? imageOf(spec, id, scenario),
    keyPairName: spec.keyPairName ?? `${environment.name}-team`,
    labels: spec.labels ?? [],
    createdAt,
    contract: scenario.contracts.find(contract => contract.id === contractId),
    cluster: cluster && {...cluster, trouble: cluster.trouble, phase: undefined, nodeId},
    workload: spec.workload,
    meter: createMeter({
      resourceId: id,
      resourceType: 'vm',
      name,
      environmentId: environment.id,
      environmentName: environment.name,
      createdAt,
      isExcluded: cluster?.role === 'master',
      compute: {flavor, contractId, clusterId: cluster?.clusterId},
    }),
    boots: [],
    events: [],
    requiresPublicIp: spec.hasPublicIp ?? false,
    isPortRandomized: spec.isPortRandomized ?? false,
    addressChange: undefined,
    isSnapshotting: false,
    callback: undefined,
    floatingIp: undefined,
    status: 'CREATING',
    powerState: undefined,
    metricsEndAt: spec.metricsEndAt,
    stableStatus: undefined,
    operationCount: 0,
  };
}

function volumeFrom({
  id,
  environment,
  spec,
  createdAt,
}: {
  readonly id: number;
  readonly environment: Environment;
  readonly spec: VolumeSpec;
  readonly createdAt: number;
}): Volume {
  return {
    description: '',
    image: undefined,
    callbackUrl: null,
    ...spec,
    id,
    environment,
    createdAt,
    attachments: [],
    status: 'available',
    updatedAt: null,
    meter: createMeter({
      resourceId: id,
      resourceType: 'volume',
      name: spec.name,
      environmentId: environment.id,
      environmentName: environment.name,
      createdAt,
      isExcluded: false,
    }),
  };
}

function firewallFrom(spec: FirewallSpec, machines: readonly Machine[], environment: Environment, ids: Ids): Firewall {
  const {name, description, createdAt, inbound, machineNames} = spec;
  const attached = machines.filter(machine => machineNames.includes(machine.name));
  return {
    id: ids.firewall(),
    name,
    description,
    environment,
    createdAt,
    rules: [...outboundRules(createdAt, ids.rule), ...inbound.map(rule => inboundRule(rule, createdAt, ids.rule()))],
    // No machine can have been attached before it was created.
    attachments: attached.map(machine => ({
      id: ids.firewallAttachment(),
      machineId: machine.id,
      createdAt: Math.max(createdAt, machine.createdAt),
      status: 'SUCCESS',
    })),
    status: 'SUCCESS',
  };
}

function imageOf(spec: MachineSpec, id: number, {clusters}: Scenario): Image {
  const cluster = clusters.find(candidate => candidate.id === spec.cluster?.clusterId);
  if (cluster !== undefined) return kubernetesImage(cluster.kubernetesVersion);
  if (spec.flavorName.startsWith('n1-cpu')) return PLAIN_IMAGE;
  return IMAGES[id % IMAGES.length] ?? IMAGES[0];
}

/** A reachable machine allows ssh from the office, and from the world if its spec says so. */
function rulesOf(spec: MachineSpec, ruleIds: () => number): SecurityRule[] {
  const {createdAt, hasPublicIp, hasNoInboundRule, worldPorts = []} = spec;
  const rules = outboundRules(createdAt, ruleIds);
  if (hasPublicIp !== true || hasNoInboundRule === true) return rules;
  const inbound = (port: number, from: string) => inboundRule({protocol: 'tcp', port, from}, createdAt, ruleIds());
  if (!worldPorts.includes(22)) rules.push(inbound(22, OFFICE_PREFIX));
  return rules.concat(worldPorts.map(port => inbound(port, '0.0.0.0/0')));
}

function publicIps(): () => string {
  const hosts = countFrom(10, 7);
  return () => {
    const host = hosts();
    return `${PUBLIC_NETWORK.first}.${PUBLIC_NETWORK.second + (Math.floor(host / 65_536) % 2)}.${Math.floor(host / 256) % 256}.${host % 256}`;
  };
}

function countFrom(first: number, step: number): () => number {
  let next = first - step;
  return () => {
    next += step;
    return next;
  };
}
