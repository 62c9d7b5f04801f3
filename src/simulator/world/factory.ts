import {AUTOSCALER_USER_ID} from './account.ts';
import {flavorNamed, IMAGES, type Image, kubernetesImage, PLAIN_IMAGE} from './catalogue.ts';
import {type Cluster, createCluster} from './cluster.ts';
import type {Firewall} from './firewall.ts';
import type {Environment, Machine, SecurityRule, Volume, VolumeAttachment} from './machine.ts';
import {createMeter} from './metering.ts';
import type {
  Blueprint,
  ClusterBlueprint,
  EnvironmentBlueprint,
  FirewallBlueprint,
  Scenario,
  UnattachedVolumeBlueprint,
  VolumeBlueprint,
} from './scenario.ts';
import {inwardRule, outwardRules} from './starting-rules.ts';
import {ENVIRONMENT_ID_STEP, FIRST_ENVIRONMENT_ID, networkNumber} from './subnet.ts';
import {attach} from './volumes.ts';

/** Gives out ids and addresses and makes the resources that carry them. */
export type Issuer = {
  readonly environments: Environment[];
  /** Adds an environment to the others. */
  readonly environment: (wish: EnvironmentBlueprint, createdAt: number) => Environment;
  readonly machine: (blueprint: Blueprint) => Machine;
  /** A volume that hangs on nothing. */
  readonly volume: (blueprint: UnattachedVolumeBlueprint) => Volume;
  readonly cluster: (blueprint: ClusterBlueprint) => Cluster;
  /** A firewall, attached to those of the machines that its blueprint names. */
  readonly firewall: (blueprint: FirewallBlueprint, machines: readonly Machine[]) => Firewall;
  readonly ruleId: () => number;
  readonly attachmentId: () => number;
  readonly firewallAttachmentId: () => number;
  readonly clusterId: () => number;
  readonly nodeGroupId: () => number;
  readonly eventId: () => number;
  readonly publicIp: () => string;
  /** Who made a machine: the clusters and CI runners belong to the autoscaler, the rest to people. */
  readonly creatorOf: (machine: Machine) => number;
};

const LAST_MACHINE_ID = 793_412;
const FIRST_VOLUME_ID = 38_104;
const FIRST_RULE_ID = 1_604_220;
const FIRST_ATTACHMENT_ID = 51_877;
const FIRST_NODE_ID = 9204;
const FIRST_FIREWALL_ID = 31_207;
const FIRST_FIREWALL_ATTACHMENT_ID = 12_408;
/** Above those of the clusters that scenarios bring, with their groups and events. */
const FIRST_CLUSTER_ID = 1702;
const FIRST_NODE_GROUP_ID = 1204;
const FIRST_EVENT_ID = 218_400;
const PEOPLE_IDS: readonly [number, ...number[]] = [5102, 5109, 5117, 5121];
const DAY_MS = 86_400_000;
const ENVIRONMENT_AGE_DAYS = 200;
/** 198.18.0.0/15 is set aside for tests: no address in it belongs to anybody. */
const PUBLIC_NETWORK = {first: 198, second: 18};
/** Where people sit; a documentation network. */
const OFFICE_PREFIX = '203.0.113.0/24';

