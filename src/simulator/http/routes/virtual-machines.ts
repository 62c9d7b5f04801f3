import * as z from 'zod';
import type {Environment} from '../../world/environments.ts';
import type {Machine, MachineEvent, Status} from '../../world/machine.ts';
import {
  createMachines,
  MACHINE_NAME_LIMIT,
  type MachineRequest,
  namesOf,
  takenNames,
} from '../../world/machine-creation.ts';
import {billAt} from '../../world/metering.ts';
import {DURATIONS} from '../../world/metrics.ts';
import type {VolumeAttachment} from '../../world/volumes.ts';
import type {World} from '../../world/world.ts';
import {answered, badRequest, invalidInput, json, notAcceptable, notFound, succeeded} from '../answers.ts';
import {answerPage, finder} from '../paging.ts';
import {idIn, type Route, type RouteRequest, route} from '../route.ts';
import {
  CALLBACK_URL,
  EXISTING_NAME,
  envelope,
  FLAG,
  ID,
  INTEGER,
  NUMBER,
  optional,
  PAGE_QUERY,
  pagedList,
  RECORD,
  TEXT,
  text,
} from '../schema.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {FLAVOR_PART, flavorPart} from './catalogue.ts';
import {ENVIRONMENT, environmentFeatures} from './environments.ts';
import {RULE, RULE_REQUEST, ruleBody, ruleFields, ruleMistake} from './rules.ts';

const READS = {permission: 'machines:read', action: 'read virtual machines'} as const;
const LARGEST_COUNT = 250;
const SECONDS_PER_MINUTE = 60;
const MACHINE_NAME = text(1, MACHINE_NAME_LIMIT);

export const MACHINE = z.object({
  id: ID,
  name: TEXT,
  status: TEXT,
  environment: ENVIRONMENT.omit({created_at: true}).extend({org_id: ID}),
  image: z.object({name: TEXT}).nullable(),
  flavor: FLAVOR_PART,
  os: TEXT,
  keypair: z.object({name: TEXT}),
  volume_attachments: z.array(
    z.object({
      id: ID,
      status: TEXT,
      device: TEXT,
      protected: FLAG,
      created_at: TEXT,
      volume: z.object({
        id: ID,
        name: TEXT,
        description: TEXT,
        volume_type: TEXT,
        size: INTEGER.meta({description: 'Gigabytes.'}),
        bootable: FLAG,
      }),
    }),
  ),
  power_state: TEXT.nullable(),
  vm_state: TEXT.nullable(),
  fixed_ip: TEXT.nullable(),
  floating_ip: TEXT.nullable(),
  floating_ip_status: TEXT,
  security_rules: z.array(RULE),
  callback_url: TEXT.nullable(),
  locked: FLAG,
  contract_id: ID.nullable(),
  labels: z.array(TEXT),
  created_at: TEXT,
  features: RECORD,
  is_snapshotting: FLAG,
  cluster_id: ID.nullable(),
  port_randomization: FLAG,
  port_randomization_status: TEXT,
  requires_public_ip: FLAG,
});
/** A new machine. Whether it has enhanced monitoring is only in this answer, and only if it was requested. */
const NEW_MACHINE = MACHINE.extend({enhanced_monitoring_enabled: FLAG.optional()});
/** A machine as listed under its contract. */
const CONTRACTED_MACHINE = MACHINE.extend({
  flavor_name: TEXT,
  gpu_count: INTEGER,
  termination_time: TEXT.nullable(),
  total_usage_time: INTEGER.meta({description: 'Seconds.'}),
  cluster: z.object({id: ID, name: TEXT}).nullable(),
});
const MACHINE_EVENT = z.object({
  instance_id: ID,
  user_id: ID,
  org_id: ID,
  time: TEXT,
  type: TEXT,
  reason: TEXT,
  object: TEXT.meta({description: 'The name of the machine.'}),
  message: TEXT,
});
const SERIES = z.object({unit: TEXT, columns: z.array(TEXT), data: z.array(z.array(z.union([TEXT, NUMBER])))});

