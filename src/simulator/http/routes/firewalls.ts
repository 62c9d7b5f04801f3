import type {Firewall, FirewallAttachment} from '../../world/firewalls.ts';
import {createFirewall as createWorldFirewall, deleteFirewall, setMachines} from '../../world/firewalls.ts';
import type {World} from '../../world/world.ts';
import {invalidInput, notFound, succeeded} from '../answer.ts';
import {readBody} from '../body.ts';
import {pageOf} from '../paging.ts';
import type {Inquiry, Route} from '../route.ts';
import {envelope, fields, ID, listOf, NAME, PAGE_QUERY, pagedList, RECORD, TEXT} from '../schema.ts';
import {bareTimestamp, zuluTimestamp} from '../timestamps.ts';
import {environmentFeatures} from './features.ts';
import {answered} from './outcome-answer.ts';
import {ruleBody} from './rule-body.ts';

const READS = {permission: 'firewalls:read', action: 'read firewalls'} as const;
const OPERATES = {permission: 'firewalls:operate', action: 'change firewalls'} as const;
const CREATION = fields({name: NAME, environment_id: ID}, {description: {type: 'string', maxLength: 255}});
const MACHINES = fields({vms: listOf(ID)});

export const firewallRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: '/core/firewalls',
    describes: {summary: 'List firewalls', query: {...PAGE_QUERY, environment: TEXT}, reply: pagedList('firewalls')},
    requires: READS,
    answer: listFirewalls,
  },
  {
    method: 'GET',
    pattern: '/core/firewalls/:firewall_id',
    describes: {summary: 'Read a firewall with its rules and attachments', reply: envelope({firewall: RECORD})},
    requires: READS,
    answer: inquiry =>
      withFirewall(inquiry, firewall =>
        succeeded('Getting firewall successful', {firewall: firewallBody(firewall, inquiry.world)}),
      ),
  },
  {
    method: 'POST',
    pattern: '/core/firewalls',
    requires: OPERATES,
    takesBody: true,
    describes: {
      summary: 'Create a firewall in an environment',
      body: CREATION,
      reply: envelope({firewall: RECORD}),
      refusals: [404, 409],
    },
    answer: createFirewall,
  },
  {
    method: 'DELETE',
    pattern: '/core/firewalls/:firewall_id',
    requires: OPERATES,
    describes: {summary: 'Delete a firewall', refusals: [400]},
    answer: inquiry =>
      withFirewall(inquiry, firewall =>
        answered(deleteFirewall(inquiry.world, firewall), () => succeeded('Firewall deletion scheduled')),
      ),
  },
  {
    method: 'POST',
    pattern: '/core/firewalls/:firewall_id/update-attachments',
    requires: OPERATES,
    takesBody: true,
    describes: {summary: 'Set the virtual machines behind a firewall', body: MACHINES},
    answer: inquiry => withFirewall(inquiry, firewall => updateAttachments(inquiry, firewall)),
  },
];

/** Answers about the firewall the path names, or says that there is none. */
export function withFirewall({world, part}: Inquiry, answer: (firewall: Firewall) => Response): Response {
  const firewall = world.firewalls.find(({id}) => String(id) === part('firewall_id'));
  return firewall === undefined ? notFound(`Firewall ${part('firewall_id')} does not exist.`) : answer(firewall);
}

function listFirewalls({world, query}: Inquiry): Response {
  const search = query('search')?.toLowerCase() ?? '';
  const environment = query('environment');
  const found = world.firewalls.filter(firewall => {
    const isThere = environment === undefined || firewall.environment.name === environment;
    return isThere && (firewall.name.toLowerCase().includes(search) || String(firewall.id).includes(search));
  });
  const page = pageOf(found, {page: query('page'), pageSize: query('pageSize')});
  if (!page.isValid) return invalidInput(page.errors);
  return succeeded('Getting firewalls successful', {
    ...page.keys,
    firewalls: page.records.map(firewall => firewallBody(firewall, world)),
  });
}

/** A new one comes back without rules and attachments; it has its two rules all the same. */
function createFirewall({world, body}: Inquiry): Response {
  const reading = readBody(body, CREATION);
  if (!reading.isValid) return reading.refusal;
  const {text, integer} = reading.fields;
  const order = {
    name: text('name') ?? '',
    description: text('description') ?? '',
    environmentId: integer('environment_id') ?? 0,
  };
  return answered(createWorldFirewall(world, order), firewall =>
    succeeded('Firewall creation scheduled', {firewall: newFirewallBody(firewall)}),
  );
}

/** The list is the whole set: a machine that is not in it loses the firewall. */
function updateAttachments({world, body}: Inquiry, firewall: Firewall): Response {
  const reading = readBody(body, MACHINES);
  if (!reading.isValid) return reading.refusal;
  return answered(setMachines(world, firewall, reading.fields.integers('vms')), () =>
    succeeded('Firewall attachment update scheduled'),
  );
}

function firewallBody(firewall: Firewall, world: World) {
  return {
    ...newFirewallBody(firewall),
    rules: firewall.rules.map(ruleBody),
    attachments: firewall.attachments.flatMap(attachment => attachmentBody(attachment, world)),
  };
}

function newFirewallBody(firewall: Firewall) {
  const {environment} = firewall;
  return {
    id: firewall.id,
    name: firewall.name,
    description: firewall.description,
    environment: {
      id: environment.id,
      name: environment.name,
      region: environment.regionName,
      features: environmentFeatures(environment),
    },
    status: firewall.status,
    created_at: zuluTimestamp(firewall.createdAt),
  };
}

/** An attachment goes with its machine. */
function attachmentBody({id, machineId, createdAt, status}: FirewallAttachment, world: World) {
  const machine = world.machineById(machineId);
  if (machine === undefined) return [];
  const vm = {
    id: machine.id,
    name: machine.name,
    environment: machine.environment.name,
    flavor: machine.flavor.name,
    status: machine.status,
    created_at: bareTimestamp(machine.createdAt),
  };
  return [{id, status, created_at: zuluTimestamp(createdAt), vm}];
}