export function createIssuer(scenario: Scenario, startedAt: number): Issuer {
  const environments: Environment[] = [];
  const environmentsByFirstName = new Map<string, Environment>();
  const environmentIds = countFrom(FIRST_ENVIRONMENT_ID, ENVIRONMENT_ID_STEP);
  // Ids grow by two or so, as other customers take their share, and end at the magnitude of the year.
  const machineIds = countFrom(LAST_MACHINE_ID - scenario.blueprints.length * 2, 2);
  const volumeIds = countFrom(FIRST_VOLUME_ID, 3);
  const ruleIds = countFrom(FIRST_RULE_ID, 1);
  const attachmentIds = countFrom(FIRST_ATTACHMENT_ID, 1);
  const nodeIds = countFrom(FIRST_NODE_ID, 1);
  const firewallIds = countFrom(FIRST_FIREWALL_ID, 4);
  const firewallAttachmentIds = countFrom(FIRST_FIREWALL_ATTACHMENT_ID, 1);
  const publicIps = countFrom(10, 7);
  const fixedIps = new Map<number, () => number>();

  function addEnvironment({name, regionName}: EnvironmentBlueprint, createdAt: number): Environment {
    const environment = {id: environmentIds(), name, regionName, createdAt};
    environments.push(environment);
    return environment;
  }

  for (const [index, blueprint] of scenario.environments.entries()) {
    const ageMs = scenario.isNewAccount ? 3_000_000 : (ENVIRONMENT_AGE_DAYS - index) * DAY_MS;
    environmentsByFirstName.set(blueprint.name, addEnvironment(blueprint, startedAt - ageMs));
  }

  function environmentNamed(name: string): Environment {
    // What a scenario still has to do, it says under the names that it gave.
    const environment = environments.find(candidate => candidate.name === name) ?? environmentsByFirstName.get(name);
    if (environment === undefined) throw new Error(`The scenario has no environment ${name}.`);
    return environment;
  }

  function fixedIp(environment: Environment): string {
    const next = fixedIps.get(environment.id) ?? countFrom(4, 1);
    fixedIps.set(environment.id, next);
    const host = next();
    return `10.0.${(networkNumber(environment) + Math.floor(host / 250)) % 250}.${host % 250}`;
  }

  function createVolume(blueprint: VolumeBlueprint, environment: Environment, createdAt: number): Volume {
    const id = volumeIds();
    return {
      description: '',
      image: undefined,
      callbackUrl: null,
      ...blueprint,
      id,
      environment,
      createdAt,
      attachments: [],
      status: 'available',
      updatedAt: null,
      meter: createMeter({
        resourceId: id,
        resourceType: 'volume',
        name: blueprint.name,
        environmentId: environment.id,
        environmentName: environment.name,
        createdAt,
        isExcluded: false,
      }),
    };
  }

  function attachmentsOf(blueprint: Blueprint, environment: Environment, machineId: number): VolumeAttachment[] {
    return (blueprint.volumes ?? []).map((wish, index) => {
      const volume = createVolume(wish, environment, blueprint.createdAt);
      return attach(volume, {id: attachmentIds(), machineId, index, at: blueprint.createdAt, isProtected: false});
    });
  }

  return {
    environments,
    environment: addEnvironment,
    publicIp: () => {
      const host = publicIps();
      return `${PUBLIC_NETWORK.first}.${PUBLIC_NETWORK.second + (Math.floor(host / 65_536) % 2)}.${Math.floor(host / 256) % 256}.${host % 256}`;
    },
    ruleId: ruleIds,
    attachmentId: attachmentIds,
    firewallAttachmentId: firewallAttachmentIds,
    clusterId: countFrom(FIRST_CLUSTER_ID, 3),
    nodeGroupId: countFrom(FIRST_NODE_GROUP_ID, 1),
    eventId: countFrom(FIRST_EVENT_ID, 1),
    cluster: blueprint => createCluster(blueprint, environmentNamed(blueprint.environmentName)),
    firewall: (blueprint, machines) => {
      const {name, description, createdAt, inward, machineNames} = blueprint;
      const attached = machines.filter(machine => machineNames.includes(machine.name));
      return {
        id: firewallIds(),
        name,
        description,
        environment: environmentNamed(blueprint.environmentName),
        createdAt,
        rules: [...outwardRules(createdAt, ruleIds), ...inward.map(rule => inwardRule(rule, createdAt, ruleIds()))],
        // No machine can have been attached before it was there.
        attachments: attached.map(machine => ({
          id: firewallAttachmentIds(),
          machineId: machine.id,
          createdAt: Math.max(createdAt, machine.createdAt),
          status: 'SUCCESS',
        })),
        status: 'SUCCESS',
      };
    },
    volume: blueprint => createVolume(blueprint, environmentNamed(blueprint.environmentName), blueprint.createdAt),
    creatorOf: machine =>
      machine.cluster !== undefined || machine.name.startsWith('ci-')
        ? AUTOSCALER_USER_ID
        : (PEOPLE_IDS[machine.id % PEOPLE_IDS.length] ?? PEOPLE_IDS[0]),
    machine: blueprint => {
      const environment = environmentNamed(blueprint.environmentName);
      const id = machineIds();
      return {
        id,
        name: blueprint.name,
        environment,
        flavor: flavorNamed(blueprint.flavorName, environment.regionName),
        image: blueprint.image ?? imageOf(blueprint, id, scenario),
        keyPairName: blueprint.keyPairName ?? `${environment.name}-team`,
        labels: blueprint.labels ?? [],
        createdAt: blueprint.createdAt,
        contract: scenario.contracts.find(contract => contract.id === blueprint.contractId),
        cluster: blueprint.cluster && {
          ...blueprint.cluster,
          trouble: blueprint.cluster.trouble,
          stage: undefined,
          nodeId: nodeIds(),
        },
        workload: blueprint.workload,
        meter: createMeter({
          resourceId: id,
          resourceType: 'vm',
          name: blueprint.name,
          environmentId: environment.id,
          environmentName: environment.name,
          createdAt: blueprint.createdAt,
          isExcluded: blueprint.cluster?.role === 'master',
          compute: {
            flavor: flavorNamed(blueprint.flavorName, environment.regionName),
            contractId: blueprint.contractId,
            clusterId: blueprint.cluster?.clusterId,
          },
        }),
        rules: rulesOf(blueprint, ruleIds),
        attachments: attachmentsOf(blueprint, environment, id),
        boots: [],
        events: [],
        requiresPublicIp: blueprint.hasPublicIp ?? false,
        isPortRandomized: blueprint.isPortRandomized ?? false,
        addressChange: undefined,
        callback: undefined,
        fixedIp: fixedIp(environment),
        floatingIp: undefined,
        status: 'CREATING',
        stableStatus: undefined,
        operationCount: 0,
      };
    },
  };
}

function countFrom(first: number, step: number): () => number {
  let next = first - step;
  return () => {
    next += step;
    return next;
  };
}

function imageOf(blueprint: Blueprint, id: number, {clusters}: Scenario): Image {
  const cluster = clusters.find(candidate => candidate.id === blueprint.cluster?.clusterId);
  if (cluster !== undefined) return kubernetesImage(cluster.kubernetesVersion);
  if (blueprint.flavorName.startsWith('n1-cpu')) return PLAIN_IMAGE;
  return IMAGES[id % IMAGES.length] ?? IMAGES[0];
}

/** A reachable machine lets the office in by ssh, and the world in where it is told to. */
function rulesOf(blueprint: Blueprint, ruleIds: () => number): SecurityRule[] {
  const {createdAt, worldPorts = []} = blueprint;
  const rules = outwardRules(createdAt, ruleIds);
  if (blueprint.hasPublicIp !== true) return rules;
  const inward = (port: number, from: string) => inwardRule({protocol: 'tcp', port, from}, createdAt, ruleIds());
  if (!worldPorts.includes(22)) rules.push(inward(22, OFFICE_PREFIX));
  return rules.concat(worldPorts.map(port => inward(port, '0.0.0.0/0')));
}