/** The settings of new machines. `user_data` and `profile` have no effect that this interface would show. */
const CREATION = z.strictObject({
  name: MACHINE_NAME,
  environment_name: EXISTING_NAME,
  flavor_name: EXISTING_NAME,
  key_name: EXISTING_NAME,
  count: z.int().min(1).max(LARGEST_COUNT),
  image_name: optional(EXISTING_NAME),
  volume_name: optional(EXISTING_NAME),
  create_bootable_volume: optional(FLAG),
  assign_floating_ip: optional(FLAG),
  enable_port_randomization: optional(FLAG),
  enhanced_monitoring_enabled: optional(FLAG),
  user_data: optional(text(0, 65_535)),
  callback_url: optional(CALLBACK_URL),
  labels: optional(z.array(EXISTING_NAME)),
  profile: optional(z.looseObject({name: MACHINE_NAME, description: text(0, 250).optional()})),
  flavor: optional(RECORD),
  security_rules: optional(z.array(RULE_REQUEST)),
});

export const machineRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/core/virtual-machines',
    summary: 'Create virtual machines',
    requires: {permission: 'machines:operate', action: 'create virtual machines'},
    body: CREATION,
    reply: envelope({instances: z.array(NEW_MACHINE)}),
    refusals: [404, 409],
    answer: ({world, caller, read}) =>
      read(body => {
        const rules = (body.security_rules ?? []).map(ruleFields);
        const [mistake] = rules.flatMap(rule => ruleMistake(rule) ?? []);
        if (body.flavor !== undefined) return badRequest('Custom flavors are not available to you.');
        if (mistake !== undefined) return badRequest(mistake);
        return answered(createMachines(world, {...requestOf(body), rules}, caller.user.id), machines =>
          succeeded('Virtual machine creation scheduled', {
            instances: machines.map(machine => ({
              ...machineBody(machine, world),
              enhanced_monitoring_enabled: body.enhanced_monitoring_enabled,
            })),
          }),
        );
      }),
  }),
  route({
    method: 'GET',
    path: '/core/virtual-machines/name-availability/:name',
    summary: 'Check whether a name is free for virtual machines',
    requires: READS,
    query: z.object({count: z.int().min(1).max(LARGEST_COUNT).optional()}),
    // This answer is a bare object.
    reply: z.object({name: TEXT, available: FLAG, message: TEXT}),
    answer: nameAvailability,
  }),
  route({
    method: 'GET',
    path: '/core/virtual-machines',
    summary: 'List virtual machines',
    isTimeless: true,
    requires: READS,
    query: PAGE_QUERY.extend({
      environment: TEXT.optional(),
      exact_environment_match: FLAG.optional(),
      exclude_firewalls: z.array(ID).meta({description: 'Machines behind one of them are left out.'}).optional(),
    }),
    reply: pagedList('instances', MACHINE),
    answer: request => {
      const {world} = request;
      const [isFound, isThere] = [finder(request), environmentFilter(request)];
      const firewalled = firewalledMachines(request);
      const found = world.machines.filter(
        ({id, name, environment}) => isThere(environment) && !firewalled.has(id) && isFound(name, id),
      );
      return answerPage(request, found, {
        message: 'Getting virtual machines successful',
        name: 'instances',
        bodyOf: machine => machineBody(machine, world),
      });
    },
  }),
  route({
    method: 'GET',
    path: '/core/virtual-machines/contract/:contract_id/virtual-machines',
    summary: 'List the virtual machines under a contract',
    requires: READS,
    query: PAGE_QUERY,
    reply: pagedList('instances', CONTRACTED_MACHINE),
    answer: request => {
      const {world, param} = request;
      const contract = world.contracts.find(({id}) => String(id) === param('contract_id'));
      if (contract === undefined) return notFound(`Contract ${param('contract_id')} does not exist.`);
      const isFound = finder(request);
      const found = world.machines.filter(
        ({contract: cover, name, id}) => cover?.id === contract.id && isFound(name, id),
      );
      return answerPage(request, found, {
        message: 'Getting virtual machines successful',
        name: 'instances',
        bodyOf: machine => contractedBody(machine, world),
      });
    },
  }),
  route({
    method: 'GET',
    path: '/core/virtual-machines/:vm_id',
    summary: 'Read a virtual machine',
    requires: READS,
    reply: envelope({instance: MACHINE.extend({excluded_billing: FLAG})}),
    // "No address" is null in the list and an empty string here.
    answer: request =>
      withMachine(request, machine =>
        succeeded('Getting virtual machine successful', {
          instance: {
            ...machineBody(machine, request.world),
            floating_ip: machine.floatingIp ?? '',
            excluded_billing: machine.meter.isExcluded,
          },
        }),
      ),
  }),
  route({
    method: 'GET',
    path: '/core/virtual-machines/:vm_id/metrics',
    summary: 'Read the metrics of a virtual machine',
    requires: READS,
    query: z.object({duration: z.enum([...DURATIONS.keys()]).optional()}),
    // This answer is a bare object.
    reply: z.object({
      cpu: SERIES,
      'memory.usages': SERIES,
      'network.in': SERIES,
      'network.out': SERIES,
      'disk.read': SERIES,
      'disk.write': SERIES,
    }),
    refusals: [406],
    answer: request =>
      withMachine(request, machine => {
        const asked = request.query('duration');
        const durationMs = asked === undefined ? undefined : DURATIONS.get(asked);
        return asked !== undefined && durationMs === undefined
          ? notAcceptable(`The duration ${asked} is not one of ${[...DURATIONS.keys()].join(', ')}.`)
          : json(request.world.metricsOf(machine, durationMs));
      }),
  }),
  route({
    method: 'GET',
    path: '/core/virtual-machines/:vm_id/events',
    summary: 'Read the history of a virtual machine',
    requires: READS,
    reply: envelope({instance_events: z.array(MACHINE_EVENT)}),
    answer: request =>
      withMachine(request, machine => {
        const {organization} = request.world;
        const events = machine.events.map(event => machineEventBody(event, machine, organization.id));
        return succeeded('Getting virtual machine events successful', {instance_events: events});
      }),
  }),
];

