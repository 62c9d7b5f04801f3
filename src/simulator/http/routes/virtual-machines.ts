import type {Machine} from '../../world/machine.ts';
import {DURATIONS} from '../../world/metrics.ts';
import {invalidInput, json, notAcceptable, notFound, succeeded} from '../answer.ts';
import {pageOf} from '../paging.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, FLAG, fields, PAGE_QUERY, pagedList, RECORD, RECORDS, TEXT} from '../schema.ts';
import {machineBody} from './virtual-machine-body.ts';
import {machineEventBody} from './virtual-machine-event.ts';

const READS = {permission: 'machines:read', action: 'read virtual machines'} as const;
const METRICS = fields({
  cpu: RECORD,
  'memory.usages': RECORD,
  'network.in': RECORD,
  'network.out': RECORD,
  'disk.read': RECORD,
  'disk.write': RECORD,
});

export const machineRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/virtual-machines',
    describes: {
      summary: 'List virtual machines',
      query: {...PAGE_QUERY, environment: TEXT, exact_environment_match: FLAG},
      reply: pagedList('instances'),
    },
    requires: READS,
    answer: listMachines,
  },
  {
    method: 'GET',
    pattern: '/core/virtual-machines/contract/:contract_id/virtual-machines',
    describes: {
      summary: 'List the virtual machines under a contract',
      query: PAGE_QUERY,
      reply: pagedList('instances'),
    },
    requires: READS,
    answer: listContracted,
  },
  {
    method: 'GET',
    pattern: '/core/virtual-machines/:vm_id',
    describes: {summary: 'Read a virtual machine', reply: envelope({instance: RECORD})},
    requires: READS,
    // "No address" is null in the list and an empty string here.
    answer: inquiry =>
      withMachine(inquiry, machine =>
        succeeded('Getting virtual machine successful', {
          instance: {
            ...machineBody(machine, inquiry.world),
            floating_ip: machine.floatingIp ?? '',
            excluded_billing: machine.meter.isExcluded,
          },
        }),
      ),
  },
  {
    method: 'GET',
    pattern: '/core/virtual-machines/:vm_id/metrics',
    describes: {
      summary: 'Read the metrics of a virtual machine',
      query: {duration: {type: 'string', enum: [...DURATIONS.keys()]}},
      reply: METRICS,
      refusals: [406],
    },
    requires: READS,
    answer: inquiry => withMachine(inquiry, machine => metricsOf(inquiry, machine)),
  },
  {
    method: 'GET',
    pattern: '/core/virtual-machines/:vm_id/events',
    describes: {summary: 'Read the history of a virtual machine', reply: envelope({instance_events: RECORDS})},
    requires: READS,
    answer: inquiry => withMachine(inquiry, machine => eventsOf(inquiry, machine)),
  },
];

/** Answers about the machine the path names, or says that there is none. */
export function withMachine({world, part}: Inquiry, answer: (machine: Machine) => Response): Response {
  const id = part('vm_id');
  const machine = /^\d{1,15}$/.test(id) ? world.machineById(Number(id)) : undefined;
  return machine === undefined ? notFound(`Virtual machine ${id} does not exist.`) : answer(machine);
}

function listMachines({world, query, queryAll}: Inquiry): Response {
  const environment = query('environment');
  const isExact = query('exact_environment_match')?.toLowerCase() === 'true';
  // The list may come as one parameter or as several.
  const excluded = new Set(queryAll('exclude_firewalls').flatMap(ids => ids.split(',').map(id => id.trim())));
  const firewalled = new Set(
    world.firewalls
      .filter(({id}) => excluded.has(String(id)))
      .flatMap(({attachments}) => attachments.map(({machineId}) => machineId)),
  );
  const found = world.machines.filter(machine => {
    const name = machine.environment.name;
    if (environment !== undefined && !(isExact ? name === environment : name.includes(environment))) return false;
    return !firewalled.has(machine.id);
  });
  return pageOfMachines(found, {world, query});
}

/** The machines that a contract covers. */
function listContracted({world, query, part}: Inquiry): Response {
  const contract = world.contracts.find(({id}) => String(id) === part('contract_id'));
  if (contract === undefined) return notFound(`Contract ${part('contract_id')} does not exist.`);
  const found = world.machines.filter(machine => machine.contract?.id === contract.id);
  return pageOfMachines(found, {world, query});
}

function pageOfMachines(machines: readonly Machine[], {world, query}: Pick<Inquiry, 'world' | 'query'>): Response {
  const search = query('search')?.toLowerCase();
  const found = machines.filter(
    ({name, id}) => search === undefined || name.toLowerCase().includes(search) || String(id).includes(search),
  );
  const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting virtual machines successful', {
    ...page.keys,
    instances: page.records.map(machine => machineBody(machine, world)),
  });
}

// This answer has no envelope.
function metricsOf({world, query}: Inquiry, machine: Machine): Response {
  const asked = query('duration');
  const durationMs = asked === undefined ? undefined : DURATIONS.get(asked);
  if (asked !== undefined && durationMs === undefined) {
    return notAcceptable(`The duration ${asked} is not one of ${[...DURATIONS.keys()].join(', ')}.`);
  }
  return json(world.metricsOf(machine, durationMs));
}

function eventsOf({world}: Inquiry, machine: Machine): Response {
  const events = machine.events.map(event => machineEventBody(event, machine, world.organization.id));
  return succeeded('Getting virtual machine events successful', {instance_events: events});
}