/** Answers about the machine in the path, or says that there is none. */
export function withMachine(
  {world, param}: Pick<RouteRequest, 'world' | 'param'>,
  answer: (machine: Machine) => Response,
): Response {
  const machine = world.machineById(idIn(param('vm_id')));
  return machine === undefined ? notFound(`Virtual machine ${param('vm_id')} does not exist.`) : answer(machine);
}

/** A line of a machine's history. It has no id; clients identify it by time, reason and message. */
export function machineEventBody(
  event: MachineEvent,
  {id, name}: {readonly id: number; readonly name: string},
  organizationId: number,
): z.output<typeof MACHINE_EVENT> {
  return {
    instance_id: id,
    user_id: event.userId,
    org_id: organizationId,
    time: bareTimestamp(event.at),
    type: event.type,
    reason: event.reason,
    object: name,
    message: event.message,
  };
}

/** The state of a machine's public address; a machine without one has a three-word text instead. */
export function floatingIpStatus(machine: Machine): string {
  if (machine.addressChange !== undefined) return machine.addressChange;
  if (machine.floatingIp !== undefined) return 'ATTACHED';
  const isComing = machine.requiresPublicIp && ['CREATING', 'BUILD', 'RESTORING'].includes(machine.status);
  return isComing ? 'ATTACHING' : 'NO FLOATING IP';
}

function requestOf(body: z.output<typeof CREATION>): Omit<MachineRequest, 'rules'> {
  return {
    name: body.name,
    count: body.count,
    environmentName: body.environment_name,
    flavorName: body.flavor_name,
    keyPairName: body.key_name,
    imageName: body.image_name,
    volumeName: body.volume_name,
    createsBootableVolume: body.create_bootable_volume ?? false,
    assignsPublicIp: body.assign_floating_ip ?? false,
    // The service does this unless told not to.
    isPortRandomized: body.enable_port_randomization ?? true,
    labels: body.labels ?? [],
    callbackUrl: body.callback_url,
  };
}

function nameAvailability({world, param, query}: RouteRequest): Response {
  const count = query('count') ?? '1';
  if (!/^[1-9]\d{0,2}$/.test(count) || Number(count) > LARGEST_COUNT) {
    return invalidInput({count: `must be an integer from 1 to ${LARGEST_COUNT}`});
  }
  const name = param('name');
  const available = takenNames(world, namesOf({name, count: Number(count)})).length === 0;
  const message = available ? `The name ${name} is available.` : `The name ${name} is taken.`;
  return json({name, available, message});
}

function environmentFilter({query}: RouteRequest): (environment: Environment) => boolean {
  const asked = query('environment');
  const isExact = query('exact_environment_match')?.toLowerCase() === 'true';
  return ({name}) => asked === undefined || (isExact ? name === asked : name.includes(asked));
}

/** The machines behind the firewalls to be excluded. */
function firewalledMachines({world, queryAll}: RouteRequest): ReadonlySet<number> {
  // The list may be given as one parameter or as several.
  const excluded = new Set(queryAll('exclude_firewalls').flatMap(ids => ids.split(',').map(id => id.trim())));
  return new Set(
    world.firewalls
      .filter(({id}) => excluded.has(String(id)))
      .flatMap(({attachments}) => attachments.map(({machineId}) => machineId)),
  );
}

/** A machine as in the list. */
export function machineBody(machine: Machine, world: World): z.output<typeof MACHINE> {
  const {environment, flavor, stableStatus} = machine;
  return {
    id: machine.id,
    name: machine.name,
    status: machine.status,
    environment: {
      id: environment.id,
      name: environment.name,
      org_id: world.organization.id,
      region: environment.regionName,
      features: environmentFeatures(environment),
    },
    // A machine started from a volume has no image.
    image: machine.image.name === '' ? null : {name: machine.image.name},
    flavor: flavorPart(flavor),
    os: machine.image.os,
    keypair: {name: machine.keyPairName},
    volume_attachments: machine.attachments.map(attachmentBody),
    // A machine that has never been up has no power state, address or rules.
    power_state: stableStatus === undefined ? null : (machine.powerState ?? POWER_STATES[stableStatus] ?? 'NOSTATE'),
    vm_state: stableStatus === undefined ? null : (VM_STATES[stableStatus] ?? 'error'),
    fixed_ip: stableStatus === undefined ? null : (machine.fixedIp ?? null),
    floating_ip: machine.floatingIp ?? null,
    floating_ip_status: floatingIpStatus(machine),
    security_rules: stableStatus === undefined ? [] : machine.rules.map(ruleBody),
    callback_url: machine.callback?.url ?? null,
    locked: false,
    contract_id: machine.contract?.id ?? null,
    labels: [...machine.labels],
    created_at: bareTimestamp(machine.createdAt),
    features: {},
    is_snapshotting: machine.isSnapshotting,
    cluster_id: machine.cluster?.clusterId ?? null,
    port_randomization: machine.isPortRandomized,
    port_randomization_status: portRandomizationStatus(machine),
    requires_public_ip: machine.requiresPublicIp,
  };
}

function contractedBody(machine: Machine, world: World): z.output<typeof CONTRACTED_MACHINE> {
  const {flavor, meter} = machine;
  const cluster = world.clusters.find(({id}) => id === machine.cluster?.clusterId);
  return {
    ...machineBody(machine, world),
    flavor_name: flavor.name,
    gpu_count: flavor.gpuCount,
    termination_time: meter.terminatedAt === null ? null : bareTimestamp(meter.terminatedAt),
    total_usage_time: billAt(meter, world.now()).minutes * SECONDS_PER_MINUTE,
    cluster: cluster === undefined ? null : {id: cluster.id, name: cluster.name},
  };
}

// Both states come from the compute layer, which only knows stable states.
const VM_STATES: Partial<Record<Status, string>> = {
  ACTIVE: 'active',
  SHUTOFF: 'stopped',
  HIBERNATED: 'shelved_offloaded',
  ERROR: 'error',
};
const POWER_STATES: Partial<Record<Status, string>> = {
  ACTIVE: 'RUNNING',
  SHUTOFF: 'SHUTDOWN',
  HIBERNATED: 'SHUTDOWN',
  ERROR: 'NOSTATE',
};

function portRandomizationStatus({floatingIp, isPortRandomized}: Machine): string {
  if (floatingIp === undefined) return 'NO_FLOATING_IP';
  return isPortRandomized ? 'ENABLED' : 'DISABLED';
}

function attachmentBody({id, status, volume, device, createdAt, isProtected}: VolumeAttachment) {
  return {
    id,
    status,
    device,
    protected: isProtected,
    created_at: zuluTimestamp(createdAt),
    volume: {
      id: volume.id,
      name: volume.name,
      description: volume.description,
      volume_type: 'Cloud-SSD',
      size: volume.sizeGb,
      bootable: volume.isBootable ?? false,
    },
  };
}
